package render

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// DrawMeshes culls for each camera, creates batches of the visible entities, and calls the
// renderer. If neither the entities nor the camera have changed, it uses the batches of the
// previous frame.
type DrawMeshes struct {
	_ system.In[system.Presentation]
	_ system.After[FilterLevels]

	scene    *scene
	drawable *ecs.Query
}

// Create creates the query.
func (s *DrawMeshes) Create(u *system.Setup) error {
	s.scene = sceneOf(u.World())
	s.drawable = drawableQuery(u)
	s.scene.slots.query = s.drawable
	return nil
}

// Update draws the frame.
func (s *DrawMeshes) Update(f *system.Frame) error {
	c := s.scene
	c.beginSystem(f)
	defer c.endSystem()
	if err := c.slots.refresh(f, s.drawable); err != nil {
		return err
	}
	if c.isExtracted && c.renderer == nil {
		return nil
	}
	var errs []error
	c.looks.resolve(c.assets)
	errs = c.reportLooks(errs)
	for _, e := range c.cameraViews {
		e.err = e.findVisible()
	}
	errs = c.flipbooks.updateCells(errs)
	for _, e := range c.cameraViews {
		if e.err == nil {
			e.err = e.updateBatches()
		}
		if e.err != nil {
			errs = append(errs, fmt.Errorf("render: camera %v: %w", e.view.Entity, e.err))
		}
	}
	if c.renderer != nil {
		errs = c.renderViews(errs)
	}
	return errors.Join(errs...)
}

// findVisible culls, if the planes of the camera are set.
func (e *cameraView) findVisible() (err error) {
	e.view.Fresh, e.testedRows = false, false
	if e.hasPlanes {
		e.testedRows, err = e.cull()
	}
	return err
}

// updateBatches assembles the batches of a camera, unless they are still valid.
func (e *cameraView) updateBatches() error {
	v, b := &e.view, &e.batches
	if !e.hasPlanes {
		v.Batches, v.Seen, v.Culled, b.cullBuild = v.Batches[:0], 0, 0, 0
		return nil
	}
	fresh, copied := e.scene.flipbooks.cellsChangedFor(e)
	v.Fresh = fresh
	if !e.testedRows && !copied && b.cullBuild != 0 && b.looksVersion == e.scene.looks.assetsVersion {
		return nil
	}
	v.Fresh, b.cullBuild, b.looksVersion = true, e.culledBuild, e.scene.looks.assetsVersion
	return e.assembleBatches()
}

// reportLooks appends an error for each look that cannot be drawn. It reports each look once.
func (s *scene) reportLooks(errs []error) []error {
	for _, k := range s.looks.drawOrder {
		l := &s.looks.all[k]
		if len(l.slotIndices) == 0 || l.drawnIn(^uint32(0)) {
			continue
		}
		if err := s.reportLook(l.Look, s.slots.lanes[l.slotIndices[0]].firstEntity); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// renderViews calls the renderer for the views of all cameras.
func (s *scene) renderViews(errs []error) []error {
	r := s.renderer
	if err := callGuarded(func() error { return r.Begin(&s.frame) }); err != nil {
		return append(errs, fmt.Errorf("render: frame %d: Begin: %w", s.frame.Number, err))
	}
	for _, e := range s.cameraViews {
		v := &e.view
		if !e.hasPlanes {
			continue
		}
		v.currentBatch = -1
		if err := callGuarded(func() error { return r.Draw(v) }); err != nil {
			errs = append(errs, &DrawError{Camera: v.Entity, Batch: v.currentBatch, Look: v.lookAt(), Err: err})
		}
	}
	if err := callGuarded(r.End); err != nil {
		errs = append(errs, fmt.Errorf("render: frame %d: End: %w", s.frame.Number, err))
	}
	return errs
}

func (v *View) lookAt() (l Look) {
	if v.currentBatch >= 0 && v.currentBatch < len(v.Batches) {
		l = v.Batches[v.currentBatch].Look
	}
	return l
}
