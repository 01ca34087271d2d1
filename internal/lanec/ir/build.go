package ir

import "fmt"

// A Builder appends to a kernel. Region is the current region.
type Builder struct {
	Kernel *Kernel
	Region *Region
}

// Build returns a builder for a new kernel. The current region is the entry of the kernel.
func Build(name string, width int) *Builder {
	k := &Kernel{Name: name, Width: width, Entry: NewRegion(nil, nil)}
	return &Builder{k, k.Entry}
}

// NewRegion returns an empty region inside another region.
func NewRegion(parent *Region, l *Loop) *Region {
	return &Region{Parent: parent, Loop: l, known: map[string]*Value{}}
}

// Op appends an operation, or returns an equal one that exists already.
func (b *Builder) Op(op Op, kind Kind, args ...*Value) *Value {
	return b.Put(&Value{Op: op, Kind: kind, Args: args})
}

// Put appends a value. A pure value is placed in the outermost region that has
// all of its arguments, unless it exists there already. If there is an equal guard or
// look-up before the current position, it is reused too.
func (b *Builder) Put(v *Value) *Value {
	r := b.Region
	hoists := v.Op.Pure() || v.Op == Spread // elements that are read at other rows are never written
	if hoists || v.Op == Guard || v.Op == Gather || v.Op == Pick {
		if hoists {
			r = b.outermost(v)
		}
		key := v.key()
		for s := r; s != nil; s = s.Parent {
			if w := s.known[key]; w != nil {
				return w
			}
		}
		r.known[key] = v
	}
	b.Kernel.number(v, r)
	r.Items = append(r.Items, v)
	return v
}

// Loop returns a new loop without iterations. Close places the loop in a region, after
// the values that its iterations need.
func (b *Builder) Loop() *Loop {
	b.Kernel.loops++
	return &Loop{ID: b.Kernel.loops, Turns: -1}
}

// Close appends a loop to a region and continues after it.
func (b *Builder) Close(l *Loop, r *Region) {
	r.Items = append(r.Items, l)
	b.Region = r
}

// Phi adds a variable to a loop. At the beginning of the region first, the variable has
// the value init before the first iteration.
func (b *Builder) Phi(l *Loop, first *Region, init *Value) *Value {
	p := &Value{Op: Phi, Kind: init.Kind, Args: []*Value{init}, Loop: l}
	b.Kernel.number(p, first)
	l.Phis = append(l.Phis, p)
	return p
}

func (k *Kernel) number(v *Value, r *Region) {
	v.ID, v.Region = k.values, r
	k.values++
}

func (b *Builder) outermost(v *Value) *Region {
	switch {
	case v.Op == Rows:
		return b.Region.row() // the last vector has fewer rows
	case v.Op == Spread && v.Loop != nil:
		return v.Loop.first()
	}
	r := b.Kernel.Entry
	for _, a := range v.Args {
		in := a.Region
		for !b.Region.In(in) { // a phi after its loop
			in = in.Parent
		}
		if !r.In(in) {
			r = in
		}
	}
	if l := r.Loop; l != nil && r == l.Head && b.Region != r && b.Region.In(l.Body) {
		return l.Body // after the test for another iteration
	}
	for in := b.Region.child(r); in != nil && in.Loop.Once; in = b.Region.child(r) {
		r = in // a value that only a branch needs is computed inside the branch
	}
	return r
}

// child returns the region that contains r and whose parent is the region of. It
// returns nil if r and of are the same region.
func (r *Region) child(of *Region) *Region {
	for r != of && r.Parent != of {
		r = r.Parent
	}
	if r == of {
		return nil
	}
	return r
}

// row returns the body of the loop over the rows that contains r.
func (r *Region) row() *Region {
	for r.Parent != nil && r.Parent.Parent != nil {
		r = r.Parent
	}
	return r
}

// first returns the region that an iteration executes first.
func (l *Loop) first() *Region {
	if l.Head != nil {
		return l.Head
	}
	return l.Body
}

func (v *Value) key() string {
	key := fmt.Sprint(v.Op, v.Kind, v.Bits)
	if v.Scalar != nil {
		key += v.Scalar.Name
	}
	if v.Stream != nil {
		key += v.Stream.Name
	}
	if v.Loop != nil {
		key += fmt.Sprint("of", v.Loop.ID)
	}
	for _, a := range v.Args {
		key += fmt.Sprint(",", a.ID)
	}
	return key
}

// Const returns a constant with the same bits in each element.
func (b *Builder) Const(kind Kind, bits uint64) *Value {
	if kind.Size(b.Kernel.Width) == 4 {
		bits &= 0xffffffff
	}
	return b.Put(&Value{Op: Const, Kind: kind, Bits: bits})
}

// And returns the AND of two masks. Nil means all rows.
func (b *Builder) And(m, n *Value) *Value {
	switch {
	case m == nil:
		return n
	case n == nil || m == n:
		return m
	}
	return b.Op(And, Mask, m, n)
}

// AndNot returns the rows of m that are not in n. Nil means all rows.
func (b *Builder) AndNot(m, n *Value) *Value {
	if m == nil {
		return b.Op(Not, Mask, n)
	}
	return b.Op(AndNot, Mask, m, n)
}

// Choose returns x where the mask is set, and y elsewhere.
func (b *Builder) Choose(m, x, y *Value) *Value {
	if x == y || m == nil {
		return x
	}
	if m.Op == Not {
		m, x, y = m.Args[0], y, x
	}
	if x.Op == Sel && x.Args[0] == m {
		x = x.Args[1]
	}
	if y.Op == Sel && y.Args[0] == m {
		y = y.Args[2]
	}
	if x == y {
		return x
	}
	return b.Op(Sel, x.Kind, m, x, y)
}
