package render

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// FilterLevels finds which entities with a [Level] each camera draws, in slots whose rows or levels
// may have changed. It returns an error for a group that does not exist.
type FilterLevels struct {
	_ system.In[system.Presentation]
	_ system.After[ChooseLevels]

	scene    *scene
	drawn    *ecs.Query
	levelled *ecs.Query
}

// Create makes the queries.
func (s *FilterLevels) Create(u *system.Setup) error {
	s.scene = sceneOf(u.World())
	s.drawn = drawn(u)
	s.levelled = u.Query(ecs.With[Look](), ecs.With[Level]())
	return nil
}

// Update filters the rows of each camera.
func (s *FilterLevels) Update(f *system.Frame) error {
	c := s.scene
	if c.feed == nil && s.levelled.EmptyUnfiltered() {
		return nil
	}
	if err := c.slots.refresh(f, s.drawn); err != nil {
		return err
	}
	k := &c.links
	if err := k.refresh(); err != nil {
		return err
	}
	for _, e := range c.eyes {
		if !e.ready {
			continue
		}
		if err := e.levels.filterSlots(e); err != nil {
			return fmt.Errorf("render: camera %v: levels: %w", e.view.Entity, err)
		}
	}
	if c.feed != nil {
		return nil
	}
	return k.reportLost()
}

// groupLinks maps the rows with a [Level] to the rows of their groups in the table of groups.
type groupLinks struct {
	scene  *scene
	rows   []int32  // for each row of slots, 64 for each word of own: the row of its group, or -1
	stamps []uint64 // for each slot: the build of slots for which its rows were found
	lost   []bool   // for each slot: some rows have no group, which is to be reported
	moves  uint64   // moves of groups when the rows were found
}

// filterJob finds the rows of slots that are at their level.
type filterJob struct{ l *levelChoices }

// refresh finds the groups of slots that have changed, or of all slots if groups have moved in the
// table.
func (k *groupLinks) refresh() error {
	t, n := &k.scene.slots, len(k.scene.slots.list)
	k.rows, k.stamps, k.lost = grow(k.rows, 64*len(t.own)), grow(k.stamps, n), grow(k.lost, n)
	if k.moves != k.scene.groups.moves {
		clear(k.stamps)
	}
	if err := k.scene.runJob(k, n, wordSlots); err != nil {
		clear(k.stamps)
		return err
	}
	k.moves = k.scene.groups.moves
	return nil
}

// RunRange finds the groups of the slots [lo, hi).
func (k *groupLinks) RunRange(_ *jobs.Task, lo, hi int) {
	t, g := &k.scene.slots, &k.scene.groups
	for i := lo; i < hi; i++ {
		s := &t.list[i]
		if !s.level || k.stamps[i] >= s.stamp && k.stamps[i] != 0 {
			continue
		}
		k.stamps[i], k.lost[i] = t.build, false
		rows := k.rows[64*s.base:]
		for r, id := range t.lanes[i].levels.Group {
			o := g.rowOf(id)
			rows[r] = int32(o)
			if o < 0 {
				k.lost[i] = true
			}
		}
	}
}

// filterSlots finds the rows that are at the level that an eye has chosen.
func (l *levelChoices) filterSlots(e *eye) error {
	t := &e.scene.slots
	n := len(t.list)
	l.passes, l.stamps = grow(l.passes, len(t.own)), grow(l.stamps, n)
	l.altered.Store(false)
	l.eye, l.narrow.l = e, l
	if err := e.scene.runJob(&l.narrow, n, wordSlots); err != nil {
		e.stamp, l.renew = 0, true
		return err
	}
	l.renew = false
	if l.altered.Load() {
		e.stamp = 0
	}
	return nil
}

// RunRange filters the slots [lo, hi).
func (j *filterJob) RunRange(_ *jobs.Task, lo, hi int) {
	l := j.l
	t := &l.eye.scene.slots
	altered := false
	for i := lo; i < hi; i++ {
		if l.stamps[i] >= t.list[i].stamp && !l.renew {
			continue
		}
		l.stamps[i] = t.build
		if t.list[i].level && l.filterSlot(i) {
			altered = true
		}
	}
	if altered {
		l.altered.Store(true)
	}
}

// filterSlot finds the rows of a slot that are at their level, and reports whether they have
// changed.
func (l *levelChoices) filterSlot(i int) (altered bool) {
	c := l.eye.scene
	s, levels := &c.slots.list[i], &c.slots.lanes[i].levels
	mask, own, rows := s.mask(l.passes), s.mask(c.slots.own), c.links.rows[64*s.base:][:s.n]
	for k := range mask {
		word := uint64(0)
		for r := 64 * k; r < min(64*k+64, len(rows)); r++ {
			if o := rows[r]; o >= 0 && levelWithin(l.shown[o], levels.Min[r], levels.Max[r]) {
				word |= 1 << (r % 64)
			}
		}
		if word &= own[k]; mask[k] != word {
			mask[k] = word
			altered = true
		}
	}
	return altered
}

// reportLost returns errors about groups that rows name and that do not exist.
func (k *groupLinks) reportLost() error {
	var errs []error
	t, g := &k.scene.slots, &k.scene.groups
	for i, lost := range k.lost {
		if !lost || !t.list[i].level {
			continue
		}
		k.lost[i] = false
		for r, o := range k.rows[64*t.list[i].base:][:t.list[i].n] {
			if o < 0 {
				errs = g.reportMissing(errs, t.lanes[i].levels.Group[r], "entity", t.lanes[i].entities[r])
			}
		}
	}
	return errors.Join(errs...)
}
