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
