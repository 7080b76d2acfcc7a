/* C does not say in which order the operands of + are evaluated: two calls with side effects give
   12 from left to right and 21 from right to left. The claim EXACT holds for one order only;
   without it the program accepts both. */
#include <assert.h>

static int next;

static int draw(void) {
    return ++next;
}

int main(void) {
    int number = 10 * draw() + draw();
#ifdef EXACT
    assert(number == 12);
#else
    assert(number == 12 || number == 21);
#endif
    return 0;
}
