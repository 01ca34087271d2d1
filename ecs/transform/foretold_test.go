package transform_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// foretold is a world with random changes. Entities with all kinds of components are created and
// destroyed, get parents, sometimes in cycles, and are inactive for some time.
type foretold[T kernels.Float] struct {
	*bench
	r      *rand.Rand
	ids    []ecs.Entity
	below  map[ecs.Entity]bool // had a parent after the last update
	hidden map[ecs.Entity]bool
}

func (f *foretold[T]) any() ecs.Entity { return f.ids[f.r.IntN(len(f.ids))] }

// edit makes one random change.
func (f *foretold[T]) edit() {
	f.Helper()
	if len(f.ids) < 4 || f.r.IntN(6) == 0 {
		f.ids = append(f.ids, spawnAny[T](f.bench, f.r, f.ids))
		return
	}
	e := f.any()
	w, number := f.w, func() T { return T(f.r.Float64()*4 - 2) }
	switch f.r.IntN(10) {
	case 0, 1:
		f.ok(ecs.Add(w, e, transform.Parent{Entity: f.any()}))
		if !ecs.Has[transform.LocalTransformOf[T]](w, e) {
			_, err := ecs.Ensure[transform.LocalToParentOf[T]](w, e)
			f.ok(err)
		}
	case 2:
		err := ecs.RemoveTypes(w, ecs.One(e), ecs.With[transform.Parent]())
		f.ok(err)
	case 3:
		err := ecs.RemoveTypes(w, ecs.One(e), ecs.With[transform.Parent](), ecs.With[transform.LocalToParentOf[T]]())
		f.ok(err)
	case 4:
		f.ok(w.Destroy(e))
		f.ids = slices.DeleteFunc(f.ids, func(o ecs.Entity) bool { return o == e })
		delete(f.hidden, e)
	case 5:
		if ecs.Has[transform.TranslationOf[T]](w, e) {
			f.ok(ecs.Set(w, e, transform.TranslationOf[T]{X: number(), Y: number(), Z: number()}))
		}
	case 6:
		if ecs.Has[transform.LocalTransformOf[T]](w, e) {
			f.ok(ecs.Set(w, e, transform.At(number(), number(), number())))
		}
	case 7:
		if ecs.Has[transform.ScaleOf[T]](w, e) {
			f.ok(ecs.Set(w, e, transform.ScaleOf[T]{Value: 1 + number()/8}))
		}
	case 8:
		if ecs.Has[transform.NonUniformScaleOf[T]](w, e) {
			f.ok(ecs.Set(w, e, transform.NonUniformScaleOf[T]{X: number(), Y: number(), Z: number()}))
		}
	case 9:
		f.hidden[e] = !f.hidden[e]
		f.ok(w.SetActive(e, !f.hidden[e]))
	}
}

// touch writes the LocalTransform of each entity that has lost its parent, because otherwise the entity
// stays at its place.
func (f *foretold[T]) touch() {
	f.Helper()
	for _, e := range f.ids {
		switch {
		case ecs.Has[transform.Parent](f.w, e):
			f.below[e] = true
		case f.below[e]:
			delete(f.below, e)
			if ecs.Has[transform.LocalTransformOf[T]](f.w, e) {
				f.ok(ecs.Set(f.w, e, get[transform.LocalTransformOf[T]](f.bench, e)))
			}
		}
	}
}

// isAlive reports whether e exists and is not just the cleanup components of a destroyed entity.
func (f *foretold[T]) isAlive(e ecs.Entity) bool {
	return ecs.Has[transform.LocalToWorldOf[T]](f.w, e)
}

// These are the faults that an entity's ancestors may have.
const (
	gone   = "one does not exist"
	circle = "in a circle"
)

// fate returns the fault among an entity's ancestors, or "" if its chain of parents ends at a root. It
// also returns whether all entities of the chain are active.
func (f *foretold[T]) fate(e ecs.Entity) (trouble string, active bool) {
	active = true
	for range len(f.ids) + 1 {
		active = active && !f.hidden[e]
		if !ecs.Has[transform.Parent](f.w, e) {
			return "", active
		}
		if e = get[transform.Parent](f.bench, e).Entity; !f.isAlive(e) {
			return gone, active
		}
	}
	return circle, active
}

// isGiven reports whether another system computes the matrix of e or of an ancestor of e. If so, the
// ancestors above that matrix do not matter.
func (f *foretold[T]) isGiven(e ecs.Entity) bool {
	for range len(f.ids) {
		given := transform.IsGiven[T](f.w, e)
		if given || !ecs.Has[transform.Parent](f.w, e) {
			return given
		}
		e = get[transform.Parent](f.bench, e).Entity
		if !f.isAlive(e) {
			return false
		}
	}
	return false
}

func testForetold[T kernels.Float](t *testing.T) {
	seeds, frames := 10, 15
	if *full {
		seeds, frames = 24, 30
	}
	pools := []*jobs.Pool{newPool(t, 1), newPool(t, 3)}
	met := map[string]int{}
	for seed := range seeds {
		f := &foretold[T]{
			newBench(t, system.OnPool(pools[seed%2])), rand.New(rand.NewPCG(uint64(seed), 47)),
			nil, map[ecs.Entity]bool{}, map[ecs.Entity]bool{},
		}
		for frame := range frames {
			for range f.r.IntN(12) {
				f.edit()
			}
			if frame%6 == 5 {
				for e := range f.hidden {
					f.ok(f.w.SetActive(e, true))
				}
				clear(f.hidden)
			}
			f.touch()
			said, troubles, shown := make([]transform.LocalToWorldOf[T], len(f.ids)), make([]string, len(f.ids)), make([]bool, len(f.ids))
			for i, e := range f.ids {
				var err error
				said[i], err = transform.ComputeLocalToWorld[T](f.w, e)
				troubles[i], shown[i] = f.fate(e)
				if troubles[i] == gone && f.isGiven(e) {
					troubles[i] = "" // entities above a given matrix do not matter
				}
				met[troubles[i]]++
				switch trouble := troubles[i]; {
				case trouble == "":
					f.ok(err)
				case !errors.Is(err, ecs.ErrState) || strings.Contains(err.Error(), circle) != (trouble == circle):
					f.Fatalf("seed %d, frame %d: entity %v: error %v, want one that says %q", seed, frame, e, err, trouble)
				}
			}
			var found *transform.CycleError
			if err := f.group.Update(); err != nil && !errors.As(err, &found) {
				f.Fatal(err)
			}
			for i, e := range f.ids {
				if troubles[i] != "" || !shown[i] {
					continue
				}
				met["shown"]++
				if got := get[transform.LocalToWorldOf[T]](f.bench, e); !transform.SameBits(said[i].M, got.M) {
					f.Fatalf("seed %d, frame %d: entity %v of %v: %v before the update, after it %v", seed, frame, e, f.w.ArchetypeOf(e), said[i].M, got.M)
				}
			}
		}
		f.ok(f.w.Close())
	}
	for _, what := range []string{"shown", gone, circle} {
		if met[what] < seeds {
			t.Errorf("only %d were %s: %v", met[what], what, met)
		}
	}
	t.Log(met)
}

// For an active entity whose ancestors are all active, ComputeLocalToWorld returns the matrix that the
// next update computes, bit for bit. It also reports cycles and parents that do not exist.
func TestForetold(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testForetold[float32](t) })
	t.Run("float64", func(t *testing.T) { testForetold[float64](t) })
}
