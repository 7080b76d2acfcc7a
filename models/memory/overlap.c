/* Copies between objects that overlap are undefined, whatever the bytes are, except for memmove: rotate the first bytes of a buffer.
   CLOSE copies so many bytes to a place that is four away, STRING does so with strcpy, APPEND with strcat, PADDED has strncpy fill with zeros what it reads;
   PADDED=4 does not; SAME copies a block to itself, which compilers rely on. */
#include <assert.h>
#include <string.h>

char buffer[16] = "abcdefg", *behind = buffer + 3;

int main(void) {
    memcpy(buffer + 8, buffer, 8);
    memmove(buffer, buffer + 1, 7);
    assert(buffer[0] == 'b' && buffer[8] == 'a' && buffer[15] == 0);
    strcpy(buffer, buffer + 12);
    assert(strcmp(buffer, "efg") == 0);
#ifdef CLOSE
    memcpy(buffer, buffer + 4, CLOSE);
#endif
#ifdef STRING
    strcpy(buffer, buffer + 1);
#endif
#ifdef APPEND
    strcat(buffer, behind - APPEND);
#endif
#ifdef PADDED
    strncpy(buffer + 6, buffer + 12, PADDED);
#endif
#ifdef SAME
    char *same = buffer;
    memcpy(same, buffer, 4);
#endif
    return 0;
}
