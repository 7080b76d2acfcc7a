/* Two threads ask for the local time. localtime keeps the date in storage of its own, so they race although they share nothing. */
#include <pthread.h>
#include <time.h>

time_t now;
int years[2];

static int year(void) {
    struct tm *date = localtime(&now);
    return date ? date->tm_year : 0;
}

static void *ask(void *place) {
    *(int *)place = year();
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, ask, &years[0]);
    ask(&years[1]);
    pthread_join(t, 0);
    return 0;
}
