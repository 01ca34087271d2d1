package replay

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

type position struct{ X, Y, Z float32 }

type velocity struct{ X, Y, Z float32 }

// push adds its force to the velocities of all entities. The inputs of a tick set the force.
type push struct {
	of    *ecs.Query
	force float32
}

func (p *push) Create(s *system.Setup) error {
	p.of = s.Query(ecs.Write[velocity]())
	return nil
}

func (p *push) Update(f *system.Frame) error {
	f.ParallelFor(p.of, p)
	return nil
}

type lanes struct{ X, Y, Z []float32 }

func (position) Column() (l lanes) { return }
func (velocity) Column() (l lanes) { return }

func (p *push) Chunk(c *ecs.Chunk) {
	v := ecs.Column[velocity](c)
	for i := range v.X {
		v.X[i] += p.force
	}
}

// move moves entities. If a test has set a tick, it also flips one bit at this tick.
type move struct {
	_     system.After[push]
	of    *ecs.Query
	dt    float32
	flip  bool // in the current tick
	when  int
	whose ecs.Entity
	again bool // the flip depends on the world's time, so it happens again after a restore
	done  bool
}

func (m *move) Create(s *system.Setup) error {
	m.of = s.Query(ecs.Write[position](), ecs.Read[velocity]())
	return nil
}

func (m *move) Update(f *system.Frame) error {
	m.dt = float32(f.Delta())
	tick := 1 + int(math.Round(f.Elapsed()*64))
	m.flip = m.when > 0 && tick == m.when && (m.again || !m.done)
	m.done = m.done || m.flip
	f.ParallelFor(m.of, m)
	return nil
}

func (m *move) Chunk(c *ecs.Chunk) {
	p, v := ecs.Column[position](c), ecs.Column[velocity](c)
	for i := range p.X {
		p.X[i] += float32(v.X[i] * m.dt)
		p.Y[i] += float32(v.Y[i] * m.dt)
		if m.flip && c.Entities()[i] == m.whose {
			p.Y[i] = math.Float32frombits(math.Float32bits(p.Y[i]) ^ 1)
		}
	}
}

// breed creates and destroys entities, so rows come and go.
type breed struct {
	_ system.After[move]
}

func (b *breed) Update(f *system.Frame) error {
	w := f.World()
	if tick := int(math.Round(f.Elapsed() * 64)); tick%5 == 0 {
		w.Spawn(position{X: float32(tick)})
	}
	return nil
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newRun returns a run of n moving entities on the given number of workers, with additional
// systems.
func newRun(t testing.TB, n, workers int, more ...*system.Type) (Run, *move, []ecs.Entity) {
	pool := jobs.New(jobs.Workers(workers))
	w, err := system.NewWorld("run", system.OnPool(pool), system.Only(append(more, system.Of[push](), system.Of[move](), system.Of[breed]())...))
	ok(t, err)
	t.Cleanup(func() {
		ok(t, w.Close())
		ok(t, pool.Close())
	})
	var ids []ecs.Entity
	for i := range n {
		ids = append(ids, w.Spawn(position{Y: float32(i)}, velocity{X: 1, Y: 0.5}))
	}
	ok(t, system.Update(w)) // all systems have had their first turn
	step := func(tick uint64) error {
		system.Find[push](w).force = float32(tick%7) - 3
		system.ClockOf(w).Advance(1. / 64)
		return system.Update(w)
	}
	return Run{w, step}, system.Find[move](w), ids
}

// The test flips one bit at tick 37. The comparison must find the tick, system, component, entity,
// lane, chunk, row and both values. It must do so with a hash in each tick, and with hashes in
// only a few ticks.
//
// Conformance: 362
func TestFlippedBit(t *testing.T) {
	for _, every := range []int{1, 10, 64} {
		a, _, ids := newRun(t, 3000, 2)
		b, m, _ := newRun(t, 3000, 2)
		m.when, m.whose, m.again = 37, ids[2345], true
		d, err := Compare(a, b, 100, every)
		ok(t, err)
		const want = "tick 37: replay.move: entity 2345v1: replay.position.Y is 2345.289 and 2345.2893 (archetype "
		if got := d.String(); !strings.HasPrefix(got, want) || d.First.Entity != ids[2345] || d.A == d.B {
			t.Errorf("every %d: got %s, want %s", every, got, want)
		}
		if f, n := d.First, a.World.ArchetypeAt(d.First.Archetype).Capacity(); f.Row != 2345%n || f.Chunk != 2345/n {
			t.Errorf("chunk %d row %d, of %d", f.Chunk, f.Row, n)
		}
	}
}

// A difference that comes from hidden state of a system does not happen again in the second run.
// For such a difference the comparison finds the row, but not the system.
func TestHiddenState(t *testing.T) {
	a, _, ids := newRun(t, 100, 2)
	b, m, _ := newRun(t, 100, 2)
	m.when, m.whose = 37, ids[23]
	d, err := Compare(a, b, 100)
	ok(t, err)
	if got, want := d.String(), "tick 37: entity 23v1: replay.position.Y is 23.289062 and 23.289064 "; !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

// If a step fails only when it is repeated, Compare and FirstDifference must return the error, and the ticks in one of
// which the runs part.
func TestRepeatedStepFails(t *testing.T) {
	sad := errors.New("sad")
	for _, bisect := range []bool{false, true} {
		a, _, _ := newRun(t, 100, 1)
		b, m, ids := newRun(t, 100, 1)
		m.when, m.whose, m.again = 37, ids[23], true
		last, step := uint64(0), b.Step
		b.Step = func(tick uint64) error {
			if tick <= last {
				return sad
			}
			last = tick
			return step(tick)
		}
		var d *Divergence
		var err error
		if bisect {
			x, err2 := NewHistory(a)
			ok(t, err2)
			y, err2 := NewHistory(b)
			ok(t, err2)
			d, err = FirstDifference(x, y, 50)
			ok(t, errors.Join(x.Close(), y.Close()))
		} else {
			d, err = Compare(a, b, 50, 10)
		}
		if !errors.Is(err, sad) {
			t.Errorf("bisect %v: got error %v, want %v", bisect, err, sad)
		}
		if d == nil || d.Tick < 37 || d.Tick-d.Skipped > 37 || d.A == d.B {
			t.Errorf("bisect %v: got %v, want ticks with 37 among them", bisect, d)
		}
	}
}

// The test checks that the number of workers does not change the results. It compares two worlds
// side by side, and a world with a recording.
//
// Conformance: 363
func TestWorkers(t *testing.T) {
	a, _, _ := newRun(t, 5000, 1)
	b, _, _ := newRun(t, 5000, 8)
	d, err := Compare(a, b, 60, 7)
	ok(t, err)
	if d != nil {
		t.Error(d)
	}
	var file bytes.Buffer
	record(t, &file, 5000, 1, 0, BySystem())
	c, _, _ := newRun(t, 5000, 8)
	if d, err := replay(&file, c); d != nil || err != nil {
		t.Error(d, err)
	}
}

// record records 50 ticks. In one of them, a bit is flipped.
func record(t testing.TB, to io.Writer, n, workers, when int, opts ...Option) {
	recordFor(t, 50, to, n, workers, when, opts...)
}

func recordFor(t testing.TB, ticks uint64, to io.Writer, n, workers, when int, opts ...Option) {
	run, m, ids := newRun(t, n, workers)
	m.when, m.whose, m.again = when, ids[n/2], true
	r, err := Record(to, run.World, opts...)
	ok(t, err)
	for tick := uint64(1); tick <= ticks; tick++ {
		r.Input("force", []byte{byte(tick)})
		ok(t, run.Step(tick))
		ok(t, r.Tick())
	}
	ok(t, r.Close())
	ok(t, r.Close())
	if err := r.Tick(); !errors.Is(err, ecs.ErrState) {
		t.Errorf("Tick of a closed one: %v", err)
	}
}

func replay(from io.Reader, run Run) (*Divergence, error) {
	return Replay(from, run.World, func(t *Tick) error {
		return run.Step(uint64(t.Inputs[0].Value[0]))
	})
}

// A replay finds the tick, or the range of ticks if hashes are rarer. If the recording has the writes of systems,
// it also finds the system and the component, and if it has values, the entity and both values. So do Contrast and Verify.
func TestReplay(t *testing.T) {
	for _, test := range []struct {
		opts   []Option
		want   string
		equal  uint64 // the last equal tick with a hash
		advice string
	}{
		{nil, "tick 37: the hashes are ", 36, "To find the system, the entity and both values, record both runs again with replay.BySystem() and replay.Values(37, 37)"},
		{[]Option{Every(10)}, "one of the ticks 31 to 40: after tick 40, the hashes are ", 30, "To find the tick, the system, the entity and both values, record both runs again with replay.BySystem() and replay.Values(31, 40)"},
		{[]Option{Every(10), BySystem()}, "tick 37: replay.move: it wrote other values of replay.position", 30, "To find the entity and both values, record both runs again with replay.BySystem() and replay.Values(37, 37)"},
		{[]Option{Every(10), Values(31, 40)}, "tick 37: entity 100v1: replay.position.Y is 100.28906 and 100.28907 ", 36, "To find the system, record both runs again with replay.BySystem() and replay.Values(37, 37)"},
		{[]Option{BySystem(), Values(37, 37)}, "tick 37: replay.move: entity 100v1: replay.position.Y is 100.28906 and 100.28907 ", 36, ""},
	} {
		var good, wrong bytes.Buffer
		record(t, &good, 200, 3, 0, test.opts...)
		record(t, &wrong, 200, 2, 37, test.opts...)
		check := func(name string, d *Divergence, err error) {
			t.Helper()
			ok(t, err)
			if got := d.String(); !strings.HasPrefix(got, test.want) {
				t.Errorf("%s: got %q, want %q", name, got, test.want)
			}
			if got := d.Advice(); got != test.advice {
				t.Errorf("%s: %s: got advice %q, want %q", name, test.want, got, test.advice)
			}
		}
		run, m, ids := newRun(t, 200, 2)
		m.when, m.whose, m.again = 37, ids[100], true
		d, err := replay(bytes.NewReader(good.Bytes()), run)
		check("Replay", d, err)
		d, n, err := Contrast(bytes.NewReader(good.Bytes()), bytes.NewReader(wrong.Bytes()))
		check("Contrast", d, err)
		if n != test.equal {
			t.Errorf("Contrast: %s: got %d equal ticks, want %d", test.want, n, test.equal)
		}
		if d, n, err := Contrast(bytes.NewReader(good.Bytes()), bytes.NewReader(good.Bytes())); d != nil || n != 50 || err != nil {
			t.Error(d, n, err)
		}
		tick, err := verify(t, good.Bytes(), 37, 60)
		if !errors.Is(err, ErrDiverged) || tick != d.Tick || !strings.Contains(err.Error(), test.want) || !strings.HasSuffix(err.Error(), test.advice) {
			t.Errorf("Verify: after tick %d, got %v, want %s", tick, err, test.want)
		}
		if tick, err := verify(t, good.Bytes(), 0, 60); tick != 51 || !errors.Is(err, io.EOF) || !strings.Contains(err.Error(), "no difference in 50 ticks") {
			t.Errorf("Verify: after tick %d, got %v, want no difference", tick, err)
		}
	}
}

// verify runs ticks beside a recording. In one of them, a bit is flipped. It returns the tick at which Tick
// returned an error.
func verify(t *testing.T, recording []byte, when int, ticks uint64) (uint64, error) {
	t.Helper()
	run, m, ids := newRun(t, 200, 2)
	m.when, m.whose, m.again = when, ids[100], true
	r, err := Verify(bytes.NewReader(recording), run.World)
	ok(t, err)
	for tick := uint64(1); tick <= ticks; tick++ {
		r.Input("force", []byte{byte(tick)})
		ok(t, run.Step(tick))
		if err := r.Tick(); err != nil {
			if again := r.Tick(); again != err {
				t.Errorf("Tick again: got %v, want %v", again, err)
			}
			if again := r.Close(); again != err && !errors.Is(err, io.EOF) || again != nil && errors.Is(err, io.EOF) && !errors.Is(again, ErrNotCompared) {
				t.Errorf("Close after %v: got %v", err, again)
			}
			ok(t, r.Close())
			return tick, err
		}
	}
	return 0, r.Close()
}

// Verify must say that a run ended before its recording, and that a recording has no hash. Replay and Contrast must say the
// latter too.
func TestNotCompared(t *testing.T) {
	rare := []Option{Every(51)}
	for _, test := range []struct {
		opts  []Option
		cut   int    // bytes that are missing at the end of the recording
		ticks uint64 // of the run
		tick  uint64 // at which Tick returns an error; 0 if Close does
		want  string // in an error of category ErrNotCompared; empty for none
	}{
		{nil, 0, 50, 0, ""},
		{nil, 0, 0, 0, "the run ended after tick 0, and the recording has 50 ticks; the last equal hash is that of tick 0"},
		{nil, 0, 49, 0, "the run ended after tick 49, and the recording has 50 ticks; the last equal hash is that of tick 49"},
		{[]Option{Every(4)}, 0, 11, 0, "the run ended after tick 11, and the recording has 50 ticks; the last equal hash is that of tick 8"},
		{[]Option{Every(4)}, 0, 50, 0, ""},
		{nil, 30, 11, 0, "the run ended after tick 11, and the recording has 49 ticks; the last equal hash is that of tick 11, and then: replay: not a whole recording"},
		{rare, 0, 50, 0, "none of its 50 ticks has a hash, because replay.Every(51) "},
		{rare, 0, 51, 51, "none of its 50 ticks has a hash, because replay.Every(51) "},
		{rare, 0, 11, 0, "the run ended after tick 11, and the recording has 50 ticks; the last equal hash is that of tick 0"},
		{append(rare, BySystem()), 0, 50, 0, ""},
		{append(rare, BySystem()), 0, 49, 0, "the run ended after tick 49, and the recording has 50 ticks; the last equal hash is that of tick 49"},
		{append(rare, Values(50, 50)), 0, 50, 0, ""},
	} {
		var file bytes.Buffer
		record(t, &file, 200, 2, 0, test.opts...)
		tick, err := verify(t, file.Bytes()[:file.Len()-test.cut], 0, test.ticks)
		if test.want == "" {
			if tick != 0 || err != nil {
				t.Errorf("%d ticks: tick %d: %v", test.ticks, tick, err)
			}
			continue
		}
		if tick != test.tick || !errors.Is(err, ErrNotCompared) || errors.Is(err, ErrCorrupt) != (test.cut > 0) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%d ticks: tick %d: got %v, want %q", test.ticks, tick, err, test.want)
		}
	}
	var file bytes.Buffer
	record(t, &file, 20, 1, 0, rare...)
	run, _, _ := newRun(t, 20, 1)
	if d, err := replay(&file, run); d != nil || !errors.Is(err, ErrNotCompared) {
		t.Errorf("Replay: got %v, %v", d, err)
	}
	for _, every := range []int{1, 7, 51} {
		var a, b bytes.Buffer
		record(t, &a, 20, 1, 0, rare...)
		record(t, &b, 20, 1, 0, Every(every))
		if d, n, err := Contrast(&a, &b); d != nil || n != 0 || !errors.Is(err, ErrNotCompared) {
			t.Errorf("Contrast, every %d: got %v, %d, %v", every, d, n, err)
		}
	}
	var a, b bytes.Buffer
	record(t, &a, 20, 1, 0, append(rare, BySystem())...)
	record(t, &b, 20, 1, 0, append(rare, BySystem())...)
	if d, n, err := Contrast(&a, &b); d != nil || n != 0 || err != nil {
		t.Errorf("Contrast by system: got %v, %d, %v", d, n, err)
	}
}

// The recorder and the verifier of the writes of systems must release their images.
func TestImagesReleased(t *testing.T) {
	var file bytes.Buffer
	for _, name := range []string{"Record", "Verify", "Replay"} {
		run, _, _ := newRun(t, 500, 1)
		switch name {
		case "Replay":
			if d, err := Replay(&file, run.World, func(k *Tick) error { return run.Step(k.Number) }); d != nil || err != nil {
				t.Error(d, err)
			}
		default:
			var r *Recorder
			var err error
			if name == "Record" {
				r, err = Record(&file, run.World, BySystem())
			} else {
				r, err = Verify(bytes.NewReader(file.Bytes()), run.World)
			}
			ok(t, err)
			for tick := range uint64(3) {
				ok(t, run.Step(tick+1))
				ok(t, r.Tick())
			}
			if run.World.ImageBytes() == 0 {
				t.Errorf("%s: there is no image before Close, so that the case shows nothing", name)
			}
			ok(t, r.Close())
		}
		if n := run.World.ImageBytes(); n != 0 {
			t.Errorf("%s: the images have %d bytes at the end, want 0", name, n)
		}
	}
}

// label is a managed component, and owner a shared one that has no form in a file.
type label struct {
	ecs.Managed
	Text map[string]int
}

type owner struct {
	ecs.Shared
	Name int32
	of   *int
}

// Values leaves out managed components. If another component cannot be written, Record says so, and Verify also says which
// tick differs.
func TestValuesNotWritten(t *testing.T) {
	run, _, _ := newRun(t, 50, 1)
	run.World.Spawn(label{Text: map[string]int{"a": 1}})
	var file bytes.Buffer
	r, err := Record(&file, run.World, Values(1, 3))
	ok(t, err)
	for tick := range uint64(3) {
		ok(t, run.Step(tick+1))
		ok(t, r.Tick())
	}
	ok(t, r.Close())
	for name, spawn := range map[string]func(w *ecs.World){
		"label": func(w *ecs.World) { w.Spawn(label{}, position{}) },
		"owner": func(w *ecs.World) { w.Spawn(owner{Name: 1, of: new(int)}) },
	} {
		run, _, _ := newRun(t, 50, 1)
		run.World.Spawn(label{})
		r, err := Verify(bytes.NewReader(file.Bytes()), run.World)
		ok(t, err)
		ok(t, run.Step(1))
		ok(t, r.Tick())
		spawn(run.World)
		ok(t, run.Step(2))
		err = r.Tick()
		if !errors.Is(err, ErrDiverged) || !strings.Contains(err.Error(), "tick 2: ") || errors.Is(err, snapshot.ErrValue) != (name == "owner") {
			t.Errorf("%s: got %v", name, err)
		}
		if again := r.Close(); again != err {
			t.Errorf("%s: Close: got %v, want the error of Tick", name, again)
		}
	}
	run, _, _ = newRun(t, 50, 1)
	run.World.Spawn(owner{Name: 1, of: new(int)})
	r, err = Record(io.Discard, run.World, Values(2, 3))
	ok(t, err)
	ok(t, r.Tick())
	if err := r.Tick(); !errors.Is(err, snapshot.ErrValue) || !strings.Contains(err.Error(), "tick 2: the values for replay.Values: ") {
		t.Errorf("Record: got %v", err)
	}
}

// Verify must refuse a run with other inputs, another world, and a recording that was cut. The error for a cut
// comes after the complete ticks.
func TestVerifyRefused(t *testing.T) {
	var file bytes.Buffer
	record(t, &file, 50, 2, 0)
	other, _, _ := newRun(t, 51, 2)
	if _, err := Verify(bytes.NewReader(file.Bytes()), other.World); !errors.Is(err, ErrStart) {
		t.Error(err)
	}
	if _, err := Verify(bytes.NewReader(file.Bytes()), nil); !errors.Is(err, ecs.ErrArgument) {
		t.Error(err)
	}
	for _, inputs := range [][]string{{}, {"x"}, {"\x01", "x"}} {
		run, _, _ := newRun(t, 50, 2)
		r, err := Verify(bytes.NewReader(file.Bytes()), run.World)
		ok(t, err)
		for _, in := range inputs {
			r.Input("force", []byte(in))
		}
		ok(t, run.Step(1))
		if err := r.Tick(); !errors.Is(err, ErrDiverged) || !strings.Contains(err.Error(), "tick 1: input ") {
			t.Errorf("inputs %q: %v", inputs, err)
		}
	}
	run, _, _ := newRun(t, 50, 2)
	r, err := Verify(bytes.NewReader(file.Bytes()[:file.Len()-30]), run.World)
	ok(t, err)
	tick := uint64(1)
	for ; err == nil; tick++ {
		r.Input("force", []byte{byte(tick)})
		ok(t, run.Step(tick))
		err = r.Tick()
	}
	if !errors.Is(err, ErrCorrupt) || tick < 49 {
		t.Errorf("a cut recording: tick %d: %v", tick, err)
	}
}

// If only the hash of a tick differs, the difference may have begun in an earlier tick, also if the writes of all
// systems were compared: the program itself may have written.
func TestOutsideOfSystems(t *testing.T) {
	var files [2]bytes.Buffer
	for i := range files {
		run, _, _ := newRun(t, 20, 1)
		lonely := run.World.Spawn(mark{})
		r, err := Record(&files[i], run.World, Every(10), BySystem())
		ok(t, err)
		for tick := uint64(1); tick <= 20; tick++ {
			if tick == 13 && i == 1 {
				ok(t, ecs.Set(run.World, lonely, mark{7}))
			}
			ok(t, run.Step(tick))
			ok(t, r.Tick())
		}
		ok(t, r.Close())
	}
	d, n, err := Contrast(&files[0], &files[1])
	ok(t, err)
	if got := d.String(); n != 10 || d.Skipped != 9 || !strings.HasPrefix(got, "one of the ticks 11 to 20: ") {
		t.Errorf("%d equal ticks: %s", n, got)
	}
}

// mark is a component that no system writes.
type mark struct{ N int32 }

// Replay must refuse a world that differs from the recorded world at the beginning. If a step
// fails, it must return the error of the step.
func TestRefused(t *testing.T) {
	var file bytes.Buffer
	record(t, &file, 50, 2, 0)
	other, _, _ := newRun(t, 51, 2)
	if _, err := replay(bytes.NewReader(file.Bytes()), other); !errors.Is(err, ErrStart) {
		t.Error(err)
	}
	same, _, _ := newRun(t, 50, 2)
	if _, err := Compare(same, other, 5); !errors.Is(err, ErrStart) {
		t.Error(err)
	}
	sad := errors.New("sad")
	if _, err := Replay(bytes.NewReader(file.Bytes()), same.World, func(*Tick) error { return sad }); !errors.Is(err, sad) {
		t.Error(err)
	}
	if _, err := Compare(same, Run{same.World, func(uint64) error { return sad }}, 5); !errors.Is(err, sad) {
		t.Error(err)
	}
	full := &limited{n: 300}
	r, err := Record(full, same.World)
	for err == nil {
		err = r.Tick()
	}
	if !errors.Is(err, io.ErrShortWrite) || r.Tick() != err || r.Close() != err {
		t.Error(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("Every(0)")
		}
	}()
	Every(0)
}

// limited is a stream that returns an error after a number of bytes.
type limited struct{ n int }

func (l *limited) Write(b []byte) (int, error) {
	if l.n -= len(b); l.n < 0 {
		return 0, io.ErrShortWrite
	}
	return len(b), nil
}

// wild is a stream that panics at a write.
type wild struct{ writes, at int }

func (w *wild) Write(b []byte) (int, error) {
	if w.writes++; w.writes == w.at {
		panic("wild")
	}
	return len(b), nil
}

// If a stream panics at a write, the recording ends. Nothing may be written after that, because
// the stream may contain any part of the last frame.
func TestStreamThatPanics(t *testing.T) {
	run, _, _ := newRun(t, 50, 2)
	whole := &wild{}
	rec := threeTicks(t, whole, run.World)
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	for at := 1; at <= whole.writes; at++ {
		to := &wild{at: at}
		rec := threeTicks(t, to, run.World)
		if rec == nil {
			continue // Record has panicked, so there is no recording
		}
		if to.writes < at && !doesPanic(func() { _ = rec.Close() }) {
			t.Fatalf("write %d: Close does not come to it", at)
		}
		if err := rec.Tick(); !errors.Is(err, ecs.ErrState) || to.writes != at {
			t.Errorf("write %d: Tick returns %v, after %d writes", at, err, to.writes)
		}
		if err := rec.Close(); at < whole.writes && !errors.Is(err, ecs.ErrState) || to.writes != at {
			t.Errorf("write %d: Close returns %v, after %d writes", at, err, to.writes)
		}
	}
}

// threeTicks records three ticks, or fewer if the stream panics before.
func threeTicks(t *testing.T, to io.Writer, w *ecs.World) (rec *Recorder) {
	t.Helper()
	doesPanic(func() {
		r, err := Record(to, w)
		if err != nil {
			t.Fatal(err)
		}
		rec = r
		for range 3 {
			if err := r.Tick(); err != nil {
				t.Fatal(err)
			}
		}
	})
	return rec
}

// doesPanic reports whether f panics.
func doesPanic(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

var update = flag.Bool("lanewise.update", false, "write the golden recording anew")

// readAll reads a recording to its end.
func readAll(from io.Reader) (ticks int, err error) {
	r, err := Read(from)
	for err == nil {
		if _, err = r.Next(); err == nil {
			ticks++
		}
	}
	if err == io.EOF {
		err = nil
	}
	return ticks, err
}

// The reader must notice every cut and every flipped bit of a recording, and must still read the
// ticks before it.
func TestTrust(t *testing.T) {
	var file bytes.Buffer
	recordFor(t, 6, &file, 20, 1, 0, Every(5), BySystem(), Values(2, 2))
	b := file.Bytes()
	if n, err := readAll(bytes.NewReader(b)); n != 6 || err != nil {
		t.Fatal(n, err)
	}
	for n := range len(b) {
		if ticks, err := readAll(bytes.NewReader(b[:n])); !errors.Is(err, ErrCorrupt) || ticks > 1+6*n/len(b) {
			t.Fatalf("cut to %d of %d: %d ticks, %v", n, len(b), ticks, err)
		}
	}
	step := 1
	if testing.Short() {
		step = 11
	}
	for bit := 0; bit < 8*len(b); bit += step {
		c := bytes.Clone(b)
		c[bit/8] ^= 1 << (bit % 8)
		if _, err := readAll(bytes.NewReader(c)); err == nil && (bit < 96 || bit >= 128) { // Replay refuses another version of hashes
			t.Fatalf("bit %d of %d is flipped, and nothing is wrong", bit, 8*len(b))
		}
	}
	if _, err := readAll(bytes.NewReader(append(bytes.Clone(b), 0))); !errors.Is(err, ErrCorrupt) {
		t.Error("it goes on behind its end", err)
	}
	c := bytes.Clone(b)
	c[8] = Version + 1
	if _, err := Read(bytes.NewReader(c)); !errors.Is(err, ErrVersion) {
		t.Error(err)
	}
	c = bytes.Clone(b)
	c[12] = 77
	run, _, _ := newRun(t, 20, 1)
	if _, err := replay(bytes.NewReader(c), run); !errors.Is(err, ErrVersion) {
		t.Error(err)
	}
}

// The stored recording of version 1 must be readable, and the same run must still produce the
// same bytes.
func TestGolden(t *testing.T) {
	const name = "testdata/v1.replay"
	var file bytes.Buffer
	recordFor(t, 4, &file, 20, 1, 0, Every(2), BySystem())
	if *update {
		ok(t, os.MkdirAll("testdata", 0o755))
		ok(t, os.WriteFile(name, file.Bytes(), 0o644))
	}
	b, err := os.ReadFile(name)
	ok(t, err)
	if !bytes.Equal(b, file.Bytes()) {
		t.Error("the bytes are others")
	}
	r, err := Read(bytes.NewReader(b))
	ok(t, err)
	if r.World != "run" || r.Every != 2 || r.HashVersion != ecs.HashVersion {
		t.Errorf("%+v", r)
	}
	tick, err := r.Next()
	ok(t, err)
	if got := strings.Join(tick.Systems(), " "); tick.Inputs[0].Key != "force" || !strings.Contains(got, "replay.push") || !strings.Contains(got, "replay.move") {
		t.Errorf("%+v, %s", tick, got)
	}
	run, _, _ := newRun(t, 20, 2)
	if d, err := replay(bytes.NewReader(b), run); d != nil || err != nil {
		t.Error(d, err)
	}
}

// FuzzRead reads arbitrary bytes.
func FuzzRead(f *testing.F) {
	b, err := os.ReadFile("testdata/v1.replay")
	ok(f, err)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := readAll(bytes.NewReader(b)); err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion) {
			t.Error(err)
		}
	})
}

// If a run has no world or no step, the error must contain the number of the run.
func TestCompareNothing(t *testing.T) {
	w := ecs.NewWorld("w")
	whole := Run{w, func(uint64) error { return nil }}
	for i, pair := range [][2]Run{{{}, whole}, {whole, {World: w}}} {
		_, err := Compare(pair[0], pair[1], 1)
		if !errors.Is(err, ecs.ErrArgument) || !strings.Contains(err.Error(), fmt.Sprintf("replay: Compare: run %d", i+1)) {
			t.Error(err)
		}
	}
}

// The panic for a nil option must contain its index.
func TestNilOption(t *testing.T) {
	defer func() {
		if got, want := recover(), "replay: Record: option 0 is nil"; got != want {
			t.Errorf("got panic %v, want %q", got, want)
		}
	}()
	_, _ = Record(&bytes.Buffer{}, ecs.NewWorld(t.Name()), nil)
}

// The error for a nil stream, world or recorder must name this argument.
func TestNothing(t *testing.T) {
	_, noStream := Record(nil, ecs.NewWorld(t.Name()))
	_, noWorld := Record(&bytes.Buffer{}, nil)
	_, noFile := Read(nil)
	for want, err := range map[string]error{"Record: the stream is nil": noStream, "Record: the world is nil": noWorld, "the stream is nil": noFile} {
		if !errors.Is(err, ecs.ErrArgument) || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
	var r Recorder
	if err := r.Tick(); !errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), "make it with Record") {
		t.Errorf("the zero Recorder: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
