package render

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// ChooseLevels chooses, for each camera, the level of each group of [Levels]. ChooseLevels visits
// the groups that have moved or changed. If a camera has moved or changed, it visits all groups
// for that camera. It returns an error for a group whose parent is not a group.
type ChooseLevels struct {
	_ system.In[system.Presentation]
	_ system.After[UpdateBounds]

	scene  *scene
	groups *ecs.Query
}

// Create creates the query.
func (s *ChooseLevels) Create(u *system.Setup) error {
	s.scene = sceneOf(u.World())
	s.groups = u.Query(ecs.Read[Levels](), ecs.Read[matrices](), ecs.ChangedAny(ecs.Read[Levels](), ecs.Read[matrices]()), ecs.OrderChanged())
	s.scene.groups.query = s.groups
	return nil
}

// Update chooses the levels.
func (s *ChooseLevels) Update(f *system.Frame) error {
	c, t := s.scene, &s.scene.groups
	c.beginSystem(f)
	defer c.endSystem()
	had := t.build
	if err := t.refresh(f, s.groups); err != nil {
		return err
	}
	for _, e := range c.cameraViews {
		if err := e.levels.chooseLevels(e); err != nil {
			return fmt.Errorf("render: camera %v: levels: %w", e.view.Entity, err)
		}
	}
	if t.build == had || !t.hasParents.Load() || c.feed != nil {
		return nil
	}
	return t.reportOrphans()
}

// levelChoices holds the levels that a view has chosen for the groups.
type levelChoices struct {
	view          *cameraView
	cameraChanged bool        // the camera has changed or moved
	levels        []uint8     // for each row of groups: 1 + the level, or 0 if no level was chosen
	lastLevels    []uint8     // the levels of the previous frame, while the new ones are computed
	nestedLevels  []uint8     // like levels, but 0 while a parent is at another level
	effective     []uint8     // nestedLevels, or levels if no group has a parent
	distances     []float32   // first the squares of the distances, then the distances
	hasNested     bool        // effective is the slice nestedLevels
	groupsBuild   uint64      // build of groups when levels were last chosen
	levelsChanged atomic.Bool // some level has changed: the owner resets it before the jobs that choose levels, the jobs set it, and the owner reads it afterwards
	parents       parentJob

	// The following fields are for [FilterLevels]. The field slotBuilds contains, for each slot, the
	// build of slots for which drawableAtLevel was computed.
	drawableAtLevel  []uint64 // the rows that are drawable and at their level
	slotBuilds       []uint64
	effectiveChanged bool // effective was changed
	filter           filterJob
	rowsAltered      atomic.Bool // some rows of slots have changed: the owner resets it before the jobs that filter, the jobs set it, and the owner reads it afterwards
}

// parentJob hides the groups whose parents are at another level.
type parentJob struct{ l *levelChoices }

// chooseLevels chooses the levels of a view.
func (l *levelChoices) chooseLevels(e *cameraView) error {
	t := &e.scene.groups
	if !e.hasPlanes || l.groupsBuild == t.build && !l.cameraChanged {
		return nil
	}
	n := len(t.ids)
	if len(l.levels) != n { // the camera is new
		l.levels = grow(l.levels, n)
		clear(l.levels)
		l.effectiveChanged = true
	}
	l.view, l.distances = e, grow(l.distances, n)
	l.levelsChanged.Store(l.effectiveChanged)
	if err := e.scene.runJob(l, (n+groupBlockRows-1)/groupBlockRows, 0); err != nil {
		l.cameraChanged = true
		return err
	}
	l.groupsBuild, l.cameraChanged = t.build, false
	if l.hasNested != t.hasParents.Load() {
		l.hasNested = !l.hasNested
		l.levelsChanged.Store(true) // effective is another slice now
	}
	l.effective = l.levels
	if l.hasNested {
		l.nestedLevels = grow(l.nestedLevels, n)
		l.effective, l.parents.l = l.nestedLevels, l
		if err := e.scene.runJob(&l.parents, n, 0); err != nil {
			l.cameraChanged = true
			return err
		}
	}
	l.effectiveChanged = l.levelsChanged.Load()
	return nil
}

// RunRange chooses the levels of blocks of rows.
func (l *levelChoices) RunRange(_ *jobs.Task, lo, hi int) {
	t := &l.view.scene.groups
	for k := lo; k < hi; k++ {
		if l.cameraChanged || atomic.LoadUint64(&t.blockBuilds[k]) > l.groupsBuild {
			l.chooseRows(k*groupBlockRows, min((k+1)*groupBlockRows, len(t.ids)))
		}
	}
}

// chooseRows chooses the levels of the rows [lo, hi).
func (l *levelChoices) chooseRows(lo, hi int) {
	t, v := &l.view.scene.groups, &l.view.view
	d := l.distances[lo:hi]
	if v.Camera.FOV > 0 {
		places := t.positions.Slice(lo, hi)
		places.DistanceSquared(d, [3]float32{v.Place[12], v.Place[13], v.Place[14]})
		kernels.Sqrt(d, d)
	} else {
		kernels.Fill(d, v.Camera.heightOrDefault())
	}
	if b := v.Camera.LevelBias; b != 0 {
		kernels.Scale(d, d, b)
	}
	ends, leaves, level := t.endDistances[lo:hi], t.leaveDistances[lo:hi], l.levels[lo:hi]
	changed := false
	for i, distance := range d {
		in := levelAt(&ends[i], &leaves[i], distance, level[i])
		if in != level[i] {
			level[i] = in
			changed = true
		}
	}
	if changed {
		l.levelsChanged.Store(true)
	}
}

// levelAt returns the level of a group at the given distance, plus 1. The parameter was is the
// result of the previous frame, or 0 if there was none. If the group was at a nearer level, it
// switches to a farther level only at the distances in leaves. The result is 0 if the distance is
// NaN.
func levelAt(ends, leaves *[8]float32, distance float32, was uint8) uint8 {
	if distance != distance {
		return 0
	}
	in := uint8(1)
	for int(in) <= len(ends) && distance >= ends[in-1] {
		in++
	}
	if was == 0 || was >= in {
		return in // nearer than before, or the same level
	}
	out := uint8(1)
	for int(out) <= len(leaves) && distance >= leaves[out-1] {
		out++
	}
	return max(was, out)
}

// maxGroupDepth is the largest depth to which groups may be nested.
const maxGroupDepth = 255

// RunRange hides the groups of rows [lo, hi) whose parents are at another level.
func (j *parentJob) RunRange(_ *jobs.Task, lo, hi int) {
	l := j.l
	t := &l.view.scene.groups
	changed := false
	for r := lo; r < hi; r++ {
		level := l.levels[r]
		p := t.parents[r]
		for steps := 0; level != 0 && !p.Group.IsZero(); steps++ {
			o := t.rowOf(p.Group)
			if o < 0 || steps == maxGroupDepth || !levelWithin(l.levels[o], p.Min, p.Max) {
				level = 0
				break
			}
			p = t.parents[o]
		}
		if l.effective[r] != level {
			l.effective[r] = level
			changed = true
		}
	}
	if changed {
		l.levelsChanged.Store(true)
	}
}

// reportOrphans returns errors about groups whose parent is not a group.
func (t *groups) reportOrphans() error {
	var errs []error
	for r, p := range t.parents {
		if p.Group.IsZero() {
			continue
		}
		o := t.rowOf(p.Group)
		if o < 0 {
			errs = t.reportMissing(errs, p.Group, "the group", t.ids[r])
			continue
		}
		steps := 0
		for ; o >= 0 && steps <= maxGroupDepth && !t.parents[o].Group.IsZero(); steps++ {
			o = t.rowOf(t.parents[o].Group)
		}
		if steps <= maxGroupDepth {
			if len(t.cyclic) > 0 {
				delete(t.cyclic, t.ids[r])
			}
			continue
		}
		if !t.cyclic[t.ids[r]] {
			noteEntity(&t.cyclic, t.ids[r])
			errs = append(errs, fmt.Errorf("render: group %v has more than %d groups above it, or is one of them itself, and nothing of it is drawn: give one of them other Levels, with another Parent: %w", t.ids[r], maxGroupDepth, ecs.ErrState))
		}
	}
	return errors.Join(errs...)
}
