package table

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/lanewise/lanewise/chunk"
)

// Memory is the memory of the chunks of one world. One goroutine at a time may use it, and it must
// not be copied.
type Memory struct {
	slabs  *chunk.Slabs
	shapes map[string]*Shape
	list   []*Shape // in the order of creation
	spare  []*bay
	fresh  []bay // bays that were allocated and not used yet
	places int   // number of places that were handed out
	live   int   // size of these places in bytes
	spans  []chunk.Span
	met    []*bay
	kept   *bay // the bay of a small chunk that has ended; may be nil
	apart  int  // number of places that belong to no chunk yet, see SetApart
}

// New returns Memory without chunks.
func New() *Memory { return &Memory{slabs: new(chunk.Slabs)} }

// bay is a block of memory for neighbouring chunks, in which each lane of all of them is one array.
type bay struct {
	span    chunk.Span
	shape   *Shape
	used    uint32 // a bit for each used slot
	partial int32  // index in shape.partial, or -1
	log     int8   // logarithm of the number of slots
	few     int8   // 1 + index of its size among those of small chunks; 0 for full chunks
	moving  int8   // number of slots that Adopt gets
	heir    *bay   // the bay that takes over its memory during Adopt
}

// full reports whether no slot is free.
func (b *bay) full() bool { return b.used == uint32(1<<(1<<b.log)-1) }

// Take returns a place for the given number of rows: the smallest size of a small chunk that has
// room, or else a full chunk.
func (m *Memory) Take(s *Shape, rows int) Place {
	for i := range s.few {
		if rows <= s.few[i].rows {
			return m.takeFew(s, i)
		}
	}
	return m.TakeFull(s, nil)
}

// takeFew returns a place for a small chunk.
func (m *Memory) takeFew(s *Shape, i int) Place {
	if b := m.kept; b != nil && b.shape == s && int(b.few) == i+1 {
		m.kept = nil
		m.places++
		m.live += s.few[i].bytes
		return b.place(0)
	}
	f := &s.few[i]
	b := m.newBay()
	*b = bay{span: m.slabs.Get(f.bytes), shape: s, used: 1, partial: -1, few: int8(i + 1)}
	m.places++
	m.live += f.bytes
	return b.place(0)
}

// TakeFull returns a place for a full chunk. If behind is not nil, it is the slot after that place,
// if that slot is free. Otherwise it is in a bay with a free slot, or in a new bay.
func (m *Memory) TakeFull(s *Shape, behind *Place) Place {
	if behind != nil && behind.home.shape == s && behind.home.few == 0 {
		b, slot := behind.home, int(behind.slot)+1
		if slot < 1<<b.log && b.used>>slot&1 == 0 {
			return m.takeSlot(b, slot)
		}
	}
	var b *bay
	if last := len(s.partial) - 1; last >= 0 {
		b = s.partial[last]
	} else {
		b = m.open(s, s.next())
	}
	return m.takeSlot(b, bits.TrailingZeros32(^b.used))
}

// open returns a new bay without chunks.
func (m *Memory) open(s *Shape, log int) *bay {
	b := m.newBay()
	*b = bay{span: m.slabs.Get(s.bytes << log), shape: s, partial: -1, log: int8(log)}
	return b
}

// newBay returns an empty bay struct.
func (m *Memory) newBay() *bay {
	if last := len(m.spare) - 1; last >= 0 {
		b := m.spare[last]
		m.spare = m.spare[:last]
		return b
	}
	if len(m.fresh) == 0 {
		m.fresh = make([]bay, min(max(m.places, 1), 64))
	}
	b := &m.fresh[0]
	m.fresh = m.fresh[1:]
	return b
}

// takeSlot takes a free slot of a bay.
func (m *Memory) takeSlot(b *bay, slot int) Place {
	b.used |= 1 << slot
	b.list()
	b.shape.slots++
	m.places++
	m.live += b.shape.bytes
	p := b.place(slot)
	if guard {
		p.checkPoison()
	}
	return p
}

// place returns the place of a slot.
func (b *bay) place(slot int) Place {
	p := Place{home: b, slot: int32(slot)}
	if b.few > 0 {
		f := &b.shape.few[b.few-1]
		p.mem, p.at, p.rows = b.span.Pointer(), &f.table[1], int32(f.rows)
		return p
	}
	// SAFETY: the ids of the slots lie one behind the other at the begin of the bay.
	p.mem = unsafe.Add(b.span.Pointer(), slot*int(b.shape.pitch[0]))
	p.at, p.rows = b.shape.table(int(b.log), slot), int32(b.shape.capacity)
	return p
}

// list adds the bay to its shape's list of partial bays, or removes it, as its slots require.
func (b *bay) list() {
	s := b.shape
	want := b.few == 0 && b.used != 0 && !b.full()
	switch {
	case want == (b.partial >= 0):
	case want:
		b.partial = int32(len(s.partial))
		s.partial = append(s.partial, b)
	default:
		last := len(s.partial) - 1
		s.partial[b.partial] = s.partial[last]
		s.partial[b.partial].partial = b.partial
		s.partial[last] = nil
		s.partial = s.partial[:last]
		b.partial = -1
	}
}

// Give takes back a place, which must not be used any more. It frees a bay whose last chunk ends.
// The bay of a small chunk is kept until another place is given back, because a single entity that
// gains and loses a component in turns begins and ends a chunk each time.
func (m *Memory) Give(p Place) {
	if guard {
		p.poison()
	}
	b := p.home
	m.places--
	m.live -= p.Size()
	m.release()
	if b.few > 0 && m.places > 0 && !guard {
		m.kept = b
		return
	}
	b.used &^= 1 << p.slot
	if b.few == 0 {
		b.shape.slots--
		b.list()
	}
	if b.used == 0 {
		m.free(b)
	}
}

// free frees a bay without chunks.
func (m *Memory) free(b *bay) {
	m.slabs.Put(b.span)
	*b = bay{}
	m.spare = append(m.spare, b)
}

// release frees the kept bay, if there is one.
func (m *Memory) release() {
	if b := m.kept; b != nil {
		m.kept = nil
		m.free(b)
	}
}

// Grow moves a chunk with live used rows to a place for more rows.
func (m *Memory) Grow(p *Place, live, rows int) {
	m.settle(p, m.Take(p.home.shape, rows), live)
}

// settle moves a chunk to another place.
func (m *Memory) settle(p *Place, to Place, live int) {
	copyLanes(&to, p, live)
	m.Give(*p)
	*p = to
}

// copyLanes copies the first rows of a chunk to one of the same shape.
func copyLanes(to, from *Place, rows int) {
	for i, size := range to.home.shape.sizes {
		l := Lane{uint32(i), size}
		copy(to.Bytes(l, 0, rows), from.Bytes(l, 0, rows))
	}
}

// Again returns a new place of the same size, with a copy of the live used rows.
func (m *Memory) Again(p *Place, live int) Place {
	to := m.takeLike(p.home.shape, p)
	copyLanes(&to, p, live)
	return to
}

// takeLike returns a place for as many rows as p has, of a shape with the same lanes.
func (m *Memory) takeLike(s *Shape, p *Place) Place {
	if p.home.few > 0 {
		return m.takeFew(s, int(p.home.few-1))
	}
	return m.TakeFull(s, nil)
}

// SetApart adds n to the number of places that were handed out and belong to no chunk yet. Compact
// must wait until it is 0, because it moves only the places of chunks.
func (m *Memory) SetApart(n int) { m.apart += n }

// Apart returns that number.
func (m *Memory) Apart() int { return m.apart }

// Places returns the number of places that were handed out.
func (m *Memory) Places() int { return m.places }

// Used returns the bytes of the bays. It returns 0 for a nil Memory, which a closed world has.
func (m *Memory) Used() int {
	if m == nil {
		return 0
	}
	if b := m.kept; b != nil {
		return m.slabs.Used() - b.shape.few[b.few-1].bytes
	}
	return m.slabs.Used()
}

// Live returns the bytes of the chunks, without free slots of their bays. It returns 0 for a nil
// Memory.
func (m *Memory) Live() int {
	if m == nil {
		return 0
	}
	return m.live
}

// Reserved returns the bytes of the slabs. It returns 0 for a nil Memory.
func (m *Memory) Reserved() int {
	if m == nil {
		return 0
	}
	return m.slabs.Bytes()
}

// Shape returns the shape of the chunk.
func (p *Place) Shape() *Shape { return p.home.shape }

// Check returns the first violated invariant of m.
func (m *Memory) Check() error {
	places := 0
	for _, s := range m.list {
		for i, b := range s.partial {
			if int(b.partial) != i || b.shape != s || b.used == 0 || b.full() || b.few > 0 || b.moving != 0 {
				return fmt.Errorf("bay %d with room: slots %b of %d, in place %d", i, b.used, 1<<b.log, b.partial)
			}
		}
		places += s.slots
	}
	if places > m.places {
		return fmt.Errorf("%d slots of shapes, %d places are handed out", places, m.places)
	}
	if m.live < 0 || m.live > m.Used() || (m.live == 0) != (m.places == 0) {
		return fmt.Errorf("%d places have %d bytes of %d", m.places, m.live, m.Used())
	}
	return nil
}

// Size returns the bytes of the chunk's memory.
func (p *Place) Size() int {
	if few := p.home.few; few > 0 {
		return p.home.shape.few[few-1].bytes
	}
	return p.home.shape.bytes
}

// Beside returns the approximate number of bytes that m uses outside of slabs.
func (m *Memory) Beside() int {
	word := int(unsafe.Sizeof(uintptr(0)))
	n := (m.places+len(m.spare)+len(m.fresh))*int(unsafe.Sizeof(bay{})) + cap(m.spare)*word
	for _, s := range m.list {
		n += int(unsafe.Sizeof(*s)) + 12*len(s.sizes) + cap(s.partial)*word
		for _, tables := range s.tables {
			for _, t := range tables {
				n += 4*len(t) + 3*word
			}
		}
		for i := range s.few {
			n += 4*len(s.few[i].table) + int(unsafe.Sizeof(few{}))
		}
	}
	return n + m.slabs.Beside()
}
