package integrate_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/integrate"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
)

// bursting is y' = y², whose solution is infinite at the time 1/y.
func bursting(dst, x [][]float64, _ integrate.Block[float64]) error {
	kernels.Mul(dst[0], x[0], x[0])
	return nil
}

// TestBurst lets two rows of a thousand become infinite. They stay as they were. The other rows must arrive
// with the same bits as without these two rows.
func TestBurst(t *testing.T) {
	pool := jobs.New(jobs.Workers(3))
	defer func() { must(t, pool.Close()) }()
	for _, bad := range [][2]int{{3, 4}, {20, 21}, {150, 999}, {999, 70}} {
		for name, run := range map[string]func(o *integrate.ODE[float64], x [][]float64) error{
			"RK4": func(o *integrate.ODE[float64], x [][]float64) error { return o.RK4(x, 2, 0.01, 300) },
			"DormandPrince": func(o *integrate.ODE[float64], x [][]float64) error {
				return o.DormandPrince(x, 2, 5, &integrate.Control{Rtol: 1e-6, Atol: 1e-6})
			},
		} {
			for _, p := range []*jobs.Pool{nil, pool} {
				o := integrate.ODE[float64]{Rate: bursting, Pool: p}
				x, want := lanesOf[float64](1, 1000), lanesOf[float64](1, 1000)
				for i := range x[0] {
					x[0][i] = -1 / float64(i+1)
				}
				copy(want[0], x[0])
				must(t, run(&o, want))
				lowest, second := min(bad[0], bad[1]), max(bad[0], bad[1])
				x[0][lowest], x[0][second] = 2, 1
				err := run(&o, x)
				var at *integrate.Error
				if !errors.As(err, &at) {
					t.Fatalf("%s: the error is %v", name, err)
				}
				if at.Row != lowest || at.Lane != 0 || math.Abs(at.Time-2.5) > 0.1 {
					t.Errorf("%s: the error is of row %d of lane %d at %v, want row %d at 2.5", name, at.Row, at.Lane, at.Time, lowest)
				}
				if !errors.Is(err, integrate.ErrNotFinite) && !errors.Is(err, integrate.ErrStep) {
					t.Errorf("%s: %v is none of the package", name, err)
				}
				if x[0][lowest] != 2 || x[0][second] != 1 {
					t.Errorf("%s: the rows that failed are %v and %v, were 2 and 1", name, x[0][lowest], x[0][second])
				}
				x[0][lowest], x[0][second] = want[0][lowest], want[0][second]
				if d := sameBits(x, want); d != "" {
					t.Errorf("%s: another row changed: %s", name, d)
				}
			}
		}
	}
}

// TestBurstCoupled does the same in a coupled system, which must stop.
func TestBurstCoupled(t *testing.T) {
	o := integrate.ODE[float64]{Rate: bursting, Coupled: true}
	x := lanesOf[float64](1, 500)
	x[0][77] = 2
	c := integrate.Control{Rtol: 1e-6, Atol: 1e-6}
	err := o.DormandPrince(x, 2, 5, &c)
	var at *integrate.Error
	if !errors.As(err, &at) || at.Row != 77 || math.Abs(at.Time-2.5) > 1e-3 {
		t.Errorf("the error is %v, want one of row 77 at 2.5", err)
	} else if !(x[0][77] > 100) || math.IsInf(x[0][77], 0) {
		t.Errorf("the row is %v, want the last finite one", x[0][77])
	}
	x[0][77] = 2
	if err := o.RK4(x, 2, 0.01, 300); !errors.As(err, &at) || at.Row != 77 || math.Abs(at.Time-2.5) > 0.1 {
		t.Errorf("RK4: the error is %v, want one of row 77 at 2.5", err)
	}
}

// TestNotFiniteStart checks rows that are not finite before the first step, and derivatives that are not
// finite.
func TestNotFiniteStart(t *testing.T) {
	nan := math.NaN()
	for _, coupled := range []bool{false, true} {
		o := integrate.ODE[float64]{Rate: bursting, Coupled: coupled}
		root := integrate.ODE[float64]{Coupled: coupled, Rate: func(dst, x [][]float64, b integrate.Block[float64]) error {
			for i := range dst[0] {
				time := b.Time
				if b.Times != nil {
					time = b.Times[i]
				}
				dst[0][i] = 0.1 * math.Sqrt(float64(b.Lo+i+1)-time)
			}
			return nil
		}}
		for name, run := range map[string]func(o *integrate.ODE[float64], x [][]float64) error{
			"RK4": func(o *integrate.ODE[float64], x [][]float64) error { return o.RK4(x, 0, 0.125, 20) },
			"DormandPrince": func(o *integrate.ODE[float64], x [][]float64) error {
				return o.DormandPrince(x, 0, 2.5, &integrate.Control{Rtol: 1e-6, Atol: 1e-6})
			},
		} {
			x := lanesOf[float64](1, 200)
			x[0][150], x[0][100] = math.Inf(1), nan
			wantError(t, name+" from NaN", run(&o, x), integrate.ErrNotFinite, 100, 0, "row 100 of lane 0")
			dst := lanesOf[float64](1, 200)
			kernels.Fill(dst[0], nan)
			clear(x[0])
			must(t, root.Eval(dst, x, 0.5))
			if dst[0][8] != 0.1*math.Sqrt(8.5) {
				t.Errorf("Eval: row 8 is %v", dst[0][8])
			}
			kernels.Fill(dst[0], nan)
			wantError(t, "Eval of a root", root.Eval(dst, x, 1.5), integrate.ErrNotFinite, 0, 1.5, "the derivative of row 0 of lane 0 is NaN at time 1.5")
			wantError(t, name+" of a root", run(&root, x), integrate.ErrNotFinite, 0, 1, "row 0 of lane 0")
		}
	}
}

func wantError(t *testing.T, name string, err, kind error, row int, time float64, text string) {
	t.Helper()
	var at *integrate.Error
	switch {
	case !errors.As(err, &at):
		t.Errorf("%s: the error is %v", name, err)
	case !errors.Is(err, kind):
		t.Errorf("%s: %v is not %v", name, err, kind)
	case at.Row != row:
		t.Errorf("%s: %v is of row %d, want %d", name, err, at.Row, row)
	case math.Abs(at.Time-time) > 0.13:
		t.Errorf("%s: %v is at %v, want %v", name, err, at.Time, time)
	case !strings.Contains(err.Error(), text):
		t.Errorf("%s: %v does not contain %q", name, err, text)
	}
}

// TestRateError checks that an error of Rate is returned unchanged. If several blocks fail, it must be the
// error of the lowest block. On a pool, a panic must stay a panic.
func TestRateError(t *testing.T) {
	pool := jobs.New(jobs.Workers(4))
	defer func() { must(t, pool.Close()) }()
	failure := errors.New("no")
	for _, coupled := range []bool{false, true} {
		for _, m := range methods[float64]() {
			calls := 0
			o := &integrate.ODE[float64]{Coupled: coupled, Rate: func(dst, x [][]float64, b integrate.Block[float64]) error {
				if calls++; calls == 4 {
					return failure
				}
				return pushedPlanets(dst, x, b)
			}}
			x := swarm[float64](50)
			if err := m.run(o, x, 5, nil); !errors.Is(err, failure) {
				t.Errorf("%s, coupled %v: the error is %v", m.name, coupled, err)
			}
			if d := sameBits(x, swarm[float64](50)); d != "" && !coupled {
				t.Errorf("%s: the block changed: %s", m.name, d)
			}
		}
	}
	x := lanesOf[float64](1, 100_000)
	panics := true
	o := integrate.ODE[float64]{Pool: pool, Rate: func(dst, x [][]float64, b integrate.Block[float64]) error {
		if panics && b.Hi > 50_000 {
			panic("a bug")
		}
		kernels.Fill(dst[0], 1)
		return nil
	}}
	var panicked *jobs.PanicError
	if err := o.RK4(x, 0, 1, 1); !errors.As(err, &panicked) || panicked.Value != "a bug" {
		t.Errorf("the error is %v, want a panic", err)
	}
	clear(x[0])
	panics = false
	must(t, o.RK4(x, 0, 1, 1))
	if x[0][0] != 1 || x[0][99_999] != 1 {
		t.Errorf("after a panic rows are %v and %v, want 1", x[0][0], x[0][99_999])
	}
}

// TestRefused checks that invalid arguments are refused, and checks the messages.
func TestRefused(t *testing.T) {
	o := integrate.ODE[float32]{Rate: pushedPlanets[float32]}
	x, inf := lanesOf[float32](2, 3), math.Inf(1)
	bath := func(b integrate.Bath[float32]) func() error {
		return func() error { return o.Langevin(x, x, nil, 0, 1, 5, &b) }
	}
	control := func(c integrate.Control) func() error {
		return func() error { return o.DormandPrince(x, 0, 1, &c) }
	}
	for _, c := range []struct {
		run  func() error
		want string
	}{
		{func() error { return o.RK4(x, 0, inf, 1) }, "integrate: RK4: the start is 0 and the step is +Inf: both must be finite"},
		{func() error { return o.RK4(x, 0, 1e40, 1) }, "integrate: RK4: the step is 1e+40, which is too long for float32"},
		{func() error { return o.Yoshida4(x, x, nil, 0, -3e38, 1) }, "integrate: Yoshida4: the step is -3e+38, which is too long for float32"},
		{func() error { return o.Verlet(x, x, nil, math.NaN(), 1, 1) }, "integrate: Verlet: the start is NaN"},
		{func() error { return o.Eval(x, x, inf) }, "integrate: Eval: the start is +Inf"},
		{func() error { return o.DormandPrince(x, 0, inf, &integrate.Control{Rtol: 1, Atol: 1}) }, "integrate: DormandPrince: the start is 0 and the end is +Inf"},
		{control(integrate.Control{Rtol: 1e-3}), "Atol is 0"},
		{control(integrate.Control{Rtol: 1e-8, Atol: 1}), "Rtol is 1e-08: it must be finite, and numbers of this type are not more exact than 9.5367431640625e-07"},
		{control(integrate.Control{Rtol: 1e-3, Atol: 1e-50}), "Atol is 1e-50"},
		{func() error { return o.DormandPrince(x, -1e308, 1e308, &integrate.Control{Rtol: 1, Atol: 1}) }, "the time from -1e+308 to 1e+308 is too long"},
		{func() error { return o.Langevin(x, x, nil, 0, -1, 5, &integrate.Bath[float32]{Friction: 1}) }, "the step is -1"},
		{control(integrate.Control{Rtol: 1e-3, Atol: 1, Longest: -1}), "Longest is -1"},
		{bath(integrate.Bath[float32]{Friction: -1}), "Friction is -1"},
		{bath(integrate.Bath[float32]{Temperature: math.NaN()}), "Temperature is NaN"},
		{bath(integrate.Bath[float32]{Key: random.Key{Stream: random.MaxStream}}), "Key.Stream is 16777214"},
		{bath(integrate.Bath[float32]{Key: random.Key{Tick: math.MaxUint32 - 4}}), "Key.Tick is 4294967291, and 5 more steps"},
	} {
		if err := c.run(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, want %s", err, c.want)
		}
	}
	for want, run := range map[string]func(){
		"integrate: RK4: Rate is nil":                                    func() { _ = new(integrate.ODE[float32]).RK4(x, 0, 1, 1) },
		"integrate: RK4: n is -1":                                        func() { _ = o.RK4(x, 0, 1, -1) },
		"integrate: Verlet: x has 2 lanes, argument 2 has 1":             func() { _ = o.Verlet(x, x[:1], nil, 0, 1, 1) },
		"integrate: RK4: x[0] has 3 rows, lane 1 of argument 1 has 2":    func() { _ = o.RK4([][]float32{x[0], x[1][:2]}, 0, 1, 1) },
		"integrate: Verlet: x[0] has 3 rows, lane 0 of argument 3 has 2": func() { _ = o.Verlet(x, x, [][]float32{x[0][:2], x[1]}, 0, 1, 1) },
		"integrate: Langevin: len(Mass) is 1, there are 3 rows":          func() { _ = bath(integrate.Bath[float32]{Mass: make([]float32, 1)})() },
		"integrate: Langevin: len(IDs) is 4, there are 3 rows":           func() { _ = bath(integrate.Bath[float32]{IDs: make([]uint64, 4)})() },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.HasPrefix(text, want) {
					t.Errorf("the panic is %q, want %q", text, want)
				}
			}()
			run()
		}()
	}
}

// TestNothing checks empty states and calls without steps.
func TestNothing(t *testing.T) {
	for _, coupled := range []bool{false, true} {
		for _, m := range methods[float32]() {
			o := &integrate.ODE[float32]{Rate: pushedPlanets[float32], Coupled: coupled}
			must(t, m.run(o, lanesOf[float32](4, 0), 3, nil))
			x := swarm[float32](5)
			must(t, m.run(o, x, 0, nil))
			if d := sameBits(x, swarm[float32](5)); d != "" {
				t.Errorf("%s: no step changed something: %s", m.name, d)
			}
		}
	}
}
