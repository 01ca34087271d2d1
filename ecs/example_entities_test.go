package ecs_test

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
)

// This example uses the functions that create and destroy entities.
func ExampleWorld_Create() {
	w := ecs.NewWorld("example")
	defer w.Close()
	moving := w.Archetype(ecs.With[Place](), ecs.With[Speed]())

	one := w.Spawn(Place{X: 1}, Speed{Y: 2})         // one entity with these values
	for c := range w.Create(moving, 1000).Chunks() { // many with zero values, which the loop fills chunk by chunk
		x := ecs.Column[Place](c).X
		for i := range x {
			x[i] = float32(i)
		}
	}
	ids := make([]ecs.Entity, 10)
	err := w.CreateInto(moving, ids)                      // writes the ids to a slice
	copies, _ := w.Instantiate(one, 3)                    // copies with the same values
	for c := range w.CreateChunks(moving, 500).Chunks() { // in new chunks
		_ = c.Entities()
	}
	fmt.Println(w.Len(), len(copies), err)

	err = w.Destroy(one)                                                     // by id,
	fmt.Println(ecs.DestroyAll(w, ecs.Entities(ids)), err)                   // by slice,
	fmt.Println(ecs.DestroyAll(w, ecs.Matching(w.Query(ecs.With[Place]())))) // and by query
	fmt.Println(w.Len(), w.Exists(one))
	// Output:
	// 1514 3 <nil>
	// <nil> <nil>
	// <nil>
	// 0 false
}

// An id is an index and a version. An index is used again for another entity, but an id never is.
func ExampleEntity() {
	w := ecs.NewWorld("example")
	a := w.Spawn(Place{})
	w.Destroy(a)
	b := w.Spawn(Place{})
	fmt.Println(a, b, w.Exists(a), w.Exists(b))
	fmt.Println(ecs.Entity{}.IsZero(), w.Exists(ecs.Entity{}))
	// Output:
	// 0:1 0:2 false true
	// true false
}

// Operations on single entities are slow, and meant for rare cases.
func ExampleAdd() {
	w := ecs.NewWorld("example")
	e := w.Spawn(Place{X: 1})
	ecs.Add(w, e, Speed{X: 2})                                         // a structural change: e moves
	ecs.Set(w, e, Place{X: 3})                                         // a write: e stays
	added, _ := ecs.Ensure[Frozen](w, e)                               // adds one with the zero value if e has none
	removed, _ := ecs.Remove[Speed](w, e)                              // false if e had none
	ecs.AddTypes(w, ecs.One(e), ecs.With[Speed](), ecs.With[Follow]()) // several, in one move
	fmt.Println(added, removed, w.ArchetypeOf(e))
	fmt.Println(w.SetArchetype(e, w.Archetype(ecs.With[Place]())), w.ArchetypeOf(e))
	// Output:
	// true true {ecs_test.Follow, ecs_test.Place, ecs_test.Speed, ecs_test.Frozen}
	// <nil> {ecs_test.Place}
}

// Make a query once and keep it. Its terms select entities, and declare the access to their columns.
func ExampleQuery() {
	w := ecs.NewWorld("example")
	w.Spawn(Place{X: 1}, Speed{X: 1})
	w.Spawn(Place{X: 2}, Frozen{})
	w.Spawn(Place{X: 3})
	q := w.Query(ecs.Write[Place](), ecs.Optional(ecs.Read[Speed]()), ecs.Without[Frozen]())
	for c := range q.Chunks() {
		x := ecs.Column[Place](c).X
		for i := range x {
			x[i] += 10
		}
		if ecs.HasColumn[Speed](c) {
			for i, v := range ecs.Column[Speed](c).X {
				x[i] += v
			}
		}
	}
	fmt.Println(q.Count(), q.ChunkCount(), q.Empty())
	fmt.Println(q.AppendEntities(nil))
	places, err := ecs.AppendValues[Place](q, nil) // an error if q does not require Place
	fmt.Println(places, err)
	fmt.Println(w.Query(ecs.AnyOf(ecs.With[Speed](), ecs.With[Frozen]())).Count())
	// Output:
	// 2 2 false
	// [0:1 2:1]
	// [{12 0} {13 0}] <nil>
	// 2
}

func ExampleSetValues() {
	w := ecs.NewWorld("example")
	w.Create(w.Archetype(ecs.With[Place]()), 3)
	q := w.Query(ecs.Write[Place]())
	fmt.Println(ecs.SetValues(q, []Place{{1, 2}, {3, 4}, {5, 6}}))
	fmt.Println(ecs.AppendValues[Place](q, nil))
	// Output:
	// <nil>
	// [{1 2} {3 4} {5 6}] <nil>
}

// Two entities swap places in their chunks: each keeps its id and its values.
func ExampleWorld_Swap() {
	w := ecs.NewWorld("example")
	near, far := w.Spawn(Place{X: 1}), w.Spawn(Place{X: 9})
	q := w.Query(ecs.Read[Place]())
	fmt.Println(w.Swap(near, far), q.AppendEntities(nil))
	fmt.Println(ecs.AppendValues[Place](q, nil))
	fmt.Println(ecs.Get[Place](w, near))
	// Output:
	// <nil> [1:1 0:1]
	// [{9 0} {1 0}] <nil>
	// {1 0} <nil>
}

// Rows are sorted by a key, in ascending order. Entities keep their ids and values.
func ExampleOrderBy() {
	w := ecs.NewWorld("example")
	for _, x := range []float32{4, 9, 1} {
		w.Spawn(Place{X: x})
	}
	q := w.Query(ecs.Read[Place]())
	err := ecs.OrderBy(w, q, func(c *ecs.Chunk, keys []uint64) {
		for i, x := range ecs.Column[Place](c).X {
			keys[i] = uint64(x)
		}
	})
	fmt.Println(err, q.AppendEntities(nil))
	fmt.Println(ecs.AppendValues[Place](q, nil))
	// Output:
	// <nil> [2:1 0:1 1:1]
	// [{1 0} {4 0} {9 0}] <nil>
}

// A prefab is a model: queries skip it, and its copies are ordinary entities.
func ExamplePrefab() {
	w := ecs.NewWorld("example")
	spark := w.Spawn(Place{X: 5}, ecs.Prefab{})
	q := w.Query(ecs.Read[Place]())
	w.Instantiate(spark, 100)
	fmt.Println(q.Count(), w.Query(ecs.Read[Place](), ecs.IncludePrefabs()).Count())
	// Output: 100 101
}

// Queries skip an inactive entity until it is made active again.
func ExampleWorld_SetActive() {
	w := ecs.NewWorld("example")
	e := w.Spawn(Place{X: 5})
	q := w.Query(ecs.Read[Place]())
	w.SetActive(e, false)
	fmt.Println(q.Count(), w.Query(ecs.With[ecs.Inactive]()).Count())
	w.SetActive(e, true)
	fmt.Println(q.Count())
	// Output:
	// 0 1
	// 1
}
