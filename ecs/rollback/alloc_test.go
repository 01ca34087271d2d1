//go:build !race && !lanewise_guard

package rollback_test

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/rollback"
)

// After the first ticks, Keep and Back must not allocate, except in race and guard
// builds.
func TestRingAllocs(t *testing.T) {
	w := newWorld(t, 1)
	w.Create(w.Archetype(ecs.With[Spot](), ecs.With[Speed](), ecs.With[Lamp]()), 10_000)
	q := w.Query(ecs.Write[Spot](), ecs.Write[Speed]())
	ring, err := rollback.NewRing(w, 8)
	must(t, err)
	tick := uint64(0)
	step := func() {
		must(t, ring.Keep(tick))
		for c := range q.Chunks() {
			ecs.Column[Spot](c).X[0]++
		}
		if tick++; tick%8 == 0 {
			must(t, ring.Back(tick-5))
			tick -= 5
		}
	}
	for range 40 {
		step()
	}
	if n := testing.AllocsPerRun(200, step); n != 0 {
		t.Errorf("%v allocations a tick", n)
	}
}

// After the first ticks, the packets of three peers must not allocate.
func TestPacketAllocs(t *testing.T) {
	_, list := newSessions(t, 3, rollback.Config[int32]{Every: 10_000}) // checksums are rare, because hashing an image allocates
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
	if n := testing.AllocsPerRun(100, turn); n > 0.5 { // the list of ticks of the boards grows
		t.Errorf("%v allocations a turn", n)
	}
}
