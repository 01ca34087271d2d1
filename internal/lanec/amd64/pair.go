package amd64

import (
	"fmt"

	"github.com/lanewise/lanewise/internal/lanec/alloc"
	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// A form is a kernel as it is written: with one vector a turn of the loop over the rows, or with two.
type form struct {
	k         *ir.Kernel
	places    *alloc.Allocation
	registers map[any]string // of streams and loops
	uses      map[*ir.Value]int
	unasked   map[*ir.Value]bool
	joined    map[*ir.Value]*ir.Value // comparisons that stand in what joins them with a mask
	addends   map[*ir.Value]*ir.Value // choices between a number and zero that stand in the sums which add them
}

func newForm(k *ir.Kernel, p *Path, general []string) form {
	f := form{k: k, places: alloc.Allocate(k, p.target), registers: alloc.General(k, general), uses: k.Uses()}
	f.unasked = unasked(k, f.uses)
	if p == AVX512 {
		f.joined = joined(k, f.uses)
		f.addends = addends(k, f.uses)
		for _, v := range f.joined { //lanewise:inexact fills a set
			f.unasked[v] = true
		}
		for _, v := range f.addends { //lanewise:inexact fills a set
			f.unasked[v] = true
		}
	}
	return f
}

// inMemoryAtMost is how many values may stand in memory for a second vector: what is read from there does not wait as long as the loop does.
const inMemoryAtMost = 6

// pair finds the form with two vectors a turn, if that gains something.
func (e *emitter) pair(free []string) {
	two := e.k.Twin()
	if two == nil {
		return
	}
	f := newForm(two, e.path, free)
	if f.places.Spilled <= inMemoryAtMost || e.k.Tight > 0 {
		e.two = &f
	}
}

// most is the larger one of what both forms need.
func (e *emitter) most(of func(a *alloc.Allocation) int) int {
	if e.two == nil {
		return of(e.places)
	}
	return max(of(e.places), of(e.two.places))
}

// pairs writes the loop with two vectors a turn.
func (e *emitter) pairs() {
	if e.two == nil {
		return
	}
	one := e.form
	e.form = *e.two
	n := 2 * e.path.vector / e.k.Width
	e.Ins("SUBQ $%d, DX", n-1)
	e.Ins("JLE single")
	e.region(e.k.Entry)
	e.Label("single")
	e.Ins("ADDQ $%d, DX", n-1)
	e.form = one
}

// twoRows writes the loop over the rows of that.
func (e *emitter) twoRows(l *ir.Loop) {
	n := 2 * e.path.vector / e.k.Width
	loop := fmt.Sprintf("loop%d", n)
	e.align(l)
	e.Label(loop)
	e.region(l.Body)
	e.Ins("ADDQ $%d, CX", n)
	e.Ins("CMPQ CX, DX")
	e.Ins("JLT %s", loop)
}
