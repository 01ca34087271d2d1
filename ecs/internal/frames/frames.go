// Package frames writes and reads the frames of files of worlds: snapshots, deltas, baked scenes
// and recordings. A frame consists of its kind, the length of its payload, the payload, and the
// CRC-32C of these three: see docs/format.md. Numbers are little-endian. Each file format defines
// its own payloads, the order of its frames and the names of its errors.
package frames

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
)

const (
	headerBytes   = 12 // size of kind and length
	checksumBytes = 4

	// firstAllocation is the number of bytes that are allocated for a frame before its first byte has
	// arrived. It is enough for a frame of rows.
	firstAllocation = 512 << 10
)

// Size returns the size of a frame whose payload has the given size.
func Size(payload int) int { return headerBytes + payload + checksumBytes }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Sum returns the checksum of b.
func Sum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// Joined returns the joined checksum of a list of checksums. The parameter sums is the joined
// checksum of the list without its last element next.
func Joined(sums, next uint32) uint32 { return sums*31 + next }

// Frame is a frame that was read. It holds all bytes of the frame, and the frame's offset in the
// stream.
type Frame struct {
	Bytes  []byte
	Offset int64
}

// Kind returns the kind of the frame.
func (f *Frame) Kind() uint32 { return binary.LittleEndian.Uint32(f.Bytes) }

// Body returns a reader of the payload.
func (f *Frame) Body() *In { return &In{Rest: f.Bytes[headerBytes : len(f.Bytes)-checksumBytes]} }

// Sum returns the checksum that is stored in the frame.
func (f *Frame) Sum() uint32 { return binary.LittleEndian.Uint32(f.Bytes[len(f.Bytes)-checksumBytes:]) }

// Whole reports whether the bytes match their checksum. After reading, the bytes are in no cache.
// Therefore Whole touches each piece in order before it computes the checksum of the piece.
// Without this, the checksum, which reads three streams at once, would wait twice as long for
// memory.
func (f *Frame) Whole() bool {
	const piece = 16 << 10
	sum, touched := uint32(0), byte(0)
	for b := f.Bytes[:len(f.Bytes)-checksumBytes]; len(b) > 0; b = b[min(piece, len(b)):] {
		own := b[:min(piece, len(b))]
		touched += prefetch(own)
		sum = crc32.Update(sum, castagnoli, own)
	}
	runtime.KeepAlive(touched)
	return sum == f.Sum()
}

// prefetch reads a byte of each cache line.
func prefetch(b []byte) (sum byte) {
	const line = 64
	for ; len(b) >= 8*line; b = b[8*line:] {
		p := (*[8 * line]byte)(b)
		sum += p[0] + p[line] + p[2*line] + p[3*line] + p[4*line] + p[5*line] + p[6*line] + p[7*line]
	}
	return sum
}

// TooLong is the error for a frame whose header contains a larger payload size than is allowed.
type TooLong struct {
	Offset int64  // offset of the frame
	Bytes  uint64 // size of the payload, as the frame claims
}

func (e *TooLong) Error() string {
	return fmt.Sprintf("the frame at byte %d says that it has %d bytes", e.Offset, e.Bytes)
}

// Reader reads frames from a stream.
type Reader struct {
	Source     io.Reader
	Offset     int64  // offset of the next frame
	Received   int64  // number of bytes that have arrived
	MaxPayload uint64 // largest allowed size of a payload
	MaxBytes   int64  // largest allowed size of the stream; 0 for no limit
}

// errNoStream is the error for a nil stream.
var errNoStream = fmt.Errorf("the stream is nil: %w", ecs.ErrArgument)

// Full reads bytes that belong to no frame into b, such as the head of a file.
func (r *Reader) Full(b []byte) error {
	if r.Source == nil {
		return errNoStream
	}
	n, err := io.ReadFull(r.Source, b)
	r.Received += int64(n)
	if err == nil {
		r.Offset = r.Received
	}
	return err
}

// Next reads the next frame. If memory is large enough, Next reads the frame into it. Next does not
// verify the checksum. Next allocates more memory only as bytes arrive, so a false length cannot
// exhaust the memory. The error is io.EOF if no frame follows. Otherwise it is
// io.ErrUnexpectedEOF, a *TooLong, or the error of the stream.
func (r *Reader) Next(memory []byte) (Frame, error) {
	if r.Source == nil {
		return Frame{}, errNoStream
	}
	var head [headerBytes]byte
	n, err := io.ReadFull(r.Source, head[:])
	if r.Received = r.Offset + int64(n); err != nil {
		return Frame{}, err
	}
	size := binary.LittleEndian.Uint64(head[4:])
	if size > min(r.MaxPayload, math.MaxInt/2) || r.MaxBytes > 0 && int64(size) > r.MaxBytes-r.Offset-headerBytes-checksumBytes {
		return Frame{}, &TooLong{r.Offset, size}
	}
	want := headerBytes + int(size) + checksumBytes
	b := append(memory[:0], head[:]...)
	for len(b) < want {
		from, next := len(b), want
		if from < want/2 {
			next = min(want, max(firstAllocation, 2*from))
		}
		if cap(b) < next {
			b = append(make([]byte, 0, next), b...)
		}
		b = b[:min(want, cap(b))]
		n, err := io.ReadFull(r.Source, b[from:])
		if r.Received += int64(n); err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return Frame{}, err
		}
	}
	f := Frame{b, r.Offset}
	r.Offset += int64(want)
	return f, nil
}

// Lent returns the next frame without copying it, if Source is a *bytes.Buffer and the frame is of
// one of the given kinds. The bytes of the frame are valid until something writes to the buffer.
func (r *Reader) Lent(kinds ...uint32) (f Frame, lent bool) {
	own, is := r.Source.(*bytes.Buffer)
	if !is || own.Len() < headerBytes+checksumBytes {
		return f, false
	}
	kind, size := binary.LittleEndian.Uint32(own.Bytes()), binary.LittleEndian.Uint64(own.Bytes()[4:])
	if !slices.Contains(kinds, kind) || size > min(r.MaxPayload, uint64(own.Len()-headerBytes-checksumBytes)) || r.MaxBytes > 0 && int64(size) > r.MaxBytes-r.Offset-headerBytes-checksumBytes {
		return f, false
	}
	f = Frame{own.Next(headerBytes + int(size) + checksumBytes), r.Offset}
	r.Offset += int64(len(f.Bytes))
	r.Received = r.Offset
	return f, true
}

// End returns io.EOF if the stream ends here, nil if it continues, or the error of the stream.
func (r *Reader) End() error {
	_, err := io.ReadFull(r.Source, make([]byte, 1))
	return err
}

// Ending returns a text that says where a stream ended too early.
func (r *Reader) Ending() string {
	if r.Received == 0 {
		return "it is empty"
	}
	return fmt.Sprintf("it ends at byte %d, in the middle", r.Received)
}

// OfFile returns an error of package pkg that contains the name of a file. The message contains the
// name of the package only once.
func OfFile(pkg, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fileError{pkg + ": " + name + ": " + strings.TrimPrefix(err.Error(), pkg+": "), err}
}

// Unasked removes the name of the function from an error of package ecs, because the program did
// not call this function; the code that reads files did.
func Unasked(err error) error {
	own := (*ecs.Error)(nil)
	if !errors.As(err, &own) {
		return err
	}
	e := *own
	e.Op = ""
	return &e
}

// fileError is an error with the name of a file in its text.
type fileError struct {
	text string
	err  error
}

func (e *fileError) Error() string { return e.text }

func (e *fileError) Unwrap() error { return e.err }

// Ended reports whether an error means that the stream has ended.
func Ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// In reads values from bytes. If the bytes end too early, the read fails, and all later reads
// return zero. So a caller needs only one check at the end.
type In struct {
	Rest   []byte
	Failed bool
}

// Done reports whether exactly all bytes were read.
func (d *In) Done() bool { return !d.Failed && len(d.Rest) == 0 }

// Fail makes all later reads return zero.
func (d *In) Fail() { d.Rest, d.Failed = nil, true }

// Take returns the next n bytes, or nil.
func (d *In) Take(n uint64) []byte {
	if n > uint64(len(d.Rest)) {
		d.Fail()
		return nil
	}
	b := d.Rest[:n:n]
	d.Rest = d.Rest[n:]
	return b
}

// ReadEntities fills a list of entities.
func (d *In) ReadEntities(list []ecs.Entity) {
	b := d.Take(8 * uint64(len(list)))
	if b == nil {
		return
	}
	for i := range list {
		v := binary.LittleEndian.Uint64(b[8*i:])
		list[i] = ecs.Entity{Index: int32(uint32(v)), Version: int32(v >> 32)}
	}
}

// U32 reads a uint32.
func (d *In) U32() uint32 {
	if b := d.Take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// U64 reads a uint64.
func (d *In) U64() uint64 {
	if b := d.Take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Uvarint reads a number that is stored in one to ten bytes.
func (d *In) Uvarint() uint64 {
	v, n := binary.Uvarint(d.Rest)
	if n <= 0 {
		d.Fail()
		return 0
	}
	d.Rest = d.Rest[n:]
	return v
}

// F64 reads a float64, which must be finite.
func (d *In) F64() float64 {
	v := math.Float64frombits(d.U64())
	if v-v != 0 {
		d.Failed = true
	}
	return v
}

// Bytes reads a length and then that many bytes, without copying them.
func (d *In) Bytes() []byte { return d.Take(uint64(d.U32())) }

// Text reads a length and then a string of that length.
func (d *In) Text() string { return string(d.Bytes()) }

// Count reads the number of elements that follow. Count fails if fewer than size bytes remain for
// each element.
func (d *In) Count(size int) int {
	n := d.U32()
	if uint64(n)*uint64(size) > uint64(len(d.Rest)) {
		d.Fail()
		return 0
	}
	return int(n)
}

// Flag reads a bool.
func (d *In) Flag() bool {
	v := d.U32()
	if v > 1 {
		d.Failed = true
	}
	return v == 1
}

// Maybe reads a byte slice and copies it. The slice may be nil.
func (d *In) Maybe() []byte {
	if !d.Flag() {
		return nil
	}
	return append([]byte{}, d.Bytes()...)
}

// Entity reads an entity.
func (d *In) Entity() ecs.Entity { return ecs.Entity{Index: int32(d.U32()), Version: int32(d.U32())} }

// Entities reads n entities of 8 bytes each.
func (d *In) Entities(n int) []ecs.Entity {
	list := make([]ecs.Entity, n)
	for i := range list {
		list[i] = d.Entity()
	}
	return list
}

// Names reads names of entities. Each name is 8 bytes of an entity and a text. The parameter all
// must be a string whose last bytes are the rest of d. The names are substrings of all, because
// allocating separate strings would take longer than reading the rest of a file. Names reuses
// the parameter memory if it is large enough.
func (d *In) Names(memory []ecs.ImageName, all string) []ecs.ImageName {
	n := d.Count(12)
	list, total := slices.Grow(memory[:0], n)[:n], len(all)
	for i := range list {
		if len(d.Rest) < 12 {
			d.Fail()
			return nil
		}
		n := binary.LittleEndian.Uint32(d.Rest[8:])
		list[i].Entity = ecs.Entity{Index: int32(binary.LittleEndian.Uint32(d.Rest)), Version: int32(binary.LittleEndian.Uint32(d.Rest[4:]))}
		if d.Rest = d.Rest[12:]; uint64(n) > uint64(len(d.Rest)) {
			d.Fail()
			return nil
		}
		list[i].Name = all[total-len(d.Rest):][:n]
		d.Rest = d.Rest[n:]
	}
	return list
}

// Places reads a list of int32.
func (d *In) Places() []int32 {
	list := make([]int32, d.Count(4))
	for i := range list {
		list[i] = int32(d.U32())
	}
	return list
}

// Out collects the bytes of a frame.
type Out struct{ Buf []byte }

// Begin begins a frame and reserves space for its head.
func (o *Out) Begin(kind uint32) { o.Buf = o.Buf[:0]; o.U32(kind); o.U64(0) }

// End completes a frame and returns its checksum.
func (o *Out) End() uint32 {
	binary.LittleEndian.PutUint64(o.Buf[4:], uint64(len(o.Buf)-headerBytes))
	sum := Sum(o.Buf)
	o.U32(sum)
	return sum
}

// Send completes a frame and writes it to a stream.
func (o *Out) Send(to io.Writer) error {
	o.End()
	_, err := to.Write(o.Buf)
	return err
}

// U32 appends a uint32.
func (o *Out) U32(v uint32) { o.Buf = binary.LittleEndian.AppendUint32(o.Buf, v) }

// U64 appends a uint64.
func (o *Out) U64(v uint64) { o.Buf = binary.LittleEndian.AppendUint64(o.Buf, v) }

// Uvarint appends a number. Small numbers take fewer bytes. Each byte holds seven bits, the lowest
// bits first. All bytes but the last have the eighth bit set.
func (o *Out) Uvarint(v uint64) { o.Buf = binary.AppendUvarint(o.Buf, v) }

// F64 appends a float64.
func (o *Out) F64(v float64) { o.U64(math.Float64bits(v)) }

// Count appends the number of elements that follow.
func (o *Out) Count(n int) { o.U32(uint32(n)) }

// Text appends a text: its length in bytes, and the bytes.
func (o *Out) Text(s string) { o.Count(len(s)); o.Buf = append(o.Buf, s...) }

// Flag appends a bool.
func (o *Out) Flag(v bool) {
	if v {
		o.U32(1)
	} else {
		o.U32(0)
	}
}

// Maybe appends a byte slice, which may be nil, as a list of one text or an empty list.
func (o *Out) Maybe(b []byte) {
	o.Flag(b != nil)
	if b != nil {
		o.Text(string(b))
	}
}

// Entity appends an entity.
func (o *Out) Entity(e ecs.Entity) {
	o.U32(uint32(e.Index))
	o.U32(uint32(e.Version))
}

// Entities appends entities without their count.
func (o *Out) Entities(list []ecs.Entity) {
	at := len(o.Buf)
	o.Buf = slices.Grow(o.Buf, 8*len(list))[:at+8*len(list)]
	b := o.Buf[at:]
	for i, e := range list {
		binary.LittleEndian.PutUint64(b[8*i:], uint64(uint32(e.Index))|uint64(uint32(e.Version))<<32)
	}
}

// Places appends a list of int32.
func (o *Out) Places(list []int32) {
	o.Count(len(list))
	for _, v := range list {
		o.U32(uint32(v))
	}
}
