/* The second argument says how many steps two threads count. The strings are writable and disjoint, and a null pointer is behind the last.
   FAR: the second character of the number is looked at, too. LOST: they count without a lock. BEYOND: an argument behind the last one. */
#include <assert.h>
#include <pthread.h>

static int steps, count;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
    for (int i = 0; i < steps; i++) {
#ifdef LOST
        int now = count;
        count = now + 1;
#else
        pthread_mutex_lock(&m);
        count++;
        pthread_mutex_unlock(&m);
#endif
    }
    return unused;
}

int main(int argc, char **argv) {
    pthread_t t;
    steps = 1;
    if (argc == 3) {
        char *number = argv[2];
        if (*number >= '1' && *number <= '2')
            steps = *number - '0';
        argv[1][0] = '+';
        assert(number[0] != '+' || steps == 1);
        assert(!argv[3]);
#ifdef FAR
        assert(steps != 2 || number[1] != 'x');
#endif
#ifdef BEYOND
        assert(argv[4] || steps < 2);
#endif
    }
    pthread_create(&t, 0, work, 0);
    work(0);
    pthread_join(t, 0);
    assert(count == 2 * steps);
    pthread_mutex_destroy(&m);
    return 0;
}
