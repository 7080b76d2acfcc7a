/* Time does not pass in the model: sleeping does nothing, and a clock shows any value. */

unsigned sleep(unsigned seconds) {
    if (CANCELS) pthread_testcancel();
    return 0;
}

int usleep(unsigned microseconds) {
    if (CANCELS) pthread_testcancel();
    return 0;
}

int nanosleep(const struct __fsoft_timespec *duration, struct __fsoft_timespec *rest) {
    if (CANCELS) pthread_testcancel();
    if (!bad_time(duration)) return 0;
    set_errno(EINVAL);
    return -1;
}

int clock_nanosleep(int clock, int flags, const struct __fsoft_timespec *duration, struct __fsoft_timespec *rest) {
    if (CANCELS) pthread_testcancel();
    return bad_time(duration) || clock < 0 || clock > 11 ? EINVAL : 0;
}

static long any_seconds(void) {
    return (long)(__VERIFIER_nondet_ulong() >> 1);
}

__fsoft_plain long time(long *result) {
    long now = any_seconds();
    if (result) *result = now;
    return now;
}

long clock(void) {
    return any_seconds();
}

double difftime(long a, long b) {
    return (double)a - (double)b;
}

__fsoft_plain int clock_gettime(int clock, struct __fsoft_timespec *now) {
    if (clock < 0 || clock > 11) {
        set_errno(EINVAL);
        return -1;
    }
    now->seconds = any_seconds();
    now->nanoseconds = (long)(__VERIFIER_nondet_uint() % 1000000000u);
    return 0;
}

__fsoft_plain int timespec_get(struct __fsoft_timespec *now, int base) {
    if (base != 1) return 0;
    now->seconds = any_seconds();
    now->nanoseconds = (long)(__VERIFIER_nondet_uint() % 1000000000u);
    return base;
}

__fsoft_plain int gettimeofday(struct __fsoft_timeval *now, void *zone) {
    now->seconds = any_seconds();
    now->microseconds = (long)(__VERIFIER_nondet_uint() % 1000000u);
    if (zone) {
        ((int *)zone)[0] = __VERIFIER_nondet_int();
        ((int *)zone)[1] = __VERIFIER_nondet_int();
    }
    return 0;
}


