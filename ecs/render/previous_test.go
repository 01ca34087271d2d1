package render

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// walk moves entities at the fixed step: by 8 in X, and a quarter turn about Z.
type walk struct {
	_     system.In[system.FixedStep]
	all   *ecs.Query
	ticks int
}

func (s *walk) Create(u *system.Setup) error {
	s.all = u.Query(ecs.Write[transform.Translation](), ecs.Optional(ecs.Write[transform.Rotation]()))
	return nil
}

func (s *walk) Update(f *system.Frame) error {
	s.ticks++
	f.ParallelFor(s.all, s)
	return nil
}

func (s *walk) Chunk(c *ecs.Chunk) {
	p := ecs.Column[transform.Translation](c)
	for i := range p.X {
		p.X[i] += 8
	}
	if ecs.HasColumn[transform.Rotation](c) {
		r := ecs.Column[transform.Rotation](c)
		const h = math.Sqrt2 / 2
		for i := range r.X {
			z, w := r.Z[i], r.W[i]
			r.Z[i], r.W[i] = float32(h*z)+float32(h*w), float32(h*w)-float32(h*z)
		}
	}
}

// newStrollers creates a stage in which [walk] moves entities at one step a second.
func newStrollers(t *testing.T, n, workers int) (*stage, *walk, []ecs.Entity) {
	s := newStage(t, onWorkers(t, workers))
	system.Find[system.FixedStep](s.w).SetRate(system.CatchUpRate(1))
	m := &walk{}
	s.ok(system.Adopt(s.w, m))
	s.ok(system.GetOrCreate[system.FixedStep](s.w).Add(m))
	s.w.Spawn(Camera{Height: 1e6})
	var ids []ecs.Entity
	for k := range n {
		ids = append(ids, s.w.Spawn(square, transform.Translation{Y: float32(k)}, transform.Identity, transform.LocalToWorld{}, Previous{}))
	}
	return s, m, ids
}

// frameAt runs a frame at a time of the world.
func (s *stage) frameAt(seconds float64) {
	s.Helper()
	system.ClockOf(s.w).SetNow(system.Time{Elapsed: seconds})
	s.frame()
}

// drawnAt returns the matrices with which the first view draws entities.
func (s *stage) drawnAt(ids ...ecs.Entity) (list [][16]float32) {
	s.Helper()
	found := map[ecs.Entity][16]float32{}
	v := ViewsOf(s.w)[0]
	for i := range v.Batches {
		for p := range v.Batches[i].Parts() {
			for k, e := range p.Entities {
				if p.Mask[k/64]>>(k%64)&1 != 0 {
					found[e] = p.Matrices[k]
				}
			}
		}
	}
	for _, e := range ids {
		m, ok := found[e]
		if !ok {
			s.Fatalf("%v is not drawn", e)
		}
		list = append(list, m)
	}
	return list
}

// Entities are drawn between the last two fixed steps, at the time of the frame. The test has
// frames without a step and frames with several.
//
// Conformance: 435
// Conformance: 436
func TestInterpolate(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 8, 64} {
		t.Run(fmt.Sprintf("workers=%d", workers), func(t *testing.T) {
			s, m, ids := newStrollers(t, 300, workers)
			system.ClockOf(s.w).MaximumDelta = 100
			plain := s.w.Spawn(square, transform.Translation{Y: -5}, transform.LocalToWorld{})
			for _, step := range []struct {
				at    float64
				ticks int
				x     float32 // expected place
				angle float64 // expected angle in turns
			}{
				{0, 1, 8, 1}, // no earlier place is known
				{0.5, 1, 8, 1},
				{1, 2, 8, 1},
				{1.25, 2, 10, 1 + halfway(0.25)},
				{1.25, 2, 10, 1 + halfway(0.25)},
				{1.5, 2, 12, 1.5},
				{1.75, 2, 14, 1 + halfway(0.75)},
				{2, 3, 16, 2},
				{3.5, 4, 28, 3.5},
				{7.5, 8, 60, -1}, // 4 steps
				{7.75, 8, 62, -1},
				{8.5, 9, 68, 8.5},
			} {
				s.frameAt(step.at)
				if m.ticks != step.ticks {
					t.Fatalf("at %v: %d steps, want %d", step.at, m.ticks, step.ticks)
				}
				for k, got := range s.drawnAt(ids...) {
					if got[12] != step.x || got[13] != float32(k) || got[14] != 0 || got[15] != 1 {
						t.Fatalf("at %v: entity %d is drawn at %v, want X %v", step.at, k, got[12:], step.x)
					}
					a := step.angle * math.Pi / 2
					if step.angle >= 0 && (math.Abs(float64(got[0])-math.Cos(a)) > 1e-6 || math.Abs(float64(got[1])-math.Sin(a)) > 1e-6) {
						t.Fatalf("at %v: entity %d is turned to %v, want angle %v", step.at, k, got[:2], a)
					}
				}
				if got := s.drawnAt(plain)[0]; got[12] != float32(8*m.ticks) {
					t.Fatalf("at %v: without Previous drawn at %v", step.at, got[12])
				}
				s.checkBoxes(ids)
			}
		})
	}
}

// halfway returns the part of a quarter turn by which Nlerp has rotated at time t, where t goes from 0
// to 1.
func halfway(t float64) float64 {
	x, y := (1-t)+t*math.Sqrt2/2, t*math.Sqrt2/2
	return 2 * math.Atan2(y, x) / (math.Pi / 2)
}

// checkBoxes checks that the boxes of entities contain their drawn matrices.
func (s *stage) checkBoxes(ids []ecs.Entity) {
	s.Helper()
	for k, m := range s.drawnAt(ids...) {
		got, local := must(ecs.Get[WorldBounds](s.w, ids[k])), must(ecs.Get[Bounds](s.w, ids[k]))
		want, _ := worldBox(&m, local)
		if got != (WorldBounds{want.X, want.Y, want.Z, want.HX, want.HY, want.HZ}) {
			s.Fatalf("entity %v has the box %v, want %v", ids[k], got, want)
		}
	}
}

// If an entity jumps to another place and its Previous is reset, it is not drawn at places in between.
// Later movement is drawn as usual.
//
// Conformance: 435
func TestTeleport(t *testing.T) {
	s, _, ids := newStrollers(t, 2, 2)
	for _, at := range []float64{0, 1, 2} {
		s.frameAt(at)
	}
	s.ok(ecs.Set(s.w, ids[0], transform.Translation{X: 1000}))
	s.ok(ecs.Set(s.w, ids[0], Previous{}))
	want := func(at float64, x ...float32) {
		t.Helper()
		s.frameAt(at)
		for k, m := range s.drawnAt(ids...) {
			if m[12] != x[k] {
				t.Errorf("at %v: entity %d is drawn at %v, want %v", at, k, m[12], x[k])
			}
		}
	}
	want(2.5, 1000, 20)
	want(2.75, 1000, 22)
	want(3, 1000, 24)
	want(3.5, 1004, 28)
	s.ok(ecs.Set(s.w, ids[1], transform.Translation{X: -1000})) // drawn on the way
	want(3.5, 1004, -488)
}

// The test checks that children are drawn between their last two places in the world, and that cameras
// look from such places too. An entity at rest must be drawn exactly at its place, with or without a
// shear.
func TestInterpolateOthers(t *testing.T) {
	s, _, ids := newStrollers(t, 1, 2)
	child := s.w.Spawn(square, transform.Parent{Entity: ids[0]}, transform.LocalTransform{X: 4, Scale: 1, QW: 1}, transform.LocalToWorld{}, Previous{})
	still := transform.LocalToWorld{M: [16]float32{1, 0.3, 0, 0, 0.7, 2, 0, 0, 0, 0, 0.1, 0, 3, 4, 5, 1}}
	rock := s.w.Spawn(square, still, Previous{})
	eye := s.w.Spawn(Camera{Height: 1e6, Order: 1}, transform.Translation{}, transform.LocalToWorld{}, Previous{})
	s.frameAt(0)
	s.frameAt(1)
	s.frameAt(2)
	s.frameAt(2.5)
	// The parent is first at 16 and turned by 2 quarters, and then at 24 and turned by 3 quarters. So
	// the child is at (12, 0), and then at (24, -4).
	if m := s.drawnAt(child)[0]; math.Abs(float64(m[12])-18) > 1e-5 || math.Abs(float64(m[13])+2) > 1e-5 {
		t.Errorf("the child is drawn at %v, want (18, -2)", m[12:])
	}
	if m := s.drawnAt(rock)[0]; m != still.M {
		t.Errorf("what stands is drawn with %v, want %v", m, still.M)
	}
	if v := ViewsOf(s.w)[1]; v.Entity != eye || v.Place[12] != 20 {
		t.Errorf("the camera sees from %v, want 20", v.Place[12:])
	}
}

// A world draws the current places if its rate has no Alpha, or if it has no fixed steps.
func TestInterpolateWithoutSteps(t *testing.T) {
	s, _, ids := newStrollers(t, 1, 1)
	system.Find[system.FixedStep](s.w).SetRate(system.SimpleRate(1))
	for k := range 3 {
		s.frameAt(float64(k) + 0.5)
		if m := s.drawnAt(ids...)[0]; m[12] != float32(8*(k+1)) {
			t.Errorf("frame %d: drawn at %v", k, m[12])
		}
	}
	w := ecs.NewWorld(t.Name())
	defer func() { s.ok(w.Close()) }()
	s.ok(Install(w, Options{Assets: s.assets}))
	s.ok(Install(w, Options{Assets: s.assets}))
	if got := system.Warnings(w); len(got) != 0 {
		t.Errorf("warnings %q", got)
	}
	w.Spawn(Camera{})
	e := w.Spawn(square, matrixAt(0.5, 0, 0), Previous{QW: 1, SX: 1, SY: 1, SZ: 1})
	s.ok(system.Update(w))
	v := ViewsOf(w)[0]
	for p := range v.Batches[0].Parts() {
		if p.Entities[0] != e || p.Matrices[0][12] != 0.5 {
			t.Errorf("drawn %v at %v", p.Entities[0], p.Matrices[0][12:])
		}
	}
}

// leap writes matrices directly at the fixed step.
type leap struct {
	_   system.In[system.FixedStep]
	all *ecs.Query
}

func (s *leap) Create(u *system.Setup) error {
	s.all = u.Query(ecs.Write[transform.LocalToWorld](), ecs.With[Previous]())
	return nil
}

func (s *leap) Update(f *system.Frame) error {
	f.ParallelFor(s.all, s)
	return nil
}

func (s *leap) Chunk(c *ecs.Chunk) {
	m := ecs.Column[transform.LocalToWorld](c).M
	for i := range m {
		x := &m[i][12]
		*x = *x * *x
	}
}

// If systems of the fixed steps write matrices themselves, the entity is drawn between the matrices
// before and after the last step.
func TestInterpolateStepByStep(t *testing.T) {
	s := newStage(t)
	system.ClockOf(s.w).MaximumDelta = 100
	system.Find[system.FixedStep](s.w).SetRate(system.CatchUpRate(1))
	j := &leap{}
	s.ok(system.Adopt(s.w, j))
	s.ok(system.GetOrCreate[system.FixedStep](s.w).Add(j))
	s.w.Spawn(Camera{Height: 1e6})
	e := s.w.Spawn(square, matrixAt(2, 0, 0), Previous{})
	s.frameAt(0)
	s.frameAt(3.5) // 2, 4, 16, 256, 65536
	if m := s.drawnAt(e)[0]; m[12] != (256+65536)/2 {
		t.Errorf("drawn at %v", m[12])
	}
}

// Drawn is added and removed with Previous, and is written only while something moves.
func TestDrawn(t *testing.T) {
	s, _, ids := newStrollers(t, 2, 1)
	model := s.w.Spawn(square, transform.Translation{}, transform.LocalToWorld{}, Previous{}, ecs.Prefab{})
	still := s.w.Spawn(square, matrixAt(0, 0, 0), Previous{}, Tint{})
	s.frameAt(0)
	for _, e := range append(ids, model) {
		if !ecs.Has[Drawn](s.w, e) {
			t.Errorf("%v has no Drawn", e)
		}
	}
	s.frameAt(1)
	s.frameAt(1.5)
	version := func(e ecs.Entity) uint32 { return ecs.ChangeVersion[Drawn](s.w, e) }
	stood, moved := version(still), version(ids[0])
	s.frameAt(1.5)
	if version(ids[0]) != moved {
		t.Error("written although the time stands")
	}
	s.frameAt(1.75)
	s.frameAt(2.25)
	if version(still) != stood {
		t.Error("what stands is written")
	}
	if version(ids[0]) == moved {
		t.Error("what moves is not written")
	}
	_, err := ecs.Remove[Previous](s.w, ids[0])
	s.ok(err)
	_, err = ecs.Remove[transform.LocalToWorld](s.w, ids[1])
	s.ok(err)
	s.frameAt(2.5)
	if ecs.Has[Drawn](s.w, ids[0]) || ecs.Has[Drawn](s.w, ids[1]) {
		t.Error("Drawn stays behind")
	}
	if m := s.drawnAt(ids[0])[0]; m[12] != 24 {
		t.Errorf("drawn at %v, want 24", m[12])
	}
}

// After a Restore, the picture is the same as the first time, no matter which changes were made in
// between: cameras were moved, cut, disabled or created, and groups were created or destroyed. Every
// second image goes through a file.
func TestLevelsAfterRestore(t *testing.T) {
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 7))
		s := newStage(t)
		_, rows := newLevelGroup(s, Levels{Distances: [8]float32{10, 50}, Hysteresis: 0.5})
		for range 300 { // more than a block
			s.w.Spawn(Levels{Distances: [8]float32{20}, Hysteresis: 1}, matrixAt(0, 0, 0))
		}
		camera := s.w.Spawn(perspective, matrixAt(0, 0, 30))
		step := func(r *rand.Rand) {
			s.move(camera, 0, 0, []float32{5, 9, 12, 14, 20, 40, 55, 70, 90}[r.IntN(9)])
			switch r.IntN(8) {
			case 0:
				cut := perspective
				cut.Cut = r.Uint32N(3)
				s.ok(ecs.Set(s.w, camera, cut))
			case 1:
				on, err := ecs.Enabled[Camera](s.w, camera)
				s.ok(err)
				s.ok(ecs.SetEnabled[Camera](s.w, camera, !on))
			case 2:
				s.w.Spawn(Levels{Distances: [8]float32{30}}, matrixAt(0, 0, 0))
			}
			s.frame()
		}
		drawn := func() []ecs.Entity {
			if on, err := ecs.Enabled[Camera](s.w, camera); err != nil || !on {
				return nil
			}
			return append([]ecs.Entity(nil), s.drawnIn(camera)...)
		}
		for n := range 60 {
			for range r.IntN(4) {
				step(r)
			}
			m, err := ecs.Capture(s.w, nil)
			s.ok(err)
			var file bytes.Buffer
			if n%2 == 1 {
				_, err := snapshot.Write(&file, m)
				s.ok(err)
			}
			again := r.Uint64()
			var first [][]ecs.Entity
			for k := range 2 {
				if k > 0 {
					for range r.IntN(4) {
						step(r)
					}
					if file.Len() > 0 {
						s.ok(snapshot.LoadFrom(s.w, &file))
					} else {
						s.ok(ecs.Restore(s.w, m))
					}
				}
				same := rand.New(rand.NewPCG(again, 1))
				for i := range 4 {
					step(same)
					if k == 0 {
						first = append(first, drawn())
					} else if got := drawn(); !equal(got, first[i]) {
						t.Fatalf("seed %d, round %d, frame %d: drawn %v after Restore, %v the first time; levels are %v", seed, n, i, got, first[i], rows)
					}
				}
			}
		}
	}
}

// TestLevelsImageAfterRestore restores an image and captures the world again. The new image must have the
// same bytes, although cameras were created, disabled and reordered in between.
func TestLevelsImageAfterRestore(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 11))
		s := newStage(t)
		newLevelGroup(s, Levels{Distances: [8]float32{10, 50}, Hysteresis: 0.5})
		var cameras []ecs.Entity
		change := func() {
			for range 1 + r.IntN(3) {
				camera := perspective
				camera.Order = int32(r.IntN(5))
				if len(cameras) == 0 || r.IntN(2) == 0 {
					cameras = append(cameras, s.w.Spawn(camera, matrixAt(0, 0, float32(5+r.IntN(80)))))
				}
				e := cameras[r.IntN(len(cameras))]
				s.ok(ecs.Set(s.w, e, camera))
				s.ok(ecs.SetEnabled[Camera](s.w, e, r.IntN(4) > 0))
			}
			s.frame()
		}
		change()
		m, err := ecs.Capture(s.w, nil)
		s.ok(err)
		var want, got bytes.Buffer
		_, err = snapshot.Write(&want, m)
		s.ok(err)
		known := len(cameras)
		change()
		s.ok(ecs.Restore(s.w, m))
		cameras = cameras[:known]
		m, err = ecs.Capture(s.w, nil)
		s.ok(err)
		_, err = snapshot.Write(&got, m)
		s.ok(err)
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("seed %d: the image after Restore is another one than the restored image", seed)
		}
		change() // the next frame accepts the views
	}
}

// TestLevelsState checks that LoadState refuses bytes that AppendState has not written. LoadState must
// accept valid bytes even if their groups do not exist.
func TestLevelsState(t *testing.T) {
	s := newStage(t)
	newLevelGroup(s, Levels{Distances: [8]float32{10, 50}, Hysteresis: 0.5})
	s.w.Spawn(perspective, matrixAt(0, 0, 30))
	s.frame()
	choose := system.Find[ChooseLevels](s.w)
	state := choose.AppendState(nil)
	if len(state) == 0 {
		t.Fatal("the levels have no state")
	}
	if again := choose.AppendState([]byte{7}); !bytes.Equal(again[1:], state) || again[0] != 7 {
		t.Errorf("after another byte the state is %x, and was %x", again, state)
	}
	for n := 1; n < len(state); n++ {
		if err := choose.LoadState(state[:n]); n != 1+8 && !errors.Is(err, ecs.ErrArgument) {
			t.Errorf("%d of %d bytes: the error is %v", n, len(state), err)
		}
	}
	s.ok(choose.LoadState([]byte{2, 255, 255, 255, 127, 1, 0, 0, 0, 255, 255, 255, 255, 1, 0, 0, 0}))
	s.frame()
	s.ok(choose.LoadState(state))
	if again := choose.AppendState(nil); !bytes.Equal(again, state) {
		t.Errorf("the state is %x after LoadState, and was %x", again, state)
	}
	s.frame()
}

// After a Restore, the fraction of a step depends on the number of steps in the frame before the image. It must not
// depend on the number of steps in a frame that the Restore has undone. A change filter must show the same drawn
// matrices as the first time. In some frames no step runs, and in others the time does not advance.
func TestInterpolateAfterRestore(t *testing.T) {
	s, _, _ := newStrollers(t, 3, 1)
	changed := s.w.Query(ecs.With[Drawn](), ecs.Changed[Drawn]())
	frame := func(delta float64) {
		system.ClockOf(s.w).Advance(delta)
		s.frame()
	}
	system.ClockOf(s.w).MaximumDelta = 10
	kinds := map[bool]int{}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		for range 3 {
			frame(float64(r.IntN(16)) / 4)
		}
		m, err := ecs.Capture(s.w, nil)
		s.ok(err)
		next, since := float64(r.IntN(16)*r.IntN(2))/16, s.w.Version()
		frame(next)
		changed.SetSince(since)
		want, rows := s.w.Hash(), changed.Count()
		kinds[rows > 0]++
		for range r.IntN(3) {
			frame(float64(r.IntN(16)) / 4)
		}
		s.ok(ecs.Restore(s.w, m))
		since = s.w.Version()
		if frame(next); s.w.Hash() != want {
			t.Fatalf("seed %d: the hash is %x after Restore, %x the first time", seed, s.w.Hash(), want)
		}
		if changed.SetSince(since); changed.Count() != rows {
			t.Fatalf("seed %d: %d matrices have changed after Restore, %d the first time", seed, changed.Count(), rows)
		}
	}
	if kinds[false] < 5 || kinds[true] < 5 {
		t.Errorf("matrices have changed in %d frames, and in %d they have not: both must occur", kinds[true], kinds[false])
	}
}
