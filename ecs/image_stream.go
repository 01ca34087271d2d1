package ecs

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"weak"
)

// ImageStream loads the contents of an [Image] into a living world, some rows at a time, so that no frame
// has to wait for all of them. For example, it loads a scene in the background, or a region that comes
// from another machine.
//
//	a, err := ecs.NewImageStream(image, SceneTag{Scene: e}) // anywhere, on a worker too
//	err = a.Begin(w)                                        // reserves all ids
//	n, err := a.Load(10_000)                                // between two frames, until a.Left() is 0
//	left, err := a.Unload(10_000)                           // out again, at any time after Begin
//
// Begin reserves an id for every entity at once, so that references among the entities are right from the
// first row on. Until Load brings its row, such an entity does not exist, and a reference to it is like a
// reference to a dead entity. References to entities outside of the image become null. Loaded rows are
// entities like all others.
//
// Rows come in the order of the archetypes, chunks and rows of the image. They go into the first chunk
// with free rows, or into new chunks; rows with chunk components get chunks for themselves. They count as
// changed. Enabled bits, buffers, cleanup, chunk and managed components, prefabs and names are copied too.
// Shared values are found in the world or added to it. Managed components refer to the same objects as
// those of the image.
//
// An ImageStream is for one goroutine at a time, and from Begin on for the owner of the world. In an image
// of the world the reserved ids look like used-up ids. If the world is restored while rows are still to
// come, the stream is therefore over. To continue exactly, keep an [ImageStream.Clone] with the image, or
// the bytes of [ImageStream.AppendState] with the file, and call [ImageStream.Resume] or
// [ImageStream.LoadState] after the world was restored.
//
// An image of the world also has the position of each stream. After [Restore], a stream whose position
// differs from that in the image is refused with an error of category [ErrState], because its ids may
// belong to other entities now. A Clone from the moment of the image continues. If a stream and its Clones are in
// the same world, one of them continues, and the others are refused from then on.
//
// Methods of a nil or zero ImageStream return an error of category [ErrState], except for LoadState of a
// zero one.
type ImageStream struct {
	image  *Image
	with   []streamValue
	places []int32 // by index of an entity of the image: its index in ids plus one; 0 if it is not in the image
	old    []Entity
	metas  map[Entity]streamMeta

	world    *World
	restores uint32 // of the world, at Begin
	targets  []*archetype
	ids      []Entity // ids in the world
	of       *reservation
	came     int // number of ids that were loaded
	gone     int // number of loaded ids that Unload has passed
	at       struct{ archetype, chunk, row int }
	parts    []streamPart // scratch
	lives    []Entity     // scratch
	over     bool         // no more rows come
}

// restored reports whether the world was restored while rows were still to come. The world then no longer
// reserves their ids.
func (a *ImageStream) restored() bool { return a.restores != a.world.hooks.restores && a.Left() > 0 }

// streamValue is a shared value that all entities get.
type streamValue struct {
	comp  *component
	value any
}

// streamMeta is the place of the meta entity of a chunk of the image.
type streamMeta struct {
	chunk *chunkImage
	row   int
}

// streamPart is a range of rows of a chunk of the image that the next Load brings.
type streamPart struct {
	archetype, chunk, row, n int
	values                   [maxShared]int32
}

// NewImageStream prepares the entities of an image for a world. All of them get the given shared values,
// in addition to their own values, or in place of own values of the same type. It touches no world, so
// that a job can call it. The error is of category [ErrArgument] if the image is released, if a value is
// of no shared component, or if two values have the same type.
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
			return nil, fault(ErrArgument, op, "only shared values are given to all: embed ecs.Shared").on(c)
		case slices.ContainsFunc(a.with, func(o streamValue) bool { return o.comp == c }):
			return nil, fault(ErrArgument, op, "the type is named twice").on(c)
		}
		a.with = append(a.with, streamValue{c, v})
	}
	a.places = make([]int32, m.slots)
	a.old, a.ids = make([]Entity, 0, m.rows), make([]Entity, m.rows)
	clear(a.ids) // touch fresh memory now, so that no frame waits for it
	for i := range m.archetypes {
		heads := m.archetypes[i].isMeta() // meta entities are loaded with their chunks
		for _, c := range m.archetypes[i].chunks {
			if heads {
				a.head(c)
				continue
			}
			at := int32(len(a.old))
			for row, e := range c.ids[:c.n] {
				a.places[e.Index] = at + int32(row) + 1
			}
			a.old = append(a.old, c.ids[:c.n]...)
		}
	}
	a.ids = a.ids[:len(a.old)]
	return a, nil
}

// head notes the rows of the meta entities of a chunk.
func (a *ImageStream) head(c *chunkImage) {
	if a.metas == nil {
		a.metas = map[Entity]streamMeta{}
	}
	for row, e := range c.ids[:c.n] {
		a.metas[e] = streamMeta{c, row}
	}
}

// isMeta reports whether the entities are meta entities of chunks.
func (k *archetypeImage) isMeta() bool {
	return slices.ContainsFunc(k.set, func(c *component) bool { return c.typ == reflect.TypeFor[ChunkHeader]() })
}

// orZero returns a, or a zero ImageStream if a is nil, so that methods refuse both with the same error.
func (a *ImageStream) orZero() *ImageStream {
	if a == nil {
		return &ImageStream{}
	}
	return a
}

// Len returns the number of entities in the image, without meta entities of chunks.
func (a *ImageStream) Len() int { return len(a.orZero().ids) }

// Left returns the number of entities that Load has still to bring; it is 0 when the stream is over.
func (a *ImageStream) Left() int {
	if a == nil || a.over {
		return 0
	}
	return len(a.ids) - a.came
}

// NewID returns the id in the world of an entity of the image. It returns the null entity before Begin,
// and for an id that is not in the image.
func (a *ImageStream) NewID(old Entity) Entity {
	a = a.orZero()
	if k := a.place(old); k >= 0 && a.world != nil {
		return a.ids[k]
	}
	return Entity{}
}

func (a *ImageStream) place(old Entity) int32 {
	if uint(old.Index) >= uint(len(a.places)) {
		return -1
	}
	k := a.places[old.Index] - 1
	if k < 0 || a.old[k] != old {
		return -1
	}
	return k
}

// Entities returns the ids in the world of the entities that Load has brought and Unload has not yet
// passed, in the order in which they came. Some of them may have been destroyed. The caller must not write
// to the list, which is valid until the next call of a method.
func (a *ImageStream) Entities() []Entity {
	a = a.orZero()
	return a.ids[a.gone:a.came:a.came]
}

// Clone returns a copy of the stream with the same position. A program that keeps its own state with an
// image of the world keeps a Clone too. When the image is restored, the program continues with a Clone of
// that Clone. A Clone from before Begin needs its own call of Begin.
func (a *ImageStream) Clone() *ImageStream {
	a = a.orZero()
	b := *a
	if a.world == nil {
		b.ids = slices.Clone(a.ids) // which only Begin writes
	}
	return &b
}

// Begin reserves the ids of all entities. It is a structural change, though no row comes yet. The error is
// of category [ErrArgument] if an entity would not fit in a chunk, if a type has a name that another type
// has in the world, or if the image is released. It is of category [ErrState] if the stream has begun
// already, or the world cannot be changed now.
func (a *ImageStream) Begin(w *World) error {
	const op = "ImageStream.Begin"
	a = a.orZero()
	switch {
	case w == nil:
		return noWorld(op)
	case a.world != nil:
		return w.gate.fault(ErrState, op, "the stream has begun already, in world %q: make another one for a second time", a.world.gate.name)
	case a.image == nil:
		return w.gate.fault(ErrState, op, "the stream is the zero ImageStream: make it with NewImageStream")
	case a.image.pool == nil:
		return w.gate.fault(ErrArgument, op, "the image was released before all had come")
	}
	if err := w.canChange(op); err != nil {
		return err
	}
	targets, err := a.targetsIn(op, w)
	if err != nil {
		w.gate.idle()
		return err
	}
	if err := w.commit(op); err != nil {
		return err
	}
	a.world, a.targets, a.restores = w, targets, w.hooks.restores
	w.tables.entities.take(a.ids, free, 0)
	w.tables.entities.retired += len(a.ids) // so that they do not count as alive
	a.setMark()
	w.finish()
	return nil
}

// targetsIn returns the archetypes of w for the rows of the image: nil for archetypes without rows to
// load.
func (a *ImageStream) targetsIn(op string, w *World) ([]*archetype, error) {
	targets := make([]*archetype, len(a.image.archetypes))
	for i := range a.image.archetypes {
		k := &a.image.archetypes[i]
		if k.rows == 0 || k.isMeta() {
			continue
		}
		set := slices.Clone(k.set)
		for _, v := range a.with {
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

// Resume makes a stream continue after its world was restored to the moment at which the stream had its
// present position. For this, keep a Clone with the image, and call Resume of a Clone of it. Resume
// reserves the ids of the coming rows again. The error is of category [ErrState] if the stream has not
// begun, or the world cannot be changed now; of category [ErrArgument] if an id is not reserved in the
// contents of the world.
func (a *ImageStream) Resume() error {
	const op = "ImageStream.Resume"
	if a == nil || a.world == nil {
		return fault(ErrState, op, "the stream has not begun: call Begin")
	}
	if err := a.begun(op); err != nil {
		return err
	}
	a.world.gate.idle()
	return a.resume(op, a.world)
}

// resume makes the stream continue in w, whose contents are those of the moment when a had its present
// position.
func (a *ImageStream) resume(op string, w *World) error {
	rest := a.ids[len(a.ids)-a.Left():]
	if len(rest) == 0 {
		a.world, a.restores = w, w.hooks.restores
		a.setMark()
		return nil
	}
	if err := w.canChange(op); err != nil {
		return err
	}
	if err := w.tables.entities.reserved(rest); err != nil {
		w.gate.idle()
		return w.gate.fault(ErrArgument, op, "%s", err)
	}
	targets := a.targets
	if a.image != nil {
		var err error
		if targets, err = a.targetsIn(op, w); err != nil {
			w.gate.idle()
			return err
		}
	}
	if err := w.commit(op); err != nil {
		return err
	}
	for _, e := range rest {
		w.tables.entities.slots[e.Index] = slot{e.Version, free, 0}
	}
	a.world, a.targets, a.restores = w, targets, w.hooks.restores
	a.setMark()
	w.finish()
	return nil
}

// reserved returns an error if one of ids may belong to an entity, now or later. A reserved id has a slot
// that is neither used nor free.
func (t *entities) reserved(ids []Entity) error {
	taken := make([]uint64, len(t.slots)/64+1)
	for _, i := range t.free {
		taken[i/64] |= 1 << (i % 64)
	}
	for _, e := range ids {
		i := uint(e.Index)
		if i >= uint(len(t.slots)) || e.Version < 1 || t.slots[i].record != free || taken[i/64]>>(i%64)&1 != 0 {
			return fmt.Errorf("the id %v is not reserved: the world is not one that contains what it did when the stream had come as far", e)
		}
		taken[i/64] |= 1 << (i % 64)
	}
	return nil
}

// streamVersion is the version of the bytes of AppendState.
const streamVersion = 1

// AppendState appends the position of the stream and all its ids to out, for a file that is saved together
// with that of the world. Consecutive ids take few bytes.
func (a *ImageStream) AppendState(out []byte) []byte {
	a = a.orZero()
	over := uint64(0)
	if a.over {
		over = 1
	}
	for _, v := range [...]uint64{streamVersion, uint64(len(a.ids)), uint64(a.came), uint64(a.gone), over} {
		out = binary.AppendUvarint(out, v)
	}
	for i := 0; i < len(a.ids); {
		first, n, step := a.ids[i], 1, int32(0)
		for ; i+n < len(a.ids); n++ {
			next, last := a.ids[i+n], a.ids[i+n-1]
			if n == 1 && (next.Index == last.Index+1 || next.Index == last.Index-1) {
				step = next.Index - last.Index
			}
			if step == 0 || next.Index != last.Index+step || next.Version != first.Version {
				break
			}
		}
		out = binary.AppendUvarint(out, uint64(uint32(first.Index)))
		out = binary.AppendUvarint(out, uint64(uint32(first.Version)))
		out = binary.AppendVarint(out, int64(n)*int64(max(step, -1)|1))
		i += n
	}
	return out
}

// LoadState makes a stream that has not begun continue in w, with the position of the stream whose
// AppendState wrote the bytes. First restore w to the moment of AppendState. Make the stream by
// [NewImageStream] from an equal image. A zero ImageStream works too: it has no rows to load, but can
// Unload. If w already has a stream with the same ids, the two are like Clones from then on: one of them
// continues, and the other one is refused.
//
// An error is of category [ErrArgument] and changes nothing. It has one of these reasons:
//
//   - The bytes are not those of AppendState for such an image.
//   - An id is not reserved in w.
//   - The world knows that it is at another moment, because its stream of these ids has another
//     position or does not exist.
//
// A world that was restored from a file knows nothing of streams. The caller must then save the bytes
// together with the file: with bytes of another moment, LoadState takes an unrelated entity with the same
// id for a loaded one, and Unload destroys it.
func (a *ImageStream) LoadState(w *World, in []byte) error {
	const op = "ImageStream.LoadState"
	switch {
	case w == nil:
		return noWorld(op)
	case a == nil:
		return w.gate.fault(ErrState, op, "the stream is nil: make one with NewImageStream, or use a zero ImageStream")
	case a.world != nil:
		return w.gate.fault(ErrState, op, "the stream has begun already: make another one with NewImageStream")
	case a.image != nil && a.image.pool == nil:
		return w.gate.fault(ErrArgument, op, "the image was released")
	}
	b := *a
	if !b.read(in, len(w.tables.entities.slots)) {
		return w.gate.fault(ErrArgument, op, "the %d bytes are not those of AppendState, or of another image or world", len(in))
	}
	for _, e := range b.ids[:b.came] {
		if own := w.tables.entities.find(e); own != nil && w.tables.records[own.record].arch.isMeta {
			return w.gate.fault(ErrArgument, op, "the id %v is that of an entity that holds the chunk components of a chunk", e)
		}
	}
	if err := b.join(op, w); err != nil {
		return err
	}
	if b.image != nil {
		for left := b.came; left > 0; {
			left -= b.pass(left)
		}
	}
	if err := b.resume(op, w); err != nil {
		return err
	}
	*a = b
	return nil
}

// read parses the bytes of AppendState, for a world with the given number of slots.
func (a *ImageStream) read(in []byte, slots int) bool {
	ok := true
	next := func() int {
		v, n := binary.Uvarint(in)
		if n <= 0 || v > math.MaxInt32 {
			in, ok = nil, false
			return 0
		}
		in = in[n:]
		return int(v)
	}
	version, count, came, gone, over := next(), next(), next(), next(), next()
	if !ok || version != streamVersion || count > slots || came > count || gone > came || over > 1 {
		return false
	}
	if a.image != nil && count != len(a.old) {
		return false
	}
	ids := make([]Entity, 0, count)
	for len(ids) < count {
		first := Entity{int32(next()), int32(next())}
		n, size := binary.Varint(in)
		step := int32(1)
		if n < 0 {
			step, n = -1, -n
		}
		last := int64(first.Index) + int64(step)*(n-1)
		if !ok || size <= 0 || n < 1 || n > int64(count-len(ids)) || int(first.Index) >= slots || last < 0 || last >= int64(slots) {
			return false
		}
		in = in[size:]
		for k := range int32(n) {
			ids = append(ids, Entity{first.Index + k*step, first.Version})
		}
	}
	a.ids, a.came, a.gone, a.over = ids, came, gone, over == 1
	return len(in) == 0
}

// pass advances by up to most rows of the image, and returns the number of rows.
func (a *ImageStream) pass(most int) int {
	p := &a.at
	for {
		k := &a.image.archetypes[p.archetype]
		if k.isMeta() || p.chunk == len(k.chunks) {
			p.archetype, p.chunk = p.archetype+1, 0
			continue
		}
		n := min(most, k.chunks[p.chunk].n-p.row)
		if p.row += n; p.row == k.chunks[p.chunk].n {
			p.chunk, p.row = p.chunk+1, 0
		}
		if n > 0 {
			return n
		}
	}
}

// begun returns an error if the stream cannot load or unload rows in its world.
func (a *ImageStream) begun(op string) error {
	if a.world == nil {
		return fault(ErrState, op, "the stream has not begun: call Begin")
	}
	if err := a.world.canChange(op); err != nil {
		return err
	}
	if !a.atMark() {
		a.world.gate.idle()
		return a.world.gate.fault(ErrState, op, "the world was restored since, or a Clone of the stream has gone on, so that its ids may be those of other entities (%d of %d had come, %d of these were unloaded): keep a Clone with each image and go on with that, or make another stream",
			a.came, len(a.ids), a.gone)
	}
	return nil
}

// Unload destroys up to most of the entities that were loaded and still exist, in the order in which they
// came, as [World.Destroy] does. Entities with cleanup components stay until these are removed. Members of
// a [LinkedGroup] that did not come with the stream stay. Entities that were not loaded yet never will be.
// It returns the number of loaded entities that are still to be destroyed.
//
// An error is of category [ErrState] and changes nothing. It has one of these reasons: the stream has not
// begun, the world cannot be changed now, the world was restored to a moment at which the stream had
// another position, or a Clone has continued.
func (a *ImageStream) Unload(most int) (left int, err error) {
	const op = "ImageStream.Unload"
	a = a.orZero()
	if err := a.begun(op); err != nil {
		return a.came - a.gone, err
	}
	w := a.world
	if err := w.commit(op); err != nil {
		return a.came - a.gone, err
	}
	if !a.over && !a.restored() {
		w.tables.entities.retired -= len(a.ids) - a.came
		w.tables.entities.release(a.ids[a.came:])
	}
	a.over = true
	defer w.finish()
	defer a.setMark()
	if a.lives == nil {
		a.lives = make([]Entity, 0, 2048)
	}
	for ended := 0; a.gone < a.came && ended < most; ended += len(a.lives) {
		a.collect(most - ended)
		if err := w.destroyRuns(op, a.lives); err != nil {
			return a.came - a.gone, err
		}
	}
	return a.came - a.gone, nil
}

// collect sets a.lives to loaded entities that still exist, up to most and to its capacity, and moves
// a.gone past them.
func (a *ImageStream) collect(most int) {
	a.lives = a.lives[:0]
	for a.gone < a.came && len(a.lives) < min(most, cap(a.lives)) {
		e := a.ids[a.gone]
		if a.gone++; a.world.tables.entities.find(e) != nil {
			a.lives = append(a.lives, e)
		}
	}
}

// reservation is the ids of a stream in a world. A stream gets one from Begin or LoadState. Its Clones
// share it, and so do streams that LoadState makes of its bytes in the same world, so that one of them
// continues and the others are refused.
type reservation struct {
	ids       []Entity
	low, high int32 // indices
}

func reservationOf(ids []Entity) *reservation {
	by := func(a, b Entity) int { return cmp.Compare(a.Index, b.Index) }
	return &reservation{ids, slices.MinFunc(ids, by).Index, slices.MaxFunc(ids, by).Index}
}

// streamMark is the position of a stream. A world keeps one for each stream that has begun there, and an
// image of the world has a copy. A stream with another position is refused, because its ids may belong to
// other entities by now: the world was restored to another moment, or a Clone has continued.
type streamMark struct {
	of         weak.Pointer[reservation]
	restores   uint32 // count of restores of the world when the ids of the coming rows were reserved; 0 if no row is to come
	came, gone int
	over       bool
}

// finished reports whether the stream has no more rows to load or to unload.
func (m *streamMark) finished() bool { return m.over && m.came == m.gone }

// streamMarks is the list of marks of a world. An image shares it; the world copies it before its next
// write.
type streamMarks struct {
	list   []streamMark
	shared bool
	all    bool // the list has every unfinished stream: false after the contents came from a file
}

// own returns the list for writing.
func (m *streamMarks) own() []streamMark {
	if m.shared {
		m.list, m.shared = slices.Clone(m.list), false
	}
	return m.list
}

// share returns the marks for an image.
func (m *streamMarks) share() streamMarks {
	m.shared = true
	return *m
}

// add adds the mark of a stream that begins, and drops the marks of streams that the garbage collector has
// freed.
func (m *streamMarks) add(own streamMark) {
	unused := func(o streamMark) bool { return o.of.Value() == nil }
	if slices.ContainsFunc(m.list, unused) {
		m.all = m.complete()
		m.list = slices.DeleteFunc(m.own(), unused)
	}
	m.list = append(m.own(), own)
}

// complete reports whether the list has every unfinished stream. It does not if an unfinished stream was
// freed.
func (m *streamMarks) complete() bool {
	return m.all && !slices.ContainsFunc(m.list, func(o streamMark) bool { return !o.finished() && o.of.Value() == nil })
}

// mark returns the mark for the present position of the stream.
func (a *ImageStream) mark() streamMark {
	own := streamMark{weak.Make(a.of), 0, a.came, a.gone, a.over}
	if a.Left() > 0 {
		own.restores = a.restores
	}
	return own
}

// setMark writes the present position of the stream to its mark in the world.
func (a *ImageStream) setMark() {
	if len(a.ids) == 0 {
		return
	}
	if a.of == nil {
		a.of = reservationOf(a.ids)
	}
	now, marks := a.mark(), &a.world.streams
	at := slices.IndexFunc(marks.list, func(o streamMark) bool { return o.of == now.of })
	switch {
	case at < 0:
		marks.add(now)
	case marks.list[at] != now:
		marks.own()[at] = now
	}
}

// atMark reports whether the stream has the position of its mark in the world.
func (a *ImageStream) atMark() bool {
	return len(a.ids) == 0 || slices.Contains(a.world.streams.list, a.mark())
}

// join gives a stream that was read from bytes the reservation of the streams with the same ids in w, as
// if it were their Clone. It returns an error if the contents of w cannot be those of the moment when the
// bytes were made.
func (a *ImageStream) join(op string, w *World) error {
	if len(a.ids) == 0 {
		return nil
	}
	own := reservationOf(a.ids)
	var places []int32 // by index minus own.low: the index in ids plus one
	for i := range w.streams.list {
		m := &w.streams.list[i]
		o := m.of.Value()
		if o == nil || o.high < own.low || o.low > own.high {
			continue
		}
		if slices.Equal(o.ids, a.ids) {
			if m.came != a.came || m.gone != a.gone || m.over != a.over {
				return w.gate.fault(ErrArgument, op, "the bytes are of another moment: %d of %d had come then and %d of these were unloaded, and now %d have come and %d are unloaded: "+
					"restore the world to an image of the same moment first", a.came, len(a.ids), a.gone, m.came, m.gone)
			}
			a.of, a.ids = o, o.ids
			return nil
		}
		if places == nil {
			places = make([]int32, own.high-own.low+1)
			for k, e := range a.ids {
				places[e.Index-own.low] = int32(k) + 1
			}
		}
		for k, e := range o.ids {
			at := -1
			if e.Index >= own.low && e.Index <= own.high {
				at = int(places[e.Index-own.low]) - 1
			}
			if at >= 0 && (a.ids[at] == e || !a.over && at >= a.came && !m.over && k >= m.came) {
				return w.gate.fault(ErrArgument, op, "the id %v is one of another stream of the world: restore the world to an image of the moment at which AppendState was called first", e)
			}
		}
	}
	if now := a.mark(); w.streams.complete() && !now.finished() {
		return w.gate.fault(ErrArgument, op, "no stream of the world has the ids, so that these may be of other entities (%v is the first): "+
			"restore the world to an image of the moment at which AppendState was called first", a.ids[0])
	}
	return nil
}
