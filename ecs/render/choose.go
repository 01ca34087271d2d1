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

// ChooseLevels finds at which level each group of [Levels] is for each camera, where the
// group or the camera has moved or is another than it was. It reports parents of groups
// that are no groups.
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
		if err := e.levels.choose(e); err != nil {
			return fmt.Errorf("render: camera %v: levels: %w", e.view.Entity, err)
		}
	}
	if t.build == had || !t.nested.Load() || c.feed != nil {
		return nil
	}
	return t.orphans()
}

// choose finds the levels of an eye, whose choices these are.
func (l *choices) choose(e *eye) error {
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
	if err := e.scene.run(l, (n+span-1)/span, 0); err != nil {
		l.turned = true
		return err
	}
	l.build, l.turned = t.build, false
	if l.nested != t.nested.Load() {
		l.nested = !l.nested
		l.changed.Store(true) // shown is another list
	}
	l.shown = l.level
	if l.nested {
		l.under = grow(l.under, n)
		l.shown, l.chain.l = l.under, l
		if err := e.scene.run(&l.chain, n, 0); err != nil {
			l.turned = true
			return err
		}
	}
	l.renew = l.changed.Load()
	return nil
}

// RunRange chooses levels in blocks of rows.
func (l *choices) RunRange(_ *jobs.Task, lo, hi int) {
	t := &l.eye.scene.groups
	for k := lo; k < hi; k++ {
		if l.turned || atomic.LoadUint64(&t.touched[k]) > l.build {
			l.rows(k*span, min((k+1)*span, len(t.ids)))
		}
	}
}

// rows chooses the levels of rows [lo, hi).
func (l *choices) rows(lo, hi int) {
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
		in := chosen(&ends[i], &leaves[i], distance, level[i])
		if in != level[i] {
			level[i] = in
			changed = true
		}
	}
	if changed {
		l.changed.Store(true)
	}
}

// chosen is the level at a distance, 1 for the nearest, of a group that was at another
// one, or at none, 0. A distance that is no number has none.
func chosen(ends, leaves *[8]float32, distance float32, was uint8) uint8 {
	if distance != distance {
		return 0
	}
	in := uint8(1)
	for int(in) <= len(ends) && distance >= ends[in-1] {
		in++
	}
	if was == 0 || was >= in {
		return in // nearer, or as before
	}
	out := uint8(1)
	for int(out) <= len(leaves) && distance >= leaves[out-1] {
		out++
	}
	return max(was, out)
}

// generations is how many groups may stand above each other.
const generations = 255

// RunRange finds that for rows [lo, hi).
func (j *chain) RunRange(_ *jobs.Task, lo, hi int) {
	l := j.l
	t := &l.eye.scene.groups
	changed := false
	for r := lo; r < hi; r++ {
		level := l.level[r]
		p := t.parents[r]
		for steps := 0; level != 0 && !p.Group.Null(); steps++ {
			o := t.row(p.Group)
			if o < 0 || steps == generations || !holds(l.level[o], p.Min, p.Max) {
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

// orphans reports groups whose parents are none.
func (t *groups) orphans() error {
	var errs []error
	for r, p := range t.parents {
		if p.Group.Null() {
			continue
		}
		o := t.row(p.Group)
		if o < 0 {
			errs = t.lack(errs, p.Group, "the group", t.ids[r])
			continue
		}
		steps := 0
		for ; o >= 0 && steps <= generations && !t.parents[o].Group.Null(); steps++ {
			o = t.row(t.parents[o].Group)
		}
		if steps <= generations {
			if len(t.circles) > 0 {
				delete(t.circles, t.ids[r])
			}
			continue
		}
		if !t.circles[t.ids[r]] {
			noted(&t.circles, t.ids[r])
			errs = append(errs, fmt.Errorf("render: group %v has more than %d groups above it, or is one of them itself, and nothing of it is drawn: give one of them other Levels, with another Parent: %w", t.ids[r], generations, ecs.ErrState))
		}
	}
	return errors.Join(errs...)
}

func noted(set *map[ecs.Entity]bool, id ecs.Entity) {
	if *set == nil {
		*set = map[ecs.Entity]bool{}
	}
	(*set)[id] = true
}

// lack reports a group that is none, once.
func (t *groups) lack(errs []error, group ecs.Entity, what string, id ecs.Entity) []error {
	if t.reported[group] {
		return errs
	}
	w := t.scene.world
	reason, remedy := "was destroyed", "give it another group, or destroy it as well"
	switch {
	case group.Null():
		reason, remedy = "is none at all", "give its Level a Group"
	case !w.Exists(group):
	case !ecs.HasComponent[Levels](w, group):
		reason, remedy = "has no Levels", "give it Levels"
	case !ecs.HasComponent[matrices](w, group):
		reason, remedy = "has no LocalToWorld", "give it LocalToWorld"
	default: // inactive, or a prefab
		return errs
	}
	noted(&t.reported, group)
	return append(errs, fmt.Errorf("render: %s %v, and all others of group %v, are not drawn: the group %s: %s: %w", what, id, group, reason, remedy, ecs.ErrState))
}
