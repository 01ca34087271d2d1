package rollback_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/rollback"
)

// Score is a component whose value depends on all inputs and their order.
type Score struct{ Value uint64 }

func (Score) Column() (c struct{ Value []uint64 }) { return }

// board holds a world of scores, and the ticks that it has run.
type board struct {
	w      *ecs.World
	q      *ecs.Query
	ids    []ecs.Entity
	ran    []uint64 // the ticks that ran
	hidden uint64   // is added in each tick, which a peer must not do
}

func newBoard(t testing.TB, rows int) *board {
	w := ecs.NewWorld(t.Name())
	t.Cleanup(func() { _ = w.Close() })
	w.Create(w.Archetype(ecs.With[Score]()), rows)
	b := &board{w: w, q: w.Query(ecs.Write[Score]())}
	b.ids = b.q.AppendEntities(nil)
	return b
}

func (b *board) step(tick uint64, inputs []int32) error {
	b.ran = append(b.ran, tick)
	for p, in := range inputs {
		if err := b.add(b.ids[(int(tick)*7+p)%len(b.ids)], uint64(in)+b.hidden); err != nil {
			return err
		}
	}
	return nil
}

func (b *board) add(e ecs.Entity, v uint64) error {
	s, err := ecs.Get[Score](b.w, e)
	if err != nil {
		return err
	}
	return ecs.Set(b.w, e, Score{s.Value*31 + v})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func fails(t testing.TB, err, want error, text string) {
	t.Helper()
	if !errors.Is(err, want) || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want one of %q with %q", err, want, text)
	}
}

// newSessions creates a peer for each player.
func newSessions(t testing.TB, players int, c rollback.Config[int32]) (boards []*board, list []*rollback.Session[int32]) {
	for p := range players {
		b := newBoard(t, 50)
		c.World, c.Players, c.Local, c.Step = b.w, players, p, b.step
		s, err := rollback.New(c)
		must(t, err)
		boards, list = append(boards, b), append(list, s)
	}
	return boards, list
}

// TestSessions plays with 2 to 4 players whose packets are lost, late, duplicated and out of order.
// It compares all worlds with the world of a game in which all inputs are known in time.
func TestSessions(t *testing.T) {
	const ticks = 300
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 1))
		players := 2 + int(seed)%3
		c := rollback.Config[int32]{Window: []int{0, -1, 1, 20}[seed%4], Delay: int(seed) % 3, Every: []int{0, 1, 7, -1}[seed/3%4]}
		if c.Window < 0 {
			c.Delay++
		}
		boards, list := newSessions(t, players, c)
		input := func(p int, tick uint64) int32 { return int32((tick/5 + uint64(p)*seed) % 3) }
		type flight struct {
			to    int
			bytes []byte
		}
		var way []flight
		for turn := 0; ; turn++ {
			if turn > 100*ticks {
				t.Fatalf("seed %d: nothing goes on: %+v", seed, list[0].Stats())
			}
			over := true
			for p, s := range list {
				if s.Tick() < ticks && rng.IntN(4) > 0 {
					ready := s.Ready()
					if err := s.Advance(input(p, s.Tick()+uint64(c.Delay))); ready == errors.Is(err, rollback.ErrWait) || ready && err != nil {
						t.Fatalf("seed %d: ready %t: %v", seed, ready, err)
					}
				}
				var packet rollback.Packet[int32]
				for to := range list {
					if to != p && rng.IntN(3) > 0 {
						s.Packet(to, &packet)
						b, err := packet.AppendBinary(nil)
						must(t, err)
						way = append(way, flight{to, b})
					}
				}
				over = over && s.Confirmed() >= ticks && s.Tick() == ticks
			}
			for k := 0; k < len(way); {
				if rng.IntN(3) == 0 {
					var packet rollback.Packet[int32]
					must(t, packet.UnmarshalBinary(way[k].bytes))
					if err := list[way[k].to].Receive(&packet); err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
					if rng.IntN(5) > 0 { // otherwise it arrives again
						way = slices.Delete(way, k, k+1)
					}
				} else {
					k++
				}
			}
			if over {
				break
			}
		}
		straight := newBoard(t, 50)
		inputs := make([]int32, players)
		for tick := range uint64(ticks) {
			for p := range inputs {
				inputs[p] = 0
				if tick >= uint64(c.Delay) {
					inputs[p] = input(p, tick)
				}
			}
			must(t, straight.step(tick, inputs))
		}
		for p, s := range list {
			must(t, s.Settle())
			if got, want := boards[p].w.Hash(), straight.w.Hash(); got != want {
				t.Errorf("seed %d: player %d: hash %#x, want %#x", seed, p, got, want)
			}
			st := s.Stats()
			if st.Ticks != ticks || c.Window > 0 && st.Rollbacks == 0 || c.Window < 0 && st.Again > 0 || uint64(len(boards[p].ran)) != st.Ticks+st.Again || c.Every >= 0 == (st.Sums == 0) {
				t.Errorf("seed %d: player %d: %+v", seed, p, st)
			}
			last := s.Confirmed() - 1
			if got, is := s.Inputs().Input(1, last); !is || got != input(1, last) {
				t.Errorf("seed %d: the log has %d, %t", seed, got, is)
			}
		}
	}
}

// The checksums must detect a peer whose world depends on something other than the inputs.
func TestDesync(t *testing.T) {
	boards, list := newSessions(t, 2, rollback.Config[int32]{Every: 4})
	var err error
	var packet rollback.Packet[int32]
	for turn := 0; turn < 40 && err == nil; turn++ {
		if turn == 20 {
			boards[1].hidden = 1
		}
		for p, s := range list {
			if err = s.Advance(int32(turn + p)); err != nil {
				break
			}
			s.Packet(1-p, &packet)
			if err = list[1-p].Receive(&packet); err != nil {
				break
			}
		}
	}
	var d *rollback.Desync
	if !errors.As(err, &d) || d.Tick != 24 || d.Own == d.Theirs || !strings.Contains(err.Error(), "before tick 24") {
		t.Fatalf("%v", err)
	}
	if first, second := list[0].Advance(1), list[1].Advance(1); !errors.As(first, &d) && !errors.As(second, &d) {
		t.Errorf("they go on: %v, %v", first, second)
	}
}

// A Step that returns an error must end the session, even if it fails only when a tick runs
// again.
func TestStepFails(t *testing.T) {
	b := newBoard(t, 5)
	broken := errors.New("broken")
	s, err := rollback.New(rollback.Config[int32]{World: b.w, Players: 2, Step: func(tick uint64, inputs []int32) error {
		if inputs[1] == 9 {
			return broken
		}
		return b.step(tick, inputs)
	}})
	must(t, err)
	for range 3 {
		must(t, s.Advance(1))
	}
	must(t, s.Receive(&rollback.Packet[int32]{From: 1, Inputs: []int32{0, 9}}))
	fails(t, s.Advance(1), broken, "tick 1")
	fails(t, s.Advance(1), broken, "tick 1")
	fails(t, s.Settle(), broken, "")
	fails(t, s.Receive(&rollback.Packet[int32]{From: 1}), broken, "")
}

func TestErrors(t *testing.T) {
	b := newBoard(t, 5)
	arg := ecs.ErrArgument
	good := rollback.Config[int32]{World: b.w, Players: 2, Step: b.step}
	bad := func(change func(c *rollback.Config[int32]), text string) {
		t.Helper()
		c := good
		change(&c)
		_, err := rollback.New(c)
		fails(t, err, arg, text)
	}
	bad(func(c *rollback.Config[int32]) { c.World = nil }, "World or Step is nil")
	bad(func(c *rollback.Config[int32]) { c.Step = nil }, "World or Step is nil")
	bad(func(c *rollback.Config[int32]) { c.Players = 0 }, "player 0 of 0")
	bad(func(c *rollback.Config[int32]) { c.Local = 2 }, "player 2 of 2")
	bad(func(c *rollback.Config[int32]) { c.Delay = -1 }, "a delay of -1")
	bad(func(c *rollback.Config[int32]) { c.Window = -1 }, "neither a window nor a delay")
	_, err := rollback.NewInputs[int32](0, 8, nil)
	fails(t, err, arg, "0 players")

	s, err := rollback.New(good)
	must(t, err)
	for range 4 {
		must(t, s.Advance(3))
	}
	hash := b.w.Hash()
	packet := func(p rollback.Packet[int32], text string) {
		t.Helper()
		fails(t, s.Receive(&p), arg, text)
		if _, is := s.Inputs().Wrong(); is || s.Confirmed() != 2 && s.Confirmed() != 0 {
			t.Errorf("%+v has changed the log", p)
		}
	}
	packet(rollback.Packet[int32]{From: 0}, "a packet of player 0, to player 0 of 2")
	packet(rollback.Packet[int32]{From: 2}, "player 2")
	packet(rollback.Packet[int32]{From: -1}, "player -1")
	packet(rollback.Packet[int32]{From: 1, Ack: 5}, "has 5 of our inputs, and there are 4")
	packet(rollback.Packet[int32]{From: 1, SumTick: 5}, "of every 16")
	packet(rollback.Packet[int32]{From: 1, First: 1, Inputs: []int32{1}}, "before that of tick 0")
	packet(rollback.Packet[int32]{From: 1, Inputs: make([]int32, 1000)}, "the input of tick 64 is too far ahead: the log has 64 ticks, and tick 0")
	must(t, s.Receive(&rollback.Packet[int32]{From: 1, Inputs: []int32{0, 0}}))
	packet(rollback.Packet[int32]{From: 1, Inputs: []int32{0, 1}}, "rollback: Session.Receive: player 1: the input of tick 1 was confirmed as another one")
	if b.w.Hash() != hash {
		t.Error("the world has changed")
	}
	fails(t, s.Inputs().Confirm(7, 0, 0), arg, "rollback: Inputs.Confirm: player 7 of 2")
	for range 2 {
		must(t, s.Advance(3))
	}
	for s.Ready() {
		must(t, s.Advance(3))
	}
	hash = b.w.Hash()
	if err := s.Advance(3); err != rollback.ErrWait || s.Tick() != 10 || b.w.Hash() != hash || s.Stats().Waits != 1 {
		t.Errorf("%v, tick %d", err, s.Tick())
	}
	must(t, b.w.Close())
	must(t, s.Receive(&rollback.Packet[int32]{From: 1, First: 2, Inputs: []int32{0}}))
	fails(t, s.Advance(3), ecs.ErrDisposed, "")
}

// UnmarshalBinary must refuse bytes that are cut, or that contain less than their counts require.
// It must then change nothing.
func TestPacketBytes(t *testing.T) {
	p := rollback.Packet[int32]{From: 1, First: 7, Inputs: []int32{4, -5}, Ack: 3, SumTick: 16, Sum: 99}
	b, err := p.AppendBinary([]byte{1})
	must(t, err)
	b = b[1:]
	q := rollback.Packet[int32]{Inputs: make([]int32, 0, 4)}
	must(t, q.UnmarshalBinary(b))
	if q.From != 1 || q.First != 7 || q.Ack != 3 || q.SumTick != 16 || q.Sum != 99 || !slices.Equal(q.Inputs, p.Inputs) {
		t.Errorf("%+v", q)
	}
	for n := range b {
		fails(t, q.UnmarshalBinary(b[:n]), ecs.ErrArgument, "rollback: Packet.UnmarshalBinary: ")
	}
	b[36], b[39] = 255, 255 // the number of inputs
	fails(t, q.UnmarshalBinary(b), ecs.ErrArgument, "do not fill")
	if q.First != 7 || len(q.Inputs) != 2 {
		t.Errorf("%+v", q)
	}
	_, err = (&rollback.Packet[string]{}).AppendBinary(nil)
	fails(t, err, ecs.ErrArgument, "rollback: Packet.AppendBinary: []string has no fixed size")
	fails(t, new(rollback.Packet[string]).UnmarshalBinary(b), ecs.ErrArgument, "no fixed size")
	fails(t, new(rollback.Packet[struct{}]).UnmarshalBinary(b), ecs.ErrArgument, "do not fill")
}

// Arbitrary bytes must change nothing and cause no panic.
func FuzzReceive(f *testing.F) {
	p := rollback.Packet[int32]{From: 1, Inputs: []int32{4, -5}}
	b, _ := p.AppendBinary(nil)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		_, list := newSessions(t, 2, rollback.Config[int32]{Every: 2})
		var p rollback.Packet[int32]
		for range 12 {
			if list[0].Ready() {
				var d *rollback.Desync
				if err := list[0].Advance(1); errors.As(err, &d) {
					return
				} else if err != nil {
					t.Fatal(err)
				}
			}
			if p.UnmarshalBinary(b) == nil {
				_ = list[0].Receive(&p)
			}
		}
	})
}

// After a panic of Step or Predict, the world is not in the state of any tick. So the session
// must fail, even if the program recovers the panic.
func TestStepPanics(t *testing.T) {
	for calls := range 5 { // the last one is for a tick that runs again
		b, left := newBoard(t, 5), calls
		s, err := rollback.New(rollback.Config[int32]{World: b.w, Players: 2, Step: func(tick uint64, inputs []int32) error {
			err := b.step(tick, inputs)
			if left--; left < 0 {
				panic("bang")
			}
			return err
		}})
		must(t, err)
		advance := func() (bang any) {
			defer func() { bang = recover() }()
			return s.Advance(1)
		}
		for i := range calls {
			if i == 3 {
				must(t, s.Receive(&rollback.Packet[int32]{From: 1, Inputs: []int32{0, 9}}))
				break
			}
			must(t, s.Advance(1))
		}
		if bang := advance(); bang != "bang" {
			t.Errorf("after %d calls the panic is %v", calls, bang)
		}
		ran := len(b.ran)
		fails(t, s.Advance(1), ecs.ErrState, "panicked")
		fails(t, s.Settle(), ecs.ErrState, "panicked")
		fails(t, s.Receive(&rollback.Packet[int32]{From: 1}), ecs.ErrState, "panicked")
		if len(b.ran) != ran {
			t.Error("it goes on")
		}
	}
}
