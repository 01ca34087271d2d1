package snapshot

import (
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// wave is how many frames are encoded, or decoded, at a time.
const wave = 32

// writer writes one image.
type writer struct {
	*options
	to         io.Writer
	image      *ecs.Image
	archetypes []ecs.ImageArchetype
	columns    []column
	places     map[reflect.Type]uint32
	state      ecs.ImageState
	base       uint32 // the newest version
	oldest     uint32 // the largest age
	systems    *system.State
	out        out
	n          int64
	frames     uint64
	crcs       uint32
}

// Write writes an image to a stream, and returns how many bytes it has written. The image
// may be of a world that goes on. Two images that are equal have the same bytes. Workers encode
// frames: codecs may be called by several goroutines at once. An error of category ErrValue
// names what cannot be written, before anything is.
func Write(to io.Writer, m *ecs.Image, opts ...Option) (int64, error) {
	w := &writer{options: optionsOf(opts), to: to, image: m, archetypes: m.Archetypes(), state: m.State(), systems: system.StateOf(m), places: map[reflect.Type]uint32{}}
	var err error
	if w.columns, err = w.used(m, w.archetypes); err != nil {
		return 0, err
	}
	for i := range w.columns {
		w.places[w.columns[i].typ] = uint32(i)
	}
	w.ages()
	shared, err := w.shared()
	if err != nil {
		return 0, err
	}
	if err := w.number(); err != nil {
		return 0, err
	}
	if len(w.blobs.list) > 0 { // before anything is written
		if err := w.blobFrame(); err != nil {
			return 0, err
		}
	}
	err = w.all(shared)
	return w.n, err
}

// all writes the file.
func (w *writer) all(shared []byte) error {
	blobs := w.out
	w.out = out{}
	head := out{b: append([]byte(nil), magic[:]...)}
	head.u32(w.version())
	head.u32(ecs.HashVersion)
	w.crcs = crc32.Checksum(head.b, castagnoli)
	if err := w.put(head.b); err != nil {
		return err
	}
	writeSchema(&w.out, w.columns)
	if err := w.end(); err != nil {
		return err
	}
	w.ids()
	if err := w.end(); err != nil {
		return err
	}
	if len(blobs.b) > 0 {
		if err := w.send(&blobs); err != nil {
			return err
		}
	}
	w.out.begin(kindShared)
	w.out.b = append(w.out.b, shared...)
	if err := w.end(); err != nil {
		return err
	}
	w.sets()
	if err := w.end(); err != nil {
		return err
	}
	if err := w.rows(); err != nil {
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
	w.out.begin(kindEnd)
	w.out.u64(w.frames)
	w.out.u32(w.crcs)
	w.out.u64(w.image.Hash())
	return w.end()
}

// version returns the first version of the format that has all frames that are needed.
func (w *writer) version() uint32 {
	if w.systems != nil || len(w.given)+len(w.blobs.list) > 0 {
		return 2
	}
	return 1
}

func (w *writer) put(b []byte) error {
	n, err := w.to.Write(b)
	w.n += int64(n)
	if err != nil {
		return fmt.Errorf("snapshot: write at byte %d: %w", w.n, err)
	}
	return nil
}

// end writes the frame that was begun.
func (w *writer) end() error { return w.send(&w.out) }

func (w *writer) send(o *out) error {
	w.crcs = joined(w.crcs, o.end())
	w.frames++
	return w.put(o.b)
}

// joined is the checksum of checksums.
func joined(crcs, sum uint32) uint32 { return crcs*31 + sum }

// ages finds the newest version, and the largest age.
func (w *writer) ages() {
	each := func(f func(v uint32)) {
		for i := range w.archetypes {
			a := &w.archetypes[i]
			f(a.Order)
			for _, v := range a.Newest {
				f(v)
			}
			for j := range a.Chunks {
				c := w.image.Chunk(i, j)
				f(c.Order)
				for k := range c.Parts {
					f(c.Parts[k].Version)
					f(c.Parts[k].Through)
				}
			}
		}
	}
	each(w.newest)
	if w.base == 0 {
		w.base = w.state.Version
	}
	if w.systems != nil {
		for i := range w.systems.Systems {
			w.oldest = max(w.oldest, w.age(w.seenBy(&w.systems.Systems[i])))
		}
	}
	each(func(v uint32) { w.oldest = max(w.oldest, w.age(v)) })
}

// newest makes a version the base if it is newer. No version is newer than the image, but one
// of a chunk that nobody has written for days may be older than half of all versions: two
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

// ids begins the frame of ids, names and sums.
func (w *writer) ids() {
	o, s := &w.out, &w.state
	o.begin(kindState)
	o.u32(w.oldest)
	o.count(len(s.Free))
	for _, e := range s.Free {
		o.entity(e)
	}
	o.count(len(s.Retired))
	for _, i := range s.Retired {
		o.u32(uint32(i))
	}
	o.count(len(s.Names))
	for _, e := range slices.SortedFunc(maps.Keys(s.Names), ecs.Entity.Compare) {
		o.entity(e)
		o.text(s.Names[e])
	}
	o.count(len(s.Sums))
	for _, sum := range s.Sums {
		o.text(sum.Name)
		o.u64(sum.Sum)
	}
}

func (o *out) entity(e ecs.Entity) {
	o.u32(uint32(e.Index))
	o.u32(uint32(e.Version))
}

// shared returns the frame of the shared values.
func (w *writer) shared() ([]byte, error) {
	var o out
	list := w.image.Shared()
	o.count(len(list))
	for _, s := range list {
		k := &w.columns[w.places[s.Component]]
		o.u32(w.places[s.Component])
		o.count(len(s.Values) - 1) // the default is known
		for _, v := range s.Values[1:] {
			if v == nil {
				o.u32(^uint32(0))
				continue
			}
			b, err := k.appendShared(nil, v)
			if err != nil {
				return nil, fmt.Errorf("snapshot: %w: a value of %s: %w", ErrValue, k.name, err)
			}
			o.text(string(b))
		}
		o.places(s.Free)
	}
	return o.b, nil
}

// places writes a list of places.
func (o *out) places(list []int32) {
	o.count(len(list))
	for _, v := range list {
		o.u32(uint32(v))
	}
}

// sets begins the frame of the archetypes.
func (w *writer) sets() {
	o := &w.out
	o.begin(kindArchetypes)
	o.count(len(w.archetypes))
	for i := range w.archetypes {
		a := &w.archetypes[i]
		o.count(len(a.Components))
		for k, t := range a.Components {
			o.u32(w.places[t])
			o.u32(w.age(a.Newest[k]))
		}
		o.u32(a.Orders)
		o.u32(w.age(a.Order))
		o.u32(a.Crossings)
		o.count(len(a.Groups))
		for _, g := range a.Groups {
			o.places(g.Values)
			o.u32(g.Orders)
			o.places(g.Room)
			o.places(g.List)
		}
		o.count(a.Chunks)
	}
}

// batch is the chunks of one frame.
type batch struct{ archetype, first, n int }

// batches cuts the chunks into frames, by what is known without looking at them.
func (w *writer) batches() (list []batch) {
	for i := range w.archetypes {
		a := &w.archetypes[i]
		row := 8
		for _, t := range a.Components {
			row += w.columns[w.places[t]].rowBytes()
		}
		n := max(1, frameTarget/(row*a.Capacity))
		for first := 0; first < a.Chunks; first += n {
			list = append(list, batch{i, first, min(n, a.Chunks-first)})
		}
	}
	return list
}

// rows writes the frames of the chunks.
func (w *writer) rows() error {
	list := w.batches()
	outs, errs := make([]out, wave), make([]error, wave)
	for ; len(list) > 0; list = list[min(wave, len(list)):] {
		now := list[:min(wave, len(list))]
		err := w.pool.Range(len(now), 1, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				errs[i] = w.batch(&outs[i], now[i])
			}
		})
		if err != nil {
			return fmt.Errorf("snapshot: %w", err)
		}
		for i := range now {
			if errs[i] != nil {
				return errs[i]
			}
			if err := w.send(&outs[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// batch makes a frame of chunks.
func (w *writer) batch(o *out, b batch) error {
	o.begin(kindRows)
	o.count(b.archetype)
	o.count(b.first)
	o.count(b.n)
	var body out
	for j := range b.n {
		c := w.image.Chunk(b.archetype, b.first+j)
		before := len(body.b)
		for _, e := range c.Entities {
			body.entity(e)
		}
		for k := range c.Parts {
			if err := w.part(&body, &c.Parts[k]); err != nil {
				return err
			}
		}
		o.count(len(c.Entities))
		o.count(c.Group)
		o.u32(w.age(c.Order))
		o.entity(c.Meta)
		for k := range c.Parts {
			o.u32(w.age(c.Parts[k].Version))
			o.u32(w.age(c.Parts[k].Through))
		}
		o.u64(uint64(len(body.b) - before))
	}
	o.b = append(o.b, body.b...)
	return nil
}

// part writes a column of a chunk.
func (w *writer) part(o *out, p *ecs.ImagePart) (err error) {
	k := &w.columns[w.places[p.Component]]
	switch {
	case k.kind&isSkipped != 0:
	case k.kind&isBuffer != 0:
		for row := range p.Entities {
			b, capacity := p.Buffer(row)
			o.count(len(b) / max(k.elem.size, 1))
			o.count(capacity)
			o.b = k.elem.append(o.b, b)
		}
	case k.kind&isManaged != 0:
		list := reflect.ValueOf(p.Value)
		for row := range p.Entities {
			at := len(o.b)
			o.u32(0)
			if o.b, err = k.codec.encode(o.b, list.Index(row).Addr().Interface()); err != nil {
				return fmt.Errorf("snapshot: %w: %s of %v: %w", ErrValue, k.name, p.Entities[row], err)
			}
			head := out{b: o.b[:at]}
			head.count(len(o.b) - at - 4)
		}
	default:
		for i := range k.lanes {
			o.b = k.lanes[i].append(o.b, p.Lanes[i])
		}
	}
	for _, word := range p.On {
		o.u64(word)
	}
	return nil
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
