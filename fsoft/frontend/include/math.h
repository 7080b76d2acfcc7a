#ifndef _FSOFT_MATH_H
#define _FSOFT_MATH_H
#define M_E 2.7182818284590452354
#define M_PI 3.14159265358979323846
#define M_SQRT2 1.41421356237309504880
#define HUGE_VAL (1e308 * 10.0)
#define INFINITY ((float)(1e308 * 10.0))
#define NAN ((float)(1e308 * 10.0 - 1e308 * 10.0))
#define isnan(x) ((x) != (x))
#define isinf(x) ((x) == (x) && (x) - (x) != (x) - (x))
#define isfinite(x) ((x) - (x) == (x) - (x))
double fabs(double x);
float fabsf(float x);
double floor(double x);
double ceil(double x);
double trunc(double x);
double round(double x);
double fmin(double x, double y);
double fmax(double x, double y);
double fmod(double x, double y);
double sqrt(double x);
double cbrt(double x);
double hypot(double x, double y);
double pow(double x, double y);
double exp(double x);
double log(double x);
double log2(double x);
double log10(double x);
double sin(double x);
double cos(double x);
double tan(double x);
double asin(double x);
double acos(double x);
double atan(double x);
double atan2(double y, double x);
float sqrtf(float x);
float floorf(float x);
float ceilf(float x);
float powf(float x, float y);
double fdim(double x, double y);
double rint(double x);
double nearbyint(double x);
long lrint(double x);
long lround(double x);
long long llrint(double x);
long long llround(double x);
double modf(double x, double *whole);
double frexp(double x, int *power);
double ldexp(double x, int power);
double scalbn(double x, int power);
double exp2(double x);
double expm1(double x);
double log1p(double x);
double sinh(double x);
double cosh(double x);
double tanh(double x);
double erf(double x);
double tgamma(double x);
double lgamma(double x);
double fma(double x, double y, double z);
float roundf(float x);
float truncf(float x);
float fminf(float x, float y);
float fmaxf(float x, float y);
float expf(float x);
float logf(float x);
float sinf(float x);
float cosf(float x);
float tanf(float x);
float fmodf(float x, float y);
float atan2f(float y, float x);
long double fabsl(long double x);
long double floorl(long double x);
long double ceill(long double x);
long double roundl(long double x);
long double sqrtl(long double x);
long double powl(long double x, long double y);
#endif
