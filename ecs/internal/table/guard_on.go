//go:build lanewise_guard

package table

import "fmt"

// guard says that rows are checked before they are shown, and free ones poisoned.
const guard = true

// poisonByte fills rows of free places, as it does free spans.
const poisonByte = 0xDB

// poison fills the rows of a place that is given back: its bay is put back only when the
// last one is.
func (p *Place) poison() {
	for i, size := range p.home.shape.sizes {
		b := p.Bytes(Lane{uint32(i), size}, 0, int(p.rows))
		for k := range b {
			b[k] = poisonByte
		}
	}
}

// checkPoison panics if rows of a place that was free were written to.
func (p *Place) checkPoison() {
	for i, size := range p.home.shape.sizes {
		for k, v := range p.Bytes(Lane{uint32(i), size}, 0, int(p.rows)) {
			if v != poisonByte {
				panic(fmt.Sprintf("table: byte %d of lane %d of a chunk was written after it was given back", k, i))
			}
		}
	}
}
