package integrate_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/integrate"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
)

// timeOf returns the time of row i of a block.
func timeOf[T kernels.Float](b integrate.Block[T], i int) float64 {
	if b.Times != nil {
		return b.Times[i]
	}
	return b.Time
}

// TestLateTimes integrates cos t from the time 1e7 on. A float32 cannot represent such a time exactly: at
// 1e7, neighbouring float32 numbers are 1 apart.
func TestLateTimes(t *testing.T) {
	const start, end = 1e7, 1e7 + 8
	want := math.Sin(end) - math.Sin(start)
	for _, coupled := range []bool{false, true} {
		o := integrate.ODE[float32]{Coupled: coupled, Rate: func(dst, _ [][]float32, b integrate.Block[float32]) error {
			for i := range dst[0] {
				dst[0][i] = float32(math.Cos(timeOf(b, i)))
			}
			return nil
		}}
		x := lanesOf[float32](1, 70)
		must(t, o.DormandPrince(x, start, end, &integrate.Control{Rtol: 1e-5, Atol: 1e-5}))
		for i, got := range x[0] {
			if math.Abs(float64(got)-want) > 1e-3 {
				t.Fatalf("coupled %v: row %d is %v, want %.4f", coupled, i, got, want)
			}
		}
	}
}

// TestStepTimes compares a call with n steps with n calls with one step. It uses a Rate that depends on the
// time, and step lengths whose multiples are rounded in float64.
func TestStepTimes(t *testing.T) {
	const n = 50
	for _, h := range []float64{0.1, 1.0 / 3, -0.7} {
		for _, coupled := range []bool{false, true} {
			o := integrate.ODE[float64]{Coupled: coupled, Rate: func(dst, _ [][]float64, b integrate.Block[float64]) error {
				kernels.Fill(dst[0], math.Cos(b.Time))
				return nil
			}}
			bath := integrate.Bath[float64]{}
			for name, run := range map[string]func(x [][]float64, start float64, n int) error{
				"RK4":      func(x [][]float64, start float64, n int) error { return o.RK4(x[:1], start, h, n) },
				"Verlet":   func(x [][]float64, start float64, n int) error { return o.Verlet(x[:1], x[1:2], x[2:], start, h, n) },
				"Yoshida4": func(x [][]float64, start float64, n int) error { return o.Yoshida4(x[:1], x[1:2], x[2:], start, h, n) },
				"Langevin": func(x [][]float64, start float64, n int) error {
					return o.Langevin(x[:1], x[1:2], x[2:], start, h, n, &bath)
				},
			} {
				once, calls := lanesOf[float64](3, 5), lanesOf[float64](3, 5)
				must(t, run(once, 0.3, n))
				for k := range n {
					must(t, run(calls, 0.3+float64(float64(k)*h), 1))
				}
				if d := sameBits(once, calls); d != "" {
					t.Errorf("%s, step %v, coupled %v: %s", name, h, coupled, d)
				}
			}
		}
	}
}

// TestRateErrorWorkers lets Rate fail for some rows. Sometimes the error is an Error that Rate itself
// creates. The rows that advance, and the error, must be the same for every number of workers.
func TestRateErrorWorkers(t *testing.T) {
	for _, rows := range []int{100, 1000, 5000} {
		for _, m := range methods[float32]() {
			var want [][]float32
			var text string
			for _, workers := range []int{0, 1, 8} {
				o := &integrate.ODE[float32]{Rate: func(dst, x [][]float32, b integrate.Block[float32]) error {
					if b.Lo <= rows/2 && rows/2 < b.Hi {
						return &integrate.Error{Row: 0, Err: fmt.Errorf("row %d", b.Lo)} // another row than that of the block
					}
					for row := rows / 3; row < rows; row += rows / 5 {
						if b.Lo <= row && row < b.Hi {
							return fmt.Errorf("row %d", row)
						}
					}
					return pushedPlanets(dst, x, b)
				}}
				if workers > 0 {
					o.Pool = jobs.New(jobs.Workers(workers))
				}
				x := swarm[float32](rows)
				err := m.run(o, x, 2, nil)
				if o.Pool != nil {
					must(t, o.Pool.Close())
				}
				if err == nil {
					t.Fatalf("%s, %d rows: no error", m.name, rows)
				}
				if want == nil {
					want, text = x, err.Error()
				} else if d := sameBits(want, x); d != "" || err.Error() != text {
					t.Errorf("%s, %d rows, %d workers: the error is %v, want %s; %s", m.name, rows, workers, err, text, d)
				}
			}
			if d := sameBits(want, swarm[float32](rows)); d == "" && rows > 100 {
				t.Errorf("%s, %d rows: no row advanced", m.name, rows)
			}
		}
	}
}

// TestTick checks that Langevin counts the steps that rows have done, no matter whether Rate returns an error
// or a number becomes infinite.
func TestTick(t *testing.T) {
	const n, failing = 10, 4
	for _, coupled := range []bool{false, true} {
		for _, byError := range []bool{false, true} {
			calls := 0
			o := integrate.ODE[float64]{Coupled: coupled, Rate: func(dst, _ [][]float64, b integrate.Block[float64]) error {
				kernels.Fill(dst[0], 1)
				if b.Lo > 0 {
					return nil
				}
				if calls++; calls > failing+1 && byError { // the first call is that before the first step
					return errors.New("no")
				} else if b.Time > failing {
					dst[0][0] = math.NaN()
				}
				return nil
			}}
			x, v := lanesOf[float64](1, 200), lanesOf[float64](1, 200)
			bath := integrate.Bath[float64]{Key: random.Key{Tick: 7}}
			if err := o.Langevin(x, v, nil, 0, 1, n, &bath); err == nil {
				t.Error("no error")
			}
			want := uint32(7 + n)
			if coupled {
				want = 7 + failing
			}
			if bath.Key.Tick != want {
				t.Errorf("coupled %v, error of Rate %v: Tick is %d, want %d", coupled, byError, bath.Key.Tick, want)
			}
			if v[0][199] != float64(want-7) && !coupled {
				t.Errorf("the last row has the velocity %v, want %d", v[0][199], want-7)
			}
			if err := o.Langevin(x, v, nil, math.NaN(), 1, n, &bath); err == nil || bath.Key.Tick != want {
				t.Errorf("a call that is refused changes Tick to %d, error %v", bath.Key.Tick, err)
			}
		}
	}
}

// TestInfiniteStep follows a row that becomes infinite although its derivative stays finite. A step to
// infinity must never be accepted.
func TestInfiniteStep(t *testing.T) {
	for _, coupled := range []bool{false, true} {
		for _, sign := range []float64{1, -1} {
			o := integrate.ODE[float64]{Coupled: coupled, Rate: func(dst, _ [][]float64, _ integrate.Block[float64]) error {
				kernels.Fill(dst[0], sign*math.MaxFloat64/4)
				return nil
			}}
			x := lanesOf[float64](1, 100)
			err := o.DormandPrince(x, 0, 100, &integrate.Control{Rtol: 1e-6, Atol: 1e-6})
			wantError(t, fmt.Sprintf("coupled %v", coupled), err, integrate.ErrNotFinite, 0, 4, "row 0 of lane 0")
			if coupled != (x[0][99] != 0) || math.IsInf(x[0][99], 0) {
				t.Errorf("coupled %v: row 99 is %v", coupled, x[0][99])
			}
		}
	}
}

// TestLongest checks that no step is longer than Longest. The intervals are slightly longer than a whole
// number of these steps.
func TestLongest(t *testing.T) {
	for _, coupled := range []bool{false, true} {
		for _, length := range []float64{1, 1.001, 1.009, 1.5, 3.003} {
			o := integrate.ODE[float64]{Coupled: coupled, Rate: func(dst, _ [][]float64, _ integrate.Block[float64]) error {
				clear(dst[0])
				return nil
			}}
			c := integrate.Control{Rtol: 1e-6, Atol: 1e-6, Longest: 1, Next: []float64{1}}
			must(t, o.DormandPrince(lanesOf[float64](1, 1), 0, length, &c))
			if want := int(math.Ceil(length)); c.Accepted != want || c.Rejected != 0 {
				t.Errorf("coupled %v: the way %v has %d steps, want %d", coupled, length, c.Accepted, want)
			}
		}
	}
}

// TestNextMemory checks that DormandPrince does not write after the caller's lengths.
func TestNextMemory(t *testing.T) {
	o := integrate.ODE[float64]{Rate: bursting}
	all := []float64{7, 7, 7, 7}
	c := integrate.Control{Rtol: 1e-6, Atol: 1e-6, Next: all[:1]}
	must(t, o.DormandPrince(lanesOf[float64](1, 3), 0, 1, &c))
	if all[1] != 7 || all[2] != 7 || len(c.Next) != 3 {
		t.Errorf("the memory after Next is %v, and len(Next) is %d", all, len(c.Next))
	}
}

// TestMost checks the largest number of steps, for systems of which some need fewer steps.
func TestMost(t *testing.T) {
	speed := [...]float64{1, 5, 25, 125, 625, 3125}
	stiff := func(dst, x [][]float64, b integrate.Block[float64]) error {
		for i, y := range x[0] {
			dst[0][i] = -speed[(b.Lo+i)%6] * y
		}
		return nil
	}
	for _, coupled := range []bool{false, true} {
		o := integrate.ODE[float64]{Rate: stiff, Coupled: coupled}
		run := func(most int) (x [][]float64, c integrate.Control, err error) {
			x = lanesOf[float64](1, 150)
			kernels.Fill(x[0], 1)
			c = integrate.Control{Rtol: 1e-4, Atol: 1e-6, Most: most}
			return x, c, o.DormandPrince(x, 0, 1, &c)
		}
		want, whole, err := run(0)
		must(t, err)
		x, c, err := run(100)
		if coupled {
			var at *integrate.Error
			if !errors.As(err, &at) || !errors.Is(err, integrate.ErrMost) || c.Accepted+c.Rejected != 100 || !(at.Time > 0 && at.Time < 1) {
				t.Errorf("the error is %v after %d steps, want ErrMost after 100", err, c.Accepted+c.Rejected)
			}
			most := whole.Accepted + whole.Rejected
			_, _, err = run(most)
			must(t, err)
			if _, _, err = run(most - 1); !errors.Is(err, integrate.ErrMost) {
				t.Errorf("with one step less than %d the error is %v", most, err)
			}
			continue
		}
		wantError(t, "stiff rows", err, integrate.ErrMost, 4, 0.44, "after 100 steps")
		for i := range x[0] {
			if stopped := i%6 >= 4; stopped != (x[0][i] == 1) || !stopped && x[0][i] != want[0][i] {
				t.Errorf("row %d is %v, want %v or 1", i, x[0][i], want[0][i])
			}
		}
	}
	if err := (&integrate.ODE[float64]{Rate: stiff}).DormandPrince(lanesOf[float64](1, 1), 0, 1, &integrate.Control{Rtol: 1, Atol: 1, Most: -1}); err == nil {
		t.Error("a negative number of steps is not refused")
	}
}

// TestPlaces checks that errors name the numbers that are not finite.
func TestPlaces(t *testing.T) {
	nan := math.NaN()
	for _, coupled := range []bool{false, true} {
		o := integrate.ODE[float64]{Coupled: coupled, Rate: func(dst, x [][]float64, b integrate.Block[float64]) error {
			for l := range dst {
				kernels.Fill(dst[l], 1)
				if timeOf(b, 0) > 2 && b.Lo == 0 {
					dst[l][1] = nan
				}
			}
			return nil
		}}
		state := func() [][]float64 { return lanesOf[float64](3, 70) }
		bad := lanesOf[float64](1, 70)
		bad[0][1] = nan
		for _, c := range []struct {
			run  func(x [][]float64) error
			want string
		}{
			{func(x [][]float64) error { return o.Eval(x[:1], bad, 0) }, "Eval: row 1 of lane 0 is NaN at the start: set it"},
			{func(x [][]float64) error { return o.Eval(x[:1], x[1:2], 3) }, "Eval: the derivative of row 1 of lane 0 is NaN at time 3: look"},
			{func(x [][]float64) error { return o.RK4(x, 0, 1, 5) }, "RK4: row 1 of lane 0 became NaN in the step after time 2: take shorter steps"},
			{func(x [][]float64) error { return o.Verlet(x[:1], x[1:2], x[2:], 0, 1, 5) }, "Verlet: the acceleration of row 1 of lane 0 became NaN in the step after time 2"},
			{func(x [][]float64) error {
				x[0][1], x[1][1] = 1e308, 1e308
				return o.Verlet(x[:1], x[1:2], nil, 0, 1, 2)
			}, "Verlet: the position of row 1 of lane 0 became +Inf in the step after time 0"},
			{func(x [][]float64) error {
				return o.DormandPrince(x, 0, 4, &integrate.Control{Rtol: 1e-6, Atol: 1e-6})
			}, "is not finite after time "},
		} {
			kernels.Fill(bad[0], 0)
			bad[0][1] = nan
			err := c.run(state())
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(c.want, "is not finite") && strings.Contains(err.Error(), "shorter") {
				t.Errorf("coupled %v: the error is %v, want %s", coupled, err, c.want)
			}
		}
	}
}
