package ecs

import "reflect"

// pick is a WithShared of a query whose value is at another place in the image, or is not in it.
type pick struct {
	query *Query
	only  int   // which one
	value int32 // where it is; -1: nowhere
	was   any
	hash  uint64
}

// planValues finds the values that queries hold in the image: it asks those that are not where they were
// for Equal.
func (t *restoreState) planValues(op string) error {
	w := t.world
	for i := range t.image.stores {
		w.storeOf(t.image.stores[i].comp) // which asks a new one's zero value for Hash
	}
	for _, q := range w.queries {
		for i := range q.only {
			s := w.storeOf(q.only[i].comp)
			k := q.only[i].value
			from := t.image.storeFor(s.comp)
			if k == 0 || from != nil && int(k) < len(from.values) && identical(from.values[k], s.values[k]) {
				continue
			}
			p := pick{query: q, only: i, value: -1, was: s.values[k]}
			if s.byHash != nil {
				p.hash = s.hashes[k]
			}
			if from != nil {
				if err := t.findIn(op, s, from, &p); err != nil {
					return err
				}
			}
			t.picks = append(t.picks, p)
		}
	}
	return nil
}

// findIn looks for the value of a pick among those of the image.
func (t *restoreState) findIn(op string, s *store, from *imageStore, p *pick) error {
	w := t.world
	was, err := w.enter(op)
	if err != nil {
		return err
	}
	whole := false
	w.ask()
	defer func() {
		w.answered()
		w.exit(was, whole)
	}()
	for i, v := range from.values {
		switch {
		case v == nil:
		case s.byHash == nil:
			if v == p.was || alike(reflect.ValueOf(v), reflect.ValueOf(p.was)) {
				p.value = int32(i)
			}
		case from.hashes[i] == p.hash && s.equal.Call([]reflect.Value{reflect.ValueOf(v), reflect.ValueOf(p.was)})[0].Bool():
			p.value = int32(i)
		}
		if p.value >= 0 {
			break
		}
	}
	whole = true
	return nil
}

// remember notes which values are held that want to know of it.
func (t *restoreState) remember() {
	for k, s := range t.world.stores {
		t.before = append(t.before, nil)
		if s == nil || s.notices == nil {
			continue
		}
		for i, v := range s.values {
			if s.refs[i] == 0 {
				v = nil
			}
			t.before[k] = append(t.before[k], v)
		}
	}
}

// tell notes what the values are to be told that are held now, or are no longer: those that come first, so
// that none ends that both have.
func (t *restoreState) tell() {
	for _, begins := range []bool{true, false} {
		for k, s := range t.world.stores {
			if s == nil || s.notices == nil {
				continue
			}
			var before []any
			if k < len(t.before) {
				before = t.before[k]
			}
			s.tell(before, begins)
		}
	}
}

// tell notes which values begin to be held that were not before, or which end.
func (s *store) tell(before []any, begins bool) {
	for i := range max(len(before), len(s.values)) {
		var was, is any
		if i < len(before) {
			was = before[i]
		}
		if i < len(s.values) && s.refs[i] > 0 {
			is = s.values[i]
		}
		if identical(was, is) {
			continue
		}
		v := is
		if !begins {
			v = was
		}
		if v != nil {
			s.notices.add(v, begins)
		}
	}
}

// values makes the stores those of the image. Chunks that have not changed keep what they hold; the
// others, which are detached, hold nothing.
func (t *restoreState) values() {
	w := t.world
	for _, q := range w.queries {
		for _, f := range q.only {
			if f.value > 0 {
				w.storeOf(f.comp).refs[f.value]--
			}
		}
	}
	for _, s := range w.stores {
		if s == nil {
			continue
		}
		from := t.image.storeFor(s.comp)
		switch {
		case from != nil && !s.equals(from):
			s.reset(from)
		case from == nil && len(s.values) > 1:
			zero := imageStore{comp: s.comp, values: s.values[:1], hashes: s.hashes[:min(1, len(s.hashes))]}
			s.reset(&zero)
		}
	}
}

// equals reports whether a store has the very values of an image, and at the same places.
func (s *store) equals(from *imageStore) bool {
	if len(s.values) != len(from.values) || len(s.free) != len(from.free) {
		return false
	}
	for i := range s.values {
		if !identical(s.values[i], from.values[i]) {
			return false
		}
	}
	for i := range s.free {
		if s.free[i] != from.free[i] {
			return false
		}
	}
	return true
}

// reset makes a store have the values of an image. What counts them stays.
func (s *store) reset(from *imageStore) {
	refs := s.refs
	zero := s.values[0]
	if s.byHash != nil {
		clear(s.byHash)
		s.byHash[s.hashes[0]] = append(s.byHash[s.hashes[0]], 0)
	} else {
		clear(s.byKey)
		s.byKey[zero] = 0
	}
	s.odd = nil
	s.fill(from)
	copy(s.refs, refs)
}

// queries gives the queries the values that they ask for, and drops those that nothing holds.
func (t *restoreState) queries() {
	w := t.world
	t.pickValues()
	for _, q := range w.queries {
		for _, f := range q.only {
			if f.value > 0 {
				w.storeOf(f.comp).refs[f.value]++
			}
		}
	}
	t.tell()
	for _, s := range w.stores {
		if s != nil {
			s.sweep()
		}
	}
	for i := range t.picks {
		if q := t.picks[i].query; i == 0 || t.picks[i-1].query != q {
			findAgain(q)
		}
	}
}

// pickValues gives the terms of queries their values, which are put in stores that lack them.
func (t *restoreState) pickValues() {
	for i := range t.picks {
		p := &t.picks[i]
		if p.value < 0 {
			p.value = t.world.storeOf(p.query.only[p.only].comp).put(p.was, p.hash)
			for k := i + 1; k < len(t.picks); k++ { // another query may ask for it
				if o := &t.picks[k]; o.value < 0 && identical(o.was, p.was) {
					o.value = p.value
				}
			}
		}
		p.query.only[p.only].value = p.value
	}
}
