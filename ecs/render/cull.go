package render

import (
	"math/bits"

	"github.com/lanewise/lanewise/jobs"
)

// aim makes the planes of the camera, which is another than it was, or elsewhere.
func (e *eye) aim() {
	v := &e.view
	e.stamp, e.ready, e.levels.turned = 0, false, true
	if v.Viewport.Empty() {
		return
	}
	m := v.Camera.projectIn(&e.room, &v.Place, float32(v.Viewport.Dx())/float32(v.Viewport.Dy()))
	for i := range m {
		v.Matrix[i] = float32(m[i])
	}
	e.walls = wallsOf(planesOf(&m, v.Camera.flat()))
	e.ready = e.walls.sound()
	e.lay()
}

// lay finds by what the camera sorts.
func (e *eye) lay() {
	d := e.view.Camera.depth(&e.view.Place)
	if e.view.Camera.Sort == SortY {
		d = e.view.Camera.height(&e.view.Place)
	}
	for k := range d {
		e.along[k] = float32(d[k])
	}
}

// cull finds which rows of which slots the camera sees, where that may have changed. It
// reports whether there was something to find out.
func (e *eye) cull() (changed bool, err error) {
	t := &e.scene.slots
	if e.stamp == t.build && e.stamp != 0 {
		return false, nil
	}
	n := len(t.list)
	e.masks = grow(e.masks, len(t.own))
	e.counts = grow(e.counts, n)
	if err := e.scene.run(e, (n+wordSlots-1)/wordSlots, 1); err != nil {
		e.stamp = 0
		return true, err
	}
	e.stamp = t.build
	return true, nil
}

// RunRange culls groups of slots.
func (e *eye) RunRange(_ *jobs.Task, lo, hi int) {
	t := &e.scene.slots
	for g := lo; g < hi; g++ {
		first, last := g*wordSlots, min((g+1)*wordSlots, len(t.list))
		todo := uint64(0)
		for i := first; i < last; i++ {
			if e.stamp == 0 || t.list[i].stamp > e.stamp {
				todo |= 1 << (i - first)
			}
		}
		if todo == 0 {
			continue
		}
		var out, in [1]uint64 // reaches inside, is inside
		switch w := &e.walls; {
		case w.finite:
			chunks, inner := t.chunks.Slice(first, last), t.inner.Slice(first, last)
			chunks.InPlanes(out[:], w.outer[:w.n])
			inner.InPlanes(in[:], w.inner[:w.n])
		default:
			out[0] = todo
		}
		cut := out[0] &^ in[0] & todo
		for todo &^= cut; todo != 0; todo &= todo - 1 {
			k := bits.TrailingZeros64(todo)
			e.whole(first+k, in[0]>>k&1 != 0)
		}
		for cut != 0 {
			k := bits.TrailingZeros64(cut)
			run := bits.TrailingZeros64(^(cut >> k)) // of slots that lie one behind the other
			e.rows(first+k, first+k+run)
			cut &^= (1<<run - 1) << k
		}
	}
}

// whole sees all rows of a slot, or none.
func (e *eye) whole(i int, inside bool) {
	s := &e.scene.slots.list[i]
	e.counts[i] = 0 // the mask means nothing then
	if inside {
		own := e.own(s)
		copy(s.mask(e.masks), own)
		e.counts[i] = s.count
		if s.level {
			e.counts[i] = int32(ones(own))
		}
	}
}

// own are the rows of a slot that are there to be seen by the camera.
func (e *eye) own(s *slot) []uint64 {
	if s.level {
		return s.mask(e.levels.passes)
	}
	return s.mask(e.scene.slots.own)
}

func ones(mask []uint64) (n int) {
	for _, word := range mask {
		n += bits.OnesCount64(word)
	}
	return n
}

// rows finds which rows of the slots [lo, hi) are seen.
func (e *eye) rows(lo, hi int) {
	t := &e.scene.slots
	first, last := int(t.list[lo].base), int(t.list[hi-1].base+t.list[hi-1].words)
	boxes := t.rows.Slice(64*first, 64*last)
	boxes.InPlanes(e.masks[first:last], e.walls.rows[:e.walls.n])
	for i := lo; i < hi; i++ {
		s := &t.list[i]
		mask, own, n := s.mask(e.masks), e.own(s), 0
		for k := range mask {
			mask[k] &= own[k]
			n += bits.OnesCount64(mask[k])
		}
		e.counts[i] = int32(n)
	}
}
