package ecs

import (
	"maps"
	"slices"
	"sync"

	"github.com/lanewise/lanewise/jobs"
)

// Image is what a world contained at one moment. It never changes, so that any goroutine
// may read it, and forks of it. Images of one world share what was not written between them.
type Image struct {
	pool    *imagePool // of the world that it was taken of
	version uint32     // of the world, then
	slots   int
	free    []Entity // to be used again, the last one first
	metas   int
	records int     // ids of chunks are below
	spare   []int32 // those that no chunk has, the next one last

	archetypes []imageArchetype // in order
	byID       []*imageChunk    // nil where there is none
	stores     []imageStore
	names      map[Entity]string
	rows       int
	sums       []namedSum  // what OnHash has added
	kept       map[any]any // by other packages
	copied     int         // bytes of columns that are not shared with the image before
}

// imageArchetype is an archetype of a world, empty or not.
type imageArchetype struct {
	set                      []*component
	orders, order, crossings uint32
	newest                   []uint32
	rows, made, capacity     int
	groups                   []imageGroup
	chunks                   []*imageChunk // in order
}

// namedSum is a number that another package adds to the hash.
type namedSum struct {
	name string
	sum  uint64
}

// imageGroup is the chunks of an archetype that share their shared values.
type imageGroup struct {
	values []int32
	orders uint32
	number int
	room   []int32 // places of chunks in the archetype, in the order of group.room
	list   []int32 // the same, of group.list
}

// imageStore is the values of a shared component.
type imageStore struct {
	comp   *component
	values []any
	hashes []uint64
	free   []int32
}

// imageChunk is one chunk. It does not change once it is taken; images share it.
type imageChunk struct {
	id, group         int32
	n                 int
	order             uint32
	meta              Entity
	set               []*component
	versions, through []uint32
	ids               []Entity
	columns           []*imageColumn // nil where a column has nothing of its own
	refs              int            // images that have it; under the lock of the pool
}

// imageColumn is one column of one chunk: the smallest thing that images share.
type imageColumn struct {
	bytes  []byte     // the rows of each lane, one lane behind the other
	spills [][]uint64 // heap blocks of a buffer, or none
	on     []uint64   // bits of an enableable component
	items  objects    // of a managed component
	refs   int        // chunks that have it; under the lock of the pool
}

// imagePool is memory for the images of one world, and stands for the world: what has other
// images than its own is compared by nothing else. Images are released by anyone.
type imagePool struct {
	jobs *jobs.Pool // of the world; nil if there is none
	mu   sync.Mutex
	free map[int][][]byte // by their capacity
}

// Capture returns an image of w. What was not written since an earlier one was taken of
// the same world is shared with it, so that the cost is that of what was; before may be nil.
//
// It is a sync point and ends views, as a structural change does, but changes nothing. The
// error is of category ErrState while w cannot be changed: in a loop over its chunks, in a
// job, in a transaction or while the world is lent to one; of category ErrDisposed when it is
// closed; and of category ErrArgument if before was released.
func Capture(w *World, before *Image) (*Image, error) {
	const op = "Capture"
	switch {
	case w == nil:
		return nil, noWorld(op)
	case w.borrowed:
		return nil, w.fault(ErrState, op, "a transaction's job has the world: capture it when the transaction has ended")
	case before != nil && before.pool == nil:
		return nil, w.fault(ErrArgument, op, "the image before is released: give an image that is not, or nil")
	}
	if err := w.settled(op); err != nil {
		return nil, err
	}
	defer w.idle()
	if err := w.complete(op); err != nil {
		return nil, err
	}
	w.structural++ // views must not write to what the image shares
	if w.images == nil {
		w.images = &imagePool{jobs: w.Pool(), free: map[int][][]byte{}}
	}
	m := &Image{
		pool: w.images, version: w.version, slots: len(w.entities.slots), metas: w.metas, records: len(w.records), rows: w.Len(),
		archetypes: make([]imageArchetype, len(w.archetypes)), byID: make([]*imageChunk, len(w.records)),
	}
	if before != nil && before.pool != w.images {
		before = nil // versions of other worlds say nothing
	}
	for _, h := range w.hooks.hashes {
		if sum, has := h.of(); has {
			m.sums = append(m.sums, namedSum{h.name, sum})
		}
	}
	m.takeIDs(w)
	m.takeStores(w)
	m.pool.mu.Lock()
	for i, a := range w.archetypes {
		m.archetypes[i] = m.takeArchetype(a, before)
	}
	m.pool.mu.Unlock()
	w.bump() // what is written from now on is newer
	for _, f := range w.hooks.captures {
		(*f)(m)
	}
	return m, nil
}

// takeIDs keeps which ids are free, which records are, and the names of entities.
func (m *Image) takeIDs(w *World) {
	m.free = make([]Entity, len(w.entities.free))
	for i, k := range w.entities.free {
		m.free[i] = Entity{k, w.entities.slots[k].version}
	}
	m.spare = make([]int32, len(w.spare))
	for i, r := range w.spare {
		m.spare[i] = r.id
	}
	w.labels.settle()
	w.labels.mu.RLock()
	defer w.labels.mu.RUnlock()
	m.names = maps.Clone(w.labels.of)
	maps.DeleteFunc(m.names, func(e Entity, _ string) bool { return w.entities.find(e) == nil })
}

// takeStores keeps the shared values, those with no entities included: their indices are
// what groups are made of.
func (m *Image) takeStores(w *World) {
	for _, s := range w.stores {
		if s != nil {
			m.stores = append(m.stores, imageStore{s.comp, slices.Clone(s.values), slices.Clone(s.hashes), slices.Clone(s.free)})
		}
	}
}

// takeArchetype keeps an archetype: also what no hash sees, and what follows depends on.
func (m *Image) takeArchetype(a *archetype, before *Image) imageArchetype {
	k := imageArchetype{
		set: a.components(), orders: a.orders, order: a.order, crossings: a.crossings, newest: slices.Clone(a.newest),
		rows: a.rows, made: a.groups.made, capacity: a.capacity, chunks: make([]*imageChunk, len(a.chunks)),
	}
	groups := map[*group]int32{}
	place := func(g *group) int32 {
		i, ok := groups[g]
		if !ok {
			i = int32(len(k.groups))
			groups[g] = i
			own := imageGroup{values: slices.Clone(g.values), orders: g.orders, number: g.number}
			for _, r := range g.room {
				own.room = append(own.room, int32(r.index))
			}
			for _, r := range g.list {
				own.list = append(own.list, int32(r.index))
			}
			k.groups = append(k.groups, own)
		}
		return i
	}
	if a.shared == 0 {
		place(&a.groups.only)
	}
	for i, r := range a.chunks {
		group := place(r.group)
		var old *imageChunk
		if before != nil && int(r.id) < len(before.byID) {
			old = before.byID[r.id]
		}
		c := old
		if !old.is(r, group) {
			c = m.takeChunk(r, group, k.set, old)
		}
		c.refs++
		k.chunks[i], m.byID[r.id] = c, c
	}
	return k
}

// is reports whether nothing of r was written since c was taken of it.
func (c *imageChunk) is(r *record, group int32) bool {
	return c.rows(r) && c.group == group && c.meta == r.meta && slices.Equal(c.versions, r.versions) && slices.Equal(c.through, r.through)
}

// rows reports whether r has the rows and the columns that it had when c was taken of it.
func (c *imageChunk) rows(r *record) bool {
	if c == nil || c.order != r.order || c.n != r.n || len(c.set) != len(r.arch.columns) {
		return false
	}
	for i := range c.set {
		if c.set[i] != r.arch.columns[i].comp {
			return false
		}
	}
	return true
}

// takeChunk copies what has changed of a chunk since an old image of it, or all of it if
// that is nil.
func (m *Image) takeChunk(r *record, group int32, set []*component, old *imageChunk) *imageChunk {
	c := &imageChunk{
		id: r.id, group: group, n: r.n, order: r.order, meta: r.meta, set: set,
		versions: slices.Clone(r.versions), through: slices.Clone(r.through), columns: make([]*imageColumn, len(set)),
	}
	if !old.rows(r) {
		old = nil
	}
	if old != nil {
		c.ids = old.ids
	} else {
		c.ids = slices.Clone(r.ids()[:r.n])
	}
	for i := range set {
		if old != nil && old.versions[i] == r.versions[i] && (len(r.through) == 0 || old.through[i] == r.through[i]) {
			c.columns[i] = old.columns[i]
		} else {
			c.columns[i] = m.takeColumn(r, &r.arch.columns[i])
		}
		if c.columns[i] != nil {
			c.columns[i].refs++
		}
	}
	return c
}

// takeColumn copies one column of a chunk; nil if there is nothing of its own in it.
func (m *Image) takeColumn(r *record, c *column) *imageColumn {
	k := &imageColumn{}
	size := 0
	for _, l := range c.lanes {
		size += int(l.Size)
	}
	if size > 0 {
		k.bytes = m.bytes(r.Rows() * size)
		for _, l := range c.lanes {
			k.bytes = append(k.bytes, r.Bytes(l, 0, r.n)...)
		}
	}
	if c.spill >= 0 {
		k.spills = cloneBlocks(r.spills[c.spill].rows, r.n)
	}
	if c.bit >= 0 {
		k.on = slices.Clone(r.switches[c.bit].words[:wordsFor(r.n)])
	}
	if c.object >= 0 && c.comp != r.arch.world.header { // a header leads to the world: it is made anew
		k.items = newObjects(c.comp.typ, r.n)
		k.items.copy(0, &r.objects[c.object], 0, r.n)
	}
	if size == 0 && k.on == nil && k.items.list == nil {
		return nil
	}
	return k
}

// cloneBlocks copies the heap blocks of n rows.
func cloneBlocks(from [][]uint64, n int) [][]uint64 {
	if from == nil || !slices.ContainsFunc(from[:n], func(b []uint64) bool { return b != nil }) {
		return nil
	}
	to := make([][]uint64, n)
	for i := range to {
		to[i] = slices.Clone(from[i])
	}
	return to
}

// bytes returns memory for so many bytes, of length 0. The pool is locked.
func (m *Image) bytes(size int) []byte {
	m.copied += size
	list := m.pool.free[size]
	if last := len(list) - 1; last >= 0 {
		b := list[last]
		list[last] = nil
		m.pool.free[size] = list[:last]
		return b
	}
	return make([]byte, 0, size)
}

// Len returns how many entities there are, as [World.Len] does.
func (m *Image) Len() int { return m.rows }

// Release gives the memory that no other image has to the next image of the world. It is
// optional, for one that is not released is collected when nobody has it; to use an image, or
// have it be used, after it is an error of category ErrArgument, and so is to release it twice.
func (m *Image) Release() error {
	if m == nil || m.pool == nil {
		return fault(ErrArgument, "Image.Release", "the image is released already, or is the zero Image")
	}
	p := m.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range m.archetypes {
		for _, c := range m.archetypes[i].chunks {
			if c.refs--; c.refs == 0 {
				for _, own := range c.columns {
					p.give(own)
				}
			}
		}
	}
	*m = Image{}
	return nil
}

// give takes back a column that a chunk has let go of.
func (p *imagePool) give(c *imageColumn) {
	if c == nil {
		return
	}
	if c.refs--; c.refs == 0 && c.bytes != nil {
		p.free[cap(c.bytes)] = append(p.free[cap(c.bytes)], c.bytes[:0])
		*c = imageColumn{}
	}
}
