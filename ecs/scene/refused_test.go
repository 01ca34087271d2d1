package scene

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/ecs/system"
)

// If the world refuses the arrival of a scene while the scene is loaded or unloaded, the scene fails
// once and leaves nothing in the world. Other scenes continue, and the failed scene can be loaded
// again.
func TestRefusedArrival(t *testing.T) {
	files := filesOf("a.scene", textOf(30, 1), "b.scene", textOf(50, 2))
	for _, whole := range []bool{false, true} {
		w := stage(t, Config{Files: files, Budget: 20})
		a, b := Load(w, "a.scene", 1), Load(w, "b.scene", 0)
		must(t, Wait(w))
		if !whole {
			must(t, ecs.SetEnabled[Request](w, a, false))
			must(t, Wait(w))
			must(t, ecs.SetEnabled[Request](w, a, true))
			for phaseOf(t, w, a) != Coming {
				must(t, system.Update(w))
			}
		}
		clone := instanceOf(w, a).arrival.Clone() // continues in its place
		if n, err := clone.Unload(5); err != nil {
			t.Fatal(n, err)
		}
		if whole {
			must(t, ecs.SetEnabled[Request](w, a, false))
		}
		failed := false
		for range 10 {
			must(t, system.Update(w))
			if err := Failure(w, a); err != nil {
				failed = true
				if !strings.Contains(err.Error(), "Request off") {
					t.Error(err)
				}
			}
		}
		if want := 2 + 50; !failed || w.Len() != want || phaseOf(t, w, b) != Loaded {
			t.Errorf("whole %v: failed: %v; %d entities, want %d; the other scene is %v", whole, failed, w.Len(), want, phaseOf(t, w, b))
		}
		must(t, ecs.SetEnabled[Request](w, a, false))
		must(t, system.Update(w))
		must(t, ecs.SetEnabled[Request](w, a, true))
		must(t, Wait(w))
		if phaseOf(t, w, a) != Loaded || w.Len() != 2+80 {
			t.Errorf("whole %v: anew it is %v, and there are %d entities", whole, phaseOf(t, w, a), w.Len())
		}
	}
}

// A world is saved while a scene is being loaded, and the scene cannot be read in the program that
// loads the world. In that case, the scene fails, and the error says how to load it.
func TestSavedComingUnread(t *testing.T) {
	w := stage(t, Config{Files: filesOf("a.scene", textOf(30, 1)), Budget: 7, Delay: 1})
	e := Load(w, "a.scene", 0)
	for phaseOf(t, w, e) != Coming {
		must(t, system.Update(w))
	}
	m, err := ecs.Capture(w, nil)
	must(t, err)
	var file bytes.Buffer
	_, err = snapshot.Write(&file, m, gameCodecs()...)
	must(t, err)
	other := stage(t, Config{})
	must(t, snapshot.LoadFrom(other, &file, gameCodecs()...))
	for range 10 {
		must(t, system.Update(other))
	}
	if err := Failure(other, e); err == nil || !strings.Contains(err.Error(), "scene.Configure") || phaseOf(t, other, e) != Failed || other.Len() != 1 {
		t.Errorf("it is %v, %d entities: %v", phaseOf(t, other, e), other.Len(), err)
	}
}

// The saved state of Streaming does not depend on when earlier images were captured, no matter which
// changes are made to a sub-scene.
func TestKeptFresh(t *testing.T) {
	files := filesOf("a.scene", textOf(30, 1), "b.scene", textOf(50, 2))
	changes := map[string]func(w *ecs.World, e ecs.Entity){
		"priority": func(w *ecs.World, e ecs.Entity) { must(t, ecs.Set(w, e, Request{Priority: 7})) },
		"path":     func(w *ecs.World, e ecs.Entity) { must(t, ecs.Set(w, e, SubScene{Path: "b.scene"})) },
		"request":  func(w *ecs.World, e ecs.Entity) { must(t, ecs.SetEnabled[Request](w, e, false)) },
		"entity":   func(w *ecs.World, e ecs.Entity) { must(t, w.Destroy(e)) },
	}
	for name, change := range changes { //lanewise:inexact each is a world of its own
		for _, at := range []string{"a.scene", "none.scene"} {
			var want [][]byte
			for _, often := range []bool{false, true} {
				w := stage(t, Config{Files: files, Budget: 20, Delay: 1})
				e := Load(w, at, 0)
				for i := range 12 {
					if i == 6 {
						change(w, e)
					}
					must(t, system.Update(w))
					s := *system.Find[Streaming](w).streamer
					if !often { // as if no image was taken before
						s.savedState = nil
						want = append(want, s.saveScenes().encodeState())
						continue
					}
					if got := system.Find[Streaming](w).AppendState(nil); !bytes.Equal(got, want[i]) {
						t.Errorf("%s of %s: the bytes of update %d depend on when images were taken", name, at, i)
					}
				}
			}
		}
	}
}
