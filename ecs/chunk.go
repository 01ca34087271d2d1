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

// Chunk is a chunk as a query shows it: a run of rows of one archetype, and the
// columns that the query asked for. It is good until the loop or the job goes
// on to the next one, and not after a structural change. One that is kept until the
// loop or the job is over refuses everything: it panics with an *Error of category
// ErrDisposed.
type Chunk struct {
	cursor
	index  int
	worker int32      // that runs the job, or -1 for the owner
	order  uint32     // of the job among all jobs of the world
	task   *jobs.Task // that runs the job; of the owner: once it was asked for
	tasked int        // of the owner's task: the chunk that it is for
	mask   []uint64   // rows that match, as bits; nil: all
	bits   []uint64   // room for the mask
	inner  *Chunk     // of the same worker, for jobs that run while one that is shown c waits
	guardChunk
}

// Len returns the number of rows.
func (c *Chunk) Len() int {
	if c.n < 0 {
		c.stale("Chunk.Len")
	}
	return c.n
}

// Index returns the place of the chunk among all chunks of the archetypes that
// the query matches, those that filters have left out included. It grows along
// a loop, and is the same for any number of workers.
func (c *Chunk) Index() int {
	if c.n < 0 {
		c.stale("Chunk.Index")
	}
	return c.index
}

// Entities returns the ids of the rows. They must not be written.
func (c *Chunk) Entities() []Entity {
	c.check("Chunk.Entities")
	return span{c.rec, c.first, c.n}.ids() // those of a run lie side by side
}

// Task returns the task that does the chunk: its Worker tells chunks apart that are
// done at the same time, its Scratch is memory until the chunk is done, and what a
// job schedules through it are its children. In a loop of the owner it is a task of
// the calling goroutine, see [jobs.Pool.Sit], so that a job does the same in Run as in
// ParallelFor. It is good until the chunk is done, and does not allocate.
func (c *Chunk) Task() *jobs.Task {
	c.check("Chunk.Task")
	if c.worker < 0 {
		c.sit()
	}
	return c.task
}

// sit sees to it that a loop of the owner has a task for the chunk.
func (c *Chunk) sit() {
	if c.task == nil {
		c.task, c.tasked = c.world.gate.workers().Sit(), -1
	}
	if c.tasked != c.index {
		c.task.NextBlock(c.index)
		c.tasked = c.index
	}
}

// rise ends the task of a loop of the owner, if it was asked for.
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

// AllMatch reports whether every row matches the query, so that kernels may run over
// whole columns. If not, some rows have components that are off.
func (c *Chunk) AllMatch() bool {
	if c.n < 0 {
		c.stale("Chunk.AllMatch")
	}
	return c.mask == nil
}

// Rows yields the rows that match.
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

// Runs yields the longest runs [lo, hi) of rows that match, for kernels on parts
// of columns.
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

// HasColumn reports whether the rows have T, for components that the query asks for
// with AnyOf, Optional or not at all.
func HasColumn[T any](c *Chunk) bool {
	c.check("HasColumn")
	return c.rec.arch.find(keyOf[T]()) >= 0
}

// ChangedSince reports whether write access to T in the chunk was given after the
// version since, as World.Version and the end of an update give it; 0 is before
// everything. It is false if the rows have no T.
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

// OrderChangedSince reports whether rows of the chunk came or went since the given
// version.
func (c *Chunk) OrderChangedSince(since uint32) bool {
	c.check("Chunk.OrderChangedSince")
	for _, l := range c.more {
		if changedSince(l.rec.order, since) {
			return true
		}
	}
	return changedSince(c.rec.order, since)
}

// end makes c one that is shown no more. What it had stays in it, to be filled again.
func (c *Chunk) end() {
	c.world, c.binds, c.mask, c.task, c.more, c.n = nil, nil, nil, nil, nil, -1
}

// show makes c show rows of an archetype that the query matches.
func (c *Chunk) show(m *match, s span, index int) {
	c.binds = m.binds
	c.point(s, index)
}

// point makes c show other rows of the same archetype.
func (c *Chunk) point(s span, index int) {
	c.rec, c.base, c.versions = s.rec, s.rec.Base, s.rec.versions
	c.first, c.n, c.index = s.first, s.n, index
}

// forget lets go of what c has shown, unless it is being shown.
func (c *Chunk) forget() {
	if c.n < 0 {
		clear(c.views)
		c.rec, c.base, c.versions = nil, table.Base{}, nil
	}
}

// Mask returns the rows that match as bits, row i in bit i%64 of word i/64, as
// masks of kernels are. Bits behind the last row are 0. It is good until the
// loop or the job goes on to the next chunk.
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

// MatchCount returns how many rows match: Len, if all do.
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

// scratch returns room for the bits of all rows.
func (c *Chunk) scratch() []uint64 {
	if n := max(maskWords, wordsFor(c.n)); len(c.bits) < n { // more in runs
		c.bits = make([]uint64, n)
	}
	return c.bits
}

// filterRows finds the rows that match and reports whether there are any.
func (c *Chunk) filterRows(m *match) bool {
	mask, n := m.rows.rows(c.rec, c.scratch())
	c.mask = mask
	return n > 0
}

// maskedRows yields the rows of the mask.
func (c *Chunk) maskedRows(yield func(int) bool) {
	for i, v := range c.mask {
		for ; v != 0; v &= v - 1 {
			if !yield(i<<6 + bits.TrailingZeros64(v)) {
				return
			}
		}
	}
}

// maskedRuns yields the runs of rows of the mask.
func (c *Chunk) maskedRuns(yield func(int, int) bool) {
	for lo, hi := nextRun(c.mask, 0, c.n); lo < c.n; lo, hi = nextRun(c.mask, hi, c.n) {
		if !yield(lo, hi) {
			return
		}
	}
}

// cursor is what stands behind a Chunk: where it is, and how the columns there are shown.
// It knows which columns it may show and mark, and nothing of which rows match, of
// loops and of jobs.
type cursor struct {
	world      *World
	rec        *record
	base       table.Base
	versions   []uint32 // of the record
	binds      []bind
	first, n   int      // n is -1 when it is not shown
	more       []listed // chunks that are shown behind the rows of rec: see SpanJob
	structural uint32
	version    uint32 // what columns that are written are marked with
	views      []soa.Header
	unmarked   []uint32 // scratch: versions of the columns of a run
}

// check panics if a structural change has ended the life of c.
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

// join makes c show the rows of other chunks behind those of its own, which it counts
// already.
func (c *cursor) join(more []listed) {
	c.more = more
	n := len(c.rec.versions)
	if cap(c.unmarked) < n {
		c.unmarked = make([]uint32, n)
	}
	c.versions = c.unmarked[:n]
	clear(c.versions) // so that a column which is asked for is marked, in all of them
}

// markRun marks a column in all chunks that c shows.
func (c *cursor) markRun(b *bind) {
	c.rec.mark(int(b.column), c.version)
	for _, l := range c.more {
		l.rec.mark(int(b.column), c.version)
	}
	if len(c.more) > 0 {
		c.versions[b.column] = c.version
	}
}

// place returns the chunk and its row that is a row of c.
func (c *cursor) place(row int) (*record, int) {
	if row += c.first; row < c.rec.n || len(c.more) == 0 {
		return c.rec, row
	}
	n := c.rec.n // full, as all but the last
	return c.more[row/n-1].rec, row % n
}

// switchesOf returns which rows have a switch on.
func (c *cursor) switchesOf(bit int) []uint64 {
	if len(c.more) == 0 {
		return c.rec.switches[bit].show(c.first, c.n, c.rec.n)
	}
	own := switches{words: make([]uint64, wordsFor(c.n))} // of a run
	own.copy(0, &c.rec.switches[bit], 0, c.rec.n)
	n := c.rec.n
	for _, l := range c.more {
		own.copy(n, &l.rec.switches[bit], 0, l.rec.n)
		n += l.rec.n
	}
	return own.words
}

// Columned is a component that names its view: V is a struct of slices, or a
// slice, whose fields match the component's lanes by name and type. A subset of
// the lanes, in any order, is allowed.
//
//	func (Position) Column() (c kernels.Vec3s[float32]) { return }
type Columned[V any] interface{ Column() V }

// Column returns the column of T in the chunk, as the view that T's method
// Column names. The view is filled in place: it is good until the loop or the
// job goes on to the next chunk, its slices until the next structural change. It
// costs next to nothing and does not allocate.
//
// If the query asked to Write T, this marks T as changed in the chunk. It panics
// with an *Error if the query did not ask to Read or Write T, or the chunk, of a
// query with Optional or AnyOf, has none.
func Column[T Columned[V], V any](c *Chunk) *V { return (*V)(c.column(keyOf[T]())) }

// column is called for every column of every chunk: everything but the usual
// case is elsewhere, and nothing is looked at twice.
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
	// All is computed first, and the pointers are stored in one go: the compiler
	// then asks once whether the collector must hear of them.
	n, h := c.n, three(v)
	x, y, z := c.base.Three(b.lane, uint32(c.first)*b.size)
	h[0].Data, h[1].Data, h[2].Data = x, y, z
	h[0].Len, h[1].Len, h[2].Len = n, n, n
	h[0].Cap, h[1].Cap, h[2].Cap = n, n, n
	return address(v)
}

// ColumnPadded is Column with the scratch rows: from Len up to the next multiple
// of 16, as far as the chunk goes, so that kernels need no tail. What is in
// scratch rows means nothing.
func ColumnPadded[T Columned[V], V any](c *Chunk) *V { return viewAt[V](c.padded((*T)(nil))) }

// ReadColumn is Column for looking only: it does not mark T as changed.
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

// bind returns the component that p points to among the chunk's columns, or
// panics.
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

// fill points a view, of which v is the first slice header, at n rows of a
// column. It returns v.
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

// denied says why the column of the component that p points to cannot be had.
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

// missing says why a component cannot be had from the chunk.
func (c *cursor) missing(t reflect.Type, op, text string, args ...any) *Error {
	e := c.world.gate.fault(ErrState, op, text, args...)
	e.Component = fullName(t)
	return e
}

// SharedValue returns the value of the shared component T that all rows of the
// chunk have. It panics with an *Error if the chunk has no T.
func SharedValue[T comparable](c *Chunk) T {
	c.check("SharedValue")
	a := c.rec.arch
	i := a.find(keyOf[T]())
	if i < 0 || a.columns[i].shared < 0 {
		panic(c.missing(reflect.TypeFor[T](), "SharedValue", "the chunk has no such shared component, it has %v", a))
	}
	return (*a.stores[a.columns[i].shared].shown.Load())[c.rec.group.values[a.columns[i].shared]].(T)
}

// String names the components of the chunk and counts its rows.
func (c *Chunk) String() string {
	switch {
	case c == nil:
		return "<nil>"
	case c.n < 0 || c.rec == nil:
		return "a chunk whose loop or job is over"
	}
	return fmt.Sprintf("chunk %d of %v: %s", c.index, c.rec.arch, plural(c.n, "row", "rows"))
}
