package render

import (
	"math"
	"math/bits"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// cameraView holds a camera and the result of its last culling.
type cameraView struct {
	scene         *scene
	view          View
	frustum       frustum
	hasPlanes     bool // the camera's planes are set
	spreadScratch [3]float64
	sortAxis      [4]float32 // coefficients of the depth, or of the height for SortY

	// The following fields hold a mask and a count for each slot. The mask and the count of a slot are
	// valid if the slot was filled in build culledBuild or earlier. If culledBuild is 0, no mask is
	// valid.
	culledBuild   uint64
	visibleMasks  []uint64 // mask of the visible rows
	visibleCounts []int32  // number of bits in visibleMasks

	levels     levelChoices
	batches    batches
	testedRows bool  // this frame tested rows
	err        error // error of this camera in this frame
}

// frustum holds the planes of a camera. frustum also holds shifted planes, with which chunks are
// tested.
type frustum struct {
	planeCount                          int
	rowPlanes, outerPlanes, innerPlanes [6]kernels.Plane[float32]
	finite                              bool // the planes are finite, so that chunks can be tested
}

// slotsPerWord is the number of slots that one index of the culling job handles. These are the slots
// whose bits are in one word of a mask of slots.
const slotsPerWord = 64

// updateFrustum computes the planes of a camera that has changed or moved.
func (e *cameraView) updateFrustum() {
	v := &e.view
	e.culledBuild, e.hasPlanes, e.levels.cameraChanged = 0, false, true
	if v.Viewport.Empty() {
		return
	}
	m := v.Camera.projectIn(&e.spreadScratch, &v.Place, float32(v.Viewport.Dx())/float32(v.Viewport.Dy()))
	for i := range m {
		v.Matrix[i] = float32(m[i])
	}
	e.frustum = frustumOf(frustumPlanes(&m, v.Camera.seesEveryZ()))
	e.hasPlanes = e.frustum.isFinite()
	e.setSortAxis()
}

// setSortAxis computes the axis along which the camera sorts.
func (e *cameraView) setSortAxis() {
	d := e.view.Camera.depthCoefficients(&e.view.Place)
	if e.view.Camera.Sort == SortY {
		d = e.view.Camera.heightCoefficients(&e.view.Place)
	}
	for k := range d {
		e.sortAxis[k] = float32(d[k])
	}
}

// cull finds the visible rows of each slot whose rows may have changed. If the camera has changed, it
// finds the visible rows of all slots. It returns true if it tested any rows.
func (e *cameraView) cull() (changed bool, err error) {
	t := &e.scene.slots
	if e.culledBuild == t.build && e.culledBuild != 0 {
		return false, nil
	}
	n := len(t.list)
	e.visibleMasks = grow(e.visibleMasks, len(t.drawableRows))
	e.visibleCounts = grow(e.visibleCounts, n)
	if err := e.scene.runJob(e, (n+slotsPerWord-1)/slotsPerWord, 1); err != nil {
		e.culledBuild = 0
		return true, err
	}
	e.culledBuild = t.build
	return true, nil
}

// RunRange culls the slots of some words.
func (e *cameraView) RunRange(_ *jobs.Task, lo, hi int) {
	t := &e.scene.slots
	for g := lo; g < hi; g++ {
		first, last := g*slotsPerWord, min((g+1)*slotsPerWord, len(t.list))
		todo := uint64(0)
		for i := first; i < last; i++ {
			if e.culledBuild == 0 || t.list[i].builtAt > e.culledBuild {
				todo |= 1 << (i - first)
			}
		}
		if todo == 0 {
			continue
		}
		var out, in [1]uint64 // bits of chunks that are not wholly outside, and of chunks that are wholly inside
		switch w := &e.frustum; {
		case w.finite:
			chunks, inner := t.chunkBoxes.Slice(first, last), t.innerBoxes.Slice(first, last)
			chunks.InPlanes(out[:], w.outerPlanes[:w.planeCount])
			inner.InPlanes(in[:], w.innerPlanes[:w.planeCount])
		default:
			out[0] = todo
		}
		cut := out[0] &^ in[0] & todo
		for todo &^= cut; todo != 0; todo &= todo - 1 {
			k := bits.TrailingZeros64(todo)
			e.setSlotVisible(first+k, in[0]>>k&1 != 0)
		}
		for cut != 0 {
			k := bits.TrailingZeros64(cut)
			run := bits.TrailingZeros64(^(cut >> k)) // number of consecutive slots
			e.cullRows(first+k, first+k+run)
			cut &^= (1<<run - 1) << k
		}
	}
}

// setSlotVisible marks all rows of a slot as visible, or all as invisible.
func (e *cameraView) setSlotVisible(i int, inside bool) {
	s := &e.scene.slots.list[i]
	e.visibleCounts[i] = 0 // if the count is 0, the mask is not read
	if inside {
		own := e.drawableRows(s)
		copy(s.mask(e.visibleMasks), own)
		e.visibleCounts[i] = s.drawableCount
		if s.hasLevel {
			e.visibleCounts[i] = int32(countOnes(own))
		}
	}
}

// drawableRows returns the rows of a slot that the camera may draw.
func (e *cameraView) drawableRows(s *slot) []uint64 {
	if s.hasLevel {
		return s.mask(e.levels.drawableAtLevel)
	}
	return s.mask(e.scene.slots.drawableRows)
}

func countOnes(mask []uint64) (n int) {
	for _, word := range mask {
		n += bits.OnesCount64(word)
	}
	return n
}

// cullRows finds the visible rows in the slots [lo, hi).
func (e *cameraView) cullRows(lo, hi int) {
	t := &e.scene.slots
	first, last := int(t.list[lo].firstWord), int(t.list[hi-1].firstWord+t.list[hi-1].wordCount)
	boxes := t.rowBoxes.Slice(64*first, 64*last)
	boxes.InPlanes(e.visibleMasks[first:last], e.frustum.rowPlanes[:e.frustum.planeCount])
	for i := lo; i < hi; i++ {
		s := &t.list[i]
		mask, own, n := s.mask(e.visibleMasks), e.drawableRows(s), 0
		for k := range mask {
			mask[k] &= own[k]
			n += bits.OnesCount64(mask[k])
		}
		e.visibleCounts[i] = int32(n)
	}
}

// A chunk is tested before its rows. The two tests must agree exactly: if the chunk is outside,
// all of its rows must be outside, and if the chunk is wholly inside, all of its rows must be
// inside. The kernel that tests the boxes of rows also tests the box of the chunk. A margin
// compensates for the rounding in all of these tests.
//
// For a plane with normal N and distance D, and a box with middle c and half size h, let the exact
// sums be
//
//	d* = N·c + D      r* = |N|·h      B = |N|·(|c| + h) + |D|
//
// and let d and r be the results of the kernel. From a product to the sum d + r, there are at most
// five roundings. The sign of that sum is correct, because the rounded sum of two floating-point
// numbers has the sign of the exact sum. So |d - d*| + |r - r*| ≤ 5u·B·(1 + 5u) + t, with u = 2⁻²⁴.
// The term t < 2⁻¹⁴⁵ covers denormal products; denormal sums are exact. No sum overflows, as shown
// below. A row is inside if and only if d + r ≥ 0.
//
// The chunk's box (C, H), from Boxes.Union, contains every row that is not empty: in each axis |x -
// C| + h ≤ H, hence |x| + h ≤ |C| + H, and B of a row is at most B of the chunk. Also, for each
// row, d* + r* of the row is at most d* + r* of the chunk, and d* of the row is at least d* - r* of
// the chunk.
//
// Outside. The kernel tests the box (C, H') with H' = H + m(|C| + H) against the plane with D' = D
// + m|D| + t', rounded, m = 32u. If the kernel reports outside, then d + r < 0 as computed, and
// exactly
//
//	d*(C) + r*(C) + m·B + t' - (rounding of H' and D': 3u·B) - (of the test: 6u·B + t) < 0
//
// and for each row d* + r* + 5.1u·B + t < 0, because 32 - 3 - 6 > 5.1 and t' > 2t. So the computed
// d + r of the row is below 0.
//
// Inside. The kernel tests the box (C, -H') against the plane with D' = D - m|D| - t'. If the
// kernel reports inside, then d*(C) - r*(C) ≥ (32 - 3 - 6)u·B + t' - t for every plane. For each
// row, d* + r* ≥ d*, which is at least as large as that bound. So the computed d + r is at least 0.
//
// Empty rows do not contribute to the Union. Empty rows are also excluded from slots.drawableRows, and
// every mask is intersected with drawableRows. All other boxes are finite. If a number of a chunk is beyond
// 2¹⁰⁰, where a sum could overflow, the chunk gets a box that intersects every plane. If a number of a
// plane is beyond 2¹⁰⁰, all chunks get such a box. The components of a normal are at most 1.
const (
	margin         = 0x1p-19  // m in the proof
	smallestNormal = 0x1p-126 // t' in the proof
	testableLimit  = 0x1p100
)

func withMargin(x, h float32) float32 { return h + float32(margin*(abs(x)+h)) }

func isTestable(x, h float32) bool { return abs(x) <= testableLimit && h <= testableLimit }

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

func frustumOf(planes [6]kernels.Plane[float32], n int) (w frustum) {
	w.planeCount, w.rowPlanes, w.outerPlanes, w.innerPlanes, w.finite = n, planes, planes, planes, true
	for k := range planes[:n] {
		d := planes[k].D
		m := float32(margin*abs(d)) + smallestNormal
		w.outerPlanes[k].D, w.innerPlanes[k].D = d+m, d-m
		w.finite = w.finite && abs(d) <= testableLimit
	}
	return w
}

// isFinite reports whether all numbers of the planes are finite.
func (w *frustum) isFinite() bool {
	for _, p := range w.rowPlanes[:w.planeCount] {
		if !finite(p.X) || !finite(p.Y) || !finite(p.Z) || !finite(p.D) {
			return false
		}
	}
	return true
}
