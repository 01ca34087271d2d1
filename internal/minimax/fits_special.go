package main

import "math/big"

// A center is the number a + b around which a function is expanded. value and slope are the function's value and derivative
// there, each as the sum of two floats. At a zero, the value is below 2^-107, which makes no difference here. from and to are the ends of the interval.
type center struct {
	a, b         float64
	value, slope [2]float64
	from, to     float64
}

// The centers of the expansions in bessel.go and lgamma.go.
var (
	besselCenters = [2][]center{{
		{0x1.33d152e971b4p+1, -0x1.0f539d7da258ep-53, [2]float64{}, [2]float64{-0x1.09cdb3655128p-1, -0x1.ac8cc3d6bafa4p-55}, 1.45, 3.15},
		{3.875, 0, [2]float64{-0x1.9c0a65186bbbp-2, -0x1.4afce9e4bc582p-61}, [2]float64{0x1.1c011f1f5d985p-6, 0x1.d4b498f693d5ep-61}, 3.15, 4.6},
		{0x1.6148f5b2c2e45p+2, 0x1.75054cd60a517p-54, [2]float64{}, [2]float64{0x1.5c6e60a097823p-2, -0x1.af17f78e58353p-57}, 4.6, 6.4},
		{7.125, 0, [2]float64{0x1.317d84d8f5e44p-2, 0x1.4c4c552846cd1p-58}, [2]float64{-0x1.0a667944441fcp-5, 0x1.2ab1deb0e3467p-66}, 6.4, 7.85},
	}, {
		{2, 0, [2]float64{0x1.27487958371fp-1, -0x1.2847d70a0d7d5p-56}, [2]float64{-0x1.081365fc429dp-4, 0x1.2e8cbc801423fp-59}, 1.2, 2.8},
		{0x1.ea75575af6f09p+1, -0x1.60155a9d1b256p-53, [2]float64{}, [2]float64{-0x1.9c6cf582cbf7fp-2, 0x1.2de1143765a96p-57}, 2.8, 4.65},
		{5.375, 0, [2]float64{-0x1.621c156acb943p-2, -0x1.f649de5ac7b18p-58}, [2]float64{0x1.dab4464893138p-7, 0x1.d86dbbd1cd643p-61}, 4.65, 6.1},
		{0x1.c0ff5f3b4725p+2, -0x1.b226d9d243827p-54, [2]float64{}, [2]float64{0x1.33518b3874e8ap-2, 0x1.af22d033ee0a4p-56}, 6.1, 7.85},
	}}
	gammaCenters = []center{
		{1, 0, [2]float64{}, [2]float64{-0x1.2788cfc6fb619p-1, 0x1.6cb90701fbfabp-58}, 1, 1.3},
		{1.5, 0, [2]float64{-0x1.eeb95b094c191p-4, -0x1.346863f58b075p-58}, [2]float64{0x1.2aed059bd608ap-5, 0x1.cd3d2ca77b63ap-63}, 1.3, 1.75},
		{2, 0, [2]float64{}, [2]float64{0x1.b0ee6072093cep-2, 0x1.6cb90701fbfabp-58}, 1.75, 2.4},
		{2.8125, 0, [2]float64{0x1.0df2cc889ec8p-1, -0x1.054a23f281da1p-58}, [2]float64{0x1.b1181ba78d53dp-1, -0x1.fd0cf76969e2ap-55}, 2.4, 3.3},
	}
)

// expansion describes the polynomial p for which f(c + d) is value + d·(slope + d·p(d)).
func (c center) expansion(name, file string, terms int, f func(x *big.Float) *big.Float) fit {
	at := func(d *big.Float) *big.Float { return f(add(add(real(c.a), real(c.b)), d)) }
	pair := func(p [2]float64) *big.Float { return add(real(p[0]), real(p[1])) }
	return fit{name: name, file: file, lo: c.from - c.a, hi: c.to - c.a, terms: terms, bits: 53,
		f: func(d *big.Float) *big.Float {
			return quo(sub(sub(at(d), pair(c.value)), mul(d, pair(c.slope))), square(d))
		},
		weight: func(d *big.Float) *big.Float { return size(quo(square(d), at(d))) }}
}

// specialFits returns the fits of the Bessel functions and of the logarithm of the gamma function. Sollya lacks these
// functions.
func specialFits() (all []fit) {
	names := [2]string{"J0", "J1"}
	for n := range int64(2) {
		near := func(u *big.Float) *big.Float { // J₀ or J₁/x
			x := awayFromZero(root(u))
			return quo(besselJ(n, x), []*big.Float{whole(1), x}[n])
		}
		zero := fit{name: "J0 near 0", file: "bessel.go", lo: 0, hi: 2.1038, terms: 8, bits: 53,
			f:      func(u *big.Float) *big.Float { return quo(sub(near(u), sub(whole(1), scaleDown(u, 2))), square(u)) },
			weight: func(u *big.Float) *big.Float { return quo(square(u), near(u)) }}
		if n == 1 {
			zero = fit{name: "J1 near 0", file: "bessel.go", lo: 0, hi: 1.44, terms: 7, bits: 53,
				f:      func(u *big.Float) *big.Float { return quo(sub(near(u), real(0.5)), u) },
				weight: func(u *big.Float) *big.Float { return quo(u, near(u)) }}
		}
		all = append(all, zero)
		for i, c := range besselCenters[n] {
			all = append(all, c.expansion(names[n]+" near "+[]string{"2.4", "3.9", "5.5", "7.1", "2", "3.8", "5.4", "7.0"}[4*n+int64(i)], "bessel.go", 14,
				func(x *big.Float) *big.Float { return besselJ(n, x) }))
		}
		slope := real(-0.125)
		if n == 1 {
			slope = real(0.375)
		}
		all = append(all, fit{name: names[n] + ", phase", file: "bessel.go", lo: 0, hi: 1 / (7.85 * 7.85), terms: 16, bits: 53,
			f: func(u *big.Float) *big.Float {
				q := root(u)
				a, _ := besselWave(n, quo(whole(1), q))
				return quo(sub(a, mul(q, slope)), mul(q, u))
			},
			weight: func(*big.Float) *big.Float { return real(1 / (7.85 * 7.85 * 7.85)) }})
		all = append(all, fit{name: names[n] + ", size", file: "bessel.go", lo: 0, hi: 1 / (7.85 * 7.85), terms: 14, bits: 53,
			f: func(u *big.Float) *big.Float {
				_, b := besselWave(n, quo(whole(1), root(u)))
				return quo(sub(b, whole(1)), u)
			},
			weight: func(*big.Float) *big.Float { return real(1 / (7.85 * 7.85)) }})
	}
	for i, c := range gammaCenters {
		all = append(all, c.expansion("lgamma near "+[]string{"1", "1.5", "2", "2.8"}[i], "lgamma.go", 15, lgamma))
	}
	return append(all, fit{name: "lgamma beyond 3.3", file: "lgamma.go", lo: 0, hi: 1 / (3.3 * 3.3), terms: 12, bits: 53,
		f:      func(u *big.Float) *big.Float { return stirlingRest(quo(whole(1), root(u))) },
		weight: func(*big.Float) *big.Float { return real(1 / 3.3) }})
}
