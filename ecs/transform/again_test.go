package transform_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// A derived component that is removed and added again between two updates gets its value back. The
// test covers every way to compose a matrix, with the entity alone or among other rows of its
// chunk, and in two chunks.
func TestAddedAgain(t *testing.T) {
	t.Run("float32", testAddedAgain[float32])
	t.Run("float64", testAddedAgain[float64])
}

// derived is a component that systems compute.
type derived struct {
	name  string
	again func(w *ecs.World, e ecs.Entity) error
	value func(w *ecs.World, e ecs.Entity) any
	by    string // the set of components that makes it for a child; "" for all
}

func derivedOf[C any](name, by string) derived {
	return derived{name, addAgain[C], func(w *ecs.World, e ecs.Entity) any {
		if !ecs.Has[C](w, e) {
			return nil
		}
		c, err := ecs.Get[C](w, e)
		if err != nil {
			panic(err)
		}
		return c
	}, by}
}

func testAddedAgain[T kernels.Float](t *testing.T) {
	pool := jobs.New(jobs.Workers(2))
	defer pool.Close()
	m := transform.IdentityMatrix[T]()
	m[12] = 3
	sets := map[string][]any{
		"translation":     {transform.TranslationOf[T]{X: 1}, transform.LocalToParentOf[T]{}},
		"uneven":          {transform.RotationOf[T]{Z: 0.6, W: 0.8}, transform.NonUniformScaleOf[T]{X: 1, Y: 2, Z: 3}, transform.LocalToParentOf[T]{}},
		"LocalTransform":  {transform.At[T](1, 0, 0)},
		"with post":       {transform.At[T](1, 0, 0), transform.PostTransformMatrixOf[T]{M: m}},
		"both":            {transform.At[T](1, 0, 0), transform.PostTransformMatrixOf[T]{M: m}, transform.LocalToParentOf[T]{}},
		"a given matrix":  {transform.LocalToParentOf[T]{M: m}},
		"given and label": {transform.LocalToParentOf[T]{M: m}, label{}},
	}
	all := []derived{
		derivedOf[transform.LocalToWorldOf[T]]("LocalToWorld", ""),
		derivedOf[transform.LocalToParentOf[T]]("LocalToParent", "translation uneven"),
	}
	for name, set := range sets {
		for _, d := range all {
			if d.by != "" && !strings.Contains(d.by, name) {
				continue
			}
			for _, others := range []int{0, 1, 300} {
				w, err := system.NewWorld(name, system.OnPool(pool), system.Only(), system.WithPlugins(transform.Systems()))
				if err != nil {
					t.Fatal(err)
				}
				f := &woods[T]{TB: t, w: w}
				root := w.Spawn(transform.TranslationOf[T]{Y: 5}, transform.ScaleOf[T]{Value: 2}, transform.LocalToWorldOf[T]{})
				values := append([]any{transform.LocalToWorldOf[T]{}, transform.Parent{Entity: root}}, set...)
				list := []ecs.Entity{w.Spawn(values...)}
				for range others {
					list = append(list, w.Spawn(values...))
				}
				below := w.Spawn(transform.At[T](0, 0, 1), transform.LocalToWorldOf[T]{}, transform.Parent{Entity: list[0]})
				f.ok(f.update())
				f.ok(f.update())
				r := rand.New(rand.NewPCG(1, uint64(others)))
				for _, e := range []ecs.Entity{list[0], list[r.IntN(len(list))], list[len(list)-1]} {
					want, wantBelow := d.value(w, e), readPart[transform.LocalToWorldOf[T]](f, below)
					f.ok(d.again(w, e))
					f.ok(f.update())
					if got := d.value(w, e); got != want {
						t.Errorf("%s, %d others: %s is %v after it was added again, was %v", name, others, d.name, got, want)
					}
					if got := readPart[transform.LocalToWorldOf[T]](f, below); got != wantBelow {
						t.Errorf("%s, %d others: LocalToWorld of the child is %v after %s was added again, was %v", name, others, got, d.name, wantBelow)
					}
				}
				f.ok(w.Close())
			}
		}
	}
}

func readPart[C any, T kernels.Float](f *woods[T], e ecs.Entity) C {
	f.Helper()
	c, err := ecs.Get[C](f.w, e)
	f.ok(err)
	return c
}
