package ecs

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/profile"
)

type runFunc func(*Chunk)

func (f runFunc) Run(c *Chunk) { f(c) }

// shownRun is the span of one call of a job.
type shownRun struct {
	index, n int
	ids      []Entity
}

// runsOf returns the spans that a SpanJob gets, in the order of chunks.
func runsOf(t *testing.T, q *Query) []shownRun {
	t.Helper()
	list := make([]shownRun, 10_000)
	must(t, q.ParallelForSpans(runFunc(func(c *Chunk) {
		list[c.Index()] = shownRun{c.Index(), c.Len(), slices.Clone(c.Entities())}
	})).Wait())
	return slices.DeleteFunc(list, func(r shownRun) bool { return r.n == 0 })
}

// lens returns the number of rows of each span.
func lens(list []shownRun) (n []int) {
	for _, r := range list {
		n = append(n, r.n)
	}
	return n
}

// checkCover fails the test unless the spans have the entities of the query in their order.
func checkCover(t *testing.T, q *Query, list []shownRun) {
	t.Helper()
	var got []Entity
	for _, r := range list {
		got = append(got, r.ids...)
	}
	if want := q.AppendEntities(nil); !slices.Equal(got, want) {
		t.Errorf("runs of %v show %d entities, not the %d that match, in order", lens(list), len(got), len(want))
	}
}

// A SpanJob does the same as a ChunkJob, in fewer calls, for any number of workers.
func TestParallelForSpans(t *testing.T) {
	var want []int
	for _, workers := range []int{1, 2, 3, 8, 64} {
		w, whole := newWorld(t, workers), newWorld(t, 1)
		for _, one := range []*World{w, whole} {
			for k, terms := range [][]Term{
				{With[Position](), With[Velocity]()},
				{With[Position](), With[Velocity](), With[Tag]()},
				{With[Position]()},
			} {
				a := one.Archetype(terms...)
				i := 0
				for c := range one.Create(a, 300*a.Capacity()>>(2*k)+17).Chunks() {
					p := Column[Position](c)
					for row := range p.X {
						p.X[row], p.Y[row] = float32(i), float32(k)
						i++
					}
				}
			}
		}
		q, other := w.Query(Write[Position](), Optional(Read[Velocity]())), whole.Query(Write[Position](), Optional(Read[Velocity]()))
		double := func(c *Chunk) {
			p := Column[Position](c)
			for i := range p.X {
				p.Z[i] = 2 * p.X[i]
			}
		}
		calls := atomic.Int32{}
		must(t, q.ParallelForSpans(runFunc(func(c *Chunk) {
			double(c)
			calls.Add(1)
			if got := c.LaneBytes(reflect.TypeFor[Entity](), 0); len(got) != 8*c.Len() || len(c.WriteLaneBytes(reflect.TypeFor[Position](), 1)) != 4*c.Len() {
				t.Error("lanes of other lengths")
			}
			if len(Column[Position](c).Z) != c.Len() || HasColumn[Velocity](c) && len(Column[Velocity](c).X) != c.Len() {
				t.Error("the view is of another length")
			}
		})).Wait())
		must(t, other.ParallelFor(chunkFunc(double)).Wait())
		if w.Hash() != whole.Hash() {
			t.Errorf("%d workers: another world than after a job for chunks", workers)
		}
		list := runsOf(t, q)
		checkCover(t, q, list)
		chunks := q.ChunkCount()
		if got := int(calls.Load()); got != len(list) || !guard && 5*got > chunks {
			t.Errorf("%d calls for %d chunks in %d runs", got, chunks, len(list))
		}
		if n := slices.Max(lens(list)); n > maxSpanChunks*2048 || !guard && n < 8*w.Archetype(With[Position](), With[Velocity]()).Capacity() {
			t.Errorf("the longest run has %d rows", n)
		}
		if want == nil {
			want = lens(list)
		}
		if !slices.Equal(want, lens(list)) && !guard {
			t.Errorf("%d workers: other runs", workers)
		}
		must(t, integrity(w))
	}
}

// Write access marks all chunks of a span, no matter which were marked before, and read access
// marks none.
func TestRunsMarkAll(t *testing.T) {
	w := newWorld(t, 2)
	a := w.Archetype(With[Position](), With[Velocity]())
	list := make([]Entity, 64*a.Capacity())
	must(t, w.CreateInto(a, list))
	q := w.Query(Write[Position](), Read[Velocity]())
	since := w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("one"))
	w.Scheduler().BeginUpdate("two")
	must(t, Set(w, list[0], Position{})) // the first chunk is marked already

	must(t, q.ParallelForSpans(runFunc(func(c *Chunk) {
		_ = ReadColumn[Position](c)
		if c.Index() > 0 && ChangedSince[Position](c, since) || c.OrderChangedSince(since) {
			t.Error("a run has changed before it was written")
		}
		_, _ = Column[Position](c), Column[Velocity](c)
		if !ChangedSince[Position](c, since) || ChangedSince[Velocity](c, since) {
			t.Error("a run that was written has not changed, or one that was read has")
		}
	})).Wait())
	w.Scheduler().EndUpdate("")
	for _, e := range list {
		if ChangeVersion[Position](w, e) <= since || ChangeVersion[Velocity](w, e) > since {
			t.Fatalf("versions %d and %d, before it was %d", ChangeVersion[Position](w, e), ChangeVersion[Velocity](w, e), since)
		}
	}
	must(t, Set(w, list[20*a.Capacity()], Velocity{1, 1, 1}))
	changed := w.Query(Read[Position](), With[Velocity](), Changed[Velocity]())
	changed.SetSince(since)
	if got := runsOf(t, changed); len(got) != 1 || got[0].n != a.Capacity() || got[0].ids[0] != list[20*a.Capacity()] {
		t.Errorf("of one chunk that has changed runs of %v are shown", lens(got))
	}
	checkCover(t, changed, runsOf(t, changed))

}

// A chunk is passed alone if its enabled bits, shared values or layout do not allow a span. The other
// chunks of the query are joined.
func TestRunsThatEnd(t *testing.T) {
	w := newWorld(t, 3)
	on := w.Archetype(With[SmallEn](), With[Position]())
	list := make([]Entity, 130*on.Capacity())
	must(t, w.CreateInto(on, list))
	q := w.Query(Write[SmallEn](), Read[Position]())
	if got := runsOf(t, q); !guard && len(got) > 50 {
		t.Errorf("runs of %v where all is on", lens(got))
	}
	off := list[5*on.Capacity()+3]
	must(t, SetEnabled[SmallEn](w, off, false))
	must(t, q.ParallelForSpans(runFunc(func(c *Chunk) {
		if !c.AllMatch() && c.Len() > on.Capacity() || c.AllMatch() && slices.Contains(c.Entities(), off) {
			t.Errorf("a run of %d rows, all on: %v", c.Len(), c.AllMatch())
		}
		mask, bits := slices.Clone(c.Mask()), slices.Clone(enabledBits[SmallEn](c))
		for i := range c.Len() {
			if is := EnabledAt[SmallEn](c, i); is != (mask[i/64]>>(i%64)&1 != 0) || is != (bits[i/64]>>(i%64)&1 != 0) {
				t.Fatalf("row %d of %d is on: %v", i, c.Len(), is)
			}
			if i%7 == 0 {
				SetEnabledAt[SmallEn](c, i, i%2 == 0)
			}
		}
		if c.MatchCount() != c.Len() && c.AllMatch() || len(ColumnPadded[Position](c).X) < c.Len() {
			t.Error("other rows match")
		}
	})).Wait())
	must(t, integrity(w))
	for k := range 130 {
		if is, err := Enabled[SmallEn](w, list[k*on.Capacity()]); err != nil {
			t.Errorf("%v %v", is, err)
		}
	}

	shared := w.Archetype(With[Velocity](), With[Sh]())
	var values []Entity
	for v := range 3 {
		own := make([]Entity, 40*shared.Capacity())
		must(t, w.CreateInto(shared, own))
		must(t, AddAll(w, Matching(w.Query(With[Velocity](), WithShared(Sh{}))), Sh{Value: int32(v + 1)}))
		values = append(values, own...)
	}
	byValue := w.Query(Write[Velocity](), With[Sh]())
	must(t, byValue.ParallelForSpans(runFunc(func(c *Chunk) {
		v := SharedValue[Sh](c)
		if c.Len() > shared.Capacity() {
			first := slices.Index(values, c.Entities()[0])
			if last := first + c.Len() - 1; first < 0 || values[last] != c.Entities()[c.Len()-1] || v.Value != int32(1+first/(40*shared.Capacity())) || v.Value != int32(1+last/(40*shared.Capacity())) {
				t.Errorf("a run of %d rows has several values", c.Len())
			}
		}
	})).Wait())
	checkCover(t, byValue, runsOf(t, byValue))
	only := w.Query(Write[Velocity](), WithShared(Sh{Value: 2}))
	checkCover(t, only, runsOf(t, only))

	for _, terms := range [][]Term{{With[Buf]()}, {With[Obj]()}, {With[PerChunk[D]](), With[A]()}, {With[Thin]()}, {With[CompactWide]()}} {
		a := w.Archetype(terms...)
		must(t, w.CreateInto(a, make([]Entity, 130*a.Capacity())))
		q := w.Query(slices.Concat(terms[:0], []Term{Read[struct{}]().OfType(terms[0].typ)})...)
		list := runsOf(t, q)
		checkCover(t, q, list)
		if n := slices.Max(lens(list)); n > a.Capacity() {
			t.Errorf("%v: %d rows of several chunks", a, n)
		}
	}
}

// Thin is a component with single bytes. The number of rows in its chunks is not a multiple of 64.
type Thin struct {
	Flag uint8
	N    float32
}

func (Thin) Column() (c struct {
	Flag []uint8
	N    []float32
}) {
	return
}

// If the job panics in one span, the job must process the other spans, and the query must stay
// usable.
func TestRunsThatPanic(t *testing.T) {
	w := newWorld(t, 2)
	a := w.Archetype(With[Position](), With[Velocity]())
	must(t, w.CreateInto(a, make([]Entity, 200*a.Capacity())))
	q := w.Query(Write[Position]())
	rows := atomic.Int64{}
	boom, place := 0, ""
	err := q.ParallelForSpans(runFunc(func(c *Chunk) {
		_ = Column[Position](c)
		if c.Index() <= 100 && 100 < c.Index()+c.Len()/a.Capacity() {
			boom = c.Index()
			place = fmt.Sprintf("world %q, archetype %v, chunk of entity %v", w.Name(), c.Archetype(), c.Entities()[0])
			panic("boom")
		}
		rows.Add(int64(c.Len()))
	})).Wait()
	var p *jobs.PanicError
	if !errors.As(err, &p) || p.Index != boom || !strings.Contains(err.Error(), fmt.Sprintf("at index %d, %s: boom", boom, p.Place)) || p.Place != place || rows.Load() == 0 {
		t.Errorf("%v, %d rows were done", err, rows.Load())
	}
	if w.Sync() == nil {
		t.Error("Sync does not report it")
	}
	checkCover(t, q, runsOf(t, q))
	kept := atomic.Pointer[Chunk]{}
	must(t, q.ParallelForSpans(runFunc(func(c *Chunk) { kept.Store(c) })).Wait())
	wantPanic(t, ErrDisposed, func() { kept.Load().Len() })
	wantPanic(t, ErrDisposed, func() { kept.Load().Entities() })
}

// A SpanJob is ordered and refused like other jobs, and allocates nothing.
func TestRunsAreOrdered(t *testing.T) {
	w := newWorld(t, 2)
	a := w.Archetype(With[Position](), With[Velocity]())
	must(t, w.CreateInto(a, make([]Entity, 100*a.Capacity()+5)))
	q := w.Query(Write[Position]())
	add := runFunc(func(c *Chunk) {
		x := Column[Position](c).X
		for i := range x {
			x[i]++
		}
	})
	twice := chunkFunc(func(c *Chunk) {
		x := Column[Position](c).X
		for i := range x {
			x[i] *= 2
		}
	})
	q.ParallelForSpans(add)
	q.ParallelFor(twice)
	q.ParallelForSpans(add)
	for c := range q.Chunks() {
		for _, x := range Column[Position](c).X {
			if x != 3 {
				t.Fatalf("x is %v", x)
			}
		}
		wantPanic(t, ErrState, func() { q.ParallelForSpans(add) })
	}
	if n := testing.AllocsPerRun(20, func() { must(t, q.ParallelForSpans(add).Wait()) }); n != 0 && !raceEnabled && !guard {
		t.Errorf("%v allocations", n)
	}
	none := w.Query(Write[Matrix]())
	must(t, none.ParallelForSpans(add).Wait())
	must(t, w.Close())
	wantPanic(t, ErrDisposed, func() { q.ParallelForSpans(add) })
}

// When a job is scheduled, earlier jobs may still be running. Then it is not known yet which
// chunks will pass the filter. This must not affect which chunks are joined.
func TestRunsOfFilters(t *testing.T) {
	w := newWorld(t, 2)
	a := w.Archetype(With[Position](), With[Velocity]())
	list := make([]Entity, 128*a.Capacity())
	must(t, w.CreateInto(a, list))
	q := w.Query(Read[Position](), Changed[Position]())
	q.SetSince(w.Version())
	w.Scheduler().BeginUpdate("write")
	for k := range 128 {
		if k%8 < 5 {
			must(t, Set(w, list[k*a.Capacity()], Position{}))
		}
	}
	w.Scheduler().EndUpdate("")
	early := runsOf(t, q)
	checkCover(t, q, early)

	gate := make(chan struct{})
	held := w.Pool().Schedule(jobs.Func(func(*jobs.Task) { <-gate }))
	rows := make([]int, 128)
	h := q.ParallelForSpans(runFunc(func(c *Chunk) { rows[c.Index()] = c.Len() }), held)
	close(gate)
	must(t, h.Wait())
	late := slices.DeleteFunc(rows, func(n int) bool { return n == 0 })
	if want := lens(early); !slices.Equal(late, want) {
		t.Errorf("runs of %v rows where the filter was asked by the jobs, %v where it was asked before", late, want)
	}
}

// meteredRun is a SpanJob with a meter.
type meteredRun struct{ meter *profile.Meter }

func (meteredRun) Run(*Chunk)                 {}
func (m meteredRun) JobMeter() *profile.Meter { return m.meter }

// The meter of a run is that of its SpanJob.
func TestRunsAreMetered(t *testing.T) {
	m := new(profile.Meter)
	if got := (&parallelRun{spanJob: meteredRun{m}}).JobMeter(); got != m {
		t.Errorf("the meter is %p, want %p", got, m)
	}
}
