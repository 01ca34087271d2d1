package near

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// TestPart compares grids that keep some cells with grids that keep all cells. For points in the
// part, the rows and answers must be the same. Queries at points outside of the part must also
// return the right points.
func TestPart(t *testing.T) {
	t.Run("float32", samePart[float32])
	t.Run("float64", samePart[float64])
}

func samePart[T kernels.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	fewer, through := 0, 0
	for k := range 500 {
		s := Space[T]{Dims: 2 + r.IntN(2), Low: Point[T]{X: -3, Y: 1}, Cell: T(0.3 + r.Float64()), Border: Border(r.IntN(2))}
		s.High = Point[T]{X: T(1 + 9*r.Float64()), Y: T(2 + 9*r.Float64()), Z: T(1 + 4*r.Float64())}
		all := New(s)
		some := s
		for a := range s.Dims {
			n := all.axes[a].boxCells
			switch r.IntN(4) {
			case 0: // all of them
			case 1:
				some.Part.First[a], some.Part.Count[a] = r.Int32N(n), n
				if s.Border == Walled {
					some.Part.First[a] = 0
				}
			default:
				first := r.Int32N(n)
				count := 1 + r.Int32N(n)
				if s.Border == Walled {
					count = min(count, n-first)
				} else if first+count > n {
					through++
				}
				some.Part.First[a], some.Part.Count[a] = first, count
			}
		}
		part := New(some)
		if part.cells() < all.cells() {
			fewer++
		}
		inside := k%4 > 0
		var at [3][]T
		for range r.IntN(500) {
			p := randomPoint(r, s, all, &some.Part, inside)
			for a := range s.Dims {
				at[a] = append(at[a], p[a])
			}
		}
		all.Build(at[0], at[1], at[2])
		part.Build(at[0], at[1], at[2])
		if inside && (!slices.Equal(all.IDs(), part.IDs()) || !slices.Equal(all.tiles, part.tiles)) {
			t.Fatalf("space %d, %+v: rows %v, with all cells %v", k, some, part.IDs(), all.IDs())
		}
		for range 20 {
			p := randomPoint(r, s, all, &some.Part, false)
			q, reach := Point[T]{X: p[0], Y: p[1], Z: p[2]}, T(3*r.Float64())
			compareFound(t, fmt.Sprintf("space %d, %+v, %v from %v", k, some, reach, q), inside, part.AppendWithin(nil, q, reach), all.AppendWithin(nil, q, reach))
			to := randomPoint(r, s, all, &some.Part, false)
			got, along, ok := part.Hit(q, Point[T]{X: to[0], Y: to[1], Z: to[2]}, reach/8)
			want, wantAlong, wantOK := all.Hit(q, Point[T]{X: to[0], Y: to[1], Z: to[2]}, reach/8)
			if got.ID != want.ID || along != wantAlong || ok != wantOK {
				t.Fatalf("space %d, %+v: from %v to %v: hits %v at %v, with all cells %v at %v", k, some, q, to, got, along, want, wantAlong)
			}
		}
	}
	if fewer < 250 || through < 100 {
		t.Errorf("%d parts of 500, %d of them through a border", fewer, through)
	}
}

// randomPoint returns a point whose cell is in the part, or any point.
func randomPoint[T kernels.Float](r *rand.Rand, s Space[T], g *Grid[T], part *Part, inside bool) (p [3]T) {
	low, high := coords(s.Low), coords(s.High)
	for a := range s.Dims {
		for {
			p[a] = low[a] + (high[a]-low[a])*T(1.4*r.Float64()-0.2)
			axis := &g.axes[a]
			c := min(max(axis.cellNumber(axis.wrap(p[a])), 0), axis.boxCells-1)
			if !inside || part.Count[a] == 0 || floorMod(c-part.First[a], axis.boxCells) < part.Count[a] {
				break
			}
		}
	}
	return p
}

// compareFound compares the answers of two grids, with or without their rows.
func compareFound[T kernels.Float](t *testing.T, where string, rows bool, got, want []Found[T]) {
	t.Helper()
	if !rows {
		for _, list := range [][]Found[T]{got, want} {
			for i := range list {
				list[i].Row = 0
			}
			slices.SortFunc(list, func(a, b Found[T]) int { return int(a.ID - b.ID) })
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%s: found %v, with all cells %v", where, got, want)
	}
}

// TestPartRoom checks a box that has more cells than a grid may keep, with a part of only a few
// cells. It also checks invalid parts.
func TestPartRoom(t *testing.T) {
	s := Space[float64]{Dims: 2, High: Point[float64]{X: 1 << 20, Y: 1 << 20}, Cell: 1, Border: Periodic}
	s.Part = Part{First: [3]int32{1<<20 - 5, 100}, Count: [3]int32{10, 20}}
	g := New(s)
	g.Build([]float64{1<<20 - 0.5, 1.5, 1<<20 - 2.5}, []float64{110, 110, 110}, nil)
	if got := g.IDs(); g.cells() != 200 || !slices.Equal(got, []int32{1, 2, 0}) {
		t.Errorf("rows %v in %d cells, want 1 2 0 in 200", got, g.cells())
	}
	s = Space[float64]{Dims: 2, High: Point[float64]{X: 6, Y: 5}, Cell: 1, Border: Periodic, Part: Part{First: [3]int32{4}, Count: [3]int32{6, 5}}}
	if g := New(s); g.omitsCells {
		t.Error("a part with all cells is taken for one that leaves some out")
	}
	if s.Part.Count[1] = 4; !New(s).omitsCells {
		t.Error("a part with fewer cells is taken for all")
	}
	for _, c := range []struct {
		border Border
		part   Part
		say    string
	}{
		{Walled, Part{First: [3]int32{-1}, Count: [3]int32{2}}, "Part has 2 cells from -1 on along X: there are 4"},
		{Walled, Part{First: [3]int32{0, 3}, Count: [3]int32{0, 2}}, "Part has 2 cells from 3 on along Y"},
		{Periodic, Part{First: [3]int32{3}, Count: [3]int32{5}}, "Part has 5 cells"},
		{Periodic, Part{First: [3]int32{4}, Count: [3]int32{1}}, "Part has 1 cells from 4 on"},
		{Walled, Part{Count: [3]int32{math.MinInt32}}, "Part has -2147483648 cells"},
		{Endless, Part{Count: [3]int32{1}}, "Part is for a box"},
	} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "near: New: "+c.say) {
					t.Errorf("%+v: the panic says %q", c.part, text)
				}
			}()
			New(Space[float32]{Dims: 2, High: Point[float32]{X: 4, Y: 4}, Cell: 1, Border: c.border, Part: c.part})
		}()
	}
}
