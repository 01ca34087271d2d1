package zoo

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// The components of toys, on which feature edits tries the operations that change worlds.
type (
	// Toy is a component of all toys.
	Toy struct {
		Number uint32
		Next   ecs.Entity
	}
	// Knob can be switched.
	Knob struct {
		ecs.Enableable
		Level int32
	}
	// Gem is a tag.
	Gem struct{}
	// Paint is shared. Its methods count the worlds that hold a value.
	Paint struct {
		ecs.Shared
		Hue int32
	}
	// Lent is a component that only a transaction gives to toys.
	Lent struct{ Count uint32 }
	// Vane has four lanes, more than the loops for a fixed number of lanes.
	Vane struct{ North, East, South, West uint32 }
	// Shelf is the singleton with sums over all toys.
	Shelf struct{ Toys, Changed, Sum uint32 }
)

// held has for each Paint the number of worlds that hold it.
var held struct {
	sync.Mutex
	worlds map[Paint]int
}

// hold adds to the number of worlds that hold the paint.
func (p Paint) hold(n int) {
	held.Lock()
	defer held.Unlock()
	if held.worlds == nil {
		held.worlds = map[Paint]int{}
	}
	if held.worlds[p] += n; held.worlds[p] == 0 {
		delete(held.worlds, p)
	}
}

// Held returns the paints that worlds hold.
func Held() []Paint {
	held.Lock()
	defer held.Unlock()
	return slices.SortedFunc(maps.Keys(held.worlds), func(p, q Paint) int { return cmp.Compare(p.Hue, q.Hue) })
}

// Retain counts the world.
func (p Paint) Retain() { p.hold(1) }

// Release no longer counts the world.
func (p Paint) Release() { p.hold(-1) }

// Close closes a zoo. The zoo must release the paints that its entities have, each of them once, and no other paint.
func Close(w *ecs.World) error {
	used := map[Paint]int{}
	q := w.Query(ecs.With[Paint](), ecs.IncludeHidden(), ecs.IgnoreEnabled())
	for c := range q.Chunks() {
		if p := ecs.SharedValue[Paint](c); p != (Paint{}) {
			used[p] = 1
		}
	}
	held.Lock()
	before := maps.Clone(held.worlds)
	held.Unlock()
	if err := w.Close(); err != nil {
		return err
	}
	held.Lock()
	defer held.Unlock()
	for p := range maps.Keys(before) { //lanewise:inexact any of several errors
		if n := before[p] - held.worlds[p]; n != used[p] {
			return fmt.Errorf("zoo: Close: the world has released %+v %d times, and its entities have it: %v", p, n, used[p] > 0)
		}
	}
	for p := range maps.Keys(used) { //lanewise:inexact any of several errors
		if before[p] < 1 {
			return fmt.Errorf("zoo: Close: entities have %+v, which no world holds", p)
		}
	}
	return nil
}

// Column names the lanes.
func (Toy) Column() (c struct {
	Number []uint32
	Next   []ecs.Entity
}) {
	return
}

// Column names the lane.
func (Knob) Column() (c []int32) { return }

// Column names the lane.
func (Lent) Column() (c []uint32) { return }

// Column names the lanes.
func (Vane) Column() (c struct{ North, East, South, West []uint32 }) { return }

var edits = Feature{
	Name:  "edits",
	About: "each operation that changes a world, by the world, by a command buffer and by a transaction",
	Types: listTypes(ecs.With[Toy](), ecs.With[Knob](), ecs.With[Gem](), ecs.With[Paint](), ecs.With[Lent](), ecs.With[Vane](), ecs.With[Shelf]()),
	Spawn: func(k *Keeper) error {
		if _, err := ecs.CreateSingleton(k.World, Shelf{}); err != nil {
			return err
		}
		for i := range uint32(8) {
			k.World.Spawn(Toy{Number: i}, Knob{Level: int32(i)}, Paint{Hue: int32(i % 2)})
		}
		return nil
	},
	Systems: []*system.Type{system.Of[Play](), system.Of[Tidy](), system.Of[Count]()},
}

// Play changes the toys: three operations in each tick, in an order that goes through all of them.
type Play struct {
	reader
	toys, knobs, bare, turned *ecs.Query
	numbers                   *ecs.Lookup[Toy]
	vanes                     *ecs.Lookup[Vane]
	bytes                     *ecs.RowSet
	list                      []ecs.Entity
}

// Create makes the queries.
func (s *Play) Create(u *system.Setup) error {
	s.toys = u.Query(ecs.Write[Toy]())
	s.knobs = u.Query(ecs.With[Toy](), ecs.Write[Knob](), ecs.IgnoreEnabled())
	s.bare = u.Query(ecs.With[Toy](), ecs.Without[Gem](), ecs.Absent[Lent]())
	s.turned = u.Query(ecs.With[Toy](), ecs.Write[Vane]())
	s.numbers = ecs.NewWorldLookup[Toy](u.World())
	s.vanes = ecs.NewWorldLookup[Vane](u.World())
	var err error
	s.bytes, err = ecs.NewRowSet(u.World(), reflect.TypeFor[Vane]())
	return err
}

// Update runs the operations.
func (s *Play) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	var errs []error
	for i := range uint32(3) {
		s.list = s.toys.AppendEntities(s.list[:0])
		if len(s.list) < 2 {
			f.World().Spawn(Toy{}, Knob{}, Paint{})
			continue
		}
		op := operations[(s.Tick*3+i)%uint32(len(operations))]
		errs = append(errs, op(s, f.World(), f.Commands()))
	}
	return errors.Join(errs...)
}

// toy returns a toy that depends on the tick.
func (s *Play) toy(k uint32) ecs.Entity { return s.list[int(s.Tick+k)%len(s.list)] }

// operations are the operations that change a world. The buffer is played back after the tick of Play.
var operations = []func(s *Play, w *ecs.World, later *ecs.Commands) error{
	func(s *Play, w *ecs.World, later *ecs.Commands) error {
		_, now := ecs.Ensure[Gem](w, s.toy(0))
		_, after := ecs.Ensure[Knob](later, s.toy(1))
		return errors.Join(now, after)
	},
	func(s *Play, w *ecs.World, later *ecs.Commands) error {
		return errors.Join(ecs.AddAll(w, ecs.Matching(s.bare), Knob{Level: int32(s.Tick)}), ecs.AddAll(later, ecs.Entities(s.list[:2]), Paint{Hue: int32(s.Tick % 3)}))
	},
	func(s *Play, w *ecs.World, later *ecs.Commands) error {
		return errors.Join(ecs.SetAll(w, ecs.Matching(s.knobs), Knob{Level: int32(s.Tick)}), ecs.SetAll(later, ecs.Matching(s.toys), Toy{Number: s.Tick, Next: s.toy(2)}))
	},
	func(s *Play, w *ecs.World, _ *ecs.Commands) error {
		return ecs.SetEnabledAll[Knob](w, ecs.Matching(s.knobs), s.Tick%2 == 0)
	},
	func(s *Play, w *ecs.World, later *ecs.Commands) error {
		e, err := s.knobs.AppendEntities(nil), error(nil)
		if len(e) > 0 {
			err = ecs.SetEnabled[Knob](w, e[int(s.Tick)%len(e)], s.Tick%3 == 0)
		}
		return errors.Join(err, ecs.SetEnabledAll[Knob](later, ecs.Matching(s.knobs), s.Tick%3 == 0))
	},
	func(s *Play, w *ecs.World, later *ecs.Commands) error {
		return errors.Join(ecs.AddTypes(w, ecs.One(s.toy(0)), ecs.With[Gem](), ecs.With[Knob]()), ecs.AddTypes(later, ecs.Matching(s.toys), ecs.With[Paint]()))
	},
	func(s *Play, w *ecs.World, later *ecs.Commands) error {
		return errors.Join(ecs.RemoveTypes(w, ecs.One(s.toy(3)), ecs.With[Gem]()), ecs.RemoveTypes(later, ecs.One(s.toy(4)), ecs.With[Knob]()))
	},
	func(s *Play, w *ecs.World, later *ecs.Commands) error {
		small, large := w.Archetype(ecs.With[Toy]()), w.Archetype(ecs.With[Toy](), ecs.With[Gem](), ecs.With[Paint]())
		return errors.Join(w.SetArchetype(s.toy(0), small), later.SetArchetype(s.toy(1), large))
	},
	func(s *Play, w *ecs.World, later *ecs.Commands) error {
		var ids [2]ecs.Entity
		err := w.CreateInto(w.Archetype(ecs.With[Toy](), ecs.With[Knob]()), ids[:])
		_, after := later.Create(w.Archetype(ecs.With[Toy](), ecs.With[Lent]()))
		return errors.Join(err, after, ecs.Set(w, ids[0], Toy{Number: s.Tick, Next: ids[1]}))
	},
	func(s *Play, w *ecs.World, _ *ecs.Commands) error {
		w.CreateChunks(w.Archetype(ecs.With[Toy](), ecs.With[Paint]()), 2)
		_, err := w.CreateShared(w.Archetype(ecs.With[Toy](), ecs.With[Paint]()), 2, Paint{Hue: 2})
		return err
	},
	func(s *Play, w *ecs.World, later *ecs.Commands) error {
		var ids [2]ecs.Entity
		_, after := later.Instantiate(s.toy(2))
		return errors.Join(w.InstantiateInto(s.toy(0), ids[:]), after)
	},
	func(s *Play, w *ecs.World, _ *ecs.Commands) error {
		_, err := w.InstantiateAll(s.list[:2])
		_, cloned := w.CloneAll(s.list[1:2])
		return errors.Join(err, cloned)
	},
	func(s *Play, w *ecs.World, _ *ecs.Commands) error {
		ecs.SpawnBundle(w, struct {
			Toy   Toy
			Knob  Knob
			Paint Paint
		}{Toy{Number: s.Tick}, Knob{Level: 1}, Paint{Hue: 1}})
		for i := range uint32(2) { // a bundle of lanes only has a plan: the second call uses it
			ecs.SpawnBundle(w, struct {
				Vane Vane
				Toy  Toy
			}{Vane{s.Tick, i, 2, 3}, Toy{Number: i}})
		}
		return nil
	},
	func(s *Play, w *ecs.World, _ *ecs.Commands) error {
		values, err := ecs.AppendValues[Toy](s.toys, nil)
		for i := range values {
			values[i].Number += uint32(i)
		}
		return errors.Join(err, ecs.SetValues(s.toys, values))
	},
	func(s *Play, w *ecs.World, _ *ecs.Commands) error {
		if err := s.numbers.Refresh(); err != nil {
			return err
		}
		values := make([]Toy, len(s.list))
		s.numbers.Gather(values, s.list)
		for i := range values {
			values[i].Next = s.list[(i+1)%len(s.list)]
		}
		s.numbers.Scatter(s.list, values)
		return s.turnVanes()
	},
	func(s *Play, w *ecs.World, later *ecs.Commands) error {
		return errors.Join(ecs.Exchange[Knob](w, ecs.One(s.toy(0)), Gem{}), ecs.Exchange[Gem](later, ecs.One(s.toy(1)), Knob{Level: 7}))
	},
	func(s *Play, w *ecs.World, later *ecs.Commands) error {
		return errors.Join(w.SetActive(s.toy(0), false), w.SetActive(s.toy(1), false), later.SetActive(s.toy(1), true))
	},
	moveToys,
	lendToys,
}

// turnVanes reads all vanes of toys at once, and writes them back turned. Then it changes them as bytes.
func (s *Play) turnVanes() error {
	if err := s.vanes.Refresh(); err != nil {
		return err
	}
	list := s.turned.AppendEntities(nil)
	values := make([]Vane, len(list))
	s.vanes.Gather(values, list)
	for i, d := range values {
		values[i] = Vane{d.West + 1, d.North + 1, d.East + 1, d.South + 1}
	}
	s.vanes.Scatter(list, values)
	b, err := s.bytes.Gather(nil, list)
	if err != nil {
		return err
	}
	for i := range b {
		b[i] ^= 0x15 // each of them, because their order differs between machines
	}
	return s.bytes.Scatter(list, b)
}

// moveToys brings the chunks that a query matches from another world.
func moveToys(s *Play, w *ecs.World, _ *ecs.Commands) (err error) {
	other := ecs.NewWorld("toys", ecs.OnPool(w.Pool()))
	defer func() { err = errors.Join(err, other.Close()) }()
	e := other.Spawn(Toy{Number: s.Tick}, Knob{Level: 3}, Paint{Hue: 4})
	other.Spawn(Toy{Next: e}, Paint{Hue: 4})
	if err := ecs.SetEnabled[Knob](other, e, false); err != nil {
		return err
	}
	q := other.Query(ecs.With[Toy](), ecs.With[Paint]())
	return ecs.MoveMatching(w, q, nil)
}

// lendToys lends the world to the job of a transaction, which finds toys, creates others with an archetype that the
// world may not have had, and changes and destroys some.
func lendToys(s *Play, w *ecs.World, _ *ecs.Commands) error {
	t, err := ecs.BeginTransaction(w)
	if err != nil {
		return err
	}
	first, last := s.list[0], s.list[len(s.list)-1]
	t.Schedule(ecs.TransactionFunc(func(w *ecs.World) error {
		red := w.Query(ecs.With[Toy](), ecs.WithShared(Paint{Hue: int32(20 + s.Tick%2)}))
		n := uint32(red.Count() + w.Query(ecs.WithShared(Paint{Hue: 50})).Count()) // no toy has that paint
		e := w.Spawn(Toy{Number: n, Next: first}, Lent{Count: s.Tick}, Paint{Hue: int32(20 + s.Tick%2)}, Gem{}, Knob{Level: 2})
		later := w.NewCommands()
		a, errA := later.Spawn(Toy{Number: s.Tick}, Paint{Hue: 22})
		_, errB := later.Spawn(Toy{Next: a}, Lent{Count: 1})
		return errors.Join(ecs.Set(w, first, Toy{Number: s.Tick, Next: e}), ecs.SetEnabled[Knob](w, e, false), w.Destroy(last), errA, errB, later.Playback(w))
	}))
	return t.End()
}

// Tidy destroys some toys if there are many.
type Tidy struct {
	_    system.After[Play]
	toys *ecs.Query
}

// Create makes the query.
func (s *Tidy) Create(u *system.Setup) error {
	s.toys = u.Query(ecs.With[Toy](), ecs.IncludeInactive())
	return nil
}

// Update destroys.
func (s *Tidy) Update(f *system.Frame) error {
	list := s.toys.AppendEntities(nil)
	if len(list) < 24 {
		return nil
	}
	var half []ecs.Entity
	for i := 0; i < len(list); i += 2 {
		half = append(half, list[i])
	}
	return ecs.DestroyAll(f.World(), ecs.Entities(half))
}

// Count adds up the toys, those whose number was written, and those that a transaction has lent.
type Count struct {
	_                          system.Last[system.Simulation]
	shelf, all, changed, known *ecs.Query
}

// Create makes the queries.
func (s *Count) Create(u *system.Setup) error {
	s.shelf = u.Query(ecs.Write[Shelf]())
	s.all = u.Query(ecs.Read[Toy](), ecs.Optional(ecs.Read[Lent](), ecs.Read[Knob]()), ecs.IgnoreEnabled())
	s.changed = u.Query(ecs.Read[Toy](), ecs.Changed[Toy]())
	s.known = u.Query(ecs.With[Toy](), ecs.With[Knob]())
	u.Require(s.shelf)
	return nil
}

// Update adds up.
func (s *Count) Update(*system.Frame) error {
	v, err := ecs.Singleton[Shelf](s.shelf)
	if err != nil {
		return err
	}
	for c := range s.all.Chunks() {
		v.Toys += uint32(c.Len())
		for i, n := range ecs.ReadColumn[Toy](c).Number {
			v.Sum = 5*v.Sum + n
			if ecs.HasColumn[Lent](c) {
				v.Sum += (*ecs.ReadColumn[Lent](c))[i]
			}
		}
	}
	for c := range s.changed.Chunks() {
		v.Changed += uint32(c.Len())
	}
	v.Toys += uint32(1000 * s.known.Count())
	return ecs.SetSingleton(s.shelf, v)
}
