package ir

import (
	"fmt"
	"slices"
	"strings"
)

// A Kernel is one function of rows.
type Kernel struct {
	Name              string // the Go function's
	Width             int    // bytes of an element: 4 or 8
	Entry             *Region
	Rows              *Loop  // the loop over the rows, which is the last item of Entry
	Number            string // of rows, as Go
	Streams           []*Stream
	Scalars           []*Scalar
	Counts            []*Scalar // numbers of iterations that are not constant
	Lengths           []*Scalar // lengths of slices in which elements are looked up
	Stop              int       // offset in the argument block for the row at which a guard stopped; 0 if there is no guard
	Wants             []Want
	Twinned           bool   // each iteration processes two vectors
	TestYieldInterval int    // if it is not 0, the kernel yields after this number of iterations, for a test
	Frame             *Frame // if arguments are in the frame of the call; nil: in a block
	values            int
	loops             int
}

// A Want is a condition on lengths in the Go function: Have must be at least Least.
// Have is a length or a parameter.
type Want struct{ Have, Least string }

// A Value is a vector with one element for each row.
type Value struct {
	ID     int
	Op     Op
	Kind   Kind
	Args   []*Value
	Bits   uint64
	Stream *Stream
	Scalar *Scalar
	Puts   []Put // of a Scatter: three arguments for each put: index, value, mask
	Loop   *Loop // of a Phi its loop; of a Spread the loop whose counter is the index, or nil for element Bits
	Region *Region
	Next   bool // it belongs to the second of two vectors
	needed bool
}

func (v *Value) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "v%d = %v", v.ID, v.Op)
	for _, a := range v.Args {
		fmt.Fprintf(&b, " v%d", a.ID)
	}
	if v.Stream != nil {
		fmt.Fprintf(&b, " %s", v.Stream.Expr)
	}
	if v.Scalar != nil {
		fmt.Fprintf(&b, " %s", v.Scalar.Expr)
	}
	if v.Op == Const || v.Op == Shl || v.Op == Shr || v.Op == Sar {
		fmt.Fprintf(&b, " %#x", v.Bits)
	}
	return b.String()
}

// A Put says what a Scatter does with one value: How is Store, Add, Sub, IntAdd,
// IntSub, And, Or or Xor.
type Put struct {
	Stream *Stream
	How    Op
}

// A Stream is a slice, or a lane of a view.
type Stream struct {
	Name    string // name of the field in the argument block
	Expr    string // as Go
	Elem    Kind
	Type    string   // Go type of an element
	ByLoop  bool     // indexed from the first element on, by counters of loops or by a number; access by row uses a separate stream
	Reach   []string // if ByLoop: Go expressions for the number of elements that counters read
	Ahead   int      // number of rows by which it is read ahead
	Ring    bool     // it has 256 bytes: row i uses element i mod 64, or 32
	Written bool
	Matrix  string // Go expression of the slice of arrays whose number At this is: Expr is then a variable of the generated function
	At      int
	Group   string // Go expression for the number of rows that share an element; "" if each row has its own
	Offset  int    // in the argument block; 0 if it is not part of it
	Place   Place
}

// A Scalar is a number with the same value for all rows.
type Scalar struct {
	Name, Expr string
	Kind       Kind
	Type       string // as Go
	Offset     int    // in the argument block; 0 if it is not part of it
	Place      Place
}

// A Region is a list of values and loops, in the order of execution.
type Region struct {
	Parent *Region
	Loop   *Loop // the loop whose body or head it is
	Items  []Item
	known  map[string]*Value
}

// An Item is a *Value or a *Loop.
type Item any

// A Loop is a loop over the rows, a counted loop, a loop with a condition, or a
// branch, which does at most one iteration.
type Loop struct {
	ID       int
	Once     bool    // a branch: Alive, with one value for all rows, says whether it is taken
	Unless   bool    // of a branch: it is taken if Alive is not set
	Count    *Scalar // number of iterations, if it is a parameter or a length
	Turns    int64   // number of iterations, if it is constant; otherwise -1
	Head     *Region // computes Alive before each iteration; nil without a condition
	Body     *Region
	Phis     []*Value
	Span     *Span  // the counter's range; nil if it counts from 0 on
	Alive    *Value // evaluated after the head: the loop ends if no element is set
	EndAlive *Value // Alive as evaluated after the body
}

// A Span is the range of the counter of a loop over a part of a list. The rows of a
// group share such a part. The rows of a vector belong to one group, because the
// generated function checks that groups are at least as large as vectors.
type Span struct {
	List   *Stream
	Start  *Stream  // its element g is where the part of group g begins; the next one is its end
	Shift  *Scalar  // log2 of the number of rows of a group
	Length *Scalar  // number of elements of the list
	End    *Scalar  // the kernel writes the end of the current part there; it is the loop's Count
	Picked []string // lengths, as Go, of the slices that are read at the list's elements
	Bound  *Scalar  // the smallest of them; nil if there are none
}

// Counted reports whether the loop has a counter.
func (l *Loop) Counted() bool { return l.Count != nil || l.Turns >= 0 }

// Nests reports whether the loop contains another loop. It also finds loops in branches
// and in the head.
func (l *Loop) Nests() bool { return l.has(func(in *Loop) bool { return !in.Once || in.Nests() }) }

// hasFork reports whether the loop contains a branch, not counting the branches in inner loops.
func (l *Loop) hasFork() bool { return l.has(func(in *Loop) bool { return in.Once }) }

// has reports whether the function such is true for a loop or branch inside this loop.
// It does not look into inner loops.
func (l *Loop) has(such func(in *Loop) bool) bool {
	for _, r := range []*Region{l.Head, l.Body} {
		if r != nil && slices.ContainsFunc(r.Items, func(it Item) bool { in, ok := it.(*Loop); return ok && such(in) }) {
			return true
		}
	}
	return false
}

// In reports whether r is a region or inside it.
func (r *Region) In(in *Region) bool {
	for ; r != nil; r = r.Parent {
		if r == in {
			return true
		}
	}
	return false
}

// Of reports whether a value belongs to a loop: it is a phi of the loop, or it is
// computed inside the loop.
func (v *Value) Of(l *Loop) bool {
	if v.Op == Phi && v.Loop == l {
		return true
	}
	for r := v.Region; r != nil; r = r.Parent {
		if r.Loop == l {
			return true
		}
	}
	return false
}

// Walk calls f for each item of a region and of all regions below it, in order,
// with the number of surrounding loops.
func (r *Region) Walk(f func(it Item, r *Region, depth int)) { r.walk(0, f) }

func (r *Region) walk(depth int, f func(Item, *Region, int)) {
	if r == nil {
		return
	}
	for _, it := range r.Items {
		f(it, r, depth)
		if l, ok := it.(*Loop); ok {
			l.Head.walk(depth+1, f)
			l.Body.walk(depth+1, f)
		}
	}
}

// eachRegion calls f for a region and all regions below it. f may change the items of
// its region.
func (r *Region) eachRegion(f func(r *Region)) {
	if r == nil {
		return
	}
	f(r)
	for _, it := range r.Items {
		if l, ok := it.(*Loop); ok {
			l.Head.eachRegion(f)
			l.Body.eachRegion(f)
		}
	}
}
