// Package state is what images of worlds keep of their systems, for packages that write images elsewhere and read them, as
// ecs/snapshot does. A program has it kept and put back by itself: by ecs.Capture and system.Restore, with system.Saver for
// what a system has in its own fields.
//
// It knows no systems but by their names: package system, above, says what the state of one is, and makes it what it was.
//
// What holds: a state belongs to an image and is never changed once it is kept, since images are shared. A system is found again by the full name of its type and its
// number among those of that type. What the state has of one that is not there is left alone, and one that the state does not have has seen nothing. Versions are those of the image, which package system turns into versions of the world that goes on.
package state

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/sister"
	"github.com/lanewise/lanewise/ecs/system/clock"
)

// World is what the systems of a world are beside its entities: its time, how far groups have come
// with their steps, and what each system has seen. Capture keeps it with an image and Restore puts it
// back. What a system that is no system.Saver has in its fields is not part of it, nor whether it is running,
// nor what a system.Frame has beyond the time.
type World struct {
	Now                 clock.Time
	Outer               []clock.Time // below now, see Clock.Push
	MaximumDelta, Scale float64
	Ticked              bool // time has gone on once: it begins with a step that only has a delta
	Systems             []System
}

// System is what one system is.
type System struct {
	Name     string // the full name of its type, and #2 for the second one of that in the world
	Version  uint32 // its LastVersion: of the world, as versions of the image are
	Disabled bool
	Rate     []byte // of a group whose rate is a Saver; nil else
	Own      []byte // of a Saver; nil else

	// Instance is the system itself, as package system knows it, if the state was taken in this process; nil else.
	Instance any
}

// plumbing is where the bodies are, as for package plumbing.
var plumbing = ecs.Dynamic(sister.Key{}).Plumbing()

// kept is the key of what an image has of the systems of its world.
type kept struct{}

// Of returns what an image has of the systems of its world; nil if that had no systems. It must
// not be changed.
func Of(m *ecs.Image) *World {
	s, _ := plumbing.Kept(m, kept{}).(*World)
	return s
}

// Keep keeps a state with an image that came from elsewhere. Versions are those of the image.
func Keep(m *ecs.Image, s *World) { plumbing.KeepAs("state.Keep", m, kept{}, s) }
