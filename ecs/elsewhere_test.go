package ecs_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

type (
	worth    struct{ V float64 }
	oldWorth struct{ V float64 }
	next     struct{ To ecs.Entity }
)

func (worth) Column() (c []float64)                { return }
func (oldWorth) Column() (c []float64)             { return }
func (next) Column() (c struct{ To []ecs.Entity }) { return }

// refusedQuery returns the error with which a query of the terms is refused, or nil.
func refusedQuery(w *ecs.World, terms ...ecs.Term) (err *ecs.Error) {
	defer func() {
		if v := recover(); v != nil {
			err = v.(*ecs.Error)
		}
	}()
	w.Query(terms...)
	return nil
}

// TestAnywhereAndByChunk checks when a query is refused. It must be refused exactly if its jobs access a
// component both by chunk and anywhere, and at least one of these accesses is a write.
func TestAnywhereAndByChunk(t *testing.T) {
	w := ecs.NewWorld("anywhere")
	own := []struct {
		term         ecs.Term
		reads, write bool
	}{
		{ecs.With[worth](), false, false},
		{ecs.Without[worth](), false, false},
		{ecs.Read[worth](), true, false},
		{ecs.Write[worth](), true, true},
		{ecs.Optional(ecs.Read[worth]()), true, false},
		{ecs.Optional(ecs.Write[worth]()), true, true},
		{ecs.AnyOf(ecs.Write[worth](), ecs.With[next]()), true, true},
		{ecs.AnyOf(ecs.AllOf(ecs.Write[worth](), ecs.Without[next]()), ecs.With[herdTag]()), true, true},
	}
	reach := []struct {
		term          ecs.Term
		write, checks bool
	}{
		{ecs.Anywhere(ecs.Read[worth]()), false, true},
		{ecs.Anywhere(ecs.Read[oldWorth](), ecs.Write[worth]()), true, true},
		{ecs.Anywhere(ecs.Write[oldWorth]()), true, false},
		{ecs.Elsewhere(ecs.Read[worth]()), false, false},
		{ecs.Elsewhere(ecs.Write[worth]()), true, false},
	}
	for _, o := range own {
		for _, r := range reach {
			for _, terms := range [][]ecs.Term{{o.term, r.term}, {r.term, o.term}} {
				want := r.checks && o.reads && (o.write || r.write)
				err := refusedQuery(w, terms...)
				if (err != nil) != want {
					t.Errorf("%v: got %v, want refused %v", terms, err, want)
				}
				if err != nil && (!errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), "Elsewhere(") || !strings.Contains(err.Error(), "a copy")) {
					t.Errorf("%v: the remedy is not in %v", terms, err)
				}
			}
		}
	}
}

type herdTag struct{ ecs.Tag }

// pull computes a new value of each row from the value of the entity in column next.
type pull[T any] struct {
	look  *ecs.Lookup[T]
	value func(T) float64
}

func (j *pull[T]) Chunk(c *ecs.Chunk) {
	v := *ecs.Column[worth](c)
	for i, e := range ecs.Column[next](c).To {
		at, _ := j.look.Get(e)
		v[i] = v[i]*0.5 + j.value(at) + 1
	}
}

// keepOld copies the values, so that pull can read the copies.
type keepOld struct{}

func (keepOld) Chunk(c *ecs.Chunk) { copy(*ecs.Column[oldWorth](c), *ecs.Column[worth](c)) }

// TestReadsOfOthers tries several ways to read rows of other chunks. The resulting world must be
// the same for any number of workers.
func TestReadsOfOthers(t *testing.T) {
	for name, step := range map[string]func(w *ecs.World) func() error{
		"a copy": func(w *ecs.World) func() error {
			copies := w.Query(ecs.Write[oldWorth](), ecs.Read[worth]())
			q := w.Query(ecs.Write[worth](), ecs.Read[next](), ecs.Anywhere(ecs.Read[oldWorth]()))
			j := &pull[oldWorth]{ecs.NewLookup[oldWorth](q), func(v oldWorth) float64 { return v.V }}
			return func() error {
				copies.ParallelFor(keepOld{})
				return q.ParallelFor(j).Wait()
			}
		},
		"parents that the query leaves out": func(w *ecs.World) func() error {
			q := w.Query(ecs.Write[worth](), ecs.Read[next](), ecs.With[herdTag](), ecs.Elsewhere(ecs.Read[worth]()))
			j := &pull[worth]{ecs.NewLookup[worth](q), func(v worth) float64 { return v.V }}
			return func() error { return q.ParallelFor(j).Wait() }
		},
	} {
		var want uint64
		for i, workers := range []int{1, 2, 8} {
			pool := jobs.New(jobs.Workers(workers))
			w := ecs.NewWorld("pull", ecs.OnPool(pool))
			roots := make([]ecs.Entity, 4000)
			check(w.CreateInto(w.Archetype(ecs.With[worth](), ecs.With[next](), ecs.With[oldWorth]()), roots))
			rows := make([]ecs.Entity, 20_000)
			check(w.CreateInto(w.Archetype(ecs.With[worth](), ecs.With[next](), ecs.With[oldWorth](), ecs.With[herdTag]()), rows))
			look, rng := ecs.NewWorldLookup[next](w), rand.New(rand.NewPCG(9, 9))
			for _, e := range slices.Concat(roots, rows) {
				look.Set(e, next{roots[rng.IntN(len(roots))]})
			}
			f := step(w)
			for range 4 {
				check(f())
			}
			if i == 0 {
				want = w.Hash()
			}
			if got := w.Hash(); got != want {
				t.Errorf("%s, %d workers: hash %016x, want %016x", name, workers, got, want)
			}
			check(w.Close())
			check(pool.Close())
		}
	}
}
