package zoo

import (
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

// TestSame: zoos with equal options have the same hash in each tick, on pools of one worker and of
// three, and zoos with another seed have another one.
func TestSame(t *testing.T) {
	for _, size := range Sizes {
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
