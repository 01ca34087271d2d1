package near

import (
	"math"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// naive answers queries by comparing with every point.
type naive[T kernels.Float] struct {
	*scene[T]
	g  *Grid[T] // used for the order of its rows
	at map[int32]int32
}

// difference returns the distance along one axis by the rules of the space. It is written differently
// from the package, so that it does not repeat a mistake.
func (n *naive[T]) difference(a int, q, p T) T {
	low, high := coords(n.space.Low)[a], coords(n.space.High)[a]
	d := q - p
	if n.space.Border == Periodic {
		side := high - low
		if d > side/2 {
			d -= side
		} else if d < -side/2 {
			d += side
		}
	}
	return d
}

// image returns the image of a coordinate inside the box.
func (n *naive[T]) image(a int, x T) T {
	low, high := coords(n.space.Low)[a], coords(n.space.High)[a]
	if n.space.Border != Periodic || low <= x && x < high {
		return x
	}
	rest := math.Mod(float64(x-low), float64(high-low))
	y := T(rest)
	if y < 0 {
		y += high - low
	}
	if y += low; y < low || y >= high {
		y = low
	}
	return y
}

func (n *naive[T]) square(id int, p Point[T]) (T, bool) {
	q, at := [3]T{n.x[id], n.y[id]}, coords(p)
	if n.z != nil {
		q[2] = n.z[id]
	}
	var d [3]T
	for a := range n.space.Dims {
		if math.IsNaN(float64(q[a])) || math.IsInf(float64(q[a]), 0) {
			return 0, false
		}
		d[a] = n.difference(a, n.image(a, q[a]), n.image(a, at[a]))
	}
	return T(d[0]*d[0]) + T(d[1]*d[1]) + T(d[2]*d[2]), true
}

// pointsWithin returns all points within r of p, in the order of rows.
func (n *naive[T]) pointsWithin(p Point[T], r T) (found []Found[T]) {
	if n.space.Dims == 2 {
		p.Z = 0 // Z does not count in a plane
	}
	for id := range n.x {
		if square, ok := n.square(id, p); ok && p.finite() && square <= r*r {
			found = append(found, Found[T]{int32(id), n.at[int32(id)], square})
		}
	}
	slices.SortFunc(found, func(a, b Found[T]) int { return int(a.Row - b.Row) })
	return found
}

func (n *naive[T]) nearest(p Point[T], k int) []Found[T] {
	found := n.pointsWithin(p, T(math.Inf(1)))
	slices.SortFunc(found, func(a, b Found[T]) int {
		if a.nearerThan(b) {
			return -1
		}
		return 1
	})
	return found[:min(k, len(found))]
}

// check queries a grid and compares the answers with a search of all points.
func (s *scene[T]) check(t *testing.T, g *Grid[T]) {
	t.Helper()
	n := &naive[T]{s, g, map[int32]int32{}}
	n.order(t)
	for range 3 {
		p, r, k := s.point(), s.radius(), s.r.IntN(2+len(s.x))
		want := n.pointsWithin(p, r)
		if got := g.AppendWithin(nil, p, r); !slices.Equal(got, want) {
			t.Fatalf("within %v of %v: %v, want %v", r, p, got, want)
		}
		got, ok := g.Any(p, r)
		if ok != (len(want) > 0) || ok && got != want[0] {
			t.Fatalf("any within %v of %v: %v %v, want the first of %v", r, p, got, ok, want)
		}
		n.checkRuns(t, p, r, want)
		if got, want := g.AppendNearest(nil, p, k), n.nearest(p, k); !slices.Equal(got, want) {
			t.Fatalf("nearest %d to %v: %v, want %v", k, p, got, want)
		}
		n.ray(t, p, s.point(), r)
	}
	if r := s.radius(); len(s.x) <= 70 {
		n.lists(t, r)
		n.checkTiles(t, r)
	}
}

// order checks that the grid contains each point once, unchanged, sorted by cell and id.
func (n *naive[T]) order(t *testing.T) {
	t.Helper()
	g := n.g
	at, ids := g.At(), g.IDs()
	last := [2]int{-1, -1}
	for row, id := range ids {
		q := [3]T{n.image(0, n.x[id]), n.image(1, n.y[id])}
		if at.X[row] != q[0] || at.Y[row] != q[1] {
			t.Fatalf("row %d is at %v, %v, want %v", row, at.X[row], at.Y[row], q)
		}
		if n.z != nil {
			if q[2] = n.image(2, n.z[id]); at.Z[row] != q[2] {
				t.Fatalf("row %d is at z %v, want %v", row, at.Z[row], q)
			}
		}
		now := [2]int{g.cellOf(q), int(id)}
		if slices.Compare(last[:], now[:]) >= 0 {
			t.Fatalf("row %d: cell and id %v behind %v", row, now, last)
		}
		last, n.at[id] = now, int32(row)
	}
	var nowhere []int32
	for id := range n.x {
		if _, ok := n.square(id, Point[T]{}); !ok {
			nowhere = append(nowhere, int32(id))
		}
	}
	if got := g.Nowhere(); !slices.Equal(got, nowhere) {
		t.Fatalf("nowhere are %v, want %v", got, nowhere)
	}
	if len(ids)+len(nowhere) != len(n.x) || len(n.at) != len(ids) || g.Len() != len(n.x) {
		t.Fatalf("%d points somewhere and %d nowhere, of %d; Len is %d", len(ids), len(nowhere), len(n.x), g.Len())
	}
}

// checkRuns checks that the runs that a query returns are in order and contain all points within r.
func (n *naive[T]) checkRuns(t *testing.T, p Point[T], r T, want []Found[T]) {
	t.Helper()
	runs, k := n.g.AppendRuns([]Run{{}}, p, r), 1
	for i, run := range runs[1:] {
		if run.Lo >= run.Hi || i > 0 && run.Lo <= runs[i].Hi {
			t.Fatalf("run %v behind %v", run, runs[:i+1])
		}
	}
	for _, f := range want {
		for k < len(runs) && runs[k].Hi <= f.Row {
			k++
		}
		if k == len(runs) || f.Row < runs[k].Lo {
			t.Fatalf("%v is in none of the runs %v within %v of %v", f, runs, r, p)
		}
	}
}

// ray checks every point against a segment.
func (n *naive[T]) ray(t *testing.T, from, to Point[T], r T) {
	t.Helper()
	if !finite(T(r * r)) {
		defer func() {
			if recover() == nil {
				t.Fatalf("Hit answers with %v, whose square is not finite", r)
			}
		}()
		n.g.Hit(from, to, r)
		return
	}
	w := ray[T]{grid: n.g, from: coords(from), to: coords(to), squaredRadius: r * r}
	var first Found[T]
	var along T
	var ok bool
	if w.setup(r) {
		for row, id := range n.g.IDs() {
			if square, at, met := w.intersect(int32(row)); met && (!ok || at < along || at == along && id < first.ID) {
				first, along, ok = Found[T]{id, int32(row), square}, at, true
			}
		}
	}
	got, at, met := n.g.Hit(from, to, r)
	if got != first || at != along || met != ok {
		t.Fatalf("from %v to %v with %v: hit %v at %v, %v; want %v at %v, %v", from, to, r, got, at, met, first, along, ok)
	}
}

// pairs returns the rows within r of each row.
func (n *naive[T]) pairs(r T) (lists [][]int32) {
	for _, id := range n.g.IDs() {
		p := Point[T]{X: n.x[id], Y: n.y[id]}
		if n.z != nil {
			p.Z = n.z[id]
		}
		var rows []int32
		for _, f := range n.pointsWithin(p, r) {
			if f.ID != id {
				rows = append(rows, f.Row)
			}
		}
		lists = append(lists, rows)
	}
	return lists
}

func (n *naive[T]) lists(t *testing.T, r T) {
	t.Helper()
	var both, once Lists
	if err := n.g.Neighbours(&both, r); err != nil {
		t.Fatal(err)
	}
	if err := n.g.Pairs(&once, r); err != nil {
		t.Fatal(err)
	}
	for i, want := range n.pairs(r) {
		if got := both.Row[both.Start[i]:both.Start[i+1]]; !slices.Equal(got, want) {
			t.Fatalf("within %v of row %d: %v, want %v", r, i, got, want)
		}
		want = slices.DeleteFunc(want, func(j int32) bool { return j < int32(i) })
		if got := once.Row[once.Start[i]:once.Start[i+1]]; !slices.Equal(got, want) {
			t.Fatalf("pairs within %v of row %d: %v, want %v", r, i, got, want)
		}
	}
}

// checkTiles checks that each row is in one tile whose runs contain all points within r.
func (n *naive[T]) checkTiles(t *testing.T, r T) {
	t.Helper()
	var tile Tile[T]
	lists, next, at := n.pairs(r), int32(0), n.g.At()
	for k := range n.g.Tiles() {
		tile.Load(n.g, k, r)
		if tile.Rows.Lo != next || tile.Rows.Hi <= next || tile.Rows != n.g.TileRows(k) {
			t.Fatalf("tile %d has rows %v, want them from %d on", k, tile.Rows, next)
		}
		next = tile.Rows.Hi
		var in []int32
		for _, run := range tile.Runs {
			for row := run.Lo; row < run.Hi; row++ {
				in = append(in, row)
			}
		}
		if !slices.IsSorted(in) || len(slices.Compact(slices.Clone(in))) != len(in) || len(tile.At.X) != len(in) || len(tile.At.Z) != len(in)*(n.space.Dims-2) {
			t.Fatalf("tile %d has runs %v and %d points", k, tile.Runs, len(tile.At.X))
		}
		for i, row := range in {
			if tile.At.X[i] != at.X[row] || tile.At.Y[i] != at.Y[row] || n.z != nil && tile.At.Z[i] != at.Z[row] {
				t.Fatalf("tile %d: point %d is not that of row %d", k, i, row)
			}
		}
		for row := tile.Rows.Lo; row < tile.Rows.Hi; row++ {
			for _, j := range append(lists[row], row) {
				if _, ok := slices.BinarySearch(in, j); !ok {
					t.Fatalf("tile %d, within %v: row %d is near %d, and not in %v", k, r, j, row, tile.Runs)
				}
				if d := at.X[j] - at.X[row]; !tile.Wraps && n.difference(0, at.X[j], at.X[row]) != d && lists[row] != nil && j != row {
					t.Fatalf("tile %d: from %v to %v is %v, and it does not wrap", k, at.X[row], at.X[j], d)
				}
			}
		}
	}
	if int(next) != len(at.X) {
		t.Fatalf("tiles have %d rows of %d", next, len(at.X))
	}
}
