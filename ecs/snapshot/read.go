package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/images"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/plumbing"
	"github.com/lanewise/lanewise/ecs/system/clock"
	"github.com/lanewise/lanewise/ecs/system/state"
	"github.com/lanewise/lanewise/ecs/tool"
)

// reader reads one image.
type reader struct {
	*options
	stream  stream
	builder *images.Builder
	world   *ecs.World // that the image is for; nil if it is for none
	columns []column
	version uint32 // of the image: the newest age is this
	oldest  uint32
	sets    []images.Archetype
	places  [][]uint32 // of their components, in the schema

	regrouping

	given  int          // archetypes that the builder has
	chunks int          // of the last of them
	room   atomic.Int64 // bytes of buffers beyond what they hold: added to by jobs that read rows, each of which compares the sum with the limit
	count  uint64
	crcs   uint32
	format uint32
	hashes bool // the image is to have the hash that the file says
	saved  *state.World
	pieced []piece
	names  *[]images.Name
}

// regrouping is where rows go whose chunks are cut anew.
type regrouping struct {
	holds     bool // chunks go to targets, and are dealt at the end
	targets   []target
	aims      []int   // of the file's archetypes
	groupAims [][]int // and their groups
}

// nameLists is memory for what entities are called, while a file is read: the collector has to look at all of it.
var nameLists = sync.Pool{New: func() any { return new([]images.Name) }}

// Read reads an image from a stream, to its end. Types of components must be registered:
// see [ecs.RegisterComponent]. The error is of category ErrCorrupt, ErrVersion, ErrSchema or
// ErrLimit, or that of the stream; no error leaves anything behind. Workers decode: codecs may
// be called by several goroutines at once. Memory grows with the bytes that arrive, whatever
// they say. Frames in a [bytes.Buffer] or a [bytes.Reader] are read where they lie. An image that is released gives its memory to those that are
// read later.
func Read(from io.Reader, opts ...Option) (m *ecs.Image, err error) {
	return readFor(nil, from, opts)
}

// readFor reads an image of a stream: one for a world, unless that is nil.
func readFor(w *ecs.World, from io.Reader, opts []Option) (m *ecs.Image, err error) {
	if own, is := from.(*bytes.Reader); is && own.Len() > 0 {
		_, _ = own.WriteTo(shown(func(b []byte) { m, err = read(bytes.NewBuffer(b), w, opts) })) // it has no errors of its own
		return m, err
	}
	return read(from, w, opts)
}

// shown is a stream to which a bytes.Reader writes all that it has at once: it is read where it lies.
type shown func(b []byte)

// Write shows the bytes, which are not kept or changed.
func (s shown) Write(b []byte) (int, error) {
	s(b)
	return len(b), nil
}

func read(from io.Reader, w *ecs.World, opts []Option) (m *ecs.Image, err error) {
	o := optionsOf("Read", opts)
	r := &reader{options: o, stream: stream{Reader: frames.Reader{From: from, Most: math.MaxInt64, All: o.limits.Bytes}}, builder: images.NewBuilder(ecs.OnPool(o.pool)), world: w}
	defer func() {
		if m == nil { // the stream, or a function that Recut has, may have panicked
			r.builder.Close() // names in the bytes of the stream are not read any more
			o.blobs.dispose()
		}
	}()
	if err := r.begins(); err != nil {
		return nil, err
	}
	if err := r.front(); err != nil {
		return nil, err
	}
	f, err := r.rows()
	if err == nil {
		f, err = r.behind(f)
	}
	if err != nil {
		return nil, err
	}
	if f.Kind() != kindEnd {
		return nil, corrupt("the frame at byte %d is of kind %d", f.At, f.Kind())
	}
	if m, err = r.end(f); err != nil {
		return nil, err
	}
	if r.saved != nil {
		state.Keep(m, r.saved)
	}
	if len(r.blobs.list) > 0 {
		plumbing.Keep(m, keptBlobs{}, r.blobs.list)
	}
	for _, p := range r.pieced {
		r.taken[p.name] = p.data
	}
	return m, nil
}

// begins reads what is before the first frame: of which format the file is, and of which version.
func (r *reader) begins() error {
	var head [16]byte
	if err := r.stream.Full(head[:]); err != nil {
		return cut(&r.stream.Reader, err)
	}
	r.crcs = frames.Sum(head[:])
	if [8]byte(head[:8]) != magic {
		return corrupt("it does not begin as one")
	}
	if r.format = binary.LittleEndian.Uint32(head[8:]); r.format == 0 || r.format > Version {
		return fmt.Errorf("snapshot: %w: %d, and this release knows up to %d", ErrVersion, r.format, Version)
	}
	r.hashes = binary.LittleEndian.Uint32(head[12:]) == ecs.HashVersion && !r.unchecked
	return nil
}

// front reads the frames before the rows: one of each kind, in order, and blobs before the shared values, which may have them.
func (r *reader) front() error {
	for i, read := range [...]func(*frames.In) error{r.schema, r.state, r.shared, r.archetypes} {
		f, err := r.one()
		if err == nil && i == 2 && f.Kind() == kindBlobs && r.format > 1 {
			if err = r.readBlobs(f.Body()); err == nil {
				f, err = r.one()
			}
		}
		if err != nil {
			return err
		}
		if f.Kind() != uint32(kindSchema+i) {
			return corrupt("the frame at byte %d is of kind %d, not %d", f.At, f.Kind(), kindSchema+i)
		}
		if err := read(f.Body()); err != nil {
			return err
		}
	}
	return nil
}

// behind reads the frames behind the rows, of which f is the first, and each may be missing; it returns the next one.
func (r *reader) behind(f frames.Frame) (next frames.Frame, err error) {
	for _, read := range [...]struct {
		kind uint32
		body func(*frames.In) error
	}{{kindSystems, r.systems}, {kindPieces, r.pieces}} {
		if f.Kind() != read.kind || r.format == 1 {
			continue
		}
		r.sum(&f)
		if err := read.body(f.Body()); err != nil {
			return f, err
		}
		if f, err = r.checked(); err != nil {
			return f, err
		}
	}
	return f, nil
}

// one reads a frame, checks it and counts it.
func (r *reader) one() (frames.Frame, error) {
	f, err := r.checked()
	if err == nil {
		r.sum(&f)
	}
	return f, err
}

// checked reads a frame, and checks it.
func (r *reader) checked() (frames.Frame, error) {
	f, err := r.next()
	if err == nil && !r.unchecked && !f.Whole() {
		err = corrupt("the frame at byte %d was changed", f.At)
	}
	return f, err
}

// next reads a frame.
func (r *reader) next() (frames.Frame, error) {
	f, err := r.stream.next()
	if err != nil {
		err = cut(&r.stream.Reader, err)
	}
	return f, err
}

// sum counts a frame.
func (r *reader) sum(f *frames.Frame) {
	r.count++
	r.crcs = frames.Joined(r.crcs, f.Sum())
}

// end reads what the last frame says of all.
func (r *reader) end(f frames.Frame) (whole *ecs.Image, err error) {
	d := f.Body()
	count, crcs, hash := d.U64(), d.U32(), d.U64()
	if err := done(d, "the last frame"); err != nil {
		return nil, err
	}
	if !r.unchecked && (count != r.count || crcs != r.crcs) {
		return nil, corrupt("frames are missing, or in another order")
	}
	if err := r.stream.End(); err == nil {
		return nil, corrupt("it goes on behind its end, at byte %d", r.stream.At)
	} else if err != io.EOF {
		return nil, cut(&r.stream.Reader, err)
	}
	m, err := r.builder.Image()
	if err != nil {
		return nil, r.wrong(err)
	}
	clear(*r.names) // the image has its own
	nameLists.Put(r.names)
	defer func() {
		if whole == nil { // a world's memory must not stay with it, whatever its hash was
			_ = m.Release() // which it is not
		}
	}()
	if r.hashes {
		if got := m.Hash(); got != hash {
			return nil, corrupt("the hash is %016x, and was %016x", got, hash)
		}
	}
	return m, nil
}

// exact reports whether the image is to have the hash of the one that was written.
func (r *reader) exact() bool {
	types := tool.ComponentTypes()
	for i := range r.columns {
		k := &r.columns[i]
		if k.typ == nil || k.migration != nil {
			return false
		}
		if k.kind&isSkipped != 0 && k.kind&isManaged == 0 || len(r.dropped)+len(r.renamed) > 0 {
			return false
		}
		for l := range k.lanes {
			if k.lanes[l].to != l {
				return false // lanes have changed places
			}
		}
		for _, c := range types {
			if c.Type == k.typ && k.kind&(isBuffer|isShared|isManaged) == 0 && len(c.Lanes) != len(k.lanes) {
				return false // lanes are new
			}
		}
	}
	return true
}

// wrong is an error of the builder.
func (r *reader) wrong(err error) error {
	return fmt.Errorf("snapshot: %w: %w", ErrCorrupt, err)
}

func (r *reader) schema(d *frames.In) (err error) {
	r.columns, err = r.readSchema(d)
	r.hashes = r.hashes && r.exact()
	r.stream.lends = !slices.ContainsFunc(r.columns, func(k column) bool { return k.kind&isManaged != 0 })
	return err
}

// versionOf returns the version of an age.
func (r *reader) versionOf(d *frames.In, age uint32) uint32 {
	if age == 0 {
		return 0
	}
	if age > r.oldest {
		d.Bad = true
	}
	return r.version - age + 1
}

func (r *reader) state(d *frames.In) error {
	r.oldest = d.U32()
	if r.oldest > maxAge {
		return corrupt("a version is %d changes old", r.oldest)
	}
	r.version = r.oldest + 1
	s := images.State{For: r.world, Version: r.version, Free: make([]ecs.Entity, d.Count(8))}
	for i := range s.Free {
		s.Free[i] = d.Entity()
	}
	s.Retired = d.Places()
	lent := nameLists.Get().(*[]images.Name)
	s.Names = d.Names(*lent, textOf(d.B)) // the image has texts of its own
	*lent, r.names = s.Names, lent
	s.Sums = make([]images.Sum, d.Count(12))
	for i := range s.Sums {
		s.Sums[i] = images.Sum{Name: d.Text(), Sum: d.U64()}
	}
	if err := done(d, "the state"); err != nil {
		return err
	}
	if err := r.builder.State(s); errors.Is(err, ecs.ErrArgument) {
		return r.wrong(err)
	} else if err != nil { // of the world that it is for
		return fmt.Errorf("snapshot: %w", err)
	}
	return nil
}

func (r *reader) shared(d *frames.In) error {
	for range d.Count(12) {
		at := d.U32()
		if int64(at) >= int64(len(r.columns)) {
			return corrupt("values of component %d of %d", at, len(r.columns))
		}
		k := &r.columns[at]
		if k.kind&isShared == 0 {
			return corrupt("%s is not shared, and has shared values", k.name)
		}
		values, err := k.sharedValues(d)
		if err != nil {
			return err
		}
		s := images.Shared{Component: k.typ, Values: values, Free: d.Places()}
		if d.Bad {
			break
		}
		if k.typ == nil {
			continue
		}
		if err := r.builder.Shared(s); err != nil {
			return r.wrong(err)
		}
	}
	return done(d, "the shared values")
}

// sharedValues reads the values of a shared component, before which there is the default; of one that is dropped they mean nothing.
func (k *column) sharedValues(d *frames.In) (list []any, err error) {
	if k.typ != nil {
		list = []any{reflect.Zero(k.typ).Interface()}
	}
	for range d.Count(4) {
		n := d.U32()
		if n == ^uint32(0) { // a place that is free
			list = append(list, nil)
			continue
		}
		b := d.Take(uint64(n))
		if d.Bad {
			break
		}
		if k.typ == nil {
			continue
		}
		v, err := k.sharedOf(b)
		if err != nil {
			return nil, fmt.Errorf("snapshot: %w: a value of %s: %w", ErrCorrupt, k.name, err)
		}
		list = append(list, v)
	}
	return list, nil
}

func (r *reader) archetypes(d *frames.In) error {
	r.sets = make([]images.Archetype, d.Count(24))
	r.places = make([][]uint32, len(r.sets))
	for i := range r.sets {
		a := &r.sets[i]
		for range d.Count(8) {
			at := d.U32()
			if int64(at) >= int64(len(r.columns)) {
				return corrupt("archetype %d has component %d of %d", i, at, len(r.columns))
			}
			r.places[i] = append(r.places[i], at)
			a.Components = append(a.Components, r.columns[at].typ)
			a.Newest = append(a.Newest, r.versionOf(d, d.U32()))
		}
		if a.Newest == nil {
			a.Newest = []uint32{}
		}
		a.Orders, a.Order, a.Crossings = d.U32(), r.versionOf(d, d.U32()), d.U32()
		a.Groups = make([]images.Group, d.Count(16))
		for g := range a.Groups {
			a.Groups[g] = images.Group{Values: d.Places(), Orders: d.U32(), Room: d.Places(), List: d.Places()}
		}
		a.Chunks = int(d.U32())
	}
	if err := done(d, "the archetypes"); err != nil {
		return err
	}
	if r.holds = r.changed(); r.holds {
		r.aim()
	}
	return nil
}

// give gives the builder archetypes until it has n of them.
func (r *reader) give(n int) error {
	for ; r.given < n; r.given++ {
		if r.given > 0 && r.chunks != r.sets[r.given-1].Chunks {
			return corrupt("archetype %d has %d chunks, not %d", r.given-1, r.chunks, r.sets[r.given-1].Chunks)
		}
		if !r.holds {
			if err := r.builder.Archetype(r.sets[r.given]); err != nil {
				return r.wrong(err)
			}
		}
		r.chunks = 0
	}
	return nil
}

// complete gives the rest of them, of which the last one has all its chunks too.
func (r *reader) complete() error {
	if err := r.give(len(r.sets)); err != nil {
		return err
	}
	if n := len(r.sets); n > 0 && r.chunks != r.sets[n-1].Chunks {
		return corrupt("archetype %d has %d chunks, not %d", n-1, r.chunks, r.sets[n-1].Chunks)
	}
	return nil
}

func (r *reader) systems(d *frames.In) error {
	s := &state.World{Now: clock.Time{Elapsed: d.F64(), Delta: d.F64()}}
	for range d.Count(16) {
		s.Outer = append(s.Outer, clock.Time{Elapsed: d.F64(), Delta: d.F64()})
	}
	s.MaximumDelta, s.Scale, s.Ticked = d.F64(), d.F64(), d.Flag()
	if s.Scale < 0 {
		d.Bad = true
	}
	s.Systems = make([]state.System, d.Count(20))
	for i := range s.Systems {
		s.Systems[i] = state.System{Name: d.Text(), Version: r.versionOf(d, d.U32()), Disabled: d.Flag(), Rate: d.Maybe(), Own: d.Maybe()}
	}
	s.Systems = slices.DeleteFunc(s.Systems, func(own state.System) bool { return r.dropped[own.Name] })
	r.saved = s
	return done(d, "the state of the systems")
}

func (r *reader) pieces(d *frames.In) error {
	last := ""
	for i := range d.Count(8) {
		name := d.Text()
		if d.Bad || i > 0 && name <= last {
			return corrupt("piece %q is behind %q", name, last)
		}
		last = name
		if b := d.Bytes(); r.taken != nil && !d.Bad {
			r.pieced = append(r.pieced, piece{name, slices.Clone(b)})
		}
	}
	return done(d, "the pieces of the user")
}

// piece is one of the user's.
type piece struct {
	name string
	data []byte
}
