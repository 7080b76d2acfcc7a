/* Formatting into memory: what the directives of printf make of their arguments. `at` counts the characters so far; those that do not fit
   into `size` bytes, with the zero at the end, are counted and not written. The lowering calls these for each directive of a literal
   format (see `__fsoft_format` in intrinsics.h), `__fsoft_format_any` reads any other format. */

#define LEFT 1
#define PLUS 2
#define SPACE 4
#define OTHER 8
#define ZERO 16
#define UPPER 32
#define WHOLE ~(__SIZE_TYPE__)0

__fsoft_plain static __SIZE_TYPE__ put_character(char *to, __SIZE_TYPE__ size, __SIZE_TYPE__ at, char c) {
    if (at + 1 < size) to[at] = c;
    return at + 1;
}

__fsoft_plain static __SIZE_TYPE__ put_many(char *to, __SIZE_TYPE__ size, __SIZE_TYPE__ at, char c, int count) {
    for (; count > 0; count--) at = put_character(to, size, at, c);
    return at;
}

__fsoft_plain __SIZE_TYPE__ __fsoft_format_text(char *to, __SIZE_TYPE__ size, __SIZE_TYPE__ at, const char *text, int length) {
    int i;
    for (i = 0; i < length; i++) at = put_character(to, size, at, text[i]);
    return at;
}

__fsoft_plain int __fsoft_format_end(char *to, __SIZE_TYPE__ size, __SIZE_TYPE__ at) {
    if (size != 0) to[at < size ? at : size - 1] = 0;
    return (int)at;
}

__fsoft_plain __SIZE_TYPE__ __fsoft_format_character(char *to, __SIZE_TYPE__ size, __SIZE_TYPE__ at, int c, int flags, int width) {
    if (!(flags & LEFT)) at = put_many(to, size, at, ' ', width - 1);
    at = put_character(to, size, at, (char)c);
    if (flags & LEFT) at = put_many(to, size, at, ' ', width - 1);
    return at;
}

__fsoft_plain __SIZE_TYPE__ __fsoft_format_string(char *to, __SIZE_TYPE__ size, __SIZE_TYPE__ at, const char *s, int flags, int width,
                                                  int precision) {
    int length = 0, i;
    char c;
    if (width <= 0) {
        while ((precision < 0 || length < precision) && (c = s[length])) {
            at = put_character(to, size, at, c);
            length++;
        }
    } else {
        while ((precision < 0 || length < precision) && s[length]) length++;
        if (!(flags & LEFT)) at = put_many(to, size, at, ' ', width - length);
        for (i = 0; i < length; i++) at = put_character(to, size, at, s[i]);
        if (flags & LEFT) at = put_many(to, size, at, ' ', width - length);
    }
    if (to) apart(to, at < size ? at + 1 : size, s, (__SIZE_TYPE__)length);
    return at;
}

__fsoft_plain __SIZE_TYPE__ __fsoft_format_integer(char *to, __SIZE_TYPE__ size, __SIZE_TYPE__ at, unsigned long long value, int negative,
                                                   unsigned base, int flags, int width, int precision) {
    unsigned long long power = 1;
    int count = value != 0 || precision != 0, zeros, before, hexadecimal = base == 16 && (flags & OTHER) && value != 0;
    char sign = negative ? '-' : flags & PLUS ? '+' : flags & SPACE ? ' ' : 0;
    for (; value / power >= base; power = power * base) count++;
    zeros = precision > count ? precision - count : 0;
    if (base == 8 && (flags & OTHER) && zeros == 0 && (count == 0 || value != 0)) zeros = 1;
    before = (sign != 0) + (hexadecimal ? 2 : 0);
    if (precision < 0 && (flags & ZERO) && !(flags & LEFT) && width > before + zeros + count) zeros = width - before - count;
    width = width - before - zeros - count;
    if (!(flags & LEFT)) at = put_many(to, size, at, ' ', width);
    if (sign) at = put_character(to, size, at, sign);
    if (hexadecimal) {
        at = put_character(to, size, at, '0');
        at = put_character(to, size, at, flags & UPPER ? 'X' : 'x');
    }
    at = put_many(to, size, at, '0', zeros);
    for (; count > 0; count--) {
        int digit = (int)(value / power % base);
        at = put_character(to, size, at, (char)(digit < 10 ? '0' + digit : (flags & UPPER ? 'A' : 'a') + digit - 10));
        power = power / base;
    }
    if (flags & LEFT) at = put_many(to, size, at, ' ', width);
    return at;
}

/* What the text of a number is that is not computed: at least so many characters, and more where that is open. */
__fsoft_plain __SIZE_TYPE__ __fsoft_format_unknown(char *to, __SIZE_TYPE__ size, __SIZE_TYPE__ at, int least, int most) {
    int count = 0;
    __fsoft_inexact("the text of a floating number, an address or a message");
    while (count < least || (count < most && __VERIFIER_nondet_bool())) {
        char c = __VERIFIER_nondet_char();
        at = put_character(to, size, at, c ? c : '0');
        count++;
    }
    return at;
}

__fsoft_plain __SIZE_TYPE__ __fsoft_format_pointer(char *to, __SIZE_TYPE__ size, __SIZE_TYPE__ at, const void *p, int flags, int width) {
    if (!p) return __fsoft_format_string(to, size, at, "(nil)", flags, width, -1);
    return __fsoft_format_unknown(to, size, at, width > 3 ? width : 3, width > 18 ? width : 18);
}

/* How many characters a floating number has: a sign, digits, a point, an exponent. %f writes up to 309 digits before the point. */
__fsoft_plain __SIZE_TYPE__ __fsoft_format_floating(char *to, __SIZE_TYPE__ size, __SIZE_TYPE__ at, int conversion, int width, int precision) {
    int digits = precision < 0 ? 6 : precision, plain = conversion == 'f' || conversion == 'F';
    int least = plain || conversion == 'e' || conversion == 'E' ? 3 : 1, most = (plain ? 312 : 24) + digits;
    return __fsoft_format_unknown(to, size, at, width > least ? width : least, width > most ? width : most);
}

/* A length is -2 hh, -1 h, 0 none, 1 l, 2 ll j, 3 z t, 4 L. */
static int length_of(char c, int before) {
    return c == 'h' ? before == -1 ? -2 : -1 : c == 'l' ? before == 1 ? 2 : 1 : c == 'q' || c == 'j' ? 2 : c == 'z' || c == 't' || c == 'Z' ? 1 : 4;
}

__fsoft_plain int __fsoft_format_any(char *to, __SIZE_TYPE__ size, const char *format, __builtin_va_list list) {
    __SIZE_TYPE__ at = 0;
    char c;
    while ((c = *format++)) {
        int flags = 0, width = 0, precision = -1, length = 0;
        if (c != '%') {
            at = put_character(to, size, at, c);
            continue;
        }
        for (;; format++) {
            c = *format;
            if (c == '-') flags |= LEFT;
            else if (c == '+') flags |= PLUS;
            else if (c == ' ') flags |= SPACE;
            else if (c == '#') flags |= OTHER;
            else if (c == '0') flags |= ZERO;
            else if (c != '\'' && c != 'I') break;
        }
        if (*format == '*') {
            format++;
            width = __builtin_va_arg(list, int);
            if (width < 0) {
                flags |= LEFT;
                width = -width;
            }
        } else
            while (*format >= '0' && *format <= '9') width = width * 10 + (*format++ - '0');
        if (*format == '$') __fsoft_undefined("a format that is no literal numbers its arguments, which is not modelled");
        if (*format == '.') {
            format++;
            precision = 0;
            if (*format == '*') {
                format++;
                precision = __builtin_va_arg(list, int);
            } else if (*format == '-') {
                precision = -1;
                format++;
                while (*format >= '0' && *format <= '9') format++;
            } else
                while (*format >= '0' && *format <= '9') precision = precision * 10 + (*format++ - '0');
        }
        while (*format == 'h' || *format == 'l' || *format == 'q' || *format == 'j' || *format == 'z' || *format == 't' || *format == 'Z' ||
               *format == 'L')
            length = length_of(*format++, length);
        c = *format++;
        if (c == 'd' || c == 'i') {
            long long value = length == 2 || length == 4 ? __builtin_va_arg(list, long long)
                              : length == 1              ? __builtin_va_arg(list, long)
                                                         : __builtin_va_arg(list, int);
            if (length == -1) value = (short)value;
            if (length == -2) value = (signed char)value;
            at = __fsoft_format_integer(to, size, at, value < 0 ? -(unsigned long long)value : (unsigned long long)value, value < 0, 10,
                                        flags, width, precision);
        } else if (c == 'u' || c == 'x' || c == 'X' || c == 'o') {
            unsigned long long value = length == 2 || length == 4 ? __builtin_va_arg(list, unsigned long long)
                                       : length == 1              ? __builtin_va_arg(list, unsigned long)
                                                                  : __builtin_va_arg(list, unsigned);
            if (length == -1) value = (unsigned short)value;
            if (length == -2) value = (unsigned char)value;
            at = __fsoft_format_integer(to, size, at, value, 0, c == 'u' ? 10 : c == 'o' ? 8 : 16,
                                        (flags & ~(PLUS | SPACE)) | (c == 'X' ? UPPER : 0), width, precision);
        } else if (c == 'c' && length != 1) {
            at = __fsoft_format_character(to, size, at, __builtin_va_arg(list, int), flags, width);
        } else if (c == 's' && length != 1) {
            at = __fsoft_format_string(to, size, at, __builtin_va_arg(list, const char *), flags, width, precision);
        } else if (c == 'p') {
            at = __fsoft_format_pointer(to, size, at, __builtin_va_arg(list, const void *), flags, width);
        } else if (c == 'n') {
            void *count = __builtin_va_arg(list, void *);
            if (length == 2) *(long long *)count = (long long)at;
            else if (length == 1) *(long *)count = (long)at;
            else if (length == -1) *(short *)count = (short)at;
            else if (length == -2) *(signed char *)count = (signed char)at;
            else *(int *)count = (int)at;
        } else if (c == 'm') {
            at = __fsoft_format_unknown(to, size, at, width > 1 ? width : 1, width > 60 ? width : 60);
        } else if (c == '%') {
            at = put_character(to, size, at, c);
        } else if (c == 'f' || c == 'F' || c == 'e' || c == 'E' || c == 'g' || c == 'G' || c == 'a' || c == 'A') {
            if (length == 4)
                (void)__builtin_va_arg(list, long double);
            else
                (void)__builtin_va_arg(list, double);
            at = __fsoft_format_floating(to, size, at, c, width, precision);
        } else {
            __fsoft_undefined("a format has a directive that C does not know, or one for wide characters, which are not modelled");
        }
    }
    return __fsoft_format_end(to, size, at);
}

/* __fsoft_format needs all of these. */
static void formats(void) {
    if (0) {
        __fsoft_format_text(0, 0, 0, 0, 0);
        __fsoft_format_character(0, 0, 0, 0, 0, 0);
        __fsoft_format_string(0, 0, 0, 0, 0, 0, 0);
        __fsoft_format_integer(0, 0, 0, 0, 0, 0, 0, 0, 0);
        __fsoft_format_pointer(0, 0, 0, 0, 0, 0);
        __fsoft_format_floating(0, 0, 0, 0, 0, 0);
        __fsoft_format_unknown(0, 0, 0, 0, 0);
        __fsoft_format_any(0, 0, 0, 0);
        __fsoft_format_end(0, 0, 0);
    }
}

__fsoft_plain int sprintf(char *to, const char *format, ...) {
    formats();
    return __fsoft_format(to, WHOLE, format);
}

__fsoft_plain int snprintf(char *to, __SIZE_TYPE__ size, const char *format, ...) {
    formats();
    return __fsoft_format(to, size, format);
}

__fsoft_plain int vsprintf(char *to, const char *format, __builtin_va_list list) {
    formats();
    return __fsoft_format(to, WHOLE, format, list);
}

__fsoft_plain int vsnprintf(char *to, __SIZE_TYPE__ size, const char *format, __builtin_va_list list) {
    formats();
    return __fsoft_format(to, size, format, list);
}

__fsoft_plain static char *room_for(int count) {
    char *room = (char *)malloc((__SIZE_TYPE__)count + 1);
    return room;
}

__fsoft_plain int vasprintf(char **to, const char *format, __builtin_va_list list) {
    __builtin_va_list again;
    int count;
    char *room;
    formats();
    __builtin_va_copy(again, list);
    count = __fsoft_format(0, 0, format, again);
    __builtin_va_end(again);
    room = room_for(count);
    if (!room) return -1;
    count = __fsoft_format(room, (__SIZE_TYPE__)count + 1, format, list);
    *to = room;
    return count;
}

__fsoft_plain int asprintf(char **to, const char *format, ...) {
    int count;
    char *room;
    formats();
    count = __fsoft_format(0, 0, format);
    room = room_for(count);
    if (!room) return -1;
    count = __fsoft_format(room, (__SIZE_TYPE__)count + 1, format);
    *to = room;
    return count;
}

/* What printf does with a format that is no literal and a list: it reads texts and stores counts; the result is the number of characters,
   or less than zero. */
__fsoft_plain int __fsoft_print_any(const char *format, __builtin_va_list list) {
    char c;
    while ((c = *format++)) {
        int precision = -1, length = 0;
        if (c != '%') continue;
        while (*format == '-' || *format == '+' || *format == ' ' || *format == '#' || *format == '\'' || (*format >= '0' && *format <= '9')) format++;
        if (*format == '*') {
            format++;
            (void)__builtin_va_arg(list, int);
        }
        if (*format == '$') __fsoft_undefined("a format that is no literal numbers its arguments, which is not modelled");
        if (*format == '.') {
            format++;
            precision = 0;
            if (*format == '*') {
                format++;
                precision = __builtin_va_arg(list, int);
            } else
                while ((*format >= '0' && *format <= '9') || *format == '-') precision = *format == '-' ? -1 : precision * 10 + (*format - '0'), format++;
        }
        while (*format == 'h' || *format == 'l' || *format == 'q' || *format == 'j' || *format == 'z' || *format == 't' || *format == 'Z' ||
               *format == 'L')
            length = length_of(*format++, length);
        c = *format++;
        if (c == 's' && length != 1) {
            if (precision < 0)
                __fsoft_read_text(__builtin_va_arg(list, const char *));
            else
                __fsoft_read_part(__builtin_va_arg(list, const char *), (__SIZE_TYPE__)precision);
        } else if (c == 'n') {
            long long count = (int)(__VERIFIER_nondet_uint() >> 1);
            void *to = __builtin_va_arg(list, void *);
            if (length == 2) *(long long *)to = count;
            else if (length == 1) *(long *)to = (long)count;
            else if (length == -1) *(short *)to = (short)count;
            else if (length == -2) *(signed char *)to = (signed char)count;
            else *(int *)to = (int)count;
        } else if (c == 'p') {
            (void)__builtin_va_arg(list, void *);
        } else if (c == 'f' || c == 'F' || c == 'e' || c == 'E' || c == 'g' || c == 'G' || c == 'a' || c == 'A') {
            if (length == 4)
                (void)__builtin_va_arg(list, long double);
            else
                (void)__builtin_va_arg(list, double);
        } else if (c == 'd' || c == 'i' || c == 'u' || c == 'x' || c == 'X' || c == 'o' || c == 'c') {
            if (length == 2 || length == 4)
                (void)__builtin_va_arg(list, long long);
            else if (length == 1)
                (void)__builtin_va_arg(list, long);
            else
                (void)__builtin_va_arg(list, int);
        } else if (c != '%' && c != 'm') {
            __fsoft_undefined("a format has a directive that C does not know, or one for wide characters, which are not modelled");
        }
    }
    return any_count();
}

__fsoft_plain int vprintf(const char *format, __builtin_va_list list) {
    PRINTS;
    if (0) __fsoft_print_any(0, 0);
    may_stop();
    return __fsoft_print(format, list);
}

__fsoft_plain int vfprintf(void *stream, const char *format, __builtin_va_list list) {
    PRINTS;
    if (0) __fsoft_print_any(0, 0);
    may_stop();
    return __fsoft_print(format, list);
}

__fsoft_plain int vdprintf(int file, const char *format, __builtin_va_list list) {
    PRINTS;
    if (0) __fsoft_print_any(0, 0);
    may_stop();
    return __fsoft_print(format, list);
}
