package inspect

import "errors"

// The errors of all kinds of requests.
var (
	errGone   = errors.New("inspect: nobody has looked for a while: ask again")
	errClosed = errors.New("inspect: the world is closed")
	errEnded  = errors.New("inspect: the inspector is closed")
)

// stillError says that the world did not end a frame in time.
type stillError struct{ text string }

func (e *stillError) Error() string { return e.text }

// stateError says that the state of the world does not allow a request.
type stateError struct{ text string }

func (e *stateError) Error() string { return "inspect: " + e.text }

// missing says that a named thing does not exist.
type missing struct{ text string }

func (e *missing) Error() string { return "inspect: " + e.text }

func notFound(text string) error { return &missing{text} }
