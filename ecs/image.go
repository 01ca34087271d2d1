package ecs

import (
	"fmt"
	"slices"
	"sync"
)

// Capture returns an image of w. What was not written since an earlier one was taken of
// the same world is shared with it, so that the cost is that of what was; before may be nil.
//
// It is a sync point and ends views, as a structural change does, but changes nothing. The
// error is of category ErrState while w cannot be changed: in a loop over its chunks, in a
// job, in a transaction or while the world is lent to one; of category ErrDisposed when it is
// closed; and of category ErrArgument if before was released.
func Capture(w *World, before *Image) (*Image, error) {
	return capture("Capture", w, before, new(Image))
}

// capture is Capture into an image that is new, or released.
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
	w.gate.structural++ // views must not write to what the image shares
	if w.images == nil {
		w.images = &imagePool{jobs: w.gate.workers()}
	}
	if before != nil && before.pool != w.images {
		before = nil // versions of other worlds say nothing
	}
	w.images.take(w, before, m)
	w.images.copies.all(w.images.jobs) // the pool is not locked: a job may release an image
	w.gate.bump()                      // what is written from now on is newer
	for _, f := range w.hooks.captures {
		(*f)(m)
	}
	return m, nil
}

// CaptureInto is [Capture] into an image that is new or was released. The image keeps its memory for the next capture, so a rollback that
// captures every tick allocates nothing.
func CaptureInto(m *Image, w *World, before *Image) error {
	_, err := capture("CaptureInto", w, before, m)
	return err
}

// Released reports whether the image was released, or is the zero Image.
func (m *Image) Released() bool { return m.pool == nil }

// take makes m an image of w, except for what its copies copy.
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

// takeArchetypes keeps the rows: with the image before, what has stayed as it was.
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

// takeIDs keeps which ids are free, and which records are.
func (m *Image) takeIDs(w *World) {
	for _, k := range w.tables.entities.free {
		m.free = append(m.free, Entity{k, w.tables.entities.slots[k].version})
	}
	for _, r := range w.tables.spare {
		m.spare = append(m.spare, r.id)
	}
}

// takeNames keeps the names of entities: with the image before, if they are the same.
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

// takeStores keeps the shared values, those with no entities included: their indices are
// what groups are made of.
func (m *Image) takeStores(w *World) {
	for _, s := range w.shared.stores {
		if s != nil {
			m.stores = grown(m.stores, len(m.stores)+1)
			k := &m.stores[len(m.stores)-1]
			k.comp, k.values, k.hashes, k.free = s.comp, append(k.values[:0], s.values...), append(k.hashes[:0], s.hashes...), append(k.free[:0], s.free...)
		}
	}
}

// takeArchetype keeps an archetype: also what no hash sees, and what follows depends on. Old is what
// the image before has of it, if it has it.
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

// takeListed is takeArchetype where nothing but what is in the rows can have changed since an image before.
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

// count keeps the numbers of an archetype.
func (k *archetypeImage) count(a *archetype) {
	k.orders, k.order, k.crossings, k.newest = a.orders, a.order, a.crossings, append(k.newest[:0], a.newest...)
	k.rows, k.made, k.capacity = a.rows, a.groups.made, a.capacity
}

// place returns the place of a group of chunks, which it keeps the first time.
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

// is reports whether nothing of r was written since c was taken of it. The set is that of r.
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

// sameSet reports whether two sets are the same: images share theirs.
func sameSet(a, b []*component) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// rows reports whether r has the rows and the columns that it had when c was taken of it.
func (c *chunkImage) rows(r *record) bool {
	return c.order == r.order && c.n == r.n && isOf(r.arch, c.set)
}

// takeChunk takes what has changed of a chunk since an old image of it, or all of it if
// that is nil.
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

// takeColumn takes one column of a chunk; nil if there is nothing of its own in it.
func (m *Image) takeColumn(r *record, c *column) *columnImage {
	size := 0
	for _, l := range c.lanes {
		size += int(l.Size)
	}
	header := c.comp == r.arch.world.types.header // leads to the world: it is made anew
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

// Len returns the number of entities in the image, as [World.Len] does. It panics if the image is released.
func (m *Image) Len() int {
	m.mustBe("Image.Len")
	return m.rows
}

// Release gives the memory that no other image has to the next image of the world. It is
// optional, for one that is not released is collected when it is not held; to use an image, or
// have it be used, after it is an error of category ErrArgument, and so is to release it twice.
// Any goroutine may do it, but for an image that is made for a world (ImageBuilder.AddState): its rows
// lie in memory of that world, which only the goroutine that has the world may touch.
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

// leaving is locked while an image loses its pool, which the lock of the pool is no part of: of two that release it at once one is told so.
var leaving sync.Mutex

// leave returns the pool of an image, which has none from then on; nil if it has none.
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

// forget makes an image that has left its pool the zero Image.
func (m *Image) forget() {
	leaving.Lock()
	defer leaving.Unlock()
	*m = Image{}
}

// giveBuilt lets the next ImageBuilder have what the image of one was made of, unless images have become so much smaller than an
// earlier one that most of its memory is of no use: who reads one large file and then small ones for days does not keep it.
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

// Attach keeps a value with the image under a key, which should be of a type that only the caller can name. It is
// for the functions of [Hooks.OnCapture], because an image does not change once others have it.
func (m *Image) Attach(key, value any) {
	m.mustBe("Image.Attach")
	if m.kept == nil {
		m.kept = map[any]any{}
	}
	m.kept[key] = value
}

// Attached returns the value that Attach has kept with the image under a key, or nil. It panics with an *Error if the image is nil.
func (m *Image) Attached(key any) any {
	if m == nil {
		panic(fault(ErrArgument, "Image.Attached", "the image is nil: make one with Capture"))
	}
	return m.kept[key]
}

// String counts what is in the image.
func (m *Image) String() string {
	switch {
	case m == nil:
		return "<nil>"
	case m.pool == nil:
		return "an image that is released, or the zero Image"
	}
	return fmt.Sprintf("image of %s, %s", plural(m.rows, "entity", "entities"), plural(len(m.archetypes), "archetype", "archetypes"))
}

// OnCapture makes every [Capture] of the world call f with the new image, so that a package can attach to it, by [Image.Attach], the state
// that it needs after a Restore.
func (h Hooks) OnCapture(f func(m *Image)) (remove func()) {
	w := h.world
	hook(w, "Hooks.OnCapture", f != nil)
	return addHook(&w.hooks.captures, func(m any) { f(m.(*Image)) })
}

// OnRestore makes every [Restore] of the world call f when the world contains what the image does. It is for packages that remember
// versions of chunks and counts of order, because these are others after a Restore. If the image was made for this world, see
// [ImageBuilder.AddState], it is released by then and has nothing but the values that were attached to it.
func (h Hooks) OnRestore(f func(m *Image)) (remove func()) {
	w := h.world
	hook(w, "Hooks.OnRestore", f != nil)
	return addHook(&w.hooks.images, func(m any) { f(m.(*Image)) })
}
