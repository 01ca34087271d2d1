// The arithmetic of arith_arm64.s, select_arm64.s and reduction_arm64.s.
#include "lanes.h"

#define EACH2(name, value) \
	void FN(name)(lane dst, in x, in y, size_t n) { \
		EACH { V a = load(x + i), b = load(y + i); store(dst + i, value); } \
	}
#define EACH1(name, value) \
	void FN(name)(lane dst, in x, size_t n) { \
		EACH { V a = load(x + i); store(dst + i, value); } \
	}

EACH2(add, a + b)
EACH2(sub, a - b)
EACH2(mul, a * b)
EACH2(div, a / b)
EACH2(minimum, least(a, b))
EACH2(maximum, most(a, b))
EACH1(abs, magnitude(a))
EACH1(neg, -a)
EACH1(sqrt, root(a))

void FN(scale)(lane dst, in x, size_t n, T s) {
	EACH store(dst + i, s * load(x + i));
}

void FN(mulAdd)(lane dst, in x, in y, in z, size_t n) {
	EACH store(dst + i, load(x + i) * load(y + i) + load(z + i));
}

void FN(lerp)(lane dst, in x, in y, size_t n, T s) {
	EACH store(dst + i, load(x + i) + s * (load(y + i) - load(x + i)));
}

void FN(clamp)(lane dst, in x, size_t n, T lo, T hi) {
	V low = splat(lo), high = splat(hi);
	EACH {
		V v = load(x + i);
		v = pick(v < low, low, v);
		store(dst + i, pick(v > high, high, v));
	}
}

// word makes a bit of every element of 64 rows of masks.
static inline uint64_t word(const M *m) {
	static const uint8_t bits[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
	uint8x16_t bit = vld1q_u8(bits), b[4];
#pragma clang loop unroll(full)
	for (int k = 0; k < 4; k++) {
#if BITS == 32
		const M *q = m + 4 * k;
		uint16x8_t lo = vuzp1q_u16((uint16x8_t)q[0], (uint16x8_t)q[1]), hi = vuzp1q_u16((uint16x8_t)q[2], (uint16x8_t)q[3]);
#else
		const M *q = m + 8 * k;
		uint32x4_t w[4];
		for (int j = 0; j < 4; j++)
			w[j] = vuzp1q_u32((uint32x4_t)q[2 * j], (uint32x4_t)q[2 * j + 1]);
		uint16x8_t lo = vuzp1q_u16((uint16x8_t)w[0], (uint16x8_t)w[1]), hi = vuzp1q_u16((uint16x8_t)w[2], (uint16x8_t)w[3]);
#endif
		b[k] = vuzp1q_u8((uint8x16_t)lo, (uint8x16_t)hi) & bit;
	}
	uint8x16_t all = vpaddq_u8(vpaddq_u8(b[0], b[1]), vpaddq_u8(b[2], b[3]));
	return vgetq_lane_u64((uint64x2_t)vpaddq_u8(all, all), 0);
}

#define UNROLL _Pragma("clang loop unroll(full)")
#define COMPARE2(name, op) \
	void FN(name)(uint64_t *restrict mask, in x, in y, size_t n) { \
		for (size_t i = 0; i < n; i += 64) { \
			M m[4 * sizeof(T)]; \
			UNROLL for (size_t k = 0; k < 4 * sizeof(T); k++) \
				m[k] = load(x + i + k * 16 / sizeof(T)) op load(y + i + k * 16 / sizeof(T)); \
			mask[i / 64] = word(m); \
		} \
	}
#define COMPARE1(name, op) \
	void FN(name)(uint64_t *restrict mask, in x, size_t n, T s) { \
		V y = splat(s); \
		for (size_t i = 0; i < n; i += 64) { \
			M m[4 * sizeof(T)]; \
			UNROLL for (size_t k = 0; k < 4 * sizeof(T); k++) \
				m[k] = load(x + i + k * 16 / sizeof(T)) op y; \
			mask[i / 64] = word(m); \
		} \
	}

COMPARE2(less, <)
COMPARE2(lessEqual, <=)
COMPARE2(equal, ==)
COMPARE1(below, <)
COMPARE1(atMost, <=)
COMPARE1(above, >)
COMPARE1(atLeast, >=)
COMPARE1(equalTo, ==)

// Four vectors a turn: 16 bits of the mask for float32, 8 for float64.
#if BITS == 32
typedef uint16_t B;
static const M bit[4] = {{1, 2, 4, 8}, {16, 32, 64, 128}, {256, 512, 1024, 2048}, {4096, 8192, 16384, 32768}};
static inline M test(M a, M b) { return (M)vtstq_s32(a, b); }
#else
typedef uint8_t B;
static const M bit[4] = {{1, 2}, {4, 8}, {16, 32}, {64, 128}};
static inline M test(M a, M b) { return (M)vtstq_s64(a, b); }
#endif

void FN(select)(lane dst, const B *restrict mask, in x, in y, size_t n) {
	for (size_t i = 0; i < n; i += 64 / sizeof(T)) {
		M m = (M){0} + (I)*mask++;
		for (size_t k = 0; k < 4; k++) {
			size_t at = i + k * 16 / sizeof(T);
			store(dst + at, pick(test(m, bit[k]), load(x + at), load(y + at)));
		}
	}
}

// compress does the rows of one word of the mask, until dst is full.
void FN(compress)(T *dst, size_t left, in x, uint64_t mask, size_t n) {
	for (size_t i = 0; i < n && left; i++, mask >>= 1) {
		*dst = x[i];
		dst += mask & 1;
		left -= mask & 1;
	}
}

#if BITS == 32
void widen(double *restrict dst, in x, size_t n) {
	for (size_t i = 0; i < n; i += 4) {
		vst1q_f64(dst + i, vcvt_f64_f32(vget_low_f32(load(x + i))));
		vst1q_f64(dst + i + 2, vcvt_high_f64_f32(load(x + i)));
	}
}

void narrow(lane dst, const double *restrict x, size_t n) {
	for (size_t i = 0; i < n; i += 4)
		store(dst + i, vcvt_high_f32_f64(vcvt_f32_f64(vld1q_f64(x + i)), vld1q_f64(x + i + 2)));
}
#endif

// The accumulators of package kernels, 256 bytes of them, or 128 for a minimum.
#define BLOCK (256 / sizeof(T))

void FN(sum)(lane t, in x, size_t n) {
	V a[16];
	for (int k = 0; k < 16; k++)
		a[k] = load(t + k * 16 / sizeof(T));
	for (size_t i = 0; i < n; i += BLOCK)
		for (int k = 0; k < 16; k++)
			a[k] += load(x + i + k * 16 / sizeof(T));
	for (int k = 0; k < 16; k++)
		store(t + k * 16 / sizeof(T), a[k]);
}

void FN(dotLanes)(lane t, in x, in y, size_t n) {
	V a[16];
	for (int k = 0; k < 16; k++)
		a[k] = load(t + k * 16 / sizeof(T));
	for (size_t i = 0; i < n; i += BLOCK)
		for (int k = 0; k < 16; k++)
			a[k] += load(x + i + k * 16 / sizeof(T)) * load(y + i + k * 16 / sizeof(T));
	for (int k = 0; k < 16; k++)
		store(t + k * 16 / sizeof(T), a[k]);
}

#define EXTREME(name, better) \
	void FN(name)(lane t, in x, size_t n) { \
		V a[8]; \
		for (int k = 0; k < 8; k++) \
			a[k] = load(t + k * 16 / sizeof(T)); \
		for (size_t i = 0; i < n; i += BLOCK / 2) \
			for (int k = 0; k < 8; k++) \
				a[k] = better(load(x + i + k * 16 / sizeof(T)), a[k]); \
		for (int k = 0; k < 8; k++) \
			store(t + k * 16 / sizeof(T), a[k]); \
	}

EXTREME(min, least)
EXTREME(max, most)

size_t FN(indexOf)(in x, size_t n, I bits) {
	M want = (M){0} + bits;
	size_t i;
	for (i = 0; i < n; i += 64 / sizeof(T)) {
		M any = (M){0};
		for (int k = 0; k < 4; k++)
			any |= (M)load(x + i + k * 16 / sizeof(T)) == want;
		int64x2_t both = (int64x2_t)any;
		if (vpaddd_s64(both) != 0)
			break;
	}
	return i;
}

// prefixSum adds with distances 1, 2, 4 and 8 within 16 rows (8 of float64).
T FN(prefixSum)(lane dst, in x, size_t n, T first) {
	V carry = splat(first), zero = splat(0);
	for (size_t i = 0; i < n; i += 64 / sizeof(T)) {
		V t[4];
		for (int k = 0; k < 4; k++) {
			V v = load(x + i + k * 16 / sizeof(T));
#if BITS == 32
			v += vtrn1q_f32(zero, v);
			v += (V)vzip1q_f64((float64x2_t)zero, (float64x2_t)vdupq_laneq_f32(v, 1));
#else
			v += vzip1q_f64(zero, v);
#endif
			t[k] = v;
		}
		const int end = 16 / sizeof(T) - 1;
		t[1] += splat(t[0][end]);
		t[3] += splat(t[2][end]);
		t[2] += splat(t[1][end]);
		t[3] += splat(t[1][end]);
		V last = splat(t[3][end]);
		for (int k = 0; k < 4; k++)
			store(dst + i + k * 16 / sizeof(T), carry + t[k]);
		carry += last;
	}
	return carry[0];
}
