package render

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
)

// What has gone back is seen where it is again, though its versions are old.
func TestRestore(t *testing.T) {
	s := newStage(t)
	e := s.w.Spawn(square, transform.At[float32](0, 0, 0), transform.LocalToWorld{})
	s.w.Spawn(Camera{Height: 4}, unit)
	s.wantSeen(0, e)
	m, err := ecs.Capture(s.w, nil)
	s.ok(err)
	s.ok(ecs.Set(s.w, e, transform.At[float32](1000, 0, 0)))
	s.wantSeen(0)
	away, err := ecs.Capture(s.w, m)
	s.ok(err)
	for range 2 {
		s.ok(ecs.Restore(s.w, m))
		s.wantSeen(0, e)
		s.ok(ecs.Restore(s.w, away))
		s.wantSeen(0)
	}
}
