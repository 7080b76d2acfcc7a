/* Behind each kind of abstraction is an error: nothing here is TRUE. */
#include <assert.h>
#include <pthread.h>

int ioctl(int file, unsigned long request, ...);
long readv(int file, const void *parts, int count);
void *dlsym(void *library, const char *name);
int number(void);
int *place(void);
void take(int *x);
void keep(int *x);
struct holder {
    int *x;
};
void take_struct(struct holder held);
void later(void);

int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
#if defined(RESULT)
    assert(number() != 4711);
#elif defined(HANDED_OUT)
    take(&x);
    assert(x == 0);
#elif defined(IN_A_STRUCT)
    struct holder held = { &x };
    take_struct(held);
    assert(x == 0);
#elif defined(KEPT)
    keep(&x);
    x = 1;
    later();
    assert(x == 1);
#elif defined(OUTSIDE)
    int *p = place();
    if (p) assert(*p == 0);
#elif defined(ARGUMENT)
    ioctl(0, 1, &x);
    assert(x == 0);
#elif defined(PARTS)
    struct { void *base; unsigned long size; } part = { &x, sizeof x };
    readv(0, &part, 1);
    assert(x == 0);
#elif defined(SYMBOL)
    int *p = dlsym(0, "x");
    if (p) assert(*p == 0);
#elif defined(LOCK)
    pthread_mutex_lock(&m);
    take((int *)&m);
    pthread_mutex_lock(&m);
#endif
    return 0;
}
