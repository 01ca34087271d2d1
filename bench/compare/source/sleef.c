// Measures functions of SLEEF, those of 1.0 ulp for AVX2 and FMA, on memory in the
// first cache. A line of input is a name, the bits of a number (32 or 64), rows, calls,
// and the ends of both arguments; the answer is nanoseconds a call, or -1.
#define _GNU_SOURCE
#include <immintrin.h>
#include <sleef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 1 << 16 };
static float xf[MOST], yf[MOST], df[MOST];
static double xd[MOST], yd[MOST], dd[MOST];

#define EACH32(call) \
	for (size_t i = 0; i + 8 <= n; i += 8) { \
		__m256 x = _mm256_loadu_ps(xf + i), y = _mm256_loadu_ps(yf + i); \
		(void)y; \
		_mm256_storeu_ps(df + i, call); \
	}
#define EACH64(call) \
	for (size_t i = 0; i + 4 <= n; i += 4) { \
		__m256d x = _mm256_loadu_pd(xd + i), y = _mm256_loadu_pd(yd + i); \
		(void)y; \
		_mm256_storeu_pd(dd + i, call); \
	}
#define ONE(name, f, u) \
	static void name##32(size_t n) { EACH32(Sleef_##f##f8_##u##avx2(x)) } \
	static void name##64(size_t n) { EACH64(Sleef_##f##d4_##u##avx2(x)) }
#define TWO(name, f, u) \
	static void name##32(size_t n) { EACH32(Sleef_##f##f8_##u##avx2(x, y)) } \
	static void name##64(size_t n) { EACH64(Sleef_##f##d4_##u##avx2(x, y)) }

#define ALL \
	ONE(Exp, exp, u10) ONE(Exp2, exp2, u10) ONE(Expm1, expm1, u10) TWO(Pow, pow, u10) \
	ONE(Log, log, u10) ONE(Log1p, log1p, u10) ONE(Log2, log2, u10) ONE(Log10, log10, u10) \
	ONE(Sin, sin, u10) ONE(Cos, cos, u10) ONE(Tan, tan, u10) \
	ONE(Asin, asin, u10) ONE(Acos, acos, u10) ONE(Atan, atan, u10) TWO(Atan2, atan2, u10) \
	ONE(Sinh, sinh, u10) ONE(Cosh, cosh, u10) ONE(Tanh, tanh, u10) \
	ONE(Cbrt, cbrt, u10) TWO(Hypot, hypot, u05) ONE(Erf, erf, u10) ONE(Erfc, erfc, u15) \
	ONE(Floor, floor, ) ONE(Ceil, ceil, ) ONE(Trunc, trunc, ) ONE(Round, rint, ) \
	TWO(CopySign, copysign, ) TWO(Mod, fmod, )
ALL
#undef ONE
#undef TWO
#define ONE(name, f, u) {#name, name##32, name##64},
#define TWO(name, f, u) {#name, name##32, name##64},
static const struct { const char *name; void (*single)(size_t), (*wider)(size_t); } table[] = { ALL };

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

// share is the one of row i, between 0 and 1; the Go side has the same.
static double share(size_t i) { return i * 2654435761u % 1000003 / 1000003.0; }

int main(void) {
	char name[32];
	int bits;
	size_t n;
	long times;
	double lo, hi, lo2, hi2;
	while (scanf("%31s %d %zu %ld %lf %lf %lf %lf", name, &bits, &n, &times, &lo, &hi, &lo2, &hi2) == 8 && n <= MOST) {
		for (size_t i = 0; i < n; i++) {
			xf[i] = xd[i] = lo + (hi - lo) * share(i);
			yf[i] = yd[i] = lo2 + (hi2 - lo2) * share(i + 977);
		}
		double took = -1;
		for (size_t k = 0; k < sizeof table / sizeof *table; k++)
			if (!strcmp(table[k].name, name)) {
				void (*f)(size_t) = bits == 32 ? table[k].single : table[k].wider;
				f(n);
				double start = now();
				for (long i = 0; i < times; i++) {
					f(n);
					__asm__ volatile("" ::: "memory");
				}
				took = (now() - start) / times;
			}
		printf("%.4f\n", took);
		fflush(stdout);
	}
	return 0;
}
