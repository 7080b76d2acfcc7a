/* What a Csmith program needs from its run-time header; the checksum goes into fsoft_result and is printed. */
#ifndef FSOFT_CSMITH_H
#define FSOFT_CSMITH_H
#include <stdint.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#define STATIC static
#define UNDEFINED(__val) (__val)
#define LOG_INDEX
#define LOG_EXEC
#define FUNC_NAME(x) (safe_##x)
#define assert(x)
#include "safe_math.h"
unsigned long long fsoft_result = 1469598103934665603ULL;
static void platform_main_begin(void) {}
static void crc32_gentab(void) {}
static uint32_t crc32_context = 0;
static void transparent_crc(uint64_t val, char *vname, int flag)
{
    (void)vname;
    (void)flag;
    fsoft_result = (fsoft_result ^ val) * 1099511628211ULL;
}
static void platform_main_end(uint32_t crc, int flag)
{
    (void)crc;
    (void)flag;
    printf("%llx\n", fsoft_result);
}
#endif
