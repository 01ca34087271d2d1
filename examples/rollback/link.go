package main

import "math/rand/v2"

// link is a way for packets that loses some, holds each back for a while, and so brings some before
// earlier ones: a simulation of one, by a seed, whose time is ticks.
type link struct {
	rng    *rand.Rand
	loss   float64 // share of packets that are lost
	delay  int     // ticks that each takes at least
	jitter int     // and at most so many more
	way    []flight

	sent, lost, late int // late: came after one that was sent later
	newest           uint64
}

// flight is a packet on its way.
type flight struct {
	due, number uint64
	bytes       []byte
}

func newLink(seed uint64, loss float64, delay, jitter int) *link {
	return &link{rng: rand.New(rand.NewPCG(seed, 19)), loss: loss, delay: delay, jitter: jitter}
}

// send takes a packet at a time. What is not lost is copied.
func (l *link) send(now uint64, packet []byte) {
	l.sent++
	due := now + uint64(l.delay+l.rng.IntN(l.jitter+1))
	if l.rng.Float64() < l.loss {
		l.lost++
		return
	}
	f := flight{due: due, number: uint64(l.sent)}
	if n := len(l.way); n < cap(l.way) { // memory of one that has arrived
		f.bytes = l.way[:n+1][n].bytes
	}
	f.bytes = append(f.bytes[:0], packet...)
	l.way = append(l.way, f)
}

// receive calls f for each packet that has arrived at a time, in the order of sending, and forgets it.
func (l *link) receive(now uint64, f func(packet []byte) error) error {
	for i := 0; i < len(l.way); {
		p := l.way[i]
		if p.due > now {
			i++
			continue
		}
		if p.number < l.newest {
			l.late++
		}
		l.newest = max(l.newest, p.number)
		if err := f(p.bytes); err != nil {
			return err
		}
		copy(l.way[i:], l.way[i+1:])
		l.way[len(l.way)-1] = p // its memory is for the next
		l.way = l.way[:len(l.way)-1]
	}
	return nil
}
