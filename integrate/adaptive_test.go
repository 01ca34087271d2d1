package integrate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/integrate"
	"github.com/lanewise/lanewise/kernels"
)

// TestTolerance follows planets for three rounds with different tolerances. The error must be proportional to the tolerance
// within a factor, and the number of steps must grow by the fifth root of the tolerance.
func TestTolerance(t *testing.T) {
	for _, coupled := range []bool{false, true} {
		o := integrate.ODE[float64]{Rate: keplerFirst[float64], Coupled: coupled}
		var tolerances, errors, steps []float64
		for tolerance := 1e-6; tolerance > 1e-12; tolerance /= 10 {
			x, begin := swarm[float64](20), swarm[float64](20)
			c := integrate.Control{Rtol: tolerance, Atol: tolerance}
			must(t, o.DormandPrince(x, 0, 6*math.Pi, &c))
			far := 0.0
			for i := range x[0] {
				far = max(far, math.Hypot(x[0][i]-begin[0][i], x[1][i]-begin[1][i]))
			}
			tolerances, errors, steps = append(tolerances, tolerance), append(errors, far), append(steps, float64(c.Accepted))
			if c.Rejected > c.Accepted/4 {
				t.Errorf("tolerance %.0e: %d of %d steps are rejected", tolerance, c.Rejected, c.Accepted+c.Rejected)
			}
			if far > 5000*tolerance {
				t.Errorf("tolerance %.0e: the error is %.2g", tolerance, far)
			}
		}
		t.Logf("coupled %v: errors %.2g, steps %v", coupled, errors, steps)
		if p := slope(tolerances, errors); p < 0.85 || p > 1.3 {
			t.Errorf("coupled %v: the error grows with the power %.2f of the tolerance: %.2g", coupled, p, errors)
		}
		if p := slope(tolerances, steps); p < -0.22 || p > -0.16 {
			t.Errorf("coupled %v: the number of steps grows with the power %.3f of the tolerance, want -1/5: %v", coupled, p, steps)
		}
	}
}

// TestLinear compares random systems y' = A·y with the exponential series. If A is antisymmetric, the integration backwards
// in time is as stable as the integration forwards.
func TestLinear(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for k := range 50 {
		rotation := k%2 == 0
		rows, lanes := 1+r.IntN(90), 1+r.IntN(5)
		a := make([][]float64, lanes)
		for l := range a {
			a[l] = make([]float64, lanes)
			for k := range a[l] {
				a[l][k] = r.NormFloat64()
			}
		}
		for l := range a {
			for k := 0; rotation && k <= l; k++ {
				a[l][k] = -a[k][l]
			}
			if rotation {
				a[l][l] = 0
			}
		}
		speed := make([]float64, rows)
		for i := range speed {
			speed[i] = math.Exp(0.3 * r.NormFloat64())
		}
		o := integrate.ODE[float64]{Coupled: r.IntN(2) == 0, Rate: func(dst, x [][]float64, b integrate.Block[float64]) error {
			for l := range dst {
				for i := range dst[l] {
					sum := 0.0
					for k := range x {
						sum += a[l][k] * x[k][i]
					}
					dst[l][i] = speed[b.Lo+i] * sum
				}
			}
			return nil
		}}
		x := lanesOf[float64](lanes, rows)
		for l := range x {
			for i := range x[l] {
				x[l][i] = r.NormFloat64()
			}
		}
		begin := copyOf(x)
		start := r.NormFloat64()
		end := start + r.NormFloat64()*0.5
		c := integrate.Control{Rtol: 1e-9, Atol: 1e-9}
		must(t, o.DormandPrince(x, start, end, &c))
		most := 0.0
		for i := range rows {
			want := exponential(a, begin, i, speed[i]*(end-start))
			for l := range want {
				most = max(most, math.Abs(x[l][i]-want[l])/(1+math.Abs(want[l])))
			}
		}
		if most > 2e-6 {
			t.Errorf("coupled %v, %d rows, %d lanes from %v to %v: the error is %.2g", o.Coupled, rows, lanes, start, end, most)
		}
		if !rotation {
			continue
		}
		must(t, o.DormandPrince(x, end, start, &c))
		for l := range x {
			for i := range x[l] {
				if math.Abs(x[l][i]-begin[l][i]) > 1e-6*(1+math.Abs(begin[l][i])) {
					t.Errorf("row %d of lane %d is %v after the way back, was %v", i, l, x[l][i], begin[l][i])
				}
			}
		}
	}
}

// exponential returns exp(A·t)·x for one row.
func exponential(a, x [][]float64, row int, t float64) []float64 {
	sum, term := make([]float64, len(a)), make([]float64, len(a))
	for l := range a {
		term[l] = x[l][row]
		sum[l] = term[l]
	}
	for n := 1; n < 200; n++ {
		next := make([]float64, len(a))
		for l := range a {
			for k := range a {
				next[l] += a[l][k] * term[k] * t / float64(n)
			}
			sum[l] += next[l]
		}
		term = next
	}
	return sum
}

// TestNext checks that each call continues with the last step lengths of the previous call.
func TestNext(t *testing.T) {
	for _, coupled := range []bool{false, true} {
		o := integrate.ODE[float32]{Rate: pushedFirst[float32], Coupled: coupled}
		once, parts := swarm[float32](200), swarm[float32](200)
		whole, c := integrate.Control{Rtol: 1e-4, Atol: 1e-5}, integrate.Control{Rtol: 1e-4, Atol: 1e-5}
		must(t, o.DormandPrince(once, 1, 9, &whole))
		for k := range 16 {
			must(t, o.DormandPrince(parts, 1+float64(k)/2, 1+float64(k+1)/2, &c))
		}
		systems := len(c.Next)
		if want := map[bool]int{false: 200, true: 1}[coupled]; systems != want {
			t.Errorf("coupled %v: len(Next) is %d, want %d", coupled, systems, want)
		}
		if extra := c.Accepted + c.Rejected - whole.Accepted - whole.Rejected; extra > 17*systems {
			t.Errorf("coupled %v: sixteen parts take %d steps more than %d", coupled, extra, whole.Accepted)
		}
		for i := range once[0] {
			if d := math.Abs(float64(once[0][i] - parts[0][i])); d > 0.02 {
				t.Errorf("coupled %v: row %d is at %v and %v", coupled, i, once[0][i], parts[0][i])
			}
		}
	}
}

// TestTimes checks that no stage is outside of the time interval, and that the last stage is at its end.
func TestTimes(t *testing.T) {
	for _, way := range [][2]float64{{0, 1}, {1, 0}, {-7.3, 4.1}, {1e6, 1e6 + 1e-3}, {0, 1e-300}} {
		for _, coupled := range []bool{false, true} {
			last, size := make([]float64, 70), max(math.Abs(way[0]), math.Abs(way[1]))
			o := integrate.ODE[float64]{Coupled: coupled, Rate: func(dst, x [][]float64, b integrate.Block[float64]) error {
				for i := range dst[0] {
					time := b.Time
					if b.Times != nil {
						time = b.Times[i]
					}
					if far := max(time-max(way[0], way[1]), min(way[0], way[1])-time); !(far <= 4e-16*size) {
						t.Errorf("a time is %v, outside of %v", time, way)
					}
					last[b.Lo+i] = time
					dst[0][i] = -x[0][i]
				}
				return nil
			}}
			x := lanesOf[float64](1, 70)
			kernels.Fill(x[0], 1)
			must(t, o.DormandPrince(x, way[0], way[1], &integrate.Control{Rtol: 1e-6, Atol: 1e-9}))
			for i, time := range last {
				if math.Abs(time-way[1]) > 4e-16*size || math.Abs(x[0][i]/math.Exp(way[0]-way[1])-1) > 1e-3 {
					t.Errorf("%v, coupled %v: row %d is %v at %v", way, coupled, i, x[0][i], time)
				}
			}
		}
	}
}
