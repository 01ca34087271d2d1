// The arithmetic of matrix_arm64.s. The lanes of a matrix are its columns, three rows
// each.
#include "lanes.h"

// LANES takes n pointers out of an array, so that no store can change them.
#define LANES(type, p, from, n) \
	type *p[n]; \
	for (int k = 0; k < n; k++) \
		p[k] = from[k]

#define CROSS(a, b, x, y, z) \
	V x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0]

static inline void load3(V *v, const T *const *p, size_t i) {
	for (int k = 0; k < 3; k++)
		v[k] = load(p[k] + i);
}

void FN(mat3x4Compose)(lanes m, ins parts, size_t n) {
	LANES(T, o, m, 12);
	LANES(const T, p, parts, 10);
	EACH {
		V x = load(p[3] + i), y = load(p[4] + i), z = load(p[5] + i), w = load(p[6] + i);
		V sx = load(p[7] + i), sy = load(p[8] + i), sz = load(p[9] + i), x2 = x + x, y2 = y + y, z2 = z + z;
		V xx = x * x2, xy = x * y2, xz = x * z2, yy = y * y2, yz = y * z2, zz = z * z2;
		V wx = w * x2, wy = w * y2, wz = w * z2;
		V c[12] = {(1 - (yy + zz)) * sx, (xy + wz) * sx, (xz - wy) * sx, (xy - wz) * sy, (1 - (xx + zz)) * sy, (yz + wx) * sy,
			(xz + wy) * sz, (yz - wx) * sz, (1 - (xx + yy)) * sz, load(p[0] + i), load(p[1] + i), load(p[2] + i)};
		for (int k = 0; k < 12; k++)
			store(o[k] + i, c[k]);
	}
}

void FN(mat3x4Mul)(lanes m, ins parent, ins local, size_t n) {
	LANES(T, o, m, 12);
	LANES(const T, p, parent, 12);
	LANES(const T, l, local, 12);
	EACH {
		V a[12];
		for (int k = 0; k < 12; k++)
			a[k] = load(p[k] + i);
		for (int j = 0; j < 4; j++) {
			V x = load(l[3 * j] + i), y = load(l[3 * j + 1] + i), z = load(l[3 * j + 2] + i);
			for (int k = 0; k < 3; k++) {
				V v = a[k] * x + a[k + 3] * y + a[k + 6] * z;
				store(o[3 * j + k] + i, j == 3 ? v + a[k + 9] : v);
			}
		}
	}
}

void FN(mat3x4Inverse)(lanes m, ins x, size_t n) {
	LANES(T, o, m, 12);
	LANES(const T, p, x, 12);
	EACH {
		V a[3], b[3], c[3], d[3];
		load3(a, p, i), load3(b, p + 3, i), load3(c, p + 6, i), load3(d, p + 9, i);
		CROSS(b, c, ux, uy, uz);
		CROSS(c, a, vx, vy, vz);
		CROSS(a, b, wx, wy, wz);
		V s = 1 / (a[0] * ux + a[1] * uy + a[2] * uz);
		V r[9] = {ux * s, uy * s, uz * s, vx * s, vy * s, vz * s, wx * s, wy * s, wz * s};
		for (int k = 0; k < 3; k++) {
			for (int j = 0; j < 3; j++)
				store(o[k + 3 * j] + i, r[3 * k + j]);
			store(o[9 + k] + i, -(r[3 * k] * d[0] + r[3 * k + 1] * d[1] + r[3 * k + 2] * d[2]));
		}
	}
}

// unit divides a column by its length, which it returns.
static inline V unit(V *a) {
	V zero = splat(0), s = a[0] * a[0] + a[1] * a[1] + a[2] * a[2], l = root(s), r = pick(s == zero, zero, 1 / l);
	a[0] *= r, a[1] *= r, a[2] *= r;
	return l;
}

void FN(mat3x4Decompose)(lanes parts, ins m, size_t n) {
	LANES(T, o, parts, 10);
	LANES(const T, p, m, 12);
	V zero = splat(0), one = splat(1);
	EACH {
		V a[3], b[3], c[3], d[3];
		load3(d, p + 9, i);
		for (int k = 0; k < 3; k++)
			store(o[k] + i, d[k]);
		load3(a, p, i), load3(b, p + 3, i), load3(c, p + 6, i);
		V la = unit(a);
		store(o[8] + i, unit(b));
		store(o[9] + i, unit(c));
		CROSS(b, c, x, y, z);
		M mirrors = x * a[0] + y * a[1] + z * a[2] < zero;
		for (int k = 0; k < 3; k++)
			a[k] = pick(mirrors, -a[k], a[k]);
		store(o[7] + i, pick(mirrors, -la, la));
		V sxy = a[1] + b[0], sxz = a[2] + c[0], syz = b[2] + c[1], dx = b[2] - c[1], dy = c[0] - a[2], dz = a[1] - b[0];
		V plus = one + a[0], minus = one - a[0], sum = b[1] + c[2], rest = b[1] - c[2];
		V w = plus + sum, lx = plus - sum, ly = minus + rest, lz = minus - rest;
		M first = a[0] > b[1], below = a[0] < -b[1], negative = c[2] < zero;
		V qx = pick(negative, pick(first, lx, sxy), pick(below, sxz, dx));
		V qy = pick(negative, pick(first, sxy, ly), pick(below, syz, dy));
		V qz = pick(negative, pick(first, sxz, syz), pick(below, lz, dz));
		V qw = pick(negative, pick(first, dx, dy), pick(below, dz, w));
		V r = one / root(qx * qx + qy * qy + qz * qz + qw * qw);
		store(o[3] + i, qx * r);
		store(o[4] + i, qy * r);
		store(o[5] + i, qz * r);
		store(o[6] + i, qw * r);
	}
}

#if BITS == 32
// turn transposes four vectors.
static inline void turn(V *v) {
	V p = vzip1q_f32(v[0], v[2]), q = vzip2q_f32(v[0], v[2]), r = vzip1q_f32(v[1], v[3]), s = vzip2q_f32(v[1], v[3]);
	v[0] = vzip1q_f32(p, r), v[1] = vzip2q_f32(p, r), v[2] = vzip1q_f32(q, s), v[3] = vzip2q_f32(q, s);
}
#endif

void FN(apart)(lanes to, in m, size_t n) {
	LANES(T, o, to, 12);
	EACH for (int j = 0; j < 4; j++) {
		const T *c = m + 16 * i + 4 * j;
#if BITS == 32
		V v[4] = {load(c), load(c + 16), load(c + 32), load(c + 48)};
		turn(v);
#else
		V v[3] = {vzip1q_f64(load(c), load(c + 16)), vzip2q_f64(load(c), load(c + 16)), vzip1q_f64(load(c + 2), load(c + 18))};
#endif
		for (int k = 0; k < 3; k++)
			store(o[3 * j + k] + i, v[k]);
	}
}

void FN(together)(lane m, ins from, size_t n) {
	LANES(const T, p, from, 12);
	EACH for (int j = 0; j < 4; j++) {
		T *c = m + 16 * i + 4 * j;
		V v[4];
		load3(v, p + 3 * j, i);
		v[3] = splat(j == 3);
#if BITS == 32
		turn(v);
		for (int k = 0; k < 4; k++)
			store(c + 16 * k, v[k]);
#else
		store(c, vzip1q_f64(v[0], v[1]));
		store(c + 2, vzip1q_f64(v[2], v[3]));
		store(c + 16, vzip2q_f64(v[0], v[1]));
		store(c + 18, vzip2q_f64(v[2], v[3]));
#endif
	}
}

// full multiplies one matrix; a vector of float64 is half a column.
static inline void full(T *m, const T *p, const T *l) {
	V o[sizeof(T)];
	for (int j = 0; j < 4; j++)
		for (int h = 0; h < (int)sizeof(T) / 4; h++) {
			const T *a = p + h * 16 / sizeof(T);
			o[j * sizeof(T) / 4 + h] = load(a) * l[4 * j] + load(a + 4) * l[4 * j + 1] + load(a + 8) * l[4 * j + 2] + load(a + 12) * l[4 * j + 3];
		}
	for (int k = 0; k < (int)sizeof(T); k++)
		store(m + k * 16 / sizeof(T), o[k]);
}

void FN(mat4MulFull)(lane m, in parent, in local, size_t n) {
	for (size_t i = 0; i < n; i++)
		full(m + 16 * i, parent + 16 * i, local + 16 * i);
}

size_t FN(mat4MulFullByParent)(lane m, in parent, size_t parents, const int32_t *restrict index, in local, size_t n) {
	size_t i;
	for (i = 0; i < n && (size_t)(int64_t)index[i] < parents; i++)
		full(m + 16 * i, parent + 16 * (size_t)index[i], local + 16 * i);
	return i;
}
