package render

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/plumbing"
)

// kept is what an image has of a scene: what the next picture depends on, and no component says.
type kept struct {
	ids  []ecs.Entity // of groups, by row
	eyes []keptEye
}

// keptEye is at which levels a camera was.
type keptEye struct {
	entity ecs.Entity
	camera Camera
	level  []uint8
}

// keep keeps with an image what the scene remembers of its last frame.
func (s *scene) keep(m *ecs.Image) {
	k := &kept{}
	if s.feed == nil && len(s.groups.ids) > 0 {
		k.ids = slices.Clone(s.groups.ids)
		for _, e := range s.eyes {
			k.eyes = append(k.eyes, keptEye{e.view.Entity, e.view.Camera, slices.Clone(e.levels.level)})
		}
	}
	plumbing.Keep(m, sceneKey{}, k)
}

// back makes the next frame look at all rows again after a Restore, because the renderer has seen rows in a future that was undone, and
// their versions are old again. Cameras get the levels that they had when the image was taken. An image from a file has no
// levels: after it cameras see their groups for the first time.
func (s *scene) back(m *ecs.Image) {
	s.slots.seen, s.slots.stale, s.groups.stale = 0, true, true
	s.backs++
	k, ok := plumbing.Kept(m, sceneKey{}).(*kept)
	if !ok {
		k = &kept{}
	}
	if s.feed != nil {
		return // its groups are another world's
	}
	s.forgetLevels()
	s.groups.set(k.ids)
	for i := range k.eyes {
		own := &k.eyes[i]
		at := slices.IndexFunc(s.eyes, func(e *eye) bool { return e.view.Entity == own.entity })
		if at < 0 {
			at = len(s.eyes)
			s.eyes = append(s.eyes, &eye{scene: s})
		}
		e := s.eyes[at]
		e.view.Entity, e.view.Camera, e.levels.level = own.entity, own.camera, slices.Clone(own.level)
	}
}

// AppendState implements system.Saver: it appends whether a fixed step has run since the last picture, and the age of the
// kept matrices in fixed steps; nothing if none has run and the age is at most one.
func (s *Interpolate) AppendState(out []byte) []byte {
	b := &s.scene.fraction
	if b.steps <= 1 && !b.stepping {
		return out
	}
	stepping := byte(0)
	if b.stepping {
		stepping = 1
	}
	return binary.AppendUvarint(append(out, stepping), uint64(b.steps))
}

// LoadState implements system.Saver.
func (s *Interpolate) LoadState(in []byte) error {
	if len(in) == 0 {
		s.scene.fraction.stepping, s.scene.fraction.steps = false, 0
		return nil
	}
	steps, n := binary.Uvarint(in[1:])
	if in[0] > 1 || n != len(in)-1 || steps > math.MaxInt32 {
		return fmt.Errorf("render: Interpolate: LoadState: the state is not one of this version of the package: restore the image with the program that has written it: %w", ecs.ErrArgument)
	}
	s.scene.fraction.stepping, s.scene.fraction.steps = in[0] == 1, int(steps)
	return nil
}

// forgetLevels makes the cameras see all groups for the first time.
func (s *scene) forgetLevels() {
	for _, e := range s.eyes {
		e.stamp, e.levels.turned = 0, true
		clear(e.levels.level)
	}
}

// set makes the rows of the table those of other groups, until the next refresh finds where these are.
func (t *groups) set(ids []ecs.Entity) {
	clear(t.at)
	t.ids = append(t.ids[:0], ids...)
	for r, id := range ids {
		if most := int(id.Index); most >= len(t.at) {
			t.at = append(t.at, make([]int32, most+1-len(t.at))...)
		}
		t.at[id.Index] = int32(r + 1)
	}
}
