package ecs

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/jobs"
)

// Image is a copy of the contents of a world at one moment, that is, a snapshot in memory. It never
// changes, so any goroutine may read or [Fork] it. Images of one world share the chunks and columns that
// nothing wrote to between the captures. So after few changes, an image is small and takes little time.
type Image struct {
	pool          *imagePool // the pool of the captured world
	changeVersion uint32     // change version of the world at the capture
	slotCount     int
	freeIDs       []Entity // free ids; the last one is used next
	idState       uint64   // that of the captured world
	metaCount     int
	chunkIDCount  int     // number of chunk ids; each id is smaller
	spareChunkIDs []int32 // unused chunk ids; the last one is used next

	archetypes  []archetypeImage // in the order of the world
	byID        []*chunkImage    // by chunk id; nil for unused ids
	stores      []imageStore
	namePages   []*namePage // with the names of destroyed entities
	rowCount    int
	namedHashes []namedHash // numbers from OnHash
	attached    map[any]any // values that other packages have stored with the image
	copiedBytes int         // bytes of columns that the previous image does not share
	lists       *imageLists // owner of the lists above
	hash        cachedHash
	streams     streamMarks // of the captured world
	placedRows  *placedRows // set if an ImageBuilder has placed the rows in the memory of a world
}

// archetypeImage is an archetype of a world, empty or not.
type archetypeImage struct {
	components                               []*component
	orderCount, orderVersion, worldMoveCount uint32
	newestVersions                           []uint32
	rowCount, createdGroups, capacity        int
	groups                                   []groupImage
	chunks                                   []*chunkImage // in the order of the archetype
	spans                                    []*imageSpan  // the same chunks as spans; none in an image of an ImageBuilder
}

// namedHash is a number that another package adds to the hash.
type namedHash struct {
	name string
	hash uint64
}

// groupImage holds the chunks of an archetype that have the same shared values.
type groupImage struct {
	valueIndices []int32
	orderCount   uint32
	serial       int
	withRoom     []int32 // indices of chunks in the archetype, in the order of group.withRoom
	allChunks    []int32 // the same for group.allChunks
}

// imageStore holds the values of a shared component.
type imageStore struct {
	comp        *component
	values      []any
	hashes      []uint64
	freeIndices []int32
}

// chunkImage is one chunk. It does not change after the capture, because several images share it.
type chunkImage struct {
	id, groupIndex             int32
	count                      int
	orderVersion               uint32
	meta                       Entity
	components                 []*component
	versions, throughVersions  []uint32
	versionMemory              [4]uint32 // memory for versions
	ids                        []Entity
	idsOwner                   *imageIDs      // owner of the memory of ids
	columns                    []*columnImage // nil for a column without bytes of the chunk
	spanRefs                   *int32         // number of spans with this chunk, under the lock of the pool; nil in an image of an ImageBuilder
	isValid, hasConsecutiveIDs bool           // set by ImageChunk.Filled: the chunk has no flaw; its ids are consecutive
}

// columnImage is one column of one chunk. columnImage is the smallest unit that images share.
type columnImage struct {
	comp          *component
	laneData      []byte        // the rows of each lane; one lane follows the other
	bufferBlocks  [][]uint64    // heap blocks of a buffer, or none
	enabledBits   []uint64      // bits of an enableable component
	managedValues managedColumn // values of a managed component
	refCount      int           // number of chunks with this column, under the lock of the pool
	enabledMemory []uint64      // memory for on
	placedLanes   [][]byte      // the lanes in the memory of a world; bytes is nil then
	hash          cachedHash
}

// imagePool recycles the memory for images of one world. The address of the pool also identifies the
// world: two images have comparable versions only if they have the same pool. Any goroutine may release
// an image, except an image that an ImageBuilder has placed in the memory of a world.
//
// The free lists are ordinary Go memory, and the pool has no list of the images in use. So the garbage
// collector frees an image that the program drops without Release.
type imagePool struct {
	workerPool *jobs.Pool // pool of the world; nil without one
	forBuilder bool       // belongs to no world: an ImageBuilder uses it, then the image that it makes, and then the next ImageBuilder
	mu         sync.Mutex

	freeBytes    [sizeClasses][][]byte // by size class
	freeIDs      [sizeClasses][]*imageIDs
	freeChunks   freeList[chunkImage]
	freeColumns  freeList[columnImage]
	freeSpans    freeList[imageSpan]
	freeSpanRefs []*int32 // counters that no chunk uses
	freeLists    []*imageLists

	idleBytes, usedBytes int // bytes of columns and ids on the free lists, and in images
	blockBytes           int // bytes of the heap blocks of buffers in captured columns
	worldBytes           int // bytes of the world's chunks at the last Capture; for an ImageBuilder the bytes of a recent image

	copyPlan     copyPlan      // of the Capture in progress
	groupScratch []*chunkGroup // its scratch: the groups of an archetype in the order of the image
}

// imageIDs holds the ids of the rows of a chunk. The images of the chunk share it.
type imageIDs struct {
	ids       []Entity
	sizeClass int // size class; -1 if the memory belongs to a world
	refCount  int // number of chunks with these ids, under the lock of the pool
	hash      cachedHash
}

// imageLists holds the lists of a released image, for the next image.
type imageLists struct {
	archetypes    []archetypeImage
	byID          []*chunkImage
	freeIDs       []Entity
	spareChunkIDs []int32
	stores        []imageStore
	namedHashes   []namedHash
}

// sizeClasses is the number of size classes: sixteen for each power of two.
const sizeClasses = 32 * 16

// sizeClassOf returns the class of a size, and the size of the memory blocks of this class. That size is
// larger by at most a sixteenth.
func sizeClassOf(size int) (class, bytes int) {
	if size <= 32 {
		return 0, 32
	}
	shift := bits.Len(uint(size-1)) - 5
	n := (size-1)>>shift + 1 // 17 to 32
	return shift*16 + n - 16, n << shift
}

// maxIdleBytes returns the largest number of bytes on the free lists. It is 1 MiB more than the memory that
// images use, or that one image of the whole world needs, whichever is larger.
func (p *imagePool) maxIdleBytes() int { return max(p.usedBytes, p.worldBytes) + 1<<20 }

// takeBytes returns memory with a capacity of size bytes and length 0. The caller holds the lock of the pool.
func (p *imagePool) takeBytes(size int) []byte {
	class, size := sizeClassOf(size)
	p.usedBytes += size
	list := p.freeBytes[class]
	if last := len(list) - 1; last >= 0 {
		b := list[last]
		list[last] = nil
		p.freeBytes[class] = list[:last]
		p.idleBytes -= size
		return b
	}
	return make([]byte, 0, size)
}

// takeZeroBytes returns size bytes. The bytes are 0, unless the caller is going to overwrite all of
// them.
func (p *imagePool) takeZeroBytes(size int, overwritten bool) []byte {
	idle := p.idleBytes
	b := p.takeBytes(size)[:size]
	switch {
	case overwritten && guard:
		for i := range b {
			b[i] = 0xDB // a caller that relies on zeros fails visibly
		}
	case !overwritten && p.idleBytes != idle: // the bytes come from the free list
		clear(b)
	}
	return b
}

// giveBytes takes memory back for reuse.
func (p *imagePool) giveBytes(b []byte) {
	class, size := sizeClassOf(cap(b))
	p.usedBytes -= size
	if p.idleBytes+size <= p.maxIdleBytes() {
		p.idleBytes += size
		p.freeBytes[class] = append(p.freeBytes[class], b[:0])
	}
}

// copyIDs copies ids.
func (p *imagePool) copyIDs(from []Entity) *imageIDs {
	own := p.newIDs(len(from))
	p.copyPlan.addBytes(sliceBytes(own.ids), sliceBytes(from))
	return own
}

// newIDs returns a list of n ids, which the caller sets.
func (p *imagePool) newIDs(n int) *imageIDs {
	const size = 8
	class, bytes := sizeClassOf(n * size)
	p.usedBytes += bytes
	var own *imageIDs
	if last := len(p.freeIDs[class]) - 1; last >= 0 {
		own = p.freeIDs[class][last]
		p.freeIDs[class][last] = nil
		p.freeIDs[class] = p.freeIDs[class][:last]
		p.idleBytes -= bytes
	} else {
		own = &imageIDs{ids: make([]Entity, 0, bytes/size), sizeClass: class}
	}
	own.ids, own.refCount = own.ids[:n], 0
	own.hash.reset()
	return own
}

// releaseIDs drops a chunk's reference to ids. When the last reference is dropped, it recycles the
// ids.
func (p *imagePool) releaseIDs(own *imageIDs) {
	if own == nil {
		return
	}
	if own.refCount--; own.refCount > 0 || own.sizeClass < 0 {
		return
	}
	_, bytes := sizeClassOf(8 * cap(own.ids))
	p.usedBytes -= bytes
	if p.idleBytes+bytes <= p.maxIdleBytes() {
		p.idleBytes += bytes
		p.freeIDs[own.sizeClass] = append(p.freeIDs[own.sizeClass], own)
	}
}

// freeList holds small values for reuse. It has functions instead of methods, because every package that
// imports ecs would compile the methods again.
type freeList[T any] []*T

// takeFree returns a value for the caller to fill in.
func takeFree[T any](s *freeList[T]) *T {
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

// giveFree takes a value back for reuse, unless the list has reached the limit that follows
// from kept, a number of bytes.
func giveFree[T any](s *freeList[T], one *T, kept int) {
	if len(*s) <= kept/256 {
		*s = append(*s, one)
	}
}

// newSpanRefs returns a counter for the number of spans that contain a chunk. The counters of many chunks
// are next to each other, because a Capture reads them when the chunks are not in the CPU's cache. The
// garbage collector frees such an array when all chunks that use it are gone.
func (p *imagePool) newSpanRefs() *int32 {
	if len(p.freeSpanRefs) == 0 {
		more := make([]int32, 16*spanChunks)
		for i := range more {
			p.freeSpanRefs = append(p.freeSpanRefs, &more[len(more)-1-i])
		}
	}
	last := len(p.freeSpanRefs) - 1
	hold := p.freeSpanRefs[last]
	p.freeSpanRefs[last], p.freeSpanRefs = nil, p.freeSpanRefs[:last]
	return hold
}

// recycleChunk recycles a chunk that no image uses any more.
func (p *imagePool) recycleChunk(c *chunkImage) {
	if !p.forBuilder {
		p.freeSpanRefs = append(p.freeSpanRefs, c.spanRefs)
	}
	for _, own := range c.columns {
		p.releaseColumn(own)
	}
	p.releaseIDs(c.idsOwner)
	clear(c.columns)
	*c = chunkImage{versions: c.versions[:0], throughVersions: c.throughVersions[:0], columns: c.columns[:0]}
	giveFree(&p.freeChunks, c, p.maxIdleBytes())
}

// releaseColumn drops a chunk's reference to a column. When the last reference is dropped, it
// recycles the column.
func (p *imagePool) releaseColumn(c *columnImage) {
	if c == nil {
		return
	}
	if c.refCount--; c.refCount > 0 {
		return
	}
	if c.laneData != nil {
		p.giveBytes(c.laneData)
	}
	if !p.forBuilder { // the blocks of a builder are not counted
		p.blockBytes -= bytesOfBlocks(c.bufferBlocks)
	}
	clear(c.bufferBlocks)
	on := c.enabledBits
	if on == nil {
		on = c.enabledMemory
	}
	c.laneData, c.bufferBlocks, c.enabledBits, c.managedValues, c.enabledMemory, c.placedLanes = nil, nil, nil, managedColumn{}, on[:0], nil
	c.hash.reset()
	giveFree(&p.freeColumns, c, p.maxIdleBytes())
}

// takeLists gives an image the emptied lists of a released image.
func (p *imagePool) takeLists(m *Image) {
	last := len(p.freeLists) - 1
	if last < 0 {
		return
	}
	f := p.freeLists[last]
	p.freeLists[last] = nil
	p.freeLists = p.freeLists[:last]
	m.lists = f
	m.archetypes, m.byID, m.freeIDs, m.spareChunkIDs, m.stores, m.namedHashes = f.archetypes[:0], f.byID[:0], f.freeIDs[:0], f.spareChunkIDs[:0], f.stores[:0], f.namedHashes[:0]
}

// giveLists takes back the lists of a released image.
func (p *imagePool) giveLists(m *Image) {
	for i := range m.archetypes {
		clear(m.archetypes[i].chunks)
		clear(m.archetypes[i].spans)
	}
	for i := range m.stores {
		clear(m.stores[i].values)
	}
	clear(m.byID)
	f := m.lists
	if f == nil {
		f = &imageLists{}
	}
	*f = imageLists{m.archetypes, m.byID, m.freeIDs, m.spareChunkIDs, m.stores, m.namedHashes}
	if len(p.freeLists) < 16 {
		p.freeLists = append(p.freeLists, f)
	}
}

// resizeSlice returns s with n elements. Elements up to the capacity keep their old contents, so that the lists
// in them are reused.
func resizeSlice[T any](s []T, n int) []T {
	if n > cap(s) {
		all := make([]T, n, n+n/4)
		copy(all, s[:cap(s)])
		return all
	}
	return s[:n]
}

// Images also share spans of chunks. In a span, the versions of all chunks are next to each other in
// memory, as they are in the archetype. If these versions are equal, Capture need not look at the
// chunks.

// imageSpan is a range of neighbours in the list of chunks of an archetype. It does not change after it
// was created, because several images share it.
type imageSpan struct {
	versions        []uint32           // of the columns of each chunk
	throughVersions []uint32           // for meta entities: versions of writes through chunks
	spanRefs        [spanChunks]*int32 // of the chunks
	refCount        int                // number of images with this span, under the lock of the pool
}

// newSpan creates a span of the present chunks of a. The argument chunks holds the images of these
// chunks. If the old span has the same chunk at the same index, newSpan copies the pointer to the
// chunk's counter from the old span. Reading the pointer from the chunk itself would cause a cache
// miss.
func (p *imagePool) newSpan(a *archetype, span int, chunks, before []*chunkImage, old *imageSpan) *imageSpan {
	s := takeFree(&p.freeSpans)
	s.versions, s.throughVersions, s.refCount = append(s.versions[:0], a.versionsOfSpan(span)...), s.throughVersions[:0], 1
	for i, c := range chunks {
		if old != nil && c == before[i] {
			s.spanRefs[i] = old.spanRefs[i]
		} else {
			s.spanRefs[i] = c.spanRefs
		}
		*s.spanRefs[i]++
	}
	if a.isMeta {
		for _, r := range chunksOfSpan(a.chunks, span) {
			s.throughVersions = append(s.throughVersions, r.throughVersions...)
		}
	}
	return s
}

// matches reports whether nothing wrote to the chunks of a since the span was created. The caller must know
// that the rows are the same.
func (s *imageSpan) matches(a *archetype, span int) bool {
	if !slices.Equal(s.versions, a.versionsOfSpan(span)) {
		return false
	}
	if a.isMeta {
		at := 0
		for _, r := range chunksOfSpan(a.chunks, span) {
			if !slices.Equal(s.throughVersions[at:at+len(r.throughVersions)], r.throughVersions) {
				return false
			}
			at += len(r.throughVersions)
		}
	}
	return true
}

// chunkMatches reports whether chunk i of a span is unchanged since the span was created. number is the number of
// the span in the archetype a. Except for meta entities, it reads only versions that are next to each other, and
// not the chunk. [chunkImage.matches] reads the chunk.
func (s *imageSpan) chunkMatches(i int, a *archetype, number int) bool {
	n := len(a.columns)
	for k, v := range a.versionsOfSpan(number)[i*n:][:n] {
		if s.versions[i*n+k] != v {
			return false
		}
	}
	return !a.isMeta || slices.Equal(s.throughVersions[i*n:][:n], a.chunks[number*spanChunks+i].throughVersions)
}

// releaseSpan drops an image's reference to a span. When the last reference is dropped, it releases
// the chunks.
func (p *imagePool) releaseSpan(s *imageSpan, chunks []*chunkImage) {
	if s.refCount--; s.refCount > 0 {
		return
	}
	for i, c := range chunks {
		if *s.spanRefs[i]--; *s.spanRefs[i] == 0 {
			p.recycleChunk(c)
		}
	}
	giveFree(&p.freeSpans, s, p.maxIdleBytes())
}

// copyPlan is the list of copies for a Capture, a Restore or a Fork. The copies are first listed and
// then made, so that all workers can share the work.
type copyPlan struct {
	byteCopies []bytesCopy
	idRanges   []idRange
	totalBytes int       // bytes in list
	idCount    int       // ids in idRanges
	entities   *entities // table for the idRanges

	copyRange, setRowsRange func(lo, hi int)
}

// bytesCopy is a copy of the rows of one lane, or of ids.
type bytesCopy struct{ to, from []byte }

// idRange holds the ids of the first rows of a chunk.
type idRange struct {
	ids     []Entity
	chunkID int32
}

// addBytes adds a copy of bytes to the list; the method run makes these copies.
func (c *copyPlan) addBytes(to, from []byte) {
	c.byteCopies = append(c.byteCopies, bytesCopy{to, from})
	c.totalBytes += len(to)
}

// addFromLanes lists n rows of lanes to be copied to bytes, one lane after the other.
func (c *copyPlan) addFromLanes(to []byte, p *table.Place, lanes []table.Lane, n int) {
	for len(lanes) > 0 {
		from, some := p.AdjacentBytes(lanes, n)
		c.addBytes(to[:len(from)], from)
		to, lanes = to[len(from):], lanes[some:]
	}
}

// addToLanes lists n rows of an image to be copied to lanes.
func (c *copyPlan) addToLanes(p *table.Place, lanes []table.Lane, n int, own *columnImage) {
	for i, lane := range own.placedLanes {
		c.addBytes(p.Bytes(lanes[i], 0, n), lane)
	}
	if own.placedLanes != nil {
		return
	}
	from := own.laneData // one lane follows the other
	for len(lanes) > 0 {
		to, some := p.AdjacentBytes(lanes, n)
		c.addBytes(to, from[:len(to)])
		from, lanes = from[len(to):], lanes[some:]
	}
}

// addIDs adds ids to the list; the method run sets their slots to rows of a chunk.
func (c *copyPlan) addIDs(t *entities, ids []Entity, record int32) {
	c.entities = t
	c.idRanges = append(c.idRanges, idRange{ids, record})
	c.idCount += len(ids)
}

// run makes the listed copies. The caller must hold no lock that a job takes, because a waiting worker
// may run any job meanwhile.
func (c *copyPlan) run(pool *jobs.Pool) {
	if c.copyRange == nil {
		c.copyRange = func(lo, hi int) {
			for _, one := range c.byteCopies[lo:hi] {
				copy(one.to, one.from)
			}
		}
		c.setRowsRange = func(lo, hi int) {
			for _, one := range c.idRanges[lo:hi] {
				c.entities.setFirstRows(one.ids, one.chunkID)
			}
		}
	}
	const worth, piece = 256 << 10, 64 << 10
	const each = 8 + 12 // bytes of an id, and of its slot
	if pool == nil || c.totalBytes < worth {
		c.copyRange(0, len(c.byteCopies))
	} else {
		parallelRanges(pool, len(c.byteCopies), max(1, len(c.byteCopies)*piece/c.totalBytes), c.copyRange)
	}
	if pool == nil || c.idCount*each < worth {
		c.setRowsRange(0, len(c.idRanges))
	} else {
		parallelRanges(pool, len(c.idRanges), 16, c.setRowsRange)
	}
	clear(c.byteCopies)
	clear(c.idRanges)
	c.byteCopies, c.idRanges, c.totalBytes, c.idCount, c.entities = c.byteCopies[:0], c.idRanges[:0], 0, 0, nil
}

// parallelRanges calls f for ranges of n things on all workers, or on this goroutine if the pool is closed.
func parallelRanges(pool *jobs.Pool, n, grain int, f func(lo, hi int)) {
	if pool.Range(n, grain, f) != nil {
		f(0, n)
	}
}
