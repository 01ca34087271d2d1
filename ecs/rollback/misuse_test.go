package rollback_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/rollback"
)

// wantZeroValue checks an error or panic about a zero value. The message must contain the given texts,
// for example the name of the function that makes a valid value.
func wantZeroValue(t *testing.T, err error, texts ...string) {
	t.Helper()
	for _, text := range append(texts, "rollback: ") {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want %q", err, text)
		}
	}
}

// panicError returns the value with which f panics.
func panicError(f func()) (err error) {
	defer func() {
		if text, is := recover().(string); is {
			err = errors.New(text)
		}
	}()
	f()
	return nil
}

// A zero value must behave as an empty value. Calls that need contents must return an error that
// names the function that makes a valid value.
func TestZero(t *testing.T) {
	for _, r := range []*rollback.Ring{nil, {}} {
		_, err := r.Hash(3)
		for op, err := range map[string]error{"Ring.Keep": r.Keep(3), "Ring.Back": r.Back(3), "Ring.Hash": err} {
			if wantZeroValue(t, err, op+": ", "NewRing"); !errors.Is(err, ecs.ErrState) {
				t.Errorf("%s: %v", op, err)
			}
		}
		if r.Image(3) != nil {
			t.Error("there is an image")
		}
	}
	l := &rollback.Inputs[int]{}
	if _, wrong := l.Wrong(); wrong || l.Confirmed() != 0 {
		t.Error("a log of nobody has inputs")
	}
	if _, ok := l.Input(0, 0); ok {
		t.Error("a log of nobody has an input")
	}
	wantZeroValue(t, l.Confirm(0, 0, 1), "NewInputs")
	wantZeroValue(t, (*rollback.Inputs[int])(nil).Confirm(0, 0, 1), "NewInputs")
	wantZeroValue(t, panicError(func() { l.At(0) }), "Inputs.At: ", "NewInputs")
	wantZeroValue(t, panicError(func() { l.ConfirmedOf(0) }), "Inputs.ConfirmedOf: player 0 of 0")

	s := &rollback.Session[int]{}
	if s.Tick() != 0 || s.Confirmed() != 0 || s.Ready() || s.Inputs() != nil || s.Stats() != (rollback.Stats{}) {
		t.Error("a session of nobody has ticks")
	}
	for _, s := range []*rollback.Session[int]{nil, s} {
		for op, err := range map[string]error{"Advance": s.Advance(1), "Settle": s.Settle(), "Receive": s.Receive(nil)} {
			if wantZeroValue(t, err, "Session."+op+": ", "make it with New"); !errors.Is(err, ecs.ErrState) {
				t.Errorf("%s: %v", op, err)
			}
		}
	}
	wantZeroValue(t, panicError(func() { s.Packet(0, nil) }), "Session.Packet: ", "make it with New")
}

// Calls with a player or a packet that does not exist must return an error or panic.
func TestNobody(t *testing.T) {
	s, err := rollback.New(rollback.Config[int]{World: ecs.NewWorld(t.Name()), Players: 2, Step: func(uint64, []int) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	wantZeroValue(t, s.Receive(nil), "Receive: the packet is nil")
	wantZeroValue(t, panicError(func() { s.Packet(2, &rollback.Packet[int]{}) }), "to player 2 of 2")
	wantZeroValue(t, panicError(func() { s.Packet(-1, &rollback.Packet[int]{}) }), "to player -1 of 2")
	wantZeroValue(t, panicError(func() { s.Packet(1, nil) }), "the packet is nil")
	wantZeroValue(t, panicError(func() { s.Inputs().ConfirmedOf(-1) }), "player -1 of 2")
}

// TestHandlesOutlive checks that a ring continues after a Restore of its world, and can go back
// to each tick that it has. After Close of the world, calls that use the world must return
// ErrDisposed. Images, hashes and inputs must stay usable, because they do not need the world.
func TestHandlesOutlive(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	w := ecs.NewWorld(t.Name())
	config := rollback.Config[int32]{World: w, Players: 1, Step: func(uint64, []int32) error { w.Spawn(); return nil }}
	ring, err := rollback.NewRing(w, 4)
	must(err)
	session, err := rollback.New(config)
	must(err)
	start, err := ecs.Capture(w, nil)
	must(err)
	hash := w.Hash()
	must(errors.Join(ring.Keep(1), session.Advance(1)))
	must(ecs.Restore(w, start))
	must(errors.Join(ring.Keep(2), session.Advance(1), ring.Keep(3), ring.Back(1)))
	if got := w.Hash(); got != hash || w.Len() != 0 {
		t.Errorf("before tick 1 the hash is %#x, want %#x", got, hash)
	}
	must(w.Close())

	var packet rollback.Packet[int32]
	session.Packet(0, &packet)
	for _, c := range []struct {
		name string
		call func() error
	}{
		{"NewRing", func() error { _, err := rollback.NewRing(w, 4); return err }},
		{"New", func() error { _, err := rollback.New(config); return err }},
		{"Ring.Keep", func() error { return ring.Keep(4) }},
		{"Ring.Back", func() error { return ring.Back(1) }},
		{"Session.Advance", func() error { return session.Advance(1) }},
		{"Session.Settle", session.Settle}, // Advance has found that the world is closed
		{"Session.Receive", func() error { return session.Receive(&packet) }},
	} {
		if err := c.call(); !errors.Is(err, ecs.ErrDisposed) {
			t.Errorf("after Close: %s: got %v, want ErrDisposed", c.name, err)
		}
	}
	if got, err := ring.Hash(1); got != hash || err != nil || ring.Image(1) == nil {
		t.Errorf("after Close the hash of tick 1 is %#x, %v, want %#x", got, err, hash)
	}
	if session.Inputs() == nil || session.Tick() != 2 || session.Confirmed() == 0 {
		t.Errorf("after Close the session has run %d ticks, of which %d are confirmed", session.Tick(), session.Confirmed())
	}
}
