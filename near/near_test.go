package near

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

var count = flag.Int("near.cases", 400, "random cases of each kind against comparison with every point")

// A scene is a space with points in it, and what may be asked.
type scene[T kernels.Float] struct {
	space   Space[T]
	x, y, z []T
	r       *rand.Rand
}

// newScene makes one of many kinds: few points and some, near each other, on borders of
// cells, in one place, far away, nowhere.
func newScene[T kernels.Float](seed uint64, most int) *scene[T] {
	r := rand.New(rand.NewPCG(seed, 7))
	s := &scene[T]{r: r}
	s.space.Dims = 2 + r.IntN(2)
	s.space.Border = Border(r.IntN(3))
	s.space.Cell = []T{1, 0.5, 0.3, 7, 1e-3}[r.IntN(5)]
	if s.space.Border != Endless {
		s.space.Low = Point[T]{X: T(r.IntN(5) - 2), Y: T(r.Float64()), Z: -3}
		width := func() T { return T(1+r.IntN(9)) * s.space.Cell * []T{1, 1.1, 0.4}[r.IntN(3)] }
		s.space.High = Point[T]{X: s.space.Low.X + width(), Y: s.space.Low.Y + width(), Z: s.space.Low.Z + width()}
	}
	n := []int{0, 1, 2, 5, 20, most}[r.IntN(6)]
	kind := r.IntN(8)
	s.x, s.y, s.z = s.lane(n, kind, s.space.Low.X, s.space.High.X), s.lane(n, kind, s.space.Low.Y, s.space.High.Y), s.lane(n, kind, s.space.Low.Z, s.space.High.Z)
	if s.space.Dims == 2 {
		s.z = nil
	}
	if kind == 3 && n > 0 { // all in few places
		for i := range s.x {
			j := i % 3 % n
			s.x[i], s.y[i] = s.x[j], s.y[j]
			if s.z != nil {
				s.z[i] = s.z[j]
			}
		}
	}
	return s
}

func (s *scene[T]) lane(n, kind int, low, high T) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = s.coordinate(kind, low, high)
	}
	return x
}

func (s *scene[T]) coordinate(kind int, low, high T) T {
	r := s.r
	if low == high { // endless
		high = low + 10*s.space.Cell
	}
	u := low + T(T(r.Float64())*(high-low))
	switch kind {
	case 1: // on borders of cells and a little beside them
		u = low + T(T(r.IntN(11)-1)*s.space.Cell)
		switch r.IntN(3) {
		case 1:
			u = next(u, T(math.Inf(1)))
		case 2:
			u = next(u, T(math.Inf(-1)))
		}
	case 2: // outside
		u += T(T(r.IntN(5)-2) * (high - low))
	case 4: // far away
		u *= []T{1, 1, 1e5, -1e9, 1e15, 1e30}[r.IntN(6)]
	case 5: // nowhere
		u = []T{u, u, u, u, T(math.NaN()), T(math.Inf(1)), T(math.Inf(-1)), greatest[T](), -greatest[T](), 0}[r.IntN(10)]
	case 6: // at a line
		u = low + T(T(r.IntN(100))*s.space.Cell/3)
	case 7: // so near that squares vanish
		u = low + T(T(r.IntN(5))*1e-25)
	}
	return u
}

func next[T kernels.Float](x, to T) T {
	if isDouble[T]() {
		return T(math.Nextafter(float64(x), float64(to)))
	}
	return T(math.Nextafter32(float32(x), float32(to)))
}

// point returns where something is asked: at a point, beside one, anywhere.
func (s *scene[T]) point() Point[T] {
	low, high := lanes(s.space.Low), lanes(s.space.High)
	kind := s.r.IntN(8)
	p := Point[T]{s.coordinate(kind, low[0], high[0]), s.coordinate(kind, low[1], high[1]), s.coordinate(kind, low[2], high[2])}
	if n := len(s.x); n > 0 && s.r.IntN(2) == 0 {
		i := s.r.IntN(n)
		p.X, p.Y = s.x[i], s.y[i]
		if s.z != nil {
			p.Z = s.z[i]
		}
	}
	return p
}

func (s *scene[T]) radius() T {
	c := s.space.Cell
	side := s.space.High.X - s.space.Low.X
	return []T{0, c, c, c / 2, 3 * c, T(c * 0.999), side / 2, next(side/2, 0), side, T(T(s.r.Float64()) * 4 * c), 1e-30, T(math.Inf(1)), 1e19, T(1e5 * c)}[s.r.IntN(14)]
}

// naive answers by comparing with every point.
type naive[T kernels.Float] struct {
	*scene[T]
	g  *Grid[T] // for the order of its rows
	at map[int32]int32
}

// axis returns what the rules say about an axis, written another way than in the package.
func (n *naive[T]) difference(a int, q, p T) T {
	low, high := lanes(n.space.Low)[a], lanes(n.space.High)[a]
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

// image returns the image of a coordinate inside of the box.
func (n *naive[T]) image(a int, x T) T {
	low, high := lanes(n.space.Low)[a], lanes(n.space.High)[a]
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
	q, at := [3]T{n.x[id], n.y[id]}, lanes(p)
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

// within returns all points within r of p, in the order of rows.
func (n *naive[T]) within(p Point[T], r T) (found []Found[T]) {
	if n.space.Dims == 2 {
		p.Z = 0 // it is left out, whatever it is
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
	found := n.within(p, T(math.Inf(1)))
	slices.SortFunc(found, func(a, b Found[T]) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	return found[:min(k, len(found))]
}

// check asks a grid and everybody, and compares.
func (s *scene[T]) check(t *testing.T, g *Grid[T]) {
	t.Helper()
	n := &naive[T]{s, g, map[int32]int32{}}
	n.order(t)
	for range 3 {
		p, r, k := s.point(), s.radius(), s.r.IntN(2+len(s.x))
		want := n.within(p, r)
		if got := g.AppendWithin(nil, p, r); !slices.Equal(got, want) {
			t.Fatalf("within %v of %v: %v, want %v", r, p, got, want)
		}
		got, ok := g.Any(p, r)
		if ok != (len(want) > 0) || ok && got != want[0] {
			t.Fatalf("any within %v of %v: %v %v, want the first of %v", r, p, got, ok, want)
		}
		n.runs(t, p, r, want)
		if got, want := g.AppendNearest(nil, p, k), n.nearest(p, k); !slices.Equal(got, want) {
			t.Fatalf("nearest %d to %v: %v, want %v", k, p, got, want)
		}
		n.ray(t, p, s.point(), r)
	}
	if r := s.radius(); len(s.x) <= 70 {
		n.lists(t, r)
		n.tiles(t, r)
	}
}

// order wants all points once, where they are, by cell and id.
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

// runs wants all that is found in runs that are in order.
func (n *naive[T]) runs(t *testing.T, p Point[T], r T, want []Found[T]) {
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

// ray asks every point whether a way meets it.
func (n *naive[T]) ray(t *testing.T, from, to Point[T], r T) {
	t.Helper()
	w := ray[T]{g: n.g, from: lanes(from), to: lanes(to), limit: r * r}
	var first Found[T]
	var along T
	var ok bool
	if w.prepare(r) {
		for row, id := range n.g.IDs() {
			if square, at, met := w.meet(int32(row)); met && (!ok || at < along || at == along && id < first.ID) {
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
		for _, f := range n.within(p, r) {
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

// tiles wants each row in one tile, with all that is within r in its runs.
func (n *naive[T]) tiles(t *testing.T, r T) {
	t.Helper()
	var tile Tile[T]
	lists, next, at := n.pairs(r), int32(0), n.g.At()
	for k := range n.g.Tiles() {
		tile.Load(n.g, k, r)
		if tile.Rows.Lo != next || tile.Rows.Hi <= next {
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

// TestAgainstAll compares what grids find with comparing every point.
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

// FuzzAgainstAll does so for any seed, and as many points as wanted.
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

// TestPieces builds one grid in many ways, with any number of workers: it is the same.
func TestPieces(t *testing.T) {
	pieces[float32](t)
	pieces[float64](t)
}

func pieces[T kernels.Float](t *testing.T) {
	for seed := range uint64(6) {
		s := crowd[T](seed, alone+1000)
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
				same(t, g, want)
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

// add adds points in pieces.
func (s *scene[T]) add(g *Grid[T]) {
	g.Clear()
	for lo := 0; lo < len(s.x); {
		hi := min(len(s.x), lo+s.r.IntN(3000))
		g.Add(s.x[lo:hi], s.y[lo:hi], s.part(lo, hi))
		lo = hi
	}
	g.Sort()
}

func (s *scene[T]) part(lo, hi int) []T {
	if s.z == nil {
		return nil
	}
	return s.z[lo:hi]
}

// put puts them from all workers.
func (s *scene[T]) put(g *Grid[T], pool *jobs.Pool) {
	g.Resize(len(s.x))
	err := pool.Range(len(s.x), 1000, func(lo, hi int) { g.Put(lo, s.x[lo:hi], s.y[lo:hi], s.part(lo, hi)) })
	if err != nil {
		panic(err)
	}
	g.Sort()
}

// move begins with points that are somewhere else.
func (s *scene[T]) move(g *Grid[T]) {
	elsewhere := func(lane []T, low T) []T {
		moved := slices.Clone(lane)
		for i, x := range moved {
			if finite(x) {
				moved[i] = low + T(i%7)*s.space.Cell
			}
		}
		return moved
	}
	g.Build(elsewhere(s.x, s.space.Low.X), elsewhere(s.y, s.space.Low.Y), elsewhere(s.z, s.space.Low.Z))
	at := g.At()
	for row, id := range g.IDs() {
		at.X[row], at.Y[row] = s.x[id], s.y[id]
		if s.z != nil {
			at.Z[row] = s.z[id]
		}
	}
	g.Move()
}

// same wants a grid to be the one that is wanted.
func same[T kernels.Float](t *testing.T, g, want *Grid[T]) {
	t.Helper()
	a, b := g.At(), want.At()
	if !slices.Equal(a.X, b.X) || !slices.Equal(a.Y, b.Y) || !slices.Equal(a.Z, b.Z) || !slices.Equal(g.IDs(), want.IDs()) || !slices.Equal(g.Nowhere(), want.Nowhere()) || !slices.Equal(g.start, want.start) {
		t.Fatal("another grid")
	}
}

// crowd is a space of each kind with so many points in it, some outside and some nowhere:
// a few in each cell.
func crowd[T kernels.Float](seed uint64, n int) *scene[T] {
	s := &scene[T]{r: rand.New(rand.NewPCG(seed, 8))}
	s.space = Space[T]{Dims: 2 + int(seed%2), Border: Border(seed / 2), Cell: 1, High: Point[T]{90, 45, 15}}
	if s.space.Dims == 3 {
		s.space.High = Point[T]{31, 19, 7}
	}
	for a, high := range lanes(s.space.High) {
		lane := make([]T, n)
		for i := range lane {
			lane[i] = T(s.r.Float64()) * high
		}
		for range 20 {
			lane[s.r.IntN(n)] *= 3
			lane[s.r.IntN(n)] = T(math.NaN())
		}
		*[]*[]T{&s.x, &s.y, &s.z}[a] = lane
	}
	if s.space.Dims == 2 {
		s.z = nil
	}
	return s
}

// TestBuildAt builds a grid of its own points: they are read from where the sorted ones go.
func TestBuildAt(t *testing.T) {
	for seed := range uint64(6) {
		s := crowd[float32](seed, 3000)
		g, want := New(s.space), New(s.space)
		g.Build(s.x, s.y, s.z)
		at := g.At()
		want.Build(slices.Clone(at.Y), slices.Clone(at.X), slices.Clone(at.Z))
		g.Build(at.Y, at.X, at.Z) // another order
		same(t, g, want)
	}
}

// TestTogether moves many points into one cell, and many to nowhere: that takes no longer
// than for as many that are apart.
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

// TestTinyBox asks for the nearest in boxes that are smaller than what has an inverse.
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

// TestPlane leaves out the Z of points where something is asked, whatever it is.
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

// TestHitFarAway goes through cells that have no end because no number is further away.
func TestHitFarAway(t *testing.T) {
	for _, way := range []float64{1, -1} {
		g := New(Space[float64]{Dims: 2, Cell: 1, Border: Endless})
		g.Build([]float64{0, way * (far + 994), way * (far + 994)}, []float64{0, 5, 50}, nil)
		from, to := Point[float64]{X: way * (far - 12)}, Point[float64]{X: way * (far + 2000), Y: 10}
		for _, ends := range [][2]Point[float64]{{from, to}, {to, from}} {
			if hit, along, ok := g.Hit(ends[0], ends[1], 0.5); !ok || hit.ID != 1 || along < 0.49 || along > 0.51 {
				t.Errorf("from %v to %v: %v at %v, %v", ends[0], ends[1], hit, along, ok)
			}
		}
	}
}

// TestTooManyInOneCell gives up before memory is full of the pairs of one cell.
func TestTooManyInOneCell(t *testing.T) {
	g := New(Space[float32]{Dims: 2, High: Point[float32]{X: 9, Y: 9}, Cell: 1})
	x := make([]float32, 3000)
	g.Build(x, x, nil)
	var lists Lists
	if err := g.list("Grid.Neighbours", &lists, 1, false, 100_000); !errors.Is(err, ErrTooMany) {
		t.Error(err)
	}
	if n := cap(lists.blocks[0].rows); n > 1_000_000 {
		t.Errorf("memory for %d pairs", n)
	}
}

// TestAddAt adds lanes of what At has returned before a Move, in another order: Add and Put
// copy into memory that nobody was shown.
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
		same(t, g, want)
	}
}
