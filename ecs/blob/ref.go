package blob

import (
	"math"
	"sync"
	"sync/atomic"
)

// Ref refers to a blob: data that does not change, of a type T with arrays,
// strings and pointers inside, in one piece of memory. It may stand in any
// component; it is eight bytes, and means the same in every world of the
// process. References are equal by == if and only if they are to the same blob; the zero Ref
// refers to none.
//
// T is a struct, or another type, without Go pointers. Where it needs a slice,
// a string or a pointer, it has an [Array], a [String] or a [Ptr].
// New makes a blob, Dispose ends it; references to it are not counted. Any
// goroutine may do either, and any number of them may read.
//
// Copying, moving and destroying entities copies and drops references, not
// blobs. World.Hash of package ecs does not see which blob a reference is to. Ids of entities
// inside a blob stay what they are when entities are copied or moved.
type Ref[T any] struct {
	_  [0]*T // references to different types do not convert
	id slotID
}

// slotID is an index of the table of blobs, and how often it was used before.
// Index 0 is that of no blob.
type slotID struct{ index, version uint32 }

// blob is what a Ref refers to. It does not change.
type blob struct {
	id     slotID
	root   typeID // its type
	layout *layout
	data   []byte // aligned to soa.Align; begins with the root
	pieces []piece
}

// Get returns the data, which must not be written. It panics if
// there is none, with an error of category ErrArgument if b is zero, ErrDisposed if the blob
// was disposed.
//
// The pointer is plain memory: it stays good for reading after Dispose, but what
// is behind the arrays, strings and pointers does not. These know the place where
// they are: read them through the pointer, as in
//
//	b.Get().Points.Slice()
//
// and do not copy them, or what they are part of, to a variable.
func (b Ref[T]) Get() *T {
	d := blobs.find(b.id)
	if d == nil || d.root != idOf[T]() {
		panic(b.fault("Ref.Get", d))
	}
	return rootIn[T](d.data)
}

// Exists reports whether b refers to a blob that was not disposed.
func (b Ref[T]) Exists() bool { return blobs.find(b.id) != nil }

// Dispose ends the blob. Using a reference to it is an error from now on; its
// memory goes when no Go pointer leads to it. It returns an error of category
// ErrDisposed if the blob was disposed before, ErrArgument if b is zero.
func (b Ref[T]) Dispose() error {
	if !blobs.remove(b.id) {
		return b.fault("Ref.Dispose", nil)
	}
	return nil
}

// fault says why there is no T for b; d is what there is.
func (b Ref[T]) fault(op string, d *blob) *failure {
	switch {
	case b.id.index == 0:
		return fault(ErrArgument, op, "the reference is to no blob: New and Load make one")
	case d != nil:
		return fault(ErrArgument, op, "the reference was made up: its blob is a %v", d.layout.types[0].typ)
	}
	return fault(ErrDisposed, op, "the blob was disposed")
}

// Count returns how many blobs there are in the process: those that were
// made and not disposed.
func Count() int {
	blobs.Lock()
	defer blobs.Unlock()
	return blobs.live
}

// blobs are all blobs of the process.
var blobs table

// table finds blobs by their ids. Finding takes no lock: the slots are
// replaced by a longer list when there are too few.
type table struct {
	// slots and what is in it are stored under the lock and read without: a blob is whole before it
	// is stored, and a reader compares the version that it finds in it.
	slots atomic.Pointer[[]atomic.Pointer[blob]]

	sync.Mutex          // of all below, and of writing to slots
	versions   []uint32 // of each slot: that of the next or the present blob
	free       []uint32 // slots without a blob, the next to be used last
	live       int
}

// find returns the blob with an id, or nil if there is none.
func (t *table) find(id slotID) *blob {
	if slots := t.slots.Load(); slots != nil && uint(id.index) < uint(len(*slots)) {
		if d := (*slots)[id.index].Load(); d != nil && d.id == id {
			return d
		}
	}
	return nil
}

// reserve returns the id of a blob that is going to be added.
func (t *table) reserve() slotID {
	t.Lock()
	defer t.Unlock()
	if len(t.free) == 0 {
		t.grow()
	}
	last := len(t.free) - 1
	index := t.free[last]
	t.free = t.free[:last]
	return slotID{index, t.versions[index]}
}

// grow makes twice as many slots.
func (t *table) grow() {
	old, n := []atomic.Pointer[blob](nil), 16
	if p := t.slots.Load(); p != nil {
		old, n = *p, 2*len(*p)
	}
	slots := make([]atomic.Pointer[blob], n)
	for i := range old {
		slots[i].Store(old[i].Load())
	}
	for i := n - 1; i >= max(len(old), 1); i-- {
		t.free = append(t.free, uint32(i))
	}
	for len(t.versions) < n {
		t.versions = append(t.versions, 1)
	}
	t.slots.Store(&slots)
}

// add makes a blob known, whose id was reserved.
func (t *table) add(d *blob) {
	t.Lock()
	defer t.Unlock()
	(*t.slots.Load())[d.id.index].Store(d)
	t.live++
}

// remove forgets a blob, and reports whether it was there.
func (t *table) remove(id slotID) bool {
	t.Lock()
	defer t.Unlock()
	if t.find(id) == nil {
		return false
	}
	(*t.slots.Load())[id.index].Store(nil)
	t.live--
	if id.version < math.MaxUint32 { // a slot that has had all versions rests for ever
		t.versions[id.index]++
		t.free = append(t.free, id.index)
	}
	return true
}
