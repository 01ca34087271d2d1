package monitor

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// Probe sees a world before and after each update of a system: after means that its jobs are complete too.
// It is called on the goroutine of the world's owner, inside of the frame if there is one, and may
// look at the world and capture it. What it changes, or panics with, is its own affair.
type Probe interface {
	Before(in *system.Instance)
	After(in *system.Instance, since uint32, err error)
}

// Watch calls p around each update of a system of w, from now on until stop is called; groups are no such
// systems, for their members are. Since is a version of the world that everything is newer than that the update has written, and err what it
// has returned. Of several probes the first one watches first.
//
// While a probe watches, each system waits for its jobs, so that no two systems work at a
// time; results are the same, as always. While none does, a system costs one comparison with nil more.
// It panics if w is closed, and if p is nil.
func Watch(w *ecs.World, p Probe) (stop func()) { return internals.Watch(w, p) }

// FrameOf returns the number of the frame of w that is under way, or else of the last one, from 1: those of loops and of
// system.Update count. It panics if w is closed.
func FrameOf(w *ecs.World) uint64 { return internals.FrameOf(w) }
