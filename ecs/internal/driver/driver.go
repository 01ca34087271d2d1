// Package driver connects packages system and app. It declares the steps of a world's frame as
// methods, so that a loop can begin and end the frames of several worlds together.
//
// A loop needs two more functions of package system that programs should not call. First, a world
// is created in steps ([Plan]), because a default world must be known before its systems are
// created. Second, a hook is called for each closed world ([Ended]). Packages system and app set
// these variables before main begins, so that neither package has to import the other for this
// purpose.
package driver

import "github.com/lanewise/lanewise/ecs"

// World is a world with systems, in the form that a loop needs. Only the owner of the world may
// call its methods.
type World interface {
	// Open returns an error if the world is closing or closed. The parameter what is the name of
	// the operation, for the error.
	Open(what string) error
	// Closed reports whether the world is closed.
	Closed() bool
	// Begin begins a frame. The parameter by is the loop that runs the frame.
	Begin(by Pauser) error
	// Turn updates a root group in the frame. It does nothing if the group was destroyed or a
	// system has quit the frame.
	Turn(group Group) error
	// Quit reports whether a system of the last frame has called Frame.Quit.
	Quit() bool
	// End ends the frame and appends its errors to errs.
	End(errs []error) []error
	// Show calls the functions that observe the ends of the world's frames. A loop calls Show after
	// the frames of all its worlds have ended.
	Show(errs []error) []error
}

// Pauser is system.Pauser: a loop that can be paused.
type Pauser interface{ Pause(f func()) }

// Group is the instance of a group from package system.
type Group interface{ Update() error }

// Of returns the World of w. Package system sets Of at the start of the process.
var Of func(w *ecs.World) World

// Ended is called for every world with systems after the world was closed. Package app sets Ended
// at the start of the process. Ended is nil if the program does not contain package app.
var Ended func(w *ecs.World)

// Plan is a new world that is created in steps: first the world, then its systems. T is
// *system.Type and K is system.WorldKind. Both are type parameters because this package
// cannot import package system, which imports this package.
type Plan[T, K any] interface {
	// Unwanted reports whether the options forbid package app to create the default world, and to
	// create the editor world.
	Unwanted() (noDefault, noEditor bool)
	// SetKind sets the kind of the world.
	SetKind(k K)
	// Empty creates the world without systems.
	Empty(name string) *ecs.World
	// Types returns the types of the world's systems: the default groups with their members, and
	// the types that only this world uses.
	Types() (basic, own []T)
}

// Planner creates plans from options. O is system.Option.
type Planner[T, K, O any] struct {
	// New returns the plan of a world. If the options do not set the kind of the world, it is the
	// kind in the parameter unless. New panics with a message that begins with call if an option
	// is nil.
	New func(call string, unless K, opts ...O) Plan[T, K]

	NoDefault, NoEditor O // the options that Plan.Unwanted reports
}

// Plans is a Planner[*system.Type, system.WorldKind, system.Option]. Package system sets Plans at
// the start of the process.
var Plans any

// Late is an attribute of system types of this module. If no attribute decides the order of some
// members of a group, their names decide it, but a system with Late comes after all of them.
type Late struct{}
