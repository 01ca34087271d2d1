package near

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// droplet returns a scene of n points close together, far from the origin. There is a box around them, unless
// the space is endless. Some droplets are so far away that the last place of a float32 coordinate is nearly
// as large as a cell.
func droplet[T kernels.Float](seed uint64, n int) *scene[T] {
	r := rand.New(rand.NewPCG(seed, 9))
	s := &scene[T]{r: r, space: Space[T]{Dims: 3, Border: Border(seed % 3), Cell: T(0.1 + 0.9*r.Float64())}}
	if isFloat64[T]() && r.IntN(8) == 0 {
		s.space.Cell *= 0x1p-29 // the last place is then as large for float64
	}
	side := T(s.space.Cell * T(1+math.Cbrt(float64(n))))
	for a, lane := range []*[]T{&s.x, &s.y, &s.z} {
		at := []T{10, -10, 1000, -1000, 0x1p20, -0x1p22, 0}[r.IntN(7)]
		*lane = make([]T, n)
		low, high := at, next(at+side, T(math.Inf(1)))
		for i := range *lane {
			(*lane)[i] = min(max(at+T(T(r.Float64())*side), low), high)
		}
		if s.space.Border != Endless {
			*[]*T{&s.space.Low.X, &s.space.Low.Y, &s.space.Low.Z}[a], *[]*T{&s.space.High.X, &s.space.High.Y, &s.space.High.Z}[a] = low, high
		}
	}
	return s
}

// TestDroplets compares clusters, grids, lists, tiles and rays with all pairs, for droplets far from the zero of the axes.
func TestDroplets(t *testing.T) {
	t.Run("float32", testDroplets[float32])
	t.Run("float64", testDroplets[float64])
}

func testDroplets[T kernels.Float](t *testing.T) {
	pairs := 0
	for seed := range uint64(150) {
		n := []int{2, 20, 60}[seed/3%3]
		if seed%100 < 3 {
			n = 2000
		}
		s := droplet[T](seed, n)
		name := fmt.Sprintf("seed %d: %d points, %v", seed, n, s.space)
		c := NewClusters(s.space, s.space.Cell, T(s.space.Cell*T(s.r.IntN(2))/4))
		c.Width = 1 << s.r.IntN(5)
		if err := c.Build(s.x, s.y, s.z); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		pairs += checkClusters(t, name, c)
		if t.Failed() {
			t.FailNow()
		}
		g := New(s.space)
		g.Build(s.x, s.y, s.z)
		if s.check(t, g); t.Failed() {
			t.Fatal(name)
		}
	}
	if pairs < 10000 {
		t.Errorf("%d pairs are too few for a test", pairs)
	}
}

// TestClustersNoPoints checks that making a list without points takes no time, even if the box is so small or
// the cutoff so large that a point would have an unlimited number of images. With a point, such a box or
// cutoff must be an error.
func TestClustersNoPoints(t *testing.T) {
	t.Run("float32", testNoPoints[float32])
	t.Run("float64", testNoPoints[float64])
}

func testNoPoints[T kernels.Float](t *testing.T) {
	for _, side := range []T{1e-9, 1e-30, next(T(0), 1)} {
		for _, cutoff := range []T{1e9, 1e30, maxFinite[T]() / 8} { // the square of the last one is not finite
			for border := range Border(3) {
				c := NewClusters(Space[T]{Dims: 3, High: Point[T]{X: side, Y: side, Z: side}, Border: border}, cutoff, 0)
				if err := c.Build(nil, nil, nil); err != nil || len(c.Images()) != 0 {
					t.Errorf("side %v, cutoff %v, %v: %v, %d images", side, cutoff, border, err, len(c.Images()))
				}
				err := c.Build([]T{0}, []T{0}, []T{0})
				if want := border == Periodic; errors.Is(err, ErrTooMany) != want || !want && err != nil {
					t.Errorf("side %v, cutoff %v, %v: one point: %v", side, cutoff, border, err)
				}
				if c.Build(nil, nil, nil) != nil || c.Len() != 0 {
					t.Errorf("side %v, cutoff %v, %v: %d points", side, cutoff, border, c.Len())
				}
				if start, list := c.List(); len(start) != 1 || len(list) != 0 {
					t.Errorf("side %v, cutoff %v, %v: the list is %v, %v", side, cutoff, border, start, list)
				}
			}
		}
	}
}

// TestClustersOutside checks that a point outside of a walled box is an error of the next Move, however wide the skin is.
func TestClustersOutside(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 4))
		skin := []float64{0, 0.1, 5}[seed%3]
		n := 1 + r.IntN(200)
		if seed%10 == 0 {
			n = 3000
		}
		lanes := [3][]float64{make([]float64, n), make([]float64, n), make([]float64, n)}
		for _, lane := range lanes {
			for i := range lane {
				lane[i] = float64(9 * r.Float64())
			}
		}
		id, axis := r.IntN(n), r.IntN(3)
		end := float64(9 * float64(r.IntN(2)))
		lanes[axis][id] = end
		c := NewClusters(Space[float64]{Dims: 3, High: Point[float64]{X: 9, Y: 9, Z: 9}}, 1, skin)
		if err := c.Build(lanes[0], lanes[1], lanes[2]); err != nil {
			t.Fatal(err)
		}
		row, at := 0, c.At()
		for c.IDs()[row] != int32(id) {
			row++
		}
		lane := [3][]float64{at.X, at.Y, at.Z}[axis]
		lane[row] = math.Nextafter(end, float64(20*end)-1)
		if rebuilt, err := c.Move(); rebuilt || !errors.Is(err, ErrOutside) {
			t.Fatalf("seed %d: a point at %v: %v, %v", seed, lane[row], rebuilt, err)
		}
		lane[row] = end
		if rebuilt, err := c.Move(); rebuilt || err != nil {
			t.Fatalf("seed %d: the point came back: %v, %v", seed, rebuilt, err)
		}
	}
}

// TestClustersCoarse checks lists of points on a line. Their coordinates are so large that a cutoff is less
// than a unit of the last place. Because of rounding, a search then includes more cells than cellGaps can
// hold.
func TestClustersCoarse(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 5))
		c := NewClusters(Space[float32]{Dims: 3, Border: Endless}, 0.2+0.2*r.Float32(), 0)
		c.Width = 1 << r.IntN(5)
		lanes := [3][]float32{make([]float32, 96), make([]float32, 96), make([]float32, 96)}
		for i := range lanes[0] {
			lanes[seed%3][i] = 0x1p22 + float32(r.IntN(12))/2 // the last place is 1/2
		}
		if err := c.Build(lanes[0], lanes[1], lanes[2]); err != nil {
			t.Fatal(err)
		}
		checkClusters(t, fmt.Sprintf("seed %d: cutoff %v", seed, c.Cutoff()), c)
	}
}
