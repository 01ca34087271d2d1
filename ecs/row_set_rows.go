package ecs

import (
	"encoding/binary"
	"slices"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

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
	if f.stamp != w.structural || !slices.Equal(f.ids, ids) {
		if err := s.seek(op, f, ids); err != nil {
			f.forget()
			return err
		}
		f.ids, f.stamp = append(f.ids[:0], ids...), w.structural
	}
	if !write {
		return nil
	}
	if guard {
		w.wrote()
	}
	for _, r := range f.all {
		for _, at := range s.places[r.arch.index] {
			r.mark(int(at), w.version)
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
	s.chunks = append(s.chunks, make([]int32, max(0, len(w.records)-len(s.chunks)))...)
	f.at, f.rows = slices.Grow(f.at, len(ids)), slices.Grow(f.rows, len(ids))
	last := int32(-1)
	for ; len(ids) > 0; ids = ids[min(gatherStep, len(ids)):] {
		some := ids[:min(gatherStep, len(ids))]
		w.locate(&s.found, some)
		for i, e := range some {
			k := s.found.chunks[i]
			if k == free {
				return w.entityError(op, e)
			}
			at := s.chunks[k] - 1
			if at < 0 {
				var err error
				if at, err = s.chunk(op, f, e, w.records[k]); err != nil {
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
		return 0, s.world.fault(ErrArgument, op, "the entity has no such component, it has %v", r.arch).of(e).on(s.comps[k])
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
	if s.orders != w.returns.reordered {
		s.orders, s.places = w.returns.reordered, s.places[:0]
	}
	for i := len(s.places); i < len(w.archetypes); i++ {
		own := make([]int32, len(s.comps))
		for k, c := range s.comps {
			own[k] = int32(w.archetypes[i].find(c.key))
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
				return s.world.fault(ErrArgument, op, "a bool of lane %s is neither 0 nor 1", l.Name).on(c)
			}
			src = src[n*size:]
		}
	}
	return nil
}

// gatherRows copies rows of a lane, which are anywhere, one behind the other.
func gatherRows(to []byte, recs []*record, rows []int32, l table.Lane) {
	switch l.Size {
	case 4:
		for i, r := range recs {
			*(*[4]byte)(to[4*i:]) = *table.At[[4]byte](&r.Place, l.Index, int(rows[i]))
		}
	case 8:
		for i, r := range recs {
			*(*[8]byte)(to[8*i:]) = *table.At[[8]byte](&r.Place, l.Index, int(rows[i]))
		}
	default:
		size := int(l.Size)
		for i, r := range recs {
			copy(to[i*size:], r.Bytes(l, int(rows[i]), 1))
		}
	}
}
