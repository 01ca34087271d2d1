package scene

import (
	"fmt"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
)

// The components of the tests: one of each kind.
type (
	Position struct{ X, Y, Z float32 }
	Velocity struct{ X, Y, Z float64 }
	Health   int16
	Mass     struct{ Kg float64 }
	Parent   struct{ Entity ecs.Entity }
	Frozen   struct{}
	Lit      struct {
		ecs.Enableable
		Lumen uint32
	}
	Awake struct{ ecs.Enableable }
	Team  struct {
		ecs.Shared
		Name string
		No   int32
	}
	Waypoint struct {
		At   Point
		Goal ecs.Entity
	}
	Point  struct{ X, Y int32 }
	Bounds struct{ Min, Max Point }
	Grip   struct {
		ecs.Cleanup
		Holder ecs.Entity
	}
	Label struct {
		ecs.Managed
		Text   string
		Tags   []string
		Counts map[string]int
		Inner  *Point
		Owner  ecs.Entity
		Until  time.Time
	}
	Deep struct {
		Pair  [2]Link
		Flags [3]bool
		Big   uint64
		Small int8
		Z     complex64
	}
	Link struct {
		To     ecs.Entity
		Weight float32
	}
	Level  uint8
	Graded struct{ Level Level }
)

func (l *Level) UnmarshalText(text []byte) error {
	switch string(text) {
	case "low":
		*l = 1
	case "high":
		*l = 2
	default:
		return fmt.Errorf("a level is low or high")
	}
	return nil
}

func (l Level) MarshalText() ([]byte, error) {
	return []byte([]string{"", "low", "high"}[l]), nil
}

func init() {
	ecs.RegisterComponent[Position]()
	ecs.RegisterComponent[Velocity]()
	ecs.RegisterComponent[Health]()
	ecs.RegisterComponent[Mass]()
	ecs.RegisterComponent[Parent]()
	ecs.RegisterComponent[Frozen]()
	ecs.RegisterComponent[Lit]()
	ecs.RegisterComponent[Awake]()
	ecs.RegisterComponent[Team]()
	ecs.RegisterComponent[ecs.Buffer[Waypoint]]()
	ecs.RegisterComponent[ecs.PerChunk[Bounds]]()
	ecs.RegisterComponent[Grip]()
	ecs.RegisterComponent[Label]()
	ecs.RegisterComponent[Deep]()
	ecs.RegisterComponent[Graded]()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// bake bakes a text.
func bake(t testing.TB, text string) *Baked {
	t.Helper()
	d, err := Parse("test.scene", []byte(text))
	must(t, err)
	b, err := d.Bake()
	must(t, err)
	return b
}

// fork creates a world from a scene.
func fork(t testing.TB, b *Baked) *ecs.World {
	t.Helper()
	w, err := ecs.Fork(b.Image(), "fork")
	must(t, err)
	return w
}

// get returns a component of the entity with the given name.
func get[T any](t testing.TB, w *ecs.World, b *Baked, name string) T {
	t.Helper()
	e, ok := b.Find(name)
	if !ok {
		t.Fatalf("no entity %q", name)
	}
	v, err := ecs.Get[T](w, e)
	must(t, err)
	return v
}
