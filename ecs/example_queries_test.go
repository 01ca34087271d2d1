package ecs_test

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// Settings exists once in a game.
type Settings struct{ Gravity float32 }

func ExampleSingleton() {
	w := ecs.NewWorld("example")
	settings := w.Query(ecs.Write[Settings]())
	_, found := ecs.FindSingleton[Settings](settings)
	fmt.Println(found)

	ecs.CreateSingleton(w, Settings{Gravity: 9.81})
	ecs.SetSingleton(settings, Settings{Gravity: 1.62})
	fmt.Println(ecs.Singleton[Settings](settings))
	fmt.Println(settings.Single())
	// Output:
	// false
	// {1.62} <nil>
	// 0:1 <nil>
}

func ExampleAllOf() {
	w := ecs.NewWorld("example")
	w.Spawn(Place{X: 1}, Speed{X: 1})
	w.Spawn(Place{X: 2}, Speed{X: 1}, Frozen{})
	w.Spawn(Place{X: 3}, Follow{})
	q := w.Query(
		ecs.Read[Place](),
		ecs.AnyOf(
			ecs.AllOf(ecs.With[Speed](), ecs.Without[Frozen]()),
			ecs.AllOf(ecs.With[Follow]()),
		),
	)
	fmt.Println(ecs.AppendValues[Place](q, nil))
	// Output: [{1 0} {3 0}] <nil>
}

// Gather fills a slice with one element for each entity, on all workers.
type Gather struct {
	offsets []int
	sums    []float32
}

func (g *Gather) Chunk(c *ecs.Chunk) {
	at, n := ecs.Column[Place](c), c.Len()
	x, y, sums := at.X[:n], at.Y[:n], g.sums[g.offsets[c.Index()]:][:n]
	for i := range n {
		sums[i] += x[i] + y[i]
	}
}

func ExampleQuery_AppendOffsets() {
	w := ecs.NewWorld("example")
	w.Spawn(Place{X: 1, Y: 2})
	w.Spawn(Place{X: 3, Y: 4}, Speed{})
	q := w.Query(ecs.Read[Place]())
	g := &Gather{offsets: q.AppendOffsets(nil)}
	g.sums = make([]float32, q.Count())
	q.ParallelFor(g).Wait()
	fmt.Println(g.offsets, g.sums)
	// Output: [0 1 2] [3 7]
}

// Ore is the material at a place.
type Ore uint8

func (Ore) Column() (c []Ore) { return }

// Survey counts the kinds of ore in each chunk. Its table is in scratch memory.
type Survey struct {
	kinds []int
}

func (s *Survey) Chunk(c *ecs.Chunk) {
	seen := c.Task().Scratch(256) // valid until the chunk is done; not cleared
	clear(seen)
	for _, ore := range *ecs.Column[Ore](c) {
		seen[ore] = 1
	}
	for _, n := range seen {
		s.kinds[c.Index()] += int(n)
	}
}

func ExampleChunk_Task() {
	w := ecs.NewWorld("example")
	for c := range w.Create(w.Archetype(ecs.With[Ore]()), 3000).Chunks() {
		for i, row := 0, *ecs.Column[Ore](c); i < len(row); i++ {
			row[i] = Ore(i % (3 + c.Index()))
		}
	}
	q := w.Query(ecs.Read[Ore]())
	s := &Survey{kinds: make([]int, q.ChunkCount())}
	q.Run(s)         // on this goroutine
	q.ParallelFor(s) // again, on all workers
	fmt.Println(w.Sync(), s.kinds)
	// Output: <nil> [6 8]
}

func ExampleQuery_Matches() {
	w := ecs.NewWorld("example")
	e := w.Spawn(Place{}, Look{Mesh: "tree"})
	q := w.Query(ecs.With[Place](), ecs.WithShared(Look{Mesh: "stone"}))
	fmt.Println(q.Matches(e), q.MatchesUnfiltered(e))
	// Output: false true
}

func ExampleMatching_commands() {
	w := ecs.NewWorld("example")
	w.Spawn(Place{})
	q := w.Query(ecs.With[Place]())
	later := w.NewCommands()
	ecs.AddTypes(later, ecs.Entities(q.AppendEntities(nil)), ecs.With[Frozen]()) // entities that match now
	ecs.DestroyAll(later, ecs.Matching(w.Query(ecs.With[Frozen]())))             // entities that match at playback
	w.Spawn(Place{})
	fmt.Println(later.Playback(w), w.Len())
	// Output: <nil> 1
}

func ExampleCommands_SetMultiPlayback() {
	w := ecs.NewWorld("example")
	wave := w.NewCommands()
	wave.SetMultiPlayback(true)
	leader, _ := wave.Spawn(Place{X: 1})
	wave.Spawn(Place{}, Follow{leader})
	for range 3 {
		wave.Playback(w) // each time a new leader and a new follower
	}
	fmt.Println(w.Len(), w.Query(ecs.With[Follow]()).AppendEntities(nil))
	// Output: 6 [1:1 3:1 5:1]
}

// Sow makes an entity for each index, in the order of the indices.
type Sow struct {
	seeds  ecs.Archetype
	record ecs.ParallelCommands
}

func (s *Sow) RunRange(t *jobs.Task, lo, hi int) {
	later := s.record.ForKey(t, t.Lo())
	for i := lo; i < hi; i++ {
		e, _ := later.Create(s.seeds)
		ecs.Set(later, e, Place{X: float32(i)})
	}
}

func ExampleParallelCommands_ForKey() {
	w := ecs.NewWorld("example")
	later := w.NewCommands()
	s := &Sow{w.Archetype(ecs.With[Place]()), later.Parallel()}
	w.Pool().ParallelFor(s, 5, 2).Wait()
	later.Playback(w)
	fmt.Println(ecs.AppendValues[Place](w.Query(ecs.Read[Place]()), nil))
	// Output: [{0 0} {1 0} {2 0} {3 0} {4 0}] <nil>
}
