/* Output goes nowhere; what the functions return is any value that C allows. Characters read are any characters. */

/* POSIX lets these act on a request to end; write must. */
static void may_stop(void) {
    if (CANCELS && __VERIFIER_nondet_bool()) pthread_testcancel();
}

int printf(const char *format, ...) {
    may_stop();
    return __VERIFIER_nondet_int();
}

int fprintf(void *stream, const char *format, ...) {
    may_stop();
    return __VERIFIER_nondet_int();
}

int dprintf(int file, const char *format, ...) {
    may_stop();
    return __VERIFIER_nondet_int();
}

int puts(const char *s) {
    may_stop();
    return __VERIFIER_nondet_int();
}

int fputs(const char *s, void *stream) {
    may_stop();
    return __VERIFIER_nondet_int();
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
}

int fflush(void *stream) {
    may_stop();
    return __VERIFIER_nondet_bool() ? -1 : 0;
}

void setbuf(void *stream, char *buffer) {
}

int setvbuf(void *stream, char *buffer, int mode, __SIZE_TYPE__ size) {
    return 0;
}

static int any_character(void) {
    return __VERIFIER_nondet_bool() ? -1 : (unsigned char)__VERIFIER_nondet_char();
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
    s[i] = 0;
    return s;
}

long write(int file, const void *data, __SIZE_TYPE__ size) {
    if (CANCELS) pthread_testcancel();
    return __VERIFIER_nondet_bool() ? -1 : (long)size;
}
