/* Floating numbers in texts. Up to 15 significant digits and a power of ten up to 22 give the nearest number by one operation of IEEE 754
   (Clinger, "How to read floating point numbers accurately", 1990); of others the value is any of the sign, and marked so. */

static int is_white(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int lower_case(char c) {
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

/* How many characters of a word are at `s`. */
__fsoft_plain static int same_letters(const char *s, int width, const char *word) {
    int i = 0;
    while (i < width && word[i] && lower_case(s[i]) == word[i]) i++;
    return i;
}

static double any_magnitude(void) {
    double value = __VERIFIER_nondet_double();
    __fsoft_inexact("the value of a text with many digits or a large exponent");
    __fsoft_assume(value >= 0.0);
    if (__VERIFIER_nondet_bool()) set_errno(ERANGE);
    return value;
}

static double ten_to(int power) {
    double value = 1.0;
    for (; power > 0; power--) value = value * 10.0;
    return value;
}

static double decimal(unsigned long long digits, int many, int exponent) {
    if (digits == 0 && !many) return 0.0;
    if (many || digits > 9007199254740992ull || exponent > 22 || exponent < -22) return any_magnitude();
    return exponent < 0 ? (double)digits / ten_to(-exponent) : (double)digits * ten_to(exponent);
}

/* Digits with a point; gives what is behind them. `exponent` is that of the last digit kept. */
__fsoft_plain static const char *scan_digits(const char *s, int *width, int base, unsigned long long *digits, int *many, int *exponent, int *any) {
    int point = 0, digit;
    while (*width > 0) {
        if (*s == '.' && !point) {
            point = 1;
        } else if ((digit = digit_value(*s, base)) >= 0) {
            *any = 1;
            if (*digits > 100000000000000000ull) {
                if (digit != 0) *many = 1;
                if (!point) *exponent = *exponent + 1;
            } else {
                *digits = *digits * (unsigned)base + (unsigned)digit;
                if (point) *exponent = *exponent - 1;
            }
        } else
            break;
        s++;
        *width = *width - 1;
    }
    return s;
}

/* The exponent at `s`, if there is one. */
__fsoft_plain static const char *scan_exponent(const char *s, int width, int *exponent) {
    const char *start = s;
    int negative = 0, value = 0, any = 0;
    s++;
    width--;
    if (width > 0 && (*s == '-' || *s == '+')) {
        negative = *s == '-';
        s++;
        width--;
    }
    while (width > 0 && *s >= '0' && *s <= '9') {
        any = 1;
        if (value < 100000) value = value * 10 + (*s - '0');
        s++;
        width--;
    }
    if (!any) return start;
    *exponent = *exponent + (negative ? -value : value);
    return s;
}

__fsoft_plain static const char *scan_magnitude(const char *s, int width, double *result) {
    unsigned long long digits = 0;
    int many = 0, exponent = 0, any = 0, hexadecimal = 0, count;
    if (width > 1 && *s == '0' && lower_case(s[1]) == 'x' && (digit_value(s[2], 16) >= 0 || (s[2] == '.' && digit_value(s[3], 16) >= 0))) {
        hexadecimal = 1;
        s += 2;
        width -= 2;
    }
    if ((count = same_letters(s, width, "infinity")) >= 3) {
        *result = 1e300 * 1e300;
        return s + (count == 8 ? 8 : 3);
    }
    if (same_letters(s, width, "nan") == 3) {
        *result = 1e300 * 1e300 - 1e300 * 1e300;
        s += 3;
        if (width > 3 && *s == '(') {
            const char *end = s + 1;
            while (*end == '_' || digit_value(*end, 36) >= 0) end++;
            if (*end == ')') s = end + 1;
        }
        return s;
    }
    s = scan_digits(s, &width, hexadecimal ? 16 : 10, &digits, &many, &exponent, &any);
    if (!any) return 0;
    if (hexadecimal) {
        int binary = 0;
        if (width > 0 && lower_case(*s) == 'p') s = scan_exponent(s, width, &binary);
        if (digits > 9007199254740992ull || many)
            *result = any_magnitude();
        else
            *result = ldexp((double)digits, binary + 4 * exponent);
        return s;
    }
    if (width > 0 && lower_case(*s) == 'e') s = scan_exponent(s, width, &exponent);
    *result = decimal(digits, many, exponent);
    return s;
}

/* A number of at most `width` characters at `s`; gives what is behind it, or null if there is none. */
__fsoft_plain static const char *scan_floating(const char *s, int width, double *result) {
    int negative = width > 0 && *s == '-';
    const char *rest;
    if (width > 0 && (*s == '-' || *s == '+')) {
        s++;
        width--;
    }
    rest = scan_magnitude(s, width, result);
    if (rest && negative) *result = -*result;
    return rest;
}

__fsoft_plain double strtod(const char *s, char **end) {
    const char *start = s, *rest;
    double value = 0.0;
    while (is_white(*s)) s++;
    rest = scan_floating(s, 2147483647, &value);
    if (end) *end = (char *)(rest ? rest : start);
    return rest ? value : 0.0;
}

float strtof(const char *s, char **end) {
    return (float)strtod(s, end);
}

long double strtold(const char *s, char **end) {
    return strtod(s, end);
}

double atof(const char *s) {
    return strtod(s, 0);
}
