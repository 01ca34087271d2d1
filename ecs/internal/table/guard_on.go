//go:build lanewise_guard

package table

import "fmt"

// guard says whether rows are checked and free rows are filled with poison.
const guard = true

// poisonByte is the value of every free byte: the bytes of rows without an entity, and of parts of
// slabs without a chunk.
const poisonByte = 0xDB

// poison overwrites the rows of a freed place with poisonByte, so that a use after the free is
// noticed. The slabs cannot do this when the span of the block is freed, because that happens
// only after the last place of the block is freed.
func (p *Place) poison() {
	for i, size := range p.block.shape.rowSizes {
		b := p.Bytes(Lane{uint32(i), size}, 0, int(p.rowCapacity))
		for k := range b {
			b[k] = poisonByte
		}
	}
}

// checkPoison panics if the rows of a free place were written after they were freed.
func (p *Place) checkPoison() {
	for i, size := range p.block.shape.rowSizes {
		for k, v := range p.Bytes(Lane{uint32(i), size}, 0, int(p.rowCapacity)) {
			if v != poisonByte {
				panic(fmt.Sprintf("table: byte %d of lane %d of a chunk was written after it was given back", k, i))
			}
		}
	}
}
