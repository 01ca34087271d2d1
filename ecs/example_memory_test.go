package ecs_test

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
)

// A world that has become small gives its memory back.
func ExampleCompact() {
	w := ecs.NewWorld("example")
	list := make([]ecs.Entity, 100_000)
	fmt.Println(w.CreateInto(w.Archetype(ecs.With[Place](), ecs.With[Speed]()), list))
	for i := 0; i < len(list); i += 1000 { // ten of each thousand stay
		if err := ecs.DestroyAll(w, ecs.Entities(list[i+10:i+1000])); err != nil {
			fmt.Println(err)
		}
	}
	hash, s := w.Hash(), w.Stats()
	fmt.Println(ecs.Compact(w), w.Hash() == hash)
	fmt.Println(w.Stats().Chunks == s.Chunks, w.Stats().Bytes < s.Bytes)
	// Output:
	// <nil>
	// <nil> true
	// true true
}

// A world in which entities were destroyed at random gets full chunks again. Afterwards, the order of
// its rows is different.
func ExampleDefragment() {
	w := ecs.NewWorld("example")
	list := make([]ecs.Entity, 100_000)
	fmt.Println(w.CreateInto(w.Archetype(ecs.With[Place](), ecs.With[Speed]()), list))
	for i, e := range list {
		if i%10 > 0 {
			w.Destroy(e)
		}
	}
	before := w.Stats()
	fmt.Println(ecs.Defragment(w), w.Exists(list[10]))
	after := w.Stats()
	fmt.Println(before.Chunks, after.Chunks)
	fmt.Printf("%.2f %.2f\n", before.Utilisation, after.Utilisation)
	fmt.Println(before.Wasted > before.Bytes/2, after.Wasted < before.Wasted)
	// Output:
	// <nil>
	// <nil> true
	// 149 15
	// 0.10 0.99
	// true true
}

// A world can compact its memory automatically, at the end of each frame.
func ExampleCompactAbove() {
	w := ecs.NewWorld("example", ecs.CompactAbove(0.5, 1<<20))
	list := make([]ecs.Entity, 200_000)
	if err := w.CreateInto(w.Archetype(ecs.With[Place]()), list); err != nil {
		fmt.Println(err)
	}
	if err := ecs.DestroyAll(w, ecs.Entities(list[1000:])); err != nil {
		fmt.Println(err)
	}
	before := w.Stats()
	fmt.Println(w.Sync(), w.Stats().Bytes < before.Bytes/4)
	// Output: <nil> true
}
