#ifndef _FSOFT_SEMAPHORE_H
#define _FSOFT_SEMAPHORE_H
#include <sys/types.h>
#include <time.h>
typedef struct { long __value; char __destroyed; char __rest[sizeof(long) == 8 ? 23 : 11]; } sem_t;
#define SEM_FAILED ((sem_t *)0)
#define SEM_VALUE_MAX 2147483647
int sem_init(sem_t *sem, int shared, unsigned int value);
int sem_destroy(sem_t *sem);
int sem_wait(sem_t *sem);
int sem_trywait(sem_t *sem);
int sem_timedwait(sem_t *sem, const struct timespec *until);
int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until);
int sem_post(sem_t *sem);
int sem_getvalue(sem_t *sem, int *value);
sem_t *sem_open(const char *name, int flags, ...);
int sem_close(sem_t *sem);
int sem_unlink(const char *name);
#endif
