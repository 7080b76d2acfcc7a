/* String literals are objects of their own with a terminating zero; the library's str functions
   work on them. Writing to one is an invalid access (WRITE). */
#include <assert.h>
#include <string.h>

static char buffer[8];

int main(void) {
    const char *word = "abc";
    assert(strlen(word) == 3 && word[3] == 0);
    strcpy(buffer, word);
    buffer[0] = 'A';
    assert(strcmp(buffer, "Abc") == 0);
    assert(word[0] == 'a');
#ifdef WRITE
    char *p = (char *)word;
    p[0] = 'x';
#endif
    return 0;
}
