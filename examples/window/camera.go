package main

import (
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
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
func (s *sight) pan(dx, dy, height float32) {
	unit := s.height / max(height, 1)
	s.x -= dx * unit
	s.y += dy * unit
}

// zoom shows more of the world if factor is above 1, and less if it is below 1. The point of the world
// under the mouse stays there.
func (s *sight) zoom(factor, x, y, width, height float32) {
	to := min(max(s.height*factor, closest), farthest)
	lost := (s.height - to) / max(height, 1)
	s.x += (x - width/2) * lost
	s.y -= (y - height/2) * lost
	s.height = to
}

// Look moves the camera with the mouse: the user drags the picture, and zooms with the wheel. It is in a group that also runs while
// the simulation is paused.
type Look struct {
	_     system.In[system.Initialization]
	input *system.Resource[app.Input]
	last  app.Input
	sight
}

// Create creates the camera.
func (l *Look) Create(s *system.Setup) error {
	l.input = system.ResourceOf[app.Input](s.World())
	l.sight = sight{height: 2.2 * radius}
	l.spawn(s.World())
	return nil
}

// Update reads the resource that the main loop has written.
func (l *Look) Update(f *system.Frame) error {
	in := *l.input.Read()
	if in.Pressed {
		l.pan(in.X-l.last.X, in.Y-l.last.Y, in.Height)
	}
	if in.Wheel != 0 {
		l.zoom(float32(math.Pow(0.85, float64(in.Wheel))), in.X, in.Y, in.Width, in.Height)
	}
	l.last = in
	return l.apply(f.World())
}
