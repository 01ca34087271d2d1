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

// ChooseLevels finds the level of each group of [Levels] for each camera. It does so for groups
// that have moved or changed, and for all groups of a camera that has moved or changed. It returns
// an error for a group whose parent is not a group.
type ChooseLevels struct {
	_ system.In[system.Presentation]
	_ system.After[UpdateBounds]

	scene  *scene
	groups *ecs.Query
}

// Create makes the query.
func (s *ChooseLevels) Create(u *system.Setup) error {
	s.scene = sceneOf(u.World())
	s.groups = u.Query(ecs.Read[Levels](), ecs.Read[matrices](), ecs.ChangedAny(ecs.Read[Levels](), ecs.Read[matrices]()), ecs.OrderChanged())
	s.scene.groups.query = s.groups
	return nil
}

// Update chooses levels.
func (s *ChooseLevels) Update(f *system.Frame) error {
	c, t := s.scene, &s.scene.groups
	had := t.build
	if err := t.refresh(f, s.groups); err != nil {
		return err
	}
	for _, e := range c.eyes {
		if err := e.levels.chooseLevels(e); err != nil {
			return fmt.Errorf("render: camera %v: levels: %w", e.view.Entity, err)
		}
	}
	if t.build == had || !t.nested.Load() || c.feed != nil {
		return nil
	}
	return t.reportOrphans()
}

// levelChoices holds the levels that an eye has chosen.
type levelChoices struct {
	eye     *eye
	turned  bool        // the camera has changed or moved
	level   []uint8     // for each row of groups: 1 + the level, or 0 if there is none
	spare   []uint8     // the level list of the frame before, while the new one is made
	under   []uint8     // level, or 0 while a parent is at another level
	shown   []uint8     // under, or level if there are no parents
	squares []float32   // squares of distances, and then distances
	nested  bool        // shown is under
	build   uint64      // build of groups at the last choice
	changed atomic.Bool // some level has changed: reset by the owner before the jobs that choose, set by these, read after them
	chain   parentJob

	// For [FilterLevels]. For each slot, the build of slots for which passes was computed.
	passes  []uint64 // the rows that are drawable and at their level
	stamps  []uint64
	renew   bool // shown has changed
	narrow  filterJob
	altered atomic.Bool // some rows of slots have changed: reset by the owner before the jobs that filter, set by these, read after them
}

// parentJob hides groups whose parents are at another level.
type parentJob struct{ l *levelChoices }

// chooseLevels chooses the levels of an eye.
func (l *levelChoices) chooseLevels(e *eye) error {
	t := &e.scene.groups
	if !e.ready || l.build == t.build && !l.turned {
		return nil
	}
	n := len(t.ids)
	if len(l.level) != n { // the camera is new
		l.level = grow(l.level, n)
		clear(l.level)
		l.renew = true
	}
	l.eye, l.squares = e, grow(l.squares, n)
	l.changed.Store(l.renew)
	if err := e.scene.runJob(l, (n+span-1)/span, 0); err != nil {
		l.turned = true
		return err
	}
	l.build, l.turned = t.build, false
	if l.nested != t.nested.Load() {
		l.nested = !l.nested
		l.changed.Store(true) // shown is another list now
	}
	l.shown = l.level
	if l.nested {
		l.under = grow(l.under, n)
		l.shown, l.chain.l = l.under, l
		if err := e.scene.runJob(&l.chain, n, 0); err != nil {
			l.turned = true
			return err
		}
	}
	l.renew = l.changed.Load()
	return nil
}

// RunRange chooses levels in blocks of rows.
func (l *levelChoices) RunRange(_ *jobs.Task, lo, hi int) {
	t := &l.eye.scene.groups
	for k := lo; k < hi; k++ {
		if l.turned || atomic.LoadUint64(&t.touched[k]) > l.build {
			l.chooseRows(k*span, min((k+1)*span, len(t.ids)))
		}
	}
}

// chooseRows chooses the levels of rows [lo, hi).
func (l *levelChoices) chooseRows(lo, hi int) {
	t, v := &l.eye.scene.groups, &l.eye.view
	d := l.squares[lo:hi]
	if v.Camera.FOV > 0 {
		places := t.places.Slice(lo, hi)
		places.DistanceSquared(d, [3]float32{v.Place[12], v.Place[13], v.Place[14]})
		kernels.Sqrt(d, d)
	} else {
		kernels.Fill(d, v.Camera.tall())
	}
	if b := v.Camera.LevelBias; b != 0 {
		kernels.Scale(d, d, b)
	}
	ends, leaves, level := t.ends[lo:hi], t.leaves[lo:hi], l.level[lo:hi]
	changed := false
	for i, distance := range d {
		in := levelAt(&ends[i], &leaves[i], distance, level[i])
		if in != level[i] {
			level[i] = in
			changed = true
		}
	}
	if changed {
		l.changed.Store(true)
	}
}

// levelAt returns 1 plus the level of a group at the given distance. Was is the result of the frame
// before, or 0 if there is none; the group leaves that level outwards only beyond leaves. The
// result is 0 if the distance is NaN.
func levelAt(ends, leaves *[8]float32, distance float32, was uint8) uint8 {
	if distance != distance {
		return 0
	}
	in := uint8(1)
	for int(in) <= len(ends) && distance >= ends[in-1] {
		in++
	}
	if was == 0 || was >= in {
		return in // nearer than before, or the same
	}
	out := uint8(1)
	for int(out) <= len(leaves) && distance >= leaves[out-1] {
		out++
	}
	return max(was, out)
}

// generations is the largest depth of groups inside of groups.
const generations = 255

// RunRange hides such groups among rows [lo, hi).
func (j *parentJob) RunRange(_ *jobs.Task, lo, hi int) {
	l := j.l
	t := &l.eye.scene.groups
	changed := false
	for r := lo; r < hi; r++ {
		level := l.level[r]
		p := t.parents[r]
		for steps := 0; level != 0 && !p.Group.IsZero(); steps++ {
			o := t.rowOf(p.Group)
			if o < 0 || steps == generations || !levelWithin(l.level[o], p.Min, p.Max) {
				level = 0
				break
			}
			p = t.parents[o]
		}
		if l.shown[r] != level {
			l.shown[r] = level
			changed = true
		}
	}
	if changed {
		l.changed.Store(true)
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
		for ; o >= 0 && steps <= generations && !t.parents[o].Group.IsZero(); steps++ {
			o = t.rowOf(t.parents[o].Group)
		}
		if steps <= generations {
			if len(t.circles) > 0 {
				delete(t.circles, t.ids[r])
			}
			continue
		}
		if !t.circles[t.ids[r]] {
			noteEntity(&t.circles, t.ids[r])
			errs = append(errs, fmt.Errorf("render: group %v has more than %d groups above it, or is one of them itself, and nothing of it is drawn: give one of them other Levels, with another Parent: %w", t.ids[r], generations, ecs.ErrState))
		}
	}
	return errors.Join(errs...)
}
