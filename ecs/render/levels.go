package render

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// Levels makes an entity with LocalToWorld a group of levels of detail (LOD). An entity with a
// [Level] that refers to the group is drawn only while the group's distance from the camera is in
// the range of that level.
//
// The distance is from the camera's place to the group's origin, in units of the world. For a
// camera without FOV, things have the same size at any distance. Therefore the camera's Height
// replaces the distance. The distance or the Height is multiplied by the camera's LevelBias.
// Each camera chooses its own levels.
type Levels struct {
	// Distances holds the distances at which levels end, from the nearest level on. Level k begins
	// at Distances[k-1], or at 0, and ends before Distances[k]. The list ends at the first element
	// that is 0 or not larger than the element before it. The last level extends to any distance.
	Distances [8]float32

	// Hysteresis delays the change to a farther level: the distance must exceed the end of the
	// level by this fraction. For example, with a Hysteresis of 0.1, a group leaves a level that
	// ends at 50 when its distance is 55. The group returns to that level at 50. Hysteresis has no
	// effect in the first frame in which a camera sees the group, and after a cut (see
	// Camera.Cut). A Restore also restores the levels that the cameras had chosen when the image
	// was taken. An image from a file, or from a presentation world (see Extract), contains no
	// levels. After it is restored, cameras choose levels as if they saw all groups for the first
	// time.
	Hysteresis float32

	// Parent makes this group part of a level of another group. While the other group is at another
	// level, nothing of this group is drawn. The zero Parent means that there is no other group.
	Parent Level
}

// Column returns the lanes of a column of groups.
func (Levels) Column() (c levelsLanes) { return }

type levelsLanes = struct {
	Distances  [][8]float32
	Hysteresis []float32
	Parent     []Level
}

// Level limits the levels of a group at which an entity is drawn, from Min to Max-1. A Max of 0
// means Min + 1. If the group does not exist, or is not a group, the entity is not drawn. The frame
// then returns an error, once for each group.
type Level struct {
	Group    ecs.Entity
	Min, Max uint8
}

// Column returns the lanes of a column of levels.
func (Level) Column() (c levelLanes) { return }

type levelLanes = struct {
	Group    []ecs.Entity
	Min, Max []uint8
}

// levelWithin reports whether a level is in [lo, hi). The level is encoded as in
// [levelChoices.levels].
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

// reportMissing appends an error about a group that does not exist, unless it was reported before.
func (t *groups) reportMissing(errs []error, group ecs.Entity, what string, id ecs.Entity) []error {
	if t.reportedMissing[group] {
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
	default: // the group is inactive, or a prefab
		return errs
	}
	noteEntity(&t.reportedMissing, group)
	return append(errs, fmt.Errorf("render: %s %v, and all others of group %v, are not drawn: the group %s: %s: %w", what, id, group, reason, remedy, ecs.ErrState))
}

// groupBlockRows is the number of groups that a job handles as one block.
const groupBlockRows = 256

// groups is a table of the groups of levels of a world. A group keeps its row until an entity with
// [Levels] is added or removed.
type groups struct {
	query           *ecs.Query // the query of ChooseLevels
	scene           *scene
	ids             []ecs.Entity
	positions       kernels.Vec3s[float32]
	endDistances    [][8]float32 // ends of the levels; NaN after the last level
	leaveDistances  [][8]float32 // distances at which a group leaves a level outwards
	parents         []Level
	rowsByIndex     []int32             // for each Entity.Index: 1 + the row of the group, or 0 if the entity is not a group
	lastIDs         []ecs.Entity        // ids of the rows before groups were last added or removed
	lastRows        []int32             // for each row: its row in lastIDs, or -1
	chunkOffsets    []int               // for each chunk index: the first row of the chunk
	blockBuilds     []uint64            // for each block: the last build that filled one of its rows; two jobs may share a block, because they store the same number
	hasParents      atomic.Bool         // some group has a parent: the owner resets it, the jobs that fill rows set it, and the owner reads it afterwards
	moveCount       uint64              // number of refreshes that found added or removed rows
	reportedMissing map[ecs.Entity]bool // missing groups that have been reported
	cyclic          map[ecs.Entity]bool // groups in cycles that have been reported
	tableState
}

// refresh updates the table.
func (t *groups) refresh(f *system.Frame, q *ecs.Query) error {
	if t.scene.feed != nil {
		return nil
	}
	orders, moved, due := t.beginRefresh(f, q)
	if !due {
		return nil
	}
	if moved {
		t.chunkOffsets = q.AppendOffsets(t.chunkOffsets[:0])
		n := t.chunkOffsets[len(t.chunkOffsets)-1]
		t.ids, t.lastIDs = grow(t.lastIDs, n), t.ids
		t.resize(n)
		t.hasParents.Store(false)
	}
	if err := waitFor(f, f.ParallelFor(q, t)); err != nil {
		t.dropRows()
		return err
	}
	if moved {
		t.moveCount++
		t.indexRows()
		for _, e := range t.scene.cameraViews {
			e.levels.moveToCurrentRows(t)
		}
	}
	t.endRefresh(f, orders)
	return nil
}

// resize makes the table long enough for n rows.
func (t *groups) resize(n int) {
	t.positions.X, t.positions.Y, t.positions.Z = grow(t.positions.X, n), grow(t.positions.Y, n), grow(t.positions.Z, n)
	t.endDistances, t.leaveDistances, t.parents = grow(t.endDistances, n), grow(t.leaveDistances, n), grow(t.parents, n)
	t.blockBuilds = grow(t.blockBuilds, (n+groupBlockRows-1)/groupBlockRows)
}

// indexRows maps each group to its row, and each row to the row that the group had before this
// refresh.
func (t *groups) indexRows() {
	most := -1
	for _, id := range t.ids {
		most = max(most, int(id.Index))
	}
	if most >= len(t.rowsByIndex) {
		t.rowsByIndex = grow(t.rowsByIndex, most+1)
	}
	t.lastRows = grow(t.lastRows, len(t.ids))
	for r, id := range t.ids {
		t.lastRows[r] = -1
		if o := int(t.rowsByIndex[id.Index]) - 1; o >= 0 && o < len(t.lastIDs) && t.lastIDs[o] == id {
			t.lastRows[r] = int32(o)
		}
	}
	for _, id := range t.lastIDs {
		t.rowsByIndex[id.Index] = 0
	}
	for r, id := range t.ids {
		t.rowsByIndex[id.Index] = int32(r + 1)
		if len(t.reportedMissing) > 0 {
			delete(t.reportedMissing, id)
		}
	}
}

// dropRows removes all groups after a failed refresh, so that rowOf finds no group until the next
// refresh.
func (t *groups) dropRows() {
	clear(t.rowsByIndex)
	t.ids = t.ids[:0]
}

// rowOf returns the row of a group, or -1 if the entity is not a group.
func (t *groups) rowOf(id ecs.Entity) int {
	if uint(id.Index) >= uint(len(t.rowsByIndex)) {
		return -1
	}
	r := int(t.rowsByIndex[id.Index]) - 1
	if r < 0 || t.ids[r] != id {
		return -1
	}
	return r
}

// Chunk fills the rows that belong to a chunk.
func (t *groups) Chunk(c *ecs.Chunk) {
	first := t.chunkOffsets[c.Index()]
	m, l := ecs.Column[matrices](c).M, ecs.Column[Levels](c)
	copy(t.ids[first:], c.Entities())
	for i := range m {
		r := first + i
		t.positions.X[r], t.positions.Y[r], t.positions.Z[r] = m[i][12], m[i][13], m[i][14]
		t.endDistances[r], t.leaveDistances[r] = levelLimits(&l.Distances[i], l.Hysteresis[i])
		t.parents[r] = l.Parent[i]
		if !l.Parent[i].Group.IsZero() {
			t.hasParents.Store(true)
		}
	}
	for k := first / groupBlockRows; k <= (first+len(m)-1)/groupBlockRows; k++ {
		atomic.StoreUint64(&t.blockBuilds[k], t.build)
	}
}

// levelLimits returns the distances at which levels end. It also returns the larger distances, with
// hysteresis, at which a group that moves away leaves them.
func levelLimits(distances *[8]float32, hysteresis float32) (ends, leaves [8]float32) {
	nan := float32(math.NaN())
	last := float32(0)
	for k, d := range distances {
		if !(d > last) { // false for NaN too, which also ends the list
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

// moveToCurrentRows moves the levels to the current rows of their groups.
func (l *levelChoices) moveToCurrentRows(t *groups) {
	l.levels, l.lastLevels = grow(l.lastLevels, len(t.ids)), l.levels
	for r, o := range t.lastRows {
		l.levels[r] = 0
		if o >= 0 && int(o) < len(l.lastLevels) {
			l.levels[r] = l.lastLevels[o]
		}
	}
	l.effectiveChanged = true
}
