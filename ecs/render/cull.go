package render

import (
	"math/bits"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// eye is a camera and what it saw last.
type eye struct {
	scene *scene
	view  View
	walls walls
	ready bool       // the camera has planes
	along [4]float32 // gives the depth of a place, or its height for SortY

	// Of each slot, by its index. They are good for slots that were filled by build
	// stamp or before; 0 is none.
	stamp  uint64
	masks  []uint64 // chunkWords of each: the rows that are seen
	counts []int32  // bits in masks

	batches batches
}

// group is how many slots are one index of a cull: a word of a mask of them.
const group = 64

// aim makes the planes of the camera, which is another than it was, or elsewhere.
func (e *eye) aim() {
	v := &e.view
	e.stamp, e.ready = 0, false
	if v.Viewport.Empty() {
		return
	}
	m := v.Camera.project(&v.Place, float32(v.Viewport.Dx())/float32(v.Viewport.Dy()))
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
	e.masks = grow(e.masks, n*chunkWords)
	e.counts = grow(e.counts, n)
	if err := e.scene.run(e, (n+group-1)/group, 1); err != nil {
		e.stamp = 0
		return true, err
	}
	e.stamp = max(t.build, 1)
	return true, nil
}

// RunRange culls groups of slots.
func (e *eye) RunRange(_ *jobs.Task, lo, hi int) {
	t := &e.scene.slots
	for g := lo; g < hi; g++ {
		first, last := g*group, min((g+1)*group, len(t.list))
		todo := uint64(0)
		for i := first; i < last; i++ {
			if e.stamp == 0 || t.list[i].stamp > e.stamp {
				todo |= 1 << (i - first)
			}
		}
		if todo == 0 {
			continue
		}
		var out, in [1]uint64
		switch w := &e.walls; {
		case w.tame:
			boxes, inner := t.boxes.Slice(first, last), t.inner.Slice(first, last)
			boxes.InPlanes(out[:], w.outer[:w.n])
			inner.InPlanes(in[:], w.inner[:w.n])
		default:
			out[0] = todo
		}
		for ; todo != 0; todo &= todo - 1 {
			k := bits.TrailingZeros64(todo)
			e.rows(first+k, out[0]>>k&1 == 0, in[0]>>k&1 != 0)
		}
	}
}

// rows finds which rows of a slot are seen.
func (e *eye) rows(i int, outside, inside bool) {
	s := &e.scene.slots.list[i]
	if outside || s.count == 0 {
		e.counts[i] = 0 // the mask means nothing then
		return
	}
	words := kernels.MaskLen(int(s.rows))
	mask, own := e.masks[i*chunkWords:][:words], e.scene.slots.own[i*chunkWords:][:words]
	if inside {
		copy(mask, own)
		e.counts[i] = s.count
		return
	}
	s.boxes.InPlanes(mask, e.walls.rows[:e.walls.n])
	n := 0
	for k := range mask {
		mask[k] &= own[k]
		n += bits.OnesCount64(mask[k])
	}
	e.counts[i] = int32(n)
}
