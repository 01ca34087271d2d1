package render

import (
	"image/color"

	"github.com/lanewise/lanewise/ecs"
)

// sorted are the rows of a view that are drawn in an order of their own, copied into it.
type sorted struct {
	matrices [][16]float32
	entities []ecs.Entity
	tints    []color.NRGBA
}

func (s *sorted) reset() {
	s.matrices, s.entities, s.tints = s.matrices[:0], s.entities[:0], s.tints[:0]
}

// part shows rows [lo, hi).
func (s *sorted) part(p *Part, lo, hi int, ones *[]uint64) {
	n := hi - lo
	*ones = grow(*ones, (n+63)/64)
	for k := range *ones {
		(*ones)[k] = ^uint64(0)
	}
	if n%64 != 0 {
		(*ones)[n/64] = 1<<(n%64) - 1
	}
	p.Entities, p.Matrices, p.Tints, p.Mask, p.Count = s.entities[lo:hi], s.matrices[lo:hi], s.tints[lo:hi], *ones, n
}
