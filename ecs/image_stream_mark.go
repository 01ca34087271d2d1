package ecs

import (
	"cmp"
	"slices"
	"weak"
)

// reservation is the ids of an arrival in a world. An arrival has one from its Begin or LoadState on, and so have its Clones and what LoadState
// makes of its bytes in the same world: these all have the same reservation, so that one of them goes on and the others are refused.
type reservation struct {
	ids       []Entity
	low, high int32 // indices
}

func reservationOf(ids []Entity) *reservation {
	by := func(a, b Entity) int { return cmp.Compare(a.Index, b.Index) }
	return &reservation{ids, slices.MinFunc(ids, by).Index, slices.MaxFunc(ids, by).Index}
}

// arrivalMark says how far an arrival has come. A world keeps one of each that has begun there, and so does an image of it. An ImageStream
// that is not at its mark is refused, because its ids may be those of other entities by now: the world was restored
// to another moment, or a Clone has gone on.
type arrivalMark struct {
	of         weak.Pointer[reservation]
	restores   uint32 // of the world when the ids of what is still to come were reserved; 0 if nothing is
	came, gone int
	over       bool
}

// finished reports whether nothing of the arrival comes or goes any more.
func (m *arrivalMark) finished() bool { return m.over && m.came == m.gone }

// arrivalMarks are those of a world, whose list is copied when an image has it.
type arrivalMarks struct {
	list   []arrivalMark
	shared bool
	all    bool // every arrival that is not finished is in the list: the contents of the world do not come out of a file
}

// own returns the list to be written to.
func (m *arrivalMarks) own() []arrivalMark {
	if m.shared {
		m.list, m.shared = slices.Clone(m.list), false
	}
	return m.list
}

// share returns the marks for an image.
func (m *arrivalMarks) share() arrivalMarks {
	m.shared = true
	return *m
}

// add adds the mark of an arrival that begins, and drops those of which nothing has the ImageStream any more.
func (m *arrivalMarks) add(own arrivalMark) {
	unused := func(o arrivalMark) bool { return o.of.Value() == nil }
	if slices.ContainsFunc(m.list, unused) {
		m.all = m.complete()
		m.list = slices.DeleteFunc(m.own(), unused)
	}
	m.list = append(m.own(), own)
}

// complete reports whether an arrival that is not in the list, and not finished, is none of the world.
func (m *arrivalMarks) complete() bool {
	return m.all && !slices.ContainsFunc(m.list, func(o arrivalMark) bool { return !o.finished() && o.of.Value() == nil })
}

// mark returns the mark of the arrival where it is now.
func (a *ImageStream) mark() arrivalMark {
	own := arrivalMark{weak.Make(a.of), 0, a.came, a.gone, a.over}
	if a.Left() > 0 {
		own.restores = a.restores
	}
	return own
}

// setMark makes the mark in the world say where the arrival is now.
func (a *ImageStream) setMark() {
	if len(a.ids) == 0 {
		return
	}
	if a.of == nil {
		a.of = reservationOf(a.ids)
	}
	now, marks := a.mark(), &a.world.arrivals
	at := slices.IndexFunc(marks.list, func(o arrivalMark) bool { return o.of == now.of })
	switch {
	case at < 0:
		marks.add(now)
	case marks.list[at] != now:
		marks.own()[at] = now
	}
}

// atMark reports whether the arrival is where the world knows it to be.
func (a *ImageStream) atMark() bool {
	return len(a.ids) == 0 || slices.Contains(a.world.arrivals.list, a.mark())
}

// join makes an arrival that was read from bytes one with those that have its ids in w already, as a Clone of them. It returns an error if w cannot
// contain what it did when the bytes were made.
func (a *ImageStream) join(op string, w *World) error {
	if len(a.ids) == 0 {
		return nil
	}
	own := reservationOf(a.ids)
	var places []int32 // in ids, and one more, by index from own.low on
	for i := range w.arrivals.list {
		m := &w.arrivals.list[i]
		o := m.of.Value()
		if o == nil || o.high < own.low || o.low > own.high {
			continue
		}
		if slices.Equal(o.ids, a.ids) {
			if m.came != a.came || m.gone != a.gone || m.over != a.over {
				return w.fault(ErrArgument, op, "the bytes are of another moment: %d of %d had come then and %d of these were unloaded, and now %d have come and %d are unloaded: "+
					"restore the world to an image of the same moment first", a.came, len(a.ids), a.gone, m.came, m.gone)
			}
			a.of, a.ids = o, o.ids
			return nil
		}
		if places == nil {
			places = make([]int32, own.high-own.low+1)
			for k, e := range a.ids {
				places[e.Index-own.low] = int32(k) + 1
			}
		}
		for k, e := range o.ids {
			at := -1
			if e.Index >= own.low && e.Index <= own.high {
				at = int(places[e.Index-own.low]) - 1
			}
			if at >= 0 && (a.ids[at] == e || !a.over && at >= a.came && !m.over && k >= m.came) {
				return w.fault(ErrArgument, op, "the id %v is one of another stream of the world: restore the world to an image of the moment at which AppendState was called first", e)
			}
		}
	}
	if now := a.mark(); w.arrivals.complete() && !now.finished() {
		return w.fault(ErrArgument, op, "no stream of the world has the ids, so that these may be of other entities (%v is the first): "+
			"restore the world to an image of the moment at which AppendState was called first", a.ids[0])
	}
	return nil
}
