package system

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Watcher has methods that are called before and after each update of a system. After is called
// when the system's jobs are done. Both run on the goroutine of the world's owner, inside of the
// frame if there is one. They may read the world and capture it. A Watcher that changes the world
// changes the results. A panic in it is not recovered.
type Watcher interface {
	Before(in *Instance)
	After(in *Instance, since uint32, err error)
}

// Watch calls p around each update of a system of w until stop is called. It does not call p around
// the updates of groups, because it calls it for their members. Rows that the update wrote have a
// version newer than since; err is the error of the update. If there are several watchers, the one
// that was attached first is called first.
//
// While a watcher is attached, each system waits for its own jobs, so that no two systems work at
// the same time. The results are the same. Without a watcher a system costs one more comparison
// with nil. Watch panics if w is closed or p is nil.
func Watch(w *ecs.World, p Watcher) (stop func()) {
	a := attachmentFor("Watch", w)
	a.mustBeOpen("watch")
	if p == nil {
		panic("system: Watch: the watcher is nil")
	}
	all, watched := a.watchers.(*updateWatchers)
	if !watched {
		all = new(updateWatchers)
		a.watchers = all
	}
	own := &updateWatcher{p}
	all.list = append(all.list[:len(all.list):len(all.list)], own) // a new list, because an update may be going through the old one
	return func() {
		rest := make([]*updateWatcher, 0, len(all.list))
		for _, one := range all.list {
			if one != own {
				rest = append(rest, one)
			}
		}
		if all.list = rest; len(rest) == 0 && a.watchers == watchedUpdates(all) {
			a.watchers = nil
		}
	}
}

// updateWatchers lists the watchers of a world.
type updateWatchers struct{ list []*updateWatcher }

// updateWatcher is one watcher; its address identifies the call of Watch.
type updateWatcher struct{ Watcher }

// runUpdate does one watched update of a system.
func (p *updateWatchers) runUpdate(in *Instance, held bool) error {
	if in.group != nil {
		return in.runUpdate(held)
	}
	list := p.list
	for _, one := range list {
		one.Before(in)
	}
	since := in.world.Version()
	err := in.checkNotLent("Update") // a watcher may have lent the world
	if err == nil {
		err = in.runUpdate(held)
	}
	if in.phase == alive {
		in.complete()
		for _, a := range in.declaredAccesses() {
			_ = in.world.Scheduler().Await(&access.Access{Write: a.Write}) // Sync returns the error
		}
	}
	for _, one := range list {
		one.After(in, since, err)
	}
	return err
}

// FrameNumber returns the number of the frame of w that is under way, or of the last frame
// otherwise; the first frame has number 1. Frames of loops and of [Update] are counted. It panics
// if w is closed.
func FrameNumber(w *ecs.World) uint64 {
	a := attachmentFor("FrameNumber", w)
	a.mustBeOpen("count frames")
	if a.updating {
		return a.frameCount + 1
	}
	return a.frameCount
}
