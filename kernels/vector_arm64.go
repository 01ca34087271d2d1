//go:build !purego

package kernels

func vectors32(op vecOp, v, x, y [][]float32, s float32) {
	switch path {
	case neon:
		vectorsF32NEON(op, v, x, y, s)
	default:
		vectorsGeneric(op, v, x, y, s)
	}
}

func vectors64(op vecOp, v, x, y [][]float64, s float64) {
	switch path {
	case neon:
		vectorsF64NEON(op, v, x, y, s)
	default:
		vectorsGeneric(op, v, x, y, s)
	}
}

func vectorsF32NEON(op vecOp, v, x, y [][]float32, s float32) {
	switch op {
	case opAdd:
		lanesAddF32NEON(v, x, y, s)
	case opSub:
		lanesSubF32NEON(v, x, y, s)
	case opScale:
		lanesScaleF32NEON(v, x, y, s)
	case opAddScaled:
		lanesAddScaledF32NEON(v, x, y, s)
	case opLerp:
		lanesLerpF32NEON(v, x, y, s)
	case opDot:
		vecDotF32NEON(v, x, y, s)
	case opLength:
		vecLengthF32NEON(v, x, y, s)
	case opDistance:
		vecDistanceF32NEON(v, x, y, s)
	case opNormalize:
		vecNormalizeF32NEON(v, x, y, s)
	case opReflect:
		vecReflectF32NEON(v, x, y, s)
	case opCross:
		vecCrossF32NEON(v, x, y, s)
	}
}

func vectorsF64NEON(op vecOp, v, x, y [][]float64, s float64) {
	switch op {
	case opAdd:
		lanesAddF64NEON(v, x, y, s)
	case opSub:
		lanesSubF64NEON(v, x, y, s)
	case opScale:
		lanesScaleF64NEON(v, x, y, s)
	case opAddScaled:
		lanesAddScaledF64NEON(v, x, y, s)
	case opLerp:
		lanesLerpF64NEON(v, x, y, s)
	case opDot:
		vecDotF64NEON(v, x, y, s)
	case opLength:
		vecLengthF64NEON(v, x, y, s)
	case opDistance:
		vecDistanceF64NEON(v, x, y, s)
	case opNormalize:
		vecNormalizeF64NEON(v, x, y, s)
	case opReflect:
		vecReflectF64NEON(v, x, y, s)
	case opCross:
		vecCrossF64NEON(v, x, y, s)
	}
}

func vec3Transform32(v *Vec3s[float32], m *Mat4s[float32], x *Vec3s[float32], points bool) {
	switch path {
	case neon:
		vec3TransformF32NEON(v, m, x, points)
	default:
		vec3TransformGeneric(v, m, x, points)
	}
}

func vec3TransformBy32(v *Vec3s[float32], m *[16]float32, x *Vec3s[float32], points bool) {
	switch path {
	case neon:
		vec3TransformByF32NEON(v, m, x, points)
	default:
		vec3TransformByGeneric(v, m, x, points)
	}
}

func vec3Transform64(v *Vec3s[float64], m *Mat4s[float64], x *Vec3s[float64], points bool) {
	switch path {
	case neon:
		vec3TransformF64NEON(v, m, x, points)
	default:
		vec3TransformGeneric(v, m, x, points)
	}
}

func vec3TransformBy64(v *Vec3s[float64], m *[16]float64, x *Vec3s[float64], points bool) {
	switch path {
	case neon:
		vec3TransformByF64NEON(v, m, x, points)
	default:
		vec3TransformByGeneric(v, m, x, points)
	}
}

//go:noescape
func lanesAddF32NEON(v, x, y [][]float32, s float32)

//go:noescape
func lanesSubF32NEON(v, x, y [][]float32, s float32)

//go:noescape
func lanesScaleF32NEON(v, x, y [][]float32, s float32)

//go:noescape
func lanesAddScaledF32NEON(v, x, y [][]float32, s float32)

//go:noescape
func lanesLerpF32NEON(v, x, y [][]float32, s float32)

//go:noescape
func vecDotF32NEON(v, x, y [][]float32, s float32)

//go:noescape
func vecLengthF32NEON(v, x, y [][]float32, s float32)

//go:noescape
func vecDistanceF32NEON(v, x, y [][]float32, s float32)

//go:noescape
func vecNormalizeF32NEON(v, x, y [][]float32, s float32)

//go:noescape
func vecReflectF32NEON(v, x, y [][]float32, s float32)

//go:noescape
func vecCrossF32NEON(v, x, y [][]float32, s float32)

//go:noescape
func vec3TransformF32NEON(v *Vec3s[float32], m *Mat4s[float32], x *Vec3s[float32], points bool)

//go:noescape
func vec3TransformByF32NEON(v *Vec3s[float32], m *[16]float32, x *Vec3s[float32], points bool)

//go:noescape
func lanesAddF64NEON(v, x, y [][]float64, s float64)

//go:noescape
func lanesSubF64NEON(v, x, y [][]float64, s float64)

//go:noescape
func lanesScaleF64NEON(v, x, y [][]float64, s float64)

//go:noescape
func lanesAddScaledF64NEON(v, x, y [][]float64, s float64)

//go:noescape
func lanesLerpF64NEON(v, x, y [][]float64, s float64)

//go:noescape
func vecDotF64NEON(v, x, y [][]float64, s float64)

//go:noescape
func vecLengthF64NEON(v, x, y [][]float64, s float64)

//go:noescape
func vecDistanceF64NEON(v, x, y [][]float64, s float64)

//go:noescape
func vecNormalizeF64NEON(v, x, y [][]float64, s float64)

//go:noescape
func vecReflectF64NEON(v, x, y [][]float64, s float64)

//go:noescape
func vecCrossF64NEON(v, x, y [][]float64, s float64)

//go:noescape
func vec3TransformF64NEON(v *Vec3s[float64], m *Mat4s[float64], x *Vec3s[float64], points bool)

//go:noescape
func vec3TransformByF64NEON(v *Vec3s[float64], m *[16]float64, x *Vec3s[float64], points bool)

func vec3DistanceSquared32(dst []float32, v *Vec3s[float32], p *[3]float32) {
	switch path {
	case neon:
		vec3DistanceSquaredF32NEON(dst, v, p)
	default:
		vec3DistanceSquaredGeneric(dst, v, p)
	}
}

//go:noescape
func vec3DistanceSquaredF32NEON(v []float32, x *Vec3s[float32], p *[3]float32)

func vec3DistanceSquared64(dst []float64, v *Vec3s[float64], p *[3]float64) {
	switch path {
	case neon:
		vec3DistanceSquaredF64NEON(dst, v, p)
	default:
		vec3DistanceSquaredGeneric(dst, v, p)
	}
}

//go:noescape
func vec3DistanceSquaredF64NEON(v []float64, x *Vec3s[float64], p *[3]float64)
