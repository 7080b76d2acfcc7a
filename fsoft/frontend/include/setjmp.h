#ifndef _FSOFT_SETJMP_H
#define _FSOFT_SETJMP_H
typedef long jmp_buf[25];
typedef long sigjmp_buf[25];
int setjmp(jmp_buf environment);
_Noreturn void longjmp(jmp_buf environment, int value);
int sigsetjmp(sigjmp_buf environment, int save);
_Noreturn void siglongjmp(sigjmp_buf environment, int value);
#endif
