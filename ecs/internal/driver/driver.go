// Package driver connects packages system and app: it declares the frame of a world in parts, so
// that a loop can begin and end the frames of several worlds together.
//
// A loop needs two more functions of package system that are not for programs. A world is made in
// steps ([Plan]), because a default world must be known before its systems are created. A call
// reports each closed world ([Ended]). Each of the two packages sets its variables once, before
// main begins, so that neither imports the other for this.
package driver

import "github.com/lanewise/lanewise/ecs"

// World is a world with systems, as a loop needs it. Only the owner of the world may call its
// methods.
type World interface {
	// Open returns an error if the world is closing or closed. What names the refused operation.
	Open(what string) error
	// Closed reports whether the world is closed.
	Closed() bool
	// Begin begins a frame that by drives.
	Begin(by Pauser) error
	// Turn updates a root group in the frame, unless the group is destroyed or a system has quit
	// the frame.
	Turn(group Group) error
	// Quit reports whether a system of the last frame has called Frame.Quit.
	Quit() bool
	// End ends the frame and appends its errors to errs.
	End(errs []error) []error
	// Show calls the functions that watch the ends of the world's frames. A loop calls it after the
	// frames of all its worlds have ended.
	Show(errs []error) []error
}

// Pauser is system.Pauser: a loop that can pause.
type Pauser interface{ Pause(f func()) }

// Group is the instance of a group of package system.
type Group interface{ Update() error }

// Of returns a world as a loop needs it. Package system sets it at the start of the process.
var Of func(w *ecs.World) World

// Ended is called for every world with systems after it was closed. Package app sets it at the
// start of the process; it is nil if the program does not contain that package.
var Ended func(w *ecs.World)

// Plan is a new world that is made in steps: first the world, then its systems. T is *system.Type
// and K is system.WorldKind. They are type parameters because this package is below system and
// cannot import it.
type Plan[T, K any] interface {
	// Unwanted reports whether options keep package app from making the default world and the
	// editor world.
	Unwanted() (noDefault, noEditor bool)
	// SetKind sets the kind of the world.
	SetKind(k K)
	// Empty makes the world without systems.
	Empty(name string) *ecs.World
	// Types returns the types of its systems: the default groups with their members, and the
	// world's own.
	Types() (basic, own []T)
}

// Planner makes plans from options. O is system.Option.
type Planner[T, K, O any] struct {
	// New returns the plan of a world of kind unless, if the options do not set a kind. It panics
	// in the name of call if an option is nil.
	New func(call string, unless K, opts ...O) Plan[T, K]

	NoDefault, NoEditor O // options: see Plan.Unwanted
}

// Plans is a Planner[*system.Type, system.WorldKind, system.Option]. Package system sets it at the
// start of the process.
var Plans any

// Late is an attribute of system types of this module. Among the members of a group that no
// attribute orders, a system with it comes last, whatever the names are.
type Late struct{}
