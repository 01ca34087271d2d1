package ecs

import (
	"reflect"
)

// objects is a column of managed components: a []T beside the lanes, as long as
// the chunk has memory, in which the garbage collector sees the pointers. Rows that
// are not live are zero, so that they keep nothing alive.
type objects struct {
	list any // []T
	rows reflect.Value
}

// newObjects returns a column of managed components for so many rows.
func newObjects(t reflect.Type, n int) objects {
	rows := reflect.MakeSlice(reflect.SliceOf(t), n, n)
	return objects{rows.Interface(), rows}
}

// fit makes room for n rows, of which some live.
func (o *objects) fit(live, n int) {
	if o.rows.Len() == n {
		return
	}
	more := newObjects(o.rows.Type().Elem(), n)
	more.copy(0, o, 0, live)
	*o = more
}

// copy makes n rows what n rows of another column are.
func (o *objects) copy(at int, from *objects, first, n int) {
	reflect.Copy(o.rows.Slice(at, at+n), from.rows.Slice(first, first+n))
}

// clear makes n rows zero.
func (o *objects) clear(at, n int) { o.rows.Slice(at, at+n).Clear() }
