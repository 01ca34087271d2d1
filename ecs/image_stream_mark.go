package ecs

import (
	"cmp"
	"slices"
	"weak"
)

// reservation is the ids of a stream in a world. A stream has one from its Begin or LoadState on, and so have its Clones and what LoadState
// makes of its bytes in the same world: these all have the same reservation, so that one of them continues and the others are refused.
type reservation struct {
	ids       []Entity
	low, high int32 // indices
}

func reservationOf(ids []Entity) *reservation {
	by := func(a, b Entity) int { return cmp.Compare(a.Index, b.Index) }
	return &reservation{ids, slices.MinFunc(ids, by).Index, slices.MaxFunc(ids, by).Index}
}

// streamMark says how far a stream has come. A world keeps one of each that has begun there, and so does an image of it. A stream
// that is not at its mark is refused, because its ids may be those of other entities by now: the world was restored
// to another moment, or a Clone has continued.
type streamMark struct {
	of         weak.Pointer[reservation]
	restores   uint32 // of the world when the ids of what is still to come were reserved; 0 if nothing is
	came, gone int
	over       bool
}

// finished reports whether nothing of the stream comes or goes any more.
func (m *streamMark) finished() bool { return m.over && m.came == m.gone }

// streamMarks are those of a world, whose list is copied when an image has it.
type streamMarks struct {
	list   []streamMark
	shared bool
	all    bool // every stream that is not finished is in the list: the contents of the world do not come out of a file
}

// own returns the list to be written to.
func (m *streamMarks) own() []streamMark {
	if m.shared {
		m.list, m.shared = slices.Clone(m.list), false
	}
	return m.list
}

// share returns the marks for an image.
func (m *streamMarks) share() streamMarks {
	m.shared = true
	return *m
}

// add adds the mark of a stream that begins, and drops those of which nothing has the stream any more.
func (m *streamMarks) add(own streamMark) {
	unused := func(o streamMark) bool { return o.of.Value() == nil }
	if slices.ContainsFunc(m.list, unused) {
		m.all = m.complete()
		m.list = slices.DeleteFunc(m.own(), unused)
	}
	m.list = append(m.own(), own)
}

// complete reports whether a stream that is not in the list, and not finished, is none of the world.
func (m *streamMarks) complete() bool {
	return m.all && !slices.ContainsFunc(m.list, func(o streamMark) bool { return !o.finished() && o.of.Value() == nil })
}

// mark returns the mark of the stream where it is now.
func (a *ImageStream) mark() streamMark {
	own := streamMark{weak.Make(a.of), 0, a.came, a.gone, a.over}
	if a.Left() > 0 {
		own.restores = a.restores
	}
	return own
}

// setMark makes the mark in the world say where the stream is now.
func (a *ImageStream) setMark() {
	if len(a.ids) == 0 {
		return
	}
	if a.of == nil {
		a.of = reservationOf(a.ids)
	}
	now, marks := a.mark(), &a.world.streams
	at := slices.IndexFunc(marks.list, func(o streamMark) bool { return o.of == now.of })
	switch {
	case at < 0:
		marks.add(now)
	case marks.list[at] != now:
		marks.own()[at] = now
	}
}

// atMark reports whether the stream is where the world knows it to be.
func (a *ImageStream) atMark() bool {
	return len(a.ids) == 0 || slices.Contains(a.world.streams.list, a.mark())
}

// join makes a stream that was read from bytes one with those that have its ids in w already, as a Clone of them. It returns an error if w cannot
// contain what it did when the bytes were made.
func (a *ImageStream) join(op string, w *World) error {
	if len(a.ids) == 0 {
		return nil
	}
	own := reservationOf(a.ids)
	var places []int32 // in ids, and one more, by index from own.low on
	for i := range w.streams.list {
		m := &w.streams.list[i]
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
	if now := a.mark(); w.streams.complete() && !now.finished() {
		return w.fault(ErrArgument, op, "no stream of the world has the ids, so that these may be of other entities (%v is the first): "+
			"restore the world to an image of the moment at which AppendState was called first", a.ids[0])
	}
	return nil
}
