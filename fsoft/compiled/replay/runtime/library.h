/* For the files that stand in for functions of the C library: they are compiled with -fsanitize=thread, so that their accesses are announced,
   and count for the line of the user's call. */
#ifndef FSOFT_REPLAY_LIBRARY_H
#define FSOFT_REPLAY_LIBRARY_H
#include "runtime.h"

#define AT(call)                                                                           \
    do {                                                                                   \
        void *before = enter_library(HERE);                                                \
        call;                                                                              \
        leave_library(before);                                                             \
    } while (0)

#define QUIET __attribute__((no_sanitize_thread))

QUIET static void *enter_library(void *pc) {
    void *before = self ? self->site : NULL;
    if (self && !before) self->site = pc;
    return before;
}

QUIET static void leave_library(void *before) {
    if (self) self->site = before;
}

unsigned long long next_input(const char *name, const void *pc, int *found);

/* Where C fixes the sign of a result only, the run may have been given another number of it. */
QUIET static inline int sized(int sign, const void *pc) {
    int found, size = sign ? (int)(next_input("library:__VERIFIER_nondet_uint()", pc, &found) >> 1) : 0;
    return !sign || !found ? sign : sign < 0 ? -1 - size : size == 0 ? 1 : size;
}

/* What C11 7.24.1 leaves undefined, where the run says so: null, and copies between objects that overlap. */
QUIET static inline void refuse(const char *what) {
    if (self && predicted("valid-deref") && (self->released || now >= event_count)) fail_here("access", line_of(self->site), "%s", what);
}

QUIET static inline void must_be_there(const void *object) {
    if (!object) refuse("a null pointer is given to a function of the library");
}

QUIET static inline void must_be_apart(const void *to, size_t written, const void *from, size_t read) {
    uintptr_t a = (uintptr_t)to, b = (uintptr_t)from;
    if (written && read && (a - b < read || b - a < written)) refuse("copying between objects that overlap");
}

#endif
