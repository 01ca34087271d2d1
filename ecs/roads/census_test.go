package roads

import (
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/scene"
)

// coin is a component of the worlds below.
type coin struct{ Value int64 }

// purse makes a world with coins. Every third one is part of a scene.
func purse(t *testing.T) *ecs.World {
	t.Helper()
	w := ecs.NewWorld("purse")
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	owner := w.Spawn(scene.Status{})
	for i := range 30 {
		e := w.Spawn(coin{int64(i + 1)})
		if i%3 == 0 {
			if err := ecs.Add(w, e, scene.SceneTag{Scene: owner}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return w
}

// wipe sets the coins to 0 that f chooses.
func wipe(f func(w *ecs.World, e ecs.Entity) bool) func(*ecs.World) error {
	return func(w *ecs.World) error {
		for _, e := range coins(w) {
			if !f(w, e) {
				continue
			}
			if err := ecs.Set(w, e, coin{}); err != nil {
				return err
			}
		}
		return nil
	}
}

// coins returns the entities with a coin.
func coins(w *ecs.World) (list []ecs.Entity) {
	for e := range w.Entities() {
		if ecs.Has[coin](w, e) {
			list = append(list, e)
		}
	}
	return list
}

func inScene(w *ecs.World, e ecs.Entity) bool { return ecs.Has[scene.SceneTag](w, e) }

// TestKeeps checks that the roads which compare a world with itself find each kind of damage.
func TestKeeps(t *testing.T) {
	all := func(*ecs.World, ecs.Entity) bool { return true }
	for _, c := range []struct {
		name, want, outside string // the errors; outside is that of the entities that no scene owns
		damage              func(*ecs.World) error
	}{
		{"nothing", "", "", func(*ecs.World) error { return nil }},
		{"compact", "", "", ecs.Compact},
		{"defragment", "", "", ecs.Defragment},
		{"wipe", "coin is", "coin is", wipe(all)},
		{"wipe a scene", "coin is", "", wipe(inScene)},
		{"wipe the rest", "coin is", "coin is", wipe(func(w *ecs.World, e ecs.Entity) bool { return !inScene(w, e) })},
		{"lose", "is lost", "is lost", func(w *ecs.World) error { return w.Destroy(coins(w)[0]) }},
		{"add", "was not there", "", func(w *ecs.World) error { w.Spawn(coin{5}); return nil }},
		{"rename", "has the name", "has the name", func(w *ecs.World) error { return w.SetEntityName(coins(w)[0], "lucky") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			check := func(err error, want string) {
				t.Helper()
				if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
					t.Errorf("the error is %v, and must have %q", err, want)
				}
			}
			check(runKeeping(purse(t), none, c.damage), c.want)
			w := purse(t)
			before, err := CensusOf(w)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.damage(w); err != nil {
				t.Fatal(err)
			}
			after, err := CensusOf(w)
			if err != nil {
				t.Fatal(err)
			}
			check(before.compareOutside(after), c.outside)
		})
	}
}
