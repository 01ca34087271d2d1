package render

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// drift is a system that moves all drawable entities and all cameras a little.
type drift struct {
	_      system.In[system.Simulation]
	moving *ecs.Query
	by     float32
}

func (d *drift) Create(s *system.Setup) error {
	d.moving = s.Query(ecs.Write[transform.LocalToWorld]())
	return nil
}

func (d *drift) Update(f *system.Frame) error {
	if d.by == 0 {
		return nil
	}
	d.by = -d.by
	f.ParallelFor(d.moving, d)
	return nil
}

func (d *drift) Chunk(c *ecs.Chunk) {
	m := ecs.Column[transform.LocalToWorld](c).M
	for i := range m {
		m[i][12] += d.by
	}
}

// sum is a renderer that reads all batches and keeps nothing.
type sum struct {
	pen
	rows  int
	fresh int
	dst   [][16]float32
}

func (s *sum) Begin(*Frame) error { s.rows = 0; return nil }
func (s *sum) End() error         { return nil }
func (s *sum) Draw(v *View) error {
	if v.Fresh {
		s.fresh++
	}
	for i := range v.Batches {
		for p := range v.Batches[i].Parts() {
			s.rows += p.Count
		}
	}
	return v.Gather(s.dst, nil, nil)
}

// crew creates a world with several looks, tints and hidden rows in many chunks, and three cameras.
func crew(t testing.TB, n, workers int, speed float32) (*stage, *drift, *sum) {
	s := newStage(t, onWorkers(t, workers))
	r := &sum{pen: pen{width: 300, height: 200}, dst: make([][16]float32, 8*n)}
	s.ok(Install(s.w, Options{Renderer: r, Assets: s.assets}))
	s.pen = &r.pen
	d := &drift{by: speed}
	s.ok(system.Adopt(s.w, d))
	s.ok(system.GetOrCreate[system.Simulation](s.w).Add(d))
	unit := transform.LocalToWorld{M: transform.IdentityMatrix[float32]()}
	for k := range 8 {
		look := square
		look.Layer = int32(k % 2)
		if k%4 == 3 {
			look.Material = MaterialNamed("glass")
		}
		values := []any{look, unit}
		if k&1 != 0 {
			values = append(values, Tint{white})
		}
		if k&4 != 0 {
			values = append(values, Hidden{})
		}
		model := s.w.Spawn(values...)
		if k&4 != 0 {
			s.ok(ecs.SetEnabled[Hidden](s.w, model, false))
		}
		_, err := s.w.Instantiate(model, n/8)
		s.ok(err)
	}
	i := 0
	q := s.w.Query(ecs.Write[transform.LocalToWorld]())
	for c := range q.Chunks() {
		m := ecs.Column[transform.LocalToWorld](c).M
		for k := range m {
			m[k][12], m[k][13], m[k][14] = float32(i%97)-48, float32(i%89)-44, -float32(i%13)
			i++
		}
	}
	s.w.Spawn(Camera{Height: 40}, unit)
	s.w.Spawn(Camera{FOV: 1, Order: 1, X: 0.5, W: 0.5}, unit)
	s.w.Spawn(Camera{Height: 10, Sort: SortY, H: 0.5})
	return s, d, r
}

// checkNoAllocs checks that f allocates nothing in the steady state.
func checkNoAllocs(t *testing.T, what string, f func()) {
	t.Helper()
	for range 40 {
		f()
	}
	n := testing.AllocsPerRun(20, f)
	for round := 0; n != 0 && round < 10; round++ {
		n = testing.AllocsPerRun(20, f) // a worker that has slept allocates once
	}
	if n != 0 && !checked {
		t.Errorf("%s allocates %v times", what, n)
	}
}

// A frame allocates nothing, whether everything moves or nothing does. Single systems that the
// program updates outside of frames allocate nothing either.
//
// Conformance: 429
func TestSteady(t *testing.T) {
	for _, workers := range steadyWorkers() {
		for _, speed := range []float32{0, 0.25} {
			s, _, r := crew(t, 3000, workers, speed)
			checkNoAllocs(t, fmt.Sprintf("%d workers, speed %v: a frame", workers, speed), s.frame)
			if r.rows == 0 {
				t.Fatal("nothing is drawn")
			}
			var turns []*system.Instance
			for _, in := range system.Instances(s.w) {
				switch in.System().(type) {
				case *MissingBounds, *Bootstrap, *UpdateBounds, *DrawMeshes, *drift:
					turns = append(turns, in)
				}
			}
			checkNoAllocs(t, fmt.Sprintf("%d workers, speed %v: an update outside of frames", workers, speed), func() {
				for _, in := range turns {
					s.ok(in.Update())
				}
			})
		}
	}
}

// steadyWorkers returns the numbers of workers with which frames allocate nothing.
func steadyWorkers() []int {
	if testing.Short() {
		return []int{2}
	}
	return []int{1, 2, 3}
}

// A frame without changes creates no batches. A frame with a few changes examines only the changed
// rows.
//
// Conformance: 416
func TestUnchanged(t *testing.T) {
	s, d, r := crew(t, 3000, 2, 0)
	s.frame()
	scene := sceneOf(s.w)
	look := func(fresh int) {
		t.Helper()
		build := scene.slots.build
		r.fresh = 0
		s.frame()
		if r.fresh != fresh || fresh == 0 && scene.slots.build != build {
			t.Errorf("%d of 3 views are fresh, want %d; chunks looked at: %v", r.fresh, fresh, scene.slots.build != build)
		}
	}
	look(0)
	look(0)
	filled := func() (n int) {
		for i := range scene.slots.list {
			if scene.slots.list[i].builtAt == scene.slots.build {
				n++
			}
		}
		return n
	}
	one := scene.slots.lanes[5].firstEntity
	before := ecs.ChangeVersion[WorldBounds](s.w, scene.slots.lanes[6].firstEntity)
	s.ok(ecs.Set(s.w, one, transform.LocalToWorld{M: transform.IdentityMatrix[float32]()}))
	look(3)
	if n := filled(); n != 1 {
		t.Errorf("a matrix was written: %d chunks were looked at, of %d", n, len(scene.slots.list))
	}
	if after := ecs.ChangeVersion[WorldBounds](s.w, scene.slots.lanes[6].firstEntity); after != before {
		t.Error("the boxes of another chunk were computed again")
	}
	look(0)
	s.ok(ecs.SetEnabled[Hidden](s.w, scene.slots.lanes[len(scene.slots.lanes)-1].firstEntity, true))
	look(3)
	if n := filled(); n != 1 {
		t.Errorf("a row was hidden: %d chunks were looked at", n)
	}
	s.ok(s.w.Destroy(one))
	look(3)
	if n := filled(); n > 3 {
		t.Errorf("an entity has ended: %d chunks were looked at, of %d", n, len(scene.slots.list))
	}
	s.ok(ecs.Set(s.w, ViewsOf(s.w)[0].Entity, Camera{Height: 41}))
	look(1)
	d.by = 1
	look(3)
	s.compare("at the end")
}

// Frames with levels and interpolation also allocate nothing, and while nothing changes, they examine
// no rows.
//
// Conformance: 429
func TestSteadyLevels(t *testing.T) {
	for _, workers := range steadyWorkers() {
		for _, speed := range []float32{0, 0.25} {
			s, _, r := crew(t, 1000, workers, speed)
			top := s.w.Spawn(Levels{Distances: [8]float32{70}, Hysteresis: 0.1}, matrixAt(0, 0, 0))
			model := s.w.Spawn(Levels{Distances: [8]float32{30, 60}, Parent: Level{Group: top}}, matrixAt(0, 0, -30), ecs.Prefab{})
			groups, err := s.w.Instantiate(model, 600)
			s.ok(err)
			for k, g := range groups {
				s.w.Spawn(square, matrixAt(0, 0, 0), Level{Group: g, Max: uint8(k % 3)})
				s.w.Spawn(square, matrixAt(0, 0, 0), Previous{}, Tint{})
			}
			system.Find[system.FixedStep](s.w).SetRate(system.CatchUpRate(1))
			clock := system.ClockOf(s.w)
			checkNoAllocs(t, fmt.Sprintf("%d workers, speed %v: a frame", workers, speed), func() {
				clock.Advance(0.375)
				s.frame()
			})
			if r.rows == 0 {
				t.Fatal("nothing is drawn")
			}
			scene := sceneOf(s.w)
			build, fresh := scene.groups.build, r.fresh
			s.frame()
			s.frame()
			if speed == 0 && (scene.groups.build != build || r.fresh != fresh) {
				t.Errorf("a frame in which nothing changes looks at groups, or draws %d views anew", r.fresh-fresh)
			}
		}
	}
}

// tripper writes matrices and panics in its k-th chunk.
type tripper struct {
	_       system.In[system.Simulation]
	k       atomic.Int32
	written *ecs.Query
}

func (p *tripper) Create(s *system.Setup) error {
	p.written = s.Query(ecs.Write[transform.LocalToWorld]())
	return nil
}

func (p *tripper) Update(f *system.Frame) error {
	f.ParallelFor(p.written, p)
	return nil
}

func (p *tripper) Chunk(c *ecs.Chunk) {
	m := ecs.Column[transform.LocalToWorld](c).M
	for i := range m {
		m[i][12]++
	}
	if p.k.Add(-1) == 0 {
		panic("tripped")
	}
}

// A job of a program that panics in any chunk, while it writes matrices, fails its frame. The next
// frame shows everything in its current state.
func TestTripped(t *testing.T) {
	s, _, _ := crew(t, 1000, 3, 0)
	p := &tripper{}
	s.ok(system.Adopt(s.w, p))
	s.ok(system.GetOrCreate[system.Simulation](s.w).Add(p))
	s.frame()
	for k := int32(1); k < 30; k += 4 {
		p.k.Store(k)
		err := system.Update(s.w)
		if failed := p.k.Load() <= 0; failed != (err != nil) {
			t.Fatalf("panicked: %v, error %v", failed, err)
		}
		p.k.Store(0) // is not reached any more
		s.frame()
		if k%3 == 0 {
			s.compare(fmt.Sprintf("after a panic in chunk %d", k))
		}
	}
}
