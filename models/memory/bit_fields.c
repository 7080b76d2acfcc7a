/* Two neighbouring bit-fields share a storage unit: a store to one reads and writes the whole unit,
   so a store to the other by another thread can get lost, and the two stores race. With APART a
   zero-width field puts them into units of their own; with LOCKED a mutex protects both. */
#include <assert.h>
#include <pthread.h>

static struct {
    unsigned a : 3;
#ifdef APART
    unsigned : 0;
#endif
    unsigned b : 5;
} s;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *set_a(void *arg) {
    (void)arg;
#ifdef LOCKED
    pthread_mutex_lock(&m);
#endif
    s.a = 5;
#ifdef LOCKED
    pthread_mutex_unlock(&m);
#endif
    return 0;
}

static void *set_b(void *arg) {
    (void)arg;
#ifdef LOCKED
    pthread_mutex_lock(&m);
#endif
    s.b = 17;
#ifdef LOCKED
    pthread_mutex_unlock(&m);
#endif
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    (void)&m;
    pthread_create(&t1, 0, set_a, 0);
    pthread_create(&t2, 0, set_b, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(s.a == 5);
    assert(s.b == 17);
    return 0;
}
