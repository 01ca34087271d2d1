// The kernels of columns.h in all forms: included by kernels.c.

#ifdef __clang__
#define PUSH2 _Pragma("clang attribute push(__attribute__((target(\"avx2\"))), apply_to = function)")
#define PUSH512 _Pragma("clang attribute push(__attribute__((target(\"avx512f,avx512vl,avx512dq,avx512bw\"))), apply_to = function)")
#define POP _Pragma("clang attribute pop")
#else
#define PUSH2 _Pragma("GCC push_options") _Pragma("GCC target(\"avx2\")")
#define PUSH512 _Pragma("GCC push_options") _Pragma("GCC target(\"avx512f,avx512vl,avx512dq,avx512bw\")")
#define POP _Pragma("GCC pop_options")
#endif

// Six planes, between which lies about half of the boxes that compare makes.
enum { PLANES = 6, MOST = 8 };
static const double planes[PLANES][4] = {
	{ 1, 0.0625, 0, -1 }, { -1, 0, 0.0625, 0.5 }, { 0, 1, 0.0625, -1 }, { 0.0625, -1, 0, 0.5 }, { 0.0625, 0, 1, -1 }, { 0, 0.0625, -1, 0.5 },
};
typedef unsigned long long __attribute__((may_alias)) word;

PUSH2
#define TRANSPOSED8(a, b, c, d, o) do { \
		f32_8 l0 = _mm256_unpacklo_ps(a, b), h0 = _mm256_unpackhi_ps(a, b), l1 = _mm256_unpacklo_ps(c, d), h1 = _mm256_unpackhi_ps(c, d); \
		o[0] = _mm256_shuffle_ps(l0, l1, 0x44), o[1] = _mm256_shuffle_ps(l0, l1, 0xee); \
		o[2] = _mm256_shuffle_ps(h0, h1, 0x44), o[3] = _mm256_shuffle_ps(h0, h1, 0xee); \
	} while (0)
static inline void store8(float *q, f32_8 a, f32_8 b, f32_8 d, f32_8 e) {
	_mm256_storeu_ps(q, _mm256_permute2f128_ps(a, b, 0x20));
	_mm256_storeu_ps(q + 8, _mm256_permute2f128_ps(d, e, 0x20));
	_mm256_storeu_ps(q + 64, _mm256_permute2f128_ps(a, b, 0x31));
	_mm256_storeu_ps(q + 72, _mm256_permute2f128_ps(d, e, 0x31));
}
static inline void product8(float *o, const float *a, const float *b, int full) {
	f32_8 a0 = _mm256_broadcast_ps((const __m128 *)a), a1 = _mm256_broadcast_ps((const __m128 *)(a + 4));
	f32_8 a2 = _mm256_broadcast_ps((const __m128 *)(a + 8)), a3 = _mm256_broadcast_ps((const __m128 *)(a + 12));
	for (int h = 0; h < 2; h++) {
		f32_8 x = _mm256_loadu_ps(b + 8 * h);
		f32_8 r = (a0 * (f32_8)_mm256_permute_ps(x, 0) + a1 * (f32_8)_mm256_permute_ps(x, 0x55)) + a2 * (f32_8)_mm256_permute_ps(x, 0xaa);
		if (full) r += a3 * (f32_8)_mm256_permute_ps(x, 0xff);
		else if (h == 1) r = _mm256_blend_ps(r, r + a3, 0xf0);
		_mm256_storeu_ps(o + 8 * h, r);
	}
}
static inline void transpose4(f64_4 a, f64_4 b, f64_4 c, f64_4 d, f64_4 *o) {
	f64_4 l0 = _mm256_unpacklo_pd(a, b), h0 = _mm256_unpackhi_pd(a, b), l1 = _mm256_unpacklo_pd(c, d), h1 = _mm256_unpackhi_pd(c, d);
	o[0] = _mm256_permute2f128_pd(l0, l1, 0x20), o[1] = _mm256_permute2f128_pd(h0, h1, 0x20);
	o[2] = _mm256_permute2f128_pd(l0, l1, 0x31), o[3] = _mm256_permute2f128_pd(h0, h1, 0x31);
}
static inline void store4(double *q, f64_4 a, f64_4 b, f64_4 d, f64_4 e) {
	*(f64_4 *)q = a, *(f64_4 *)(q + 4) = b, *(f64_4 *)(q + 8) = d, *(f64_4 *)(q + 12) = e;
}
static inline void product4(double *o, const double *a, const double *b, int full) {
	f64_4 a0 = *(const f64_4 *)a, a1 = *(const f64_4 *)(a + 4), a2 = *(const f64_4 *)(a + 8), a3 = *(const f64_4 *)(a + 12);
	for (int j = 0; j < 4; j++) {
		f64_4 r = (a0 * b[4 * j] + a1 * b[4 * j + 1]) + a2 * b[4 * j + 2];
		if (full) r += a3 * b[4 * j + 3];
		else if (j == 3) r += a3;
		*(f64_4 *)(o + 4 * j) = r;
	}
}

#define T float
#define V f32_8
#define W 8
#define FORM AVX2
#define INSIDE f32_8
#define ALL_IN _mm256_castsi256_ps(_mm256_set1_epi32(-1))
#define AND(in, v) in = _mm256_and_ps(in, _mm256_cmp_ps(v, _mm256_setzero_ps(), _CMP_GE_OQ))
#define BITS(in) _mm256_movemask_ps(in)
#define AT_ONCE 8
#define GATHER(q, j) _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps((q) + 16 * (j))), _mm_loadu_ps((q) + 64 + 16 * (j)), 1)
#define ROOT _mm256_sqrt_ps
#define TRANSPOSE(a, b, c, d, o) TRANSPOSED8(a, b, c, d, o)
#define STORE store8
#define PRODUCT product8
#include "columns.h"
#undef STORE
#undef PRODUCT

#define T double
#define V f64_4
#define W 4
#define FORM AVX2
#define INSIDE f64_4
#define ALL_IN _mm256_castsi256_pd(_mm256_set1_epi32(-1))
#define AND(in, v) in = _mm256_and_pd(in, _mm256_cmp_pd(v, _mm256_setzero_pd(), _CMP_GE_OQ))
#define BITS(in) _mm256_movemask_pd(in)
#define AT_ONCE 8
#define GATHER(q, j) (*(const f64_4 *)((q) + 16 * (j)))
#define ROOT _mm256_sqrt_pd
#define TRANSPOSE(a, b, c, d, o) transpose4(a, b, c, d, o)
#define STORE store4
#define PRODUCT product4
#include "columns.h"
#undef STORE
#undef PRODUCT

#define T float
#define V float
#define W 1
#define FORM AUTO2
#define ROOT __builtin_sqrtf
#include "columns.h"

#define T double
#define V double
#define W 1
#define FORM AUTO2
#define ROOT __builtin_sqrt
#include "columns.h"

#define ORDINARY
#define T float
#define V float
#define W 1
#define FORM LOOP2
#define ROOT __builtin_sqrtf
#include "columns.h"

#define ORDINARY
#define T double
#define V double
#define W 1
#define FORM LOOP2
#define ROOT __builtin_sqrt
#include "columns.h"
POP

PUSH512
static inline void transpose16(f32_16 a, f32_16 b, f32_16 c, f32_16 d, f32_16 *o) {
	f32_16 l0 = _mm512_unpacklo_ps(a, b), h0 = _mm512_unpackhi_ps(a, b), l1 = _mm512_unpacklo_ps(c, d), h1 = _mm512_unpackhi_ps(c, d);
	o[0] = _mm512_shuffle_ps(l0, l1, 0x44), o[1] = _mm512_shuffle_ps(l0, l1, 0xee);
	o[2] = _mm512_shuffle_ps(h0, h1, 0x44), o[3] = _mm512_shuffle_ps(h0, h1, 0xee);
}
static inline void store16(float *q, f32_16 a, f32_16 b, f32_16 d, f32_16 e) {
	f32_16 ab0 = _mm512_shuffle_f32x4(a, b, 0x44), ab1 = _mm512_shuffle_f32x4(a, b, 0xee);
	f32_16 de0 = _mm512_shuffle_f32x4(d, e, 0x44), de1 = _mm512_shuffle_f32x4(d, e, 0xee);
	_mm512_storeu_ps(q, _mm512_shuffle_f32x4(ab0, de0, 0x88));
	_mm512_storeu_ps(q + 64, _mm512_shuffle_f32x4(ab0, de0, 0xdd));
	_mm512_storeu_ps(q + 128, _mm512_shuffle_f32x4(ab1, de1, 0x88));
	_mm512_storeu_ps(q + 192, _mm512_shuffle_f32x4(ab1, de1, 0xdd));
}
static inline f32_16 gather16(const float *q) {
	f32_8 a = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(q)), _mm_loadu_ps(q + 64), 1);
	f32_8 b = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(q + 128)), _mm_loadu_ps(q + 192), 1);
	return _mm512_insertf32x8(_mm512_castps256_ps512(a), b, 1);
}
static inline void product16(float *o, const float *a, const float *b, int full) {
	f32_16 a0 = _mm512_broadcast_f32x4(_mm_loadu_ps(a)), a1 = _mm512_broadcast_f32x4(_mm_loadu_ps(a + 4));
	f32_16 a2 = _mm512_broadcast_f32x4(_mm_loadu_ps(a + 8)), a3 = _mm512_broadcast_f32x4(_mm_loadu_ps(a + 12));
	f32_16 x = _mm512_loadu_ps(b);
	f32_16 r = (a0 * (f32_16)_mm512_permute_ps(x, 0) + a1 * (f32_16)_mm512_permute_ps(x, 0x55)) + a2 * (f32_16)_mm512_permute_ps(x, 0xaa);
	if (full) r += a3 * (f32_16)_mm512_permute_ps(x, 0xff);
	else r = _mm512_mask_add_ps(r, 0xf000, r, a3);
	_mm512_storeu_ps(o, r);
}

#define T float
#define V f32_16
#define W 16
#define FORM AVX512
#define INSIDE __mmask16
#define ALL_IN 0xffff
#define AND(in, v) in = _mm512_mask_cmp_ps_mask(in, v, _mm512_setzero_ps(), _CMP_GE_OQ)
#define BITS(in) in
#define AT_ONCE 16
#define GATHER(q, j) gather16((q) + 16 * (j))
#define ROOT _mm512_sqrt_ps
#define TRANSPOSE(a, b, c, d, o) transpose16(a, b, c, d, o)
#define STORE store16
#define PRODUCT product16
#include "columns.h"
#undef STORE
#undef PRODUCT

#define T double
#define V f64_8
#define W 8
#define FORM AVX512
#define INSIDE __mmask8
#define ALL_IN 0xff
#define AND(in, v) in = _mm512_mask_cmp_pd_mask(in, v, _mm512_setzero_pd(), _CMP_GE_OQ)
#define BITS(in) in
#define AT_ONCE 8
#define ROOT _mm512_sqrt_pd
#include "columns.h"

#define T float
#define V float
#define W 1
#define FORM AUTO512
#define ROOT __builtin_sqrtf
#include "columns.h"

#define T double
#define V double
#define W 1
#define FORM AUTO512
#define ROOT __builtin_sqrt
#include "columns.h"
POP

// A column kernel takes lanes, of which the first few have sixteen elements a row: those
// that are written first, but for the matrices of boxes.
typedef void (*on32)(float *const *c, float s, size_t n);
typedef void (*on64)(double *const *c, double s, size_t n);

#define ALL(name, type) { NAME(name, type, AVX2), NAME(name, type, AVX512), NAME(name, type, AUTO2), NAME(name, type, AUTO512), [LOOP2] = NAME(name, type, LOOP2) }
#define SOME(name, type) { NAME(name, type, AVX2), NULL, NAME(name, type, AUTO2), NAME(name, type, AUTO512), [LOOP2] = NAME(name, type, LOOP2) }
static const struct column_entry { const char *name; int lanes, wide; on32 single[FORMS]; on64 wider[FORMS]; } columns[] = {
	{ "integrate", 6, 0, ALL(integrate, float), ALL(integrate, double) },
	{ "mulQuats", 12, 0, ALL(mulQuats, float), ALL(mulQuats, double) },
	{ "integrateQuats", 7, 0, ALL(integrateQuats, float), ALL(integrateQuats, double) },
	{ "normalizeQuats", 8, 0, ALL(normalizeQuats, float), ALL(normalizeQuats, double) },
	{ "normalizeVec3s", 6, 0, ALL(normalizeVec3s, float), ALL(normalizeVec3s, double) },
	{ "rotate", 10, 0, ALL(rotate, float), ALL(rotate, double) },
	{ "composeLanes", 22, 0, ALL(composeLanes, float), ALL(composeLanes, double) },
	{ "compose", 11, 1, ALL(compose, float), SOME(compose, double) },
	{ "mulMat4s", 3, 3, ALL(mulMat4s, float), SOME(mulMat4s, double) },
	{ "mulFull", 3, 3, ALL(mulFull, float), SOME(mulFull, double) },
	{ "boxesInPlanes", 7, 0, ALL(boxesInPlanes, float), ALL(boxesInPlanes, double) },
	{ "boxesTransform", 13, 1, ALL(boxesTransform, float), SOME(boxesTransform, double) },
};
