package ecs

import (
	"reflect"
)

// objects is a column of managed components: a []T beside the lanes, because the garbage collector does
// not look for pointers in the memory of a chunk. It has as many elements as the chunk has memory for.
// Rows beyond the last one are zero, so that they keep no object alive.
type objects struct {
	list any // []T
	rows reflect.Value
}

// newObjects returns a column of managed components for n rows.
func newObjects(t reflect.Type, n int) objects {
	rows := reflect.MakeSlice(reflect.SliceOf(t), n, n)
	return objects{rows.Interface(), rows}
}

// fit resizes the column to n rows and keeps the first live ones.
func (o *objects) fit(live, n int) {
	if o.rows.Len() == n {
		return
	}
	more := newObjects(o.rows.Type().Elem(), n)
	more.copy(0, o, 0, live)
	*o = more
}

// copy copies n rows of another column, from row first, to row at.
func (o *objects) copy(at int, from *objects, first, n int) {
	reflect.Copy(o.rows.Slice(at, at+n), from.rows.Slice(first, first+n))
}

// clear sets n rows to zero.
func (o *objects) clear(at, n int) { o.rows.Slice(at, at+n).Clear() }
