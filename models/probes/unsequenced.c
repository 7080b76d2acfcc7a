/* Expressions that change an object twice, or change and use it, with no sequence point between: C gives them no meaning, so nothing is
   proved. FORM picks one; what is the other way round has a sequence point, and a meaning. */
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wsequence-point"
#pragma GCC diagnostic ignored "-Wunused-value"
#include <assert.h>

struct pair { int x, y; };

static int global;
static int array[4];
static struct pair pair;

static int next(int value) { return value + 1; }
static int sum(int a, int b) { return a + b; }

int main(void) {
    int i = 1, j = 0, *p = array;
#if FORM == 1
    i = i++ + 1;
#elif FORM == 2
    j = sum(global++, global++);
#elif FORM == 3
    array[i] = i++;
#elif FORM == 4
    array[i] = array[i]++ + 1;
#elif FORM == 5
    *p++ = *p + 1;
#elif FORM == 6
    j = (i ? i++ : 0) + i;
#elif FORM == 7
    pair.x = next(pair.x++) + pair.x;
#else
    i = i + 1;
    i = next(i++);
    i = (j++, j) + next(array[0]++);
    j = i++ && i++ ? i++ : i;
    array[1] = array[2]++;
    pair.x = pair.y++ + array[i > 100] + (i > 100 ? i++ : 0);
    *p++ = global++;
    j = (i > 100 ? i++ : 0) + i;
#endif
    assert(i < 100 && j < 100 && p >= array);
    return 0;
}
