package transform_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// disturb randomly deactivates or activates an entity, or lets another component claim its matrix or
// give it back.
func (m *model[T]) disturb() {
	if len(m.ids) == 0 {
		return
	}
	e := m.any()
	n := m.node[e]
	switch m.r.IntN(3) {
	case 0:
		n.hidden = !n.hidden
		m.ok(m.w.SetActive(e, !n.hidden))
	case 1:
		m.give(e, !n.given)
	case 2:
		if n.given {
			l := transform.LocalToWorldOf[T]{M: transform.IdentityMatrix[T]()}
			l.M[12], l.M[13] = m.number(), m.number()
			m.ok(ecs.Set(m.w, e, l))
		}
	}
}

// give sets whether the matrix of e is given, which means that the program sets it and the systems do
// not compute it.
func (m *model[T]) give(e ecs.Entity, given bool) {
	n := m.node[e]
	if n.given = given; given {
		m.ok(ecs.Add(m.w, e, owned{}))
		return
	}
	_, err := ecs.Remove[owned](m.w, e)
	m.ok(err)
	if n.parent == (ecs.Entity{}) {
		m.put(e) // an entity that lost its parent meanwhile must be written
	}
}

// isShown reports whether e and all entities above it are active.
func (m *model[T]) isShown(e ecs.Entity) bool {
	for ; e != (ecs.Entity{}); e = m.node[e].parent {
		if m.node[e].hidden {
			return false
		}
	}
	return true
}

// checkShown compares the matrices that the systems compute.
func (m *model[T]) checkShown(limit float64) {
	m.Helper()
	for _, e := range m.ids {
		if !m.isShown(e) {
			continue
		}
		got := get[transform.LocalToWorldOf[T]](m.bench, e)
		if d := maxDifference(got.M, m.matrixOf(e)); !(d <= limit) {
			m.Fatalf("entity %v: matrix %v is off by %g, want %v", e, got.M, d, m.matrixOf(e))
		}
	}
}

func testHiddenAgainstNaive[T kernels.Float](t *testing.T, limit float64) {
	seeds, frames := 8, 15
	if *full {
		seeds, frames = 40, 40
	}
	pools := []*jobs.Pool{newPool(t, 1), newPool(t, 3)}
	for seed := range seeds {
		w, err := system.NewWorld(t.Name(), system.OnPool(pools[seed%2]), system.Only(append(transforms(),
			system.Of[saboteur[transform.TranslationOf[T]]](), system.Of[saboteur[transform.LocalTransformOf[T]]](), system.Of[saboteur[transform.LocalToParentOf[T]]]())...))
		if err != nil {
			t.Fatal(err)
		}
		m := newModel[T](&bench{TB: t, w: w}, seed%4 < 2, rand.New(rand.NewPCG(uint64(seed), 24)))
		fails := []*bool{
			&system.Find[saboteur[transform.TranslationOf[T]]](w).fails, &system.Find[saboteur[transform.LocalTransformOf[T]]](w).fails,
			&system.Find[saboteur[transform.LocalToParentOf[T]]](w).fails,
		}
		for frame := range frames {
			for range m.r.IntN(12) {
				m.edit()
				m.disturb()
			}
			for range m.r.IntN(3) {
				fail := fails[m.r.IntN(len(fails))]
				*fail = true
				_ = system.Update(w) // fails if the job has any rows
				*fail = false
				if m.r.IntN(2) == 0 {
					m.edit()
				}
			}
			if frame%5 == 4 {
				for _, e := range m.ids {
					m.node[e].hidden = false
					m.ok(w.SetActive(e, true))
					if m.node[e].given {
						m.give(e, false)
					}
				}
			}
			m.ok(system.Update(w))
			m.checkShown(limit)
			if frame%5 == 4 {
				m.check(limit)
			}
		}
		m.ok(w.Close())
	}
}

// The test makes random edits. Some entities are inactive for some time, and another system computes
// the matrices of some entities. Some of the frames fail.
func TestHiddenAgainstNaive(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testHiddenAgainstNaive[float32](t, 1e-5) })
	t.Run("float64", func(t *testing.T) { testHiddenAgainstNaive[float64](t, 1e-13) })
}
