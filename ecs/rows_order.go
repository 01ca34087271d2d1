package ecs

import (
	"encoding/binary"
	"slices"

	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/order"
)

// OrderBy sorts the rows that a query matches by keys, the lowest key first. So entities that are used
// together can be neighbours in memory. For example, sort along a curve through space (see
// near.Space.Hilbert), by a target, or by the time of an event. Rows with equal keys keep their order. The
// function keys is called once for each matching chunk, in the order of a loop. It sets keys[i] to the key
// of row i; all keys are 0 before.
//
// Rows are sorted within their archetype and their shared values, and only among rows that the query
// matches. Chunks keep their number of rows, and other rows stay in place. Each entity keeps its id and
// all its values, including enabled bits, elements of buffers and managed components. References to the
// entity stay valid. Chunk components stay with their chunks. The new order depends only on the keys, so
// it is the same on every machine and with any number of workers.
//
// OrderBy is a structural change and a sync point. As in Defragment, no value counts as written. For
// [Changed], a chunk with moved rows gets the newest version of the chunks from which the rows come. For
// [OrderChanged], its rows count as having come and gone. A chunk whose rows all stay in place has not
// changed. If all rows are already in order, nothing has changed. If the function panics, OrderBy changes
// nothing. The function must not change the world. The error is of category [ErrArgument] if keys is nil,
// [ErrDisposed] if the query is closed, and [ErrState] if w cannot be changed now.
//
// OrderBy takes about as long, for a row of k lanes, as k lookups and the sort of a key. It keeps two
// blocks of memory for the next call: for the keys, and for the longest lane of all rows.
func OrderBy(w *World, q *Query, keys func(c *Chunk, keys []uint64)) error {
	const op = "OrderBy"
	if err := w.checkOwnQuery(op, q); err != nil {
		return err
	}
	if keys == nil {
		return w.gate.fault(ErrArgument, op, "the function is nil: it sets the key of each row")
	}
	if err := w.checkWouldChange(op); err != nil {
		return err
	}
	if err := w.completeJobs(op); err != nil {
		return err
	}
	o, ok := w.hooks.attached[orderingKey{}].(*ordering)
	if !ok {
		o = &ordering{}
		w.hooks.attach(orderingKey{}, o)
	}
	defer o.dropRefs()
	if err := o.collectKeys(q, keys); err != nil {
		return err
	}
	for _, s := range o.rowRanges {
		if err := w.tables.checkNotMeta(op, s.chunk.arch); err != nil {
			return err
		}
	}
	if err := w.checkCanChange(op); err != nil {
		return err
	}
	defer w.gate.endUnchanged()
	if err := w.completeJobs(op); err != nil { // jobs that the function has scheduled
		return err
	}
	o.sorter.Pool = w.gate.workerPool()
	begun := false
	for o.sortNext() {
		if !begun {
			if err := w.beginAllowedChange(op); err != nil {
				return err
			}
			begun = true
		}
		o.permuteRows(&w.tables)
	}
	if begun {
		w.endChange()
	}
	return nil
}

// orderingKey is the key under which a world stores its ordering.
type orderingKey struct{}

// ordering holds the state of OrderBy, and its memory.
type ordering struct {
	sorter       order.Sorter[uint64, int32]
	keys         []uint64    // of all rows of all matching chunks
	rowRanges    []keyedRows // the matching rows; those of a group are neighbours
	groupIndexes map[*chunkGroup]int
	unsorted     []keyedRows // groups that are not yet sorted

	groupRows   []keyedRows // those of one group
	groupKeys   []uint64    // their keys
	permutation []int32     // which of its rows comes first, second and so on
	movedRows   []keyedRows // those of groupRows in which a row moves

	laneBytes      []byte // a lane of them
	idScratch      []Entity
	blockScratch   [][]uint64
	enabled        []bool
	versionScratch []uint32
}

// keyedRows is a range of rows with their keys.
type keyedRows struct {
	rowRange
	keyOffset  int // its first key in keys, and later its first row in the group
	groupIndex int
}

// dropRefs drops references to memory that the world may free.
func (o *ordering) dropRefs() {
	clear(o.rowRanges)
	clear(o.groupRows)
	clear(o.movedRows)
	clear(o.groupIndexes)
	clear(o.blockScratch)
	o.rowRanges, o.unsorted, o.groupRows, o.movedRows, o.blockScratch = o.rowRanges[:0], nil, o.groupRows[:0], o.movedRows[:0], o.blockScratch[:0]
}

// collectKeys calls the function keys for each chunk with matching rows.
func (o *ordering) collectKeys(q *Query, keys func(c *Chunk, keys []uint64)) error {
	if err := q.awaitConflicts("OrderBy"); err != nil {
		return err
	}
	if o.groupIndexes == nil {
		o.groupIndexes = map[*chunkGroup]int{}
	}
	o.keys, o.rowRanges = o.keys[:0], o.rowRanges[:0]
	q.loopChunks(func(c *Chunk) bool {
		first := len(o.keys)
		o.keys = slices.Grow(o.keys, c.count)[:first+c.count]
		clear(o.keys[first:])
		g, known := o.groupIndexes[c.chunk.group]
		if !known {
			g = len(o.groupIndexes)
			o.groupIndexes[c.chunk.group] = g
		}
		for lo, hi := range c.Runs() {
			o.rowRanges = append(o.rowRanges, keyedRows{rowRange{c.chunk, c.firstRow + lo, hi - lo}, first + lo, g})
		}
		keys(c, o.keys[first:])
		return true
	})
	slices.SortStableFunc(o.rowRanges, func(a, b keyedRows) int { return a.groupIndex - b.groupIndex })
	o.unsorted = o.rowRanges
	return nil
}

// sortNext sorts the next group that is not in order, and reports whether there is one.
func (o *ordering) sortNext() bool {
	for len(o.unsorted) > 0 {
		n := slices.IndexFunc(o.unsorted, func(s keyedRows) bool { return s.groupIndex != o.unsorted[0].groupIndex })
		if n < 0 {
			n = len(o.unsorted)
		}
		o.groupRows, o.groupKeys = append(o.groupRows[:0], o.unsorted[:n]...), o.groupKeys[:0]
		o.unsorted = o.unsorted[n:]
		for i := range o.groupRows {
			s := &o.groupRows[i]
			k := s.keyOffset
			s.keyOffset = len(o.groupKeys)
			o.groupKeys = append(o.groupKeys, o.keys[k:k+s.count]...)
		}
		if slices.IsSorted(o.groupKeys) {
			continue
		}
		o.permutation = resize(o.permutation, len(o.groupKeys))
		order.Argsort(&o.sorter, o.permutation, o.groupKeys)
		o.movedRows = o.movedRows[:0]
		for _, s := range o.groupRows {
			for i, from := range o.permutation[s.keyOffset : s.keyOffset+s.count] {
				if int(from) != s.keyOffset+i {
					o.movedRows = append(o.movedRows, s)
					break
				}
			}
		}
		return true
	}
	return false
}

// permuteRows moves the rows of a group to their new places.
func (o *ordering) permuteRows(w *tables) {
	r := o.movedRows[0].chunk
	rows := len(o.permutation)
	o.permuteIDs(w, rows)
	for _, l := range r.arch.rowCopy.Pairs() {
		o.permuteLane(table.Lane{Index: l.To, Size: l.Size}, rows)
	}
	for k := range r.bufferHeaps {
		o.permuteBlocks(k, rows)
	}
	for k := range r.arch.enableableCount {
		o.permuteEnabledBits(k, rows)
	}
	for k := range r.arch.managedCount {
		o.permuteManaged(k, rows)
	}
	o.versionScratch = append(o.versionScratch[:0], r.versions...)
	for _, s := range o.movedRows {
		for i, v := range s.chunk.versions {
			o.versionScratch[i] = newerNonZero(o.versionScratch[i], v)
		}
	}
	var last *chunkData
	for _, s := range o.movedRows {
		if s.chunk == last {
			continue
		}
		last = s.chunk
		copy(last.versions, o.versionScratch)
		w.noteRowsChanged(last)
	}
}

func (o *ordering) permuteIDs(w *tables, rows int) {
	o.idScratch = slices.Grow(o.idScratch[:0], rows)[:rows]
	for _, s := range o.movedRows {
		copy(o.idScratch[s.keyOffset:], s.ids())
	}
	for _, s := range o.movedRows {
		ids := s.ids()
		for i, from := range o.permutation[s.keyOffset : s.keyOffset+s.count] {
			ids[i] = o.idScratch[from]
		}
		w.entities.setRows(ids, s.chunk.id, s.first)
	}
}

func (o *ordering) permuteLane(l table.Lane, rows int) {
	size := int(l.Size)
	o.laneBytes = slices.Grow(o.laneBytes[:0], rows*size)[:rows*size]
	for _, s := range o.movedRows {
		copy(o.laneBytes[s.keyOffset*size:], s.chunk.Bytes(l, s.first, s.count))
	}
	for _, s := range o.movedRows {
		to, index := s.chunk.Bytes(l, s.first, s.count), o.permutation[s.keyOffset:s.keyOffset+s.count]
		switch size {
		case 4:
			for i, from := range index {
				binary.NativeEndian.PutUint32(to[4*i:], binary.NativeEndian.Uint32(o.laneBytes[4*int(from):]))
			}
		case 8:
			for i, from := range index {
				binary.NativeEndian.PutUint64(to[8*i:], binary.NativeEndian.Uint64(o.laneBytes[8*int(from):]))
			}
		default:
			for i, from := range index {
				copy(to[size*i:size*(i+1)], o.laneBytes[size*int(from):])
			}
		}
	}
}

// permuteBlocks moves the heap blocks of a buffer.
func (o *ordering) permuteBlocks(k, rows int) {
	if !slices.ContainsFunc(o.movedRows, func(s keyedRows) bool { return s.chunk.bufferHeaps[k].rowBlocks != nil }) {
		return
	}
	o.blockScratch = resize(o.blockScratch, rows)
	for _, s := range o.movedRows {
		if list := s.chunk.bufferHeaps[k].rowBlocks; list != nil {
			copy(o.blockScratch[s.keyOffset:], list[s.first:s.first+s.count])
		}
	}
	for _, s := range o.movedRows {
		l := &s.chunk.bufferHeaps[k]
		for i, from := range o.permutation[s.keyOffset : s.keyOffset+s.count] {
			if l.rowBlocks == nil && o.blockScratch[from] != nil {
				l.rowBlocks = make([][]uint64, s.chunk.RowCapacity())
			}
			if l.rowBlocks != nil {
				l.rowBlocks[s.first+i] = o.blockScratch[from]
			}
		}
	}
}

func (o *ordering) permuteEnabledBits(k, rows int) {
	o.enabled = slices.Grow(o.enabled[:0], rows)[:rows]
	for _, s := range o.movedRows {
		for i := range s.count {
			o.enabled[s.keyOffset+i] = s.chunk.enabledBits[k].isOn(s.first + i)
		}
	}
	for _, s := range o.movedRows {
		for i, from := range o.permutation[s.keyOffset : s.keyOffset+s.count] {
			s.chunk.enabledBits[k].set(s.first+i, o.enabled[from])
		}
	}
}

// permuteManaged moves managed components.
func (o *ordering) permuteManaged(k, rows int) {
	all := newManagedColumn(o.movedRows[0].chunk.managedColumns[k].sliceValue.Type().Elem(), rows)
	for _, s := range o.movedRows {
		all.copyRows(s.keyOffset, &s.chunk.managedColumns[k], s.first, s.count)
	}
	for _, s := range o.movedRows {
		for i, from := range o.permutation[s.keyOffset : s.keyOffset+s.count] {
			s.chunk.managedColumns[k].sliceValue.Index(s.first + i).Set(all.sliceValue.Index(int(from)))
		}
	}
}
