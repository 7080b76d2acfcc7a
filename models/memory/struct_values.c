/* Structs by value: passed to functions, returned from them, assigned, nested, built by designated
   initialisers and compound literals. A copy is independent of its original; with SHARED a pointer
   to the original is passed instead, and the change shows. */
#include <assert.h>

struct point {
    int x, y;
};
struct box {
    struct point corner[2];
    const char *name;
};

static int sum(struct box b) {
    b.corner[0].x += 100;
    return b.corner[0].x + b.corner[0].y + b.corner[1].x + b.corner[1].y;
}

static struct box mirrored(const struct box *b) {
    struct box m = {.name = b->name, .corner = {[1] = b->corner[0]}};
    m.corner[0] = (struct point){.y = b->corner[1].x, .x = b->corner[1].y};
    return m;
}

static void spoil(struct box *b) {
    b->corner[0].x = -1;
}

int main(void) {
    struct box a = {{{1, 2}, {3, 4}}, "a"}, b;
    assert(sum(a) == 110 && a.corner[0].x == 1);
    b = mirrored(&a);
    assert(b.corner[0].x == 4 && b.corner[0].y == 3 && b.corner[1].x == 1 && b.corner[1].y == 2);
#ifdef SHARED
    struct box *p = &a;
#else
    struct box copy = a, *p = &copy;
#endif
    spoil(p);
    assert(a.corner[0].x == 1 && mirrored(&a).corner[1].y == 2 && a.name[0] == 'a');
    return 0;
}
