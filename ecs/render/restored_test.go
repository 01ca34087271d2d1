package render

import (
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// What is drawn after a Restore is what was drawn the first time, whatever has happened meanwhile: cameras that moved, were cut, went
// off or are new, and groups that came or went.
func TestLevelsAfterRestore(t *testing.T) {
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 7))
		s := newStage(t)
		_, rows := levelled(s, Levels{Distances: [8]float32{10, 50}, Hysteresis: 0.5})
		for range 300 { // more than a block
			s.w.Spawn(Levels{Distances: [8]float32{20}, Hysteresis: 1}, placed(0, 0, 0))
		}
		camera := s.w.Spawn(perspective, placed(0, 0, 30))
		step := func(r *rand.Rand) {
			s.move(camera, 0, 0, []float32{5, 9, 12, 14, 20, 40, 55, 70, 90}[r.IntN(9)])
			switch r.IntN(8) {
			case 0:
				cut := perspective
				cut.Cut = r.Uint32N(3)
				s.ok(ecs.Set(s.w, camera, cut))
			case 1:
				on, err := ecs.Enabled[Camera](s.w, camera)
				s.ok(err)
				s.ok(ecs.SetEnabled[Camera](s.w, camera, !on))
			case 2:
				s.w.Spawn(Levels{Distances: [8]float32{30}}, placed(0, 0, 0))
			}
			s.frame()
		}
		drawn := func() []ecs.Entity {
			if on, err := ecs.Enabled[Camera](s.w, camera); err != nil || !on {
				return nil
			}
			return append([]ecs.Entity(nil), s.drawnIn(camera)...)
		}
		for n := range 60 {
			for range r.IntN(4) {
				step(r)
			}
			m, err := ecs.Capture(s.w, nil)
			s.ok(err)
			again := r.Uint64()
			var first [][]ecs.Entity
			for k := range 2 {
				if k > 0 {
					for range r.IntN(4) {
						step(r)
					}
					s.ok(ecs.Restore(s.w, m))
				}
				same := rand.New(rand.NewPCG(again, 1))
				for i := range 4 {
					step(same)
					if k == 0 {
						first = append(first, drawn())
					} else if got := drawn(); !equal(got, first[i]) {
						t.Fatalf("seed %d, round %d, frame %d: drawn %v after Restore, %v the first time; levels are %v", seed, n, i, got, first[i], rows)
					}
				}
			}
		}
	}
}

// How far things are drawn between their last fixed steps after a Restore depends on how many steps the frame before the image
// had, and not on those of an undone frame.
func TestInterpolateAfterRestore(t *testing.T) {
	s, _, _ := strollers(t, 3, 1)
	frame := func(delta float64) {
		system.ClockOf(s.w).Advance(delta)
		s.frame()
	}
	system.ClockOf(s.w).MaximumDelta = 10
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		for range 3 {
			frame(float64(r.IntN(16)) / 4)
		}
		m, err := ecs.Capture(s.w, nil)
		s.ok(err)
		next := float64(r.IntN(16)) / 16
		frame(next)
		want := s.w.Hash()
		for range r.IntN(3) {
			frame(float64(r.IntN(16)) / 4)
		}
		s.ok(ecs.Restore(s.w, m))
		if frame(next); s.w.Hash() != want {
			t.Fatalf("seed %d: the hash is %x after Restore, %x the first time", seed, s.w.Hash(), want)
		}
	}
}
