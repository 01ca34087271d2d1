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

// Bootstrap prepares a frame: it finds the cameras, their places and the sizes of their targets.
type Bootstrap struct {
	_ system.In[system.Presentation]
	_ system.After[Interpolate]

	scene   *scene
	cameras *ecs.Query
	list    []ecs.Entity
}

// Create makes the query.
func (s *Bootstrap) Create(u *system.Setup) error {
	s.scene = sceneOf(u.World())
	s.cameras = u.Query(ecs.Read[Camera](), ecs.Optional(ecs.Read[matrices](), ecs.Read[Drawn]()))
	return nil
}

// Update makes the views of the frame. It returns an error for each camera without one.
func (s *Bootstrap) Update(f *system.Frame) error {
	c, w := s.scene, f.World()
	c.frame.Number++
	c.frame.Delta, c.frame.Elapsed, c.frame.Alpha = f.Delta(), f.Elapsed(), f.Alpha()
	if d := c.feed; d != nil {
		c.frame.Delta, c.frame.Elapsed, c.frame.Alpha = d.time.Delta, d.time.Elapsed, d.time.Alpha
	}
	errs := s.findCameras(w)
	c.eyes, c.spare = c.spare[:0], c.eyes
	if !c.extracted || c.renderer != nil {
		for i := range c.posed {
			if err := c.prepareEye(&c.posed[i]); err != nil {
				errs = append(errs, err)
			}
		}
	}
	slices.SortFunc(c.eyes, func(a, b *eye) int {
		return cmp.Or(cmp.Compare(a.view.Camera.Order, b.view.Camera.Order), a.view.Entity.Compare(b.view.Entity))
	})
	c.views = c.views[:0]
	for _, e := range c.eyes {
		c.views = append(c.views, &e.view)
	}
	clear(c.spare)
	return errors.Join(errs...)
}

// findCameras finds the cameras.
func (s *Bootstrap) findCameras(w *ecs.World) (errs []error) {
	c := s.scene
	c.posed = c.posed[:0]
	if c.feed != nil {
		c.posed = append(c.posed, c.feed.cameras...)
		return nil
	}
	s.list = s.cameras.AppendEntities(s.list[:0])
	for _, id := range s.list {
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
		c.posed = append(c.posed, posedCamera{id, camera, place.M})
	}
	return errs
}

// prepareEye updates the eye of a camera.
func (s *scene) prepareEye(at *posedCamera) error {
	id, camera, place := at.id, at.camera, &at.place
	width, height := s.width, s.height
	if s.renderer != nil {
		if err := guarded(func() error { width, height = s.renderer.Size(camera.Target); return nil }); err != nil {
			return fmt.Errorf("render: camera %v: the size of target %d: %w", id, camera.Target, err)
		}
	}
	e := s.eyeOf(id)
	v := &e.view
	port := camera.viewport(width, height)
	v.Entity, v.Frame, v.Width, v.Height = id, &s.frame, width, height
	if same := e.stamp != 0 && v.Camera == camera && v.Place == *place && v.Viewport == port; !same {
		if v.Camera.Cut != camera.Cut {
			clear(e.levels.level)
		}
		v.Camera, v.Place, v.Viewport = camera, *place, port
		e.updateFrustum()
	}
	if port.Empty() {
		return nil // the camera draws nothing, but keeps its place among the views
	}
	if !e.ready {
		if s.blind[id] {
			return nil
		}
		s.blind[id] = true
		return fmt.Errorf("render: camera %v sees nothing: Camera %+v at the matrix %v has no planes: give it a LocalToWorld that flattens no axis, as by Translation, and lengths that are finite: %w", id, camera, *place, ecs.ErrState)
	}
	if len(s.blind) > 0 {
		delete(s.blind, id)
	}
	return nil
}

// eyeOf returns the eye that the camera had in the frame before, or a new one.
func (s *scene) eyeOf(id ecs.Entity) *eye {
	for i, e := range s.spare {
		if e != nil && e.view.Entity == id {
			s.spare[i] = nil
			s.eyes = append(s.eyes, e)
			return e
		}
	}
	e := &eye{scene: s}
	s.eyes = append(s.eyes, e)
	return e
}
