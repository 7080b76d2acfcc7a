/* Reading numbers and words from texts as scanf does (C11 7.21.6.2, with glibc's ways where C leaves them open), and from streams, which
   hold anything. */

/* An integer of at most `width` characters at `s`; gives what is behind it, or null if there is none. */
__fsoft_plain static const char *scan_integer(const char *s, int width, int base, int is_signed, int is_wide, unsigned long long *result) {
    unsigned long long value = 0, limit = is_wide ? ~0ull : ~0ul;
    int negative = 0, any = 0, over = 0, digit;
    if (is_signed) limit = limit >> 1;
    if (width > 0 && (*s == '-' || *s == '+')) {
        negative = *s == '-';
        s++;
        width--;
    }
    if (is_signed && negative) limit = limit + 1;
    if (width > 0 && *s == '0' && (base == 0 || base == 16)) {
        any = 1;
        s++;
        width--;
        if (width > 0 && (*s == 'x' || *s == 'X')) {
            base = 16;
            s++;
            width--;
        } else if (base == 0)
            base = 8;
    }
    if (base == 0) base = 10;
    while (width > 0 && (digit = digit_value(*s, base)) >= 0) {
        any = 1;
        if (over || value > (limit - (unsigned)digit) / (unsigned)base)
            over = 1;
        else
            value = value * (unsigned)base + (unsigned)digit;
        s++;
        width--;
    }
    if (!any) return 0;
    *result = over ? limit : negative ? -value : value;
    return s;
}

__fsoft_plain static void store_integer(void *to, unsigned long long value, int length) {
    if (length == 2 || length == 4) *(unsigned long long *)to = value;
    else if (length == 1) *(unsigned long *)to = (unsigned long)value;
    else if (length == -1) *(unsigned short *)to = (unsigned short)value;
    else if (length == -2) *(unsigned char *)to = (unsigned char)value;
    else *(unsigned *)to = (unsigned)value;
}

__fsoft_plain static void store_floating(void *to, double value, int length) {
    if (length == 4) *(long double *)to = value;
    else if (length == 1) *(double *)to = value;
    else *(float *)to = (float)value;
}

/* Whether a character is in a set as `%[` has it; `set` is behind the bracket. */
__fsoft_plain static int in_set(char c, const char *set) {
    const char *first;
    int inverted = *set == '^', found = 0;
    if (inverted) set++;
    first = set;
    for (; set == first || *set != ']'; set++) {
        if (*set == 0) return 0;
        if (*set == '-' && set != first && set[1] != ']' && set[1] != 0) {
            if ((unsigned char)set[-1] <= (unsigned char)c && (unsigned char)c <= (unsigned char)set[1]) found = 1;
        } else if (*set == c)
            found = 1;
    }
    return found != inverted;
}

__fsoft_plain static const char *behind_set(const char *set) {
    if (*set == '^') set++;
    if (*set == ']') set++;
    while (*set && *set != ']') set++;
    return *set ? set + 1 : set;
}

static int base_of(char c) {
    return c == 'd' || c == 'u' ? 10 : c == 'i' ? 0 : c == 'o' ? 8 : 16;
}

static int is_integer(char c) {
    return c == 'd' || c == 'i' || c == 'u' || c == 'o' || c == 'x' || c == 'X' || c == 'p';
}

static int is_floating(char c) {
    return c == 'f' || c == 'F' || c == 'e' || c == 'E' || c == 'g' || c == 'G' || c == 'a' || c == 'A';
}

__fsoft_plain int vsscanf(const char *s, const char *format, __builtin_va_list list) {
    const char *start = s, *set, *rest;
    int done = 0;
    char c;
    while ((c = *format++)) {
        int width = 0, length = 0, kept = 1, count = 0;
        char *to = 0;
        if (is_white(c)) {
            while (is_white(*s)) s++;
            continue;
        }
        if (c != '%') {
            if (*s == 0) return done ? done : -1;
            if (*s != c) return done;
            s++;
            continue;
        }
        if (*format == '*') {
            kept = 0;
            format++;
        }
        while (*format >= '0' && *format <= '9') width = width * 10 + (*format++ - '0');
        if (*format == '$' || *format == 'm') __fsoft_undefined("numbered arguments of scanf, and memory that it allocates, are not modelled");
        while (*format == 'h' || *format == 'l' || *format == 'q' || *format == 'j' || *format == 'z' || *format == 't' || *format == 'L')
            length = length_of(*format++, length);
        c = *format++;
        if (c == 'p') length = 1;
        set = format;
        if (c == '[') format = behind_set(format);
        if (c != 'c' && c != '[' && c != 'n')
            while (is_white(*s)) s++;
        if (c == '%') {
            if (*s == 0) return done ? done : -1;
            if (*s != '%') return done;
            s++;
            continue;
        }
        if (c == 'n') {
            if (kept) store_integer(__builtin_va_arg(list, void *), (unsigned long long)(s - start), length);
            continue;
        }
        if (*s == 0) return done ? done : -1;
        if (width == 0) width = c == 'c' ? 1 : 2147483647;
        if (is_integer(c)) {
            unsigned long long value = 0;
            rest = scan_integer(s, width, base_of(c), c == 'd' || c == 'i', length == 2 || length == 4, &value);
            if (!rest) return done;
            s = rest;
            if (kept) store_integer(__builtin_va_arg(list, void *), value, length);
            done = done + kept;
        } else if (is_floating(c)) {
            double value = 0.0;
            rest = scan_floating(s, width, &value);
            if (!rest) return done;
            s = rest;
            if (kept) store_floating(__builtin_va_arg(list, void *), value, length);
            done = done + kept;
        } else if ((c == 's' || c == 'c' || c == '[') && length != 1) {
            if (kept) to = __builtin_va_arg(list, char *);
            while (count < width && *s && (c == 'c' || (c == 's' ? !is_white(*s) : in_set(*s, set)))) {
                if (kept) to[count] = *s;
                count++;
                s++;
            }
            if (count == 0) return done;
            if (kept && c != 'c') to[count] = 0;
            done = done + kept;
        } else {
            __fsoft_undefined("a format of scanf has a directive that C does not know, or one for wide characters, which are not modelled");
        }
    }
    return done;
}

int sscanf(const char *s, const char *format, ...) {
    __builtin_va_list list;
    int done;
    __builtin_va_start(list, format);
    done = vsscanf(s, format, list);
    __builtin_va_end(list);
    return done;
}

int __isoc99_sscanf(const char *s, const char *format, ...) {
    __builtin_va_list list;
    int done;
    __builtin_va_start(list, format);
    done = vsscanf(s, format, list);
    __builtin_va_end(list);
    return done;
}

int __isoc99_vsscanf(const char *s, const char *format, __builtin_va_list list) {
    return vsscanf(s, format, list);
}

/* From a stream: what is there is anything, so each directive may fail or give any value. */

__fsoft_plain static int any_scan(const char *format, __builtin_va_list list) {
    const char *set;
    int done = 0;
    char c;
    may_stop();
    while ((c = *format++)) {
        int width = 0, length = 0, kept = 1, count = 0;
        char *to;
        if (c != '%') continue;
        if (*format == '*') {
            kept = 0;
            format++;
        }
        while (*format >= '0' && *format <= '9') width = width * 10 + (*format++ - '0');
        if (*format == '$' || *format == 'm') __fsoft_undefined("numbered arguments of scanf, and memory that it allocates, are not modelled");
        while (*format == 'h' || *format == 'l' || *format == 'q' || *format == 'j' || *format == 'z' || *format == 't' || *format == 'L')
            length = length_of(*format++, length);
        c = *format++;
        if (c == 'p') length = 1;
        set = format;
        if (c == '[') format = behind_set(format);
        if (__VERIFIER_nondet_bool()) return done || __VERIFIER_nondet_bool() ? done : -1;
        if (c == '%' || !kept) continue;
        if (width == 0) width = c == 'c' ? 1 : 2147483647;
        if (c == 'n') {
            store_integer(__builtin_va_arg(list, void *), __VERIFIER_nondet_uint() >> 1, length);
        } else if (is_integer(c)) {
            store_integer(__builtin_va_arg(list, void *), length == 2 || length == 4 ? __VERIFIER_nondet_ulonglong() : __VERIFIER_nondet_ulong(), length);
            done++;
        } else if (is_floating(c)) {
            store_floating(__builtin_va_arg(list, void *), __VERIFIER_nondet_double(), length);
            done++;
        } else if ((c == 's' || c == 'c' || c == '[') && length != 1) {
            to = __builtin_va_arg(list, char *);
            while (count < width && (c == 'c' || count == 0 || __VERIFIER_nondet_bool())) {
                char d = __VERIFIER_nondet_char();
                if (c == 's') __fsoft_assume(!is_white(d));
                if (c == '[') __fsoft_assume(in_set(d, set));
                to[count++] = d;
            }
            if (c != 'c') to[count] = 0;
            done++;
        } else {
            __fsoft_undefined("a format of scanf has a directive that C does not know, or one for wide characters, which are not modelled");
        }
    }
    return done;
}

int vfscanf(void *stream, const char *format, __builtin_va_list list) {
    return any_scan(format, list);
}

int vscanf(const char *format, __builtin_va_list list) {
    return any_scan(format, list);
}

int scanf(const char *format, ...) {
    __builtin_va_list list;
    int done;
    __builtin_va_start(list, format);
    done = any_scan(format, list);
    __builtin_va_end(list);
    return done;
}

int __isoc99_scanf(const char *format, ...) {
    __builtin_va_list list;
    int done;
    __builtin_va_start(list, format);
    done = any_scan(format, list);
    __builtin_va_end(list);
    return done;
}

int fscanf(void *stream, const char *format, ...) {
    __builtin_va_list list;
    int done;
    __builtin_va_start(list, format);
    done = any_scan(format, list);
    __builtin_va_end(list);
    return done;
}

int __isoc99_fscanf(void *stream, const char *format, ...) {
    __builtin_va_list list;
    int done;
    __builtin_va_start(list, format);
    done = any_scan(format, list);
    __builtin_va_end(list);
    return done;
}
