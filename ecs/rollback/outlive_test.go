package rollback_test

import (
	"errors"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/rollback"
)

// TestHandlesOutlive: a ring goes on after a Restore of its world, and goes back to each tick that it has. After Close what uses the world is refused with
// ErrDisposed; images, hashes and inputs are of no world.
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
		{"Session.Settle", session.Settle}, // Advance has found out that the world is closed
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
