package render

import (
	"errors"
	"image/color"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// wantError checks the category and the text of an error.
func wantError(t testing.TB, err, category error, texts ...string) {
	t.Helper()
	if !errors.Is(err, category) {
		t.Errorf("got error %v, want one of category %v", err, category)
		return
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("error %q does not say %q", err, text)
		}
	}
}

// wantPanic checks the text with which f panics.
func wantPanic(t testing.TB, f func(), texts ...string) {
	t.Helper()
	defer func() {
		t.Helper()
		v := recover()
		text, _ := v.(string)
		if err, ok := v.(error); ok {
			text = err.Error()
		}
		for _, want := range texts {
			if !strings.Contains(text, want) {
				t.Errorf("panic %q does not say %q", text, want)
			}
		}
		if v == nil {
			t.Error("no panic")
		}
	}()
	f()
}

var errTorn = errors.New("the paper is torn")

// clumsy is a renderer whose k-th call fails.
type clumsy struct {
	pen
	k    int
	fail func() error
}

func (c *clumsy) next() error {
	if c.k--; c.k == 0 {
		return c.fail()
	}
	return nil
}

func (c *clumsy) Size(target int32) (int, int) {
	if err := c.next(); err != nil {
		panic(err)
	}
	return c.pen.Size(target)
}

func (c *clumsy) Begin(f *Frame) error { return errors.Join(c.pen.Begin(f), c.next()) }
func (c *clumsy) End() error           { return errors.Join(c.pen.End(), c.next()) }

func (c *clumsy) Draw(v *View) error {
	if err := c.next(); err != nil {
		return err
	}
	for i := range v.Batches {
		for range v.Batches[i].Parts() {
			if err := c.next(); err != nil {
				return err
			}
		}
	}
	return c.pen.Draw(v)
}

// The test lets one call of a renderer fail or panic, and repeats this for every call. The frame's
// error must name the camera and the batch, the other cameras must draw, and the world must not change.
func TestClumsy(t *testing.T) {
	// Size ×2, Begin, (Draw, two parts) ×2, End
	texts := []string{
		"camera A: the size of target 3", "camera B: the size of target 0", "frame 2: Begin",
		"camera A, before the first batch: Draw", "camera A, batch 0 (layer 0, material", "camera A, batch 1 (layer 1,",
		"camera B, before the first batch: Draw", "camera B, batch 0 (layer 0, material", "camera B, batch 1 (layer 1,", "frame 2: End",
	}
	calls := []string{"BDE", "BDE", "B", "BDE", "BDE", "BDE", "BDE", "BDE", "BDE", "BDDE"}
	for k, text := range texts {
		for _, panics := range []bool{false, true} {
			s := newStage(t)
			c := &clumsy{pen: pen{width: 10, height: 10}}
			c.fail = func() error {
				if panics {
					panic(errTorn)
				}
				return errTorn
			}
			s.ok(Install(s.w, Options{Renderer: c, Assets: s.assets}))
			other := square
			other.Layer = 1
			s.w.Spawn(square, unit)
			s.w.Spawn(other, unit)
			a, b := s.w.Spawn(Camera{Target: 3}), s.w.Spawn(Camera{Order: 1})
			s.frame()
			hash := s.w.Hash()
			c.k = k + 1
			err := system.Update(s.w)
			text := strings.NewReplacer("camera A", "camera "+a.String(), "camera B", "camera "+b.String()).Replace(text)
			wantError(t, err, errTorn, text)
			var p *PanicError
			if errors.As(err, &p) != (panics || k < 2) {
				t.Errorf("call %d: error %v is a panic: %v", k, err, !panics)
			} else if p != nil && (p.Value != error(errTorn) || !strings.Contains(string(p.Stack), "clumsy")) {
				t.Errorf("call %d: panic %v at %s", k, p.Value, p.Stack)
			}
			if c.calls != calls[k] {
				t.Errorf("call %d has failed: after %q, want %q", k, c.calls, calls[k])
			}
			var d *DrawError
			if errors.As(err, &d) && d.Batch >= 0 && d.Look.Layer != int32(d.Batch) {
				t.Errorf("call %d: batch %d, which looks like %v", k, d.Batch, d.Look)
			}
			if s.w.Hash() != hash {
				t.Errorf("call %d: the world is another", k)
			}
			s.frame()
			if c.calls != "BDDE" || !equal(c.seen[0], c.seen[1]) || len(c.seen[0]) != 2 {
				t.Errorf("call %d: the next frame has drawn %v by %q", k, c.seen, c.calls)
			}
		}
	}
}

// If a renderer ends the goroutine, the frame ends with it. Afterwards, the world can be drawn from
// another goroutine.
func TestExit(t *testing.T) {
	s := newStage(t)
	c := &clumsy{pen: pen{width: 10, height: 10}, fail: func() error { runtime.Goexit(); return nil }}
	s.ok(Install(s.w, Options{Renderer: c, Assets: s.assets}))
	s.w.Spawn(square, unit)
	s.w.Spawn(Camera{})
	s.frame()
	for k := 1; k <= 5; k++ {
		c.k = k
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = system.Update(s.w)
		}()
		<-done
	}
	s.frame()
	if len(c.seen) != 1 || len(c.seen[0]) != 1 {
		t.Errorf("drawn %v", c.seen)
	}
}

// Batches are valid only in their frame. In a later frame, or after a change of the world, their
// methods panic.
func TestStaleBatch(t *testing.T) {
	s := newStage(t)
	s.w.Spawn(square, unit)
	camera := s.w.Spawn(Camera{})
	s.frame()
	v := ViewsOf(s.w)[0]
	b := v.Batches[0]
	room, tints := make([][16]float32, 1), make([]color.NRGBA, 1)
	s.ok(b.Gather(room, nil, nil))
	wantPanic(t, func() { _ = b.Gather(nil, nil, nil) }, "render: Batch.Gather: len(dst) is 0, len(tints) 0 and len(cells) 0, Count is 1")
	wantPanic(t, func() { _ = v.Gather(room, tints[:0], nil) }, "render: View.Gather: len(dst) is 1, len(tints) 0 and len(cells) 0, Seen is 1")
	s.w.Spawn(square, unit, Bounds{}, WorldBounds{}, chunkBoxOf{})
	wantPanic(t, func() { _ = b.Gather(room, tints, nil) }, "render: Batch.Gather: the world was changed since the batch was made")
	wantPanic(t, func() {
		for range b.Parts() {
		}
	}, "render: Batch.Parts: the world was changed")
	s.frame()
	s.ok(s.w.Destroy(camera))
	s.frame()
	wantPanic(t, func() { _ = b.Gather(room, tints, nil) }, "render: Batch.Gather: the view was of a frame before: its camera is gone")
	wantPanic(t, func() { _ = new(Batch).Gather(nil, nil, nil) }, "render: Batch.Gather: the batch is not one of a View")
	s.ok(new(View).Gather(nil, nil, nil))
}

// If a camera has no valid planes, the error is reported once. The error is reported again only if the
// camera had valid planes in between.
func TestBlindCamera(t *testing.T) {
	s := newStage(t)
	e := s.w.Spawn(square, unit)
	c := s.w.Spawn(Camera{}, transform.LocalToWorld{})
	for range 2 {
		wantError(t, system.Update(s.w), ecs.ErrState, "camera "+c.String()+" sees nothing", "LocalToWorld that flattens no axis")
		s.frame()
		if len(s.pen.seen) != 0 {
			t.Errorf("drawn %v", s.pen.seen)
		}
		s.ok(ecs.Set(s.w, c, unit))
		s.wantSeen(0, e)
		s.ok(ecs.Set(s.w, c, Camera{Height: nan}))
		wantError(t, system.Update(s.w), ecs.ErrState, "sees nothing")
		s.ok(ecs.Set(s.w, c, Camera{}))
		s.wantSeen(0, e)
		s.ok(ecs.Set(s.w, c, transform.LocalToWorld{M: [16]float32{0: float32(math.Inf(1)), 15: 1}}))
	}
}

// Install refuses an invalid world or size. If Install is called twice, it adds the systems only once.
// Install also works for a world of ecs.NewWorld.
func TestInstall(t *testing.T) {
	wantError(t, Install(nil, Options{}), ecs.ErrArgument, "render: Install: the world is nil")
	w := ecs.NewWorld("bare")
	wantError(t, Install(w, Options{Width: -1}), ecs.ErrArgument, `render: Install: world "bare": Width is -1`)
	p := &pen{width: 10, height: 10}
	for range 2 {
		if err := Install(w, Options{Renderer: p}); err != nil {
			t.Fatal(err)
		}
	}
	a := AssetsOf(w)
	e := w.Spawn(Look{Shape: a.Shape(Shape{Name: "s", Kind: Sprite}), Material: a.Material(Material{Name: "m"})}, unit)
	w.Spawn(Camera{})
	if err := system.Update(w); err != nil || len(p.seen) != 1 || !equal(p.seen[0], []ecs.Entity{e}) {
		t.Errorf("drawn %v, error %v", p.seen, err)
	}
	p2 := &pen{width: 10, height: 10}
	if err := Install(w, Options{Renderer: p2, Assets: NewAssets()}); err != nil {
		t.Fatal(err)
	}
	wantError(t, system.Update(w), ecs.ErrState, "of which both are not registered")
	if err := Install(w, Options{Renderer: p2, Assets: a}); err != nil {
		t.Fatal(err)
	}
	if err := system.Update(w); err != nil || len(p2.seen) != 1 || !equal(p2.seen[0], []ecs.Entity{e}) {
		t.Errorf("drawn %v, error %v", p2.seen, err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if err := Install(w, Options{}); err == nil {
		t.Error("a closed world can be drawn")
	}
}

// Warnings returns texts that say why entities are not drawn. A world that got its systems by Install
// has these warnings, too.
func TestAdvice(t *testing.T) {
	s := newStage(t)
	s.ok(Install(s.w, Options{Renderer: s.pen})) // a second call adds no warning twice
	advice := func() string { return strings.Join(system.Warnings(s.w), "\n") }
	if got := advice(); got != "" {
		t.Errorf("an empty world is told %q", got)
	}
	s.w.Spawn(square)
	if got := advice(); !strings.Contains(got, "1 entities have a render.Look and no LocalToWorld") || !strings.Contains(got, "no camera") {
		t.Errorf("told %q", got)
	}
	if got, want := system.Explain(s.w).Advice, system.Warnings(s.w); len(want) != 2 || !slices.Equal(got[:min(2, len(got))], want) {
		t.Errorf("Explain tells %q, Warnings %q", got, want)
	}
	s.w.Spawn(Camera{})
	q := s.w.Query(ecs.With[Look]())
	s.ok(ecs.AddAll(s.w, ecs.Matching(q), unit))
	if got := advice(); got != "" {
		t.Errorf("told %q", got)
	}
}
