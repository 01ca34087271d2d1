package render

import "github.com/lanewise/lanewise/ecs"

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

// holds reports whether a level that is known as [choices.level] tells it is between two
// others.
func holds(level, lo, hi uint8) bool {
	if hi == 0 {
		hi = lo + 1
	}
	return level > lo && level <= hi
}
