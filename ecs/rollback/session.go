package rollback

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
)

// ErrWait is returned for a tick that would be further ahead of the others' inputs than the window: ask
// again when something has arrived.
var ErrWait = errors.New("too far ahead of the inputs of other players")

// Desync is the error when two peers have other worlds though they have all inputs of them: Step depends on
// something beside the world, the tick and the inputs, or a peer runs another program.
type Desync struct {
	Tick   uint64 // the worlds before this tick differ
	Player int    // the peer
	Own    uint64 // hash of our world
	Theirs uint64
}

// Error says what differs.
func (d *Desync) Error() string {
	return fmt.Sprintf("rollback: before tick %d the world has hash %#016x here and %#016x at player %d, with the same inputs: Step depends on something beside the world, or the programs differ", d.Tick, d.Own, d.Theirs, d.Player)
}

// Config is what a session is made of. All peers must have the same Players, Delay, Every and Step, and the same world to begin
// with.
type Config[I comparable] struct {
	World   *ecs.World
	Players int
	Local   int // which of them is here

	// Step runs one tick. It must depend on nothing but the world, the tick and the inputs, one a player: the
	// clock of a world with systems is set from the tick.
	Step func(tick uint64, inputs []I) error

	// Predict guesses an input from the last one of the player that is known, or the zero value. Nil repeats
	// that.
	Predict func(player int, tick uint64, last I) I

	Window int // most ticks that are run before they are confirmed; 0: 8, negative: none
	Delay  int // an input is for so many ticks later: others know it in time if the link takes no longer
	Every  int // a checksum every so many ticks; 0: 16, negative: none
}

// Session is one peer. It is for the owner of the world.
type Session[I comparable] struct {
	config Config[I]
	inputs *Inputs[I]
	ring   *Ring
	tick   uint64   // the next
	acks   []uint64 // how many of our inputs each player has
	sums   checksums
	failed error
	stats  Stats
}

// Stats counts what a session has done.
type Stats struct {
	Ticks     uint64 // that were run for the first time
	Rollbacks uint64
	Again     uint64 // ticks that were run again
	Deepest   int    // most ticks that it went back at once
	Waits     uint64 // Advance returned ErrWait
	Sums      uint64 // checksums of others that were compared
}

// New returns a session before tick 0. The error wraps ecs.ErrArgument if something of c is missing or out of
// range, and ecs.ErrDisposed if the world is closed.
func New[I comparable](c Config[I]) (*Session[I], error) {
	if c.Window == 0 {
		c.Window = 8
	}
	if c.Every == 0 {
		c.Every = 16
	}
	switch {
	case c.World == nil || c.Step == nil:
		return nil, fmt.Errorf("rollback: New: World or Step is nil: %w", ecs.ErrArgument)
	case c.Players < 1 || c.Local < 0 || c.Local >= c.Players:
		return nil, fmt.Errorf("rollback: New: player %d of %d: %w", c.Local, c.Players, ecs.ErrArgument)
	case c.Delay < 0:
		return nil, fmt.Errorf("rollback: New: a delay of %d ticks: it is 0 at least: %w", c.Delay, ecs.ErrArgument)
	}
	if c.Window = max(c.Window, 0); c.Window+c.Delay == 0 && c.Players > 1 {
		return nil, fmt.Errorf("rollback: New: neither a window nor a delay: each player would wait for the input of the others before it sends its own: %w", ecs.ErrArgument)
	}
	known := 4 * (c.Window + c.Delay + 1) // a peer ahead of us may be that by twice the window
	inputs, err := NewInputs(c.Players, known, c.Predict)
	if err != nil {
		return nil, err
	}
	ring, err := NewRing(c.World, c.Window+1)
	if err != nil {
		return nil, err
	}
	s := &Session[I]{config: c, inputs: inputs, ring: ring, acks: make([]uint64, c.Players)}
	s.sums.init(c.Players, c.Every, known)
	var zero I
	for p := range c.Players {
		for tick := range uint64(c.Delay) {
			if err := inputs.Confirm(p, tick, zero); err != nil {
				return nil, err
			}
		}
		s.acks[p] = uint64(c.Delay)
	}
	return s, nil
}

// usable returns an error if s was not made, or has failed.
func (s *Session[I]) usable(op string) error {
	if s == nil || s.inputs == nil {
		return fmt.Errorf("rollback: Session.%s: the session is the zero Session: make it with New: %w", op, ecs.ErrState)
	}
	return s.failed
}

// Tick returns the number of the next tick.
func (s *Session[I]) Tick() uint64 { return s.tick }

// Confirmed returns how many ticks are confirmed: nothing of them will change. They may be ticks that are not run yet.
func (s *Session[I]) Confirmed() uint64 {
	if s.inputs == nil {
		return 0
	}
	return s.inputs.Confirmed()
}

// Inputs returns the log; nil of the zero Session.
func (s *Session[I]) Inputs() *Inputs[I] { return s.inputs }

// Stats returns what was done so far.
func (s *Session[I]) Stats() Stats { return s.stats }

// Ready reports whether Advance will run a tick, and not ask to wait.
func (s *Session[I]) Ready() bool {
	if s.inputs == nil {
		return false
	}
	ours := s.inputs.ConfirmedOf(s.config.Local)
	for p, ack := range s.acks {
		if p == s.config.Local {
			continue
		}
		if s.tick >= s.inputs.ConfirmedOf(p)+uint64(s.config.Window) || ours >= ack+s.inputs.capacity {
			return false
		}
	}
	return true
}

// Advance takes the input of the local player for the tick that is [Config].Delay behind the next one, goes back and runs again what
// was run with wrong predictions, and runs the next tick. It returns [ErrWait], and has changed nothing, while the others are too far
// behind; a [*Desync] if worlds differ; and what Step returns, after which the session has failed, as after a panic of Step or Predict.
func (s *Session[I]) Advance(input I) error {
	if err := s.usable("Advance"); err != nil {
		return err
	}
	if !s.Ready() {
		s.stats.Waits++
		return ErrWait
	}
	if err := s.inputs.Confirm(s.config.Local, s.tick+uint64(s.config.Delay), input); err != nil {
		return err
	}
	if err := s.Settle(); err != nil {
		return err
	}
	if err := s.run(s.tick); err != nil {
		return err
	}
	s.tick++
	s.stats.Ticks++
	return nil
}

// Settle makes the world what it is by all that has arrived: it goes back and runs again what was run with wrong
// predictions, as Advance does before its tick. When all ticks that were run are confirmed the world is final.
func (s *Session[I]) Settle() error {
	if err := s.usable("Settle"); err != nil {
		return err
	}
	if from, is := s.inputs.Wrong(); is {
		if err := s.ring.Back(from); err != nil {
			return s.fail(err)
		}
		for tick := from; tick < s.tick; tick++ {
			if err := s.run(tick); err != nil {
				return err
			}
		}
		s.stats.Rollbacks++
		s.stats.Again += s.tick - from
		s.stats.Deepest = max(s.stats.Deepest, int(s.tick-from))
	}
	return s.sum()
}

// run keeps the world and runs a tick. After a panic of Predict or Step the world is of no tick.
func (s *Session[I]) run(tick uint64) error {
	if err := s.ring.Keep(tick); err != nil {
		return s.fail(err)
	}
	returned := false
	defer func() {
		if !returned {
			_ = s.fail(fmt.Errorf("rollback: tick %d: Predict or Step has panicked: restore the world and make a new session: %w", tick, ecs.ErrState))
		}
	}()
	err := s.config.Step(tick, s.inputs.At(tick))
	returned = true
	if err != nil {
		return s.fail(fmt.Errorf("rollback: tick %d: %w", tick, err))
	}
	return nil
}

// fail notes that the world is not what it should be.
func (s *Session[I]) fail(err error) error {
	s.failed = err
	return err
}

// Packet makes p what is to be sent to a player. It panics if there is no such player.
func (s *Session[I]) Packet(to int, p *Packet[I]) {
	switch {
	case s.inputs == nil:
		panic("rollback: Session.Packet: the session is the zero Session: make it with New")
	case to < 0 || to >= len(s.acks):
		panic(fmt.Sprintf("rollback: Session.Packet: to player %d of %d", to, len(s.acks)))
	case p == nil:
		panic("rollback: Session.Packet: the packet is nil")
	}
	local := s.config.Local
	*p = Packet[I]{From: local, First: s.acks[to], Inputs: p.Inputs[:0], Ack: s.inputs.ConfirmedOf(to)}
	p.SumTick, p.Sum = s.sums.newest, s.sums.own[s.sums.at(s.sums.newest)].sum
	for tick := p.First; tick < s.inputs.ConfirmedOf(local); tick++ {
		p.Inputs = append(p.Inputs, *s.inputs.at(local, tick))
	}
}

// Receive takes a packet of another player, in any order and as often as it comes. The error wraps ecs.ErrArgument, and
// nothing has changed, if it is not one of another player of this session; it is a [*Desync] if the worlds differ.
// What it changes of the past is for Advance.
func (s *Session[I]) Receive(p *Packet[I]) error {
	if err := s.usable("Receive"); err != nil {
		return err
	}
	local := s.config.Local
	switch {
	case p == nil:
		return fmt.Errorf("rollback: Receive: the packet is nil: %w", ecs.ErrArgument)
	case p.From < 0 || p.From >= s.config.Players || p.From == local:
		return fmt.Errorf("rollback: Session.Receive: a packet of player %d, to player %d of %d: %w", p.From, local, s.config.Players, ecs.ErrArgument)
	case p.Ack > s.inputs.ConfirmedOf(local):
		return fmt.Errorf("rollback: Session.Receive: player %d has %d of our inputs, and there are %d: %w", p.From, p.Ack, s.inputs.ConfirmedOf(local), ecs.ErrArgument)
	case !s.sums.takes(p.SumTick):
		return fmt.Errorf("rollback: Session.Receive: a checksum of player %d of tick %d, and they are of every %d: %w", p.From, p.SumTick, s.config.Every, ecs.ErrArgument)
	}
	known := s.inputs.ConfirmedOf(p.From)
	for i, input := range p.Inputs { // all of them, before the first is taken
		tick := p.First + uint64(i)
		if tick < known || i == 0 {
			if err := s.inputs.refuses("Session.Receive", p.From, tick, input); err != nil {
				return err
			}
		} else if tick >= s.inputs.Confirmed()+s.inputs.capacity {
			return fmt.Errorf("rollback: Session.Receive: player %d sends the input of tick %d, and tick %d is not confirmed: %w", p.From, tick, s.inputs.Confirmed(), ecs.ErrArgument)
		}
	}
	for i, input := range p.Inputs {
		if err := s.inputs.Confirm(p.From, p.First+uint64(i), input); err != nil {
			return s.fail(err)
		}
	}
	s.acks[p.From] = max(s.acks[p.From], p.Ack)
	if d := s.sums.theirs(p.From, p.SumTick, p.Sum, &s.stats); d != nil {
		return s.fail(d)
	}
	return nil
}
