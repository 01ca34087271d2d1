package ecs

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// rollback is a game whose ticks depend on an input.
type rollback struct {
	w     *World
	moved *Query
	ids   []Entity
}

func newRollback(t *testing.T, workers int) *rollback {
	w := newWorld(t, workers)
	w.Create(w.Archetype(With[Position](), With[A](), With[En]()), 3000)
	return &rollback{w: w, moved: w.Query(Write[Position](), Read[A]())}
}

// tick is one step of the game.
func (g *rollback) tick(t *testing.T, tick uint64, input int) {
	must(t, g.moved.ParallelFor(chunkFunc(func(c *Chunk) {
		pos := Column[Position](c)
		for i, a := range *Column[A](c) {
			pos.X[i] += float32(a + int32(input))
		}
	})).Wait())
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
			g.w.Spawn(Position{}, A{int32(input)}, Sh{Value: int32(input)})
		case 2:
			if !HasComponent[B](g.w, e) {
				must(t, Add(g.w, e, B{int32(tick), 1}))
			}
		default:
			must(t, Set(g.w, e, A{int32(tick)}))
		}
	}
}

// A game that learns of its inputs eight ticks late, and runs on guesses until then, is that which has known them.
// Conformance: 357
func TestRollback(t *testing.T) {
	const ticks, late = 60, 8
	input := func(tick uint64) int { return int(tick*7) % 5 }
	straight := newRollback(t, 1)
	for tick := range uint64(ticks) {
		straight.tick(t, tick, input(tick))
	}
	want := straight.w.Hash()
	for _, workers := range []int{1, 2, 3, 8, 64} {
		g := newRollback(t, workers)
		ring, err := NewRing(g.w, late+1)
		must(t, err)
		for tick := range uint64(ticks) {
			if tick == late || tick > late && tick%3 == 0 || tick == ticks-1 { // what was guessed is known now
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
		must(t, g.w.integrity())
	}
}

func TestRing(t *testing.T) {
	w := newWorld(t, 1)
	ring, err := NewRing(w, 3)
	must(t, err)
	e := w.Spawn(A{0})
	for tick := range uint64(5) {
		must(t, ring.Keep(tick))
		must(t, Set(w, e, A{int32(tick) + 1}))
	}
	fails(t, ErrRange, ring.Back(1))
	fails(t, ErrRange, ring.Back(5))
	must(t, ring.Back(3))
	if v, err := Get[A](w, e); err != nil || v != (A{3}) {
		t.Errorf("%v, %v", v, err)
	}
	fails(t, ErrRange, ring.Back(4)) // it has not happened
	must(t, ring.Back(2))
	if ring.Image(3) != nil || ring.Image(2) == nil || ring.Image(2).Hash() != w.Hash() {
		t.Error("the ring has others")
	}
	must(t, ring.Keep(2)) // again
	must(t, w.Close())
	fails(t, ErrDisposed, ring.Keep(3))
	fails(t, ErrDisposed, ring.Back(2))
	_, err = NewRing(w, 0)
	fails(t, ErrArgument, err)
	_, err = NewRing(nil, 1)
	fails(t, ErrArgument, err)
}

// In the steady state keeping and going back allocate nothing.
func TestRingAllocs(t *testing.T) {
	if race || guard {
		t.Skip("race and guard builds allocate on their own")
	}
	w := newWorld(t, 1)
	w.Create(w.Archetype(With[Position](), With[A](), With[En]()), 10_000)
	q := w.Query(Write[Position](), Write[A]())
	ring, err := NewRing(w, 8)
	must(t, err)
	tick := uint64(0)
	step := func() {
		must(t, ring.Keep(tick))
		for c := range q.Chunks() {
			Column[Position](c).X[0]++
		}
		if tick++; tick%8 == 0 {
			must(t, ring.Back(tick-5))
			tick -= 5
		}
	}
	for range 40 {
		step()
	}
	if n := testing.AllocsPerRun(200, step); n != 0 {
		t.Errorf("%v allocations a tick", n)
	}
}

// Whoever releases an image of a ring makes it forget the tick, and spoils nothing else.
func TestRingReleased(t *testing.T) {
	w := newWorld(t, 1)
	ring, err := NewRing(w, 3)
	must(t, err)
	e := w.Spawn(A{0})
	var shown []*Image
	for tick := range uint64(20) {
		must(t, ring.Keep(tick))
		m := ring.Image(tick)
		if h, err := ring.Hash(tick); err != nil || h != w.Hash() || m.Hash() != h {
			t.Fatalf("tick %d: hash %#x, %v", tick, h, err)
		}
		shown = append(shown, m)
		if tick%3 == 1 {
			must(t, m.Release())
			fails(t, ErrRange, ring.Back(tick))
			_, err := ring.Hash(tick)
			fails(t, ErrRange, err)
		}
		must(t, Set(w, e, A{int32(tick) + 1}))
	}
	for tick, m := range shown {
		if live := tick >= 17 && tick%3 != 1; live != (m.Release() == nil) {
			t.Errorf("tick %d: released %t", tick, !live)
		}
	}
	must(t, ring.Keep(20))
	must(t, Set(w, e, A{7}))
	must(t, ring.Back(20))
	if v, err := Get[A](w, e); err != nil || v != (A{20}) {
		t.Errorf("%v, %v", v, err)
	}
	must(t, w.integrity())
}

func BenchmarkImages(b *testing.B) {
	for _, rows := range []int{10_000, 1_000_000} {
		w := NewWorld("bench")
		w.Create(w.Archetype(With[Position](), With[Velocity]()), rows)
		q := w.Query(Write[Position](), Write[Velocity]())
		bytes := int64(rows) * 32
		from, to := make([]byte, bytes), make([]byte, bytes)
		write := func(percent int) {
			i := 0
			for c := range q.Chunks() {
				if i%100 < percent {
					Column[Position](c).X[0]++
					Column[Velocity](c).X[0]++
				}
				i++
			}
		}
		b.Run(fmt.Sprintf("op=memcpy/rows=%d", rows), func(b *testing.B) {
			b.SetBytes(bytes)
			for b.Loop() {
				copy(to, from)
			}
		})
		b.Run(fmt.Sprintf("op=captureAll/rows=%d", rows), func(b *testing.B) {
			b.SetBytes(bytes)
			for b.Loop() {
				m, _ := Capture(w, nil)
				m.Release()
			}
		})
		for _, percent := range []int{1, 10, 100} {
			b.Run(fmt.Sprintf("op=capture/written=%d/rows=%d", percent, rows), func(b *testing.B) {
				last, _ := Capture(w, nil)
				for b.Loop() {
					b.StopTimer()
					write(percent)
					b.StartTimer()
					m, _ := Capture(w, last)
					last.Release()
					last = m
				}
			})
			b.Run(fmt.Sprintf("op=restore/written=%d/rows=%d", percent, rows), func(b *testing.B) {
				m, _ := Capture(w, nil)
				for b.Loop() {
					b.StopTimer()
					write(percent)
					b.StartTimer()
					Restore(w, m)
				}
			})
		}
		b.Run(fmt.Sprintf("op=fork/rows=%d", rows), func(b *testing.B) {
			m, _ := Capture(w, nil)
			for b.Loop() {
				fork, _ := m.Fork("fork")
				fork.Close()
			}
		})
		w.Close()
	}
}
