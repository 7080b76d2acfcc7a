/* What is a signed overflow and what is not. Unsigned arithmetic wraps, narrow types are computed
   as int and cut when stored: neither overflows. Negating or dividing the least int does (NEGATE,
   DIVIDE), and so does a product (MULTIPLY) or a long that leaves its range (LONG). */
#include <limits.h>

int main(void) {
    unsigned u = UINT_MAX;
    signed char c = 127;
    int least = INT_MIN;
    long most = LONG_MAX;
    u++;
    u *= 3000000000u;
    c = (signed char)(c + 1);
    c += 100;
    least = least + (int)u;
#ifdef NEGATE
    least = -least;
#endif
#ifdef DIVIDE
    least = least / -1;
#endif
#ifdef MULTIPLY
    least = 65536 * (c + 32840);
#endif
#ifdef LONG
    most += 1;
#endif
    return least == 0 && most == 0 && c == 0;
}
