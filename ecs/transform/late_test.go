package transform_test

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// pusher moves entities and has no attribute about transforms. The name of pusher sorts after the name
// of transform.Group.
type pusher struct{ q *ecs.Query }

func (s *pusher) Create(u *system.Setup) error {
	s.q = u.Query(ecs.Write[transform.LocalTransform]())
	return nil
}
func (s *pusher) Update(f *system.Frame) error { f.ParallelFor(s.q, s); return nil }
func (s *pusher) Chunk(c *ecs.Chunk) {
	t := ecs.Column[transform.LocalTransform](c)
	for i := range t.X {
		t.X[i]++
	}
}

// pushed is a group of such systems. The attribute of the system after makes it run after the matrices
// are computed.
type (
	pushed struct {
		system.Group
		_ system.In[system.Simulation]
	}
	inPushed struct {
		pusher
		_ system.In[pushed]
	}
	after struct {
		pusher
		_ system.In[system.Simulation]
		_ system.After[transform.Group]
	}
	inLate struct {
		pusher
		_ system.In[system.LateSimulation]
	}
)

// A system that moves entities runs before the matrices are computed, whatever its name is, unless
// an attribute says otherwise.
func TestGroupComesLast(t *testing.T) {
	for name, c := range map[string]struct {
		types []*system.Type
		want  float32 // LocalToWorld after one update
	}{
		"no attribute":   {[]*system.Type{system.Of[pusher]()}, 1},
		"a group":        {[]*system.Type{system.Of[pushed](), system.Of[inPushed]()}, 1},
		"after it":       {[]*system.Type{system.Of[after]()}, 0},
		"LateSimulation": {[]*system.Type{system.Of[inLate]()}, 0},
		"all":            {[]*system.Type{system.Of[inLate](), system.Of[after](), system.Of[pushed](), system.Of[inPushed](), system.Of[pusher]()}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			w, err := system.NewWorld(name, system.Only(c.types...), system.WithPlugins(transform.Systems()))
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			e := w.Spawn(transform.At[float32](0, 0, 0), transform.LocalToWorld{})
			if err := system.Update(w); err != nil {
				t.Fatal(err)
			}
			l, err := ecs.Get[transform.LocalToWorld](w, e)
			if err != nil || l.M[12] != c.want {
				t.Errorf("LocalToWorld is at %v, want %v: %v", l.M[12], c.want, err)
			}
			if all := system.Warnings(w); len(all) > 0 {
				t.Errorf("warnings: %q", all)
			}
		})
	}
}
