package ecs

import (
	"fmt"
	"strings"

	"github.com/lanewise/lanewise/ecs/internal/category"
)

// These are the categories of an Error. Use errors.Is to test for them.
var (
	// ErrArgument says that an argument is wrong, and would be wrong at any time. For example, an
	// entity does not exist, a type is no component, or a count is negative.
	ErrArgument = category.ErrArgument

	// ErrState says that the call is not allowed now. For example, a job makes a structural change,
	// code writes a column that its query only reads, or a command buffer was already played.
	ErrState = category.ErrState

	// ErrDisposed says that the object is no longer valid. For example, the world is closed, or a
	// view, look-up or buffer handle is older than the last structural change.
	ErrDisposed = category.ErrDisposed

	// ErrRange says that an index is out of range.
	ErrRange = category.ErrRange
)

// Error is the type of every error that a function of this package returns or panics with. Its
// fields name the function and the objects involved. Text says what is wrong and how to correct it.
type Error struct {
	Category  error  // ErrArgument, ErrState, ErrDisposed or ErrRange
	Op        string // the function, for example "Set"
	World     string // the world's name
	System    string // the system that was being updated, if any
	Entity    Entity // the entity, if the error is about one
	Name      string // the entity's name, if World.SetEntityName has set one
	Component string // the component's full name, if the error is about one
	Text      string // what is wrong, and how to correct it
	Err       error  // the cause, if there is one

	bufferName  string       // the name of the Commands buffer, with which Text begins
	entityNames *entityNames // the table in which Name is looked up
}

// Error returns the whole message on one line. If the cause is also an *Error, the message
// omits those of its fields that were already printed, such as the world.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("ecs")
	e.writeFields(&b, Error{})
	return b.String()
}

// writeFields writes the fields of e whose values differ from the values in said, which were
// already printed.
func (e *Error) writeFields(b *strings.Builder, said Error) {
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
		fmt.Fprintf(b, ": entity %s", describeEntity(e.Entity, e.Name))
		said.Entity = e.Entity
	}
	if e.Component != "" && e.Component != said.Component {
		fmt.Fprintf(b, ": component %s", e.Component)
		said.Component = e.Component
	}
	b.WriteString(": ")
	if said.bufferName != "" {
		b.WriteString(strings.TrimPrefix(e.Text, said.bufferName+": "))
	} else {
		b.WriteString(e.Text)
		said.bufferName = e.bufferName
	}
	said.Op = e.Op
	if cause, ok := e.Err.(*Error); ok {
		cause.writeFields(b, said)
	} else if e.Err != nil {
		fmt.Fprintf(b, ": %v", e.Err)
	}
}

// Unwrap returns the category and, if there is one, the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Category}
	}
	return []error{e.Category, e.Err}
}

// fault returns an error of op that involves no world.
func fault(category error, op, text string, args ...any) *Error {
	return &Error{Category: category, Op: op, Text: fmt.Sprintf(text, args...)}
}

// withOp returns err with another operation, if it is an *Error. It changes a copy, because the
// caller of an earlier operation may have kept err.
func withOp(err error, op string) error {
	own, ok := err.(*Error)
	if !ok {
		return err
	}
	e := *own
	e.Op = op
	return &e
}

// noWorldError returns the error of an operation on a nil world.
//
//go:noinline
func noWorldError(op string) *Error {
	return fault(ErrArgument, op, "the world is nil: make one with NewWorld")
}

// forEntity sets the entity of an error.
func (e *Error) forEntity(id Entity) *Error {
	e.Entity, e.Name = id, e.entityNames.name(id)
	return e
}

// withCause sets the cause of an error.
func (e *Error) withCause(err error) *Error { e.Err = err; return e }
