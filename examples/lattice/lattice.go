package main

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
)

// A lattice is side × side spins, each 1 or -1. It is periodic: the neighbour above the first row is the last
// row. The spins have two colours, as the squares of a chess-board do. The neighbours of a spin all have the
// other colour, so new values of all spins of one colour can be computed at once.
type lattice struct {
	side   int // even
	colour [2][]float32
}

// newLattice returns a lattice whose spins are all 1.
func newLattice(side int) *lattice {
	l := &lattice{side: side}
	for c := range l.colour {
		l.colour[c] = make([]float32, side*(side/2+2))
		kernels.Fill(l.colour[c], 1)
	}
	return l
}

// row returns the spins of a colour in row y, with a margin of one spin on each side. The margin at the left is a
// copy of the last spin of the row, and the margin at the right is a copy of the first spin.
func (l *lattice) row(colour, y int) []float32 {
	wide := l.side/2 + 2
	y = (y + l.side) % l.side
	return l.colour[colour][y*wide : (y+1)*wide]
}

// neighbours returns the spins of a colour in row y and their four neighbours, which have the other colour.
func (l *lattice) neighbours(colour, y int) (spins, up, down, here, side []float32) {
	n, other := l.side/2, 1-colour
	shift := 2 * ((y + colour) % 2) // the second neighbour in the row is on the left or, in every other row, on the right
	row := l.row(other, y)
	return l.row(colour, y)[1 : n+1], l.row(other, y-1)[1 : n+1], l.row(other, y+1)[1 : n+1], row[1 : n+1], row[shift : n+shift]
}

// sweep computes new values for all spins, one colour after the other, at the inverse temperature beta.
func (l *lattice) sweep(pool *jobs.Pool, key random.Key, beta float32) error {
	n := l.side / 2
	for colour := range 2 {
		err := pool.Range(l.side, 0, func(lo, hi int) {
			drawn := make([]float32, n)
			for y := lo; y < hi; y++ {
				random.Uniform(drawn, key.Rows(uint64((2*y+colour)*n)))
				spins, up, down, here, side := l.neighbours(colour, y)
				HeatBath(spins, up, down, here, side, drawn, beta)
				row := l.row(colour, y)
				row[0], row[n+1] = row[n], row[1]
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// measure returns the mean magnetisation and energy of a spin.
func (l *lattice) measure() (magnetisation, energy float64) {
	for y := range l.side {
		for colour := range 2 {
			spins, up, down, here, side := l.neighbours(colour, y)
			magnetisation += float64(kernels.Sum(spins))
			energy -= float64(kernels.Dot(spins, up) + kernels.Dot(spins, down) + kernels.Dot(spins, here) + kernels.Dot(spins, side))
		}
	}
	n := float64(l.side * l.side)
	return magnetisation / n, energy / (2 * n) // each pair occurs twice in the sum
}

// hash returns a hash of all spins.
func (l *lattice) hash() uint64 {
	h := fnv.New64a()
	for _, spins := range l.colour {
		_ = binary.Write(h, binary.LittleEndian, spins) // a hash never fails
	}
	return h.Sum64()
}
