package mpi

import "math"

// places are where ghosts are in some list, by the index of the entity. Those of earlier lists are none any more, without being cleared.
type places struct {
	list  []int32 // from first on
	first int32
	last  int32 // and this is behind the last one
}

// begin begins a list of n.
func (p *places) begin(n int) {
	if p.first = p.last; int64(p.first)+int64(n) > math.MaxInt32 || p.first == 0 {
		clear(p.list)
		p.first = 1
	}
	p.last = p.first + int32(n)
}

// put says that an entity is at a place.
func (p *places) put(index, at int32) {
	if n := int(index) + 1; n > len(p.list) {
		p.list = append(p.list, make([]int32, n-len(p.list))...)
	}
	p.list[index] = p.first + at
}

// at returns where an entity is, or less than 0 if it is in no list.
func (p *places) at(index int32) int32 {
	if int(index) >= len(p.list) {
		return -1
	}
	return p.list[index] - p.first
}
