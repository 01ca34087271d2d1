package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/forces"
	"github.com/lanewise/lanewise/near"
)

// spacing is the distance between neighbouring sites of a scene. Each atom is at most a tenth of this
// distance from its site.
const spacing = 1.15

// A corner is a kind of scene: a block of atoms in a box. The box leaves a gap along each axis.
type corner struct {
	name   string
	sites  [3]int
	gap    float64
	border near.Border
}

var corners = []corner{
	{"two atoms in a wide box", [3]int{2, 1, 1}, 20, near.Periodic},
	{"two atoms in a box narrower than the cutoff", [3]int{2, 1, 1}, 0, near.Periodic},
	{"two atoms between walls", [3]int{1, 2, 1}, 3, near.Walled},
	{"two atoms without a box", [3]int{1, 1, 2}, 0, near.Endless},
	{"twenty atoms in a box of less than two cutoffs", [3]int{4, 5, 1}, 0.25, near.Periodic},
	{"twenty atoms in a box of less than three cells", [3]int{5, 2, 2}, 1.5, near.Periodic},
	{"twenty atoms between walls", [3]int{1, 4, 5}, 2, near.Walled},
	{"twenty atoms without a box", [3]int{2, 5, 2}, 0, near.Endless},
	{"1,372 atoms in a periodic box", [3]int{7, 14, 14}, 0, near.Periodic},
	{"1,372 atoms in a bar of less than two cutoffs", [3]int{4, 7, 49}, 0, near.Periodic},
	{"1,372 atoms without a box", [3]int{14, 7, 14}, 0, near.Endless},
}

// A law returns the force of a pair of atoms divided by their distance, and the energy of the pair.
type law[T kernels.Float] func(i, j int32, r2 T) (f, u T)

// A subject is a potential in its two modes, together with its law.
type subject[T kernels.Float] struct {
	name             string
	ordered, rounded potential[T]
	law              law[T]
	self             func(i int32) T // the energy that an atom has by itself; nil for 0
}

// subjects returns the potentials under test. A product that is added to a sum is rounded first, as in the
// kernels.
func subjects[T kernels.Float](quantum T) []subject[T] {
	cut := forces.LennardJones[T]{Epsilon: 1, Sigma: 1, Cutoff: cutoff}
	quanta := cut
	quanta.Quantum = quantum
	switched, switchedQuanta := cut, quanta
	switched.SwitchFrom, switchedQuanta.SwitchFrom = 1.5, 1.5
	blend := func(quantum T) forces.Mixture[T] {
		return forces.NewMixture(2, func(a, b int) forces.LennardJones[T] {
			p := []forces.LennardJones[T]{{Epsilon: 1, Sigma: 1, Cutoff: cutoff}, {Epsilon: 1.5, Sigma: 0.8, Cutoff: 2, Shifted: true}, {Epsilon: 0.5, Sigma: 0.88, Cutoff: 2.2, SwitchFrom: 1.3}}[a+b]
			p.Quantum = quantum
			return p
		})
	}
	laws := [3]func(r2 T) (f, u T){
		lawOf(cut),
		lawOf(forces.LennardJones[T]{Epsilon: 1.5, Sigma: 0.8, Cutoff: 2, Shifted: true}),
		lawOf(forces.LennardJones[T]{Epsilon: 0.5, Sigma: 0.88, Cutoff: 2.2, SwitchFrom: 1.3}),
	}
	morse := forces.Morse[T]{Depth: 1, Alpha: 6, Rest: 1.1, Cutoff: 2.3, Shifted: true}
	morseQuanta := morse
	morseQuanta.Quantum = quantum
	always := func(law func(r2 T) (f, u T)) law[T] { return func(_, _ int32, r2 T) (f, u T) { return law(r2) } }
	return []subject[T]{
		{"cut", cut, quanta, always(laws[0]), nil},
		{"switched", switched, switchedQuanta, always(lawOf(switched)), nil},
		{"mixture", blend(0), blend(quantum), func(i, j int32, r2 T) (f, u T) { return laws[kindOf(i)+kindOf(j)](r2) }, nil},
		coulombSubject(quantum, true), // takes long, and never has the turn of a large scene
		coulombSubject(quantum, false),
		{"morse", morse, morseQuanta, func(_, _ int32, r2 T) (f, u T) {
			if r2 >= T(morse.Cutoff*morse.Cutoff) {
				return 0, 0
			}
			r := T(math.Sqrt(float64(r2)))
			e, last := kernels.ExpOf(T(6*(morse.Rest-r))), kernels.ExpOf(T(6*(morse.Rest-morse.Cutoff)))
			return 12 * e * (e - 1) / r, T(e*(e-2)) - T(last*(last-2))
		}, nil},
	}
}

// coulombSubject returns the potential of charges, either cut, or damped with shifted forces.
func coulombSubject[T kernels.Float](quantum T, damped bool) subject[T] {
	p := forces.Coulomb[T]{Constant: 1.5, Cutoff: 2.4, MaxCharge: 1}
	name := "coulomb, cut"
	var gauss, slope, shift T
	if damped {
		name, p.Damping, p.ForceShifted = "coulomb, damped", 0.8, true
		gauss = T(p.Damping * (2 / math.SqrtPi))
		x, v := T(p.Damping*p.Cutoff), 1/p.Cutoff
		last := T(kernels.ErfcOf(x) * v)
		slope = T((last + T(gauss*kernels.ExpOf(-T(x*x)))) * v)
		shift = last + T(slope*p.Cutoff)
	}
	rounded := p
	rounded.Quantum = quantum
	law := func(i, j int32, r2 T) (f, u T) {
		if r2 >= T(p.Cutoff*p.Cutoff) {
			return 0, 0
		}
		q, r := p.Constant*(chargeOf[T](i)*chargeOf[T](j)), T(math.Sqrt(float64(r2)))
		v := 1 / r
		if !damped {
			return T(q * v * (v * v)), T(q * v)
		}
		x := T(p.Damping * r)
		e := T(kernels.ErfcOf(x) * v)
		f = T(q * (T((e+T(gauss*kernels.ExpOf(-T(x*x))))*(v*v)) - T(slope*v)))
		return f, T(q * ((e - shift) + T(slope*r)))
	}
	return subject[T]{name, p, rounded, law, func(i int32) T { return -T((shift+gauss)*p.Constant) * (chargeOf[T](i) * chargeOf[T](i)) }}
}

// chargeOf returns the charge of an atom.
func chargeOf[T kernels.Float](id int32) T { return []T{0.5, -0.5, 0.8, -1, 0}[id%5] }

// kindOf returns the species of an atom: every fifth one is of another species.
func kindOf(id int32) int32 {
	if id%5 == 0 {
		return 1
	}
	return 0
}

// lawOf returns the force of a pair divided by its distance, and the energy of the pair. Its argument is the
// square of the distance.
func lawOf[T kernels.Float](p forces.LennardJones[T]) func(r2 T) (f, u T) {
	s2 := T(p.Sigma * p.Sigma)
	s6 := T(s2 * s2 * s2)
	cut := func(r2 T) (f, u T) {
		v := 1 / r2
		s := T(v * v * v)
		f = (T(T(48*p.Epsilon*s6*s6)*s) - T(24*p.Epsilon*s6)) * s * v
		return f, T((T(T(4*p.Epsilon*s6*s6)*s) - T(4*p.Epsilon*s6)) * s)
	}
	square := T(p.Cutoff * p.Cutoff)
	return func(r2 T) (f, u T) {
		if r2 >= square {
			return 0, 0
		}
		f, u = cut(r2)
		if p.Shifted {
			_, shift := cut(square)
			return f, u - shift
		}
		if p.SwitchFrom == 0 {
			return f, u
		}
		q := 1 / (square - T(p.SwitchFrom*p.SwitchFrom))
		g := min(T((square-r2)*q), 1)
		w := g * g * (3 - T(2*g))
		return T(f*w) + T(T(12*q)*u*(g*(1-g))), u * w
	}
}

// sums holds the forces, the energy and the virial of each atom, in quanta.
type sums [5][]float64

func newSums(n int) (s sums) {
	for k := range s {
		s[k] = make([]float64, n)
	}
	return s
}

// A stage is a scene: the atoms start at pos, and move by step[k] before round k.
type stage[T kernels.Float] struct {
	space near.Space[T]
	pos   [3][]T
	step  [][3][]T
	bonds *forces.Net[T] // of atoms by id; the pairs that two bonds connect are excluded
}

// newStage places the atoms of a corner. All coordinates are multiples of the quantum.
func newStage[T kernels.Float](r *rand.Rand, c corner, quantum T) *stage[T] {
	s := &stage[T]{space: near.Space[T]{Dims: 3, Border: c.border}}
	lane := func(x ...T) []T {
		if err := forces.Quantize(x, quantum); err != nil {
			panic(err)
		}
		return x
	}
	var low, high [3]T
	for a, n := range c.sites {
		side := lane(T(float64(spacing*float64(n)) + c.gap))
		low[a] = lane(T(4 * (r.Float64() - 0.5)))[0]
		high[a] = low[a] + side[0]
	}
	s.space.Low, s.space.High = near.Point[T]{X: low[0], Y: low[1], Z: low[2]}, near.Point[T]{X: high[0], Y: high[1], Z: high[2]}
	if c.border == near.Endless {
		s.space.Low, s.space.High = near.Point[T]{}, near.Point[T]{}
	}
	n := c.sites[0] * c.sites[1] * c.sites[2]
	s.step = make([][3][]T, 4)
	if n > 100 {
		s.step = s.step[:2] // sums over all pairs take long
	}
	for _, id := range r.Perm(n) {
		for a, m := range []int{id % c.sites[0], id / c.sites[0] % c.sites[1], id / c.sites[0] / c.sites[1]} {
			x := low[a] + T(float64(spacing*float64(m))+float64(c.gap/2)+float64(0.1*spacing*(r.Float64()+1)))
			s.pos[a] = append(s.pos[a], lane(x)[0])
		}
	}
	for k := range s.step {
		for a := range 3 {
			all := T(0) // the whole block leaves a periodic box, and returns to it at other sides
			if c.border == near.Periodic && k%2 == 1 {
				all = T(float64(float64(high[a]-low[a]) * (2*r.Float64() - 1)))
			}
			for i := range n {
				d := all + T(0.01*(r.Float64()-0.5))
				if c.border == near.Endless && i == n/2 && a == 1 && k > 0 { // an atom leaves, and comes back
					d += T(40 - 80*(k%2))
				}
				s.step[k][a] = append(s.step[k][a], lane(d)[0])
			}
		}
	}
	return s
}

// reference computes the sums over all pairs and all images. Each term is rounded to a quantum, and the sums are sums of whole numbers.
func (s *stage[T]) reference(pos *[3][]T, by subject[T], quantum T) sums {
	n := len(pos[0])
	out := newSums(n)
	var turns [3]int
	var side [3]T
	if s.space.Border == near.Periodic {
		side = [3]T{s.space.High.X - s.space.Low.X, s.space.High.Y - s.space.Low.Y, s.space.High.Z - s.space.Low.Z}
		for a := range turns {
			span := float64(0)
			for _, x := range pos[a] {
				span = max(span, math.Abs(float64(x-pos[a][0])))
			}
			turns[a] = int(math.Ceil((float64(span*2) + cutoff) / float64(side[a])))
		}
	}
	units := func(t T) float64 { return math.RoundToEven(float64(t) / float64(quantum)) }
	for i := range n {
		if by.self != nil {
			out[3][i] = units(by.self(int32(i)))
		}
		for j := range n {
			s.eachImage(pos, i, j, &turns, &side, func(dx, dy, dz, r2 T) {
				f, u := by.law(int32(i), int32(j), r2)
				for k, t := range [5]T{f * dx, f * dy, f * dz, u, f * r2} {
					out[k][i] += units(t)
				}
			})
		}
	}
	return out
}

// eachImage calls visit for atom j and for each of its images, if the distance to atom i is at most the
// cutoff. The argument of visit is the way from there to atom i.
func (s *stage[T]) eachImage(pos *[3][]T, i, j int, turns *[3]int, side *[3]T, visit func(dx, dy, dz, r2 T)) {
	for kx := -turns[0]; kx <= turns[0]; kx++ {
		dx := pos[0][i] - (pos[0][j] + T(T(kx)*side[0]))
		if dx > cutoff || dx < -cutoff {
			continue
		}
		for ky := -turns[1]; ky <= turns[1]; ky++ {
			dy := pos[1][i] - (pos[1][j] + T(T(ky)*side[1]))
			if dy > cutoff || dy < -cutoff {
				continue
			}
			for kz := -turns[2]; kz <= turns[2]; kz++ {
				dz := pos[2][i] - (pos[2][j] + T(T(kz)*side[2]))
				if r2 := (T(dx*dx) + T(dy*dy)) + T(dz*dz); r2 != 0 && r2 <= cutoff*cutoff {
					visit(dx, dy, dz, r2)
				}
			}
		}
	}
}

// A config is a way to compute the same sums.
type config struct {
	pool  *jobs.Pool
	width int
	skin  float64
}

// play runs the rounds of a stage. After each round it calls check with the sums by atom, in quanta.
func play[T kernels.Float](s *stage[T], c config, p potential[T], quantum T, check func(round int, got sums)) error {
	list := near.NewClusters(s.space, T(cutoff), T(c.skin))
	list.Pool, list.Width = c.pool, c.width
	if err := list.Build(s.pos[0], s.pos[1], s.pos[2]); err != nil {
		return err
	}
	n := list.Len()
	step, force := newVecs[T](n), newVecs[T](n)
	energy, virial := make([]T, n), make([]T, n)
	var excluded forces.Exclusions[T]
	if s.bonds != nil {
		excluded = forces.Exclude(*s.bonds, 2)
	}
	pairs := s.newPairs(list, &excluded)
	for k := range s.step {
		for i, id := range list.IDs() {
			step.X[i], step.Y[i], step.Z[i] = s.step[k][0][id], s.step[k][1][id], s.step[k][2][id]
		}
		at := list.At()
		forces.Drift(&at, &step, 1, quantum)
		rebuilt, err := list.Move()
		if err != nil {
			return err
		}
		if rebuilt {
			pairs = s.newPairs(list, &excluded)
		}
		if err := addAll(list, pairs, p, &force, energy, virial); err != nil {
			return err
		}
		got := newSums(n)
		for i, id := range list.IDs() {
			for a, x := range [5]T{force.X[i], force.Y[i], force.Z[i], energy[i], virial[i]} {
				got[a][id] = float64(x)
			}
		}
		check(k, got)
	}
	return nil
}

// newPairs returns the pairs of a new list, without those that are excluded.
func (s *stage[T]) newPairs(list *near.Clusters[T], excluded *forces.Exclusions[T]) forces.Pairs[T] {
	pairs := pairsWithSpecies(list)
	if s.bonds == nil {
		return pairs
	}
	excluded.Reorder(list.Order())
	return excluded.From(pairs, list.Images())
}

func newVecs[T kernels.Float](n int) kernels.Vec3s[T] {
	return kernels.Vec3s[T]{X: make([]T, n), Y: make([]T, n), Z: make([]T, n)}
}

// pairsWithSpecies returns the pairs of a list, with the species and charges of rows and images.
func pairsWithSpecies[T kernels.Float](list *near.Clusters[T]) forces.Pairs[T] {
	pairs := pairsOf(list)
	for _, id := range list.IDs() {
		pairs.Kinds, pairs.Charges = append(pairs.Kinds, kindOf(id)), append(pairs.Charges, chargeOf[T](id))
	}
	for _, row := range list.Images() {
		pairs.Kinds, pairs.Charges = append(pairs.Kinds, pairs.Kinds[row]), append(pairs.Charges, pairs.Charges[row])
	}
	return pairs
}

// addAll computes all forces, energies and virials. Then it computes the forces again without energies, and
// compares the two results.
func addAll[T kernels.Float](list *near.Clusters[T], pairs forces.Pairs[T], p potential[T], force *kernels.Vec3s[T], energy, virial []T) error {
	again := newVecs[T](list.Len())
	return list.Range(func(lo, hi int) error {
		f, alone := force.Slice(lo, hi), again.Slice(lo, hi)
		for _, x := range [][]T{f.X, f.Y, f.Z, energy[lo:hi], virial[lo:hi]} {
			clear(x)
		}
		if err := p.AddTo(&f, energy[lo:hi], virial[lo:hi], pairs.Rows(lo, hi)); err != nil {
			return err
		}
		if err := p.AddTo(&alone, nil, nil, pairs.Rows(lo, hi)); err != nil {
			return err
		}
		for i := range f.X {
			if f.X[i] != alone.X[i] || f.Y[i] != alone.Y[i] || f.Z[i] != alone.Z[i] {
				return fmt.Errorf("the force on row %d is (%v, %v, %v) with energies and (%v, %v, %v) without", lo+i, f.X[i], f.Y[i], f.Z[i], alone.X[i], alone.Y[i], alone.Z[i])
			}
		}
		return nil
	})
}

// quantaOf returns the quanta of positions and terms.
func quantaOf[T kernels.Float]() (position, term T) {
	if _, ok := any(T(0)).(float32); ok {
		return 0x1p-15, 0x1p-9
	}
	return positionQuantum, termQuantum
}

func TestCorners(t *testing.T) {
	t.Run("float32", testCorners[float32])
	t.Run("float64", testCorners[float64])
}

// testCorners compares sums with sums over all pairs and images. testCorners uses few and many atoms, and
// boxes that are narrow, wide, walled and open. Atoms may leave the boxes. Sums of quanta must be equal to
// the reference, and all forces must add up to 0. Ordered sums differ by roundings.
func testCorners[T kernels.Float](t *testing.T) {
	pool := threeWorkers(t)
	configs := []config{{nil, 0, 0.3}, {pool, 4, 0.2}, {nil, 16, 0}, {pool, 1, 0.6}}
	position, term := quantaOf[T]()
	for number, c := range corners {
		s := newStage(rand.New(rand.NewPCG(uint64(number), 42)), c, position)
		large := len(s.pos[0]) > 100
		for order, subject := range subjects(term) {
			if large && order%4 != number%4 {
				continue // large scenes take turns
			}
			want := s.references(subject, term)
			for k, path := range kernels.Paths() {
				for m, config := range configs {
					if large && (m+k+number)%len(configs) > 0 {
						continue
					}
					usePath(t, path)
					name := fmt.Sprintf("%s, %s: %s, width %d, skin %v", subject.name, c.name, path, config.width, config.skin)
					checkSums(t, name, s, config, subject, want)
				}
			}
		}
	}
}

// threeWorkers returns a pool for a test.
func threeWorkers(t *testing.T) *jobs.Pool {
	pool := jobs.New(jobs.Workers(3))
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	return pool
}

// usePath chooses a path until the test ends.
func usePath(t *testing.T, path string) {
	t.Helper()
	before := kernels.Path()
	if path == before {
		return
	}
	if err := kernels.Use(path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := kernels.Use(before); err != nil {
			t.Error(err)
		}
	})
}

// references returns the sums of all rounds of a stage.
func (s *stage[T]) references(by subject[T], quantum T) []sums {
	want := make([]sums, len(s.step))
	pos := s.pos
	for k := range want {
		for a := range pos {
			moved := make([]T, len(pos[a]))
			for i, x := range pos[a] {
				moved[i] = x + s.step[k][a][i]
			}
			pos[a] = moved
		}
		want[k] = s.reference(&pos, by, quantum)
	}
	return want
}

// checkSums plays a stage with both modes of a potential, and compares the sums of all rounds with references.
func checkSums[T kernels.Float](t *testing.T, name string, s *stage[T], c config, subject subject[T], want []sums) {
	t.Helper()
	position, term := quantaOf[T]()
	err := play(s, c, subject.rounded, position, func(round int, got sums) {
		compareQuanta(t, fmt.Sprintf("%s, round %d", name, round), &got, &want[round], float64(term))
	})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	err = play(s, c, subject.ordered, position, func(round int, got sums) {
		compareRounded[T](t, fmt.Sprintf("%s, round %d, ordered", name, round), &got, &want[round], float64(term))
	})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if t.Failed() {
		t.FailNow()
	}
}

// compareQuanta compares sums with the reference. They are equal.
func compareQuanta(t *testing.T, name string, got, want *sums, quantum float64) {
	t.Helper()
	for a := range got {
		total := 0.0 // of whole numbers
		for id, x := range got[a] {
			if x/quantum != want[a][id] {
				t.Errorf("%s: lane %d of atom %d is %v quanta, want %v", name, a, id, x/quantum, want[a][id])
				return
			}
			total += x / quantum
		}
		if a < 3 && total != 0 {
			t.Errorf("%s: all forces along axis %d add up to %v quanta", name, a, total)
		}
	}
}

// compareRounded compares ordered sums with the reference. Each pair adds an error of up to half a quantum
// to the reference.
func compareRounded[T kernels.Float](t *testing.T, name string, got, want *sums, quantum float64) {
	t.Helper()
	eps := 0x1p-50
	if _, ok := any(T(0)).(float32); ok {
		eps = 0x1p-21
	}
	for a := range got {
		for id, x := range got[a] {
			exact := float64(want[a][id] * quantum)
			if far := math.Abs(x - exact); !(far <= float64(100*quantum)+float64(1000*eps*(1+math.Abs(exact)))) {
				t.Errorf("%s: lane %d of atom %d is %v, want %v", name, a, id, x, exact)
				return
			}
		}
	}
}

// TestNamed gives an atom a position that is not finite, or that is outside of the walls. The list and the
// forces must name it with its coordinates, and the run must continue as before when the atom is back.
func TestNamed(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 7))
		c := corners[r.IntN(8)]
		s := newStage[float64](r, c, positionQuantum)
		list := near.NewClusters(s.space, cutoff, 0.3)
		if err := list.Build(s.pos[0], s.pos[1], s.pos[2]); err != nil {
			t.Fatal(err)
		}
		n := list.Len()
		lj := forces.LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: cutoff, Quantum: termQuantum}
		force, again := newVecs[float64](n), newVecs[float64](n)
		energy, virial := make([]float64, n), make([]float64, n)
		if err := addAll(list, pairsWithSpecies(list), lj, &force, energy, virial); err != nil {
			t.Fatal(err)
		}
		row, axis, is := r.IntN(n), r.IntN(3), near.ErrNotFinite
		bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[r.IntN(3)]
		if c.border == near.Walled && seed%2 == 0 {
			bad, is = 50, near.ErrOutside
		}
		at := list.At()
		lane := [3][]float64{at.X, at.Y, at.Z}[axis]
		before := lane[row]
		lane[row] = bad
		place := fmt.Sprintf("is at (%v, %v, %v): ", at.X[row], at.Y[row], at.Z[row])
		rebuilt, err := list.Move()
		if want := fmt.Sprintf("the point with id %d %s", list.IDs()[row], place); rebuilt || !errors.Is(err, is) || !strings.Contains(err.Error(), want) {
			t.Errorf("seed %d, %s: Move returns %v, %v, want %s", seed, c.name, rebuilt, err, want)
		}
		if is == near.ErrNotFinite { // a program that does not call Move
			err := addAll(list, pairsWithSpecies(list), lj, &again, energy, virial)
			if want := fmt.Sprintf("row %d %s", row, place); !errors.Is(err, forces.ErrNotFinite) || !strings.Contains(err.Error(), want) {
				t.Errorf("seed %d, %s: AddTo returns %v, want %s", seed, c.name, err, want)
			}
		}
		lane[row] = before
		if rebuilt, err := list.Move(); rebuilt || err != nil {
			t.Errorf("seed %d, %s: with the atom back Move returns %v, %v", seed, c.name, rebuilt, err)
		}
		if err := addAll(list, pairsWithSpecies(list), lj, &again, energy, virial); err != nil || again.X[row] != force.X[row] {
			t.Errorf("seed %d, %s: with the atom back its force is %v, want %v; %v", seed, c.name, again.X[row], force.X[row], err)
		}
	}
}
