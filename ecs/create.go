package ecs

import (
	"iter"
	"reflect"
)

// Spawn makes one entity of the given components and returns its id. It is the
// slow way, for single entities: Create makes many. Without arguments the entity
// has no components.
//
// It panics with an *Error if a value is no component, two are of one type, or
// the world cannot be changed now.
func (w *World) Spawn(values ...any) Entity {
	e, err := w.spawn("Spawn", values)
	if err != nil {
		panic(err)
	}
	w.finish()
	return e
}

// spawn makes one entity of the given components. Finishing is for the caller.
func (w *World) spawn(op string, values []any) (Entity, error) {
	if p := w.recipeFor(values); p != nil {
		return w.spawnBy(op, p, values)
	}
	e, err := w.spawnNew(op, values)
	if err == nil {
		w.learn(w.records[w.entities.slots[e.Index].record].arch, values)
	}
	return e, err
}

// spawnNew is spawn for types that it has no recipe for.
func (w *World) spawnNew(op string, values []any) (Entity, error) {
	if err := w.settled(op); err != nil {
		return Entity{}, err
	}
	set := make([]*component, len(values))
	for i, v := range values {
		c, err := w.componentOf(op, reflect.TypeOf(v))
		if err == nil {
			err = w.foreign(op, c, handleOf(c, v))
		}
		if err != nil {
			w.idle()
			return Entity{}, err
		}
		set[i] = c
	}
	if err := w.mayGive(op, set...); err != nil {
		return Entity{}, err
	}
	set, err := w.sortSet(op, set)
	if err != nil {
		return Entity{}, err
	}
	a, err := w.archetypeOf(op, set)
	if err != nil {
		return Entity{}, err
	}
	g := &a.groups.only
	if a.shared == 0 {
		err = w.commit(op)
	} else {
		g, err = w.commitWith(op, a, values)
	}
	if err != nil {
		return Entity{}, err
	}
	s := w.claim(a, g, 1)
	w.entities.take(s.ids(), s.rec.id, s.first)
	s.zero()
	w.touchAll(s.rec)
	for _, v := range values {
		w.scatterBox(s.rec, s.first, v)
	}
	e := s.ids()[0]
	return e, nil
}

// Create makes n entities of archetype a, at once, and yields the new rows chunk
// by chunk, to be filled: they are zero. The rows go where there is room, so
// they may be the end of chunks that have other rows; Chunk.First says where
// they begin.
//
// The rows may be visited until the next structural change. It panics with an
// *Error if a is not an archetype of w, n is negative, or the world cannot be
// changed now.
func (w *World) Create(a Archetype, n int) iter.Seq[*Chunk] {
	return w.create(a, n).chunks()
}

// CreateChunks is Create in chunks of their own: no row goes into a chunk that
// was there before, and all new chunks but the last are full.
func (w *World) CreateChunks(a Archetype, n int) iter.Seq[*Chunk] {
	return w.createOwn(a, n).chunks()
}

// create makes n entities, or panics.
//
//go:noinline
func (w *World) create(a Archetype, n int) made { return w.make("Create", a, n, false) }

// createOwn makes n entities in chunks of their own, or panics.
//
//go:noinline
func (w *World) createOwn(a Archetype, n int) made { return w.make("CreateChunks", a, n, true) }

func (w *World) make(op string, a Archetype, n int, own bool) made {
	arch, err := w.archetypeIn(op, a)
	if err == nil {
		err = w.createRows(op, arch, n, own, nil)
	}
	if err != nil {
		panic(err)
	}
	if n == 0 {
		return made{}
	}
	return made{w, w.structural}
}

// CreateInto makes len(ids) entities of archetype a and writes their ids to ids.
// Their components are zero.
func (w *World) CreateInto(a Archetype, ids []Entity) error {
	arch, err := w.archetypeIn("CreateInto", a)
	if err != nil {
		return err
	}
	return w.createRows("CreateInto", arch, len(ids), false, ids)
}

// createRows makes n entities of archetype a, and leaves their rows in w.spans.
// Their ids are copied to ids if it is not nil.
func (w *World) createRows(op string, a *archetype, n int, own bool, ids []Entity) error {
	switch {
	case n < 0:
		return w.fault(ErrArgument, op, "the number of entities is %d", n)
	case n == 0:
		return w.may(op)
	}
	if err := w.change(op); err != nil {
		return err
	}
	w.spans = w.spans[:0]
	g := a.defaultGroup()
	w.entities.reserve(n)
	for n > 0 {
		var s span
		if own {
			s = w.claimIn(w.newRecord(a, g, n), n)
		} else {
			s = w.claim(a, g, n)
		}
		w.entities.take(s.ids(), s.rec.id, s.first)
		if ids != nil {
			copy(ids, s.ids())
			ids = ids[s.n:]
		}
		s.zero()
		w.touchAll(s.rec)
		w.spans = append(w.spans, s)
		n -= s.n
	}
	w.finish()
	return nil
}
