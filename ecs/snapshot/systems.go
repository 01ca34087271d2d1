package snapshot

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

func (o *out) f64(v float64) { o.u64(math.Float64bits(v)) }

// flag writes a bool.
func (o *out) flag(v bool) {
	if v {
		o.u32(1)
	} else {
		o.u32(0)
	}
}

// maybe writes bytes, or that there are none: a list of no or one text.
func (o *out) maybe(b []byte) {
	o.flag(b != nil)
	if b != nil {
		o.text(string(b))
	}
}

func (d *in) f64() float64 {
	v := math.Float64frombits(d.u64())
	if v-v != 0 { // no finite number
		d.bad = true
	}
	return v
}

func (d *in) flag() bool {
	v := d.u32()
	if v > 1 {
		d.bad = true
	}
	return v == 1
}

func (d *in) maybe() []byte {
	if !d.flag() {
		return nil
	}
	return append([]byte{}, d.take(uint64(d.u32()))...)
}

// seenBy is the version that a system has seen as one of the image: those behind the newest one of a
// chunk mean the same.
func (w *writer) seenBy(s *system.SystemState) uint32 {
	if now := w.state.Version; s.Version != 0 && now-s.Version < now-w.base {
		return w.base
	}
	return s.Version
}

// system begins the frame of the systems.
func (w *writer) system(s *system.State) {
	o := &w.out
	o.begin(kindSystems)
	o.f64(s.Now.Elapsed)
	o.f64(s.Now.Delta)
	o.count(len(s.Outer))
	for _, t := range s.Outer {
		o.f64(t.Elapsed)
		o.f64(t.Delta)
	}
	o.f64(s.MaximumDelta)
	o.f64(s.Scale)
	o.flag(s.Ticked)
	o.count(len(s.Systems))
	list := slices.Clone(s.Systems) // in no order of the world's
	slices.SortStableFunc(list, func(a, b system.SystemState) int { return strings.Compare(a.Name, b.Name) })
	for i := range list {
		own := &list[i]
		o.text(own.Name)
		o.u32(w.age(w.seenBy(own)))
		o.flag(own.Disabled)
		o.maybe(own.Rate)
		o.maybe(own.Own)
	}
}

// pieces begins the frame of the pieces of the user.
func (w *writer) pieces() {
	w.out.begin(kindPieces)
	w.out.count(len(w.given))
	for _, name := range slices.Sorted(maps.Keys(w.given)) {
		w.out.text(name)
		w.out.text(string(w.given[name]))
	}
}

func (r *reader) systems(d *in) error {
	s := &system.State{Now: system.Time{Elapsed: d.f64(), Delta: d.f64()}}
	for range d.count(16) {
		s.Outer = append(s.Outer, system.Time{Elapsed: d.f64(), Delta: d.f64()})
	}
	s.MaximumDelta, s.Scale, s.Ticked = d.f64(), d.f64(), d.flag()
	if s.Scale < 0 {
		d.bad = true
	}
	s.Systems = make([]system.SystemState, d.count(20))
	for i := range s.Systems {
		s.Systems[i] = system.SystemState{Name: d.text(), Version: r.versionOf(d, d.u32()), Disabled: d.flag(), Rate: d.maybe(), Own: d.maybe()}
	}
	s.Systems = slices.DeleteFunc(s.Systems, func(own system.SystemState) bool { return r.dropped[own.Name] })
	r.saved = s
	return d.done("the state of the systems")
}

func (r *reader) pieces(d *in) error {
	last := ""
	for i := range d.count(8) {
		name := d.text()
		if d.bad || i > 0 && name <= last {
			return corrupt("piece %q is behind %q", name, last)
		}
		last = name
		if b := d.take(uint64(d.u32())); r.taken != nil && !d.bad {
			r.pieced = append(r.pieced, piece{name, slices.Clone(b)})
		}
	}
	return d.done("the pieces of the user")
}

// piece is one of the user's.
type piece struct {
	name string
	data []byte
}

// Piece gives a snapshot that is written a piece of the caller's own: a seed, the number of a turn.
// Read returns it by [Pieces].
func Piece(name string, data []byte) Option {
	return func(o *options) { o.given[name] = data }
}

// Pieces puts the pieces of a snapshot that is read into a map, by their names. When the reading
// fails nothing is put there.
func Pieces(into map[string][]byte) Option {
	return func(o *options) { o.taken = into }
}

// Load makes w contain what a file does, as [ecs.Restore] does of an image: with ids, time, and what
// its systems had seen and saved, see [system.Saver]. Errors are those of [Open] and of [system.Restore], and
// change nothing: w is what it was.
//
// Systems are found by the names of their types. One that the file does not know sees everything as new; one that
// the world does not have is left out, unless it has saved something of its own: that is
// an error until [Drop] names it.
func Load(w *ecs.World, path string, opts ...Option) error {
	m, err := Open(path, opts...)
	if err != nil {
		return err
	}
	if err := system.Restore(w, m); err != nil {
		for _, b := range Blobs(m) {
			_ = b.Dispose() // nobody has it
		}
		return fmt.Errorf("snapshot: %s: %w", path, err)
	}
	return nil
}
