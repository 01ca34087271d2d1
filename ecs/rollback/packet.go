package rollback

import (
	"encoding/binary"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
)

// Packet is what one peer tells another: all its inputs that the other has not confirmed to have, so that a
// packet that is lost is no loss, what it has of the other's, and its newest checksum.
type Packet[I comparable] struct {
	From   int    // the player
	First  uint64 // tick of the first input
	Inputs []I
	Ack    uint64 // how many inputs of the receiver the sender has

	SumTick uint64 // the world before this tick, which is confirmed, had this hash; 0 if there is none yet
	Sum     uint64
}

// packetHead is how many bytes are before the inputs.
const packetHead = 4 + 8 + 8 + 8 + 8 + 4

// AppendBinary appends the packet to b as bytes, little end first. The inputs must be of fixed size, as package
// encoding/binary has it; the error wraps ecs.ErrArgument if they are not.
func (p *Packet[I]) AppendBinary(b []byte) ([]byte, error) {
	if binary.Size(p.Inputs) < 0 {
		return b, fmt.Errorf("rollback: Packet.AppendBinary: %T has no fixed size: encode the packet yourself, or use sized types: %w", p.Inputs, ecs.ErrArgument)
	}
	le := binary.LittleEndian
	b = le.AppendUint32(b, uint32(p.From))
	b = le.AppendUint64(b, p.First)
	b = le.AppendUint64(b, p.Ack)
	b = le.AppendUint64(b, p.SumTick)
	b = le.AppendUint64(b, p.Sum)
	b = le.AppendUint32(b, uint32(len(p.Inputs)))
	return binary.Append(b, le, p.Inputs)
}

// UnmarshalBinary makes p what AppendBinary was given, whose inputs it overwrites. The error wraps
// ecs.ErrArgument, and p is what it was, if the bytes are not those of a packet with inputs of this type.
func (p *Packet[I]) UnmarshalBinary(b []byte) error {
	var one I
	size := binary.Size(one)
	if size < 0 || len(b) < packetHead {
		return fmt.Errorf("rollback: Packet.UnmarshalBinary: %d bytes of inputs of %T: too short, or the type has no fixed size: %w", len(b), one, ecs.ErrArgument)
	}
	le := binary.LittleEndian
	n, rest := le.Uint32(b[packetHead-4:]), b[packetHead:]
	if uint64(n)*uint64(size) != uint64(len(rest)) || size == 0 && n > 0 {
		return fmt.Errorf("rollback: Packet.UnmarshalBinary: %d inputs of %d bytes do not fill the %d bytes that follow: %w", n, size, len(rest), ecs.ErrArgument)
	}
	if cap(p.Inputs) < int(n) {
		p.Inputs = make([]I, n)
	}
	list := p.Inputs[:n]
	if n > 0 {
		if _, err := binary.Decode(rest, le, list); err != nil {
			return fmt.Errorf("rollback: Packet.UnmarshalBinary: %v: %w", err, ecs.ErrArgument)
		}
	}
	*p = Packet[I]{int(le.Uint32(b)), le.Uint64(b[4:]), list, le.Uint64(b[12:]), le.Uint64(b[20:]), le.Uint64(b[28:])}
	return nil
}
