package render

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// scene is the state that the systems of one world share. Only the world's owner uses a scene. As an
// exception, a job writes to the slots and views that were assigned to it.
type scene struct {
	world         *ecs.World
	assets        *Assets
	renderer      Renderer
	width, height int
	restoreCount  uint32      // number of restores of the world
	savedLevels   savedLevels // levels in the last image
	loadedVersion uint32      // version of the world when levels were last loaded

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
	w.Hooks().OnRestore(func(*ecs.Image) { s.invalidateAfterRestore() })
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
	return waitFor(s.currentFrame, s.currentFrame.ParallelRange(job, n, grain, nil))
}

// waitFor waits for a job of the system that is updating, and returns its error. It waits in Frame.Wait, because a measurement
// sees only the waits of Frame. Without it, the time of the job would also count as work of the owner, and the predictions of
// system.Explain would be too long.
func waitFor(f *system.Frame, h jobs.Handle) error {
	f.Wait()
	return h.Wait()
}

// beginSystem stores the frame of the system that is updating. runJob uses that frame until
// endSystem is called.
func (s *scene) beginSystem(f *system.Frame) { s.currentFrame = f }

// endSystem is deferred after beginSystem.
func (s *scene) endSystem() { s.currentFrame = nil }
