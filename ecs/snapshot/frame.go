package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// Version is the latest version of the format. Read reads it and all before; Write writes the first one
// that has what the image has, so that older programs read what they can.
const Version = 2

// magic begins every snapshot: it is no text, and shows when line ends were changed.
var magic = [8]byte{0x89, 'L', 'W', 'S', '\r', '\n', 0x1a, '\n'}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// The kinds of frames. Those of version 1 come in this order.
const (
	kindSchema = 1 + iota
	kindState
	kindShared
	kindArchetypes
	kindRows
	kindEnd
	kindBlobs   // before the shared values
	kindSystems // behind the rows
	kindPieces  // behind these
)

// frameTarget is how many bytes a frame of rows has before the next chunk begins another one.
const frameTarget = 256 << 10

// The categories of errors, for errors.Is.
var (
	// ErrCorrupt says that the bytes are not those that were written, or are no snapshot.
	ErrCorrupt = errors.New("not a whole snapshot")

	// ErrVersion says that a later release has written the snapshot.
	ErrVersion = errors.New("a snapshot of a later version")

	// ErrSchema says that the program has other component types than the snapshot.
	ErrSchema = errors.New("other component types")

	// ErrValue says that something cannot be written.
	ErrValue = errors.New("no way to write it")

	// ErrLimit says that the snapshot is larger than Within allows.
	ErrLimit = errors.New("larger than allowed")
)

// corrupt is an error of category ErrCorrupt.
func corrupt(text string, args ...any) error {
	return fmt.Errorf("snapshot: %w: %s", ErrCorrupt, fmt.Sprintf(text, args...))
}

// out collects the bytes of a frame.
type out struct{ b []byte }

func (o *out) u32(v uint32)  { o.b = binary.LittleEndian.AppendUint32(o.b, v) }
func (o *out) u64(v uint64)  { o.b = binary.LittleEndian.AppendUint64(o.b, v) }
func (o *out) count(n int)   { o.u32(uint32(n)) }
func (o *out) text(s string) { o.count(len(s)); o.b = append(o.b, s...) }

// begin makes room for the head of a frame.
func (o *out) begin(kind uint32) { o.b = o.b[:0]; o.u32(kind); o.u64(0) }

// end completes a frame, and returns its checksum.
func (o *out) end() uint32 {
	binary.LittleEndian.PutUint64(o.b[4:], uint64(len(o.b)-12))
	sum := crc32.Checksum(o.b, castagnoli)
	o.u32(sum)
	return sum
}

// in reads the bytes of a frame. When they end too early it fails, and all that follows is 0.
type in struct {
	b   []byte
	bad bool
}

func (d *in) take(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.b, d.bad = nil, true
		return nil
	}
	b := d.b[:n:n]
	d.b = d.b[n:]
	return b
}

func (d *in) u32() uint32 {
	if b := d.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (d *in) u64() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d *in) text() string { return string(d.take(uint64(d.u32()))) }

// count reads how many things follow, of at least so many bytes each.
func (d *in) count(size int) int {
	n := d.u32()
	if uint64(n)*uint64(size) > uint64(len(d.b)) {
		d.b, d.bad = nil, true
		return 0
	}
	return int(n)
}

// done says whether all was there, and nothing more.
func (d *in) done(what string) error {
	if d.bad || len(d.b) > 0 {
		return corrupt("%s ends too early or too late", what)
	}
	return nil
}

// frame is a frame that was read: all its bytes, and where.
type frame struct {
	bytes []byte // kind, length, payload and checksum
	at    int64
}

func (f *frame) kind() uint32 { return binary.LittleEndian.Uint32(f.bytes) }
func (f *frame) body() *in    { return &in{b: f.bytes[12 : len(f.bytes)-4]} }
func (f *frame) sum() uint32  { return binary.LittleEndian.Uint32(f.bytes[len(f.bytes)-4:]) }

// whole says whether the bytes are those that were written.
func (f *frame) whole() bool {
	return crc32.Checksum(f.bytes[:len(f.bytes)-4], castagnoli) == f.sum()
}

// frames reads frames from a stream.
type frames struct {
	from  io.Reader
	at    int64
	limit int64
}

// next reads one frame. Memory grows with what arrives, whatever the length says.
func (r *frames) next() (frame, error) {
	var head [12]byte
	if _, err := io.ReadFull(r.from, head[:]); err != nil {
		return frame{}, r.cut(err)
	}
	size := binary.LittleEndian.Uint64(head[4:])
	if size > math.MaxInt/2 || r.at+int64(size)+16 > r.limit {
		return frame{}, fmt.Errorf("snapshot: %w: the frame at byte %d says that it has %d bytes; the limit is %d in all, see Within", ErrLimit, r.at, size, r.limit)
	}
	var b bytes.Buffer
	b.Write(head[:])
	if n, err := io.CopyN(&b, r.from, int64(size)+4); err != nil {
		r.at += n
		return frame{}, r.cut(err)
	}
	f := frame{b.Bytes(), r.at}
	r.at += int64(len(f.bytes))
	return f, nil
}

// cut says that the stream has ended or failed.
func (r *frames) cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return corrupt("it ends at byte %d, in the middle", r.at)
	}
	return fmt.Errorf("snapshot: read at byte %d: %w", r.at, err)
}

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
