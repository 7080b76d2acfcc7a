/* A reader takes an unchanged pointer for an unchanged object: it remembers the pointer, and if it
   finds the same one later, the object was not replaced in between. A writer that replaces the
   object may get the same address from malloc again, so the conclusion fails; without reuse of
   freed memory it holds. `step` says how far the writer has come. The reader never looks into the
   object, so memory safety is not at stake. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static char *_Atomic shared;
static _Atomic int step;

static void *reader(void *arg) {
    (void)arg;
    char *pointer = shared;
    int before = step;
    int after = step;
    if (shared == pointer)
        assert(!(before == 0 && after == 2));
    return 0;
}

static void *writer(void *arg) {
    (void)arg;
    free(shared);
    char *fresh = malloc(4);
    step = 1;
    shared = fresh;
    step = 2;
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    shared = malloc(4);
    pthread_create(&t1, 0, reader, 0);
    pthread_create(&t2, 0, writer, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    free(shared);
    return 0;
}
