/* Nested structs, arrays of structs, pointers to members and a two-dimensional array, all reached
   through pointers. SHIFT is added to an index and leaves the inner array for 1. */
#include <assert.h>
#ifndef SHIFT
#define SHIFT 0
#endif

struct point {
    int x, y;
};
struct shape {
    char kind;
    struct point corner[2];
    struct shape *next;
};

static int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
static struct shape second = {'b', {{5, 6}, {7, 8}}, 0};
static struct shape first = {'a', {{1, 2}, {3, 4}}, &second};

int main(void) {
    int sum = 0;
    for (struct shape *s = &first; s; s = s->next) {
        struct point *p = s->corner + 1;
        sum += p->x * (int)sizeof s->kind + p[-1].y;
        p->y = 0;
    }
    assert(sum == 18 && first.corner[1].y == 0 && second.corner[1].y == 0);
    int(*row)[3] = &grid[1];
    assert((*row)[0] == 4 && row[-1][2] == 3);
    assert(grid[1][2 + SHIFT] == 6);
    return 0;
}
