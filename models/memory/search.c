/* What functions of the library read although the answer is clear: memcmp both blocks to the end, whatever byte differs (BLOCK: the second one is
   too short), strspn, strcspn, strpbrk, strtok and strstr all of their second string, even if the first one is empty (SET, TOKEN, PART: it does
   not end). strncmp stops at the first difference. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#ifndef BLOCK
#define BLOCK 2
#endif

int main(void) {
    char *two = malloc(2);
    volatile size_t block = BLOCK;
    char text[4] = "xab", empty[1] = "";
    two[0] = 'x';
    two[1] = 'y';
    assert(memcmp(two, text, block) > 0 && strncmp(two, text, 4) > 0);
    assert(strspn(text, "x") == 1 && strcspn(text, "b") == 2 && strpbrk(text, "ba") == text + 1 && strstr(text, "ab") == text + 1);
#ifdef SET
    assert(SET(text, two) == text + 0);
#endif
#ifdef TOKEN
    assert(strtok(empty, two) == 0);
#endif
    assert(strstr(text, "b") == text + 2 && empty[0] == 0);
    free(two);
    return 0;
}
