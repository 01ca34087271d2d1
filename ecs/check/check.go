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

// Fault is the first number of a lane that was not finite.
type Fault struct {
	System    string // that wrote it, by its full name; empty if none did that declares it: the program between updates, or commands
	Frame     uint64 // in which it was found, from 1: see system.FrameNumber
	Component string // its full name
	Lane      string
	Index     int // of the number in the lane, in memory's order: 0 unless a lane has several
	Entity    ecs.Entity
	Value     float64
}

// String returns the fault in a line, as in
//
//	frame 37: game.Steer wrote NaN to game.Velocity.Y of entity 12v1
func (f Fault) String() string {
	writer, lane := short(f.System), f.Lane
	if writer == "" {
		writer = "no system"
	}
	if f.Index > 0 {
		lane += fmt.Sprintf("[%d]", f.Index)
	}
	return fmt.Sprintf("frame %d: %s wrote %v to %s.%s of entity %v", f.Frame, writer, f.Value, short(f.Component), lane, f.Entity)
}

func short(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// Option changes what a check looks for.
type Option func(*Check)

// Report makes f hear of each fault when it is found, on the goroutine of the world's owner.
func Report(f func(Fault)) Option { return func(c *Check) { c.report = f } }

// NaN makes the check pass infinities, which some use as a largest value.
func NaN() Option { return func(c *Check) { c.infinite = true } }

// Except leaves a component out.
func Except[T any]() Option {
	return func(c *Check) { c.except = append(c.except, reflect.TypeFor[T]()) }
}

// Check looks at what systems of a world write. Its methods may be called by any goroutine.
type Check struct {
	world    *ecs.World
	report   func(Fault)
	infinite bool
	except   []reflect.Type
	columns  map[string]*column // by full name; nil where there is nothing to look at
	stop     func()

	mu     sync.Mutex
	faults []Fault // written by the owner
}

// Finite begins to look for numbers that are not finite in what systems of w write. What there is already
// is told too, as a fault of no system, when a system is about to write to its chunk. It panics if w is closed.
func Finite(w *ecs.World, opts ...Option) *Check {
	c := &Check{world: w, columns: map[string]*column{}}
	for i, o := range opts {
		if o == nil {
			panic(fmt.Sprintf("check: Finite: option %d is nil", i))
		}
		o(c)
	}
	c.stop = system.Watch(w, (*probe)(c))
	w.Hooks().Attach(attached{}, c)
	return c
}

// attached is the key of the check of a world.
type attached struct{}

// Of returns the check that is on in w, the last one of several, or nil. It is for the world's owner.
func Of(w *ecs.World) *Check {
	c, _ := w.Hooks().Attached(attached{}).(*Check)
	return c
}

// Stop ends the check. What it has found stays. It is for the world's owner.
func (c *Check) Stop() {
	if c.stop == nil {
		return // it looks at nothing: it is the zero Check
	}
	c.stop()
	if Of(c.world) == c {
		c.world.Hooks().Attach(attached{}, nil)
	}
	for _, own := range c.columns { //lanewise:inexact each is closed
		if own != nil && own.query != nil {
			_ = own.query.Close() // the world may be closed
			own.query = nil
		}
	}
}

// Faults returns what was found, in the order of finding.
func (c *Check) Faults() []Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.faults)
}

// String returns the faults, each in a line; it is empty if there are none.
func (c *Check) String() string {
	var b strings.Builder
	for _, f := range c.Faults() {
		b.WriteString(f.String() + "\n")
	}
	return b.String()
}

// probe is a check as the world's systems know it.
type probe Check

// Before looks at what was written by others since it was looked at last.
func (p *probe) Before(in *system.Instance) {
	(*Check)(p).eachWritten(in, func(own *column) { own.scanWritten((*Check)(p), own.seen, "") })
}

// After looks at what the system has written.
func (p *probe) After(in *system.Instance, since uint32, _ error) {
	(*Check)(p).eachWritten(in, func(own *column) { own.scanWritten((*Check)(p), since, in.Name()) })
}

// eachWritten calls f for each component that a system declares to write and that has lanes without a reported fault.
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
			own.seen = c.world.Version()
		}
	}
}

// addFault records a fault, and reports it.
func (c *Check) addFault(f Fault) {
	f.Frame = system.FrameNumber(c.world)
	c.mu.Lock()
	c.faults = append(c.faults, f)
	c.mu.Unlock()
	if c.report != nil {
		c.report(f)
	}
}
