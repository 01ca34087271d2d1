package random

import "testing"

// TestKnownAnswers checks the known answers of Random123 for Philox 4×32 with ten rounds.
func TestKnownAnswers(t *testing.T) {
	const f = 0xffffffff
	for _, c := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{want: [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{f, f, f, f}, [2]uint32{f, f}, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0}, [4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		w0, w1, w2, w3 := philox(c.counter[0], c.counter[1], c.counter[2], c.counter[3], c.key[0], c.key[1])
		if got := [4]uint32{w0, w1, w2, w3}; got != c.want {
			t.Errorf("counter %x, key %x: got %x, want %x", c.counter, c.key, got, c.want)
		}
	}
}

// TestCounter checks at which positions of the counter and of Philox's key the parts of a Key and of
// an id are. It compares words with blocks that the test computes itself.
func TestCounter(t *testing.T) {
	k := Key{Seed: 0x1122334455667788, Tick: 0x99aabbcc, Stream: 0xddeeff}
	id := uint64(0x0102030405060708)
	for n := range uint64(5) {
		w0, w1, w2, w3 := philox(0x05060708, 0x01020304, 0x99aabbcc, 0xddeeff00+uint32(n/4), 0x55667788, 0x11223344)
		if got, want := k.ID(id).word(n), [4]uint32{w0, w1, w2, w3}[n%4]; got != want {
			t.Errorf("by id: word %d is %x, want %x", n, got, want)
		}
		w0, w1, w2, w3 = philox(0x014181c2, 0x004080c1, 0x99aabbcc, 0xddeeff80+uint32(n), 0x55667788, 0x11223344)
		if got, want := k.Row(id+3).word(n), [4]uint32{w0, w1, w2, w3}[3]; got != want {
			t.Errorf("by index: word %d is %x, want %x", n, got, want)
		}
	}
	w0, w1, _, _ := philox(2, 0, 0xffffffff, 0xffffffff, 0x55667788, 0x11223344)
	if got, want := k.seedOf(2), uint64(w1)<<32|uint64(w0); got != want {
		t.Errorf("the second new seed is %x, want %x", got, want)
	}
}
