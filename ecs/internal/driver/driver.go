// Package driver is the seam between packages system and app: the frame of a world in parts,
// so that a loop begins the frames of several worlds together and ends them together.
//
// A loop needs two more things of package system that are not for programs: a world in steps ([Plan]), because a default world must be known
// before its systems are created, and a call when a world is closed ([Ended]). Each of the two packages sets its variables once, before main begins.
package driver

import "github.com/lanewise/lanewise/ecs"

// World is a world of systems as a loop sees it. It is the owner's.
type World interface {
	// Open says why the world can do what is asked no more; nil if it can.
	Open(what string) error
	// Closed reports whether the world is closed.
	Closed() bool
	// Begin begins a frame, which by drives.
	Begin(by Pauser) error
	// Turn updates a root group in the frame, unless the group is destroyed or a system has asked for the end.
	Turn(group Group) error
	// Quit reports whether a system of the last frame has asked for the end.
	Quit() bool
	// End ends the frame and appends what has failed to errs.
	End(errs []error) []error
	// Show shows those that watch the world that the frame is over, when those of all worlds are.
	Show(errs []error) []error
}

// Pauser is system.Pauser: a loop that can pause.
type Pauser interface{ Pause(f func()) }

// Group is a system of package system that is a group.
type Group interface{ Update() error }

// Of returns a world as a loop sees it. Package system sets it when the process begins.
var Of func(w *ecs.World) World

// Ended is told of every world of systems that has been closed. Package app sets it when the process
// begins; nil where that is not part of the program.
var Ended func(w *ecs.World)

// Plan is a new world in steps, as the options of it say: the world first, then its systems. T is *system.Type and K is
// system.WorldKind, which this package, below system, cannot name.
type Plan[T, K any] interface {
	// Unwanted reports whether an option keeps package app from making the default world, or the editor world.
	Unwanted() (noDefault, noEditor bool)
	// SetKind makes the world one of the kind alone.
	SetKind(k K)
	// Empty makes the world, without systems.
	Empty(name string) *ecs.World
	// Types returns the types of its systems: the default groups with their members, and its own.
	Types() (basic, own []T)
}

// Planner makes plans of options. O is system.Option.
type Planner[T, K, O any] struct {
	// New returns the plan of a world that is of kind unless, unless the options say otherwise. It panics, in the name of call, if an option is nil.
	New func(call string, unless K, opts ...O) Plan[T, K]

	NoDefault, NoEditor O // options: see Plan.Unwanted
}

// Plans is the Planner[*system.Type, system.WorldKind, system.Option]. Package system sets it when the process begins.
var Plans any

// Late is an attribute of system types of this module, a blank field: among the members of a group that no attribute of a user
// orders, the system comes last, whatever their names are.
type Late struct{}
