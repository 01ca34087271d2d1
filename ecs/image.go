package ecs

import (
	"fmt"
	"slices"
	"sync"
)

// Capture returns an image (snapshot) of w: a copy of its entities, components and shared values.
// The image shares with before, an earlier image of the same world, everything that was not written
// since, so that the cost depends on the number of changes. before may be nil.
//
// Capture is a sync point and makes views stale, as a structural change does, but it changes
// nothing. The error is of category ErrState if w cannot change now: in a loop over its chunks, in
// a job, or while a transaction has the world. It is of category ErrDisposed if w is closed, and
// ErrArgument if before was released.
func Capture(w *World, before *Image) (*Image, error) {
	return capture("Capture", w, before, new(Image))
}

// capture is Capture into an image that is new or was released.
func capture(op string, w *World, before, m *Image) (*Image, error) {
	switch {
	case w == nil:
		return nil, noWorld(op)
	case w.gate.borrowed:
		return nil, w.gate.fault(ErrState, op, "a transaction's job has the world: capture it when the transaction has ended")
	case before != nil && before.pool == nil:
		return nil, w.gate.fault(ErrArgument, op, "the image before is released: give an image that is not, or nil")
	}
	if err := w.hashedNow(op); err != nil {
		return nil, err
	}
	if err := w.canChange(op); err != nil {
		return nil, err
	}
	defer w.gate.idle()
	if len(w.reserved.list) > 0 {
		return nil, w.gate.fault(ErrState, op, "commands are being played, which have written ids of entities that are yet to be made: capture the world when the playback is over")
	}
	if err := w.complete(op); err != nil {
		return nil, err
	}
	w.gate.structural++ // so that stale views cannot write memory that the image shares
	if w.images == nil {
		w.images = &imagePool{jobs: w.gate.workers()}
	}
	if before != nil && before.pool != w.images {
		before = nil // versions of another world say nothing about this one
	}
	w.images.take(w, before, m)
	w.images.copies.all(w.images.jobs) // without the lock of the pool, because a job may release an image
	w.gate.bump()                      // so that later writes have a newer version
	for _, f := range w.hooks.captures {
		(*f)(m)
	}
	return m, nil
}

// CaptureInto does the same as [Capture], but writes the image to m, which must be new or released.
// The image keeps its memory for the next capture, so a rollback that captures every tick does not
// allocate in the steady state.
func CaptureInto(m *Image, w *World, before *Image) error {
	_, err := capture("CaptureInto", w, before, m)
	return err
}

// Released reports whether the image was released or is the zero Image.
func (m *Image) Released() bool { return m.pool == nil }

// take makes m an image of w. The column data is copied later, by the image pool's copies.
func (p *imagePool) take(w *World, before, m *Image) {
	p.mu.Lock()
	defer p.mu.Unlock()
	whole := false
	defer func() {
		if !whole { // a function of OnHash has panicked
			*m = Image{}
		}
	}()
	p.whole = w.tables.memory.Live()
	m.pool, m.version, m.slots, m.metas, m.records, m.rows = p, w.gate.version, len(w.tables.entities.slots), w.tables.metas, len(w.tables.records), w.Len()
	p.frame(m)
	m.streams = w.streams.share()
	w.hooks.eachNamed(func(name string, sum uint64) { m.sums = append(m.sums, namedSum{name, sum}) })
	m.takeIDs(w)
	m.takeNames(w, before)
	m.takeStores(w)
	m.takeArchetypes(w, before)
	whole = true
}

// takeArchetypes copies all archetypes. It shares unchanged chunks with the image before.
func (m *Image) takeArchetypes(w *World, before *Image) {
	m.archetypes = grown(m.archetypes, len(w.tables.archetypes))
	m.byID = resize(m.byID, len(w.tables.records))
	if before != nil {
		copy(m.byID, before.byID)
		for i := range before.archetypes {
			if a := &before.archetypes[i]; i >= len(w.tables.archetypes) || !a.stays(w.tables.archetypes[i]) {
				for _, c := range a.chunks {
					m.byID[c.id] = nil
				}
			}
		}
	}
	for i, a := range w.tables.archetypes {
		k := &m.archetypes[i]
		var old *archetypeImage
		if before != nil && i < len(before.archetypes) {
			old = &before.archetypes[i]
		}
		switch {
		case old != nil && old.stays(a):
			m.takeListed(k, a, old)
		case old != nil && isOf(a, old.set):
			m.takeArchetype(k, a, old, before)
		default:
			m.takeArchetype(k, a, nil, before)
		}
	}
}

// takeIDs copies the free slots and the free chunk ids, because they decide the ids of new entities
// and chunks.
func (m *Image) takeIDs(w *World) {
	for _, k := range w.tables.entities.free {
		m.free = append(m.free, Entity{k, w.tables.entities.slots[k].version})
	}
	for _, r := range w.tables.spare {
		m.spare = append(m.spare, r.id)
	}
}

// takeNames stores the names of entities. It shares the list of pages with the image before, if it
// is equal.
func (m *Image) takeNames(w *World, before *Image) {
	w.gate.labels.mu.Lock()
	defer w.gate.labels.mu.Unlock()
	pages := w.gate.labels.share()
	if before != nil && slices.Equal(before.names, pages) {
		m.names = before.names
		return
	}
	m.names = slices.Clone(pages)
}

// takeStores copies the shared values, including those that no entity has, because chunk groups
// refer to them by index.
func (m *Image) takeStores(w *World) {
	for _, s := range w.shared.stores {
		if s != nil {
			m.stores = grown(m.stores, len(m.stores)+1)
			k := &m.stores[len(m.stores)-1]
			k.comp, k.values, k.hashes, k.free = s.comp, append(k.values[:0], s.values...), append(k.hashes[:0], s.hashes...), append(k.free[:0], s.free...)
		}
	}
}

// takeArchetype copies an archetype. The copy includes state that no hash reads but that later
// results depend on, such as the order of chunks with free rows. old is the archetype in the image
// before, or nil.
func (m *Image) takeArchetype(k *archetypeImage, a *archetype, old *archetypeImage, before *Image) {
	if old != nil {
		k.set = old.set
	} else if !isOf(a, k.set) || len(k.set) == 0 {
		k.set = a.components()
	}
	k.count(a)
	k.groups, k.chunks = k.groups[:0], resize(k.chunks, len(a.chunks))
	p := m.pool
	defer func() {
		clear(p.groups)
		p.groups = p.groups[:0]
	}()
	if a.shared == 0 {
		k.place(p, &a.groups.only)
	}
	for i, r := range a.chunks {
		group := k.place(p, r.group)
		var c *chunkImage
		if before != nil && int(r.id) < len(before.byID) {
			c = before.byID[r.id]
		}
		if !c.is(r, group, k.set) {
			c = m.takeChunk(r, group, k.set, c)
		}
		k.chunks[i], m.byID[r.id] = c, c
	}
	k.spans = resize(k.spans, spansOf(len(k.chunks)))
	for i := range k.spans {
		k.spans[i] = p.newSpan(a, i, spanAt(k.chunks, i), nil, nil)
	}
}

// takeListed is takeArchetype for the case that only the contents of rows can have changed since
// old.
func (m *Image) takeListed(k *archetypeImage, a *archetype, old *archetypeImage) {
	k.set = old.set
	k.count(a)
	k.groups = grown(k.groups, len(old.groups))
	for i := range old.groups {
		own, from := &k.groups[i], &old.groups[i]
		own.values, own.orders, own.number = append(own.values[:0], from.values...), from.orders, from.number
		own.room, own.list = append(own.room[:0], from.room...), append(own.list[:0], from.list...)
	}
	k.chunks, k.spans = append(k.chunks[:0], old.chunks...), append(k.spans[:0], old.spans...)
	still := slices.Equal(k.newest, old.newest)
	for i, s := range k.spans {
		if still || s.is(a, i) {
			s.refs++
			continue
		}
		records, chunks := spanAt(a.chunks, i), spanAt(k.chunks, i)
		for j, c := range chunks {
			if !s.has(j, a, i) {
				c = m.takeChunk(records[j], c.group, k.set, c)
				chunks[j], m.byID[c.id] = c, c
			}
		}
		k.spans[i] = m.pool.newSpan(a, i, chunks, spanAt(old.chunks, i), s)
	}
}

// count copies the counters and versions of an archetype.
func (k *archetypeImage) count(a *archetype) {
	k.orders, k.order, k.crossings, k.newest = a.orders, a.order, a.crossings, append(k.newest[:0], a.newest...)
	k.rows, k.made, k.capacity = a.rows, a.groups.made, a.capacity
}

// place returns the index of a chunk group in the image, and copies the group at the first call.
func (k *archetypeImage) place(p *imagePool, g *group) int32 {
	if g.place < len(p.groups) && p.groups[g.place] == g {
		return int32(g.place)
	}
	g.place = len(p.groups)
	p.groups = append(p.groups, g)
	k.groups = grown(k.groups, len(p.groups))
	own := &k.groups[g.place]
	own.values, own.orders, own.number = append(own.values[:0], g.values...), g.orders, g.number
	own.room, own.list = own.room[:0], own.list[:0]
	for _, r := range g.room {
		own.room = append(own.room, int32(r.index))
	}
	for _, r := range g.list {
		own.list = append(own.list, int32(r.index))
	}
	return int32(g.place)
}

// is reports whether c is still a copy of r: nothing of r was written since. set is the components
// of r.
func (c *chunkImage) is(r *record, group int32, set []*component) bool {
	if c == nil || c.order != r.order || c.n != r.n || c.group != group || c.meta != r.meta || !sameSet(c.set, set) {
		return false
	}
	versions := r.versions[:len(c.versions)]
	for i, v := range c.versions {
		if versions[i] != v {
			return false
		}
	}
	return len(c.through) == 0 || slices.Equal(c.through, r.through)
}

// sameSet reports whether two sets are equal. Images share sets, so comparing addresses is usually
// enough.
func sameSet(a, b []*component) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// rows reports whether r still has the rows and columns of which c is a copy.
func (c *chunkImage) rows(r *record) bool {
	return c.order == r.order && c.n == r.n && isOf(r.arch, c.set)
}

// takeChunk copies a chunk. It shares unchanged columns with old, an older copy, which may be nil.
func (m *Image) takeChunk(r *record, group int32, set []*component, old *chunkImage) *chunkImage {
	p := m.pool
	c := takeSpare(&p.chunks)
	c.id, c.group, c.n, c.order, c.meta, c.set, c.hold = r.id, group, r.n, r.order, r.meta, set, p.takeHold()
	if cap(c.versions) == 0 {
		c.versions = c.few[:0]
	}
	c.versions, c.through, c.columns = append(c.versions[:0], r.versions...), append(c.through[:0], r.through...), resize(c.columns, len(set))
	if old != nil && (old.order != r.order || old.n != r.n || !sameSet(old.set, set)) {
		old = nil
	}
	if old != nil && old.owner != nil {
		c.owner = old.owner
	} else {
		c.owner = p.takeIDs(r.ids()[:r.n])
	}
	c.owner.refs++
	c.ids = c.owner.list
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

// takeColumn copies a column of a chunk. It returns nil if the column stores nothing, as tags do.
func (m *Image) takeColumn(r *record, c *column) *columnImage {
	size := 0
	for _, l := range c.lanes {
		size += int(l.Size)
	}
	header := c.comp == r.arch.world.types.header // a header contains a pointer to the world, so a restore creates it anew
	if size == 0 && c.bit < 0 && (c.object < 0 || header) {
		return nil
	}
	k := takeSpare(&m.pool.columns)
	k.comp = c.comp
	if size > 0 {
		size *= r.n
		m.copied += size
		k.bytes = m.pool.bytes(size)[:size]
		m.pool.copies.out(k.bytes, &r.Place, c.lanes, r.n)
	}
	if c.spill >= 0 {
		k.spills = cloneBlocks(r.spills[c.spill].rows, r.n)
	}
	if c.bit >= 0 {
		k.on = append(k.words[:0], r.switches[c.bit].words[:wordsFor(r.n)]...)
		k.words = nil
	}
	if c.object >= 0 && !header {
		k.items = newObjects(c.comp.typ, r.n)
		k.items.copy(0, &r.objects[c.object], 0, r.n)
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

// Len returns the number of entities in the image, as [World.Len] does. It panics with an *Error if
// the image is released.
func (m *Image) Len() int {
	m.mustBe("Image.Len")
	return m.rows
}

// Release gives memory that no other image shares to the next image of the world. It is optional,
// because the garbage collector frees an image that is not released. To use an image after Release,
// or to release it twice, is an error of category ErrArgument. Any goroutine may call Release, with
// one exception: an image that was made for a world (see [ImageBuilder.AddState]) has its rows in
// that world's memory, so only the world's owner may release it.
func (m *Image) Release() error {
	p := m.leave()
	if p == nil {
		return fault(ErrArgument, "Image.Release", "the image is released already, or is the zero Image")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.built {
		m.giveBuilt(p)
		return nil
	}
	for i := range m.archetypes {
		a := &m.archetypes[i]
		for j, s := range a.spans {
			p.giveSpan(s, spanAt(a.chunks, j))
		}
	}
	p.giveFrame(m)
	m.forget()
	return nil
}

// leaving protects the field pool of all images. The lock of a pool cannot do this, because reading
// the field comes first. If two goroutines release an image at once, one of them gets an error.
var leaving sync.Mutex

// leave removes the image from its pool and returns the pool, or nil if the image has none.
func (m *Image) leave() *imagePool {
	if m == nil {
		return nil
	}
	leaving.Lock()
	defer leaving.Unlock()
	p := m.pool
	m.pool = nil
	return p
}

// forget makes m the zero Image after it has left its pool.
func (m *Image) forget() {
	leaving.Lock()
	defer leaving.Unlock()
	*m = Image{}
}

// giveBuilt gives the pool of an image that a builder made to the next ImageBuilder. It drops the
// pool if images have become much smaller, so that most of its memory is unused. For example, a
// program that reads one large file and then small ones must not keep the large memory.
func (m *Image) giveBuilt(p *imagePool) {
	if p.whole = max(p.used, p.whole/2); m.made != nil {
		m.made.giveBack()
	}
	for i := range m.archetypes {
		for _, c := range m.archetypes[i].chunks {
			p.letGo(c)
		}
	}
	m.forget()
	p.jobs = nil
	if p.idle <= 4*p.kept() {
		builders.Put(p)
	}
}

// Attach stores a value with the image under a key, which should be of an unexported type. It is
// for the functions of [Hooks.OnCapture], because later other goroutines may read the image.
func (m *Image) Attach(key, value any) {
	m.mustBe("Image.Attach")
	if m.kept == nil {
		m.kept = map[any]any{}
	}
	m.kept[key] = value
}

// Attached returns the value that Attach stored under a key, or nil. It panics with an *Error if
// the image is nil.
func (m *Image) Attached(key any) any {
	if m == nil {
		panic(fault(ErrArgument, "Image.Attached", "the image is nil: make one with Capture"))
	}
	return m.kept[key]
}

// String returns the number of entities and archetypes in the image.
func (m *Image) String() string {
	switch {
	case m == nil:
		return "<nil>"
	case m.pool == nil:
		return "an image that is released, or the zero Image"
	}
	return fmt.Sprintf("image of %s, %s", plural(m.rows, "entity", "entities"), plural(len(m.archetypes), "archetype", "archetypes"))
}

// OnCapture adds a hook that every [Capture] of the world calls with the new image. So a package
// can attach, by [Image.Attach], the state that it needs after a Restore.
func (h Hooks) OnCapture(f func(m *Image)) (remove func()) {
	w := h.world
	hook(w, "Hooks.OnCapture", f != nil)
	return addHook(&w.hooks.captures, func(m any) { f(m.(*Image)) })
}

// OnRestore adds a hook that every [Restore] of the world calls when the world has the contents of
// the image. It is for packages that remember versions of chunks or counts of order, because
// Restore changes both. An image that was made for this world (see [ImageBuilder.AddState]) is
// already released at the call, and has only its attached values left.
func (h Hooks) OnRestore(f func(m *Image)) (remove func()) {
	w := h.world
	hook(w, "Hooks.OnRestore", f != nil)
	return addHook(&w.hooks.images, func(m any) { f(m.(*Image)) })
}
