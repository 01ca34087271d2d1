package chunk

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/lanewise/lanewise/soa"
)

// Sizes of slabs: a power of two, at most half of the size of all slabs before, so that at most a third of the memory is unused.
const (
	firstSlab = Size
	lastSlab  = 8 << 20
)

// hugePage is the usual size of a huge page. With another size, the advice to use huge pages is only less useful.
const hugePage = 2 << 20

// alignedSlab is the smallest size of slabs that begin on a huge page. The alignment takes an additional huge page, too much for smaller slabs.
const alignedSlab = 4 * hugePage

// MaxSpan is the size of the largest span in bytes: sixteen blocks.
const MaxSpan = 16 * Size

// maxPiece is the size of the largest span that is a piece of a block.
const maxPiece = Size / 2

// keptFree is the number of bytes of unused slabs that are kept, in addition to as many as are in use.
const keptFree = 4 << 20

// Slabs hands out spans of memory: whole blocks, one to sixteen neighbouring ones, or
// pieces of a block. It takes them from slabs: pieces of the Go heap without Go
// pointers, of 16 KiB at first and of up to 8 MiB when there are many. The zero value
// is ready and holds no memory.
//
// What is put back is handed out again, by a rule that looks at numbers and never at
// addresses. A slab of which nothing is in use goes back to the Go heap, except for some
// that are kept for next time: as many bytes as there are in use, and 4 MiB.
// There is nothing to close.
//
// A Slabs is for one goroutine at a time, and must not be copied once it was used.
type Slabs struct {
	freeBlocks   freeLists // slabs with free blocks
	freePieces   freeLists // split blocks with free pieces
	all          []*region // all slabs
	idle         []*region // slabs without a block in use
	spareRegions []*region // for split blocks
	used         int       // bytes of all spans
	blockBytes   int       // bytes of the blocks that are in use
	slabBytes    int       // bytes of all slabs
	reserved     int       // of these, bytes from Reserve
	adopting     []*region // scratch of Adopt
}

// Span is memory that a Slabs has handed out. It stays where it is.
type Span struct {
	region   *region
	first, n uint16 // units
}

// Memory returns the span as bytes.
func (s Span) Memory() []byte {
	// SAFETY: the units of a region lie one behind the other from its base on, which
	// keeps the memory alive; it holds no Go pointers.
	return unsafe.Slice((*byte)(s.Pointer()), int(s.n)*s.region.unit)
}

// Pointer returns the address of the first byte, which is a multiple of 64.
func (s Span) Pointer() unsafe.Pointer {
	// SAFETY: as for Memory.
	return unsafe.Add(s.region.base, int(s.first)*s.region.unit)
}

// region is memory that is divided into units: a slab, whose units are blocks, or a split block, whose units have 64 bytes. A span is some units.
type region struct {
	base         unsafe.Pointer
	owner        *Slabs
	parent       *region // the slab of a split block; nil for a slab
	first        int     // the number of a split block in its slab
	unit         int     // bytes of a unit
	units        int     // number of units
	used         int     // units in use
	inUse        bitmap
	class        int // which of the free lists it is in, or -1
	index        int // position in that list
	adoptedUnits int // units in the spans of the current Adopt
}

// Get returns a span of so many bytes at least. It is not zeroed: what was put back
// still holds what it held, and rows are zeroed when they become live. The guard build
// fills every span with 0xDB, so that nothing comes to depend on zeros.
//
// It allocates only when the slabs have no room. It panics unless bytes is between 1
// and MaxSpan.
func (s *Slabs) Get(bytes int) Span {
	if bytes < 1 || bytes > MaxSpan {
		panic(fmt.Sprintf("chunk: Get: %d bytes, not 1 to %d", bytes, MaxSpan))
	}
	var sp Span
	if bytes <= maxPiece {
		n := (bytes + soa.Align - 1) / soa.Align
		r, at := s.freePieces.findFit(n)
		if r == nil {
			r, at = s.splitBlock(), 0
		}
		sp = s.freePieces.allocate(r, at, n)
	} else {
		sp = s.allocateBlocks((bytes + Size - 1) / Size)
	}
	s.used += int(sp.n) * sp.region.unit
	if guard {
		checkPoison(sp)
	}
	return sp
}

// allocateBlocks returns a span of n adjacent blocks.
func (s *Slabs) allocateBlocks(n int) Span {
	r, at := s.freeBlocks.findFit(n)
	if r == nil {
		r, at = s.growSlabs(n*Size), 0
	}
	if r.used == 0 {
		s.idle = slices.DeleteFunc(s.idle, func(o *region) bool { return o == r })
	}
	s.blockBytes += n * Size
	return s.freeBlocks.allocate(r, at, n)
}

// Put takes back a span that came from Get of the same Slabs. It may not be used
// afterwards: the guard build fills it with 0xDB and panics when it is handed out
// again and has a new owner.
//
// It panics if the span is the zero Span, came from another Slabs, or was put back
// already.
func (s *Slabs) Put(sp Span) {
	s.checkSpan("Put", sp)
	if guard {
		poison(sp)
	}
	s.used -= int(sp.n) * sp.region.unit
	if sp.region.parent == nil {
		s.freeBlockSpan(sp)
		return
	}
	r := sp.region
	s.freePieces.freeUnits(r, sp)
	if r.used == 0 {
		s.freePieces.unlink(r)
		block := Span{r.parent, uint16(r.first), 1}
		r.base, r.parent, r.owner = nil, nil, nil
		s.spareRegions = append(s.spareRegions, r)
		s.freeBlockSpan(block)
	}
}

// freeBlockSpan frees a span of blocks.
func (s *Slabs) freeBlockSpan(sp Span) {
	s.blockBytes -= int(sp.n) * Size
	s.freeBlocks.freeUnits(sp.region, sp)
	if sp.region.used == 0 {
		s.idle = append(s.idle, sp.region)
	}
	if len(s.idle) > 0 {
		s.trimTo(s.blockBytes + keptFree)
	}
}

// checkSpan panics if a span does not belong to s.
func (s *Slabs) checkSpan(op string, sp Span) {
	switch {
	case sp.region == nil:
		panic(fmt.Sprintf("chunk: %s: the span is the zero Span", op))
	case !s.Owns(sp):
		panic(fmt.Sprintf("chunk: %s: the span at %p came from other Slabs", op, sp.Pointer()))
	case !sp.region.inUse.allUsed(int(sp.first), int(sp.n)):
		panic(fmt.Sprintf("chunk: %s: the span at %p is free already", op, sp.Pointer()))
	}
}

// Owns reports whether a span came from s, or from other Slabs by Adopt.
func (s *Slabs) Owns(sp Span) bool { return sp.region != nil && sp.region.owner == s }

// Used returns how many bytes are handed out.
func (s *Slabs) Used() int { return s.used }

// Bytes returns the size of all slabs: of what is handed out, was put back, and is
// not yet touched.
func (s *Slabs) Bytes() int { return s.slabBytes }

// Beside returns how many bytes s has of the Go heap beside its slabs, about: its lists, and
// what slabs leave out to begin on a huge page, which is never touched.
func (s *Slabs) Beside() (bytes int) {
	regions := len(s.all) + len(s.spareRegions)
	for _, list := range s.freePieces {
		regions += len(list)
	}
	for _, r := range s.all {
		if r.units*Size >= alignedSlab {
			bytes += hugePage
		}
	}
	return bytes + regions*int(unsafe.Sizeof(region{}))
}

// Reserve makes slabs, of 8 MiB each and one of the rest, with room for so many bytes
// beside what is in use, unless there is room.
func (s *Slabs) Reserve(bytes int) {
	for bytes -= s.slabBytes - s.blockBytes; bytes > 0; bytes -= lastSlab {
		s.reserved += s.newSlab((min(bytes, lastSlab)+Size-1)/Size*Size).units * Size
	}
}

// Trim gives all slabs back to the Go heap of which nothing is in use.
func (s *Slabs) Trim() { s.trimTo(0) }

// trimTo drops idle slabs until at most keep bytes of the slabs are free.
func (s *Slabs) trimTo(keep int) {
	for k := len(s.idle) - 1; k >= 0 && s.slabBytes-s.blockBytes > keep; k-- {
		s.removeSlab(s.idle[k])
	}
}

// growSlabs adds a slab of at least want bytes. Reserved bytes do not make it larger, because a caller of Reserve knows how much it needs.
func (s *Slabs) growSlabs(want int) *region {
	size := firstSlab
	for size < want || size < lastSlab && size <= (s.slabBytes-s.reserved)/4 {
		size *= 2
	}
	return s.newSlab(size)
}

// newSlab adds a slab, and advises the system to back it with huge pages.
func (s *Slabs) newSlab(size int) *region {
	memory := alignedMemory(size)
	Advise(memory)
	r := &region{base: unsafe.Pointer(unsafe.SliceData(memory)), unit: Size, units: size / Size, inUse: newBitmap(size / Size)} // SAFETY: it keeps the memory
	if guard {
		poison(Span{r, 0, uint16(r.units)})
	}
	s.addSlab(r)
	return r
}

// alignedMemory returns new memory that begins on a multiple of 64, or on a huge page if it has several. It allocates more for that, which is never
// touched.
func alignedMemory(size int) []byte {
	align := 0
	if size >= alignedSlab {
		align = hugePage
	}
	for {
		memory := make([]byte, size+align)
		to := max(align, soa.Align)
		// SAFETY: the address is only used to find an offset below align; slabs are not
		// moved.
		skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(memory))) & uintptr(to-1))
		if skip <= align {
			return memory[skip:][:size:size]
		}
		align = soa.Align // the heap has put it at an unusual address
	}
}

// splitBlock allocates a block and splits it into pieces.
func (s *Slabs) splitBlock() *region {
	block := s.allocateBlocks(1)
	var r *region
	if last := len(s.spareRegions) - 1; last >= 0 {
		r = s.spareRegions[last]
		s.spareRegions = s.spareRegions[:last]
	} else {
		r = new(region)
	}
	*r = region{
		base: block.Pointer(), owner: s, parent: block.region, first: int(block.first),
		unit: soa.Align, units: Size / soa.Align, inUse: newBitmap(Size / soa.Align), class: -1,
	}
	s.freePieces.refile(r, r.units)
	return r
}

// addSlab adds a slab to s.
func (s *Slabs) addSlab(r *region) {
	r.owner, r.class = s, -1
	s.all = append(s.all, r)
	s.slabBytes += r.units * Size
	s.blockBytes += r.used * Size
	if r.used == 0 {
		s.idle = append(s.idle, r)
	}
	_, longest := r.inUse.findRun(maxUnits)
	s.freeBlocks.refile(r, longest)
}

// removeSlab removes a slab from s.
func (s *Slabs) removeSlab(r *region) {
	own := func(o *region) bool { return o == r }
	s.all = slices.DeleteFunc(s.all, own)
	s.idle = slices.DeleteFunc(s.idle, own)
	s.freeBlocks.unlink(r)
	s.slabBytes -= r.units * Size
	s.blockBytes -= r.used * Size
	s.reserved = min(s.reserved, s.slabBytes)
	r.owner = nil
}

// freeLists are lists of regions by their longest run of free units: list k has regions with 1<<k to 1<<(k+1)-1 of them. The length may be out of date; it
// is then too large.
type freeLists [10][]*region

// findFit returns a region with n adjacent free units, and the first of them. It moves each region without enough of them to the list of its true length.
func (s *freeLists) findFit(n int) (*region, int) {
	for k := bits.Len(uint(n - 1)); k < len(s); k++ {
		for len(s[k]) > 0 {
			r := s[k][len(s[k])-1]
			at, longest := r.inUse.findRun(n)
			if at >= 0 {
				return r, at
			}
			s.refile(r, longest)
		}
	}
	return nil, 0
}

// refile moves a region to the list for so many adjacent free units.
func (s *freeLists) refile(r *region, free int) {
	class := bits.Len(uint(free)) - 1
	if class == r.class {
		return
	}
	s.unlink(r)
	if class >= 0 {
		r.class, r.index = class, len(s[class])
		s[class] = append(s[class], r)
	}
}

// unlink removes a region from its list, if it is in one.
func (s *freeLists) unlink(r *region) {
	if r.class < 0 {
		return
	}
	list := s[r.class]
	last := len(list) - 1
	list[r.index] = list[last]
	list[r.index].index = r.index
	list[last] = nil
	s[r.class] = list[:last]
	r.class = -1
}

// allocate returns a span of free units of a region.
func (s *freeLists) allocate(r *region, at, n int) Span {
	r.inUse.markUsed(at, n)
	if r.used += n; r.used == r.units {
		s.unlink(r)
	}
	return Span{r, uint16(at), uint16(n)}
}

// freeUnits frees the units of a span.
func (s *freeLists) freeUnits(r *region, sp Span) {
	at, n := int(sp.first), int(sp.n)
	r.inUse.markFree(at, n)
	r.used -= n
	if free := r.inUse.freeBelow(at) + r.inUse.freeFrom(at); r.class < bits.Len(uint(free))-1 {
		s.refile(r, free)
	}
}
