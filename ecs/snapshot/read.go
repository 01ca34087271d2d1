package snapshot

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/snapshot/internal/format"
	"github.com/lanewise/lanewise/ecs/system"
)

// reader reads one image.
type reader struct {
	*options
	stream        format.Reader
	builder       *ecs.ImageBuilder
	world         *ecs.World // the world for which the image is read; may be nil
	columns       []column
	version       uint32 // version of the image; an age of 1 means this version
	largestAge    uint32
	archetypes    []ecs.ImageArchetype
	columnIndexes [][]uint32 // for each archetype, its components as indices in the schema

	rechunking

	archetypesBegun int          // number of archetypes that the builder has begun
	chunksBegun     int          // number of chunks of the last archetype that have begun
	bufferRoom      atomic.Int64 // capacity of buffers beyond their contents, in bytes: the jobs that read rows add to it, and compare the sum with the limit
	requiresHash    bool         // the image must have the hash that is in the file
	systemState     *system.WorldState
	piecesRead      []piece
	nameBuffer      *[]ecs.ImageName
}

// rechunking maps the archetypes of the file to the archetypes of the image. A rechunking is used if
// rows may have to be distributed to new chunks: see rebuiltArchetype.
type rechunking struct {
	needsRechunk bool // chunks are collected in rebuilt, and built after the last frame of rows
	rebuilt      []rebuiltArchetype
	rebuiltIndex []int   // for each archetype of the file, the index of its archetype in rebuilt
	groupIndex   [][]int // for each group of each archetype of the file, its index in the rebuilt archetype
}

// nameLists is a pool of lists. While a file is read, a list holds the names of entities. New lists
// would be expensive, because the garbage collector scans all of their strings.
var nameLists = sync.Pool{New: func() any { return new([]ecs.ImageName) }}

// Read reads an image from a stream, up to the stream's end. The types of its components must be
// registered: see [ecs.RegisterComponent]. The error is of category ErrCorrupt, ErrVersion,
// ErrSchema or ErrLimit, or it is the error of the stream. After an error, Read has released all
// memory. Several workers decode at the same time, so several goroutines may call codecs at the
// same time. The memory that Read uses grows only with the bytes that arrive, so a false size in
// the file cannot exhaust it. If the stream is a [bytes.Buffer] or a [bytes.Reader], its frames are
// decoded in place. Later reads reuse the memory of a released image.
func Read(from io.Reader, opts ...Option) (m *ecs.Image, err error) {
	return readFor(nil, from, opts)
}

// Open reads the image in a file. The errors are those of [Read] and of the file system. They
// contain the path.
func Open(path string, opts ...Option) (m *ecs.Image, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	m, err = Read(bufio.NewReaderSize(f, 1<<20), opts...)
	return m, frames.OfFile("snapshot", path, err)
}

// Load replaces the contents of w by the contents of a file, as [ecs.Restore] does with an image.
// Load also replaces ids, time, and the state of systems: see [system.Saver]. The errors are
// those of [Open] and of [system.Restore]. After an error, w is unchanged. Only the owner of w
// may call Load.
//
// Systems are identified by the names of their types. For a system that is not in the file, every
// row is new. If a system of the file is not in the world, it is skipped, provided that it has no
// saved bytes. If a system of the file has saved bytes but is not in the world, Load returns an
// error, unless [Drop] names the system.
//
// Load reads the rows directly into the chunks of the world, because nothing else refers to the
// image. Therefore Load takes less time and memory than Open and Restore together. During the call,
// w cannot be changed, for example by a codec. The functions of [ecs.Hooks.OnRestore] receive an
// image that is already released, but they can still read its attachments.
func Load(w *ecs.World, path string, opts ...Option) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	defer func() { _ = f.Close() }() // an error of Close must not be returned, because the world has already been replaced
	return frames.OfFile("snapshot", path, loadInto(w, bufio.NewReaderSize(f, 1<<20), opts))
}

// LoadFrom does the same as [Load] from a stream. Like [Read], it reads the stream to its end.
func LoadFrom(w *ecs.World, from io.Reader, opts ...Option) error {
	return loadInto(w, from, opts)
}

// loadInto is LoadFrom. A row goes through these calls from the file to the world:
//
//	readSections          reads the schema, the state, blobs, shared values and archetypes (read.go);
//	                      decodeState calls builder.AddState with the world that the image is for
//	decodeFrameHeads      begins the archetypes and chunks of a frame of rows (read_rows.go). AddChunk takes
//	                      memory of w for a chunk that is more than half full (ecs: image_builder_world.go)
//	fillLanes             decodes the numbers of the row frames into this memory, on all workers
//	ImageChunk.Filled     checks the chunk and computes its hashes, if the file has a hash (ecs: image_builder_check.go)
//	readTail, readEnd     read the systems; builder.Image checks that ids, rows and hashes agree
//	system.Restore        restores the image: attachChunk and adoptPlacedRows make the chunks those of w without
//	                      a copy of their rows (ecs: image_restore_rows.go)
func loadInto(w *ecs.World, from io.Reader, opts []Option) error {
	if w == nil { // check w first, because an error of the file would hide this one
		return fmt.Errorf("snapshot: Load: the world is nil: %w", ecs.ErrArgument)
	}
	m, err := readFor(w, from, opts)
	if err != nil {
		return err
	}
	blobs := Blobs(m)
	defer func() { _ = m.Release() }() // does nothing if the world has taken the image; runs after a panic, too
	if err = system.Restore(w, m); err != nil {
		for _, b := range blobs {
			_ = b.Dispose() // no world refers to the blob
		}
		return fmt.Errorf("snapshot: %w", err)
	}
	return nil
}

// readFor reads an image from a stream. The image is for the world w, which may be nil.
func readFor(w *ecs.World, from io.Reader, opts []Option) (m *ecs.Image, err error) {
	if own, is := from.(*bytes.Reader); is && own.Len() > 0 {
		_, _ = own.WriteTo(bytesSink(func(b []byte) { m, err = readImage(bytes.NewBuffer(b), w, opts) })) // bytesSink returns no errors
		return m, err
	}
	return readImage(from, w, opts)
}

// bytesSink is a writer that receives all bytes of a bytes.Reader in one call, so that they can be
// decoded in place.
type bytesSink func(b []byte)

// Write passes the bytes to the function. The bytes are neither kept nor changed.
func (s bytesSink) Write(b []byte) (int, error) {
	s(b)
	return len(b), nil
}

func readImage(from io.Reader, w *ecs.World, opts []Option) (m *ecs.Image, err error) {
	o := optionsOf("Read", opts)
	r := &reader{options: o, stream: format.Reader{Reader: frames.Reader{Source: from, MaxPayload: math.MaxInt64, MaxBytes: o.limits.Bytes}, Package: "snapshot", Unchecked: o.skipChecksums}, builder: ecs.NewImageBuilder(ecs.OnPool(o.pool)), world: w}
	defer func() {
		if m == nil { // m is also nil after a panic of the stream or of the function of Recut
			r.builder.Close() // remove the names, which refer to the bytes of the stream
			o.blobs.disposeDecoded()
		}
	}()
	if err := r.stream.ReadHead(); err != nil {
		return nil, err
	}
	r.requiresHash = r.stream.HashVersion == ecs.HashVersion && !r.skipChecksums
	if err := r.readSections(); err != nil {
		return nil, err
	}
	f, err := r.readRows()
	if err == nil {
		f, err = r.readTail(f)
	}
	if err != nil {
		return nil, err
	}
	if f.Kind() != format.KindEnd {
		return nil, corrupt("the frame at byte %d is of kind %d", f.Offset, f.Kind())
	}
	if m, err = r.readEnd(f); err != nil {
		return nil, err
	}
	if r.systemState != nil {
		system.AttachState(m, r.systemState)
	}
	if len(r.blobs.list) > 0 {
		m.Attach(imageBlobsKey{}, r.blobs.list)
	}
	for _, p := range r.piecesRead {
		r.pieceTargets[p.name] = p.data
	}
	return m, nil
}

// readSections reads the frames before the rows. There is one frame of each kind, and they are in
// order. Blobs come before the shared values, which may refer to them.
func (r *reader) readSections() error {
	for i, read := range [...]func(*frames.In) error{r.decodeSchema, r.decodeState, r.decodeShared, r.decodeArchetypes} {
		f, err := r.readSection()
		if err == nil && i == 2 && f.Kind() == format.KindBlobs && r.stream.Version > 1 {
			if err = r.decodeBlobs(f.Body()); err == nil {
				f, err = r.readSection()
			}
		}
		if err != nil {
			return err
		}
		if f.Kind() != uint32(format.KindSchema+i) {
			return corrupt("the frame at byte %d is of kind %d, not %d", f.Offset, f.Kind(), format.KindSchema+i)
		}
		if err := read(f.Body()); err != nil {
			return err
		}
	}
	return nil
}

// readTail reads the frames after the rows: first the systems, and then the pieces. The parameter f is
// the first frame after the rows. Both frames may be missing. readTail returns the frame after them.
func (r *reader) readTail(f frames.Frame) (next frames.Frame, err error) {
	for _, read := range [...]struct {
		kind uint32
		body func(*frames.In) error
	}{{format.KindSystems, r.decodeSystems}, {format.KindPieces, r.decodePieces}} {
		if f.Kind() != read.kind || r.stream.Version == 1 {
			continue
		}
		r.stream.Count(&f)
		if err := read.body(f.Body()); err != nil {
			return f, err
		}
		if f, err = r.stream.ReadVerified(); err != nil {
			return f, err
		}
	}
	return f, nil
}

// readSection reads a frame without rows, verifies it, and adds it to the totals.
func (r *reader) readSection() (frames.Frame, error) {
	f, err := r.stream.ReadVerified()
	if err == nil {
		r.stream.Count(&f)
	}
	return f, err
}

// readEnd completes the image. The parameter f is the last frame. readEnd compares the totals and
// the hash in it.
func (r *reader) readEnd(f frames.Frame) (whole *ecs.Image, err error) {
	hash, err := r.stream.ReadEnd(f)
	if err != nil {
		return nil, err
	}
	m, err := r.builder.Image()
	if err != nil {
		return nil, r.builderError(err)
	}
	clear(*r.nameBuffer) // the image has its own copies of the names
	nameLists.Put(r.nameBuffer)
	defer func() {
		if whole == nil { // the memory of a world must not remain in an image with a wrong hash
			_ = m.Release() // the image is not yet released, so Release cannot fail
		}
	}()
	if r.requiresHash {
		if got := m.Hash(); got != hash {
			return nil, corrupt("the hash is %016x, and was %016x", got, hash)
		}
	}
	return m, nil
}

// mustMatchHash reports whether the hash of the image must equal the hash of the image that was
// written.
func (r *reader) mustMatchHash() bool {
	types := ecs.ComponentTypes()
	for i := range r.columns {
		k := &r.columns[i]
		if k.typ == nil || k.migration != nil {
			return false
		}
		if k.kind&isSkipped != 0 && k.kind&isManaged == 0 || len(r.droppedNames)+len(r.renamedTypes) > 0 {
			return false
		}
		for l := range k.lanes {
			if k.lanes[l].memoryIndex != l {
				return false // some lanes have other indices
			}
		}
		for _, c := range types {
			if c.Type == k.typ && k.kind&(isBuffer|isShared|isManaged) == 0 && len(c.Lanes) != len(k.lanes) {
				return false // some lanes are new
			}
		}
	}
	return true
}

// builderError converts an error of the builder.
func (r *reader) builderError(err error) error {
	return fmt.Errorf("snapshot: %w: %w", ErrCorrupt, err)
}

func (r *reader) decodeSchema(d *frames.In) (err error) {
	r.columns, err = r.readSchema(d)
	r.requiresHash = r.requiresHash && r.mustMatchHash()
	r.stream.MayReuse = !slices.ContainsFunc(r.columns, func(k column) bool { return k.kind&isManaged != 0 })
	return err
}

// versionOf converts an age to a version.
func (r *reader) versionOf(d *frames.In, age uint32) uint32 {
	if age == 0 {
		return 0
	}
	if age > r.largestAge {
		d.Failed = true
	}
	return r.version - age + 1
}

func (r *reader) decodeState(d *frames.In) error {
	r.largestAge = d.U32()
	if r.largestAge > maxAge {
		return corrupt("a version is %d changes old", r.largestAge)
	}
	r.version = r.largestAge + 1
	s := ecs.ImageState{For: r.world, Version: r.version, Free: make([]ecs.Entity, d.Count(8))}
	for i := range s.Free {
		s.Free[i] = d.Entity()
	}
	s.Retired = d.Places()
	lent := nameLists.Get().(*[]ecs.ImageName)
	s.Names = d.Names(*lent, textOf(d.Rest)) // the image copies the texts
	*lent, r.nameBuffer = s.Names, lent
	s.Sums = make([]ecs.NamedHash, d.Count(12))
	for i := range s.Sums {
		s.Sums[i] = ecs.NamedHash{Name: d.Text(), Sum: d.U64()}
	}
	if err := checkDone(d, "the state"); err != nil {
		return err
	}
	if err := r.builder.AddState(s); errors.Is(err, ecs.ErrArgument) {
		return r.builderError(err)
	} else if err != nil { // an error of the world that the image is for
		return fmt.Errorf("snapshot: %w", err)
	}
	return nil
}

func (r *reader) decodeShared(d *frames.In) error {
	for range d.Count(12) {
		at := d.U32()
		if int64(at) >= int64(len(r.columns)) {
			return corrupt("values of component %d of %d", at, len(r.columns))
		}
		k := &r.columns[at]
		if k.kind&isShared == 0 {
			return corrupt("%s is not shared, and has shared values", k.name)
		}
		values, err := k.decodeSharedValues(d)
		if err != nil {
			return err
		}
		s := ecs.ImageShared{Component: k.typ, Values: values, Free: d.Places()}
		if d.Failed {
			break
		}
		if k.typ == nil {
			continue
		}
		if err := r.builder.AddShared(s); err != nil {
			return r.builderError(err)
		}
	}
	return checkDone(d, "the shared values")
}

// decodeSharedValues decodes the values of a shared component. The default value comes first. It
// skips the values of a dropped component.
func (k *column) decodeSharedValues(d *frames.In) (list []any, err error) {
	if k.typ != nil {
		list = []any{reflect.Zero(k.typ).Interface()}
	}
	for range d.Count(4) {
		n := d.U32()
		if n == ^uint32(0) { // an unused index
			list = append(list, nil)
			continue
		}
		b := d.Take(uint64(n))
		if d.Failed {
			break
		}
		if k.typ == nil {
			continue
		}
		v, err := k.decodeShared(b)
		if err != nil {
			return nil, fmt.Errorf("snapshot: %w: a value of %s: %w", ErrCorrupt, k.name, err)
		}
		list = append(list, v)
	}
	return list, nil
}

func (r *reader) decodeArchetypes(d *frames.In) error {
	r.archetypes = make([]ecs.ImageArchetype, d.Count(24))
	r.columnIndexes = make([][]uint32, len(r.archetypes))
	for i := range r.archetypes {
		a := &r.archetypes[i]
		for range d.Count(8) {
			at := d.U32()
			if int64(at) >= int64(len(r.columns)) {
				return corrupt("archetype %d has component %d of %d", i, at, len(r.columns))
			}
			r.columnIndexes[i] = append(r.columnIndexes[i], at)
			a.Components = append(a.Components, r.columns[at].typ)
			a.NewestVersions = append(a.NewestVersions, r.versionOf(d, d.U32()))
		}
		if a.NewestVersions == nil {
			a.NewestVersions = []uint32{}
		}
		a.OrderCount, a.OrderVersion, a.MoveCount = d.U32(), r.versionOf(d, d.U32()), d.U32()
		a.Groups = make([]ecs.ImageGroup, d.Count(16))
		for g := range a.Groups {
			a.Groups[g] = ecs.ImageGroup{Values: d.Places(), OrderCount: d.U32(), PartialChunks: d.Places(), Chunks: d.Places()}
		}
		a.Chunks = int(d.U32())
	}
	if err := checkDone(d, "the archetypes"); err != nil {
		return err
	}
	if r.needsRechunk = r.lanesChanged(); r.needsRechunk {
		r.planRechunk()
	}
	return nil
}

// beginArchetypes adds archetypes to the builder until the builder has n of them.
func (r *reader) beginArchetypes(n int) error {
	for ; r.archetypesBegun < n; r.archetypesBegun++ {
		if r.archetypesBegun > 0 && r.chunksBegun != r.archetypes[r.archetypesBegun-1].Chunks {
			return corrupt("archetype %d has %d chunks, not %d", r.archetypesBegun-1, r.chunksBegun, r.archetypes[r.archetypesBegun-1].Chunks)
		}
		if !r.needsRechunk {
			if err := r.builder.AddArchetype(r.archetypes[r.archetypesBegun]); err != nil {
				return r.builderError(err)
			}
		}
		r.chunksBegun = 0
	}
	return nil
}

// endArchetypes completes the last archetype, and adds the remaining ones.
func (r *reader) endArchetypes() error {
	if err := r.beginArchetypes(len(r.archetypes)); err != nil {
		return err
	}
	if n := len(r.archetypes); n > 0 && r.chunksBegun != r.archetypes[n-1].Chunks {
		return corrupt("archetype %d has %d chunks, not %d", n-1, r.chunksBegun, r.archetypes[n-1].Chunks)
	}
	return nil
}

func (r *reader) decodeSystems(d *frames.In) error {
	s := &system.WorldState{Now: system.Time{Elapsed: d.F64(), Delta: d.F64()}}
	for range d.Count(16) {
		s.Outer = append(s.Outer, system.Time{Elapsed: d.F64(), Delta: d.F64()})
	}
	s.MaximumDelta, s.Scale, s.Ticked = d.F64(), d.F64(), d.Flag()
	if s.Scale < 0 {
		d.Failed = true
	}
	s.Systems = make([]system.SystemState, d.Count(20))
	for i := range s.Systems {
		s.Systems[i] = system.SystemState{Name: d.Text(), Version: r.versionOf(d, d.U32()), Disabled: d.Flag(), Rate: d.Maybe(), Own: d.Maybe()}
	}
	s.Systems = slices.DeleteFunc(s.Systems, func(own system.SystemState) bool { return r.droppedNames[own.Name] })
	r.systemState = s
	return checkDone(d, "the state of the systems")
}

func (r *reader) decodePieces(d *frames.In) error {
	last := ""
	for i := range d.Count(8) {
		name := d.Text()
		if d.Failed || i > 0 && name <= last {
			return corrupt("piece %q is behind %q", name, last)
		}
		last = name
		if b := d.Bytes(); r.pieceTargets != nil && !d.Failed {
			r.piecesRead = append(r.piecesRead, piece{name, slices.Clone(b)})
		}
	}
	return checkDone(d, "the pieces of the user")
}

// piece is a piece of the program's data.
type piece struct {
	name string
	data []byte
}
