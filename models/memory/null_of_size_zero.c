/* C11 wants valid pointers even where nothing is read or written: a size of zero does not allow null (CALL names the call). The blocks of
   an empty queue are copied only if there are any. */
#include <assert.h>
#include <string.h>

static int length;
static char *items;
static char room[4];

int main(void) {
    if (length > 0) memcpy(room, items, (size_t)length);
#ifdef CALL
    CALL;
#endif
    assert(room[0] == 0);
    return 0;
}
