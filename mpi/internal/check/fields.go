package main

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/lanewise/lanewise/grid"
	"github.com/lanewise/lanewise/mpi"
)

// checkFields fills the margins of random fields on all ranks, and compares them with the margins that one field of the
// whole grid has.
func checkFields(c *mpi.Comm) error {
	r := rand.New(rand.NewPCG(3, 4)) // the same on all ranks
	c.Timeout = 20 * time.Second     // far longer than a message takes
	rules := map[grid.Rule]int{}
	axes := [3]int{}
	for k := range *worlds {
		shape := grid.Shape{X: 1 + r.IntN(9), Margin: r.IntN(4)}
		last := &shape.X
		axis := r.IntN(3)
		if axis > 0 {
			shape.Y = 1 + r.IntN(9)
			last = &shape.Y
		}
		if axis > 1 {
			shape.Z = 1
			last = &shape.Z
		}
		if axis > 0 { // also a periodic axis that is not divided needs as many cells as its margin
			shape.X = max(shape.X, shape.Margin)
		}
		if axis > 1 {
			shape.Y = max(shape.Y, shape.Margin)
		}
		*last = max(shape.Margin, 1)*c.Size() + r.IntN(7)
		all := [3]grid.Rule{}
		for a := range all {
			all[a] = grid.Rule(r.IntN(3))
		}
		axes[axis]++
		rules[all[axis]]++
		seed := r.Uint64()
		var err error
		switch r.IntN(3) {
		case 0:
			err = checkField(c, shape, all, seed, func(u uint64) float64 { return math.Float64frombits(u) })
		case 1:
			err = checkField(c, shape, all, seed, func(u uint64) float32 { return float32(u) })
		default:
			err = checkField(c, shape, all, seed, func(u uint64) uint8 { return uint8(u) })
		}
		if err != nil {
			return fmt.Errorf("field %d, %+v, rules %v: %w", k, shape, all, err)
		}
	}
	say(c, "ok %v %v %v, axes %v", rules[grid.Fixed], rules[grid.Periodic], rules[grid.Mirrored], axes)
	return nil
}

// checkField compares the cells of a rank with those of the whole grid.
func checkField[T grid.Number](c *mpi.Comm, shape grid.Shape, rules [3]grid.Rule, seed uint64, number func(uint64) T) error {
	r := rand.New(rand.NewPCG(seed, 5))
	whole := grid.New[T](shape)
	for i := range whole.Cells() {
		whole.Cells()[i] = number(r.Uint64())
	}
	edge := func(a int) grid.Edge[T] {
		return grid.Edge[T]{Rule: rules[a], Low: number(uint64(a + 1)), High: number(uint64(a + 10))}
	}
	edges := grid.Edges[T]{X: edge(0), Y: edge(1), Z: edge(2)}
	s, err := mpi.NewSlab(c, shape)
	if err != nil {
		return err
	}
	f := grid.New[T](s.Shape())
	size := len(f.Cells()) / (lastOf(s.Shape()) + 2*shape.Margin)
	copy(f.Cells(), whole.Cells()[s.First()*size:])
	for _, margin := range [][]T{f.Cells()[:shape.Margin*size], f.Cells()[len(f.Cells())-shape.Margin*size:]} {
		for i := range margin {
			margin[i] = number(r.Uint64()) // anything
		}
	}
	if err := mpi.FillMargins(s, f, edges); err != nil {
		return err
	}
	whole.FillMargins(edges)
	if want := whole.Cells()[s.First()*size:][:len(f.Cells())]; !slices.EqualFunc(f.Cells(), want, same) {
		return fmt.Errorf("rank %d, from %d: the cells are %v, want %v", c.Rank(), s.First(), f.Cells(), want)
	}
	root := int(seed % uint64(c.Size()))
	got, err := mpi.GatherField(s, f, root)
	if err != nil {
		return err
	}
	if (got != nil) != (c.Rank() == root) {
		return fmt.Errorf("rank %d has a field of the whole grid: %v, and root is %d", c.Rank(), got != nil, root)
	}
	inner := func(f *grid.Field[T]) []T { return f.Cells()[shape.Margin*size : len(f.Cells())-shape.Margin*size] }
	if got != nil && !slices.EqualFunc(inner(got), inner(whole), same) {
		return fmt.Errorf("the gathered cells are %v, want %v", got.Cells(), whole.Cells())
	}
	return nil
}

// same compares numbers, and NaN as equal to NaN.
func same[T grid.Number](a, b T) bool { return a == b || a != a && b != b }

// lastOf returns the number of cells along the last axis.
func lastOf(s grid.Shape) int {
	switch {
	case s.Z > 0:
		return s.Z
	case s.Y > 0:
		return s.Y
	}
	return s.X
}

// cool lets heat flow on a plane, and prints a hash of it.
func cool(c *mpi.Comm) error {
	workers := pool()
	defer workers.Close()
	for _, rule := range []grid.Rule{grid.Fixed, grid.Periodic, grid.Mirrored} {
		s, err := mpi.NewSlab(c, grid.Shape{X: 21, Y: 29, Margin: 1})
		if err != nil {
			return err
		}
		now, next := grid.New[float64](s.Shape()), grid.New[float64](s.Shape())
		for y := range s.Shape().Y {
			for x := range now.Row(y, 0) {
				now.Row(y, 0)[x] = float64((x * x * (s.First() + y)) % 17)
			}
		}
		edge := grid.Edge[float64]{Rule: rule, Low: 1, High: -1}
		for c.Tick = range *ticks {
			if err := mpi.FillMargins(s, now, grid.Edges[float64]{X: edge, Y: edge}); err != nil {
				return err
			}
			if err := now.ForRows(workers, func(y, _ int) {
				here, left, right, up, down := now.Row(y, 0), now.Shifted(-1, y, 0), now.Shifted(1, y, 0), now.Row(y-1, 0), now.Row(y+1, 0)
				for i := range here {
					next.Row(y, 0)[i] = here[i] + float64(0.2*(((left[i]+right[i])+(up[i]+down[i]))-float64(4*here[i])))
				}
			}); err != nil {
				return err
			}
			now.Swap(next)
		}
		all, err := mpi.GatherField(s, now, 0)
		if err != nil {
			return err
		}
		h := fnv.New64a()
		for y := 0; all != nil && y < all.Shape().Y; y++ {
			_, _ = fmt.Fprint(h, all.Row(y, 0)) // a hash never fails
		}
		say(c, "hash %d %016x", rule, h.Sum64())
	}
	return nil
}

// cutTooOften divides grids that are too short.
func cutTooOften(c *mpi.Comm) error {
	_, err := mpi.NewSlab(c, grid.Shape{X: 9, Y: 9, Z: 3, Margin: 1})
	say(c, "split %v", err)
	_, err = mpi.NewSlab(c, grid.Shape{X: 100, Y: 7, Margin: 2})
	say(c, "split %v", err)
	s, err := mpi.NewSlab(c, grid.Shape{X: 9, Margin: 1})
	if err != nil {
		return err
	}
	defer func() { say(c, "%v", recover()) }()
	return mpi.FillMargins(s, grid.New[float32](grid.Shape{X: 9, Margin: 1}), grid.Edges[float32]{})
}
