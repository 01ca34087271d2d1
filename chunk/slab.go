package chunk

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
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
// Blocks that are put back are handed out again, the last one of a slab first.
// Memory returns to the Go heap when the Slabs and all blocks taken from it are
// unreachable; there is nothing to close.
//
// A Slabs is for one goroutine at a time.
type Slabs struct {
	all   []*slab // by address
	ready []*slab // that have a block to hand out; the last one is asked
	next  int     // size of the next slab
	used  int     // blocks handed out
	bytes int     // of all slabs
	last  *slab   // that a block was looked for in
	met   []*slab // scratch of Adopt
}

// slab is one piece of memory.
type slab struct {
	base   uintptr  // of the first block
	blocks int      // that it has room for
	rest   []byte   // not handed out yet, aligned to Size
	free   []*Block // put back, the last one to be taken first
	used   int      // blocks handed out
	ready  bool     // it is in that list
	moving int      // blocks that Adopt is given
}

// Get returns a block. It is not zeroed: a block that was put back still holds
// what it held, and rows are zeroed when they become live. The guard build fills
// every block with 0xDB, so that nothing comes to depend on zeros.
//
// It allocates only when no block is free and the slabs are used up.
func (s *Slabs) Get() *Block {
	if len(s.ready) == 0 {
		s.grow()
	}
	from := s.ready[len(s.ready)-1]
	s.used++
	from.used++
	var b *Block
	if last := len(from.free) - 1; last >= 0 {
		b = from.free[last]
		from.free[last] = nil
		from.free = from.free[:last]
		if guard {
			checkPoison(b)
		}
	} else {
		b = (*Block)(from.rest)
		from.rest = from.rest[Size:]
		if guard {
			poison(b)
		}
	}
	if from.used == from.blocks {
		s.ready = s.ready[:len(s.ready)-1]
		from.ready = false
	}
	return b
}

// Put takes back a block that came from Get of the same Slabs. Nobody may use
// the block afterwards: the guard build fills it with 0xDB and panics when it is
// taken again and somebody has, or when it is put back twice.
//
// It panics if b is nil, is no block by its address, or came from another Slabs.
func (s *Slabs) Put(b *Block) {
	to := s.of("Put", b)
	if guard {
		checkFree(to.free, b)
		poison(b)
	}
	s.used--
	to.used--
	to.free = append(to.free, b)
	s.offer(to)
}

// offer makes a slab that has a block to hand out the next one that is asked,
// unless it is in the list already.
func (s *Slabs) offer(sl *slab) {
	if !sl.ready && sl.used < sl.blocks {
		sl.ready = true
		s.ready = append(s.ready, sl)
	}
}

// of returns the slab of a block, or panics.
func (s *Slabs) of(op string, b *Block) *slab {
	checkAddress(op, b)
	sl := s.find(b)
	if sl == nil {
		panic(fmt.Sprintf("chunk: %s: the block %p came from other Slabs", op, b))
	}
	return sl
}

// find returns the slab of a block, or nil if it is none of s.
func (s *Slabs) find(b *Block) *slab {
	// SAFETY: the address is only compared; slabs are not moved.
	at := uintptr(unsafe.Pointer(b))
	if s.last.holds(at) {
		return s.last
	}
	i := sort.Search(len(s.all), func(i int) bool { return s.all[i].base > at }) - 1
	if i < 0 || !s.all[i].holds(at) {
		return nil
	}
	s.last = s.all[i]
	return s.last
}

// holds reports whether the block at an address is one of the slab.
func (sl *slab) holds(at uintptr) bool {
	return sl != nil && at-sl.base < uintptr(sl.blocks)*Size
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
	rest := memory[skip:][:size:size]
	Advise(rest)
	// SAFETY: the address is only compared, and rest or a block keeps the memory.
	s.insert(&slab{base: uintptr(unsafe.Pointer(unsafe.SliceData(rest))), blocks: size / Size, rest: rest})
}

// insert makes a slab one of s.
func (s *Slabs) insert(sl *slab) {
	at, _ := slices.BinarySearchFunc(s.all, sl.base, func(o *slab, base uintptr) int { return cmp.Compare(o.base, base) })
	s.all = slices.Insert(s.all, at, sl)
	s.used += sl.used
	s.bytes += sl.blocks * Size
	sl.ready = false
	s.offer(sl)
}

// remove makes a slab none of s.
func (s *Slabs) remove(sl *slab) {
	own := func(o *slab) bool { return o == sl }
	s.all = slices.DeleteFunc(s.all, own)
	if sl.ready {
		s.ready = slices.DeleteFunc(s.ready, own)
	}
	if s.last == sl {
		s.last = nil
	}
	s.used -= sl.used
	s.bytes -= sl.blocks * Size
}
