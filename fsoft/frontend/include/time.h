#ifndef _FSOFT_TIME_H
#define _FSOFT_TIME_H
#include <sys/types.h>
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
    long tm_gmtoff;
    const char *tm_zone;
};
#define CLOCKS_PER_SEC 1000000L
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3
#define TIMER_ABSTIME 1
#define TIME_UTC 1
time_t time(time_t *result);
clock_t clock(void);
double difftime(time_t a, time_t b);
int clock_gettime(clockid_t clock, struct timespec *now);
int clock_getres(clockid_t clock, struct timespec *resolution);
int timespec_get(struct timespec *now, int base);
int nanosleep(const struct timespec *duration, struct timespec *rest);
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *duration, struct timespec *rest);
struct tm *localtime(const time_t *time);
struct tm *gmtime(const time_t *time);
time_t mktime(struct tm *time);
size_t strftime(char *s, size_t size, const char *format, const struct tm *time);
#endif
