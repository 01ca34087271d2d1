package ecs

import (
	"reflect"
	"slices"
	"sync/atomic"
)

// sharedStore holds the distinct values of one shared component. Each value has a count of the chunk groups
// and of the query filters that refer to it. Index 0 is the default, which is the zero value. The default
// is not counted and always exists.
//
// Values may have methods of the user, which may panic. lookup calls two of them, Hash and Equal. The
// function lookup changes nothing, and no method can change the world meanwhile. Every operation looks up
// all of its values before it changes anything. The later steps, which are insert, retain, release and drop,
// call no method. The other two methods, Retain and Release, are called when the operation is complete; see
// notices.
type sharedStore struct {
	comp        *component
	values      []any
	published   atomic.Pointer[[]any] // values for jobs: the values of a chunk's group were stored before the job was scheduled; the owner may store a longer list, or nil, later
	refCounts   []int32
	freeIndices []int32 // free indices; the last one is used next
	byKey       map[any]int32
	nanValues   []int32            // indices of values with a NaN, which no map finds again
	byHash      map[uint64][]int32 // for types with Hash and Equal
	hashes      []uint64           // hashes of the values of such types, so that Hash is called once
	equalMethod reflect.Value      // the method func(T, T) bool, if T has one
	notices     *notices           // the list of the world, if the values have Retain and Release
}

// sharedValues holds the values of the shared components of a world. Each value is stored once, with a count of its uses.
// sharedValues calls the methods Hash, Equal, Retain and Release of values, which are code of users. During these calls
// the gate prevents changes of the world.
type sharedValues struct {
	gate *gate

	// While the world is lent to a transaction, the transaction owns this field; see
	// World.giveContents.
	stores      []*sharedStore // by component index
	notices     *notices       // for the values with Retain and Release
	noticesHeld int            // operations in progress that consist of several changes: notices wait for them

	uncounted []internedValue // scratch of internTogether
}

// retainer is implemented by a shared value that must know when the world begins to hold it and no
// longer holds it. For example, it can load and free a resource.
type retainer interface {
	Retain()
	Release()
}

// storeOf returns the values of a shared component.
func (sv *sharedValues) storeOf(c *component) *sharedStore {
	for len(sv.stores) <= c.index {
		sv.stores = append(sv.stores, nil)
	}
	if sv.stores[c.index] == nil {
		sv.stores[c.index] = sv.newStore(c)
	}
	return sv.stores[c.index]
}

func (sv *sharedValues) newStore(c *component) *sharedStore {
	zero := reflect.Zero(c.typ).Interface()
	s := &sharedStore{comp: c, values: []any{zero}, refCounts: []int32{0}}
	if h, ok := zero.(hasher); ok {
		if m, ok := c.typ.MethodByName("Equal"); ok {
			s.equalMethod, s.hashes, s.byHash = m.Func, []uint64{sv.hashOf(h)}, map[uint64][]int32{}
			s.byHash[s.hashes[0]] = []int32{0}
		}
	}
	if s.byHash == nil {
		s.byKey = map[any]int32{zero: 0}
	}
	if _, ok := zero.(retainer); ok {
		if sv.notices == nil {
			sv.notices, sv.gate.endWorkPending = &notices{}, true
		}
		s.notices = sv.notices
	}
	s.publish()
	return s
}

// publish makes the present values visible to jobs. The values that jobs use stay in the list,
// because only structural changes drop values, and structural changes wait for all jobs.
func (s *sharedStore) publish() {
	values := s.values
	s.published.Store(&values)
}

// lookup returns the index of the value that is equal to v, or -1. It also returns the hash that insert
// needs. It calls methods of values, but changes nothing. It returns an error if v cannot be compared.
func (sv *sharedValues) lookup(op string, s *sharedStore, v any) (i int32, hash uint64, err error) {
	if s.byHash == nil {
		if s.comp.mayHoldInterface {
			if t := firstIncomparable(reflect.ValueOf(v)); t != nil {
				return -1, 0, sv.gate.fault(ErrArgument, op, "the value holds a %v, which cannot be compared with ==: hold a pointer to it, or give the component methods Equal and Hash", t).forComponent(s.comp)
			}
		}
		if i, ok := s.byKey[v]; ok {
			return i, 0, nil
		}
		for _, i := range s.nanValues {
			if equalWithNaN(reflect.ValueOf(s.values[i]), reflect.ValueOf(v)) {
				return i, 0, nil
			}
		}
		return -1, 0, nil
	}
	was, err := sv.gate.enterMethod(op)
	if err != nil {
		return -1, 0, err
	}
	whole := false
	sv.gate.blockChanges()
	defer func() {
		sv.gate.unblockChanges()
		sv.gate.exitMethod(was, whole)
	}()
	i, hash = s.lookupByMethods(v)
	whole = true
	return i, hash, nil
}

// hashOf returns the result of the method Hash of the zero value of a type. If Hash panics, hashOf ends
// the change that the caller has begun, because otherwise another goroutine would wait for it.
func (sv *sharedValues) hashOf(zero hasher) (hash uint64) {
	const op = "Hash"
	whole := false
	sv.gate.blockChanges()
	defer sv.gate.unblockChanges()
	if was, err := sv.gate.enterMethod(op); err == nil {
		defer func() { sv.gate.exitMethod(was, whole) }()
	}
	hash = zero.Hash()
	whole = true
	return hash
}

// lookupByMethods does the work of lookup for values with the methods Hash and Equal.
func (s *sharedStore) lookupByMethods(v any) (i int32, hash uint64) {
	hash = v.(hasher).Hash()
	for _, i := range s.byHash[hash] {
		in := [2]reflect.Value{reflect.ValueOf(s.values[i]), reflect.ValueOf(v)}
		if s.equalMethod.Call(in[:])[0].Bool() {
			return i, hash
		}
	}
	return -1, hash
}

// insert stores a value that lookup has not found, and returns its index. The count of the new
// value is 0.
func (s *sharedStore) insert(v any, hash uint64) int32 {
	var i int32
	if last := len(s.freeIndices) - 1; last >= 0 {
		i = s.freeIndices[last]
		s.freeIndices = s.freeIndices[:last]
		s.values[i] = v
	} else {
		i = int32(len(s.values))
		s.values, s.refCounts = append(s.values, v), append(s.refCounts, 0)
		if s.byHash != nil {
			s.hashes = append(s.hashes, 0)
		}
		s.publish()
	}
	switch {
	case s.byHash != nil:
		s.hashes[i] = hash
		s.byHash[hash] = append(s.byHash[hash], i)
	case equalsItself(v):
		s.byKey[v] = i
	default:
		s.nanValues = append(s.nanValues, i)
	}
	return i
}

// retain increments the count of index i.
func (s *sharedStore) retain(i int32) {
	if i == 0 {
		return
	}
	if s.refCounts[i]++; s.refCounts[i] == 1 && s.notices != nil {
		s.notices.add(s.values[i], true)
	}
}

// release decrements the count of index i. If the count becomes 0, it drops the value.
func (s *sharedStore) release(i int32) {
	if i == 0 {
		return
	}
	if s.refCounts[i]--; s.refCounts[i] == 0 {
		if s.notices != nil {
			s.notices.add(s.values[i], false)
		}
		s.drop(i)
	}
}

// drop removes a value with count 0.
func (s *sharedStore) drop(i int32) {
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
		s.nanValues = slices.DeleteFunc(s.nanValues, own)
	}
	s.values[i] = nil
	s.freeIndices = append(s.freeIndices, i)
}

// internedValue is a value that is stored already, but whose reference count is still 0.
type internedValue struct {
	store *sharedStore
	index int32
}

// internTogether calls f, which interns all values that an operation needs. The operation has not
// changed anything yet. If f returns an error, or if a method of a value panics in f, internTogether
// restores the previous state of the stores.
func (sv *sharedValues) internTogether(f func() error) error {
	whole := false
	defer func() {
		for k := len(sv.uncounted) - 1; k >= 0 && !whole; k-- { // backwards, so that the free indices have their old order
			sv.uncounted[k].store.drop(sv.uncounted[k].index)
		}
		clear(sv.uncounted)
		sv.uncounted = sv.uncounted[:0]
	}()
	err := f()
	whole = err == nil
	return err
}

// intern returns the index of v, and stores v if it is new. Only internTogether calls it.
func (sv *sharedValues) intern(op string, s *sharedStore, v any) (int32, error) {
	i, hash, err := sv.lookup(op, s, v)
	if err == nil && i < 0 {
		i = s.insert(v, hash)
		sv.uncounted = append(sv.uncounted, internedValue{s, i})
	}
	return i, err
}

// notices holds calls of Retain and Release that are postponed until an operation is complete. They
// are postponed because these methods are the user's code, which may panic or use the world.
type notices struct {
	list []notice
	next int // the next one to deliver
}

// notice is a call that tells a value that the world begins to hold it, or that the world no longer
// holds it.
type notice struct {
	value    any
	retained bool
}

func (n *notices) add(v any, begins bool) { n.list = append(n.list, notice{v, begins}) }

// deliver calls the methods, each once and in order. If one of them panics, the later ones are
// still called.
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
		if v := one.value.(retainer); one.retained {
			v.Retain()
		} else {
			v.Release()
		}
	}
}

// notify delivers the notices of a complete operation.
func (sv *sharedValues) notify() {
	if sv.notices != nil && len(sv.notices.list) > 0 && sv.noticesHeld == 0 {
		sv.deliverNotices()
	}
}

// holdNotices begins an operation that consists of a structural change and another change. releaseNotices
// ends the operation. If a user's method were called between the two changes, it could panic, or destroy
// one of the entities.
func (sv *sharedValues) holdNotices() { sv.noticesHeld++ }

// releaseNotices ends the period that holdNotices has begun.
func (sv *sharedValues) releaseNotices() {
	sv.noticesHeld--
	sv.notify()
}

// deliverNotices does the work of notify for a list that is not empty. It calls the methods even if another
// goroutine has begun to use the world, because users' values rely on these calls.
func (sv *sharedValues) deliverNotices() {
	if was, err := sv.gate.enterMethod("Retain"); err == nil {
		defer sv.gate.exitMethod(was, true)
	}
	sv.notices.deliver()
}

// clear drops all values when the world is closed, and adds notices for Release.
func (s *sharedStore) clear() {
	for i := range s.values {
		if s.notices != nil && s.refCounts[i] > 0 {
			s.notices.add(s.values[i], false)
		}
	}
	s.values, s.byKey, s.byHash, s.nanValues = nil, nil, nil, nil
	s.published.Store(nil)
}

// internAll interns those given values that are shared components of an archetype. stores holds the
// archetype's stores, in their order.
func (sv *sharedValues) internAll(op string, stores []*sharedStore, given []any) (values [maxShared]int32, err error) {
	for k, s := range stores {
		for _, v := range given {
			if reflect.TypeOf(v) != s.comp.typ {
				continue
			}
			if values[k], err = sv.intern(op, s, v); err != nil {
				return values, err
			}
		}
	}
	return values, nil
}

// maxShared is the largest number of shared components of one archetype.
const maxShared = 16
