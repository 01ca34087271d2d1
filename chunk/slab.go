package chunk

import (
	"fmt"
	"unsafe"
)

// Sizes of slabs: each is twice as large as the one before.
const (
	firstSlab = 64 << 10
	lastSlab  = 32 << 20
)

// hugePage is the size of a huge page on the usual machine. Where it is another
// one, the advice to use them is merely less useful.
const hugePage = 2 << 20

// Slabs hands out blocks. It takes them from slabs: pieces of the Go heap
// without Go pointers, of 64 KiB, 128 KiB and so on up to 32 MiB each. The zero
// value is ready and holds no memory.
//
// Blocks that are put back are handed out again, the last one first. Memory
// returns to the Go heap when the Slabs and all blocks taken from it are
// unreachable; there is nothing to close.
//
// A Slabs is for one goroutine at a time.
type Slabs struct {
	free  []*Block // put back, the last one to be taken first
	slab  []byte   // what is left of the newest slab, aligned to Size
	next  int      // size of the next slab
	used  int      // blocks handed out
	bytes int      // of all slabs
}

// Get returns a block. It is not zeroed: a block that was put back still holds
// what it held, and rows are zeroed when they become live. The guard build fills
// every block with 0xDB, so that nothing comes to depend on zeros.
//
// It allocates only when no block is free and the newest slab is used up.
func (s *Slabs) Get() *Block {
	s.used++
	if last := len(s.free) - 1; last >= 0 {
		b := s.free[last]
		s.free[last] = nil
		s.free = s.free[:last]
		if guard {
			checkPoison(b)
		}
		return b
	}
	if len(s.slab) == 0 {
		s.grow()
	}
	b := (*Block)(s.slab)
	s.slab = s.slab[Size:]
	if guard {
		poison(b)
	}
	return b
}

// Put takes back a block that came from Get of the same Slabs. Nobody may use
// the block afterwards: the guard build fills it with 0xDB and panics when it is
// taken again and somebody has, or when it is put back twice.
//
// It panics if b is nil, or is no block by its address.
func (s *Slabs) Put(b *Block) {
	checkAddress("Put", b)
	if guard {
		checkFree(s.free, b)
		poison(b)
	}
	s.used--
	s.free = append(s.free, b)
}

// Adopt makes b, which came from Get of another Slabs, a block of s: it is Put to s
// now. What it holds stays. If s has a free block the other one gets that for it;
// so memory that goes the same way again and again is made once. The memory of
// either stays with the Go heap as long as one block of it is in use.
//
// It panics as Put does.
func (s *Slabs) Adopt(b *Block, from *Slabs) {
	checkAddress("Adopt", b)
	from.used--
	s.used++
	if last := len(s.free) - 1; last >= 0 {
		from.free = append(from.free, s.free[last])
		s.free[last] = nil
		s.free = s.free[:last]
		return
	}
	from.bytes -= Size
	s.bytes += Size
}

// checkAddress panics if b is no block by its address.
func checkAddress(op string, b *Block) {
	// SAFETY: the address is only looked at.
	if at := uintptr(unsafe.Pointer(b)); at == 0 || at%Size != 0 {
		panic(fmt.Sprintf("chunk: %s: %#x is not the address of a block", op, at))
	}
}

// Blocks returns how many blocks are handed out.
func (s *Slabs) Blocks() int { return s.used }

// Bytes returns the size of all slabs: of the blocks handed out, put back, and
// not yet touched.
func (s *Slabs) Bytes() int { return s.bytes }

// grow makes the next slab, and advises it to be backed by huge pages.
func (s *Slabs) grow() {
	size := max(s.next, firstSlab)
	s.next = min(2*size, lastSlab)
	s.bytes += size

	// A little more than wanted, to begin on a multiple of Size, and of huge pages
	// if the slab has some: the number of blocks in a slab does not depend on where
	// the heap puts it, and what is not used is never touched.
	align := Size
	if size >= hugePage {
		align = hugePage
	}
	memory := make([]byte, size+align)
	// SAFETY: the address is only used to find the offset of the first block,
	// which is below align; slabs are not moved.
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(memory))) & uintptr(align-1)
	s.slab = memory[skip:][:size:size]
	Advise(s.slab)
}
