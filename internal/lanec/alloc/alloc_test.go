package alloc

import (
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// random returns a kernel of sums in nested loops whose variables exchange their values.
func random(r *rand.Rand) *ir.Kernel {
	b := ir.Build("random", 4)
	x := &ir.Stream{Name: "x", Expr: "x"}
	values := []*ir.Value{b.Const(ir.Float, 1), b.Const(ir.Float, 2)}
	k := b.Kernel
	k.Rows = b.Loop()
	k.Rows.Body = ir.NewRegion(k.Entry, k.Rows)
	b.Region = k.Rows.Body
	for range 3 {
		values = append(values, b.Put(&ir.Value{Op: ir.Load, Stream: x}))
	}
	values = body(r, b, values, 0)
	for range 5 {
		b.Put(&ir.Value{Op: ir.Store, Args: []*ir.Value{values[r.IntN(len(values))]}, Stream: x})
	}
	b.Close(k.Rows, k.Entry)
	return k
}

func body(r *rand.Rand, b *ir.Builder, values []*ir.Value, depth int) []*ir.Value {
	ops := []ir.Op{ir.Add, ir.Sub, ir.Mul, ir.Max}
	for range 2 + r.IntN(6) {
		i, j := r.IntN(len(values)), r.IntN(len(values))
		if depth < 2 && r.IntN(5) == 0 {
			l, outer := b.Loop(), b.Region
			l.Turns = int64(r.IntN(4))
			l.Body = ir.NewRegion(outer, l)
			p, q := b.Phi(l, l.Body, values[i]), b.Phi(l, l.Body, values[j])
			b.Region = l.Body
			end := body(r, b, append(values[:len(values):len(values)], p, q), depth+1)
			p.Args = append(p.Args, end[r.IntN(len(end))])
			q.Args = append(q.Args, []*ir.Value{p, end[r.IntN(len(end))]}[r.IntN(2)])
			b.Close(l, outer)
			values = append(values, p, q)
			continue
		}
		values = append(values, b.Op(ops[r.IntN(len(ops))], ir.Float, values[i], values[j]))
	}
	return values
}

// A machine runs a kernel in two ways at once: with its values, and with the registers and slots that
// Allocate has assigned to the values.
type machine struct {
	t      *testing.T
	a      *Allocation
	value  map[*ir.Value]float64
	places map[int]float64
}

func (m *machine) place(v *ir.Value) int {
	if r, ok := m.a.Register(v); ok {
		return r
	}
	n, ok := m.a.Slot(v)
	if !ok {
		m.t.Fatalf("%v has no place", v)
	}
	return -n
}

func (m *machine) get(v *ir.Value) float64 {
	if got := m.places[m.place(v)]; got != m.value[v] {
		m.t.Fatalf("%v is overwritten: %v, want %v", v, got, m.value[v])
	}
	return m.value[v]
}

func (m *machine) set(v *ir.Value, x float64) { m.value[v], m.places[m.place(v)] = x, x }

func (m *machine) phis(l *ir.Loop, arg int) {
	next := make([]float64, len(l.Phis))
	for i, p := range l.Phis {
		next[i] = m.get(p.Args[arg])
	}
	for i, p := range l.Phis {
		m.set(p, next[i])
	}
}

func (m *machine) run(r *ir.Region) {
	for n, it := range r.Items {
		switch it := it.(type) {
		case *ir.Loop:
			m.phis(it, 0)
			for range max(it.Turns, 0) {
				m.run(it.Body)
				m.phis(it, 1)
			}
			if it.Turns < 0 { // the loop over rows
				m.run(it.Body)
			}
		case *ir.Value:
			if it.Op == ir.Max {
				m.places[m.place(it)] = -1 // overwritten before the arguments are read
			}
			sum := float64(n) + 0.5
			for _, a := range it.Args {
				sum = sum*1.25 + m.get(a)
			}
			if it.Op != ir.Store {
				m.set(it, sum)
			}
		}
	}
}

// TestAllocate runs random kernels on few registers. Whenever a value is read, its register or slot
// must hold it.
func TestAllocate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	spilled := 0
	for range 500 {
		k := random(r)
		k.Tidy()
		a := Allocate(k, Target{Registers: []int{3}, Early: map[ir.Op]bool{ir.Max: true}})
		spilled += a.Spilled
		if a.Peak[0] > 3 {
			t.Fatalf("%d registers of 3", a.Peak[0])
		}
		m := &machine{t: t, a: a, value: map[*ir.Value]float64{}, places: map[int]float64{}}
		m.run(k.Entry)
	}
	if spilled == 0 {
		t.Error("nothing was kept in memory: the registers are too many for this test")
	}
}
