package kernels

// specialValues returns the special values of C17, Annex F.10, and the special values of functions
// that the annex lacks. tiny and huge are the smallest and the largest number of the type.
func specialValues(tiny, huge float64) (all []special) {
	one := func(name string, pairs ...float64) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, special{name, pairs[i], 0, pairs[i+1]})
		}
	}
	// odd adds special values of an odd function: each one is added with both signs.
	odd := func(name string, pairs ...float64) {
		one(name, pairs...)
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, special{name, -pairs[i], 0, -pairs[i+1]})
		}
	}
	two := func(name string, triples ...float64) {
		for i := 0; i < len(triples); i += 3 {
			all = append(all, special{name, triples[i], triples[i+1], triples[i+2]})
		}
	}
	for _, name := range []string{"Floor", "Ceil", "Trunc", "Round"} {
		odd(name, 0, 0, inf, inf, nan, nan, 1, 1, 3, 3, huge, huge)
	}
	one("Floor", 0.5, 0, -0.5, -1, 2.5, 2, -2.5, -3, tiny, 0, -tiny, -1)
	one("Ceil", 0.5, 1, -0.5, negative, 2.5, 3, -2.5, -2, tiny, 1, -tiny, negative)
	odd("Trunc", 0.5, 0, 2.5, 2, tiny, 0, 1e6+0.5, 1e6)
	odd("Round", 0.5, 0, 1.5, 2, 2.5, 2, 3.5, 4, 0.75, 1, 0.25, 0, tiny, 0, 0x1p22+0.5, 0x1p22, 0x1p22+1.5, 0x1p22+2, 0x1p23+1, 0x1p23+1)
	one("Fract", 0, 0, negative, 0, 1, 0, -1, 0, 2.75, 0.75, -2.75, 0.25, -tiny, 1, tiny, tiny, huge, 0, inf, nan, -inf, nan, nan, nan)
	two("CopySign", 1, 2, 1, 1, -2, -1, -1, 0, 1, 1, negative, -1, 0, -1, negative, negative, 1, 0, inf, -1, -inf, nan, -1, nan, 1, -inf, -1)
	two("Mod", 5, 3, 2, -5, 3, -2, 5, -3, 2, -5, -3, -2, 0, 3, 0, negative, 3, negative, 3, 3, 0, -3, 3, negative, 2.5, 1, 0.5,
		1, inf, 1, -1, -inf, -1, 0, inf, 0, inf, 1, nan, -inf, 1, nan, 1, 0, nan, 1, negative, nan, 0, 0, nan, inf, inf, nan,
		nan, 1, nan, 1, nan, nan, huge, tiny, 0, -huge, tiny, negative, tiny, huge, tiny, huge, huge, 0, tiny, tiny, 0, 3*tiny, 2*tiny, tiny,
		0x1p29, 3, 2, 0x1p60, 3, 1, 0x1p100, 7, 2, 0x1p53, 5, 2, inf, nan, nan, huge, inf, huge)
	one("Rsqrt", 0, inf, negative, -inf, 1, 1, 4, 0.5, 0.25, 2, inf, 0, -inf, nan, -1, nan, -tiny, nan, nan, nan)
	two("Hypot", 3, 4, 5, -3, 4, 5, 3, -4, 5, 0, 0, 0, negative, negative, 0, negative, 0, 0, 0, -2, 2, 2, 0, 2,
		inf, nan, inf, nan, inf, inf, -inf, nan, inf, nan, -inf, inf, inf, 1, inf, 1, -inf, inf, nan, 1, nan, 1, nan, nan, nan, nan, nan,
		huge, huge, inf, huge, 0, huge, 0, tiny, tiny, tiny, 0, tiny, 3*tiny, 4*tiny, 5*tiny, huge, 1, huge)
	one("Exp", 0, 1, negative, 1, inf, inf, -inf, 0, nan, nan, huge, inf, -huge, 0, tiny, 1, -tiny, 1, 1000, inf, -1000, 0)
	one("Exp2", 0, 1, negative, 1, inf, inf, -inf, 0, nan, nan, huge, inf, -huge, 0, 10, 1024, -10, 0x1p-10, -126, 0x1p-126, 127, 0x1p127, 1024, inf, -1080, 0)
	odd("Expm1", 0, 0, tiny, tiny, 3*tiny, 3*tiny)
	one("Expm1", inf, inf, -inf, -1, nan, nan, huge, inf, -huge, -1, 1000, inf, -1000, -1)
	for _, name := range []string{"Log", "Log2", "Log10"} {
		one(name, 0, -inf, negative, -inf, 1, 0, -1, nan, -tiny, nan, -inf, nan, inf, inf, nan, nan)
	}
	one("Log2", 8, 3, 0.125, -3, 0x1p-126, -126, 0x1p127, 127)
	one("Log10", 10, 1, 1000, 3, 1e6, 6)
	odd("Log1p", 0, 0, tiny, tiny, 3*tiny, 3*tiny)
	one("Log1p", -1, -inf, -2, nan, -inf, nan, inf, inf, nan, nan, -huge, nan)
	for _, name := range []string{"Sin", "Tan"} {
		odd(name, 0, 0, tiny, tiny, 3*tiny, 3*tiny)
		one(name, inf, nan, -inf, nan, nan, nan)
	}
	one("Cos", 0, 1, negative, 1, tiny, 1, inf, nan, -inf, nan, nan, nan)
	odd("Asin", 0, 0, tiny, tiny, 3*tiny, 3*tiny, 1, halfPi, 2, nan, inf, nan, nan, nan)
	one("Acos", 1, 0, -1, pi, 0, halfPi, negative, halfPi, tiny, halfPi, 1.5, nan, -1.5, nan, inf, nan, -inf, nan, nan, nan)
	odd("Atan", 0, 0, tiny, tiny, 3*tiny, 3*tiny, 1, quarterPi, inf, halfPi, huge, halfPi, nan, nan)
	for _, s := range []float64{1, -1} { // atan2(y, x) has the sign of y
		two("Atan2", s*0, 1, s*0, s*0, 0, s*0, s*0, negative, s*pi, s*0, -1, s*pi, s*0, inf, s*0, s*0, -inf, s*pi,
			s, 0, s*halfPi, s, negative, s*halfPi, s, inf, s*0, s, -inf, s*pi, s*inf, 1, s*halfPi, s*inf, 0, s*halfPi, s*inf, -1, s*halfPi,
			s*inf, inf, s*quarterPi, s*inf, -inf, s*3*quarterPi, s, 1, s*quarterPi, s*huge, huge, s*quarterPi, s*tiny, tiny, s*quarterPi,
			s*huge, tiny, s*halfPi, s*tiny, huge, s*0, s*tiny, -huge, s*pi, s*nan, 1, nan, s, nan, nan, s*nan, inf, nan, s*inf, nan, nan, s*nan, nan, nan, s*nan, 0, nan, s*0, nan, nan,
			s*huge, 1, s*halfPi, s*tiny, 1, s*tiny)
	}
	odd("Sinh", 0, 0, tiny, tiny, 3*tiny, 3*tiny, inf, inf, nan, nan, huge, inf, 1000, inf)
	one("Cosh", 0, 1, negative, 1, tiny, 1, inf, inf, -inf, inf, nan, nan, huge, inf, -1000, inf)
	odd("Tanh", 0, 0, tiny, tiny, 3*tiny, 3*tiny, inf, 1, nan, nan, huge, 1, 30, 1)
	odd("Cbrt", 0, 0, inf, inf, nan, nan, 1, 1, 8, 2, 27, 3, 64, 4, 125, 5, 1000, 10, 0x1p-126, 0x1p-42)
	odd("Erf", 0, 0, inf, 1, nan, nan, huge, 1, 10, 1, 6, 1)
	one("NormalCDF", 0, 0.5, negative, 0.5, tiny, 0.5, -tiny, 0.5, inf, 1, -inf, 0, nan, nan, huge, 1, -huge, 0, 40, 1, -40, 0)
	one("NormalQuantile", 0, -inf, negative, -inf, 1, inf, 0.5, 0, -tiny, nan, -1, nan, 1.5, nan, inf, nan, -inf, nan, nan, nan, huge, nan)
	one("Erfc", 0, 1, negative, 1, tiny, 1, -tiny, 1, inf, 0, -inf, 2, nan, nan, huge, 0, -huge, 2, 30, 0, -30, 2)
	one("Sinc", 0, 1, negative, 1, tiny, 1, -tiny, 1, 1, 0, -1, 0, 2, 0, -3, 0, 0x1p23+1, 0, huge, 0, -huge, 0, inf, 0, -inf, 0, nan, nan)
	one("Lgamma", 0, inf, negative, inf, 1, 0, 2, 0, 3, ln2, 0.5, 0.57236494292470008707, -1, inf, -2, inf, -30, inf, -0x1p60, inf, huge, inf, -huge, inf, inf, inf, -inf, -inf, nan, nan)
	one("J0", 0, 1, negative, 1, tiny, 1, -tiny, 1, inf, 0, -inf, 0, nan, nan)
	odd("J1", 0, 0, tiny, 0, 3*tiny, 2*tiny, 4*tiny, 2*tiny)
	one("J1", inf, 0, -inf, 0, nan, nan)
	for _, y := range []float64{0, negative, 1, -1, 0.5, 3, huge, -huge, tiny, inf, -inf, nan} { // 1 to any power is 1
		two("Pow", 1, y, 1)
	}
	for _, x := range []float64{0, negative, 1, -1, 0.5, -3, huge, -huge, tiny, inf, -inf, nan} { // any number to the power of 0 is 1
		two("Pow", x, 0, 1, x, negative, 1)
	}
	two("Pow", 0, -3, inf, negative, -3, -inf, 0, -2, inf, negative, -2, inf, 0, -0.5, inf, negative, -0.5, inf, 0, -inf, inf, negative, -inf, inf,
		0, 3, 0, negative, 3, negative, 0, 2, 0, negative, 2, 0, 0, 0.5, 0, negative, 0.5, 0, 0, inf, 0, negative, inf, 0,
		0, huge, 0, negative, huge, 0, 0, -huge, inf, negative, -huge, inf, 0, tiny, 0, 0, -tiny, inf, negative, tiny, 0, negative, -tiny, inf,
		-1, inf, 1, -1, -inf, 1, -1, huge, 1, -1, -huge, 1, -1, 3, -1, -1, -3, -1, -1, 2, 1, -1, 0.5, nan, -2, 1.5, nan, -huge, 0.5, nan, -tiny, tiny, nan,
		0.5, -inf, inf, -0.5, -inf, inf, 2, -inf, 0, -2, -inf, 0, 0.5, inf, 0, -0.5, inf, 0, 2, inf, inf, -2, inf, inf,
		-inf, -3, negative, -inf, -2, 0, -inf, -0.5, 0, -inf, 3, -inf, -inf, 2, inf, -inf, 0.5, inf, -inf, inf, inf, -inf, -inf, 0, -inf, tiny, inf,
		inf, -3, 0, inf, -0.5, 0, inf, 3, inf, inf, 0.5, inf, inf, inf, inf, inf, -inf, 0, inf, tiny, inf, inf, -tiny, 0,
		nan, 1, nan, nan, -2, nan, nan, inf, nan, nan, nan, nan, 0, nan, nan, -1, nan, nan, 2, nan, nan, inf, nan, nan, -inf, nan, nan, negative, nan, nan,
		2, 10, 1024, 2, -10, 0x1p-10, -2, 3, -8, -2, -3, -0.125, 9, 0.5, 3, 10, 3, 1000, 3, 4, 81, 0.25, -0.5, 2, huge, 2, inf, -huge, 3, -inf, -huge, 2, inf,
		huge, -2, 0, -huge, -3, negative, tiny, -1, inf, -tiny, -1, -inf, tiny, 1, tiny, huge, 1, huge, -tiny, 1, -tiny, -huge, 1, -huge,
		2, -126, 0x1p-126, 2, 127, 0x1p127, 2, 1024, inf, 2, -1080, 0, 0.5, huge, 0, 0.5, -huge, inf, 1.5, huge, inf, 1.5, -huge, 0)
	return all
}
