package jobs

// Tracker orders jobs by what they touch: per component it keeps the jobs
// that wrote it last and those that have read it since. It belongs to one
// goroutine at a time. The zero Tracker is ready to use.
//
// For each job: ask Before what it has to wait for, schedule it after those
// handles, and tell Add. Two jobs that touch no archetype in common (their
// Where sets do not meet) get no edge, whatever they write.
type Tracker struct {
	fences []fenceList // by component
	live   []Handle    // everything added since the last WaitAll, but for what is done and well
	prune  int         // live is looked through when it is this long
}

// fenceList is what is known of one component.
type fenceList struct {
	writers, readers []fence
}

// fence is one job, or several folded into one, and where it is.
type fence struct {
	handle Handle
	where  Set
}

// maxReaders is how many readers of a component stand alone; one more folds
// them into a single fence.
const maxReaders = 16

// Before appends to buf the handles that a job with access a has to wait for,
// each once, component by component, and returns it.
func (t *Tracker) Before(a *Access, buf []Handle) []Handle {
	start := len(buf)
	for id := range a.Read.All() {
		if id < len(t.fences) {
			buf = t.fences[id].before(buf, start, &a.Where, false)
		}
	}
	for id := range a.Write.All() {
		if id < len(t.fences) {
			buf = t.fences[id].before(buf, start, &a.Where, true)
		}
	}
	return buf
}

// Add records that the job behind h touches a. Jobs that a Before of the same
// access named count as ordered before it.
func (t *Tracker) Add(a *Access, h Handle) {
	if h == (Handle{}) {
		return
	}
	for id := range a.Read.All() {
		if !a.Write.Has(id) {
			if folded := t.at(id).read(&a.Where, h); folded != (Handle{}) {
				t.remember(folded)
			}
		}
	}
	for id := range a.Write.All() {
		t.at(id).write(&a.Where, h)
	}
	t.remember(h)
}

// WaitFor waits for every job that conflicts with access a: the owner wants
// the data. It returns their errors, joined; what failed stays tracked until
// WaitAll, so that later jobs on the same data are skipped too.
func (t *Tracker) WaitFor(a *Access) error {
	var buf [16]Handle
	return waitAll(t.Before(a, buf[:0]))
}

// WaitAll is a sync point: it waits for everything added and forgets it. It
// returns the errors, joined in the order of Add, each once.
func (t *Tracker) WaitAll() error {
	err := waitAll(t.live)
	clear(t.live)
	t.live = t.live[:0]
	for i := range t.fences {
		t.fences[i].forget()
	}
	return err
}

func (t *Tracker) at(id int) *fenceList {
	for id >= len(t.fences) {
		t.fences = append(t.fences, fenceList{})
	}
	return &t.fences[id]
}

func (t *Tracker) remember(h Handle) {
	if len(t.live) >= max(t.prune, 64) {
		t.live = forgetWell(t.live)
		t.prune = 2 * len(t.live)
	}
	t.live = append(t.live, h)
}

// before appends what a job at the given place must wait for.
func (l *fenceList) before(buf []Handle, start int, where *Set, write bool) []Handle {
	for i := range l.writers {
		buf = l.writers[i].before(buf, start, where)
	}
	if write {
		for i := range l.readers {
			buf = l.readers[i].before(buf, start, where)
		}
	}
	return buf
}

func (f *fence) before(buf []Handle, start int, where *Set) []Handle {
	if f.handle.well() || !meets(&f.where, where) {
		return buf
	}
	for _, h := range buf[start:] {
		if h == f.handle {
			return buf
		}
	}
	return append(buf, f.handle)
}

// write makes h a last writer: whatever it covers is ordered before it.
func (l *fenceList) write(where *Set, h Handle) {
	l.writers = dropCovered(l.writers, where)
	l.readers = dropCovered(l.readers, where)
	l.writers = appendFence(l.writers, where, h)
}

// read makes h one more reader. If that needed a job that stands for earlier
// readers, the tracker has to wait for that one too: nobody else would.
func (l *fenceList) read(where *Set, h Handle) (folded Handle) {
	if len(l.readers) == maxReaders {
		folded = l.fold()
	}
	l.readers = appendFence(l.readers, where, h)
	return folded
}

// fold makes one fence of all readers and returns its handle.
func (l *fenceList) fold() Handle {
	var handles [maxReaders]Handle
	n := 0
	first := &l.readers[0]
	for i := range l.readers {
		f := &l.readers[i]
		if !f.handle.well() {
			handles[n] = f.handle
			n++
		}
		if first.where.Empty() || f.where.Empty() {
			first.where.Clear() // everywhere
		} else {
			first.where.Union(&f.where)
		}
	}
	first.handle = Combine(handles[:n]...)
	l.readers = l.readers[:1]
	return first.handle
}

func (l *fenceList) forget() {
	for i := range l.writers {
		l.writers[i].handle = Handle{}
	}
	for i := range l.readers {
		l.readers[i].handle = Handle{}
	}
	l.writers, l.readers = l.writers[:0], l.readers[:0]
}

// dropCovered removes the fences that lie inside where, and those that are
// done and well. It swaps instead of copying, so that overflow memory stays
// with exactly one fence.
func dropCovered(list []fence, where *Set) []fence {
	n := 0
	for i := range list {
		f := &list[i]
		if f.handle.well() || where.Empty() || (!f.where.Empty() && where.Covers(&f.where)) {
			f.handle = Handle{}
			continue
		}
		list[n], list[i] = list[i], list[n]
		n++
	}
	return list[:n]
}

// appendFence adds a fence and reuses the memory behind the list's end.
func appendFence(list []fence, where *Set, h Handle) []fence {
	if len(list) < cap(list) {
		list = list[:len(list)+1]
	} else {
		list = append(list, fence{})
	}
	f := &list[len(list)-1]
	f.handle = h
	f.where.Assign(where)
	return list
}
