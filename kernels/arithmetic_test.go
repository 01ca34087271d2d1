package kernels

// arithmeticTable lists the kernels on plain slices whose operands have one
// number a row; masks and results for all rows stand in slicesTable.
func arithmeticTable[T Float]() []kernel[T] {
	one, two, three := lanesOf(1), lanesOf(2), lanesOf(3)
	first, either, any3 := [][]int{{0}}, [][]int{{0}, {1}}, [][]int{{0}, {1}, {2}}
	return []kernel[T]{
		{"Copy", one, one, first, func(a *args[T]) { Copy(a.out(0), a.in(0)) }},
		{"Add", one, two, either, func(a *args[T]) { Add(a.out(0), a.in(0), a.in(1)) }},
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
	}
}
