/* A logger with an argument list and one buffer. LOCK: it is guarded by a mutex, so each line is whole; without, lines mix and race. */
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char line[8];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void report(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
#ifdef LOCK
    pthread_mutex_lock(&lock);
#endif
    vsnprintf(line, sizeof line, format, arguments);
    assert(strlen(line) == 3);
#ifdef LOCK
    pthread_mutex_unlock(&lock);
#endif
    va_end(arguments);
}

static void *worker(void *argument) {
    report("%c=%d", 'a', 1);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    report("%s%02d", "b", 7);
    pthread_join(thread, NULL);
    return 0;
}
