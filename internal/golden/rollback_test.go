package golden

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/rollback"
	"github.com/lanewise/lanewise/jobs"
)

// rollbackRow plays with two peers. Their packets are sent as bytes and arrive every fifth tick.
func rollbackRow(t *testing.T, pool *jobs.Pool) uint64 {
	s := newSum()
	var worlds [2]*ecs.World
	var peers [2]*rollback.Session[int16]
	for p := range peers {
		w := ecs.NewWorld("golden", ecs.OnPool(pool))
		defer func() { ok(t, w.Close()) }()
		w.Create(w.Archetype(ecs.With[position](), ecs.With[velocity]()), 2000)
		moving := w.Query(ecs.Write[position](), ecs.Write[velocity]())
		step := func(tick uint64, inputs []int16) error {
			for i, in := range inputs {
				w.Spawn(position{float32(in), float32(tick), 1}, velocity{X: float64(in) * 0.5, Y: float64(i)})
			}
			moving.ParallelFor(drift{})
			return w.Sync()
		}
		session, err := rollback.New(rollback.Config[int16]{World: w, Players: 2, Local: p, Delay: 1, Every: 8, Step: step})
		ok(t, err)
		worlds[p], peers[p] = w, session
	}
	d := draw(9)
	var packet rollback.Packet[int16]
	for tick := range 40 {
		for _, own := range peers {
			ok(t, own.Advance(int16(d.intBelow(3))))
		}
		for p, own := range peers {
			own.Packet(1-p, &packet)
			b, err := packet.AppendBinary(nil)
			ok(t, err)
			if tick%5 == 4 {
				ok(t, packet.UnmarshalBinary(b))
				ok(t, peers[1-p].Receive(&packet))
			}
			s.Write(b)
		}
	}
	for p, own := range peers {
		ok(t, own.Settle())
		st := own.Stats()
		s.add(worlds[p].Hash(), st.Again, st.Rollbacks, st.Sums)
	}
	if worlds[0].Hash() != worlds[1].Hash() {
		t.Error("the worlds differ")
	}
	return s.Sum64()
}
