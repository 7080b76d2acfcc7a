/* Output goes nowhere, but what is printed is read; what the functions return is any value that C allows. Characters read are any characters. */

/* POSIX lets these act on a request to end; write must. */
static void may_stop(void) {
    if (CANCELS && __VERIFIER_nondet_bool()) pthread_testcancel();
}

/* The text of a literal is always there, and nobody changes it. */

__fsoft_plain void __fsoft_read_text(const char *s) {
    __SIZE_TYPE__ i = 0;
    if (LOOKS && !__fsoft_literal(s))
        while (s[i]) i++;
}

__fsoft_plain void __fsoft_read_part(const char *s, __SIZE_TYPE__ most) {
    __SIZE_TYPE__ i = 0;
    if (LOOKS && !__fsoft_literal(s))
        while (i < most && s[i]) i++;
}

__fsoft_plain static void read_bytes(const char *data, __SIZE_TYPE__ size) {
    __SIZE_TYPE__ i;
    if (LOOKS && !__fsoft_literal(data))
        for (i = 0; i < size; i++) (void)data[i];
}

static int any_character(void) {
    return __VERIFIER_nondet_bool() ? -1 : (unsigned char)__VERIFIER_nondet_char();
}

static int any_count(void) { /* or EOF */
    int count = __VERIFIER_nondet_int();
    return count < 0 ? -1 : count;
}

/* __fsoft_print does what the format says, with the arguments after it; it needs the two functions that read. */
#define PRINTS spoil_errno(); if (0) __fsoft_read_text(0), __fsoft_read_part(0, 0)

__fsoft_plain int printf(const char *format, ...) {
    PRINTS;
    may_stop();
    return __fsoft_print(format);
}

__fsoft_plain int fprintf(void *stream, const char *format, ...) {
    PRINTS;
    may_stop();
    return __fsoft_print(format);
}

__fsoft_plain int dprintf(int file, const char *format, ...) {
    PRINTS;
    may_stop();
    return __fsoft_print(format);
}

int puts(const char *s) {
    may_stop();
    __fsoft_read_text(s);
    spoil_errno();
    return any_count();
}

int fputs(const char *s, void *stream) {
    may_stop();
    __fsoft_read_text(s);
    return any_count();
}

int putchar(int c) {
    may_stop();
    return __VERIFIER_nondet_bool() ? -1 : (unsigned char)c;
}

int putc(int c, void *stream) {
    may_stop();
    return __VERIFIER_nondet_bool() ? -1 : (unsigned char)c;
}

int fputc(int c, void *stream) {
    may_stop();
    return __VERIFIER_nondet_bool() ? -1 : (unsigned char)c;
}

void perror(const char *s) {
    may_stop();
    if (s) __fsoft_read_text(s);
}

int fflush(void *stream) {
    may_stop();
    return __VERIFIER_nondet_bool() ? -1 : 0;
}

void setbuf(void *stream, char *buffer) {
    if (buffer) __fsoft_undefined("a buffer given to setbuf is written whenever the stream is used, which is not modelled");
}

int setvbuf(void *stream, char *buffer, int mode, __SIZE_TYPE__ size) {
    if (buffer && mode != 2) __fsoft_undefined("a buffer given to setvbuf is written whenever the stream is used, which is not modelled");
    if (mode < 0 || mode > 2) return -1;
    return __VERIFIER_nondet_bool() ? -1 : 0;
}

int getchar(void) {
    may_stop();
    return any_character();
}

int getc(void *stream) {
    may_stop();
    return any_character();
}

int fgetc(void *stream) {
    may_stop();
    return any_character();
}

__fsoft_plain char *fgets(char *s, int size, void *stream) {
    int i = 0, c = 0;
    may_stop();
    while (i < size - 1 && c != '\n' && (c = any_character()) >= 0) s[i++] = (char)c;
    if (size < 1 || (size > 1 && i == 0)) return 0;
    if (c < 0 && __VERIFIER_nondet_bool()) return 0; /* an error: what was read before it is there, without an end */
    s[i] = 0;
    return s;
}

long write(int file, const void *data, __SIZE_TYPE__ size) {
    long done = __VERIFIER_nondet_long();
    if (CANCELS) pthread_testcancel();
    read_bytes((const char *)data, size);
    if (done >= 0 && (__SIZE_TYPE__)done <= size) return done;
    set_errno((int)(__VERIFIER_nondet_uint() >> 25) + 1);
    return -1;
}
