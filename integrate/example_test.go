package integrate_test

import (
	"errors"
	"fmt"
	"math"

	"github.com/lanewise/lanewise/integrate"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
)

func Example() {
	// Predators y eat prey x: x' = x·(birth - y), y' = y·(x - 1). Each row has its own birth rate.
	birth := []float64{0.5, 1, 2}
	ode := integrate.ODE[float64]{Rate: func(dst, x [][]float64, b integrate.Block[float64]) error {
		birth := birth[b.Lo:b.Hi] // of the rows of this block
		prey, predators, dx, dy := x[0], x[1], dst[0], dst[1]
		for i := range prey {
			dx[i] = prey[i] * (birth[i] - predators[i])
			dy[i] = predators[i] * (prey[i] - 1)
		}
		return nil
	}}
	prey, predators := []float64{2, 2, 2}, []float64{1, 1, 1}
	state := [][]float64{prey, predators}
	if err := ode.RK4(state, 0, 0.01, 500); err != nil { // 500 steps of length 0.01 from the time 0 on
		fmt.Println(err)
	}
	fmt.Printf("prey %.4f predators %.4f\n", prey, predators)
	// Output:
	// prey [0.4964 1.0051 2.3203] predators [0.1452 0.4064 1.2108]
}

func ExampleODE_DormandPrince() {
	// Comets around a sun, with the half axis 1. A round takes 2π. The last one comes very near to the sun.
	eccentricity := []float64{0, 0.5, 0.9, 0.99}
	ode := integrate.ODE[float64]{Rate: func(dst, x [][]float64, _ integrate.Block[float64]) error {
		copy(dst[0], x[2]) // x' and y' are the velocities
		copy(dst[1], x[3])
		for i, px := range x[0] {
			py := x[1][i]
			r2 := float64(px*px) + float64(py*py)
			pull := -1 / (r2 * math.Sqrt(r2))
			dst[2][i], dst[3][i] = pull*px, pull*py
		}
		return nil
	}}
	x := make([][]float64, 4) // x, y, and their velocities
	for l := range x {
		x[l] = make([]float64, len(eccentricity))
	}
	for i, e := range eccentricity {
		x[0][i], x[3][i] = 1-e, math.Sqrt((1+e)/(1-e))
	}
	control := integrate.Control{Rtol: 1e-9, Atol: 1e-12}
	if err := ode.DormandPrince(x, 0, 2*math.Pi, &control); err != nil {
		fmt.Println(err)
	}
	for i, e := range eccentricity {
		fmt.Printf("%4.2f: off by %.0e, next step %.1e\n", e, kernels.HypotOf(x[0][i]-(1-e), x[1][i]), control.Next[i])
	}
	fmt.Println(control.Accepted, "steps,", control.Rejected, "rejected")
	// Output:
	// 0.00: off by 3e-09, next step 3.5e-02
	// 0.50: off by 3e-08, next step 1.0e-02
	// 0.90: off by 2e-07, next step 8.8e-04
	// 0.99: off by 7e-06, next step 2.7e-05
	// 902 steps, 19 rejected
}

func ExampleODE_DormandPrince_coupled() {
	// A rod of 50 points, whose ends are cold. All rows are one system, because a point exchanges heat with its neighbours.
	ode := integrate.ODE[float64]{Coupled: true, Rate: func(dst, x [][]float64, b integrate.Block[float64]) error {
		heat, rate := x[0], dst[0]
		for i := range heat {
			left, right := 0.0, 0.0
			if i > 0 {
				left = heat[i-1]
			}
			if i < len(heat)-1 {
				right = heat[i+1]
			}
			rate[i] = (left + right) - 2*heat[i]
		}
		return nil
	}}
	rod := make([]float64, 50)
	kernels.Fill(rod, 100)
	control := integrate.Control{Rtol: 1e-6, Atol: 1e-6}
	for time := 0.0; time < 300; time += 100 { // each call continues with the step length of the last one
		if err := ode.DormandPrince([][]float64{rod}, time, time+100, &control); err != nil {
			fmt.Println(err)
		}
		fmt.Printf("time %3.0f: the middle has %.4f, after %d steps\n", time+100, rod[25], control.Accepted)
	}
	// Output:
	// time 100: the middle has 85.6643, after 133 steps
	// time 200: the middle has 59.5309, after 254 steps
	// time 300: the middle has 40.7682, after 375 steps
}

func ExampleODE_Verlet() {
	// The example prints the largest error of the energy of a planet, in rounds 10, 100 and 1,000, with the
	// same number of calls of Rate.
	const calls = 240 // in a round
	motion := integrate.ODE[float64]{Rate: kepler[float64]}
	first := integrate.ODE[float64]{Rate: keplerFirst[float64]}
	fmt.Println("round           10       100      1000")
	for _, m := range []struct {
		name  string
		steps int // in a round
		run   func(x, v, acc [][]float64, h float64, n int) error
	}{
		{"Verlet  ", calls, func(x, v, acc [][]float64, h float64, n int) error { return motion.Verlet(x, v, acc, 0, h, n) }},
		{"Yoshida4", calls / 3, func(x, v, acc [][]float64, h float64, n int) error { return motion.Yoshida4(x, v, acc, 0, h, n) }},
		{"RK4     ", calls / 4, func(x, v, _ [][]float64, h float64, n int) error {
			return first.RK4([][]float64{x[0], x[1], v[0], v[1]}, 0, h, n)
		}},
	} {
		fmt.Print(m.name)
		x, v := [][]float64{{0.8}, {0}}, [][]float64{{0}, {math.Sqrt(1.2 / 0.8)}} // an eccentricity of 0.2
		acc := [][]float64{{0}, {0}}
		if err := motion.Eval(acc, x, 0); err != nil { // without acc, each call of Verlet would call Rate once more
			fmt.Println(err)
		}
		h, round := 2*math.Pi/float64(m.steps), 0
		for _, last := range []int{10, 100, 1000} {
			if err := m.run(x, v, acc, h, (last-1-round)*m.steps); err != nil {
				fmt.Println(err)
			}
			worst := 0.0
			for range m.steps {
				if err := m.run(x, v, acc, h, 1); err != nil {
					fmt.Println(err)
				}
				energy := float64((float64(v[0][0]*v[0][0])+float64(v[1][0]*v[1][0]))/2) - 1/kernels.HypotOf(x[0][0], x[1][0])
				worst = max(worst, math.Abs(float64(energy/-0.5)-1))
			}
			round = last
			fmt.Printf("  %8.1e", worst)
		}
		fmt.Println()
	}
	// Output:
	// round           10       100      1000
	// Verlet     1.8e-04   1.8e-04   1.8e-04
	// Yoshida4   2.6e-05   2.6e-05   2.6e-05
	// RK4        6.6e-05   6.7e-04   6.7e-03
}

func ExampleODE_Langevin() {
	// This example has 10,000 particles in a valley with two minima, at -1 and 1. All begin
	// at -1, and the noise brings some of them to the other side.
	const n, h = 10_000, 0.05
	ode := integrate.ODE[float32]{Rate: func(dst, x [][]float32, _ integrate.Block[float32]) error {
		for i, at := range x[0] {
			dst[0][i] = 4 * at * (1 - float32(at*at))
		}
		return nil
	}}
	x, v, acc := make([]float32, n), make([]float32, n), make([]float32, n)
	kernels.Fill(x, -1)
	pos, vel, accel := [][]float32{x}, [][]float32{v}, [][]float32{acc}
	bath := integrate.Bath[float32]{Friction: 1, Temperature: 0.4, Key: random.Key{Seed: 1}}
	if err := ode.Eval(accel, pos, 0); err != nil { // the first accelerations
		fmt.Println(err)
	}
	for time := 0.0; time < 40; time += 10 {
		if err := ode.Langevin(pos, vel, accel, time, h, 10/h, &bath); err != nil {
			fmt.Println(err)
		}
		right := 0
		for _, at := range x {
			if at > 0 {
				right++
			}
		}
		fmt.Printf("time %2.0f: %4.1f %% are on the right, the temperature is %.3f\n", time+10, 100*float64(right)/n, kernels.Dot(v, v)/n)
	}
	// Output:
	// time 10: 17.1 % are on the right, the temperature is 0.405
	// time 20: 31.1 % are on the right, the temperature is 0.389
	// time 30: 38.9 % are on the right, the temperature is 0.398
	// time 40: 43.7 % are on the right, the temperature is 0.403
}

func ExampleError() {
	// x' = x² is infinite at the time 1/x.
	ode := integrate.ODE[float64]{Rate: func(dst, x [][]float64, _ integrate.Block[float64]) error {
		kernels.Mul(dst[0], x[0], x[0])
		return nil
	}}
	x := []float64{-1, 0.5, -2}
	err := ode.DormandPrince([][]float64{x}, 0, 4, &integrate.Control{Rtol: 1e-6, Atol: 1e-6})
	fmt.Println(err)
	var failed *integrate.Error
	if errors.As(err, &failed) {
		fmt.Printf("row %d at %.3f: %v\n", failed.Row, failed.Time, errors.Is(err, integrate.ErrStep))
	}
	fmt.Printf("%.3f\n", x) // the other rows have arrived
	// Output:
	// integrate: DormandPrince: row 1, mainly lane 0: at time 2.0000008489268404 a step of 3.71e-15 had too large an error: the solution has a singularity here, or the Rate has a jump or noise: end before it, or raise the tolerances
	// row 1 at 2.000: true
	// [-0.200 0.500 -0.222]
}
