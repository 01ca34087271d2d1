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

// WorldState is what the systems of a world are beside its entities: its time, how far groups have come
// with their steps, and what each system has seen. Capture keeps it with an image and Restore puts it
// back. What a system that is no system.Saver has in its fields is not part of it, nor whether it is running,
// nor the fields of a [Frame] other than the time.
type WorldState struct {
	Now                 Time
	Outer               []Time // below now, see Clock.Push
	MaximumDelta, Scale float64
	Ticked              bool // time has gone on once: it begins with a step that only has a delta
	Systems             []SystemState
}

// SystemState is the state of one system in a [WorldState].
type SystemState struct {
	Name     string // the full name of its type, and #2 for the second one of that in the world
	Version  uint32 // its LastVersion: of the world, as versions of the image are
	Disabled bool
	Rate     []byte // of a group whose rate is a Saver; nil else
	Own      []byte // of a Saver; nil else

	// Instance is the system itself if the state was taken in this process; nil otherwise.
	Instance *Instance
}

// stateKey is the key of the WorldState of an image.
type stateKey struct{}

// StateOf returns the state of the systems of the world that an image was made of; nil if that world had no systems. It must
// not be changed, because images are shared. It is for packages that write images to files, as ecs/snapshot does; a program calls [Restore].
func StateOf(m *ecs.Image) *WorldState {
	s, _ := m.Attached(stateKey{}).(*WorldState)
	return s
}

// AttachState gives an image that came from elsewhere the state of its systems. Versions are those of the image. It panics if the image is nil
// or released.
func AttachState(m *ecs.Image, s *WorldState) {
	if m == nil || m.Released() {
		panic(fmt.Errorf("system: AttachState: the image is released, or is the zero Image: %w", ecs.ErrArgument))
	}
	m.Attach(stateKey{}, s)
}

// Saver is a system with fields that belong to the state of its world: what they are decides
// what happens next. Images keep what AppendState appends, so that they come back with the
// entities, on [ecs.Restore] and from files. A [Rate] may be one too, as those of this
// package are.
//
// LoadState is given the same bytes, when the entities are back already; bytes of a file may be
// of an older program, and it returns an error where it does not know them, having changed
// nothing. [Restore] returns that error; ecs.Restore, which has none for it, panics
// with it. Neither method may change the world.
type Saver interface {
	AppendState(out []byte) []byte
	LoadState(in []byte) error
}

// states is the systems of a world, as far as images have to do with them.
type states struct{ *attachment }

// Restore is [ecs.Restore] for worlds with Savers: what one of them refuses is an error, that names the
// system, and then w is what it was before. So is a system that w does not have
// and that has saved something of its own, and a time by which a group would have more than a million steps to catch up
// with in one update: the error wraps [ecs.ErrArgument].
func Restore(w *ecs.World, m *ecs.Image) error {
	if err := worldGiven("Restore", w); err != nil {
		return err
	}
	a := states{attachmentOf(w)}
	if s := StateOf(m); s != nil {
		if err := a.knows(s); err != nil {
			return err
		}
	}
	if !a.saves() {
		return ecs.Restore(w, m)
	}
	before, err := ecs.Capture(w, nil)
	if err != nil {
		return err
	}
	a.loading = true
	err = ecs.Restore(w, m)
	a.loading = false
	refused := a.refused
	if a.refused = nil; refused != nil {
		err = errors.Join(refused, ecs.Restore(w, before))
	}
	return errors.Join(err, before.Release())
}

// RestoreState gives the systems of w the state that an image has of them. It is for a world that was
// forked of the image, and has got its systems since; Restore does it by itself. An error, as that of [Restore], changes
// nothing.
func RestoreState(w *ecs.World, m *ecs.Image) error {
	if err := worldGiven("RestoreState", w); err != nil {
		return err
	}
	a := states{attachmentOf(w)}
	if err := a.open("set the state of its systems"); err != nil {
		return err
	}
	if what := a.busy(); what != "" {
		return fmt.Errorf("system: RestoreState: world %q: %s: %w", w.Name(), what, ecs.ErrState)
	}
	s := StateOf(m)
	if s == nil {
		return fmt.Errorf("system: RestoreState: world %q: the image is of a world without systems: %w", w.Name(), ecs.ErrArgument)
	}
	if err := a.knows(s); err != nil {
		return err
	}
	before := a.state()
	err := a.setState(s)
	if err != nil {
		err = errors.Join(err, a.setState(before))
	}
	return err
}

// saves reports whether there is a Saver, which may refuse a state.
func (a states) saves() bool {
	return slices.ContainsFunc(a.instances, func(in *Instance) bool { return saverOf(in) != nil || savedRateOf(in) != nil })
}

// saverOf returns the system as a Saver; nil if it is none.
func saverOf(in *Instance) Saver {
	s, _ := in.system.(Saver)
	return s
}

// savedRateOf returns the rate of a group as a Saver; nil if there is none.
func savedRateOf(in *Instance) Saver {
	if in.group == nil {
		return nil
	}
	s, _ := in.group.rate.(Saver)
	return s
}

// state returns what the systems are, between two steps of all groups.
func (a states) state() *WorldState {
	now, outer, ticked := a.clock.moments()
	s := &WorldState{Now: now, Outer: slices.Clone(outer), MaximumDelta: a.clock.MaximumDelta, Scale: a.clock.Scale(), Ticked: ticked}
	if a.updating && len(outer) > a.depth { // groups have pushed the rest
		s.Now, s.Outer = outer[a.depth], s.Outer[:a.depth]
	}
	s.Systems = make([]SystemState, len(a.instances))
	for i, in := range a.instances {
		own := SystemState{Name: in.owner, Version: seenBy(in), Disabled: in.disabled, Instance: in}
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

// knows returns an error if a system has saved something that the world does not have. Those of ecs/transform
// and ecs/render may be missing: what they save is of matrices, which stay as they are in a world without them.
func (a states) knows(s *WorldState) error {
	for i := range s.Systems {
		own := &s.Systems[i]
		if len(own.Own) > 0 && !strings.HasPrefix(own.Name, parent+"/transform.") && !strings.HasPrefix(own.Name, parent+"/render.") && !slices.ContainsFunc(a.instances, func(in *Instance) bool { return isOf(own, in) && saverOf(in) != nil }) {
			return fmt.Errorf("system: world %q: the image has a state of %s, which is no system of the world, or no Saver: give the world that system (those of ecs/scene are scene.Systems()), or leave the state out with snapshot.Drop(%q): %w", a.world.Name(), own.Name, own.Name, ecs.ErrArgument)
		}
	}
	return nil
}

// parent is the path of package ecs.
var parent = path.Dir(reflect.TypeFor[Group]().PkgPath())

// isOf reports whether a state is of a system: of that one itself, or, of another world, of one of the name.
func isOf(s *SystemState, in *Instance) bool {
	if of := s.Instance; of != nil && of.world == in.world {
		return of == in
	}
	return s.Name == in.owner
}

// setState makes the systems what they were. One that the state does not have has seen nothing, so that
// everything has changed for it. It returns what Savers refuse.
func (a states) setState(s *WorldState) error {
	a.clock.MaximumDelta = s.MaximumDelta
	a.clock.setMoments(s.Now, s.Outer, s.Ticked)
	a.clock.SetScale(s.Scale)
	var errs []error
	for i, in := range a.instances {
		own := stateOf(s, in, i)
		if own == nil {
			see(in, 0)
			continue
		}
		see(in, a.world.Scheduler().RestoredVersion(own.Version))
		in.disabled = own.Disabled
		if r := savedRateOf(in); r != nil && own.Rate != nil {
			errs = append(errs, loadState(in, "rate", r, own.Rate))
		}
		if v := saverOf(in); v != nil && own.Own != nil {
			errs = append(errs, loadState(in, "state", v, own.Own))
		}
	}
	for _, in := range a.instances { // also those that the state does not have: they begin at 0
		errs = append(errs, a.catchesUp(in))
	}
	return errors.Join(errs...)
}

// mostDue is how many steps of a group an image may have due: in a world with the MaximumDelta of new ones that is 3,333 at most.
const mostDue = 1 << 20

// catchesUp returns an error if a group would run for ever in the next update, since the time of the world is far
// ahead of it and its MaximumDelta no bound.
func (a states) catchesUp(in *Instance) error {
	if in.group == nil {
		return nil
	}
	r, ok := in.group.rate.(interface{ Due(*Clock) float64 })
	if !ok {
		return nil
	}
	if due := r.Due(&a.clock); due > mostDue {
		return fmt.Errorf("system: %s: %.3g of its steps are due in one update, the image may have %d: its time or its MaximumDelta is too large: %w",
			in.owner, due, mostDue, ecs.ErrArgument)
	}
	return nil
}

// stateOf returns the state of a system, which may be where it was; nil if there is none.
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

// see makes the system have seen the world until a version.
func see(in *Instance, version uint32) {
	in.lastVersion = version
	in.seenVersion = version // which complete goes back to for a job that has failed before
}

// loadState gives a Saver what it has saved.
func loadState(in *Instance, what string, v Saver, b []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("system: %s: LoadState of its %s has panicked: %v", in.owner, what, p)
		}
	}()
	if err := v.LoadState(b); err != nil {
		return fmt.Errorf("system: %s: LoadState of its %s: %w", in.owner, what, err)
	}
	return nil
}

// restored is what the systems do when the world was restored.
func (a states) restored(m *ecs.Image) {
	s := StateOf(m)
	if s == nil {
		for _, in := range a.instances {
			see(in, 0)
		}
		return
	}
	switch err := a.setState(s); {
	case err == nil:
	case a.loading:
		a.refused = err
	default:
		panic(fmt.Errorf("%w: see system.Restore, which returns this", err))
	}
}

// seenBy is what complete will make of lastVersion: jobs of the world are done.
func seenBy(in *Instance) uint32 {
	for _, h := range in.outputs {
		if h.Done() && h.Wait() != nil {
			return in.seenVersion
		}
	}
	return in.lastVersion
}
