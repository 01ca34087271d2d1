package transform_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

var full = flag.Bool("lanewise.full", false, "random tests of their full length and large trees: make full")

// model is a simple model of a world with trees: the components of each entity, and its expected
// matrix.
type model[T kernels.Float] struct {
	*bench
	local bool // LocalTransform and PostTransformMatrix, instead of the other set
	r     *rand.Rand
	ids   []ecs.Entity // alive, in the order of creation
	node  map[ecs.Entity]*modelNode[T]

	linked int // entities that were copied because they are below another
}

func newModel[T kernels.Float](b *bench, local bool, r *rand.Rand) *model[T] {
	return &model[T]{bench: b, local: local, r: r, node: map[ecs.Entity]*modelNode[T]{}}
}

type modelNode[T kernels.Float] struct {
	parent ecs.Entity // the zero Entity for roots
	t      transform.TranslationOf[T]
	r      transform.RotationOf[T]
	s      transform.NonUniformScaleOf[T]
	scaled bool
	hidden bool // inactive
	given  bool // has owned, so its LocalToWorld is used as it is
}

type modelTag struct{}

func (m *model[T]) matrixOf(e ecs.Entity) matrix {
	n := m.node[e]
	if n.given {
		return inFloat64(get[transform.LocalToWorldOf[T]](m.bench, e).M)
	}
	own := translation(float64(n.t.X), float64(n.t.Y), float64(n.t.Z)).mul(rotation(float64(n.r.X), float64(n.r.Y), float64(n.r.Z), float64(n.r.W)))
	if n.scaled {
		own = own.mul(scaling(float64(n.s.X), float64(n.s.Y), float64(n.s.Z)))
	}
	if n.parent == (ecs.Entity{}) {
		return own
	}
	return m.matrixOf(n.parent).mul(own)
}

// isBelow reports whether e is other or is below it.
func (m *model[T]) isBelow(e, other ecs.Entity) bool {
	for ; e != (ecs.Entity{}); e = m.node[e].parent {
		if e == other {
			return true
		}
	}
	return false
}

func (m *model[T]) number() T { return T(m.r.Float64()*4 - 2) }

func (m *model[T]) any() ecs.Entity { return m.ids[m.r.IntN(len(m.ids))] }

func (m *model[T]) values(n *modelNode[T]) []any {
	n.t = transform.TranslationOf[T]{X: m.number(), Y: m.number(), Z: m.number()}
	n.r = rotationAbout[T](0.48, 0.6, 0.64, m.r.Float64()*6)
	values := []any{n.t, n.r, transform.LocalToWorldOf[T]{}}
	if m.local {
		values = []any{n.transform(), transform.LocalToWorldOf[T]{}}
	}
	if n.scaled = m.r.IntN(3) == 0; n.scaled {
		n.s = transform.NonUniformScaleOf[T]{X: 1 + m.number()/8, Y: 1 + m.number()/8, Z: 1 + m.number()/8}
		if m.local {
			values = append(values, n.post())
		} else {
			values = append(values, n.s)
		}
	}
	return values
}

// transform and post return the node's place as a LocalTransform and a PostTransformMatrix.
func (n *modelNode[T]) transform() transform.LocalTransformOf[T] {
	return transform.LocalTransformOf[T]{X: n.t.X, Y: n.t.Y, Z: n.t.Z, Scale: 1, QX: n.r.X, QY: n.r.Y, QZ: n.r.Z, QW: n.r.W}
}

func (n *modelNode[T]) post() transform.PostTransformMatrixOf[T] {
	return transform.PostTransformMatrixOf[T]{M: [16]T{0: n.s.X, 5: n.s.Y, 10: n.s.Z, 15: 1}}
}

// put writes the node's place and rotation to the world.
func (m *model[T]) put(e ecs.Entity) {
	n := m.node[e]
	if m.local {
		m.ok(ecs.Set(m.w, e, n.transform()))
		return
	}
	m.ok(ecs.Set(m.w, e, n.t))
	m.ok(ecs.Set(m.w, e, n.r))
}

// scale adds, sets or removes the scale of a node.
func (m *model[T]) scale(e ecs.Entity) {
	n := m.node[e]
	var err error
	switch {
	case m.local && n.scaled:
		err = ecs.Add(m.w, e, n.post())
	case m.local:
		_, err = ecs.Remove[transform.PostTransformMatrixOf[T]](m.w, e)
	case n.scaled:
		err = ecs.Add(m.w, e, n.s)
	default:
		_, err = ecs.Remove[transform.NonUniformScaleOf[T]](m.w, e)
	}
	m.ok(err)
}

func (m *model[T]) spawn(parent ecs.Entity) {
	n := &modelNode[T]{parent: parent}
	values := m.values(n)
	if parent != (ecs.Entity{}) {
		values = append(values, transform.Parent{Entity: parent})
		if !m.local {
			values = append(values, transform.LocalToParentOf[T]{})
		}
	}
	m.add(m.w.Spawn(values...), n)
}

func (m *model[T]) add(e ecs.Entity, n *modelNode[T]) {
	m.ids = append(m.ids, e)
	m.node[e] = n
}

// reparent gives e another parent, or none, unless that makes a cycle.
func (m *model[T]) reparent(e, parent ecs.Entity) {
	n := m.node[e]
	if parent == (ecs.Entity{}) {
		err := ecs.RemoveTypes(m.w, ecs.One(e), ecs.With[transform.Parent](), ecs.With[transform.LocalToParentOf[T]]())
		m.ok(err)
		m.put(e)
	} else {
		if m.isBelow(parent, e) {
			return
		}
		m.ok(ecs.Add(m.w, e, transform.Parent{Entity: parent}))
		if !m.local {
			_, err := ecs.Ensure[transform.LocalToParentOf[T]](m.w, e)
			m.ok(err)
		}
	}
	n.parent = parent
}

func (m *model[T]) destroy(e ecs.Entity) {
	m.ok(m.w.Destroy(e))
	delete(m.node, e)
	m.ids = slices.DeleteFunc(m.ids, func(o ecs.Entity) bool { return o == e })
}

// orphan makes each node a root whose parent was destroyed, as Parents will do in the world.
func (m *model[T]) orphan() {
	for _, e := range m.ids {
		if n := m.node[e]; n.parent != (ecs.Entity{}) && m.node[n.parent] == nil {
			n.parent = ecs.Entity{}
			m.put(e) // so that the other set notices too
		}
	}
}

// edit makes one random change.
func (m *model[T]) edit() {
	if len(m.ids) < 5 {
		m.spawn(ecs.Entity{})
		return
	}
	e := m.any()
	n := m.node[e]
	switch m.r.IntN(12) {
	case 0:
		m.spawn(ecs.Entity{})
	case 1, 2:
		m.spawn(e)
	case 3, 4:
		n.t = transform.TranslationOf[T]{X: m.number(), Y: m.number(), Z: m.number()}
		m.put(e)
	case 5:
		n.r = rotationAbout[T](0, 0.6, 0.8, m.r.Float64()*6)
		m.put(e)
	case 6:
		n.scaled, n.s = !n.scaled, transform.NonUniformScaleOf[T]{X: 1.25, Y: 0.75, Z: 1}
		m.scale(e)
	case 7, 8:
		m.reparent(e, m.any())
	case 9:
		m.reparent(e, ecs.Entity{})
	case 10: // destroyed, with some of the children given to others in the same frame
		var children []ecs.Entity
		for _, c := range m.ids {
			if m.node[c].parent == e {
				children = append(children, c)
			}
		}
		give := func() {
			for _, c := range children {
				if to := m.any(); m.r.IntN(2) == 0 && to != e {
					m.reparent(c, to)
				}
			}
		}
		first := m.r.IntN(2) == 0
		if first {
			give()
		}
		m.destroy(e)
		m.orphan()
		if !first && len(m.ids) > 0 {
			give() // they still name the dead parent
		}
	case 11:
		switch m.r.IntN(4) {
		case 0:
			copies, err := m.w.Instantiate(e, 2)
			m.ok(err)
			for _, c := range copies {
				copied := *n
				m.add(c, &copied)
			}
		case 1:
			m.copyTree(e)
		default:
			m.toggleTag(e)
		}
	}
}

func (m *model[T]) toggleTag(e ecs.Entity) {
	var err error
	if ecs.Has[modelTag](m.w, e) {
		_, err = ecs.Remove[modelTag](m.w, e)
	} else {
		err = ecs.Add(m.w, e, modelTag{})
	}
	m.ok(err)
}

// check compares every matrix and every list with the model.
func (m *model[T]) check(limit float64) (worst float64) {
	m.Helper()
	lists := map[ecs.Entity][]ecs.Entity{}
	for _, e := range m.ids {
		if p := m.node[e].parent; p != (ecs.Entity{}) {
			lists[p] = append(lists[p], e)
		}
	}
	checkPlan[T](m.bench)
	for i, e := range m.ids {
		if i%8 == 0 {
			computed, err := transform.ComputeLocalToWorld[T](m.w, e)
			if m.ok(err); !(maxDifference(computed.M, m.matrixOf(e)) <= limit) {
				m.Fatalf("entity %v: on demand the matrix is %v, want %v", e, computed.M, m.matrixOf(e))
			}
		}
		got := get[transform.LocalToWorldOf[T]](m.bench, e)
		d := maxDifference(got.M, m.matrixOf(e))
		if worst = max(worst, d); !(d <= limit) {
			m.Fatalf("entity %v: matrix %v is off by %g, want %v", e, got.M, d, m.matrixOf(e))
		}
		list, want := m.children(e), lists[e]
		slices.SortFunc(list, ecs.Entity.Compare)
		slices.SortFunc(want, ecs.Entity.Compare)
		if !slices.Equal(list, want) {
			m.Fatalf("entity %v: children %v, want %v", e, list, want)
		}
	}
	if m.w.Len() != len(m.ids) {
		m.Fatalf("%d entities, want %d", m.w.Len(), len(m.ids))
	}
	return worst
}

func testAgainstNaive[T kernels.Float](t *testing.T, local bool, limit float64) {
	seeds, frames := 6, 15
	if *full {
		seeds, frames = 24, 40
	}
	pools := []*jobs.Pool{newPool(t, 1), newPool(t, 3)}
	worst, checked, linked := 0.0, 0, 0
	for seed := range seeds {
		m := newModel[T](newBench(t, system.OnPool(pools[seed%2])), local, rand.New(rand.NewPCG(uint64(seed), 23)))
		for range frames {
			for range m.r.IntN(30) {
				m.edit()
			}
			m.update()
			worst = max(worst, m.check(limit))
			checked += len(m.ids)
		}
		linked += m.linked
		m.ok(m.w.Close())
	}
	if checked < seeds*frames || linked < seeds {
		t.Errorf("only %d matrices checked, %d copies with others", checked, linked)
	}
	t.Logf("%d matrices, %d copies with others, worst relative difference %.3g", checked, linked, worst)
}

func TestAgainstNaive(t *testing.T) {
	for name, local := range map[string]bool{"TRS": false, "LocalTransform": true} {
		t.Run(name+"/float32", func(t *testing.T) { testAgainstNaive[float32](t, local, 1e-5) })
		t.Run(name+"/float64", func(t *testing.T) { testAgainstNaive[float64](t, local, 1e-13) })
	}
}
