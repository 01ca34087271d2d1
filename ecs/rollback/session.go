package rollback

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// ErrWait says that the tick did not run, because it would be ahead of the other players' inputs by
// more than the window. Call Advance again after a packet has arrived.
var ErrWait = errors.New("too far ahead of the inputs of other players")

// Desync is the error if two peers have different worlds at a confirmed tick. If Source is -1,
// the two peers have the same inputs. In this case Step depends on something other than the
// world, the tick and the inputs, or the other peer runs another program. Otherwise the two peers
// have different inputs of player Source. In this case player Source has sent them different
// inputs, a link has changed an input, or the other peer does not tell the truth.
type Desync struct {
	Tick   uint64 // the worlds before this tick differ
	Player int    // the other peer
	Source int    // the player whose inputs differ; -1 if it is unknown, and always -1 with two players
	Own    uint64 // hash of our own world
	Theirs uint64
}

// Error returns a text that says what differs.
func (d *Desync) Error() string {
	if d.Source >= 0 {
		return fmt.Sprintf("rollback: before tick %d player %d knows other inputs of player %d than this peer (hashes of the worlds: %#016x here, %#016x there): player %d has sent different inputs to the two, a link has changed them, or player %d does not tell the truth: end the game, or send all inputs through one server", d.Tick, d.Player, d.Source, d.Own, d.Theirs, d.Source, d.Player)
	}
	return fmt.Sprintf("rollback: before tick %d the world has hash %#016x here and %#016x at player %d, with the same inputs: Step depends on something beside the world, or the programs differ", d.Tick, d.Own, d.Theirs, d.Player)
}

// Config holds the settings of a session. All peers must have the same Players, Delay, Every and
// Step, and must begin with the same world.
type Config[I comparable] struct {
	World   *ecs.World
	Players int
	Local   int // index of the local player

	// Step runs one tick. The slice inputs has one element for each player, and is valid only
	// during the call. Step must depend only on the world, the tick and the inputs. For example, it
	// sets the clock of a world with systems to the time of the tick.
	Step func(tick uint64, inputs []I) error

	// Predict guesses the next input of a player. The parameter last is the last known input of
	// the player, or the zero value. If Predict is nil, the guess is last.
	Predict func(player int, tick uint64, last I) I

	Window int // largest number of unconfirmed ticks that may run; 0 means 8, negative means none
	Delay  int // number of ticks by which each input is delayed; if packets do not take longer than that, no prediction is wrong
	Every  int // number of ticks from one checksum to the next; 0 means 16, negative means no checksums
}

// Session is one peer of a game. Only the owner of the world may call its methods.
type Session[I comparable] struct {
	config    Config[I]
	inputs    *Inputs[I]
	ring      *Ring
	tick      uint64   // number of the next tick
	acks      []uint64 // number of our inputs that each player has acknowledged
	checksums checksums
	err       error
	busy      bool // Step or Predict is running
	stats     Stats
}

// Stats counts the work of a session.
type Stats struct {
	Ticks     uint64 // ticks that ran for the first time
	Rollbacks uint64
	Again     uint64 // ticks that ran again
	Deepest   int    // largest number of ticks that ran again at once
	Waits     uint64 // calls of Advance that returned ErrWait
	Sums      uint64 // number of checksums of other players that were compared
}

// New returns a session that is before tick 0. If a field of c is missing or out of range, the
// error wraps ecs.ErrArgument. If the world is closed, the error wraps ecs.ErrDisposed.
func New[I comparable](c Config[I]) (*Session[I], error) {
	if c.Window == 0 {
		c.Window = 8
	}
	if c.Every == 0 {
		c.Every = 16
	}
	_, err := layoutOf("New", reflect.TypeFor[I]())
	switch {
	case err != nil:
		return nil, err
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
	known := 4 * (c.Window + c.Delay + 1) // a peer may be ahead of us by twice the window
	inputs, err := NewInputs(c.Players, known, c.Predict)
	if err != nil {
		return nil, err
	}
	ring, err := NewRing(c.World, c.Window+1)
	if err != nil {
		return nil, err
	}
	s := &Session[I]{config: c, inputs: inputs, ring: ring, acks: make([]uint64, c.Players)}
	s.checksums.allocate(c.Players, c.Every, inputs.capacity)
	var zero I
	for p := range c.Players {
		for tick := range uint64(c.Delay) {
			if err := s.confirmInput(p, tick, zero); err != nil {
				return nil, err
			}
		}
		s.acks[p] = uint64(c.Delay)
	}
	return s, nil
}

// confirmInput stores an input. If the input is new, it also adds the input to the digest of its
// player.
func (s *Session[I]) confirmInput(player int, tick uint64, input I) error {
	known := s.inputs.confirmed[player]
	if err := s.inputs.Confirm(player, tick, input); err != nil {
		return err
	}
	if s.inputs.confirmed[player] > known {
		s.checksums.addInput(player, tick, s.inputs.layout, memoryOf(&input))
	}
	return nil
}

// checkUsable returns an error if s is the zero Session or has failed. It also returns an error
// during a call of Step, because a packet would change the inputs that Step reads.
func (s *Session[I]) checkUsable(op string) error {
	switch {
	case s == nil || s.inputs == nil:
		return fmt.Errorf("rollback: Session.%s: the session is the zero Session: make it with New: %w", op, ecs.ErrState)
	case s.busy:
		return fmt.Errorf("rollback: Session.%s: Step or Predict of tick %d has called it: call it between ticks: %w", op, s.tick, ecs.ErrState)
	}
	return s.err
}

// Tick returns the number of the next tick.
func (s *Session[I]) Tick() uint64 { return s.tick }

// Confirmed returns the number of confirmed ticks, whose inputs do not change any more. Some of
// the confirmed ticks may not have run yet.
func (s *Session[I]) Confirmed() uint64 {
	if s.inputs == nil {
		return 0
	}
	return s.inputs.Confirmed()
}

// Inputs returns the log of inputs, or nil for the zero Session.
func (s *Session[I]) Inputs() *Inputs[I] { return s.inputs }

// Stats returns the counts of the session up to now.
func (s *Session[I]) Stats() Stats { return s.stats }

// Ready reports whether Advance will run a tick instead of returning [ErrWait].
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

// Advance stores the input of the local player for the tick that comes [Config].Delay ticks after
// the next tick. If predictions were wrong, Advance runs the ticks again, from the first tick with
// a wrong prediction on. Then it runs the next tick. If this tick would be too far ahead of the
// inputs of other players, Advance changes nothing and returns [ErrWait]. If worlds differ, it
// returns a [*Desync]. If Step returns an error, Advance returns the same error. After an error of
// Step, or a panic of Step or Predict, the session cannot be used any more.
func (s *Session[I]) Advance(input I) error {
	if err := s.checkUsable("Advance"); err != nil {
		return err
	}
	if !s.Ready() {
		s.stats.Waits++
		return ErrWait
	}
	if err := s.confirmInput(s.config.Local, s.tick+uint64(s.config.Delay), input); err != nil {
		return err
	}
	if err := s.Settle(); err != nil {
		return err
	}
	if err := s.runTick(s.tick); err != nil {
		return err
	}
	s.tick++
	s.stats.Ticks++
	return nil
}

// Settle runs ticks again if they had wrong predictions, as Advance does, but does not run the
// next tick. When all ticks that have run are confirmed, the world is final.
func (s *Session[I]) Settle() error {
	if err := s.checkUsable("Settle"); err != nil {
		return err
	}
	if from, is := s.inputs.Wrong(); is {
		if err := s.ring.Back(from); err != nil {
			return s.setFailed(err)
		}
		for tick := from; tick < s.tick; tick++ {
			if err := s.runTick(tick); err != nil {
				return err
			}
		}
		s.stats.Rollbacks++
		s.stats.Again += s.tick - from
		s.stats.Deepest = max(s.stats.Deepest, int(s.tick-from))
	}
	return s.makeChecksums()
}

// runTick takes an image and then runs a tick. If Predict or Step panics, the world is not in the
// state of any tick.
func (s *Session[I]) runTick(tick uint64) error {
	if err := s.ring.Keep(tick); err != nil {
		return s.setFailed(err)
	}
	returned := false
	s.busy = true
	defer func() {
		s.busy = false
		if !returned {
			_ = s.setFailed(fmt.Errorf("rollback: tick %d: Predict or Step has panicked: restore the world and make a new session: %w", tick, ecs.ErrState))
		}
	}()
	err := s.config.Step(tick, s.inputs.At(tick))
	returned = true
	if err != nil {
		return s.setFailed(fmt.Errorf("rollback: tick %d: %w", tick, err))
	}
	return nil
}

// setFailed records that the world is not in the state of any tick.
func (s *Session[I]) setFailed(err error) error {
	s.err = err
	return err
}

// Packet fills p with the packet for a player. Packet panics if there is no such player.
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
	*p = Packet[I]{From: local, First: s.acks[to], Inputs: p.Inputs[:0], Ack: s.inputs.ConfirmedOf(to), InputSums: p.InputSums}
	newest := &s.checksums.ours[s.checksums.index(s.checksums.newest)]
	p.SumTick, p.Sum, p.InputSums = newest.tick, newest.sum, append(p.InputSums[:0], newest.inputs...)
	for tick := p.First; tick < s.inputs.ConfirmedOf(local); tick++ {
		p.Inputs = append(p.Inputs, *s.inputs.inputAt(local, tick))
	}
}

// Receive processes a packet of another player. Packets may arrive in any order and more than once.
// If the packet is not from another player of this session, Receive changes nothing and returns an
// error that wraps ecs.ErrArgument. If the worlds of the two peers differ, Receive returns a
// [*Desync]. Receive never changes the world: only [Session.Advance] and [Session.Settle] do.
//
// Receive does not check From. Therefore, if a program gets packets from a network, it must first
// compare From with the address of the sender. The sender cannot have confirmed the tick of its
// checksum if it lacks some of our earlier inputs. In this case Receive ignores the checksum, and
// uses the rest of the packet.
func (s *Session[I]) Receive(p *Packet[I]) error {
	if err := s.checkUsable("Receive"); err != nil {
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
	case len(p.InputSums) != 0 && len(p.InputSums) != s.config.Players:
		return fmt.Errorf("rollback: Session.Receive: a packet of player %d with %d sums of inputs, and there are %d players: %w", p.From, len(p.InputSums), s.config.Players, ecs.ErrArgument)
	case !s.checksums.isChecksumTick(p.SumTick):
		return fmt.Errorf("rollback: Session.Receive: a checksum of player %d of tick %d, and they are of every %d: %w", p.From, p.SumTick, s.config.Every, ecs.ErrArgument)
	}
	known := s.inputs.ConfirmedOf(p.From)
	for i, input := range p.Inputs { // check all inputs before the first is stored
		tick := p.First + uint64(i)
		if tick < known || i == 0 {
			if err := s.inputs.checkInput("Session.Receive", p.From, tick, input); err != nil {
				return err
			}
		} else if tick >= s.inputs.oldestNeeded()+s.inputs.capacity {
			return s.inputs.tooFarError("Session.Receive", p.From, tick)
		}
	}
	for i, input := range p.Inputs {
		if err := s.confirmInput(p.From, p.First+uint64(i), input); err != nil {
			return s.setFailed(err)
		}
	}
	// Use the newest Ack even if it is smaller than the previous Ack. Otherwise, after a wrong Ack
	// that is too large, our packets would leave out some inputs permanently.
	if p.Ack+s.inputs.capacity > s.inputs.ConfirmedOf(local) {
		s.acks[p.From] = p.Ack
	}
	if p.SumTick > p.Ack {
		return nil // without our earlier inputs, the sender cannot have confirmed that tick: see the comment of Receive
	}
	if d := s.checksums.receive(p.From, p.SumTick, p.Sum, p.InputSums, &s.stats); d != nil {
		return s.setFailed(d)
	}
	return nil
}

// Packet is a message from one peer to another. A packet contains all inputs of the sender that the
// receiver has not acknowledged, so that a lost packet does no harm. It also contains an
// acknowledgement of the receiver's inputs, and the sender's newest checksum.
type Packet[I comparable] struct {
	From   int    // number of the sender
	First  uint64 // tick of the first input
	Inputs []I
	Ack    uint64 // number of the receiver's inputs that the sender has received

	SumTick uint64 // the confirmed tick before which the world had the hash Sum; 0 if there is no checksum yet
	Sum     uint64

	// InputSums contains a digest of each player's inputs before SumTick, as the sender knows them.
	// It is empty if there is no checksum. It is also empty if there are only two players,
	// because then no third player can have sent them different inputs.
	InputSums []uint64
}

// packetHeadBytes is the number of bytes before the inputs.
const packetHeadBytes = 4 + 8 + 8 + 8 + 8 + 4

// AppendBinary appends the packet to b in little-endian order. The inputs must have a fixed size,
// as package encoding/binary defines it. Otherwise the error wraps ecs.ErrArgument.
func (p *Packet[I]) AppendBinary(b []byte) ([]byte, error) {
	layout, err := layoutOf("Packet.AppendBinary", reflect.TypeFor[I]())
	if err != nil || layout.encodedSize < 0 {
		return b, fmt.Errorf("rollback: Packet.AppendBinary: %T has no fixed size: encode the packet yourself, or use sized types: %w", p.Inputs, ecs.ErrArgument)
	}
	le := binary.LittleEndian
	b = le.AppendUint32(b, uint32(p.From))
	b = le.AppendUint64(b, p.First)
	b = le.AppendUint64(b, p.Ack)
	b = le.AppendUint64(b, p.SumTick)
	b = le.AppendUint64(b, p.Sum)
	b = le.AppendUint32(b, uint32(len(p.Inputs)))
	for i := range p.Inputs {
		b = layout.appendInput(b, memoryOf(&p.Inputs[i]))
	}
	for _, sum := range p.InputSums {
		b = le.AppendUint64(b, sum)
	}
	return b, nil
}

// UnmarshalBinary decodes the bytes of AppendBinary into p. It overwrites the inputs and sums of p.
// If the bytes are not a packet with inputs of this type, the error wraps ecs.ErrArgument, and p is
// unchanged.
func (p *Packet[I]) UnmarshalBinary(b []byte) error {
	layout, err := layoutOf("Packet.UnmarshalBinary", reflect.TypeFor[I]())
	if err != nil || layout.encodedSize < 0 || len(b) < packetHeadBytes {
		return fmt.Errorf("rollback: Packet.UnmarshalBinary: %d bytes of inputs of %v: too short, or the type has no fixed size: %w", len(b), reflect.TypeFor[I](), ecs.ErrArgument)
	}
	le, size := binary.LittleEndian, layout.encodedSize
	n, rest := le.Uint32(b[packetHeadBytes-4:]), b[packetHeadBytes:]
	inputs := uint64(n) * uint64(size)
	if inputs > uint64(len(rest)) || (uint64(len(rest))-inputs)%8 != 0 || size == 0 && n > 0 {
		return fmt.Errorf("rollback: Packet.UnmarshalBinary: %d inputs of %d bytes, and sums of 8 bytes after them, do not fill the %d bytes that follow: %w", n, size, len(rest), ecs.ErrArgument)
	}
	*p = Packet[I]{From: int(int32(le.Uint32(b))), First: le.Uint64(b[4:]), Inputs: slices.Grow(p.Inputs[:0], int(n))[:n], Ack: le.Uint64(b[12:]), SumTick: le.Uint64(b[20:]), Sum: le.Uint64(b[28:]), InputSums: p.InputSums[:0]}
	for i := range p.Inputs {
		layout.decodeInput(memoryOf(&p.Inputs[i]), rest[:size])
		rest = rest[size:]
	}
	for ; len(rest) > 0; rest = rest[8:] {
		p.InputSums = append(p.InputSums, le.Uint64(rest))
	}
	return nil
}
