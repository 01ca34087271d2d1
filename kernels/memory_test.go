package kernels

import (
	"fmt"
	"os"
	"unsafe"
)

// A room is memory with one lane in it: what lies beside the lane is poison.
type room struct {
	all, lane []byte
	before    int // bytes of all in front of the lane
}

const poison = 0xa5

// furnish puts b into the room, before bytes from its start, and poisons the
// rest of it.
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

// intact reports whether the poison is untouched, or where it is not, counted
// from the start of the lane.
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

// allIntact returns an error if a room was written to beside its lane.
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

// A cell is a run of pages between two that cannot be touched. On systems
// without such pages it is ordinary memory.
type cell struct{ pages []byte }

// low places b right behind the page in front of the cell.
func (c *cell) low(b []byte) *room { return furnish(c.part(b, true), 0, b) }

// high places b right before the page behind the cell.
func (c *cell) high(b []byte) *room {
	part := c.part(b, false)
	return furnish(part, len(part)-len(b), b)
}

// part returns the end of the cell that b is put at, with some room beside it.
func (c *cell) part(b []byte, low bool) []byte {
	n := min(len(b)+256, len(c.pages))
	if low {
		return c.pages[:n]
	}
	return c.pages[len(c.pages)-n:]
}

// cells are kept: one for each lane of the widest kernel.
var cells []*cell

const cellBytes = 257 * 16 * 8

func cellFor(lane int) *cell {
	for len(cells) <= lane {
		page := os.Getpagesize()
		cells = append(cells, &cell{guardedPages((cellBytes + page - 1) / page * page)})
	}
	return cells[lane]
}
