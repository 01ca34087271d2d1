package kernels

// arithmeticTable returns the kernels on plain slices that write one number per row and use no masks. The other
// kernels on plain slices are in sliceTable.
func arithmeticTable[T Float]() []kernel[T] {
	one, two, three := lanesOf(1), lanesOf(2), lanesOf(3)
	first, either, any3 := [][]int{{0}}, [][]int{{0}, {1}}, [][]int{{0}, {1}, {2}}
	all := []kernel[T]{
		{"Copy", one, one, first, func(a *args[T]) { Copy(a.out(0), a.in(0)) }},
		{"Add", one, two, either, func(a *args[T]) { Add(a.out(0), a.in(0), a.in(1)) }},
		{"AddConst", one, one, first, func(a *args[T]) { AddConst(a.out(0), a.in(0), a.scalar[0]) }},
		{"Sub", one, two, either, func(a *args[T]) { Sub(a.out(0), a.in(0), a.in(1)) }},
		{"Mul", one, two, either, func(a *args[T]) { Mul(a.out(0), a.in(0), a.in(1)) }},
		{"Div", one, two, either, func(a *args[T]) { Div(a.out(0), a.in(0), a.in(1)) }},
		{"Scale", one, one, first, func(a *args[T]) { Scale(a.out(0), a.in(0), a.scalar[2]) }},
		{"MulAdd", one, three, any3, func(a *args[T]) { MulAdd(a.out(0), a.in(0), a.in(1), a.in(2)) }},
		{"Lerp", one, two, either, func(a *args[T]) { Lerp(a.out(0), a.in(0), a.in(1), a.scalar[2]) }},
		{"Minimum", one, two, either, func(a *args[T]) { Minimum(a.out(0), a.in(0), a.in(1)) }},
		{"Maximum", one, two, either, func(a *args[T]) { Maximum(a.out(0), a.in(0), a.in(1)) }},
		{"Clamp", one, one, first, func(a *args[T]) { Clamp(a.out(0), a.in(0), a.scalar[0], a.scalar[2]) }},
		{"Abs", one, one, first, func(a *args[T]) { Abs(a.out(0), a.in(0)) }},
		{"Neg", one, one, first, func(a *args[T]) { Neg(a.out(0), a.in(0)) }},
		{"Sqrt", one, one, first, func(a *args[T]) { Sqrt(a.out(0), a.in(0)) }},
		{"PrefixSum", one, one, first, func(a *args[T]) { PrefixSum(a.out(0), a.in(0)) }},
		{"Floor", one, one, first, func(a *args[T]) { Floor(a.out(0), a.in(0)) }},
		{"Ceil", one, one, first, func(a *args[T]) { Ceil(a.out(0), a.in(0)) }},
		{"Trunc", one, one, first, func(a *args[T]) { Trunc(a.out(0), a.in(0)) }},
		{"Round", one, one, first, func(a *args[T]) { Round(a.out(0), a.in(0)) }},
		{"Fract", one, one, first, func(a *args[T]) { Fract(a.out(0), a.in(0)) }},
		{"CopySign", one, two, either, func(a *args[T]) { CopySign(a.out(0), a.in(0), a.in(1)) }},
		{"Mod", one, two, either, func(a *args[T]) { Mod(a.out(0), a.in(0), a.in(1)) }},
		{"Rsqrt", one, one, first, func(a *args[T]) { Rsqrt(a.out(0), a.in(0)) }},
		{"Hypot", one, two, either, func(a *args[T]) { Hypot(a.out(0), a.in(0), a.in(1)) }},
		{"Exp", one, one, first, func(a *args[T]) { Exp(a.out(0), a.in(0)) }},
		{"Exp2", one, one, first, func(a *args[T]) { Exp2(a.out(0), a.in(0)) }},
		{"Expm1", one, one, first, func(a *args[T]) { Expm1(a.out(0), a.in(0)) }},
		{"Log", one, one, first, func(a *args[T]) { Log(a.out(0), a.in(0)) }},
		{"Log1p", one, one, first, func(a *args[T]) { Log1p(a.out(0), a.in(0)) }},
		{"Log2", one, one, first, func(a *args[T]) { Log2(a.out(0), a.in(0)) }},
		{"Log10", one, one, first, func(a *args[T]) { Log10(a.out(0), a.in(0)) }},
		{"Sin", one, one, first, func(a *args[T]) { Sin(a.out(0), a.in(0)) }},
		{"Cos", one, one, first, func(a *args[T]) { Cos(a.out(0), a.in(0)) }},
		{"Tan", one, one, first, func(a *args[T]) { Tan(a.out(0), a.in(0)) }},
		{"Atan", one, one, first, func(a *args[T]) { Atan(a.out(0), a.in(0)) }},
		{"Atan2", one, two, either, func(a *args[T]) { Atan2(a.out(0), a.in(0), a.in(1)) }},
		{"Asin", one, one, first, func(a *args[T]) { Asin(a.out(0), a.in(0)) }},
		{"Acos", one, one, first, func(a *args[T]) { Acos(a.out(0), a.in(0)) }},
		{"Sinh", one, one, first, func(a *args[T]) { Sinh(a.out(0), a.in(0)) }},
		{"Cosh", one, one, first, func(a *args[T]) { Cosh(a.out(0), a.in(0)) }},
		{"Tanh", one, one, first, func(a *args[T]) { Tanh(a.out(0), a.in(0)) }},
		{"Cbrt", one, one, first, func(a *args[T]) { Cbrt(a.out(0), a.in(0)) }},
		{"Pow", one, two, either, func(a *args[T]) { Pow(a.out(0), a.in(0), a.in(1)) }},
		{"Erf", one, one, first, func(a *args[T]) { Erf(a.out(0), a.in(0)) }},
		{"Erfc", one, one, first, func(a *args[T]) { Erfc(a.out(0), a.in(0)) }},
		{"NormalCDF", one, one, first, func(a *args[T]) { NormalCDF(a.out(0), a.in(0)) }},
		{"NormalQuantile", one, one, first, func(a *args[T]) { NormalQuantile(a.out(0), a.in(0)) }},
		{"Sinc", one, one, first, func(a *args[T]) { Sinc(a.out(0), a.in(0)) }},
		{"Lgamma", one, one, first, func(a *args[T]) { Lgamma(a.out(0), a.in(0)) }},
		{"J0", one, one, first, func(a *args[T]) { J0(a.out(0), a.in(0)) }},
		{"J1", one, one, first, func(a *args[T]) { J1(a.out(0), a.in(0)) }},
	}
	for _, f := range roundedTable[T]() {
		if f.one != nil {
			all = append(all, kernel[T]{f.name, one, one, first, func(a *args[T]) { f.one(a.out(0), a.in(0)) }})
		} else {
			all = append(all, kernel[T]{f.name, one, two, either, func(a *args[T]) { f.two(a.out(0), a.in(0), a.in(1)) }})
		}
	}
	return all
}
