package transform_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// send moves entities to the world of another model. send moves all entities, or a few entities, each
// alone or with all entities below it.
func (m *model[T]) send(to *model[T]) {
	m.Helper()
	var moved ecs.EntityMap
	if m.r.IntN(8) == 0 {
		m.ok(ecs.MoveEntities(to.w, m.w, &moved))
	} else {
		for range m.r.IntN(4) {
			if len(m.ids) > 0 {
				m.pack(m.any(), m.r.IntN(2) == 0)
			}
		}
		m.ok(ecs.MoveMatching(to.w, m.w.Query(ecs.With[marker]()), &moved))
		m.ok(ecs.RemoveTypes(to.w, ecs.Matching(to.w.Query(ecs.With[marker]())), ecs.With[marker]()))
	}
	stay := m.ids[:0]
	for _, e := range m.ids {
		id, n := moved.NewID(e), m.node[e]
		if id == (ecs.Entity{}) {
			stay = append(stay, e)
			continue
		}
		delete(m.node, e)
		to.add(id, n)
		if n.parent = moved.NewID(n.parent); n.parent == (ecs.Entity{}) {
			to.put(id) // it may be a root now, and the other set must notice that
		}
	}
	m.ids = stay
	m.orphan()
}

// pack marks e for send, either e alone or with all entities below it.
func (m *model[T]) pack(e ecs.Entity, all bool) {
	m.ok(ecs.Add(m.w, e, marker{}))
	for _, c := range m.ids {
		if all && m.node[c].parent == e {
			m.pack(c, true)
		}
	}
}

func testMovesAgainstNaive[T kernels.Float](t *testing.T, local bool, limit float64) {
	seeds, frames := 3, 15
	if *full {
		seeds = 12
	}
	pool := newPool(t, 2)
	sent := 0
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 25))
		var worlds [2]*model[T]
		for i := range worlds {
			worlds[i] = newModel[T](newBench(t, system.OnPool(pool)), local, r)
		}
		for range frames {
			for i, m := range worlds {
				for range r.IntN(8) {
					m.edit()
				}
				if r.IntN(3) > 0 {
					before := len(m.ids)
					m.send(worlds[1-i])
					sent += before - len(m.ids)
				}
			}
			for _, m := range worlds {
				m.update()
				m.check(limit)
			}
		}
		for _, m := range worlds {
			m.ok(m.w.Close())
		}
	}
	if sent < seeds*frames {
		t.Errorf("only %d entities were sent", sent)
	}
}

// The test makes random edits in two worlds that send entities to each other between updates.
func TestMovesAgainstNaive(t *testing.T) {
	for name, local := range map[string]bool{"TRS": false, "LocalTransform": true} {
		t.Run(name+"/float32", func(t *testing.T) { testMovesAgainstNaive[float32](t, local, 1e-5) })
		t.Run(name+"/float64", func(t *testing.T) { testMovesAgainstNaive[float64](t, local, 1e-13) })
	}
}
