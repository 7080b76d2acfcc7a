/* Bytes between the members of a struct: memset and memcpy reach them, assignments to members leave them alone, and they
   hold anything in a variable that was not initialised. -DFRESH compares two structs whose members are equal but whose padding was
   never set; -DMARKED looks for a 5 that memset (of MARK) left between the members; -DCOPIED compares after memcpy. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

#ifndef MARK
#define MARK 0
#endif

struct record {
    char kind;
    int value;
};

static struct record shared;

static void *writer(void *arg) {
    struct record *mine = arg;
    mine->kind = 'a';
    mine->value = 7;
    return 0;
}

int main(void) {
    struct record other;
    pthread_t thread;
#ifndef FRESH
    memset(&other, MARK, sizeof other);
    memset(&shared, MARK, sizeof shared);
#endif
    pthread_create(&thread, 0, writer, &shared);
    other.kind = 'a';
    other.value = 7;
    pthread_join(thread, 0);
#ifdef COPIED
    struct record third;
    memcpy(&third, &shared, sizeof third);
    assert(memcmp(&third, &other, sizeof third) == 0);
#elif defined MARKED
    assert(((unsigned char *)&shared)[2] == 5);
#else
    assert(memcmp(&shared, &other, sizeof other) == 0);
#endif
    return 0;
}
