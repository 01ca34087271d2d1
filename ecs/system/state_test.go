package system

import (
	"errors"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// After a Restore, a system sees the same rows as changed that it would have seen when the image was
// captured. If a system was created after the image, all rows are new for it. After a Restore of an
// image of another world, all rows are new for every system.
func TestRestore(t *testing.T) {
	b := newBench(t)
	p, in := b.add("")
	seen := 0
	p.update = func(f *Frame) error {
		seen = f.Query(ecs.Read[alpha](), ecs.Changed[alpha]()).Count()
		return nil
	}
	update := func(want int) {
		t.Helper()
		b.ok(in.Update())
		if seen != want {
			t.Errorf("%d rows have changed, want %d", seen, want)
		}
	}
	e := b.w.Spawn(alpha{1})
	update(1)
	update(0)
	still, err := ecs.Capture(b.w, nil)
	b.ok(err)
	b.ok(ecs.Set(b.w, e, alpha{2}))
	written, err := ecs.Capture(b.w, still)
	b.ok(err)
	update(1)
	b.ok(ecs.Restore(b.w, still))
	update(0) // the write is undone, and no system saw it
	b.ok(ecs.Restore(b.w, written))
	update(1)
	b.ok(ecs.Restore(b.w, still))
	b.ok(ecs.Set(b.w, e, alpha{3}))
	update(1)
	update(0)
	other := ecs.NewWorld("other")
	other.Spawn(alpha{7})
	m, err := ecs.Capture(other, nil)
	b.ok(err)
	b.ok(ecs.Restore(b.w, m))
	update(1)
	b.ok(other.Close())
}

// Commands that were recorded before a Restore are not played back after it.
func TestRestoreDropsCommands(t *testing.T) {
	w := newWorld(t, Only(Of[writer](), Of[counter]()))
	s, c := Find[writer](w), Find[counter](w)
	s.wants = func(f *Frame) error {
		_, err := Commands[EndSimulation](f).Spawn(alpha{1})
		return err
	}
	m, err := ecs.Capture(w, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := Update(w); err != nil {
			t.Fatal(err)
		}
	}
	own := w.NewCommands()
	if _, err := own.Spawn(alpha{2}); err != nil {
		t.Fatal(err)
	}
	if err := ecs.Restore(w, m); err != nil {
		t.Fatal(err)
	}
	if err := own.Playback(w); err != nil || w.Len() != m.Len() {
		t.Errorf("%d entities, want %d; %v", w.Len(), m.Len(), err)
	}
	if err := Update(w); err != nil || c.n != 1 {
		t.Errorf("%d entities after one frame; %v", c.n, err)
	}
}

// An update with a failed job does not count, so the next update sees the same changes again. The
// failed update does not count either in an image that was captured before the failure was known.
// After a Restore to an earlier image, the failure has no effect.
func TestRestoreAfterFailedJob(t *testing.T) {
	b := newBench(t)
	p, in := b.add("")
	seen, bad := 0, false
	p.update = func(f *Frame) error {
		seen = f.Query(ecs.Read[alpha](), ecs.Changed[alpha]()).Count()
		if bad {
			f.Schedule(jobs.Func(func(*jobs.Task) { panic("bad") }), nil)
		}
		return nil
	}
	update := func(fails bool, want int) {
		t.Helper()
		bad = fails
		b.ok(in.Update())
		if seen != want {
			t.Errorf("%d rows have changed, want %d", seen, want)
		}
	}
	capture := func() *ecs.Image {
		t.Helper()
		m, err := ecs.Capture(b.w, nil)
		b.ok(err)
		return m
	}
	e := b.w.Spawn(alpha{1})
	update(false, 1)
	b.ok(ecs.Set(b.w, e, alpha{2}))
	written := capture()
	update(false, 1)
	update(true, 0)
	b.ok(ecs.Restore(b.w, written))
	update(false, 1)
	update(false, 0)
	b.ok(ecs.Set(b.w, e, alpha{3}))
	update(true, 1)
	failed := capture()
	update(false, 1)
	b.ok(ecs.Restore(b.w, failed))
	update(false, 1)
	if err := b.w.Sync(); err == nil {
		t.Error("the failure of the jobs is not told")
	}
}

// brittle is a Saver that panics when its bytes are loaded.
type brittle struct{}

func (*brittle) Update(*Frame) error           { return nil }
func (*brittle) AppendState(out []byte) []byte { return append(out, 1) }
func (*brittle) LoadState([]byte) error        { panic(errBroken) }

// If a Saver panics, Restore returns an error. Restore returns an error even if the Saver panics again
// when the world returns to its previous state. The error wraps the value of the panic, and the
// entities do not change.
func TestRestoreWrapsPanic(t *testing.T) {
	w := newWorld(t, Only(Of[brittle]()))
	m, err := ecs.Capture(w, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Spawn(alpha{1})
	before := w.Hash()
	if err := Restore(w, m); !errors.Is(err, errBroken) {
		t.Errorf("the error is %v", err)
	}
	if after := w.Hash(); after != before {
		t.Errorf("the hash is %016x, and was %016x", after, before)
	}
}

// A world without systems may use its clock for the first time after an image was captured. A Restore of that
// image sets the clock back to time 0, and the next step begins at time 0 too.
func TestRestoreBeforeClock(t *testing.T) {
	w := ecs.NewWorld("plain")
	defer w.Close()
	m, err := ecs.Capture(w, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		ClockOf(w).Advance(1)
		ClockOf(w).Advance(1)
		if now := ClockOf(w).Now(); now != (Time{Elapsed: 1, Delta: 1}) {
			t.Errorf("after two steps the time is %v", now)
		}
		if err := ecs.Restore(w, m); err != nil {
			t.Fatal(err)
		}
	}
}
