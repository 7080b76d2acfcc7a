#ifndef _FSOFT_SYS_STAT_H
#define _FSOFT_SYS_STAT_H
#include <sys/types.h>
#define S_IRUSR 256
#define S_IWUSR 128
#define S_IXUSR 64
struct stat;
int stat(const char *name, struct stat *result);
int fstat(int file, struct stat *result);
#endif
