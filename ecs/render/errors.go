package render

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/lanewise/lanewise/ecs"
)

// DrawError says that a renderer could not draw what a camera sees, or panicked.
type DrawError struct {
	Camera ecs.Entity
	Batch  int  // which of the View's was looked at last; -1: none
	Look   Look // of that batch
	Err    error
}

// Error names camera and batch.
func (e *DrawError) Error() string {
	if e.Batch < 0 {
		return fmt.Sprintf("render: camera %v, before the first batch: Draw: %v", e.Camera, e.Err)
	}
	return fmt.Sprintf("render: camera %v, batch %d (layer %d, material %v, shape %v): Draw: %v", e.Camera, e.Batch, e.Look.Layer, e.Look.Material, e.Look.Shape, e.Err)
}

// Unwrap returns what Draw has returned, or a *[PanicError].
func (e *DrawError) Unwrap() error { return e.Err }

// PanicError is what a method of a renderer panicked with.
type PanicError struct {
	Value any
	Stack []byte
}

// Error tells the value; the stack is in Stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the panic's value where it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

func panicked(v any) error { return &PanicError{v, debug.Stack()} }

// guarded calls a method of the renderer, and makes an error of a panic.
func guarded(call func() error) (err error) {
	done := false
	defer func() {
		if done {
			return
		}
		if v := recover(); v != nil {
			err = panicked(v)
		} else { // runtime.Goexit: what is returned is not seen
			err = errors.New("the renderer called runtime.Goexit")
		}
	}()
	err = call()
	done = true
	return err
}
