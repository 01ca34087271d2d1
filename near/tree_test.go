package near

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTree compares the answers of trees with those of a search over all points.
func TestTree(t *testing.T) {
	t.Run("float32", func(t *testing.T) {
		for seed := range uint64(*count) {
			newScene[float32](seed, 300).checkTree(t)
		}
	})
	t.Run("float64", func(t *testing.T) {
		for seed := range uint64(*count) {
			newScene[float64](seed, 300).checkTree(t)
		}
	})
}

func FuzzTree(f *testing.F) {
	f.Add(uint64(1), uint16(40))
	f.Fuzz(func(t *testing.T, seed uint64, most uint16) {
		newScene[float32](seed, int(most%2000)).checkTree(t)
		newScene[float64](seed, int(most%2000)).checkTree(t)
	})
}

// checkTree builds a tree of the points of a scene and compares its answers with those of a search
// over all points.
func (s *scene[T]) checkTree(t *testing.T) {
	t.Helper()
	s.space.Border = Endless // trees have no borders
	var tree Tree[T]
	tree.Build(s.x, s.y, s.z)
	n := &naive[T]{scene: s, at: map[int32]int32{}}
	at := tree.At()
	for row, id := range tree.IDs() {
		if n.at[id] = int32(row); at.X[row] != s.x[id] || at.Y[row] != s.y[id] || s.z != nil && at.Z[row] != s.z[id] {
			t.Fatalf("row %d is not where %d is", row, id)
		}
	}
	for id := range s.x {
		p := Point[T]{X: s.x[id], Y: s.y[id]}
		if s.z != nil {
			p.Z = s.z[id]
		}
		if _, ok := n.at[int32(id)]; ok != p.finite() || ok == slices.Contains(tree.Nowhere(), int32(id)) {
			t.Fatalf("%d is at %v, and found: %v", id, p, ok)
		}
	}
	if len(n.at)+len(tree.Nowhere()) != len(s.x) || tree.Len() != len(s.x) || !slices.IsSorted(tree.Nowhere()) {
		t.Fatalf("%d points and %v, of %d", len(n.at), tree.Nowhere(), len(s.x))
	}
	for range 3 {
		p, r, k := s.point(), s.radius(), s.r.IntN(2+len(s.x))
		want := n.pointsWithin(p, r)
		if got := tree.AppendWithin(nil, p, r); !slices.Equal(got, want) {
			t.Fatalf("within %v of %v: %v, want %v", r, p, got, want)
		}
		if got, ok := tree.Any(p, r); ok != (len(want) > 0) || ok && got != want[0] {
			t.Fatalf("any within %v of %v: %v %v, want the first of %v", r, p, got, ok, want)
		}
		if got, want := tree.AppendNearest(nil, p, k), n.nearest(p, k); !slices.Equal(got, want) {
			t.Fatalf("nearest %d to %v: %v, want %v", k, p, got, want)
		}
	}
}

// TestTreeOrders builds trees of points that are sorted, reversed, or at one or a few places.
// Building must take no longer than for random points. A tree that is built from its sorted points
// must be correct too.
func TestTreeOrders(t *testing.T) {
	const n = 20_000
	x, y := make([]float64, n), make([]float64, n)
	for name, f := range map[string]func(i int) float64{
		"up": func(i int) float64 { return float64(i) }, "down": func(i int) float64 { return -float64(i) },
		"one": func(int) float64 { return 3 }, "few": func(i int) float64 { return float64(i % 3) },
		"organ": func(i int) float64 { return math.Abs(float64(i - n/2)) },
	} {
		for i := range x {
			x[i], y[i] = f(i), 1
		}
		var tree Tree[float64]
		tree.Build(x, y, nil)
		at := tree.At()
		tree.Build(at.Y, at.X, nil)
		if got := len(tree.AppendWithin(nil, Point[float64]{X: 1}, math.Inf(1))); got != n {
			t.Errorf("%s: %d points of %d", name, got, n)
		}
		lane := slices.Clone(tree.At().Y)
		sorted := slices.Clone(x)
		slices.Sort(lane)
		if slices.Sort(sorted); !slices.Equal(lane, sorted) {
			t.Errorf("%s: other points", name)
		}
	}
	var tree Tree[float64]
	for i := range x {
		x[i] = float64(i)
	}
	tree.Build(x, y, nil)
	tree.heapSort(func(i, j int) bool { return cmp.Less(tree.coords[0][j], tree.coords[0][i]) }, 10, 1000)
	if lane := slices.Clone(tree.coords[0][10:1000]); !slices.IsSortedFunc(lane, func(a, b float64) int { return cmp.Compare(b, a) }) {
		t.Error("the heap does not sort")
	}
}

func TestTreeMisuse(t *testing.T) {
	var tree Tree[float32]
	lane := make([]float32, 2)
	for _, c := range []struct {
		want string
		f    func()
	}{
		{"near: Tree.Build: len(x) is 2, len(y) is 1, len(z) is 0; in a plane z is nil", func() { tree.Build(lane, lane[:1], nil) }},
		{"near: Tree.AppendWithin: r is -1: a distance is not negative", func() { tree.AppendWithin(nil, Point[float32]{}, -1) }},
		{"near: Tree.Any: r is NaN: a distance is not negative", func() { tree.Any(Point[float32]{}, float32(math.NaN())) }},
		{"near: Tree.AppendNearest: k is -1: not below 0", func() { tree.AppendNearest(nil, Point[float32]{}, -1) }},
	} {
		got := ""
		func() {
			defer func() { got = fmt.Sprint(recover()) }()
			c.f()
		}()
		if got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	if tree.Len() != 0 || len(tree.AppendNearest(nil, Point[float32]{}, 3)) != 0 || len(tree.At().X)+len(tree.IDs())+len(tree.Nowhere()) != 0 {
		t.Error("the zero tree has points")
	}
}

// TestTreeVisits counts the leaves that searches for the 8 nearest points visit, in means. The points of a search are those of
// the tree, or are far from them. A tree of 20,000 points has 4,096 leaves.
func TestTreeVisits(t *testing.T) {
	const n = 20_000
	r := rand.New(rand.NewPCG(21, 22))
	even := func() Point[float32] { return Point[float32]{X: r.Float32(), Y: r.Float32(), Z: r.Float32()} }
	var middle [10]Point[float32]
	for i := range middle {
		middle[i] = even()
	}
	for _, c := range []struct {
		name           string
		point          func() Point[float32]
		own, elsewhere float64 // the largest mean numbers of leaves
	}{
		{"even", even, 13, 13},
		{"clouds", func() Point[float32] {
			m, p := middle[r.IntN(10)], even()
			return Point[float32]{X: m.X + 0.01*p.X, Y: m.Y + 0.01*p.Y, Z: m.Z + 0.01*p.Z}
		}, 13, 28},
		{"line", func() Point[float32] {
			x := r.Float32()
			return Point[float32]{X: x, Y: x, Z: x}
		}, 3.5, 160},
	} {
		var tree Tree[float32]
		x, y, z := make([]float32, n), make([]float32, n), make([]float32, n)
		for i := range x {
			p := c.point()
			x[i], y[i], z[i] = p.X, p.Y, p.Z
		}
		tree.Build(x, y, z)
		visits := func(point func() Point[float32]) float64 {
			leaves := 0
			for range 200 {
				s := nearestSearch[float32]{tree: &tree, point: coords(point()), k: 8, limit: float32(math.Inf(1))}
				s.run()
				leaves += s.leaves
			}
			return float64(leaves) / 200
		}
		if own, elsewhere := visits(c.point), visits(even); own > c.own || elsewhere > c.elsewhere {
			t.Errorf("%s: %v leaves in the mean for points of the tree, %v elsewhere", c.name, own, elsewhere)
		}
	}
}
