package grid_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/grid"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

const quantum = 0x1p-36

// A scene is a mesh, a grid for it, and particles.
type scene[T kernels.Float] struct {
	mesh  grid.Mesh[T]
	shape grid.Shape
	at    grid.Points[T]
	value []T
}

// draw returns a random scene. Some particles are outside of periodic axes, and some exactly at the edge of a cell or the grid.
func draw[T kernels.Float](r *rand.Rand, dims, rows int) scene[T] {
	s := scene[T]{mesh: grid.Mesh[T]{Order: grid.Order(r.IntN(4)), Width: 0.25 + r.Float64()}}
	s.shape = grid.Shape{X: 2 + r.IntN(9), Margin: 2}
	if dims > 1 {
		s.shape.Y = 2 + r.IntN(9)
	}
	if dims > 2 {
		s.shape.Z = 2 + r.IntN(9)
	}
	lanes := [3]*[]T{&s.at.X, &s.at.Y, &s.at.Z}
	for a, n := range []int{s.shape.X, s.shape.Y, s.shape.Z}[:dims] {
		s.mesh.Low[a], s.mesh.Periodic[a] = float64(r.IntN(5)-2), r.IntN(2) == 0
		*lanes[a] = make([]T, rows)
		for i := range rows {
			u := r.Float64() * float64(n)
			switch {
			case s.mesh.Periodic[a] && r.IntN(3) == 0:
				u = r.NormFloat64() * 5 * float64(n)
			case r.IntN(9) == 0:
				u = float64(r.IntN(n))
			}
			(*lanes[a])[i] = T(s.mesh.Low[a] + u*s.mesh.Width)
		}
	}
	for range rows {
		s.value = append(s.value, T(r.NormFloat64()))
	}
	return s
}

// deposit returns the quanta of a scene after the margins are folded.
func (s *scene[T]) deposit(t *testing.T, calls int) []int64 {
	t.Helper()
	sums := grid.NewSums(s.shape, quantum)
	for c := range calls {
		lo, hi := len(s.value)*c/calls, len(s.value)*(c+1)/calls
		part := grid.Points[T]{X: s.at.X[lo:hi]}
		if s.at.Y != nil {
			part.Y = s.at.Y[lo:hi]
		}
		if s.at.Z != nil {
			part.Z = s.at.Z[lo:hi]
		}
		if err := s.mesh.Deposit(sums, part, s.value[lo:hi]); err != nil {
			t.Fatal(err)
		}
	}
	rule := func(a int) grid.Rule {
		if s.mesh.Periodic[a] {
			return grid.Periodic
		}
		return grid.Mirrored
	}
	sums.FoldMargins(rule(0), rule(1), rule(2))
	return sums.Cells()
}

// shuffle exchanges particles.
func (s *scene[T]) shuffle(r *rand.Rand) {
	r.Shuffle(len(s.value), func(i, j int) {
		for _, l := range [][]T{s.at.X, s.at.Y, s.at.Z, s.value} {
			if l != nil {
				l[i], l[j] = l[j], l[i]
			}
		}
	})
}

// TestDeposit compares deposits with a simple program that uses the definition of B-splines. It uses any order of the
// particles, any number of workers, and any number of calls. It also checks that no quantum is lost.
func TestDeposit(t *testing.T) {
	t.Run("float32", depositOf[float32])
	t.Run("float64", depositOf[float64])
}

func depositOf[T kernels.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	var pools []*jobs.Pool
	for _, n := range []int{1, 2, 3, 8} {
		p := jobs.New(jobs.Workers(n))
		defer p.Close()
		pools = append(pools, p)
	}
	for i := range 40 {
		s := draw[T](r, 1+i%3, []int{1, 50, 3000}[r.IntN(3)])
		want := s.deposit(t, 1)
		s.compare(t, want)
		for _, p := range pools {
			s.mesh.Pool = p
			s.shuffle(r)
			if got := s.deposit(t, 1+r.IntN(3)); !slices.Equal(got, want) {
				t.Fatalf("%+v, %d workers: the sums depend on the order", s.mesh, p.Workers())
			}
		}
	}
}

// bSpline returns the B-spline of an order at distance d.
func bSpline(o grid.Order, d float64) float64 {
	d = math.Abs(d)
	switch {
	case o == grid.Nearest && d < 0.5, o == grid.Nearest && d == 0.5:
		return 1
	case o == grid.Linear:
		return max(0, 1-d)
	case o == grid.Quadratic && d <= 0.5:
		return 0.75 - d*d
	case o == grid.Quadratic && d <= 1.5:
		return (1.5 - d) * (1.5 - d) / 2
	case o == grid.Cubic && d <= 1:
		return (4 - 6*d*d + 3*d*d*d) / 6
	case o == grid.Cubic && d <= 2:
		return (2 - d) * (2 - d) * (2 - d) / 6
	}
	return 0
}

// compare checks sums against the sum of B-splines over all particles, and checks that no quantum is lost.
func (s *scene[T]) compare(t *testing.T, got []int64) {
	t.Helper()
	f := grid.New[float64](s.shape)
	total := int64(0)
	for i, v := range s.value {
		total += int64(math.RoundToEven(float64(v) / quantum))
		var weight [3]map[int]float64
		for a, lane := range [3][]T{s.at.X, s.at.Y, s.at.Z} {
			n := []int{s.shape.X, s.shape.Y, s.shape.Z}[a]
			weight[a] = map[int]float64{0: 1}
			if lane == nil {
				continue
			}
			u := (float64(lane[i]) - s.mesh.Low[a]) * (1 / s.mesh.Width)
			if u < 0 || u > float64(n) {
				u -= float64(n) * math.Floor(u/float64(n))
			}
			weight[a] = map[int]float64{}
			for c := -2; c < n+2; c++ {
				w := bSpline(s.mesh.Order, float64(c)+0.5-u)
				if s.mesh.Order == grid.Nearest && c != min(int(u), n-1) {
					w = 0
				}
				rule := grid.Mirrored
				if s.mesh.Periodic[a] {
					rule = grid.Periodic
				}
				weight[a][cellInside(rule, c, n)] += w
			}
		}
		for z, wz := range weight[2] {
			for y, wy := range weight[1] {
				for x, wx := range weight[0] {
					f.Set(x, y, z, f.At(x, y, z)+wx*wy*wz*float64(v))
				}
			}
		}
	}
	for i, n := range got {
		total -= n
		if d := math.Abs(float64(n)*quantum - f.Cells()[i]); d > 1e-6 {
			t.Fatalf("%+v, %+v: cell %d has %v, want %v", s.shape, s.mesh, i, float64(n)*quantum, f.Cells()[i])
		}
	}
	if total != 0 {
		t.Fatalf("%+v, %+v: %d quanta were lost", s.shape, s.mesh, total)
	}
}

// TestGather checks that gathering is the transpose of depositing. It also checks that each order interpolates a constant
// exactly, and that the orders from Linear on interpolate a slope exactly.
func TestGather(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	pool := jobs.New(jobs.Workers(3))
	defer pool.Close()
	for i := range 40 {
		s := draw[float64](r, 1+i%3, 3000)
		f := grid.New[float64](s.shape)
		for j := range f.Cells() {
			f.Cells()[j] = r.NormFloat64()
		}
		sums := grid.NewSums(s.shape, quantum)
		if err := s.mesh.Deposit(sums, s.at, s.value); err != nil {
			t.Fatal(err)
		}
		var got, want float64
		for j, n := range sums.Cells() {
			want += float64(n) * quantum * f.Cells()[j]
		}
		var first []float64
		for _, p := range []*jobs.Pool{nil, pool} {
			s.mesh.Pool = p
			dst := make([]float64, len(s.value))
			if err := s.mesh.Gather(dst, f, s.at); err != nil {
				t.Fatal(err)
			}
			if first != nil && !slices.Equal(first, dst) {
				t.Fatalf("%+v: the values depend on the pool", s.mesh)
			}
			first = dst
		}
		for j, v := range first {
			got += v * s.value[j]
		}
		if math.Abs(got-want) > 1e-4 {
			t.Errorf("%+v, %+v: values times what is gathered is %v, and what is deposited times the field %v", s.shape, s.mesh, got, want)
		}
	}
	f := grid.New[float64](grid.Shape{X: 8, Margin: 2})
	for x := -2; x < 10; x++ {
		f.Set(x, 0, 0, 3+2*(float64(x)+0.5))
	}
	ones := grid.New[float64](grid.Shape{X: 5, Y: 5, Z: 5, Margin: 2})
	for i := range ones.Cells() {
		ones.Cells()[i] = 1
	}
	for o := grid.Nearest; o <= grid.Cubic; o++ {
		x, y, z, dst := make([]float64, 200), make([]float64, 200), make([]float64, 200), make([]float64, 200)
		for i := range x {
			x[i], y[i], z[i] = 5*r.Float64(), 5*r.Float64(), 5*r.Float64()
		}
		if err := (&grid.Mesh[float64]{Order: o}).Gather(dst, ones, grid.Points[float64]{X: x, Y: y, Z: z}); err != nil || kernels.Max(dst)-kernels.Min(dst) > 1e-14 {
			t.Errorf("order %d: a field of 1 is from %v to %v at the particles; %v", o, kernels.Min(dst), kernels.Max(dst), err)
		}
	}
	for o := grid.Linear; o <= grid.Cubic; o++ {
		dst, x := make([]float64, 1), []float64{3.3}
		if err := (&grid.Mesh[float64]{Order: o}).Gather(dst, f, grid.Points[float64]{X: x}); err != nil || math.Abs(dst[0]-9.6) > 1e-12 {
			t.Errorf("order %d at 3.3 on the line 3 + 2x: %v, %v; want 9.6", o, dst[0], err)
		}
	}
}

// TestErrors checks that a call with an error names the particle and the remedy, and changes nothing.
func TestErrors(t *testing.T) {
	pool := jobs.New(jobs.Workers(4))
	defer pool.Close()
	shape := grid.Shape{X: 10, Margin: 1}
	const rows = 5000
	for _, c := range []struct {
		row      int
		x, value float64
		is       error
		want     string
	}{
		{4321, math.NaN(), 1, grid.ErrNotFinite, "grid: Deposit: particle 4321: a number is not finite: its x is NaN"},
		{4321, math.Inf(1), 1, grid.ErrNotFinite, "its x is +Inf"},
		{17, 5.5, 1, grid.ErrOutside, "particle 17: the particle is outside of the grid: its x is 5.5, and the grid is from 0 to 5: move the particle, or declare the axis as periodic"},
		{17, -1e-9, 1, grid.ErrOutside, "its x is -1e-09"},
		{4999, 1, math.Inf(-1), grid.ErrNotFinite, "particle 4999: a number is not finite: its value is -Inf"},
		{4999, 1, 1e9, grid.ErrTooLarge, "its value 1e+09 is 1.07e+18 quanta of 9.313225746154785e-10, and at most 2^50 are possible: use a larger quantum"},
	} {
		for _, p := range []*jobs.Pool{nil, pool} {
			mesh := grid.Mesh[float64]{Width: 0.5, Order: grid.Linear, Pool: p}
			x, value := make([]float64, rows), make([]float64, rows)
			for i := range x {
				x[i] = 2
			}
			x[c.row], value[c.row] = c.x, c.value
			// If there are two mistakes, in a value and in a position, the error must name the earlier one.
			if c.row < rows-1 {
				value[rows-1] = math.NaN()
			}
			sums := grid.NewSums(shape, 0x1p-30)
			err := mesh.Deposit(sums, grid.Points[float64]{X: x}, value)
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %q", err, c.want)
			}
			if slices.Max(sums.Cells()) != 0 || slices.Min(sums.Cells()) != 0 {
				t.Errorf("%v: the sums have changed", err)
			}
			if c.is == grid.ErrTooLarge || math.IsInf(c.value, 0) {
				continue
			}
			dst := make([]float64, rows)
			for i := range dst {
				dst[i] = 7
			}
			if err := mesh.Gather(dst, grid.New[float64](shape), grid.Points[float64]{X: x}); !errors.Is(err, c.is) {
				t.Errorf("Gather: the error is %v, want %v", err, c.is)
			}
			if kernels.Min(dst) != 7 || kernels.Max(dst) != 7 {
				t.Errorf("Gather wrote something before the error %v", c.is)
			}
		}
	}
	// The sum is too large, because 4,096 values of 2^50 quanta are allowed together, but not 4,097.
	mesh := grid.Mesh[float32]{}
	sums := grid.NewSums(grid.Shape{X: 1}, 1)
	x, v := make([]float32, 1024), make([]float32, 1024)
	for i := range v {
		v[i] = 0x1p50
	}
	for range 3 {
		if err := mesh.Deposit(sums, grid.Points[float32]{X: x}, v); err != nil {
			t.Fatal(err)
		}
	}
	if err := mesh.Deposit(sums, grid.Points[float32]{X: x}, v); err != nil {
		t.Errorf("2^62 quanta: %v", err)
	}
	if err := mesh.Deposit(sums, grid.Points[float32]{X: x[:1]}, v[:1]); !errors.Is(err, grid.ErrTooLarge) {
		t.Errorf("more than 2^62 quanta: %v", err)
	}
	if got := sums.Cells()[0]; got != 1<<62 {
		t.Errorf("the cell has %d quanta, want 2^62", got)
	}
	sums.Reset()
	if err := mesh.Deposit(sums, grid.Points[float32]{X: x}, v); err != nil || sums.Cells()[0] != 1<<60 {
		t.Errorf("after Reset: %v, %d quanta", err, sums.Cells()[0])
	}
}

// TestEdges checks that particles exactly at the edges of the grid are inside. It tries many widths of cells, including
// widths with which a type rounds an edge.
func TestEdges(t *testing.T) {
	t.Run("float32", edgesOf[float32])
	t.Run("float64", edgesOf[float64])
}

func edgesOf[T kernels.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(6, 0))
	for range 3000 {
		n, low, width := 1+r.IntN(40), r.NormFloat64(), r.Float64()
		high := low + float64(float64(n)*width)
		mesh := grid.Mesh[T]{Width: width, Low: [3]float64{low, low}, Order: grid.Quadratic}
		f := grid.New[T](grid.Shape{X: n, Y: n, Margin: 2})
		x, y := []T{T(low), T(high)}, []T{T(high), T(low)}
		if err := mesh.Gather(make([]T, 2), f, grid.Points[T]{X: x, Y: y}); err != nil {
			t.Fatalf("%d cells of %v from %v: %v", n, width, low, err)
		}
		y[1] = T(high + width)
		if err := mesh.Gather(make([]T, 2), f, grid.Points[T]{X: x, Y: y}); !errors.Is(err, grid.ErrOutside) || !strings.Contains(err.Error(), "particle 1") || !strings.Contains(err.Error(), "its y is") {
			t.Fatalf("%d cells of %v from %v: a cell beyond the edge: %v", n, width, low, err)
		}
	}
	far := grid.Mesh[T]{Width: 1e-300, Periodic: [3]bool{true}}
	if err := far.Gather(make([]T, 1), grid.New[T](grid.Shape{X: 3}), grid.Points[T]{X: []T{1e30}}); !errors.Is(err, grid.ErrOutside) || !strings.Contains(err.Error(), "too far away to have an image") {
		t.Errorf("a particle whose cell has no number: %v", err)
	}
}

// TestLimit checks that the limit of all quanta together does not depend on the order of the particles.
func TestLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 0))
	v := make([]float64, 4098)
	for i := range v {
		v[i] = 0x1p50
	}
	v[0], v[1], v[2], v[3] = 0x1p50-1, 1, 0x1p50-3, 3 // all together 2^62
	x := make([]float64, len(v))
	mesh := grid.Mesh[float64]{}
	for range 50 {
		r.Shuffle(len(v), func(i, j int) { v[i], v[j] = v[j], v[i] })
		sums := grid.NewSums(grid.Shape{X: 1}, 1)
		if err := mesh.Deposit(sums, grid.Points[float64]{X: x}, v); err != nil || sums.Cells()[0] != 1<<62 {
			t.Fatalf("2^62 quanta: %v, %d", err, sums.Cells()[0])
		}
		one := grid.NewSums(grid.Shape{X: 1}, 1)
		if err := mesh.Deposit(one, grid.Points[float64]{X: x[:1]}, nil); err != nil {
			t.Fatal(err)
		}
		if err := sums.Add(one); !errors.Is(err, grid.ErrTooLarge) || sums.Cells()[0] != 1<<62 {
			t.Fatalf("one quantum more: %v, %d", err, sums.Cells()[0])
		}
		if err := one.Add(one); err != nil || one.Cells()[0] != 2 {
			t.Fatalf("1 + 1: %v, %d", err, one.Cells()[0])
		}
	}
}
