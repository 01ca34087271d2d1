package kernels

import (
	"fmt"
	"os"
	"unsafe"
)

// A room is memory that holds one lane and poison on both sides, so that a write outside the lane is
// noticed.
type room struct {
	all, lane []byte
	before    int // bytes of all that precede the lane
}

const poison = 0xa5

// furnish copies b into the room. b starts before bytes after the start of the room; all other
// bytes are set to poison.
func furnish(all []byte, before int, b []byte) *room {
	for i := range all[:before] {
		all[i] = poison
	}
	for i := range all[before+len(b):] {
		all[before+len(b)+i] = poison
	}
	r := &room{all, all[before : before+len(b) : before+len(b)], before}
	copy(r.lane, b)
	return r
}

// intact reports whether the poison is unchanged. If not, at is the first changed byte, counted from
// the start of the lane.
func (r *room) intact() (at int, ok bool) {
	for i, c := range r.all[:r.before] {
		if c != poison {
			return i - r.before, false
		}
	}
	after := r.before + len(r.lane)
	for i, c := range r.all[after:] {
		if c != poison {
			return len(r.lane) + i, false
		}
	}
	return 0, true
}

// allIntact returns an error if a kernel wrote outside the lane of any room.
func allIntact(rooms []*room) error {
	for i, r := range rooms {
		if at, ok := r.intact(); !ok {
			return fmt.Errorf("operand %d: byte %d beside the lane was written to", i, at)
		}
	}
	return nil
}

// heapRoom places b at an address that is offset bytes past a multiple of 64.
func heapRoom(offset int, b []byte) *room {
	all := make([]byte, 64+offset+len(b)+64+64)
	start := int(-uintptr(unsafe.Pointer(&all[0])) & 63)
	return furnish(all, start+64+offset, b)
}

// A cell is a block of pages between two inaccessible pages, so that an access outside of the block
// crashes. On systems where pages cannot be made inaccessible, a cell is ordinary memory.
type cell struct{ pages []byte }

// placeLow places b directly after the inaccessible page at the start of the cell.
func (c *cell) placeLow(b []byte) *room { return furnish(c.part(b, true), 0, b) }

// placeHigh places b directly before the inaccessible page at the end of the cell.
func (c *cell) placeHigh(b []byte) *room {
	part := c.part(b, false)
	return furnish(part, len(part)-len(b), b)
}

// part returns the part of the cell that contains b: the beginning if low is true, otherwise the
// end. The part has up to 256 bytes more than b.
func (c *cell) part(b []byte, low bool) []byte {
	n := min(len(b)+256, len(c.pages))
	if low {
		return c.pages[:n]
	}
	return c.pages[len(c.pages)-n:]
}

// cells holds one cell for each lane of the widest kernel. They are reused, because mapping pages is
// slow.
var cells []*cell

const cellBytes = 257 * 16 * 8

func cellFor(lane int) *cell {
	for len(cells) <= lane {
		page := os.Getpagesize()
		cells = append(cells, &cell{guardedPages((cellBytes + page - 1) / page * page)})
	}
	return cells[lane]
}
