package system

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Watcher is called before and after each update of a system; After is called when the jobs of the system are complete too.
// Both are called on the goroutine of the world's owner, inside of the frame if there is one, and may
// read the world and capture it. A Watcher that changes the world changes the results, and a panic in it is not recovered.
type Watcher interface {
	Before(in *Instance)
	After(in *Instance, since uint32, err error)
}

// Watch calls p around each update of a system of w, from now on until stop is called, but not around the updates of groups,
// because it is called for their members. All that an update has written is newer than version since, and err is
// the error that the update has returned. Of several watchers the first one is called first.
//
// While there is a watcher, each system waits for its jobs, so that no two systems work at a
// time; results are the same, as always. Without one a system costs one comparison with nil more.
// It panics if w is closed, and if p is nil.
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
	all.list = append(all.list[:len(all.list):len(all.list)], own) // others may be going through it
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

// updateWatchers are the watchers of a world.
type updateWatchers struct{ list []*updateWatcher }

// updateWatcher is one of them.
type updateWatcher struct{ Watcher }

// run is one update of a system that is watched.
func (p *updateWatchers) run(in *Instance, held bool) error {
	if in.group != nil {
		return in.run(held)
	}
	list := p.list
	for _, one := range list {
		one.Before(in)
	}
	since := in.world.Version()
	err := in.usable("Update") // a watcher may have lent the world
	if err == nil {
		err = in.run(held)
	}
	if in.phase == alive {
		in.complete()
		for _, a := range in.declared() {
			_ = in.world.Scheduler().Await(&access.Access{Write: a.Write}) // what has failed is for Sync to say
		}
	}
	for _, one := range list {
		one.After(in, since, err)
	}
	return err
}

// FrameNumber returns the number of the frame of w that is under way, or else of the last one, from 1: those of loops and of
// [Update] count. It panics if w is closed.
func FrameNumber(w *ecs.World) uint64 {
	a := attachmentFor("FrameNumber", w)
	a.mustBeOpen("count frames")
	if a.updating {
		return a.frames + 1
	}
	return a.frames
}
