/* Numbers, sorting, random numbers, errno. */

int *__errno_location(void) {
    return &__fsoft_errno;
}

int abs(int x) {
    return x < 0 ? -x : x;
}

long labs(long x) {
    return x < 0 ? -x : x;
}

long long llabs(long long x) {
    return x < 0 ? -x : x;
}

int rand(void) {
    return (int)(__VERIFIER_nondet_uint() >> 1);
}

long random(void) {
    return (long)(__VERIFIER_nondet_uint() >> 1);
}

__fsoft_plain int rand_r(unsigned *seed) {
    *seed = __VERIFIER_nondet_uint();
    return (int)(__VERIFIER_nondet_uint() >> 1);
}

void srand(unsigned seed) {
}

void srandom(unsigned seed) {
}

static int digit_value(char c, int base) {
    int value = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'z' ? c - 'a' + 10 : c >= 'A' && c <= 'Z' ? c - 'A' + 10 : 99;
    return value < base ? value : -1;
}

__fsoft_plain unsigned long long __fsoft_strtoull(const char *s, char **end, int base, unsigned long long limit, int is_signed) {
    const char *start = s;
    unsigned long long value = 0, bound;
    int negative, digit, over = 0, any = 0;
    if (base < 0 || base == 1 || base > 36) {
        set_errno(EINVAL);
        return 0;
    }
    while (*s == ' ' || (*s >= '\t' && *s <= '\r')) s++;
    negative = *s == '-';
    if (*s == '-' || *s == '+') s++;
    if ((base == 0 || base == 16) && *s == '0' && (s[1] == 'x' || s[1] == 'X') && digit_value(s[2], 16) >= 0) {
        s += 2;
        base = 16;
    } else if (base == 0)
        base = *s == '0' ? 8 : 10;
    bound = is_signed && negative ? limit + 1 : limit;
    while ((digit = digit_value(*s, base)) >= 0) {
        any = 1;
        if (over || value > (bound - (unsigned)digit) / (unsigned)base)
            over = 1;
        else
            value = value * (unsigned)base + (unsigned)digit;
        s++;
    }
    if (end) *end = (char *)(any ? s : start);
    if (over) {
        set_errno(ERANGE);
        return bound;
    }
    return negative ? -value : value;
}

long strtol(const char *s, char **end, int base) {
    return (long)__fsoft_strtoull(s, end, base, ~0ul >> 1, 1);
}

long long strtoll(const char *s, char **end, int base) {
    return (long long)__fsoft_strtoull(s, end, base, ~0ull >> 1, 1);
}

unsigned long strtoul(const char *s, char **end, int base) {
    return (unsigned long)__fsoft_strtoull(s, end, base, ~0ul, 0);
}

unsigned long long strtoull(const char *s, char **end, int base) {
    return __fsoft_strtoull(s, end, base, ~0ull, 0);
}

int atoi(const char *s) {
    return (int)__fsoft_strtoull(s, 0, 10, ~0ul >> 1, 1);
}

long atol(const char *s) {
    return (long)__fsoft_strtoull(s, 0, 10, ~0ul >> 1, 1);
}

long long atoll(const char *s) {
    return (long long)__fsoft_strtoull(s, 0, 10, ~0ull >> 1, 1);
}

__fsoft_plain static void swap_bytes(unsigned char *a, unsigned char *b, __SIZE_TYPE__ size) {
    __SIZE_TYPE__ i;
    for (i = 0; i < size; i++) {
        unsigned char c = a[i];
        a[i] = b[i];
        b[i] = c;
    }
}

/* What compares equal ends in any order. Any element may be moved, even if all are in order. */

__fsoft_plain static void touch(char *data, __SIZE_TYPE__ size) {
    __SIZE_TYPE__ i;
    if (__fsoft_checks("no-data-race"))
        for (i = 0; i < size; i++) data[i] = data[i];
}

static int goes_down(int order) {
    return order > 0 || (order == 0 && __VERIFIER_nondet_bool());
}

void qsort(void *base, __SIZE_TYPE__ count, __SIZE_TYPE__ size, int (*compare)(const void *, const void *)) {
    unsigned char *first = (unsigned char *)base;
    __SIZE_TYPE__ i, j;
    __fsoft_note("qsort compares the elements that an insertion sort compares");
    if (count > 1) touch((char *)base, count * size);
    for (i = 1; i < count; i++)
        for (j = i; j > 0 && goes_down(compare(first + (j - 1) * size, first + j * size)); j--)
            swap_bytes(first + (j - 1) * size, first + j * size, size);
}

/* Of several elements that match any may be found: those beside the first that is. */

static const char *any_match(const void *key, const char *first, const char *found, const char *last, __SIZE_TYPE__ size,
                             int (*compare)(const void *, const void *)) {
    long step = __VERIFIER_nondet_bool() ? (long)size : -(long)size;
    const char *end = step < 0 ? first : last;
    while (found != end && __VERIFIER_nondet_bool() && compare(key, found + step) == 0) found = found + step;
    return found;
}

void *bsearch(const void *key, const void *base, __SIZE_TYPE__ count, __SIZE_TYPE__ size,
              int (*compare)(const void *, const void *)) {
    __SIZE_TYPE__ low = 0, high = count;
    while (low < high) {
        __SIZE_TYPE__ middle = low + (high - low) / 2;
        const char *element = (const char *)base + middle * size;
        int order = compare(key, element);
        if (order == 0) {
            const char *first = (const char *)base + low * size;
            return (void *)any_match(key, first, element, first + (high - low - 1) * size, size, compare);
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return 0;
}

struct __fsoft_div div(int x, int y) {
    struct __fsoft_div result;
    result.quot = x / y;
    result.rem = x % y;
    return result;
}

struct __fsoft_ldiv ldiv(long x, long y) {
    struct __fsoft_ldiv result;
    result.quot = x / y;
    result.rem = x % y;
    return result;
}

struct __fsoft_lldiv lldiv(long long x, long long y) {
    struct __fsoft_lldiv result;
    result.quot = x / y;
    result.rem = x % y;
    return result;
}

double drand48(void) {
    double value = __VERIFIER_nondet_double();
    __fsoft_assume(value >= 0.0 && value < 1.0);
    return value;
}

long lrand48(void) {
    return (long)(__VERIFIER_nondet_uint() >> 1);
}

void srand48(long seed) {
}
