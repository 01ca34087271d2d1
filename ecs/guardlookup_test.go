//go:build lanewise_guard

package ecs_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

type elsewhereJob struct {
	body func(c *ecs.Chunk)
}

func (j *elsewhereJob) Chunk(c *ecs.Chunk) { j.body(c) }
func (j *elsewhereJob) Run(c *ecs.Chunk)   { j.body(c) }

// TestGuardFindsElsewhere checks when a job may not look up a row with Elsewhere: exactly if the
// job's query matches the row and the row is in another chunk.
func TestGuardFindsElsewhere(t *testing.T) {
	for _, workers := range []int{1, 3} {
		pool := jobs.New(jobs.Workers(workers))
		w := ecs.NewWorld("elsewhere", ecs.OnPool(pool))
		var all []ecs.Entity
		for _, a := range []ecs.Archetype{
			w.Archetype(ecs.With[worth](), ecs.With[next]()),
			w.Archetype(ecs.With[worth](), ecs.With[next](), ecs.With[herdTag]()),
			w.Archetype(ecs.With[worth]()),
			w.Archetype(ecs.With[herdTag]()),
		} {
			ids := make([]ecs.Entity, 3000)
			check(w.CreateInto(a, ids))
			all = append(all, ids...)
		}
		q := w.Query(ecs.Write[worth](), ecs.With[herdTag](), ecs.Elsewhere(ecs.Read[worth]()))
		writes := w.Query(ecs.Read[worth](), ecs.With[herdTag](), ecs.Elsewhere(ecs.Write[worth]()))
		look, set := ecs.NewLookup[worth](q), ecs.NewLookup[worth](writes)
		rng := rand.New(rand.NewPCG(uint64(workers), 9))
		for range 300 {
			e := all[rng.IntN(len(all))]
			by, what := q, rng.IntN(6)
			reach := func() {
				switch what {
				case 0:
					look.Get(e)
				case 1:
					look.Ref(e)
				case 2:
					look.ChangedSince(e, 0)
				case 3:
					look.Gather(make([]worth, 2), []ecs.Entity{{}, e})
				case 4:
					set.Set(e, worth{})
				case 5:
					set.Scatter([]ecs.Entity{{}, e}, make([]worth, 2))
				}
			}
			if what > 3 {
				by = writes
			}
			own, runs := -1, rng.IntN(2) == 0 // the chunk of e
			for c := range by.Chunks() {
				reach() // one chunk after the other
				for _, id := range c.Entities() {
					if id == e {
						own = c.Index()
					}
				}
			}
			only := rng.IntN(by.ChunkCount())
			j := &elsewhereJob{func(c *ecs.Chunk) {
				if c.Index() == only {
					look.Has(e)
					reach()
				}
			}}
			var err error
			if runs {
				err = by.ParallelForSpans(j).Wait()
			} else {
				err = by.ParallelFor(j).Wait()
			}
			_ = w.Sync()
			if want := own >= 0 && own != only; !runs && (err != nil) != want || err != nil && !want {
				t.Fatalf("way %d, runs %v, entity %v of chunk %d, job of chunk %d: %v", what, runs, e, own, only, err)
			}
			if err != nil && (!errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), "Elsewhere")) {
				t.Fatal(err)
			}
		}
		check(w.Close())
		check(pool.Close())
	}
}
