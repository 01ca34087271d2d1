package check

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// Fault is the first number in a lane that is not finite.
type Fault struct {
	System    string // the full name of the system that wrote it; empty if no system that declares the write did, for example because the program or a command buffer wrote it
	Frame     uint64 // the frame in which it was found, from 1: see system.FrameNumber
	Component string // the full name
	Lane      string
	Index     int // index of the number in the element of the lane; 0 unless an element has several numbers
	Entity    ecs.Entity
	Value     float64
}

// String returns the fault as one line, for example
//
//	frame 37: game.Steer wrote NaN to game.Velocity.Y of entity 12v1
func (f Fault) String() string {
	writer, lane := withoutDirectories(f.System), f.Lane
	if writer == "" {
		writer = "no system"
	}
	if f.Index > 0 {
		lane += fmt.Sprintf("[%d]", f.Index)
	}
	return fmt.Sprintf("frame %d: %s wrote %v to %s.%s of entity %v", f.Frame, writer, f.Value, withoutDirectories(f.Component), lane, f.Entity)
}

func withoutDirectories(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// Option is an option of [Finite].
type Option func(*Check)

// Report makes the check call f for each fault when it is found, on the goroutine of the world's
// owner.
func Report(f func(Fault)) Option { return func(c *Check) { c.report = f } }

// NaN makes the check accept infinities, because some programs use them as a largest value.
func NaN() Option { return func(c *Check) { c.allowInfinite = true } }

// Except makes the check skip component T.
func Except[T any]() Option {
	return func(c *Check) { c.exceptTypes = append(c.exceptTypes, reflect.TypeFor[T]()) }
}

// Check looks for numbers that are not finite in the writes of a world's systems. Faults and String
// may be called by any goroutine.
type Check struct {
	world         *ecs.World
	report        func(Fault)
	allowInfinite bool
	exceptTypes   []reflect.Type
	columns       map[string]*column // by full name; nil if the component has no floats
	stop          func()

	mu     sync.Mutex
	faults []Fault // written by the owner under mu
}

// Finite starts a check of w. It also finds numbers that are in the world already: they are
// reported, as faults of no system, when a system is about to write to their chunk. Only the owner
// of w may call it. It panics if w is closed.
func Finite(w *ecs.World, opts ...Option) *Check {
	c := &Check{world: w, columns: map[string]*column{}}
	for i, o := range opts {
		if o == nil {
			panic(fmt.Sprintf("check: Finite: option %d is nil", i))
		}
		o(c)
	}
	c.stop = system.Watch(w, (*checkWatcher)(c))
	w.Hooks().Attach(checkKey{}, c)
	return c
}

// checkKey is the key of the check of a world.
type checkKey struct{}

// Of returns the check that runs in w, or nil. If there are several it is the last one that was
// started. Only the owner of w may call it.
func Of(w *ecs.World) *Check {
	c, _ := w.Hooks().Attached(checkKey{}).(*Check)
	return c
}

// Stop ends the check. Its faults stay. Only the owner of the world may call it.
func (c *Check) Stop() {
	if c.stop == nil {
		return // the zero Check
	}
	c.stop()
	if Of(c.world) == c {
		c.world.Hooks().Attach(checkKey{}, nil)
	}
	for _, own := range c.columns { //lanewise:inexact each is closed
		if own != nil && own.query != nil {
			_ = own.query.Close() // an error only says that the world is closed
			own.query = nil
		}
	}
}

// Faults returns the faults so far, in the order in which they were found, in a new slice.
func (c *Check) Faults() []Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.faults)
}

// String returns the faults as text, one a line. The text is empty if there are none.
func (c *Check) String() string {
	var b strings.Builder
	for _, f := range c.Faults() {
		b.WriteString(f.String() + "\n")
	}
	return b.String()
}

// checkWatcher is a check as a watcher of the world's systems.
type checkWatcher Check

// Before scans the writes of others since the last scan.
func (p *checkWatcher) Before(in *system.Instance) {
	(*Check)(p).eachWritten(in, func(own *column) { own.scanWritten((*Check)(p), own.lastVersion, "") })
}

// After scans the writes of the system.
func (p *checkWatcher) After(in *system.Instance, since uint32, _ error) {
	(*Check)(p).eachWritten(in, func(own *column) { own.scanWritten((*Check)(p), since, in.Name()) })
}

// eachWritten calls f for each component that a system declares to write and that has lanes without
// a reported fault.
func (c *Check) eachWritten(in *system.Instance, f func(*column)) {
	if c.world.InTransaction() {
		return
	}
	_, writes := in.Components()
	for _, name := range writes {
		own, known := c.columns[name]
		if !known {
			own = c.columnOf(name)
			c.columns[name] = own
		}
		if own != nil && own.unreported > 0 {
			f(own)
			own.lastVersion = c.world.Version()
		}
	}
}

// addFault records a fault and reports it.
func (c *Check) addFault(f Fault) {
	f.Frame = system.FrameNumber(c.world)
	c.mu.Lock()
	c.faults = append(c.faults, f)
	c.mu.Unlock()
	if c.report != nil {
		c.report(f)
	}
}
