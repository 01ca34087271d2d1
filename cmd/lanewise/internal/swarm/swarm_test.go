package swarm

import (
	"context"
	"errors"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
)

func made(t *testing.T) *ecs.World {
	t.Helper()
	w, err := New(jobs.Default())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := app.Stop(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// TestWorld checks the world against the description of the command: more than 100,000 entities that
// move and rotate, a hierarchy, and entities that are created and destroyed in every frame.
func TestWorld(t *testing.T) {
	w := made(t)
	count := func(terms ...ecs.Term) int { return w.Query(terms...).Count() }
	run := func(frames int) {
		if err := Run(context.Background(), w, frames); err != nil {
			t.Fatal(err)
		}
	}
	run(1)
	moving := count(ecs.AnyOf(ecs.With[VelocityOf[float32]](), ecs.With[VelocityOf[float64]](), ecs.With[transform.Parent]()),
		ecs.AnyOf(ecs.With[transform.Rotation](), ecs.With[transform.Rotation64]()))
	if want := singles + doubles + sparks + wheels*(1+arms+arms*lamps); moving != want || moving < 100_000 {
		t.Errorf("%d entities move and rotate, want %d", moving, want)
	}
	if n := count(ecs.With[transform.Parent]()); n != wheels*arms*(1+lamps) {
		t.Errorf("%d entities have parents, want %d", n, wheels*arms*(1+lamps))
	}
	thrown := func() uint64 {
		n := uint64(0)
		for c := range w.Query(ecs.With[Spark]()).Chunks() {
			for _, e := range c.Entities() {
				n += uint64(e.Version)
			}
		}
		return n
	}
	run(29)
	before := thrown()
	run(30)
	if after := thrown(); after == before {
		t.Error("no spark ended and began again")
	}
	if n := count(ecs.With[Spark]()); n > sparks || n < sparks/2 {
		t.Errorf("%d sparks fly, want up to %d", n, sparks)
	}
}

func TestStop(t *testing.T) {
	w := made(t)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if err := Run(ctx, w, 1000); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped run returns %v", err)
	}
}
