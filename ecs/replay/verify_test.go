package replay

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/ecs/system"
)

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
	for _, name := range []string{"Record", "Verify", "Replay", "Compare"} {
		run, _, _ := newRun(t, 500, 1)
		switch name {
		case "Compare":
			other, m, ids := newRun(t, 500, 1)
			m.when, m.whose, m.again = 5, ids[7], true
			if d, err := Compare(run, other, 20, 10); d == nil || d.Tick != 5 || err != nil {
				t.Error(d, err)
			}
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

// gulping is a stream that panics at a read.
type gulping struct {
	from      io.Reader
	reads, at int
}

func (g *gulping) Read(b []byte) (int, error) {
	if g.reads++; g.reads == g.at {
		panic("gulping")
	}
	return g.from.Read(b[:min(len(b), 100)])
}

// If the stream panics at a read of Verify, the comparison ends. Nothing may be read after that, because the next bytes may be in the
// middle of a frame.
func TestVerifyPanics(t *testing.T) {
	var file bytes.Buffer
	recordFor(t, 6, &file, 50, 1, 0, BySystem(), Values(2, 5))
	compared := 0
	for at := 1; ; at++ {
		from := &gulping{from: bytes.NewReader(file.Bytes()), at: at}
		run, m, _ := newRun(t, 50, 2)
		m.again = true
		var r *Recorder
		ended := !doesPanic(func() {
			var err error
			r, err = Verify(from, run.World)
			ok(t, err)
			for tick := uint64(1); tick <= 6; tick++ {
				r.Input("force", []byte{byte(tick)})
				ok(t, run.Step(tick))
				ok(t, r.Tick())
			}
		})
		if ended {
			break
		}
		if r == nil {
			continue // Verify has panicked
		}
		compared++
		if err := r.Tick(); !errors.Is(err, ecs.ErrState) || from.reads != at {
			t.Errorf("read %d: Tick returns %v, after %d reads", at, err, from.reads)
		}
		if err := r.Close(); !errors.Is(err, ecs.ErrState) || from.reads != at {
			t.Errorf("read %d: Close returns %v, after %d reads", at, err, from.reads)
		}
		if n := run.World.ImageBytes(); n != 0 {
			t.Errorf("read %d: the images have %d bytes at the end, want 0", at, n)
		}
	}
	if compared < 6 {
		t.Errorf("only %d reads of ticks", compared)
	}
}

// If the k-th step of a run panics, Compare and Replay keep no image, and no longer watch the systems.
func TestStepPanics(t *testing.T) {
	var file bytes.Buffer
	recordFor(t, 12, &file, 100, 1, 0, BySystem())
	for _, compare := range []bool{true, false} {
		for at := 1; ; at++ {
			a, m, ids := newRun(t, 100, 1)
			m.when, m.whose = 7, ids[3]
			if !compare {
				m.when, m.again = 0, true
			}
			b, _, _ := newRun(t, 100, 1)
			steps, step := 0, a.Step
			a.Step = func(tick uint64) error {
				if steps++; steps == at {
					panic("step")
				}
				return step(tick)
			}
			panicked := doesPanic(func() {
				if compare {
					_, err := Compare(a, b, 12, 4)
					ok(t, err)
				} else {
					_, err := replay(bytes.NewReader(file.Bytes()), a)
					ok(t, err)
				}
			})
			if !panicked {
				if at < 12 {
					t.Errorf("compare %v: only %d steps", compare, at-1)
				}
				break
			}
			for _, w := range []*ecs.World{a.World, b.World} {
				ok(t, system.Update(w))
				if n := w.ImageBytes(); n != 0 {
					t.Errorf("compare %v: after a panic of step %d the images have %d bytes, want 0", compare, at, n)
				}
			}
		}
	}
}
