package access

import (
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/jobs"
)

// Tracker orders jobs by the components that they read and write. For each component it stores the
// jobs that wrote it last and the jobs that have read it since. A Tracker belongs to one goroutine
// at a time. The zero Tracker is ready to use.
//
// For each job, ask Before for the handles for which it has to wait, schedule the job after those
// handles, and pass its handle to Add. Two jobs whose Where sets have no archetype in common get no
// edge, whatever they write.
type Tracker struct {
	// Name returns the name of a component for errors. If Name is nil or returns "", errors say
	// "component" and the number.
	Name func(component int) string

	fences      []fenceList   // by component
	freeFences  []*fence      // in no list
	liveHandles []jobs.Handle // the jobs added since the last WaitAll, without those that have succeeded
	pruneLength int           // length at which liveHandles is pruned
}

// fenceList holds the fences of one component.
type fenceList struct {
	writers, readers []*fence
}

// fence is one job, or several jobs folded into one, with the archetypes that they touch. It is in
// the lists of all components that these jobs touch.
type fence struct {
	handle        jobs.Handle
	listCount     int32 // number of lists that it is in
	allArchetypes bool  // where is empty, or does not matter
	archetypes    Set
}

// maxReaders is the largest number of reader fences of a component. If one more is added, all of
// them are folded into a single fence.
const maxReaders = 16

// Before appends to buf the handles for which a job with access a has to wait, and returns
// buf. Each handle occurs once. The handles are in the order of the components.
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

// appendBefore appends the handles of a list for which a job on the given archetypes must wait. It
// leaves out handles that buf[start:] already has.
func appendBefore(list []*fence, where *Set, everywhere bool, buf []jobs.Handle, start int) []jobs.Handle {
	for _, f := range list {
		if !everywhere && !f.allArchetypes && !f.archetypes.Meets(where) {
			continue
		}
		h := f.handle // succeeded, written out because it would be a call
		if h.Done() && h.Err() == nil || slices.Contains(buf[start:], h) {
			continue
		}
		buf = append(buf, h)
	}
	return buf
}

// Add records that the job of handle h touches a. The job counts as ordered after the jobs that
// Before named for the same access.
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
	if f.listCount == 0 {
		t.recycleFence(f)
	}
	t.recordLive(h)
}

// addReader adds f to the readers of a component.
func (t *Tracker) addReader(id int, f *fence) {
	l := t.listOf(id)
	if len(l.readers) == maxReaders {
		t.foldReaders(l)
	}
	l.readers = append(l.readers, f)
	f.listCount++
}

// addWriter adds f to the last writers of a component. The fences that f covers leave the lists,
// because f is ordered after them.
func (t *Tracker) addWriter(id int, f *fence) {
	l := t.listOf(id)
	l.writers = append(t.dropCovered(l.writers, f), f)
	l.readers = t.dropCovered(l.readers, f)
	f.listCount++
}

// WaitFor waits for every job that conflicts with access a, for an owner that wants to use the
// data. It returns their errors, joined. Failed jobs stay tracked until WaitAll, so that later jobs
// on the same data are skipped too.
func (t *Tracker) WaitFor(a *Access) error {
	var buf [16]jobs.Handle
	return jobs.WaitAll(t.Before(a, buf[:0])...)
}

// WaitAll is a sync point: it waits for all jobs that were added and forgets them. It returns the
// errors, joined in the order of Add, each error once.
func (t *Tracker) WaitAll() error {
	err := jobs.WaitAll(t.liveHandles...)
	clear(t.liveHandles)
	t.liveHandles = t.liveHandles[:0]
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
	if len(t.liveHandles) >= max(t.pruneLength, 64) {
		t.liveHandles = slices.DeleteFunc(t.liveHandles, succeeded)
		t.pruneLength = 2 * len(t.liveHandles)
	}
	t.liveHandles = append(t.liveHandles, h)
}

// dropCovered removes two kinds of fences from a list: fences whose archetypes are covered by the
// fence by, and fences that have succeeded.
func (t *Tracker) dropCovered(list []*fence, by *fence) []*fence {
	n := 0
	for _, f := range list {
		if by.allArchetypes || !f.allArchetypes && by.archetypes.Covers(&f.archetypes) || succeeded(f.handle) {
			t.dropFrom(f)
			continue
		}
		list[n] = f
		n++
	}
	return list[:n]
}

// foldReaders makes one fence of all readers. The tracker also has to wait for the job that
// combines these readers, because no other job waits for it.
func (t *Tracker) foldReaders(l *fenceList) {
	var handles [maxReaders]jobs.Handle
	n := 0
	all := t.newFence(&l.readers[0].archetypes, jobs.Handle{})
	for _, f := range l.readers {
		if !succeeded(f.handle) {
			handles[n] = f.handle
			n++
		}
		all.allArchetypes = all.allArchetypes || f.allArchetypes
		all.archetypes.Union(&f.archetypes)
	}
	all.handle = jobs.Combine(handles[:n]...)
	all.listCount = 1
	l.readers = append(t.clearList(l.readers), all)
	if all.handle != (jobs.Handle{}) {
		t.recordLive(all.handle)
	}
}

// succeeded reports whether a job is done without an error.
func succeeded(h jobs.Handle) bool { return h.Done() && h.Err() == nil }

// newFence makes a fence that is in no list yet.
func (t *Tracker) newFence(where *Set, h jobs.Handle) *fence {
	if len(t.freeFences) == 0 {
		t.freeFences = append(t.freeFences, new(fence))
	}
	last := len(t.freeFences) - 1
	f := t.freeFences[last]
	t.freeFences = t.freeFences[:last]
	f.handle, f.allArchetypes = h, where.Empty()
	f.archetypes.Assign(where)
	return f
}

// clearList empties a list.
func (t *Tracker) clearList(list []*fence) []*fence {
	for _, f := range list {
		t.dropFrom(f)
	}
	return list[:0]
}

// dropFrom records that a fence has left one list.
func (t *Tracker) dropFrom(f *fence) {
	if f.listCount--; f.listCount == 0 {
		t.recycleFence(f)
	}
}

// recycleFence frees a fence that is in no list.
func (t *Tracker) recycleFence(f *fence) {
	f.handle = jobs.Handle{}
	t.freeFences = append(t.freeFences, f)
}

// AddOrdered is Add for a job whose order the caller has chosen. It returns a *ConflictError if the
// new job conflicts with a live job and does not wait for that job. At level Panic it panics with
// that error. The job is added in either case.
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

// findConflict returns an error if a live job conflicts with access a and h does not wait for that
// job.
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

// sharedComponent returns the lowest component that both access a and the job of handle h touch.
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

// ConflictError says that two jobs touch the same component, one of them writes it, and nothing
// orders them.
type ConflictError struct {
	Job       string // the job that was added
	Other     string // the job that was there before
	Component int
	Name      string // of the component, if the tracker knows one
}

// Error names the jobs, the component and the remedy.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("access: Tracker.AddOrdered: %s and %s both touch %s and nothing orders them: schedule one after the other",
		e.Job, e.Other, e.componentName())
}

// componentName is the component's name in an error.
func (e *ConflictError) componentName() string {
	if e.Name != "" {
		return e.Name
	}
	return fmt.Sprintf("component %d", e.Component)
}
