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
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/snapshot/internal/format"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/internal/atomicfile"
)

// writer writes one image.
type writer struct {
	*options
	image         *ecs.Image
	archetypes    []ecs.ImageArchetype
	chunks        [][]ecs.ImageChunk // chunks of each archetype
	buffer        *bytes.Buffer      // the stream, if it is a bytes.Buffer
	columns       []column
	columnIndex   map[reflect.Type]uint32
	state         ecs.ImageState
	newestVersion uint32 // the newest version in the image
	largestAge    uint32 // the largest age in the image
	systems       *system.WorldState
	frame         frames.Out
	sharedValues  []byte                    // the encoded shared values
	blobsOut      frames.Out                // the frame of the blobs, if there are any
	emitFrame     func(o *frames.Out) error // called with each finished frame
	written       int64
	frameCount    uint64
	frameSum      uint32
}

// Write writes an image to a stream. It returns the number of bytes. The world of the image may
// continue during the call. Equal images produce equal bytes. Several workers encode at the same
// time, so several goroutines may call codecs at the same time. If the stream is a [bytes.Buffer],
// Write grows it once and encodes in place. If a value cannot be written, Write returns an error of
// category ErrValue before it writes anything. The error names the value. After that, when some
// frames are already written, only a [Codec] can still cause such an error.
func Write(to io.Writer, m *ecs.Image, opts ...Option) (int64, error) {
	w, err := newWriter(m, optionsOf("Write", opts))
	if err != nil {
		return 0, err
	}
	w.emitFrame = func(o *frames.Out) error { return writeCounted(to, &w.written, o.Buf) }
	w.buffer, _ = to.(*bytes.Buffer)
	head := w.fileHead()
	if err = writeCounted(to, &w.written, head); err == nil {
		err = w.writeFrames(w.writeRows)
	}
	return w.written, err
}

// Save writes an image to a file. Save writes a new file next to the old file and then renames
// the new file. So after a crash there is either the old file or the new file. If the process of
// an earlier call was killed, Save removes the new file that this call has left. The file keeps
// its permissions. A new file is created so that only its owner can read it. If path is a
// symbolic link, Save writes the file to which the link points. The file to which the link
// points need not exist yet. Save returns when the disk has the data.
//
// An image goes through these calls, of this file and, from planFrames on, of write_rows.go:
//
//	Write                 makes a writer (newWriter), and writes the head of the file (fileHead)
//	writeFrames           writes the frames before the rows, the rows, and the frames after them
//	planFrames            divides the chunks into frames of rows
//	writeRowsInBatches    encodes several frames at once on all workers, and writes them in order. For a
//	                      bytes.Buffer it is writeRowsInPlace
//	encodeFrame           encodes the chunks of a frame: encodeChunk, and encodePart for each column
//	encodeValues          writes the values of a lane in little-endian order (schema.go)
func Save(path string, m *ecs.Image, opts ...Option) error {
	var refused error // the error of Write, which is returned as it is
	err := atomicfile.Write(path, atomicfile.Options{Mode: 0o600, Sync: true}, func(to io.Writer) error {
		_, refused = Write(to, m, opts...)
		return refused
	})
	if err != nil && refused == nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	return err
}

// newWriter returns a writer for an image. If the image contains a value that cannot be written, it
// returns an error.
func newWriter(m *ecs.Image, o *options) (*writer, error) {
	if m == nil {
		return nil, fmt.Errorf("snapshot: the image is nil: give one that ecs.Capture has taken: %w", ecs.ErrArgument)
	}
	w := &writer{options: o, image: m, archetypes: m.Archetypes(), state: m.State(), systems: system.StateOf(m), columnIndex: map[reflect.Type]uint32{}}
	var err error
	if w.columns, err = w.columnsUsed(m, w.archetypes); err != nil {
		return nil, err
	}
	for i := range w.columns {
		w.columnIndex[w.columns[i].typ] = uint32(i)
	}
	w.findAges()
	if w.sharedValues, err = w.encodeShared(); err != nil {
		return nil, err
	}
	if err = w.numberBlobs(); err != nil {
		return nil, err
	}
	if len(w.blobs.list) > 0 {
		err = w.beginBlobs()
	}
	return w, err
}

// fileHead returns the bytes before the first frame.
func (w *writer) fileHead() []byte {
	head := frames.Out{Buf: append([]byte(nil), format.Magic[:]...)}
	head.U32(w.formatVersion())
	head.U32(ecs.HashVersion)
	w.frameSum = frames.Sum(head.Buf)
	return head.Buf
}

// writeFrames sends all frames in order. writeFrames calls the function rows to send the frames with
// rows.
func (w *writer) writeFrames(rows func() error) error {
	writeSchema(&w.frame, w.columns)
	if err := w.endFrame(); err != nil {
		return err
	}
	w.beginState()
	if err := w.endFrame(); err != nil {
		return err
	}
	if len(w.blobsOut.Buf) > 0 {
		if err := w.sendFrame(&w.blobsOut, w.blobsOut.End()); err != nil {
			return err
		}
	}
	w.frame.Begin(format.KindShared)
	w.frame.Buf = append(w.frame.Buf, w.sharedValues...)
	if err := w.endFrame(); err != nil {
		return err
	}
	w.beginArchetypes()
	if err := w.endFrame(); err != nil {
		return err
	}
	if err := rows(); err != nil {
		return err
	}
	if w.systems != nil {
		w.beginSystems(w.systems)
		if err := w.endFrame(); err != nil {
			return err
		}
	}
	if len(w.piecesToWrite) > 0 {
		w.beginPieces()
		if err := w.endFrame(); err != nil {
			return err
		}
	}
	w.frame.Begin(format.KindEnd)
	w.frame.U64(w.frameCount)
	w.frame.U32(w.frameSum)
	w.frame.U64(w.image.Hash())
	return w.endFrame()
}

// formatVersion returns the earliest version of the format that has all kinds of frames that the image
// needs.
func (w *writer) formatVersion() uint32 {
	if w.systems != nil || len(w.piecesToWrite)+len(w.blobs.list) > 0 {
		return 2
	}
	return 1
}

// writeCounted writes bytes and adds their number to count.
func writeCounted(to io.Writer, count *int64, b []byte) error {
	n, err := to.Write(b)
	*count += int64(n)
	if err != nil {
		return fmt.Errorf("snapshot: write at byte %d: %w", *count, err)
	}
	return nil
}

// endFrame completes the current frame and sends it.
func (w *writer) endFrame() error { return w.sendFrame(&w.frame, w.frame.End()) }

// sendFrame sends a frame whose checksum is sum.
func (w *writer) sendFrame(o *frames.Out, sum uint32) error {
	w.frameSum = frames.Joined(w.frameSum, sum)
	w.frameCount++
	return w.emitFrame(o)
}

// findAges finds the newest version and the largest age in the image.
func (w *writer) findAges() {
	w.loadChunks()
	var all []uint32
	for i := range w.archetypes {
		a := &w.archetypes[i]
		all = append(append(all, a.OrderVersion), a.NewestVersions...)
		for j := range w.chunks[i] {
			c := &w.chunks[i][j]
			all = append(all, c.OrderVersion)
			for k := range c.Columns {
				all = append(all, c.Columns[k].Version, c.Columns[k].ThroughVersion)
			}
		}
	}
	for _, v := range all {
		w.noteVersion(v)
	}
	if w.newestVersion == 0 {
		w.newestVersion = w.state.Version
	}
	if w.systems != nil {
		for i := range w.systems.Systems {
			w.largestAge = max(w.largestAge, w.ageOf(w.seenVersion(&w.systems.Systems[i])))
		}
	}
	for _, v := range all {
		w.largestAge = max(w.largestAge, w.ageOf(v))
	}
}

// noteVersion makes v the newest version if it is newer. Versions wrap around. If a chunk was not
// written for days, its version may therefore seem newer than the version of the image. Therefore
// versions are compared by their distance from the version of the image, which is the newest
// possible version.
func (w *writer) noteVersion(v uint32) {
	if now := w.state.Version; v != 0 && (w.newestVersion == 0 || now-v < now-w.newestVersion) {
		w.newestVersion = v
	}
}

// maxAge is the largest age that is stored. Versions that are older than maxAge get this age, too.
const maxAge = 1<<31 - 2

// ageOf returns the age of a version. The newest version has age 1, and 0 means that there is no
// version.
func (w *writer) ageOf(v uint32) uint32 {
	if v == 0 {
		return 0
	}
	return min(w.newestVersion-v, maxAge-1) + 1
}

// seenVersion returns the version up to which a system has seen changes, as a version of the image.
// If this version is newer than the newest version of all chunks, seenVersion returns the newest
// version of the chunks, which has the same meaning.
func (w *writer) seenVersion(s *system.SystemState) uint32 {
	if now := w.state.Version; s.Version != 0 && now-s.Version < now-w.newestVersion {
		return w.newestVersion
	}
	return s.Version
}

// beginState begins the frame of the ids, names and sums.
func (w *writer) beginState() {
	o, s := &w.frame, &w.state
	o.Begin(format.KindState)
	o.U32(w.largestAge)
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

// encodeShared returns the frame of the shared values.
func (w *writer) encodeShared() ([]byte, error) {
	var o frames.Out
	list := w.image.Shared()
	o.Count(len(list))
	for _, s := range list {
		k := &w.columns[w.columnIndex[s.Component]]
		o.U32(w.columnIndex[s.Component])
		o.Count(len(s.Values) - 1) // the default value is not stored
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
	return o.Buf, nil
}

// beginArchetypes begins the frame of the archetypes.
func (w *writer) beginArchetypes() {
	o := &w.frame
	o.Begin(format.KindArchetypes)
	o.Count(len(w.archetypes))
	for i := range w.archetypes {
		a := &w.archetypes[i]
		o.Count(len(a.Components))
		for k, t := range a.Components {
			o.U32(w.columnIndex[t])
			o.U32(w.ageOf(a.NewestVersions[k]))
		}
		o.U32(a.OrderCount)
		o.U32(w.ageOf(a.OrderVersion))
		o.U32(a.MoveCount)
		o.Count(len(a.Groups))
		for _, g := range a.Groups {
			o.Places(g.Values)
			o.U32(g.OrderCount)
			o.Places(g.PartialChunks)
			o.Places(g.Chunks)
		}
		o.Count(a.Chunks)
	}
}

// beginSystems begins the frame of the systems.
func (w *writer) beginSystems(s *system.WorldState) {
	o := &w.frame
	o.Begin(format.KindSystems)
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
	list := slices.Clone(s.Systems) // sorted below, because the order in the world does not matter
	slices.SortStableFunc(list, func(a, b system.SystemState) int { return strings.Compare(a.Name, b.Name) })
	for i := range list {
		own := &list[i]
		o.Text(own.Name)
		o.U32(w.ageOf(w.seenVersion(own)))
		o.Flag(own.Disabled)
		o.Maybe(own.Rate)
		o.Maybe(own.Own)
	}
}

// beginPieces begins the frame of the data that the program has added by Piece.
func (w *writer) beginPieces() {
	w.frame.Begin(format.KindPieces)
	w.frame.Count(len(w.piecesToWrite))
	for _, name := range slices.Sorted(maps.Keys(w.piecesToWrite)) {
		w.frame.Text(name)
		w.frame.Text(string(w.piecesToWrite[name]))
	}
}

// framesPerBatch is the number of frames that are encoded or decoded at a time. The number is small, so
// that the frames are still in the cache of a CPU when the next step reads them.
const framesPerBatch = 8

// rowsFrameBytes limits the size of a frame of rows: after this size, no further chunk is added to
// the frame.
const rowsFrameBytes = 256 << 10

// loadChunks reads the descriptions of the image's chunks. It does so only once.
func (w *writer) loadChunks() {
	w.chunks = make([][]ecs.ImageChunk, len(w.archetypes))
	for i := range w.archetypes {
		list := make([]ecs.ImageChunk, w.archetypes[i].Chunks)
		w.chunks[i] = list
		const about = 1 << 10 // approximate size of a chunk's description in bytes
		some := func(lo, hi int) {
			for j := lo; j < hi; j++ {
				list[j] = w.image.Chunk(i, j)
			}
		}
		if err := w.parallel(len(list), 64, len(list)*about, some); err != nil {
			some(0, len(list)) // the pool is closed or a job was cancelled; writing the frames of rows will return that error
		}
	}
}
