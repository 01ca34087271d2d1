// The arithmetic of transform_arm64.s.
#include "lanes.h"

void FN(vec4TransformBy)(lanes v, in m, ins x, size_t n) {
	OUT4(v); IN4(x);
	V c[16];
	for (int k = 0; k < 16; k++)
		c[k] = splat(m[k]);
	EACH {
		V p = load(xX + i), q = load(xY + i), r = load(xZ + i), s = load(xW + i);
		store(vX + i, c[0] * p + c[4] * q + c[8] * r + c[12] * s);
		store(vY + i, c[1] * p + c[5] * q + c[9] * r + c[13] * s);
		store(vZ + i, c[2] * p + c[6] * q + c[10] * r + c[14] * s);
		store(vW + i, c[3] * p + c[7] * q + c[11] * r + c[15] * s);
	}
}

// part is a row of the products, or half of one.
static inline V part(const T *m, T x, T y, T z, T w) {
	return x * load(m) + y * load(m + 4) + z * load(m + 8) + w * load(m + 12);
}

void FN(vec4Transform)(lanes v, in m, ins x, size_t n) {
	OUT4(v); IN4(x);
	for (size_t i = 0; i < n; i += 16 / sizeof(T), m += 256 / sizeof(T)) {
		V a = load(xX + i), b = load(xY + i), c = load(xZ + i), d = load(xW + i);
		V p = part(m, a[0], b[0], c[0], d[0]), q = part(m + 16, a[1], b[1], c[1], d[1]);
#if BITS == 32
		V r = part(m + 32, a[2], b[2], c[2], d[2]), s = part(m + 48, a[3], b[3], c[3], d[3]);
		float64x2_t e = (float64x2_t)vtrn1q_f32(p, q), f = (float64x2_t)vtrn1q_f32(r, s);
		float64x2_t g = (float64x2_t)vtrn2q_f32(p, q), h = (float64x2_t)vtrn2q_f32(r, s);
		store(vX + i, (V)vzip1q_f64(e, f));
		store(vY + i, (V)vzip1q_f64(g, h));
		store(vZ + i, (V)vzip2q_f64(e, f));
		store(vW + i, (V)vzip2q_f64(g, h));
#else
		V r = part(m + 2, a[0], b[0], c[0], d[0]), s = part(m + 18, a[1], b[1], c[1], d[1]);
		store(vX + i, vzip1q_f64(p, q));
		store(vY + i, vzip2q_f64(p, q));
		store(vZ + i, vzip1q_f64(r, s));
		store(vW + i, vzip2q_f64(r, s));
#endif
	}
}
