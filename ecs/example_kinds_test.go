package ecs_test

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
)

// Alert means that an entity is on guard. It keeps its value while it is off.
type Alert struct {
	ecs.Enableable
	Range float32
}

func (Alert) Column() (c struct{ Range []float32 }) { return }

// A component is turned off and on without moving a row; queries match only rows in which it is on.
func ExampleEnableable() {
	w := ecs.NewWorld("example")
	ids := make([]ecs.Entity, 6)
	w.CreateInto(w.Archetype(ecs.With[Alert]()), ids)
	ecs.SetEnabled[Alert](w, ids[2], false)
	ecs.SetEnabled[Alert](w, ids[3], false)

	q := w.Query(ecs.Write[Alert]())
	for c := range q.Chunks() {
		reach := ecs.Column[Alert](c).Range // of all rows
		for lo, hi := range c.Runs() {      // ranges of matching rows, for kernels
			fmt.Println(lo, hi, len(reach[lo:hi]))
		}
		for i := range c.Rows() { // one by one
			reach[i]++
		}
		fmt.Printf("%v %d %06b\n", c.AllMatch(), c.MatchCount(), c.Mask()[0])
	}
	on, _ := ecs.Enabled[Alert](w, ids[2])
	alert, _ := ecs.Get[Alert](w, ids[2])
	fmt.Println(q.Count(), on, ecs.Has[Alert](w, ids[2]), alert.Range)
	fmt.Println(w.Query(ecs.Disabled[Alert]()).Count(), w.Query(ecs.Present[Alert]()).Count())
	// Output:
	// 0 2 2
	// 4 6 2
	// false 4 110011
	// 4 false true 0
	// 2 6
}

// Rest turns off the alerts with a large range.
type Rest struct{}

func (Rest) Chunk(c *ecs.Chunk) {
	reach := ecs.Column[Alert](c).Range
	for i := range c.Rows() {
		if reach[i] > 5 {
			ecs.SetEnabledAt[Alert](c, i, false)
		}
	}
}

// Jobs turn components of their chunk off and on, because that is no structural change.
func ExampleSetEnabledAt() {
	w := ecs.NewWorld("example")
	for i := range 10 {
		w.Spawn(Alert{Range: float32(i)})
	}
	q := w.Query(ecs.Write[Alert]())
	q.ParallelFor(Rest{})
	fmt.Println(q.Count()) // waits for the job
	// Output: 6
}

// Title is a name for people. It is managed, because a string contains a Go
// pointer.
type Title struct {
	ecs.Managed
	Text string
}

func (Title) Column() (c []Title) { return }

func ExampleManaged() {
	w := ecs.NewWorld("example")
	w.Spawn(Title{Text: "Vega"}, Place{X: 1})
	e := w.Spawn(Title{Text: "Deneb"}, Place{X: 2})
	ecs.Set(w, e, Title{Text: "Altair"})
	for c := range w.Query(ecs.Read[Title](), ecs.Read[Place]()).Chunks() {
		x := ecs.Column[Place](c).X
		for i, title := range *ecs.Column[Title](c) {
			fmt.Println(title.Text, x[i])
		}
	}
	// Output:
	// Vega 1
	// Altair 2
}

// Bounds is the interval of the X values in a chunk.
type Bounds struct{ Lo, Hi float32 }

// Measure finds the bounds of a chunk.
type Measure struct{}

func (Measure) Chunk(c *ecs.Chunk) {
	b := Bounds{1e30, -1e30}
	for _, x := range ecs.Column[Place](c).X {
		b.Lo, b.Hi = min(b.Lo, x), max(b.Hi, x)
	}
	ecs.SetChunkValue(c, b)
}

// A chunk component is one value for all entities of a chunk. Here it lets a search skip whole chunks.
func ExamplePerChunk() {
	w := ecs.NewWorld("example")
	a := w.Archetype(ecs.With[Place](), ecs.With[ecs.PerChunk[Bounds]]())
	for c := range w.Create(a, 2*a.Capacity()).Chunks() {
		x := ecs.Column[Place](c).X
		for i := range x {
			x[i] = float32(c.Index()*10 + i%10)
		}
	}
	w.Query(ecs.Read[Place](), ecs.Write[ecs.PerChunk[Bounds]]()).ParallelFor(Measure{})
	for c := range w.Query(ecs.Read[Place](), ecs.Read[ecs.PerChunk[Bounds]]()).Chunks() {
		fmt.Println(c.Index(), ecs.ChunkValue[Bounds](c))
	}
	fmt.Println(w.Query(ecs.With[ecs.ChunkHeader]()).Count()) // one entity for each chunk
	// Output:
	// 0 {0 9}
	// 1 {10 19}
	// 2
}

// Stats returns the size of a world: its chunks, their memory, and how full they are.
func ExampleWorld_Stats() {
	w := ecs.NewWorld("example")
	a := w.Archetype(ecs.With[Place](), ecs.With[Speed]())
	w.Create(a, 1500)
	s := w.Stats()
	fmt.Println(a.Capacity(), a.ChunkCount(), s.Chunks, s.Rows)
	fmt.Printf("%.2f %v\n", s.Utilisation, s.Bytes >= s.Chunks*16<<10)
	// Output:
	// 672 3 3 2016
	// 0.74 true
}

// Slow slows entities down.
type Slow struct{ Loss float32 }

// Run processes several neighbouring chunks as one: the lanes are as long as all of them together.
func (s *Slow) Run(c *ecs.Chunk) {
	vx := ecs.Column[Speed](c).X
	for i, v := range vx {
		vx[i] = v - float32(v*s.Loss)
	}
}

// If a world is large, loops over several joined chunks are faster.
func ExampleQuery_ParallelForSpans() {
	w := ecs.NewWorld("example")
	for c := range w.Create(w.Archetype(ecs.With[Speed]()), 1_000_000).Chunks() {
		x := ecs.Column[Speed](c).X
		for i := range x {
			x[i] = 1
		}
	}
	q := w.Query(ecs.Write[Speed]())
	fmt.Println(q.ParallelForSpans(&Slow{Loss: 0.25}).Wait())
	for c := range q.Chunks() {
		fmt.Println(ecs.Column[Speed](c).X[7])
		break
	}
	// Output:
	// <nil>
	// 0.75
}

// A kernel may also process the scratch rows after the last row, so that it needs no separate loop
// for the last rows.
func ExampleColumnPadded() {
	w := ecs.NewWorld("example")
	w.Create(w.Archetype(ecs.With[Place]()), 21)
	for c := range w.Query(ecs.Write[Place]()).Chunks() {
		fmt.Println(c.Len(), len(ecs.Column[Place](c).X), len(ecs.ColumnPadded[Place](c).X))
	}
	// Output: 21 21 32
}

// Cell asks for chunks with few rows, so that jobs are short.
type Cell struct{ Heat float32 }

func (Cell) ChunkCapacity() int { return 64 }

func ExampleArchetype_Capacity() {
	w := ecs.NewWorld("example")
	fmt.Println(w.Archetype().Capacity()) // only ids: 8 bytes a row
	fmt.Println(w.Archetype(ecs.With[Place]()).Capacity())
	fmt.Println(w.Archetype(ecs.With[Place](), ecs.With[Frozen]()).Capacity()) // a tag takes no memory
	fmt.Println(w.Archetype(ecs.With[Cell]()).Capacity())
	// Output:
	// 2048
	// 1024
	// 1024
	// 64
}

// Two worlds with the same contents have the same hash, on every machine.
func ExampleWorld_Hash() {
	a, b := ecs.NewWorld("a"), ecs.NewWorld("b")
	for _, w := range []*ecs.World{a, b} {
		for i := range 100 {
			w.Spawn(Place{X: float32(i)})
		}
	}
	fmt.Println(a.Hash() == b.Hash())
	b.Spawn(Place{})
	fmt.Println(a.Hash() == b.Hash())
	// Output:
	// true
	// false
}
