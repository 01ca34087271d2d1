package chunk

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/lanewise/lanewise/soa"
)

// Sizes of slabs: a power of two, at most half as large as all slabs before, so that no
// more than a third of them waits for rows.
const (
	firstSlab = Size
	lastSlab  = 8 << 20
)

// hugePage is the size of a huge page on the usual machine. Where it is another
// one, the advice to use them is merely less useful.
const hugePage = 2 << 20

// alignedSlab is the size from which on slabs begin on a huge page: for that they take
// one more, which is much beside smaller ones.
const alignedSlab = 4 * hugePage

// MaxSpan is the size of the largest span in bytes: sixteen blocks.
const MaxSpan = 16 * Size

// maxPiece is the size of the largest span that is a piece of a block.
const maxPiece = Size / 2

// slack is how many bytes of slabs are kept though nothing of them is in use, beside
// as many as are.
const slack = 4 << 20

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
	blocks shelf // slabs
	lines  shelf // blocks that are cut into pieces
	all    []*region
	idle   []*region // of these, those of which nothing is in use
	spare  []*region // to cut a block with
	used   int       // bytes handed out
	held   int       // bytes of the blocks that are in use
	bytes  int       // of all slabs
	asked  int       // of these, bytes that Reserve made
	met    []*region // scratch of Adopt
}

// Span is memory that a Slabs has handed out. It stays where it is.
type Span struct {
	of       *region
	first, n uint16 // units
}

// Memory returns the span as bytes.
func (s Span) Memory() []byte {
	// SAFETY: the units of a region lie one behind the other from its base on, which
	// keeps the memory alive; it holds no Go pointers.
	return unsafe.Slice((*byte)(s.Pointer()), int(s.n)*s.of.unit)
}

// Pointer returns the address of the first byte, which is a multiple of 64.
func (s Span) Pointer() unsafe.Pointer {
	// SAFETY: as for Memory.
	return unsafe.Add(s.of.base, int(s.first)*s.of.unit)
}

// region is memory that spans are units of: a slab, whose units are blocks, or a
// block, whose units are of 64 bytes.
type region struct {
	base   unsafe.Pointer
	owner  *Slabs
	parent *region // the slab that the block is in; nil for a slab
	first  int     // which of its blocks that is
	unit   int     // bytes
	units  int     // that there are
	used   int     // units handed out
	inUse  bitmap
	class  int // it is in the list of, or -1
	index  int // in that list
	moving int // units that Adopt is given
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
		r, at := s.lines.find(n)
		if r == nil {
			r, at = s.cut(), 0
		}
		sp = s.lines.take(r, at, n)
	} else {
		sp = s.getBlocks((bytes + Size - 1) / Size)
	}
	s.used += int(sp.n) * sp.of.unit
	if guard {
		checkPoison(sp)
	}
	return sp
}

// getBlocks takes n neighbouring blocks.
func (s *Slabs) getBlocks(n int) Span {
	r, at := s.blocks.find(n)
	if r == nil {
		r, at = s.grow(n*Size), 0
	}
	if r.used == 0 {
		s.idle = slices.DeleteFunc(s.idle, func(o *region) bool { return o == r })
	}
	s.held += n * Size
	return s.blocks.take(r, at, n)
}

// Put takes back a span that came from Get of the same Slabs. It may not be used
// afterwards: the guard build fills it with 0xDB and panics when it is handed out
// again and has a new owner.
//
// It panics if the span is the zero Span, came from another Slabs, or was put back
// already.
func (s *Slabs) Put(sp Span) {
	s.check("Put", sp)
	if guard {
		poison(sp)
	}
	s.used -= int(sp.n) * sp.of.unit
	if sp.of.parent == nil {
		s.putBlocks(sp)
		return
	}
	r := sp.of
	s.lines.give(r, sp)
	if r.used == 0 {
		s.lines.remove(r)
		block := Span{r.parent, uint16(r.first), 1}
		r.base, r.parent, r.owner = nil, nil, nil
		s.spare = append(s.spare, r)
		s.putBlocks(block)
	}
}

// putBlocks takes back blocks.
func (s *Slabs) putBlocks(sp Span) {
	s.held -= int(sp.n) * Size
	s.blocks.give(sp.of, sp)
	if sp.of.used == 0 {
		s.idle = append(s.idle, sp.of)
	}
	if len(s.idle) > 0 {
		s.release(s.held + slack)
	}
}

// check panics if a span is none of s.
func (s *Slabs) check(op string, sp Span) {
	switch {
	case sp.of == nil:
		panic(fmt.Sprintf("chunk: %s: the span is the zero Span", op))
	case !s.Owns(sp):
		panic(fmt.Sprintf("chunk: %s: the span at %p came from other Slabs", op, sp.Pointer()))
	case !sp.of.inUse.inUse(int(sp.first), int(sp.n)):
		panic(fmt.Sprintf("chunk: %s: the span at %p is free already", op, sp.Pointer()))
	}
}

// Owns reports whether a span came from s, or from other Slabs by Adopt.
func (s *Slabs) Owns(sp Span) bool { return sp.of != nil && sp.of.owner == s }

// Used returns how many bytes are handed out.
func (s *Slabs) Used() int { return s.used }

// Bytes returns the size of all slabs: of what is handed out, was put back, and is
// not yet touched.
func (s *Slabs) Bytes() int { return s.bytes }

// Beside returns how many bytes s has of the Go heap beside its slabs, about: its lists, and
// what slabs leave out to begin on a huge page, which is never touched.
func (s *Slabs) Beside() (bytes int) {
	regions := len(s.all) + len(s.spare)
	for _, list := range s.lines {
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
	for bytes -= s.bytes - s.held; bytes > 0; bytes -= lastSlab {
		s.asked += s.add((min(bytes, lastSlab)+Size-1)/Size*Size).units * Size
	}
}

// Trim gives all slabs back to the Go heap of which nothing is in use.
func (s *Slabs) Trim() { s.release(0) }

// release gives slabs back of which nothing is in use, until no more than keep bytes
// of the slabs are free.
func (s *Slabs) release(keep int) {
	for k := len(s.idle) - 1; k >= 0 && s.bytes-s.held > keep; k-- {
		s.remove(s.idle[k])
	}
}

// grow makes the next slab, of so many bytes at least. What was reserved does not make it
// larger: a caller that reserves knows how much it wants.
func (s *Slabs) grow(want int) *region {
	size := firstSlab
	for size < want || size < lastSlab && size <= (s.bytes-s.asked)/4 {
		size *= 2
	}
	return s.add(size)
}

// add makes a slab, and advises it to be backed by huge pages.
func (s *Slabs) add(size int) *region {
	memory := aligned(size)
	Advise(memory)
	r := &region{base: unsafe.Pointer(unsafe.SliceData(memory)), unit: Size, units: size / Size, inUse: newBitmap(size / Size)} // SAFETY: it keeps the memory
	if guard {
		poison(Span{r, 0, uint16(r.units)})
	}
	s.insert(r)
	return r
}

// aligned returns fresh memory that begins on a multiple of 64, and of huge pages if
// it has several. For that it takes more than is wanted, which is never touched.
func aligned(size int) []byte {
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
		align = soa.Align // the heap has put it elsewhere than usual
	}
}

// cut takes a block that is to be cut into pieces.
func (s *Slabs) cut() *region {
	block := s.getBlocks(1)
	var r *region
	if last := len(s.spare) - 1; last >= 0 {
		r = s.spare[last]
		s.spare = s.spare[:last]
	} else {
		r = new(region)
	}
	*r = region{
		base: block.Pointer(), owner: s, parent: block.of, first: int(block.first),
		unit: soa.Align, units: Size / soa.Align, inUse: newBitmap(Size / soa.Align), class: -1,
	}
	s.lines.file(r, r.units)
	return r
}

// insert makes a slab one of s.
func (s *Slabs) insert(r *region) {
	r.owner, r.class = s, -1
	s.all = append(s.all, r)
	s.bytes += r.units * Size
	s.held += r.used * Size
	if r.used == 0 {
		s.idle = append(s.idle, r)
	}
	_, longest := r.inUse.find(maxUnits)
	s.blocks.file(r, longest)
}

// remove makes a slab none of s.
func (s *Slabs) remove(r *region) {
	own := func(o *region) bool { return o == r }
	s.all = slices.DeleteFunc(s.all, own)
	s.idle = slices.DeleteFunc(s.idle, own)
	s.blocks.remove(r)
	s.bytes -= r.units * Size
	s.held -= r.used * Size
	s.asked = min(s.asked, s.bytes)
	r.owner = nil
}

// shelf is the regions that have room, by how many neighbouring units of each are
// free: 1<<k at least, in list k, and less than twice as many; or what was so once.
type shelf [10][]*region

// find returns a region that has room for n neighbouring units, and where. It looks at
// no more regions than it notes to have less room than was thought, and one.
func (s *shelf) find(n int) (*region, int) {
	for k := bits.Len(uint(n - 1)); k < len(s); k++ {
		for len(s[k]) > 0 {
			r := s[k][len(s[k])-1]
			at, longest := r.inUse.find(n)
			if at >= 0 {
				return r, at
			}
			s.file(r, longest)
		}
	}
	return nil, 0
}

// file puts a region into the list of those that have so many neighbouring free units.
func (s *shelf) file(r *region, free int) {
	class := bits.Len(uint(free)) - 1
	if class == r.class {
		return
	}
	s.remove(r)
	if class >= 0 {
		r.class, r.index = class, len(s[class])
		s[class] = append(s[class], r)
	}
}

// remove takes a region out of its list, if it is in one.
func (s *shelf) remove(r *region) {
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

// take hands out free units of a region.
func (s *shelf) take(r *region, at, n int) Span {
	r.inUse.set(at, n)
	if r.used += n; r.used == r.units {
		s.remove(r)
	}
	return Span{r, uint16(at), uint16(n)}
}

// give takes units back.
func (s *shelf) give(r *region, sp Span) {
	at, n := int(sp.first), int(sp.n)
	r.inUse.clear(at, n)
	r.used -= n
	if free := r.inUse.freeBelow(at) + r.inUse.free(at); r.class < bits.Len(uint(free))-1 {
		s.file(r, free)
	}
}
