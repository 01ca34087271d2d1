package grid_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lanewise/lanewise/grid"
	"github.com/lanewise/lanewise/jobs"
)

// shapes returns random shapes of all dimensions, whose axes have at least as many cells as the margin.
func shapes(r *rand.Rand, n int) (list []grid.Shape) {
	for i := range n {
		m := r.IntN(4)
		s := grid.Shape{X: 1 + m + r.IntN(7), Margin: m}
		if i%3 > 0 {
			s.Y = 1 + m + r.IntN(5)
		}
		if i%3 > 1 {
			s.Z = 1 + m + r.IntN(4)
		}
		list = append(list, s)
	}
	return list
}

// span returns the numbers of the cells of an axis, including the margins. If the grid lacks the axis, it returns only 0.
func span(n, margin int) (list []int) {
	if n == 0 {
		return []int{0}
	}
	for i := -margin; i < n+margin; i++ {
		list = append(list, i)
	}
	return list
}

// eachCell calls do for each cell, including the margins, in the order of Cells.
func eachCell(s grid.Shape, do func(x, y, z int)) {
	for _, z := range span(s.Z, s.Margin) {
		for _, y := range span(s.Y, s.Margin) {
			for _, x := range span(s.X, s.Margin) {
				do(x, y, z)
			}
		}
	}
}

// TestCells compares At, Set, Row and Shifted with the order of Cells.
func TestCells(t *testing.T) {
	for _, s := range shapes(rand.New(rand.NewPCG(1, 0)), 30) {
		f, n := grid.New[int32](s), int32(0)
		eachCell(s, func(x, y, z int) {
			f.Set(x, y, z, n)
			n++
		})
		if len(f.Cells()) != int(n) || !slices.IsSorted(f.Cells()) {
			t.Fatalf("%+v: Cells has %d cells, %v; want %d in order", s, len(f.Cells()), f.Cells(), n)
		}
		eachCell(s, func(x, y, z int) {
			if x > s.Margin {
				return
			}
			row := f.Shifted(x, y, z)
			for i, v := range row {
				if want := f.At(x+i, y, z); v != want || len(row) != s.X {
					t.Fatalf("%+v: Shifted(%d, %d, %d)[%d] is %d, want %d; it has %d cells", s, x, y, z, i, v, want, len(row))
				}
			}
		})
	}
}

// TestOutside checks that At, Set, Row and Shifted panic outside of random fields, and nowhere else.
func TestOutside(t *testing.T) {
	panics := func(do func()) (did bool) {
		defer func() { did = recover() != nil }()
		do()
		return
	}
	for _, s := range shapes(rand.New(rand.NewPCG(2, 0)), 10) {
		f := grid.New[int8](s)
		has := func(n, i int) bool { return n == 0 && i == 0 || n > 0 && i >= -s.Margin && i < n+s.Margin }
		places := func(n int) []int {
			return []int{math.MinInt, -s.Margin - 1, -s.Margin, -1, 0, n - 1, n, n + s.Margin - 1, n + s.Margin, math.MaxInt}
		}
		for _, z := range places(s.Z) {
			for _, y := range places(s.Y) {
				row := has(s.Y, y) && has(s.Z, z)
				if panics(func() { f.Row(y, z) }) == row {
					t.Errorf("%+v: Row(%d, %d): want a panic: %v", s, y, z, !row)
				}
				for _, x := range places(s.X) {
					cell := row && has(s.X, x)
					if panics(func() { f.At(x, y, z) }) == cell || panics(func() { f.Set(x, y, z, 1) }) == cell {
						t.Errorf("%+v: At or Set(%d, %d, %d): want a panic: %v", s, x, y, z, !cell)
					}
					if shift := row && x >= -s.Margin && x <= s.Margin; panics(func() { f.Shifted(x, y, z) }) == shift {
						t.Errorf("%+v: Shifted(%d, %d, %d): want a panic: %v", s, x, y, z, !shift)
					}
				}
			}
		}
	}
}

// TestZeroField checks that a zero Field has no row and no cell.
func TestZeroField(t *testing.T) {
	var f grid.Field[float32]
	if err := f.ForRows(nil, func(y, z int) { t.Errorf("ForRows calls its body for row (%d, %d)", y, z) }); err != nil {
		t.Error(err)
	}
	defer func() {
		if v, _ := recover().(string); !strings.Contains(v, "has no such cell") {
			t.Errorf("Row(0, 0) panics with %q", v)
		}
	}()
	f.Row(0, 0)
}

// cellInside returns the cell of which a cell of the margin is an image, or -1 if the rule is Fixed.
func cellInside(rule grid.Rule, i, n int) int {
	switch {
	case n == 0 || i >= 0 && i < n:
		return i
	case rule == grid.Fixed:
		return -1
	case rule == grid.Periodic:
		return (i + n) % n
	case i < 0:
		return -1 - i
	}
	return 2*n - 1 - i
}

// TestFillMargins compares each cell of random fields with the rule of each axis.
func TestFillMargins(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	for _, s := range shapes(r, 300) {
		edge := func() grid.Edge[float32] {
			return grid.Edge[float32]{Rule: grid.Rule(r.IntN(3)), Low: r.Float32(), High: r.Float32()}
		}
		e := grid.Edges[float32]{X: edge(), Y: edge(), Z: edge()}
		f := grid.New[float32](s)
		for i := range f.Cells() {
			f.Cells()[i] = r.Float32()
		}
		want := func(x, y, z int) float32 {
			at, n := [3]int{x, y, z}, [3]int{s.X, s.Y, s.Z}
			for a := 2; a >= 0; a-- { // the last axis decides, because its margins are written last
				edge := [3]grid.Edge[float32]{e.X, e.Y, e.Z}[a]
				i := cellInside(edge.Rule, at[a], n[a])
				if i < 0 {
					if at[a] < 0 {
						return edge.Low
					}
					return edge.High
				}
				at[a] = i
			}
			return f.At(at[0], at[1], at[2])
		}
		f.FillMargins(e)
		eachCell(s, func(x, y, z int) {
			if got := f.At(x, y, z); got != want(x, y, z) {
				t.Fatalf("%+v, edges %+v: cell (%d, %d, %d) is %v, want %v", s, e, x, y, z, got, want(x, y, z))
			}
		})
	}
}

// TestForRows checks how often ForRows calls body for each row.
func TestForRows(t *testing.T) {
	pool := jobs.New(jobs.Workers(3))
	defer pool.Close()
	for _, p := range []*jobs.Pool{nil, pool} {
		for _, s := range []grid.Shape{{X: 3}, {X: 3, Y: 5, Margin: 1}, {X: 3, Y: 5, Z: 7, Margin: 2}} {
			f := grid.New[int64](s)
			if err := f.ForRows(p, func(y, z int) { atomic.AddInt64(&f.Row(y, z)[1], 1) }); err != nil {
				t.Fatal(err)
			}
			eachCell(s, func(x, y, z int) {
				want := int64(0)
				if x == 1 && y >= 0 && y < max(s.Y, 1) && z >= 0 && z < max(s.Z, 1) {
					want = 1
				}
				if got := f.At(x, y, z); got != want {
					t.Errorf("%+v: %d calls for cell (%d, %d, %d), want %d", s, got, x, y, z, want)
				}
			})
		}
	}
}

// TestForRowsPanics checks that a panic of the k-th call becomes an error in a pool, and that the pool can be used
// afterwards. Without a pool, the panic must reach the caller.
func TestForRowsPanics(t *testing.T) {
	pool := jobs.New(jobs.Workers(3))
	defer pool.Close()
	f := grid.New[float64](grid.Shape{X: 3, Y: 10, Z: 5})
	for _, k := range []int64{1, 2, 49, 50} {
		var calls atomic.Int64
		body := func(_, _ int) {
			if calls.Add(1) == k {
				panic("wrong row")
			}
		}
		var failed *jobs.PanicError
		if err := f.ForRows(pool, body); !errors.As(err, &failed) || failed.Value != "wrong row" {
			t.Errorf("call %d panics: the error is %v", k, err)
		}
		if err := f.ForRows(pool, func(_, _ int) {}); err != nil {
			t.Errorf("after a panic: %v", err)
		}
		calls.Store(0)
		func() {
			defer func() {
				if recover() != "wrong row" || calls.Load() != k {
					t.Errorf("call %d panics without a pool: there were %d calls", k, calls.Load())
				}
			}()
			_ = f.ForRows(nil, body)
		}()
	}
}

// TestPanics checks the message of each mistake.
func TestPanics(t *testing.T) {
	f := grid.New[float64](grid.Shape{X: 4, Y: 3, Margin: 2})
	sums := grid.NewSums(f.Shape(), 0x1p-30)
	mesh := grid.Mesh[float64]{Order: grid.Cubic}
	lane := make([]float64, 2)
	for _, c := range []struct {
		want string
		do   func()
	}{
		{"New: a shape of 0 by 0 by 0 cells", func() { grid.New[int8](grid.Shape{}) }},
		{"New: a shape of 3 by 0 by 2 cells with a margin of 0: X must be at least 1, no number negative, and Z needs Y", func() { grid.New[int8](grid.Shape{X: 3, Z: 2}) }},
		{"too many cells", func() { grid.New[int8](grid.Shape{X: 1 << 30, Y: 1 << 30, Z: 1 << 30}) }},
		{"Row: cell (0, 5, 0): a grid of 4 by 3 by 0 cells with a margin of 2 has no such cell", func() { f.Row(5, 0) }},
		{"Shifted: a shift of 3 cells: the margin allows shifts from -2 to 2", func() { f.Shifted(3, 0, 0) }},
		{"At: cell (0, 0, 1)", func() { f.At(0, 0, 1) }},
		{"Set: cell (-3, 0, 0)", func() { f.Set(-3, 0, 0, 1) }},
		{"too many cells", func() { grid.New[float64](grid.Shape{X: 1 << 28, Y: 1 << 20}) }},
		{"Add: the sums have the shapes", func() { _ = sums.Add(grid.NewSums(grid.Shape{X: 1}, 0x1p-30)) }},
		{"Gather: the mesh begins at NaN along X: Low must be finite", func() {
			_ = (&grid.Mesh[float64]{Low: [3]float64{math.NaN()}}).Gather(lane, grid.New[float64](grid.Shape{X: 9}), grid.Points[float64]{X: lane})
		}},
		{"Swap: the fields have the shapes", func() { f.Swap(grid.New[float64](grid.Shape{X: 4})) }},
		{"FillMargins: axis Y has the rule 7: it must be Fixed, Periodic or Mirrored", func() { f.FillMargins(grid.Edges[float64]{Y: grid.Edge[float64]{Rule: 7}}) }},
		{"FillMargins: axis X has 1 cells and a margin of 2", func() {
			grid.New[float64](grid.Shape{X: 1, Margin: 2}).FillMargins(grid.Edges[float64]{X: grid.Edge[float64]{Rule: grid.Mirrored}})
		}},
		{"NewSums: the quantum is 0.3: it must be a power of two", func() { grid.NewSums(f.Shape(), 0.3) }},
		{"NewSums: the quantum is 0", func() { grid.NewSums(f.Shape(), 0) }},
		{"NewSums: the quantum is -1", func() { grid.NewSums(f.Shape(), -1) }},
		{"CopyTo: the field has the shape", func() { grid.CopyTo(grid.New[float32](grid.Shape{X: 1}), sums) }},
		{"Deposit: there are 1 positions along Y, for 2 particles", func() { _ = mesh.Deposit(sums, grid.Points[float64]{X: lane, Y: lane[:1]}, nil) }},
		{"Deposit: there are positions along Z, but the grid lacks this axis: pass nil", func() { _ = mesh.Deposit(sums, grid.Points[float64]{X: lane, Y: lane, Z: lane}, nil) }},
		{"Deposit: there are 1 values, for 2 particles", func() { _ = mesh.Deposit(sums, grid.Points[float64]{X: lane, Y: lane}, lane[:1]) }},
		{"Gather: the grid has a margin of 0: this order of the mesh needs a margin of 2", func() { _ = mesh.Gather(lane, grid.New[float64](grid.Shape{X: 9}), grid.Points[float64]{X: lane}) }},
		{"Gather: the cells of the mesh have the width -1: the width and 1/width must be positive and finite", func() {
			_ = (&grid.Mesh[float64]{Width: -1}).Gather(lane, grid.New[float64](grid.Shape{X: 9}), grid.Points[float64]{X: lane})
		}},
		{"Gather: the order is 9", func() {
			_ = (&grid.Mesh[float64]{Order: 9}).Gather(lane, grid.New[float64](grid.Shape{X: 9}), grid.Points[float64]{X: lane})
		}},
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.HasPrefix(got, "grid: ") || !strings.Contains(got, c.want) {
					t.Errorf("the panic says %q, want it to contain %q", got, c.want)
				}
			}()
			c.do()
		}()
	}
}
