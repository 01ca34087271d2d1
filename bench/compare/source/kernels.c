// Kernels in C: in intrinsics, in the order in which package kernels computes, and
// as plain loops that the compiler vectorises by itself: on plain slices here, on
// columns in columns.h. The program is driven through its standard input, so that
// all sides can take turns:
//
//	kernel bits form n times
//
// and answers with the nanoseconds that one call took, or, for 0 times, with a hash
// of all lanes after one call, as a whole number. It knows no other way to
// time than package compare does: many calls, through a pointer that the compiler
// cannot see through, as if from another file.
//
//	clang -O3 -ffp-contract=off -fno-math-errno -mprefer-vector-width=512 -o kernels kernels.c
#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The forms: vectors of AVX2 and AVX-512; plain loops over what is known not to
// overlap, for both; plain sums that may be added in any order, for both; plain
// loops over what may overlap.
enum { AVX2, AVX512, AUTO2, AUTO512, ANY2, ANY512, LOOP2, FORMS };
static const char *const form_names[FORMS] = { "avx2", "avx512", "auto2", "auto512", "any2", "any512", "loop2" };

// A kernel takes what the function of its name in package kernels takes; one
// that returns a number stores it in dst.
typedef void (*kernel)(void *dst, const void *x, const void *y, const void *z, double s, double t, size_t n);

#define NAME(name, type, form) name##_##type##_##form
#define ARGS void *dst_, const void *x_, const void *y_, const void *z_, double s_, double t_, size_t n
#define LANES(type) \
	type *restrict dst = dst_; \
	const type *restrict x = x_, *restrict y = y_, *restrict z = z_; \
	const type s = s_, t = t_; \
	(void)dst, (void)x, (void)y, (void)z, (void)s, (void)t;

// A plain loop over the rows, and one that adds up.
#define LOOP(name, type, form, isa, expression) \
	__attribute__((target(isa))) static void NAME(name, type, form)(ARGS) { \
		LANES(type) \
		_Pragma("clang loop vectorize(assume_safety)") for (size_t i = 0; i < n; i++) dst[i] = expression; \
	}
#define ADDUP(name, type, form, isa, pragma, expression) \
	__attribute__((target(isa))) static void NAME(name, type, form)(ARGS) { \
		pragma LANES(type) type sum = 0; \
		for (size_t i = 0; i < n; i++) sum += expression; \
		*dst = sum; \
	}
#define LEAST(name, type, form, isa) \
	__attribute__((target(isa))) static void NAME(name, type, form)(ARGS) { \
		LANES(type) type best = x[0]; \
		for (size_t i = 0; i < n; i++) best = x[i] < best ? x[i] : best; \
		*dst = best; \
	}

#define ISA2 "avx2"
#define ISA512 "avx512f,avx512vl,avx512dq,avx512bw"
#define IN_ORDER
#define ANY_ORDER _Pragma("clang fp reassociate(on)")

// Vectors of the two widths.
typedef float f32_8 __attribute__((vector_size(32), aligned(4)));
typedef float f32_16 __attribute__((vector_size(64), aligned(4)));
typedef double f64_4 __attribute__((vector_size(32), aligned(8)));
typedef double f64_8 __attribute__((vector_size(64), aligned(8)));

// VECTORS is the loop of LOOP in vectors, four a turn.
#define VECTORS(name, type, form, isa, vec, expression) \
	__attribute__((target(isa))) static void NAME(name, type, form)(ARGS) { \
		LANES(type) \
		enum { W = sizeof(vec) / sizeof(type) }; \
		size_t i = 0; \
		const vec sv = s - (vec){0}, tv = t - (vec){0}; \
		(void)sv, (void)tv; \
		_Pragma("clang loop unroll_count(4)") for (; i + W <= n; i += W) { \
			vec xv = *(const vec *)(x + i); \
			*(vec *)(dst + i) = expression; \
		} \
		for (; i < n; i++) scalar_##name##_##type(dst_, x_, y_, z_, s_, t_, i); \
	}
#define YV (*(const typeof(xv) *)(y + i))
#define ZV (*(const typeof(xv) *)(z + i))

// SUMS is a sum in the order of package kernels: 256 bytes of accumulators, the
// rest of a block to those in front, halves folded. n is a multiple of a vector.
#define SUMS(name, type, form, isa, vec, expression) \
	__attribute__((target(isa))) static void NAME(name, type, form)(ARGS) { \
		LANES(type) \
		enum { W = sizeof(vec) / sizeof(type), A = 256 / sizeof(vec) }; \
		vec acc[A]; \
		for (int k = 0; k < A; k++) acc[k] = (vec){0}; \
		size_t i = 0; \
		for (; i + W * A <= n; i += W * A) \
			for (int k = 0; k < A; k++) { \
				size_t at = i + k * W; \
				acc[k] += expression; \
			} \
		for (int k = 0; k < A; k++) { \
			size_t at = i + k * W; \
			if (at + W > n) break; \
			acc[k] += expression; \
		} \
		for (int h = A / 2; h > 0; h /= 2) \
			for (int k = 0; k < h; k++) acc[k] += acc[k + h]; \
		vec v = acc[0]; \
		type out[W]; \
		memcpy(out, &v, sizeof v); \
		for (int h = W / 2; h > 0; h /= 2) \
			for (int k = 0; k < h; k++) out[k] += out[k + h]; \
		*dst = out[0]; \
	}
#define AT(p) (*(const typeof(acc[0]) *)(p + at))

#define LEASTS(name, type, form, isa, vec, least) \
	__attribute__((target(isa))) static void NAME(name, type, form)(ARGS) { \
		LANES(type) \
		enum { W = sizeof(vec) / sizeof(type), A = 256 / sizeof(vec) }; \
		vec acc[A]; \
		for (int k = 0; k < A; k++) acc[k] = x[0] - (vec){0}; \
		size_t i = 0; \
		for (; i + W * A <= n; i += W * A) \
			for (int k = 0; k < A; k++) { \
				acc[k] = least(*(const vec *)(x + i + k * W), acc[k]); \
			} \
		for (; i + W <= n; i += W) acc[0] = least(*(const vec *)(x + i), acc[0]); \
		for (int h = A / 2; h > 0; h /= 2) \
			for (int k = 0; k < h; k++) acc[k] = least(acc[k], acc[k + h]); \
		type best = acc[0][0]; \
		for (int k = 1; k < W; k++) best = acc[0][k] < best ? acc[0][k] : best; \
		for (; i < n; i++) best = x[i] < best ? x[i] : best; \
		*dst = best; \
	}

// ROW is an element-wise kernel in all forms: e is row i, e8 and e16 are vectors.
#define ROW1(name, type, v8, v16, e, e8, e16) \
	static inline void scalar_##name##_##type(void *dst_, const void *x_, const void *y_, const void *z_, double s_, double t_, size_t i) { \
		LANES(type) dst[i] = e; \
	} \
	VECTORS(name, type, AVX2, ISA2, v8, e8) \
	VECTORS(name, type, AVX512, ISA512, v16, e16) \
	LOOP(name, type, AUTO2, ISA2, e) \
	LOOP(name, type, AUTO512, ISA512, e)
#define ROW(name, e, v) ROW1(name, float, f32_8, f32_16, e, v, v) ROW1(name, double, f64_4, f64_8, e, v, v)

ROW(add, x[i] + y[i], xv + YV)
ROW(mul, x[i] * y[i], xv *YV)
ROW(scale, s *x[i], sv *xv)
ROW(mulAdd, x[i] * y[i] + z[i], xv *YV + ZV)
ROW(lerp, x[i] + s * (y[i] - x[i]), xv + sv * (YV - xv))
ROW1(minimum, float, f32_8, f32_16, x[i] < y[i] ? x[i] : y[i], _mm256_min_ps(xv, YV), _mm512_min_ps(xv, YV))
ROW1(minimum, double, f64_4, f64_8, x[i] < y[i] ? x[i] : y[i], _mm256_min_pd(xv, YV), _mm512_min_pd(xv, YV))

#define SUM1(name, type, v8, v16, e, v) \
	SUMS(name, type, AVX2, ISA2, v8, v) \
	SUMS(name, type, AVX512, ISA512, v16, v) \
	ADDUP(name, type, AUTO2, ISA2, IN_ORDER, e) \
	ADDUP(name, type, AUTO512, ISA512, IN_ORDER, e) \
	ADDUP(name, type, ANY2, ISA2, ANY_ORDER, e) \
	ADDUP(name, type, ANY512, ISA512, ANY_ORDER, e)
#define SUM(name, e, v) SUM1(name, float, f32_8, f32_16, e, v) SUM1(name, double, f64_4, f64_8, e, v)

SUM(sum, x[i], AT(x))
SUM(dot, x[i] * y[i], AT(x) * AT(y))

#define MIN1(name, type, v8, v16, least8, least16) \
	LEASTS(name, type, AVX2, ISA2, v8, least8) \
	LEASTS(name, type, AVX512, ISA512, v16, least16) \
	LEAST(name, type, AUTO2, ISA2) \
	LEAST(name, type, AUTO512, ISA512)

MIN1(min, float, f32_8, f32_16, _mm256_min_ps, _mm512_min_ps)
MIN1(min, double, f64_4, f64_8, _mm256_min_pd, _mm512_min_pd)

#define E4(name, type, bits) \
	{ #name, bits, { NAME(name, type, AVX2), NAME(name, type, AVX512), NAME(name, type, AUTO2), NAME(name, type, AUTO512) } },
#define E6(name, type, bits) \
	{ #name, bits, { NAME(name, type, AVX2), NAME(name, type, AVX512), NAME(name, type, AUTO2), NAME(name, type, AUTO512), \
			NAME(name, type, ANY2), NAME(name, type, ANY512) } },
#define BOTH(E, name) E(name, float, 32) E(name, double, 64)

static const struct entry { const char *name; int bits; kernel forms[FORMS]; } table[] = {
	BOTH(E4, add) BOTH(E4, mul) BOTH(E4, scale) BOTH(E4, mulAdd) BOTH(E4, lerp) BOTH(E4, minimum)
	BOTH(E6, sum) BOTH(E6, dot) BOTH(E4, min)
};

#include "columns.c"

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

enum { LANES_MAX = 22 };
static char *memory[LANES_MAX];
static void *lanes[LANES_MAX];

// make gives lane k n numbers between 0.25 and 1.25. It starts at a multiple of 64
// and, within a page, 192 bytes after the lane before.
static void make(int k, size_t n, int bits) {
	free(memory[k]);
	memory[k] = aligned_alloc(4096, (n * bits / 8 + LANES_MAX * 192 + 4095) / 4096 * 4096);
	void *p = lanes[k] = memory[k] + k * 192;
	for (size_t i = 0; i < n; i++) {
		double v = 0.25 + ((unsigned)(i + 977 * k) * 2654435761u % 1000003) / 1000003.0;
		if (bits == 32) ((float *)p)[i] = v;
		else ((double *)p)[i] = v;
	}
}

// run does one call of a kernel on plain slices or on columns; it is 0 if there is
// none with this name, type and form.
static int run(const struct entry *e, const struct column_entry *c, int bits, int form, size_t n) {
	if (e && e->forms[form]) e->forms[form](lanes[0], lanes[1], lanes[2], lanes[3], 0.5, 0.75, n);
	else if (c && bits == 32 && c->single[form]) c->single[form]((float *const *)lanes, 1e-9f, n);
	else if (c && bits == 64 && c->wider[form]) c->wider[form]((double *const *)lanes, 1e-9, n);
	else return 0;
	__asm__ volatile("" ::: "memory");
	return 1;
}

// hash is FNV-1a of the lanes of a column kernel, one after the other.
static unsigned long long hash(const struct column_entry *c, int bits, size_t n) {
	unsigned long long h = 14695981039346656037ull;
	for (int k = 0; c && k < c->lanes; k++) {
		const unsigned char *p = lanes[k];
		size_t bytes = (k < c->wide ? 16 * n : n) * bits / 8;
		for (size_t i = 0; i < bytes; i++) h = (h ^ p[i]) * 1099511628211ull;
	}
	return h;
}

int main(void) {
	char name[32], form[32], old[64] = "", row[64];
	int bits;
	size_t n;
	long times;
	while (scanf("%31s %d %31s %zu %ld", name, &bits, form, &n, &times) == 5) {
		const struct entry *e = NULL;
		const struct column_entry *c = NULL;
		int f = 0;
		for (size_t k = 0; k < sizeof table / sizeof *table; k++)
			if (!strcmp(table[k].name, name) && table[k].bits == bits) e = &table[k];
		for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
			if (!strcmp(columns[k].name, name)) c = &columns[k];
		while (f < FORMS - 1 && strcmp(form_names[f], form)) f++;
		snprintf(row, sizeof row, "%s %d %zu", name, bits, n);
		if (strcmp(row, old) || !times) {
			for (int k = 0; k < (c ? c->lanes : 4); k++) make(k, c && k < c->wide ? 16 * n : n, bits);
			strcpy(old, row);
		}
		if (!times) {
			printf("%llu\n", run(e, c, bits, f, n) ? hash(c, bits, n) : 0ull);
			fflush(stdout);
			continue;
		}
		double took = -1;
		if (!strcmp(form_names[f], form) && run(e, c, bits, f, n)) {
			double start = now();
			for (long i = 0; i < times; i++) run(e, c, bits, f, n);
			took = (now() - start) / times;
		}
		printf("%.4f\n", took);
		fflush(stdout);
	}
	return 0;
}
