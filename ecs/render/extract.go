package render

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// Extract copies the visible state of a world to another world, the presentation world. Extract
// copies the state after the last presentation of the first world. From then on, the presentation
// world shows the entities and cameras of the first world, with the same ids. The presentation
// world shows none of its own entities. While one goroutine draws the presentation world, another
// can run the next frame of the first world:
//
//	ok(render.Install(game, render.Options{Assets: assets}))
//	ok(render.Install(show, render.Options{Assets: assets, Renderer: r}))
//	for {
//		ok(system.Update(game))
//		<-drawn                            // show has drawn the frame before
//		ok(render.Extract(game, show))
//		go func() { drawn <- system.Update(show) }()
//	}
//
// The picture is bit for bit the same as if the first world had drawn it. Both worlds need the
// Assets, because the first world computes bounds. If the first world has no Renderer, the
// systems in its presentation do only three things: they update bounds, interpolate between
// fixed steps, and report faults of groups of levels. [ViewsOf] returns nothing for the first
// world. The presentation world has the time of the first world.
//
// The cost is proportional to the changes since the last call for the two worlds. The workers of
// the first world do the copying. Extract allocates nothing if only values have changed. Both
// worlds must be between frames. Extract copies nothing and returns an error of category
// ecs.ErrArgument if a world is nil or both are the same. The error is of category ecs.ErrState in
// four cases: a world has no presentation, a world is being updated, the first world is itself a
// presentation world, or entities were created or destroyed in the first world after its
// presentation.
func Extract(from, to *ecs.World) error {
	const op = "render: Extract: "
	if from == nil || to == nil || from == to {
		return fmt.Errorf(op+"there are two worlds, the one that is shown and the one that shows it: %w", ecs.ErrArgument)
	}
	s, t := sceneOf(from), sceneOf(to)
	for _, c := range []*scene{s, t} {
		switch w := c.world; {
		case c.slots.query == nil:
			return fmt.Errorf(op+"world %q has no presentation: call render.Install: %w", w.Name(), ecs.ErrState)
		case w.Scheduler().RunningSystem() != "":
			return fmt.Errorf(op+"world %q is being updated, by %s: extract between frames: %w", w.Name(), w.Scheduler().RunningSystem(), ecs.ErrState)
		}
	}
	switch {
	case s.feed != nil:
		return fmt.Errorf(op+"world %q shows another world: extract from that one: %w", from.Name(), ecs.ErrState)
	case s.slots.rowsMoved() || s.groups.stale || s.groups.query.OrderCount() != s.groups.orderCount:
		return fmt.Errorf(op+"entities of world %q came or went since its presentation: update it first, and change it afterwards: %w", from.Name(), ecs.ErrState)
	}
	if t.feed == nil || t.feed.source != s {
		t.feed = &feed{source: s, target: t}
		t.invalidate()
		t.slots.list, t.groupLinks, t.flipbooks.slotCells = nil, groupLinks{scene: t}, nil
		t.groups.moveCount, t.groups.build = math.MaxUint64, 0
		for _, e := range t.cameraViews {
			e.levels = levelChoices{cameraChanged: true}
		}
	}
	if t.feed.restoreCount != s.restoreCount {
		t.feed.restoreCount = s.restoreCount
		t.forgetLevels()
	}
	s.isExtracted = true
	return t.feed.copyChanges()
}

// feed holds the state that the scene of a presentation world copies from the scene of another
// world.
type feed struct {
	source, target *scene
	restoreCount   uint32 // number of restores of the source world
	copiedBuild    uint64 // build of the source's slots that was copied last
	orderCount     uint32 // OrderCount of the source's slots at that time
	lastBuild      uint64 // the previous copiedBuild, while slots are copied
	cameras        []posedCamera
	frame          Frame
}

// posedCamera is a camera together with its matrix.
type posedCamera struct {
	id     ecs.Entity
	camera Camera
	matrix [16]float32
}

// copyChanges copies the slots and groups that have changed.
func (d *feed) copyChanges() error {
	s, t := &d.source.slots, &d.target.slots
	d.cameras = append(d.cameras[:0], d.source.cameras...)
	d.frame = d.source.frame
	d.target.flipbooks.hasCells.Store(d.source.flipbooks.hasCells.Load())
	if s.build != d.copiedBuild || t.list == nil {
		d.lastBuild, d.copiedBuild = d.copiedBuild, 0 // 0 until the copy is complete
		t.list, t.lanes = grow(t.list, len(s.list)), grow(t.lanes, len(s.list))
		t.growLanes(len(s.list), len(s.drawableRows))
		copy(t.list, s.list)
		if err := d.source.world.Pool().ParallelFor(d, len(s.list), slotsPerWord).Wait(); err != nil {
			return err
		}
		if d.lastBuild == 0 || d.orderCount != s.orderCount {
			d.target.looks.sortSlots(t)
		}
		t.build, d.copiedBuild, d.orderCount = s.build, s.build, s.orderCount
	}
	d.target.groups.copyFrom(&d.source.groups)
	return nil
}

// RunRange copies the slots in [lo, hi) that were filled after the last copy.
func (d *feed) RunRange(_ *jobs.Task, lo, hi int) {
	s, t := &d.source.slots, &d.target.slots
	copyBoxes(&t.chunkBoxes, &s.chunkBoxes, lo, hi)
	copy(t.innerBoxes.HX[lo:hi], s.innerBoxes.HX[lo:hi])
	copy(t.innerBoxes.HY[lo:hi], s.innerBoxes.HY[lo:hi])
	copy(t.innerBoxes.HZ[lo:hi], s.innerBoxes.HZ[lo:hi])
	for i := lo; i < hi; i++ {
		slot := &s.list[i]
		if slot.builtAt <= d.lastBuild {
			continue
		}
		first, last := int(slot.firstWord), int(slot.firstWord+slot.wordCount)
		copy(t.drawableRows[first:last], s.drawableRows[first:last])
		copyBoxes(&t.rowBoxes, &s.rowBoxes, 64*first, 64*last)
		t.lanes[i].copyFrom(&s.lanes[i])
	}
}

func copyBoxes(dst, src *kernels.Boxes[float32], lo, hi int) {
	copy(dst.X[lo:hi], src.X[lo:hi])
	copy(dst.Y[lo:hi], src.Y[lo:hi])
	copy(dst.Z[lo:hi], src.Z[lo:hi])
	copy(dst.HX[lo:hi], src.HX[lo:hi])
	copy(dst.HY[lo:hi], src.HY[lo:hi])
	copy(dst.HZ[lo:hi], src.HZ[lo:hi])
}

// copyFrom makes l a copy of from.
func (l *columnLanes) copyFrom(from *columnLanes) {
	l.firstEntity, l.look = from.firstEntity, from.look
	copyInto(&l.entities, from.entities)
	copyInto(&l.matrices, from.matrices)
	copyInto(&l.tints, from.tints)
	copyInto(&l.levels.Group, from.levels.Group)
	copyInto(&l.levels.Min, from.levels.Min)
	copyInto(&l.levels.Max, from.levels.Max)
	copyInto(&l.flipbooks.First, from.flipbooks.First)
	copyInto(&l.flipbooks.Count, from.flipbooks.Count)
	copyInto(&l.flipbooks.Rate, from.flipbooks.Rate)
	copyInto(&l.flipbooks.Start, from.flipbooks.Start)
	copyInto(&l.flipbooks.Once, from.flipbooks.Once)
	copyInto(&l.labels.Cells, from.labels.Cells)
	copyInto(&l.labels.Length, from.labels.Length)
	copyInto(&l.labels.Anchor, from.labels.Anchor)
}

// copyInto makes dst a copy of src. If src is nil, dst becomes nil.
func copyInto[T any](dst *[]T, src []T) {
	if src == nil {
		*dst = nil
		return
	}
	*dst = append((*dst)[:0], src...)
}

// copyFrom makes t a copy of from.
func (t *groups) copyFrom(from *groups) {
	if t.build == from.build && t.moveCount == from.moveCount {
		return
	}
	n, since := len(from.ids), t.build
	if t.moveCount != from.moveCount {
		since = 0
		t.ids, t.lastIDs = grow(t.lastIDs, n), t.ids
		t.resize(n)
		copy(t.ids, from.ids)
		t.indexRows()
		for _, e := range t.scene.cameraViews {
			e.levels.moveToCurrentRows(t)
		}
	}
	copy(t.blockBuilds, from.blockBuilds)
	for k, build := range from.blockBuilds {
		if build <= since {
			continue
		}
		lo, hi := k*groupBlockRows, min((k+1)*groupBlockRows, n)
		copy(t.positions.X[lo:hi], from.positions.X[lo:hi])
		copy(t.positions.Y[lo:hi], from.positions.Y[lo:hi])
		copy(t.positions.Z[lo:hi], from.positions.Z[lo:hi])
		copy(t.endDistances[lo:hi], from.endDistances[lo:hi])
		copy(t.leaveDistances[lo:hi], from.leaveDistances[lo:hi])
		copy(t.parents[lo:hi], from.parents[lo:hi])
	}
	t.hasParents.Store(from.hasParents.Load())
	t.build, t.moveCount = from.build, from.moveCount
}
