package main

import "math/rand/v2"

// link simulates a network link that loses some packets and delays the others, so that packets may
// overtake each other. It is deterministic for a seed, and its time is in ticks.
type link struct {
	rng    *rand.Rand
	loss   float64 // share of packets that are lost
	delay  int     // least delay in ticks
	jitter int     // largest additional delay
	way    []flight

	sent, lost, late int // late: arrived after a packet that was sent later
	newest           uint64
}

// flight is a packet in transit.
type flight struct {
	due, number uint64
	bytes       []byte
}

func newLink(seed uint64, loss float64, delay, jitter int) *link {
	return &link{rng: rand.New(rand.NewPCG(seed, 19)), loss: loss, delay: delay, jitter: jitter}
}

// send sends a packet. It copies the packet unless the packet is lost.
func (l *link) send(now uint64, packet []byte) {
	l.sent++
	due := now + uint64(l.delay+l.rng.IntN(l.jitter+1))
	if l.rng.Float64() < l.loss {
		l.lost++
		return
	}
	f := flight{due: due, number: uint64(l.sent)}
	if n := len(l.way); n < cap(l.way) { // reuses the memory of an arrived packet
		f.bytes = l.way[:n+1][n].bytes
	}
	f.bytes = append(f.bytes[:0], packet...)
	l.way = append(l.way, f)
}

// receive calls f for each packet that has arrived by now, in the order in which the packets were
// sent, and then discards the packet.
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
		l.way[len(l.way)-1] = p // keeps its memory for the next
		l.way = l.way[:len(l.way)-1]
	}
	return nil
}
