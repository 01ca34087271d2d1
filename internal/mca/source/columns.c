// The arithmetic of vector_arm64.s, turn_arm64.s, sincos_arm64.s and
// kepler_arm64.s. Where a kernel has loops for two, three and four components it
// is the one for four; of points and directions the one for points.
#include "lanes.h"

void FN(lanesAdd)(lane v, in x, in y, size_t n) {
	EACH store(v + i, load(x + i) + load(y + i));
}

void FN(lanesSub)(lane v, in x, in y, size_t n) {
	EACH store(v + i, load(x + i) - load(y + i));
}

void FN(lanesScale)(lane v, in x, size_t n, T s) {
	EACH store(v + i, s * load(x + i));
}

void FN(lanesAddScaled)(lane v, in x, in y, size_t n, T s) {
	EACH store(v + i, load(x + i) + s * load(y + i));
}

void FN(lanesLerp)(lane v, in x, in y, size_t n, T s) {
	EACH store(v + i, load(x + i) + s * (load(y + i) - load(x + i)));
}

#define LOAD3(v, a) V a##x = load(v##X + i), a##y = load(v##Y + i), a##z = load(v##Z + i)
#define LOAD4(v, a) LOAD3(v, a), a##w = load(v##W + i)
#define DOT3(a, b) (a##x * b##x + a##y * b##y + a##z * b##z)
#define DOT4(a, b) (DOT3(a, b) + a##w * b##w)
#define STORE4(v, x, y, z, w) \
	store(v##X + i, x); \
	store(v##Y + i, y); \
	store(v##Z + i, z); \
	store(v##W + i, w)

void FN(vecDot)(lane v, ins x, ins y, size_t n) {
	IN4(x); IN4(y);
	EACH {
		LOAD4(x, a);
		LOAD4(y, b);
		store(v + i, DOT4(a, b));
	}
}

void FN(vecLength)(lane v, ins x, size_t n) {
	IN4(x);
	EACH {
		LOAD4(x, a);
		store(v + i, root(DOT4(a, a)));
	}
}

void FN(vecDistance)(lane v, ins x, ins y, size_t n) {
	IN4(x); IN4(y);
	EACH {
		LOAD4(x, a);
		LOAD4(y, b);
		ax -= bx, ay -= by, az -= bz, aw -= bw;
		store(v + i, root(DOT4(a, a)));
	}
}

void FN(vecNormalize)(lanes v, ins x, size_t n) {
	OUT4(v); IN4(x);
	V zero = splat(0);
	EACH {
		LOAD4(x, a);
		V l = DOT4(a, a), r = pick(l == zero, zero, 1 / root(l));
		STORE4(v, ax * r, ay * r, az * r, aw * r);
	}
}

void FN(vecReflect)(lanes v, ins x, ins y, size_t n) {
	OUT4(v); IN4(x); IN4(y);
	EACH {
		LOAD4(x, a);
		LOAD4(y, b);
		V d = DOT4(a, b);
		d += d;
		STORE4(v, ax - d * bx, ay - d * by, az - d * bz, aw - d * bw);
	}
}

void FN(vecCross)(lanes v, ins x, ins y, size_t n) {
	OUT3(v); IN3(x); IN3(y);
	EACH {
		LOAD3(x, a);
		LOAD3(y, b);
		store(vX + i, ay * bz - az * by);
		store(vY + i, az * bx - ax * bz);
		store(vZ + i, ax * by - ay * bx);
	}
}

void FN(vec3DistanceSquared)(lane v, ins x, in p, size_t n) {
	IN3(x);
	V px = splat(p[0]), py = splat(p[1]), pz = splat(p[2]);
	EACH {
		LOAD3(x, a);
		ax -= px, ay -= py, az -= pz;
		store(v + i, DOT3(a, a));
	}
}

void FN(vec3TransformBy)(lanes v, in m, ins x, size_t n) {
	OUT3(v); IN3(x);
	V c[16];
	for (int k = 0; k < 16; k++)
		c[k] = splat(m[k]);
	EACH {
		LOAD3(x, a);
		store(vX + i, c[0] * ax + c[4] * ay + c[8] * az + c[12]);
		store(vY + i, c[1] * ax + c[5] * ay + c[9] * az + c[13]);
		store(vZ + i, c[2] * ax + c[6] * ay + c[10] * az + c[14]);
	}
}

// part is a row of the products, or half of one.
static inline V part(const T *m, T x, T y, T z) {
	return x * load(m) + y * load(m + 4) + z * load(m + 8) + load(m + 12);
}

void FN(vec3Transform)(lanes v, in m, ins x, size_t n) {
	OUT3(v); IN3(x);
	for (size_t i = 0; i < n; i += 16 / sizeof(T), m += 256 / sizeof(T)) {
		LOAD3(x, a);
#if BITS == 32
		V p = part(m, ax[0], ay[0], az[0]), q = part(m + 16, ax[1], ay[1], az[1]);
		V r = part(m + 32, ax[2], ay[2], az[2]), s = part(m + 48, ax[3], ay[3], az[3]);
		float64x2_t e = (float64x2_t)vtrn1q_f32(p, q), f = (float64x2_t)vtrn1q_f32(r, s);
		store(vX + i, (V)vzip1q_f64(e, f));
		store(vY + i, (V)vzip1q_f64((float64x2_t)vtrn2q_f32(p, q), (float64x2_t)vtrn2q_f32(r, s)));
		store(vZ + i, (V)vzip2q_f64(e, f));
#else
		V p = part(m, ax[0], ay[0], az[0]), q = part(m + 16, ax[1], ay[1], az[1]);
		store(vX + i, vzip1q_f64(p, q));
		store(vY + i, vzip2q_f64(p, q));
		store(vZ + i, vzip1q_f64(part(m + 2, ax[0], ay[0], az[0]), part(m + 18, ax[1], ay[1], az[1])));
#endif
	}
}

void FN(quatConjugate)(lanes q, ins p, size_t n) {
	OUT4(q); IN4(p);
	EACH {
		LOAD4(p, a);
		STORE4(q, -ax, -ay, -az, aw);
	}
}

size_t FN(quatFromAxisAngle)(lanes q, ins axis, in angle, size_t n) {
	OUT4(q); IN3(axis);
	size_t i;
	for (i = 0; i < n; i += 16 / sizeof(T)) {
		V half = 0.5f * load(angle + i), s, c;
		if (!all(magnitude(half) <= ordinary))
			break;
		sine(half, &s, &c);
		LOAD3(axis, a);
		STORE4(q, ax * s, ay * s, az * s, c);
	}
	return i;
}

size_t FN(quatFromEuler)(lanes q, ins angles, in sign, size_t n) {
	OUT4(q); IN3(angles);
	V sx, cx, sy, cy, sz, cz, s0 = splat(sign[0]), s1 = splat(sign[1]), s2 = splat(sign[2]), s3 = splat(sign[3]);
	size_t i;
	for (i = 0; i < n; i += 16 / sizeof(T)) {
		V x = 0.5f * load(anglesX + i), y = 0.5f * load(anglesY + i), z = 0.5f * load(anglesZ + i);
		if (!all(magnitude(x) <= ordinary))
			break;
		sine(x, &sx, &cx);
		if (!all(magnitude(y) <= ordinary))
			break;
		sine(y, &sy, &cy);
		if (!all(magnitude(z) <= ordinary))
			break;
		sine(z, &sz, &cz);
		V cc = cx * cy, ss = sx * sy, sc = sx * cy, cs = cx * sy;
		STORE4(q, sc * cz + s0 * (cs * sz), cs * cz + s1 * (sc * sz), cc * sz + s2 * (ss * cz), cc * cz + s3 * (ss * sz));
	}
	return i;
}

#define UNIT4(q, x, y, z, w) \
	V r = 1 / root(x * x + y * y + z * z + w * w); \
	STORE4(q, x * r, y * r, z * r, w * r)

void FN(quatBetween)(lanes q, ins u, ins v, size_t n) {
	OUT4(q); IN3(u); IN3(v);
	V zero = splat(0), tiny = splat(BITS == 32 ? 0x1p-40 : 0x1p-98);
	EACH {
		LOAD3(u, a);
		LOAD3(v, b);
		V hx = ax + bx, hy = ay + by, hz = az + bz, l = DOT3(h, h);
		M along = magnitude(ax) > magnitude(az), against = l < tiny;
		V x = pick(against, pick(along, -ay, zero), ay * hz - az * hy);
		V y = pick(against, pick(along, ax, -az), az * hx - ax * hz);
		V z = pick(against, pick(along, zero, ay), ax * hy - ay * hx);
		V w = pick(against, zero, 0.5f * l);
		UNIT4(q, x, y, z, w);
	}
}

void FN(quatNlerp)(lanes q, ins a, ins b, size_t n, T t) {
	OUT4(q); IN4(a); IN4(b);
	V plus = splat(t), minus = -plus, s = 1 - plus, zero = splat(0);
	EACH {
		LOAD4(a, p);
		LOAD4(b, o);
		V u = pick(DOT4(p, o) < zero, minus, plus);
		V x = s * px + u * ox, y = s * py + u * oy, z = s * pz + u * oz, w = s * pw + u * ow;
		UNIT4(q, x, y, z, w);
	}
}

#if BITS == 32
static inline V arcSeries(V z) {
	return (((0x1.595c58p-5f * z + 0x1.8c3e54p-6f) * z + 0x1.747bb8p-5f) * z + 0x1.330204p-4f) * z + 0x1.5555c8p-3f;
}
#else
static inline V arcSeries(V z) {
	V p = 0x1.0570df792855cp-5 * z + -0x1.09dccda3b8c23p-6;
	p = p * z + 0x1.3ffa876d8e42bp-6, p = p * z + 0x1.abc7394bbc58cp-8, p = p * z + 0x1.8ec3dfa22b9bcp-7;
	p = p * z + 0x1.c6fda16a1ae65p-7, p = p * z + 0x1.1c6be326aec70p-6, p = p * z + 0x1.6e89f4293dd18p-6;
	p = p * z + 0x1.f1c72c39cceafp-6, p = p * z + 0x1.6db6db427850fp-5, p = p * z + 0x1.333333336e82dp-4;
	return p * z + 0x1.5555555555390p-3;
}
#endif

void FN(quatSlerp)(lanes q, ins a, ins b, size_t n, T t) {
	OUT4(q); IN4(a); IN4(b);
	V zero = splat(0), one = splat(1), half = splat(0.5);
	EACH {
		LOAD4(a, p);
		LOAD4(b, o);
		V d = DOT4(p, o), c = magnitude(d), sin, cos;
		c = pick(c > one, one, c);
		V r = root((one - c) * (one + c)), h = half * (one - c);
		M near = c > half;
		V z = pick(near, h, c * c), x = pick(near, root(h), c);
		V s = x + x * (z * arcSeries(z));
		sine(t * pick(near, s + s, (T)(BITS == 32 ? 0x1.921fb6p+0 : 0x1.921fb54442d18p+0) - s), &sin, &cos);
		V v = pick(r > zero, sin / r, splat(t)), u = cos - c * v;
		v = pick(d < zero, -v, v);
		STORE4(q, u * px + v * ox, u * py + v * oy, u * pz + v * oz, u * pw + v * ow);
	}
}

size_t FN(sincos)(lane sin, lane cos, in x, size_t n) {
	size_t i;
	for (i = 0; i < n; i += 16 / sizeof(T)) {
		V v = load(x + i), s, c;
		if (!all(magnitude(v) <= ordinary))
			break;
		sine(v, &s, &c);
		store(sin + i, s);
		store(cos + i, c);
	}
	return i;
}

#if BITS == 32
#define PI 0x1.921fb6p+1f
#define ALPHA0 0x1.d9bdb2p+4f
#define ALPHA1 0x1.41b2f8p+2f
#define ALPHA2 0x1.ef4f32p+1f
#define NEAR 0x1.99999ap+0f
#define SIXTH 0x1.555556p-3f
static const T series[] = {0x1.29e412p-7f, 0x1.c71c72p-7f, 0x1.861862p-6f, 0x1.99999ap-5f};
static inline V turns(V x) {
	const T round = 0x1.8p+23f;
	V k = x * 0x1.45f306p-3f + round - round;
	return x - k * 0x1.92p+2f - k * 0x1.fb4p-10f - k * 0x1.444p-22f - k * 0x1.68c234p-37f;
}
static inline V guess(V x) { return (V)((uint32x4_t)x / 3 + 0x2a5137a0u); }
#else
#define PI 0x1.921fb54442d18p+1
#define ALPHA0 0x1.d9bdb2e9d68cep+4
#define ALPHA1 0x1.41b2f769cf0e0p+2
#define ALPHA2 0x1.ef4f326f91779p+1
#define NEAR 0x1.999999999999ap+0
#define SIXTH 0x1.5555555555555p-3
static const T series[] = {0x1.7f405fd017f40p-9, 0x1.e1e1e1e1e1e1ep-9, 0x1.3813813813814p-8, 0x1.a41a41a41a41ap-8,
	0x1.29e4129e4129ep-7, 0x1.c71c71c71c71cp-7, 0x1.8618618618618p-6, 0x1.999999999999ap-5};
static inline V turns(V x) {
	const T round = 0x1.8p+52;
	V k = x * 0x1.45f306dc9c883p-3 + round - round;
	V a = x - k * 0x1.921fb54440000p+2, b = k * 0x1.68c234c4c0000p-37, r = a - b;
	return r - (k * 0x1.98a2e03707345p-75 - (a - r - b));
}
static inline V guess(V x) { return (V)((uint64x2_t)x / 3 + 0x2a9f7893782da1ceull); }
#endif

static inline V halley(V y, V x) {
	V yyy = y * y * y;
	return y * ((yyy + (x + x)) / (yyy + yyy + x));
}

static inline __attribute__((always_inline)) V better(V E, V m, V e, V g) {
	V one = splat(1), z = E * E, p = one, s, c;
	sine(E, &s, &c);
#pragma clang loop unroll(full)
	for (size_t j = 0; j < sizeof series / sizeof *series; j++)
		p = one - z * series[j] * p;
	p = pick(E < NEAR, z * E * SIXTH * p, E - s);
	V v = pick(c > 0, s * s / (one + c), one - c);
	V f = g * E - m + e * p, f1 = g + e * v, step = f / f1;
	return E - f / (f1 - (T)0.5 * step * (e * s));
}

size_t FN(kepler)(lane E, in M0, in e0, size_t n) {
	const M sign = (M){0} + (I)1 << (BITS - 1);
	V one = splat(1), zero = splat(0);
	size_t i;
	for (i = 0; i < n; i += 16 / sizeof(T)) {
		V x = load(M0 + i), e = load(e0 + i);
		if (!all((magnitude(x) <= ordinary) & (e < one) & (e >= zero)))
			break;
		x = turns(x);
		V m = magnitude(x), g = one - e;
		V alpha = (ALPHA0 + ALPHA1 * (PI - m) / (one + e)) / ALPHA2, d = 3 * g + alpha * e, ad = alpha * d, mm = m * m;
		V q = (ad + ad) * g - mm, r = 3 * ad * (d - g) * m + mm * m;
		V c = r + root(q * q * q + r * r), w = halley(halley(guess(c), c), c);
		w *= w;
		V a = ((r + r) * w / (w * w + w * q + q * q) + m) / d;
		a = better(better(a, m, e, g), m, e, g);
		store(E + i, (V)((M)a | ((M)x & sign)));
	}
	return i;
}
