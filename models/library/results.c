/* Results of which the standards fix less than one implementation does: getpid gives any positive number, but the same every time; comparisons
   a sign and no size; a write may be short; what compares equal is sorted and found in any order; classes of characters are zero or not.

   WHAT chooses. Without RELY the program trusts what is promised, with it what one library happens to do. */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef WHAT
#define WHAT 1
#endif
#ifdef RELY
#define TRUSTED(promised, usual) assert(usual)
#else
#define TRUSTED(promised, usual) assert(promised)
#endif

char text[2] = "a";

struct pair {
    int key, value;
} pairs[3] = {{1, 0}, {0, 1}, {1, 2}};

int by_key(const void *a, const void *b) {
    return ((const struct pair *)a)->key - ((const struct pair *)b)->key;
}

int main(void) {
#if WHAT == 1
    int pid = getpid();
    TRUSTED(pid > 0 && pid == getpid(), pid == 2);
#elif WHAT == 2
    TRUSTED(strcmp(text, "c") < 0, strcmp(text, "c") == -1);
#elif WHAT == 3
    int order = memcmp(text, "Z", 1);
    TRUSTED(order > 0, order == 1);
#elif WHAT == 4
    long done = write(1, text, 2);
    TRUSTED(done >= -1 && done <= 2, done == -1 || done == 2);
#elif WHAT == 5
    qsort(pairs, 3, sizeof *pairs, by_key);
    TRUSTED(pairs[0].key == 0 && pairs[1].value + pairs[2].value == 2, pairs[1].value == 0);
#elif WHAT == 6
    struct pair key = {1, 0};
    struct pair *found;
    qsort(pairs, 3, sizeof *pairs, by_key);
    found = bsearch(&key, pairs, 3, sizeof *pairs, by_key);
    TRUSTED(found == pairs + 1 || found == pairs + 2, found == pairs + 1);
#elif WHAT == 7
    TRUSTED(isdigit(text[0] - 'a' + '0') && !isdigit(text[0]), isdigit(text[0] - 'a' + '0') == 1);
#elif WHAT == 8
    errno = 0;
    write(1, text, 0);
    TRUSTED(errno >= 0, errno == 0);
#endif
    return 0;
}
