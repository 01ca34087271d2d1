// Four kernels in C, for the second opinion (see doc.go). Every constant comes in through k, because a
// constant table of the compiler would be addressed through the frame pointer. Compiled with
// -ffp-contract=off: products and sums are rounded one by one, as in package kernels.
#include <immintrin.h>
#include <stddef.h>

typedef float *const *restrict columns;

#define LANE(i) float *restrict c##i = c[i];
#define ROWS _Pragma("clang loop vectorize(assume_safety) interleave(disable)") for (size_t i = 0; i < n; i++)

// c = dst x y z, x x y z, y x y z; dst = x + k[0]*y.
void integrate(columns c, size_t n, const float *k) {
	LANE(0) LANE(1) LANE(2) LANE(3) LANE(4) LANE(5) LANE(6) LANE(7) LANE(8)
	float s = k[0];
	ROWS {
		c0[i] = c3[i] + s * c6[i];
		c1[i] = c4[i] + s * c7[i];
		c2[i] = c5[i] + s * c8[i];
	}
}

// c = dst x y z w, a x y z w, b x y z w; dst = a*b, Hamilton product.
void quatmul(columns c, size_t n, const float *k) {
	LANE(0) LANE(1) LANE(2) LANE(3) LANE(4) LANE(5) LANE(6) LANE(7) LANE(8) LANE(9) LANE(10) LANE(11)
	ROWS {
		float ax = c4[i], ay = c5[i], az = c6[i], aw = c7[i];
		float bx = c8[i], by = c9[i], bz = c10[i], bw = c11[i];
		c0[i] = ((aw * bx + ax * bw) + ay * bz) - az * by;
		c1[i] = ((aw * by + ay * bw) + az * bx) - ax * bz;
		c2[i] = ((aw * bz + az * bw) + ax * by) - ay * bx;
		c3[i] = ((aw * bw - ax * bx) - ay * by) - az * bz;
	}
}

// c = dst x y z, q x y z w, v x y z; dst = q v q*.
void rotate(columns c, size_t n, const float *k) {
	LANE(0) LANE(1) LANE(2) LANE(3) LANE(4) LANE(5) LANE(6) LANE(7) LANE(8) LANE(9)
	ROWS {
		float x = c3[i], y = c4[i], z = c5[i], w = c6[i], vx = c7[i], vy = c8[i], vz = c9[i];
		float tx = y * vz - z * vy, ty = z * vx - x * vz, tz = x * vy - y * vx;
		tx += tx;
		ty += ty;
		tz += tz;
		c0[i] = (vx + w * tx) + (y * tz - z * ty);
		c1[i] = (vy + w * ty) + (z * tx - x * tz);
		c2[i] = (vz + w * tz) + (x * ty - y * tx);
	}
}

typedef __m256 v8;

static inline void transpose(v8 a, v8 b, v8 c, v8 d, v8 *o) {
	v8 l0 = _mm256_unpacklo_ps(a, b), h0 = _mm256_unpackhi_ps(a, b);
	v8 l1 = _mm256_unpacklo_ps(c, d), h1 = _mm256_unpackhi_ps(c, d);
	o[0] = _mm256_shuffle_ps(l0, l1, 0x44);
	o[1] = _mm256_shuffle_ps(l0, l1, 0xee);
	o[2] = _mm256_shuffle_ps(h0, h1, 0x44);
	o[3] = _mm256_shuffle_ps(h0, h1, 0xee);
}

// c = dst (16 floats a row), t x y z, q x y z w, s x y z; dst = T*R*S column-major; k[0] = 1. n is a multiple of 8.
void compose(columns c, size_t n, const float *k) {
	LANE(0) LANE(1) LANE(2) LANE(3) LANE(4) LANE(5) LANE(6) LANE(7) LANE(8) LANE(9) LANE(10)
	v8 one = _mm256_broadcast_ss(k), zero = _mm256_setzero_ps();
	for (size_t i = 0; i < n; i += 8) {
		v8 x = _mm256_loadu_ps(c4 + i), y = _mm256_loadu_ps(c5 + i), z = _mm256_loadu_ps(c6 + i), w = _mm256_loadu_ps(c7 + i);
		v8 sx = _mm256_loadu_ps(c8 + i), sy = _mm256_loadu_ps(c9 + i), sz = _mm256_loadu_ps(c10 + i);
		v8 x2 = x + x, y2 = y + y, z2 = z + z;
		v8 xx = x * x2, yy = y * y2, zz = z * z2, xy = x * y2, xz = x * z2, yz = y * z2, wx = w * x2, wy = w * y2, wz = w * z2;
		v8 r0[4], r1[4], r2[4], r3[4];
		transpose((one - (yy + zz)) * sx, (xy + wz) * sx, (xz - wy) * sx, zero, r0);
		transpose((xy - wz) * sy, (one - (xx + zz)) * sy, (yz + wx) * sy, zero, r1);
		transpose((xz + wy) * sz, (yz - wx) * sz, (one - (xx + yy)) * sz, zero, r2);
		transpose(_mm256_loadu_ps(c1 + i), _mm256_loadu_ps(c2 + i), _mm256_loadu_ps(c3 + i), one, r3);
		float *o = c0 + 16 * i;
		for (int j = 0; j < 4; j++) {
			_mm256_storeu_ps(o + 16 * j, _mm256_permute2f128_ps(r0[j], r1[j], 0x20));
			_mm256_storeu_ps(o + 16 * j + 8, _mm256_permute2f128_ps(r2[j], r3[j], 0x20));
			_mm256_storeu_ps(o + 16 * (j + 4), _mm256_permute2f128_ps(r0[j], r1[j], 0x31));
			_mm256_storeu_ps(o + 16 * (j + 4) + 8, _mm256_permute2f128_ps(r2[j], r3[j], 0x31));
		}
	}
}
