package ecs

import (
	"fmt"
	"iter"
	"math/bits"
	"reflect"

	"github.com/lanewise/lanewise/chunk"
	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/soa"
)

// Chunk is one chunk as a query shows it to a loop or a job. It shows up to 16 KiB of rows of one
// archetype, and the columns for which the query asked. A SpanJob may get several neighbouring
// chunks that are joined into one Chunk. A Chunk is valid until the loop or the job continues with
// the next chunk, or until a structural change. If a program keeps a Chunk longer and calls a
// method of it, the method panics with an *Error of category ErrDisposed. A Chunk belongs to the
// goroutine that received it.
type Chunk struct {
	cursor
	index          int
	worker         int32      // worker that runs the job; -1 if the owner loops
	jobOrder       uint32     // position of the job among all jobs of the world
	task           *jobs.Task // task that runs the job; in an owner's loop nil until Task is called
	taskChunkIndex int        // in an owner's loop: index of the chunk for which task was set up
	rowMask        []uint64   // one bit for each row, set if the row matches; nil if all rows match
	maskMemory     []uint64   // memory for mask
	nestedChunk    *Chunk     // the same worker's next Chunk, for a job that runs inside a job that waits
	guardChunk
}

// Len returns the number of rows, including rows that do not match; see AllMatch.
func (c *Chunk) Len() int {
	if c.count < 0 {
		c.panicStale("Chunk.Len")
	}
	return c.count
}

// Index returns the position of the chunk among all chunks of the archetypes that the query
// matches, including the chunks that its filters skip. The index increases along a loop, and it
// does not depend on the number of workers. So a job can use it as an index into its own results.
func (c *Chunk) Index() int {
	if c.count < 0 {
		c.panicStale("Chunk.Index")
	}
	return c.index
}

// Entities returns the ids of the rows: element i is the entity of row i. The caller must not write
// the slice, because it is the chunk's own memory.
func (c *Chunk) Entities() []Entity {
	c.mustBeShown("Chunk.Entities")
	return rowRange{c.chunk, c.firstRow, c.count}.ids() // the ids of joined chunks are next to each other in memory
}

// Task returns the task that processes the chunk. The task's methods have these meanings for a
// chunk. Task.Worker returns different numbers for chunks that are processed at the same time.
// Task.Scratch returns memory that is valid until the chunk is done. Jobs that are scheduled
// through the task are its children. In a loop of the owner, the task belongs to the calling
// goroutine (see [jobs.Pool.Sit]). So the same code works in Run and in ParallelFor. The task is
// valid until the chunk is done. Task does not allocate in the steady state.
func (c *Chunk) Task() *jobs.Task {
	c.mustBeShown("Chunk.Task")
	if c.worker < 0 {
		c.beginTask()
	}
	return c.task
}

// beginTask creates a task for the current chunk of an owner's loop.
func (c *Chunk) beginTask() {
	if c.task == nil {
		c.task, c.taskChunkIndex = c.world.gate.workerPool().Sit(), -1
	}
	if c.taskChunkIndex != c.index {
		c.task.NextBlock(c.index)
		c.taskChunkIndex = c.index
	}
}

// endTask ends the task of an owner's loop, if there is one.
func (c *Chunk) endTask() {
	if c.task != nil {
		c.task.Rise()
		c.task = nil
	}
}

// Archetype returns the archetype of the rows.
func (c *Chunk) Archetype() Archetype {
	c.mustBeShown("Chunk.Archetype")
	return Archetype{c.chunk.arch}
}

// AllMatch reports whether every row matches the query, so that kernels may process whole columns.
// AllMatch returns false if some rows have an [Enableable] component that is off. In that case, use
// Rows, Runs or Mask.
func (c *Chunk) AllMatch() bool {
	if c.count < 0 {
		c.panicStale("Chunk.AllMatch")
	}
	return c.rowMask == nil
}

// Rows yields the indices of the rows that match, in increasing order.
func (c *Chunk) Rows() iter.Seq[int] {
	return func(yield func(int) bool) {
		if c.rowMask != nil {
			c.maskedRows(yield)
			return
		}
		if c.count < 0 {
			c.panicStale("Chunk.Rows")
		}
		for i := range c.count {
			if !yield(i) {
				return
			}
		}
	}
}

// Runs yields the longest ranges [lo, hi) of matching rows, in increasing order. Use these ranges
// to call kernels with parts of the columns.
func (c *Chunk) Runs() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		if c.rowMask != nil {
			c.maskedRuns(yield)
			return
		}
		if c.count > 0 {
			yield(0, c.count)
		} else if c.count < 0 {
			c.panicStale("Chunk.Runs")
		}
	}
}

// HasColumn reports whether the rows have a component T. Use it for components that the query named
// with AnyOf or Optional, or did not name.
func HasColumn[T any](c *Chunk) bool {
	c.mustBeShown("HasColumn")
	return c.chunk.arch.findColumn(keyOf[T]()) >= 0
}

// ChangedSince reports whether any code got write access to T in the chunk after the version
// since. World.Version and Scheduler.EndUpdate return such versions, and version 0 is before
// every change. ChangedSince returns false if the rows have no T. The answer is for the whole
// chunk, and write access counts even if no value changed.
func ChangedSince[T any](c *Chunk, since uint32) bool {
	c.mustBeShown("ChangedSince")
	i := c.chunk.arch.findColumn(keyOf[T]())
	if i < 0 {
		return false
	}
	for _, l := range c.joinedChunks {
		if changedSince(l.chunk.changedAt(i), since) {
			return true
		}
	}
	return changedSince(c.chunk.changedAt(i), since)
}

// OrderChangedSince reports whether rows of the chunk were added or removed after version since.
func (c *Chunk) OrderChangedSince(since uint32) bool {
	c.mustBeShown("Chunk.OrderChangedSince")
	for _, l := range c.joinedChunks {
		if changedSince(l.chunk.orderVersion, since) {
			return true
		}
	}
	return changedSince(c.chunk.orderVersion, since)
}

// hide marks c as not in use, so that its methods panic. The memory of c stays, because the next
// loop fills it again.
func (c *Chunk) hide() {
	c.world, c.bindings, c.rowMask, c.task, c.joinedChunks, c.count = nil, nil, nil, nil, nil, -1
}

// showRows sets c to a range of rows of an archetype that the query matches.
func (c *Chunk) showRows(m *match, s rowRange, index int) {
	c.bindings = firstBinding(m.bindings)
	c.pointTo(s, index)
}

// pointTo sets c to other rows, perhaps of another chunk of the same archetype.
func (c *Chunk) pointTo(s rowRange, index int) {
	c.chunk, c.base, c.versions = s.chunk, s.chunk.Base, firstVersion(s.chunk.versions)
	c.firstRow, c.count, c.index = s.first, s.count, index
}

// dropRefs drops the pointers of c into chunks, so that c does not keep freed memory alive. It does
// nothing while c is shown.
func (c *Chunk) dropRefs() {
	if c.count < 0 {
		clear(c.viewHeaders)
		c.chunk, c.base, c.versions = nil, table.Base{}, nil
	}
}

// Mask returns one bit for each row, which is set if the row matches. Row i is bit i%64 of word
// i/64, as in the masks of package kernels. Bits after the last row are 0. The slice is valid until
// the loop or the job continues with the next chunk. Mask does not allocate in the steady state.
func (c *Chunk) Mask() []uint64 {
	c.mustBeShown("Chunk.Mask")
	if c.rowMask != nil {
		return c.rowMask
	}
	mask := c.maskScratch()[:wordsFor(c.count)]
	for i := range mask {
		mask[i] = lowBits(min(64, c.count-64*i))
	}
	return mask
}

// MatchCount returns the number of rows that match. It equals Len if AllMatch.
func (c *Chunk) MatchCount() int {
	if c.rowMask == nil {
		if c.count < 0 {
			c.panicStale("Chunk.MatchCount")
		}
		return c.count
	}
	n := 0
	for _, v := range c.rowMask {
		n += bits.OnesCount64(v)
	}
	return n
}

// maskScratch returns memory for the bits of all rows.
func (c *Chunk) maskScratch() []uint64 {
	if n := max(maskWords, wordsFor(c.count)); len(c.maskMemory) < n { // joined chunks have more rows than maskWords covers
		c.maskMemory = make([]uint64, n)
	}
	return c.maskMemory
}

// filterRows computes the mask of the matching rows, and reports whether there are any.
func (c *Chunk) filterRows(m *match) bool {
	mask, n := m.rowFilter.passingRows(c.chunk, c.maskScratch())
	c.rowMask = mask
	return n > 0
}

// maskedRows yields the rows whose bits are set in the mask.
func (c *Chunk) maskedRows(yield func(int) bool) {
	for i, v := range c.rowMask {
		for ; v != 0; v &= v - 1 {
			if !yield(i<<6 + bits.TrailingZeros64(v)) {
				return
			}
		}
	}
}

// maskedRuns yields the ranges of rows whose bits are set in the mask.
func (c *Chunk) maskedRuns(yield func(int, int) bool) {
	for lo, hi := nextRun(c.rowMask, 0, c.count); lo < c.count; lo, hi = nextRun(c.rowMask, hi, c.count) {
		if !yield(lo, hi) {
			return
		}
	}
}

// cursor is the part of a Chunk that shows columns. It holds the chunk to which it points and the
// views into the chunk's memory. A cursor knows which columns the query may read and write. It
// knows nothing about matching rows, loops and jobs.
type cursor struct {
	world             *World
	chunk             *chunkData
	base              table.Base
	versions          *uint32        // the first of the versions of the chunk's columns; scratch memory for joined chunks
	bindings          *columnBinding // the first of the match's bindings; nil if there are none
	firstRow, count   int            // count is -1 while the chunk is not shown
	joinedChunks      []queryChunk   // chunks whose rows follow those of chunk; see SpanJob
	structuralVersion uint32
	changeVersion     uint32 // the version with which written columns are marked
	viewHeaders       []soa.Header
	joinedVersions    []uint32 // scratch memory: the versions that c uses for joined chunks
}

// mustBeShown panics if the Chunk is no longer shown, or if a structural change has made it stale.
func (c *cursor) mustBeShown(op string) {
	if c.world == nil || c.structuralVersion != c.world.gate.structuralVersion {
		c.panicStale(op)
	}
}

func (c *cursor) panicStale(op string) {
	if c.world == nil {
		panic(fault(ErrDisposed, op, "the chunk is not one that a query shows: its loop is over"))
	}
	panic(c.world.gate.fault(ErrDisposed, op, "a structural change has ended the life of this chunk: ask the query again"))
}

// fillManaged makes a view refer to n rows of a managed column.
func (c *cursor) fillManaged(b *columnBinding, v *soa.Header, n int) {
	*v = managedHeader(c.chunk.managedColumns[c.chunk.arch.columns[b.column].managedIndex].sliceValue, c.firstRow, n)
}

// joinChunks adds the rows of other chunks after those of c. The caller has already included these
// rows in n.
func (c *cursor) joinChunks(more []queryChunk) {
	c.joinedChunks = more
	n := len(c.chunk.versions)
	if cap(c.joinedVersions) < n {
		c.joinedVersions = make([]uint32, n)
	}
	own := c.joinedVersions[:n]
	clear(own) // zero is older than every version, so the first access to a column marks all chunks
	c.versions = firstVersion(own)
}

// markJoined marks a column as written in all chunks that c shows.
func (c *cursor) markJoined(b *columnBinding) {
	c.chunk.mark(int(b.column), c.changeVersion)
	for _, l := range c.joinedChunks {
		l.chunk.mark(int(b.column), c.changeVersion)
	}
	if len(c.joinedChunks) > 0 {
		*versionAt(c.versions, b.column) = c.changeVersion
	}
}

// locateRow returns the chunk that holds the given row of c, and the row's index there.
func (c *cursor) locateRow(row int) (*chunkData, int) {
	if row += c.firstRow; row < c.chunk.count || len(c.joinedChunks) == 0 {
		return c.chunk, row
	}
	n := c.chunk.count // all chunks are full except for the last one
	return c.joinedChunks[row/n-1].chunk, row % n
}

// enabledBitsOf returns the bits of an enableable column: bit i belongs to row i. For joined
// chunks it allocates a copy, because the bits of each chunk start at a new word.
func (c *cursor) enabledBitsOf(bit int) []uint64 {
	if len(c.joinedChunks) == 0 {
		return c.chunk.enabledBits[bit].appendView(c.firstRow, c.count, c.chunk.count)
	}
	own := enabledBitset{words: make([]uint64, wordsFor(c.count))} // of joined chunks
	own.copyBits(0, &c.chunk.enabledBits[bit], 0, c.chunk.count)
	n := c.chunk.count
	for _, l := range c.joinedChunks {
		own.copyBits(n, &l.chunk.enabledBits[bit], 0, l.chunk.count)
		n += l.chunk.count
	}
	return own.words
}

// Columned is a component type that determines its view with a method Column. V is a slice, or a
// struct of slices whose fields match the component's fields by name and element type. The view may
// contain only some of the fields, in any order. Programs do not call the method; only its result
// type matters.
//
//	func (Position) Column() (c kernels.Vec3s[float32]) { return }
//
// An embedded marker such as [Enableable] is not a field of the column. So the view of a component with
// a marker and one other field may be a single slice.
type Columned[V any] interface{ Column() V }

// Column returns the column of component T in the chunk. The type of the view is the result type of
// T's method Column. Each slice of the view has Len elements, and element i belongs to row i. The
// view is filled in place. The view is valid until the loop or the job continues with the next
// chunk, and its slices are valid until the next structural change. Column does not allocate, and
// it is fast enough to be called once for every chunk.
//
// A loop should assign the slices to variables and cut them to one length. Go then keeps their
// addresses in registers and does not check indices:
//
//	p, n := ecs.Column[Position](c), c.Len()
//	x, y := p.X[:n], p.Y[:n]
//	for i := range n {
//		x[i], y[i] = y[i], x[i]
//	}
//
// If the query asked to Write T, Column marks T as changed in the chunk, whether or not the caller
// writes to it. Column panics with an *Error if the query did not ask to Read or Write T. Column
// also panics if the query uses Optional or AnyOf and this chunk has no T.
func Column[T Columned[V], V any](c *Chunk) *V { return (*V)(c.column(keyOf[T]())) }

// column is called for every column of every chunk, so it contains only the common case and reads
// each field only once. Functions that are not inlined handle the rare cases.
func (c *cursor) column(k key) address {
	b := c.bindings
	for b != nil && b.key != k {
		b = b.next
	}
	if b == nil || c.structuralVersion != c.world.gate.structuralVersion {
		panic(c.deniedError("Column", k.nilPointer()))
	}
	if b.write && loadVersion(versionAt(c.versions, b.column)) != c.changeVersion {
		switch {
		case len(c.joinedChunks) > 0:
			c.markJoined(b)
		case b.concurrentWrite:
			c.chunk.mark(int(b.column), c.changeVersion)
		default:
			c.chunk.markSoleWriter(int(b.column), c.changeVersion)
		}
	}
	v := headerAt(c.viewHeaders, b.viewIndex)
	if b.viewKind != viewThreeLanes {
		return address(c.fillView(b, v, c.count))
	}
	// The code computes all three pointers first and stores them together, because the compiler
	// then checks only once whether the garbage collector needs a write barrier.
	n, h := c.count, threeHeaders(v)
	x, y, z := c.base.ThreeLanes(b.firstLane, uint32(c.firstRow)*b.rowBytes)
	h[0].Data, h[1].Data, h[2].Data = x, y, z
	h[0].Len, h[1].Len, h[2].Len = n, n, n
	h[0].Cap, h[1].Cap, h[2].Cap = n, n, n
	return address(v)
}

// ColumnPadded returns the column as Column does, but extends each slice to the next multiple of 16
// rows, as far as the chunk has memory. So a kernel needs no scalar loop for the last rows. The
// caller may write to the extra rows, whose values are arbitrary.
func ColumnPadded[T Columned[V], V any](c *Chunk) *V { return viewAt[V](c.paddedColumn((*T)(nil))) }

// ReadColumn returns the column as Column does, but for reading only: it does not mark T as
// changed.
func ReadColumn[T Columned[V], V any](c *Chunk) *V { return viewAt[V](c.readOnlyColumn((*T)(nil))) }

func (c *cursor) paddedColumn(p any) *soa.Header {
	b := c.bindingOf("ColumnPadded", p)
	if b.write {
		c.markJoined(b)
	}
	n := c.count
	if last := len(c.joinedChunks) - 1; last >= 0 {
		r := c.joinedChunks[last].chunk
		n += chunk.RowsPadded(r.count, r.arch.capacity) - r.count
	} else if c.firstRow+c.count == c.chunk.count {
		n = chunk.RowsPadded(c.chunk.count, c.chunk.arch.capacity) - c.firstRow
	}
	return c.fillView(b, &c.viewHeaders[b.viewIndex], n)
}

func (c *cursor) readOnlyColumn(p any) *soa.Header {
	b := c.bindingOf("ReadColumn", p)
	return c.fillView(b, &c.viewHeaders[b.viewIndex], c.count)
}

// bindingOf returns the binding of the component type that p points to. bindingOf panics if the query
// did not ask for that component.
func (c *cursor) bindingOf(op string, p any) *columnBinding {
	c.mustBeShown(op)
	k := pointerKey(p)
	for b := c.bindings; b != nil; b = b.next {
		if b.key == k {
			return b
		}
	}
	panic(c.deniedError(op, p))
}

// fillView makes a view refer to n rows of a column. v is the first slice header of the view;
// fillView returns v.
func (c *cursor) fillView(b *columnBinding, v *soa.Header, n int) *soa.Header {
	l := table.Lane{Index: b.firstLane, Size: b.rowBytes}
	switch b.viewKind {
	case viewOneLane:
		*v = c.header(l, n)
	case viewThreeLanes:
		h := threeHeaders(v)
		for i := range h {
			h[i] = c.header(table.Lane{Index: l.Index + uint32(i), Size: l.Size}, n)
		}
	case viewFourLanes:
		h := fourHeaders(v)
		for i := range h {
			h[i] = c.header(table.Lane{Index: l.Index + uint32(i), Size: l.Size}, n)
		}
	case viewAnyLanes:
		for j, l := range b.lanes {
			c.viewHeaders[int(b.viewIndex)+j] = c.header(l, n)
		}
	case viewManaged:
		c.fillManaged(b, v, n)
	case viewBuffers:
		*v = buffersHeader(c, n, b)
	}
	return v
}

// deniedError returns the error that explains why the chunk does not show the component to which p
// points.
func (c *cursor) deniedError(op string, p any) error {
	c.mustBeShown(op)
	t := reflect.TypeOf(p).Elem()
	k := pointerKey(p)
	for b := c.bindings; b != nil; b = b.next {
		if b.comp.key == k {
			return c.missingError(t, op, "this chunk has none: ask HasColumn first")
		}
	}
	if i := c.chunk.arch.findColumn(k); i >= 0 {
		return c.missingError(t, op, "the query did not declare access to it: add Read or Write to its terms")
	}
	return c.missingError(t, op, "the query did not ask for it, and the chunk has none: it has %v", c.chunk.arch)
}

// missingError returns an error about component t that names the world and the system.
func (c *cursor) missingError(t reflect.Type, op, text string, args ...any) *Error {
	e := c.world.gate.fault(ErrState, op, text, args...)
	e.Component = fullName(t)
	return e
}

// SharedValue returns the value of the shared component T, which is the same for all rows of the chunk.
// SharedValue panics with an *Error if the chunk has no T.
func SharedValue[T comparable](c *Chunk) T {
	c.mustBeShown("SharedValue")
	a := c.chunk.arch
	i := a.findColumn(keyOf[T]())
	if i < 0 || a.columns[i].sharedIndex < 0 {
		panic(c.missingError(reflect.TypeFor[T](), "SharedValue", "the chunk has no such shared component, it has %v", a))
	}
	return (*a.sharedStores[a.columns[i].sharedIndex].published.Load())[c.chunk.group.valueIndices[a.columns[i].sharedIndex]].(T)
}

// String returns the chunk's index, its components and its number of rows.
func (c *Chunk) String() string {
	switch {
	case c == nil:
		return "<nil>"
	case c.count < 0 || c.chunk == nil:
		return "a chunk whose loop or job is over"
	}
	return fmt.Sprintf("chunk %d of %v: %s", c.index, c.chunk.arch, plural(c.count, "row", "rows"))
}
