package frames

import (
	"encoding/binary"
	"io"
	"math"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// Out collects the bytes of a frame.
type Out struct{ B []byte }

// Begin makes room for the head of a frame.
func (o *Out) Begin(kind uint32) { o.B = o.B[:0]; o.U32(kind); o.U64(0) }

// End completes a frame, and returns its checksum.
func (o *Out) End() uint32 {
	binary.LittleEndian.PutUint64(o.B[4:], uint64(len(o.B)-headBytes))
	sum := Sum(o.B)
	o.U32(sum)
	return sum
}

// Send completes a frame, and writes it.
func (o *Out) Send(to io.Writer) error {
	o.End()
	_, err := to.Write(o.B)
	return err
}

// U32 appends a number.
func (o *Out) U32(v uint32) { o.B = binary.LittleEndian.AppendUint32(o.B, v) }

// U64 appends a number.
func (o *Out) U64(v uint64) { o.B = binary.LittleEndian.AppendUint64(o.B, v) }

// Uvarint appends a number, in fewer bytes if it is small: seven bits a byte, the low ones first, and the eighth is set except for the last.
func (o *Out) Uvarint(v uint64) { o.B = binary.AppendUvarint(o.B, v) }

// F64 appends a number.
func (o *Out) F64(v float64) { o.U64(math.Float64bits(v)) }

// Count appends how many things follow.
func (o *Out) Count(n int) { o.U32(uint32(n)) }

// Text appends a text: how many bytes it has, and these.
func (o *Out) Text(s string) { o.Count(len(s)); o.B = append(o.B, s...) }

// Flag appends a bool.
func (o *Out) Flag(v bool) {
	if v {
		o.U32(1)
	} else {
		o.U32(0)
	}
}

// Maybe appends bytes, or that there are none: a list of no or one text.
func (o *Out) Maybe(b []byte) {
	o.Flag(b != nil)
	if b != nil {
		o.Text(string(b))
	}
}

// Entity appends an entity.
func (o *Out) Entity(e ecs.Entity) {
	o.U32(uint32(e.Index))
	o.U32(uint32(e.Version))
}

// Entities appends entities, without how many they are.
func (o *Out) Entities(list []ecs.Entity) {
	at := len(o.B)
	o.B = slices.Grow(o.B, 8*len(list))[:at+8*len(list)]
	b := o.B[at:]
	for i, e := range list {
		binary.LittleEndian.PutUint64(b[8*i:], uint64(uint32(e.Index))|uint64(uint32(e.Version))<<32)
	}
}

// Places appends a list of places.
func (o *Out) Places(list []int32) {
	o.Count(len(list))
	for _, v := range list {
		o.U32(uint32(v))
	}
}
