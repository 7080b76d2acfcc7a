/* Two threads read directories: each its own, or both the same one. */
#include <pthread.h>

typedef struct stream DIR;
struct dirent;
DIR *opendir(const char *path);
struct dirent *readdir(DIR *directory);

static void *list(void *directory) {
    readdir(directory);
    return 0;
}

int main(void) {
    pthread_t t;
    DIR *one = opendir("/"), *two = opendir("/tmp");
    if (!one || !two) return 1;
    pthread_create(&t, 0, list, one);
#ifdef SHARED
    list(one);
#else
    list(two);
#endif
    pthread_join(t, 0);
    return 0;
}
