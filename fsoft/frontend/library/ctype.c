/* Characters of the "C" locale. Other values than those of characters and EOF are no index of glibc's tables (C11 7.4). */

#define CHARACTER __fsoft_check(c >= -128 && c <= 255, "valid-deref", "the argument is no character")

int isdigit(int c) {
    int is = (c >= '0' && c <= '9') ? 2048 : 0;
    CHARACTER;
    return __fsoft_measured("isdigit") ? any_but_zero(is) : is;
}

int isupper(int c) {
    int is = (c >= 'A' && c <= 'Z') ? 256 : 0;
    CHARACTER;
    return __fsoft_measured("isupper") ? any_but_zero(is) : is;
}

int islower(int c) {
    int is = (c >= 'a' && c <= 'z') ? 512 : 0;
    CHARACTER;
    return __fsoft_measured("islower") ? any_but_zero(is) : is;
}

int isalpha(int c) {
    int is = ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) ? 1024 : 0;
    CHARACTER;
    return __fsoft_measured("isalpha") ? any_but_zero(is) : is;
}

int isalnum(int c) {
    int is = ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) ? 8 : 0;
    CHARACTER;
    return __fsoft_measured("isalnum") ? any_but_zero(is) : is;
}

int isxdigit(int c) {
    int is = ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f')) ? 4096 : 0;
    CHARACTER;
    return __fsoft_measured("isxdigit") ? any_but_zero(is) : is;
}

int isspace(int c) {
    int is = (c == ' ' || (c >= '\t' && c <= '\r')) ? 8192 : 0;
    CHARACTER;
    return __fsoft_measured("isspace") ? any_but_zero(is) : is;
}

int isblank(int c) {
    int is = c == ' ' || c == '\t';
    CHARACTER;
    return __fsoft_measured("isblank") ? any_but_zero(is) : is;
}

int isprint(int c) {
    int is = (c >= ' ' && c <= '~') ? 16384 : 0;
    CHARACTER;
    return __fsoft_measured("isprint") ? any_but_zero(is) : is;
}

int isgraph(int c) {
    int is = (c > ' ' && c <= '~') ? 32768 : 0;
    CHARACTER;
    return __fsoft_measured("isgraph") ? any_but_zero(is) : is;
}

int iscntrl(int c) {
    int is = ((c >= 0 && c < ' ') || c == 127) ? 2 : 0;
    CHARACTER;
    return __fsoft_measured("iscntrl") ? any_but_zero(is) : is;
}

int ispunct(int c) {
    int is = ((c > ' ' && c < '0') || (c > '9' && c < 'A') || (c > 'Z' && c < 'a') || (c > 'z' && c <= '~')) ? 4 : 0;
    CHARACTER;
    return __fsoft_measured("ispunct") ? any_but_zero(is) : is;
}

int isascii(int c) {
    return c >= 0 && c < 128;
}

int toupper(int c) {
    CHARACTER;
    return c >= 'a' && c <= 'z' ? c - 32 : c;
}

int tolower(int c) {
    CHARACTER;
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}
