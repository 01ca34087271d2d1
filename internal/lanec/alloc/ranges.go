package alloc

import (
	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// A span is a half-open range of positions.
type span struct{ from, to int }

// life is the range of positions in which a value is needed.
type life struct {
	v      *ir.Value
	from   int
	to     int // position of the last use; of a phi, of the last use in an iteration
	after  int // of a phi: its last use after the loop
	spans  []span
	weight float64 // of its uses
	hint   *ir.Value
}

func (l *life) overlaps(m *life) bool {
	for _, a := range l.spans {
		for _, b := range m.spans {
			if a.from < b.to && b.from < a.to {
				return true
			}
		}
	}
	return false
}

func (l *life) cost() float64 {
	n := 0
	for _, s := range l.spans {
		n += s.to - s.from
	}
	return l.weight / float64(n)
}

// ends holds the first and the last position of a loop.
type ends struct {
	from, head, to int // the beginning of the loop, the end of its head, its end
}

// lives numbers the positions of a kernel and computes the life of each value.
type lives struct {
	of    map[*ir.Value]*life
	order []*life
	loops map[*ir.Loop]ends
	at    int
	early map[ir.Op]bool
}

func findLives(k *ir.Kernel, early map[ir.Op]bool) *lives {
	l := &lives{of: map[*ir.Value]*life{}, loops: map[*ir.Loop]ends{}, early: early}
	l.number(k.Entry, 0)
	l.scan(k.Entry, 0)
	for _, v := range l.order {
		l.cut(v)
	}
	return l
}

func (l *lives) begin(v *ir.Value, depth int) {
	x := &life{v: v, from: l.at, to: l.at + 1, weight: estimateTimes(depth)}
	l.of[v] = x
	l.order = append(l.order, x)
}

// depthInside returns the depth inside a loop. A branch adds none.
func depthInside(l *ir.Loop, depth int) int {
	if l.Once {
		return depth
	}
	return depth + 1
}

// estimateTimes estimates how often code at a depth of loops is executed.
func estimateTimes(depth int) float64 {
	n := 1.0
	for range depth {
		n = float64(n * 10)
	}
	return n
}

func (l *lives) number(r *ir.Region, depth int) {
	if r == nil {
		return
	}
	for _, it := range r.Items {
		l.at += 2
		switch it := it.(type) {
		case *ir.Value:
			l.begin(it, depth)
		case *ir.Loop:
			in := depthInside(it, depth)
			e := ends{from: l.at}
			for _, p := range it.Phis {
				l.begin(p, in)
			}
			l.number(it.Head, in)
			l.at += 2
			e.head = l.at
			l.number(it.Body, in)
			l.at += 2
			e.to = l.at
			l.at += 2
			l.loops[it] = e
		}
	}
}

// scan records where values are read. A value that a loop passes from one iteration to
// the next is read at the beginning and the end of the loop; any other value is read
// where it is used. Invariant: number has already visited the same regions, so that
// l.of and l.loops have an entry for each value and loop.
func (l *lives) scan(r *ir.Region, depth int) {
	if r == nil {
		return
	}
	for _, it := range r.Items {
		switch it := it.(type) {
		case *ir.Value:
			for _, a := range it.Args {
				at := l.of[it].from
				if l.early[it.Op] {
					at++
				}
				l.use(a, at, r, depth)
			}
		case *ir.Loop:
			in := depthInside(it, depth)
			l.recordTurns(it, r, depth)
			l.scan(it.Head, in)
			l.scan(it.Body, in)
		}
	}
}

// recordTurns records the values that a loop in a region reads at its beginning and
// at the end of an iteration.
func (l *lives) recordTurns(loop *ir.Loop, r *ir.Region, depth int) {
	e, in := l.loops[loop], depthInside(loop, depth)
	for _, p := range loop.Phis {
		l.use(p.Args[0], e.from, r, depth)
		l.use(p.Args[1], e.to, loop.Body, in)
		l.of[p.Args[1]].hint, l.of[p].hint = p, p.Args[0]
	}
	head := loop.Head
	if head == nil { // of a branch
		head = r
	}
	if loop.Alive != nil {
		l.use(loop.Alive, e.head, head, in)
	}
	if loop.EndAlive != nil && loop.EndAlive.Op != ir.Phi {
		l.use(loop.EndAlive, e.to+1, loop.Body, in) // it is tested after the phis have been moved
	}
}

// use records that a value is read at a position of a region.
func (l *lives) use(v *ir.Value, at int, in *ir.Region, depth int) {
	x := l.of[v]
	x.weight += estimateTimes(depth)
	until := at
	for r := in; r != nil && !v.Region.In(r); r = r.Parent {
		if r.Loop != nil && !v.Of(r.Loop) {
			until = max(until, l.loops[r.Loop].to)
		}
	}
	if v.Op == ir.Phi && at > l.loops[v.Loop].to {
		x.after = max(x.after, until)
		return
	}
	x.to = max(x.to, until)
}

// cut computes the spans of a value.
func (l *lives) cut(x *life) {
	if x.v.Op != ir.Phi {
		x.spans = []span{{x.from, max(x.to, x.from+1)}}
		return
	}
	e := l.loops[x.v.Loop]
	last, after := x.to, max(x.after, e.to+2)
	if x.after > 0 { // the value of the phi after the loop if no row does another iteration
		last = max(last, e.head)
	}
	x.weight *= 2
	if last >= e.to {
		x.spans = []span{{x.from, after}}
	} else {
		x.spans = []span{{x.from, last}, {e.to, after}}
	}
}
