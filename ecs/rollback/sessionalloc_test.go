//go:build !race && !lanewise_guard

package rollback_test

import (
	"testing"

	"github.com/lanewise/lanewise/ecs/rollback"
)

// In the steady state packets of three peers allocate nothing.
func TestPacketAllocs(t *testing.T) {
	_, list := sessions(t, 3, rollback.Config[int32]{Every: 10_000}) // a checksum allocates: it hashes an image
	var p, q rollback.Packet[int32]
	var b []byte
	var err error
	turn := func() {
		for from, s := range list {
			must(t, s.Advance(int32(from)))
			for to, other := range list {
				if to != from {
					s.Packet(to, &p)
					b, err = p.AppendBinary(b[:0])
					must(t, err)
					must(t, q.UnmarshalBinary(b))
					must(t, other.Receive(&q))
				}
			}
		}
	}
	for range 50 {
		turn()
	}
	if n := testing.AllocsPerRun(100, turn); n > 0.5 { // the list of ticks that the boards keep grows
		t.Errorf("%v allocations a turn", n)
	}
}
