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

// Fault is the first number of a lane that is NaN or infinite.
type Fault struct {
	System    string // the full name of the system that wrote the number; empty if no system that declares the write did, for example because the program or a command buffer wrote it
	Frame     uint64 // the frame in which the check found it, from 1: see system.FrameNumber
	Component string // the full name of the component
	Lane      string
	Index     int // index of the number in the lane's element; 0 unless an element has several numbers
	Entity    ecs.Entity
	Value     float64
}

// String returns the fault as one line, for example:
//
//	frame 37: game.Steer wrote NaN to game.Velocity.Y of entity 12:1
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

// Report makes the check call f for each fault that it finds, on the goroutine of the world's
// owner.
func Report(f func(Fault)) Option { return func(c *Check) { c.report = f } }

// NaN makes the check report only NaN. Some programs use an infinity as a largest value.
func NaN() Option { return func(c *Check) { c.allowInfinite = true } }

// OnlyNew makes the check skip each element of a lane that has a NaN or an infinity when [Finite] is called, until the element
// is finite again. Finite then scans the components that the systems of the world declare to write. If a system is added
// later, or the world is lent to a transaction, the scan is before the first update that may write the component.
func OnlyNew() Option { return func(c *Check) { c.onlyNew = true } }

// Except makes the check skip component T.
func Except[T any]() Option {
	return func(c *Check) { c.exceptTypes = append(c.exceptTypes, reflect.TypeFor[T]()) }
}

// Check finds NaN and infinite numbers that a world's systems write. Faults and String are safe for
// concurrent use.
type Check struct {
	world         *ecs.World
	report        func(Fault)
	allowInfinite bool
	onlyNew       bool
	exceptTypes   []reflect.Type
	columns       map[string]*column // the key is the full name of a component; the value is nil if the component has no floats
	stop          func()
	stopped       bool
	older         *Check // the check that Of returned before this one

	skipped []Fault // the first value of each lane that was NaN or infinite before the check began

	mu     sync.Mutex
	faults []Fault // the owner writes them while it holds mu
}

// Finite starts a check of w. Without [OnlyNew], the check also finds such numbers that are in the world already. When
// a system is about to write to the chunk of such a number, the check reports a fault that names no
// system. Only the owner of w may call Finite. Finite panics if w is closed.
func Finite(w *ecs.World, opts ...Option) *Check {
	c := &Check{world: w, columns: map[string]*column{}}
	for i, o := range opts {
		if o == nil {
			panic(fmt.Sprintf("check: Finite: option %d is nil", i))
		}
		o(c)
	}
	c.stop, c.older = system.Watch(w, (*checkWatcher)(c)), Of(w)
	w.Hooks().Attach(checkKey{}, c)
	if c.onlyNew && !w.InTransaction() {
		for _, in := range system.Instances(w) {
			_, writes := in.Components()
			for _, name := range writes {
				c.columnNamed(name)
			}
		}
	}
	return c
}

// checkKey is the key of the check of a world.
type checkKey struct{}

// Of returns the check that runs in w, or nil if there is none. If several checks run, Of returns
// the newest one that is not stopped. Only the owner of w may call Of.
func Of(w *ecs.World) *Check {
	c, _ := w.Hooks().Attached(checkKey{}).(*Check)
	return c
}

// Stop ends the check. After Stop, Faults still returns the faults that were found before. Only
// the owner of the world may call it.
func (c *Check) Stop() {
	if c.stop == nil {
		return // c is the zero Check
	}
	c.stop()
	if c.stopped = true; Of(c.world) == c {
		for c.older != nil && c.older.stopped {
			c.older = c.older.older
		}
		c.world.Hooks().Attach(checkKey{}, c.older)
	}
	for _, own := range c.columns { //lanewise:inexact each is closed
		if own != nil && own.query != nil {
			_ = own.query.Close() // Close fails only if the world is closed
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

// Skipped returns the values that [OnlyNew] skips, the first one of each lane, as faults that name no
// system. Only the owner of the world may call it.
func (c *Check) Skipped() []Fault { return slices.Clone(c.skipped) }

// String returns the faults as text, one fault a line. The text is empty if there are none.
func (c *Check) String() string {
	var b strings.Builder
	for _, f := range c.Faults() {
		b.WriteString(f.String() + "\n")
	}
	return b.String()
}

// checkWatcher makes a check a watcher of the world's systems.
type checkWatcher Check

// Before is called before an update. It scans the chunks that the program or other systems have
// written since the last scan.
func (p *checkWatcher) Before(in *system.Instance) {
	(*Check)(p).eachWritten(in, func(own *column) { own.scanWritten((*Check)(p), own.lastVersion, "") })
}

// After is called after an update. It scans the chunks that the system has written.
func (p *checkWatcher) After(in *system.Instance, since uint32, _ error) {
	(*Check)(p).eachWritten(in, func(own *column) { own.scanWritten((*Check)(p), since, in.Name()) })
}

// eachWritten calls f for each component that the system declares to write, unless each lane of the
// component has a reported fault.
func (c *Check) eachWritten(in *system.Instance, f func(*column)) {
	if c.world.InTransaction() {
		return
	}
	_, writes := in.Components()
	for _, name := range writes {
		own := c.columnNamed(name)
		if own != nil && own.unreported > 0 {
			f(own)
			own.lastVersion = c.world.Version()
		}
	}
}

// columnNamed returns the column of the component with the given name, which it creates at the first call, or nil if the component
// has no floats.
func (c *Check) columnNamed(name string) *column {
	own, known := c.columns[name]
	if !known {
		own = c.columnOf(name)
		if c.columns[name] = own; own != nil && c.onlyNew {
			own.recordOld(c)
		}
	}
	return own
}

// addFault records a fault and calls the function of Report.
func (c *Check) addFault(f Fault) {
	f.Frame = system.FrameNumber(c.world)
	c.mu.Lock()
	c.faults = append(c.faults, f)
	c.mu.Unlock()
	if c.report != nil {
		c.report(f)
	}
}
