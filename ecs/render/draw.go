package render

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// DrawMeshes culls for each camera, makes batches of the visible entities, and calls the renderer.
// If neither the entities nor the camera have changed, it uses the batches of the frame before.
type DrawMeshes struct {
	_ system.In[system.Presentation]
	_ system.After[FilterLevels]

	scene *scene
	drawn *ecs.Query
}

// Create makes the query.
func (s *DrawMeshes) Create(u *system.Setup) error {
	s.scene = sceneOf(u.World())
	s.drawn = drawn(u)
	s.scene.slots.query = s.drawn
	return nil
}

// Update draws the frame.
func (s *DrawMeshes) Update(f *system.Frame) error {
	c := s.scene
	if err := c.slots.refresh(f, s.drawn); err != nil {
		return err
	}
	if c.extracted && c.renderer == nil {
		return nil
	}
	var errs []error
	c.looks.resolve(c.assets)
	errs = c.reportLooks(errs)
	for _, e := range c.eyes {
		e.failed = e.findVisible()
	}
	errs = c.flipbooks.updateCells(errs)
	for _, e := range c.eyes {
		if e.failed == nil {
			e.failed = e.updateBatches()
		}
		if e.failed != nil {
			errs = append(errs, fmt.Errorf("render: camera %v: %w", e.view.Entity, e.failed))
		}
	}
	if c.renderer != nil {
		errs = c.drawViews(errs)
	}
	return errors.Join(errs...)
}

// findVisible culls if the camera has planes.
func (e *eye) findVisible() (err error) {
	e.view.Fresh, e.culled = false, false
	if e.ready {
		e.culled, err = e.cull()
	}
	return err
}

// updateBatches assembles the batches of a camera, unless they are still valid.
func (e *eye) updateBatches() error {
	v, b := &e.view, &e.batches
	if !e.ready {
		v.Batches, v.Seen, v.Culled, b.stamp = v.Batches[:0], 0, 0, 0
		return nil
	}
	fresh, copied := e.scene.flipbooks.turnedFor(e)
	v.Fresh = fresh
	if !e.culled && !copied && b.stamp != 0 && b.looks == e.scene.looks.version {
		return nil
	}
	v.Fresh, b.stamp, b.looks = true, e.stamp, e.scene.looks.version
	return e.assembleBatches()
}

// reportLooks appends an error for each look that cannot be drawn, once.
func (s *scene) reportLooks(errs []error) []error {
	for _, k := range s.looks.ranked {
		l := &s.looks.list[k]
		if len(l.chunks) == 0 || l.drawnIn(^uint32(0)) {
			continue
		}
		if err := s.reportLook(l.Look, s.slots.lanes[l.chunks[0]].first); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// drawViews calls the renderer for the views of all cameras.
func (s *scene) drawViews(errs []error) []error {
	r := s.renderer
	if err := guarded(func() error { return r.Begin(&s.frame) }); err != nil {
		return append(errs, fmt.Errorf("render: frame %d: Begin: %w", s.frame.Number, err))
	}
	for _, e := range s.eyes {
		v := &e.view
		if !e.ready {
			continue
		}
		v.at = -1
		if err := guarded(func() error { return r.Draw(v) }); err != nil {
			errs = append(errs, &DrawError{Camera: v.Entity, Batch: v.at, Look: v.lookAt(), Err: err})
		}
	}
	if err := guarded(r.End); err != nil {
		errs = append(errs, fmt.Errorf("render: frame %d: End: %w", s.frame.Number, err))
	}
	return errs
}

func (v *View) lookAt() (l Look) {
	if v.at >= 0 && v.at < len(v.Batches) {
		l = v.Batches[v.at].Look
	}
	return l
}
