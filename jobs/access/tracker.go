package access

import (
	"slices"

	"github.com/lanewise/lanewise/jobs"
)

// Tracker orders jobs by what they touch: per component it keeps the jobs
// that wrote it last and those that have read it since. It belongs to one
// goroutine at a time. The zero Tracker is ready to use.
//
// For each job: ask Before what it has to wait for, schedule it after those
// handles, and tell Add. Two jobs that touch no archetype in common (their
// Where sets do not meet) get no edge, whatever they write.
type Tracker struct {
	// Name returns what a component is called in errors; nil, or "" for one of
	// them, is "component" and its number.
	Name func(component int) string

	fences []fenceList   // by component
	free   []*fence      // stand in no list
	live   []jobs.Handle // everything added since the last WaitAll, except for what is done and well
	prune  int           // live is looked through when it is this long
}

// fenceList is what is known of one component.
type fenceList struct {
	writers, readers []*fence
}

// fence is one job, or several folded into one, and where it is. It stands in
// the lists of all components that the job touches.
type fence struct {
	handle     jobs.Handle
	lists      int32 // how many it stands in
	everywhere bool  // where is empty, or does not matter
	where      Set
}

// maxReaders is how many readers of a component stand alone; one more folds
// them into a single fence.
const maxReaders = 16

// Before appends to buf the handles that a job with access a has to wait for,
// each once, component by component, and returns it.
func (t *Tracker) Before(a *Access, buf []jobs.Handle) []jobs.Handle {
	start, everywhere := len(buf), a.Where.Empty()
	for id := range a.Read.All() {
		if id < len(t.fences) {
			buf = before(t.fences[id].writers, &a.Where, everywhere, buf, start)
		}
	}
	for id := range a.Write.All() {
		if id < len(t.fences) {
			buf = before(t.fences[id].writers, &a.Where, everywhere, buf, start)
			buf = before(t.fences[id].readers, &a.Where, everywhere, buf, start)
		}
	}
	return buf
}

// before appends what of one list a job at the given place must wait for, if it
// is not in buf[start:] already.
func before(list []*fence, where *Set, everywhere bool, buf []jobs.Handle, start int) []jobs.Handle {
	for _, f := range list {
		if !everywhere && !f.everywhere && !f.where.Meets(where) {
			continue
		}
		h := f.handle // well() written out, for it would be a call
		if h.Done() && h.Err() == nil || slices.Contains(buf[start:], h) {
			continue
		}
		buf = append(buf, h)
	}
	return buf
}

// Add records that the job behind h touches a. Jobs that a Before of the same
// access named count as ordered before it.
func (t *Tracker) Add(a *Access, h jobs.Handle) {
	if h == (jobs.Handle{}) {
		return
	}
	f := t.newFence(&a.Where, h)
	for id := range a.Read.All() {
		if !a.Write.Has(id) {
			t.read(id, f)
		}
	}
	for id := range a.Write.All() {
		t.write(id, f)
	}
	if f.lists == 0 {
		t.release(f)
	}
	t.remember(h)
}

// read makes f one more reader of a component.
func (t *Tracker) read(id int, f *fence) {
	l := t.at(id)
	if len(l.readers) == maxReaders {
		t.fold(l)
	}
	l.readers = append(l.readers, f)
	f.lists++
}

// write makes f a last writer of a component: whatever it covers is ordered
// before it.
func (t *Tracker) write(id int, f *fence) {
	l := t.at(id)
	l.writers = append(t.dropCovered(l.writers, f), f)
	l.readers = t.dropCovered(l.readers, f)
	f.lists++
}

// WaitFor waits for every job that conflicts with access a: the owner wants
// the data. It returns their errors, joined; what failed stays tracked until
// WaitAll, so that later jobs on the same data are skipped too.
func (t *Tracker) WaitFor(a *Access) error {
	var buf [16]jobs.Handle
	return jobs.WaitAll(t.Before(a, buf[:0])...)
}

// WaitAll is a sync point: it waits for everything added and forgets it. It
// returns the errors, joined in the order of Add, each once.
func (t *Tracker) WaitAll() error {
	err := jobs.WaitAll(t.live...)
	clear(t.live)
	t.live = t.live[:0]
	for i := range t.fences {
		l := &t.fences[i]
		l.writers = t.leave(l.writers)
		l.readers = t.leave(l.readers)
	}
	return err
}

func (t *Tracker) at(id int) *fenceList {
	for id >= len(t.fences) {
		t.fences = append(t.fences, fenceList{})
	}
	return &t.fences[id]
}

func (t *Tracker) remember(h jobs.Handle) {
	if len(t.live) >= max(t.prune, 64) {
		t.live = slices.DeleteFunc(t.live, well)
		t.prune = 2 * len(t.live)
	}
	t.live = append(t.live, h)
}

// dropCovered takes those off a list that lie inside of by, and those that are
// done and well.
func (t *Tracker) dropCovered(list []*fence, by *fence) []*fence {
	n := 0
	for _, f := range list {
		if by.everywhere || !f.everywhere && by.where.Covers(&f.where) || well(f.handle) {
			t.drop(f)
			continue
		}
		list[n] = f
		n++
	}
	return list[:n]
}

// fold makes one fence of all readers. The tracker has to wait for the job that
// stands for them too: nothing else would.
func (t *Tracker) fold(l *fenceList) {
	var handles [maxReaders]jobs.Handle
	n := 0
	all := t.newFence(&l.readers[0].where, jobs.Handle{})
	for _, f := range l.readers {
		if !well(f.handle) {
			handles[n] = f.handle
			n++
		}
		all.everywhere = all.everywhere || f.everywhere
		all.where.Union(&f.where)
	}
	all.handle = jobs.Combine(handles[:n]...)
	all.lists = 1
	l.readers = append(t.leave(l.readers), all)
	if all.handle != (jobs.Handle{}) {
		t.remember(all.handle)
	}
}

// well reports whether a job is done without an error.
func well(h jobs.Handle) bool { return h.Done() && h.Err() == nil }

// newFence makes a fence that stands in no list yet.
func (t *Tracker) newFence(where *Set, h jobs.Handle) *fence {
	if len(t.free) == 0 {
		t.free = append(t.free, new(fence))
	}
	last := len(t.free) - 1
	f := t.free[last]
	t.free = t.free[:last]
	f.handle, f.everywhere = h, where.Empty()
	f.where.Assign(where)
	return f
}

// leave empties a list.
func (t *Tracker) leave(list []*fence) []*fence {
	for _, f := range list {
		t.drop(f)
	}
	return list[:0]
}

// drop takes a fence off one list.
func (t *Tracker) drop(f *fence) {
	if f.lists--; f.lists == 0 {
		t.release(f)
	}
}

// release takes back a fence that stands in no list.
func (t *Tracker) release(f *fence) {
	f.handle = jobs.Handle{}
	t.free = append(t.free, f)
}
