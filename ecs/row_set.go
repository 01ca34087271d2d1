package ecs

import (
	"encoding/binary"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// RowSet copies some columns of entities to bytes and back. The entities are given by their ids, and the
// bytes are in the order of the ids. For example, it updates ghosts, which are copies of entities of
// another world. A program may choose the columns at run time.
//
// The bytes have the memory layout of this machine. For each component, in the order of [NewRowSet], and
// for each of its lanes, they contain the values of all ids, one id after the other. Only the owner of
// the world may use a RowSet. Methods of a nil or zero RowSet return an error of category [ErrState].
type RowSet struct {
	world       *World
	comps       []*component
	rowBytes    int
	boolOffsets [][]uintptr // for each lane of all components: the offsets of its bools

	columnsByArchetype        [][]int32    // by archetype: the columns
	orderCount                uint32       // the count of reorderings of archetypes that columnsByArchetype is for
	locations                 rowLocations // scratch
	foundIndex                []int32      // scratch: by record of the world, its index among the found chunks plus one
	gatherFound, scatterFound entityRows   // of Gather, of Scatter
}

// entityRows holds the chunks and rows of some entities. entityRows is valid until a structural
// change.
type entityRows struct {
	ids               []Entity
	chunkIndex        []int32 // indices in chunks
	rows              []int32 // rows in those chunks
	runs              []archetypeRun
	chunks            []*chunkData  // the chunks, each once
	laneViews         [][3][]uint32 // scratch: lanes of the chunks
	structuralVersion uint32
}

// archetypeRun is a range of the list of entities. All entities in it have the same archetype.
type archetypeRun struct {
	arch         *archetype
	first, count int
}

// NewRowSet returns a set that copies columns of the given types. The types must be plain components. The
// error is of category [ErrArgument] if a type is not a component, occurs twice, or is shared, managed, a
// buffer or a [PerChunk]. A type that refers to entities or blobs is also an error, because such
// references have another meaning in another world.
func NewRowSet(w *World, types ...reflect.Type) (*RowSet, error) {
	const op = "NewRowSet"
	if err := w.checkOpen(op); err != nil {
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
			return nil, w.gate.fault(ErrArgument, op, "the component has no values of one size in rows: it is shared, managed, a buffer or of chunks").forComponent(c)
		case len(c.refOffsets)+len(appendBlobRefs(c.typ, 0, nil)) > 0:
			return nil, w.gate.fault(ErrArgument, op, "the component refers to entities or blobs, which are others elsewhere: keep a global id in it").forComponent(c)
		}
		if slices.Contains(types[:i], t) {
			return nil, w.gate.fault(ErrArgument, op, "the type is named twice").forComponent(c)
		}
		s.comps = append(s.comps, c)
		s.rowBytes += rowLaneBytes(c)
		for _, l := range c.lanes {
			s.boolOffsets = append(s.boolOffsets, appendBoolOffsets(l.Type, 0, nil))
		}
	}
	return s, nil
}

// RowBytes returns the number of bytes of one entity, which is the sum over all lanes of the
// components. RowBytes returns 0 for a nil or zero RowSet.
func (s *RowSet) RowBytes() int {
	if s == nil {
		return 0
	}
	return s.rowBytes
}

// checkMade returns an error if s is nil or the zero RowSet.
func (s *RowSet) checkMade(op string) error {
	if s == nil || s.world == nil {
		return fault(ErrState, op, "the set is the zero RowSet: make it with NewRowSet")
	}
	return nil
}

// Gather appends the values of the entities to dst. Gather first waits for jobs that write the columns.
// The error is of category [ErrArgument] if an entity does not exist or lacks a component. Then dst
// keeps its old length. If the ids are the same as in the last call, and no structural change happened
// since then, Gather does not look up the entities again.
func (s *RowSet) Gather(dst []byte, ids []Entity) ([]byte, error) {
	const op = "RowSet.Gather"
	if err := s.checkMade(op); err != nil {
		return dst, err
	}
	if err := s.locate(op, &s.gatherFound, ids, false); err != nil {
		return dst, err
	}
	at := len(dst)
	out := slices.Grow(dst, len(ids)*s.rowBytes)[:at+len(ids)*s.rowBytes]
	for k, c := range s.comps {
		size := len(ids) * rowLaneBytes(c)
		for i := range s.gatherFound.runs {
			s.gatherFound.gather(&s.gatherFound.runs[i], s.columnsByArchetype, k, out[at:at+size])
		}
		at += size
	}
	return out, nil
}

// Scatter writes to entities the bytes that Gather has returned, and marks the columns as changed in their
// chunks. The bytes must be for the same number of entities, and may come from this or another machine. It
// first waits for jobs that read or write the columns. The error is of category [ErrArgument], and nothing
// is written, in three cases: an entity does not exist or lacks a component; the length of src is not
// len(ids)*RowBytes; or a bool in src is neither 0 nor 1. If an entity occurs twice, the later values
// remain.
func (s *RowSet) Scatter(ids []Entity, src []byte) error {
	const op = "RowSet.Scatter"
	if err := s.checkMade(op); err != nil {
		return err
	}
	if len(src) != len(ids)*s.rowBytes {
		return s.world.gate.fault(ErrArgument, op, "there are %d bytes for %d entities of %d", len(src), len(ids), s.rowBytes)
	}
	if err := s.checkBools(op, src, len(ids)); err != nil {
		return err
	}
	if err := s.locate(op, &s.scatterFound, ids, true); err != nil {
		return err
	}
	for k, c := range s.comps {
		size := len(ids) * rowLaneBytes(c)
		for i := range s.scatterFound.runs {
			s.scatterFound.scatter(&s.scatterFound.runs[i], s.columnsByArchetype, k, src[:size])
		}
		src = src[size:]
	}
	return nil
}

// locate finds the chunks and rows of entities, all of which must have all components. It also
// completes the jobs that access these components.
func (s *RowSet) locate(op string, f *entityRows, ids []Entity, write bool) error {
	w := s.world
	if err := w.checkOpen(op); err != nil {
		return err
	}
	for _, c := range s.comps {
		if err := w.awaitComponent(op, c, write); err != nil {
			return err
		}
	}
	if f.structuralVersion != w.gate.structuralVersion || !slices.Equal(f.ids, ids) {
		if err := s.lookup(op, f, ids); err != nil {
			f.dropRefs()
			return err
		}
		f.ids, f.structuralVersion = append(f.ids[:0], ids...), w.gate.structuralVersion
	}
	if !write {
		return nil
	}
	if guard {
		w.tables.noteOwnerWrite()
	}
	for _, r := range f.chunks {
		for _, at := range s.columnsByArchetype[r.arch.index] {
			r.mark(int(at), w.gate.changeVersion)
		}
	}
	return nil
}

// lookup looks entities up.
func (s *RowSet) lookup(op string, f *entityRows, ids []Entity) error {
	w := s.world
	f.dropRefs()
	defer func() {
		for _, r := range f.chunks {
			s.foundIndex[r.id] = 0
		}
	}()
	s.findColumns()
	s.foundIndex = append(s.foundIndex, make([]int32, max(0, len(w.tables.chunks)-len(s.foundIndex)))...)
	f.chunkIndex, f.rows = slices.Grow(f.chunkIndex, len(ids)), slices.Grow(f.rows, len(ids))
	last := int32(-1)
	for ; len(ids) > 0; ids = ids[min(gatherStep, len(ids)):] {
		some := ids[:min(gatherStep, len(ids))]
		w.tables.locate(&s.locations, some)
		for i, e := range some {
			k := s.locations.chunks[i]
			if k == freeSlot {
				return w.entityError(op, e)
			}
			at := s.foundIndex[k] - 1
			if at < 0 {
				var err error
				if at, err = s.addChunk(op, f, e, w.tables.chunks[k]); err != nil {
					return err
				}
			}
			if at != last {
				f.beginRun(last, at)
				last = at
			}
			f.chunkIndex = append(f.chunkIndex, at)
		}
		f.rows = append(f.rows, s.locations.rows[:len(some)]...)
	}
	f.endRun()
	f.laneViews = slices.Grow(f.laneViews[:0], len(f.chunks))[:len(f.chunks)]
	return nil
}

// addChunk adds the chunk r to the list of chunks, and returns its index in the list. e is an
// entity in the chunk, for error messages.
func (s *RowSet) addChunk(op string, f *entityRows, e Entity, r *chunkData) (int32, error) {
	if k := slices.Index(s.columnsByArchetype[r.arch.index], -1); k >= 0 {
		return 0, s.world.gate.fault(ErrArgument, op, "the entity has no such component, it has %v", r.arch).forEntity(e).forComponent(s.comps[k])
	}
	at := int32(len(f.chunks))
	f.chunks, s.foundIndex[r.id] = append(f.chunks, r), at+1
	return at, nil
}

// beginRun begins a new run if the chunk at index at has another archetype than the chunk at index
// last. last is -1 for the first entity.
func (f *entityRows) beginRun(last, at int32) {
	if last < 0 || f.chunks[last].arch != f.chunks[at].arch {
		f.endRun()
		f.runs = append(f.runs, archetypeRun{f.chunks[at].arch, len(f.chunkIndex), 0})
	}
}

// endRun ends the last run: it sets the number of entities in the run.
func (f *entityRows) endRun() {
	if n := len(f.runs); n > 0 {
		f.runs[n-1].count = len(f.chunkIndex) - f.runs[n-1].first
	}
}

// dropRefs drops all references and keeps only memory for reuse. The structural version becomes 0,
// which no world has, because worlds begin with 1.
func (f *entityRows) dropRefs() {
	clear(f.runs)
	clear(f.chunks)
	clear(f.laneViews[:cap(f.laneViews)])
	f.ids, f.chunkIndex, f.rows, f.runs, f.chunks, f.structuralVersion = f.ids[:0], f.chunkIndex[:0], f.rows[:0], f.runs[:0], f.chunks[:0], 0
}

// findColumns looks up the columns in archetypes that are new since the last call.
func (s *RowSet) findColumns() {
	w := s.world
	if s.orderCount != w.tables.restoreMemo.delistCount {
		s.orderCount, s.columnsByArchetype = w.tables.restoreMemo.delistCount, s.columnsByArchetype[:0]
	}
	for i := len(s.columnsByArchetype); i < len(w.tables.archetypes); i++ {
		own := make([]int32, len(s.comps))
		for k, c := range s.comps {
			own[k] = int32(w.tables.archetypes[i].findColumn(c.key))
		}
		s.columnsByArchetype = append(s.columnsByArchetype, own)
	}
}

// gather copies the values of one component, for the entities of a run, to their place in the bytes
// of all entities.
func (f *entityRows) gather(run *archetypeRun, places [][]int32, comp int, to []byte) {
	c := &run.arch.columns[places[run.arch.index][comp]]
	at, rows, all := f.chunkIndex[run.first:][:run.count], f.rows[run.first:][:run.count], len(f.rows)
	if c.layoutKind == layoutWords && len(c.lanes) == 3 {
		f.setViews(run.arch, c.lanes)
		x, y, z := to[4*run.first:][:4*run.count], to[4*(all+run.first):][:4*run.count], to[4*(2*all+run.first):][:4*run.count]
		for i, k := range at {
			v, row, o := &f.laneViews[k], rows[i], 4*i
			binary.NativeEndian.PutUint32(x[o:o+4], v[0][row])
			binary.NativeEndian.PutUint32(y[o:o+4], v[1][row])
			binary.NativeEndian.PutUint32(z[o:o+4], v[2][row])
		}
		return
	}
	for l := range c.lanes {
		size := int(c.lanes[l].Size)
		own := to[run.first*size:][:run.count*size]
		if size == 4 {
			f.setViews(run.arch, c.lanes[l:l+1])
			for i, k := range at {
				binary.NativeEndian.PutUint32(own[4*i:4*i+4], f.laneViews[k][0][rows[i]])
			}
		} else {
			for i, k := range at {
				copy(own[i*size:], f.chunks[k].Bytes(c.lanes[l], int(rows[i]), 1))
			}
		}
		to = to[all*size:]
	}
}

// scatter is the reverse of gather: it copies from the bytes to the component.
func (f *entityRows) scatter(run *archetypeRun, places [][]int32, comp int, from []byte) {
	c := &run.arch.columns[places[run.arch.index][comp]]
	at, rows, all := f.chunkIndex[run.first:][:run.count], f.rows[run.first:][:run.count], len(f.rows)
	if c.layoutKind == layoutWords && len(c.lanes) == 3 {
		f.setViews(run.arch, c.lanes)
		x, y, z := from[4*run.first:][:4*run.count], from[4*(all+run.first):][:4*run.count], from[4*(2*all+run.first):][:4*run.count]
		for i, k := range at {
			v, row, o := &f.laneViews[k], rows[i], 4*i
			v[0][row] = binary.NativeEndian.Uint32(x[o : o+4])
			v[1][row] = binary.NativeEndian.Uint32(y[o : o+4])
			v[2][row] = binary.NativeEndian.Uint32(z[o : o+4])
		}
		return
	}
	for l := range c.lanes {
		size := int(c.lanes[l].Size)
		own := from[run.first*size:][:run.count*size]
		if size == 4 {
			f.setViews(run.arch, c.lanes[l:l+1])
			for i, k := range at {
				f.laneViews[k][0][rows[i]] = binary.NativeEndian.Uint32(own[4*i : 4*i+4])
			}
		} else {
			for i, k := range at {
				copy(f.chunks[k].Bytes(c.lanes[l], int(rows[i]), 1), own[i*size:])
			}
		}
		from = from[all*size:]
	}
}

// setViews prepares views of some lanes for all chunks of an archetype. The lanes consist of 32-bit
// words.
func (f *entityRows) setViews(a *archetype, lanes []table.Lane) {
	for k, r := range f.chunks {
		if r.arch == a {
			for l := range lanes {
				f.laneViews[k][l] = bufferElements[uint32](r.Bytes(lanes[l], 0, r.count))
			}
		}
	}
}

// rowLaneBytes returns the number of bytes of a row of c.
func rowLaneBytes(c *component) (n int) {
	for _, l := range c.lanes {
		n += int(l.Type.Size())
	}
	return n
}

// checkBools returns an error if a bool is neither 0 nor 1.
func (s *RowSet) checkBools(op string, src []byte, n int) error {
	lane := 0
	for _, c := range s.comps {
		for _, l := range c.lanes {
			size, at := int(l.Type.Size()), s.boolOffsets[lane]
			if lane++; len(at) > 0 && !areBools(src[:n*size], size, at) {
				return s.world.gate.fault(ErrArgument, op, "a bool of lane %s is neither 0 nor 1", l.Name).forComponent(c)
			}
			src = src[n*size:]
		}
	}
	return nil
}
