package scene

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/internal/atomicfile"
)

// A world that is rolled back to any update continues as it did the first time. Each load has the same
// number, the same delay and the same ids as the first time, even if its rows were being loaded at that
// update.
func TestRollback(t *testing.T) {
	files := filesOf("a.scene", textOf(30, 1), "b.scene", textOf(50, 2), "c.scene", textOf(20, 3))
	w := stage(t, Config{Files: files, Delay: 3, Budget: 16})
	a, b := Load(w, "a.scene", 0), Load(w, "b.scene", 1)
	const last = 40
	act := func(update int) {
		switch update {
		case 3:
			Load(w, "c.scene", 9)
		case 14:
			must(t, w.Destroy(a))
		case 20:
			must(t, ecs.SetEnabled[Request](w, b, false))
		case 26:
			must(t, ecs.SetEnabled[Request](w, b, true))
		}
	}
	var images []*ecs.Image
	var want []uint64
	for i := range last {
		m, err := ecs.Capture(w, nil)
		must(t, err)
		images = append(images, m)
		act(i)
		must(t, system.Update(w))
		want = append(want, w.Hash())
	}
	for _, from := range []int{39, 0, 12, 2, 37, 22, 4, 14, 5, 28, 6, 29, 21, 30, 7, 1, 19, 27, 3, 24, 8, 0} {
		must(t, ecs.Restore(w, images[from]))
		for i := from; i < last; i++ {
			act(i)
			must(t, system.Update(w))
			if got := w.Hash(); got != want[i] {
				t.Fatalf("back at update %d: update %d: the hash is %#x, was %#x", from, i, got, want[i])
			}
		}
		if e := Find(w, b, "lamp/49"); w.EntityName(e) != "lamp/49" {
			t.Errorf("back at update %d: %q", from, w.EntityName(e))
		}
	}
}

// Entities that live link has created are unloaded within the budget too.
func TestLeaveAdded(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.scene")
	must(t, os.WriteFile(file, []byte(textOf(3, 1)), 0o644))
	w := stage(t, Config{Files: os.DirFS(dir), Budget: 7})
	e := Load(w, "a.scene", 0)
	must(t, Wait(w))
	must(t, Refresh(w))
	must(t, os.WriteFile(file, []byte(textOf(60, 1)), 0o644))
	must(t, Refresh(w))
	if w.Len() != 61 || Find(w, e, "lamp/59").IsZero() {
		t.Fatalf("%d entities", w.Len())
	}
	m, err := ecs.Capture(w, nil)
	must(t, err)
	for range 2 {
		must(t, ecs.SetEnabled[Request](w, e, false))
		for w.Len() > 1 {
			before := w.Len()
			must(t, system.Update(w))
			if gone := before - w.Len(); gone > 7 || gone == 0 {
				t.Fatalf("%d entities have gone in one update", gone)
			}
			if !Find(w, e, "lamp/59").IsZero() {
				t.Error("a part is found while it goes")
			}
		}
		must(t, ecs.Restore(w, m)) // and a second time
		if w.Len() != 61 || Find(w, e, "lamp/59").IsZero() || Find(w, e, "lamp/0").IsZero() {
			t.Fatalf("back again there are %d entities", w.Len())
		}
	}
}

// If a bake is killed, it may leave a temporary file. The next bake removes this file. The bake does
// not touch a temporary file that another process is still writing.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.scene")
	must(t, os.WriteFile(file, []byte(textOf(3, 1)), 0o644))
	stray := filepath.Join(dir, ".a.scene.baked.lanewise-1-0.tmp")
	must(t, os.WriteFile(stray, []byte("half"), 0o600))
	then := time.Now().Add(-2 * time.Hour)
	must(t, os.Chtimes(stray, then, then))
	living, err := atomicfile.Create(file+Suffix, atomicfile.Options{})
	must(t, err)
	_, anew, err := BakeFile(file)
	must(t, err)
	if _, err := os.Stat(living.Name()); err != nil {
		t.Error("the file of a bake that goes on is removed")
	}
	must(t, living.Drop())
	names := map[string]bool{}
	list, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range list {
		names[e.Name()] = true
	}
	want := "a.scene a.scene.baked"
	if got := strings.Join(slices.Sorted(maps.Keys(names)), " "); !anew || got != want {
		t.Errorf("%q is there, want %q", got, want)
	}
}

// If a world is restored from an image of another world, its later updates do not depend on the scenes
// that it had loaded before.
func TestRestoreElsewhere(t *testing.T) {
	files := filesOf("a.scene", textOf(30, 1), "b.scene", textOf(50, 2), "c.scene", textOf(20, 3))
	config := Config{Files: files, Delay: 2, Budget: 16}
	first := stage(t, config)
	Load(first, "b.scene", 0)
	again := Load(first, "a.scene", 0)
	must(t, Wait(first))
	must(t, ecs.SetEnabled[Request](first, again, false))
	must(t, Wait(first))
	must(t, ecs.SetEnabled[Request](first, again, true))
	Load(first, "missing.scene", 5)
	must(t, system.Update(first))
	m, err := ecs.Capture(first, nil)
	must(t, err)
	var file bytes.Buffer
	_, err = snapshot.Write(&file, m, optionsOf("Test", nil).snapshot(programCatalog())...)
	must(t, err)
	m, err = snapshot.Read(&file, optionsOf("Test", nil).snapshot(programCatalog())...)
	must(t, err)

	var want []uint64
	for i, busy := range []int{0, 3, 9} {
		w := stage(t, config)
		for n := range busy { // in another order, and with other numbers
			Load(w, []string{"c.scene", "a.scene", "missing.scene"}[n%3], int32(n))
			must(t, system.Update(w))
		}
		must(t, ecs.Restore(w, m))
		for update := range 12 {
			must(t, system.Update(w))
			if i == 0 {
				want = append(want, w.Hash())
			} else if got := w.Hash(); got != want[update] {
				t.Fatalf("after %d loads: update %d: the hash is %#x, elsewhere %#x", busy, update, got, want[update])
			}
		}
		status, err := ecs.Get[Status](w, again)
		must(t, err)
		if status.Phase != Loaded || status.Load != 3 {
			t.Errorf("after %d loads: %+v", busy, status)
		}
	}
}
