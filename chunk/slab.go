package chunk

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/lanewise/lanewise/soa"
)

// These are sizes of slabs. The size of a new slab is a power of two, and at most half of the size
// of all slabs before it. So at most a third of the memory is unused.
const (
	minSlabBytes = Size
	maxSlabBytes = 8 << 20
)

// hugePageBytes is the usual size of a huge page. If a machine has huge pages of another size, the
// advice to use huge pages is merely less useful.
const hugePageBytes = 2 << 20

// minAlignedSlab is the smallest size of a slab that begins at a huge page. The alignment takes
// the addresses of one more huge page, which is too much for smaller slabs.
const minAlignedSlab = 4 * hugePageBytes

// MaxSpan is the size of the largest span in bytes: sixteen blocks.
const MaxSpan = 16 * Size

// maxPieceBytes is the size of the largest span that is a piece of a block.
const maxPieceBytes = Size / 2

// minFreeBytes is the smallest reserve of unused slabs, in bytes. Slabs keeps this many bytes of
// unused slabs, in addition to as many bytes as are in use.
const minFreeBytes = 4 << 20

// Slabs allocates spans of memory. A span consists of one to sixteen adjacent blocks, or is a piece
// of a block. The spans come from slabs, which are pieces of the Go heap without Go pointers. A
// slab has 16 KiB at first, and up to 8 MiB as the total grows. The zero value is ready to use and
// holds no memory.
//
// Slabs reuses returned spans. The choice of memory depends on numbers and never on addresses, so
// every run makes the same choices. A slab without a span in use goes back to the Go heap. As an
// exception, a Slabs keeps a reserve: 4 MiB, and as many bytes as are in use. There is no Close
// method, because the garbage collector frees the slabs.
//
// Only one goroutine may use a Slabs at a time. A Slabs must not be copied after its
// first use.
type Slabs struct {
	freeBlocks    freeLists // slabs with free blocks
	freePieces    freeLists // split blocks with free pieces
	slabs         []*region // all slabs
	idleSlabs     []*region // slabs without a block in use
	spareRegions  []*region // regions for blocks that are split later
	usedBytes     int       // bytes of all spans
	blockBytes    int       // bytes of the blocks that are in use
	slabBytes     int       // bytes of all slabs
	reservedBytes int       // of these, bytes from Reserve
	adoptScratch  []*region // scratch of Adopt
}

// Span is a piece of memory from a Slabs. It never moves.
type Span struct {
	region               *region
	firstUnit, unitCount uint16 // in units of the region
}

// Memory returns the bytes of the span. The bytes are shared, not copied, and valid
// until Put.
func (s Span) Memory() []byte {
	// SAFETY: the units of a region follow each other from its base on. The field base keeps the
	// memory alive, and the memory holds no Go pointers.
	return unsafe.Slice((*byte)(s.Pointer()), int(s.unitCount)*s.region.unitBytes)
}

// Pointer returns the address of the first byte, which is a multiple of 64.
func (s Span) Pointer() unsafe.Pointer {
	// SAFETY: see Memory.
	return unsafe.Add(s.region.base, int(s.firstUnit)*s.region.unitBytes)
}

// region is memory that is divided into units. A region is either a slab, whose units are blocks,
// or a split block, whose units have 64 bytes. A span consists of adjacent units.
type region struct {
	base             unsafe.Pointer
	owner            *Slabs
	parent           *region // the slab of a split block; nil for a slab
	firstBlock       int     // the index of a split block in its slab
	unitBytes        int     // bytes of one unit
	unitCount        int     // number of units
	usedUnits        int     // units in use
	inUse            bitmap
	freeListIndex    int // index of its free list, or -1
	freeListPosition int // position in that free list
	adoptedUnits     int // units in the spans of the current Adopt
}

// Get returns a span of at least the given number of bytes. The span is not
// zeroed and may hold old contents, because its owner zeroes rows when they become live. The guard
// build fills every span with 0xDB, so that no code depends on zeros.
//
// Get allocates only if no slab has a free run that is long enough. Get panics
// unless bytes is between 1 and MaxSpan.
func (s *Slabs) Get(bytes int) Span {
	if bytes < 1 || bytes > MaxSpan {
		panic(fmt.Sprintf("chunk: Get: %d bytes, not 1 to %d", bytes, MaxSpan))
	}
	var sp Span
	if bytes <= maxPieceBytes {
		n := (bytes + soa.Align - 1) / soa.Align
		r, at := s.freePieces.findFit(n)
		if r == nil {
			r, at = s.splitBlock(), 0
		}
		sp = s.freePieces.allocate(r, at, n)
	} else {
		sp = s.allocateBlocks((bytes + Size - 1) / Size)
	}
	s.usedBytes += int(sp.unitCount) * sp.region.unitBytes
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
	if r.usedUnits == 0 {
		s.idleSlabs = slices.DeleteFunc(s.idleSlabs, func(o *region) bool { return o == r })
	}
	s.blockBytes += n * Size
	return s.freeBlocks.allocate(r, at, n)
}

// Put takes back a span that came from Get of the same Slabs. The caller must
// not use the span afterwards. The guard build detects writes to such a span. Put fills the span
// with 0xDB, and the Get that returns the span again panics if the bytes have changed.
//
// Put panics if the span is the zero Span, came from another Slabs, or was put
// back already.
func (s *Slabs) Put(sp Span) {
	s.checkSpan("Put", sp)
	if guard {
		poison(sp)
	}
	s.usedBytes -= int(sp.unitCount) * sp.region.unitBytes
	if sp.region.parent == nil {
		s.freeBlockSpan(sp)
		return
	}
	r := sp.region
	s.freePieces.freeUnits(r, sp)
	if r.usedUnits == 0 {
		s.freePieces.unlink(r)
		block := Span{r.parent, uint16(r.firstBlock), 1}
		r.base, r.parent, r.owner = nil, nil, nil
		s.spareRegions = append(s.spareRegions, r)
		s.freeBlockSpan(block)
	}
}

// freeBlockSpan frees a span of blocks.
func (s *Slabs) freeBlockSpan(sp Span) {
	s.blockBytes -= int(sp.unitCount) * Size
	s.freeBlocks.freeUnits(sp.region, sp)
	if sp.region.usedUnits == 0 {
		s.idleSlabs = append(s.idleSlabs, sp.region)
	}
	if len(s.idleSlabs) > 0 {
		s.trimTo(s.blockBytes + minFreeBytes)
	}
}

// checkSpan panics if a span does not belong to s.
func (s *Slabs) checkSpan(op string, sp Span) {
	switch {
	case sp.region == nil:
		panic(fmt.Sprintf("chunk: %s: the span is the zero Span", op))
	case !s.Owns(sp):
		panic(fmt.Sprintf("chunk: %s: the span at %p came from other Slabs", op, sp.Pointer()))
	case !sp.region.inUse.allUsed(int(sp.firstUnit), int(sp.unitCount)):
		panic(fmt.Sprintf("chunk: %s: the span at %p is free already", op, sp.Pointer()))
	}
}

// Owns reports whether s owns a span, because Get of s returned it, or s took it over
// by Adopt.
func (s *Slabs) Owns(sp Span) bool { return sp.region != nil && sp.region.owner == s }

// Used returns the number of bytes of all spans in use.
func (s *Slabs) Used() int { return s.usedBytes }

// Bytes returns the size of all slabs in bytes, used and free.
func (s *Slabs) Bytes() int { return s.slabBytes }

// Beside returns about how many bytes of the Go heap s uses in addition to its slabs. This memory
// consists of the lists of s, and of the bytes that slabs skip so that they begin at a huge page.
// The skipped bytes are never touched.
func (s *Slabs) Beside() (bytes int) {
	regions := len(s.slabs) + len(s.spareRegions)
	for _, list := range s.freePieces {
		regions += len(list)
	}
	for _, r := range s.slabs {
		if r.unitCount*Size >= minAlignedSlab {
			bytes += hugePageBytes
		}
	}
	return bytes + regions*int(unsafe.Sizeof(region{}))
}

// Reserve creates slabs until the free blocks have at least the given number of bytes. Each slab
// has 8 MiB, except for the last one, which has the remaining bytes.
func (s *Slabs) Reserve(bytes int) {
	for bytes -= s.slabBytes - s.blockBytes; bytes > 0; bytes -= maxSlabBytes {
		s.reservedBytes += s.newSlab((min(bytes, maxSlabBytes)+Size-1)/Size*Size).unitCount * Size
	}
}

// Trim returns all slabs without a span in use to the Go heap.
func (s *Slabs) Trim() { s.trimTo(0) }

// trimTo drops idle slabs until at most keep bytes of the slabs are free.
func (s *Slabs) trimTo(keep int) {
	for k := len(s.idleSlabs) - 1; k >= 0 && s.slabBytes-s.blockBytes > keep; k-- {
		s.removeSlab(s.idleSlabs[k])
	}
}

// growSlabs adds a slab of at least want bytes. Bytes that were added by Reserve do not make the
// slab larger, because a caller of Reserve knows how much memory it needs.
func (s *Slabs) growSlabs(want int) *region {
	size := minSlabBytes
	for size < want || size < maxSlabBytes && size <= (s.slabBytes-s.reservedBytes)/4 {
		size *= 2
	}
	return s.newSlab(size)
}

// newSlab adds a slab, and advises the system to back it with huge pages.
func (s *Slabs) newSlab(size int) *region {
	memory := alignedMemory(size)
	Advise(memory)
	r := &region{base: unsafe.Pointer(unsafe.SliceData(memory)), unitBytes: Size, unitCount: size / Size, inUse: newBitmap(size / Size)} // SAFETY: it keeps the memory
	if guard {
		poison(Span{r, 0, uint16(r.unitCount)})
	}
	s.addSlab(r)
	return r
}

// alignedMemory returns new memory that begins at a multiple of 64 bytes. Large memory begins at
// the start of a huge page. For the alignment, alignedMemory allocates some more bytes, which are
// never touched.
func alignedMemory(size int) []byte {
	align := 0
	if size >= minAlignedSlab {
		align = hugePageBytes
	}
	for {
		memory := make([]byte, size+align)
		to := max(align, soa.Align)
		// SAFETY: the address is used only to find an offset below align. The
		// heap does not move slabs.
		skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(memory))) & uintptr(to-1))
		if skip <= align {
			return memory[skip:][:size:size]
		}
		align = soa.Align // the heap returned an unusual address
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
		base: block.Pointer(), owner: s, parent: block.region, firstBlock: int(block.firstUnit),
		unitBytes: soa.Align, unitCount: Size / soa.Align, inUse: newBitmap(Size / soa.Align), freeListIndex: -1,
	}
	s.freePieces.moveToList(r, r.unitCount)
	return r
}

// addSlab adds a slab to s.
func (s *Slabs) addSlab(r *region) {
	r.owner, r.freeListIndex = s, -1
	s.slabs = append(s.slabs, r)
	s.slabBytes += r.unitCount * Size
	s.blockBytes += r.usedUnits * Size
	if r.usedUnits == 0 {
		s.idleSlabs = append(s.idleSlabs, r)
	}
	_, longest := r.inUse.findRun(maxUnits)
	s.freeBlocks.moveToList(r, longest)
}

// removeSlab removes a slab from s.
func (s *Slabs) removeSlab(r *region) {
	own := func(o *region) bool { return o == r }
	s.slabs = slices.DeleteFunc(s.slabs, own)
	s.idleSlabs = slices.DeleteFunc(s.idleSlabs, own)
	s.freeBlocks.unlink(r)
	s.slabBytes -= r.unitCount * Size
	s.blockBytes -= r.usedUnits * Size
	s.reservedBytes = min(s.reservedBytes, s.slabBytes)
	r.owner = nil
}

// freeLists holds lists of regions. A list holds the regions whose longest run of free units has a
// certain length. List k has regions with 1<<k to 1<<(k+1)-1 adjacent free units. The recorded
// length may be out of date. A wrong length is always too large, so findFit misses no region.
// findFit corrects the length when it finds the error.
type freeLists [10][]*region

// findFit returns a region that has n adjacent free units, and the first of these units. If a
// region has fewer free units than its list says, findFit moves it to the list for its true
// length.
func (s *freeLists) findFit(n int) (*region, int) {
	for k := bits.Len(uint(n - 1)); k < len(s); k++ {
		for len(s[k]) > 0 {
			r := s[k][len(s[k])-1]
			at, longest := r.inUse.findRun(n)
			if at >= 0 {
				return r, at
			}
			s.moveToList(r, longest)
		}
	}
	return nil, 0
}

// moveToList moves a region to the list for the given number of adjacent free units.
func (s *freeLists) moveToList(r *region, free int) {
	class := bits.Len(uint(free)) - 1
	if class == r.freeListIndex {
		return
	}
	s.unlink(r)
	if class >= 0 {
		r.freeListIndex, r.freeListPosition = class, len(s[class])
		s[class] = append(s[class], r)
	}
}

// unlink removes a region from its list, if it is in a list.
func (s *freeLists) unlink(r *region) {
	if r.freeListIndex < 0 {
		return
	}
	list := s[r.freeListIndex]
	last := len(list) - 1
	list[r.freeListPosition] = list[last]
	list[r.freeListPosition].freeListPosition = r.freeListPosition
	list[last] = nil
	s[r.freeListIndex] = list[:last]
	r.freeListIndex = -1
}

// allocate returns a span of free units of a region.
func (s *freeLists) allocate(r *region, at, n int) Span {
	r.inUse.markUsed(at, n)
	if r.usedUnits += n; r.usedUnits == r.unitCount {
		s.unlink(r)
	}
	return Span{r, uint16(at), uint16(n)}
}

// freeUnits frees the units of a span.
func (s *freeLists) freeUnits(r *region, sp Span) {
	at, n := int(sp.firstUnit), int(sp.unitCount)
	r.inUse.markFree(at, n)
	r.usedUnits -= n
	if free := r.inUse.freeBelow(at) + r.inUse.freeFrom(at); r.freeListIndex < bits.Len(uint(free))-1 {
		s.moveToList(r, free)
	}
}
