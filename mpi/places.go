package mpi

import "math"

// places maps ghosts, identified by their entity's index, to their positions in
// a list. Positions in earlier lists become invalid without being cleared.
type places struct {
	list  []int32 // from first on
	first int32
	last  int32 // and this is the end of the current list
}

// begin begins a list of n entities.
func (p *places) begin(n int) {
	if p.first = p.last; int64(p.first)+int64(n) > math.MaxInt32 || p.first == 0 {
		clear(p.list)
		p.first = 1
	}
	p.last = p.first + int32(n)
}

// put records the position of an entity.
func (p *places) put(index, at int32) {
	if n := int(index) + 1; n > len(p.list) {
		p.list = append(p.list, make([]int32, n-len(p.list))...)
	}
	p.list[index] = p.first + at
}

// position returns the position of an entity; it is negative if the entity is not in
// the list.
func (p *places) position(index int32) int32 {
	if int(index) >= len(p.list) {
		return -1
	}
	return p.list[index] - p.first
}
