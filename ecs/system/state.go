package system

import (
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
)

// WorldState is the state of a world's systems that images contain in addition to the entities: the
// time, the steps of groups, and the versions up to which systems have seen the world. Capture
// stores it in an image, and Restore restores it. A WorldState does not contain the fields of
// systems that are not [Saver]s, the information whether systems are running, or any field of a
// [Frame] except the time.
type WorldState struct {
	Now                 Time
	Outer               []Time // the Times below Now: see Clock.Push
	MaximumDelta, Scale float64
	Ticked              bool // whether Advance was called at least once; the first call sets only Delta
	Systems             []SystemState
}

// SystemState is the state of one system in a [WorldState].
type SystemState struct {
	Name     string // the full name of its type, followed by "#2" for the second system of that type
	Version  uint32 // LastVersion of the system, as a version of the image
	Disabled bool
	Rate     []byte // state of a group's rate if the rate is a Saver; otherwise nil
	Own      []byte // state of the system if it is a Saver; otherwise nil

	// Instance is the system if the state was taken in this process, and nil otherwise.
	Instance *Instance
}

// stateKey is the key for the WorldState of an image.
type stateKey struct{}

// StateOf returns the state of the systems in the world from which m was captured. It returns nil
// if that world had no systems. The caller must not change the state, because images share it.
// StateOf is for packages that write images to files, as ecs/snapshot does. A program calls
// [Restore].
func StateOf(m *ecs.Image) *WorldState {
	s, _ := m.Attached(stateKey{}).(*WorldState)
	return s
}

// AttachState attaches the state of systems to an image that was read from a file. The versions of
// s must be those of the image. AttachState panics if the image is nil or released.
func AttachState(m *ecs.Image, s *WorldState) {
	if m == nil || m.Released() {
		panic(fmt.Errorf("system: AttachState: the image is released, or is the zero Image: %w", ecs.ErrArgument))
	}
	m.Attach(stateKey{}, s)
}

// Saver is a system whose fields are part of the state of its world, because its next update
// depends on them. Images contain the bytes that AppendState appends, so that [ecs.Restore] and
// files restore the fields together with the entities. A [Rate] may be a Saver, too. The rates of
// this package are Savers.
//
// LoadState receives the same bytes after the entities have been restored. Bytes from a file may
// come from an older version of the program. If LoadState does not know them, it must return an
// error and change nothing. [Restore] returns that error. ecs.Restore panics with it, because it
// returns no errors. Neither method may change the world.
type Saver interface {
	AppendState(out []byte) []byte
	LoadState(in []byte) error
}

// stateHandler implements the methods that images call.
type stateHandler struct{ *attachment }

// Restore does the same as [ecs.Restore], and it also handles worlds with Savers: if a Saver
// refuses its bytes, Restore returns an error that names the system, and w is unchanged. The error
// wraps [ecs.ErrArgument]. Restore refuses an image with saved bytes of a system that w does not
// have. Restore also refuses an image if, after it, a group would have to make more than a million
// steps in one update to catch up.
func Restore(w *ecs.World, m *ecs.Image) error {
	if err := checkWorld("Restore", w); err != nil {
		return err
	}
	a := stateHandler{attachmentOf(w)}
	if s := StateOf(m); s != nil {
		if err := a.checkKnown(s); err != nil {
			return err
		}
	}
	if !a.hasSaver() {
		return ecs.Restore(w, m)
	}
	before, err := ecs.Capture(w, nil)
	if err != nil {
		return err
	}
	restore := func(m *ecs.Image) (refused, err error) {
		a.restoring, a.saverErrs = true, nil
		defer func() { a.restoring, a.saverErrs = false, nil }()
		err = ecs.Restore(w, m)
		return a.saverErrs, err
	}
	refused, err := restore(m)
	if refused != nil {
		again, back := restore(before) // a Saver may even refuse its own bytes
		err = errors.Join(refused, again, back)
	}
	return errors.Join(err, before.Release())
}

// RestoreState restores the systems of w from the state in an image. RestoreState is for a
// world that was forked from the image and got its systems afterwards. Restore itself restores
// the systems. If RestoreState returns an error, as [Restore] may, nothing has changed.
func RestoreState(w *ecs.World, m *ecs.Image) error {
	if err := checkWorld("RestoreState", w); err != nil {
		return err
	}
	a := stateHandler{attachmentOf(w)}
	if err := a.checkOpen("set the state of its systems"); err != nil {
		return err
	}
	if what := a.busyReason(); what != "" {
		return fmt.Errorf("system: RestoreState: world %q: %s: %w", w.Name(), what, ecs.ErrState)
	}
	s := StateOf(m)
	if s == nil {
		return fmt.Errorf("system: RestoreState: world %q: the image is of a world without systems: %w", w.Name(), ecs.ErrArgument)
	}
	if err := a.checkKnown(s); err != nil {
		return err
	}
	before := a.state()
	err := a.setState(s)
	if err != nil {
		err = errors.Join(err, a.setState(before))
	}
	return err
}

// hasSaver reports whether the world has a Saver, which may refuse a state.
func (a stateHandler) hasSaver() bool {
	return slices.ContainsFunc(a.instances, func(in *Instance) bool { return saverOf(in) != nil || savedRateOf(in) != nil })
}

// saverOf returns the system as a Saver, or nil if it is not a Saver.
func saverOf(in *Instance) Saver {
	s, _ := in.system.(Saver)
	return s
}

// savedRateOf returns the rate of a group as a Saver, or nil if it is not a Saver.
func savedRateOf(in *Instance) Saver {
	if in.group == nil {
		return nil
	}
	s, _ := in.group.rate.(Saver)
	return s
}

// state returns the state of the systems, and the time of the world. If a step of a group is running, the rate
// of the group has pushed another time. The state then contains the time of the frame and not the pushed time.
func (a stateHandler) state() *WorldState {
	now, outer, ticked := a.clock.moments()
	s := &WorldState{Now: now, Outer: slices.Clone(outer), MaximumDelta: a.clock.MaximumDelta, Scale: a.clock.Scale(), Ticked: ticked}
	if a.updating && len(outer) > a.clockDepth { // the rates of groups have pushed the other Times
		s.Now, s.Outer = outer[a.clockDepth], s.Outer[:a.clockDepth]
	}
	s.Systems = make([]SystemState, len(a.instances))
	for i, in := range a.instances {
		own := SystemState{Name: in.uniqueName, Version: seenBy(in), Disabled: in.disabled, Instance: in}
		if r := savedRateOf(in); r != nil {
			own.Rate = r.AppendState([]byte{})
		}
		if v := saverOf(in); v != nil {
			own.Own = v.AppendState([]byte{})
		}
		s.Systems[i] = own
	}
	return s
}

// checkKnown returns an error if the state contains bytes of a system that the world does not have.
// Systems of ecs/transform and ecs/render may be missing: their bytes describe matrices, which do not
// change in a world without these systems.
func (a stateHandler) checkKnown(s *WorldState) error {
	for i := range s.Systems {
		own := &s.Systems[i]
		if len(own.Own) > 0 && !strings.HasPrefix(own.Name, ecsPath+"/transform.") && !strings.HasPrefix(own.Name, ecsPath+"/render.") && !slices.ContainsFunc(a.instances, func(in *Instance) bool { return isOf(own, in) && saverOf(in) != nil }) {
			return fmt.Errorf("system: world %q: the image has a state of %s, which is no system of the world, or no Saver: give the world that system (those of ecs/scene are scene.Systems()), or leave the state out with snapshot.Drop(%q): %w", a.world.Name(), own.Name, own.Name, ecs.ErrArgument)
		}
	}
	return nil
}

// ecsPath is the path of package ecs.
var ecsPath = path.Dir(reflect.TypeFor[Group]().PkgPath())

// isOf reports whether a state belongs to a system. It compares the instances. If the state is from
// another world, it compares the names.
func isOf(s *SystemState, in *Instance) bool {
	if of := s.Instance; of != nil && of.world == in.world {
		return of == in
	}
	return s.Name == in.uniqueName
}

// setState sets the state of all systems. A system without a state has seen nothing, so every row
// is new for it. setState returns the errors of Savers.
func (a stateHandler) setState(s *WorldState) error {
	a.clock.MaximumDelta = s.MaximumDelta
	a.clock.setMoments(s.Now, s.Outer, s.Ticked)
	a.clock.SetScale(s.Scale)
	var errs []error
	for i, in := range a.instances {
		own := stateOf(s, in, i)
		if own == nil {
			setSeenVersion(in, 0)
			continue
		}
		setSeenVersion(in, a.world.Scheduler().RestoredVersion(own.Version))
		in.disabled = own.Disabled
		if r := savedRateOf(in); r != nil && own.Rate != nil {
			errs = append(errs, loadState(in, "rate", r, own.Rate))
		}
		if v := saverOf(in); v != nil && own.Own != nil {
			errs = append(errs, loadState(in, "state", v, own.Own))
		}
	}
	for _, in := range a.instances { // systems without a saved state begin at version 0
		errs = append(errs, a.checkDueSteps(in))
	}
	return errors.Join(errs...)
}

// maxDueSteps is the largest number of steps of a group that may be due in an image. With the
// MaximumDelta of a new world, at most 3,333 steps of a group are due.
const maxDueSteps = 1 << 20

// checkDueSteps returns an error if the next update of a group would not end in reasonable time.
// That happens if the world's time is far ahead of the group, and MaximumDelta is too large to
// limit the steps.
func (a stateHandler) checkDueSteps(in *Instance) error {
	if in.group == nil {
		return nil
	}
	r, ok := in.group.rate.(interface{ Due(*Clock) float64 })
	if !ok {
		return nil
	}
	if due := r.Due(&a.clock); due > maxDueSteps {
		return fmt.Errorf("system: %s: %.3g of its steps are due in one update, the image may have %d: its time or its MaximumDelta is too large: %w",
			in.uniqueName, due, maxDueSteps, ecs.ErrArgument)
	}
	return nil
}

// stateOf returns the state of a system, or nil if there is none. stateOf tries index i first, because
// the systems of a state are usually in the same order as those of the world.
func stateOf(s *WorldState, in *Instance, i int) *SystemState {
	if i < len(s.Systems) && isOf(&s.Systems[i], in) {
		return &s.Systems[i]
	}
	for i := range s.Systems {
		if isOf(&s.Systems[i], in) {
			return &s.Systems[i]
		}
	}
	return nil
}

// setSeenVersion sets the version up to which the system has seen the world.
func setSeenVersion(in *Instance, version uint32) {
	in.lastVersion = version
	in.previousVersion = version // complete restores this version if an earlier job has failed
}

// loadState passes saved bytes to a Saver. It converts a panic to an error. If the value of the
// panic is an error, the returned error wraps it.
func loadState(in *Instance, what string, v Saver, b []byte) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case error:
			err = fmt.Errorf("system: %s: LoadState of its %s has panicked: %w", in.uniqueName, what, p)
		default:
			err = fmt.Errorf("system: %s: LoadState of its %s has panicked: %v", in.uniqueName, what, p)
		}
	}()
	if err := v.LoadState(b); err != nil {
		return fmt.Errorf("system: %s: LoadState of its %s: %w", in.uniqueName, what, err)
	}
	return nil
}

// afterRestore is called after the world was restored.
func (a stateHandler) afterRestore(m *ecs.Image) {
	s := StateOf(m)
	if s == nil {
		for _, in := range a.instances {
			setSeenVersion(in, 0)
		}
		if len(a.instances) == 0 { // the captured world had no clock yet, or a clock at its beginning
			a.clock.setMoments(Time{}, nil, false)
		}
		return
	}
	switch err := a.setState(s); {
	case err == nil:
	case a.restoring:
		a.saverErrs = err
	default:
		panic(fmt.Errorf("%w: see system.Restore, which returns this", err))
	}
}

// seenBy returns the value that lastVersion will have after complete has handled the jobs that are
// already finished.
func seenBy(in *Instance) uint32 {
	for _, h := range in.updateJobs {
		if h.Done() && h.Wait() != nil {
			return in.previousVersion
		}
	}
	return in.lastVersion
}
