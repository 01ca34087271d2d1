package rollback_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/rollback"
)

// told checks that an error, or a panic, of what was not made names a text and what makes it.
func told(t *testing.T, err error, texts ...string) {
	t.Helper()
	for _, text := range append(texts, "rollback: ") {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want %q", err, text)
		}
	}
}

// panicked returns what f panics with.
func panicked(f func()) (err error) {
	defer func() {
		if text, is := recover().(string); is {
			err = errors.New(text)
		}
	}()
	f()
	return nil
}

// What was not made has nothing, and says so to those who want something of it.
func TestZero(t *testing.T) {
	for _, r := range []*rollback.Ring{nil, {}} {
		_, err := r.Hash(3)
		for op, err := range map[string]error{"Ring.Keep": r.Keep(3), "Ring.Back": r.Back(3), "Ring.Hash": err} {
			if told(t, err, op+": ", "NewRing"); !errors.Is(err, ecs.ErrState) {
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
	told(t, l.Confirm(0, 0, 1), "NewInputs")
	told(t, (*rollback.Inputs[int])(nil).Confirm(0, 0, 1), "NewInputs")
	told(t, panicked(func() { l.At(0) }), "Inputs.At: ", "NewInputs")
	told(t, panicked(func() { l.ConfirmedOf(0) }), "Inputs.ConfirmedOf: player 0 of 0")

	s := &rollback.Session[int]{}
	if s.Tick() != 0 || s.Confirmed() != 0 || s.Ready() || s.Inputs() != nil || s.Stats() != (rollback.Stats{}) {
		t.Error("a session of nobody has ticks")
	}
	for _, s := range []*rollback.Session[int]{nil, s} {
		for op, err := range map[string]error{"Advance": s.Advance(1), "Settle": s.Settle(), "Receive": s.Receive(nil)} {
			if told(t, err, "Session."+op+": ", "make it with New"); !errors.Is(err, ecs.ErrState) {
				t.Errorf("%s: %v", op, err)
			}
		}
	}
	told(t, panicked(func() { s.Packet(0, nil) }), "Session.Packet: ", "make it with New")
}

// A player, or a packet, that is not there.
func TestNobody(t *testing.T) {
	s, err := rollback.New(rollback.Config[int]{World: ecs.NewWorld(t.Name()), Players: 2, Step: func(uint64, []int) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	told(t, s.Receive(nil), "Receive: the packet is nil")
	told(t, panicked(func() { s.Packet(2, &rollback.Packet[int]{}) }), "to player 2 of 2")
	told(t, panicked(func() { s.Packet(-1, &rollback.Packet[int]{}) }), "to player -1 of 2")
	told(t, panicked(func() { s.Packet(1, nil) }), "the packet is nil")
	told(t, panicked(func() { s.Inputs().ConfirmedOf(-1) }), "player -1 of 2")
}
