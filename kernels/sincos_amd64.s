//go:build !purego

#include "textflag.h"
#include "view_amd64.h"
#include "sincos_amd64.h"

// Sine and cosine of a lane. A vector with an angle beyond the ordinary, or a NaN,
// is left to the generic body.

#define SINCOS_ROWS(LOAD, STORE) \
	LOAD(AT(DI), V4)                        \
	AND MAGNITUDE, V4, V5; BEYOND(ORDINARY) \
	SINCOS                                  \
	STORE(V8, AT(AX)); STORE(V9, AT(SI))

#include "avx2_f32_amd64.h"
#include "choose_avx2_f32_amd64.h"

// func sincosF32AVX2(sin, cos, x []float32) int
// Requires: AVX2. It returns the number of rows done: all, or those before a
// vector that it leaves to the generic body.
//
//	AX, SI, DI  sin, cos, x
//	V14         1
TEXT ·sincosF32AVX2(SB), NOSPLIT, $0-80
	MOVQ sin_base+0(FP), AX
	MOVQ cos_base+24(FP), SI
	MOVQ x_base+48(FP), DI
	RUNSLICES(SINCOS_ROWS)

#include "avx512_f32_amd64.h"
#include "choose_avx512_f32_amd64.h"

// func sincosF32AVX512(sin, cos, x []float32) int
// Requires: AVX-512. It returns the number of rows done: all, or those before a
// vector that it leaves to the generic body.
//
//	AX, SI, DI  sin, cos, x
//	V14         1
TEXT ·sincosF32AVX512(SB), NOSPLIT, $0-80
	MOVQ sin_base+0(FP), AX
	MOVQ cos_base+24(FP), SI
	MOVQ x_base+48(FP), DI
	RUNSLICES(SINCOS_ROWS)

#include "avx2_f64_amd64.h"
#include "choose_avx2_f64_amd64.h"

// func sincosF64AVX2(sin, cos, x []float64) int
// Requires: AVX2. It returns the number of rows done: all, or those before a
// vector that it leaves to the generic body.
//
//	AX, SI, DI  sin, cos, x
//	V14         1
TEXT ·sincosF64AVX2(SB), NOSPLIT, $0-80
	MOVQ sin_base+0(FP), AX
	MOVQ cos_base+24(FP), SI
	MOVQ x_base+48(FP), DI
	RUNSLICES(SINCOS_ROWS)

#include "avx512_f64_amd64.h"
#include "choose_avx512_f64_amd64.h"

// func sincosF64AVX512(sin, cos, x []float64) int
// Requires: AVX-512. It returns the number of rows done: all, or those before a
// vector that it leaves to the generic body.
//
//	AX, SI, DI  sin, cos, x
//	V14         1
TEXT ·sincosF64AVX512(SB), NOSPLIT, $0-80
	MOVQ sin_base+0(FP), AX
	MOVQ cos_base+24(FP), SI
	MOVQ x_base+48(FP), DI
	RUNSLICES(SINCOS_ROWS)
