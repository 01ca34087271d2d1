package main

import (
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// BenchmarkKernels measures loops in Go, the kernels into which lanec compiles these loops, and the
// kernels of package kernels that do the same.
func BenchmarkKernels(b *testing.B) {
	const rows, bodies = 4096, 1024
	x, v := filled(rows), filled(rows)
	q, r, s := filledQuats(rows), filledQuats(rows), filledQuats(rows)
	pos, acc := filled(bodies), filled(bodies)
	turns, seed := make([]int32, rows), make([]uint32, rows)
	wide, root64 := make([]float64, rows), make([]float64, rows)
	cx, cy := make([]float32, rows), make([]float32, rows)
	for i := range rows {
		cx[i], cy[i] = -2+3*float32(i%64)/64, -1.5+3*float32(i/64)/64
		seed[i], wide[i] = uint32(i)*2654435761+1, float64(i%97)
	}
	spot, strike, years := filled(rows).X, filled(rows).X, filled(rows).X
	for i := range rows {
		spot[i], strike[i], years[i] = 50+100*spot[i], 60+80*strike[(i*7)%rows], 0.1+2*years[i]
	}
	x8, v8 := x.Slice(0, 8), v.Slice(0, 8)
	for _, c := range []struct {
		name string
		rows int
		run  func()
	}{
		{"kernel=move/by=go", rows, func() { move(x, v, 1e-6) }},
		{"kernel=move/by=lanec", rows, func() { Move(x, v, 1e-6) }},
		{"kernel=move/by=hand", rows, func() { x.AddScaled(x, v, 1e-6) }},
		{"kernel=product/by=go", rows, func() { product(q, r, s) }},
		{"kernel=product/by=lanec", rows, func() { Product(q, r, s) }},
		{"kernel=product/by=hand", rows, func() { q.Mul(r, s) }},
		{"kernel=spring/by=go", rows, func() { spring(v.X, v.Y, 0.1, 3, 0.2, 0.7, 0.01) }},
		{"kernel=spring/by=lanec", rows, func() { Spring(v.X, v.Y, 0.1, 3, 0.2, 0.7, 0.01) }},
		{"kernel=gravity/by=go", bodies * bodies, func() { gravity(acc, pos, pos.X, 1e-3) }},
		{"kernel=gravity/by=lanec", bodies * bodies, func() { Gravity(acc, pos, pos.X, 1e-3) }},
		{"kernel=escape/by=go", rows, func() { escape(turns, cx, cy, 256) }},
		{"kernel=escape/by=lanec", rows, func() { Escape(turns, cx, cy, 256) }},
		{"kernel=root/by=go", rows, func() { root(root64, wide) }},
		{"kernel=root/by=lanec", rows, func() { Root(root64, wide) }},
		{"kernel=wave/by=go", rows, func() { wave(cx, cy, seed, 7, false) }},
		{"kernel=wave/by=lanec", rows, func() { Wave(cx, cy, seed, 7, false) }},
		{"kernel=price/by=go", rows, func() { price(cx, spot, strike, years, 0.03, 0.2) }},
		{"kernel=price/by=lanec", rows, func() { Price(cx, spot, strike, years, 0.03, 0.2) }},
		{"kernel=price/by=hand", rows, func() { priceByKernels(cx, spot, strike, years, 0.03, 0.2) }},
		{"kernel=call/by=lanec", 8, func() { Move(&x8, &v8, 1e-6) }},
		{"kernel=call/by=hand", 8, func() { x8.AddScaled(&x8, &v8, 1e-6) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.run()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.rows), "ns/row")
		})
	}
}

// priceByKernels does the same as price by calls of package kernels. It processes blocks of rows,
// so that intermediate results stay in the first-level cache. Its sums have another order, so the
// last bits differ.
func priceByKernels(call, spot, strike, years []float32, rate, volatility float32) {
	const block = 512
	var lanes [4][block]float32
	for lo := 0; lo < len(call); lo += block {
		hi := min(lo+block, len(call))
		out, s, k, y := call[lo:hi], spot[lo:hi], strike[lo:hi], years[lo:hi]
		deviation, d, e, paid := lanes[0][:hi-lo], lanes[1][:hi-lo], lanes[2][:hi-lo], lanes[3][:hi-lo]
		kernels.Sqrt(deviation, y)
		kernels.Scale(deviation, deviation, volatility)
		kernels.Div(d, s, k)
		kernels.Log(d, d)
		kernels.AddScaled(d, d, y, rate+float32(float32(volatility*volatility)*0.5))
		kernels.Div(d, d, deviation)
		kernels.Sub(e, d, deviation)
		kernels.NormalCDF(d, d)
		kernels.NormalCDF(e, e)
		kernels.Scale(paid, y, -rate)
		kernels.Exp(paid, paid)
		kernels.Mul(paid, paid, k)
		kernels.Mul(e, e, paid)
		kernels.Mul(d, d, s)
		kernels.Sub(out, d, e)
	}
}

func filled(n int) *kernels.Vec3s[float32] {
	v := vectors(n)
	for i := range n {
		v.X[i], v.Y[i], v.Z[i] = float32(i%31)/31, float32(i%37)/37, float32(i%41)/41
	}
	return v
}

func filledQuats(n int) *kernels.Quats[float32] {
	v := filled(n)
	return &kernels.Quats[float32]{X: v.X, Y: v.Y, Z: v.Z, W: filled(n).X}
}
