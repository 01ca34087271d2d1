package kernels

// vec2, vec4 and similar functions return a view of the lanes from lane k on.

func vec2[T Float](lanes [][]byte, k int) Vec2s[T] {
	return Vec2s[T]{castLane[T](lanes[k]), castLane[T](lanes[k+1])}
}

func vec3[T Float](lanes [][]byte, k int) Vec3s[T] {
	return Vec3s[T]{castLane[T](lanes[k]), castLane[T](lanes[k+1]), castLane[T](lanes[k+2])}
}

func vec4[T Float](lanes [][]byte, k int) Vec4s[T] {
	return Vec4s[T]{castLane[T](lanes[k]), castLane[T](lanes[k+1]), castLane[T](lanes[k+2]), castLane[T](lanes[k+3])}
}

// vectorTable returns the kernels on columns of vectors.
func vectorTable[T Float]() []kernel[T] {
	var (
		two, three, four = [][]int{{0, 1}}, [][]int{{0, 1, 2}}, [][]int{{0, 1, 2, 3}}

		twoOrTwo     = [][]int{{0, 1}, {2, 3}}
		threeOrThree = [][]int{{0, 1, 2}, {3, 4, 5}}
		fourOrFour   = [][]int{{0, 1, 2, 3}, {4, 5, 6, 7}}
	)
	return []kernel[T]{
		{"Vec2s.Add", lanesOf(2), lanesOf(4), twoOrTwo, func(a *args[T]) {
			v, x, y := vec2[T](a.dst, 0), vec2[T](a.src, 0), vec2[T](a.src, 2)
			v.Add(&x, &y)
		}},
		{"Vec2s.Sub", lanesOf(2), lanesOf(4), twoOrTwo, func(a *args[T]) {
			v, x, y := vec2[T](a.dst, 0), vec2[T](a.src, 0), vec2[T](a.src, 2)
			v.Sub(&x, &y)
		}},
		{"Vec2s.Scale", lanesOf(2), lanesOf(2), two, func(a *args[T]) {
			v, x := vec2[T](a.dst, 0), vec2[T](a.src, 0)
			v.Scale(&x, a.scalar[0])
		}},
		{"Vec2s.AddScaled", lanesOf(2), lanesOf(4), twoOrTwo, func(a *args[T]) {
			v, x, y := vec2[T](a.dst, 0), vec2[T](a.src, 0), vec2[T](a.src, 2)
			v.AddScaled(&x, &y, a.scalar[0])
		}},
		{"Vec2s.Lerp", lanesOf(2), lanesOf(4), twoOrTwo, func(a *args[T]) {
			v, x, y := vec2[T](a.dst, 0), vec2[T](a.src, 0), vec2[T](a.src, 2)
			v.Lerp(&x, &y, a.scalar[0])
		}},
		{"Vec2s.Dot", lanesOf(1), lanesOf(4), nil, func(a *args[T]) {
			v, y := vec2[T](a.src, 0), vec2[T](a.src, 2)
			v.Dot(a.out(0), &y)
		}},
		{"Vec2s.Length", lanesOf(1), lanesOf(2), nil, func(a *args[T]) {
			v := vec2[T](a.src, 0)
			v.Length(a.out(0))
		}},
		{"Vec2s.Normalize", lanesOf(2), lanesOf(2), two, func(a *args[T]) {
			v, x := vec2[T](a.dst, 0), vec2[T](a.src, 0)
			v.Normalize(&x)
		}},
		{"Vec2s.Distance", lanesOf(1), lanesOf(4), nil, func(a *args[T]) {
			v, y := vec2[T](a.src, 0), vec2[T](a.src, 2)
			v.Distance(a.out(0), &y)
		}},
		{"Vec2s.Reflect", lanesOf(2), lanesOf(4), twoOrTwo, func(a *args[T]) {
			v, x, y := vec2[T](a.dst, 0), vec2[T](a.src, 0), vec2[T](a.src, 2)
			v.Reflect(&x, &y)
		}},
		{"Vec3s.Add", lanesOf(3), lanesOf(6), threeOrThree, func(a *args[T]) {
			v, x, y := vec3[T](a.dst, 0), vec3[T](a.src, 0), vec3[T](a.src, 3)
			v.Add(&x, &y)
		}},
		{"Vec3s.Sub", lanesOf(3), lanesOf(6), threeOrThree, func(a *args[T]) {
			v, x, y := vec3[T](a.dst, 0), vec3[T](a.src, 0), vec3[T](a.src, 3)
			v.Sub(&x, &y)
		}},
		{"Vec3s.Scale", lanesOf(3), lanesOf(3), three, func(a *args[T]) {
			v, x := vec3[T](a.dst, 0), vec3[T](a.src, 0)
			v.Scale(&x, a.scalar[0])
		}},
		{"Vec3s.Lerp", lanesOf(3), lanesOf(6), threeOrThree, func(a *args[T]) {
			v, x, y := vec3[T](a.dst, 0), vec3[T](a.src, 0), vec3[T](a.src, 3)
			v.Lerp(&x, &y, a.scalar[0])
		}},
		{"Vec3s.Dot", lanesOf(1), lanesOf(6), nil, func(a *args[T]) {
			v, y := vec3[T](a.src, 0), vec3[T](a.src, 3)
			v.Dot(a.out(0), &y)
		}},
		{"Vec3s.Cross", lanesOf(3), lanesOf(6), threeOrThree, func(a *args[T]) {
			v, x, y := vec3[T](a.dst, 0), vec3[T](a.src, 0), vec3[T](a.src, 3)
			v.Cross(&x, &y)
		}},
		{"Vec3s.Length", lanesOf(1), lanesOf(3), nil, func(a *args[T]) {
			v := vec3[T](a.src, 0)
			v.Length(a.out(0))
		}},
		{"Vec3s.Normalize", lanesOf(3), lanesOf(3), three, func(a *args[T]) {
			v, x := vec3[T](a.dst, 0), vec3[T](a.src, 0)
			v.Normalize(&x)
		}},
		{"Vec3s.Distance", lanesOf(1), lanesOf(6), nil, func(a *args[T]) {
			v, y := vec3[T](a.src, 0), vec3[T](a.src, 3)
			v.Distance(a.out(0), &y)
		}},
		{"Vec3s.Reflect", lanesOf(3), lanesOf(6), threeOrThree, func(a *args[T]) {
			v, x, y := vec3[T](a.dst, 0), vec3[T](a.src, 0), vec3[T](a.src, 3)
			v.Reflect(&x, &y)
		}},
		{"Vec4s.Add", lanesOf(4), lanesOf(8), fourOrFour, func(a *args[T]) {
			v, x, y := vec4[T](a.dst, 0), vec4[T](a.src, 0), vec4[T](a.src, 4)
			v.Add(&x, &y)
		}},
		{"Vec4s.Sub", lanesOf(4), lanesOf(8), fourOrFour, func(a *args[T]) {
			v, x, y := vec4[T](a.dst, 0), vec4[T](a.src, 0), vec4[T](a.src, 4)
			v.Sub(&x, &y)
		}},
		{"Vec4s.Scale", lanesOf(4), lanesOf(4), four, func(a *args[T]) {
			v, x := vec4[T](a.dst, 0), vec4[T](a.src, 0)
			v.Scale(&x, a.scalar[0])
		}},
		{"Vec4s.AddScaled", lanesOf(4), lanesOf(8), fourOrFour, func(a *args[T]) {
			v, x, y := vec4[T](a.dst, 0), vec4[T](a.src, 0), vec4[T](a.src, 4)
			v.AddScaled(&x, &y, a.scalar[0])
		}},
		{"Vec4s.Lerp", lanesOf(4), lanesOf(8), fourOrFour, func(a *args[T]) {
			v, x, y := vec4[T](a.dst, 0), vec4[T](a.src, 0), vec4[T](a.src, 4)
			v.Lerp(&x, &y, a.scalar[0])
		}},
		{"Vec4s.Dot", lanesOf(1), lanesOf(8), nil, func(a *args[T]) {
			v, y := vec4[T](a.src, 0), vec4[T](a.src, 4)
			v.Dot(a.out(0), &y)
		}},
		{"Vec4s.Length", lanesOf(1), lanesOf(4), nil, func(a *args[T]) {
			v := vec4[T](a.src, 0)
			v.Length(a.out(0))
		}},
		{"Vec4s.Normalize", lanesOf(4), lanesOf(4), four, func(a *args[T]) {
			v, x := vec4[T](a.dst, 0), vec4[T](a.src, 0)
			v.Normalize(&x)
		}},
		{"Vec4s.Distance", lanesOf(1), lanesOf(8), nil, func(a *args[T]) {
			v, y := vec4[T](a.src, 0), vec4[T](a.src, 4)
			v.Distance(a.out(0), &y)
		}},
		{"Vec4s.Reflect", lanesOf(4), lanesOf(8), fourOrFour, func(a *args[T]) {
			v, x, y := vec4[T](a.dst, 0), vec4[T](a.src, 0), vec4[T](a.src, 4)
			v.Reflect(&x, &y)
		}},
		{"Vec3s.Transform", lanesOf(3), []int{16, 1, 1, 1}, [][]int{{1, 2, 3}}, func(a *args[T]) {
			a.outVec().Transform(a.inMat(0), a.inVec(1))
		}},
		{"Vec3s.TransformVector", lanesOf(3), []int{16, 1, 1, 1}, [][]int{{1, 2, 3}}, func(a *args[T]) {
			a.outVec().TransformVector(a.inMat(0), a.inVec(1))
		}},
		{"Vec3s.TransformBy", lanesOf(3), lanesOf(3), three, func(a *args[T]) {
			a.outVec().TransformBy(matrixOf(a.scalar), a.inVec(0))
		}},
		{"Vec3s.TransformVectorBy", lanesOf(3), lanesOf(3), three, func(a *args[T]) {
			a.outVec().TransformVectorBy(matrixOf(a.scalar), a.inVec(0))
		}},
		{"Vec4s.Transform", lanesOf(4), []int{16, 1, 1, 1, 1}, [][]int{{1, 2, 3, 4}}, func(a *args[T]) {
			v, x := vec4[T](a.dst, 0), vec4[T](a.src, 1)
			v.Transform(a.inMat(0), &x)
		}},
		{"Vec4s.TransformBy", lanesOf(4), lanesOf(4), four, func(a *args[T]) {
			v, x := vec4[T](a.dst, 0), vec4[T](a.src, 0)
			v.TransformBy(matrixOf(a.scalar), &x)
		}},
	}
}

// matrixOf returns a matrix made of eight numbers.
func matrixOf[T Float](s []T) (m [16]T) {
	copy(m[:], s)
	copy(m[7:], s)
	return m
}

// quatTable returns the kernels on quaternions that firstTable does not return.
func quatTable[T Float]() []kernel[T] {
	fourOrFour := [][]int{{0, 1, 2, 3}, {4, 5, 6, 7}}
	return []kernel[T]{
		{"Quats.Conjugate", lanesOf(4), lanesOf(4), [][]int{{0, 1, 2, 3}}, func(a *args[T]) {
			a.outQuat().Conjugate(a.inQuat(0))
		}},
		{"Quats.FromAxisAngle", lanesOf(4), lanesOf(4), nil, func(a *args[T]) {
			a.outQuat().FromAxisAngle(a.inVec(0), a.in(3))
		}},
		{"Quats.FromEuler/XYZ", lanesOf(4), lanesOf(3), nil, func(a *args[T]) {
			a.outQuat().FromEuler(a.inVec(0), OrderXYZ)
		}},
		{"Quats.FromEuler/ZXY", lanesOf(4), lanesOf(3), nil, func(a *args[T]) {
			a.outQuat().FromEuler(a.inVec(0), OrderZXY)
		}},
		{"Quats.Nlerp", lanesOf(4), lanesOf(8), fourOrFour, func(a *args[T]) {
			a.outQuat().Nlerp(a.inQuat(0), a.inQuat(4), a.scalar[0])
		}},
		{"Quats.Slerp", lanesOf(4), lanesOf(8), fourOrFour, func(a *args[T]) {
			a.outQuat().Slerp(a.inQuat(0), a.inQuat(4), a.scalar[0])
		}},
		{"Quats.Slerp/far", lanesOf(4), lanesOf(8), fourOrFour, func(a *args[T]) {
			a.outQuat().Slerp(a.inQuat(0), a.inQuat(4), a.scalar[0]*1e6)
		}},
		{"Quats.Between", lanesOf(4), lanesOf(6), nil, func(a *args[T]) {
			a.outQuat().Between(a.inVec(0), a.inVec(3))
		}},
		{"Quats.LookRotation", lanesOf(4), lanesOf(6), nil, func(a *args[T]) {
			a.outQuat().LookRotation(a.inVec(0), a.inVec(3))
		}},
		{"Mat4s.FromQuats", []int{16}, lanesOf(4), nil, func(a *args[T]) {
			a.outMat().FromQuats(a.inQuat(0))
		}},
	}
}
