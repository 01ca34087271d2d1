//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "view_arm64.h"
#include "sincos_arm64.h"

// Sine and cosine of a lane: the NEON path. It stops before a vector with an angle
// beyond the ordinary, or a NaN.

#define SINCOS_BODY(LOAD, STORE, stop) LOAD(R4, F4); BEYOND(stop); SINCOS; STORE(F19, R0); STORE(F7, R1)

#include "neon_f32_arm64.h"

// func sincosF32NEON(sin, cos, x []float32) int
// It returns the number of rows done: all, or those before angles beyond the
// ordinary.
//
//	R0, R1  sin, cos
//	R4      x
//	R12     rows left
TEXT ·sincosF32NEON(SB), NOSPLIT, $0-80
	MOVD sin_base+0(FP), R0
	MOVD cos_base+24(FP), R1
	MOVD x_base+48(FP), R4
	MOVD sin_len+8(FP), R12
	SINCOS32CONSTANTS
	EACHANGLE(SINCOS_BODY)

done:
	MOVD sin_len+8(FP), R13
	SUBS R12, R13
	MOVD R13, ret+72(FP)
	RET

#include "neon_f64_arm64.h"

// func sincosF64NEON(sin, cos, x []float64) int
// It returns the number of rows done: all, or those before angles beyond the
// ordinary.
//
//	R0, R1  sin, cos
//	R4      x
//	R12     rows left
TEXT ·sincosF64NEON(SB), NOSPLIT, $0-80
	MOVD sin_base+0(FP), R0
	MOVD cos_base+24(FP), R1
	MOVD x_base+48(FP), R4
	MOVD sin_len+8(FP), R12
	SINCOS64CONSTANTS
	EACHANGLE(SINCOS_BODY)

done:
	MOVD sin_len+8(FP), R13
	SUBS R12, R13
	MOVD R13, ret+72(FP)
	RET
