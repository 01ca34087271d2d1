package inspect

import (
	"fmt"
	"math/bits"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/chunk"
	"github.com/lanewise/lanewise/ecs"
)

// maxCompared is the largest number of rows whose values one request compares with a condition. So a request takes the owner of
// a large world 4 ms for one comparison and 9 ms for three, spread over several frames.
const maxCompared = 1_000_000

// A rowFilter selects the rows of a page of entities that meet a condition. It passes skip rows of the query, compares
// the values of the next rows, and counts the rest.
//
// Invariant: the rows that were passed, compared and only counted are three consecutive ranges of the walk. Their
// borders are at the ends of chunks, so that a later request can continue where this one has stopped.
type rowFilter struct {
	condition *condition
	skip      int
	limit     int // number of rows to compare

	passed     int // number of rows before the first that was compared
	compared   int
	uncompared int
	lane       []byte // bytes of the lane that is being compared
	mask       [32]uint64
}

// newRowFilter returns the filter for the text of a condition.
func newRowFilter(when string, skip int) (*rowFilter, error) {
	c, err := parseCondition(when)
	if err != nil {
		return nil, err
	}
	return &rowFilter{condition: c, skip: skip, limit: maxCompared, lane: make([]byte, 0, chunk.Size)}, nil
}

// queryWith returns a query that also requires the components of the condition. A query that excludes one of them is
// an error, because no entity could match both.
func (f *rowFilter) queryWith(c *parsedQuery) (*parsedQuery, error) {
	for i := range f.condition.comparisons {
		n := f.condition.comparisons[i].number
		if slices.Contains(c.without, n.typ) {
			return nil, fmt.Errorf("inspect: the query has !%s, and the condition compares %s: remove one of them", typeName(n.typ), n.text)
		}
		c = c.withNumber(n)
	}
	return c, nil
}

// countAll counts the n rows of an archetype if none of them has to be compared.
func (f *rowFilter) countAll(n int) bool {
	switch {
	case f.passed+n <= f.skip:
		f.passed += n
	case f.compared >= f.limit:
		f.uncompared += n
	default:
		return false
	}
	return true
}

// match returns the rows of a chunk that meet the condition, and their number. n and mask are the rows that match the query. The
// mask is valid until the next call.
func (f *rowFilter) match(a ecs.Archetype, chunk, n int, mask []uint64) (int, []uint64) {
	if f.countAll(n) {
		return 0, nil
	}
	f.compared += n
	var shared []any
	for i := range f.condition.comparisons {
		own := &f.condition.comparisons[i]
		if own.shared == nil {
			continue
		}
		if shared == nil {
			shared = a.SharedValues(chunk)
		}
		at := slices.IndexFunc(shared, func(value any) bool { return reflect.TypeOf(value) == own.number.typ })
		if at < 0 || !own.holdsShared(shared[at]) {
			return 0, nil
		}
	}
	f.setMask(n, mask)
	for i := range f.condition.comparisons {
		if own := &f.condition.comparisons[i]; own.shared == nil && !f.clearOthers(own, a, chunk) {
			return 0, nil
		}
	}
	n = 0
	for _, word := range f.mask {
		n += bits.OnesCount64(word)
	}
	return n, f.mask[:]
}

// setMask sets the bits of the rows that match the query: those of a mask, or all n rows without a mask.
func (f *rowFilter) setMask(n int, mask []uint64) {
	clear(f.mask[copy(f.mask[:], mask):])
	if mask == nil {
		for row := range n {
			f.mask[row>>6] |= 1 << (row & 63)
		}
	}
}

// clearOthers clears the bits of the rows for which a comparison does not hold. It reports whether there is such a number.
func (f *rowFilter) clearOthers(c *comparison, a ecs.Archetype, chunk int) bool {
	lane, ok := c.number.find(a)
	if !ok {
		return false
	}
	f.lane = a.AppendLane(f.lane[:0], lane, chunk, 0, 1)
	for i := range f.mask {
		for word := f.mask[i]; word != 0; word &= word - 1 {
			row := i<<6 + bits.TrailingZeros64(word)
			if !c.holdsRow(f.lane[row*lane.Size:]) {
				f.mask[i] &^= 1 << (row & 63)
			}
		}
	}
	return true
}
