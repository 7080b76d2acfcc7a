/* Characters of the "C" locale. */

int isdigit(int c) {
    return c >= '0' && c <= '9';
}

int isupper(int c) {
    return c >= 'A' && c <= 'Z';
}

int islower(int c) {
    return c >= 'a' && c <= 'z';
}

int isalpha(int c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

int isalnum(int c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

int isxdigit(int c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
}

int isspace(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

int isblank(int c) {
    return c == ' ' || c == '\t';
}

int isprint(int c) {
    return c >= ' ' && c <= '~';
}

int isgraph(int c) {
    return c > ' ' && c <= '~';
}

int iscntrl(int c) {
    return (c >= 0 && c < ' ') || c == 127;
}

int ispunct(int c) {
    return (c > ' ' && c < '0') || (c > '9' && c < 'A') || (c > 'Z' && c < 'a') || (c > 'z' && c <= '~');
}

int isascii(int c) {
    return c >= 0 && c < 128;
}

int toupper(int c) {
    return c >= 'a' && c <= 'z' ? c - 32 : c;
}

int tolower(int c) {
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}
