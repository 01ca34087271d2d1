package ecs

import (
	"fmt"
	"strings"

	"github.com/lanewise/lanewise/ecs/internal/category"
)

// The categories of an Error, for errors.Is.
var (
	// ErrArgument says that an argument can never be right: an entity that does
	// not exist, a type that is no component, a negative count.
	ErrArgument = category.ErrArgument

	// ErrState says that the call is right, but not now: a structural change in a
	// job, a write to what was declared as read, a buffer that was played.
	ErrState = category.ErrState

	// ErrDisposed says that something is used after its end: a closed world, a
	// view, look-up or buffer from before a structural change.
	ErrDisposed = category.ErrDisposed

	// ErrRange says that an index is out of range.
	ErrRange = category.ErrRange
)

// Error is what every function of this package returns or panics with. It
// names what was asked for and of what; Text says what is wrong and what to do
// about it.
type Error struct {
	Category  error  // ErrArgument, ErrState, ErrDisposed or ErrRange
	Op        string // the function, as "Set"
	World     string // the world's name
	System    string // the system that was being updated, if any
	Entity    Entity // the entity, if one is concerned
	Name      string // its name, if World.SetEntityName has given it one
	Component string // the component's full name, if one is concerned
	Text      string // what is wrong, and the remedy
	Err       error  // the cause, if there is one

	buffer string  // what Text begins with, of a Commands buffer
	labels *labels // where Name is looked for
}

// Error returns the whole message on one line. A cause that is an Error too says only
// what is not said yet: neither the prefix nor the world comes twice.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("ecs")
	e.say(&b, Error{})
	return b.String()
}

// say writes what of e is not said already.
func (e *Error) say(b *strings.Builder, said Error) {
	if e.Op != said.Op {
		fmt.Fprintf(b, ": %s", e.Op)
	}
	if e.World != "" && e.World != said.World {
		fmt.Fprintf(b, ": world %q", e.World)
		said.World = e.World
	}
	if e.System != "" && e.System != said.System {
		fmt.Fprintf(b, ": system %s", e.System)
		said.System = e.System
	}
	if e.Entity != (Entity{}) && e.Entity != said.Entity {
		fmt.Fprintf(b, ": entity %s", named(e.Entity, e.Name))
		said.Entity = e.Entity
	}
	if e.Component != "" && e.Component != said.Component {
		fmt.Fprintf(b, ": component %s", e.Component)
		said.Component = e.Component
	}
	b.WriteString(": ")
	if said.buffer != "" {
		b.WriteString(strings.TrimPrefix(e.Text, said.buffer+": "))
	} else {
		b.WriteString(e.Text)
		said.buffer = e.buffer
	}
	said.Op = e.Op
	if cause, ok := e.Err.(*Error); ok {
		cause.say(b, said)
	} else if e.Err != nil {
		fmt.Fprintf(b, ": %v", e.Err)
	}
}

// Unwrap returns the category and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Category}
	}
	return []error{e.Category, e.Err}
}

// fault makes an error of op that no world is concerned with.
func fault(category error, op, text string, args ...any) *Error {
	return &Error{Category: category, Op: op, Text: fmt.Sprintf(text, args...)}
}

// renamed returns an error as one of another operation, if it is an *Error. That is a copy: what was
// returned once may be held by others and is not changed.
func renamed(err error, op string) error {
	own, ok := err.(*Error)
	if !ok {
		return err
	}
	e := *own
	e.Op = op
	return &e
}

// noWorld is the error of an operation that was given no world.
//
//go:noinline
func noWorld(op string) *Error {
	return fault(ErrArgument, op, "the world is nil: make one with NewWorld")
}

// of says which entity an error is about.
func (e *Error) of(id Entity) *Error {
	e.Entity, e.Name = id, e.labels.name(id)
	return e
}

// because gives an error its cause.
func (e *Error) because(err error) *Error { e.Err = err; return e }
