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
	Counts            []*Scalar // how often loops turn, where that is no constant
	Lengths           []*Scalar // how long slices are in which elements are looked up
	Stop              int       // where in the argument block the row is noted at which a guard stopped; 0 if there is no guard
	Wants             []Want
	Twinned           bool   // it has two vectors a turn
	TestYieldInterval int    // if it is not 0, the kernel yields after so many iterations, for a test
	Frame             *Frame // if arguments stand in the frame of the call; nil: in a block
	values            int
	loops             int
}

// A Want is a condition of the Go function's loops: Have, a length or a parameter, is at least Least.
type Want struct{ Have, Least string }

// A Value is a vector of elements, one a row.
type Value struct {
	ID     int
	Op     Op
	Kind   Kind
	Args   []*Value
	Bits   uint64
	Stream *Stream
	Scalar *Scalar
	Puts   []Put // of a Scatter: three arguments each, which element, the value, where the mask is set
	Loop   *Loop // of a Phi its own; of a Spread the one whose counter is the index, or nil for element Bits
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

// A Put is what a Scatter does with one value: How is Store, Add, Sub, IntAdd, IntSub, And, Or or Xor.
type Put struct {
	Stream *Stream
	How    Op
}

// A Stream is a slice, or a lane of a view.
type Stream struct {
	Name    string // a field of the argument block
	Expr    string // as Go
	Elem    Kind
	Type    string   // of an element, as Go
	ByLoop  bool     // reached from the first element on, by counters of loops or by number; what is reached by row is a stream of its own
	Reach   []string // if ByLoop: Go expressions of how many elements are read by counters
	Ahead   int      // how many rows further on it is read
	Ring    bool     // it has 256 bytes: row i is element i mod 64, or 32
	Written bool
	Matrix  string // the slice of arrays whose number At this is, as Go: Expr is a variable of the generated function
	At      int
	Offset  int // in the argument block; 0 if it is not there
	Place   Place
}

// A Scalar is a number that is the same for all rows.
type Scalar struct {
	Name, Expr string
	Kind       Kind
	Type       string // as Go
	Offset     int    // in the argument block; 0 if it is not there
	Place      Place
}

// A Region is a list of values and loops, in the order in which they happen.
type Region struct {
	Parent *Region
	Loop   *Loop // whose body or head it is
	Items  []Item
	known  map[string]*Value
}

// An Item is a *Value or a *Loop.
type Item any

// A Loop is a loop over the rows, a counted one, one with a condition, or a branch, which turns once or not at all.
type Loop struct {
	ID       int
	Once     bool    // a branch: Alive, which all rows share, says whether it is taken
	Unless   bool    // of a branch: it is taken where Alive is not set
	Count    *Scalar // how often it turns, if that is a parameter or a length
	Turns    int64   // how often, if that is a constant; -1 if it is not
	Head     *Region // computes Alive before each turn; nil without a condition
	Body     *Region
	Phis     []*Value
	Alive    *Value // after the head: no element set ends the loop
	EndAlive *Value // after the body: the same
}

// Counted says whether the loop has a counter.
func (l *Loop) Counted() bool { return l.Count != nil || l.Turns >= 0 }

// Nests says whether there is a loop inside, also in a branch or in what is done before each turn.
func (l *Loop) Nests() bool { return l.has(func(in *Loop) bool { return !in.Once || in.Nests() }) }

// forks says whether there is a branch inside that no other loop is around.
func (l *Loop) forks() bool { return l.has(func(in *Loop) bool { return in.Once }) }

// has says whether there is such a loop inside, without those in others.
func (l *Loop) has(such func(in *Loop) bool) bool {
	for _, r := range []*Region{l.Head, l.Body} {
		if r != nil && slices.ContainsFunc(r.Items, func(it Item) bool { in, ok := it.(*Loop); return ok && such(in) }) {
			return true
		}
	}
	return false
}

// In says whether r is in, or below it.
func (r *Region) In(in *Region) bool {
	for ; r != nil; r = r.Parent {
		if r == in {
			return true
		}
	}
	return false
}

// Of says whether a value belongs to a loop: it is a phi of it or stands below it.
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

// Walk calls f for each item of a region and of all below it, in order, with the number of loops around it.
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

// each calls f for a region and all below it. It may change the items of the one that it is called for.
func (r *Region) each(f func(r *Region)) {
	if r == nil {
		return
	}
	f(r)
	for _, it := range r.Items {
		if l, ok := it.(*Loop); ok {
			l.Head.each(f)
			l.Body.each(f)
		}
	}
}
