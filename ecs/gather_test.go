package ecs_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// createHolders creates entities of several archetypes with and without T, and destroys some. It returns
// their ids and invalid ids in random order.
func createHolders[T any](t *testing.T, w *ecs.World, n int) []ecs.Entity {
	var list []ecs.Entity
	for _, more := range [][]ecs.Term{{ecs.With[T]()}, {ecs.With[T](), ecs.With[Spin]()}, {ecs.With[D]()}, {ecs.With[T](), ecs.With[Sh](), ecs.With[En2]()}} {
		ids := make([]ecs.Entity, n)
		must(t, w.CreateInto(w.Archetype(more...), ids))
		list = append(list, ids...)
	}
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	must(t, ecs.DestroyAll(w, ecs.Entities(slices.Clone(list[:len(list)/9]))))
	list = append(list, ecs.Entity{}, ecs.Entity{-1, -7}, ecs.Entity{1 << 30, 1}, list[len(list)-1])
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// testGather compares Gather and Scatter with Get and Set.
func testGather[T any](t *testing.T, value func(i int) T) {
	t.Helper()
	for _, n := range []int{1, 20, 700} {
		w := newWorld(t, 1)
		list := createHolders[T](t, w, n)
		l := ecs.NewWorldLookup[T](w)
		has := 0
		for i, e := range list {
			if l.Set(e, value(i)) {
				has++
			}
		}
		dst := make([]T, len(list))
		for i := range dst {
			dst[i] = value(i + 1) // must be overwritten
		}
		if got := l.Gather(dst, list); got != has {
			t.Errorf("%T, %d: %d are gathered, want %d", dst, n, got, has)
		}
		for i, e := range list {
			if want, _ := l.Get(e); !reflect.DeepEqual(dst[i], want) {
				t.Fatalf("%T: %v has %v, want %v", dst, e, dst[i], want)
			}
		}
		src := make([]T, len(list))
		for i := range src {
			src[i] = value(2*i + 5)
		}
		since := w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate(""))
		if got := l.Scatter(list, src); got != has {
			t.Errorf("%T, %d: %d are scattered, want %d", dst, n, got, has)
		}
		last := map[ecs.Entity]int{}
		for i, e := range list {
			last[e] = i
		}
		for e, i := range last {
			if got, ok := l.Get(e); ok && (!reflect.DeepEqual(got, src[i]) || !l.ChangedSince(e, since)) {
				t.Fatalf("%T: %v has %v, want %v, changed: %v", dst, e, got, src[i], l.ChangedSince(e, since))
			}
		}
		must(t, integrity(w))
	}
}

// Each of these components has more than three lanes, all of the same size.
type (
	helm      struct{ A, B, C, D, E, F, G float32 }
	orbit     struct{ A, B, C, D, E float64 }
	fourWords struct {
		A int32
		B float32
		C uint32
		D int32
	}
	dates struct{ A, B, C, D int64 }
)

func TestGather(t *testing.T) {
	testGather(t, func(i int) helm { v := float32(i); return helm{v, 1 - v, 2, -v, 4, 5, v / 2} })
	testGather(t, func(i int) orbit { v := float64(i); return orbit{v, 1 - v, 2, -v, v / 2} })
	testGather(t, func(i int) fourWords { return fourWords{int32(i), float32(-i), uint32(i) << 20, ^int32(i)} })
	testGather(t, func(i int) dates { return dates{int64(i), int64(-i), int64(i) << 40, 7} })
	testGather(t, func(i int) A { return A{int32(i)} })
	testGather(t, func(i int) Position { return Position{float32(i), 1, float32(-i)} })
	testGather(t, func(i int) Ref { return Ref{Value: int32(i), To: ecs.Entity{int32(i), 3}} })
	testGather(t, func(i int) Matrix { return Matrix{[16]float32{3: float32(i)}} })
	testGather(t, func(i int) En { return En{Value: int32(i)} })
	testGather(t, func(int) Tag { return Tag{} })
	testGather(t, func(i int) Obj { return Obj{Self: ecs.Entity{int32(i), 2}} })
}

// TestGatherInJobs gathers in a job, which may read one component of all entities and write another
// component.
func TestGatherInJobs(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 8} {
		w := newWorld(t, workers)
		list := make([]ecs.Entity, 3000)
		must(t, w.CreateInto(w.Archetype(ecs.With[A](), ecs.With[Position]()), list))
		for i, e := range list {
			must(t, ecs.Set(w, e, A{int32(i)}))
		}
		q := w.Query(ecs.Read[Position](), ecs.Anywhere(ecs.Read[A](), ecs.Write[B]()))
		from, to := ecs.NewLookup[A](q), ecs.NewLookup[B](q)
		sums := make([]int, 100)
		must(t, q.ParallelFor(chunkFunc(func(c *ecs.Chunk) {
			values := make([]A, c.Len())
			if from.Gather(values, c.Entities()) != c.Len() || to.Scatter(c.Entities(), make([]B, c.Len())) != 0 {
				t.Error("not all are gathered, or some have what they lack")
			}
			for _, v := range values {
				sums[c.Index()] += int(v.Value)
			}
		})).Wait())
		must(t, w.Sync())
		sum := 0
		for _, s := range sums {
			sum += s
		}
		if sum != 2999*3000/2 {
			t.Errorf("%d workers: the sum is %d", workers, sum)
		}
		panics(t, ecs.ErrState, func() { from.Scatter(list, make([]A, len(list))) })
	}
}

func TestGatherIsRefused(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1})
	l := ecs.NewWorldLookup[A](w)
	panics(t, ecs.ErrArgument, func() { l.Gather(make([]A, 2), []ecs.Entity{e}) })
	panics(t, ecs.ErrArgument, func() { l.Scatter([]ecs.Entity{e}, nil) })
	w.Spawn()
	panics(t, ecs.ErrDisposed, func() { l.Gather(nil, nil) })
	panics(t, ecs.ErrDisposed, func() { l.Scatter([]ecs.Entity{e}, []A{{2}}) })
	must(t, l.Refresh())
	if l.Gather(nil, nil)+l.Scatter(nil, nil) != 0 {
		t.Error("some of none")
	}
}
