package rollback_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/rollback"
)

var full = flag.Bool("lanewise.full", false, "random tests of their full length: make full")

// Stick is an input with padding, a blank field, and floats whose bits matter.
type Stick struct {
	Fire bool
	X    float32
	_    [3]int8
	Turn int16
	Y    float64
}

// bits returns the relevant bits of a stick.
func (s Stick) bits() [4]uint64 {
	fire := uint64(0)
	if s.Fire {
		fire = 1
	}
	return [4]uint64{fire, uint64(math.Float32bits(s.X)), uint64(uint16(s.Turn)), math.Float64bits(s.Y)}
}

// randomInput returns one of a small number of inputs at random. So many consecutive inputs differ
// only by the sign of a zero or by the bits of a NaN.
func randomInput(rng *rand.Rand) Stick {
	floats := []uint32{0, 1 << 31, 0x7fc00000, 0x7fc00001, 0x7fa00000, 0xff800001, 0x3f800000}
	doubles := []uint64{0, 1 << 63, 0x7ff8000000000000, 0x7ff0000000000001, 0x3ff0000000000000}
	s := Stick{Fire: rng.IntN(4) == 0, Turn: int16(rng.IntN(2)) - 1}
	s.X = math.Float32frombits(floats[rng.IntN(len(floats))])
	s.Y = math.Float64frombits(doubles[rng.IntN(len(doubles))])
	return s
}

// In every game, packets are lost, late, duplicated and out of order. These are the additional
// faults of a game.
const (
	honest   = iota
	corrupt  // a link from one player to another changes bytes
	forging  // a player sends made-up packets
	twoFaced // a player sends other inputs to one peer than to the others
	foreign  // a player runs another program, and sends checksums of far future ticks
	evils
)

// rig runs a game over links with faults.
type rig struct {
	rng      *rand.Rand
	evil     int
	guilty   int // the player who cheats, or whose packets the link changes
	victim   int // the receiver of these
	players  int
	delay    uint64
	every    uint64
	sessions []*rollback.Session[Stick]
	worlds   []*ecs.World
	ran      [][][]Stick // by player and tick: the inputs of the last run of the tick
	taken    [][][]Stick // by receiver, sender and tick
	failed   []error
	flights  []flight
	refused  int
}

type flight struct {
	from, to int
	bytes    []byte
}

func newRig(t *testing.T, seed uint64) *rig {
	rng := rand.New(rand.NewPCG(seed, 36))
	r := &rig{rng: rng, evil: int(seed % evils), players: 2 + rng.IntN(3)}
	r.guilty = rng.IntN(r.players)
	r.victim = (r.guilty + 1 + rng.IntN(r.players-1)) % r.players
	c := rollback.Config[Stick]{Players: r.players, Window: 1 + rng.IntN(10), Delay: rng.IntN(4), Every: 1 + rng.IntN(20)}
	if rng.IntN(4) == 0 {
		c.Predict = func(int, uint64, Stick) Stick { return Stick{} }
	}
	r.delay, r.every = uint64(c.Delay), uint64(c.Every)
	for p := range r.players {
		w := ecs.NewWorld("w")
		t.Cleanup(func() { _ = w.Close() })
		e := w.Spawn(Score{})
		r.ran = append(r.ran, nil)
		c.World, c.Local = w, p
		c.Step = func(tick uint64, in []Stick) error {
			r.ran[p] = append(r.ran[p][:tick], slices.Clone(in)) // later ticks run again
			v, err := ecs.Get[Score](w, e)
			if r.evil == foreign && p == r.guilty {
				v.Value++
			}
			for _, s := range in {
				for _, b := range s.bits() {
					v.Value = v.Value*31 + b + tick
				}
			}
			return errors.Join(err, ecs.Set(w, e, v))
		}
		s, err := rollback.New(c)
		must(t, err)
		r.sessions, r.worlds, r.failed = append(r.sessions, s), append(r.worlds, w), append(r.failed, nil)
		taken := make([][]Stick, r.players)
		for q := range taken {
			taken[q] = make([]Stick, c.Delay)
		}
		r.taken = append(r.taken, taken)
	}
	return r
}

// errorsMatter reports whether the test must check the errors of a player. It ignores the errors
// of a dishonest player.
func (r *rig) errorsMatter(p int) bool { return r.evil < forging || p != r.guilty }

// noteError notes an error of a session, and checks the player that it names.
func (r *rig) noteError(p int, err error) error {
	var d *rollback.Desync
	switch {
	case err == nil || !r.errorsMatter(p):
		return nil
	case !errors.As(err, &d):
		return fmt.Errorf("player %d: %w", p, err)
	case r.evil == honest:
		return fmt.Errorf("player %d of honest ones: %w", p, err)
	case d.Player != r.guilty && d.Source != r.guilty && (r.evil != corrupt || d.Player != r.victim):
		return fmt.Errorf("player %d blames player %d, and the inputs of %d; guilty is %d: %w", p, d.Player, d.Source, r.guilty, err)
	}
	r.failed[p] = err
	return nil
}

// advance runs a tick of a player.
func (r *rig) advance(p int) error {
	s := r.sessions[p]
	if r.failed[p] != nil || !s.Ready() {
		return nil
	}
	in := randomInput(r.rng)
	if err := s.Advance(in); err != nil {
		if own := s.Inputs().ConfirmedOf(p); uint64(len(r.taken[p][p])) < own {
			r.taken[p][p] = append(r.taken[p][p], in)
		}
		return r.noteError(p, err)
	}
	r.taken[p][p] = append(r.taken[p][p], in)
	return nil
}

// send creates a packet, and applies the faults.
func (r *rig) send(from, to int) error {
	var p rollback.Packet[Stick]
	r.sessions[from].Packet(to, &p)
	if from == r.guilty {
		switch r.evil {
		case forging:
			r.forge(&p)
		case foreign:
			if r.rng.IntN(2) == 0 {
				p.SumTick = r.every * (1 + r.rng.Uint64N(1<<r.rng.IntN(40)))
			}
		case twoFaced:
			if p.SumTick, p.InputSums = 0, nil; to == r.victim {
				for i := range p.Inputs {
					if tick := p.First + uint64(i); tick >= r.delay && tick%7 == 3 {
						p.Inputs[i].Turn ^= 4
					}
				}
			}
		}
	}
	b, err := p.AppendBinary(nil)
	if err != nil {
		return err
	}
	if r.evil == corrupt && from == r.guilty && to == r.victim && r.rng.IntN(8) == 0 {
		switch r.rng.IntN(4) {
		case 0:
			b[4+r.rng.IntN(len(b)-4)] ^= 1 << r.rng.IntN(8) // From stays, because the address shows the sender
		case 1:
			b = b[:r.rng.IntN(len(b))]
		default:
			b[12] ^= 1 << r.rng.IntN(3) // Ack
		}
	}
	r.flights = append(r.flights, flight{from, to, b})
	return nil
}

// forge changes a packet.
func (r *rig) forge(p *rollback.Packet[Stick]) {
	big := []uint64{0, 1, 1 << 40, math.MaxUint64, p.SumTick + 1, p.Ack - 1, r.rng.Uint64N(100), 40 * 20}
	some := func() uint64 { return big[r.rng.IntN(len(big))] + r.rng.Uint64N(3) }
	for range r.rng.IntN(3) {
		switch r.rng.IntN(7) {
		case 0:
			p.First = some()
		case 1:
			p.Ack = some()
		case 2:
			p.SumTick, p.Sum = some(), r.rng.Uint64N(2)
		case 3:
			for range r.rng.IntN(100) {
				p.Inputs = append(p.Inputs, randomInput(r.rng))
			}
		case 4:
			p.Inputs = p.Inputs[:r.rng.IntN(len(p.Inputs)+1)]
		case 5:
			p.InputSums = append(p.InputSums, some())
		case 6:
			if r.rng.IntN(200) == 0 && len(p.InputSums) > 0 {
				p.InputSums[r.rng.IntN(len(p.InputSums))]++
			}
		}
	}
}

// receive delivers a packet.
func (r *rig) receive(f flight) error {
	s, x := r.sessions[f.to], f.to
	if r.failed[x] != nil {
		return nil
	}
	touched := r.evil != honest && (f.from == r.guilty || r.evil == corrupt && f.from == r.victim && x == r.guilty)
	var p rollback.Packet[Stick]
	if err := p.UnmarshalBinary(f.bytes); err != nil {
		if !touched || !errors.Is(err, ecs.ErrArgument) {
			return err
		}
		return nil
	}
	before, tick := s.Confirmed(), s.Inputs().ConfirmedOf(f.from)
	wrong, is := s.Inputs().Wrong()
	err := s.Receive(&p)
	if errors.Is(err, ecs.ErrArgument) && touched {
		r.refused++
		text := fmt.Sprint("player ", f.from)
		if now, still := s.Inputs().Wrong(); now != wrong || still != is || s.Confirmed() != before || s.Inputs().ConfirmedOf(f.from) != tick || !strings.Contains(err.Error(), text) {
			return fmt.Errorf("a refused packet has changed the log, or another one than player %d is blamed: %w", f.from, err)
		}
		return nil
	}
	for i, in := range p.Inputs {
		if p.First+uint64(i) == uint64(len(r.taken[x][f.from])) {
			r.taken[x][f.from] = append(r.taken[x][f.from], in)
		}
	}
	return r.noteError(x, err)
}

// turn lets every player run a tick and send packets, and delivers some packets.
func (r *rig) turn() error {
	for p := range r.players {
		if r.rng.IntN(4) > 0 {
			if err := r.advance(p); err != nil {
				return err
			}
		}
		for to := range r.players {
			if to != p && r.rng.IntN(3) > 0 {
				if err := r.send(p, to); err != nil {
					return err
				}
			}
		}
	}
	for k := 0; k < len(r.flights); {
		if r.rng.IntN(3) > 0 {
			k++
			continue
		}
		if err := r.receive(r.flights[k]); err != nil {
			return err
		}
		if r.rng.IntN(5) > 0 { // otherwise it arrives again
			r.flights = slices.Delete(r.flights, k, k+1)
		}
	}
	if len(r.flights) > 60 {
		r.flights = slices.Delete(r.flights, 0, 20) // lost
	}
	return nil
}

// end makes the links reliable for some time. After that, honest players must be able to
// continue, and players with different inputs must have reported the difference.
func (r *rig) end() error {
	at := make([]uint64, r.players)
	for p, s := range r.sessions {
		at[p] = s.Tick()
	}
	if r.evil == corrupt {
		r.flights = nil
	}
	for range 60 {
		for p := range r.players {
			if err := errors.Join(r.advance(p), r.tell(p)); err != nil {
				return err
			}
		}
	}
	for p, s := range r.sessions {
		if r.errorsMatter(p) && r.failed[p] == nil {
			if err := r.noteError(p, s.Settle()); err != nil {
				return err
			}
		}
	}
	for p := range r.players { // the checksums that Settle has made
		if err := r.tell(p); err != nil {
			return err
		}
	}
	lost := slices.ContainsFunc(r.failed, func(err error) bool { return err != nil })
	for p, s := range r.sessions {
		if !r.errorsMatter(p) || r.failed[p] != nil {
			continue
		}
		if !lost && r.evil < forging && s.Tick() < at[p]+30 {
			return fmt.Errorf("player %d has run %d ticks in 60 turns of good links: %+v", p, s.Tick()-at[p], s.Stats())
		}
		if err := r.check(p); err != nil {
			return err
		}
	}
	return nil
}

// tell delivers a packet of a player to each of the other players. The packets have no faults,
// except that a two-faced player continues to cheat.
func (r *rig) tell(p int) error {
	evil := r.evil
	defer func() { r.evil = evil }()
	for to := range r.players {
		if to == p || r.failed[p] != nil {
			continue
		}
		if evil != twoFaced {
			r.evil = honest
		}
		err := r.send(p, to)
		r.evil = evil
		last := len(r.flights) - 1
		f := r.flights[last]
		r.flights = r.flights[:last]
		if err := errors.Join(err, r.receive(f)); err != nil {
			return err
		}
	}
	return nil
}

// check checks that a player has run its confirmed ticks with the inputs that it has accepted,
// and compares these inputs with the inputs of all other players.
func (r *rig) check(p int) error {
	s := r.sessions[p]
	if r.evil == foreign {
		return fmt.Errorf("player %d has not found that player %d runs another program: %+v", p, r.guilty, s.Stats())
	}
	if tick, is := s.Inputs().Wrong(); is {
		return fmt.Errorf("player %d: tick %d is wrong after all packets have arrived twice", p, tick)
	}
	for tick, in := range r.ran[p][:min(s.Confirmed(), s.Tick())] {
		for q, got := range in {
			if want := r.taken[p][q][tick]; got.bits() != want.bits() {
				return fmt.Errorf("player %d: tick %d was run with input %x of player %d, who has sent %x", p, tick, got.bits(), q, want.bits())
			}
		}
	}
	var own, others rollback.Packet[Stick]
	for q, other := range r.sessions {
		if q == p || !r.errorsMatter(q) || r.failed[q] != nil {
			continue
		}
		s.Packet(q, &own)
		other.Packet(p, &others)
		for tick := range min(own.SumTick, others.SumTick) {
			for k, in := range r.ran[p][tick] {
				if got := r.ran[q][tick][k]; got.bits() != in.bits() {
					return fmt.Errorf("players %d and %d have run tick %d with inputs %x and %x of player %d, and have not said so before tick %d", p, q, tick, in.bits(), got.bits(), k, own.SumTick)
				}
			}
		}
	}
	return nil
}

// TestPackets plays games in which packets are lost, late, duplicated, out of order, changed and
// made up. The worlds of honest peers must stay equal, or these peers must get an error that
// blames the right player. Every confirmed tick must have run with the accepted inputs. A
// refused packet changes nothing.
func TestPackets(t *testing.T) {
	games, turns := 60, 60
	if *full {
		games, turns = 2000, 300
	}
	found, refused := [evils]int{}, 0
	for seed := range uint64(games) {
		r := newRig(t, seed)
		for turn := range turns {
			if err := r.turn(); err != nil {
				t.Fatalf("seed %d, turn %d: %v", seed, turn, err)
			}
		}
		if err := r.end(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, err := range r.failed {
			if err != nil {
				found[r.evil]++
			}
		}
		refused += r.refused
		for _, w := range r.worlds {
			must(t, w.Close())
		}
	}
	t.Logf("%d games of %d turns: %d peers have found a corrupt link, %d a forger, %d one with two faces, %d one with another program; %d packets were refused", games, turns, found[corrupt], found[forging], found[twoFaced], found[foreign], refused)
	for evil := corrupt; evil < evils; evil++ {
		if found[evil] == 0 {
			t.Errorf("nobody has found evil %d", evil)
		}
	}
}
