package main

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/transform"
)

// A sight is the visible part of the world: the point in the middle of the window, and the visible height.
type sight struct {
	entity ecs.Entity
	x, y   float32
	height float32
}

// closest and farthest are the limits of zooming.
const closest, farthest = 1, 400

// spawn creates the camera.
func (s *sight) spawn(w *ecs.World) {
	s.entity = w.Spawn(render.Camera{Height: s.height, Background: night}, transform.LocalToWorld{M: s.matrix()})
}

// matrix returns the matrix of the camera. The camera has no Translation, because it moves even while
// the simulation is paused.
func (s *sight) matrix() [16]float32 {
	m := transform.IdentityMatrix[float32]()
	m[12], m[13] = s.x, s.y
	return m
}

// apply copies the settings to the camera.
func (s *sight) apply(w *ecs.World) error {
	c, err := ecs.Get[render.Camera](w, s.entity)
	if err != nil {
		return err
	}
	c.Height = s.height
	if err := ecs.Set(w, s.entity, c); err != nil {
		return err
	}
	return ecs.Set(w, s.entity, transform.LocalToWorld{M: s.matrix()})
}

// pan moves the view as far as the mouse has moved, in pixels of a window with the given height.
func (s *sight) pan(dx, dy, height int) {
	unit := s.height / float32(max(height, 1))
	s.x -= float32(dx) * unit
	s.y += float32(dy) * unit
}

// zoom shows more of the world if factor is above 1, and less if it is below 1. The point of the world
// under the mouse stays there.
func (s *sight) zoom(factor float32, x, y, width, height int) {
	to := min(max(s.height*factor, closest), farthest)
	lost := (s.height - to) / float32(max(height, 1))
	s.x += (float32(x) - float32(width)/2) * lost
	s.y -= (float32(y) - float32(height)/2) * lost
	s.height = to
}
