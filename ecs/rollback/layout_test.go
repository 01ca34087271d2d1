package rollback_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/rollback"
)

// wantRefusal checks that a log and a session both refuse inputs of a type. The errors must name the
// part of the type that is not allowed.
func wantRefusal[I comparable](t *testing.T, text string) {
	t.Helper()
	_, err := rollback.NewInputs[I](2, 8, nil)
	fails(t, err, ecs.ErrArgument, "rollback: NewInputs: inputs of type ")
	fails(t, err, ecs.ErrArgument, text)
	_, err = rollback.New(rollback.Config[I]{World: newBoard(t, 1).w, Players: 2, Step: func(uint64, []I) error { return nil }})
	fails(t, err, ecs.ErrArgument, "rollback: New: inputs of type ")
	fails(t, err, ecs.ErrArgument, text)
}

// Slices, maps and functions are not comparable, so the compiler refuses them.
func TestInputTypes(t *testing.T) {
	type Chat struct {
		Turn int8
		Text [2]string
	}
	wantRefusal[string](t, "string is of kind string")
	wantRefusal[*int](t, "*int is of kind ptr")
	wantRefusal[any](t, "interface {} is of kind interface")
	wantRefusal[chan int](t, "chan int is of kind chan")
	wantRefusal[Chat](t, "rollback_test.Chat.Text[i] is of kind string")
	wantRefusal[struct{ _ *int }](t, "is of kind ptr")
	for _, err := range []error{taken[int](), taken[uintptr](), taken[complex64](), taken[[3]bool](), taken[struct{}](), taken[Stick](), taken[[0]string]()} {
		must(t, err)
	}
}

func taken[I comparable]() error {
	_, err := rollback.NewInputs[I](2, 8, nil)
	return err
}

// wide has numbers of every size.
type wide struct {
	A bool
	B int16
	C complex64
	_ [2]uint16
	D [2]struct {
		X uint8
		Y float32
	}
	E int64
	F float64
	G complex128
	H int8
}

// The bytes of a packet must be those that package encoding/binary writes, and must
// decode to the same inputs.
func TestPacketFormat(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		p := rollback.Packet[wide]{From: 1}
		for range rng.IntN(4) {
			v := wide{A: rng.IntN(2) == 0, B: int16(rng.Uint32()), C: complex(rng.Float32(), -1), E: int64(rng.Uint64()), F: rng.NormFloat64(), G: complex(1, rng.Float64()), H: int8(rng.Uint32())}
			v.D[1].X, v.D[1].Y = uint8(rng.Uint32()), rng.Float32()
			p.Inputs = append(p.Inputs, v)
		}
		for range rng.IntN(3) {
			p.InputSums = append(p.InputSums, rng.Uint64())
		}
		got, err := p.AppendBinary(nil)
		must(t, err)
		want, err := binary.Append(nil, binary.LittleEndian, p.Inputs)
		must(t, err)
		want, err = binary.Append(want, binary.LittleEndian, p.InputSums)
		must(t, err)
		if !bytes.Equal(got[40:], want) {
			t.Fatalf("bytes %x, want %x", got[40:], want)
		}
		q := rollback.Packet[wide]{Inputs: []wide{{A: true, E: 7}}, InputSums: []uint64{3}}
		must(t, q.UnmarshalBinary(got))
		again, err := q.AppendBinary(nil)
		must(t, err)
		if !bytes.Equal(got, again) {
			t.Fatalf("bytes %x, and %x after they were read", got, again)
		}
		for n := range len(got) {
			if err := q.UnmarshalBinary(got[:n]); err == nil && (len(got)-n)%8 != 0 {
				t.Fatalf("%d of %d bytes are a packet", n, len(got))
			}
		}
	}
	got := []byte{0: 1, 39: 0, 40: 2} // a bool of 2
	got[36] = 1
	var q rollback.Packet[bool]
	must(t, q.UnmarshalBinary(got))
	if q.Inputs[0] != true {
		t.Error("a byte that is not 0 is not true")
	}
}

// A Step that calls its own session must get an error, and the session must continue.
func TestStepCallsSession(t *testing.T) {
	var s *rollback.Session[int8]
	var got []error
	s, err := rollback.New(rollback.Config[int8]{World: newBoard(t, 1).w, Players: 2, Step: func(uint64, []int8) error {
		got = append(got, s.Advance(1), s.Settle(), s.Receive(&rollback.Packet[int8]{From: 1, Inputs: []int8{5}}))
		return nil
	}})
	must(t, err)
	must(t, s.Advance(1))
	for _, err := range got {
		if !errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), "call it between ticks") {
			t.Errorf("error %v", err)
		}
	}
	must(t, s.Receive(&rollback.Packet[int8]{From: 1, Inputs: []int8{5}}))
	must(t, s.Advance(1))
}

// A log must keep the inputs of ticks that At has not returned yet, or must return
// again.
func TestInputsForgetNothing(t *testing.T) {
	log, err := rollback.NewInputs[int8](2, 4, nil)
	must(t, err)
	for tick := range uint64(4) {
		must(t, log.Confirm(0, tick, 1))
		must(t, log.Confirm(1, tick, 1))
	}
	fails(t, log.Confirm(0, 4, 1), ecs.ErrArgument, "the input of tick 4 is too far ahead: the log has 4 ticks, and tick 0")
	log.At(0)
	must(t, log.Confirm(0, 4, 2))
	for tick := uint64(1); tick < 5; tick++ {
		log.At(tick)
	}
	must(t, log.Confirm(1, 4, 3)) // At has returned 1
	for tick := uint64(5); tick < 8; tick++ {
		must(t, log.Confirm(0, tick, 2))
		must(t, log.Confirm(1, tick, 2))
		log.At(tick)
	}
	fails(t, log.Confirm(0, 8, 2), ecs.ErrArgument, "and tick 4")
	wantZeroValue(t, panicError(func() { log.At(8) }), "the input of tick 8 is too far ahead")
	for tick := uint64(4); tick < 8; tick++ {
		if got, is := log.Wrong(); got != tick || !is {
			t.Errorf("wrong is tick %d, %t, want %d", got, is, tick)
		}
		log.At(tick)
	}
	if _, is := log.Wrong(); is {
		t.Error("a tick is wrong that was shown again")
	}
	must(t, log.Confirm(0, 8, 2))
	wantZeroValue(t, panicError(func() { log.At(4) }), "tick 4: the log has 4 ticks") // the input of tick 8 is in its place
}
