package ir

import "slices"

// Tidy removes values that are not needed by a store or by the end of a loop. It moves
// choices out of sums, and loads down to their first use. It assigns every argument its
// offset in the argument block.
func (k *Kernel) Tidy() {
	k.mark()
	k.Entry.sweep()
	moveAddends(k)
	k.narrowMasks()
	k.Entry.sink()
	k.Entry.removeOverwritten()
	k.layout()
}

// narrowMasks changes the masks in loops inside the row. If a is the mask of the rows
// of an iteration, it rewrites a & (b & c) as (a & b) & c, and moves each of these
// operations directly after the last of its arguments. This has two advantages: a CPU
// with mask registers can compare only the rows of a mask, and an iteration need not
// wait for a mask that is complete early.
func (k *Kernel) narrowMasks() {
	uses := k.Uses()
	k.Entry.Walk(func(it Item, _ *Region, _ int) {
		if l, ok := it.(*Loop); ok && l != k.Rows {
			l.Head.narrowMasks(uses)
			l.Body.narrowMasks(uses)
		}
	})
}

func (r *Region) narrowMasks(uses map[*Value]int) {
	if r == nil {
		return
	}
	for _, it := range r.Items {
		if v, ok := it.(*Value); ok && v.isJoin() {
			for i, in := range v.Args {
				if a := v.Args[1-i]; a.Op == Phi && a.Loop == r.Loop && in.isJoin() && in.Region == r && uses[in] == 1 {
					in.Args, v.Args = []*Value{a, in.Args[0]}, []*Value{in, in.Args[1]}
					break
				}
			}
		}
	}
	r.moveEarly()
}

// moveEarly moves ANDs of masks right after the later operand.
func (r *Region) moveEarly() {
	for i, it := range r.Items {
		if v, ok := it.(*Value); ok && v.isJoin() {
			j := i
			for j > 0 && Item(v.Args[0]) != r.Items[j-1] && Item(v.Args[1]) != r.Items[j-1] && !isAfterLoop(v, r.Items[j-1]) {
				j--
			}
			copy(r.Items[j+1:i+1], r.Items[j:i])
			r.Items[j] = v
		}
	}
}

// isJoin reports whether a value is the AND of two masks, if neither of them is the mask of valid
// rows.
func (v *Value) isJoin() bool {
	return v.Op == And && v.Kind == Mask && v.Args[0].Op != Rows && v.Args[1].Op != Rows
}

// isAfterLoop reports whether an item is a loop that computes an argument of a value.
func isAfterLoop(v *Value, it Item) bool {
	l, ok := it.(*Loop)
	return ok && (v.Args[0].Of(l) || v.Args[1].Of(l))
}

// Uses returns, for each value, how often it is an argument.
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

// removeOverwritten removes stores to an element that is stored again before anything
// can read it.
func (r *Region) removeOverwritten() {
	if r == nil {
		return
	}
	kept := r.Items[:0]
	for i, it := range r.Items {
		switch it := it.(type) {
		case *Loop:
			it.Head.removeOverwritten()
			it.Body.removeOverwritten()
		case *Value:
			if it.Op == Store && nextIsStore(r.Items[i+1:], it.Stream) {
				continue
			}
		}
		kept = append(kept, it)
	}
	r.Items = kept
}

// nextIsStore reports whether the next memory access is a store to a stream.
func nextIsStore(items []Item, s *Stream) bool {
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

// mark marks the values that stores and ends of loops need, then the operands of these values, and so on.
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

// sweep removes values that are not needed. It also removes a loop if the loop has no
// effect and no value after it is needed.
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

// sink moves loads down to their first user in the same region, so that they occupy a
// register for a shorter time. It does not move a load across a store or a loop, so
// that loads and stores keep their order.
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
		for j < len(r.Items) && !mustStop(r.Items[j], v) {
			j++
		}
		if j < len(r.Items) && j > i+1 && firstOf(r.Items[j], v, r.Items[j-1]) {
			j--
		}
		copy(r.Items[i:j-1], r.Items[i+1:j])
		r.Items[j-1] = v
	}
}

// firstOf reports whether two loads are the two arguments of an item, in this
// order. If so, the item may use the second load as a memory operand.
func firstOf(it Item, first *Value, second Item) bool {
	v, ok := it.(*Value)
	return ok && len(v.Args) == 2 && v.Args[0] == first && Item(v.Args[1]) == second && v.Args[1].Op == Load
}

// mustStop reports whether a load must not move past an item.
func mustStop(it Item, load *Value) bool {
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

// layout assigns an offset in the argument block to each argument. The block begins
// with the number of rows and with the row at which a guard stopped. Then come the
// pointers, the counts, the lengths and the scalars. A length and a scalar have the
// width of an element.
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
			if s := it.Span; s != nil {
				guards = true
				used[s.List], used[s.Start], used[s.Shift], used[s.Length] = true, true, true, true
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
