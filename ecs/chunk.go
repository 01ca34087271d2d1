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

// Chunk is one chunk as a query shows it to a loop or a job: up to 16 KiB of rows of one archetype,
// and the columns that the query asked for. A SpanJob may get several neighbouring chunks joined
// into one. A Chunk is valid until the loop or the job goes on to the next one, or until a
// structural change. A method of a Chunk that was kept longer panics with an *Error of category
// ErrDisposed. A Chunk belongs to the goroutine that got it.
type Chunk struct {
	cursor
	index  int
	worker int32      // worker that runs the job; -1 if the owner loops
	order  uint32     // position of the job among all jobs of the world
	task   *jobs.Task // task that runs the job; in an owner's loop nil until Task is called
	tasked int        // in an owner's loop: index of the chunk for which task was set up
	mask   []uint64   // one bit for each row, set if the row matches; nil if all rows match
	bits   []uint64   // memory for mask
	inner  *Chunk     // the same worker's next Chunk, for a job that runs inside a job that waits
	guardChunk
}

// Len returns the number of rows, including those that do not match; see AllMatch.
func (c *Chunk) Len() int {
	if c.n < 0 {
		c.stale("Chunk.Len")
	}
	return c.n
}

// Index returns the place of the chunk among all chunks of the archetypes that the query matches,
// including those that its filters skip. It increases along a loop, and it does not depend on the
// number of workers, so that a job can use it as an index into its own results.
func (c *Chunk) Index() int {
	if c.n < 0 {
		c.stale("Chunk.Index")
	}
	return c.index
}

// Entities returns the ids of the rows: element i is the entity of row i. The caller must not write
// the slice, because it is the chunk's own memory.
func (c *Chunk) Entities() []Entity {
	c.check("Chunk.Entities")
	return span{c.rec, c.first, c.n}.ids() // the ids of joined chunks are next to each other in memory
}

// Task returns the task that processes the chunk. Worker of the task tells apart chunks that are
// processed at the same time. Scratch returns memory that is valid until the chunk is done. Jobs
// that are scheduled through the task are its children. In a loop of the owner it is a task of the
// calling goroutine (see [jobs.Pool.Sit]), so that the same code works in Run and in ParallelFor.
// The task is valid until the chunk is done. Task does not allocate in the steady state.
func (c *Chunk) Task() *jobs.Task {
	c.check("Chunk.Task")
	if c.worker < 0 {
		c.sit()
	}
	return c.task
}

// sit gives an owner's loop a task for the current chunk.
func (c *Chunk) sit() {
	if c.task == nil {
		c.task, c.tasked = c.world.gate.workers().Sit(), -1
	}
	if c.tasked != c.index {
		c.task.NextBlock(c.index)
		c.tasked = c.index
	}
}

// rise ends the task of an owner's loop, if there is one.
func (c *Chunk) rise() {
	if c.task != nil {
		c.task.Rise()
		c.task = nil
	}
}

// Archetype returns the archetype of the rows.
func (c *Chunk) Archetype() Archetype {
	c.check("Chunk.Archetype")
	return Archetype{c.rec.arch}
}

// AllMatch reports whether every row matches the query, so that kernels may process whole columns.
// It is false if some rows have an [Enableable] component that is off; then use Rows, Runs or Mask.
func (c *Chunk) AllMatch() bool {
	if c.n < 0 {
		c.stale("Chunk.AllMatch")
	}
	return c.mask == nil
}

// Rows yields the indices of the rows that match, in increasing order.
func (c *Chunk) Rows() iter.Seq[int] {
	return func(yield func(int) bool) {
		if c.mask != nil {
			c.maskedRows(yield)
			return
		}
		if c.n < 0 {
			c.stale("Chunk.Rows")
		}
		for i := range c.n {
			if !yield(i) {
				return
			}
		}
	}
}

// Runs yields the longest ranges [lo, hi) of rows that match, in increasing order. Use them to call
// kernels with parts of the columns.
func (c *Chunk) Runs() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		if c.mask != nil {
			c.maskedRuns(yield)
			return
		}
		if c.n > 0 {
			yield(0, c.n)
		} else if c.n < 0 {
			c.stale("Chunk.Runs")
		}
	}
}

// HasColumn reports whether the rows have a component T. It is for components that the query named
// with AnyOf or Optional, or not at all.
func HasColumn[T any](c *Chunk) bool {
	c.check("HasColumn")
	return c.rec.arch.find(keyOf[T]()) >= 0
}

// ChangedSince reports whether any code got write access to T in the chunk after version since.
// World.Version and the end of an update return such versions; 0 is before every change. It is
// false if the rows have no T. The answer is per chunk, and write access counts even if no value
// changed.
func ChangedSince[T any](c *Chunk, since uint32) bool {
	c.check("ChangedSince")
	i := c.rec.arch.find(keyOf[T]())
	if i < 0 {
		return false
	}
	for _, l := range c.more {
		if changedSince(l.rec.changedAt(i), since) {
			return true
		}
	}
	return changedSince(c.rec.changedAt(i), since)
}

// OrderChangedSince reports whether rows of the chunk were added or removed after version since.
func (c *Chunk) OrderChangedSince(since uint32) bool {
	c.check("Chunk.OrderChangedSince")
	for _, l := range c.more {
		if changedSince(l.rec.order, since) {
			return true
		}
	}
	return changedSince(c.rec.order, since)
}

// end marks c as not shown. Its memory stays, because the next loop fills it again.
func (c *Chunk) end() {
	c.world, c.binds, c.mask, c.task, c.more, c.n = nil, nil, nil, nil, nil, -1
}

// show sets c to a span of rows of an archetype that the query matches.
func (c *Chunk) show(m *match, s span, index int) {
	c.binds = m.binds
	c.point(s, index)
}

// point sets c to other rows of the same archetype.
func (c *Chunk) point(s span, index int) {
	c.rec, c.base, c.versions = s.rec, s.rec.Base, s.rec.versions
	c.first, c.n, c.index = s.first, s.n, index
}

// forget drops the pointers of c into chunks, so that it does not keep freed memory alive. It does
// nothing while c is shown.
func (c *Chunk) forget() {
	if c.n < 0 {
		clear(c.views)
		c.rec, c.base, c.versions = nil, table.Base{}, nil
	}
}

// Mask returns one bit for each row, set if the row matches: row i is bit i%64 of word i/64, as the
// masks of package kernels. Bits after the last row are 0. The slice is valid until the loop or the
// job goes on to the next chunk, and Mask does not allocate in the steady state.
func (c *Chunk) Mask() []uint64 {
	c.check("Chunk.Mask")
	if c.mask != nil {
		return c.mask
	}
	mask := c.scratch()[:wordsFor(c.n)]
	for i := range mask {
		mask[i] = lowBits(min(64, c.n-64*i))
	}
	return mask
}

// MatchCount returns the number of rows that match. It equals Len if AllMatch.
func (c *Chunk) MatchCount() int {
	if c.mask == nil {
		if c.n < 0 {
			c.stale("Chunk.MatchCount")
		}
		return c.n
	}
	n := 0
	for _, v := range c.mask {
		n += bits.OnesCount64(v)
	}
	return n
}

// scratch returns memory for the bits of all rows.
func (c *Chunk) scratch() []uint64 {
	if n := max(maskWords, wordsFor(c.n)); len(c.bits) < n { // joined chunks have more rows than maskWords covers
		c.bits = make([]uint64, n)
	}
	return c.bits
}

// filterRows computes the mask of the rows that match, and reports whether there are any.
func (c *Chunk) filterRows(m *match) bool {
	mask, n := m.rows.rows(c.rec, c.scratch())
	c.mask = mask
	return n > 0
}

// maskedRows yields the rows whose bits are set in the mask.
func (c *Chunk) maskedRows(yield func(int) bool) {
	for i, v := range c.mask {
		for ; v != 0; v &= v - 1 {
			if !yield(i<<6 + bits.TrailingZeros64(v)) {
				return
			}
		}
	}
}

// maskedRuns yields the ranges of rows whose bits are set in the mask.
func (c *Chunk) maskedRuns(yield func(int, int) bool) {
	for lo, hi := nextRun(c.mask, 0, c.n); lo < c.n; lo, hi = nextRun(c.mask, hi, c.n) {
		if !yield(lo, hi) {
			return
		}
	}
}

// cursor is the part of a Chunk that shows columns: the chunk it points to and the views into its
// memory. It knows which columns the query may read and write. It does not know which rows match,
// and it knows no loops and jobs.
type cursor struct {
	world      *World
	rec        *record
	base       table.Base
	versions   []uint32 // versions of rec's columns; scratch memory for joined chunks
	binds      []bind
	first, n   int      // n is -1 while the chunk is not shown
	more       []listed // chunks whose rows follow those of rec; see SpanJob
	structural uint32
	version    uint32 // the version with which written columns are marked
	views      []soa.Header
	unmarked   []uint32 // scratch memory: the versions that c uses for joined chunks
}

// check panics if the Chunk is not shown any more, or if a structural change has made it stale.
func (c *cursor) check(op string) {
	if c.world == nil || c.structural != c.world.gate.structural {
		c.stale(op)
	}
}

func (c *cursor) stale(op string) {
	if c.world == nil {
		panic(fault(ErrDisposed, op, "the chunk is not one that a query shows: its loop is over"))
	}
	panic(c.world.gate.fault(ErrDisposed, op, "a structural change has ended the life of this chunk: ask the query again"))
}

// fillObjects points a view at n rows of a managed column.
func (c *cursor) fillObjects(b *bind, v *soa.Header, n int) {
	*v = objectsHeader(c.rec.objects[c.rec.arch.columns[b.column].object].rows, c.first, n)
}

// join adds the rows of other chunks after those of c. The caller has counted them in n already.
func (c *cursor) join(more []listed) {
	c.more = more
	n := len(c.rec.versions)
	if cap(c.unmarked) < n {
		c.unmarked = make([]uint32, n)
	}
	c.versions = c.unmarked[:n]
	clear(c.versions) // zero is older than every version, so the first access to a column marks all chunks
}

// markRun marks a column as written in all chunks that c shows.
func (c *cursor) markRun(b *bind) {
	c.rec.mark(int(b.column), c.version)
	for _, l := range c.more {
		l.rec.mark(int(b.column), c.version)
	}
	if len(c.more) > 0 {
		c.versions[b.column] = c.version
	}
}

// place returns the chunk that holds the given row of c, and the row's index there.
func (c *cursor) place(row int) (*record, int) {
	if row += c.first; row < c.rec.n || len(c.more) == 0 {
		return c.rec, row
	}
	n := c.rec.n // rec is full, and so are the others except for the last one
	return c.more[row/n-1].rec, row % n
}

// switchesOf returns the bits of an enableable column, one for each row. For joined chunks it
// allocates a copy, because each chunk starts at a new word.
func (c *cursor) switchesOf(bit int) []uint64 {
	if len(c.more) == 0 {
		return c.rec.switches[bit].show(c.first, c.n, c.rec.n)
	}
	own := switches{words: make([]uint64, wordsFor(c.n))} // of joined chunks
	own.copy(0, &c.rec.switches[bit], 0, c.rec.n)
	n := c.rec.n
	for _, l := range c.more {
		own.copy(n, &l.rec.switches[bit], 0, l.rec.n)
		n += l.rec.n
	}
	return own.words
}

// Columned is a component type that names its view with a method Column. V is a slice, or a struct
// of slices whose fields match the component's fields by name and element type. The view may
// contain a part of the fields, in any order. Programs do not call the method; only its result type
// matters.
//
//	func (Position) Column() (c kernels.Vec3s[float32]) { return }
type Columned[V any] interface{ Column() V }

// Column returns the column of component T in the chunk, as the view that T's method Column names.
// Each slice of the view has Len elements, and element i belongs to row i. The view is filled in
// place: it is valid until the loop or the job goes on to the next chunk, and its slices until the
// next structural change. Column does not allocate, and is cheap enough to call once for every
// chunk.
//
// If the query asked to Write T, Column marks T as changed in the chunk, whether or not the caller
// writes. It panics with an *Error if the query did not ask to Read or Write T, or if the query
// uses Optional or AnyOf and this chunk has no T.
func Column[T Columned[V], V any](c *Chunk) *V { return (*V)(c.column(keyOf[T]())) }

// column is called for every column of every chunk, so it contains only the common case and reads
// each field once. Rare cases are in functions that are not inlined.
func (c *cursor) column(k key) address {
	b := firstBind(c.binds)
	for b != nil && b.key != k {
		b = b.next
	}
	if b == nil || c.structural != c.world.gate.structural {
		panic(c.denied("Column", k.nilPointer()))
	}
	if b.write && loadVersion(versionAt(c.versions, b.column)) != c.version {
		switch {
		case len(c.more) > 0:
			c.markRun(b)
		case b.shared:
			c.rec.mark(int(b.column), c.version)
		default:
			c.rec.markOwn(int(b.column), c.version)
		}
	}
	v := headerAt(c.views, b.view)
	if b.shape != shapeThree {
		return address(c.fill(b, v, c.n))
	}
	// The code computes all three pointers first and stores them together, because the compiler
	// then checks only once whether the garbage collector needs a write barrier.
	n, h := c.n, three(v)
	x, y, z := c.base.Three(b.lane, uint32(c.first)*b.size)
	h[0].Data, h[1].Data, h[2].Data = x, y, z
	h[0].Len, h[1].Len, h[2].Len = n, n, n
	h[0].Cap, h[1].Cap, h[2].Cap = n, n, n
	return address(v)
}

// ColumnPadded returns the column as Column does, but extends each slice from Len to the next
// multiple of 16, as far as the chunk has memory. So a kernel needs no scalar tail. The caller may
// write the extra rows, whose values are arbitrary.
func ColumnPadded[T Columned[V], V any](c *Chunk) *V { return viewAt[V](c.padded((*T)(nil))) }

// ReadColumn returns the column as Column does, but for reading only: it does not mark T as
// changed.
func ReadColumn[T Columned[V], V any](c *Chunk) *V { return viewAt[V](c.peek((*T)(nil))) }

func (c *cursor) padded(p any) *soa.Header {
	b := c.bind("ColumnPadded", p)
	if b.write {
		c.markRun(b)
	}
	n := c.n
	if last := len(c.more) - 1; last >= 0 {
		r := c.more[last].rec
		n += chunk.RowsPadded(r.n, r.arch.capacity) - r.n
	} else if c.first+c.n == c.rec.n {
		n = chunk.RowsPadded(c.rec.n, c.rec.arch.capacity) - c.first
	}
	return c.fill(b, &c.views[b.view], n)
}

func (c *cursor) peek(p any) *soa.Header {
	b := c.bind("ReadColumn", p)
	return c.fill(b, &c.views[b.view], c.n)
}

// bind returns the binding of the component type that p points to. It panics if the query did not
// ask for it.
func (c *cursor) bind(op string, p any) *bind {
	c.check(op)
	k := pointerKey(p)
	for i := range c.binds {
		if c.binds[i].key == k {
			return &c.binds[i]
		}
	}
	panic(c.denied(op, p))
}

// fill points a view at n rows of a column. v is the first slice header of the view; fill returns
// it.
func (c *cursor) fill(b *bind, v *soa.Header, n int) *soa.Header {
	l := table.Lane{Index: b.lane, Size: b.size}
	switch b.shape {
	case shapeOne:
		*v = c.header(l, n)
	case shapeThree:
		h := three(v)
		for i := range h {
			h[i] = c.header(table.Lane{Index: l.Index + uint32(i), Size: l.Size}, n)
		}
	case shapeFour:
		h := four(v)
		for i := range h {
			h[i] = c.header(table.Lane{Index: l.Index + uint32(i), Size: l.Size}, n)
		}
	case shapeAny:
		for j, l := range b.lanes {
			c.views[int(b.view)+j] = c.header(l, n)
		}
	case shapeObjects:
		c.fillObjects(b, v, n)
	case shapeBuffers:
		*v = buffersHeader(c, n, b)
	}
	return v
}

// denied returns the error that says why the chunk does not show the component that p points to.
func (c *cursor) denied(op string, p any) error {
	c.check(op)
	t := reflect.TypeOf(p).Elem()
	k := pointerKey(p)
	for i := range c.binds {
		if c.binds[i].comp.key == k {
			return c.missing(t, op, "this chunk has none: ask HasColumn first")
		}
	}
	if i := c.rec.arch.find(k); i >= 0 {
		return c.missing(t, op, "the query did not declare access to it: add Read or Write to its terms")
	}
	return c.missing(t, op, "the query did not ask for it, and the chunk has none: it has %v", c.rec.arch)
}

// missing returns an error about component t that names the world and the system.
func (c *cursor) missing(t reflect.Type, op, text string, args ...any) *Error {
	e := c.world.gate.fault(ErrState, op, text, args...)
	e.Component = fullName(t)
	return e
}

// SharedValue returns the value of the shared component T that all rows of the chunk have. It panics with
// an *Error if the chunk has no T.
func SharedValue[T comparable](c *Chunk) T {
	c.check("SharedValue")
	a := c.rec.arch
	i := a.find(keyOf[T]())
	if i < 0 || a.columns[i].shared < 0 {
		panic(c.missing(reflect.TypeFor[T](), "SharedValue", "the chunk has no such shared component, it has %v", a))
	}
	return (*a.stores[a.columns[i].shared].shown.Load())[c.rec.group.values[a.columns[i].shared]].(T)
}

// String returns the chunk's index, its components and its number of rows.
func (c *Chunk) String() string {
	switch {
	case c == nil:
		return "<nil>"
	case c.n < 0 || c.rec == nil:
		return "a chunk whose loop or job is over"
	}
	return fmt.Sprintf("chunk %d of %v: %s", c.index, c.rec.arch, plural(c.n, "row", "rows"))
}
