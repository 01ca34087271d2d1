package main

import (
	"math/rand/v2"

	ark "github.com/mlange-42/ark/ecs"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// Mass is a component of float64.
type Mass struct{ X, Y float64 }

// Column returns the view of a column.
func (Mass) Column() (c kernels.Vec2s[float64]) { return }

// shuffle puts the rows into one random order, which is the same for each list.
func shuffle[T any](list []T) {
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

// access reads three float32 of each entity, in random order.
func access(n int) task {
	w := ecs.NewWorld("access")
	fill(w.Create(w.Archetype(ecs.With[Position](), ecs.With[Velocity]()), n))
	list := w.Query(ecs.With[Position]()).AppendEntities(nil)
	shuffle(list)
	look, out := ecs.NewWorldLookup[Position](w), make([]Position, n)

	other, theirs, row := ark.NewWorld(n), make([]ark.Entity, 0, n), 0
	ark.NewMap2[Position, Velocity](other).NewBatchFn(n, func(e ark.Entity, p *Position, v *Velocity) {
		*p, *v = startAt(row), startBy(row)
		theirs = append(theirs, e)
		row++
	})
	shuffle(theirs)
	m := ark.NewMap[Position](other)

	result := func() (all []float32) {
		for _, p := range out {
			all = append(all, p.X, p.Y, p.Z)
		}
		return all
	}
	return task{"access, 3 × float32", n, []way{
		{name: "`Lookup.Get`", result: result, do: func() {
			for i, e := range list {
				out[i], _ = look.Get(e)
			}
		}},
		{name: "`Lookup.Gather`", result: result, do: func() { look.Gather(out, list) }},
		{name: "Ark: `Map.Get`", result: result, do: func() {
			for i, e := range theirs {
				out[i] = *m.Get(e)
			}
		}},
		{name: "Ark without checks: `Map.GetUnchecked`", result: result, do: func() {
			for i, e := range theirs {
				out[i] = *m.GetUnchecked(e)
			}
		}},
	}}
}

// access64 reads two float64 of each entity, in random order.
func access64(n int) task {
	w := ecs.NewWorld("access64")
	row := 0
	for c := range w.Create(w.Archetype(ecs.With[Mass](), ecs.With[Velocity]()), n).Chunks() {
		x := ecs.Column[Mass](c).X
		for i := range x {
			x[i] = float64(row)
			row++
		}
	}
	list := w.Query(ecs.With[Mass]()).AppendEntities(nil)
	shuffle(list)
	look, out := ecs.NewWorldLookup[Mass](w), make([]Mass, n)

	other, theirs := ark.NewWorld(n), make([]ark.Entity, 0, n)
	ark.NewMap2[Mass, Velocity](other).NewBatchFn(n, func(e ark.Entity, m *Mass, _ *Velocity) {
		m.X = float64(len(theirs))
		theirs = append(theirs, e)
	})
	shuffle(theirs)
	m := ark.NewMap[Mass](other)

	result := func() (all []float32) {
		for _, p := range out {
			all = append(all, float32(p.X), float32(p.Y))
		}
		return all
	}
	return task{"access, 2 × float64", n, []way{
		{name: "`Lookup.Get`", result: result, do: func() {
			for i, e := range list {
				out[i], _ = look.Get(e)
			}
		}},
		{name: "`Lookup.Gather`", result: result, do: func() { look.Gather(out, list) }},
		{name: "Ark: `Map.Get`", result: result, do: func() {
			for i, e := range theirs {
				out[i] = *m.Get(e)
			}
		}},
		{name: "Ark without checks: `Map.GetUnchecked`", result: result, do: func() {
			for i, e := range theirs {
				out[i] = *m.GetUnchecked(e)
			}
		}},
	}}
}
