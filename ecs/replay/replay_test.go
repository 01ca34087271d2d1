package replay

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

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
		{nil, "tick 37: the hashes are ", 36, "To find the system, the entity and both values, {again} and add the options replay.BySystem() and replay.Values(37, 37)"},
		{[]Option{Every(10)}, "one of the ticks 31 to 40: after tick 40, the hashes are ", 30, "To find the tick, the system, the entity and both values, {again} and add the options replay.BySystem() and replay.Values(31, 40)"},
		{[]Option{Every(10), BySystem()}, "tick 37: replay.move: it wrote other values of replay.position", 30, "To find the entity and both values, {again} and add the option replay.Values(37, 37)"},
		{[]Option{Every(10), Values(31, 40)}, "tick 37: entity 100:1: replay.position.Y is 100.28906 in {a} and 100.28907 in {b} ", 36, "To find the system, {again} and add the option replay.BySystem()"},
		{[]Option{BySystem(), Values(37, 37)}, "tick 37: replay.move: entity 100:1: replay.position.Y is 100.28906 in {a} and 100.28907 in {b} ", 36, ""},
	} {
		var good, wrong bytes.Buffer
		record(t, &good, 200, 3, 0, test.opts...)
		record(t, &wrong, 200, 2, 37, test.opts...)
		verified := strings.NewReplacer("{a}", "the recording", "{b}", "this run", "{again}", "make the recording again")
		files := strings.NewReplacer("{a}", "a.rec", "{b}", "b.rec", "{again}", "record both runs again")
		check := func(name string, d *Divergence, words *strings.Replacer, err error) {
			t.Helper()
			ok(t, err)
			if got, want := d.String(), words.Replace(test.want); !strings.HasPrefix(got, want) {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
			if got, want := d.Advice(), words.Replace(test.advice); got != want {
				t.Errorf("%s: %s: got advice %q, want %q", name, test.want, got, want)
			}
		}
		run, m, ids := newRun(t, 200, 2)
		m.when, m.whose, m.again = 37, ids[100], true
		d, err := replay(bytes.NewReader(good.Bytes()), run)
		check("Replay", d, verified, err)
		d, n, err := Contrast(bytes.NewReader(good.Bytes()), bytes.NewReader(wrong.Bytes()))
		d.Labels = [2]string{"a.rec", "b.rec"}
		check("Contrast", d, files, err)
		if n != test.equal {
			t.Errorf("Contrast: %s: got %d equal ticks, want %d", test.want, n, test.equal)
		}
		if d, n, err := Contrast(bytes.NewReader(good.Bytes()), bytes.NewReader(good.Bytes())); d != nil || n != 50 || err != nil {
			t.Error(d, n, err)
		}
		tick, err := verify(t, good.Bytes(), 37, 60)
		if !errors.Is(err, ErrDiverged) || tick != d.Tick || !strings.Contains(err.Error(), verified.Replace(test.want)) || !strings.HasSuffix(err.Error(), verified.Replace(test.advice)) {
			t.Errorf("Verify: after tick %d, got %v, want %s", tick, err, test.want)
		}
		if tick, err := verify(t, good.Bytes(), 0, 60); tick != 51 || !errors.Is(err, io.EOF) || !strings.Contains(err.Error(), "no difference in 50 ticks") {
			t.Errorf("Verify: after tick %d, got %v, want no difference", tick, err)
		}
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

// The advice names only the sides and the options that are missing, and the text names the entity and the sides.
func TestAdvice(t *testing.T) {
	file := func(changed bool, opts ...Option) io.Reader {
		var to bytes.Buffer
		run, _, _ := newRun(t, 20, 1)
		lonely := run.World.Spawn(mark{})
		ok(t, run.World.SetEntityName(lonely, "buoy"))
		r, err := Record(&to, run.World, opts...)
		ok(t, err)
		for tick := uint64(1); tick <= 5; tick++ {
			if tick == 3 && changed {
				ok(t, ecs.Set(run.World, lonely, mark{7}))
			}
			ok(t, run.Step(tick))
			ok(t, r.Tick())
		}
		ok(t, r.Close())
		return &to
	}
	type options = []Option
	for _, test := range []struct {
		a, b         options
		want, advice string
	}{
		{options{BySystem()}, options{BySystem(), Values(1, 5)}, "tick 3: the hashes are ", "To find the entity and both values, make a.rec again and add the option replay.Values(3, 3)"},
		{options{BySystem()}, options{Values(1, 5)}, "tick 3: the hashes are ", "To find the system, the entity and both values, make a.rec again and add the option replay.Values(3, 3); make b.rec again and add the option replay.BySystem()"},
		{options{BySystem(), Values(1, 5)}, options{BySystem(), Values(3, 3)}, `tick 3: entity 21:1 "buoy": replay.mark.N is 0 in a.rec and 7 in b.rec (`, ""},
		{options{BySystem(), Every(5)}, options{BySystem(), Every(5)}, "one of the ticks 1 to 5: ", "To find the tick, the entity and both values, record both runs again and add the options replay.Every(1) and replay.Values(1, 5)"},
	} {
		d, _, err := Contrast(file(false, test.a...), file(true, test.b...))
		ok(t, err)
		d.Labels = [2]string{"a.rec", "b.rec"}
		if got := d.String(); !strings.HasPrefix(got, test.want) {
			t.Errorf("got %q, want %q", got, test.want)
		}
		if got := d.Advice(); got != test.advice {
			t.Errorf("%s: got advice %q, want %q", test.want, got, test.advice)
		}
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
