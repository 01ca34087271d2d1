package integrate_test

import (
	"math"
	"testing"

	"github.com/lanewise/lanewise/integrate"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
)

// slope fits p in error ~ h^p by least squares of the logarithms.
func slope(h, errors []float64) float64 {
	var sx, sy, sxx, sxy float64
	n := float64(len(h))
	for i := range h {
		x, y := math.Log(h[i]), math.Log(errors[i])
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// wantOrder checks the order of a method. The function run returns the error for n steps.
func wantOrder(t *testing.T, name string, want float64, least int, run func(n int) float64) {
	t.Helper()
	var h, errors []float64
	for n := least; n <= 8*least; n *= 2 {
		h, errors = append(h, 1/float64(n)), append(errors, run(n))
	}
	p := slope(h, errors)
	t.Logf("%s: order %.3f, errors %.2g", name, p, errors)
	if math.Abs(p-want) > 0.1 {
		t.Errorf("%s has the order %.3f, want %v; errors %.3g", name, p, want, errors)
	}
}

// rational is y' = -2·a·t·y², whose solution is 1/(c + a·t²). Row i has its own a. It tests the times that a Rate receives.
func rational(a []float64) integrate.Rate[float64] {
	return func(dst, x [][]float64, b integrate.Block[float64]) error {
		for i, y := range x[0] {
			time := b.Time
			if b.Times != nil {
				time = b.Times[i]
			}
			dst[0][i] = -2 * a[b.Lo+i] * time * y * y
		}
		return nil
	}
}

// TestOrder fits the orders of the methods for first-order equations.
func TestOrder(t *testing.T) {
	a := []float64{1, 0.5, 2}
	for _, coupled := range []bool{false, true} {
		o := integrate.ODE[float64]{Rate: rational(a), Coupled: coupled}
		distance := func(x []float64) (most float64) {
			for i, y := range x {
				most = max(most, math.Abs(y-1/(1+a[i]*4)))
			}
			return most
		}
		wantOrder(t, "RK4", 4, 40, func(n int) float64 {
			x := []float64{1, 1, 1}
			must(t, o.RK4([][]float64{x}, 0, 2/float64(n), n))
			return distance(x)
		})
		planet := integrate.ODE[float64]{Rate: keplerFirst[float64], Coupled: coupled}
		wantOrder(t, "DormandPrince", 5, 120, func(n int) float64 {
			x, v := orbits[float64](1)
			c := integrate.Control{Rtol: 1, Atol: 1, Longest: 2 * math.Pi / float64(n), Next: []float64{1}}
			must(t, planet.DormandPrince([][]float64{x[0], x[1], v[0], v[1]}, 0, 2*math.Pi, &c))
			if c.Accepted < n || c.Accepted > n+1 || c.Rejected != 0 {
				t.Errorf("%d steps and %d rejected, want %d", c.Accepted, c.Rejected, n)
			}
			return math.Hypot(x[0][0]-0.9, x[1][0])
		})
	}
}

// kepler is the acceleration of planets around a sun at 0, in a plane. The lanes are x and y, and the mass of the sun is 1.
func kepler[T kernels.Float](dst, x [][]T, _ integrate.Block[T]) error {
	for i, px := range x[0] {
		py := x[1][i]
		r2 := T(px*px) + T(py*py)
		w := -1 / (r2 * T(math.Sqrt(float64(r2))))
		dst[0][i], dst[1][i] = T(w*px), T(w*py)
	}
	return nil
}

// keplerFirst is the same problem as a first-order equation, with the lanes x, y, vx and vy.
func keplerFirst[T kernels.Float](dst, x [][]T, b integrate.Block[T]) error {
	copy(dst[0], x[2])
	copy(dst[1], x[3])
	return kepler(dst[2:], x[:2], b)
}

// orbits returns planets at their perihelia, on ellipses with the half axis 1 and eccentricities from 0.1 on. A round takes 2π.
func orbits[T kernels.Float](n int) (x, v [][]T) {
	x, v = lanesOf[T](2, n), lanesOf[T](2, n)
	for i := range n {
		e := 0.1 + 0.5*float64(i)/float64(n)
		x[0][i], v[1][i] = T(1-e), T(math.Sqrt((1+e)/(1-e)))
	}
	return x, v
}

// TestMotionOrder fits the orders of the methods for equations of motion.
func TestMotionOrder(t *testing.T) {
	for _, coupled := range []bool{false, true} {
		o := integrate.ODE[float64]{Rate: kepler[float64], Coupled: coupled}
		run := func(step func(x, v, acc [][]float64, start, h float64, n int) error) func(n int) float64 {
			return func(n int) float64 {
				x, v := orbits[float64](1)
				must(t, step(x, v, nil, 0, 2*math.Pi/float64(n), n))
				return math.Hypot(x[0][0]-0.9, x[1][0])
			}
		}
		wantOrder(t, "Verlet", 2, 200, run(o.Verlet))
		wantOrder(t, "Yoshida4", 4, 200, run(o.Yoshida4))
	}
}

// TestReverse integrates forwards and then backwards. Symplectic methods must return to the start, except for rounding
// errors.
func TestReverse(t *testing.T) {
	o := integrate.ODE[float64]{Rate: kepler[float64]}
	first := integrate.ODE[float64]{Rate: keplerFirst[float64]}
	for _, c := range []struct {
		name string
		step func(x, v, acc [][]float64, start, h float64, n int) error
		most float64
	}{
		{"Verlet", o.Verlet, 1e-9},
		{"Yoshida4", o.Yoshida4, 1e-9},
		{"RK4", func(x, v, _ [][]float64, start, h float64, n int) error {
			return first.RK4([][]float64{x[0], x[1], v[0], v[1]}, start, h, n)
		}, math.Inf(1)},
	} {
		x, v := orbits[float64](100)
		begin, _ := orbits[float64](100)
		must(t, c.step(x, v, nil, 0, 0.05, 400))
		for _, lane := range v {
			kernels.Scale(lane, lane, -1)
		}
		must(t, c.step(x, v, nil, 0, 0.05, 400))
		far := 0.0
		for l := range x {
			for i := range x[l] {
				far = max(far, math.Abs(x[l][i]-begin[l][i]))
			}
		}
		t.Logf("%s: %.2g from the start", c.name, far)
		if far > c.most {
			t.Errorf("%s: %v from the start after 400 steps forth and back, want at most %v", c.name, far, c.most)
		}
		if c.name == "RK4" && far < 1e-6 {
			t.Error("RK4 is as reversible as the others: the test cannot fail")
		}
	}
}

// TestLangevinTemperature measures mean squares of harmonic oscillators. With BAOAB the distribution of the
// positions is exact for every step. The distribution of the velocities is too narrow by h²/4, which is an error of order 2.
func TestLangevinTemperature(t *testing.T) {
	const rows, temperature = 20_000, 0.7
	o := integrate.ODE[float64]{Rate: func(dst, x [][]float64, _ integrate.Block[float64]) error {
		kernels.Scale(dst[0], x[0], -1)
		return nil
	}}
	var hs, errors []float64
	for _, h := range []float64{0.6, 0.85, 1.2} {
		x, v, acc := lanesOf[float64](1, rows), lanesOf[float64](1, rows), lanesOf[float64](1, rows)
		bath := integrate.Bath[float64]{Friction: 1.5, Temperature: temperature, Key: random.Key{Seed: 5, Stream: 9}}
		must(t, o.Langevin(x, v, acc, 0, h, 12, &bath))
		var place, speed float64
		const samples = 40
		for range samples {
			must(t, o.Langevin(x, v, acc, 0, h, 2, &bath))
			place += kernels.Dot(x[0], x[0]) / rows / samples
			speed += kernels.Dot(v[0], v[0]) / rows / samples
		}
		if want := uint32(12 + 2*samples); bath.Key.Tick != want {
			t.Errorf("Key.Tick is %d after %d steps", bath.Key.Tick, want)
		}
		if off := math.Abs(place/temperature - 1); off > 0.005 {
			t.Errorf("h = %v: the temperature of the positions is %v, want %v", h, place, temperature)
		}
		hs, errors = append(hs, h), append(errors, 1-speed/temperature)
	}
	if p := slope(hs, errors); math.Abs(p-2) > 0.1 {
		t.Errorf("the error of the velocities has the order %.3f, want 2: %.4f", p, errors)
	}
	for i, h := range hs {
		if want := h * h / 4; math.Abs(errors[i]/want-1) > 0.05 {
			t.Errorf("h = %v: the velocities are too cold by %.4f, want %.4f", h, errors[i], want)
		}
	}
}

// TestLangevinMass checks masses and free diffusion. Without forces, the mean of m·v² is the temperature, and the mean
// square of the displacement is 2·t·temperature/(mass·friction).
func TestLangevinMass(t *testing.T) {
	const rows, h, steps = 9_000, 0.1, 150
	o := integrate.ODE[float64]{Rate: func(dst, _ [][]float64, _ integrate.Block[float64]) error {
		for _, lane := range dst {
			kernels.Fill(lane, 0)
		}
		return nil
	}}
	mass := make([]float64, rows)
	for i := range mass {
		mass[i] = 1 + float64(i%3)
	}
	for _, o.Coupled = range []bool{false, true} {
		x, v := lanesOf[float64](2, rows), lanesOf[float64](2, rows)
		bath := integrate.Bath[float64]{Friction: 2, Temperature: 3, Mass: mass, Key: random.Key{Seed: 8}}
		must(t, o.Langevin(x, v, nil, 0, h, steps, &bath))
		for m := range 3 {
			var energy, way, cross float64
			for i := m; i < rows; i += 3 {
				energy += mass[i] * (v[0][i]*v[0][i] + v[1][i]*v[1][i]) / 2
				way += mass[i] * (x[0][i]*x[0][i] + x[1][i]*x[1][i]) / 2
				cross += mass[i] * v[0][i] * v[1][i]
			}
			n := float64(rows / 3)
			if energy /= n; math.Abs(energy/3-1) > 0.06 {
				t.Errorf("mass %d: the temperature is %v, want 3", m+1, energy)
			}
			if cross /= n; math.Abs(cross) > 0.2 {
				t.Errorf("mass %d: the lanes have the covariance %v, want 0", m+1, cross)
			}
			if want := 2 * 3 / 2.0 * (h*steps - 1.5/2); math.Abs(way/n/want-1) > 0.06 {
				t.Errorf("mass %d: the mean square of the way is %v, want about %v", m+1, way/n, want)
			}
		}
	}
}

func lanesOf[T kernels.Float](lanes, rows int) [][]T {
	x := make([][]T, lanes)
	for l := range x {
		x[l] = make([]T, rows)
	}
	return x
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
