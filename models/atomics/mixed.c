/* An atomic and an ordinary access to the same bytes are a data race if one of them writes; two
   atomic ones never are. The value is right in both variants, since the plain access is a single
   store. With PLAIN the store goes through a pointer to plain int. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int word;

static void *writer(void *arg) {
    (void)arg;
#ifdef PLAIN
    word = 1;
#else
    __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
#endif
    return 0;
}

static void *reader(void *arg) {
    (void)arg;
    int seen = __atomic_load_n(&word, __ATOMIC_SEQ_CST);
    assert(seen == 0 || seen == 1);
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, writer, 0);
    pthread_create(&t2, 0, reader, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
