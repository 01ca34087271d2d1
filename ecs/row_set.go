package ecs

import (
	"encoding/binary"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// RowSet copies some columns of entities to bytes and back, for entities given by their ids, in the order
// of the ids. For example, it updates ghosts, which are copies of entities of another world. A program may
// choose the columns at run time.
//
// The bytes have the memory layout of this machine: for each component, in the order of [NewRowSet], and
// for each of its lanes, the values of all ids, one after the other. A RowSet is for the owner of its
// world. Methods of a nil or zero RowSet return an error of category [ErrState].
type RowSet struct {
	world *World
	comps []*component
	bytes int
	bools [][]uintptr // for each lane of all components: the offsets of its bools

	places   [][]int32 // by archetype: the columns
	orders   uint32    // the count of reorderings of archetypes that places are for
	found    rowsFound // scratch
	chunks   []int32   // scratch: by record of the world, its index among the found chunks plus one
	from, to foundRows // of Gather, of Scatter
}

// foundRows is the places of some entities, valid until a structural change.
type foundRows struct {
	ids   []Entity
	at    []int32 // indices in all
	rows  []int32 // rows in those chunks
	runs  []foundRun
	all   []*record     // the chunks, each once
	views [][3][]uint32 // scratch: lanes of the chunks
	stamp uint32
}

// foundRun is a range of the list whose entities have one archetype.
type foundRun struct {
	arch     *archetype
	first, n int
}

// NewRowSet returns a set that copies columns of the given types. They must be plain components: the error
// is of category [ErrArgument] if a type is no component, comes twice, or is shared, managed, a buffer or
// a [PerChunk]. A type that refers to entities or blobs is an error too, because these references mean
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

// RowBytes returns the number of bytes of one entity, the sum over all lanes of the components; 0 for a
// nil or zero RowSet.
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

// Gather appends the values of the entities to dst. It first waits for jobs that write the columns. The
// error is of category [ErrArgument] if an entity does not exist or lacks a component; dst then has its
// old length. If the ids are those of the last call, and there was no structural change since, the
// entities are not looked up again.
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

// Scatter writes the bytes of a Gather for the same number of entities, from this or another machine, to
// entities, and marks the columns as changed in their chunks. It first waits for jobs that read or write
// the columns. The error is of category [ErrArgument], and nothing is written, if an entity does not exist
// or lacks a component, if src has not len(ids)*RowBytes bytes, or if a bool in it is neither 0 nor 1. If
// an entity comes twice, the later values remain.
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

// find locates entities, which must have all components, and completes the jobs that touch these.
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

// chunk adds a chunk to those of the entities, and returns its index; e is an entity in it.
func (s *RowSet) chunk(op string, f *foundRows, e Entity, r *record) (int32, error) {
	if k := slices.Index(s.places[r.arch.index], -1); k >= 0 {
		return 0, s.world.gate.fault(ErrArgument, op, "the entity has no such component, it has %v", r.arch).of(e).on(s.comps[k])
	}
	at := int32(len(f.all))
	f.all, s.chunks[r.id] = append(f.all, r), at+1
	return at, nil
}

// beginRun begins another run if the chunk has another archetype than the last one; last is -1 for the
// first entity.
func (f *foundRows) beginRun(last, at int32) {
	if last < 0 || f.all[last].arch != f.all[at].arch {
		f.endRun()
		f.runs = append(f.runs, foundRun{f.all[at].arch, len(f.at), 0})
	}
}

// endRun ends the last run after the entities found so far.
func (f *foundRows) endRun() {
	if n := len(f.runs); n > 0 {
		f.runs[n-1].n = len(f.at) - f.runs[n-1].first
	}
}

// forget drops all references and keeps only memory. The stamp 0 matches no world, because structural
// counts begin at 1.
func (f *foundRows) forget() {
	clear(f.runs)
	clear(f.all)
	clear(f.views[:cap(f.views)])
	f.ids, f.at, f.rows, f.runs, f.all, f.stamp = f.ids[:0], f.at[:0], f.rows[:0], f.runs[:0], f.all[:0], 0
}

// learn finds the columns in new archetypes.
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

// gather copies a component of the entities of a run to its place among those of all entities.
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

// scatter copies in the other direction.
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

// show sets the views of the chunks of an archetype to some of its lanes, which consist of words.
func (f *foundRows) show(a *archetype, lanes []table.Lane) {
	for k, r := range f.all {
		if r.arch == a {
			for l := range lanes {
				f.views[k][l] = elements[uint32](r.Bytes(lanes[l], 0, r.n))
			}
		}
	}
}

// bytesOfLanes returns the number of bytes of a row.
func bytesOfLanes(c *component) (n int) {
	for _, l := range c.lanes {
		n += int(l.Type.Size())
	}
	return n
}

// check returns an error if a bool is neither 0 nor 1.
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
