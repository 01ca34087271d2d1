package ecs

import (
	"fmt"
	"reflect"
	"slices"
)

// ImageStream loads the contents of an [Image] into a world that is in use, some rows at a time, so that
// no frame has to wait for the whole image. For example, it loads a scene in the background, or a region
// that comes from another machine.
//
//	a, err := ecs.NewImageStream(image, SceneTag{Scene: e}) // anywhere, on a worker too
//	err = a.Begin(w)                                        // reserves all ids
//	n, err := a.Load(10_000)                                // between two frames, until a.Left() is 0
//	left, err := a.Unload(10_000)                           // out again, at any time after Begin
//
// Begin reserves the ids of all entities at once, so that references among the entities are correct from
// the first row on. An entity does not exist until Load brings its row. Until then, a reference to it is
// like a reference to a dead entity. References to entities that are not in the image become null. Loaded
// rows are entities like all others.
//
// Rows are loaded in the order of the archetypes, chunks and rows of the image. They are put into the
// first chunk with free rows, or into new chunks. Rows with chunk components are put into new chunks,
// which contain no other rows. Loaded rows count as changed. Enabled bits, buffers, cleanup, chunk and
// managed components, prefabs and names are copied too. Shared values are found in the world or added to
// it. Managed components refer to the same objects as those of the image.
//
// Only one goroutine at a time may use an ImageStream. From the call of Begin on, this must be the owner
// of the world. In an image of the world, the reserved ids look like used ids. So if the world is
// restored before all rows are loaded, the stream cannot continue. To continue exactly, keep an
// [ImageStream.Clone] with the image, or the bytes of [ImageStream.AppendState] with the file, and call
// [ImageStream.Resume] or [ImageStream.LoadState] after the world was restored.
//
// An image of the world also contains the position of each stream. After a [Restore] of that image, the world
// may have another position for a stream than the stream itself. Then later calls of the stream return an
// error of category [ErrState], because its ids may belong to other entities now. But a Clone that was made
// at the moment of the image can continue. If a stream and its Clones are in the same world, only the first
// of them that is used can continue. The others are refused from then on.
//
// Methods of a nil or zero ImageStream return an error of category [ErrState]. The exception is
// LoadState of a zero ImageStream.
type ImageStream struct {
	image       *Image
	extraShared []streamValue
	idIndices   []int32 // by index of an entity of the image: its index in ids plus one; 0 if it is not in the image
	oldIDs      []Entity
	metaRows    map[Entity]streamMeta

	world            *World
	restoreCount     uint32 // of the world, at Begin
	targetArchetypes []*archetype
	newIDs           []Entity // ids in the world
	reservation      *reservation
	loadedCount      int // number of ids that were loaded
	unloadedCount    int // number of loaded ids that Unload has passed
	position         struct{ archetype, chunk, row int }
	partScratch      []streamPart // scratch
	aliveScratch     []Entity     // scratch
	ended            bool         // no more rows come
}

// worldWasRestored reports whether the world was restored before all rows were loaded. In that case the world
// no longer reserves the ids of the remaining rows.
func (a *ImageStream) worldWasRestored() bool {
	return a.restoreCount != a.world.hooks.restoreCount && a.Left() > 0
}

// streamValue is a shared value that NewImageStream gives to all entities.
type streamValue struct {
	comp  *component
	value any
}

// streamMeta identifies the meta entity of a chunk of the image.
type streamMeta struct {
	chunk *chunkImage
	row   int
}

// streamPart is a range of rows in a chunk of the image. The next Load loads these rows.
type streamPart struct {
	archetype, chunk, row, n int
	valueIndices             [maxShared]int32
}

// NewImageStream prepares the entities of an image for a world. All entities get the given shared
// values, in addition to their own values. A given value replaces an entity's own value of the same
// type. NewImageStream accesses no world, so a job can call it. The error is of category [ErrArgument]
// if the image is released, if a value does not belong to a shared component, or if two values have
// the same type.
func NewImageStream(m *Image, shared ...any) (*ImageStream, error) {
	const op = "NewImageStream"
	if m == nil || m.pool == nil {
		return nil, fault(ErrArgument, op, "the image is released, or is the zero Image")
	}
	a := &ImageStream{image: m}
	for _, v := range shared {
		if v == nil {
			return nil, fault(ErrArgument, op, "a shared value is nil")
		}
		c, err := componentOf(op, reflect.TypeOf(v))
		switch {
		case err != nil:
			return nil, err
		case !c.kind.has(isShared):
			return nil, fault(ErrArgument, op, "only shared values are given to all: embed ecs.Shared").forComponent(c)
		case slices.ContainsFunc(a.extraShared, func(o streamValue) bool { return o.comp == c }):
			return nil, fault(ErrArgument, op, "the type is named twice").forComponent(c)
		}
		a.extraShared = append(a.extraShared, streamValue{c, v})
	}
	a.idIndices = make([]int32, m.slotCount)
	a.oldIDs, a.newIDs = make([]Entity, 0, m.rowCount), make([]Entity, m.rowCount)
	clear(a.newIDs) // touch fresh memory now, so that no frame waits for it
	for i := range m.archetypes {
		heads := m.archetypes[i].isMeta() // meta entities are loaded with their chunks
		for _, c := range m.archetypes[i].chunks {
			if heads {
				a.addMetas(c)
				continue
			}
			at := int32(len(a.oldIDs))
			for row, e := range c.ids[:c.count] {
				a.idIndices[e.Index] = at + int32(row) + 1
			}
			a.oldIDs = append(a.oldIDs, c.ids[:c.count]...)
		}
	}
	a.newIDs = a.newIDs[:len(a.oldIDs)]
	return a, nil
}

// addMetas records the rows of the meta entities of a chunk.
func (a *ImageStream) addMetas(c *chunkImage) {
	if a.metaRows == nil {
		a.metaRows = map[Entity]streamMeta{}
	}
	for row, e := range c.ids[:c.count] {
		a.metaRows[e] = streamMeta{c, row}
	}
}

// isMeta reports whether the entities are meta entities of chunks.
func (k *archetypeImage) isMeta() bool {
	return slices.ContainsFunc(k.components, func(c *component) bool { return c.typ == reflect.TypeFor[ChunkHeader]() })
}

// orZero returns a, or a zero ImageStream if a is nil, so that methods return the same error for
// both.
func (a *ImageStream) orZero() *ImageStream {
	if a == nil {
		return &ImageStream{}
	}
	return a
}

// Len returns the number of entities in the image, without meta entities of chunks.
func (a *ImageStream) Len() int { return len(a.orZero().newIDs) }

// Left returns the number of entities that Load must still load. The number is 0 if the stream has
// ended.
func (a *ImageStream) Left() int {
	if a == nil || a.ended {
		return 0
	}
	return len(a.newIDs) - a.loadedCount
}

// NewID returns the id that an entity of the image has in the world. NewID returns the null entity
// before Begin, and for an id that is not in the image.
func (a *ImageStream) NewID(old Entity) Entity {
	a = a.orZero()
	if k := a.indexOf(old); k >= 0 && a.world != nil {
		return a.newIDs[k]
	}
	return Entity{}
}

func (a *ImageStream) indexOf(old Entity) int32 {
	if uint(old.Index) >= uint(len(a.idIndices)) {
		return -1
	}
	k := a.idIndices[old.Index] - 1
	if k < 0 || a.oldIDs[k] != old {
		return -1
	}
	return k
}

// Entities returns the ids of the entities in the world that Load has loaded and Unload has not removed
// yet, in the order in which they were loaded. Some of them may have been destroyed. The list is valid
// until the next call of a method, and the caller must not write to it.
func (a *ImageStream) Entities() []Entity {
	a = a.orZero()
	return a.newIDs[a.unloadedCount:a.loadedCount:a.loadedCount]
}

// Clone returns a copy of the stream with the same position. A program that stores its own state with an
// image of the world stores a Clone too. After the image is restored, the program makes a Clone of the
// stored Clone, and continues with it. If a Clone was made before Begin, Begin must be called for it
// too.
func (a *ImageStream) Clone() *ImageStream {
	a = a.orZero()
	b := *a
	if a.world == nil {
		b.newIDs = slices.Clone(a.newIDs) // which only Begin writes
	}
	return &b
}

// Begin reserves the ids of all entities. Begin is a structural change, although no row is loaded yet. The
// error is of category [ErrArgument] if an entity would not fit in a chunk, if a type of the image has the
// same name as another type of the world, or if the image is released. The error is of category [ErrState]
// if the stream has begun already, or the world cannot be changed now.
func (a *ImageStream) Begin(w *World) error {
	const op = "ImageStream.Begin"
	a = a.orZero()
	switch {
	case w == nil:
		return noWorldError(op)
	case a.world != nil:
		return w.gate.fault(ErrState, op, "the stream has begun already, in world %q: make another one for a second time", a.world.gate.name)
	case a.image == nil:
		return w.gate.fault(ErrState, op, "the stream is the zero ImageStream: make it with NewImageStream")
	case a.image.pool == nil:
		return w.gate.fault(ErrArgument, op, "the image was released before all had come")
	}
	if err := w.checkCanChange(op); err != nil {
		return err
	}
	targets, err := a.resolveTargets(op, w)
	if err != nil {
		w.gate.endUnchanged()
		return err
	}
	if err := w.beginAllowedChange(op); err != nil {
		return err
	}
	a.world, a.targetArchetypes, a.restoreCount = w, targets, w.hooks.restoreCount
	w.tables.entities.assignIDs(a.newIDs, freeSlot, 0)
	w.tables.entities.retired += len(a.newIDs) // so that they do not count as alive
	w.tables.entities.noteIDsChanged()
	a.storeMark()
	w.endChange()
	return nil
}

// resolveTargets returns the archetypes of w for the rows of the image. An element is nil for an archetype
// without rows to load.
func (a *ImageStream) resolveTargets(op string, w *World) ([]*archetype, error) {
	targets := make([]*archetype, len(a.image.archetypes))
	for i := range a.image.archetypes {
		k := &a.image.archetypes[i]
		if k.rowCount == 0 || k.isMeta() {
			continue
		}
		set := slices.Clone(k.components)
		for _, v := range a.extraShared {
			if !slices.Contains(set, v.comp) {
				set = append(set, v.comp)
			}
		}
		set, err := w.types.sortSet(op, set)
		if err == nil {
			targets[i], err = w.tables.archetypeOf(op, set)
		}
		if err == nil && targets[i].kinds.has(isCleanup) {
			_, err = w.tables.cleanupMove(op, targets[i])
		}
		if err != nil {
			return nil, err
		}
	}
	return targets, nil
}

// Resume makes a stream continue after its world was restored. The world must have the contents that it
// had when the stream had its present position. To use Resume, store a Clone together with the image.
// After the Restore, call Resume of a Clone of the stored Clone. Resume again reserves the ids of the
// rows that are not loaded yet. The error is of category [ErrState] if the stream has not begun, or the
// world cannot be changed now. The error is of category [ErrArgument] if the world does not reserve one
// of the ids.
func (a *ImageStream) Resume() error {
	const op = "ImageStream.Resume"
	if a == nil || a.world == nil {
		return fault(ErrState, op, "the stream has not begun: call Begin")
	}
	if err := a.checkBegun(op); err != nil {
		return err
	}
	a.world.gate.endUnchanged()
	return a.resume(op, a.world)
}

// resume makes the stream continue in w. The world has the contents that it had when a was at
// its present position.
func (a *ImageStream) resume(op string, w *World) error {
	rest := a.newIDs[len(a.newIDs)-a.Left():]
	if len(rest) == 0 {
		a.world, a.restoreCount = w, w.hooks.restoreCount
		a.storeMark()
		return nil
	}
	if err := w.checkCanChange(op); err != nil {
		return err
	}
	if err := w.tables.entities.checkReserved(rest); err != nil {
		w.gate.endUnchanged()
		return w.gate.fault(ErrArgument, op, "%s", err)
	}
	targets := a.targetArchetypes
	if a.image != nil {
		var err error
		if targets, err = a.resolveTargets(op, w); err != nil {
			w.gate.endUnchanged()
			return err
		}
	}
	if err := w.beginAllowedChange(op); err != nil {
		return err
	}
	for _, e := range rest {
		w.tables.entities.slots[e.Index] = entitySlot{e.Version, freeSlot, 0}
	}
	a.world, a.targetArchetypes, a.restoreCount = w, targets, w.hooks.restoreCount
	a.storeMark()
	w.endChange()
	return nil
}

// checkReserved returns an error if one of the ids belongs to an entity, or may be given to a new entity.
// The slot of a reserved id is neither used nor free.
func (t *entities) checkReserved(ids []Entity) error {
	taken := make([]uint64, len(t.slots)/64+1)
	for _, i := range t.freeSlots {
		taken[i/64] |= 1 << (i % 64)
	}
	for _, e := range ids {
		i := uint(e.Index)
		if i >= uint(len(t.slots)) || e.Version < 1 || t.slots[i].chunk != freeSlot || taken[i/64]>>(i%64)&1 != 0 {
			return fmt.Errorf("the id %v is not reserved: the world is not one that contains what it did when the stream had come as far", e)
		}
		taken[i/64] |= 1 << (i % 64)
	}
	return nil
}

// advance moves the position of the stream forward within one chunk, by at most the given number
// of rows. It returns the number of rows by which the position has moved.
func (a *ImageStream) advance(most int) int {
	p := &a.position
	for {
		k := &a.image.archetypes[p.archetype]
		if k.isMeta() || p.chunk == len(k.chunks) {
			p.archetype, p.chunk = p.archetype+1, 0
			continue
		}
		n := min(most, k.chunks[p.chunk].count-p.row)
		if p.row += n; p.row == k.chunks[p.chunk].count {
			p.chunk, p.row = p.chunk+1, 0
		}
		if n > 0 {
			return n
		}
	}
}

// checkBegun returns an error if the stream cannot load or unload rows in its world.
func (a *ImageStream) checkBegun(op string) error {
	if a.world == nil {
		return fault(ErrState, op, "the stream has not begun: call Begin")
	}
	if err := a.world.checkCanChange(op); err != nil {
		return err
	}
	if !a.atMark() {
		a.world.gate.endUnchanged()
		return a.world.gate.fault(ErrState, op, "the world was restored since, or a Clone of the stream has continued, so its ids may belong to other entities (%d of %d had come, %d of these were unloaded): keep a Clone with each image and continue with that Clone, or make another stream",
			a.loadedCount, len(a.newIDs), a.unloadedCount)
	}
	return nil
}

// Unload destroys loaded entities, but not more than the number most. It takes the entities that were
// loaded and still exist, in the order in which they were loaded, and destroys them as [World.Destroy]
// does. Entities with cleanup components stay until their cleanup components are removed. Members of a
// [LinkedGroup] that the stream did not load stay. Entities that were not loaded yet will never be
// loaded. Unload returns the number of loaded entities that are still to be destroyed.
//
// An error is of category [ErrState] and changes nothing. There are four possible reasons: the stream has
// not begun; the world cannot be changed now; the world was restored to a time at which the stream had
// another position; or a Clone has taken over the stream.
func (a *ImageStream) Unload(most int) (left int, err error) {
	const op = "ImageStream.Unload"
	a = a.orZero()
	if err := a.checkBegun(op); err != nil {
		return a.loadedCount - a.unloadedCount, err
	}
	w := a.world
	if err := w.beginAllowedChange(op); err != nil {
		return a.loadedCount - a.unloadedCount, err
	}
	if !a.ended && !a.worldWasRestored() {
		w.tables.entities.retired -= len(a.newIDs) - a.loadedCount
		w.tables.entities.freeIDs(a.newIDs[a.loadedCount:])
		w.tables.entities.noteIDsChanged()
	}
	a.ended = true
	defer w.endChange()
	defer a.storeMark()
	if a.aliveScratch == nil {
		a.aliveScratch = make([]Entity, 0, 2048)
	}
	for ended := 0; a.unloadedCount < a.loadedCount && ended < most; ended += len(a.aliveScratch) {
		a.collectAlive(most - ended)
		if err := w.destroyRuns(op, a.aliveScratch); err != nil {
			return a.loadedCount - a.unloadedCount, err
		}
	}
	return a.loadedCount - a.unloadedCount, nil
}

// collectAlive fills aliveScratch with loaded entities that still exist. The argument most and the
// capacity of aliveScratch limit their number. It adds the number of entities that it has visited to
// unloadedCount.
func (a *ImageStream) collectAlive(most int) {
	a.aliveScratch = a.aliveScratch[:0]
	for a.unloadedCount < a.loadedCount && len(a.aliveScratch) < min(most, cap(a.aliveScratch)) {
		e := a.newIDs[a.unloadedCount]
		if a.unloadedCount++; a.world.tables.entities.find(e) != nil {
			a.aliveScratch = append(a.aliveScratch, e)
		}
	}
}
