/* What can be computed exactly with the arithmetic of IEEE 754. From 2^52 on every double is integral. */

double fabs(double x) {
    return x < 0.0 ? -x : x == 0.0 ? 0.0 : x;
}

float fabsf(float x) {
    return x < 0.0f ? -x : x == 0.0f ? 0.0f : x;
}

double trunc(double x) {
    if (!(x > -4503599627370496.0 && x < 4503599627370496.0)) return x;
    return x == 0.0 ? x : x < 0.0 ? -(double)(long long)-x : (double)(long long)x;
}

double floor(double x) {
    double whole = trunc(x);
    return whole > x ? whole - 1.0 : whole;
}

double ceil(double x) {
    double whole = trunc(x);
    return whole < x ? whole + 1.0 : whole;
}

double round(double x) {
    double whole = trunc(x);
    if (x - whole >= 0.5) return whole + 1.0;
    return whole - x >= 0.5 ? whole - 1.0 : whole;
}

double fmin(double x, double y) {
    return x != x ? y : y != y ? x : x < y ? x : y;
}

double fmax(double x, double y) {
    return x != x ? y : y != y ? x : x > y ? x : y;
}

double rint(double x) {
    double big = 4503599627370496.0;
    if (!(x > -big && x < big) || x == 0.0) return x;
    return x < 0.0 ? -((big - x) - big) : (x + big) - big;
}

double nearbyint(double x) {
    return rint(x);
}

long lrint(double x) {
    return (long)rint(x);
}

long lround(double x) {
    return (long)round(x);
}

long long llrint(double x) {
    return (long long)rint(x);
}

long long llround(double x) {
    return (long long)round(x);
}

float floorf(float x) {
    return (float)floor(x);
}

float ceilf(float x) {
    return (float)ceil(x);
}

float roundf(float x) {
    return (float)round(x);
}

float truncf(float x) {
    return (float)trunc(x);
}

long double fabsl(long double x) {
    return fabs((double)x);
}

long double floorl(long double x) {
    return floor((double)x);
}

long double ceill(long double x) {
    return ceil((double)x);
}

long double roundl(long double x) {
    return round((double)x);
}

float fminf(float x, float y) {
    return x != x ? y : y != y ? x : x < y ? x : y;
}

float fmaxf(float x, float y) {
    return x != x ? y : y != y ? x : x > y ? x : y;
}

double fdim(double x, double y) {
    return x != x ? x : y != y ? y : x > y ? x - y : 0.0;
}

__fsoft_plain double modf(double x, double *whole) {
    double part = trunc(x), rest = x - part;
    *whole = part;
    return part == x || rest != rest ? (x < 0.0 ? -0.0 : x != x ? x : 0.0) : rest;
}

__fsoft_plain double frexp(double x, int *power) {
    int count = 0;
    if (x != 0.0 && x - x == 0.0) {
        for (; x >= 1.0 || x <= -1.0; count++) x = x / 2.0;
        for (; x < 0.5 && x > -0.5; count--) x = x * 2.0;
    }
    *power = count;
    return x;
}

/* What IEEE 754 does not fix, or what takes long to compute: any number in the range of the function, with an exact result where everybody
   knows it. */

#define NOT_A_NUMBER (1e300 * 1e300 - 1e300 * 1e300)
#define INFINITE (1e300 * 1e300)
#define PI 3.1415926535897936

static double any_of(double low, double high) {
    double value = __VERIFIER_nondet_double();
    __fsoft_inexact("the result of a function of math.h");
    __fsoft_assume(value >= low && value <= high);
    return value;
}

static double any_real(double x) { /* also none, if there is no argument */
    return x != x ? x : any_of(-INFINITE, INFINITE);
}

static double like(double x, double magnitude) {
    return x < 0.0 ? -magnitude : magnitude;
}

double sqrt(double x) {
    if (x != x || x == 0.0 || x == 1.0 || x == INFINITE) return x;
    return x < 0.0 ? NOT_A_NUMBER : x < 1.0 ? any_of(x, 1.0) : any_of(1.0, x);
}

double cbrt(double x) {
    return x != x || x == 0.0 ? x : like(x, any_of(0.0, INFINITE));
}

double hypot(double x, double y) {
    return x != x || y != y ? x + y : any_of(0.0, INFINITE);
}

double exp(double x) {
    return x != x ? x : x == 0.0 ? 1.0 : x < 0.0 ? any_of(0.0, 1.0) : any_of(1.0, INFINITE);
}

double exp2(double x) {
    return exp(x);
}

double expm1(double x) {
    return x != x || x == 0.0 ? x : x < 0.0 ? any_of(-1.0, 0.0) : any_of(0.0, INFINITE);
}

static double logarithm(double x) {
    return x != x ? x : x < 0.0 ? NOT_A_NUMBER : x == 0.0 ? -INFINITE : x == 1.0 ? 0.0 : x < 1.0 ? any_of(-1100.0, 0.0) : x == INFINITE ? x : any_of(0.0, 1100.0);
}

double log(double x) {
    return logarithm(x);
}

double log2(double x) {
    return logarithm(x);
}

double log10(double x) {
    return logarithm(x);
}

double log1p(double x) {
    return x != x ? x : x < -1.0 ? NOT_A_NUMBER : x == 0.0 ? x : x < 0.0 ? any_of(-INFINITE, 0.0) : any_of(0.0, INFINITE);
}

double pow(double x, double y) {
    if (y == 0.0 || x == 1.0) return 1.0;
    if (x != x || y != y) return x + y;
    if (y == 1.0) return x;
    if (x < 0.0 && trunc(y) != y) return NOT_A_NUMBER;
    return any_of(x < 0.0 || x == 0.0 ? -INFINITE : 0.0, INFINITE);
}

static double any_sine(double x) {
    return x - x != 0.0 ? NOT_A_NUMBER : any_of(-1.0, 1.0);
}

double sin(double x) {
    return x == 0.0 ? x : any_sine(x);
}

double cos(double x) {
    return x == 0.0 ? 1.0 : any_sine(x);
}

double tan(double x) {
    return x == 0.0 ? x : x - x != 0.0 ? NOT_A_NUMBER : any_of(-INFINITE, INFINITE);
}

double asin(double x) {
    return !(x >= -1.0 && x <= 1.0) ? NOT_A_NUMBER : x == 0.0 ? x : any_of(-PI / 2.0, PI / 2.0);
}

double acos(double x) {
    return !(x >= -1.0 && x <= 1.0) ? NOT_A_NUMBER : x == 1.0 ? 0.0 : any_of(0.0, PI);
}

double atan(double x) {
    return x != x || x == 0.0 ? x : any_of(-PI / 2.0, PI / 2.0);
}

double atan2(double y, double x) {
    return x != x || y != y ? x + y : any_of(-PI, PI);
}

double sinh(double x) {
    return x != x || x == 0.0 ? x : like(x, any_of(0.0, INFINITE));
}

double cosh(double x) {
    return x != x ? x : any_of(1.0, INFINITE);
}

double tanh(double x) {
    return x != x || x == 0.0 ? x : any_of(-1.0, 1.0);
}

double erf(double x) {
    return x != x ? x : any_of(-1.0, 1.0);
}

double tgamma(double x) {
    return any_real(x);
}

double lgamma(double x) {
    return any_real(x);
}

double fma(double x, double y, double z) {
    return any_real(x + y + z);
}

double fmod(double x, double y) {
    double size = fabs(y);
    if (x != x || y != y || x - x != 0.0 || y == 0.0) return NOT_A_NUMBER;
    if (fabs(x) < size) return x;
    return fabs(x) == size ? like(x, 0.0) : like(x, any_of(0.0, size));
}

float sqrtf(float x) {
    return (float)sqrt(x);
}

float powf(float x, float y) {
    return (float)pow(x, y);
}

float expf(float x) {
    return (float)exp(x);
}

float logf(float x) {
    return (float)log(x);
}

float sinf(float x) {
    return (float)sin(x);
}

float cosf(float x) {
    return (float)cos(x);
}

float tanf(float x) {
    return (float)tan(x);
}

float fmodf(float x, float y) {
    return (float)fmod(x, y);
}

float atan2f(float y, float x) {
    return (float)atan2(y, x);
}

long double sqrtl(long double x) {
    return sqrt((double)x);
}

long double powl(long double x, long double y) {
    return pow((double)x, (double)y);
}

int __isnan(double x) {
    return x != x;
}

int __isinf(double x) {
    return x == INFINITE ? 1 : x == -INFINITE ? -1 : 0;
}

int __finite(double x) {
    return x - x == 0.0;
}

/* By repeated doubling and halving, which are exact above the smallest normal number. */
double ldexp(double x, int power) {
    double y = x;
    if (x == 0.0 || x - x != 0.0) return x;
    for (; power > 0 && y - y == 0.0; power--) y = y * 2.0;
    for (; power < 0 && y != 0.0; power++) {
        if (y < 4.5e-308 && y > -4.5e-308) return like(x, any_of(0.0, 2.3e-308));
        y = y / 2.0;
    }
    return y;
}

double scalbn(double x, int power) {
    return ldexp(x, power);
}
