package inspect

import "errors"

// What a request may be refused with, whatever it asks.
var (
	errGone   = errors.New("inspect: nobody has looked for a while: ask again")
	errClosed = errors.New("inspect: the world is closed")
	errEnded  = errors.New("inspect: the inspector is closed")
)

// stillError says that no frame has come.
type stillError struct{ text string }

func (e *stillError) Error() string { return e.text }

// stateError says that something cannot be done as the world is.
type stateError struct{ text string }

func (e *stateError) Error() string { return "inspect: " + e.text }

// missing is what there is not.
type missing struct{ text string }

func (e *missing) Error() string { return "inspect: " + e.text }

func notFound(text string) error { return &missing{text} }
