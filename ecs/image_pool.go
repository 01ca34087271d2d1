package ecs

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/jobs"
)

// Image is what a world contained at one moment. It never changes, so that any goroutine
// may read it, and forks of it. Images of one world share what was not written between them.
type Image struct {
	pool    *imagePool // of the world that it was taken of
	version uint32     // of the world, then
	slots   int
	free    []Entity // to be used again, the last one first
	metas   int
	records int     // ids of chunks are below
	spare   []int32 // those that no chunk has, the next one last

	archetypes []archetypeImage // in order
	byID       []*chunkImage    // nil where there is none
	stores     []imageStore
	names      []*labelPage // those of the dead are among them
	rows       int
	sums       []namedSum  // what OnHash has added
	kept       map[any]any // by other packages
	copied     int         // bytes of columns that are not shared with the image before
	frame      *imageFrame // that the lists are of
	hash       cachedSum
	streams    streamMarks // of the world
	made       *madeFor    // if an ImageBuilder has put its rows into the memory of a world
}

// archetypeImage is an archetype of a world, empty or not.
type archetypeImage struct {
	set                      []*component
	orders, order, crossings uint32
	newest                   []uint32
	rows, made, capacity     int
	groups                   []groupImage
	chunks                   []*chunkImage // in order
	spans                    []*imageSpan  // of them; none in an image of an ImageBuilder
}

// namedSum is a number that another package adds to the hash.
type namedSum struct {
	name string
	sum  uint64
}

// groupImage is the chunks of an archetype that share their shared values.
type groupImage struct {
	values []int32
	orders uint32
	number int
	room   []int32 // places of chunks in the archetype, in the order of group.room
	list   []int32 // the same, of group.list
}

// imageStore is the values of a shared component.
type imageStore struct {
	comp   *component
	values []any
	hashes []uint64
	free   []int32
}

// chunkImage is one chunk. It does not change once it is taken; images share it.
type chunkImage struct {
	id, group         int32
	n                 int
	order             uint32
	meta              Entity
	set               []*component
	versions, through []uint32
	few               [4]uint32 // memory for versions
	ids               []Entity
	owner             *imageIDs      // of ids
	columns           []*columnImage // nil where a column has nothing of its own
	hold              *int32         // spans that have it; under the lock of the pool; nil in an image of an ImageBuilder
	sound, run        bool           // of an ImageBuilder: what ImageChunk.Filled has found, that it has no flaw, and that ids follow each other
}

// columnImage is one column of one chunk: the smallest thing that images share.
type columnImage struct {
	comp   *component
	bytes  []byte     // the rows of each lane, one lane behind the other
	spills [][]uint64 // heap blocks of a buffer, or none
	on     []uint64   // bits of an enableable component
	items  objects    // of a managed component
	refs   int        // chunks that have it; under the lock of the pool
	words  []uint64   // memory for on
	placed [][]byte   // the lanes, if they lie in the memory of a world, and not in bytes
	hash   cachedSum
}

// imagePool is memory for the images of one world, and stands for the world: what has other
// images than its own is compared by nothing else. Images may be released by any goroutine, but for those that are made for a world.
//
// What is kept for later is plain Go memory that nothing else leads to: an image that is not released, and
// that nothing leads to, is collected.
type imagePool struct {
	jobs  *jobs.Pool // of the world; nil if there is none
	built bool       // of no world: an ImageBuilder has it, then the image that it makes, and then the next ImageBuilder
	mu    sync.Mutex

	free    [classes][][]byte // by their class
	ids     [classes][]*imageIDs
	chunks  spare[chunkImage]
	columns spare[columnImage]
	spans   spare[imageSpan]
	holds   []*int32 // that no chunk has
	frames  []*imageFrame

	idle, used int // bytes of columns and ids: to be used again, in images
	whole      int // bytes of the world's chunks at the last Capture; of an ImageBuilder's pool what an image had lately

	copies copies   // of the Capture that is under way
	groups []*group // scratch of it: of an archetype, in their order in its image
}

// imageIDs is the ids of the rows of a chunk, which its images share.
type imageIDs struct {
	list  []Entity
	class int // of the memory; -1 if it is a world's
	refs  int // chunks that have it; under the lock of the pool
	hash  cachedSum
}

// imageFrame is the lists of an image that was released.
type imageFrame struct {
	archetypes []archetypeImage
	byID       []*chunkImage
	free       []Entity
	spare      []int32
	stores     []imageStore
	sums       []namedSum
}

// classes of sizes: sixteen for each power of two.
const classes = 32 * 16

// classOf returns the class of a size, and how large its pieces are: a sixteenth more at most.
func classOf(size int) (class, bytes int) {
	if size <= 32 {
		return 0, 32
	}
	shift := bits.Len(uint(size-1)) - 5
	n := (size-1)>>shift + 1 // 17 to 32
	return shift*16 + n - 16, n << shift
}

// kept is how many bytes are kept though no image has them: as many as images have, or one of all the world has, and some.
func (p *imagePool) kept() int { return max(p.used, p.whole) + 1<<20 }

// bytes returns memory for so many bytes, of length 0. The pool is locked.
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

// zero returns so many bytes that are 0, or anything if they are to be overwritten.
func (p *imagePool) zero(size int, overwritten bool) []byte {
	idle := p.idle
	b := p.bytes(size)[:size]
	switch {
	case overwritten && guard:
		for i := range b {
			b[i] = 0xDB // code that counts on zeros is found out
		}
	case !overwritten && p.idle != idle: // they were in use meanwhile
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

// newIDs returns room for n ids, which are not set.
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

// giveIDs takes ids back that a chunk has let go of.
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
	const some = 32 // are made at once
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

// takeHold returns what counts the spans that have a chunk. Such counts lie beside each other, for chunks are in no cache. Those of
// chunks that were collected are gone with them, once their neighbours are.
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

// letGo takes back a chunk that no image has.
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

// give takes back a column that a chunk has let go of.
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

// frame gives an image the lists of one that was released, empty.
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

// giveFrame takes back the lists of an image that is released.
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

// grown returns s with n elements, of which those that it had once are what they were: their lists are used again.
func grown[T any](s []T, n int) []T {
	if n > cap(s) {
		all := make([]T, n, n+n/4)
		copy(all, s[:cap(s)])
		return all
	}
	return s[:n]
}

// Images share spans of chunks, so that nothing is asked of the chunks of a span that was not written to: it has
// their versions beside each other, as the archetype has.

// imageSpan is neighbours in the list of chunks of an archetype. It does not change once it is made; images share it.
type imageSpan struct {
	versions []uint32           // of the columns of each chunk
	through  []uint32           // the same, of meta entities: versions through chunks
	holds    [spanChunks]*int32 // of the chunks
	refs     int                // images that have it; under the lock of the pool
}

// newSpan makes a span of the chunks that a has now, of which images are given. Those that an old span has too, at their places,
// are asked for nothing: they are in no cache.
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

// is reports whether nothing was written to the chunks of a since the span was made of them. They have the rows that they had.
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

// has reports whether nothing was written to chunk i of span number of a since the span was made. Unlike [imageChunk.is] it looks at
// nothing but versions that lie side by side, unless the rows are meta entities.
func (s *imageSpan) has(i int, a *archetype, number int) bool {
	n := len(a.columns)
	for k, v := range a.versionsOf(number)[i*n:][:n] {
		if s.versions[i*n+k] != v {
			return false
		}
	}
	return !a.isMeta || slices.Equal(s.through[i*n:][:n], a.chunks[number*spanChunks+i].through)
}

// giveSpan takes back a span, of some chunks, that an image has let go of.
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

// copies is what a Capture, a Restore or a Fork copies: it is listed first, and then copied by all workers.
type copies struct {
	list     []bytesCopy
	idRanges []idRange
	total    int       // bytes of the list
	rows     int       // of the idRanges
	table    *entities // that the idRanges are for

	copy, number func(lo, hi int)
}

// bytesCopy is rows of one lane, or ids.
type bytesCopy struct{ to, from []byte }

// idRange is ids that are those of the first rows of a chunk.
type idRange struct {
	ids    []Entity
	record int32
}

// add copies bytes when all is called.
func (c *copies) add(to, from []byte) {
	c.list = append(c.list, bytesCopy{to, from})
	c.total += len(to)
}

// out copies n rows of lanes to bytes, in which one lane is behind the other.
func (c *copies) out(to []byte, p *table.Place, lanes []table.Lane, n int) {
	for len(lanes) > 0 {
		from, some := p.Neighbours(lanes, n)
		c.add(to[:len(from)], from)
		to, lanes = to[len(from):], lanes[some:]
	}
}

// in copies what an image has of lanes to n rows of them.
func (c *copies) in(p *table.Place, lanes []table.Lane, n int, own *columnImage) {
	for i, lane := range own.placed {
		c.add(p.Bytes(lanes[i], 0, n), lane)
	}
	if own.placed != nil {
		return
	}
	from := own.bytes // one lane is behind the other
	for len(lanes) > 0 {
		to, some := p.Neighbours(lanes, n)
		c.add(to, from[:len(to)])
		from, lanes = from[len(to):], lanes[some:]
	}
}

// bear makes ids those of a chunk when all is called.
func (c *copies) bear(t *entities, ids []Entity, record int32) {
	c.table = t
	c.idRanges = append(c.idRanges, idRange{ids, record})
	c.rows += len(ids)
}

// all copies what was listed. A worker that waits may run any job meanwhile: nothing must be locked that one takes.
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

// spread runs f over n things, on all workers unless the pool is closed.
func spread(pool *jobs.Pool, n, grain int, f func(lo, hi int)) {
	if pool.Range(n, grain, f) != nil {
		f(0, n)
	}
}
