//go:build !purego

package kernels

func mat3x4Compose32(m *Mat3x4s[float32], pos *Vec3s[float32], rot *Quats[float32], scale *Vec3s[float32]) {
	if path != neon {
		mat3x4ComposeGeneric(m, pos, rot, scale)
		return
	}
	p := parts(pos, rot, scale)
	mat3x4ComposeF32NEON(m.lanes(), p[:])
}

func mat3x4Compose64(m *Mat3x4s[float64], pos *Vec3s[float64], rot *Quats[float64], scale *Vec3s[float64]) {
	if path != neon {
		mat3x4ComposeGeneric(m, pos, rot, scale)
		return
	}
	p := parts(pos, rot, scale)
	mat3x4ComposeF64NEON(m.lanes(), p[:])
}

func matrices32(op matrixOp, dst, x, y [][]float32) {
	if path != neon {
		matricesGeneric(op, dst, x, y)
		return
	}
	switch op {
	case opProduct:
		mat3x4MulF32NEON(dst, x, y)
	case opInverse:
		mat3x4InverseF32NEON(dst, x)
	case opDecompose:
		mat3x4DecomposeF32NEON(dst, x)
	}
}

func matrices64(op matrixOp, dst, x, y [][]float64) {
	if path != neon {
		matricesGeneric(op, dst, x, y)
		return
	}
	switch op {
	case opProduct:
		mat3x4MulF64NEON(dst, x, y)
	case opInverse:
		mat3x4InverseF64NEON(dst, x)
	case opDecompose:
		mat3x4DecomposeF64NEON(dst, x)
	}
}

func apart32(lanes [][]float32, m [][16]float32) {
	if path != neon || len(m) < 4 {
		apartFrom(0, lanes, m)
		return
	}
	apartF32NEON(lanes, m)
}

func together32(m [][16]float32, lanes [][]float32) {
	if path != neon || len(m) < 4 {
		togetherFrom(0, m, lanes)
		return
	}
	togetherF32NEON(m, lanes)
}

func apart64(lanes [][]float64, m [][16]float64) {
	if path != neon || len(m) < 2 {
		apartFrom(0, lanes, m)
		return
	}
	apartF64NEON(lanes, m)
}

func together64(m [][16]float64, lanes [][]float64) {
	if path != neon || len(m) < 2 {
		togetherFrom(0, m, lanes)
		return
	}
	togetherF64NEON(m, lanes)
}

func mat4MulFull32(m, parent, local *Mat4s[float32]) {
	switch path {
	case neon:
		mat4MulFullF32NEON(m, parent, local)
	default:
		mat4MulFullGeneric(m, parent, local)
	}
}

func mat4MulFullByParent32(m, parent *Mat4s[float32], index []int32, local *Mat4s[float32]) int {
	switch path {
	case neon:
		return mat4MulFullByParentF32NEON(m, parent, index, local)
	default:
		return mat4MulFullByParentGeneric(m, parent, index, local)
	}
}

func mat4MulFull64(m, parent, local *Mat4s[float64]) {
	switch path {
	case neon:
		mat4MulFullF64NEON(m, parent, local)
	default:
		mat4MulFullGeneric(m, parent, local)
	}
}

func mat4MulFullByParent64(m, parent *Mat4s[float64], index []int32, local *Mat4s[float64]) int {
	switch path {
	case neon:
		return mat4MulFullByParentF64NEON(m, parent, index, local)
	default:
		return mat4MulFullByParentGeneric(m, parent, index, local)
	}
}

//go:noescape
func mat3x4ComposeF32NEON(m, parts [][]float32)

//go:noescape
func mat3x4MulF32NEON(m, parent, local [][]float32)

//go:noescape
func mat3x4InverseF32NEON(m, x [][]float32)

//go:noescape
func mat3x4DecomposeF32NEON(parts, m [][]float32)

//go:noescape
func apartF32NEON(lanes [][]float32, m [][16]float32)

//go:noescape
func togetherF32NEON(m [][16]float32, lanes [][]float32)

//go:noescape
func mat4MulFullF32NEON(m, parent, local *Mat4s[float32])

//go:noescape
func mat4MulFullByParentF32NEON(m, parent *Mat4s[float32], index []int32, local *Mat4s[float32]) int

//go:noescape
func mat3x4ComposeF64NEON(m, parts [][]float64)

//go:noescape
func mat3x4MulF64NEON(m, parent, local [][]float64)

//go:noescape
func mat3x4InverseF64NEON(m, x [][]float64)

//go:noescape
func mat3x4DecomposeF64NEON(parts, m [][]float64)

//go:noescape
func apartF64NEON(lanes [][]float64, m [][16]float64)

//go:noescape
func togetherF64NEON(m [][16]float64, lanes [][]float64)

//go:noescape
func mat4MulFullF64NEON(m, parent, local *Mat4s[float64])

//go:noescape
func mat4MulFullByParentF64NEON(m, parent *Mat4s[float64], index []int32, local *Mat4s[float64]) int
