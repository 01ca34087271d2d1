package access

import (
	"fmt"
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

	fences  []fenceList   // by component
	free    []*fence      // stand in no list
	live    []jobs.Handle // everything added since the last WaitAll, except for what is done and well
	pruneAt int           // live is looked through when it is this long
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
			buf = appendBefore(t.fences[id].writers, &a.Where, everywhere, buf, start)
		}
	}
	for id := range a.Write.All() {
		if id < len(t.fences) {
			buf = appendBefore(t.fences[id].writers, &a.Where, everywhere, buf, start)
			buf = appendBefore(t.fences[id].readers, &a.Where, everywhere, buf, start)
		}
	}
	return buf
}

// before appends what of one list a job at the given place must wait for, if it
// is not in buf[start:] already.
func appendBefore(list []*fence, where *Set, everywhere bool, buf []jobs.Handle, start int) []jobs.Handle {
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
			t.addReader(id, f)
		}
	}
	for id := range a.Write.All() {
		t.addWriter(id, f)
	}
	if f.lists == 0 {
		t.recycleFence(f)
	}
	t.recordLive(h)
}

// read makes f one more reader of a component.
func (t *Tracker) addReader(id int, f *fence) {
	l := t.listOf(id)
	if len(l.readers) == maxReaders {
		t.foldReaders(l)
	}
	l.readers = append(l.readers, f)
	f.lists++
}

// write makes f a last writer of a component: whatever it covers is ordered
// before it.
func (t *Tracker) addWriter(id int, f *fence) {
	l := t.listOf(id)
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
		l.writers = t.clearList(l.writers)
		l.readers = t.clearList(l.readers)
	}
	return err
}

func (t *Tracker) listOf(id int) *fenceList {
	for id >= len(t.fences) {
		t.fences = append(t.fences, fenceList{})
	}
	return &t.fences[id]
}

func (t *Tracker) recordLive(h jobs.Handle) {
	if len(t.live) >= max(t.pruneAt, 64) {
		t.live = slices.DeleteFunc(t.live, succeeded)
		t.pruneAt = 2 * len(t.live)
	}
	t.live = append(t.live, h)
}

// dropCovered takes those off a list that lie inside of by, and those that are
// done and well.
func (t *Tracker) dropCovered(list []*fence, by *fence) []*fence {
	n := 0
	for _, f := range list {
		if by.everywhere || !f.everywhere && by.where.Covers(&f.where) || succeeded(f.handle) {
			t.dropFrom(f)
			continue
		}
		list[n] = f
		n++
	}
	return list[:n]
}

// fold makes one fence of all readers. The tracker has to wait for the job that
// stands for them too: nothing else would.
func (t *Tracker) foldReaders(l *fenceList) {
	var handles [maxReaders]jobs.Handle
	n := 0
	all := t.newFence(&l.readers[0].where, jobs.Handle{})
	for _, f := range l.readers {
		if !succeeded(f.handle) {
			handles[n] = f.handle
			n++
		}
		all.everywhere = all.everywhere || f.everywhere
		all.where.Union(&f.where)
	}
	all.handle = jobs.Combine(handles[:n]...)
	all.lists = 1
	l.readers = append(t.clearList(l.readers), all)
	if all.handle != (jobs.Handle{}) {
		t.recordLive(all.handle)
	}
}

// well reports whether a job is done without an error.
func succeeded(h jobs.Handle) bool { return h.Done() && h.Err() == nil }

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
func (t *Tracker) clearList(list []*fence) []*fence {
	for _, f := range list {
		t.dropFrom(f)
	}
	return list[:0]
}

// drop takes a fence off one list.
func (t *Tracker) dropFrom(f *fence) {
	if f.lists--; f.lists == 0 {
		t.recycleFence(f)
	}
}

// release takes back a fence that stands in no list.
func (t *Tracker) recycleFence(f *fence) {
	f.handle = jobs.Handle{}
	t.free = append(t.free, f)
}

// AddOrdered is Add for a job whose order was given by hand. It returns a
// *ConflictError if a live job conflicts with it and is not among those that
// the job waits for, and panics with it at level Panic. The job is added all
// the same.
func (t *Tracker) AddOrdered(a *Access, h jobs.Handle) error {
	err := t.findConflict(a, h)
	t.Add(a, h)
	if err == nil {
		return nil
	}
	if h.Level() == jobs.Panic {
		panic(err)
	}
	return err
}

// conflict looks for a live job that conflicts with a and that h does not wait
// for.
func (t *Tracker) findConflict(a *Access, h jobs.Handle) error {
	if h.Done() || h.Level() == jobs.Off {
		return nil
	}
	var buf [16]jobs.Handle
	for _, other := range t.Before(a, buf[:0]) {
		if other != h && !h.Follows(other) && !other.Done() {
			c := &ConflictError{Job: h.String(), Other: other.String(), Component: t.sharedComponent(a, other)}
			if t.Name != nil {
				c.Name = t.Name(c.Component)
			}
			return c
		}
	}
	return nil
}

// component is the lowest that both access a and the job behind h touch.
func (t *Tracker) sharedComponent(a *Access, h jobs.Handle) int {
	for id := range t.fences {
		l := &t.fences[id]
		if a.Write.Has(id) && (l.contains(l.writers, h) || l.contains(l.readers, h)) || a.Read.Has(id) && l.contains(l.writers, h) {
			return id
		}
	}
	return -1
}

func (l *fenceList) contains(list []*fence, h jobs.Handle) bool {
	for i := range list {
		if list[i].handle == h {
			return true
		}
	}
	return false
}

// ConflictError says that two jobs touch the same component, one of them
// writes it, and nothing orders them.
type ConflictError struct {
	Job       string // the one that was added
	Other     string // the one that was there
	Component int
	Name      string // of the component, where the tracker knows one
}

// Error names the jobs, the component and the remedy.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("access: Tracker.AddOrdered: %s and %s both touch %s and nothing orders them: schedule one after the other",
		e.Job, e.Other, e.componentName())
}

// touched is what the component is called.
func (e *ConflictError) componentName() string {
	if e.Name != "" {
		return e.Name
	}
	return fmt.Sprintf("component %d", e.Component)
}
