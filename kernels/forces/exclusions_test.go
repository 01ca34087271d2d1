package forces

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// TestExclude compares the excluded pairs of random nets, which have rings and springs from a row to itself, with the distances of all rows
// in bonds.
func TestExclude(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		n := 1 + r.IntN(12)
		var a, b []int32
		far := make([][]int, n) // the number of bonds between two rows
		for i := range far {
			far[i] = make([]int, n)
			for k := range far[i] {
				if i != k {
					far[i][k] = 100
				}
			}
		}
		for range r.IntN(12) {
			i, k := r.IntN(n), r.IntN(n)
			a, b = append(a, int32(i)), append(b, int32(k))
			if i != k {
				far[i][k], far[k][i] = 1, 1
			}
		}
		for m := range n {
			for i := range n {
				for k := range n {
					far[i][k] = min(far[i][k], far[i][m]+far[m][k])
				}
			}
		}
		net := Tie(n, a, b, make([]float32, len(a)), make([]float32, len(a)))
		for bonds := 1; bonds <= 4; bonds++ {
			e := Exclude(net, bonds)
			order := make([]int32, n)
			for i, k := range r.Perm(n) {
				order[i] = int32(k)
			}
			e.Reorder(order)
			for i := range n {
				var got, want []int32
				got = append(got, e.partner[e.start[i]:e.start[i+1]]...)
				for k := range n {
					if d := far[order[i]][order[k]]; d > 0 && d <= bonds {
						want = append(want, int32(k))
					}
				}
				if slices.Sort(got); !slices.Equal(got, want) {
					t.Fatalf("seed %d, %d bonds: row %d is excluded from %v, want %v", seed, bonds, i, got, want)
				}
			}
		}
	}
}

// TestExclusionsErrors checks that a pair that is too near is named although another row of its group is excluded from one of its
// bodies, and checks the messages of panics.
func TestExclusionsErrors(t *testing.T) {
	p := droplet(rand.New(rand.NewPCG(1, 1)), 3, 0x1p-44)
	n := p.At.Len()
	p.At.X[5], p.At.Y[5], p.At.Z[5] = p.At.X[4]+0.001, p.At.Y[4], p.At.Z[4]
	p.Kinds, p.Charges = make([]int32, n), make([]float64, n)
	lj := LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: 2.5}
	quanta := Coulomb[float64]{Constant: 1, Cutoff: 2.5, Quantum: 0x1p-36, MaxCharge: 1}
	for _, potential := range []interface {
		AddTo(force *kernels.Vec3s[float64], energy, virial []float64, pairs Pairs[float64]) error
	}{lj, NewMixture(1, func(int, int) LennardJones[float64] { return lj }), Morse[float64]{Depth: 1, Alpha: 6, Rest: 1, Cutoff: 2.5}, quanta} {
		for _, excluded := range [][2]int32{{4, 6}, {4, 20}, {20, 21}} { // 4 and 5 are in the second list, because they are in one group
			e := Exclude(Tie(n, excluded[:1], excluded[1:], []float64{1}, []float64{1}), 1)
			force, energy, virial := lanesOf(n)
			err := potential.AddTo(&force, energy, virial, e.From(p, nil))
			if want := "and body 5 of All are 0.0"; !errors.Is(err, ErrTooNear) || !strings.Contains(err.Error(), want) {
				t.Errorf("%T, %v: got %v, want %s", potential, excluded, err, want)
			}
		}
		e := Exclude(Tie(n, []int32{4}, []int32{5}, []float64{1}, []float64{1}), 1)
		all, energy, virial := lanesOf(n)
		pairs := e.From(p, nil)
		if err := potential.AddTo(&all, energy, virial, pairs); err != nil {
			t.Errorf("%T: with the exclusion: %v", potential, err)
		}
		for _, lo := range []int{0, 16} { // parts have the same bits
			hi := min(lo+16, n)
			force, energy, virial := lanesOf(hi - lo)
			if err := potential.AddTo(&force, energy, virial, pairs.Rows(lo, hi)); err != nil || !slices.Equal(force.Y, all.Y[lo:hi]) {
				t.Errorf("%T: the rows from %d: %v, %v, want %v", potential, lo, err, force.Y, all.Y[lo:hi])
			}
		}
	}
	net := Tie(n, nil, nil, nil, []float64(nil))
	from := func(change func(p *Pairs[float64])) func() {
		return func() {
			e, q := Exclude(net, 2), p
			change(&q)
			e.From(q, nil)
		}
	}
	const lanes = "forces: Exclusions.From: len(pairs.At.X) is %d, len(pairs.All.X) is %d, len(images) is %d, and the exclusions have 27 rows: take all pairs of a list, and its images"
	for want, call := range map[string]func(){
		"forces: Exclude: bonds is 0 and len(net.Start) is 28: bonds must be at least 1, and the net is from Tie": func() { Exclude(net, 0) },
		"forces: Exclude: bonds is 1 and len(net.Start) is 0: bonds must be at least 1, and the net is from Tie":  func() { Exclude(Net[float64]{}, 1) },
		"forces: Exclusions.Reorder: len(order) is 1, and there are 27 rows":                                      func() { e := Exclude(net, 2); e.Reorder([]int32{0}) },
		fmt.Sprintf(lanes, 26, 27, 0): from(func(p *Pairs[float64]) { p.At = p.At.Slice(0, 26) }),
		fmt.Sprintf(lanes, 27, 26, 0): from(func(p *Pairs[float64]) { p.All = p.All.Slice(0, 26) }),
		fmt.Sprintf(lanes, 27, 27, 1): func() { e := Exclude(net, 2); e.From(p, []int32{0}) },
		fmt.Sprintf(lanes, 27, 27, 0): from(func(p *Pairs[float64]) { e := Exclude(net, 2); *p = e.From(*p, nil) }),
		"forces: Exclusions.From: pairs.Width is 0 and len(pairs.Start) is 5, and there are 27 rows: each group of Width rows, a power of two, has a part of the list": from(func(p *Pairs[float64]) { p.Width = 0 }),
		"forces: Exclusions.From: pairs.Width is 8 and len(pairs.Start) is 4, and there are 27 rows: each group of Width rows, a power of two, has a part of the list": from(func(p *Pairs[float64]) { p.Start = p.Start[1:] }),
		"forces: Exclusions.From: pairs.Width is 3 and len(pairs.Start) is 10, and there are 27 rows: each group of Width rows, a power of two, has a part of the list": from(func(p *Pairs[float64]) {
			p.Width, p.Start = 3, make([]int32, 10)
		}),
		"forces: Exclusions.From: images[0] is 27, and there are 27 rows":                                                            func() { e, q := Exclude(net, 2), p; q.All = lanesFrom(q.All); e.From(q, []int32{27}) },
		"forces: Exclusions.From: the list of row 0 does not contain the row itself: make the list anew after the rows have changed": from(func(p *Pairs[float64]) { p.Start = make([]int32, 5) }),
	} {
		if got := panicOf(call); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// lanesFrom returns the bodies and one more.
func lanesFrom(v kernels.Vec3s[float64]) kernels.Vec3s[float64] {
	return kernels.Vec3s[float64]{X: append(slices.Clone(v.X), 0), Y: append(slices.Clone(v.Y), 0), Z: append(slices.Clone(v.Z), 0)}
}
