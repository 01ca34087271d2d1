package ecs

import (
	"iter"
	"math"
	"reflect"
	"slices"
	"sync/atomic"
)

// store holds the distinct values of one shared component: each once, counted
// by the groups of chunks and the query filters that have it. Index 0 is the
// default, the zero value, which is not counted and always there.
type store struct {
	comp   *component
	values []any
	shown  atomic.Pointer[[]any] // values, for jobs: the owner may store new ones meanwhile
	refs   []int32
	free   []int32 // indices to be used again, the last one first
	byKey  map[any]int32
	odd    []int32            // indices of values with a NaN, which no map finds again
	byHash map[uint64][]int32 // of types with Hash and Equal
	equal  reflect.Value      // the method func(T, T) bool, if T has one
}

// hasher is a shared value that brings its own equality: it has an Equal method
// for its own type too.
type hasher interface{ Hash() uint64 }

// counted is a shared value that wants to know when the world begins and ends to
// hold it.
type counted interface {
	Retain()
	Release()
}

// storeOf returns the values of a shared component.
func (w *World) storeOf(c *component) *store {
	for len(w.stores) <= c.index {
		w.stores = append(w.stores, nil)
	}
	if w.stores[c.index] == nil {
		zero := reflect.Zero(c.typ).Interface()
		s := &store{comp: c, values: []any{zero}, refs: []int32{0}}
		if _, ok := zero.(hasher); ok {
			if m, ok := c.typ.MethodByName("Equal"); ok {
				s.equal, s.byHash = m.Func, map[uint64][]int32{}
			}
		}
		if s.byHash != nil {
			h := zero.(hasher).Hash()
			s.byHash[h] = append(s.byHash[h], 0)
		} else {
			s.byKey = map[any]int32{zero: 0}
		}
		s.show()
		w.stores[c.index] = s
	}
	return w.stores[c.index]
}

// show lets jobs see the values that are there now. What they look at stays where
// it is: values are dropped by structural changes, which wait for all jobs.
func (s *store) show() {
	values := s.values
	s.shown.Store(&values)
}

// find returns the index of a value equal to v.
func (s *store) find(v any) (int32, bool) {
	if s.byHash == nil {
		if i, ok := s.byKey[v]; ok {
			return i, true
		}
		for _, i := range s.odd {
			if alike(reflect.ValueOf(s.values[i]), reflect.ValueOf(v)) {
				return i, true
			}
		}
		return 0, false
	}
	for _, i := range s.byHash[v.(hasher).Hash()] {
		in := [2]reflect.Value{reflect.ValueOf(s.values[i]), reflect.ValueOf(v)}
		if s.equal.Call(in[:])[0].Bool() {
			return i, true
		}
	}
	return 0, false
}

// equalsItself reports whether v == v, which a value with a NaN denies.
func equalsItself(v any) bool {
	same := v
	return v == same
}

// alike reports whether a == b if every NaN equals every other, as it does in
// World.Hash.
func alike(a, b reflect.Value) bool {
	if a.Kind() == reflect.Interface && b.Kind() == reflect.Interface {
		a, b = a.Elem(), b.Elem()
	}
	if !a.IsValid() || !b.IsValid() || a.Type() != b.Type() {
		return !a.IsValid() && !b.IsValid()
	}
	number := func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }
	switch a.Kind() {
	case reflect.Float32, reflect.Float64:
		return number(a.Float(), b.Float())
	case reflect.Complex64, reflect.Complex128:
		x, y := a.Complex(), b.Complex()
		return number(real(x), real(y)) && number(imag(x), imag(y))
	case reflect.Array:
		for i := range a.Len() {
			if !alike(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range a.NumField() {
			if a.Type().Field(i).Name != "_" && !alike(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	}
	return a.Equal(b)
}

// indexOf is find for those to whom -1 says that there is none.
func (s *store) indexOf(v any) int32 {
	if i, ok := s.find(v); ok {
		return i
	}
	return -1
}

// intern returns the index of v, storing it when it is new. A new value is not
// counted yet.
func (s *store) intern(v any) int32 {
	if i, ok := s.find(v); ok {
		return i
	}
	var i int32
	if last := len(s.free) - 1; last >= 0 {
		i = s.free[last]
		s.free = s.free[:last]
		s.values[i] = v
	} else {
		i = int32(len(s.values))
		s.values, s.refs = append(s.values, v), append(s.refs, 0)
		s.show()
	}
	switch {
	case s.byHash != nil:
		h := v.(hasher).Hash()
		s.byHash[h] = append(s.byHash[h], i)
	case equalsItself(v):
		s.byKey[v] = i
	default:
		s.odd = append(s.odd, i)
	}
	if c, ok := v.(counted); ok {
		c.Retain()
	}
	return i
}

// retain counts one use of index i.
func (s *store) retain(i int32) {
	if i != 0 {
		s.refs[i]++
	}
}

// release ends one use of index i; the last one drops the value.
func (s *store) release(i int32) {
	if i == 0 {
		return
	}
	if s.refs[i]--; s.refs[i] == 0 {
		s.drop(i)
	}
}

func (s *store) drop(i int32) {
	v := s.values[i]
	own := func(j int32) bool { return j == i }
	switch {
	case s.byHash != nil:
		h := v.(hasher).Hash()
		s.byHash[h] = slices.DeleteFunc(s.byHash[h], own)
	case equalsItself(v):
		delete(s.byKey, v)
	default:
		s.odd = slices.DeleteFunc(s.odd, own)
	}
	s.values[i] = nil
	s.free = append(s.free, i)
	if c, ok := v.(counted); ok {
		c.Release()
	}
}

// clear releases every value: the world ends.
func (s *store) clear() {
	if s == nil {
		return
	}
	for i, v := range s.values {
		if c, ok := v.(counted); ok && i > 0 {
			c.Release()
		}
	}
	s.values, s.byKey, s.byHash, s.odd = nil, nil, nil, nil
	s.shown.Store(nil)
}

// retain counts the values of a group that has its first chunk.
func (a *archetype) retain(g *group) {
	for i, s := range a.stores {
		s.retain(g.values[i])
	}
}

// unretain ends the use of the values of a group that has lost its last chunk.
func (a *archetype) unretain(g *group) {
	for i, s := range a.stores {
		s.release(g.values[i])
	}
}

// defaultGroup returns the group of a whose shared components have their
// default.
func (a *archetype) defaultGroup() *group {
	var values [maxShared]int32
	return a.groups.of(values[:a.shared])
}

// groupFor returns the group of a whose shared components have the values found
// among the given ones.
func (a *archetype) groupFor(given []any) *group {
	if a.shared == 0 {
		return &a.groups.only
	}
	var values [maxShared]int32
	for i, s := range a.stores {
		for _, v := range given {
			if reflect.TypeOf(v) == s.comp.typ {
				values[i] = s.intern(v)
			}
		}
	}
	return a.groups.of(values[:a.shared])
}

// setShared gives a run of rows of one chunk the value v of the shared component
// c, which they may lack. A whole chunk is relabelled where it is.
func (w *World) setShared(op string, s span, c *component, v any) error {
	if w.inJob() { // before the values are touched, which are the owner's
		return w.settled(op)
	}
	if must, err := w.mayShare(op, s.rec, c, w.storeOf(c).indexOf(v)); !must || err != nil {
		return err
	}
	if err := w.commit(op); err != nil {
		return err
	}
	w.share(s, c, w.storeOf(c).intern(v))
	if guard {
		w.resettle()
	}
	return nil
}

// mayShare reports whether rows of the chunk r must be given the shared value of
// index i, since they have another or none, and returns an error if they cannot.
func (w *World) mayShare(op string, r *record, c *component, i int32) (must bool, err error) {
	at := r.arch.find(c.key)
	if at >= 0 && i == r.group.values[r.arch.columns[at].shared] {
		return false, nil
	}
	if err := w.settled(op); err != nil {
		return true, err
	}
	if at < 0 {
		_, err = w.with(op, r.arch, c)
	}
	return true, err
}

// share moves a run of rows, for which mayShare was true, to chunks in which the
// shared component c has the value of index i, and marks c as changed.
func (w *World) share(s span, c *component, i int32) {
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
	if m.relabel && s.n == s.rec.n && s.n > 1 {
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

// SharedOf returns the value of the shared component T that all rows of the
// chunk have. It panics with an *Error if the chunk has no T.
func SharedOf[T comparable](c *Chunk) T {
	c.check("SharedOf")
	a := c.rec.arch
	i := a.find(keyOf[T]())
	if i < 0 || a.columns[i].shared < 0 {
		panic(c.missing(reflect.TypeFor[T](), "SharedOf", "the chunk has no such shared component, it has %v", a))
	}
	return (*a.stores[a.columns[i].shared].shown.Load())[c.rec.group.values[a.columns[i].shared]].(T)
}

// SharedValues yields the values of the shared component T that are in use, by
// index: the default first, always, then each value that a chunk or a query's
// Only has. Indices are stable while a value is in use.
func SharedValues[T comparable](w *World) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		const op = "SharedValues"
		c, err := componentIn[T](w, op)
		if err != nil {
			panic(err)
		}
		if !c.kind.has(isShared) {
			panic(w.fault(ErrArgument, op, "the component is not shared: embed ecs.Shared").on(c))
		}
		w.away(op)
		if err := w.notInJob(op); err != nil {
			panic(err)
		}
		for i, v := range w.storeOf(c).values {
			if v != nil && !yield(i, v.(T)) {
				return
			}
		}
	}
}
