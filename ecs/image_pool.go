package ecs

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/jobs"
)

// Image is a copy of the contents of a world at one moment, a snapshot in memory. It never changes, so
// that any goroutine may read or [Fork] it. Images of one world share the chunks and columns that nothing
// wrote to between the captures; an image after few changes is therefore small and quick to take.
type Image struct {
	pool    *imagePool // the pool of the captured world
	version uint32     // change version of the world at the capture
	slots   int
	free    []Entity // free ids; the last one is used next
	metas   int
	records int     // number of chunk ids; each id is smaller
	spare   []int32 // unused chunk ids; the last one is used next

	archetypes []archetypeImage // in the order of the world
	byID       []*chunkImage    // by chunk id; nil for unused ids
	stores     []imageStore
	names      []*labelPage // with the names of destroyed entities
	rows       int
	sums       []namedSum  // numbers from OnHash
	kept       map[any]any // values that other packages have stored with the image
	copied     int         // bytes of columns that the previous image does not share
	frame      *imageFrame // owner of the lists above
	hash       cachedSum
	streams    streamMarks // of the captured world
	made       *madeFor    // set if an ImageBuilder has placed the rows in the memory of a world
}

// archetypeImage is an archetype of a world, empty or not.
type archetypeImage struct {
	set                      []*component
	orders, order, crossings uint32
	newest                   []uint32
	rows, made, capacity     int
	groups                   []groupImage
	chunks                   []*chunkImage // in the order of the archetype
	spans                    []*imageSpan  // the same chunks as spans; none in an image of an ImageBuilder
}

// namedSum is a number that another package adds to the hash.
type namedSum struct {
	name string
	sum  uint64
}

// groupImage is the chunks of an archetype that have the same shared values.
type groupImage struct {
	values []int32
	orders uint32
	number int
	room   []int32 // indices of chunks in the archetype, in the order of group.room
	list   []int32 // the same for group.list
}

// imageStore is the values of a shared component.
type imageStore struct {
	comp   *component
	values []any
	hashes []uint64
	free   []int32
}

// chunkImage is one chunk. It does not change once it is taken, because several images share it.
type chunkImage struct {
	id, group         int32
	n                 int
	order             uint32
	meta              Entity
	set               []*component
	versions, through []uint32
	few               [4]uint32 // memory for versions
	ids               []Entity
	owner             *imageIDs      // owner of the memory of ids
	columns           []*columnImage // nil for a column without bytes of the chunk
	hold              *int32         // number of spans with this chunk, under the lock of the pool; nil in an image of an ImageBuilder
	sound, run        bool           // set by ImageChunk.Filled: the chunk has no flaw; its ids are consecutive
}

// columnImage is one column of one chunk, the smallest unit that images share.
type columnImage struct {
	comp   *component
	bytes  []byte     // the rows of each lane; one lane follows the other
	spills [][]uint64 // heap blocks of a buffer, or none
	on     []uint64   // bits of an enableable component
	items  objects    // values of a managed component
	refs   int        // number of chunks with this column, under the lock of the pool
	words  []uint64   // memory for on
	placed [][]byte   // the lanes in the memory of a world; bytes is nil then
	hash   cachedSum
}

// imagePool recycles the memory for images of one world. Its address also identifies the world: versions
// are comparable only between images with the same pool. Any goroutine may release an image, except an
// image that an ImageBuilder has placed in the memory of a world.
//
// The free lists are plain Go memory, and the pool has no list of the images in use. The garbage collector
// therefore frees an image that the program drops without Release.
type imagePool struct {
	jobs  *jobs.Pool // pool of the world; nil without one
	built bool       // belongs to no world: an ImageBuilder uses it, then the image that it makes, and then the next ImageBuilder
	mu    sync.Mutex

	free    [classes][][]byte // by size class
	ids     [classes][]*imageIDs
	chunks  spare[chunkImage]
	columns spare[columnImage]
	spans   spare[imageSpan]
	holds   []*int32 // counters that no chunk uses
	frames  []*imageFrame

	idle, used int // bytes of columns and ids on the free lists, and in images
	whole      int // bytes of the world's chunks at the last Capture; for an ImageBuilder the bytes of a recent image

	copies copies   // of the Capture in progress
	groups []*group // its scratch: the groups of an archetype in the order of the image
}

// imageIDs is the ids of the rows of a chunk, which its images share.
type imageIDs struct {
	list  []Entity
	class int // size class; -1 if the memory belongs to a world
	refs  int // number of chunks with these ids, under the lock of the pool
	hash  cachedSum
}

// imageFrame is the lists of a released image, for the next one.
type imageFrame struct {
	archetypes []archetypeImage
	byID       []*chunkImage
	free       []Entity
	spare      []int32
	stores     []imageStore
	sums       []namedSum
}

// classes is the number of size classes: sixteen for each power of two.
const classes = 32 * 16

// classOf returns the class of a size, and the size of its pieces, which is at most a sixteenth larger.
func classOf(size int) (class, bytes int) {
	if size <= 32 {
		return 0, 32
	}
	shift := bits.Len(uint(size-1)) - 5
	n := (size-1)>>shift + 1 // 17 to 32
	return shift*16 + n - 16, n << shift
}

// kept returns the limit of bytes on the free lists: as many as images use, or as one image of the whole
// world needs, and 1 MiB more.
func (p *imagePool) kept() int { return max(p.used, p.whole) + 1<<20 }

// bytes returns memory with a capacity of size bytes and length 0. The caller holds the lock of the pool.
func (p *imagePool) bytes(size int) []byte {
	class, size := classOf(size)
	p.used += size
	list := p.free[class]
	if last := len(list) - 1; last >= 0 {
		b := list[last]
		list[last] = nil
		p.free[class] = list[:last]
		p.idle -= size
		return b
	}
	return make([]byte, 0, size)
}

// zero returns size bytes. They are 0, unless the caller is going to overwrite them all.
func (p *imagePool) zero(size int, overwritten bool) []byte {
	idle := p.idle
	b := p.bytes(size)[:size]
	switch {
	case overwritten && guard:
		for i := range b {
			b[i] = 0xDB // a caller that relies on zeros fails visibly
		}
	case !overwritten && p.idle != idle: // the bytes come from the free list
		clear(b)
	}
	return b
}

// giveBytes takes memory back.
func (p *imagePool) giveBytes(b []byte) {
	class, size := classOf(cap(b))
	p.used -= size
	if p.idle+size <= p.kept() {
		p.idle += size
		p.free[class] = append(p.free[class], b[:0])
	}
}

// takeIDs copies ids.
func (p *imagePool) takeIDs(from []Entity) *imageIDs {
	own := p.newIDs(len(from))
	p.copies.add(sliceBytes(own.list), sliceBytes(from))
	return own
}

// newIDs returns a list of n ids, which the caller sets.
func (p *imagePool) newIDs(n int) *imageIDs {
	const size = 8
	class, bytes := classOf(n * size)
	p.used += bytes
	var own *imageIDs
	if last := len(p.ids[class]) - 1; last >= 0 {
		own = p.ids[class][last]
		p.ids[class][last] = nil
		p.ids[class] = p.ids[class][:last]
		p.idle -= bytes
	} else {
		own = &imageIDs{list: make([]Entity, 0, bytes/size), class: class}
	}
	own.list, own.refs = own.list[:n], 0
	own.hash.forget()
	return own
}

// giveIDs drops a chunk's reference to ids, and recycles them after the last one.
func (p *imagePool) giveIDs(own *imageIDs) {
	if own == nil {
		return
	}
	if own.refs--; own.refs > 0 || own.class < 0 {
		return
	}
	_, bytes := classOf(8 * cap(own.list))
	p.used -= bytes
	if p.idle+bytes <= p.kept() {
		p.idle += bytes
		p.ids[own.class] = append(p.ids[own.class], own)
	}
}

// spare is small things to be used again. It has functions and no methods, because every package that
// imports ecs would compile the methods again.
type spare[T any] []*T

// takeSpare returns one to be filled in.
func takeSpare[T any](s *spare[T]) *T {
	const some = 32 // objects for each allocation
	if len(*s) == 0 {
		for own := make([]T, some); len(own) > 0; own = own[1:] {
			*s = append(*s, &own[0])
		}
	}
	last := len(*s) - 1
	one := (*s)[last]
	(*s)[last] = nil
	*s = (*s)[:last]
	return one
}

// giveSpare takes one back, if there are not as many already as so many bytes that are kept can have.
func giveSpare[T any](s *spare[T], one *T, kept int) {
	if len(*s) <= kept/256 {
		*s = append(*s, one)
	}
}

// takeHold returns a counter for the spans with a chunk. The counters are allocated side by side, because
// a Capture reads them while the chunks are in no cache. The garbage collector frees such an array when
// all chunks that use it are gone.
func (p *imagePool) takeHold() *int32 {
	if len(p.holds) == 0 {
		more := make([]int32, 16*spanChunks)
		for i := range more {
			p.holds = append(p.holds, &more[len(more)-1-i])
		}
	}
	last := len(p.holds) - 1
	hold := p.holds[last]
	p.holds[last], p.holds = nil, p.holds[:last]
	return hold
}

// letGo recycles a chunk that no image has any more.
func (p *imagePool) letGo(c *chunkImage) {
	if !p.built {
		p.holds = append(p.holds, c.hold)
	}
	for _, own := range c.columns {
		p.give(own)
	}
	p.giveIDs(c.owner)
	clear(c.columns)
	*c = chunkImage{versions: c.versions[:0], through: c.through[:0], columns: c.columns[:0]}
	giveSpare(&p.chunks, c, p.kept())
}

// give drops a chunk's reference to a column, and recycles it after the last one.
func (p *imagePool) give(c *columnImage) {
	if c == nil {
		return
	}
	if c.refs--; c.refs > 0 {
		return
	}
	if c.bytes != nil {
		p.giveBytes(c.bytes)
	}
	clear(c.spills)
	on := c.on
	if on == nil {
		on = c.words
	}
	c.bytes, c.spills, c.on, c.items, c.words, c.placed = nil, nil, nil, objects{}, on[:0], nil
	c.hash.forget()
	giveSpare(&p.columns, c, p.kept())
}

// frame gives an image the emptied lists of a released image.
func (p *imagePool) frame(m *Image) {
	last := len(p.frames) - 1
	if last < 0 {
		return
	}
	f := p.frames[last]
	p.frames[last] = nil
	p.frames = p.frames[:last]
	m.frame = f
	m.archetypes, m.byID, m.free, m.spare, m.stores, m.sums = f.archetypes[:0], f.byID[:0], f.free[:0], f.spare[:0], f.stores[:0], f.sums[:0]
}

// giveFrame takes back the lists of a released image.
func (p *imagePool) giveFrame(m *Image) {
	for i := range m.archetypes {
		clear(m.archetypes[i].chunks)
		clear(m.archetypes[i].spans)
	}
	for i := range m.stores {
		clear(m.stores[i].values)
	}
	clear(m.byID)
	f := m.frame
	if f == nil {
		f = &imageFrame{}
	}
	*f = imageFrame{m.archetypes, m.byID, m.free, m.spare, m.stores, m.sums}
	if len(p.frames) < 16 {
		p.frames = append(p.frames, f)
	}
}

// grown returns s with n elements. Elements up to the capacity keep their old contents, so that the lists
// in them are used again.
func grown[T any](s []T, n int) []T {
	if n > cap(s) {
		all := make([]T, n, n+n/4)
		copy(all, s[:cap(s)])
		return all
	}
	return s[:n]
}

// Images also share spans of chunks. A span has the versions of its chunks side by side, as the archetype
// has. If they are equal, Capture need not look at the chunks.

// imageSpan is a range of neighbours in the list of chunks of an archetype. It does not change once it is
// made, because several images share it.
type imageSpan struct {
	versions []uint32           // of the columns of each chunk
	through  []uint32           // for meta entities: versions of writes through chunks
	holds    [spanChunks]*int32 // of the chunks
	refs     int                // number of images with this span, under the lock of the pool
}

// newSpan makes a span of the present chunks of a, whose images are the argument chunks. A chunk that the
// old span has at the same index keeps its counter, which the old span knows: reading the chunk itself
// would miss the cache.
func (p *imagePool) newSpan(a *archetype, span int, chunks, before []*chunkImage, old *imageSpan) *imageSpan {
	s := takeSpare(&p.spans)
	s.versions, s.through, s.refs = append(s.versions[:0], a.versionsOf(span)...), s.through[:0], 1
	for i, c := range chunks {
		if old != nil && c == before[i] {
			s.holds[i] = old.holds[i]
		} else {
			s.holds[i] = c.hold
		}
		*s.holds[i]++
	}
	if a.isMeta {
		for _, r := range spanAt(a.chunks, span) {
			s.through = append(s.through, r.through...)
		}
	}
	return s
}

// is reports whether nothing wrote to the chunks of a since the span was made. The caller knows that the
// rows are the same.
func (s *imageSpan) is(a *archetype, span int) bool {
	if !slices.Equal(s.versions, a.versionsOf(span)) {
		return false
	}
	if a.isMeta {
		at := 0
		for _, r := range spanAt(a.chunks, span) {
			if !slices.Equal(s.through[at:at+len(r.through)], r.through) {
				return false
			}
			at += len(r.through)
		}
	}
	return true
}

// has reports whether nothing wrote to chunk i of span number of a since the span was made. It reads only
// versions that are side by side, unless the rows are meta entities; [chunkImage.is] reads the chunk.
func (s *imageSpan) has(i int, a *archetype, number int) bool {
	n := len(a.columns)
	for k, v := range a.versionsOf(number)[i*n:][:n] {
		if s.versions[i*n+k] != v {
			return false
		}
	}
	return !a.isMeta || slices.Equal(s.through[i*n:][:n], a.chunks[number*spanChunks+i].through)
}

// giveSpan drops an image's reference to a span, and releases the chunks after the last one.
func (p *imagePool) giveSpan(s *imageSpan, chunks []*chunkImage) {
	if s.refs--; s.refs > 0 {
		return
	}
	for i, c := range chunks {
		if *s.holds[i]--; *s.holds[i] == 0 {
			p.letGo(c)
		}
	}
	giveSpare(&p.spans, s, p.kept())
}

// copies is the list of copies for a Capture, a Restore or a Fork. They are listed first, so that all
// workers can then share the work.
type copies struct {
	list     []bytesCopy
	idRanges []idRange
	total    int       // bytes in list
	rows     int       // ids in idRanges
	table    *entities // table for the idRanges

	copy, number func(lo, hi int)
}

// bytesCopy is the rows of one lane, or ids.
type bytesCopy struct{ to, from []byte }

// idRange is the ids of the first rows of a chunk.
type idRange struct {
	ids    []Entity
	record int32
}

// add adds a copy of bytes to the list; the method all makes these copies.
func (c *copies) add(to, from []byte) {
	c.list = append(c.list, bytesCopy{to, from})
	c.total += len(to)
}

// out lists n rows of lanes to be copied to bytes, one lane after the other.
func (c *copies) out(to []byte, p *table.Place, lanes []table.Lane, n int) {
	for len(lanes) > 0 {
		from, some := p.Neighbours(lanes, n)
		c.add(to[:len(from)], from)
		to, lanes = to[len(from):], lanes[some:]
	}
}

// in lists n rows of an image to be copied to lanes.
func (c *copies) in(p *table.Place, lanes []table.Lane, n int, own *columnImage) {
	for i, lane := range own.placed {
		c.add(p.Bytes(lanes[i], 0, n), lane)
	}
	if own.placed != nil {
		return
	}
	from := own.bytes // one lane follows the other
	for len(lanes) > 0 {
		to, some := p.Neighbours(lanes, n)
		c.add(to, from[:len(to)])
		from, lanes = from[len(to):], lanes[some:]
	}
}

// bear adds ids to the list; the method all sets their slots to rows of a chunk.
func (c *copies) bear(t *entities, ids []Entity, record int32) {
	c.table = t
	c.idRanges = append(c.idRanges, idRange{ids, record})
	c.rows += len(ids)
}

// all does the listed copies. The caller must hold no lock that a job takes, because a waiting worker may
// run any job meanwhile.
func (c *copies) all(pool *jobs.Pool) {
	if c.copy == nil {
		c.copy = func(lo, hi int) {
			for _, one := range c.list[lo:hi] {
				copy(one.to, one.from)
			}
		}
		c.number = func(lo, hi int) {
			for _, one := range c.idRanges[lo:hi] {
				c.table.number(one.ids, one.record)
			}
		}
	}
	const worth, piece = 256 << 10, 64 << 10
	const each = 8 + 12 // bytes of an id, and of its slot
	if pool == nil || c.total < worth {
		c.copy(0, len(c.list))
	} else {
		spread(pool, len(c.list), max(1, len(c.list)*piece/c.total), c.copy)
	}
	if pool == nil || c.rows*each < worth {
		c.number(0, len(c.idRanges))
	} else {
		spread(pool, len(c.idRanges), 16, c.number)
	}
	clear(c.list)
	clear(c.idRanges)
	c.list, c.idRanges, c.total, c.rows, c.table = c.list[:0], c.idRanges[:0], 0, 0, nil
}

// spread calls f for ranges of n things on all workers, or on this goroutine if the pool is closed.
func spread(pool *jobs.Pool, n, grain int, f func(lo, hi int)) {
	if pool.Range(n, grain, f) != nil {
		f(0, n)
	}
}
