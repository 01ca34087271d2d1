// Kernels on columns, in the order in which package kernels computes, for one type
// and one form. The including file says T, the type; FORM; V, a vector of W
// elements, or T itself where W is 1, and ROOT, its square root. c are the lanes,
// those of the destination first; n is a multiple of 16. With ORDINARY defined the
// compiler is not told that lanes do not overlap.

#define JOIN(name, type, form) NAME(name, type, form)
#define FN(name) static void JOIN(name, T, FORM)(T *const *c, T s, size_t n)
#ifdef ORDINARY
#define L(k) T *c##k = c[k];
#define APART
#else
#define L(k) T *restrict c##k = c[k];
#define APART _Pragma("clang loop vectorize(assume_safety)")
#endif
#define LD(k) (*(const V *)(c##k + i))
#define ST(k, v) (*(V *)(c##k + i) = (v))
#if W == 1
#define INSIDE int
#define ALL_IN 1
#define AND(in, v) in &= (v) >= 0
#define BITS(in) in
#define AT_ONCE 64
#define ROWS APART for (size_t i = 0; i < n; i++)
#define SPLAT(x) ((T)(x))
#else
#define ROWS for (size_t i = 0; i < n; i += W)
#define SPLAT(x) ((T)(x) - (V){0})
#endif

FN(integrate) {
	L(0) L(1) L(2) L(3) L(4) L(5)
	V d = SPLAT(s);
	ROWS {
		ST(0, LD(0) + d * LD(3));
		ST(1, LD(1) + d * LD(4));
		ST(2, LD(2) + d * LD(5));
	}
}

FN(mulQuats) {
	L(0) L(1) L(2) L(3) L(4) L(5) L(6) L(7) L(8) L(9) L(10) L(11)
	ROWS {
		V ax = LD(4), ay = LD(5), az = LD(6), aw = LD(7), bx = LD(8), by = LD(9), bz = LD(10), bw = LD(11);
		ST(0, ((aw * bx + ax * bw) + ay * bz) - az * by);
		ST(1, ((aw * by + ay * bw) + az * bx) - ax * bz);
		ST(2, ((aw * bz + az * bw) + ax * by) - ay * bx);
		ST(3, ((aw * bw - ax * bx) - ay * by) - az * bz);
	}
}

FN(integrateQuats) {
	L(0) L(1) L(2) L(3) L(4) L(5) L(6)
	V h = SPLAT(s / 2), one = SPLAT(1);
	ROWS {
		V x = LD(0), y = LD(1), z = LD(2), w = LD(3), ox = LD(4) * h, oy = LD(5) * h, oz = LD(6) * h;
		V nx = x + ((ox * w + oy * z) - oz * y), ny = y + ((oy * w + oz * x) - ox * z);
		V nz = z + ((oz * w + ox * y) - oy * x), nw = w - ((ox * x + oy * y) + oz * z);
		V r = one / ROOT(((nx * nx + ny * ny) + nz * nz) + nw * nw);
		ST(0, nx * r);
		ST(1, ny * r);
		ST(2, nz * r);
		ST(3, nw * r);
	}
}

FN(normalizeQuats) {
	L(0) L(1) L(2) L(3) L(4) L(5) L(6) L(7)
	V one = SPLAT(1);
	ROWS {
		V x = LD(4), y = LD(5), z = LD(6), w = LD(7);
		V r = one / ROOT(((x * x + y * y) + z * z) + w * w);
		ST(0, x * r);
		ST(1, y * r);
		ST(2, z * r);
		ST(3, w * r);
	}
}

FN(normalizeVec3s) {
	L(0) L(1) L(2) L(3) L(4) L(5)
	V one = SPLAT(1);
	ROWS {
		V x = LD(3), y = LD(4), z = LD(5), l = (x * x + y * y) + z * z, r = one / ROOT(l);
#if W == 1
		r = l == 0 ? 0 : r;
#else
		r = (V)(~(l == SPLAT(0)) & (typeof(l == l))r);
#endif
		ST(0, x * r);
		ST(1, y * r);
		ST(2, z * r);
	}
}

FN(rotate) {
	L(0) L(1) L(2) L(3) L(4) L(5) L(6) L(7) L(8) L(9)
	ROWS {
		V x = LD(3), y = LD(4), z = LD(5), w = LD(6), vx = LD(7), vy = LD(8), vz = LD(9);
		V tx = y * vz - z * vy, ty = z * vx - x * vz, tz = x * vy - y * vx;
		tx += tx, ty += ty, tz += tz;
		ST(0, (vx + w * tx) + (y * tz - z * ty));
		ST(1, (vy + w * ty) + (z * tx - x * tz));
		ST(2, (vz + w * tz) + (x * ty - y * tx));
	}
}

// TURN makes the nine elements of a matrix from the lanes k of a quaternion and a
// scale.
#define TURN(k0, k1, k2, k3, k4, k5, k6) \
	V x = LD(k0), y = LD(k1), z = LD(k2), w = LD(k3), sx = LD(k4), sy = LD(k5), sz = LD(k6); \
	V x2 = x + x, y2 = y + y, z2 = z + z; \
	V xx = x * x2, xy = x * y2, xz = x * z2, yy = y * y2, yz = y * z2, zz = z * z2, wx = w * x2, wy = w * y2, wz = w * z2; \
	V m0 = (one - (yy + zz)) * sx, m1 = (xy + wz) * sx, m2 = (xz - wy) * sx; \
	V m4 = (xy - wz) * sy, m5 = (one - (xx + zz)) * sy, m6 = (yz + wx) * sy; \
	V m8 = (xz + wy) * sz, m9 = (yz - wx) * sz, m10 = (one - (xx + yy)) * sz;

FN(composeLanes) {
	L(0) L(1) L(2) L(3) L(4) L(5) L(6) L(7) L(8) L(9) L(10) L(11)
	L(12) L(13) L(14) L(15) L(16) L(17) L(18) L(19) L(20) L(21)
	V one = SPLAT(1);
	ROWS {
		TURN(15, 16, 17, 18, 19, 20, 21)
		ST(0, m0);
		ST(1, m1);
		ST(2, m2);
		ST(3, m4);
		ST(4, m5);
		ST(5, m6);
		ST(6, m8);
		ST(7, m9);
		ST(8, m10);
		ST(9, LD(12));
		ST(10, LD(13));
		ST(11, LD(14));
	}
}

// Matrices of sixteen elements in one lane.
#if W == 1
FN(compose) {
	L(1) L(2) L(3) L(4) L(5) L(6) L(7) L(8) L(9) L(10)
	T *restrict o = c[0];
	V one = 1;
	ROWS {
		TURN(4, 5, 6, 7, 8, 9, 10)
		T *restrict q = o + 16 * i;
		q[0] = m0, q[1] = m1, q[2] = m2, q[3] = 0;
		q[4] = m4, q[5] = m5, q[6] = m6, q[7] = 0;
		q[8] = m8, q[9] = m9, q[10] = m10, q[11] = 0;
		q[12] = c1[i], q[13] = c2[i], q[14] = c3[i], q[15] = 1;
	}
}

FN(mulMat4s) {
	T *restrict o = c[0];
	const T *restrict a = c[1], *restrict b = c[2];
	for (size_t i = 0; i < n; i++, a += 16, b += 16, o += 16)
		for (int j = 0; j < 4; j++)
			for (int r = 0; r < 4; r++) {
				T v = (a[r] * b[4 * j] + a[4 + r] * b[4 * j + 1]) + a[8 + r] * b[4 * j + 2];
				o[4 * j + r] = j < 3 ? v : v + a[12 + r];
			}
}

FN(mulFull) {
	T *restrict o = c[0];
	const T *restrict a = c[1], *restrict b = c[2];
	for (size_t i = 0; i < n; i++, a += 16, b += 16, o += 16)
		for (int j = 0; j < 4; j++)
			for (int r = 0; r < 4; r++)
				o[4 * j + r] = ((a[r] * b[4 * j] + a[4 + r] * b[4 * j + 1]) + a[8 + r] * b[4 * j + 2]) + a[12 + r] * b[4 * j + 3];
}
#elif defined(TRANSPOSE)
FN(compose) {
	L(1) L(2) L(3) L(4) L(5) L(6) L(7) L(8) L(9) L(10)
	T *restrict o = c[0];
	V one = SPLAT(1), zero = SPLAT(0);
	ROWS {
		TURN(4, 5, 6, 7, 8, 9, 10)
		V p[4], q[4], r[4], t[4];
		TRANSPOSE(m0, m1, m2, zero, p);
		TRANSPOSE(m4, m5, m6, zero, q);
		TRANSPOSE(m8, m9, m10, zero, r);
		TRANSPOSE(LD(1), LD(2), LD(3), one, t);
		for (int j = 0; j < 4; j++) STORE(o + 16 * (i + j), p[j], q[j], r[j], t[j]);
	}
}

FN(mulMat4s) {
	T *restrict o = c[0];
	const T *restrict a = c[1], *restrict b = c[2];
	for (size_t i = 0; i < n; i++, a += 16, b += 16, o += 16) PRODUCT(o, a, b, 0);
}

FN(mulFull) {
	T *restrict o = c[0];
	const T *restrict a = c[1], *restrict b = c[2];
	for (size_t i = 0; i < n; i++, a += 16, b += 16, o += 16) PRODUCT(o, a, b, 1);
}
#endif

// Boxes: the mask of those that reach into the inner side of all planes, one bit a row,
// in the memory of the first lane, and behind a lane of matrices the boxes around boxes
// under them.
#ifdef __clang__
#define MAGNITUDE(x) __builtin_elementwise_abs(x)
#elif W == 1
#define MAGNITUDE(x) ((T)__builtin_fabs(x))
#else
#define MAGNITUDE(x) ({ V v = (x); (V)((__typeof__(v < v))v & ~(__typeof__(v < v))SPLAT(-0.0)); })
#endif

FN(boxesInPlanes) {
	L(1) L(2) L(3) L(4) L(5) L(6)
	const double (*given)[4] = planes;
	int count = PLANES;
	__asm__ volatile("" : "+r"(given), "+r"(count)); // the compiler knows neither
	T wall[MOST][8];
	for (int k = 0; k < count; k++)
		for (int j = 0; j < 4; j++) wall[k][j] = given[k][j], wall[k][4 + j] = (T)__builtin_fabs(wall[k][j]);
	char *o = (char *)c[0];
	((word *)o)[(n - 1) / 64] = 0;
	for (size_t first = 0; first < n; first += AT_ONCE) {
		word bits = 0;
		for (size_t i = first; i < first + AT_ONCE && i < n; i += W) {
			V x = LD(1), y = LD(2), z = LD(3), hx = LD(4), hy = LD(5), hz = LD(6);
			INSIDE in = ALL_IN;
			for (int k = 0; k < count; k++) {
				const T *p = wall[k];
				V d = ((SPLAT(p[0]) * x + SPLAT(p[1]) * y) + SPLAT(p[2]) * z) + SPLAT(p[3]);
				V r = (SPLAT(p[4]) * hx + SPLAT(p[5]) * hy) + SPLAT(p[6]) * hz;
				AND(in, d + r);
			}
			bits |= (word)BITS(in) << (i - first);
		}
		__builtin_memcpy(o + first / 8, &bits, AT_ONCE / 8);
	}
}

#if W == 1
FN(boxesTransform) {
	const T *restrict m = c[0];
	L(1) L(2) L(3) L(4) L(5) L(6) L(7) L(8) L(9) L(10) L(11) L(12)
	ROWS {
		const T *a = m + 16 * i;
		T x = c7[i], y = c8[i], z = c9[i], hx = c10[i], hy = c11[i], hz = c12[i];
		c1[i] = ((a[0] * x + a[4] * y) + a[8] * z) + a[12];
		c2[i] = ((a[1] * x + a[5] * y) + a[9] * z) + a[13];
		c3[i] = ((a[2] * x + a[6] * y) + a[10] * z) + a[14];
		c4[i] = (MAGNITUDE(a[0]) * hx + MAGNITUDE(a[4]) * hy) + MAGNITUDE(a[8]) * hz;
		c5[i] = (MAGNITUDE(a[1]) * hx + MAGNITUDE(a[5]) * hy) + MAGNITUDE(a[9]) * hz;
		c6[i] = (MAGNITUDE(a[2]) * hx + MAGNITUDE(a[6]) * hy) + MAGNITUDE(a[10]) * hz;
	}
}
#elif defined(TRANSPOSE)
FN(boxesTransform) {
	const T *restrict m = c[0];
	L(1) L(2) L(3) L(4) L(5) L(6) L(7) L(8) L(9) L(10) L(11) L(12)
	ROWS {
		const T *q = m + 16 * i;
		V e[4], f[4], g[4], t[4];
		TRANSPOSE(GATHER(q, 0), GATHER(q, 1), GATHER(q, 2), GATHER(q, 3), e);
		TRANSPOSE(GATHER(q + 4, 0), GATHER(q + 4, 1), GATHER(q + 4, 2), GATHER(q + 4, 3), f);
		TRANSPOSE(GATHER(q + 8, 0), GATHER(q + 8, 1), GATHER(q + 8, 2), GATHER(q + 8, 3), g);
		TRANSPOSE(GATHER(q + 12, 0), GATHER(q + 12, 1), GATHER(q + 12, 2), GATHER(q + 12, 3), t);
		V x = LD(7), y = LD(8), z = LD(9), hx = LD(10), hy = LD(11), hz = LD(12);
		ST(1, ((e[0] * x + f[0] * y) + g[0] * z) + t[0]);
		ST(2, ((e[1] * x + f[1] * y) + g[1] * z) + t[1]);
		ST(3, ((e[2] * x + f[2] * y) + g[2] * z) + t[2]);
		ST(4, (MAGNITUDE(e[0]) * hx + MAGNITUDE(f[0]) * hy) + MAGNITUDE(g[0]) * hz);
		ST(5, (MAGNITUDE(e[1]) * hx + MAGNITUDE(f[1]) * hy) + MAGNITUDE(g[1]) * hz);
		ST(6, (MAGNITUDE(e[2]) * hx + MAGNITUDE(f[2]) * hy) + MAGNITUDE(g[2]) * hz);
	}
}
#endif

#undef JOIN
#undef FN
#undef L
#undef LD
#undef ST
#undef APART
#undef ROWS
#undef SPLAT
#undef TURN
#undef MAGNITUDE
#undef INSIDE
#undef ALL_IN
#undef AND
#undef BITS
#undef AT_ONCE
#undef GATHER
#undef T
#undef V
#undef W
#undef FORM
#undef ROOT
#undef TRANSPOSE
#undef ORDINARY
