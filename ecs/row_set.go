package ecs

import (
	"encoding/binary"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// RowSet copies some columns of entities, named by their ids, out to bytes and in again, in the order of the ids. It
// updates ghosts, which are pictures of entities that live in another world. A program may choose the columns at run time.
//
// The bytes are those of memory on this machine: for each component, in the order of [NewRowSet], and for each of its lanes, the values of all
// ids, one behind the other. A RowSet is for the owner of its world. Methods of a nil or zero RowSet return an error of category [ErrState].
type RowSet struct {
	world *World
	comps []*component
	bytes int
	bools [][]uintptr // of the lanes of all components, one behind the other

	places   [][]int32 // by archetype: the columns
	orders   uint32    // the world's archetypes in that order
	found    rowsFound // scratch
	chunks   []int32   // the same: of each record of the world, its place among the chunks found, from 1
	from, to foundRows // of Gather, of Scatter
}

// foundRows is where some entities are, until a structural change.
type foundRows struct {
	ids   []Entity
	at    []int32 // chunks of all
	rows  []int32 // rows in them
	runs  []foundRun
	all   []*record     // the chunks, each once
	views [][3][]uint32 // scratch: lanes of these
	stamp uint32
}

// foundRun is neighbours in the list that are of one archetype.
type foundRun struct {
	arch     *archetype
	first, n int
}

// NewRowSet returns a set that copies columns of the given types. They must be plain components: the error is of category [ErrArgument] if a type is no component or comes
// twice, or is shared, managed, a buffer or of chunks. It is also an error if a type refers to entities or blobs, because these references mean
// something else in another world.
func NewRowSet(w *World, types ...reflect.Type) (*RowSet, error) {
	const op = "NewRowSet"
	if err := w.open(op); err != nil {
		return nil, err
	}
	s := &RowSet{world: w}
	for i, t := range types {
		c, err := w.types.componentOf(op, t)
		if err != nil {
			return nil, err
		}
		switch {
		case c.kind&(isShared|isManaged|isBuffer|isPerChunk) != 0:
			return nil, w.gate.fault(ErrArgument, op, "the component has no values of one size in rows: it is shared, managed, a buffer or of chunks").on(c)
		case len(c.refs)+len(blobsOf(c.typ, 0, nil)) > 0:
			return nil, w.gate.fault(ErrArgument, op, "the component refers to entities or blobs, which are others elsewhere: keep a global id in it").on(c)
		}
		if slices.Contains(types[:i], t) {
			return nil, w.gate.fault(ErrArgument, op, "the type is named twice").on(c)
		}
		s.comps = append(s.comps, c)
		s.bytes += bytesOfLanes(c)
		for _, l := range c.lanes {
			s.bools = append(s.bools, boolsOf(l.Type, 0, nil))
		}
	}
	return s, nil
}

// RowBytes returns the number of bytes of one entity.
func (s *RowSet) RowBytes() int {
	if s == nil {
		return 0
	}
	return s.bytes
}

// made returns an error if s is nil or the zero RowSet.
func (s *RowSet) made(op string) error {
	if s == nil || s.world == nil {
		return fault(ErrState, op, "the set is the zero RowSet: make it with NewRowSet")
	}
	return nil
}

// Gather appends the values of the entities to dst. It first waits for jobs that write the columns. The error is of category [ErrArgument] if an entity does not exist
// or lacks a component, and then dst has its old length. If the ids are those of the last call, and there was no structural change since, it does not look them up again.
func (s *RowSet) Gather(dst []byte, ids []Entity) ([]byte, error) {
	const op = "RowSet.Gather"
	if err := s.made(op); err != nil {
		return dst, err
	}
	if err := s.find(op, &s.from, ids, false); err != nil {
		return dst, err
	}
	at := len(dst)
	out := slices.Grow(dst, len(ids)*s.bytes)[:at+len(ids)*s.bytes]
	for k, c := range s.comps {
		size := len(ids) * bytesOfLanes(c)
		for i := range s.from.runs {
			s.from.gather(&s.from.runs[i], s.places, k, out[at:at+size])
		}
		at += size
	}
	return out, nil
}

// Scatter writes bytes of a Gather for as many entities, from this or another machine, to entities, and marks the columns as changed in their chunks.
// It first waits for jobs that read or write the columns. The error is of category [ErrArgument], and nothing is
// written, if an entity does not exist or lacks a component, if src has not len(ids)*RowBytes bytes, or if a bool in it is neither 0 nor 1.
// If an entity comes twice, its last values stay.
func (s *RowSet) Scatter(ids []Entity, src []byte) error {
	const op = "RowSet.Scatter"
	if err := s.made(op); err != nil {
		return err
	}
	if len(src) != len(ids)*s.bytes {
		return s.world.gate.fault(ErrArgument, op, "there are %d bytes for %d entities of %d", len(src), len(ids), s.bytes)
	}
	if err := s.check(op, src, len(ids)); err != nil {
		return err
	}
	if err := s.find(op, &s.to, ids, true); err != nil {
		return err
	}
	for k, c := range s.comps {
		size := len(ids) * bytesOfLanes(c)
		for i := range s.to.runs {
			s.to.scatter(&s.to.runs[i], s.places, k, src[:size])
		}
		src = src[size:]
	}
	return nil
}

// find notes where entities are, all of which have all components, and completes the jobs that touch these.
func (s *RowSet) find(op string, f *foundRows, ids []Entity, write bool) error {
	w := s.world
	if err := w.open(op); err != nil {
		return err
	}
	for _, c := range s.comps {
		if err := w.await(op, c, write); err != nil {
			return err
		}
	}
	if f.stamp != w.gate.structural || !slices.Equal(f.ids, ids) {
		if err := s.seek(op, f, ids); err != nil {
			f.forget()
			return err
		}
		f.ids, f.stamp = append(f.ids[:0], ids...), w.gate.structural
	}
	if !write {
		return nil
	}
	if guard {
		w.tables.wrote()
	}
	for _, r := range f.all {
		for _, at := range s.places[r.arch.index] {
			r.mark(int(at), w.gate.version)
		}
	}
	return nil
}

// seek looks entities up.
func (s *RowSet) seek(op string, f *foundRows, ids []Entity) error {
	w := s.world
	f.forget()
	defer func() {
		for _, r := range f.all {
			s.chunks[r.id] = 0
		}
	}()
	s.learn()
	s.chunks = append(s.chunks, make([]int32, max(0, len(w.tables.records)-len(s.chunks)))...)
	f.at, f.rows = slices.Grow(f.at, len(ids)), slices.Grow(f.rows, len(ids))
	last := int32(-1)
	for ; len(ids) > 0; ids = ids[min(gatherStep, len(ids)):] {
		some := ids[:min(gatherStep, len(ids))]
		w.tables.locate(&s.found, some)
		for i, e := range some {
			k := s.found.chunks[i]
			if k == free {
				return w.entityError(op, e)
			}
			at := s.chunks[k] - 1
			if at < 0 {
				var err error
				if at, err = s.chunk(op, f, e, w.tables.records[k]); err != nil {
					return err
				}
			}
			if at != last {
				f.beginRun(last, at)
				last = at
			}
			f.at = append(f.at, at)
		}
		f.rows = append(f.rows, s.found.rows[:len(some)]...)
	}
	f.endRun()
	f.views = slices.Grow(f.views[:0], len(f.all))[:len(f.all)]
	return nil
}

// chunk adds a chunk to those of the entities, and returns its place; e is one of them.
func (s *RowSet) chunk(op string, f *foundRows, e Entity, r *record) (int32, error) {
	if k := slices.Index(s.places[r.arch.index], -1); k >= 0 {
		return 0, s.world.gate.fault(ErrArgument, op, "the entity has no such component, it has %v", r.arch).of(e).on(s.comps[k])
	}
	at := int32(len(f.all))
	f.all, s.chunks[r.id] = append(f.all, r), at+1
	return at, nil
}

// beginRun begins another run where an entity is in a chunk of another archetype than the one before; last
// is -1 for the first.
func (f *foundRows) beginRun(last, at int32) {
	if last < 0 || f.all[last].arch != f.all[at].arch {
		f.endRun()
		f.runs = append(f.runs, foundRun{f.all[at].arch, len(f.at), 0})
	}
}

// endRun ends the last run behind what was found until now.
func (f *foundRows) endRun() {
	if n := len(f.runs); n > 0 {
		f.runs[n-1].n = len(f.at) - f.runs[n-1].first
	}
}

// forget keeps nothing but memory: structural versions begin at 1.
func (f *foundRows) forget() {
	clear(f.runs)
	clear(f.all)
	clear(f.views[:cap(f.views)])
	f.ids, f.at, f.rows, f.runs, f.all, f.stamp = f.ids[:0], f.at[:0], f.rows[:0], f.runs[:0], f.all[:0], 0
}

// learn finds the columns in archetypes that are new.
func (s *RowSet) learn() {
	w := s.world
	if s.orders != w.tables.returns.reordered {
		s.orders, s.places = w.tables.returns.reordered, s.places[:0]
	}
	for i := len(s.places); i < len(w.tables.archetypes); i++ {
		own := make([]int32, len(s.comps))
		for k, c := range s.comps {
			own[k] = int32(w.tables.archetypes[i].find(c.key))
		}
		s.places = append(s.places, own)
	}
}

// gather copies a component of the entities of a run to where it belongs among those of all entities.
func (f *foundRows) gather(run *foundRun, places [][]int32, comp int, to []byte) {
	c := &run.arch.columns[places[run.arch.index][comp]]
	at, rows, all := f.at[run.first:][:run.n], f.rows[run.first:][:run.n], len(f.rows)
	if c.way == wayWords && len(c.lanes) == 3 {
		f.show(run.arch, c.lanes)
		x, y, z := to[4*run.first:][:4*run.n], to[4*(all+run.first):][:4*run.n], to[4*(2*all+run.first):][:4*run.n]
		for i, k := range at {
			v, row, o := &f.views[k], rows[i], 4*i
			binary.NativeEndian.PutUint32(x[o:o+4], v[0][row])
			binary.NativeEndian.PutUint32(y[o:o+4], v[1][row])
			binary.NativeEndian.PutUint32(z[o:o+4], v[2][row])
		}
		return
	}
	for l := range c.lanes {
		size := int(c.lanes[l].Size)
		own := to[run.first*size:][:run.n*size]
		if size == 4 {
			f.show(run.arch, c.lanes[l:l+1])
			for i, k := range at {
				binary.NativeEndian.PutUint32(own[4*i:4*i+4], f.views[k][0][rows[i]])
			}
		} else {
			for i, k := range at {
				copy(own[i*size:], f.all[k].Bytes(c.lanes[l], int(rows[i]), 1))
			}
		}
		to = to[all*size:]
	}
}

// scatter is the other way round.
func (f *foundRows) scatter(run *foundRun, places [][]int32, comp int, from []byte) {
	c := &run.arch.columns[places[run.arch.index][comp]]
	at, rows, all := f.at[run.first:][:run.n], f.rows[run.first:][:run.n], len(f.rows)
	if c.way == wayWords && len(c.lanes) == 3 {
		f.show(run.arch, c.lanes)
		x, y, z := from[4*run.first:][:4*run.n], from[4*(all+run.first):][:4*run.n], from[4*(2*all+run.first):][:4*run.n]
		for i, k := range at {
			v, row, o := &f.views[k], rows[i], 4*i
			v[0][row] = binary.NativeEndian.Uint32(x[o : o+4])
			v[1][row] = binary.NativeEndian.Uint32(y[o : o+4])
			v[2][row] = binary.NativeEndian.Uint32(z[o : o+4])
		}
		return
	}
	for l := range c.lanes {
		size := int(c.lanes[l].Size)
		own := from[run.first*size:][:run.n*size]
		if size == 4 {
			f.show(run.arch, c.lanes[l:l+1])
			for i, k := range at {
				f.views[k][0][rows[i]] = binary.NativeEndian.Uint32(own[4*i : 4*i+4])
			}
		} else {
			for i, k := range at {
				copy(f.all[k].Bytes(c.lanes[l], int(rows[i]), 1), own[i*size:])
			}
		}
		from = from[all*size:]
	}
}

// show points the views of the chunks of an archetype at some of its lanes, which are of words.
func (f *foundRows) show(a *archetype, lanes []table.Lane) {
	for k, r := range f.all {
		if r.arch == a {
			for l := range lanes {
				f.views[k][l] = elements[uint32](r.Bytes(lanes[l], 0, r.n))
			}
		}
	}
}

// bytesOfLanes returns how many bytes a row has.
func bytesOfLanes(c *component) (n int) {
	for _, l := range c.lanes {
		n += int(l.Type.Size())
	}
	return n
}

// check finds a bool that is neither 0 nor 1.
func (s *RowSet) check(op string, src []byte, n int) error {
	lane := 0
	for _, c := range s.comps {
		for _, l := range c.lanes {
			size, at := int(l.Type.Size()), s.bools[lane]
			if lane++; len(at) > 0 && !areBools(src[:n*size], size, at) {
				return s.world.gate.fault(ErrArgument, op, "a bool of lane %s is neither 0 nor 1", l.Name).on(c)
			}
			src = src[n*size:]
		}
	}
	return nil
}
