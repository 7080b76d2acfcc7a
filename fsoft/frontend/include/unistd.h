#ifndef _FSOFT_UNISTD_H
#define _FSOFT_UNISTD_H
#include <sys/types.h>
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define _SC_PAGESIZE 30
#define _SC_NPROCESSORS_CONF 83
#define _SC_NPROCESSORS_ONLN 84
unsigned int sleep(unsigned int seconds);
int usleep(useconds_t microseconds);
_Noreturn void _exit(int status);
pid_t getpid(void);
pid_t getppid(void);
pid_t fork(void);
int execv(const char *path, char *const arguments[]);
int pause(void);
unsigned int alarm(unsigned int seconds);
int pipe(int files[2]);
int close(int file);
ssize_t read(int file, void *data, size_t size);
ssize_t write(int file, const void *data, size_t size);
int unlink(const char *name);
extern char *optarg;
extern int optind, opterr, optopt;
int getopt(int count, char *const arguments[], const char *options);
long sysconf(int name);
#endif
