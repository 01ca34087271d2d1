package main

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/lanewise/lanewise/ecs/rollback"
	"github.com/lanewise/lanewise/jobs"
)

// settings configures a game.
type settings struct {
	ticks, motes, window, workers int
	loss                          float64
	delay, jitter                 int
	seed                          uint64
}

// peer is one player and the player's world.
type peer struct {
	game    *game
	session *rollback.Session[Input]
	player  *player
	input   Input // of the next tick
	packet  rollback.Packet[Input]
	bytes   []byte
}

// player repeats an input for some ticks and then changes it.
type player struct {
	rng   *rand.Rand
	does  Input
	ticks int
}

func newPlayer(seed uint64, number int) *player {
	return &player{rng: rand.New(rand.NewPCG(seed, uint64(number)))}
}

// next returns the input of the next tick.
func (p *player) next() Input {
	if p.ticks--; p.ticks < 0 {
		p.ticks = 1 + p.rng.IntN(12)
		p.does = Input{int8(p.rng.IntN(3) - 1), int8(p.rng.IntN(3) - 1), p.rng.IntN(3) == 0}
	}
	return p.does
}

// result describes a finished game.
type result struct {
	peers [players]*peer
	links [players]*link // the incoming link of each peer
	hash  uint64         // of the world of both
}

// play plays a game of two players over links.
func play(s settings, pool *jobs.Pool) (r *result, err error) {
	r = &result{}
	for p := range players {
		g, err := newGame(fmt.Sprint("player ", p), s.motes, pool)
		if err != nil {
			return nil, err
		}
		defer g.close(&err)
		session, err := rollback.New(rollback.Config[Input]{World: g.w, Players: players, Local: p, Window: s.window, Step: g.step})
		if err != nil {
			return nil, err
		}
		r.peers[p] = &peer{game: g, session: session, player: newPlayer(s.seed, p)}
		r.peers[p].input = r.peers[p].player.next()
		r.links[p] = newLink(s.seed+uint64(p), s.loss, s.delay, s.jitter)
	}
	for now := uint64(0); ; now++ {
		over := true
		for p, own := range r.peers {
			if err := own.turn(now, uint64(s.ticks), r.links[p], r.links[1-p], 1-p); err != nil {
				return nil, fmt.Errorf("player %d: %w", p, err)
			}
			over = over && own.session.Confirmed() >= uint64(s.ticks)
		}
		if over {
			break
		}
	}
	for p, own := range r.peers {
		if err := own.session.Settle(); err != nil {
			return nil, fmt.Errorf("player %d: %w", p, err)
		}
	}
	r.hash = r.peers[0].game.w.Hash()
	if other := r.peers[1].game.w.Hash(); other != r.hash {
		return nil, fmt.Errorf("the worlds have hashes %#016x and %#016x", r.hash, other)
	}
	return r, nil
}

// turn simulates a peer for a sixtieth of a second. The peer receives packets, plays a tick unless it
// must wait, and sends.
func (p *peer) turn(now, ticks uint64, in, out *link, other int) error {
	err := in.receive(now, func(b []byte) error {
		if err := p.packet.UnmarshalBinary(b); err != nil {
			return err
		}
		return p.session.Receive(&p.packet)
	})
	if err != nil {
		return err
	}
	if p.session.Tick() < ticks {
		switch err := p.session.Advance(p.input); {
		case errors.Is(err, rollback.ErrWait):
		case err != nil:
			return err
		default:
			p.input = p.player.next()
		}
	}
	p.session.Packet(other, &p.packet)
	if p.bytes, err = p.packet.AppendBinary(p.bytes[:0]); err != nil {
		return err
	}
	out.send(now, p.bytes)
	return nil
}

// playStraight plays the same game with all inputs known in time, and returns the hash of its world.
func playStraight(s settings, pool *jobs.Pool) (hash uint64, err error) {
	g, err := newGame("straight", s.motes, pool)
	if err != nil {
		return 0, err
	}
	defer g.close(&err)
	var all [players]*player
	for p := range all {
		all[p] = newPlayer(s.seed, p)
	}
	inputs := make([]Input, players)
	for tick := range uint64(s.ticks) {
		for p := range all {
			inputs[p] = all[p].next()
		}
		if err := g.step(tick, inputs); err != nil {
			return 0, err
		}
	}
	return g.w.Hash(), nil
}
