// The arithmetic of kernels_arm64.s for a C compiler. main.go compares the NEON
// loops with what becomes of it.
#include "lanes.h"

void FN(fill)(lane dst, size_t n, T s) {
	EACH store(dst + i, splat(s));
}

void FN(addScaled)(lane dst, in x, in y, size_t n, T s) {
	EACH store(dst + i, load(x + i) + s * load(y + i));
}

void FN(vec3AddScaled)(lanes v, ins x, ins y, size_t n, T s) {
	OUT3(v); IN3(x); IN3(y);
	EACH {
		store(vX + i, load(xX + i) + s * load(yX + i));
		store(vY + i, load(xY + i) + s * load(yY + i));
		store(vZ + i, load(xZ + i) + s * load(yZ + i));
	}
}

#define QUATMUL \
	store(qX + i, aw * bx + ax * bw + ay * bz - az * by); \
	store(qY + i, aw * by + ay * bw + az * bx - ax * bz); \
	store(qZ + i, aw * bz + az * bw + ax * by - ay * bx); \
	store(qW + i, aw * bw - ax * bx - ay * by - az * bz);

void FN(quatMul)(lanes q, ins a, ins b, size_t n) {
	OUT4(q); IN4(a); IN4(b);
	EACH {
		V ax = load(aX + i), ay = load(aY + i), az = load(aZ + i), aw = load(aW + i);
		V bx = load(bX + i), by = load(bY + i), bz = load(bZ + i), bw = load(bW + i);
		QUATMUL
	}
}

void FN(quatNormalize)(lanes q, ins p, size_t n) {
	OUT4(q); IN4(p);
	EACH {
		V x = load(pX + i), y = load(pY + i), z = load(pZ + i), w = load(pW + i);
		V r = 1 / root(x * x + y * y + z * z + w * w);
		store(qX + i, x * r);
		store(qY + i, y * r);
		store(qZ + i, z * r);
		store(qW + i, w * r);
	}
}

void FN(quatIntegrate)(lanes q, ins p, ins omega, size_t n, T half) {
	OUT4(q); IN4(p); IN3(omega);
	EACH {
		V px = load(pX + i), py = load(pY + i), pz = load(pZ + i), pw = load(pW + i);
		V ox = load(omegaX + i) * half, oy = load(omegaY + i) * half, oz = load(omegaZ + i) * half;
		V x = px + (ox * pw + oy * pz - oz * py);
		V y = py + (oy * pw + oz * px - ox * pz);
		V z = pz + (oz * pw + ox * py - oy * px);
		V w = pw - (ox * px + oy * py + oz * pz);
		V r = 1 / root(x * x + y * y + z * z + w * w);
		store(qX + i, x * r);
		store(qY + i, y * r);
		store(qZ + i, z * r);
		store(qW + i, w * r);
	}
}

size_t FN(quatSpin)(lanes q, ins p, T ux, T uy, T uz, in speed, size_t n, T half) {
	OUT4(q); IN4(p);
	size_t i;
	for (i = 0; i < n; i += 16 / sizeof(T)) {
		V angle = half * load(speed + i);
		if (!all(magnitude(angle) <= ordinary))
			break;
		V s, bw;
		sine(angle, &s, &bw);
		V x = load(pX + i), y = load(pY + i), z = load(pZ + i), w = load(pW + i);
		V r = 1 / root(x * x + y * y + z * z + w * w);
		V ax = x * r, ay = y * r, az = z * r, aw = w * r, bx = ux * s, by = uy * s, bz = uz * s;
		QUATMUL
	}
	return i;
}

#define ROTATE \
	V x = load(uX + i), y = load(uY + i), z = load(uZ + i); \
	V tx = qy * z - qz * y, ty = qz * x - qx * z, tz = qx * y - qy * x; \
	tx += tx, ty += ty, tz += tz; \
	store(vX + i, (x + qw * tx) + (qy * tz - qz * ty)); \
	store(vY + i, (y + qw * ty) + (qz * tx - qx * tz)); \
	store(vZ + i, (z + qw * tz) + (qx * ty - qy * tx));

void FN(vec3Rotate)(lanes v, ins q, ins u, size_t n) {
	OUT3(v); IN4(q); IN3(u);
	EACH {
		V qx = load(qX + i), qy = load(qY + i), qz = load(qZ + i), qw = load(qW + i);
		ROTATE
	}
}

void FN(vec3RotateBy)(lanes v, T ax, T ay, T az, T aw, ins u, size_t n) {
	OUT3(v); IN3(u);
	V qx = splat(ax), qy = splat(ay), qz = splat(az), qw = splat(aw);
	EACH {
		ROTATE
	}
}

#if BITS == 32
// column stores one column of four rows: a transposition.
static inline void column(T *m, V a, V b, V c, V d) {
	V p = vzip1q_f32(a, c), q = vzip1q_f32(b, d), r = vzip2q_f32(a, c), s = vzip2q_f32(b, d);
	store(m, vzip1q_f32(p, q));
	store(m + 16, vzip2q_f32(p, q));
	store(m + 32, vzip1q_f32(r, s));
	store(m + 48, vzip2q_f32(r, s));
}
#else
static inline void column(T *m, V a, V b, V c, V d) {
	store(m, vzip1q_f64(a, b));
	store(m + 2, vzip1q_f64(c, d));
	store(m + 16, vzip2q_f64(a, b));
	store(m + 18, vzip2q_f64(c, d));
}
#endif

void FN(mat4Compose)(lane m, ins pos, ins rot, ins scale, size_t n) {
	IN3(pos); IN4(rot); IN3(scale);
	V zero = splat(0), one = splat(1);
	EACH {
		V x = load(rotX + i), y = load(rotY + i), z = load(rotZ + i), w = load(rotW + i);
		V sx = load(scaleX + i), sy = load(scaleY + i), sz = load(scaleZ + i);
		V x2 = x + x, y2 = y + y, z2 = z + z;
		V xx = x * x2, xy = x * y2, xz = x * z2, yy = y * y2, yz = y * z2, zz = z * z2;
		V wx = w * x2, wy = w * y2, wz = w * z2;
		column(m + 16 * i, (1 - (yy + zz)) * sx, (xy + wz) * sx, (xz - wy) * sx, zero);
		column(m + 16 * i + 4, (xy - wz) * sy, (1 - (xx + zz)) * sy, (yz + wx) * sy, zero);
		column(m + 16 * i + 8, (xz + wy) * sz, (yz - wx) * sz, (1 - (xx + yy)) * sz, zero);
		column(m + 16 * i + 12, load(posX + i), load(posY + i), load(posZ + i), one);
	}
}

// affine multiplies one matrix; a vector of float64 is half a column.
static inline void affine(T *m, const T *p, const T *l) {
	V o[sizeof(T)];
	for (int j = 0; j < 4; j++)
		for (int h = 0; h < (int)sizeof(T) / 4; h++) {
			const T *a = p + h * 16 / sizeof(T);
			V v = load(a) * l[4 * j] + load(a + 4) * l[4 * j + 1] + load(a + 8) * l[4 * j + 2];
			o[j * sizeof(T) / 4 + h] = j == 3 ? v + load(a + 12) : v;
		}
	for (int k = 0; k < (int)sizeof(T); k++)
		store(m + k * 16 / sizeof(T), o[k]);
}

void FN(mat4Mul)(lane m, in parent, in local, size_t n) {
	for (size_t i = 0; i < n; i++)
		affine(m + 16 * i, parent + 16 * i, local + 16 * i);
}

size_t FN(mat4MulByParent)(lane m, in parent, size_t parents, const int32_t *restrict index, in local, size_t n) {
	size_t i;
	for (i = 0; i < n && (size_t)(int64_t)index[i] < parents; i++)
		affine(m + 16 * i, parent + 16 * (size_t)index[i], local + 16 * i);
	return i;
}
