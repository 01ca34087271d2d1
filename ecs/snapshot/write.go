package snapshot

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/images"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/system/state"
)

// writer writes one image.
type writer struct {
	*options
	image      *ecs.Image
	archetypes []images.Archetype
	chunks     [][]images.Chunk // of each of them
	into       *bytes.Buffer    // the stream, if it is one
	columns    []column
	places     map[reflect.Type]uint32
	state      images.State
	base       uint32 // the newest version
	oldest     uint32 // the largest age
	systems    *state.World
	out        frames.Out
	values     []byte                    // of the shared components
	blobbed    frames.Out                // the frame of the blobs, if there are any
	send       func(o *frames.Out) error // takes a frame
	n          int64
	count      uint64
	crcs       uint32
}

// Write writes an image to a stream, and returns how many bytes it has written. The image
// may be of a world that goes on. Two images that are equal have the same bytes. Workers encode
// frames: codecs may be called by several goroutines at once. A [bytes.Buffer] is given its memory at once,
// and frames are made in it. An error of category ErrValue names what cannot be written, before
// anything is; only what the encode of a [Codec] refuses comes when the frames before it are written.
func Write(to io.Writer, m *ecs.Image, opts ...Option) (int64, error) {
	w, err := newWriter(m, optionsOf("Write", opts))
	if err != nil {
		return 0, err
	}
	w.send = func(o *frames.Out) error { return put(to, &w.n, o.B) }
	w.into, _ = to.(*bytes.Buffer)
	head := w.head()
	if err = put(to, &w.n, head); err == nil {
		err = w.all(w.rows)
	}
	return w.n, err
}

// newWriter returns a writer of an image that has looked for what cannot be written.
func newWriter(m *ecs.Image, o *options) (*writer, error) {
	if m == nil {
		return nil, fmt.Errorf("snapshot: the image is nil: give one that ecs.Capture has taken: %w", ecs.ErrArgument)
	}
	w := &writer{options: o, image: m, archetypes: images.ArchetypesOf(m), state: images.StateOf(m), systems: state.Of(m), places: map[reflect.Type]uint32{}}
	var err error
	if w.columns, err = w.used(m, w.archetypes); err != nil {
		return nil, err
	}
	for i := range w.columns {
		w.places[w.columns[i].typ] = uint32(i)
	}
	w.ages()
	if w.values, err = w.shared(); err != nil {
		return nil, err
	}
	if err = w.number(); err != nil {
		return nil, err
	}
	if len(w.blobs.list) > 0 {
		err = w.blobFrame()
	}
	return w, err
}

// head returns the bytes before the first frame.
func (w *writer) head() []byte {
	head := frames.Out{B: append([]byte(nil), magic[:]...)}
	head.U32(w.version())
	head.U32(ecs.HashVersion)
	w.crcs = frames.Sum(head.B)
	return head.B
}

// all makes the frames, in order, those of the rows by a function of the caller's.
func (w *writer) all(rows func() error) error {
	writeSchema(&w.out, w.columns)
	if err := w.end(); err != nil {
		return err
	}
	w.ids()
	if err := w.end(); err != nil {
		return err
	}
	if len(w.blobbed.B) > 0 {
		if err := w.sum(&w.blobbed, w.blobbed.End()); err != nil {
			return err
		}
	}
	w.out.Begin(kindShared)
	w.out.B = append(w.out.B, w.values...)
	if err := w.end(); err != nil {
		return err
	}
	w.sets()
	if err := w.end(); err != nil {
		return err
	}
	if err := rows(); err != nil {
		return err
	}
	if w.systems != nil {
		w.system(w.systems)
		if err := w.end(); err != nil {
			return err
		}
	}
	if len(w.given) > 0 {
		w.pieces()
		if err := w.end(); err != nil {
			return err
		}
	}
	w.out.Begin(kindEnd)
	w.out.U64(w.count)
	w.out.U32(w.crcs)
	w.out.U64(w.image.Hash())
	return w.end()
}

// version returns the first version of the format that has all frames that are needed.
func (w *writer) version() uint32 {
	if w.systems != nil || len(w.given)+len(w.blobs.list) > 0 {
		return 2
	}
	return 1
}

// put writes bytes, and counts them.
func put(to io.Writer, count *int64, b []byte) error {
	n, err := to.Write(b)
	*count += int64(n)
	if err != nil {
		return fmt.Errorf("snapshot: write at byte %d: %w", *count, err)
	}
	return nil
}

// end sends the frame that was begun.
func (w *writer) end() error { return w.sum(&w.out, w.out.End()) }

// sum sends a frame with its checksum.
func (w *writer) sum(o *frames.Out, sum uint32) error {
	w.crcs = frames.Joined(w.crcs, sum)
	w.count++
	return w.send(o)
}

// ages finds the newest version, and the largest age.
func (w *writer) ages() {
	w.look()
	var all []uint32
	for i := range w.archetypes {
		a := &w.archetypes[i]
		all = append(append(all, a.Order), a.Newest...)
		for j := range w.chunks[i] {
			c := &w.chunks[i][j]
			all = append(all, c.Order)
			for k := range c.Parts {
				all = append(all, c.Parts[k].Version, c.Parts[k].Through)
			}
		}
	}
	for _, v := range all {
		w.newest(v)
	}
	if w.base == 0 {
		w.base = w.state.Version
	}
	if w.systems != nil {
		for i := range w.systems.Systems {
			w.oldest = max(w.oldest, w.age(w.seenBy(&w.systems.Systems[i])))
		}
	}
	for _, v := range all {
		w.oldest = max(w.oldest, w.age(v))
	}
}

// newest makes a version the base if it is newer. No version is newer than the image, but one
// of a chunk that was not written for days may be older than half of all versions: two
// versions are not compared by their difference, but by those from the image's.
func (w *writer) newest(v uint32) {
	if now := w.state.Version; v != 0 && (w.base == 0 || now-v < now-w.base) {
		w.base = v
	}
}

// maxAge is the age of all that is older.
const maxAge = 1<<31 - 2

// age returns how old a version is: 1 is the newest, 0 is none.
func (w *writer) age(v uint32) uint32 {
	if v == 0 {
		return 0
	}
	return min(w.base-v, maxAge-1) + 1
}

// seenBy is the version that a system has seen as one of the image: those behind the newest one of a
// chunk mean the same.
func (w *writer) seenBy(s *state.System) uint32 {
	if now := w.state.Version; s.Version != 0 && now-s.Version < now-w.base {
		return w.base
	}
	return s.Version
}

// ids begins the frame of ids, names and sums.
func (w *writer) ids() {
	o, s := &w.out, &w.state
	o.Begin(kindState)
	o.U32(w.oldest)
	o.Count(len(s.Free))
	for _, e := range s.Free {
		o.Entity(e)
	}
	o.Count(len(s.Retired))
	for _, i := range s.Retired {
		o.U32(uint32(i))
	}
	o.Count(len(s.Names))
	for i := range s.Names {
		o.Entity(s.Names[i].Entity)
		o.Text(s.Names[i].Name)
	}
	o.Count(len(s.Sums))
	for _, sum := range s.Sums {
		o.Text(sum.Name)
		o.U64(sum.Sum)
	}
}

// shared returns the frame of the shared values.
func (w *writer) shared() ([]byte, error) {
	var o frames.Out
	list := images.SharedOf(w.image)
	o.Count(len(list))
	for _, s := range list {
		k := &w.columns[w.places[s.Component]]
		o.U32(w.places[s.Component])
		o.Count(len(s.Values) - 1) // the default is known
		for _, v := range s.Values[1:] {
			if v == nil {
				o.U32(^uint32(0))
				continue
			}
			b, err := k.appendShared(nil, v)
			if err != nil {
				return nil, fmt.Errorf("snapshot: %w: a value of %s: %w", ErrValue, k.name, err)
			}
			o.Text(string(b))
		}
		o.Places(s.Free)
	}
	return o.B, nil
}

// sets begins the frame of the archetypes.
func (w *writer) sets() {
	o := &w.out
	o.Begin(kindArchetypes)
	o.Count(len(w.archetypes))
	for i := range w.archetypes {
		a := &w.archetypes[i]
		o.Count(len(a.Components))
		for k, t := range a.Components {
			o.U32(w.places[t])
			o.U32(w.age(a.Newest[k]))
		}
		o.U32(a.Orders)
		o.U32(w.age(a.Order))
		o.U32(a.Crossings)
		o.Count(len(a.Groups))
		for _, g := range a.Groups {
			o.Places(g.Values)
			o.U32(g.Orders)
			o.Places(g.Room)
			o.Places(g.List)
		}
		o.Count(a.Chunks)
	}
}

// system begins the frame of the systems.
func (w *writer) system(s *state.World) {
	o := &w.out
	o.Begin(kindSystems)
	o.F64(s.Now.Elapsed)
	o.F64(s.Now.Delta)
	o.Count(len(s.Outer))
	for _, t := range s.Outer {
		o.F64(t.Elapsed)
		o.F64(t.Delta)
	}
	o.F64(s.MaximumDelta)
	o.F64(s.Scale)
	o.Flag(s.Ticked)
	o.Count(len(s.Systems))
	list := slices.Clone(s.Systems) // in no order of the world's
	slices.SortStableFunc(list, func(a, b state.System) int { return strings.Compare(a.Name, b.Name) })
	for i := range list {
		own := &list[i]
		o.Text(own.Name)
		o.U32(w.age(w.seenBy(own)))
		o.Flag(own.Disabled)
		o.Maybe(own.Rate)
		o.Maybe(own.Own)
	}
}

// pieces begins the frame of the pieces of the user.
func (w *writer) pieces() {
	w.out.Begin(kindPieces)
	w.out.Count(len(w.given))
	for _, name := range slices.Sorted(maps.Keys(w.given)) {
		w.out.Text(name)
		w.out.Text(string(w.given[name]))
	}
}
