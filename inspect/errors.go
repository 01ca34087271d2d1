package inspect

import "errors"

// Several kinds of requests return these errors.
var (
	errGone   = errors.New("inspect: nobody has looked for a while: ask again")
	errClosed = errors.New("inspect: the world is closed")
	errEnded  = errors.New("inspect: the inspector is closed")
)

// stillError is the error of a request for which the world did not end a frame in
// time.
type stillError struct{ text string }

func (e *stillError) Error() string { return e.text }

// stateError is the error for a request that the state of the world does not allow.
type stateError struct{ text string }

func (e *stateError) Error() string { return "inspect: " + e.text }

// missing is the error for a name that does not exist.
type missing struct{ text string }

func (e *missing) Error() string { return "inspect: " + e.text }

func notFound(text string) error { return &missing{text} }
