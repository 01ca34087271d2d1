// What the C kernels share: vectors of 16 bytes, no tails, no overlaps. Everything
// is compiled twice: -DT=float -DBITS=32 and -DT=double -DBITS=64.
#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

#define PASTE(a, b) a##F##b
#define NAME(a, b) PASTE(a, b)
#define FN(a) NAME(a, BITS)

#if BITS == 32
typedef int32_t I;
#else
typedef int64_t I;
#endif
typedef T V __attribute__((vector_size(16)));
typedef I M __attribute__((vector_size(16)));

static inline V load(const T *p) { V v; __builtin_memcpy(&v, p, 16); return v; }
static inline void store(T *p, V v) { __builtin_memcpy(p, &v, 16); }
static inline V splat(T s) { return (V){0} + s; }
#if BITS == 32
static inline V root(V x) { return vsqrtq_f32(x); }
static inline V magnitude(V x) { return vabsq_f32(x); }
static inline int all(M m) { return vminvq_u32((uint32x4_t)m) != 0; }
#else
static inline V root(V x) { return vsqrtq_f64(x); }
static inline V magnitude(V x) { return vabsq_f64(x); }
static inline int all(M m) { return (m[0] & m[1]) != 0; }
#endif

typedef T *restrict lane;
typedef const T *restrict in;
typedef lane const *lanes;
typedef in const *ins;

// The lanes of a destination or an operand as pointers of the function's own,
// which the compiler knows not to overlap.
#define OUT3(v) lane v##X = v[0], v##Y = v[1], v##Z = v[2]
#define OUT4(v) lane v##X = v[0], v##Y = v[1], v##Z = v[2], v##W = v[3]
#define IN3(v) in v##X = v[0], v##Y = v[1], v##Z = v[2]
#define IN4(v) in v##X = v[0], v##Y = v[1], v##Z = v[2], v##W = v[3]

// pick is m ? a : b, elementwise.
static inline V pick(M m, V a, V b) { return (V)(((M)a & m) | ((M)b & ~m)); }
static inline V least(V a, V b) { return pick(a < b, a, b); }
static inline V most(V a, V b) { return pick(a > b, a, b); }

#define EACH for (size_t i = 0; i < n; i += 16 / sizeof(T))

static const T ordinary = BITS == 32 ? 12800 : 51200;

// sine takes angles that are ordinary.
#if BITS == 32
static inline void sine(V x, V *sin, V *cos) {
	const T round = 0x1.8p+23f;
	V f = x * 0x1.45f306p-1f + round;
	M k = (M)f;
	f -= round;
	V r = x - f * 0x1.92p+0f - f * 0x1.fb4p-12f - f * 0x1.444p-24f - f * 0x1.68c234p-39f;
	V z = r * r;
	V s = ((z * -0x1.991c28p-13f + 0x1.1106c6p-7f) * z + -0x1.555544p-3f) * z * r + r;
	V c = ((z * 0x1.99e714p-16f + -0x1.6c0c26p-10f) * z + 0x1.55554ap-5f) * (z * z) - 0.5f * z + 1.0f;
#else
static inline void sine(V x, V *sin, V *cos) {
	const T round = 0x1.8p+52;
	V f = x * 0x1.45f306dc9c883p-1 + round;
	M k = (M)f;
	f -= round;
	V a = x - f * 0x1.921fb54440000p+0, b = f * 0x1.68c234c4c0000p-39;
	V t = f * 0x1.98a2e03707345p-77 - (a - (a - b) - b);
	V r = a - b - t, low = a - b - r - t, z = r * r;
	V p = z * (z * (z * (z * (z * (z * 0x1.5d8b55747c738p-33 + -0x1.ae5e4b83a119ap-26) + 0x1.71de35552b277p-19) +
		-0x1.a01a019be9216p-13) + 0x1.111111110f730p-7) + -0x1.5555555555548p-3);
	V q = z * z * (z * (z * (z * (z * (z * -0x1.8f99cbbc1e8edp-37 + 0x1.1ee9c335d594cp-29) + -0x1.27e4f7cd31ec0p-22) +
		0x1.a01a019c5c396p-16) + -0x1.6c16c16c14e00p-10) + 0x1.555555555554ap-5);
	V h = 0.5 * z, v = 1 - h;
	V c = v + (1 - v - h + (q - r * low));
	V s = r + (low * v + r * p);
#endif
	const M sign = (M){0} + (I)1 << (BITS - 1);
	M sb = (M)s | ((M)r & sign), cb = (M)c, odd = (k & 1) != 0;
	*sin = (V)(((sb & ~odd) | (cb & odd)) ^ (k << (BITS - 2) & sign));
	*cos = (V)(((cb & ~odd) | (sb & odd)) ^ ((k + 1) << (BITS - 2) & sign));
}
