package ecs

import (
	"reflect"
)

// setShared gives a run of rows of one chunk the value v of the shared component
// c, which they may lack. A whole chunk is relabelled where it is.
func (w *editor) setShared(op string, s span, c *component, v any) error {
	if w.inJob() { // before the values are touched, which are the owner's
		return w.canChange(op)
	}
	if err := w.looks(op); err != nil {
		return err
	}
	st := w.storeOf(c)
	i, hash, err := w.seek(op, st, v)
	if err != nil {
		return err
	}
	if must, err := w.mayShare(op, s.rec, c, i); !must || err != nil {
		return err
	}
	if err := w.commit(op); err != nil {
		return err
	}
	if i < 0 {
		i = st.put(v, hash)
	}
	w.share(s, c, i, false)
	w.finish()
	return nil
}

// mayShare reports whether rows of the chunk r must be given the shared value of
// index i, since they have another or none, and returns an error if they cannot.
func (w *editor) mayShare(op string, r *record, c *component, i int32) (must bool, err error) {
	at := r.arch.find(c.key)
	if at >= 0 && i == r.group.values[r.arch.columns[at].shared] {
		return false, nil
	}
	if err := w.canChange(op); err != nil {
		return true, err
	}
	if at < 0 {
		_, err = w.with(op, r.arch, c)
	}
	return true, err
}

// share moves a run of rows, for which mayShare was true, to chunks in which the
// shared component c has the value of index i, and marks c as changed. A chunk all of
// whose rows are given it is relabelled, except for one row that is meant as an entity.
func (w *editor) share(s span, c *component, i int32, chunks bool) {
	a := s.rec.arch
	m := a.moveTo(a)
	if !a.has(c) {
		m, _ = w.with("", a, c) // mayShare has been there
	}
	var values [maxShared]int32
	for k, from := range m.shared {
		if from >= 0 {
			values[k] = s.rec.group.values[from]
		}
	}
	at := m.to.find(c.key)
	values[m.to.columns[at].shared] = i
	g := m.to.groups.of(values[:m.to.shared])
	if m.relabel && s.n == s.rec.n && (s.n > 1 || chunks) {
		w.relabelChunk(m, s.rec, g)
		s.rec.versions[at] = w.version
		return
	}
	for s.n > 0 {
		dst := w.claim(m.to, g, s.n)
		part := span{s.rec, s.first + s.n - dst.n, dst.n}
		w.copyRows(m, dst, part)
		dst.rec.versions[at] = w.version
		w.drop(part)
		s.n -= dst.n
	}
}

// SharedValue returns the value of the shared component T that all rows of the
// chunk have. It panics with an *Error if the chunk has no T.
func SharedValue[T comparable](c *Chunk) T {
	c.check("SharedValue")
	a := c.rec.arch
	i := a.find(keyOf[T]())
	if i < 0 || a.columns[i].shared < 0 {
		panic(c.missing(reflect.TypeFor[T](), "SharedValue", "the chunk has no such shared component, it has %v", a))
	}
	return (*a.stores[a.columns[i].shared].shown.Load())[c.rec.group.values[a.columns[i].shared]].(T)
}
