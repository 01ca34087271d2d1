// Package match is the game of examples/duel, and a peer that plays it over a slow network that loses packets.
//
//	p := match.NewPeer(0, id, nil)
//	err := p.Frame(now, input, send)    // in each frame; send passes packets to the other peer
//	err = p.Receive(packet)             // for each packet of the other peer
package match

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/lanewise/lanewise/ecs/rollback"
	"github.com/lanewise/lanewise/jobs"
)

// These constants describe the simulated network. A packet takes from Delay to Delay+jitter.
const (
	Loss   = 0.05 // the share of packets that are lost
	Delay  = 150 * time.Millisecond
	jitter = 20 * time.Millisecond
)

const (
	tickTime   = time.Second / Hz
	window     = 24         // predicted ticks: a packet takes 10 ticks, and the other peer may be late
	mostOwed   = 10         // ticks that a peer computes in a frame after it could not compute any
	inputDelay = 2          // ticks after which an input takes effect
	leadSlack  = 2          // ticks by which a peer may be ahead
	every      = 16         // ticks between two checksums
	headBytes  = 8 + 8 + 2  // the numbers of the two peers, and the lead and the player of the sender
	kept       = 4 * window // checksums that a peer remembers
	patience   = 5 * time.Second
	nextGame   = 1 << 48 // a peer adds it to its number after each game, so that the packets of a game are not taken for those of the next one
)

// Peer is one of the two players. The peers find each other by their packets. More than two peers may hear each other: a peer ignores peers of
// its own player, and plays only with the first peer of the other player. If that peer leaves, or is silent for 5 s, for example because its tab
// has crashed, the peer starts again with the next one that has no game.
type Peer struct {
	Game    *Game                    // nil until the other peer is there
	Session *rollback.Session[Input] // nil until the other peer is there
	Agreed  uint64                   // the last tick before which the hashes of both peers are compared
	Hash    uint64                   // the hash of both
	Sent    int                      // number of packets
	Lost    int

	player    int
	id, other uint64 // numbers that identify this peer and the other in a game; other is 0 without a game
	pool      *jobs.Pool
	rng       *rand.Rand
	way       []flight
	last      time.Duration // the time of the last frame
	owed      time.Duration // time whose ticks have not run
	silence   time.Duration // since the last packet of the other peer to this one
	theirLead int
	packet    rollback.Packet[Input]
	own       [kept]checksum // by tick/every
}

// flight is a packet in transit.
type flight struct {
	due   time.Duration
	bytes []byte
}

type checksum struct{ tick, sum uint64 }

// NewPeer returns the peer of a player. The two peers must have different numbers id, modulo 2⁴⁸-1. The pool may be nil.
func NewPeer(player int, id uint64, pool *jobs.Pool) *Peer {
	if id %= nextGame - 1; id == 0 { // no peer has the number 0
		id = nextGame - 1
	}
	return &Peer{player: player, id: id, pool: pool, rng: rand.New(rand.NewPCG(id, uint64(player)))}
}

// Close closes the world.
func (p *Peer) Close() error {
	if p.Game == nil {
		return nil
	}
	return p.Game.World.Close()
}

// leave ends the game. The peer has another number afterwards.
func (p *Peer) leave() error {
	if err := p.Close(); err != nil {
		return err
	}
	*p = Peer{player: p.player, id: p.id + nextGame, pool: p.pool, rng: p.rng, last: p.last, Sent: p.Sent, Lost: p.Lost}
	return nil
}

// Leave ends the game because the page is closed or loaded again. Leave tells the other peer, with a packet that is neither lost nor late, because
// the page cannot send it later. A browser may show the same page again: then the peer looks for another game.
func (p *Peer) Leave(send func(packet []byte)) error {
	if p.other == 0 {
		return nil
	}
	send(p.head())
	return p.leave()
}

// start starts a game against another peer.
func (p *Peer) start(other uint64) error {
	if p.other != 0 {
		if err := p.leave(); err != nil {
			return err
		}
	}
	p.way, p.silence = nil, 0
	var err error
	if p.Game, err = newGame(p.pool); err != nil {
		return err
	}
	p.other = other
	p.Session, err = rollback.New(rollback.Config[Input]{World: p.Game.World, Players: players, Local: p.player, Step: p.Game.step, Window: window, Delay: inputDelay, Every: every})
	return err
}

// Receive processes a packet. It ignores packets of an earlier game, of peers in another game, and of peers of the same player.
func (p *Peer) Receive(b []byte) error {
	if len(b) < headBytes {
		return fmt.Errorf("match: a packet of %d bytes, want at least %d", len(b), headBytes)
	}
	from, to := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	if from == 0 || int(b[17]) != 1-p.player {
		return nil
	}
	free := p.other == 0 || p.silence >= patience // another peer may begin a game
	switch {
	case from != p.other && free && (to == 0 || to == p.id && p.other == 0):
		if err := p.start(from); err != nil {
			return err
		}
	case (from-p.other)%nextGame == 0 && free && to != 0 && to != p.id:
		return p.leave() // that peer plays with another one
	}
	if from != p.other || to != p.id {
		return nil
	}
	if len(b) == headBytes { // the other peer has left: in a game, every other packet has more bytes
		return p.leave()
	}
	p.silence = 0
	p.theirLead = int(int8(b[16]))
	if err := p.packet.UnmarshalBinary(b[headBytes:]); err != nil {
		return err
	}
	if own := p.own[p.packet.SumTick/every%kept]; own == (checksum{p.packet.SumTick, p.packet.Sum}) && own.tick > p.Agreed {
		p.Agreed, p.Hash = own.tick, own.sum
	}
	return p.Session.Receive(&p.packet)
}

// Lead returns by how many ticks this peer is ahead of the last known input of the other peer.
func (p *Peer) Lead() int {
	return int(int64(p.Session.Tick() - p.Session.Inputs().ConfirmedOf(1-p.player)))
}

// Frame computes the ticks up to the time now, and sends a packet. It calls input for the input of each tick, and it
// calls send for each packet whose delay is over. If the other peer is late, Frame computes fewer ticks.
func (p *Peer) Frame(now time.Duration, input func(tick uint64) Input, send func(packet []byte)) error {
	if p.Session != nil {
		if p.owed += now - p.last; p.Lead() > p.theirLead+leadSlack {
			p.owed -= tickTime / 8 // until the other peer catches up
		}
		for p.owed = min(p.owed, mostOwed*tickTime); p.owed >= tickTime && p.Session.Ready(); p.owed -= tickTime {
			if err := p.Session.Advance(input(p.Session.Tick())); err != nil {
				return err
			}
		}
	}
	p.silence += min(now-p.last, time.Second) // less after a late frame, because packets wait for it
	p.last = now
	if err := p.post(now); err != nil {
		return err
	}
	way := p.way[:0]
	for _, f := range p.way {
		if f.due > now {
			way = append(way, f)
			continue
		}
		send(f.bytes)
	}
	p.way = way
	return nil
}

// head returns the first bytes of a packet. The lead is 0.
func (p *Peer) head() []byte {
	b := binary.LittleEndian.AppendUint64(nil, p.id)
	return append(binary.LittleEndian.AppendUint64(b, p.other), 0, byte(p.player))
}

// post gives a packet to the network, unless the network loses it.
func (p *Peer) post(now time.Duration) error {
	b := p.head()
	if p.Session != nil {
		b[16] = byte(int8(p.Lead()))
		p.Session.Packet(1-p.player, &p.packet)
		p.own[p.packet.SumTick/every%kept] = checksum{p.packet.SumTick, p.packet.Sum}
		var err error
		if b, err = p.packet.AppendBinary(b); err != nil {
			return err
		}
	}
	p.Sent++
	if p.rng.Float64() < Loss {
		p.Lost++
		return nil
	}
	p.way = append(p.way, flight{now + Delay + time.Duration(p.rng.Int64N(int64(jitter))), b})
	return nil
}

// Straight returns the hash of the world before a tick if robots play and all inputs are known in time.
func Straight(tick uint64) (uint64, error) {
	g, err := newGame(nil)
	if err != nil {
		return 0, err
	}
	for t := range tick {
		inputs := [players]Input{}
		for p := range inputs {
			if t >= inputDelay {
				inputs[p] = Robot(p, t-inputDelay)
			}
		}
		if err := g.step(t, inputs[:]); err != nil {
			return 0, errors.Join(err, g.World.Close())
		}
	}
	return g.World.Hash(), g.World.Close()
}

// Play lets two peers play a number of ticks in simulated time, with robots as players. The seed selects the delays and losses.
func Play(ticks, seed uint64, pool *jobs.Pool) (peers [players]*Peer, err error) {
	clock := rand.New(rand.NewPCG(seed, 0))
	var due [players]time.Duration
	for p := range peers {
		peers[p] = NewPeer(p, 2*seed+uint64(p)+1, pool)
		due[p] = time.Duration(clock.Int64N(int64(time.Second))) // a page is loaded after the other
	}
	playing := func(p *Peer) bool {
		return p.Session == nil || p.Session.Confirmed() < ticks || p.Session.Tick() < ticks
	}
	for now := time.Duration(0); playing(peers[0]) || playing(peers[1]); now += time.Millisecond {
		if now > time.Duration(ticks)*tickTime+time.Minute {
			return peers, errors.New("match: Play: the peers wait for each other")
		}
		for p, own := range peers {
			if now < due[p] {
				continue
			}
			due[p] = now + tickTime/2 + time.Duration(clock.Int64N(int64(tickTime))) // frames take different times
			var refused error
			err := own.Frame(now, func(tick uint64) Input { return Robot(p, tick) }, func(b []byte) {
				if due[1-p] <= now+2*tickTime { // else that page is not loaded
					refused = errors.Join(refused, peers[1-p].Receive(b))
				}
			})
			if err = errors.Join(err, refused); err != nil {
				return peers, fmt.Errorf("player %d: %w", p, err)
			}
		}
	}
	return peers, nil
}
