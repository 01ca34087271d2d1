package check_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/check"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

type position struct{ X, Y, Z float32 }

func (position) Column() (c kernels.Vec3s[float32]) { return }

type velocity struct{ X, Y, Z float32 }

func (velocity) Column() (c kernels.Vec3s[float32]) { return }

type matrix struct{ M [16]float64 }

// mixed has floats between other fields.
type mixed struct {
	All struct {
		On   bool
		At   [2]float64
		What int32
		How  float32
	}
	Count int64
}

type resting struct {
	ecs.Enableable
	Since float64
}

// steer writes a NaN velocity in one frame.
type steer struct {
	of     *ecs.Query
	frames int
	at     int
	entity ecs.Entity
}

func (s *steer) Create(of *system.Setup) error {
	s.of = of.Query(ecs.Write[velocity]())
	return nil
}

func (s *steer) Update(f *system.Frame) error {
	s.frames++
	f.ParallelFor(s.of, s)
	return nil
}

func (s *steer) Chunk(c *ecs.Chunk) {
	v := ecs.Column[velocity](c)
	for i, e := range c.Entities() {
		v.Y[i] = 1
		if s.frames == s.at && e == s.entity {
			v.Y[i] = float32(math.NaN())
		}
	}
}

// move reads velocities and writes positions.
type move struct {
	_  system.After[steer]
	of *ecs.Query
}

func (m *move) Create(of *system.Setup) error {
	m.of = of.Query(ecs.Write[position](), ecs.Read[velocity]())
	return nil
}

func (m *move) Update(f *system.Frame) error {
	f.ParallelFor(m.of, m)
	return nil
}

func (m *move) Chunk(c *ecs.Chunk) {
	p, v := ecs.Column[position](c), ecs.Column[velocity](c)
	p.AddScaled(p, v, 0.5)
}

// look only reads the values, and declares that it only reads them.
type look struct {
	_  system.After[move]
	of *ecs.Query
	n  int
}

func (l *look) Create(of *system.Setup) error {
	l.of = of.Query(ecs.Read[position](), ecs.Read[velocity]())
	return nil
}

func (l *look) Update(f *system.Frame) error {
	for c := range l.of.Chunks() {
		l.n += c.Len()
	}
	return nil
}

// act is a system that calls a function of the test. It declares that it writes everything.
type act struct {
	_  system.Before[steer]
	do func(w *ecs.World)
}

func (a *act) Create(of *system.Setup) error {
	of.Query(ecs.Write[position](), ecs.Write[matrix](), ecs.Write[mixed](), ecs.Write[resting]())
	return nil
}

func (a *act) Update(f *system.Frame) error {
	if a.do != nil {
		a.do(f.World())
	}
	return nil
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newWorld returns a world of n moving entities.
func newWorld(t testing.TB, n int) (*ecs.World, []ecs.Entity) {
	w, err := system.NewWorld(t.Name(), system.Only(system.Of[steer](), system.Of[move](), system.Of[look](), system.Of[act]()))
	ok(t, err)
	t.Cleanup(func() { ok(t, w.Close()) })
	var ids []ecs.Entity
	for i := range n {
		ids = append(ids, w.Spawn(position{X: float32(i)}, velocity{X: 1}))
	}
	return w, ids
}

func run(t testing.TB, w *ecs.World, frames int) {
	t.Helper()
	ok(t, app.Run(context.Background(), w, app.Frames(frames), app.Step(0.125)))
}

// The system that writes NaN is named, with frame, lane and entity. When the NaN spreads to the
// positions, the next fault must name the system that writes them. Systems that only read are not
// named.
//
// Conformance: 365
func TestWriterIsNamed(t *testing.T) {
	w, ids := newWorld(t, 3000)
	s := system.GetOrCreate[steer](w)
	s.at, s.entity = 37, ids[2345]
	var heard []string
	c := check.Finite(w, check.Report(func(f check.Fault) { heard = append(heard, f.String()) }))
	run(t, w, 36)
	if got := c.String(); got != "" {
		t.Fatalf("nothing was written yet: %s", got)
	}
	run(t, w, 10)
	want := "frame 37: check_test.steer wrote NaN to check_test.velocity.Y of entity 2345:1\nframe 37: check_test.move wrote NaN to check_test.position.Y of entity 2345:1\n"
	if got := c.String(); got != want || strings.Join(heard, "\n")+"\n" != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	f := c.Faults()[0]
	if f.Entity != ids[2345] || f.Frame != 37 || f.System != "github.com/lanewise/lanewise/ecs/check_test.steer" || f.Lane != "Y" {
		t.Errorf("%+v", f)
	}
	if check.Of(w) != c {
		t.Error("it is not the world's")
	}
	c.Stop()
	if check.Of(w) != nil {
		t.Error("it is stopped, and the world's")
	}
	run(t, w, 1)
	if len(c.Faults()) != 2 {
		t.Error("it goes on after Stop")
	}
}

// The check does not change results.
func TestSameHash(t *testing.T) {
	var hashes [2]uint64
	for k := range hashes {
		w, _ := newWorld(t, 2000)
		if k == 1 {
			defer check.Finite(w).Stop()
		}
		run(t, w, 20)
		hashes[k] = w.Hash()
	}
	if hashes[0] != hashes[1] {
		t.Errorf("%x", hashes)
	}
}

// Floats must be found wherever they are in a component, and a fault must not name a system
// for the writes of others.
func TestPlaces(t *testing.T) {
	inf := math.Inf(-1)
	for _, test := range []struct {
		name string
		opts []check.Option
		do   func(w *ecs.World, e ecs.Entity) error // in a system
		out  func(w *ecs.World, e ecs.Entity) error // between frames
		want string
	}{
		{"an array", nil, func(w *ecs.World, e ecs.Entity) error {
			return ecs.Add(w, e, matrix{[16]float64{11: inf}})
		}, nil, "frame 2: check_test.act wrote -Inf to check_test.matrix.M[11] of entity 7:1\n"},
		{"between other things", nil, func(w *ecs.World, e ecs.Entity) error {
			var m mixed
			m.All.At[1], m.All.What = inf, 0x7fc00000
			return ecs.Add(w, e, m)
		}, nil, "frame 2: check_test.act wrote -Inf to check_test.mixed.All[1] of entity 7:1\n"},
		{"no float", nil, func(w *ecs.World, e ecs.Entity) error {
			var m mixed
			m.All.On, m.All.What, m.Count = true, 0x7fc00000, 0x7ff8000000000000
			return ecs.Add(w, e, m)
		}, nil, ""},
		{"a row that is off", nil, func(w *ecs.World, e ecs.Entity) error {
			if err := ecs.Add(w, e, resting{Since: inf}); err != nil {
				return err
			}
			return ecs.SetEnabled[resting](w, e, false)
		}, nil, "frame 2: check_test.act wrote -Inf to check_test.resting.Since of entity 7:1\n"},
		{"a prefab", nil, func(w *ecs.World, e ecs.Entity) error {
			if err := ecs.Add(w, e, ecs.Prefab{}); err != nil {
				return err
			}
			return ecs.Add(w, e, matrix{[16]float64{0: inf}})
		}, nil, "frame 2: check_test.act wrote -Inf to check_test.matrix.M of entity 7:1\n"},
		{"between frames", nil, nil, func(w *ecs.World, e ecs.Entity) error {
			return ecs.Set(w, e, position{Z: float32(inf)})
		}, "frame 2: no system wrote -Inf to check_test.position.Z of entity 7:1\n"},
		{"infinities pass", []check.Option{check.NaN()}, nil, func(w *ecs.World, e ecs.Entity) error {
			return ecs.Set(w, e, position{Z: float32(inf)})
		}, ""},
		{"NaN behind an infinity", []check.Option{check.NaN()}, nil, func(w *ecs.World, e ecs.Entity) error {
			if err := ecs.Add(w, e, matrix{[16]float64{0: inf, 1: inf}}); err != nil {
				return err
			}
			return ecs.Set(w, e, matrix{[16]float64{0: inf, 9: math.NaN()}})
		}, "frame 2: no system wrote NaN to check_test.matrix.M[9] of entity 7:1\n"},
		{"left out", []check.Option{check.Except[position]()}, nil, func(w *ecs.World, e ecs.Entity) error {
			return ecs.Set(w, e, position{Z: float32(inf)})
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, ids := newWorld(t, 20)
			c := check.Finite(w, test.opts...)
			run(t, w, 1)
			if test.out != nil {
				ok(t, test.out(w, ids[7]))
			}
			if test.do != nil {
				system.GetOrCreate[act](w).do = func(w *ecs.World) { ok(t, test.do(w, ids[7])) }
			}
			run(t, w, 1)
			system.GetOrCreate[act](w).do = nil
			run(t, w, 3)
			if got := c.String(); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// If a NaN was in the world before the check began, the fault must name no system.
func TestBefore(t *testing.T) {
	w, ids := newWorld(t, 2000)
	run(t, w, 5)
	ok(t, ecs.Set(w, ids[3], position{X: float32(math.NaN())}))
	run(t, w, 2)
	c := check.Finite(w)
	run(t, w, 2)
	if got, want := c.String(), "frame 8: no system wrote NaN to check_test.position.X of entity 3:1\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// With OnlyNew, a number that was NaN at the start is no fault until it is finite again, and does not hide a new NaN of its lane.
func TestOnlyNew(t *testing.T) {
	w, ids := newWorld(t, 2000)
	run(t, w, 5)
	for _, k := range []int{3, 700, 1999} {
		ok(t, ecs.Set(w, ids[k], position{X: float32(math.NaN())}))
	}
	s := system.GetOrCreate[steer](w)
	c := check.Finite(w, check.OnlyNew())
	if old := c.Skipped(); len(old) != 1 || old[0].Entity != ids[3] || old[0].Lane != "X" || old[0].System != "" || !math.IsNaN(old[0].Value) {
		t.Errorf("numbers that are NaN already: %v", old)
	}
	run(t, w, 5)
	if got := c.String(); got != "" {
		t.Fatalf("old values: %s", got)
	}
	ok(t, ecs.Set(w, ids[700], position{})) // finite again
	run(t, w, 1)
	s.at, s.entity = s.frames+2, ids[1234]
	run(t, w, 3)
	if f := c.Faults(); len(f) != 2 || f[0].Entity != ids[1234] || f[0].Lane != "Y" || f[1].Entity != ids[1234] {
		t.Errorf("%v, want two faults of %v: its velocity and its position", c, ids[1234])
	}
	ok(t, ecs.Set(w, ids[700], position{X: float32(math.NaN())}))
	run(t, w, 2)
	if f := c.Faults(); len(f) != 3 || f[2].Entity != ids[700] || f[2].Lane != "X" || f[2].System != "" {
		t.Errorf("%v, want a third fault: X of %v", c, ids[700])
	}
}

// BenchmarkFinite measures the cost of the check for a system that writes a million rows.
func BenchmarkFinite(b *testing.B) {
	for _, on := range []bool{false, true} {
		name := map[bool]string{false: "check=off", true: "check=on"}[on]
		b.Run(name, func(b *testing.B) { benchmarkFrame(b, on) })
	}
}

const rows = 1_000_000

func benchmarkWorld(b *testing.B) *ecs.World {
	w, err := system.NewWorld("b", system.Only(system.Of[move]()))
	ok(b, err)
	b.Cleanup(func() { ok(b, w.Close()) })
	w.Create(w.Archetype(ecs.With[position](), ecs.With[velocity]()), rows)
	return w
}

func benchmarkFrame(b *testing.B, on bool) {
	w := benchmarkWorld(b)
	if on {
		defer check.Finite(w).Stop()
	}
	b.ReportAllocs()
	for b.Loop() {
		ok(b, system.Update(w))
	}
}

// The panic for a nil option must contain the index of the option.
func TestNilOption(t *testing.T) {
	defer func() {
		if got, want := recover(), "check: Finite: option 0 is nil"; got != want {
			t.Errorf("got panic %v, want %q", got, want)
		}
	}()
	check.Finite(ecs.NewWorld(t.Name()), nil)
}

// Stop of a zero Check must do nothing.
func TestZeroCheck(t *testing.T) {
	var c check.Check
	if c.Stop(); len(c.Faults()) != 0 {
		t.Error("nothing has faults")
	}
}
