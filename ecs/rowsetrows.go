package ecs

import "github.com/lanewise/lanewise/ecs/internal/table"

// find notes where entities are, all of which have all components, and completes the jobs that touch these.
func (s *RowSet) find(op string, ids []Entity, write bool) error {
	w := s.world
	if err := w.open(op); err != nil {
		return err
	}
	for _, c := range s.comps {
		if err := w.await(op, c, write); err != nil {
			return err
		}
	}
	s.learn()
	s.recs, s.rows = s.recs[:0], s.rows[:0]
	var last *record
	for ; len(ids) > 0; ids = ids[min(gatherStep, len(ids)):] {
		some := ids[:min(gatherStep, len(ids))]
		w.locate(&s.found, some)
		for i, e := range some {
			r := s.found.recs[i]
			if r == nil {
				s.forget()
				return w.lost(op, e)
			}
			if r == last {
				continue
			}
			for k, at := range s.places[r.arch.index] {
				if at < 0 {
					s.forget()
					return w.fault(ErrArgument, op, "the entity has no such component, it has %v", r.arch).of(e).on(s.comps[k])
				}
			}
			last = r
		}
		s.recs, s.rows = append(s.recs, s.found.recs[:len(some)]...), append(s.rows, s.found.rows[:len(some)]...)
	}
	if !write {
		return nil
	}
	if guard {
		w.wrote()
	}
	last = nil
	for _, r := range s.recs {
		if r != last {
			last = r
			for _, at := range s.places[r.arch.index] {
				r.mark(int(at), w.version)
			}
		}
	}
	return nil
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

// forget lets go of what find has found.
func (s *RowSet) forget() {
	clear(s.recs)
	s.recs = s.recs[:0]
	s.found.recs = [gatherStep]*record{}
}

// run returns how many of the entities from a place on are of one archetype, and what its lane of a component is.
func (s *RowSet) run(first, comp, lane int) (n int, l table.Lane) {
	a := s.recs[first].arch
	for n = 1; first+n < len(s.recs) && s.recs[first+n].arch == a; n++ {
	}
	return n, a.columns[s.places[a.index][comp]].lanes[lane]
}

// check finds a bool that is neither 0 nor 1.
func (s *RowSet) check(op string, src []byte, n int) error {
	for _, c := range s.comps {
		for _, l := range c.lanes {
			size := int(l.Type.Size())
			if at := boolsOf(l.Type, 0, nil); len(at) > 0 && !areBools(src[:n*size], size, at) {
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

// scatterRows is the other way round.
func scatterRows(recs []*record, rows []int32, l table.Lane, from []byte) {
	switch l.Size {
	case 4:
		for i, r := range recs {
			*table.At[[4]byte](&r.Place, l.Index, int(rows[i])) = *(*[4]byte)(from[4*i:])
		}
	case 8:
		for i, r := range recs {
			*table.At[[8]byte](&r.Place, l.Index, int(rows[i])) = *(*[8]byte)(from[8*i:])
		}
	default:
		size := int(l.Size)
		for i, r := range recs {
			copy(r.Bytes(l, int(rows[i]), 1), from[i*size:])
		}
	}
}
