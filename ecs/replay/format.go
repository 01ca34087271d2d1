package replay

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// Version is the version of the format that a Recorder writes.
const Version = 1

// The categories of errors, for errors.Is.
var (
	// ErrCorrupt says that the bytes are not those that were written, or are no recording.
	ErrCorrupt = errors.New("not a whole recording")

	// ErrVersion says that a later release has written the recording.
	ErrVersion = errors.New("a recording of a later version")

	// ErrStart says that the world is not the one with which the recording began.
	ErrStart = errors.New("another world to begin with")
)

// mostFrame is how many bytes a frame may have.
const mostFrame = 1 << 30

var (
	magic      = [8]byte{0x89, 'L', 'W', 'R', '\r', '\n', 0x1a, '\n'}
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// The kinds of frames.
const (
	kindHead = 1 + iota
	kindTick
	kindEnd
)

func corrupt(text string, args ...any) error {
	return fmt.Errorf("replay: %w: %s", ErrCorrupt, fmt.Sprintf(text, args...))
}

// out is the bytes of a frame.
type out struct{ b []byte }

func (o *out) begin(kind uint32) { o.b = o.b[:0]; o.u32(kind); o.u64(0) }
func (o *out) u32(v uint32)      { o.b = binary.LittleEndian.AppendUint32(o.b, v) }
func (o *out) u64(v uint64)      { o.b = binary.LittleEndian.AppendUint64(o.b, v) }
func (o *out) text(s string)     { o.u32(uint32(len(s))); o.b = append(o.b, s...) }

// end completes a frame, and writes it.
func (o *out) end(to io.Writer) error {
	binary.LittleEndian.PutUint64(o.b[4:], uint64(len(o.b)-12))
	o.u32(crc32.Checksum(o.b, castagnoli))
	_, err := to.Write(o.b)
	return err
}

// in is the bytes of a frame that are not read yet. When they end too early all that follows is 0.
type in struct {
	b   []byte
	bad bool
}

func (d *in) take(n int) []byte {
	if n < 0 || n > len(d.b) {
		d.b, d.bad = nil, true
		return make([]byte, min(max(n, 0), 8))
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

func (d *in) u32() uint32 { return binary.LittleEndian.Uint32(d.take(4)) }
func (d *in) u64() uint64 { return binary.LittleEndian.Uint64(d.take(8)) }

func (d *in) text() string {
	n := d.u32()
	if uint64(n) > uint64(len(d.b)) {
		d.b, d.bad = nil, true
		return ""
	}
	return string(d.take(int(n)))
}

// count reads how many things follow, of at least so many bytes each.
func (d *in) count(size int) int {
	n := d.u32()
	if uint64(n)*uint64(size) > uint64(len(d.b)) {
		d.b, d.bad = nil, true
		return 0
	}
	return int(n)
}

// frames reads frames.
type frames struct {
	from io.Reader
	at   int64
}

// next reads a frame.
func (f *frames) next() (kind uint32, d *in, err error) {
	var head [12]byte
	if _, err := io.ReadFull(f.from, head[:]); err != nil {
		return 0, nil, f.cut(err)
	}
	size := binary.LittleEndian.Uint64(head[4:])
	if size > mostFrame {
		return 0, nil, corrupt("the frame at byte %d says that it has %d bytes; the limit is %d", f.at, size, mostFrame)
	}
	var b bytes.Buffer
	b.Write(head[:])
	if _, err := io.CopyN(&b, f.from, int64(size)+4); err != nil {
		return 0, nil, f.cut(err)
	}
	all := b.Bytes()
	body := all[:len(all)-4]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(all[len(all)-4:]) {
		return 0, nil, corrupt("the frame at byte %d was changed", f.at)
	}
	f.at += int64(len(all))
	return binary.LittleEndian.Uint32(head[:]), &in{b: body[12:]}, nil
}

func (f *frames) cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return corrupt("it ends in the frame at byte %d", f.at)
	}
	return fmt.Errorf("replay: read at byte %d: %w", f.at, err)
}
