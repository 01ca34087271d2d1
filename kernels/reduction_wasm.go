//go:build goexperiment.simd && go1.27 && !purego

package kernels

import "simd/archsimd"

// The accumulators of a reduction have 256 bytes, so they would need all sixteen vector registers that a wasm function
// has in Go. The compiler would then keep some of them in memory. So a body uses half of the accumulators in a first
// sweep over the rows and the other half in a second sweep, as the bodies for NEON do. Each accumulator still adds its
// rows in order.

// sumF32SIMD does the work of [Sum] for one piece.
func sumF32SIMD(t *partials[float32], x []float32) float32 {
	if t == nil {
		t = new(partials[float32])
	}
	n := len(x) &^ 63
	for half := 0; half < 64; half += 32 {
		acc := (*[32]float32)(t[half:])
		a0 := archsimd.LoadFloat32x4Array((*[4]float32)(acc[0:]))
		a1 := archsimd.LoadFloat32x4Array((*[4]float32)(acc[4:]))
		a2 := archsimd.LoadFloat32x4Array((*[4]float32)(acc[8:]))
		a3 := archsimd.LoadFloat32x4Array((*[4]float32)(acc[12:]))
		a4 := archsimd.LoadFloat32x4Array((*[4]float32)(acc[16:]))
		a5 := archsimd.LoadFloat32x4Array((*[4]float32)(acc[20:]))
		a6 := archsimd.LoadFloat32x4Array((*[4]float32)(acc[24:]))
		a7 := archsimd.LoadFloat32x4Array((*[4]float32)(acc[28:]))
		for i := half; i < n; i += 64 {
			xp := (*[32]float32)(x[i:])
			a0 = a0.Add(archsimd.LoadFloat32x4Array((*[4]float32)(xp[0:])))
			a1 = a1.Add(archsimd.LoadFloat32x4Array((*[4]float32)(xp[4:])))
			a2 = a2.Add(archsimd.LoadFloat32x4Array((*[4]float32)(xp[8:])))
			a3 = a3.Add(archsimd.LoadFloat32x4Array((*[4]float32)(xp[12:])))
			a4 = a4.Add(archsimd.LoadFloat32x4Array((*[4]float32)(xp[16:])))
			a5 = a5.Add(archsimd.LoadFloat32x4Array((*[4]float32)(xp[20:])))
			a6 = a6.Add(archsimd.LoadFloat32x4Array((*[4]float32)(xp[24:])))
			a7 = a7.Add(archsimd.LoadFloat32x4Array((*[4]float32)(xp[28:])))
		}
		a0.StoreArray((*[4]float32)(acc[0:]))
		a1.StoreArray((*[4]float32)(acc[4:]))
		a2.StoreArray((*[4]float32)(acc[8:]))
		a3.StoreArray((*[4]float32)(acc[12:]))
		a4.StoreArray((*[4]float32)(acc[16:]))
		a5.StoreArray((*[4]float32)(acc[20:]))
		a6.StoreArray((*[4]float32)(acc[24:]))
		a7.StoreArray((*[4]float32)(acc[28:]))
	}
	return sumGeneric(t, x[n:])
}

// dotLanesF32SIMD does the work of [Dot] for one piece.
func dotLanesF32SIMD(t *partials[float32], x, y []float32) float32 {
	if t == nil {
		t = new(partials[float32])
	}
	y = y[:len(x):len(x)]
	n := len(x) &^ 63
	for half := 0; half < 64; half += 32 {
		acc := (*[32]float32)(t[half:])
		a0 := archsimd.LoadFloat32x4Array((*[4]float32)(acc[0:]))
		a1 := archsimd.LoadFloat32x4Array((*[4]float32)(acc[4:]))
		a2 := archsimd.LoadFloat32x4Array((*[4]float32)(acc[8:]))
		a3 := archsimd.LoadFloat32x4Array((*[4]float32)(acc[12:]))
		a4 := archsimd.LoadFloat32x4Array((*[4]float32)(acc[16:]))
		a5 := archsimd.LoadFloat32x4Array((*[4]float32)(acc[20:]))
		a6 := archsimd.LoadFloat32x4Array((*[4]float32)(acc[24:]))
		a7 := archsimd.LoadFloat32x4Array((*[4]float32)(acc[28:]))
		for i := half; i < n; i += 64 {
			xp := (*[32]float32)(x[i:])
			yp := (*[32]float32)(y[i:])
			a0 = a0.Add(archsimd.LoadFloat32x4Array((*[4]float32)(xp[0:])).Mul(archsimd.LoadFloat32x4Array((*[4]float32)(yp[0:]))))
			a1 = a1.Add(archsimd.LoadFloat32x4Array((*[4]float32)(xp[4:])).Mul(archsimd.LoadFloat32x4Array((*[4]float32)(yp[4:]))))
			a2 = a2.Add(archsimd.LoadFloat32x4Array((*[4]float32)(xp[8:])).Mul(archsimd.LoadFloat32x4Array((*[4]float32)(yp[8:]))))
			a3 = a3.Add(archsimd.LoadFloat32x4Array((*[4]float32)(xp[12:])).Mul(archsimd.LoadFloat32x4Array((*[4]float32)(yp[12:]))))
			a4 = a4.Add(archsimd.LoadFloat32x4Array((*[4]float32)(xp[16:])).Mul(archsimd.LoadFloat32x4Array((*[4]float32)(yp[16:]))))
			a5 = a5.Add(archsimd.LoadFloat32x4Array((*[4]float32)(xp[20:])).Mul(archsimd.LoadFloat32x4Array((*[4]float32)(yp[20:]))))
			a6 = a6.Add(archsimd.LoadFloat32x4Array((*[4]float32)(xp[24:])).Mul(archsimd.LoadFloat32x4Array((*[4]float32)(yp[24:]))))
			a7 = a7.Add(archsimd.LoadFloat32x4Array((*[4]float32)(xp[28:])).Mul(archsimd.LoadFloat32x4Array((*[4]float32)(yp[28:]))))
		}
		a0.StoreArray((*[4]float32)(acc[0:]))
		a1.StoreArray((*[4]float32)(acc[4:]))
		a2.StoreArray((*[4]float32)(acc[8:]))
		a3.StoreArray((*[4]float32)(acc[12:]))
		a4.StoreArray((*[4]float32)(acc[16:]))
		a5.StoreArray((*[4]float32)(acc[20:]))
		a6.StoreArray((*[4]float32)(acc[24:]))
		a7.StoreArray((*[4]float32)(acc[28:]))
	}
	return dotLanesGeneric(t, x[n:], y[n:])
}

// sumF64SIMD does the work of [Sum] for one piece.
func sumF64SIMD(t *partials[float64], x []float64) float64 {
	if t == nil {
		t = new(partials[float64])
	}
	n := len(x) &^ 31
	for half := 0; half < 32; half += 16 {
		acc := (*[16]float64)(t[half:])
		a0 := archsimd.LoadFloat64x2Array((*[2]float64)(acc[0:]))
		a1 := archsimd.LoadFloat64x2Array((*[2]float64)(acc[2:]))
		a2 := archsimd.LoadFloat64x2Array((*[2]float64)(acc[4:]))
		a3 := archsimd.LoadFloat64x2Array((*[2]float64)(acc[6:]))
		a4 := archsimd.LoadFloat64x2Array((*[2]float64)(acc[8:]))
		a5 := archsimd.LoadFloat64x2Array((*[2]float64)(acc[10:]))
		a6 := archsimd.LoadFloat64x2Array((*[2]float64)(acc[12:]))
		a7 := archsimd.LoadFloat64x2Array((*[2]float64)(acc[14:]))
		for i := half; i < n; i += 32 {
			xp := (*[16]float64)(x[i:])
			a0 = a0.Add(archsimd.LoadFloat64x2Array((*[2]float64)(xp[0:])))
			a1 = a1.Add(archsimd.LoadFloat64x2Array((*[2]float64)(xp[2:])))
			a2 = a2.Add(archsimd.LoadFloat64x2Array((*[2]float64)(xp[4:])))
			a3 = a3.Add(archsimd.LoadFloat64x2Array((*[2]float64)(xp[6:])))
			a4 = a4.Add(archsimd.LoadFloat64x2Array((*[2]float64)(xp[8:])))
			a5 = a5.Add(archsimd.LoadFloat64x2Array((*[2]float64)(xp[10:])))
			a6 = a6.Add(archsimd.LoadFloat64x2Array((*[2]float64)(xp[12:])))
			a7 = a7.Add(archsimd.LoadFloat64x2Array((*[2]float64)(xp[14:])))
		}
		a0.StoreArray((*[2]float64)(acc[0:]))
		a1.StoreArray((*[2]float64)(acc[2:]))
		a2.StoreArray((*[2]float64)(acc[4:]))
		a3.StoreArray((*[2]float64)(acc[6:]))
		a4.StoreArray((*[2]float64)(acc[8:]))
		a5.StoreArray((*[2]float64)(acc[10:]))
		a6.StoreArray((*[2]float64)(acc[12:]))
		a7.StoreArray((*[2]float64)(acc[14:]))
	}
	return sumGeneric(t, x[n:])
}

// dotLanesF64SIMD does the work of [Dot] for one piece.
func dotLanesF64SIMD(t *partials[float64], x, y []float64) float64 {
	if t == nil {
		t = new(partials[float64])
	}
	y = y[:len(x):len(x)]
	n := len(x) &^ 31
	for half := 0; half < 32; half += 16 {
		acc := (*[16]float64)(t[half:])
		a0 := archsimd.LoadFloat64x2Array((*[2]float64)(acc[0:]))
		a1 := archsimd.LoadFloat64x2Array((*[2]float64)(acc[2:]))
		a2 := archsimd.LoadFloat64x2Array((*[2]float64)(acc[4:]))
		a3 := archsimd.LoadFloat64x2Array((*[2]float64)(acc[6:]))
		a4 := archsimd.LoadFloat64x2Array((*[2]float64)(acc[8:]))
		a5 := archsimd.LoadFloat64x2Array((*[2]float64)(acc[10:]))
		a6 := archsimd.LoadFloat64x2Array((*[2]float64)(acc[12:]))
		a7 := archsimd.LoadFloat64x2Array((*[2]float64)(acc[14:]))
		for i := half; i < n; i += 32 {
			xp := (*[16]float64)(x[i:])
			yp := (*[16]float64)(y[i:])
			a0 = a0.Add(archsimd.LoadFloat64x2Array((*[2]float64)(xp[0:])).Mul(archsimd.LoadFloat64x2Array((*[2]float64)(yp[0:]))))
			a1 = a1.Add(archsimd.LoadFloat64x2Array((*[2]float64)(xp[2:])).Mul(archsimd.LoadFloat64x2Array((*[2]float64)(yp[2:]))))
			a2 = a2.Add(archsimd.LoadFloat64x2Array((*[2]float64)(xp[4:])).Mul(archsimd.LoadFloat64x2Array((*[2]float64)(yp[4:]))))
			a3 = a3.Add(archsimd.LoadFloat64x2Array((*[2]float64)(xp[6:])).Mul(archsimd.LoadFloat64x2Array((*[2]float64)(yp[6:]))))
			a4 = a4.Add(archsimd.LoadFloat64x2Array((*[2]float64)(xp[8:])).Mul(archsimd.LoadFloat64x2Array((*[2]float64)(yp[8:]))))
			a5 = a5.Add(archsimd.LoadFloat64x2Array((*[2]float64)(xp[10:])).Mul(archsimd.LoadFloat64x2Array((*[2]float64)(yp[10:]))))
			a6 = a6.Add(archsimd.LoadFloat64x2Array((*[2]float64)(xp[12:])).Mul(archsimd.LoadFloat64x2Array((*[2]float64)(yp[12:]))))
			a7 = a7.Add(archsimd.LoadFloat64x2Array((*[2]float64)(xp[14:])).Mul(archsimd.LoadFloat64x2Array((*[2]float64)(yp[14:]))))
		}
		a0.StoreArray((*[2]float64)(acc[0:]))
		a1.StoreArray((*[2]float64)(acc[2:]))
		a2.StoreArray((*[2]float64)(acc[4:]))
		a3.StoreArray((*[2]float64)(acc[6:]))
		a4.StoreArray((*[2]float64)(acc[8:]))
		a5.StoreArray((*[2]float64)(acc[10:]))
		a6.StoreArray((*[2]float64)(acc[12:]))
		a7.StoreArray((*[2]float64)(acc[14:]))
	}
	return dotLanesGeneric(t, x[n:], y[n:])
}
