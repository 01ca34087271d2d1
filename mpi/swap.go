package mpi

import (
	"encoding/binary"
	"fmt"

	"github.com/lanewise/lanewise/kernels"
)

// A message is sent to a peer in one piece if it is not much longer than the
// previous message. Both ranks know the length of the previous message. So they also know
// the largest length of the first piece. The rest of the message is sent separately, and
// the first piece contains the length of the rest.
type message struct {
	bytes  []byte // the received message, without its length
	values []byte // the last part of bytes
	buf    []byte
	room   int // of the first piece
}

const leastRoom = 4096

// begin returns memory for a message.
func (m *message) begin() []byte { return append(m.buf[:0], make([]byte, 8)...) }

// end completes the message to be sent.
func (m *message) end(b []byte) {
	binary.LittleEndian.PutUint64(b, uint64(len(b)))
	m.buf = b
}

// first returns the length of the first piece.
func (m *message) first(piece int) int { return min(max(m.room, leastRoom), piece) }

// next allocates memory for the next message, after a message of n bytes.
func (m *message) next(n int) { m.room = n + n/4 }

// begin sends messages to peers, and begins to receive the peers' messages.
func begin[T kernels.Float](c *Comm, op string, peers []*peer[T]) error {
	for _, p := range peers {
		n := p.in.first(c.wire.Piece)
		if cap(p.in.buf) < n {
			p.in.buf = make([]byte, n)
		}
		p.in.buf = p.in.buf[:n]
		if err := c.wire.Receive(p.in.buf, p.rank, tagHalo); err != nil {
			return c.fail(op, err)
		}
	}
	for _, p := range peers {
		if err := c.wire.Send(p.out.buf[:min(len(p.out.buf), p.out.first(c.wire.Piece))], p.rank, tagHalo); err != nil {
			return c.fail(op, err)
		}
	}
	return nil
}

// finish waits for the first pieces of the messages, and for the rests.
func finish[T kernels.Float](c *Comm, op string, peers []*peer[T]) error {
	if err := c.wait(op); err != nil {
		return err
	}
	for _, p := range peers {
		first := p.in.first(c.wire.Piece)
		n := int(binary.LittleEndian.Uint64(p.in.buf))
		if n < 8 {
			return c.fail(op, fmt.Errorf("rank %d sent a message of %d bytes: do all ranks run the same program?", p.rank, n))
		}
		if n > first {
			p.in.buf = append(p.in.buf[:first], make([]byte, n-first)...)
			if err := c.wire.Receive(p.in.buf[first:], p.rank, tagRest); err != nil {
				return c.fail(op, err)
			}
		}
		p.in.buf = p.in.buf[:n]
		p.in.next(n)
		first, n = p.out.first(c.wire.Piece), len(p.out.buf)
		if n > first {
			if err := c.wire.Send(p.out.buf[first:], p.rank, tagRest); err != nil {
				return c.fail(op, err)
			}
		}
		p.out.next(n)
		p.in.bytes = p.in.buf[8:]
	}
	return c.wait(op)
}
