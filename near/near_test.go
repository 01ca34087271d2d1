package near

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

var count = flag.Int("near.cases", 400, "random cases of each kind against comparison with every point")

// TestAgainstAll searches grids, and compares each result with a loop over all points.
func TestAgainstAll(t *testing.T) {
	against[float32](t)
	against[float64](t)
}

func against[T kernels.Float](t *testing.T) {
	n := uint64(*count)
	if testing.Short() {
		n /= 4
	}
	for seed := range n {
		s := newScene[T](seed, 60)
		t.Run(fmt.Sprintf("%T/seed=%d", s.space.Cell, seed), func(t *testing.T) {
			g := New(s.space)
			g.Build(s.x, s.y, s.z)
			s.check(t, g)
		})
	}
}

// FuzzAgainstAll does the same as TestAgainstAll for any seed and number of points.
func FuzzAgainstAll(f *testing.F) {
	f.Add(uint64(1), uint8(60))
	f.Add(uint64(2), uint8(200))
	f.Fuzz(func(t *testing.T, seed uint64, most uint8) {
		small, large := newScene[float32](seed, int(most)), newScene[float64](seed, int(most))
		g, h := New(small.space), New(large.space)
		g.Build(small.x, small.y, small.z)
		h.Build(large.x, large.y, large.z)
		small.check(t, g)
		large.check(t, h)
	})
}

// TestPieces builds one grid in many ways, with several numbers of workers. The grids must be equal.
func TestPieces(t *testing.T) {
	pieces[float32](t)
	pieces[float64](t)
}

func pieces[T kernels.Float](t *testing.T) {
	for seed := range uint64(6) {
		s := crowd[T](seed, minParallel+1000)
		want := New(s.space)
		want.Build(s.x, s.y, s.z)
		var lists Lists
		if err := want.Pairs(&lists, s.space.Cell/3); err != nil {
			t.Fatal(err)
		}
		crews := []int{1, 2, 3, 8, 64}
		if testing.Short() {
			crews = crews[2+seed%3:][:1]
		}
		for _, workers := range crews {
			pool := jobs.New(jobs.Workers(workers))
			g := New(s.space)
			g.Pool = pool
			for _, build := range []func(){func() { g.Build(s.x, s.y, s.z) }, func() { s.add(g) }, func() { s.put(g, pool) }, func() { s.move(g) }} {
				build()
				checkSame(t, g, want)
			}
			var l Lists
			if err := g.Pairs(&l, s.space.Cell/3); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(l.Start, lists.Start) || !slices.Equal(l.Row, lists.Row) {
				t.Fatal("other pairs")
			}
			if err := pool.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// checkSame checks that two grids are equal.
func checkSame[T kernels.Float](t *testing.T, g, want *Grid[T]) {
	t.Helper()
	a, b := g.At(), want.At()
	if !slices.Equal(a.X, b.X) || !slices.Equal(a.Y, b.Y) || !slices.Equal(a.Z, b.Z) || !slices.Equal(g.IDs(), want.IDs()) || !slices.Equal(g.Nowhere(), want.Nowhere()) || !slices.Equal(g.start, want.start) {
		t.Fatal("another grid")
	}
}

// TestBuildAt builds a grid from its sorted points. Build reads these points from the memory to
// which it writes the new order. So it must not overwrite a point before it has read it.
func TestBuildAt(t *testing.T) {
	for seed := range uint64(6) {
		s := crowd[float32](seed, 3000)
		g, want := New(s.space), New(s.space)
		g.Build(s.x, s.y, s.z)
		at := g.At()
		want.Build(slices.Clone(at.Y), slices.Clone(at.X), slices.Clone(at.Z))
		g.Build(at.Y, at.X, at.Z) // in another order
		checkSame(t, g, want)
	}
}

// TestTogether moves many points into one cell, or out of the space. Building and searching must
// take no longer than for points that are far apart.
func TestTogether(t *testing.T) {
	for _, x := range []float64{3, math.NaN()} {
		s := crowd[float64](1, 100_000)
		g, want := New(s.space), New(s.space)
		g.Build(s.x, s.y, s.z)
		for lane := range slices.Values([][]float64{s.x, g.At().X}) {
			for i := range lane {
				lane[i] = x
			}
		}
		at := g.At()
		for row, id := range g.IDs() {
			at.Y[row], at.Z[row] = 2, 3+float64(id)/1e9
			s.y[id], s.z[id] = at.Y[row], at.Z[row]
		}
		g.Move()
		if !math.IsNaN(x) {
			for _, id := range g.Nowhere() {
				s.x[id] = math.NaN()
			}
		}
		want.Build(s.x, s.y, s.z)
		if !slices.Equal(g.IDs(), want.IDs()) || !slices.Equal(g.Nowhere(), want.Nowhere()) || !slices.Equal(g.At().Z, want.At().Z) {
			t.Errorf("moved to %v: another grid", x)
		}
	}
}

// TestTinyBox queries the nearest point in boxes so small that the inverse of their size is infinite.
func TestTinyBox(t *testing.T) {
	tiny := math.SmallestNonzeroFloat32
	for _, border := range []Border{Walled, Periodic} {
		g := New(Space[float32]{Dims: 2, High: Point[float32]{X: float32(300 * tiny), Y: 1}, Cell: 1, Border: border})
		g.Build([]float32{0, float32(100 * tiny), 0}, []float32{0.25, 0.5, 0.75}, nil)
		if got := g.AppendNearest(nil, Point[float32]{}, 3); len(got) != 3 || got[0].ID != 0 {
			t.Errorf("%v", got)
		}
	}
}

// TestPlane checks that queries in a plane ignore the Z of points.
func TestPlane(t *testing.T) {
	g := New(Space[float32]{Dims: 2, High: Point[float32]{X: 9, Y: 9}, Cell: 1})
	g.Build([]float32{1}, []float32{1}, nil)
	p := Point[float32]{X: 1, Y: 1, Z: float32(math.NaN())}
	_, any := g.Any(p, 1)
	_, _, hit := g.Hit(p, p, 1)
	if len(g.AppendWithin(nil, p, 1)) != 1 || len(g.AppendNearest(nil, p, 1)) != 1 || len(g.AppendRuns(nil, p, 1)) != 1 || !any || !hit {
		t.Error("a point is not found, for Z is NaN")
	}
}

// TestHitFarAway follows a segment into the last cell of an axis, which has no end because it
// contains all points beyond it.
func TestHitFarAway(t *testing.T) {
	for _, way := range []float64{1, -1} {
		g := New(Space[float64]{Dims: 2, Cell: 1, Border: Endless})
		g.Build([]float64{0, way * (lastCell + 994), way * (lastCell + 994)}, []float64{0, 5, 50}, nil)
		from, to := Point[float64]{X: way * (lastCell - 12)}, Point[float64]{X: way * (lastCell + 2000), Y: 10}
		for _, ends := range [][2]Point[float64]{{from, to}, {to, from}} {
			if hit, along, ok := g.Hit(ends[0], ends[1], 0.5); !ok || hit.ID != 1 || along < 0.49 || along > 0.51 {
				t.Errorf("from %v to %v: %v at %v, %v", ends[0], ends[1], hit, along, ok)
			}
		}
	}
}

// TestTooManyInOneCell checks that building a list stops before the pairs of one cell fill the
// memory.
func TestTooManyInOneCell(t *testing.T) {
	g := New(Space[float32]{Dims: 2, High: Point[float32]{X: 9, Y: 9}, Cell: 1})
	x := make([]float32, 3000)
	g.Build(x, x, nil)
	var lists Lists
	if err := g.buildLists("Grid.Neighbours", &lists, 1, false, 100_000); !errors.Is(err, ErrTooMany) {
		t.Error(err)
	}
	if n := cap(lists.blocks[0].rows); n > 1_000_000 {
		t.Errorf("memory for %d pairs", n)
	}
}

// TestAddAt adds the lanes that At returned before a Move, in another order of the points and
// axes. Add and Put must copy into memory that was not returned.
func TestAddAt(t *testing.T) {
	for seed := range uint64(6) {
		s := crowd[float32](seed, 3000)
		g, want := New(s.space), New(s.space)
		g.Build(s.x, s.y, s.z)
		old := g.At()
		g.Move()
		g.Move()
		g.Move()
		x, y, z := slices.Clone(old.X), slices.Clone(old.Y), slices.Clone(old.Z)
		half := len(x) / 2
		part := func(lane []float32, lo, hi int) []float32 {
			if len(lane) == 0 { // in a plane
				return nil
			}
			return lane[lo:hi]
		}
		want.Add(y[half:], x[half:], part(z, half, len(x)))
		want.Add(y[:half], x[:half], part(z, 0, half))
		want.Sort()
		g.Add(old.Y[half:], old.X[half:], part(old.Z, half, len(x)))
		g.Add(old.Y[:half], old.X[:half], part(old.Z, 0, half))
		g.Sort()
		checkSame(t, g, want)
	}
}
