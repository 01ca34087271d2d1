package jobs

import (
	"slices"
	"sync"
	"sync/atomic"
)

// deque is the work-stealing queue of Chase and Lev (SPAA 2005): its owner
// pushes and pops at the bottom, thieves take from the top.
//
// An entry is a hint: a waiter may have claimed the job without taking the
// entry away, and the slot may even hold another job by now. A seat that takes an
// entry must claim the slot before running it; a slot that is ready may be run
// by any that claims it, so an old entry does no harm.
//
// What is stored before a look at what others store is swapped, here and
// wherever workers fall asleep or are woken: it costs the same, and emulators
// that let a load pass an earlier store (docs/decisions/0003) keep that order.
type deque struct {
	// top is where thieves take: moved by compare-and-swap, by them and by the owner for
	// the last entry.
	top atomic.Int64
	_   [56]byte

	// bottom is where the owner pushes and pops: it alone writes, by a swap where a look
	// at top follows, and after the entries below it.
	bottom atomic.Int64

	// ring holds the entries. The owner stores a larger one while there are none, before it
	// pushes them again; a thief that has read one out of the old ring fails to move top.
	ring atomic.Pointer[ring]

	unseen int64   // entries that were put and not published
	passed int64   // what top was, or less: looking again would cost a transfer
	asked  int     // times that idle would have had to look
	keep   []*slot // makeRoom's
}

// rounds numbers the calls of makeRoom, of all deques: their owners add, and only that no two are alike matters.
var rounds atomic.Uint64

type ring struct {
	mask int64

	// items are stored by the owner, before the bottom that shows them, and loaded by the owner and by
	// thieves, before they move top: one that comes too late has an old item, and its move fails.
	items []atomic.Pointer[slot]
}

func newRing(size int64) *ring {
	return &ring{mask: size - 1, items: make([]atomic.Pointer[slot], size)}
}

func (r *ring) at(i int64) *atomic.Pointer[slot] { return &r.items[i&r.mask] }

const dequeSize = 256

func (d *deque) init() { d.ring.Store(newRing(dequeSize)) }

// push adds an entry at the bottom. Only the owner may call it.
func (d *deque) push(sl *slot) {
	d.put(sl)
	d.publish()
}

// put is push for one of several entries: thieves see them after publish. Only
// the owner may call it, and nothing else in between.
func (d *deque) put(sl *slot) {
	b := d.bottom.Load() + d.unseen
	r := d.ring.Load()
	if b-d.passed > r.mask {
		if d.passed = d.top.Load(); b-d.passed > r.mask {
			d.publish()
			r = d.makeRoom()
			b = d.bottom.Load()
		}
	}
	r.at(b).Store(sl)
	d.unseen++
}

// publish shows thieves what was put.
func (d *deque) publish() {
	d.bottom.Swap(d.bottom.Load() + d.unseen)
	d.unseen = 0
}

// pop takes the newest entry. Only the owner may call it.
func (d *deque) pop() *slot {
	b, t := d.bottom.Load()-1, d.top.Load()
	if b > t { // else there is one at most: that is taken as a thief would
		d.bottom.Swap(b)
		t = d.top.Load()
		if b > t {
			return d.ring.Load().at(b).Load()
		}
		d.bottom.Store(b + 1)
	}
	if b < t {
		return nil
	}
	sl := d.ring.Load().at(b).Load()
	if !d.top.CompareAndSwap(t, t+1) {
		return nil
	}
	return sl
}

// newest is the entry that pop would take. Only the owner may call it.
func (d *deque) newest() *slot {
	b := d.bottom.Load() - 1
	if b < d.top.Load() {
		return nil
	}
	return d.ring.Load().at(b).Load()
}

// idle reports whether there are no entries. Where thieves are at work it may
// say no for a while after they have taken the last. Only the owner may call
// it.
func (d *deque) idle() bool {
	b := d.bottom.Load()
	if b != d.passed {
		if d.asked++; d.asked%8 == 0 {
			d.passed = d.top.Load()
		}
	}
	return b == d.passed
}

// steal takes the oldest entry. Any goroutine may call it.
func (d *deque) steal() *slot {
	for {
		t := d.top.Load()
		if t >= d.bottom.Load() {
			return nil
		}
		sl := d.ring.Load().at(t).Load()
		if d.top.CompareAndSwap(t, t+1) {
			return sl
		}
	}
}

// size is how many entries there are, or were a moment ago.
func (d *deque) size() int { return int(d.bottom.Load() - d.top.Load()) }

// makeRoom drops the entries whose job was claimed by a waiter; if too many
// are left it doubles the ring. Only the owner may call it.
func (d *deque) makeRoom() *ring {
	old := d.ring.Load()
	keep, round := d.keep[:0], rounds.Add(1)
	for sl := d.pop(); sl != nil; sl = d.pop() {
		if sl.word.Load()&phaseMask == phaseReady && sl.kept.Load() != round {
			sl.kept.Store(round) // older entries of a slot that was used again are left behind
			keep = append(keep, sl)
		}
	}
	d.keep = keep
	r := old
	if int64(len(keep)) > old.mask/2 {
		r = newRing(2 * (old.mask + 1))
		d.ring.Store(r)
	}
	for i := len(keep) - 1; i >= 0; i-- {
		b := d.bottom.Load()
		r.at(b).Store(keep[i])
		d.bottom.Store(b + 1)
	}
	return r
}

// lane is a first-in-first-out queue for the jobs of one priority that do not
// go into the deques. As there, an entry is a hint: what takes it must claim
// the job.
type lane struct {
	size atomic.Int32 // of what is left of list: stored under mu, read without to see whether a lock is worth it
	mu   sync.Mutex
	list []*slot
	head int
}

func (l *lane) push(sl *slot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.list) == cap(l.list) {
		// Make room: what was taken, and what waiters have claimed, can go.
		l.list = append(l.list[:0], slices.DeleteFunc(l.list[l.head:], func(sl *slot) bool {
			return sl.word.Load()&phaseReady == 0
		})...)
		l.head = 0
	}
	l.list = append(l.list, sl)
	l.size.Store(int32(len(l.list) - l.head))
}

// claim takes entries until it can claim the job of one, in the way that the
// lane's jobs are claimed; nil if there is none.
func (l *lane) claim(how func(*slot) bool) *slot {
	for l.size.Load() > 0 {
		l.mu.Lock()
		var sl *slot
		if l.head < len(l.list) {
			sl = l.list[l.head]
			l.list[l.head] = nil
			l.head++
			if l.head == len(l.list) {
				l.list, l.head = l.list[:0], 0
			}
			l.size.Store(int32(len(l.list) - l.head))
		}
		l.mu.Unlock()
		if sl != nil && how(sl) {
			return sl
		}
	}
	return nil
}
