package ecs_test

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// The column of places is a view of two slices.
type (
	Place  struct{ X, Y float32 }
	Places struct{ X, Y []float32 }
	Speed  struct{ X, Y float32 }
	Frozen struct{} // a tag
)

func (Place) Column() (c Places) { return }
func (Speed) Column() (c Places) { return }

// Advance moves each place by one step with the entity's speed.
type Advance struct{ Step float32 }

var _ ecs.ChunkJob = (*Advance)(nil)

func (a *Advance) Chunk(c *ecs.Chunk) {
	at, speed, n := ecs.Column[Place](c), ecs.Column[Speed](c), c.Len()
	x, y, vx, vy := at.X[:n], at.Y[:n], speed.X[:n], speed.Y[:n] // see "Your own loops" in the guide
	for i := range n {
		x[i], y[i] = x[i]+float32(vx[i]*a.Step), y[i]+float32(vy[i]*a.Step)
	}
}

// This example creates a world of moving entities, does one step, and prints the result.
func Example() {
	w := ecs.NewWorld("example")
	defer w.Close()
	moving := w.Archetype(ecs.With[Place](), ecs.With[Speed]())
	for c := range w.Create(moving, 1000).Chunks() { // the new rows, chunk by chunk
		vx := ecs.Column[Speed](c).X
		for i := range vx {
			vx[i] = 2
		}
	}
	w.Spawn(Place{X: 7}, Speed{X: 2}, Frozen{})

	q := w.Query(ecs.Write[Place](), ecs.Read[Speed](), ecs.Without[Frozen]())
	q.ParallelFor(&Advance{Step: 0.5}) // on all cores, ordered after conflicting jobs

	sum := float32(0)
	for c := range w.Query(ecs.Read[Place]()).Chunks() { // waits for jobs that write Place
		for _, x := range ecs.Column[Place](c).X {
			sum += x
		}
	}
	fmt.Println(sum, w.Len())
	fmt.Printf("%x\n", w.Hash()) // the same on every machine
	// Output:
	// 1007 1001
	// 71e90c52c1670e1e
}

func ExampleWorld_Spawn() {
	w := ecs.NewWorld("example")
	e := w.Spawn(Place{X: 1}, Speed{Y: 2})
	if err := ecs.Set(w, e, Place{X: 3}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(ecs.Get[Place](w, e))
	fmt.Println(ecs.Remove[Speed](w, e))
	fmt.Println(ecs.Has[Speed](w, e), w.ArchetypeOf(e))
	fmt.Println(w.Destroy(e), w.Exists(e))
	_, err := ecs.Get[Place](w, e)
	fmt.Println(err, errors.Is(err, ecs.ErrArgument))
	// Output:
	// {3 0} <nil>
	// true <nil>
	// false {ecs_test.Place}
	// <nil> false
	// ecs: Get: world "example": entity 0:1: the entity does not exist: it was destroyed true
}

func ExampleSpawnBundle() {
	type car struct {
		Place Place
		Speed Speed
	}
	w := ecs.NewWorld("example")
	for i := range 3 {
		ecs.SpawnBundle(w, car{Place{X: float32(i)}, Speed{Y: 1}})
	}
	fmt.Println(w.Len(), w.Query(ecs.With[Speed]()).Count())
	// Output: 3 3
}

// Tired destroys entities whose place is below zero, from a job.
type Tired struct{ gone ecs.ParallelCommands }

func (t *Tired) Chunk(c *ecs.Chunk) {
	gone := t.gone.For(c)
	ids := c.Entities()
	for i, y := range ecs.Column[Place](c).Y {
		if y < 0 {
			gone.Destroy(ids[i])
		}
	}
}

func ExampleCommands() {
	w := ecs.NewWorld("example", ecs.OnPool(jobs.Default()))
	for i := range 10 {
		w.Spawn(Place{Y: float32(5 - i)})
	}
	later := w.NewCommands()
	q := w.Query(ecs.Read[Place]())
	q.ParallelFor(&Tired{later.Parallel()})
	e, _ := later.Create(w.Archetype()) // an entity that does not exist yet
	ecs.Add(later, e, Frozen{})
	fmt.Println(w.Len())
	fmt.Println(later.Playback(w)) // first the commands of jobs, chunk by chunk, then the others
	fmt.Println(w.Len(), q.Count())
	later.Reset() // now it can be used again
	// Output:
	// 10
	// <nil>
	// 7 6
}

// Stop is one stop of a route; four of them fit in the chunk.
type Stop struct{ X float32 }

func (Stop) InlineCapacity() int { return 4 }

func ExampleBuffer() {
	w := ecs.NewWorld("example")
	e := w.Spawn(ecs.BufferOf(Stop{1}, Stop{2}))
	route, _ := ecs.GetBuffer[Stop](w, e)
	route.Append(Stop{3}, Stop{4}, Stop{5}) // more than four: on the heap
	route.Remove(0, 1)
	fmt.Println(route.Slice(), route.Cap())
	for c := range w.Query(ecs.Read[ecs.Buffer[Stop]]()).Chunks() {
		routes := ecs.Column[ecs.Buffer[Stop]](c)
		for i := range c.Rows() {
			fmt.Println(routes.At(i).Len())
		}
	}
	// Output:
	// [{2} {3} {4} {5}] 8
	// 4
}

// Look is how an entity is drawn; entities with the same look share chunks.
type Look struct {
	ecs.Shared
	Mesh string
}

func ExampleShared() {
	w := ecs.NewWorld("example")
	for i := range 6 {
		w.Spawn(Place{X: float32(i)}, Look{Mesh: []string{"tree", "stone"}[i%2]})
	}
	for c := range w.Query(ecs.Read[Place](), ecs.WithShared(Look{Mesh: "stone"})).Chunks() {
		fmt.Println(ecs.SharedValue[Look](c).Mesh, ecs.Column[Place](c).X)
	}
	for i, look := range ecs.SharedValues[Look](w) {
		fmt.Printf("%d %q\n", i, look.Mesh)
	}
	// Output:
	// stone [1 3 5]
	// 0 ""
	// 1 "tree"
	// 2 "stone"
}

// Voice is the number of the audio channel that plays a sound for an entity. This cleanup component
// remains after the entity is destroyed, until it is removed.
type Voice struct {
	ecs.Cleanup
	Channel int32
}

func ExampleCleanup() {
	w := ecs.NewWorld("example")
	e := w.Spawn(Place{}, Voice{Channel: 3})
	w.Destroy(e)
	gone := w.Query(ecs.With[Voice](), ecs.Without[Place]())
	fmt.Println(w.Exists(e), gone.Count())
	voice, _ := ecs.Get[Voice](w, e)
	fmt.Println("stop voice", voice.Channel)
	ecs.Remove[Voice](w, e) // now the entity no longer exists
	fmt.Println(w.Exists(e))
	// Output:
	// true 1
	// stop voice 3
	// false
}

// Follow makes an entity go to the place of another one.
type Follow struct{ Target ecs.Entity }

func (Follow) Column() (c []Follow) { return }

// Chase sets X of each follower to the speed of its target.
type Chase struct{ where *ecs.Lookup[Speed] }

func (h *Chase) Chunk(c *ecs.Chunk) {
	x := ecs.Column[Place](c).X
	for i, f := range *ecs.Column[Follow](c) {
		if v, ok := h.where.Get(f.Target); ok {
			x[i] = v.X
		}
	}
}

func ExampleLookup() {
	w := ecs.NewWorld("example")
	leader := w.Spawn(Speed{X: 4})
	e := w.Spawn(Place{}, Follow{leader})
	q := w.Query(ecs.Write[Place](), ecs.Read[Follow](), ecs.Anywhere(ecs.Read[Speed]()))
	q.ParallelFor(&Chase{ecs.NewLookup[Speed](q)})
	fmt.Println(ecs.Get[Place](w, e))
	// Output: {4 0} <nil>
}

func ExampleLookup_Gather() {
	w := ecs.NewWorld("example")
	crew := []ecs.Entity{w.Spawn(Place{X: 1}), w.Spawn(Speed{}), w.Spawn(Place{X: 3})}
	look := ecs.NewWorldLookup[Place](w)
	at := make([]Place, len(crew))
	fmt.Println(look.Gather(at, crew), at)
	for i := range at {
		at[i].Y = 5
	}
	fmt.Println(look.Scatter(crew, at))
	fmt.Println(ecs.Get[Place](w, crew[2]))
	// Output:
	// 2 [{1 0} {0 0} {3 0}]
	// 2
	// {3 5} <nil>
}

func ExampleChanged() {
	w := ecs.NewWorld("example")
	e := w.Spawn(Place{})
	q := w.Query(ecs.Read[Place](), ecs.Changed[Place]())
	seen := func() bool {
		outer := w.Scheduler().BeginUpdate("watcher") // ecs/system does this for a system
		changed := !q.Empty()
		q.SetSince(w.Scheduler().EndUpdate(outer))
		return changed
	}
	fmt.Println(seen(), seen())
	ecs.Set(w, e, Place{X: 1})
	fmt.Println(seen(), seen())
	// Output:
	// true false
	// true false
}

func ExampleMatching() {
	w := ecs.NewWorld("example")
	w.Create(w.Archetype(ecs.With[Place]()), 100_000)
	q := w.Query(ecs.With[Place]())
	ecs.AddTypes(w, ecs.Matching(q), ecs.With[Frozen]()) // a tag: chunks are relabelled in place
	fmt.Println(w.Query(ecs.With[Frozen]()).Count())
	// Output: 100000
}

func ExampleWorld_Instantiate() {
	w := ecs.NewWorld("example")
	model := w.Spawn(Place{X: 1}, ecs.BufferOf(Stop{9}))
	copies, _ := w.Instantiate(model, 3)
	route, _ := ecs.Get[ecs.Buffer[Stop]](w, copies[2])
	fmt.Println(len(copies), route.Slice())
	// Output: 3 [{9}]
}
