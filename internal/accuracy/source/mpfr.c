// Compares numbers with MPFR. Its arguments are the name of a function, the bits of
// its numbers (32 or 64) and how many arguments it takes; its input is arguments and
// result, one after another. For each block of a million of them it prints the
// largest distance from the exact result, in units of the last place of that result,
// and where it was.
//
// With a fourth argument, a stride, and a fifth, the number of a block, the input is
// results alone, those of all float32 from that block on: blocks of the positive ones
// in the order of their bits, each followed by that of the same with the other sign.
//
// A long double, or for 32 bits a double, of the C library screens: MPFR computes what
// may be the largest distance yet, as far as the library is known to be exact. That is
// 4 units of its own last place, and here taken to be 8: 2^-26 units of a float32, 2^-8
// of a float64. Where glibc has its functions for four numbers (libmvec), they screen all
// float32, and each 251st of theirs is held to that by the one for one number. Distances
// below 0.49 are no matter, there are larger ones of every function. Special values
// are those of MPFR, too: zeros must have its sign, and NaN be NaN.
#include <math.h>
#include <mpfr.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*unary)(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int (*binary)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

static int rsqrt(mpfr_t r, const mpfr_t x, mpfr_rnd_t d) {
	if (mpfr_zero_p(x)) { // 1/√-0 is -Inf
		mpfr_set_inf(r, mpfr_signbit(x) ? -1 : 1);
		return 0;
	}
	return mpfr_rec_sqrt(r, x, d);
}
// normal_cdf is erfc(-x/√2)/2. Next to zero, 200 bits of the quotient are enough.
static int normal_cdf(mpfr_t r, const mpfr_t x, mpfr_rnd_t d) {
	mpfr_t root;
	mpfr_init2(root, 220);
	mpfr_set_d(root, 0.5, d);
	mpfr_sqrt(root, root, d);
	mpfr_mul(root, root, x, d);
	mpfr_neg(root, root, d);
	mpfr_erfc(r, root, d);
	mpfr_div_2ui(r, r, 1, d);
	mpfr_clear(root);
	return 0;
}

// normal_cdfd corrects the result for the rounding error of x/√2. normal_cdfl leaves small results
// to MPFR, because there that error is multiplied.
static double normal_cdfd(double x) {
	long double exact = -x * 0.707106781186547524400844362104849039L;
	double a = exact, low = exact - a;
	return 0.5 * (erfc(a) - 1.128379167095512574 * exp(-a * a) * low);
}
static long double normal_cdfl(long double x) { return x > -5 ? 0.5L * erfcl(-x * 0.707106781186547524400844362104849039L) : 0; }

// normal_quantile begins with a double by bisection. Then each step of Newton's method doubles the
// number of bits, up to 80 or more.
static int normal_quantile(mpfr_t r, const mpfr_t x, mpfr_rnd_t d) {
	if (mpfr_nan_p(x) || mpfr_sgn(x) < 0 || mpfr_cmp_ui(x, 1) > 0) {
		mpfr_set_nan(r);
		return 0;
	}
	if (mpfr_zero_p(x) || mpfr_cmp_ui(x, 1) == 0) {
		mpfr_set_inf(r, mpfr_zero_p(x) ? -1 : 1);
		return 0;
	}
	if (mpfr_cmp_d(x, 0.5) == 0) {
		mpfr_set_zero(r, 1);
		return 0;
	}
	double p = mpfr_get_d(x, MPFR_RNDN), q = p < 0.5 ? p : 1 - p, lo = 0, hi = 39;
	for (int i = 0; i < 60; i++) { // of the upper tail, whose probabilities are small
		double y = (lo + hi) / 2;
		if (0.5 * erfc(y * M_SQRT1_2) > q)
			lo = y;
		else
			hi = y;
	}
	mpfr_t y, f, s;
	mpfr_inits2(200, y, f, s, (mpfr_ptr)0);
	mpfr_set_d(y, -lo, d);
	do { // y += (q - cdf(y))·√(2π)·e^(y²/2)
		if (p > 0.5)
			mpfr_ui_sub(s, 1, x, d);
		else
			mpfr_set(s, x, d);
		normal_cdf(f, y, d);
		mpfr_sub(s, s, f, d);
		mpfr_sqr(f, y, d);
		mpfr_div_2ui(f, f, 1, d);
		mpfr_exp(f, f, d);
		mpfr_mul(s, s, f, d);
		mpfr_const_pi(f, d);
		mpfr_mul_2ui(f, f, 1, d);
		mpfr_sqrt(f, f, d);
		mpfr_mul(s, s, f, d);
		mpfr_add(y, y, s, d);
	} while (!mpfr_zero_p(s) && mpfr_get_exp(s) > mpfr_get_exp(y) - 40);
	if (p > 0.5)
		mpfr_neg(y, y, d);
	mpfr_set(r, y, d);
	mpfr_clears(y, f, s, (mpfr_ptr)0);
	return 0;
}

// nothing is for functions that the library does not have: 0 leaves every result to MPFR.
static double nothing(double x) { return (void)x, 0; }
static long double nothingl(long double x) { return (void)x, 0; }

static double rsqrtd(double x) { return 1 / sqrt(x); }
static long double rsqrtl(long double x) { return 1 / sqrtl(x); }

typedef double four __attribute__((vector_size(32)));
#ifdef FOUR
#define LIBRARY(f) _ZGVdN4v_##f
#define DECLARE(f) four _ZGVdN4v_##f(four)
DECLARE(exp); DECLARE(exp2); DECLARE(expm1); DECLARE(log); DECLARE(log2); DECLARE(log10); DECLARE(log1p); DECLARE(sin); DECLARE(cos);
DECLARE(tan); DECLARE(asin); DECLARE(acos); DECLARE(atan); DECLARE(sinh); DECLARE(cosh); DECLARE(tanh); DECLARE(cbrt); DECLARE(erf); DECLARE(erfc);
#else
#define LIBRARY(f) 0
#endif

static const struct {
	const char *name;
	unary exact;
	double (*d)(double);
	long double (*l)(long double);
	four (*four)(four);
	int mirror; // f(-x) is f(x) times this, or 0
} one[] = {
#define ONE(name, f, mirror) {name, (unary)mpfr_##f, f, f##l, LIBRARY(f), mirror}
	ONE("Exp", exp, 0), ONE("Exp2", exp2, 0), ONE("Expm1", expm1, 0), ONE("Log", log, 0), ONE("Log2", log2, 0), ONE("Log10", log10, 0),
	ONE("Log1p", log1p, 0), ONE("Sin", sin, -1), ONE("Cos", cos, 1), ONE("Tan", tan, -1), ONE("Asin", asin, -1), ONE("Acos", acos, 0),
	ONE("Atan", atan, -1), ONE("Sinh", sinh, -1), ONE("Cosh", cosh, 1), ONE("Tanh", tanh, -1), ONE("Cbrt", cbrt, -1), ONE("Erf", erf, -1),
	ONE("Erfc", erfc, 0), {"NormalCDF", normal_cdf, normal_cdfd, normal_cdfl, 0, 0},
	{"NormalQuantile", normal_quantile, nothing, nothingl, 0, 0}, {"Rsqrt", rsqrt, rsqrtd, rsqrtl, 0, 0},
};

static const struct {
	const char *name;
	binary exact;
	double (*d)(double, double);
	long double (*l)(long double, long double);
} two[] = {
	{"Pow", (binary)mpfr_pow, pow, powl}, {"Atan2", (binary)mpfr_atan2, atan2, atan2l},
	{"Hypot", (binary)mpfr_hypot, hypot, hypotl}, {"Mod", (binary)mpfr_fmod, fmod, fmodl},
};

static int bits, arity, which = -1;
static mpfr_t X, Y, R, D;

// unit is the exponent of the last place of a result.
static int unit(int exponent) {
	int e = exponent - (bits == 32 ? 24 : 53), least = bits == 32 ? -149 : -1074;
	return e < least ? least : e;
}

static double exactly(double x, double y, double r) {
	mpfr_set_d(X, x, MPFR_RNDN);
	mpfr_set_d(Y, y, MPFR_RNDN);
	if (arity == 1)
		one[which].exact(R, X, MPFR_RNDN);
	else
		two[which].exact(R, X, Y, MPFR_RNDN);
	if (mpfr_nan_p(R) || isnan(r))
		return mpfr_nan_p(R) && isnan(r) ? 0 : INFINITY;
	if (mpfr_zero_p(R))
		return r == 0 && !signbit(r) == !mpfr_signbit(R) ? 0 : INFINITY;
	if (r == 0 && !signbit(r) != (mpfr_sgn(R) > 0))
		return INFINITY;
	if (mpfr_inf_p(R))
		return isinf(r) && (r > 0) == (mpfr_sgn(R) > 0) ? 0 : INFINITY;
	if (isinf(r)) { // as far as the number that would come after the largest one
		mpfr_set_ui_2exp(D, 1, bits == 32 ? 128 : 1024, MPFR_RNDN);
		if (r < 0)
			mpfr_neg(D, D, MPFR_RNDN);
		if ((r > 0) == (mpfr_sgn(R) > 0) && mpfr_cmpabs(R, D) >= 0)
			return 0;
		mpfr_sub(D, D, R, MPFR_RNDN);
	} else
		mpfr_d_sub(D, r, R, MPFR_RNDN);
	long e = unit(mpfr_get_exp(R));
	if (bits == 32 && e > 104)
		e = 104;
	if (bits == 64 && e > 971)
		e = 971;
	mpfr_mul_2si(D, D, -e, MPFR_RNDN);
	return fabs(mpfr_get_d(D, MPFR_RNDN));
}

// about is the same by the C library, or infinity where MPFR has to say.
static double about(double x, double y, double r) {
	long double w;
	if (bits == 32)
		w = arity == 1 ? one[which].d(x) : two[which].d(x, y);
	else
		w = arity == 1 ? one[which].l(x) : two[which].l(x, y);
	if (!isfinite((double)w) || !isfinite(r) || w == 0 || (bits == 32 && fabsl(w) > 0x1.fffffdp127L))
		return isnan(w) && isnan(r) ? 0 : isinf(w) && (long double)r == w ? 0 : INFINITY;
	int e;
	frexpl(w, &e);
	return fabsl(ldexpl(r - w, -unit(e)));
}

// near is about for a float32 r and what the library has for it, w.
static inline double near(double w, double r) {
	uint64_t b;
	memcpy(&b, &w, 8);
	int64_t e = (int64_t)(b >> 52 & 2047) - 1046; // of the last place of a float32 like w
	if (__builtin_expect(e > 104, 0)) // beyond the largest one, or an infinity, or NaN
		return isnan(w) && isnan(r) ? 0 : fabs(w) > 0x1.00001p128 && isinf(r) && (w > 0) == (r > 0) ? 0 : INFINITY;
	if (__builtin_expect(e < -149, 0)) {
		if (w == 0) // also less than any double
			return r == 0 && !signbit(w) == !signbit(r) ? 0 : INFINITY;
		e = -149;
		if (r == 0 && !signbit(w) != !signbit(r))
			return INFINITY;
	}
	uint64_t scale = (uint64_t)(1023 - e) << 52;
	double s;
	memcpy(&s, &scale, 8);
	return fabs(r - w) * s; // infinity or NaN where r is
}

enum { block = 1 << 16 };
static double most, worst[3];

static void look(double x, double y, double r) {
	double d = exactly(x, y, r);
	if (d > most)
		most = d, worst[0] = x, worst[1] = y, worst[2] = r;
}

static void answer(void) {
	printf("%.6f %a %a %a\n", most, worst[0], worst[1], worst[2]);
	fflush(stdout);
}

// reference sets w to what the library has for x.
static void reference(double *w, const float *x, size_t n) {
	size_t i = 0;
	for (; one[which].four && i + 4 <= n; i += 4) {
		four v = one[which].four((four){x[i], x[i + 1], x[i + 2], x[i + 3]});
		memcpy(w + i, &v, sizeof v);
		if (i % 251 < 4) {
			double one_ = one[which].d(x[i]), off = fabs(w[i] - one_);
			if (off > 0x1p-50 * fabs(one_) && off > 0x1p-180) {
				fprintf(stderr, "the library has %a for %a, and %a among four\n", one_, x[i], w[i]);
				exit(1);
			}
		}
	}
	for (; i < n; i++)
		w[i] = one[which].d(x[i]);
}

// every compares results of all float32.
static void every(uint64_t stride, uint64_t number) {
	static float x[block], result[block];
	static double w[block];
	uint64_t half = ((1ull << 31) + stride - 1) / stride;
	for (int kept = 0;; number++) {
		uint64_t from = (number >> 1) * block;
		if (from >= half)
			return;
		size_t n = half - from < block ? half - from : block;
		if (fread(result, sizeof *result, n, stdin) != n)
			return;
		uint32_t sign = number & 1 ? 1u << 31 : 0, at = from * stride, step = stride;
		for (size_t i = 0; i < n; i++) {
			uint32_t u = (at + (uint32_t)i * step) | sign;
			memcpy(x + i, &u, 4);
		}
		int mirror = sign && kept ? one[which].mirror : 0;
		if (!mirror)
			reference(w, x, n);
		for (size_t i = 0; mirror && i < n; i++)
			w[i] *= mirror;
		for (size_t i = 0; i < n; i++) {
			double d = near(w[i], result[i]), least = most > 0.49 ? most : 0.49;
			if (!(d < least - 0x1p-26))
				look(x[i], 0, result[i]);
		}
		kept = 1;
		answer();
	}
}

int main(int argc, char **argv) {
	if (argc != 4 && argc != 6)
		return 2;
	bits = atoi(argv[2]), arity = atoi(argv[3]);
	for (int i = 0; arity == 1 && i < (int)(sizeof one / sizeof *one); i++)
		if (!strcmp(argv[1], one[i].name))
			which = i;
	for (int i = 0; arity == 2 && i < (int)(sizeof two / sizeof *two); i++)
		if (!strcmp(argv[1], two[i].name))
			which = i;
	if (which < 0)
		return 2;
	mpfr_inits2(200, X, Y, R, D, (mpfr_ptr)0);
	if (argc == 6) {
		every(strtoull(argv[4], 0, 10), strtoull(argv[5], 0, 10));
		return 0;
	}
	int fields = arity + 1;
	size_t size = bits / 8;
	double near = bits == 32 ? 0x1p-26 : 0x1p-8;
	char *b = malloc(block * fields * size);
	for (size_t n; (n = fread(b, fields * size, block, stdin)) > 0;) {
		for (size_t i = 0; i < n; i++) {
			double v[3] = {0};
			for (int k = 0; k < fields; k++)
				v[k] = bits == 32 ? ((float *)b)[i * fields + k] : ((double *)b)[i * fields + k];
			double x = v[0], y = arity == 2 ? v[1] : 0, r = v[fields - 1];
			double least = most > 0.49 ? most : strcmp(argv[1], "Mod") ? 0.49 : 0;
			if (!(about(x, y, r) < least - near))
				look(x, y, r);
		}
		answer();
	}
	return 0;
}
