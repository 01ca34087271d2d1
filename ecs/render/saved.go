package render

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// Because of hysteresis, the next picture depends on the levels that the cameras have chosen, and no
// component stores them. Therefore they are a part of images: [ChooseLevels] is a Saver.

// savedLevels holds the levels in an image, and their bytes. The bytes are stored because the next
// image has the same bytes unless a level has changed.
type savedLevels struct {
	ids     []ecs.Entity // ids of the groups, by row
	cameras []savedCameraLevels
	encoded []byte
}

// savedCameraLevels holds the levels that a camera has chosen.
type savedCameraLevels struct {
	entity ecs.Entity
	cut    uint32  // Camera.Cut
	levels []uint8 // by row of the groups
}

// AppendState implements system.Saver. It appends the levels that the cameras have chosen. If there are no
// groups of levels, it appends nothing.
func (s *ChooseLevels) AppendState(out []byte) []byte {
	c := s.scene
	if c.feed != nil || len(c.groups.ids) == 0 {
		return out
	}
	k := &c.savedLevels
	if !k.isCurrent(c) {
		k.save(c)
	}
	if len(out) == 0 {
		return k.encoded[:len(k.encoded):len(k.encoded)] // limit the capacity, because most images share these bytes
	}
	return append(out, k.encoded...)
}

// isCurrent reports whether the levels of the scene are still those of the last image.
func (k *savedLevels) isCurrent(c *scene) bool {
	return k.encoded != nil && slices.Equal(k.ids, c.groups.ids) && slices.EqualFunc(k.cameras, c.cameraViews, func(own savedCameraLevels, e *cameraView) bool {
		return own.entity == e.view.Entity && own.cut == e.view.Camera.Cut && slices.Equal(own.levels, e.levels.levels)
	})
}

// save copies and encodes the levels of the scene.
func (k *savedLevels) save(c *scene) {
	k.ids, k.cameras = append(k.ids[:0], c.groups.ids...), k.cameras[:0]
	for _, e := range c.cameraViews {
		k.cameras = append(k.cameras, savedCameraLevels{e.view.Entity, e.view.Camera.Cut, slices.Clone(e.levels.levels)})
	}
	out := binary.AppendUvarint(nil, uint64(len(k.ids)))
	for _, id := range k.ids {
		out = appendEntity(out, id)
	}
	for i := range k.cameras {
		own := &k.cameras[i]
		out = binary.LittleEndian.AppendUint32(appendEntity(out, own.entity), own.cut)
		out = append(binary.AppendUvarint(out, uint64(len(own.levels))), own.levels...)
	}
	k.encoded = out
}

func appendEntity(out []byte, e ecs.Entity) []byte {
	out = binary.LittleEndian.AppendUint32(out, uint32(e.Index))
	return binary.LittleEndian.AppendUint32(out, uint32(e.Version))
}

// LoadState implements system.Saver. If the image contains no levels, cameras choose levels as if they
// saw their groups for the first time.
func (s *ChooseLevels) LoadState(in []byte) error {
	var k savedLevels
	if !k.decode(in) {
		return fmt.Errorf("render: ChooseLevels: LoadState: the state is not one of this version of the package: restore the image with the program that has written it: %w", ecs.ErrArgument)
	}
	c := s.scene
	if c.feed != nil {
		return nil // the groups belong to another world
	}
	c.loadedVersion, c.groups.stale = c.world.Version(), true
	c.forgetLevels()
	c.groups.restoreRows(k.ids)
	if len(in) == 0 {
		return nil // the image has no list of cameras
	}
	// The next image must have the same bytes as this one. Therefore the scene gets exactly the views of
	// the image, in the same order.
	c.cameraViews, c.lastViews = c.lastViews[:0], c.cameraViews
	c.views = c.views[:0]
	for i := range k.cameras {
		own := &k.cameras[i]
		e := c.viewOf(own.entity)
		e.view.Entity, e.view.Camera.Cut, e.levels.levels = own.entity, own.cut, own.levels
		e.view.Frame = &c.frame
		c.views = append(c.views, &e.view)
	}
	clear(c.lastViews)
	return nil
}

// decode decodes the bytes of save, and reports whether they are valid. The bytes may be from a file.
func (k *savedLevels) decode(in []byte) bool {
	count := func(size int) int {
		n, used := binary.Uvarint(in)
		if used <= 0 || n > uint64(len(in)-used)/uint64(size) {
			return -1
		}
		in = in[used:]
		return int(n)
	}
	entity := func() ecs.Entity {
		e := ecs.Entity{Index: int32(binary.LittleEndian.Uint32(in)), Version: int32(binary.LittleEndian.Uint32(in[4:]))}
		in = in[8:]
		return e
	}
	if len(in) == 0 {
		return true
	}
	n := count(8)
	if n < 0 {
		return false
	}
	for range n {
		k.ids = append(k.ids, entity())
	}
	for len(in) > 0 {
		if len(in) < 12 {
			return false
		}
		own := savedCameraLevels{entity: entity(), cut: binary.LittleEndian.Uint32(in)}
		in = in[4:]
		n := count(1)
		if n < 0 {
			return false
		}
		own.levels, in = slices.Clone(in[:n]), in[n:]
		k.cameras = append(k.cameras, own)
	}
	return true
}

// invalidateAfterRestore makes the next frame recompute all rows after a Restore. Otherwise the
// frame would be wrong, because the renderer has drawn rows from a time after the image was
// captured, and a comparison of versions would not detect that. If the image has no levels, cameras
// see their groups as if for the first time.
func (s *scene) invalidateAfterRestore() {
	s.slots.lastVersion, s.slots.stale, s.groups.stale = 0, true, true
	s.restoreCount++
	if s.feed != nil || s.loadedVersion == s.world.Version() { // every Restore increments the version, so that this one has called LoadState
		return
	}
	s.forgetLevels()
	s.groups.restoreRows(nil)
}

// forgetLevels makes the cameras choose levels as if they saw all groups for the first time.
func (s *scene) forgetLevels() {
	for _, e := range s.cameraViews {
		e.culledBuild, e.levels.cameraChanged = 0, true
		clear(e.levels.levels)
	}
}

// restoreRows gives the table the rows that the groups had in the image. The next refresh finds their current
// rows. A group that does not exist keeps its row but loses its id, because the id may be from a damaged
// file.
func (t *groups) restoreRows(ids []ecs.Entity) {
	clear(t.rowsByIndex)
	t.ids = append(t.ids[:0], ids...)
	for r, id := range ids {
		if !t.scene.world.Exists(id) {
			id = ecs.Entity{}
			t.ids[r] = id
		}
		if most := int(id.Index); most >= len(t.rowsByIndex) {
			t.rowsByIndex = append(t.rowsByIndex, make([]int32, most+1-len(t.rowsByIndex))...)
		}
		if !id.IsZero() {
			t.rowsByIndex[id.Index] = int32(r + 1)
		}
	}
}
