package ecs

import (
	"cmp"
	"slices"
	"weak"
)

// reservation holds the ids of a stream in a world. Begin or LoadState creates the reservation for a
// stream. The stream's Clones share it. If LoadState creates further streams from the same bytes in
// the same world, they share the reservation. So only one of them can continue, and the others are
// refused.
type reservation struct {
	ids                []Entity
	minIndex, maxIndex int32 // indices
}

func reservationOf(ids []Entity) *reservation {
	by := func(a, b Entity) int { return cmp.Compare(a.Index, b.Index) }
	return &reservation{ids, slices.MinFunc(ids, by).Index, slices.MaxFunc(ids, by).Index}
}

// streamMark is the position of a stream. A world keeps a mark for each stream that has begun there, and
// an image of the world has a copy of these marks. The world refuses a stream whose position differs from
// its mark, because its ids may belong to other entities by now. The positions differ if the world was
// restored to another moment, or if a Clone of the stream has continued.
type streamMark struct {
	reservation                weak.Pointer[reservation]
	restoreCount               uint32 // count of restores of the world when the ids of the coming rows were reserved; 0 if no row is to come
	loadedCount, unloadedCount int
	ended                      bool
}

// finished reports whether the stream has no more rows to load or to unload.
func (m *streamMark) finished() bool { return m.ended && m.loadedCount == m.unloadedCount }

// streamMarks is the list of marks of a world. An image shares the list, and the world copies it
// before its next write.
type streamMarks struct {
	marks    []streamMark
	isShared bool
	knowsAll bool // the list has every unfinished stream: false after the contents came from a file
}

// writable returns the list for writing.
func (m *streamMarks) writable() []streamMark {
	if m.isShared {
		m.marks, m.isShared = slices.Clone(m.marks), false
	}
	return m.marks
}

// shareMarks returns the marks for an image.
func (m *streamMarks) shareMarks() streamMarks {
	m.isShared = true
	return *m
}

// addMark adds the mark of a stream that begins, and drops the marks of streams that the garbage collector has
// freed.
func (m *streamMarks) addMark(own streamMark) {
	unused := func(o streamMark) bool { return o.reservation.Value() == nil }
	if slices.ContainsFunc(m.marks, unused) {
		m.knowsAll = m.complete()
		m.marks = slices.DeleteFunc(m.writable(), unused)
	}
	m.marks = append(m.writable(), own)
}

// complete reports whether the list has every unfinished stream. complete returns false if an
// unfinished stream was freed.
func (m *streamMarks) complete() bool {
	return m.knowsAll && !slices.ContainsFunc(m.marks, func(o streamMark) bool { return !o.finished() && o.reservation.Value() == nil })
}

// currentMark returns the mark for the present position of the stream.
func (a *ImageStream) currentMark() streamMark {
	own := streamMark{weak.Make(a.reservation), 0, a.loadedCount, a.unloadedCount, a.ended}
	if a.Left() > 0 {
		own.restoreCount = a.restoreCount
	}
	return own
}

// storeMark writes the present position of the stream to its mark in the world.
func (a *ImageStream) storeMark() {
	if len(a.newIDs) == 0 {
		return
	}
	if a.reservation == nil {
		a.reservation = reservationOf(a.newIDs)
	}
	now, marks := a.currentMark(), &a.world.streamMarks
	at := slices.IndexFunc(marks.marks, func(o streamMark) bool { return o.reservation == now.reservation })
	switch {
	case at < 0:
		marks.addMark(now)
	case marks.marks[at] != now:
		marks.writable()[at] = now
	}
}

// atMark reports whether the stream has the position of its mark in the world.
func (a *ImageStream) atMark() bool {
	return len(a.newIDs) == 0 || slices.Contains(a.world.streamMarks.marks, a.currentMark())
}

// joinReservation is called for a stream whose position was read from bytes. If w already has streams with the same
// ids, the new stream gets their reservation, as if it were their Clone. It returns an error if w cannot have the
// same contents as when the bytes were made.
func (a *ImageStream) joinReservation(op string, w *World) error {
	if len(a.newIDs) == 0 {
		return nil
	}
	own := reservationOf(a.newIDs)
	var places []int32 // by index minus own.low: the index in ids plus one
	for i := range w.streamMarks.marks {
		m := &w.streamMarks.marks[i]
		o := m.reservation.Value()
		if o == nil || o.maxIndex < own.minIndex || o.minIndex > own.maxIndex {
			continue
		}
		if slices.Equal(o.ids, a.newIDs) {
			if m.loadedCount != a.loadedCount || m.unloadedCount != a.unloadedCount || m.ended != a.ended {
				return w.gate.fault(ErrArgument, op, "the bytes are of another moment: %d of %d had come then and %d of these were unloaded, and now %d have come and %d are unloaded: "+
					"restore the world to an image of the same moment first", a.loadedCount, len(a.newIDs), a.unloadedCount, m.loadedCount, m.unloadedCount)
			}
			a.reservation, a.newIDs = o, o.ids
			return nil
		}
		if places == nil {
			places = make([]int32, own.maxIndex-own.minIndex+1)
			for k, e := range a.newIDs {
				places[e.Index-own.minIndex] = int32(k) + 1
			}
		}
		for k, e := range o.ids {
			at := -1
			if e.Index >= own.minIndex && e.Index <= own.maxIndex {
				at = int(places[e.Index-own.minIndex]) - 1
			}
			if at >= 0 && (a.newIDs[at] == e || !a.ended && at >= a.loadedCount && !m.ended && k >= m.loadedCount) {
				return w.gate.fault(ErrArgument, op, "the id %v is one of another stream of the world: restore the world to an image of the moment at which AppendState was called first", e)
			}
		}
	}
	if now := a.currentMark(); w.streamMarks.complete() && !now.finished() {
		return w.gate.fault(ErrArgument, op, "no stream of the world has the ids, so that these may be of other entities (%v is the first): "+
			"restore the world to an image of the moment at which AppendState was called first", a.newIDs[0])
	}
	return nil
}
