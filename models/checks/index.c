/* Indices within an object: a member of a struct and a row of a matrix have bounds of their own. A thread computes the index. By default all are
   within them: the address one past the end, the last element, an array at the end of what a pointer leads to, which may be longer
   than it says. MEMBER writes behind a member; ROW reads behind a row; NESTED in a struct in an array; BELOW before the start; DECLARED
   behind the last member of a variable. */
#include <pthread.h>
#include <stdlib.h>

struct inner {
    int a[2];
    int b;
};
struct outer {
    char name[4];
    struct inner in[2];
    int last[1];
};

struct outer s;
int m[2][2];
static volatile int n;

static void *worker(void *unused) {
    n = 2;
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
#if defined(MEMBER)
    s.name[n + 2] = 'x';
#elif defined(ROW)
    s.last[0] = m[0][n];
#elif defined(NESTED)
    struct outer *p = &s;
    p->in[n - 2].a[n] = 7;
#elif defined(BELOW)
    s.in[1].a[n - 3] = 7;
#elif defined(DECLARED)
    struct {
        struct outer o;
    } d[2] = {{s}, {s}};
    d[0].o.last[n - 1] = 7;
    s = d[1].o;
#else
    int *end = &s.in[0].a[n], sum = 0;
    for (int *p = s.in[0].a; p != end; p++)
        sum += *p;
    struct outer *p = calloc(1, sizeof *p + 2 * sizeof(int));
    if (p) {
        p->last[n] = 7;
        p->in[n - 1].a[n - 1] = sum;
        *(m[n - 1] + n - 1) = p->last[n];
    }
    free(p);
#endif
    return 0;
}
