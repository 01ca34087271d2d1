package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/forces"
	"github.com/lanewise/lanewise/near"
)

// Molecules are chains of up to four atoms. They are farther apart from each other than bonded atoms, which are
// so close to each other that the potentials refuse them.
const (
	bondLength      = 0.35
	moleculeSpacing = 2.2
)

// newMolecules places a molecule with random bonds in a random direction at each site of a corner. The ids of its atoms are random.
func newMolecules[T kernels.Float](r *rand.Rand, c corner, quantum T) *stage[T] {
	s := &stage[T]{space: near.Space[T]{Dims: 3, Border: c.border}}
	lane := func(x ...T) []T {
		if err := forces.Quantize(x, quantum); err != nil {
			panic(err)
		}
		return x
	}
	var side [3]T
	for a, n := range c.sites {
		side[a] = lane(T(float64(moleculeSpacing*float64(n)) + c.gap))[0]
	}
	if c.border != near.Endless {
		s.space.High = near.Point[T]{X: side[0], Y: side[1], Z: side[2]}
	}
	var atoms [][3]float64
	var bonds [][2]int
	for site := range c.sites[0] * c.sites[1] * c.sites[2] {
		var middle, way [3]float64
		length := 0.0
		for a, m := range []int{site % c.sites[0], site / c.sites[0] % c.sites[1], site / c.sites[0] / c.sites[1]} {
			middle[a] = float64(moleculeSpacing*(float64(m)+0.5)) + c.gap/2
			way[a] = r.NormFloat64()
			length += float64(way[a] * way[a])
		}
		n := 1 + r.IntN(4)
		for k := range n {
			if k > 0 {
				bonds = append(bonds, [2]int{len(atoms) - 1, len(atoms)})
			}
			var at [3]float64
			for a := range at {
				at[a] = middle[a] + float64(bondLength*(float64(k)-float64(n-1)/2)*way[a]/math.Sqrt(length)) + float64(0.02*r.Float64())
			}
			atoms = append(atoms, at)
		}
	}
	ids := r.Perm(len(atoms))
	for a := range s.pos {
		s.pos[a] = make([]T, len(atoms))
	}
	for k, at := range atoms {
		for a, x := range at {
			s.pos[a][ids[k]] = lane(T(x))[0]
		}
	}
	var from, to []int32
	for _, bond := range bonds {
		from, to = append(from, int32(ids[bond[0]])), append(to, int32(ids[bond[1]]))
	}
	net := forces.Tie(len(atoms), from, to, make([]T, len(from)), make([]T, len(from)))
	s.bonds = &net
	s.step = make([][3][]T, 4)
	for k := range s.step {
		for a := range 3 {
			all := T(0) // all molecules leave a periodic box, and return to it at other sides
			if c.border == near.Periodic && k%2 == 1 {
				all = T(float64(side[a]) * (float64(2*r.Float64()) - 1))
			}
			for range atoms {
				s.step[k][a] = append(s.step[k][a], lane(all + T(float64(0.01*(r.Float64()-0.5))))[0])
			}
		}
	}
	return s
}

// connected reports whether one or two bonds connect two atoms.
func connected[T kernels.Float](net *forces.Net[T], i, j int32) bool {
	for _, k := range net.To[net.Start[i]:net.Start[i+1]] {
		if k == j {
			return true
		}
		for _, far := range net.To[net.Start[k]:net.Start[k+1]] {
			if far == j {
				return i != j
			}
		}
	}
	return false
}

func TestMolecules(t *testing.T) {
	t.Run("float32", testMolecules[float32])
	t.Run("float64", testMolecules[float64])
}

// testMolecules compares sums without the pairs of bonded atoms with sums over all pairs and images, as testCorners does. Ordered sums
// have the same bits for each width and number of workers, if the skin is the same.
func testMolecules[T kernels.Float](t *testing.T) {
	pool := threeWorkers(t)
	configs := []config{{nil, 0, 0.3}, {pool, 4, 0.3}, {nil, 16, 0.3}, {pool, 1, 0.3}, {nil, 8, 0}}
	position, term := quantaOf[T]()
	for number, c := range []corner{
		{"molecules in a box of less than two cutoffs", [3]int{2, 2, 3}, 0, near.Periodic},
		{"molecules in a box narrower than the cutoff", [3]int{1, 2, 5}, 0, near.Periodic},
		{"molecules between walls", [3]int{3, 2, 2}, 1, near.Walled},
		{"molecules without a box", [3]int{2, 4, 3}, 0, near.Endless},
		{"more molecules than a block of a mixture", [3]int{5, 5, 6}, 0, near.Endless},
	} {
		s := newMolecules(rand.New(rand.NewPCG(uint64(number), 43)), c, position)
		all := *s
		all.bonds = nil
		if err := play(&all, configs[0], subjects(term)[0].rounded, position, nil); !errors.Is(err, forces.ErrTooNear) {
			t.Fatalf("%s: with the pairs of bonded atoms: %v", c.name, err)
		}
		for order, subject := range subjects(term) {
			if subject.name == "coulomb, damped" && number > 0 {
				continue // takes long
			}
			meets := subject.law
			subject.law = func(i, j int32, r2 T) (f, u T) {
				if r2 < 1 && connected(s.bonds, i, j) { // other images of the atoms are farther apart
					return 0, 0
				}
				return meets(i, j, r2)
			}
			want := s.references(subject, term)
			first := make([]sums, len(s.step))
			for m, config := range configs {
				paths := kernels.Paths()
				usePath(t, paths[(m+order)%len(paths)])
				name := fmt.Sprintf("%s, %s: %s, width %d, skin %v", subject.name, c.name, kernels.Path(), config.width, config.skin)
				checkSums(t, name, s, config, subject, want)
				if config.skin != configs[0].skin {
					continue
				}
				err := play(s, config, subject.ordered, position, func(round int, got sums) {
					if m == 0 {
						first[round] = got
					}
					for a := range got {
						for id, x := range got[a] {
							if x != first[round][a][id] {
								t.Fatalf("%s, round %d: lane %d of atom %d is %v, and with the width 0 %v", name, round, a, id, x, first[round][a][id])
							}
						}
					}
				})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
		}
	}
}
