package alloc

import (
	"slices"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// General assigns general registers. Counters of loops get registers from the
// end of the list, and streams get the remaining registers. Loops that are not
// nested share registers. A stream that is not in the map has no register. Streams that
// are read at the elements of a list get registers first, because each iteration needs
// them. Streams with one element for each group of rows get none.
func General(k *ir.Kernel, registers []string) map[any]string {
	given := map[any]string{}
	deepest := 0
	var count func(r *ir.Region, depth int)
	count = func(r *ir.Region, depth int) {
		if r == nil {
			return
		}
		for _, it := range r.Items {
			l, ok := it.(*ir.Loop)
			if !ok {
				continue
			}
			inner := depth
			if l.Counted() {
				given[l] = registers[len(registers)-1-depth]
				inner++
				deepest = max(deepest, inner)
			}
			count(l.Head, inner)
			count(l.Body, inner)
		}
	}
	count(k.Entry, 0)
	free := registers[:len(registers)-deepest]
	for _, s := range listsFirst(k) {
		if s.Offset > 0 && s.Group == "" && len(free) > 0 {
			given[s], free = free[0], free[1:]
		}
	}
	return given
}

// listsFirst returns the streams. The streams of loops over lists come first.
func listsFirst(k *ir.Kernel) []*ir.Stream {
	first := map[*ir.Stream]bool{}
	k.Entry.Walk(func(it ir.Item, _ *ir.Region, _ int) {
		switch it := it.(type) {
		case *ir.Loop:
			if it.Span != nil {
				first[it.Span.List] = true
			}
		case *ir.Value:
			if it.Op == ir.Pick {
				first[it.Stream] = true
			}
		}
	})
	order := slices.Clone(k.Streams)
	slices.SortStableFunc(order, func(a, b *ir.Stream) int {
		switch {
		case first[a] == first[b]:
			return 0
		case first[a]:
			return -1
		}
		return 1
	})
	return order
}
