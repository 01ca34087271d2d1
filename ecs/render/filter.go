package render

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// FilterLevels decides which entities with a [Level] each camera draws. FilterLevels visits the slots
// whose rows or levels may have changed. It returns an error for a group that does not exist.
type FilterLevels struct {
	_ system.In[system.Presentation]
	_ system.After[ChooseLevels]

	scene     *scene
	drawable  *ecs.Query
	withLevel *ecs.Query
}

// Create creates the queries.
func (s *FilterLevels) Create(u *system.Setup) error {
	s.scene = sceneOf(u.World())
	s.drawable = drawableQuery(u)
	s.withLevel = u.Query(ecs.With[Look](), ecs.With[Level]())
	return nil
}

// Update finds, for each camera, the rows whose level the camera has chosen.
func (s *FilterLevels) Update(f *system.Frame) error {
	c := s.scene
	if c.feed == nil && s.withLevel.EmptyUnfiltered() {
		return nil
	}
	c.beginSystem(f)
	defer c.endSystem()
	if err := c.slots.refresh(f, s.drawable); err != nil {
		return err
	}
	k := &c.groupLinks
	if err := k.refresh(); err != nil {
		return err
	}
	for _, e := range c.cameraViews {
		if !e.hasPlanes {
			continue
		}
		if err := e.levels.filterLevelRows(e); err != nil {
			return fmt.Errorf("render: camera %v: levels: %w", e.view.Entity, err)
		}
	}
	if c.feed != nil {
		return nil
	}
	return k.reportMissing()
}

// groupLinks maps each row with a [Level] to the row of its group in the table of groups.
type groupLinks struct {
	scene         *scene
	groupRows     []int32  // for each row of slots, with 64 rows for each word of drawableRows: the row of its group, or -1
	slotBuilds    []uint64 // for each slot: the build of slots for which the groups of its rows were found
	missingGroups []bool   // for each slot: the group of some row does not exist, which must be reported
	groupMoves    uint64   // moveCount of groups when the groups of the rows were found
}

// filterJob finds, in each slot, the rows whose level of detail is the chosen one.
type filterJob struct{ l *levelChoices }

// refresh finds the groups of the slots that have changed. If groups have moved in the table, it finds
// the groups of all slots.
func (k *groupLinks) refresh() error {
	t, n := &k.scene.slots, len(k.scene.slots.list)
	k.groupRows, k.slotBuilds, k.missingGroups = grow(k.groupRows, 64*len(t.drawableRows)), grow(k.slotBuilds, n), grow(k.missingGroups, n)
	if k.groupMoves != k.scene.groups.moveCount {
		clear(k.slotBuilds)
	}
	if err := k.scene.runJob(k, n, slotsPerWord); err != nil {
		clear(k.slotBuilds)
		return err
	}
	k.groupMoves = k.scene.groups.moveCount
	return nil
}

// RunRange finds the groups for the slots [lo, hi).
func (k *groupLinks) RunRange(_ *jobs.Task, lo, hi int) {
	t, g := &k.scene.slots, &k.scene.groups
	for i := lo; i < hi; i++ {
		s := &t.list[i]
		if !s.hasLevel || k.slotBuilds[i] >= s.builtAt && k.slotBuilds[i] != 0 {
			continue
		}
		k.slotBuilds[i], k.missingGroups[i] = t.build, false
		rows := k.groupRows[64*s.firstWord:]
		for r, id := range t.lanes[i].levels.Group {
			o := g.rowOf(id)
			rows[r] = int32(o)
			if o < 0 {
				k.missingGroups[i] = true
			}
		}
	}
}

// filterLevelRows finds the rows that are at the level that a view has chosen.
func (l *levelChoices) filterLevelRows(e *cameraView) error {
	t := &e.scene.slots
	n := len(t.list)
	l.drawableAtLevel, l.slotBuilds = grow(l.drawableAtLevel, len(t.drawableRows)), grow(l.slotBuilds, n)
	l.rowsAltered.Store(false)
	l.view, l.filter.l = e, l
	if err := e.scene.runJob(&l.filter, n, slotsPerWord); err != nil {
		e.culledBuild, l.effectiveChanged = 0, true
		return err
	}
	l.effectiveChanged = false
	if l.rowsAltered.Load() {
		e.culledBuild = 0
	}
	return nil
}

// RunRange filters the slots [lo, hi).
func (j *filterJob) RunRange(_ *jobs.Task, lo, hi int) {
	l := j.l
	t := &l.view.scene.slots
	altered := false
	for i := lo; i < hi; i++ {
		if l.slotBuilds[i] >= t.list[i].builtAt && !l.effectiveChanged {
			continue
		}
		l.slotBuilds[i] = t.build
		if t.list[i].hasLevel && l.filterSlotRows(i) {
			altered = true
		}
	}
	if altered {
		l.rowsAltered.Store(true)
	}
}

// filterSlotRows finds the rows of a slot that are at their level, and reports whether they have
// changed.
func (l *levelChoices) filterSlotRows(i int) (altered bool) {
	c := l.view.scene
	s, levels := &c.slots.list[i], &c.slots.lanes[i].levels
	mask, own, rows := s.mask(l.drawableAtLevel), s.mask(c.slots.drawableRows), c.groupLinks.groupRows[64*s.firstWord:][:s.rowCount]
	for k := range mask {
		word := uint64(0)
		for r := 64 * k; r < min(64*k+64, len(rows)); r++ {
			if o := rows[r]; o >= 0 && levelWithin(l.effective[o], levels.Min[r], levels.Max[r]) {
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

// reportMissing returns errors about groups that rows refer to and that do not exist.
func (k *groupLinks) reportMissing() error {
	var errs []error
	t, g := &k.scene.slots, &k.scene.groups
	for i, lost := range k.missingGroups {
		if !lost || !t.list[i].hasLevel {
			continue
		}
		k.missingGroups[i] = false
		for r, o := range k.groupRows[64*t.list[i].firstWord:][:t.list[i].rowCount] {
			if o < 0 {
				errs = g.reportMissing(errs, t.lanes[i].levels.Group[r], "entity", t.lanes[i].entities[r])
			}
		}
	}
	return errors.Join(errs...)
}
