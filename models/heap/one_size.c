/* Blocks of one size for structs whose members lie elsewhere, and for characters: what is padding in one is a value in another.
   -DTEXT: every byte of a block of characters is kept. -DUNSET: it is undefined until it is written. -DCOPIED (not of the heap): memcpy to
   characters shows what memset left between the members. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct padded {
    char first;
    int second;
};

struct whole {
    int first, second;
};

struct padded *padded, filled;
struct whole *whole;
unsigned char *text, bytes[sizeof(struct padded)];

static void *thread(void *arg) {
    padded->first = 1;
    whole->first = 1000;
    return arg;
}

int main(void) {
    pthread_t id;
    unsigned k;
    padded = malloc(sizeof(struct padded));
    whole = malloc(sizeof(struct whole));
    text = malloc(8);
    pthread_create(&id, 0, thread, 0);
    pthread_join(id, 0);
    assert(padded->first == 1 && whole->first == 1000);
#if defined(TEXT)
    for (k = 0; k < 8; k++) text[k] = k + 1;
    for (k = 0; k < 8; k++) assert(text[k] == k + 1);
#elif defined(UNSET)
    for (k = 1; k < 2; k++) assert(text[k] == 0);
#elif defined(COPIED)
    memset(&filled, 255, sizeof filled);
    memcpy(bytes, &filled, sizeof filled);
    for (k = 0; k < sizeof bytes; k++) assert(bytes[k] == 255);
#endif
    (void)k;
    free(padded);
    free(whole);
    free(text);
    return 0;
}
