package render

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// Bootstrap prepares a frame: it finds the cameras, where they are, and the sizes of their targets.
type Bootstrap struct {
	_ system.In[system.Presentation]
	_ system.After[Interpolate]

	scene     *scene
	cameras   *ecs.Query
	cameraIDs []ecs.Entity
}

// Create creates the query.
func (s *Bootstrap) Create(u *system.Setup) error {
	s.scene = sceneOf(u.World())
	s.cameras = u.Query(ecs.Read[Camera](), ecs.Optional(ecs.Read[matrices](), ecs.Read[Drawn]()))
	return nil
}

// Update creates the views of the frame. Update returns an error for each camera that gets no view.
func (s *Bootstrap) Update(f *system.Frame) error {
	c, w := s.scene, f.World()
	c.frame.Number++
	c.frame.Delta, c.frame.Elapsed, c.frame.Alpha = f.Delta(), f.Elapsed(), f.Alpha()
	if d := c.feed; d != nil {
		c.frame.Delta, c.frame.Elapsed, c.frame.Alpha = d.frame.Delta, d.frame.Elapsed, d.frame.Alpha
	}
	errs := s.findCameras(w)
	c.cameraViews, c.lastViews = c.lastViews[:0], c.cameraViews
	if !c.isExtracted || c.renderer != nil {
		for i := range c.cameras {
			if err := c.prepareView(&c.cameras[i]); err != nil {
				errs = append(errs, err)
			}
		}
	}
	slices.SortFunc(c.cameraViews, func(a, b *cameraView) int {
		return cmp.Or(cmp.Compare(a.view.Camera.Order, b.view.Camera.Order), a.view.Entity.Compare(b.view.Entity))
	})
	c.views = c.views[:0]
	for _, e := range c.cameraViews {
		c.views = append(c.views, &e.view)
	}
	clear(c.lastViews)
	return errors.Join(errs...)
}

// findCameras finds the cameras of the world.
func (s *Bootstrap) findCameras(w *ecs.World) (errs []error) {
	c := s.scene
	c.cameras = c.cameras[:0]
	if c.feed != nil {
		c.cameras = append(c.cameras, c.feed.cameras...)
		return nil
	}
	s.cameraIDs = s.cameras.AppendEntities(s.cameraIDs[:0])
	for _, id := range s.cameraIDs {
		camera, err := ecs.Get[Camera](w, id)
		place := matrices{M: transform.IdentityMatrix[float32]()}
		switch {
		case err != nil:
		case ecs.Has[Drawn](w, id):
			var between Drawn
			between, err = ecs.Get[Drawn](w, id)
			place.M = between.M
		case ecs.Has[matrices](w, id):
			place, err = ecs.Get[matrices](w, id)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		c.cameras = append(c.cameras, posedCamera{id, camera, place.M})
	}
	return errs
}

// prepareView updates the view of a camera.
func (s *scene) prepareView(at *posedCamera) error {
	id, camera, place := at.id, at.camera, &at.matrix
	width, height := s.width, s.height
	if s.renderer != nil {
		if err := callGuarded(func() error { width, height = s.renderer.Size(camera.Target); return nil }); err != nil {
			return fmt.Errorf("render: camera %v: the size of target %d: %w", id, camera.Target, err)
		}
	}
	e := s.viewOf(id)
	v := &e.view
	port := camera.viewport(width, height)
	v.Entity, v.Frame, v.Width, v.Height = id, &s.frame, width, height
	if same := e.culledBuild != 0 && v.Camera == camera && v.Place == *place && v.Viewport == port; !same {
		if v.Camera.Cut != camera.Cut {
			clear(e.levels.levels)
		}
		v.Camera, v.Place, v.Viewport = camera, *place, port
		e.updateFrustum()
	}
	if port.Empty() {
		return nil // the camera draws nothing, but remains in the list of views
	}
	if !e.hasPlanes {
		if s.withoutPlanes[id] {
			return nil
		}
		s.withoutPlanes[id] = true
		return fmt.Errorf("render: camera %v sees nothing: Camera %+v at the matrix %v has no planes: give it a LocalToWorld that flattens no axis, as by Translation, and lengths that are finite: %w", id, camera, *place, ecs.ErrState)
	}
	if len(s.withoutPlanes) > 0 {
		delete(s.withoutPlanes, id)
	}
	return nil
}

// viewOf returns the view that the camera had in the previous frame, or a new one.
func (s *scene) viewOf(id ecs.Entity) *cameraView {
	for i, e := range s.lastViews {
		if e != nil && e.view.Entity == id {
			s.lastViews[i] = nil
			s.cameraViews = append(s.cameraViews, e)
			return e
		}
	}
	e := &cameraView{scene: s}
	s.cameraViews = append(s.cameraViews, e)
	return e
}
