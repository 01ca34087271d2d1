package transform_test

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/fnv"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// goldenFamilies is the hash of the matrices of TestGoldenFamilies. The hash is the same on every
// machine and path, with any number of workers.
const goldenFamilies = 0x1275e982ad12c5da

// draw is the linear congruential generator modulo 2³² of Numerical Recipes, without its lowest
// bits.
type draw uint32

func (d *draw) next() int {
	*d = *d*1664525 + 1013904223
	return int(*d >> 8)
}

// intBelow returns an integer in [0, n).
func (d *draw) intBelow(n int) int { return (d.next() >> 4) % n }

// number returns a number from −4 to 4 that both widths represent exactly.
func randomNumber[T kernels.Float](d *draw) T { return T(d.next()-1<<23) / (1 << 21) }

// nearOne returns a scale near 1.
func nearOne[T kernels.Float](d *draw) T { return 1 + randomNumber[T](d)/64 }

func randomTranslation[T kernels.Float](d *draw) transform.TranslationOf[T] {
	return transform.TranslationOf[T]{X: randomNumber[T](d), Y: randomNumber[T](d), Z: randomNumber[T](d)}
}

func randomRotation[T kernels.Float](d *draw) transform.RotationOf[T] {
	q := kernels.Quats[T]{X: []T{randomNumber[T](d)}, Y: []T{randomNumber[T](d)}, Z: []T{randomNumber[T](d)}, W: []T{randomNumber[T](d)}}
	q.Normalize(&q)
	return transform.RotationOf[T]{X: q.X[0], Y: q.Y[0], Z: q.Z[0], W: q.W[0]}
}

func randomScale[T kernels.Float](d *draw) transform.ScaleOf[T] {
	return transform.ScaleOf[T]{Value: nearOne[T](d)}
}

func randomUneven[T kernels.Float](d *draw) transform.NonUniformScaleOf[T] {
	return transform.NonUniformScaleOf[T]{X: nearOne[T](d), Y: -nearOne[T](d), Z: nearOne[T](d)}
}

func randomLocal[T kernels.Float](d *draw) transform.LocalTransformOf[T] {
	t, r := randomTranslation[T](d), randomRotation[T](d)
	return transform.LocalTransformOf[T]{X: t.X, Y: t.Y, Z: t.Z, Scale: nearOne[T](d), QX: r.X, QY: r.Y, QZ: r.Z, QW: r.W}
}

// sheared returns an affine matrix with a shear.
func sheared[T kernels.Float](d *draw) [16]T {
	return [16]T{
		1, randomNumber[T](d) / 8, 0, 0, 0, nearOne[T](d), 0, 0, randomNumber[T](d) / 8, 0, 1, 0,
		randomNumber[T](d), randomNumber[T](d), randomNumber[T](d), 1,
	}
}

// goldenFamily returns the components of an entity in addition to Parent.
type goldenFamily[T kernels.Float] func(d *draw, child bool) []any

// families returns the families of components from which the systems compose matrices, for roots
// and for children.
func families[T kernels.Float]() []goldenFamily[T] {
	parts := func(values ...func(d *draw) any) goldenFamily[T] {
		return func(d *draw, child bool) (list []any) {
			for _, v := range values {
				list = append(list, v(d))
			}
			if child {
				list = append(list, transform.LocalToParentOf[T]{})
			}
			return list
		}
	}
	t := func(d *draw) any { return randomTranslation[T](d) }
	r := func(d *draw) any { return randomRotation[T](d) }
	s := func(d *draw) any { return randomScale[T](d) }
	n := func(d *draw) any { return randomUneven[T](d) }
	return []goldenFamily[T]{
		parts(t), parts(r), parts(s), parts(n), parts(t, r), parts(t, r, s), parts(t, r, n), parts(r, s, n),
		func(d *draw, _ bool) []any { return []any{randomLocal[T](d)} },
		func(d *draw, _ bool) []any {
			return []any{randomLocal[T](d), transform.PostTransformMatrixOf[T]{M: sheared[T](d)}}
		},
		func(d *draw, _ bool) []any { // LocalToParent is ignored here
			return []any{randomLocal[T](d), transform.LocalToParentOf[T]{M: sheared[T](d)}}
		},
		func(d *draw, child bool) []any { // a matrix that the program sets
			if child {
				return []any{transform.LocalToParentOf[T]{M: sheared[T](d)}}
			}
			return []any{transform.LocalToWorldOf[T]{M: sheared[T](d)}}
		},
	}
}

// values returns the components of an entity of a family, with LocalToWorld.
func (f goldenFamily[T]) values(d *draw, child bool) []any {
	list := f(d, child)
	if !slices.ContainsFunc(list, func(v any) bool { _, ok := v.(transform.LocalToWorldOf[T]); return ok }) {
		list = append(list, transform.LocalToWorldOf[T]{})
	}
	return list
}

// orchard is a world of trees whose nodes have one width, or both.
type orchard struct {
	testing.TB
	w     *ecs.World
	d     draw
	nodes []ecs.Entity
	level map[ecs.Entity]int // number of parents of an entity when it was spawned; later parents have fewer
	make  func(d *draw, family int, child bool) []any
	count int // number of families
}

func (g *orchard) ok(err error) {
	g.Helper()
	if err != nil {
		g.Fatal(err)
	}
}

// spawn makes one entity of a random family on a level.
func (g *orchard) spawn(level int) {
	family := g.d.intBelow(g.count)
	values := g.make(&g.d, family, level > 0)
	if level > 0 {
		values = append(values, transform.Parent{Entity: g.entityAbove(level)})
	}
	e := g.w.Spawn(values...)
	g.nodes = append(g.nodes, e)
	g.level[e] = level
}

// entityAbove returns a random entity of the level before.
func (g *orchard) entityAbove(level int) ecs.Entity {
	for {
		if e := g.nodes[g.d.intBelow(len(g.nodes))]; g.level[e] == level-1 && g.isAlive(e) {
			return e
		}
	}
}

// goldenSet sets C of an entity that has C.
func goldenSet[C any](g *orchard, e ecs.Entity, v C) {
	if ecs.Has[C](g.w, e) {
		g.ok(ecs.Set(g.w, e, v))
	}
}

// changePart writes, adds or removes one of the components of an entity.
func changePart[T kernels.Float](g *orchard, e ecs.Entity) {
	w, d := g.w, &g.d
	switch d.intBelow(9) {
	case 0, 1:
		goldenSet(g, e, randomTranslation[T](d))
	case 2:
		goldenSet(g, e, randomRotation[T](d))
	case 3:
		goldenSet(g, e, randomScale[T](d))
		goldenSet(g, e, randomUneven[T](d))
	case 4, 5:
		goldenSet(g, e, randomLocal[T](d))
	case 6:
		goldenSet(g, e, transform.PostTransformMatrixOf[T]{M: sheared[T](d)})
	case 7: // adds or removes a component
		switch {
		case !ecs.Has[transform.LocalTransformOf[T]](w, e):
			if had, err := ecs.Remove[transform.NonUniformScaleOf[T]](w, e); !had {
				g.ok(err)
				g.ok(ecs.Add(w, e, randomUneven[T](d)))
			}
		case ecs.Has[transform.PostTransformMatrixOf[T]](w, e):
			_, err := ecs.Remove[transform.PostTransformMatrixOf[T]](w, e)
			g.ok(err)
		default:
			g.ok(ecs.Add(w, e, transform.PostTransformMatrixOf[T]{M: sheared[T](d)}))
		}
	case 8: // sets a matrix, with or without other components
		if ecs.Has[transform.LocalToWorldOf[T]](w, e) {
			g.ok(ecs.Set(w, e, transform.LocalToWorldOf[T]{M: sheared[T](d)}))
		}
	}
}

// relink gives an entity another parent of the level before, removes its parent, deactivates it for
// some frames, or destroys it.
func (g *orchard) relink(e ecs.Entity) {
	w, level := g.w, g.level[e]
	switch g.d.intBelow(6) {
	case 0, 1, 2:
		if level > 0 && ecs.Has[transform.Parent](w, e) {
			g.ok(ecs.Set(w, e, transform.Parent{Entity: g.entityAbove(level)}))
		}
	case 3:
		g.ok(ecs.RemoveTypes(w, ecs.One(e), ecs.With[transform.Parent](), ecs.With[transform.LocalToParent](), ecs.With[transform.LocalToParent64]()))
	case 4:
		g.ok(w.SetActive(e, ecs.Has[ecs.Inactive](w, e)))
	case 5:
		if level == 2 {
			g.ok(w.Destroy(e))
		}
	}
}

// hashMatrix adds the matrices of an entity to a hash. Both widths are hashed in float64, which holds float32 exactly.
func hashMatrix[T kernels.Float](g *orchard, h hash.Hash64, e ecs.Entity) {
	var list [][16]T
	if ecs.Has[transform.LocalToWorldOf[T]](g.w, e) {
		l, err := ecs.Get[transform.LocalToWorldOf[T]](g.w, e)
		g.ok(err)
		list = append(list, l.M)
	}
	if ecs.Has[transform.LocalToParentOf[T]](g.w, e) {
		l, err := ecs.Get[transform.LocalToParentOf[T]](g.w, e)
		g.ok(err)
		list = append(list, l.M)
	}
	for _, m := range list {
		if slices.ContainsFunc(m[:], func(v T) bool { return v != v }) {
			g.Errorf("entity %v has %v: the bits of NaN are not the same on every machine", e, m)
		}
		g.ok(binary.Write(h, binary.LittleEndian, m[:]))
	}
}

// hashFrames grows an orchard over four levels and adds its matrices to the hash after each of
// eight frames with changes.
func hashFrames(g *orchard, h hash.Hash64) {
	for level, n := range []int{60, 150, 250, 250, 150} {
		for range n {
			g.spawn(level)
		}
	}
	for frame := range 8 {
		if frame > 0 {
			for range 60 {
				if e := g.nodes[g.d.intBelow(len(g.nodes))]; g.isAlive(e) {
					changePart[float32](g, e)
					changePart[float64](g, e)
				}
			}
			for range 30 {
				if e := g.nodes[g.d.intBelow(len(g.nodes))]; g.isAlive(e) {
					g.relink(e)
				}
			}
			for range 10 {
				g.spawn(1 + g.d.intBelow(4))
			}
		}
		g.ok(system.Update(g.w))
		g.ok(g.w.Sync())
		for _, e := range g.nodes {
			if g.w.Exists(e) {
				fmt.Fprintf(h, "%dv%d", e.Index, e.Version) // the text of an entity when the golden value was made
				hashMatrix[float32](g, h, e)
				hashMatrix[float64](g, h, e)
			}
		}
	}
}

// isAlive reports whether an entity was not destroyed. A destroyed child keeps its cleanup components
// until the next update.
func (g *orchard) isAlive(e ecs.Entity) bool {
	return ecs.Has[transform.LocalToWorld](g.w, e) || ecs.Has[transform.LocalToWorld64](g.w, e)
}

// TestGoldenFamilies checks the bits of all matrices of all families, in float32, in float64 and
// with both widths in one entity. The test covers roots and children of all families, four
// levels of parents, and eight frames in which components and parents change.
func TestGoldenFamilies(t *testing.T) {
	narrow, wide := families[float32](), families[float64]()
	widths := []func(d *draw, family int, child bool) []any{
		func(d *draw, family int, child bool) []any { return narrow[family].values(d, child) },
		func(d *draw, family int, child bool) []any { return wide[family].values(d, child) },
		func(d *draw, family int, child bool) []any {
			return append(narrow[family].values(d, child), wide[d.intBelow(len(wide))].values(d, child)...)
		},
	}
	test := func(t *testing.T, workers int) {
		t.Helper()
		pool := jobs.New(jobs.Workers(workers))
		defer pool.Close()
		h := fnv.New64a()
		for _, values := range widths {
			w, err := system.NewWorld(t.Name(), system.OnPool(pool), system.Only(), system.WithPlugins(transform.Systems()))
			if err != nil {
				t.Fatal(err)
			}
			g := &orchard{TB: t, w: w, d: 12345, level: map[ecs.Entity]int{}, make: values, count: len(narrow)}
			hashFrames(g, h)
			g.ok(w.Close())
		}
		if got := h.Sum64(); got != goldenFamilies {
			t.Errorf("the hash is %#016x, want %#016x", got, uint64(goldenFamilies))
		}
	}
	for _, workers := range []int{1, 2, 3, 8} {
		t.Run(fmt.Sprintf("workers=%d", workers), func(t *testing.T) { test(t, workers) })
	}
	best := kernels.Path()
	defer func() {
		if err := kernels.Use(best); err != nil {
			t.Error(err)
		}
	}()
	for _, path := range kernels.Paths() {
		t.Run("path="+path, func(t *testing.T) {
			if err := kernels.Use(path); err != nil {
				t.Fatal(err)
			}
			test(t, 2)
		})
	}
}
