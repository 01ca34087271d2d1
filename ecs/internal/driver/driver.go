// Package driver is the seam between packages system and app: the frame of a world in parts,
// so that a loop begins the frames of several worlds together and ends them together.
//
// Package system says how worlds are driven, and package app what is to happen when one has
// ended; each does so once, before main begins. Neither is for programs, which is why it stands here.
package driver

import "github.com/lanewise/lanewise/ecs"

// World is a world of systems as a loop sees it. It is the owner's.
type World interface {
	// Open says why the world can do what is asked no more; nil if it can.
	Open(what string) error
	// Closed reports whether the world is closed.
	Closed() bool
	// Begin begins a frame, which by ticks.
	Begin(by interface{ Hold(f func()) }) error
	// Turn updates a root group in the frame, unless the group is destroyed or a system has asked for the end.
	Turn(group Group) error
	// Quit reports whether a system of the last frame has asked for the end.
	Quit() bool
	// End ends the frame and appends what has failed to errs.
	End(errs []error) []error
	// Show shows those that watch the world that the frame is over, when those of all worlds are.
	Show(errs []error) []error
}

// Group is a system of package system that is a group.
type Group interface{ Update() error }

// Of returns a world as a loop sees it. Package system sets it when the process begins.
var Of func(w *ecs.World) World

// Ended is told of every world of systems that has been closed. Package app sets it when the process
// begins; nil where that is not part of the program.
var Ended func(w *ecs.World)
