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
