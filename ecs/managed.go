package ecs

import (
	"reflect"
)

// managedColumn is a column of managed components. It is a []T outside of the lanes, because the garbage
// collector does not look for pointers in the memory of a chunk. The slice has as many elements as the
// memory of the chunk has rows. The elements after the last row in use are zero, so that they keep no
// object alive.
type managedColumn struct {
	slice      any // []T
	sliceValue reflect.Value
}

// newManagedColumn returns a column of managed components for n rows.
func newManagedColumn(t reflect.Type, n int) managedColumn {
	rows := reflect.MakeSlice(reflect.SliceOf(t), n, n)
	return managedColumn{rows.Interface(), rows}
}

// resize resizes the column to n rows. It keeps the first live rows.
func (o *managedColumn) resize(live, n int) {
	if o.sliceValue.Len() == n {
		return
	}
	more := newManagedColumn(o.sliceValue.Type().Elem(), n)
	more.copyRows(0, o, 0, live)
	*o = more
}

// copyRows copies n rows from another column. first is the first row in that column, and at is the
// first row in o.
func (o *managedColumn) copyRows(at int, from *managedColumn, first, n int) {
	reflect.Copy(o.sliceValue.Slice(at, at+n), from.sliceValue.Slice(first, first+n))
}

// clearRows sets n rows to zero.
func (o *managedColumn) clearRows(at, n int) { o.sliceValue.Slice(at, at+n).Clear() }
