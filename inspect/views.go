package inspect

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// lease is how long a request keeps recording on.
const lease = 3 * time.Second

// views is the part of an inspector that owners of worlds and requests share: which worlds are looked
// at, and until when.
//
// Its invariant: as long as a view is known, or the lease runs, all worlds have the hook for the ends of their frames; the hook goes
// out under mu when neither is so, and what renews the lease puts it in under mu, so that no
// request waits for the end of a frame that is not shown.
type views struct {
	only   []*ecs.World // nil: all
	budget time.Duration
	box    *blackBox // nil: none was asked for

	looked atomic.Int64 // when somebody asked last, by profile.Clock; written by requests, read by owners
	closed atomic.Bool  // written by Close, read by owners and requests

	known atomic.Pointer[[]*view] // of the worlds that are looked at, in the order of their making: a list is written under mu, always a new one, and read by owners and requests

	mu     sync.Mutex
	remove func() // takes the hook of all worlds out; nil when there is none
	pools  map[*jobs.Pool]int
}

// touch renews the lease, and sees to it that worlds show the ends of their frames.
func (i *views) touch() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.looked.Store(int64(now()))
	if i.remove == nil && !i.closed.Load() {
		i.remove = system.OnEveryFrameEnd(i.frameEnd)
	}
}

// wanted reports whether somebody looks.
func (i *views) wanted() bool { return i.wantedAt(now()) }

// wantedAt is wanted for callers that know the time.
func (i *views) wantedAt(at time.Duration) bool {
	return !i.closed.Load() && (i.box != nil || at-time.Duration(i.looked.Load()) < lease)
}

// share is how much of the time of frames taking their times may need. The black box wants every
// frame: it is not known which one will be slow.
func (i *views) share() float64 {
	if i.box != nil {
		return 1
	}
	return 0.01
}

// frameEnd is called by the owner of each world between two frames.
func (i *views) frameEnd(b *system.FrameEnd) {
	v := i.viewOf(b)
	if v == nil {
		return
	}
	v.frame(b)
	if !i.wantedAt(b.End) && (!v.pace.paused.Load() || i.closed.Load()) && !i.wanted() {
		v.end()
		i.drop(v)
	}
}

// shows reports whether the inspector is for a world.
func (i *views) shows(w *ecs.World) bool { return i.only == nil || slices.Contains(i.only, w) }

// viewOf returns the view of a world that has come to the end of a frame, making it the first time; nil
// if nobody wants one. When nobody looks at any world it takes the hook out.
func (i *views) viewOf(b *system.FrameEnd) *view {
	if v := i.find(b.World); v != nil {
		return v
	}
	if !i.wanted() {
		i.mu.Lock()
		defer i.mu.Unlock()
		if !i.wanted() { // still, now that nobody can renew the lease
			i.rest()
		}
		return nil
	}
	if !i.shows(b.World) {
		return nil
	}
	v := newView(i, b.World)
	i.add(v)
	return v
}

// join makes views of the worlds of a loop that have none yet: no frame of theirs ends as long as
// it stands still. It is for the loop's owner.
func (i *views) join(l *app.Loop) {
	if l == nil {
		return
	}
	for _, w := range l.Worlds() {
		if !i.shows(w) || i.find(w) != nil {
			continue
		}
		v := newView(i, w)
		v.loop.Store(l)
		v.seen.Store(int64(now()))
		v.begin()
		i.add(v)
	}
}

// add makes a view known.
func (i *views) add(v *view) {
	i.mu.Lock()
	defer i.mu.Unlock()
	list := append(i.all(), v)
	slices.SortFunc(list, func(a, b *view) int { return int(a.seq) - int(b.seq) })
	i.known.Store(&list)
}

// rest takes the hook out if no world has a view. The caller holds mu.
func (i *views) rest() {
	if len(i.list()) == 0 && i.remove != nil {
		i.remove()
		i.remove = nil
	}
}

// drop forgets a view that has ended.
func (i *views) drop(v *view) {
	i.mu.Lock()
	defer i.mu.Unlock()
	list := slices.DeleteFunc(i.all(), func(o *view) bool { return o == v })
	i.known.Store(&list)
	if !i.wanted() {
		i.rest()
	}
}

// find returns the view of a world, if there is one.
func (i *views) find(w *ecs.World) *view {
	for _, v := range i.list() {
		if v.world == w {
			return v
		}
	}
	return nil
}

// list is the views that there are; it is not changed.
func (i *views) list() []*view {
	if list := i.known.Load(); list != nil {
		return *list
	}
	return nil
}

// all returns the views that there are, for the caller to keep.
func (i *views) all() []*view { return slices.Clone(i.list()) }

// poke wakes the owners that wait in a pause.
func (i *views) poke() {
	for _, v := range i.all() {
		v.asks.signal()
	}
}

// recorded is how many events of each worker are kept while somebody looks.
const recorded = 2048

// record switches the recording of a pool on for one world, unless its user records himself.
// It reports whether it has.
func (i *views) record(p *jobs.Pool) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.pools[p] == 0 && p.Profile().Recording() > 0 {
		return false
	}
	if i.pools[p]++; i.pools[p] == 1 {
		p.Profile().RecordMetered(recorded)
	}
	return true
}

// unrecord undoes one record.
func (i *views) unrecord(p *jobs.Pool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.pools[p]--; i.pools[p] == 0 {
		delete(i.pools, p)
		p.Profile().Record(0)
	}
}
