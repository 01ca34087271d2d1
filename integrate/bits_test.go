package integrate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/integrate"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
)

// A method is a way to advance a state of four lanes: two lanes of positions and two of velocities. The Rate
// of the ODE has the accelerations.
type method[T kernels.Float] struct {
	name string
	run  func(o *integrate.ODE[T], x [][]T, n int, ids []uint64) error
}

func methods[T kernels.Float]() []method[T] {
	const start, h = 0.25, 0.03
	first := func(o *integrate.ODE[T]) *integrate.ODE[T] {
		return &integrate.ODE[T]{Coupled: o.Coupled, Pool: o.Pool, Rate: func(dst, x [][]T, b integrate.Block[T]) error {
			copy(dst[0], x[2])
			copy(dst[1], x[3])
			return o.Rate(dst[2:], x[:2], b)
		}}
	}
	return []method[T]{
		{"RK4", func(o *integrate.ODE[T], x [][]T, n int, _ []uint64) error { return first(o).RK4(x, start, h, n) }},
		{"DormandPrince", func(o *integrate.ODE[T], x [][]T, n int, _ []uint64) error {
			return first(o).DormandPrince(x, start, start+h*float64(n), &integrate.Control{Rtol: 1e-5, Atol: 1e-6})
		}},
		{"Verlet", func(o *integrate.ODE[T], x [][]T, n int, _ []uint64) error {
			return o.Verlet(x[:2], x[2:], nil, start, h, n)
		}},
		{"Yoshida4", func(o *integrate.ODE[T], x [][]T, n int, _ []uint64) error {
			return o.Yoshida4(x[:2], x[2:], nil, start, h, n)
		}},
		{"Langevin", func(o *integrate.ODE[T], x [][]T, n int, ids []uint64) error {
			return o.Langevin(x[:2], x[2:], nil, start, h, n, &integrate.Bath[T]{Friction: 0.1, Temperature: 1e-4, Key: random.Key{Seed: 3}, IDs: ids})
		}},
	}
}

// pushedPlanets are planets on which a force acts that depends on time.
func pushedPlanets[T kernels.Float](dst, x [][]T, b integrate.Block[T]) error {
	if err := kepler(dst, x, b); err != nil {
		return err
	}
	for i := range dst[0] {
		time := b.Time
		if b.Times != nil {
			time = b.Times[i]
		}
		dst[0][i] += T(0.001 * kernels.SinOf(T(time)))
	}
	return nil
}

func pushedFirst[T kernels.Float](dst, x [][]T, b integrate.Block[T]) error {
	copy(dst[0], x[2])
	copy(dst[1], x[3])
	return pushedPlanets(dst[2:], x[:2], b)
}

// swarm returns n planets on different orbits.
func swarm[T kernels.Float](n int) [][]T {
	x, v := orbits[T](n)
	return append(x, v...)
}

func sameBits[T kernels.Float](a, b [][]T) string {
	for l := range a {
		for i := range a[l] {
			if math.Float64bits(float64(a[l][i])) != math.Float64bits(float64(b[l][i])) {
				return fmt.Sprintf("row %d of lane %d is %v and %v", i, l, a[l][i], b[l][i])
			}
		}
	}
	return ""
}

func copyOf[T any](x [][]T) [][]T {
	y := make([][]T, len(x))
	for l := range x {
		y[l] = append([]T(nil), x[l]...)
	}
	return y
}

func TestBits(t *testing.T) {
	t.Run("float32", testBits[float32])
	t.Run("float64", testBits[float64])
}

// testBits runs each method on each path and with several numbers of workers. All results must have the same
// bits.
func testBits[T kernels.Float](t *testing.T) {
	defer use(t, kernels.Path())
	short, paths := testing.Short() || raceEnabled, kernels.Paths()
	if raceEnabled { // ten times as slow, and the race detector does not see more on other paths
		paths = []string{kernels.Path()}
	}
	for _, m := range methods[T]() {
		for _, coupled := range []bool{false, true} {
			for _, rows := range []int{1, 67, 700, 5000} {
				var want [][]T
				for _, path := range paths {
					use(t, path)
					for _, workers := range []int{0, 1, 2, 3, 8, 16} {
						if rows < 1000 && workers > 2 || short && (rows == 700 || workers == 1 || workers > 3) || raceEnabled && workers == 3 {
							continue
						}
						o := &integrate.ODE[T]{Rate: pushedPlanets[T], Coupled: coupled}
						if workers > 0 {
							o.Pool = jobs.New(jobs.Workers(workers))
						}
						x := swarm[T](rows)
						must(t, m.run(o, x, 3, nil))
						if o.Pool != nil {
							must(t, o.Pool.Close())
						}
						if want == nil {
							want = x
						} else if d := sameBits(want, x); d != "" {
							t.Fatalf("%s, coupled %v, %d rows, path %s, %d workers: %s", m.name, coupled, rows, path, workers, d)
						}
					}
				}
			}
		}
	}
}

func use(t *testing.T, path string) {
	if err := kernels.Use(path); err != nil {
		t.Fatal(err)
	}
}

func TestRowsAlone(t *testing.T) {
	t.Run("float32", testRowsAlone[float32])
	t.Run("float64", testRowsAlone[float64])
}

// testRowsAlone checks that a row has the same bits if it is computed alone, in an ensemble, or in reverse
// order. It also checks this for coupled systems with the methods of fixed steps.
func testRowsAlone[T kernels.Float](t *testing.T) {
	const rows, steps = 1500, 20
	r := rand.New(rand.NewPCG(1, 2))
	ids := make([]uint64, rows)
	for i := range ids {
		ids[i] = uint64(i) * 77
	}
	for _, m := range methods[T]() {
		o := &integrate.ODE[T]{Rate: pushedPlanets[T]}
		all := swarm[T](rows)
		must(t, m.run(o, all, steps, ids))
		coupled := swarm[T](rows)
		must(t, m.run(&integrate.ODE[T]{Rate: pushedPlanets[T], Coupled: true}, coupled, steps, ids))
		if d := sameBits(all, coupled); d != "" && m.name != "DormandPrince" {
			t.Errorf("%s: independent rows and a coupled system: %s", m.name, d)
		} else if d == "" && m.name == "DormandPrince" {
			t.Error("independent rows have the steps of a coupled system")
		}
		for range 20 {
			i := r.IntN(rows)
			one := lanesOf[T](4, 1)
			for l, lane := range swarm[T](rows) {
				one[l][0] = lane[i]
			}
			must(t, m.run(o, one, steps, ids[i:i+1]))
			for l := range one {
				if one[l][0] != all[l][i] {
					t.Errorf("%s: row %d of lane %d is %v alone, and %v among %d", m.name, i, l, one[l][0], all[l][i], rows)
				}
			}
		}
	}
}

// TestSteps checks that a call with n steps has the same bits as n calls with one step each, with and without
// accelerations of the caller.
func TestSteps(t *testing.T) {
	const rows, n, h = 300, 17, 0.25
	for _, coupled := range []bool{false, true} {
		o := integrate.ODE[float32]{Rate: pushedPlanets[float32], Coupled: coupled}
		motion := integrate.ODE[float32]{Rate: pushedFirst[float32], Coupled: coupled}
		bath := integrate.Bath[float32]{Friction: 1, Temperature: 0.1, Key: random.Key{Seed: 1}}
		for name, run := range map[string]func(x, acc [][]float32, start float64, n int, b *integrate.Bath[float32]) error{
			"RK4": func(x, _ [][]float32, start float64, n int, _ *integrate.Bath[float32]) error {
				return motion.RK4(x, start, h, n)
			},
			"Verlet": func(x, acc [][]float32, start float64, n int, _ *integrate.Bath[float32]) error {
				return o.Verlet(x[:2], x[2:], acc, start, h, n)
			},
			"Yoshida4": func(x, acc [][]float32, start float64, n int, _ *integrate.Bath[float32]) error {
				return o.Yoshida4(x[:2], x[2:], acc, start, h, n)
			},
			"Langevin": func(x, acc [][]float32, start float64, n int, b *integrate.Bath[float32]) error {
				return o.Langevin(x[:2], x[2:], acc, start, h, n, b)
			},
		} {
			once, b := swarm[float32](rows), bath
			must(t, run(once, nil, 1, n, &b))
			for _, keep := range []bool{false, true} {
				x, b := swarm[float32](rows), bath
				var acc [][]float32
				if keep {
					acc = lanesOf[float32](2, rows)
					must(t, o.Eval(acc, x[:2], 1))
				}
				for k := range n {
					must(t, run(x, acc, 1+float64(k)*h, 1, &b))
				}
				if d := sameBits(once, x); d != "" {
					t.Errorf("%s, coupled %v, with accelerations %v: %d calls: %s", name, coupled, keep, n, d)
				}
			}
		}
	}
}
