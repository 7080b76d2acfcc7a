#ifndef _FSOFT_SYS_WAIT_H
#define _FSOFT_SYS_WAIT_H
#include <sys/types.h>
pid_t wait(int *status);
pid_t waitpid(pid_t process, int *status, int options);
#endif
