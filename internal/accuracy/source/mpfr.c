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
// With the word rounded as the last argument, it checks float32 results that should be correctly rounded. For two
// arguments, a long double decides where a double cannot, so that MPFR has few to decide. For each block it prints one line: how many results the library could not decide, so that MPFR
// did; how many are wrong; and the wrong ones, each as the bits of its arguments and of the right result.
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

// sinc is sin(πx)/(πx). The library's quotient of the same form loses bits near whole numbers, because πx is rounded. So sincl
// uses the distance from the nearest whole number.
static int sinc(mpfr_t r, const mpfr_t x, mpfr_rnd_t d) {
	if (mpfr_zero_p(x)) {
		mpfr_set_ui(r, 1, d);
		return 0;
	}
	if (mpfr_inf_p(x) || mpfr_integer_p(x)) {
		mpfr_set_zero(r, 1);
		return 0;
	}
	mpfr_t p;
	mpfr_init2(p, 260);
	mpfr_const_pi(p, d);
	mpfr_mul(p, p, x, d);
	mpfr_sinpi(r, x, d);
	mpfr_div(r, r, p, d);
	mpfr_clear(p);
	return 0;
}
static long double sincl(long double x) {
	if (x == 0)
		return 1;
	long double n = rintl(x), s = sinl((x - n) * 3.14159265358979323846264338327950288L) / (x * 3.14159265358979323846264338327950288L);
	return fabsl(fmodl(n, 2)) == 1 ? -s : s;
}
static double sincd(double x) { return sincl(x); }

// lgamma_abs differs from C where x is -Inf: the result is -Inf, as in Go.
static int lgamma_abs(mpfr_t r, const mpfr_t x, mpfr_rnd_t d) {
	int sign;
	if (mpfr_inf_p(x) && mpfr_sgn(x) < 0) {
		mpfr_set_inf(r, -1);
		return 0;
	}
	return mpfr_lgamma(r, &sign, x, d);
}

// The library's Bessel functions are not exact next to their zeros. There, j0d and j1d leave the result to MPFR.
static double away(double x, double r) { return fabs(x) > 2 && fabs(r) < 0x1p-10 / sqrt(fabs(x)) ? 0 : r; }
static double j0d(double x) { return away(x, j0(x)); }
static double j1d(double x) { return away(x, j1(x)); }

// The allowed absolute errors of results next to zeros, of which the exact result is r. The comments of the functions state
// them.
static double bessel_slack(double x, double r) { return (void)r, fabs(x) > 7.85 ? 0x1p-62 * sqrt(2 / 3.14159265358979323846) / sqrt(fabs(x)) : 0; }
static double lgamma_slack(double x, double r) { return x < 0 && fabs(r) < 0.25 ? 0x1p-54 : 0; }

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
	int mirror;    // f(-x) is f(x) times this, or 0
	int monotonic; // for arguments of one sign
	double (*slack)(double, double); // the allowed absolute error of a float64, or 0
} one[] = {
#define ONE(name, f, mirror, monotonic) {name, (unary)mpfr_##f, f, f##l, LIBRARY(f), mirror, monotonic, 0}
	ONE("Exp", exp, 0, 1), ONE("Exp2", exp2, 0, 1), ONE("Expm1", expm1, 0, 1), ONE("Log", log, 0, 1), ONE("Log2", log2, 0, 1),
	ONE("Log10", log10, 0, 1), ONE("Log1p", log1p, 0, 1), ONE("Sin", sin, -1, 0), ONE("Cos", cos, 1, 0), ONE("Tan", tan, -1, 0),
	ONE("Asin", asin, -1, 1), ONE("Acos", acos, 0, 1), ONE("Atan", atan, -1, 1), ONE("Sinh", sinh, -1, 1), ONE("Cosh", cosh, 1, 1),
	ONE("Tanh", tanh, -1, 1), ONE("Cbrt", cbrt, -1, 1), ONE("Erf", erf, -1, 1), ONE("Erfc", erfc, 0, 1),
	{"NormalCDF", normal_cdf, normal_cdfd, normal_cdfl, 0, 0, 1, 0}, {"NormalQuantile", normal_quantile, nothing, nothingl, 0, 0, 1, 0},
	{"Sinc", sinc, sincd, sincl, 0, 1, 0, 0}, {"Rsqrt", rsqrt, rsqrtd, rsqrtl, 0, 0, 1, 0},
	{"Lgamma", lgamma_abs, lgamma, lgammal, 0, 0, 0, lgamma_slack}, {"J0", (unary)mpfr_j0, j0d, nothingl, 0, 1, 0, bessel_slack},
	{"J1", (unary)mpfr_j1, j1d, nothingl, 0, -1, 0, bessel_slack},
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
	if (bits == 64 && arity == 1 && one[which].slack && fabs(mpfr_get_d(D, MPFR_RNDN)) < one[which].slack(x, mpfr_get_d(R, MPFR_RNDN)))
		return 0;
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
static int rounded;
static long undecided, wrong;
static struct { float x, y, want; } list[64]; // the first wrong ones of a block

// clear counts the first results, out of n, that are surely correctly rounded: all numbers within 2^-49 of the library's
// value have that rounding. It looks at blocks of 64, so it may stop early.
static size_t clear(const double *w, const float *r, size_t n) {
	size_t i = 0;
	for (; i + 64 <= n; i += 64) {
		int odd = 0;
		for (int k = 0; k < 64; k++) {
			float low = w[i + k] * (1 - 0x1p-49), high = w[i + k] * (1 + 0x1p-49);
			uint32_t a, b, c;
			memcpy(&a, &low, 4), memcpy(&b, &high, 4), memcpy(&c, r + i + k, 4);
			odd |= ((a != b) | (a != c)) & !((w[i + k] != w[i + k]) & (r[i + k] != r[i + k]));
		}
		if (odd)
			break;
	}
	return i;
}

// constant reports whether all n results of a block are right because the function is constant there: the arguments have one
// sign and ascending sizes, in which the function is monotonic, and the first and the last result are surely the same number,
// or NaN.
static int constant(const float *x, const float *r, size_t n) {
	double first = one[which].d(x[0]), last = one[which].d(x[n - 1]);
	float low = first * (1 - 0x1p-49), high = first * (1 + 0x1p-49), low2 = last * (1 - 0x1p-49), high2 = last * (1 + 0x1p-49);
	int nan = isnan(first) && isnan(last);
	if (!one[which].monotonic || (!nan && !(low == high && low2 == high2 && low == low2 && !signbit(low) == !signbit(low2))))
		return 0;
	int odd = 0;
	uint32_t want, got;
	memcpy(&want, &low, 4);
	for (size_t i = 0; i < n; i++) {
		memcpy(&got, r + i, 4);
		odd |= nan ? r[i] == r[i] : got != want;
	}
	return !odd;
}

// far reports whether the long double of the library decides that r is correctly rounded. Its error is at most 8 units of its last
// place, which is 2^-37 units of a float32.
static int far(double x, double y, double r) {
	long double w = arity == 1 ? one[which].l(x) : two[which].l(x, y);
	if (!isfinite((double)w) || !isfinite(r) || w == 0 || fabsl(w) > 0x1.fffffdp127L)
		return 0;
	int e;
	frexpl(w, &e);
	return fabsl(ldexpl(r - w, -unit(e))) < 0.5L - 0x1p-36L;
}

// right is for results that should be correctly rounded. d is the distance from the library's
// double. It is below one half by more than the library's error, or its long double is, or MPFR decides.
static inline void right(double d, float x, float y, float r) {
	if (__builtin_expect(d < 0.5 - 0x1p-26, 1) || (arity == 2 && far(x, y, r)))
		return;
	undecided++;
	mpfr_set_d(X, x, MPFR_RNDN);
	mpfr_set_d(Y, y, MPFR_RNDN);
	// R is the exact result without its last bits. If they are not zero, one more bit says so. For example, the arc tangent of
	// 2^-130 differs from it beyond 200 bits.
	mpfr_set_prec(R, 200);
	int rest = arity == 1 ? one[which].exact(R, X, MPFR_RNDZ) : two[which].exact(R, X, Y, MPFR_RNDZ);
	if (rest && mpfr_regular_p(R)) {
		mpfr_prec_round(R, 202, MPFR_RNDZ);
		mpfr_sgn(R) > 0 ? mpfr_nextabove(R) : mpfr_nextbelow(R);
	}
	float want = mpfr_get_flt(R, MPFR_RNDN);
	if ((isnan(want) && isnan(r)) || !memcmp(&want, &r, sizeof r))
		return;
	if (wrong < (long)(sizeof list / sizeof *list))
		list[wrong].x = x, list[wrong].y = y, list[wrong].want = want;
	wrong++;
}

static void look(double x, double y, double r) {
	double d = exactly(x, y, r);
	if (d > most)
		most = d, worst[0] = x, worst[1] = y, worst[2] = r;
}

static unsigned bitsOf(float x) {
	uint32_t b;
	memcpy(&b, &x, sizeof b);
	return b;
}

static void answer(void) {
	if (rounded) {
		printf("%ld %ld", undecided, wrong);
		for (long i = 0; i < wrong && i < (long)(sizeof list / sizeof *list); i++)
			printf(" %08x:%08x:%08x", bitsOf(list[i].x), bitsOf(list[i].y), bitsOf(list[i].want));
		putchar('\n');
		fflush(stdout);
		undecided = wrong = 0;
		return;
	}
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
		if (rounded && constant(x, result, n)) {
			kept = 0;
			answer();
			continue;
		}
		int mirror = sign && kept ? one[which].mirror : 0;
		if (!mirror)
			reference(w, x, n);
		for (size_t i = 0; mirror && i < n; i++)
			w[i] *= mirror;
		for (size_t i = 0; rounded && i < n;) {
			i += clear(w + i, result + i, n - i);
			for (size_t end = i + 64; i < n && i < end; i++)
				right(near(w[i], result[i]), x[i], 0, result[i]);
		}
		for (size_t i = 0; !rounded && i < n; i++) {
			double d = near(w[i], result[i]), least = most > 0.49 ? most : 0.49;
			if (!(d < least - 0x1p-26))
				look(x[i], 0, result[i]);
		}
		kept = 1;
		answer();
	}
}

int main(int argc, char **argv) {
	if (argc > 4 && !strcmp(argv[argc - 1], "rounded"))
		rounded = 1, argc--;
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
	double margin = bits == 32 ? 0x1p-26 : 0x1p-8;
	char *b = malloc(block * fields * size);
	for (size_t n; (n = fread(b, fields * size, block, stdin)) > 0;) {
		for (size_t i = 0; i < n; i++) {
			double v[3] = {0};
			for (int k = 0; k < fields; k++)
				v[k] = bits == 32 ? ((float *)b)[i * fields + k] : ((double *)b)[i * fields + k];
			double x = v[0], y = arity == 2 ? v[1] : 0, r = v[fields - 1];
			if (rounded) {
				right(near(two[which].d(x, y), r), x, y, r);
				continue;
			}
			double least = most > 0.49 ? most : strcmp(argv[1], "Mod") ? 0.49 : 0;
			if (!(about(x, y, r) < least - margin))
				look(x, y, r);
		}
		answer();
	}
	return 0;
}
