/* The order of what a call needs is open, too: of its arguments, of the function itself, of what an atomic operation is given. The claim
   LAST holds from left to right only; a struct that is passed is read before another argument changes it, or after. */
#include <assert.h>

struct pair { int first, second; };

static int order, target;
static struct pair shared = {1, 1};

static int note(int k) {
    order = 10 * order + k;
    return k;
}

static int *where(void) {
    note(1);
    return &target;
}

static void take(int a, int b, int c) { assert(a == 1 && b == 2 && c == 3); }
static void keep(int value) { target = value; }

typedef void (*taker)(int);

static taker choose(void) {
    note(1);
    return keep;
}

static int change(void) {
    shared.second = 2;
    return 3;
}

static void look(struct pair given, int value) {
#ifdef LAST
    assert(given.second == 2 && value == 3);
#else
    assert(given.first == 1 && value == 3);
#endif
}

int main(void) {
#if FORM == 1
    take(note(1), note(2), note(3));
#ifdef LAST
    assert(order != 231);
#endif
    assert(order == 123 || order == 132 || order == 213 || order == 231 || order == 312 || order == 321);
#elif FORM == 2
    __atomic_store_n(where(), note(2), __ATOMIC_SEQ_CST);
    assert(target == 2);
#ifdef LAST
    assert(order == 12);
#endif
#elif FORM == 3
    choose()(note(2));
    assert(target == 2);
#ifdef LAST
    assert(order == 12);
#endif
#elif FORM == 4
    *where() = note(2);
    assert(target == 2);
#ifdef LAST
    assert(order == 12);
#endif
#else
    look(shared, change());
#endif
    return 0;
}
