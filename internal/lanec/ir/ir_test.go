package ir

import (
	"strings"
	"testing"
)

// kernel returns x[i] = (x[i]+1)*(1+1), with an unused loop and an unused load.
func kernel() (b *Builder, x *Stream, sum *Value) {
	b = Build("k", 4)
	x = &Stream{Name: "x", Expr: "x"}
	unused := &Stream{Name: "y", Expr: "y"}
	b.Kernel.Streams = []*Stream{unused, x}
	b.Kernel.Scalars = []*Scalar{{Name: "s", Expr: "s"}, {Name: "t", Expr: "t"}}
	k := b.Kernel
	k.Rows = b.Loop()
	k.Rows.Body = NewRegion(k.Entry, k.Rows)
	b.Region = k.Rows.Body
	v := b.Put(&Value{Op: Load, Stream: x})
	b.Put(&Value{Op: Load, Stream: unused})
	l := b.Loop()
	l.Turns, l.Body = 3, NewRegion(b.Region, l)
	outer := b.Region
	p := b.Phi(l, l.Body, v)
	b.Region = l.Body
	p.Args = append(p.Args, b.Op(Add, Float, p, b.Const(Float, 7)))
	b.Close(l, outer)
	sum = b.Op(Add, Float, b.Const(Float, 1), b.Const(Float, 1))
	y := b.Op(Mul, Float, b.Op(Add, Float, v, b.Const(Float, 1)), sum)
	y = b.Op(Add, Float, y, b.Put(&Value{Op: Param, Scalar: b.Kernel.Scalars[1]}))
	b.Put(&Value{Op: Store, Args: []*Value{y}, Stream: x})
	b.Close(k.Rows, k.Entry)
	return b, x, sum
}

// TestBuild checks that equal values exist once and that constant values are outside of the loop over
// rows.
func TestBuild(t *testing.T) {
	b, _, sum := kernel()
	if sum.Region != b.Kernel.Entry {
		t.Error("the sum of constants stands in the row")
	}
	b.Region = b.Kernel.Rows.Body
	if b.Op(Add, Float, sum.Args[0], sum.Args[1]) != sum {
		t.Error("the same sum is computed again")
	}
	if c := b.Const(Float, 1<<40|1); c != sum.Args[0] {
		t.Error("bits beyond the width count")
	}
	m := b.Op(Rows, Mask)
	if m.Region != b.Kernel.Rows.Body || b.And(nil, m) != m || b.And(m, nil) != m || b.And(m, m) != m || b.Choose(nil, sum, m) != sum || b.Choose(m, sum, sum) != sum {
		t.Error("nil is not all rows")
	}
	if n := b.AndNot(nil, m); n.Op != Not || b.AndNot(m, n).Op != AndNot {
		t.Error("AndNot of all rows is no Not")
	}
}

// TestTidy checks that unused values are removed, that loads move to their uses, and that only
// arguments that are used get a place in the argument block.
func TestTidy(t *testing.T) {
	b, x, _ := kernel()
	k := b.Kernel
	k.Tidy()
	var ops []string
	k.Entry.Walk(func(it Item, r *Region, depth int) {
		if v, ok := it.(*Value); ok {
			ops = append(ops, v.Op.String())
			if !r.In(k.Entry) || depth > 1 {
				t.Errorf("%v stands at depth %d", v, depth)
			}
		}
	})
	if got := strings.Join(ops, " "); got != "const add param load add mul add store" {
		t.Errorf("what is left: %s", got)
	}
	if k.Streams[0].Offset != 0 || x.Offset != 8 || k.Scalars[0].Offset != 0 || k.Scalars[1].Offset != 16 {
		t.Errorf("offsets %d %d %d %d", k.Streams[0].Offset, x.Offset, k.Scalars[0].Offset, k.Scalars[1].Offset)
	}
	if k.Rows.Nests() {
		t.Error("the loop that is not needed is there")
	}
}

// TestString checks that values are readable in a panic message.
func TestString(t *testing.T) {
	b := Build("k", 4)
	c := b.Const(Float, 5)
	for _, v := range []struct {
		value *Value
		want  string
	}{
		{c, "v0 = const 0x5"},
		{b.Op(Neg, Float, c), "v1 = neg v0"},
		{b.Put(&Value{Op: Param, Scalar: &Scalar{Name: "s", Expr: "s"}}), "v2 = param s"},
		{b.Put(&Value{Op: Load, Stream: &Stream{Name: "x_1", Expr: "v.X"}}), "v3 = load v.X"},
	} {
		if got := v.value.String(); got != v.want {
			t.Errorf("%s, want %s", got, v.want)
		}
	}
}
