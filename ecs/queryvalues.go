package ecs

import "slices"

// AppendValues appends the T of the entities that q matches to list, in the order
// of a loop: a copy, for tests, files and whatever wants rows. It first completes
// jobs that write T. The error is of category ErrState if q does not ask for T to
// be there, and of category ErrArgument if T is a tag or a shared component.
func AppendValues[T any](q *Query, list []T) ([]T, error) {
	const op = "AppendValues"
	c, err := valuesOf[T](q, op, false)
	if err != nil {
		return list, err
	}
	q.passing(op, func(r *record, mask []uint64, n int) bool {
		i := r.arch.find(c.key)
		list = slices.Grow(list, n)
		eachRow(r, mask, func(row int) {
			var v T
			readRow(r, i, row, &v)
			list = append(list, v)
		})
		return true
	})
	return list, nil
}

// SetValues gives the entities that q matches the values of list, in the order of
// a loop, and marks T as changed in their chunks. It first completes jobs that
// touch T. Errors are those of [AppendValues], and one of category ErrArgument,
// when nothing is changed, if there are not as many values as entities.
func SetValues[T any](q *Query, list []T) error {
	const op = "SetValues"
	c, err := valuesOf[T](q, op, true)
	if err != nil {
		return err
	}
	if n := q.Count(); n != len(list) {
		return q.world.fault(ErrArgument, op, "there are %d values for %d entities", len(list), n).on(c)
	}
	if guard {
		q.world.wrote()
	}
	q.passing(op, func(r *record, mask []uint64, _ int) bool {
		i := r.arch.find(c.key)
		r.mark(i, q.world.version)
		eachRow(r, mask, func(row int) {
			writeRow(r, i, row, &list[0])
			list = list[1:]
		})
		return true
	})
	return nil
}

// valuesOf returns the component T of a query whose rows are to be read or
// written, and completes the jobs that are in the way.
func valuesOf[T any](q *Query, op string, write bool) (*component, error) {
	if err := asked(q, op); err != nil {
		return nil, err
	}
	w := q.world
	c, err := cachedComponentIn[T](&w.catalog, op)
	if err != nil {
		return nil, err
	}
	if c.kind&(isTag|isShared|isBuffer|isPerChunk) != 0 {
		return nil, w.fault(ErrArgument, op, "the component has no values in rows: it is a tag, a buffer, shared or of chunks").on(c)
	}
	if asked, _ := q.asks(c); !asked {
		return nil, w.fault(ErrState, op, "the query does not ask for the component: add Read, Write or With").on(c)
	}
	return c, w.await(op, c, write)
}

// eachRow calls f with the rows of r that are in mask; nil is all.
func eachRow(r *record, mask []uint64, f func(row int)) {
	for row := range r.n {
		if mask == nil || mask[row>>6]>>(row&63)&1 != 0 {
			f(row)
		}
	}
}
