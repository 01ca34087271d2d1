// The arithmetic of affine_arm64.s: of points and directions, points.
#include "lanes.h"

void FN(vec3TransformAffine)(lanes v, ins m, ins x, size_t n) {
	OUT3(v); IN3(x);
	in a[12];
	for (int k = 0; k < 12; k++)
		a[k] = m[k];
	EACH {
		V p = load(xX + i), q = load(xY + i), r = load(xZ + i);
		store(vX + i, load(a[0] + i) * p + load(a[3] + i) * q + load(a[6] + i) * r + load(a[9] + i));
		store(vY + i, load(a[1] + i) * p + load(a[4] + i) * q + load(a[7] + i) * r + load(a[10] + i));
		store(vZ + i, load(a[2] + i) * p + load(a[5] + i) * q + load(a[8] + i) * r + load(a[11] + i));
	}
}
