package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// newFlownGarden returns a garden after a second, with a pool of its own.
func newFlownGarden(t *testing.T, workers int) *ecs.World {
	t.Helper()
	pool := jobs.New(jobs.Workers(workers))
	t.Cleanup(func() { _ = pool.Close() })
	w, err := garden(2000, system.OnPool(pool))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	if err := app.Run(context.Background(), w, app.Frames(60), app.Step(1.0/60)); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestHash checks that the hash does not depend on the number of workers.
func TestHash(t *testing.T) {
	want := newFlownGarden(t, 1).Hash()
	for _, workers := range []int{2, 5} {
		if got := newFlownGarden(t, workers).Hash(); got != want {
			t.Errorf("%d workers: the hash is %#016x, with one worker %#016x", workers, got, want)
		}
	}
}

// TestBees checks that the bees stay near their flowers.
func TestBees(t *testing.T) {
	w := newFlownGarden(t, 2)
	bees := 0
	for c := range w.Query(ecs.Read[Position](), ecs.Read[Home]()).Chunks() {
		pos, home := ecs.Column[Position](c), ecs.Column[Home](c)
		for i, x := range pos.X {
			if dx, dy := x-home.X[i], pos.Y[i]-home.Y[i]; dx > 0.3 || dx < -0.3 || dy > 0.3 || dy < -0.3 {
				t.Errorf("a bee is at %v, %v, and its flower at %v, %v", x, pos.Y[i], home.X[i], home.Y[i])
			}
		}
		bees += c.Len()
	}
	if bees != 2000 {
		t.Errorf("there are %d bees, want 2000", bees)
	}
}

func TestDraw(t *testing.T) {
	name := filepath.Join(t.TempDir(), "garden.png")
	if err := draw(newFlownGarden(t, 1), name); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Size() == 0 {
		t.Errorf("the picture: %v, %v", info, err)
	}
}
