package rollback_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/rollback"
	"github.com/lanewise/lanewise/jobs"
)

// The test game uses these components. Its ticks create, destroy and change entities.
type (
	Spot  struct{ X, Y, Z float32 }
	Speed struct{ Value int32 }
	Load  struct{ X, Y int32 }
	Lamp  struct {
		ecs.Enableable
		Value int32
	}
	Team struct {
		ecs.Shared
		Value int32
	}
)

func (Spot) Column() (c struct{ X, Y, Z []float32 }) { return }
func (Speed) Column() (c []int32)                    { return }
func (Load) Column() (c struct{ X, Y []int32 })      { return }

// newWorld returns a world with its own pool; both are closed at the end.
func newWorld(t testing.TB, workers int) *ecs.World {
	p := jobs.New(jobs.Workers(workers))
	w := ecs.NewWorld(t.Name(), ecs.OnPool(p))
	t.Cleanup(func() {
		_ = w.Close() // the test may have closed it
		must(t, p.Close())
	})
	return w
}

// drive is a world whose ticks depend on an input.
type drive struct {
	w     *ecs.World
	moved *ecs.Query
	ids   []ecs.Entity
}

func newDrive(t *testing.T, workers int) *drive {
	w := newWorld(t, workers)
	w.Create(w.Archetype(ecs.With[Spot](), ecs.With[Speed](), ecs.With[Lamp]()), 3000)
	return &drive{w: w, moved: w.Query(ecs.Write[Spot](), ecs.Read[Speed]())}
}

// move adds the speed of each entity, and an input, to the position of the entity.
type move struct{ input int32 }

func (m move) Chunk(c *ecs.Chunk) {
	spot := ecs.Column[Spot](c)
	for i, v := range *ecs.Column[Speed](c) {
		spot.X[i] += float32(v + m.input)
	}
}

// tick runs one step of the game.
func (g *drive) tick(t *testing.T, tick uint64, input int) {
	must(t, g.moved.ParallelFor(move{int32(input)}).Wait())
	g.ids = g.moved.AppendEntities(g.ids[:0])
	rng := rand.New(rand.NewPCG(tick, uint64(input)))
	for range 1 + input {
		e := g.ids[rng.IntN(len(g.ids))]
		if !g.w.Exists(e) {
			continue
		}
		switch rng.IntN(4) {
		case 0:
			must(t, g.w.Destroy(e))
		case 1:
			g.w.Spawn(Spot{}, Speed{int32(input)}, Team{Value: int32(input)})
		case 2:
			if !ecs.Has[Load](g.w, e) {
				must(t, ecs.Add(g.w, e, Load{int32(tick), 1}))
			}
		default:
			must(t, ecs.Set(g.w, e, Speed{int32(tick)}))
		}
	}
}

// A game that gets each input eight ticks late, and uses guesses until then,
// must end with the same world as a game that gets each input in time.
// Conformance: 357
func TestRollback(t *testing.T) {
	const ticks, late = 60, 8
	input := func(tick uint64) int { return int(tick*7) % 5 }
	straight := newDrive(t, 1)
	for tick := range uint64(ticks) {
		straight.tick(t, tick, input(tick))
	}
	want := straight.w.Hash()
	for _, workers := range []int{1, 2, 3, 8, 64} {
		g := newDrive(t, workers)
		ring, err := rollback.NewRing(g.w, late+1)
		must(t, err)
		for tick := range uint64(ticks) {
			if tick == late || tick > late && tick%3 == 0 || tick == ticks-1 { // the predicted input is known now
				from := tick - min(tick, late)
				must(t, ring.Back(from))
				for old := from; old < tick; old++ {
					must(t, ring.Keep(old))
					g.tick(t, old, input(old))
				}
			}
			must(t, ring.Keep(tick))
			guess := 1
			if tick == ticks-1 {
				guess = input(tick)
			}
			g.tick(t, tick, guess)
		}
		if h := g.w.Hash(); h != want {
			t.Errorf("%d workers: hash %#x, want %#x", workers, h, want)
		}
	}
}

func TestRing(t *testing.T) {
	w := newWorld(t, 1)
	ring, err := rollback.NewRing(w, 3)
	must(t, err)
	fails(t, ring.Back(0), ecs.ErrRange, "the ring has none")
	e := w.Spawn(Speed{0})
	for tick := range uint64(5) {
		must(t, ring.Keep(tick))
		must(t, ecs.Set(w, e, Speed{int32(tick) + 1}))
	}
	fails(t, ring.Back(1), ecs.ErrRange, "rollback: Ring.Back: tick 1 is not kept: the ring has 3 ticks, from 2 to 4")
	fails(t, ring.Back(5), ecs.ErrRange, "tick 5")
	must(t, ring.Back(3))
	if v, err := ecs.Get[Speed](w, e); err != nil || v != (Speed{3}) {
		t.Errorf("%v, %v", v, err)
	}
	fails(t, ring.Back(4), ecs.ErrRange, "tick 4") // the tick did not run in this history
	must(t, ring.Back(2))
	if ring.Image(3) != nil || ring.Image(2) == nil || ring.Image(2).Hash() != w.Hash() {
		t.Error("the ring has others")
	}
	must(t, ring.Keep(2)) // a second time
	must(t, w.Close())
	fails(t, ring.Keep(3), ecs.ErrDisposed, "ecs: rollback.Ring.Keep: ")
	fails(t, ring.Back(2), ecs.ErrDisposed, "ecs: rollback.Ring.Back: ")
	_, err = rollback.NewRing(w, 0)
	fails(t, err, ecs.ErrArgument, "rollback: NewRing: a ring of 0 ticks")
	_, err = rollback.NewRing(nil, 1)
	fails(t, err, ecs.ErrArgument, "rollback: NewRing: the world is nil")
}

// If the caller releases an image of a ring, the ring must forget only the tick of this
// image.
func TestRingReleased(t *testing.T) {
	w := newWorld(t, 1)
	ring, err := rollback.NewRing(w, 3)
	must(t, err)
	e := w.Spawn(Speed{0})
	var shown []*ecs.Image
	for tick := range uint64(20) {
		must(t, ring.Keep(tick))
		m := ring.Image(tick)
		if h, err := ring.Hash(tick); err != nil || h != w.Hash() || m.Hash() != h {
			t.Fatalf("tick %d: hash %#x, %v", tick, h, err)
		}
		shown = append(shown, m)
		if tick%3 == 1 {
			must(t, m.Release())
			fails(t, ring.Back(tick), ecs.ErrRange, "is not kept")
			_, err := ring.Hash(tick)
			fails(t, err, ecs.ErrRange, "rollback: Ring.Hash: ")
		}
		must(t, ecs.Set(w, e, Speed{int32(tick) + 1}))
	}
	for tick, m := range shown {
		if live := tick >= 17 && tick%3 != 1; live != (m.Release() == nil) {
			t.Errorf("tick %d: released %t", tick, !live)
		}
	}
	must(t, ring.Keep(20))
	must(t, ecs.Set(w, e, Speed{7}))
	must(t, ring.Back(20))
	if v, err := ecs.Get[Speed](w, e); err != nil || v != (Speed{20}) {
		t.Errorf("%v, %v", v, err)
	}
	again, err := ecs.Fork(ring.Image(20), "again")
	must(t, err)
	if again.Hash() != w.Hash() {
		t.Error("the world is not the image that it went back to")
	}
	must(t, again.Close())
}
