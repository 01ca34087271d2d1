package pack_test

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/pack"
)

type (
	ID    struct{ N uint64 } // a global id, which is the same in all worlds
	Place struct{ X, Y float32 }
	Mate  struct{ Entity ecs.Entity }
)

// Two birds move from one world to another. One of them has a friend that stays in the old world.
func Example() {
	west, east := ecs.NewWorld("west"), ecs.NewWorld("east")
	keyOf := func(e ecs.Entity) (uint64, error) {
		id, err := ecs.Get[ID](west, e)
		return id.N, err
	}
	abroad := map[uint64]ecs.Entity{} // the entities of the east, by the keys of the west
	entityOf := func(key uint64) (ecs.Entity, error) { return abroad[key], nil }

	friend := west.Spawn(ID{1}, Place{})
	a := west.Spawn(ID{2}, Place{X: 9}, Mate{friend})
	b := west.Spawn(ID{3}, Place{X: 8}, Mate{a})
	abroad[1] = east.Spawn(ID{1}, Place{}, ecs.Ghost{})

	out := pack.New(west, pack.Outside(keyOf))
	message, err := out.Take(nil, []ecs.Entity{a, b}) // removes them from west

	in := pack.New(east, pack.Inside(entityOf))
	ids, err2 := in.Unpack(message) // adds both to east, or neither on an error
	fmt.Println(errors.Join(err, err2), west.Len(), len(ids), east.Query(ecs.With[ID]()).Count())

	mate, _ := ecs.Get[Mate](east, ids[1])
	other, _ := ecs.Get[Mate](east, ids[0])
	fmt.Println(mate.Entity == ids[0], other.Entity == abroad[1])
	// Output:
	// <nil> 1 2 2
	// true true
}

// Each ghost gets the place of the entity of which it is a copy.
func Example_ghosts() {
	west, east := ecs.NewWorld("west"), ecs.NewWorld("east")
	var birds, ghosts []ecs.Entity
	for i := range uint64(3) {
		birds = append(birds, west.Spawn(ID{i}, Place{X: float32(i)}))
		ghosts = append(ghosts, east.Spawn(ID{i}, Place{}, ecs.Ghost{}))
	}
	from, err := ecs.NewRowSet(west, reflect.TypeFor[Place]())
	to, err2 := ecs.NewRowSet(east, reflect.TypeFor[Place]())
	fmt.Println(errors.Join(err, err2))

	values, err := from.Gather(nil, birds) // in each step, as long as the ghosts are the same
	err2 = to.Scatter(ghosts, values)
	place, _ := ecs.Get[Place](east, ghosts[2])
	fmt.Println(errors.Join(err, err2), place, east.Query(ecs.With[Place]()).Count())
	// Output:
	// <nil>
	// <nil> {2 0} 0
}

// The sum of the row hashes of two worlds equals that of one world that has all rows.
func Example_hash() {
	one, west, east := ecs.NewWorld("one"), ecs.NewWorld("west"), ecs.NewWorld("east")
	for i := range uint64(10) {
		one.Spawn(ID{i}, Place{X: float32(i)})
	}
	for i := range uint64(10) {
		half := west
		if i%2 == 0 {
			half = east
		}
		half.Spawn(ID{9 - i}, Place{X: float32(9 - i)})
	}
	hash := func(w *ecs.World) uint64 {
		sum, err := w.Query(ecs.With[ID]()).HashRows(reflect.TypeFor[ID]())
		if err != nil {
			panic(err)
		}
		return sum
	}
	fmt.Println(hash(west)+hash(east) == hash(one), west.Hash() == east.Hash())
	// Output: true false
}
