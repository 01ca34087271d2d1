package near

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// A scene consists of a space with points, and of queries.
type scene[T kernels.Float] struct {
	space   Space[T]
	x, y, z []T
	r       *rand.Rand
}

// newScene creates a scene of a random kind. It has few or many points. The points are close
// together, on borders of cells, all at one place, far away, or outside of all cells.
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
	if kind == 3 && n > 0 { // all at a few places
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
	if low == high { // without borders
		high = low + 10*s.space.Cell
	}
	u := low + T(T(r.Float64())*(high-low))
	switch kind {
	case 1: // on borders of cells and slightly beside them
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
	case 5: // without a place
		u = []T{u, u, u, u, T(math.NaN()), T(math.Inf(1)), T(math.Inf(-1)), maxFinite[T](), -maxFinite[T](), 0}[r.IntN(10)]
	case 6: // on a line
		u = low + T(T(r.IntN(100))*s.space.Cell/3)
	case 7: // so close that the squares of distances vanish
		u = low + T(T(r.IntN(5))*1e-25)
	}
	return u
}

func next[T kernels.Float](x, to T) T {
	if isFloat64[T]() {
		return T(math.Nextafter(float64(x), float64(to)))
	}
	return T(math.Nextafter32(float32(x), float32(to)))
}

// point returns a position for a query. It is at a point of the scene, next to a point, or
// anywhere.
func (s *scene[T]) point() Point[T] {
	low, high := coords(s.space.Low), coords(s.space.High)
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

// put sets the points of a grid, each worker a part of them.
func (s *scene[T]) put(g *Grid[T], pool *jobs.Pool) {
	g.Resize(len(s.x))
	err := pool.Range(len(s.x), 1000, func(lo, hi int) { g.Put(lo, s.x[lo:hi], s.y[lo:hi], s.part(lo, hi)) })
	if err != nil {
		panic(err)
	}
	g.Sort()
}

// move puts the points into a grid at other positions, and then moves them to their positions.
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

// crowd returns a scene of n points, a few per cell, in a space whose kind depends on the seed. Some
// points are outside of the box, and some have no position because a coordinate is NaN.
func crowd[T kernels.Float](seed uint64, n int) *scene[T] {
	s := &scene[T]{r: rand.New(rand.NewPCG(seed, 8))}
	s.space = Space[T]{Dims: 2 + int(seed%2), Border: Border(seed / 2), Cell: 1, High: Point[T]{90, 45, 15}}
	if s.space.Dims == 3 {
		s.space.High = Point[T]{31, 19, 7}
	}
	for a, high := range coords(s.space.High) {
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
