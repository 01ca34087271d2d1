package ir

import "slices"

// Tidy takes away what no store and no end of a loop needs, takes choices out of the way of sums, brings loads down to their first use, and gives every argument its place in the
// argument block.
func (k *Kernel) Tidy() {
	k.mark()
	k.Entry.sweep()
	addends(k)
	k.narrow()
	k.Entry.sink()
	k.Entry.overwritten()
	k.layout()
}

// narrow makes of a & (b & c) in a loop of the row, where a is which rows take the turn, (a & b) & c, each right behind the last of its arguments: a CPU
// with registers for masks compares in the rows of a mask, and what no row waits for is known early.
func (k *Kernel) narrow() {
	uses := k.Uses()
	k.Entry.Walk(func(it Item, _ *Region, _ int) {
		if l, ok := it.(*Loop); ok && l != k.Rows {
			l.Head.narrow(uses)
			l.Body.narrow(uses)
		}
	})
}

func (r *Region) narrow(uses map[*Value]int) {
	if r == nil {
		return
	}
	for _, it := range r.Items {
		if v, ok := it.(*Value); ok && v.joins() {
			for i, in := range v.Args {
				if a := v.Args[1-i]; a.Op == Phi && a.Loop == r.Loop && in.joins() && in.Region == r && uses[in] == 1 {
					in.Args, v.Args = []*Value{a, in.Args[0]}, []*Value{in, in.Args[1]}
					break
				}
			}
		}
	}
	r.early()
}

// early puts what joins masks right behind the later of the two.
func (r *Region) early() {
	for i, it := range r.Items {
		if v, ok := it.(*Value); ok && v.joins() {
			j := i
			for j > 0 && Item(v.Args[0]) != r.Items[j-1] && Item(v.Args[1]) != r.Items[j-1] && !after(v, r.Items[j-1]) {
				j--
			}
			copy(r.Items[j+1:i+1], r.Items[j:i])
			r.Items[j] = v
		}
	}
}

// joins says whether a value is set where two masks are, none of them the one of the rows that are there.
func (v *Value) joins() bool {
	return v.Op == And && v.Kind == Mask && v.Args[0].Op != Rows && v.Args[1].Op != Rows
}

// after says whether an argument of a value is what a loop leaves.
func after(v *Value, it Item) bool {
	l, ok := it.(*Loop)
	return ok && (v.Args[0].Of(l) || v.Args[1].Of(l))
}

// Uses says how often each value is an argument.
func (k *Kernel) Uses() map[*Value]int {
	uses := map[*Value]int{}
	k.Entry.Walk(func(it Item, _ *Region, _ int) {
		switch it := it.(type) {
		case *Value:
			for _, a := range it.Args {
				uses[a]++
			}
		case *Loop:
			for _, p := range it.Phis {
				for _, a := range p.Args {
					uses[a]++
				}
			}
			uses[it.Alive]++
			uses[it.EndAlive]++
		}
	})
	return uses
}

// overwritten removes stores to an element that is stored to again before anything can have looked at it.
func (r *Region) overwritten() {
	if r == nil {
		return
	}
	kept := r.Items[:0]
	for i, it := range r.Items {
		switch it := it.(type) {
		case *Loop:
			it.Head.overwritten()
			it.Body.overwritten()
		case *Value:
			if it.Op == Store && stored(r.Items[i+1:], it.Stream) {
				continue
			}
		}
		kept = append(kept, it)
	}
	r.Items = kept
}

// stored says whether the next thing that happens to memory is a store to a stream.
func stored(items []Item, s *Stream) bool {
	for _, it := range items {
		v, ok := it.(*Value)
		switch {
		case !ok:
			return false
		case v.Op == Store:
			return v.Stream == s
		case !v.Op.Pure():
			return false
		}
	}
	return false
}

// mark notes what is needed, from stores and ends of loops upwards.
func (k *Kernel) mark() {
	var work []*Value
	need := func(v *Value) {
		if v != nil && !v.needed {
			v.needed = true
			work = append(work, v)
		}
	}
	k.Entry.Walk(func(it Item, _ *Region, _ int) {
		switch it := it.(type) {
		case *Value:
			if it.Op.Acts() {
				need(it)
			}
		case *Loop:
			need(it.Alive)
			need(it.EndAlive)
		}
	})
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range v.Args {
			need(a)
		}
	}
}

// sweep removes what is not needed. A loop goes if it changes nothing and nothing asks when it ends.
func (r *Region) sweep() {
	if r == nil {
		return
	}
	kept := r.Items[:0]
	for _, it := range r.Items {
		switch it := it.(type) {
		case *Value:
			if it.needed {
				kept = append(kept, it)
			}
		case *Loop:
			it.Head.sweep()
			it.Body.sweep()
			phis := it.Phis[:0]
			for _, p := range it.Phis {
				if p.needed {
					phis = append(phis, p)
				}
			}
			it.Phis = phis
			if len(phis) > 0 || len(it.Body.Items) > 0 {
				kept = append(kept, it)
			}
		}
	}
	r.Items = kept
}

// sink moves loads down to their first user in the same region, as far as no store and no loop stands between: so they hold a register for a
// shorter time, and a store keeps its order with them.
func (r *Region) sink() {
	if r == nil {
		return
	}
	for i := len(r.Items) - 1; i >= 0; i-- {
		v, ok := r.Items[i].(*Value)
		if !ok {
			l := r.Items[i].(*Loop)
			l.Head.sink()
			l.Body.sink()
			continue
		}
		if v.Op != Load && v.Op != Spread && v.Op != Gather {
			continue
		}
		j := i + 1
		for j < len(r.Items) && !stops(r.Items[j], v) {
			j++
		}
		if j < len(r.Items) && j > i+1 && firstOf(r.Items[j], v, r.Items[j-1]) {
			j--
		}
		copy(r.Items[i:j-1], r.Items[i+1:j])
		r.Items[j-1] = v
	}
}

// firstOf says whether two loads are the two arguments of an item, in this order: it may read the second one itself.
func firstOf(it Item, first *Value, second Item) bool {
	v, ok := it.(*Value)
	return ok && len(v.Args) == 2 && v.Args[0] == first && Item(v.Args[1]) == second && v.Args[1].Op == Load
}

// stops says whether a load may not move beyond an item.
func stops(it Item, load *Value) bool {
	v, ok := it.(*Value)
	if !ok || v.Op == Store || v.Op == Scatter || load.Op == Gather && v.Op == Load {
		return true
	}
	for _, a := range v.Args {
		if a == load {
			return true
		}
	}
	return false
}

// layout gives the argument block its shape: the number of rows, the one at which a guard stopped, pointers, counts, lengths and scalars of the
// kernel's width.
func (k *Kernel) layout() {
	used, guards := map[any]bool{}, false
	k.Entry.Walk(func(it Item, _ *Region, _ int) {
		switch it := it.(type) {
		case *Value:
			if it.Stream != nil {
				used[it.Stream] = true
			}
			for _, p := range it.Puts {
				used[p.Stream] = true
			}
			guards = guards || it.Op == Guard
			if it.Scalar != nil {
				used[it.Scalar] = true
			}
		case *Loop:
			if it.Count != nil {
				used[it.Count] = true
			}
		}
	})
	at := place(guards, &k.Stop, 8, 8)
	for _, s := range k.Streams {
		at = place(used[s], &s.Offset, at, 8)
	}
	for _, c := range k.Counts {
		at = place(used[c], &c.Offset, at, 8)
	}
	for _, s := range slices.Concat(k.Lengths, k.Scalars) {
		at = place(used[s], &s.Offset, at, s.Kind.Size(k.Width))
	}
}

func place(used bool, offset *int, at, size int) int {
	if !used {
		return at
	}
	at = (at + size - 1) / size * size // as Go does
	*offset = at
	return at + size
}
