package transform_test

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
)

// If a root with LocalTransform is new to the system, it gets its matrix, whatever matrix it had
// before. The test writes no LocalTransform after the creation of the entities.
func TestLocalTransformNewRoot(t *testing.T) {
	for name, test := range map[string]func(b *bench) ecs.Entity{
		"LocalToWorld late": func(b *bench) ecs.Entity {
			e := b.w.Spawn(transform.At[float32](4, 0, 0))
			b.update()
			b.update()
			b.ok(ecs.Add(b.w, e, transform.LocalToWorld{}))
			return e
		},
		"LocalToWorld late and given": func(b *bench) ecs.Entity {
			e := b.w.Spawn(transform.At[float32](4, 0, 0))
			b.update()
			b.ok(ecs.Add(b.w, e, transform.LocalToWorld{M: transform.IdentityMatrix[float32]()}))
			return e
		},
		"parent died before the link": func(b *bench) ecs.Entity {
			parent := b.spawnLocal(ecs.Entity{}, transform.At[float32](1, 0, 0))
			e := b.spawnLocal(parent, transform.At[float32](4, 0, 0), ecs.Inactive{})
			b.update()
			b.ok(b.w.Destroy(parent))
			b.update()
			b.ok(b.w.SetActive(e, true))
			return e
		},
		"parent removed before the link": func(b *bench) ecs.Entity {
			parent := b.spawnLocal(ecs.Entity{}, transform.At[float32](1, 0, 0))
			e := b.spawnLocal(parent, transform.At[float32](4, 0, 0), ecs.Inactive{})
			b.update()
			_, err := ecs.Remove[transform.Parent](b.w, e)
			b.ok(err)
			b.update()
			b.ok(b.w.SetActive(e, true))
			return e
		},
		"owner removed": func(b *bench) ecs.Entity {
			e := b.spawnLocal(ecs.Entity{}, transform.At[float32](4, 0, 0), owned{})
			b.update()
			l := transform.LocalToWorld{M: transform.IdentityMatrix[float32]()}
			l.M[12] = 9
			b.ok(ecs.Set(b.w, e, l))
			b.update()
			b.wantAt(e, 9, 0, 0)
			_, err := ecs.Remove[owned](b.w, e)
			b.ok(err)
			return e
		},
		"other set removed": func(b *bench) ecs.Entity {
			e := b.spawnLocal(ecs.Entity{}, transform.At[float32](4, 0, 0), transform.Translation{X: 2})
			b.update()
			b.update()
			_, err := ecs.Remove[transform.Translation](b.w, e)
			b.ok(err)
			return e
		},
		"PostTransformMatrix removed": func(b *bench) ecs.Entity {
			e := b.spawnLocal(ecs.Entity{}, transform.At[float32](4, 0, 0), transform.PostTransformMatrix{M: [16]float32{0: 2, 5: 2, 10: 2, 12: 1, 15: 1}})
			b.update()
			b.wantAt(e, 5, 0, 0)
			_, err := ecs.Remove[transform.PostTransformMatrix](b.w, e)
			b.ok(err)
			return e
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.spawnLocal(ecs.Entity{}, transform.At[float32](1, 0, 0)) // in the chunk that it comes to
			b.update()
			e := test(b)
			b.update()
			b.wantAt(e, 4, 0, 0)
			if l := get[transform.LocalToWorld](b, e); l.M[0] != 1 {
				t.Errorf("scale %v", l.M[0])
			}
			version := ecs.ChangeVersion[transform.LocalToWorld](b.w, e)
			b.update()
			if ecs.ChangeVersion[transform.LocalToWorld](b.w, e) != version {
				t.Error("written again, and nothing has changed")
			}
		})
	}
}

// A child that has lost its PostTransformMatrix gets its matrix too, even if no LocalTransform is
// written.
func TestPostTransformRemovedFromChild(t *testing.T) {
	b := newBench(t)
	root := b.spawnLocal(ecs.Entity{}, transform.At[float32](1, 0, 0))
	child := b.spawnLocal(root, transform.At[float32](4, 0, 0), transform.PostTransformMatrix{M: [16]float32{0: 2, 5: 2, 10: 2, 12: 1, 15: 1}})
	leaf := b.spawnLocal(child, transform.At[float32](1, 0, 0))
	b.update()
	b.wantAt(leaf, 8, 0, 0)
	_, err := ecs.Remove[transform.PostTransformMatrix](b.w, child)
	b.ok(err)
	b.update()
	b.wantAt(child, 5, 0, 0)
	b.wantAt(leaf, 6, 0, 0)
}

// A child that has lost its parent stays in place until a LocalTransform in the chunk is written,
// even if other rows are added to its chunk or removed from it.
func TestLocalTransformStays(t *testing.T) {
	b := newBench(t)
	one, two := b.spawnLocal(ecs.Entity{}, transform.At[float32](10, 0, 0), modelTag{}), b.spawnLocal(ecs.Entity{}, transform.At[float32](20, 0, 0), modelTag{})
	first, second := b.spawnLocal(one, transform.At[float32](1, 0, 0)), b.spawnLocal(two, transform.At[float32](2, 0, 0))
	hidden := b.spawnLocal(one, transform.At[float32](3, 0, 0))
	b.update()
	at := func() {
		t.Helper()
		b.wantAt(first, 11, 0, 0)
		b.wantAt(second, 22, 0, 0)
		b.wantAt(hidden, 13, 0, 0)
	}
	b.ok(b.w.SetActive(hidden, false))
	_, err := ecs.Remove[transform.Parent](b.w, hidden)
	b.ok(err)
	_, err = ecs.Remove[transform.Parent](b.w, first)
	b.ok(err)
	b.ok(b.w.Destroy(two))
	b.update()
	at()
	b.ok(b.w.SetActive(hidden, true))
	late := b.spawnLocal(one, transform.At[float32](5, 0, 0), owned{})
	b.update()
	at()
	_, err = ecs.Remove[transform.Parent](b.w, late) // comes to their chunk without a write
	b.ok(err)
	_, err = ecs.Remove[owned](b.w, late)
	b.ok(err)
	b.update()
	at()
	b.ok(b.w.Destroy(late))
	b.update()
	at()
	b.ok(ecs.Set(b.w, second, transform.At[float32](2, 0, 0)))
	b.update()
	b.wantAt(first, 1, 0, 0)
	b.wantAt(second, 2, 0, 0)
	b.wantAt(hidden, 3, 0, 0)
	_, err = ecs.Remove[transform.LocalToWorld](b.w, first)
	b.ok(err)
	b.ok(ecs.Add(b.w, first, transform.LocalToWorld{}))
	b.update()
	b.wantAt(first, 1, 0, 0)
}
