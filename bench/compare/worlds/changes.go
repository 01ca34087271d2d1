package worlds

import (
	ark "github.com/mlange-42/ark/ecs"

	"github.com/lanewise/lanewise/ecs"
)

// Heat is a component that the task changes adds and removes.
type Heat float32

// must stops the program, because the results are useless after an error.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Spawns creates entities with two components, one at a time.
func Spawns(n int) Task {
	w := ecs.NewWorld("spawns")
	list := make([]ecs.Entity, n)
	empty := func() { must(ecs.DestroyAll(w, ecs.Entities(list))) }
	for i := range list {
		list[i] = w.Spawn(startAt(i), startBy(i))
	}
	q := w.Query(ecs.Read[Position]())
	result := func() []float32 { return positions(q) }
	type both struct {
		Position
		Velocity
	}

	other := ark.NewWorld(n)
	m, filter := ark.NewMap2[Position, Velocity](other), ark.NewFilter2[Position, Velocity](other)
	theirs := func() []float32 { return arkPositions(filter) }
	remove := func() { other.RemoveEntities(filter.Batch(), nil) }
	return Task{"spawn two components", n, []Way{
		{Name: "`World.Spawn`", Before: empty, Result: result, Do: func() {
			for i := range list {
				list[i] = w.Spawn(startAt(i), startBy(i))
			}
		}},
		{Name: "`SpawnBundle`", Before: empty, Result: result, Do: func() {
			for i := range list {
				list[i] = ecs.SpawnBundle(w, both{startAt(i), startBy(i)})
			}
		}},
		{Name: "Ark: `Map2.NewEntity`", Before: remove, Result: theirs, Do: func() {
			for i := range n {
				p, v := startAt(i), startBy(i)
				m.NewEntity(&p, &v)
			}
		}},
		{Name: "Ark: `Map2.NewEntityFn`", Before: remove, Result: theirs, Do: func() {
			for i := range n {
				m.NewEntityFn(func(p *Position, v *Velocity) { *p, *v = startAt(i), startBy(i) })
			}
		}},
	}}
}

// Batches creates entities with two components of value zero at once.
func Batches(n int) Task {
	w := ecs.NewWorld("batches")
	kind, list := w.Archetype(ecs.With[Position](), ecs.With[Velocity]()), make([]ecs.Entity, n)
	must(w.CreateInto(kind, list))
	q := w.Query(ecs.Read[Position]())

	other := ark.NewWorld(n)
	m, filter := ark.NewMap2[Position, Velocity](other), ark.NewFilter2[Position, Velocity](other)
	return Task{"create in a batch", n, []Way{
		{
			Name:   "`World.CreateInto`",
			Before: func() { must(ecs.DestroyAll(w, ecs.Entities(list))) },
			Do:     func() { must(w.CreateInto(kind, list)) },
			Result: func() []float32 { return positions(q) },
		},
		{
			Name:   "Ark: `Map2.NewBatchFn(n, nil)`",
			Before: func() { other.RemoveEntities(filter.Batch(), nil) },
			Do:     func() { m.NewBatchFn(n, nil) },
			Result: func() []float32 { return arkPositions(filter) },
		},
	}}
}

// Changes adds a component to each entity, one at a time, and then removes the component.
func Changes(n int) Task {
	w := ecs.NewWorld("changes")
	fill(w.Create(w.Archetype(ecs.With[Position](), ecs.With[Velocity]()), n))
	q := w.Query(ecs.Read[Position](), ecs.Without[Heat]())
	list := q.AppendEntities(nil)

	other, theirs, row := ark.NewWorld(n), make([]ark.Entity, 0, n), 0
	ark.NewMap2[Position, Velocity](other).NewBatchFn(n, func(e ark.Entity, p *Position, v *Velocity) {
		*p, *v = startAt(row), startBy(row)
		theirs = append(theirs, e)
		row++
	})
	heat, filter := ark.NewMap[Heat](other), ark.NewFilter2[Position, Velocity](other).Without(ark.C[Heat]())
	return Task{"add and remove a component", n, []Way{
		{Name: "`Add`, `Remove`", Result: func() []float32 { return positions(q) }, Do: func() {
			for _, e := range list {
				must(ecs.Add(w, e, Heat(1)))
			}
			for _, e := range list {
				if _, err := ecs.Remove[Heat](w, e); err != nil {
					panic(err)
				}
			}
		}},
		{Name: "Ark: `Map.Add`, `Map.Remove`", Result: func() []float32 { return arkPositions(filter) }, Do: func() {
			for _, e := range theirs {
				h := Heat(1)
				heat.Add(e, &h)
			}
			for _, e := range theirs {
				heat.Remove(e)
			}
		}},
	}}
}

// Entities with different subsets of these tags have different archetypes.
type (
	tag0  struct{}
	tag1  struct{}
	tag2  struct{}
	tag3  struct{}
	tag4  struct{}
	tag5  struct{}
	tag6  struct{}
	tag7  struct{}
	tag8  struct{}
	tag9  struct{}
	tag10 struct{}
	tag11 struct{}
	tag12 struct{}
	tag13 struct{}
)

// sparse creates n archetypes in both worlds. Each archetype has one entity.
func sparse(n int) (*ecs.World, *ark.World) {
	w, other := ecs.NewWorld("sparse"), ark.NewWorld(1)
	id, with := ark.ComponentID[Position](other), ark.ComponentID[Velocity](other)
	tags := []ecs.Term{
		ecs.With[tag0](), ecs.With[tag1](), ecs.With[tag2](), ecs.With[tag3](), ecs.With[tag4](), ecs.With[tag5](), ecs.With[tag6](),
		ecs.With[tag7](), ecs.With[tag8](), ecs.With[tag9](), ecs.With[tag10](), ecs.With[tag11](), ecs.With[tag12](), ecs.With[tag13](),
	}
	ids := []ark.ID{
		ark.ComponentID[tag0](other), ark.ComponentID[tag1](other), ark.ComponentID[tag2](other), ark.ComponentID[tag3](other), ark.ComponentID[tag4](other),
		ark.ComponentID[tag5](other), ark.ComponentID[tag6](other), ark.ComponentID[tag7](other), ark.ComponentID[tag8](other), ark.ComponentID[tag9](other),
		ark.ComponentID[tag10](other), ark.ComponentID[tag11](other), ark.ComponentID[tag12](other), ark.ComponentID[tag13](other),
	}
	both := ark.NewMap2[Position, Velocity](other)
	for k := range n {
		terms, own := []ecs.Term{ecs.With[Position](), ecs.With[Velocity]()}, []ark.ID{id, with}
		for bit := range tags {
			if k>>bit&1 != 0 {
				terms, own = append(terms, tags[bit]), append(own, ids[bit])
			}
		}
		e := []ecs.Entity{{}}
		must(w.CreateInto(w.Archetype(terms...), e))
		at, by := startAt(k), startBy(k)
		must(ecs.Set(w, e[0], at))
		must(ecs.Set(w, e[0], by))
		both.Set(other.Unsafe().NewEntity(own...), &at, &by)
	}
	return w, other
}

// Visits moves the entities of n archetypes. Each archetype has one entity.
func Visits(n int) Task {
	w, other := sparse(n)
	q := w.Query(ecs.Write[Position](), ecs.Read[Velocity]())
	ours := func(name string, move func(*ecs.Chunk)) Way {
		return Way{Name: name, Result: func() []float32 { return positions(q) }, Do: func() {
			for c := range q.Chunks() {
				move(c)
			}
		}}
	}
	filter := ark.NewFilter2[Position, Velocity](other).Register()
	result := func() []float32 { return arkPositions(filter) }
	return Task{"visit archetypes of one entity", n, []Way{
		ours("slices cut to one length", moveCut),
		ours("the kernel `AddScaled`", moveKernel),
		{Name: "Ark: by table, filter registered", Result: result, Do: func() { arkTable(filter) }},
		{Name: "Ark: entity by entity, filter registered", Result: result, Do: func() { arkNext(filter) }},
	}}
}

// Queries creates a query that matches n archetypes, reads the number of the
// entities that it matches, and closes the query.
func Queries(n int) Task {
	w, other := sparse(n)
	rows := 0
	all := w.Query(ecs.Read[Position]())
	result := func() []float32 { return append(positions(all), float32(rows)) }
	return Task{"create a query", n, []Way{
		{Name: "`World.Query`", Result: result, Do: func() {
			q := w.Query(ecs.Write[Position](), ecs.Read[Velocity]())
			rows = q.Count()
			must(q.Close())
		}},
		{Name: "Ark: `NewFilter2`, registered", Result: result, Do: func() {
			f := ark.NewFilter2[Position, Velocity](other).Register()
			q := f.Query()
			rows = q.Count()
			q.Close()
			f.Unregister()
		}},
		{Name: "Ark: `NewFilter2`", Result: result, Do: func() {
			q := ark.NewFilter2[Position, Velocity](other).Query()
			rows = q.Count()
			q.Close()
		}},
	}}
}
