//go:build lanewise_guard

package chunk

import (
	"fmt"
	"slices"
)

// guard says that free blocks are poisoned and checked.
const guard = true

// poisonByte fills blocks that are free. As a float it is a huge negative
// number, as an index it is out of every range.
const poisonByte = 0xDB

var poisoned = func() (b Block) {
	for i := range b {
		b[i] = poisonByte
	}
	return b
}()

// poison fills a free block.
func poison(b *Block) { *b = poisoned }

// checkPoison panics if a free block was written to.
func checkPoison(b *Block) {
	if *b == poisoned {
		return
	}
	i := slices.IndexFunc(b[:], func(c byte) bool { return c != poisonByte })
	panic(fmt.Sprintf("chunk: Get: block %p was written at byte %d after Put", b, i))
}

// checkFree panics if b is free already. A block without poison is not.
func checkFree(free []*Block, b *Block) {
	if *b == poisoned && slices.Contains(free, b) {
		panic(fmt.Sprintf("chunk: Put: block %p is free already", b))
	}
}
