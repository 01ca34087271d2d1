package transform_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// bench is a world with the systems of this package and no others.
type bench struct {
	testing.TB
	w     *ecs.World
	group *system.Instance
}

func newBench(t testing.TB, opts ...system.Option) *bench {
	t.Helper()
	w, err := system.NewWorld(t.Name(), append(opts, system.Only(transforms()...))...)
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t, w, system.InstanceOf(w, system.Find[transform.Group](w))}
}

// transforms are the types of this package.
func transforms() []*system.Type {
	types := []*system.Type{system.Of[transform.Group](), system.Of[transform.Parents]()}
	return append(append(types, transformsOf[float32]()...), transformsOf[float64]()...)
}

func transformsOf[T kernels.Float]() []*system.Type {
	return []*system.Type{
		system.Of[transform.TRSToLocalToWorldOf[T]](), system.Of[transform.LocalTransformToWorldOf[T]](),
		system.Of[transform.TRSToLocalToParentOf[T]](), system.Of[transform.HierarchyOf[T]](),
	}
}

// update runs the group and completes its jobs.
func (b *bench) update() {
	b.Helper()
	b.ok(b.group.Update())
	b.ok(b.w.Sync())
}

func (b *bench) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// root creates an entity without a parent, and child one with a parent.
func (b *bench) root(values ...any) ecs.Entity {
	return b.w.Spawn(append(values, transform.LocalToWorld{})...)
}

func (b *bench) child(parent ecs.Entity, values ...any) ecs.Entity {
	return b.w.Spawn(append(values, transform.Parent{Entity: parent}, transform.LocalToParent{}, transform.LocalToWorld{})...)
}

func get[C any](b *bench, e ecs.Entity) C {
	b.Helper()
	v, err := ecs.Get[C](b.w, e)
	b.ok(err)
	return v
}

// wantAt checks the place of an entity.
func (b *bench) wantAt(e ecs.Entity, x, y, z float32) {
	b.Helper()
	l := get[transform.LocalToWorld](b, e)
	gx, gy, gz := l.Position()
	if d := max(math.Abs(float64(gx-x)), math.Abs(float64(gy-y)), math.Abs(float64(gz-z))); !(d < 1e-5) {
		b.Errorf("entity %v is at (%v, %v, %v), want (%v, %v, %v)", e, gx, gy, gz, x, y, z)
	}
}

// wantChildren checks the list of children of e, in order.
func (b *bench) wantChildren(e ecs.Entity, want ...ecs.Entity) {
	b.Helper()
	got := b.children(e)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		b.Errorf("children of %v are %v, want %v", e, got, want)
	}
}

func (b *bench) children(e ecs.Entity) (ids []ecs.Entity) {
	b.Helper()
	if !ecs.Has[transform.Children](b.w, e) {
		return nil
	}
	for _, c := range get[transform.Children](b, e).Slice() {
		ids = append(ids, c.Entity)
	}
	return ids
}

// rotationAbout returns a rotation by angle about an axis.
func rotationAbout[T kernels.Float](x, y, z, angle float64) transform.RotationOf[T] {
	s, c := math.Sincos(angle / 2)
	return transform.RotationOf[T]{X: T(x * s), Y: T(y * s), Z: T(z * s), W: T(c)}
}

// newPool creates a pool that is closed when the test ends.
func newPool(tb testing.TB, workers int) *jobs.Pool {
	tb.Helper()
	p := jobs.New(jobs.Workers(workers))
	tb.Cleanup(func() {
		if err := p.Close(); err != nil {
			tb.Error(err)
		}
	})
	return p
}

// eachPool runs a test with pools of several sizes.
func eachPool(t *testing.T, test func(t *testing.T, pool *jobs.Pool)) {
	eachOf(t, anyWorkers, test)
}

// anyWorkers are the numbers of workers of test pools.
var anyWorkers = []int{1, 2, 3, 8, 64}

// eachOf is eachPool for the given numbers of workers.
func eachOf(t *testing.T, workers []int, test func(t *testing.T, pool *jobs.Pool)) {
	for _, n := range workers {
		t.Run(fmt.Sprintf("workers=%d", n), func(t *testing.T) {
			pool := newPool(t, n)
			test(t, pool)
		})
	}
}
