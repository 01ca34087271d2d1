package rollback

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"

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

	// InputSums has a digest of the inputs of each player before SumTick, as the sender knows them. It is empty without a
	// checksum, and with two players, because there is no third player who could have sent them different inputs.
	InputSums []uint64
}

// packetHead is how many bytes are before the inputs.
const packetHead = 4 + 8 + 8 + 8 + 8 + 4

// AppendBinary appends the packet to b as bytes, little end first. The inputs must be of fixed size, as package
// encoding/binary has it; the error wraps ecs.ErrArgument if they are not.
func (p *Packet[I]) AppendBinary(b []byte) ([]byte, error) {
	layout, err := layoutOf("Packet.AppendBinary", reflect.TypeFor[I]())
	if err != nil || layout.encoded < 0 {
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
		b = layout.append(b, memoryOf(&p.Inputs[i]))
	}
	for _, sum := range p.InputSums {
		b = le.AppendUint64(b, sum)
	}
	return b, nil
}

// UnmarshalBinary decodes the bytes of AppendBinary into p, and overwrites the inputs and sums of p. If they are not the bytes of
// a packet with inputs of this type, the error wraps ecs.ErrArgument, and p has not changed.
func (p *Packet[I]) UnmarshalBinary(b []byte) error {
	layout, err := layoutOf("Packet.UnmarshalBinary", reflect.TypeFor[I]())
	if err != nil || layout.encoded < 0 || len(b) < packetHead {
		return fmt.Errorf("rollback: Packet.UnmarshalBinary: %d bytes of inputs of %v: too short, or the type has no fixed size: %w", len(b), reflect.TypeFor[I](), ecs.ErrArgument)
	}
	le, size := binary.LittleEndian, layout.encoded
	n, rest := le.Uint32(b[packetHead-4:]), b[packetHead:]
	inputs := uint64(n) * uint64(size)
	if inputs > uint64(len(rest)) || (uint64(len(rest))-inputs)%8 != 0 || size == 0 && n > 0 {
		return fmt.Errorf("rollback: Packet.UnmarshalBinary: %d inputs of %d bytes, and sums of 8 bytes after them, do not fill the %d bytes that follow: %w", n, size, len(rest), ecs.ErrArgument)
	}
	*p = Packet[I]{From: int(int32(le.Uint32(b))), First: le.Uint64(b[4:]), Inputs: slices.Grow(p.Inputs[:0], int(n))[:n], Ack: le.Uint64(b[12:]), SumTick: le.Uint64(b[20:]), Sum: le.Uint64(b[28:]), InputSums: p.InputSums[:0]}
	for i := range p.Inputs {
		layout.decode(memoryOf(&p.Inputs[i]), rest[:size])
		rest = rest[size:]
	}
	for ; len(rest) > 0; rest = rest[8:] {
		p.InputSums = append(p.InputSums, le.Uint64(rest))
	}
	return nil
}
