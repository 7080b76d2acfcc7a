/* A client asks, a server answers: every request is served (response), nothing is served that was not asked for
   (precedence). With LAZY the server may decide not to look, as often as it likes. */
#include <pthread.h>

_Bool __VERIFIER_nondet_bool(void);
int request, served;

static void *server(void *arg) {
    (void)arg;
    while (1) {
#ifdef LAZY
        if (__VERIFIER_nondet_bool())
            continue;
#endif
        if (request) {
            request = 0;
            served = 1;
        }
    }
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, server, 0);
    while (1) {
        served = 0;
        request = 1;
        while (!served) {
        }
    }
    return 0;
}
