package transform_test

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// stepmother is a system that gives children another parent in a job. On demand, the job fails in one
// chunk.
type stepmother struct {
	_     system.Before[transform.Group]
	q     *ecs.Query
	to    ecs.Entity
	fails int32 // index of an entity in the chunk that fails
}

func (s *stepmother) Create(u *system.Setup) error {
	s.q = u.Query(ecs.Write[transform.Parent]())
	return nil
}

func (s *stepmother) Update(f *system.Frame) error {
	if s.to != (ecs.Entity{}) {
		f.ParallelFor(s.q, s)
	}
	return nil
}

func (s *stepmother) Chunk(c *ecs.Chunk) {
	if c.Entities()[0].Index == s.fails {
		panic("no")
	}
	parents := *ecs.Column[transform.Parent](c)
	for i := range parents {
		parents[i] = s.to
	}
}

// If a job fails after it has written some Parents, the next frame uses these Parents.
func TestParentsAfterFailedJob(t *testing.T) {
	w, err := system.NewWorld(t.Name(), system.Only(append(transforms(), system.Of[stepmother]())...))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{TB: t, w: w}
	one, two := b.root(transform.Translation{X: 1}), b.root(transform.Translation{X: 2})
	child := b.child(one, transform.Translation{X: 10})
	other := b.child(one, transform.Translation{X: 10}, transform.Scale{Value: 1}) // in a separate chunk
	b.ok(system.Update(w))
	b.wantAt(child, 11, 0, 0)
	s := system.Find[stepmother](w)
	s.to, s.fails = two, other.Index
	if err := system.Update(w); err == nil {
		t.Fatal("no error of the failed job")
	}
	s.to = ecs.Entity{}
	b.ok(system.Update(w))
	b.wantChildren(one, other)
	b.wantChildren(two, child)
	b.wantAt(child, 12, 0, 0)
	b.wantAt(other, 11, 0, 0)
}

// Entities that became active in a failed frame are computed in the next, even if that makes
// another plan.
func TestArrivedInFailedFrame(t *testing.T) {
	w, err := system.NewWorld(t.Name(), system.Only(append(transforms(), system.Of[saboteur[transform.LocalTransform]]())...))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{TB: t, w: w}
	root := b.root(transform.Translation{X: 100})
	child, other := b.spawnLocal(root, transform.At[float32](1, 0, 0)), b.spawnLocal(root, transform.At[float32](2, 0, 0))
	b.ok(system.Update(w))
	b.ok(w.SetActive(child, false))
	b.ok(system.Update(w))
	b.ok(ecs.Set(w, child, transform.At[float32](5, 0, 0)))
	for range 3 {
		b.ok(system.Update(w))
	}
	b.ok(w.SetActive(child, true))
	spy := system.Find[saboteur[transform.LocalTransform]](w)
	for range 3 {
		spy.fails = true
		if err := system.Update(w); err == nil {
			t.Fatal("no error of the failed job")
		}
		spy.fails = false
		b.child(root, transform.Translation{X: 1}) // in another chunk, so there is another plan
	}
	b.ok(system.Update(w))
	b.wantAt(child, 105, 0, 0)
	b.wantAt(other, 102, 0, 0)
}

// If another system no longer computes a matrix, package transform computes it again, with
// LocalTransform as well as with separate components.
func TestGivenBack(t *testing.T) {
	b := newBench(t)
	root := b.spawnLocal(ecs.Entity{}, transform.At[float32](1, 0, 0))
	child := b.spawnLocal(root, transform.At[float32](1, 0, 0), owned{})
	leaf := b.spawnLocal(child, transform.At[float32](1, 0, 0))
	b.update()
	m := transform.LocalToWorld{M: transform.IdentityMatrix[float32]()}
	m.M[12] = 50
	b.ok(ecs.Set(b.w, child, m))
	for range 3 {
		b.update()
	}
	b.wantAt(leaf, 51, 0, 0)
	_, err := ecs.Remove[owned](b.w, child)
	b.ok(err)
	b.update()
	b.wantAt(child, 2, 0, 0)
	b.wantAt(leaf, 3, 0, 0)
}

// If an entity is no longer a prefab, its matrix is computed from its transform.
func TestNoPrefabAnyMore(t *testing.T) {
	b := newBench(t)
	e := b.spawnLocal(ecs.Entity{}, transform.At[float32](1, 0, 0), ecs.Prefab{})
	b.spawnLocal(ecs.Entity{}, transform.At[float32](2, 0, 0))
	for range 3 {
		b.update()
	}
	_, err := ecs.Remove[ecs.Prefab](b.w, e)
	b.ok(err)
	b.update()
	b.wantAt(e, 1, 0, 0)
}

// A job that writes Parent fails, so an update ends in the middle of its planning. The plan of the
// next update must contain the nodes that were created, destroyed or moved in the update that
// failed.
func TestPlanAfterFailure(t *testing.T) {
	w, err := system.NewWorld(t.Name(), system.Only(append(transforms(), system.Of[saboteur[transform.PreviousParent]]())...))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{TB: t, w: w}
	root, other := b.root(transform.Translation{X: 10}), b.root(transform.Translation{X: 20})
	child, stays := b.child(root, transform.Translation{X: 1}), b.child(other, transform.Translation{X: 2})
	leaf := b.child(child, transform.Translation{X: 1})
	b.ok(system.Update(w))
	spy := system.Find[saboteur[transform.PreviousParent]](w)
	spy.fails = true
	b.ok(ecs.Add(w, child, transform.Scale{Value: 1})) // to another archetype and chunk
	b.ok(w.Destroy(stays))
	if err := system.Update(w); err == nil {
		t.Fatal("no error of the failed job")
	}
	spy.fails = false
	for i := range 3 {
		b.ok(system.Update(w))
		x := float32(i)
		b.wantAt(leaf, 12+x, 0, 0)
		b.ok(ecs.Set(w, child, transform.Translation{X: 2 + x}))
	}
}
