package frames

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/images"
)

// In is bytes that are not read yet. When they end too early it fails, and all that follows is 0.
type In struct {
	B   []byte
	Bad bool
}

// Done says whether all was there, and nothing more.
func (d *In) Done() bool { return !d.Bad && len(d.B) == 0 }

// Fail makes all that follows 0.
func (d *In) Fail() { d.B, d.Bad = nil, true }

// Take returns the next n bytes, or nil.
func (d *In) Take(n uint64) []byte {
	if n > uint64(len(d.B)) {
		d.Fail()
		return nil
	}
	b := d.B[:n:n]
	d.B = d.B[n:]
	return b
}

// ReadEntities fills a list of entities.
func (d *In) ReadEntities(list []ecs.Entity) {
	b := d.Take(8 * uint64(len(list)))
	if b == nil {
		return
	}
	for i := range list {
		v := binary.LittleEndian.Uint64(b[8*i:])
		list[i] = ecs.Entity{Index: int32(uint32(v)), Version: int32(v >> 32)}
	}
}

// U32 reads a number.
func (d *In) U32() uint32 {
	if b := d.Take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// U64 reads a number.
func (d *In) U64() uint64 {
	if b := d.Take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Uvarint reads a number of one to ten bytes.
func (d *In) Uvarint() uint64 {
	v, n := binary.Uvarint(d.B)
	if n <= 0 {
		d.Fail()
		return 0
	}
	d.B = d.B[n:]
	return v
}

// F64 reads a finite number.
func (d *In) F64() float64 {
	v := math.Float64frombits(d.U64())
	if v-v != 0 {
		d.Bad = true
	}
	return v
}

// Bytes reads the bytes of a text: they are those of the frame.
func (d *In) Bytes() []byte { return d.Take(uint64(d.U32())) }

// Text reads a text.
func (d *In) Text() string { return string(d.Bytes()) }

// Count reads how many things follow, of at least so many bytes each.
func (d *In) Count(size int) int {
	n := d.U32()
	if uint64(n)*uint64(size) > uint64(len(d.B)) {
		d.Fail()
		return 0
	}
	return int(n)
}

// Flag reads a bool.
func (d *In) Flag() bool {
	v := d.U32()
	if v > 1 {
		d.Bad = true
	}
	return v == 1
}

// Maybe reads bytes of its own, or nil if there are none.
func (d *In) Maybe() []byte {
	if !d.Flag() {
		return nil
	}
	return append([]byte{}, d.Bytes()...)
}

// Entity reads an entity.
func (d *In) Entity() ecs.Entity { return ecs.Entity{Index: int32(d.U32()), Version: int32(d.U32())} }

// Entities reads so many entities, of 8 bytes each.
func (d *In) Entities(n int) []ecs.Entity {
	list := make([]ecs.Entity, n)
	for i := range list {
		list[i] = d.Entity()
	}
	return list
}

// Names reads what entities are called: 8 bytes of an entity and a text each. The names are parts of all, which is the bytes of d as a
// string: strings of their own would take longer than all else in a file. The list has the memory of another one, if that is large enough.
func (d *In) Names(memory []images.Name, all string) []images.Name {
	n := d.Count(12)
	list, total := slices.Grow(memory[:0], n)[:n], len(all)
	for i := range list {
		if len(d.B) < 12 {
			d.Fail()
			return nil
		}
		n := binary.LittleEndian.Uint32(d.B[8:])
		list[i].Entity = ecs.Entity{Index: int32(binary.LittleEndian.Uint32(d.B)), Version: int32(binary.LittleEndian.Uint32(d.B[4:]))}
		if d.B = d.B[12:]; uint64(n) > uint64(len(d.B)) {
			d.Fail()
			return nil
		}
		list[i].Name = all[total-len(d.B):][:n]
		d.B = d.B[n:]
	}
	return list
}

// Places reads a list of places.
func (d *In) Places() []int32 {
	list := make([]int32, d.Count(4))
	for i := range list {
		list[i] = int32(d.U32())
	}
	return list
}
