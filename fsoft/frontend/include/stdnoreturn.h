#ifndef _FSOFT_STDNORETURN_H
#define _FSOFT_STDNORETURN_H
#define noreturn _Noreturn
#endif
