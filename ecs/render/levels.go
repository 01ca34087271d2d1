package render

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// Levels makes an entity with LocalToWorld a group of levels of detail: what has a [Level]
// of it is drawn only while the group is as far from the camera as that says.
//
// The distance is that of the camera's place from the group's origin; of a camera without
// FOV, which sees things as large wherever they are, it is the camera's Height. It is
// multiplied by the camera's LevelBias. Every camera has levels of its own.
type Levels struct {
	// Distances are where levels end, from the nearest: level k reaches from
	// Distances[k-1], or from 0, to before Distances[k]. The first one that is 0, or no
	// more than the one before it, ends the list; what is beyond it is a level as
	// well, the last.
	Distances [8]float32

	// Hysteresis is by which part of a distance it must be passed outwards until the
	// level changes: by 0.1, a level that ends at 50 is left at 55, and comes back
	// at 50. A camera that sees the group for the first time, or after a cut (see
	// Camera.Cut), goes by Distances alone. A Restore brings back the levels that
	// the cameras had when the image was taken. An image from a file has no levels, nor
	// has one of a world that shows another one by Extract: there cameras see all groups
	// for the first time.
	Hysteresis float32

	// Parent is the group's place in another group: nothing of this one is drawn while
	// that one is at another level. Without a Group there is none.
	Parent Level
}

// Column shows a column of groups.
func (Levels) Column() (c levelsLanes) { return }

type levelsLanes = struct {
	Distances  [][8]float32
	Hysteresis []float32
	Parent     []Level
}

// Level says at which levels of a group an entity is drawn: from Min on, before Max. A Max
// of 0 counts as Min + 1. An entity whose group does not exist, or is no group, is not
// drawn; that is reported once for each group.
type Level struct {
	Group    ecs.Entity
	Min, Max uint8
}

// Column shows a column of levels.
func (Level) Column() (c levelLanes) { return }

type levelLanes = struct {
	Group    []ecs.Entity
	Min, Max []uint8
}

// levelWithin reports whether a level that is known as [choices.level] tells it is between two
// others.
func levelWithin(level, lo, hi uint8) bool {
	if hi == 0 {
		hi = lo + 1
	}
	return level > lo && level <= hi
}

func noteEntity(set *map[ecs.Entity]bool, id ecs.Entity) {
	if *set == nil {
		*set = map[ecs.Entity]bool{}
	}
	(*set)[id] = true
}

// reportMissing reports a group that is none, once.
func (t *groups) reportMissing(errs []error, group ecs.Entity, what string, id ecs.Entity) []error {
	if t.reported[group] {
		return errs
	}
	w := t.scene.world
	reason, remedy := "was destroyed", "give it another group, or destroy it as well"
	switch {
	case group.IsZero():
		reason, remedy = "is none at all", "give its Level a Group"
	case !w.Exists(group):
	case !ecs.Has[Levels](w, group):
		reason, remedy = "has no Levels", "give it Levels"
	case !ecs.Has[matrices](w, group):
		reason, remedy = "has no LocalToWorld", "give it LocalToWorld"
	default: // inactive, or a prefab
		return errs
	}
	noteEntity(&t.reported, group)
	return append(errs, fmt.Errorf("render: %s %v, and all others of group %v, are not drawn: the group %s: %s: %w", what, id, group, reason, remedy, ecs.ErrState))
}

// span is how many rows of groups are a block of work.
const span = 256

// groups are the groups of levels of a world, in a table of their own: each has a row,
// which stays the same until entities with [Levels] come or go.
type groups struct {
	query    *ecs.Query // of ChooseLevels
	scene    *scene
	ids      []ecs.Entity
	places   kernels.Vec3s[float32]
	ends     [][8]float32 // where levels end; NaN behind the last
	leaves   [][8]float32 // where they are left outwards
	parents  []Level
	at       []int32             // the row after that of an entity, by Entity.Index; 0: it is no group
	before   []ecs.Entity        // ids before the last time that rows came or went
	from     []int32             // and where each row was then; -1: nowhere
	offsets  []int               // the first row of each chunk, by its index
	touched  []uint64            // by block: the build that filled rows of it last; jobs that fill chunks, two of which can share a block, store it, all the same one, and jobs behind them load it
	nested   atomic.Bool         // there are groups that have a parent: reset by the owner, set by jobs that fill rows, read behind them
	moves    uint64              // counts refreshes that found that rows came or went
	reported map[ecs.Entity]bool // groups that are none
	circles  map[ecs.Entity]bool // groups that were reported for being above themselves
	tableState
}

// refresh brings the table up to date.
func (t *groups) refresh(f *system.Frame, q *ecs.Query) error {
	t.scene.beginSystem(f)
	if t.scene.feed != nil {
		return nil
	}
	orders, moved, due := t.beginRefresh(f, q)
	if !due {
		return nil
	}
	if moved {
		t.offsets = q.AppendOffsets(t.offsets[:0])
		n := t.offsets[len(t.offsets)-1]
		t.ids, t.before = grow(t.before, n), t.ids
		t.resize(n)
		t.nested.Store(false)
	}
	if err := f.ParallelFor(q, t).Wait(); err != nil {
		t.dropRows()
		return err
	}
	if moved {
		t.moves++
		t.indexRows()
		for _, e := range t.scene.eyes {
			e.levels.followRows(t)
		}
	}
	t.endRefresh(f, orders)
	return nil
}

// resize makes room for n rows.
func (t *groups) resize(n int) {
	t.places.X, t.places.Y, t.places.Z = grow(t.places.X, n), grow(t.places.Y, n), grow(t.places.Z, n)
	t.ends, t.leaves, t.parents = grow(t.ends, n), grow(t.leaves, n), grow(t.parents, n)
	t.touched = grow(t.touched, (n+span-1)/span)
}

// indexRows maps the groups to their rows, and to the rows that they had before.
func (t *groups) indexRows() {
	most := -1
	for _, id := range t.ids {
		most = max(most, int(id.Index))
	}
	if most >= len(t.at) {
		t.at = grow(t.at, most+1)
	}
	t.from = grow(t.from, len(t.ids))
	for r, id := range t.ids {
		t.from[r] = -1
		if o := int(t.at[id.Index]) - 1; o >= 0 && o < len(t.before) && t.before[o] == id {
			t.from[r] = int32(o)
		}
	}
	for _, id := range t.before {
		t.at[id.Index] = 0
	}
	for r, id := range t.ids {
		t.at[id.Index] = int32(r + 1)
		if len(t.reported) > 0 {
			delete(t.reported, id)
		}
	}
}

// dropRows drops all groups when a refresh has failed, so that none is found until the next index.
func (t *groups) dropRows() {
	clear(t.at)
	t.ids = t.ids[:0]
}

// rowOf returns the row of a group, or -1 if the entity is no group.
func (t *groups) rowOf(id ecs.Entity) int {
	if uint(id.Index) >= uint(len(t.at)) {
		return -1
	}
	r := int(t.at[id.Index]) - 1
	if r < 0 || t.ids[r] != id {
		return -1
	}
	return r
}

// Chunk fills the rows of a chunk.
func (t *groups) Chunk(c *ecs.Chunk) {
	first := t.offsets[c.Index()]
	m, l := ecs.Column[matrices](c).M, ecs.Column[Levels](c)
	copy(t.ids[first:], c.Entities())
	for i := range m {
		r := first + i
		t.places.X[r], t.places.Y[r], t.places.Z[r] = m[i][12], m[i][13], m[i][14]
		t.ends[r], t.leaves[r] = levelLimits(&l.Distances[i], l.Hysteresis[i])
		t.parents[r] = l.Parent[i]
		if !l.Parent[i].Group.IsZero() {
			t.nested.Store(true)
		}
	}
	for k := first / span; k <= (first+len(m)-1)/span; k++ {
		atomic.StoreUint64(&t.touched[k], t.build)
	}
}

// levelLimits returns the distances at which levels end, and those at which they are left outwards.
func levelLimits(distances *[8]float32, hysteresis float32) (ends, leaves [8]float32) {
	nan := float32(math.NaN())
	last := float32(0)
	for k, d := range distances {
		if !(d > last) { // NaN ends the list too
			for ; k < len(ends); k++ {
				ends[k], leaves[k] = nan, nan
			}
			break
		}
		ends[k], leaves[k], last = d, d, d
		if hysteresis > 0 {
			leaves[k] = d * (1 + hysteresis)
		}
	}
	return ends, leaves
}

// followRows moves the levels to the rows that their groups have now.
func (l *levelChoices) followRows(t *groups) {
	l.level, l.spare = grow(l.spare, len(t.ids)), l.level
	for r, o := range t.from {
		l.level[r] = 0
		if o >= 0 && int(o) < len(l.spare) {
			l.level[r] = l.spare[o]
		}
	}
	l.renew = true
}
