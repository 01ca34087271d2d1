package kernels

// matrixTable returns the kernels on matrices, except for those in firstTable.
func matrixTable[T Float]() []kernel[T] {
	matrix := []int{16}
	lanes := func(from int) []int {
		list := make([]int, 12)
		for k := range list {
			list[k] = from + k
		}
		return list
	}
	return []kernel[T]{
		{"Mat3x4s.Compose", lanesOf(12), lanesOf(10), nil, func(a *args[T]) {
			m := mat3x4[T](a.dst, 0)
			m.Compose(a.inVec(0), a.inQuat(3), a.inVec(7))
		}},
		{"Mat3x4s.FromQuats", lanesOf(12), lanesOf(4), nil, func(a *args[T]) {
			m := mat3x4[T](a.dst, 0)
			m.FromQuats(a.inQuat(0))
		}},
		{"Mat3x4s.MulAffine", lanesOf(12), lanesOf(24), [][]int{lanes(0), lanes(12)}, func(a *args[T]) {
			m, parent, local := mat3x4[T](a.dst, 0), mat3x4[T](a.src, 0), mat3x4[T](a.src, 12)
			m.MulAffine(&parent, &local)
		}},
		{"Vec3s.TransformAffine", lanesOf(3), lanesOf(15), [][]int{{12, 13, 14}}, func(a *args[T]) {
			m, x := mat3x4[T](a.src, 0), vec3[T](a.src, 12)
			a.outVec().TransformAffine(&m, &x)
		}},
		{"Vec3s.TransformVectorAffine", lanesOf(3), lanesOf(15), [][]int{{12, 13, 14}}, func(a *args[T]) {
			m, x := mat3x4[T](a.src, 0), vec3[T](a.src, 12)
			a.outVec().TransformVectorAffine(&m, &x)
		}},
		{"Mat3x4s.Inverse", lanesOf(12), lanesOf(12), [][]int{lanes(0)}, func(a *args[T]) {
			m, x := mat3x4[T](a.dst, 0), mat3x4[T](a.src, 0)
			m.Inverse(&x)
		}},
		{"Mat3x4s.Decompose", lanesOf(10), lanesOf(12), nil, func(a *args[T]) {
			pos, rot, scale, m := vec3[T](a.dst, 0), vec4[T](a.dst, 3), vec3[T](a.dst, 7), mat3x4[T](a.src, 0)
			m.Decompose(&pos, (*Quats[T])(&rot), &scale)
		}},
		{"Mat3x4s.FromMat4s", lanesOf(12), matrix, nil, func(a *args[T]) {
			m := mat3x4[T](a.dst, 0)
			m.FromMat4s(a.inMat(0))
		}},
		{"Mat4s.FromMat3x4s", matrix, lanesOf(12), nil, func(a *args[T]) {
			x := mat3x4[T](a.src, 0)
			a.outMat().FromMat3x4s(&x)
		}},
		{"Mat4s.Inverse", matrix, matrix, [][]int{{0}}, func(a *args[T]) {
			a.outMat().Inverse(a.inMat(0))
		}},
		{"Mat4s.Decompose", lanesOf(10), matrix, nil, func(a *args[T]) {
			pos, rot, scale := vec3[T](a.dst, 0), vec4[T](a.dst, 3), vec3[T](a.dst, 7)
			a.inMat(0).Decompose(&pos, (*Quats[T])(&rot), &scale)
		}},
		{"Mat4s.MulFull", matrix, []int{16, 16}, [][]int{{0}, {1}}, func(a *args[T]) {
			a.outMat().MulFull(a.inMat(0), a.inMat(1))
		}},
		{"Mat4s.MulFullByParent", matrix, []int{16, 16, index}, [][]int{{1}}, func(a *args[T]) {
			a.outMat().MulFullByParent(a.inMat(0), a.inIndex(2), a.inMat(1))
		}},
	}
}

// mat3x4 returns a view of the twelve lanes from lane k on.
func mat3x4[T Float](lanes [][]byte, k int) (m Mat3x4s[T]) {
	for i := range mat3x4Lanes(&m) {
		mat3x4Lanes(&m)[i] = castLane[T](lanes[k+i])
	}
	return m
}
