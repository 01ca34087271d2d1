package ir

// If each iteration of an inner loop needs the result of the previous one, the
// CPU waits for that result. During this time it can compute a second vector whose
// instructions are interleaved, so that two vectors take hardly longer than one. A twin
// is a copy of a kernel that computes two vectors in each iteration of the loop over
// rows. The kernel itself computes the remaining rows.

// Twin returns a copy of the kernel that computes two vectors in each iteration. It
// returns nil if the copy would not be faster, or if the order of rows matters.
func (k *Kernel) Twin() *Kernel {
	if !k.isLatencyBound() {
		return nil
	}
	two := *k
	t := &twins{k: &two, to: map[*Value][2]*Value{}, loops: map[*Loop]*Loop{}}
	two.Entry = &Region{Items: append([]Item{}, k.Entry.Items[:len(k.Entry.Items)-1]...)}
	two.Rows = &Loop{ID: k.Rows.ID, Turns: -1}
	two.Rows.Body = &Region{Parent: k.Entry, Loop: two.Rows}
	t.region(k.Rows.Body, two.Rows.Body)
	two.Entry.Items = append(two.Entry.Items, two.Rows)
	two.Twinned = true
	two.narrowMasks()
	moveBeside(&two)
	return &two
}

// isLatencyBound reports whether the latency of an innermost loop is larger than the
// time of its operations.
func (k *Kernel) isLatencyBound() (yes bool) {
	if k.Frame != nil {
		return false
	}
	in, apart := k.TestYieldInterval > 0, true // all of a test's
	k.Entry.Walk(func(it Item, _ *Region, _ int) {
		switch it := it.(type) {
		case *Value:
			apart = apart && it.Op != Scatter
		case *Loop:
			apart = apart && it.Span == nil // whose rows are those of one vector
			if it != k.Rows && !it.Once && !it.Nests() && !it.hasFork() {
				chain, work := it.chain()
				in = in || 10*chain > 7*work
			}
		}
	})
	return (in || k.LongRows()) && apart
}

// longest is a limit for LongRows, in cycles. If the latency of the operations on a vector is larger, a CPU cannot compute the
// next vector while it waits for this one, because its scheduler holds only about 100 to 200 instructions. Two kernels chose the
// number: Black–Scholes takes 14.1 ns per row on AVX2 with two vectors and 16.1 ns with one, but a kernel of 120 instructions
// took 21 % longer with two. The machine was a Xeon of Sapphire Rapids with Go 1.26.8. This command measures Black–Scholes:
//
//	go test -run '^$' -bench 'Kernels/kernel=price' -benchtime 3x -cpu 1 -count 100 ./examples/lanec
const longest = 160

// LongRows reports whether a kernel has no inner loop, but so long a chain of operations that the
// CPU cannot overlap one vector with the next. An example is a formula with logarithms, exponentials
// and divisions.
func (k *Kernel) LongRows() bool {
	ends := map[*Value]int{}
	latency, work := 0, 0
	for _, it := range k.Rows.Body.Items {
		v, ok := it.(*Value)
		if !ok {
			return false
		}
		work += v.Op.slots()
		for _, a := range v.Args {
			ends[v] = max(ends[v], ends[a])
		}
		ends[v] += v.Op.latency()
		latency = max(latency, ends[v])
	}
	return latency > longest && work > longest
}

// chain returns two numbers for an iteration. The first is the latency, in cycles, of
// the longest chain of operations from one iteration to the next. The second is the
// number of operations, of which a CPU executes two at once.
func (l *Loop) chain() (chain, work int) {
	var values []*Value
	for _, r := range []*Region{l.Head, l.Body} {
		if r == nil {
			continue
		}
		for _, it := range r.Items {
			v := it.(*Value)
			values = append(values, v)
			work += v.Op.slots()
		}
	}
	for _, p := range l.Phis {
		from := map[*Value]int{p: 0}
		for _, v := range values {
			for _, a := range v.Args {
				if d, ok := from[a]; ok {
					from[v] = max(from[v], d+v.Op.latency())
				}
			}
		}
		chain = max(chain, from[p.Args[1]])
	}
	return chain, work
}

// latency returns the approximate latency of an operation in cycles, and slots returns
// the number of its instructions.
func (o Op) latency() int {
	switch o {
	case Div:
		return 13
	case Sqrt, Gather:
		return 20
	case Floor, Ceil, Trunc, Round, Min, Max:
		return 8
	case IntMul:
		return 10
	case Add, Sub, Mul, Less, LessEqual, Equal, NotEqual, ToFloat, ToInt, Widen, Narrow, MulWide:
		return 4
	}
	return 1
}

func (o Op) slots() int {
	switch o {
	case Div, Sqrt, Gather:
		return 10
	case Min:
		return 3
	case Max:
		return 5
	case Const:
		return 0
	}
	return 1
}

type twins struct {
	k     *Kernel
	to    map[*Value][2]*Value // the copies of a value for the first and the second vector
	loops map[*Loop]*Loop
}

// twinOf returns the copy of a value for one of the two vectors. If the value is
// computed before the loop over the rows, it returns the value itself.
func (t *twins) twinOf(v *Value, side int) *Value {
	if both, ok := t.to[v]; ok {
		return both[side]
	}
	return v
}

func (t *twins) region(from, to *Region) {
	if from == nil {
		return
	}
	for _, it := range from.Items {
		switch it := it.(type) {
		case *Value:
			t.value(it, to)
		case *Loop:
			to.Items = append(to.Items, t.loop(it, to))
		}
	}
}

// value makes a copy of a value for each of the two vectors. If the value is the same
// for all rows, it makes only one copy.
func (t *twins) value(v *Value, to *Region) {
	same := v.Op != Load && v.Op != Store && v.Op != Guard
	for _, a := range v.Args {
		same = same && t.twinOf(a, 0) == t.twinOf(a, 1)
	}
	one := t.side(v, to, 0)
	two := one
	if !same {
		two = t.side(v, to, 1)
	}
	t.to[v] = [2]*Value{one, two}
}

// side copies a value for one of the vectors.
func (t *twins) side(v *Value, to *Region, side int) *Value {
	c := *v
	c.Args, c.Next = nil, side == 1
	for _, a := range v.Args {
		c.Args = append(c.Args, t.twinOf(a, side))
	}
	if c.Loop != nil {
		c.Loop = t.loops[c.Loop]
	}
	t.k.number(&c, to)
	to.Items = append(to.Items, &c)
	return &c
}

// loop copies a loop. The copy iterates as long as a row of either vector needs
// another iteration.
func (t *twins) loop(l *Loop, in *Region) *Loop {
	m := &Loop{ID: l.ID, Once: l.Once, Unless: l.Unless, Count: l.Count, Turns: l.Turns}
	t.loops[l] = m
	m.Body = &Region{Parent: in, Loop: m}
	if l.Head != nil {
		m.Head = &Region{Parent: in, Loop: m}
		m.Body.Parent = m.Head
	}
	for _, p := range l.Phis {
		var both [2]*Value
		for side := range both {
			both[side] = &Value{Op: Phi, Kind: p.Kind, Args: []*Value{t.twinOf(p.Args[0], side)}, Loop: m, Next: side == 1}
			t.k.number(both[side], m.first())
			m.Phis = append(m.Phis, both[side])
		}
		t.to[p] = both
	}
	t.region(l.Head, m.Head)
	if l.Alive != nil {
		m.Alive = t.orOfTwins(l.Alive, m.Head)
	}
	t.region(l.Body, m.Body)
	for i, p := range l.Phis {
		for side := range 2 {
			q := m.Phis[2*i+side]
			q.Args = append(q.Args, t.twinOf(p.Args[1], side))
		}
		if p == l.EndAlive { // its value in the next iteration
			m.EndAlive = t.orOfTwins(p.Args[1], m.Body)
		}
	}
	return m
}

// orOfTwins returns the OR of the two copies of a mask.
func (t *twins) orOfTwins(v *Value, in *Region) *Value {
	a, b := t.twinOf(v, 0), t.twinOf(v, 1)
	if a == b {
		return a
	}
	or := &Value{Op: Or, Kind: Mask, Args: []*Value{a, b}}
	t.k.number(or, in)
	in.Items = append(in.Items, or)
	return or
}
