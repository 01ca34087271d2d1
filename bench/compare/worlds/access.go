package worlds

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

// A pair is the same n entities in both worlds, listed in the same random order.
type pair struct {
	look   *ecs.Lookup[Position]
	list   []ecs.Entity
	query  *ecs.Query
	m      *ark.Map[Position]
	theirs []ark.Entity
	filter *ark.Filter2[Position, Velocity]
}

func newPair(n int) *pair {
	w := ecs.NewWorld("access")
	fill(w.Create(w.Archetype(ecs.With[Position](), ecs.With[Velocity]()), n))
	q := w.Query(ecs.With[Position]())
	p := &pair{look: ecs.NewWorldLookup[Position](w), list: q.AppendEntities(nil), query: w.Query(ecs.Read[Position]())}
	shuffle(p.list)

	other, row := ark.NewWorld(n), 0
	ark.NewMap2[Position, Velocity](other).NewBatchFn(n, func(e ark.Entity, at *Position, by *Velocity) {
		*at, *by = startAt(row), startBy(row)
		p.theirs = append(p.theirs, e)
		row++
	})
	shuffle(p.theirs)
	p.m, p.filter = ark.NewMap[Position](other), ark.NewFilter2[Position, Velocity](other)
	return p
}

// Access reads three float32 of each entity, in random order.
func Access(n int) Task {
	p, out := newPair(n), make([]Position, n)
	result := func() (all []float32) {
		for _, p := range out {
			all = append(all, p.X, p.Y, p.Z)
		}
		return all
	}
	return Task{"access, 3 × float32", n, []Way{
		{Name: "`Lookup.Get`", Result: result, Do: func() {
			for i, e := range p.list {
				out[i], _ = p.look.Get(e)
			}
		}},
		{Name: "`Lookup.Gather`", Result: result, Do: func() { p.look.Gather(out, p.list) }},
		{Name: "Ark: `Map.Get`", Result: result, Do: func() {
			for i, e := range p.theirs {
				out[i] = *p.m.Get(e)
			}
		}},
		{Name: "Ark without checks: `Map.GetUnchecked`", Result: result, Do: func() {
			for i, e := range p.theirs {
				out[i] = *p.m.GetUnchecked(e)
			}
		}},
	}}
}

// Sets writes three float32 of each entity, in random order.
func Sets(n int) Task {
	p, in := newPair(n), make([]Position, n)
	for i := range in {
		in[i] = startAt(2*i + 1)
	}
	ours := func() []float32 { return positions(p.query) }
	theirs := func() []float32 { return arkPositions(p.filter) }
	return Task{"set, 3 × float32", n, []Way{
		{Name: "`Lookup.Set`", Result: ours, Do: func() {
			for i, e := range p.list {
				p.look.Set(e, in[i])
			}
		}},
		{Name: "`Lookup.Scatter`", Result: ours, Do: func() { p.look.Scatter(p.list, in) }},
		{Name: "Ark: `*Map.Get`", Result: theirs, Do: func() {
			for i, e := range p.theirs {
				*p.m.Get(e) = in[i]
			}
		}},
		{Name: "Ark: `Map.Set`", Result: theirs, Do: func() {
			for i, e := range p.theirs {
				p.m.Set(e, &in[i])
			}
		}},
	}}
}

// Has asks whether each entity has a component, in random order.
func Has(n int) Task {
	p, found := newPair(n), 0
	result := func() []float32 { return append(positions(p.query), float32(found)) }
	return Task{"has", n, []Way{
		{Name: "`Lookup.Has`", Result: result, Do: func() {
			found = 0
			for _, e := range p.list {
				if p.look.Has(e) {
					found++
				}
			}
		}},
		{Name: "Ark: `Map.Has`", Result: result, Do: func() {
			found = 0
			for _, e := range p.theirs {
				if p.m.Has(e) {
					found++
				}
			}
		}},
	}}
}

// Access64 reads two float64 of each entity, in random order.
func Access64(n int) Task {
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
	return Task{"access, 2 × float64", n, []Way{
		{Name: "`Lookup.Get`", Result: result, Do: func() {
			for i, e := range list {
				out[i], _ = look.Get(e)
			}
		}},
		{Name: "`Lookup.Gather`", Result: result, Do: func() { look.Gather(out, list) }},
		{Name: "Ark: `Map.Get`", Result: result, Do: func() {
			for i, e := range theirs {
				out[i] = *m.Get(e)
			}
		}},
		{Name: "Ark without checks: `Map.GetUnchecked`", Result: result, Do: func() {
			for i, e := range theirs {
				out[i] = *m.GetUnchecked(e)
			}
		}},
	}}
}
