// Compares numbers with MPFR. Its arguments are the name of a function, the bits of
// its numbers (32 or 64) and how many arguments it takes; its input is arguments and
// result, one after another. For each block of a million of them it prints the
// largest distance from the exact result, in units of the last place of that result,
// and where it was.
//
// A long double, or for 32 bits a double, of the C library screens: only what may be
// the largest distance yet by more than 0.001, or more than 0.9, is computed by MPFR. Special values
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
static double rsqrtd(double x) { return 1 / sqrt(x); }
static long double rsqrtl(long double x) { return 1 / sqrtl(x); }

static const struct {
	const char *name;
	unary exact;
	double (*d)(double);
	long double (*l)(long double);
} one[] = {
#define ONE(name, f) {name, (unary)mpfr_##f, f, f##l}
	ONE("Exp", exp), ONE("Exp2", exp2), ONE("Expm1", expm1), ONE("Log", log), ONE("Log2", log2), ONE("Log10", log10), ONE("Log1p", log1p),
	ONE("Sin", sin), ONE("Cos", cos), ONE("Tan", tan), ONE("Asin", asin), ONE("Acos", acos), ONE("Atan", atan),
	ONE("Sinh", sinh), ONE("Cosh", cosh), ONE("Tanh", tanh), ONE("Cbrt", cbrt), ONE("Erf", erf), {"Rsqrt", rsqrt, rsqrtd, rsqrtl},
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

// about is the same by the C library.
static double about(double x, double y, double r) {
	long double w;
	if (bits == 32)
		w = arity == 1 ? one[which].d(x) : two[which].d(x, y);
	else
		w = arity == 1 ? one[which].l(x) : two[which].l(x, y);
	if (!isfinite((double)w) || !isfinite(r) || w == 0 || (bits == 32 && fabsl(w) > 0x1.fffffdp127L))
		return isnan(w) && isnan(r) ? 0 : isinf(w) && (long double)r == w ? 0 : INFINITY; // MPFR says
	int e;
	frexpl(w, &e);
	return fabsl(ldexpl(r - w, -unit(e)));
}

int main(int argc, char **argv) {
	if (argc != 4)
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
	enum { block = 1 << 20 };
	int fields = arity + 1;
	size_t size = bits / 8;
	char *b = malloc(block * fields * size);
	double most = 0, worst[3] = {0};
	for (size_t n; (n = fread(b, fields * size, block, stdin)) > 0;) {
		for (size_t i = 0; i < n; i++) {
			double v[3] = {0};
			for (int k = 0; k < fields; k++)
				v[k] = bits == 32 ? ((float *)b)[i * fields + k] : ((double *)b)[i * fields + k];
			double x = v[0], y = arity == 2 ? v[1] : 0, r = v[fields - 1];
			double d = about(x, y, r);
			if (d < 0.9 && d <= most + 0.001)
				continue;
			d = exactly(x, y, r);
			if (d > most)
				most = d, worst[0] = x, worst[1] = y, worst[2] = r;
		}
		printf("%.4f %a %a %a\n", most, worst[0], worst[1], worst[2]);
		fflush(stdout);
	}
	return 0;
}
