/* Initialisers with designators, in gcc's order: by place, each value once. A range is one value, evaluated once, and what a later
   designator overrides, if only in a part, is not evaluated at all. C leaves the order open; ORDER asks for the one of the text. */
#pragma GCC diagnostic ignored "-Woverride-init"
#pragma GCC diagnostic ignored "-Woverride-init-side-effects"
#include <assert.h>

struct part { int x, y; };
struct whole { int a, b; struct part c; };

int count;

int next(void) { return ++count; }

struct part both(void) {
    struct part p = {next(), 9};
    return p;
}

int main(void) {
    int seed = 5;
    int same[3] = {[0 ... 2] = seed++};
    assert(seed == 6 && same[0] == 5 && same[1] == 5 && same[2] == 5);

    struct whole once = {.a = next(), .a = next(), .b = next()};
    assert(count == 2 && once.a == 1 && once.b == 2);

    struct whole order = {.b = next(), .c = {.y = next(), .x = next()}, .a = next()};
#ifdef ORDER
    assert(order.b == 3);
#else
    assert(order.a == 3 && order.b == 4 && order.c.x == 5 && order.c.y == 6);
#endif

    int mixed[4] = {[1 ... 3] = next(), [2] = next(), [0] = next()};
    assert(mixed[0] == 7 && mixed[1] == 8 && mixed[2] == 9 && mixed[3] == 8);

    struct part parts[2] = {[0 ... 1] = both(), [1].y = 3};
    assert(count == 10 && parts[0].x == 10 && parts[0].y == 9 && parts[1].x == 0 && parts[1].y == 3);
    return 0;
}
