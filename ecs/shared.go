package ecs

import (
	"encoding/binary"
	"iter"
	"reflect"
	"slices"
	"sync/atomic"
)

// setShared gives a run of rows of one chunk the value v of the shared component
// c, which they may lack. A whole chunk is relabelled where it is.
func (w *World) setShared(op string, s span, c *component, v any) error {
	if w.gate.inJob() { // before the values are touched, which are the owner's
		return w.canChange(op)
	}
	if err := w.gate.looks(op); err != nil {
		return err
	}
	st := w.shared.storeOf(c)
	i, hash, err := w.shared.seek(op, st, v)
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
func (w *World) mayShare(op string, r *record, c *component, i int32) (must bool, err error) {
	at := r.arch.find(c.key)
	if at >= 0 && i == r.group.values[r.arch.columns[at].shared] {
		return false, nil
	}
	if err := w.canChange(op); err != nil {
		return true, err
	}
	if at < 0 {
		_, err = w.tables.with(op, r.arch, c)
	}
	return true, err
}

// share moves a run of rows, for which mayShare was true, to chunks in which the
// shared component c has the value of index i, and marks c as changed. A chunk all of
// whose rows are given it is relabelled, except for one row that is meant as an entity.
func (w *World) share(s span, c *component, i int32, chunks bool) {
	a := s.rec.arch
	m := a.moveTo(a)
	if !a.has(c) {
		m, _ = w.tables.with("", a, c) // mayShare has been there
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
		w.tables.relabelChunk(m, s.rec, g)
		s.rec.versions[at] = w.gate.version
		return
	}
	for s.n > 0 {
		dst := w.tables.claim(m.to, g, s.n)
		part := span{s.rec, s.first + s.n - dst.n, dst.n}
		w.tables.copyRows(m, dst, part)
		dst.rec.versions[at] = w.gate.version
		w.tables.drop(part)
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

// store holds the distinct values of one shared component: each once, counted
// by the groups of chunks and the query filters that have it. Index 0 is the
// default, the zero value, which is not counted and always there.
//
// Values bring methods of their user's, which may panic. Two of them, Hash and
// Equal, are asked for by seek, which changes nothing, and lets no call change the world
// meanwhile: every operation seeks all of its values before it changes anything, and
// what follows, put, retain, release and drop, asks no value any more. The other two are called when the operation is
// whole: see notices.
type store struct {
	comp    *component
	values  []any
	shown   atomic.Pointer[[]any] // values, read by jobs: the owner stores a longer list, or nil, meanwhile; what a chunk's group refers to was stored before the job was scheduled
	refs    []int32
	free    []int32 // indices to be used again, the last one first
	byKey   map[any]int32
	odd     []int32            // indices of values with a NaN, which no map finds again
	byHash  map[uint64][]int32 // of types with Hash and Equal
	hashes  []uint64           // of the values of such types, which are asked once
	equal   reflect.Value      // the method func(T, T) bool, if T has one
	notices *notices           // of the world, if the values want to know what holds them
}

// sharedValues holds the values of the shared components of a world: each value once, with a count of its uses. It
// calls the methods of values (Hash, Equal, Retain and Release), which are code of users, under the protection of the gate.
type sharedValues struct {
	gate *gate

	// Lent to a transaction: see World.giveContents.
	stores  []*store // by component index
	notices *notices // of those that want to know what holds them
	held    int      // operations under way that are whole only after several changes: notices wait for them

	interned []interned // scratch of interning
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
func (w *sharedValues) storeOf(c *component) *store {
	for len(w.stores) <= c.index {
		w.stores = append(w.stores, nil)
	}
	if w.stores[c.index] == nil {
		w.stores[c.index] = w.newStore(c)
	}
	return w.stores[c.index]
}

func (w *sharedValues) newStore(c *component) *store {
	zero := reflect.Zero(c.typ).Interface()
	s := &store{comp: c, values: []any{zero}, refs: []int32{0}}
	if h, ok := zero.(hasher); ok {
		if m, ok := c.typ.MethodByName("Equal"); ok {
			s.equal, s.hashes, s.byHash = m.Func, []uint64{w.hashOf(h)}, map[uint64][]int32{}
			s.byHash[s.hashes[0]] = []int32{0}
		}
	}
	if s.byHash == nil {
		s.byKey = map[any]int32{zero: 0}
	}
	if _, ok := zero.(counted); ok {
		if w.notices == nil {
			w.notices, w.gate.concludes = &notices{}, true
		}
		s.notices = w.notices
	}
	s.show()
	return s
}

// show lets jobs see the values that are there now. What they look at stays where
// it is: values are dropped by structural changes, which wait for all jobs.
func (s *store) show() {
	values := s.values
	s.shown.Store(&values)
}

// seek returns the index of the value equal to v, or -1, and what put wants to know
// of v. It changes nothing, but calls the value's own methods. The error says that v
// cannot be compared.
func (w *sharedValues) seek(op string, s *store, v any) (i int32, hash uint64, err error) {
	if s.byHash == nil {
		if s.comp.loose {
			if t := incomparable(reflect.ValueOf(v)); t != nil {
				return -1, 0, w.gate.fault(ErrArgument, op, "the value holds a %v, which cannot be compared with ==: hold a pointer to it, or give the component methods Equal and Hash", t).on(s.comp)
			}
		}
		if i, ok := s.byKey[v]; ok {
			return i, 0, nil
		}
		for _, i := range s.odd {
			if alike(reflect.ValueOf(s.values[i]), reflect.ValueOf(v)) {
				return i, 0, nil
			}
		}
		return -1, 0, nil
	}
	was, err := w.gate.enter(op)
	if err != nil {
		return -1, 0, err
	}
	whole := false
	w.gate.ask()
	defer func() {
		w.gate.answered()
		w.gate.exit(was, whole)
	}()
	i, hash = s.byMethods(v)
	whole = true
	return i, hash, nil
}

// hashOf returns the result of Hash of the zero value of a type. If Hash panics it ends the change that the caller has begun,
// because otherwise another goroutine would wait for that.
func (w *sharedValues) hashOf(zero hasher) (hash uint64) {
	const op = "Hash"
	whole := false
	w.gate.ask()
	defer w.gate.answered()
	if was, err := w.gate.enter(op); err == nil {
		defer func() { w.gate.exit(was, whole) }()
	}
	hash = zero.Hash()
	whole = true
	return hash
}

// byMethods is seek for values that have methods for it.
func (s *store) byMethods(v any) (i int32, hash uint64) {
	hash = v.(hasher).Hash()
	for _, i := range s.byHash[hash] {
		in := [2]reflect.Value{reflect.ValueOf(s.values[i]), reflect.ValueOf(v)}
		if s.equal.Call(in[:])[0].Bool() {
			return i, hash
		}
	}
	return -1, hash
}

// put stores a value that seek has not found, and returns its index. Nothing counts
// it yet.
func (s *store) put(v any, hash uint64) int32 {
	var i int32
	if last := len(s.free) - 1; last >= 0 {
		i = s.free[last]
		s.free = s.free[:last]
		s.values[i] = v
	} else {
		i = int32(len(s.values))
		s.values, s.refs = append(s.values, v), append(s.refs, 0)
		if s.byHash != nil {
			s.hashes = append(s.hashes, 0)
		}
		s.show()
	}
	switch {
	case s.byHash != nil:
		s.hashes[i] = hash
		s.byHash[hash] = append(s.byHash[hash], i)
	case equalsItself(v):
		s.byKey[v] = i
	default:
		s.odd = append(s.odd, i)
	}
	return i
}

// retain counts one use of index i.
func (s *store) retain(i int32) {
	if i == 0 {
		return
	}
	if s.refs[i]++; s.refs[i] == 1 && s.notices != nil {
		s.notices.add(s.values[i], true)
	}
}

// release ends one use of index i; the last one drops the value.
func (s *store) release(i int32) {
	if i == 0 {
		return
	}
	if s.refs[i]--; s.refs[i] == 0 {
		if s.notices != nil {
			s.notices.add(s.values[i], false)
		}
		s.drop(i)
	}
}

// drop forgets a value that nothing counts.
func (s *store) drop(i int32) {
	v := s.values[i]
	own := func(j int32) bool { return j == i }
	switch {
	case s.byHash != nil:
		h := s.hashes[i]
		if s.byHash[h] = slices.DeleteFunc(s.byHash[h], own); len(s.byHash[h]) == 0 {
			delete(s.byHash, h)
		}
	case equalsItself(v):
		delete(s.byKey, v)
	default:
		s.odd = slices.DeleteFunc(s.odd, own)
	}
	s.values[i] = nil
	s.free = append(s.free, i)
}

// interned is a value that was stored before anything counts it.
type interned struct {
	store *store
	index int32
}

// interning calls f, which interns the values of an operation that has several,
// before the operation changes anything. If f fails, or a method of a value panics
// in it, the stores are what they were before.
func (w *sharedValues) interning(f func() error) error {
	whole := false
	defer func() {
		for k := len(w.interned) - 1; k >= 0 && !whole; k-- { // so the free places are in their old order
			w.interned[k].store.drop(w.interned[k].index)
		}
		clear(w.interned)
		w.interned = w.interned[:0]
	}()
	err := f()
	whole = err == nil
	return err
}

// intern returns the index of v, storing it when it is new. It is for interning to
// call.
func (w *sharedValues) intern(op string, s *store, v any) (int32, error) {
	i, hash, err := w.seek(op, s, v)
	if err == nil && i < 0 {
		i = s.put(v, hash)
		w.interned = append(w.interned, interned{s, i})
	}
	return i, err
}

// notices are the calls of Retain and Release that wait until an operation is whole:
// the methods are the user's, and may panic, or use the world.
type notices struct {
	list []notice
	next int // to be delivered
}

// notice tells a value that the world begins to hold it, or that it does no longer.
type notice struct {
	value  any
	begins bool
}

func (n *notices) add(v any, begins bool) { n.list = append(n.list, notice{v, begins}) }

// deliver calls the methods, each once, in order. If one panics, those behind it are
// called all the same.
func (n *notices) deliver() {
	defer func() {
		if n.next < len(n.list) {
			n.deliver()
		}
		clear(n.list)
		n.list, n.next = n.list[:0], 0
	}()
	for n.next < len(n.list) {
		one := n.list[n.next]
		n.next++
		if v := one.value.(counted); one.begins {
			v.Retain()
		} else {
			v.Release()
		}
	}
}

// notify delivers the notices of an operation that is whole.
func (w *sharedValues) notify() {
	if w.notices != nil && len(w.notices.list) > 0 && w.held == 0 {
		w.tell()
	}
}

// holdNotices begins an operation that changes something else after a structural change; letNotices ends it. A method that is called in
// between could panic, or destroy one of the entities.
func (w *sharedValues) holdNotices() { w.held++ }

// letNotices ends what holdNotices has begun.
func (w *sharedValues) letNotices() {
	w.held--
	w.notify()
}

// tell is notify when there are some: though another goroutine has come, for the
// values count on it.
func (w *sharedValues) tell() {
	if was, err := w.gate.enter("Retain"); err == nil {
		defer w.gate.exit(was, true)
	}
	w.notices.deliver()
}

// clear ends the use of every value: the world ends.
func (s *store) clear() {
	for i := range s.values {
		if s.notices != nil && s.refs[i] > 0 {
			s.notices.add(s.values[i], false)
		}
	}
	s.values, s.byKey, s.byHash, s.odd = nil, nil, nil, nil
	s.shown.Store(nil)
}

// group is the chunks of an archetype that share the same shared values; an
// archetype without shared components has one.
type group struct {
	values []int32   // indices into the stores, one a shared column
	room   []*record // chunks with free rows; new rows go to the first
	list   []*record // all chunks, in no order, if there are shared columns
	places []int32   // in the lists of shared indexes, of columns that have one
	chunks int
	number int    // among those that the archetype ever had
	orders uint32 // how often rows came or went, in batches
	place  int    // scratch of Capture
}

// groups finds the groups of an archetype.
type groups struct {
	only  group             // of an archetype without shared components
	byKey map[string]*group // of the others
	made  int               // how many of these there ever were
	key   []byte

	indexes atomic.Pointer[[]sharedIndex] // of shared columns: a longer list is stored by the owner, also while jobs load it and count in what they have found
}

// of returns the group with the given values, making it when it is new.
func (g *groups) of(values []int32) *group {
	if len(values) == 0 {
		return &g.only
	}
	g.key = g.key[:0]
	for _, v := range values {
		g.key = binary.LittleEndian.AppendUint32(g.key, uint32(v))
	}
	if own := g.byKey[string(g.key)]; own != nil {
		return own
	}
	if g.byKey == nil {
		g.byKey = map[string]*group{}
	}
	own := &group{values: append([]int32(nil), values...), number: g.made}
	g.made++
	g.byKey[string(g.key)] = own
	for at, p := range g.sharedIndexes() {
		p.add(own, at)
	}
	return own
}

// find returns the group with the given values, or nil.
func (g *groups) find(values []int32) *group {
	var room [4 * maxShared]byte
	key := room[:0]
	for _, v := range values {
		key = binary.LittleEndian.AppendUint32(key, uint32(v))
	}
	return g.byKey[string(key)]
}

// drop forgets a group without chunks.
func (g *groups) drop(own *group) {
	if len(own.values) == 0 {
		return
	}
	g.key = g.key[:0]
	for _, v := range own.values {
		g.key = binary.LittleEndian.AppendUint32(g.key, uint32(v))
	}
	delete(g.byKey, string(g.key))
	for at, p := range g.sharedIndexes() {
		p.drop(own, at)
	}
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

// sharedIndex is the groups of an archetype by their value of one shared column: only where a
// query asks for some of several shared columns, and since it did for the first time.
type sharedIndex struct {
	byValue map[int32][]*group
}

// indexBy makes the archetype keep its groups by their values of a shared column.
func (g *groups) indexBy(at int) {
	all := g.sharedIndexes()
	if at < len(all) && all[at].byValue != nil {
		return
	}
	more := make([]sharedIndex, max(len(all), at+1)) // jobs may be looking at those that there are
	copy(more, all)
	more[at].byValue = map[int32][]*group{}
	for _, own := range g.byKey { //lanewise:inexact lists of groups have no order
		more[at].add(own, at)
	}
	g.indexes.Store(&more)
}

// sharedIndexes returns those of the shared columns, as far as there are some.
func (g *groups) sharedIndexes() []sharedIndex {
	if p := g.indexes.Load(); p != nil {
		return *p
	}
	return nil
}

// add puts a group on the list of its value.
func (p *sharedIndex) add(own *group, at int) {
	if p.byValue == nil {
		return
	}
	for len(own.places) <= at {
		own.places = append(own.places, 0)
	}
	value := own.values[at]
	own.places[at] = int32(len(p.byValue[value]))
	p.byValue[value] = append(p.byValue[value], own)
}

// drop takes a group off the list of its value; the last one takes its place.
func (p *sharedIndex) drop(own *group, at int) {
	if p.byValue == nil {
		return
	}
	value := own.values[at]
	list := p.byValue[value]
	last := len(list) - 1
	if last == 0 {
		delete(p.byValue, value)
		return
	}
	list[own.places[at]] = list[last]
	list[last].places[at] = own.places[at]
	list[last] = nil
	p.byValue[value] = list[:last]
}

// join makes r one of the chunks of its group that are found by way of it.
func (g *group) join(r *record) {
	r.member = len(g.list)
	g.list = append(g.list, r)
}

// leave undoes join; the last one takes the place of r.
func (g *group) leave(r *record) {
	last := len(g.list) - 1
	g.list[r.member] = g.list[last]
	g.list[r.member].member = r.member
	g.list[last] = nil
	g.list = g.list[:last]
}

// internAll interns those of the values given that are shared components of a, in
// the order of its stores.
func (w *sharedValues) internAll(op string, a *archetype, given []any) (values [maxShared]int32, err error) {
	for k, s := range a.stores {
		for _, v := range given {
			if reflect.TypeOf(v) != s.comp.typ {
				continue
			}
			if values[k], err = w.intern(op, s, v); err != nil {
				return values, err
			}
		}
	}
	return values, nil
}

// commitWith begins a structural change of archetype a, which has shared components:
// it interns those of the values given that are, and returns their group.
func (w *World) commitWith(op string, a *archetype, given []any) (*group, error) {
	var values [maxShared]int32
	err := w.shared.interning(func() (err error) {
		if values, err = w.shared.internAll(op, a, given); err != nil {
			return err
		}
		return w.commit(op)
	})
	if err != nil {
		return nil, err
	}
	return a.groups.of(values[:a.shared]), nil
}

// SharedValues yields the values of the shared component T that are in use, by
// index: the default first, always, then each value that a chunk or a query's
// WithShared has. Indices are stable while a value is in use.
func SharedValues[T comparable](w *World) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		const op = "SharedValues"
		c, err := componentIn[T](w, op)
		if err != nil {
			panic(err)
		}
		if !c.kind.has(isShared) {
			panic(w.gate.fault(ErrArgument, op, "the component is not shared: embed ecs.Shared").on(c))
		}
		w.gate.refuseLent(op)
		if err := w.gate.notInJob(op); err != nil {
			panic(err)
		}
		for i, v := range w.shared.storeOf(c).values {
			if v != nil && !yield(i, v.(T)) {
				return
			}
		}
	}
}
