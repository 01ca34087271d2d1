package alloc

import "github.com/lanewise/lanewise/internal/lanec/ir"

// General assigns general registers: counters of loops take them from the end
// of the list, and streams take the remaining ones. Loops that are not nested
// share registers. A stream that is not in the map has no register.
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
	for _, s := range k.Streams {
		if s.Offset > 0 && len(free) > 0 {
			given[s], free = free[0], free[1:]
		}
	}
	return given
}
