package render

import (
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// scene is the state that the systems of one world share. Only the world's owner uses a scene. As
// an exception, each job writes the parts of slots and views that it was given.
type scene struct {
	world         *ecs.World
	assets        *Assets
	renderer      Renderer
	width, height int
	restoreCount  uint32      // number of restores of the world
	savedLevels   savedLevels // levels in the last image: see saveLevels

	frame        Frame
	currentFrame *system.Frame // frame of the system that is updating now; nil between updates
	slots        slots
	groups       groups
	feed         *feed         // nil if the scene shows its own world
	isExtracted  bool          // a presentation world shows this scene
	cameras      []posedCamera // cameras of this frame
	groupLinks   groupLinks
	flipbooks    flipbookJob
	stepTiming   stepTiming
	looks        looks
	viewers
	reported
}

// viewers holds the views of a scene's cameras.
type viewers struct {
	cameraViews []*cameraView // views of this frame's cameras, in increasing Order
	views       []*View       // the View of each of cameraViews
	lastViews   []*cameraView // views of the previous frame, while the views of this frame are created
}

// reported holds the faults that were already reported, because each fault is reported only once.
type reported struct {
	withoutPlanes     map[ecs.Entity]bool // cameras without planes
	unregisteredLooks map[Look]bool       // looks whose shape or material is not registered
	badCellMaterials  map[MaterialID]bool // materials of rows that refer to missing cells
}

type sceneKey struct{}

func sceneOf(w *ecs.World) *scene {
	if s, ok := w.Hooks().Attached(sceneKey{}).(*scene); ok {
		return s
	}
	s := &scene{world: w, assets: NewAssets(), width: 1, height: 1}
	s.reported = reported{map[ecs.Entity]bool{}, map[Look]bool{}, map[MaterialID]bool{}}
	s.frame.scene, s.slots.scene, s.groups.scene, s.groupLinks.scene, s.flipbooks.scene = s, s, s, s, s
	s.slots.build = 1 // 0 is the culledBuild of views that have not yet culled
	w.Hooks().Attach(sceneKey{}, s)
	w.Hooks().OnCapture(s.saveLevels)
	w.Hooks().OnRestore(s.restoreLevels)
	return s
}

// invalidate makes the next frame recompute everything.
func (s *scene) invalidate() {
	s.slots.lastVersion, s.slots.stale = 0, true
	s.groups.stale = true
	clear(s.unregisteredLooks)
	clear(s.badCellMaterials)
	s.looks.assetsVersion = 0
	for _, e := range s.cameraViews {
		e.culledBuild = 0
	}
}

// runJob runs a job over [0, n) and waits for it. Between updates, for example when a program gathers
// the parts of a view, the job belongs to no system.
func (s *scene) runJob(job jobs.RangeJob, n, grain int) error {
	switch {
	case n == 0:
		return nil
	case s.currentFrame == nil:
		return s.world.Pool().ParallelFor(job, n, grain).Wait()
	}
	return s.currentFrame.ParallelRange(job, n, grain, nil).Wait()
}

// beginSystem stores the frame of the system that is updating. runJob uses that frame until
// endSystem is called.
func (s *scene) beginSystem(f *system.Frame) { s.currentFrame = f }

// endSystem is deferred after beginSystem.
func (s *scene) endSystem() { s.currentFrame = nil }

// savedLevels is the part of a scene that is saved in images. It holds the levels that the cameras
// have chosen, because the next picture depends on them and no component stores them.
type savedLevels struct {
	ids     []ecs.Entity // ids of the groups, by row
	cameras []savedCameraLevels
}

// savedCameraLevels holds the levels that a camera has chosen.
type savedCameraLevels struct {
	entity ecs.Entity
	camera Camera
	levels []uint8
}

// saveLevels attaches the levels of the last frame to an image. If a list has not changed since the
// previous image, both images share it.
func (s *scene) saveLevels(m *ecs.Image) {
	k := &savedLevels{}
	if s.feed == nil && len(s.groups.ids) > 0 {
		before := s.savedLevels
		k.ids = cloneChanged(before.ids, s.groups.ids)
		for _, e := range s.cameraViews {
			var had []uint8
			if at := slices.IndexFunc(before.cameras, func(o savedCameraLevels) bool { return o.entity == e.view.Entity }); at >= 0 {
				had = before.cameras[at].levels
			}
			k.cameras = append(k.cameras, savedCameraLevels{e.view.Entity, e.view.Camera, cloneChanged(had, e.levels.levels)})
		}
	}
	s.savedLevels = *k
	m.Attach(sceneKey{}, k)
}

// cloneChanged returns before if before equals now. Otherwise it returns a copy of now. No copy is
// ever written, so copies may be shared.
func cloneChanged[T comparable](before, now []T) []T {
	if before != nil && slices.Equal(before, now) {
		return before
	}
	return slices.Clone(now)
}

// restoreLevels makes the next frame recompute all rows after a Restore. The renderer has drawn
// rows from a time after the image was taken, and comparing versions would miss that. Cameras get
// back the levels that they had when the image was taken. An image from a file contains no levels.
// After it is restored, cameras see their groups as if for the first time.
func (s *scene) restoreLevels(m *ecs.Image) {
	s.slots.lastVersion, s.slots.stale, s.groups.stale = 0, true, true
	s.restoreCount++
	k, ok := m.Attached(sceneKey{}).(*savedLevels)
	if !ok {
		k = &savedLevels{}
	}
	if s.feed != nil {
		return // the groups belong to another world
	}
	s.forgetLevels()
	s.groups.restoreRows(k.ids)
	for i := range k.cameras {
		own := &k.cameras[i]
		at := slices.IndexFunc(s.cameraViews, func(e *cameraView) bool { return e.view.Entity == own.entity })
		if at < 0 {
			at = len(s.cameraViews)
			s.cameraViews = append(s.cameraViews, &cameraView{scene: s})
		}
		e := s.cameraViews[at]
		e.view.Entity, e.view.Camera, e.levels.levels = own.entity, own.camera, slices.Clone(own.levels)
	}
}

// forgetLevels makes the cameras choose levels as if they saw all groups for the first time.
func (s *scene) forgetLevels() {
	for _, e := range s.cameraViews {
		e.culledBuild, e.levels.cameraChanged = 0, true
		clear(e.levels.levels)
	}
}

// restoreRows makes the rows of the table those of the image's groups. The next refresh finds their
// current rows.
func (t *groups) restoreRows(ids []ecs.Entity) {
	clear(t.rowsByIndex)
	t.ids = append(t.ids[:0], ids...)
	for r, id := range ids {
		if most := int(id.Index); most >= len(t.rowsByIndex) {
			t.rowsByIndex = append(t.rowsByIndex, make([]int32, most+1-len(t.rowsByIndex))...)
		}
		t.rowsByIndex[id.Index] = int32(r + 1)
	}
}
