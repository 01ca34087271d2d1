package ecs

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
)

// ImageStream brings what an [Image] contains into a living world, a part at a time, so that no
// frame has to wait for all of it: a scene that is streamed in, a region that comes from
// another machine.
//
//	a, err := ecs.NewImageStream(image, SceneTag{Scene: e}) // anywhere, on a worker too
//	err = a.Begin(w)                // all ids are reserved
//	n, err := a.Load(10_000)   // at each border of frames, until a.Left() is 0
//	left, err := a.Unload(10_000) // and out again, when its time is over or at any time before
//
// Begin reserves an id for every entity at once, so that references among them are right
// from the first row on: until the row has come such a reference leads to an entity that does
// not exist yet, as one to a dead one does. What leads out of the image is null. Rows that have come
// are entities like all others.
//
// Rows come in the order of the archetypes, chunks and rows of the image, into the first chunk that has room,
// or new ones; those that have chunk components come in chunks of their own. They count as changed.
// Enabled bits, buffers, cleanup, chunk and managed components, prefabs and names come along; shared values are
// found in the world or come new; what managed components point to is the image's own.
//
// An ImageStream is for one goroutine at a time, and from Begin on for that of the world. An image of the world
// knows the reserved ids as ids that are no longer used: if the world is restored while rows are still
// to come, the ImageStream is over. To go on exactly, keep a [ImageStream.Clone] with the image, or the bytes of [ImageStream.AppendState] with
// the file, and call [ImageStream.Resume] or [ImageStream.LoadState] after the world was restored.
//
// An image also knows how far each ImageStream had come. After [Restore] an ImageStream that was elsewhere then, or that had not begun, is refused
// with an error of category [ErrState], because its ids may be those of other entities by now; for example, one that was
// withdrawn since. A Clone of the moment of the image goes on. Of an ImageStream and its Clones one goes on in a
// world, and the others are refused from then on.
type ImageStream struct {
	image  *Image
	with   []arrivalValue
	places []int32 // of entities of the image in ids, and one more, by index; 0 for others
	old    []Entity
	metas  map[Entity]arrivalMeta

	world    *World
	restores uint32 // of the world, at Begin
	targets  []*archetype
	ids      []Entity // in the world
	of       *reservation
	came     int // how many of these have come
	gone     int // how many of those that came are withdrawn
	at       struct{ archetype, chunk, row int }
	parts    []arrivalPart // scratch
	lives    []Entity      // scratch
	over     bool          // nothing is to come any more
}

// restored reports whether the world was restored while rows were still to come, whose ids it does not know any more.
func (a *ImageStream) restored() bool { return a.restores != a.world.hooks.restores && a.Left() > 0 }

// arrivalValue is a shared value that all entities get.
type arrivalValue struct {
	comp  *component
	value any
}

// arrivalMeta is where the meta entity of a chunk of the image is.
type arrivalMeta struct {
	chunk *chunkImage
	row   int
}

// arrivalPart is a run of rows of a chunk of the image that is about to come.
type arrivalPart struct {
	archetype, chunk, row, n int
	values                   [maxShared]int32
}

// NewImageStream prepares the entities of an image to come into a world. All of them get the shared values given
// in addition, or instead of those of the same types that they have. It touches no world, so that a
// job can do it. The error is of category [ErrArgument] if the image is released, or if a value is of no shared
// component or of a type that comes twice.
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
		case slices.ContainsFunc(a.with, func(o arrivalValue) bool { return o.comp == c }):
			return nil, fault(ErrArgument, op, "the type is named twice").on(c)
		}
		a.with = append(a.with, arrivalValue{c, v})
	}
	a.places = make([]int32, m.slots)
	a.old, a.ids = make([]Entity, 0, m.rows), make([]Entity, m.rows)
	clear(a.ids) // it is fresh memory, which no frame shall wait for
	for i := range m.archetypes {
		heads := m.archetypes[i].isMeta() // come with their chunks
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

// head notes where the meta entities of a chunk are.
func (a *ImageStream) head(c *chunkImage) {
	if a.metas == nil {
		a.metas = map[Entity]arrivalMeta{}
	}
	for row, e := range c.ids[:c.n] {
		a.metas[e] = arrivalMeta{c, row}
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

// Len returns the number of entities in the image.
func (a *ImageStream) Len() int { return len(a.orZero().ids) }

// Left returns the number of entities that Load has still to bring; 0 when the stream is over.
func (a *ImageStream) Left() int {
	if a == nil || a.over {
		return 0
	}
	return len(a.ids) - a.came
}

// NewID returns the id in the world of an entity of the image; the null entity before Begin, and for what is
// no entity of the image.
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

// Entities returns the ids in the world of those that have come, in the order in which they came, whether they still
// exist or not. It is to be read, and good until the next call of a method.
func (a *ImageStream) Entities() []Entity {
	a = a.orZero()
	return a.ids[a.gone:a.came:a.came]
}

// Clone returns an ImageStream that has come as far. A program that keeps state of its own beside an image of the world keeps a Clone with it, and
// goes on with a Clone of that when the image is restored. A Clone made before Begin begins by itself.
func (a *ImageStream) Clone() *ImageStream {
	a = a.orZero()
	b := *a
	if a.world == nil {
		b.ids = slices.Clone(a.ids) // which only Begin writes
	}
	return &b
}

// Begin reserves the ids. It is a structural change, though no row comes. The error is of category [ErrArgument]
// if an entity would not fit a chunk, or a type has a name that another type has in the world;
// of category [ErrState] if the ImageStream has begun already, or the world cannot be changed now.
func (a *ImageStream) Begin(w *World) error {
	const op = "ImageStream.Begin"
	a = a.orZero()
	switch {
	case w == nil:
		return noWorld(op)
	case a.world != nil:
		return w.fault(ErrState, op, "the stream has begun already, in world %q: make another one for a second time", a.world.name)
	case a.image == nil:
		return w.fault(ErrState, op, "the stream is the zero ImageStream: make it with NewImageStream")
	case a.image.pool == nil:
		return w.fault(ErrArgument, op, "the image was released before all had come")
	}
	if err := w.canChange(op); err != nil {
		return err
	}
	targets, err := a.targetsIn(op, w)
	if err != nil {
		w.idle()
		return err
	}
	if err := w.commit(op); err != nil {
		return err
	}
	a.world, a.targets, a.restores = w, targets, w.hooks.restores
	w.entities.take(a.ids, free, 0)
	w.entities.retired += len(a.ids) // so they do not count as alive
	a.setMark()
	w.finish()
	return nil
}

// targetsIn returns the archetypes of w in which rows of the image come: nil for those that have none.
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
		set, err := w.sortSet(op, set)
		if err == nil {
			targets[i], err = w.archetypeOf(op, set)
		}
		if err == nil && targets[i].kinds.has(isCleanup) {
			_, err = w.cleanupMove(op, targets[i])
		}
		if err != nil {
			return nil, err
		}
	}
	return targets, nil
}

// Resume makes an ImageStream go on after its world was restored. The world must contain what it did when the ImageStream had come as far
// as it has now: keep a Clone with the image, and call Resume of a Clone of that. Ids that were reserved are reserved again. The error is of
// category [ErrState] if the ImageStream has not begun, or the world cannot be changed now; of category [ErrArgument] if an id
// is not reserved in what the world contains.
func (a *ImageStream) Resume() error {
	const op = "ImageStream.Resume"
	if a == nil || a.world == nil {
		return fault(ErrState, op, "the stream has not begun: call Begin")
	}
	if err := a.begun(op); err != nil {
		return err
	}
	a.world.idle()
	return a.resume(op, a.world)
}

// resume makes a go on in w, which contains what it did when a had come as far.
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
	if err := w.entities.reserved(rest); err != nil {
		w.idle()
		return w.fault(ErrArgument, op, "%s", err)
	}
	targets := a.targets
	if a.image != nil {
		var err error
		if targets, err = a.targetsIn(op, w); err != nil {
			w.idle()
			return err
		}
	}
	if err := w.commit(op); err != nil {
		return err
	}
	for _, e := range rest {
		w.entities.slots[e.Index] = slot{e.Version, free, 0}
	}
	a.world, a.targets, a.restores = w, targets, w.hooks.restores
	a.setMark()
	w.finish()
	return nil
}

// reserved returns an error if one of ids may be that of an entity, now or later: slots of reserved ids are neither used nor free.
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

// arrivalVersion is the version of the bytes of AppendState.
const arrivalVersion = 1

// AppendState appends how far the ImageStream has come, with all its ids, to out: for a file beside the one of the world. Ids that follow each other take few
// bytes.
func (a *ImageStream) AppendState(out []byte) []byte {
	a = a.orZero()
	over := uint64(0)
	if a.over {
		over = 1
	}
	for _, v := range [...]uint64{arrivalVersion, uint64(len(a.ids)), uint64(a.came), uint64(a.gone), over} {
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

// LoadState makes an ImageStream that has not begun go on in w as the one did that has appended the bytes: w was restored to a moment at which that had come
// as far as the bytes say, with the same ids. The ImageStream is made by [NewImageStream], of an equal image; or it is the zero ImageStream, which has no rows to let
// come, and is for Unload. If w has an ImageStream with the same ids already, the two are as Clones from then on: one goes on, and the other one is refused.
//
// The error is of category [ErrArgument], and nothing has changed, if the bytes are others, if an id is not reserved in w, or if w knows that it does not contain
// what it did then: an ImageStream of these ids has come to another place, or w has none. One with the same ids that has come as far is taken for that of the bytes. A world that was restored from a file knows nothing of arrivals. There the
// caller must take care that the bytes were saved together with the file, because an entity that has the id of one that came is taken for that one, and
// Unload destroys it.
func (a *ImageStream) LoadState(w *World, in []byte) error {
	const op = "ImageStream.LoadState"
	switch {
	case w == nil:
		return noWorld(op)
	case a == nil:
		return w.fault(ErrState, op, "the stream is nil: make one with NewImageStream, or use a zero ImageStream")
	case a.world != nil:
		return w.fault(ErrState, op, "the stream has begun already: make another one with NewImageStream")
	case a.image != nil && a.image.pool == nil:
		return w.fault(ErrArgument, op, "the image was released")
	}
	b := *a
	if !b.read(in, len(w.entities.slots)) {
		return w.fault(ErrArgument, op, "the %d bytes are not those of AppendState, or of another image or world", len(in))
	}
	for _, e := range b.ids[:b.came] {
		if own := w.entities.find(e); own != nil && w.records[own.record].arch.isMeta {
			return w.fault(ErrArgument, op, "the id %v is that of an entity that holds the chunk components of a chunk", e)
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

// read reads what AppendState has written, for a world with so many slots.
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
	if !ok || version != arrivalVersion || count > slots || came > count || gone > came || over > 1 {
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

// pass moves on to the row of the image behind the next ones, up to most of them, and returns how many these are.
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

// begun returns an error if the arrival cannot go on, or back, in its world.
func (a *ImageStream) begun(op string) error {
	if a.world == nil {
		return fault(ErrState, op, "the stream has not begun: call Begin")
	}
	if err := a.world.canChange(op); err != nil {
		return err
	}
	if !a.atMark() {
		a.world.idle()
		return a.world.fault(ErrState, op, "the world was restored since, or a Clone of the stream has gone on, so that its ids may be those of other entities (%d of %d had come, %d of these were unloaded): keep a Clone with each image and go on with that, or make another stream",
			a.came, len(a.ids), a.gone)
	}
	return nil
}

// Unload ends entities that have come and still exist, up to most of them, those that came first first, as [World.Destroy]
// does, but never a part of an [LinkedGroup] that did not come with them: cleanup components stay. What has not come yet never will.
// It returns how many of those that came are left to be withdrawn. The error is of category [ErrState], and nothing is changed, if the ImageStream has not
// begun, the world cannot be changed now, was restored to a moment at which the ImageStream was elsewhere, or if a Clone has gone on.
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
		w.entities.retired -= len(a.ids) - a.came
		w.entities.release(a.ids[a.came:])
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

// collect makes a.lives a list of entities that came and still exist, up to most and to its capacity; a.gone passes them.
func (a *ImageStream) collect(most int) {
	a.lives = a.lives[:0]
	for a.gone < a.came && len(a.lives) < min(most, cap(a.lives)) {
		e := a.ids[a.gone]
		if a.gone++; a.world.entities.find(e) != nil {
			a.lives = append(a.lives, e)
		}
	}
}
