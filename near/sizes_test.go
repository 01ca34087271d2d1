package near

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

// TestMostCells creates boxes with the largest allowed number of cells along an axis, and with one
// more layer.
func TestMostCells(t *testing.T) {
	box := Space[float64]{Dims: 3, High: Point[float64]{X: 512, Y: 512, Z: 512}, Cell: 1}
	axes := box.axes()
	if n := int64(axes[0].cells) * int64(axes[1].cells) * int64(axes[2].cells); n != maxCells {
		t.Errorf("%d cells, want %d", n, maxCells)
	}
	box.High.Z++
	if said := panicText(func() { New(box) }); !strings.Contains(said, "more than 134217728 cells of 1") {
		t.Errorf("said %q", said)
	}
	box.High, box.Cell = Point[float64]{X: 1e300, Y: 1, Z: 1}, 1
	if said := panicText(func() { New(box) }); !strings.Contains(said, "more than 134217728 cells of 1") {
		t.Errorf("said %q", said)
	}
}

// TestOneCell puts all points into the only cell, in every kind of space.
func TestOneCell(t *testing.T) {
	for _, border := range []Border{Walled, Periodic, Endless} {
		g := New(Space[float32]{Dims: 2, High: Point[float32]{X: 1, Y: 1}, Cell: 100, Border: border})
		x := make([]float32, 500)
		for i := range x {
			x[i] = float32(i) / 500
		}
		g.Build(x, x, nil)
		if got := g.AppendWithin(nil, Point[float32]{X: 0.5, Y: 0.5}, 0); len(got) != 1 || got[0].ID != 250 {
			t.Errorf("border %d: at one place are %v", border, got)
		}
		if got := g.AppendNearest(nil, Point[float32]{X: 0.5, Y: 0.5}, 1000); len(got) != 500 {
			t.Errorf("border %d: %d of 500 are nearest", border, len(got))
		}
		var lists Lists
		if err := g.Pairs(&lists, float32(math.Inf(1))); err != nil || len(lists.Row) != 500*499/2 {
			t.Errorf("border %d: %d pairs, %v", border, len(lists.Row), err)
		}
	}
}

// TestFine creates cells that are much smaller than the distances between points. Searches must
// still find all points, and an endless space must limit the number of cells per point.
func TestFine(t *testing.T) {
	x, y := []float64{1, 500, 999, 1e7}, []float64{1, 500, 999, -1e7}
	walled := New(Space[float64]{Dims: 2, High: Point[float64]{X: 1000, Y: 1000}, Cell: 1})
	endless := New(Space[float64]{Dims: 2, Cell: 1e-6, Border: Endless})
	for _, g := range []*Grid[float64]{walled, endless} {
		g.Build(x, y, nil)
		if got := g.AppendNearest(nil, Point[float64]{X: 499, Y: 499}, 4); len(got) != 4 || got[0].ID != 1 || got[3].ID != 3 {
			t.Errorf("nearest are %v", got)
		}
		if got := g.AppendWithin(nil, Point[float64]{X: 499, Y: 499}, 710); len(got) != 3 {
			t.Errorf("within 710 are %v", got)
		}
	}
	if n := endless.cells(); n > minSharedCells {
		t.Errorf("%d cells for 4 points", n)
	}
}

// TestClosedPool calls Build and Move of a grid whose pool is closed. The call must return an
// error and leave the grid without points. Without this pool the grid must work again.
func TestClosedPool(t *testing.T) {
	pool := jobs.New(jobs.Workers(2))
	s := crowd[float32](1, 2*minParallel)
	g, want := New(s.space), New(s.space)
	want.Build(s.x, s.y, s.z)
	g.Pool = pool
	g.Build(s.x, s.y, s.z)
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func(){
		"Build": func() { g.Build(s.x, s.y, s.z) },
		"Move":  func() { g.Move() },
	} {
		g.Pool = nil
		g.Build(s.x, s.y, s.z)
		g.Pool = pool
		if said := panicText(call); !strings.Contains(said, "closed") {
			t.Errorf("%s: said %q", name, said)
		}
		if said := panicText(func() { g.Any(Point[float32]{}, 1) }); !strings.Contains(said, "0 points are not sorted") {
			t.Errorf("after %s: said %q", name, said)
		}
		g.Pool = nil
		g.Sort()
		if g.Len() != 0 || len(g.IDs()) != 0 {
			t.Errorf("after %s: %d points", name, g.Len())
		}
	}
	g.Add(s.x, s.y, s.z)
	g.Pool = pool
	if said := panicText(g.Sort); !strings.Contains(said, "closed") {
		t.Errorf("Sort: said %q", said)
	}
	g.Pool = nil
	g.Sort() // the added points are still there
	checkSame(t, g, want)
}

// panicText returns the value with which call panics.
func panicText(call func()) (said string) {
	defer func() {
		if r := recover(); r != nil {
			said = fmt.Sprint(r)
		}
	}()
	call()
	return ""
}
