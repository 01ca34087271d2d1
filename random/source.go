package random

import "math/rand/v2"

// Source has the words of one row, one after another, two at a time: it is a
// rand.Source of math/rand/v2, for whatever draws from one, as gonum's distributions
// do. It never ends. Make it by [Row.Source]; it is for one goroutine at a time.
//
// Its first number is what UniformOf[float64] of the row is made of; so a row
// is for a source or for other draws, not for both.
type Source struct {
	row  Row
	n    uint64
	left [4]uint32
}

var _ rand.Source = (*Source)(nil)

// Source returns a source that begins with the first words of the row. By id it is
// several times as fast as by index.
func (r Row) Source() *Source { return &Source{row: r} }

// Reset makes the source one of another row, from its first words on.
func (s *Source) Reset(r Row) { *s = Source{row: r} }

// Uint64 returns the next two words, the first in the lower half.
func (s *Source) Uint64() uint64 {
	n := s.n
	s.n++
	if !s.row.byID {
		return s.row.long(n)
	}
	if n%2 == 0 {
		s.left = s.row.block(n / 2)
		return uint64(s.left[0]) | uint64(s.left[1])<<32
	}
	return uint64(s.left[2]) | uint64(s.left[3])<<32
}
