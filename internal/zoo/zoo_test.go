package zoo

import (
	"runtime/debug"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

// TestMain lets the garbage grow to eight times the live memory, because the roads make many worlds. This saves a
// third of the time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(800)
	m.Run()
}

// TestSeeds checks that zoos with different seeds have different hashes.
func TestSeeds(t *testing.T) {
	seen := map[uint64]uint64{}
	for seed := range uint64(5) {
		w, err := New(Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if err := Tick(w); err != nil {
			t.Fatal(err)
		}
		if other, has := seen[w.Hash()]; has {
			t.Errorf("seeds %d and %d have the same hash", seed, other)
		}
		seen[w.Hash()] = seed
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestWithout checks, for each feature, that a zoo without the feature runs.
func TestWithout(t *testing.T) {
	for _, f := range Features {
		if f.Name == "book" { // every system needs it
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			w, err := New(Options{Seed: 1, Without: []string{f.Name}})
			if err != nil {
				t.Fatal(err)
			}
			for tick := range 3 {
				if err := Tick(w); err != nil {
					t.Fatalf("tick %d: %v", tick, err)
				}
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestSame: zoos with equal options have the same hash in each tick, on pools of one worker and of
// three. TestRoads compares the same at the size Large.
func TestSame(t *testing.T) {
	for _, size := range []Size{Small, Medium} {
		t.Run(size.String(), func(t *testing.T) {
			var first []uint64
			for _, workers := range []int{1, 3} {
				pool := jobs.New(jobs.Workers(workers))
				w, err := New(Options{Seed: 1, Size: size, Pool: pool})
				if err != nil {
					t.Fatal(err)
				}
				for tick := range 10 {
					if err := Tick(w); err != nil {
						t.Fatalf("tick %d: %v", tick, err)
					}
					switch h := w.Hash(); {
					case workers == 1:
						first = append(first, h)
					case h != first[tick]:
						t.Fatalf("tick %d: the hash is %x on %d workers, and %x on one", tick, h, workers, first[tick])
					}
				}
				t.Logf("%d rows, %d archetypes, hash %x", w.Len(), w.Stats().Archetypes, w.Hash())
				if err := w.Close(); err != nil {
					t.Error(err)
				}
				pool.Close()
			}
		})
	}
}
