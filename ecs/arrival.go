package ecs

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
)

// arrival is rows.Arrival.
type arrival struct {
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
func (a *arrival) restored() bool { return a.restores != a.world.hooks.restores && a.Left() > 0 }

// arrivalValue is a shared value that all entities get.
type arrivalValue struct {
	comp  *component
	value any
}

// arrivalMeta is where the meta entity of a chunk of the image is.
type arrivalMeta struct {
	chunk *imageChunk
	row   int
}

// arrivalPart is a run of rows of a chunk of the image that is about to come.
type arrivalPart struct {
	archetype, chunk, row, n int
	values                   [maxShared]int32
}

// rowRoom is what package ecs/rows is made of, where it has its comments.
type rowRoom struct{}

// NewMoved is what a rows.Moved has.
func (rowRoom) NewMoved() *moved { return &moved{} }

// MoveFrom is rows.MoveFrom.
func (rowRoom) MoveFrom(w, src *World, m any) error {
	if w == nil {
		return noWorld("rows.MoveFrom")
	}
	own, _ := m.(*moved)
	return w.moveFrom(src, own)
}

// MoveMatchingFrom is rows.MoveMatchingFrom.
func (rowRoom) MoveMatchingFrom(w *World, q *Query, m any) error {
	if w == nil {
		return noWorld("rows.MoveMatchingFrom")
	}
	own, _ := m.(*moved)
	return w.moveMatchingFrom(q, own)
}

// CopyFrom is rows.CopyFrom.
func (rowRoom) CopyFrom(w, src *World, ids []Entity) ([]Entity, error) {
	if w == nil {
		return nil, noWorld("rows.CopyFrom")
	}
	return w.copyFrom(src, ids)
}

// NoArrival is what a rows.Arrival has that was not made.
func (rowRoom) NoArrival() *arrival { return &arrival{} }

// NoSet is what a rows.Set has that was not made.
func (rowRoom) NoSet() *rowSet { return &rowSet{} }

// NewArrival is rows.NewArrival.
func (rowRoom) NewArrival(m *Image, shared ...any) (*arrival, error) {
	const op = "rows.NewArrival"
	if m == nil || m.pool == nil {
		return nil, fault(ErrArgument, op, "the image is released, or is the zero Image")
	}
	a := &arrival{image: m}
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
func (a *arrival) head(c *imageChunk) {
	if a.metas == nil {
		a.metas = map[Entity]arrivalMeta{}
	}
	for row, e := range c.ids[:c.n] {
		a.metas[e] = arrivalMeta{c, row}
	}
}

// isMeta reports whether the entities are meta entities of chunks.
func (k *imageArchetype) isMeta() bool {
	return slices.ContainsFunc(k.set, func(c *component) bool { return c.typ == reflect.TypeFor[ChunkHeader]() })
}

// Len is rows.Arrival.Len.
func (a *arrival) Len() int { return len(a.ids) }

// Left is rows.Arrival.Left.
func (a *arrival) Left() int {
	if a.over {
		return 0
	}
	return len(a.ids) - a.came
}

// Of is rows.Arrival.Of.
func (a *arrival) Of(old Entity) Entity {
	if k := a.place(old); k >= 0 && a.world != nil {
		return a.ids[k]
	}
	return Entity{}
}

func (a *arrival) place(old Entity) int32 {
	if uint(old.Index) >= uint(len(a.places)) {
		return -1
	}
	k := a.places[old.Index] - 1
	if k < 0 || a.old[k] != old {
		return -1
	}
	return k
}

// Entities is rows.Arrival.Entities.
func (a *arrival) Entities() []Entity { return a.ids[a.gone:a.came:a.came] }

// Clone is rows.Arrival.Clone, whose type this package cannot name. Scratch there is from Begin on only, and both are for
// one goroutine then.
func (a *arrival) Clone() any {
	b := *a
	if a.world == nil {
		b.ids = slices.Clone(a.ids) // which only Begin writes
	}
	return &b
}

// Begin is rows.Arrival.Begin.
func (a *arrival) Begin(w *World) error {
	const op = "rows.Arrival.Begin"
	switch {
	case w == nil:
		return noWorld(op)
	case a.world != nil:
		return w.fault(ErrState, op, "the arrival has begun already, in world %q: make another one for a second time", a.world.name)
	case a.image == nil:
		return w.fault(ErrState, op, "the arrival is the zero Arrival: make it with rows.NewArrival")
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
func (a *arrival) targetsIn(op string, w *World) ([]*archetype, error) {
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

// Resume is rows.Arrival.Resume.
func (a *arrival) Resume() error {
	const op = "rows.Arrival.Resume"
	if a.world == nil {
		return fault(ErrState, op, "the arrival has not begun: call Begin")
	}
	if err := a.begun(op); err != nil {
		return err
	}
	a.world.idle()
	return a.resume(op, a.world)
}

// resume makes a go on in w, which contains what it did when a had come as far.
func (a *arrival) resume(op string, w *World) error {
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
			return fmt.Errorf("the id %v is not reserved: the world is not one that contains what it did when the arrival had come as far", e)
		}
		taken[i/64] |= 1 << (i % 64)
	}
	return nil
}

// arrivalVersion is the version of the bytes of AppendState.
const arrivalVersion = 1

// AppendState is rows.Arrival.AppendState: ids are written as runs of consecutive indices, up or down, with one version.
func (a *arrival) AppendState(out []byte) []byte {
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

// LoadState is rows.Arrival.LoadState.
func (a *arrival) LoadState(w *World, in []byte) error {
	const op = "rows.Arrival.LoadState"
	switch {
	case w == nil:
		return noWorld(op)
	case a.world != nil:
		return w.fault(ErrState, op, "the arrival has begun already: make another one with rows.NewArrival")
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
func (a *arrival) read(in []byte, slots int) bool {
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
func (a *arrival) pass(most int) int {
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
func (a *arrival) begun(op string) error {
	if a.world == nil {
		return fault(ErrState, op, "the arrival has not begun: call Begin")
	}
	if err := a.world.canChange(op); err != nil {
		return err
	}
	if !a.atMark() {
		a.world.idle()
		return a.world.fault(ErrState, op, "the world was restored since, or a Clone of the arrival has gone on, so that its ids may be those of other entities (%d of %d had come, %d of these were withdrawn): keep a Clone with each image and go on with that, or make another arrival",
			a.came, len(a.ids), a.gone)
	}
	return nil
}

// Withdraw is rows.Arrival.Withdraw.
func (a *arrival) Withdraw(most int) (left int, err error) {
	const op = "rows.Arrival.Withdraw"
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
func (a *arrival) collect(most int) {
	a.lives = a.lives[:0]
	for a.gone < a.came && len(a.lives) < min(most, cap(a.lives)) {
		e := a.ids[a.gone]
		if a.gone++; a.world.entities.find(e) != nil {
			a.lives = append(a.lives, e)
		}
	}
}
