package ecs

import "github.com/lanewise/lanewise/ecs/internal/table"

// gatherStep is how many entities Gather and Scatter find before they look at the rows
// of the first: the memory that one waits for and that of the others come at once.
const gatherStep = 64

// rowsFound is where some entities are: the number of the chunk, or free, and the row.
type rowsFound struct {
	chunks, rows [gatherStep]int32
}

// locate finds entities, of which there are not more than gatherStep.
func (w *directory) locate(f *rowsFound, ids []Entity) {
	slots := w.entities.slots
	for i, e := range ids[:min(len(ids), gatherStep)] {
		f.chunks[i] = free
		if uint(e.Index) < uint(len(slots)) {
			if s := &slots[e.Index]; s.version == e.Version {
				f.chunks[i], f.rows[i] = s.record, s.row
			}
		}
	}
}

// record returns the chunk of the entity that was the i-th, or nil.
func (f *rowsFound) record(w *tables, i int) *record {
	if f.chunks[i] == free {
		return nil
	}
	return w.records[f.chunks[i]]
}

// Gather sets dst[i] to the T of ids[i], or to zero where that has none, and returns how
// many have one. It has the effect of a [Lookup.Get] for each id and takes less time, because it waits for the
// memory of many rows at once. A tag is counted, with a zero in dst. The handle of a buffer may be written if the look-up
// may write, which marks the buffer as changed. It panics with an *Error if the lengths differ.
func (l *Lookup[T]) Gather(dst []T, ids []Entity) int {
	const op = "Lookup.Gather"
	if len(dst) != len(ids) {
		panic(l.world.fault(ErrArgument, op, "len(dst) is %d, len(ids) is %d", len(dst), len(ids)).on(l.comp))
	}
	l.find(op, Entity{}) // whether it is good, if there are none
	var f rowsFound
	n := 0
	for len(ids) > 0 {
		k := min(len(ids), gatherStep)
		l.world.locate(&f, ids[:k])
		if guard {
			l.findAll(op, ids[:k])
		}
		n += l.gather(dst[:k], ids[:k], &f)
		dst, ids = dst[k:], ids[k:]
	}
	return n
}

// findAll finds entities one by one, for what find checks.
func (l *Lookup[T]) findAll(op string, ids []Entity) {
	for _, e := range ids {
		l.find(op, e)
	}
}

// gather reads the rows of entities that were located, and returns how many there are.
func (l *Lookup[T]) gather(dst []T, ids []Entity, f *rowsFound) (n int) {
	if l.comp.threeWords() {
		return f.gatherThree(table.ThreeWords(dst), l.world.records, l.columns)
	}
	var of *archetype // of the column
	var c *lookupColumn
	for i := range dst {
		r := f.record(&l.world.tables, i)
		if r == nil {
			clear(dst[i : i+1])
			continue
		}
		if r.arch != of {
			of, c = r.arch, &l.columns[r.arch.index]
		}
		switch {
		case c.column < 0:
			clear(dst[i : i+1])
			continue
		case c.way == wayWords:
			table.Gather(&dst[i], &r.Place, c.lane, int(f.rows[i]))
		case c.way == wayWhole:
			dst[i] = *table.At[T](&r.Place, c.lane, int(f.rows[i]))
		default:
			dst[i], _ = l.Get(ids[i])
		}
		n++
	}
	return n
}

// gatherThree is gather for three lanes of words, as most vectors are: all that it does for a row is in
// one loop without a call, so that the CPU waits for many rows at once.
func (f *rowsFound) gatherThree(dst [][3]uint32, records []*record, columns []lookupColumn) (n int) {
	var of *archetype
	var c lookupColumn
	for i, chunk := range f.chunks[:len(dst)] {
		if chunk == free {
			dst[i] = [3]uint32{}
			continue
		}
		r := records[chunk]
		if r.arch != of {
			of, c = r.arch, columns[r.arch.index]
		}
		if c.column < 0 {
			dst[i] = [3]uint32{}
			continue
		}
		x, y, z := r.Words(c.lane, f.rows[i])
		dst[i] = [3]uint32{*x, *y, *z}
		n++
	}
	return n
}

// Scatter gives ids[i] the value src[i] for every i in turn, and returns how many of them
// have a T; the others stay as they are. It marks T as changed in their chunks. It has
// the effect of a [Lookup.Set] for each id and takes less time. It panics with an *Error if the lengths
// differ.
func (l *Lookup[T]) Scatter(ids []Entity, src []T) int {
	const op = "Lookup.Scatter"
	l.mustWrite(op)
	if len(src) != len(ids) {
		panic(l.world.fault(ErrArgument, op, "len(ids) is %d, len(src) is %d", len(ids), len(src)).on(l.comp))
	}
	l.find(op, Entity{})
	var f rowsFound
	n := 0
	for len(ids) > 0 {
		k := min(len(ids), gatherStep)
		l.world.locate(&f, ids[:k])
		if guard {
			l.findAll(op, ids[:k])
		}
		n += l.scatter(ids[:k], src[:k], &f)
		ids, src = ids[k:], src[k:]
	}
	return n
}

// scatter writes the rows of entities that were located, and returns how many there are.
func (l *Lookup[T]) scatter(ids []Entity, src []T, f *rowsFound) (n int) {
	if l.comp.threeWords() {
		return f.scatterThree(table.ThreeWords(src), l.world.records, l.columns, l.written())
	}
	var last *record // whose column is marked
	var of *archetype
	var c *lookupColumn
	for i := range src {
		r := f.record(&l.world.tables, i)
		if r == nil {
			continue
		}
		if r.arch != of {
			of, c = r.arch, &l.columns[r.arch.index]
		}
		if c.column < 0 {
			continue
		}
		n++
		if r != last {
			l.touch(r, c)
			last = r
		}
		switch c.way {
		case wayWords:
			table.Scatter(&r.Place, c.lane, int(f.rows[i]), &src[i])
		case wayWhole:
			*table.At[T](&r.Place, c.lane, int(f.rows[i])) = src[i]
		default:
			l.Set(ids[i], src[i])
		}
	}
	return n
}

// scatterThree is scatter for three lanes of words; version is that of the write.
func (f *rowsFound) scatterThree(src [][3]uint32, records []*record, columns []lookupColumn, version uint32) (n int) {
	var of *archetype
	var c lookupColumn
	for i, chunk := range f.chunks[:len(src)] {
		if chunk == free {
			continue
		}
		r := records[chunk]
		if r.arch != of {
			of, c = r.arch, columns[r.arch.index]
		}
		if c.column < 0 {
			continue
		}
		r.mark(int(c.column), version)
		x, y, z := r.Words(c.lane, f.rows[i])
		v := &src[i]
		*x, *y, *z = v[0], v[1], v[2]
		n++
	}
	return n
}
