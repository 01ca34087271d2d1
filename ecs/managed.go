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

// newAllObjects returns all such columns of a chunk of archetype a that has memory for n
// rows.
func newAllObjects(a *archetype, n int) []objects {
	list := make([]objects, a.managed)
	for i := range a.columns {
		if c := &a.columns[i]; c.object >= 0 {
			list[c.object] = newObjects(c.comp.typ, n)
		}
	}
	return list
}

// copy makes n rows what n rows of another column are.
func (o *objects) copy(at int, from *objects, first, n int) {
	reflect.Copy(o.rows.Slice(at, at+n), from.rows.Slice(first, first+n))
}

// clear makes n rows zero.
func (o *objects) clear(at, n int) { o.rows.Slice(at, at+n).Clear() }

// relabelObjects gives a chunk that has become one of m.to the managed columns of
// that.
func (m *move) relabelObjects(r *record) {
	list := make([]objects, m.to.managed)
	for i, j := range m.source {
		switch c := &m.to.columns[i]; {
		case c.object < 0:
		case j >= 0:
			list[c.object] = r.objects[m.from.columns[j].object]
		default:
			list[c.object] = newObjects(c.comp.typ, r.Rows())
		}
	}
	r.objects = list
}

// spreadObjects copies the managed components of one row to all rows of dst. What
// they point to is not copied.
func (m *move) spreadObjects(dst span, r *record, row int) {
	for _, pair := range m.objects {
		to, v := dst.rec.objects[pair[0]].rows, r.objects[pair[1]].rows.Index(row)
		for i := range dst.n {
			to.Index(dst.first + i).Set(v)
		}
	}
}

// objectOf shows the managed T in a row of a column.
func objectOf[T any](r *record, c *column, row int) *T {
	return &r.objects[c.object].list.([]T)[row]
}
