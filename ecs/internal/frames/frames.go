// Package frames writes and reads the frames of which files of worlds are made: snapshots, deltas, baked scenes, recordings.
// A frame is its kind, the length of its payload, the payload, and the CRC-32C of all of these: see docs/format.md. Numbers have
// their little end first. What is in a frame, which frames follow, and what errors are called is the matter of each format.
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
	headBytes = 12 // kind and length
	sumBytes  = 4

	// firstStep is how much memory a frame has before any of its bytes has arrived. A frame of rows fits.
	firstStep = 512 << 10
)

// Size returns how many bytes a frame has with a payload of so many.
func Size(payload int) int { return headBytes + payload + sumBytes }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Sum returns the checksum of some bytes.
func Sum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// Joined is the checksum of checksums: of those before, and the next one.
func Joined(sums, next uint32) uint32 { return sums*31 + next }

// Frame is a frame that was read: all its bytes, and where it began.
type Frame struct {
	Bytes []byte
	At    int64
}

// Kind returns the kind of the frame.
func (f *Frame) Kind() uint32 { return binary.LittleEndian.Uint32(f.Bytes) }

// Body returns the payload, to be read.
func (f *Frame) Body() *In { return &In{B: f.Bytes[headBytes : len(f.Bytes)-sumBytes]} }

// Sum returns the checksum that the frame has.
func (f *Frame) Sum() uint32 { return binary.LittleEndian.Uint32(f.Bytes[len(f.Bytes)-sumBytes:]) }

// Whole says whether the bytes are those that were written. What has just been read is in no cache: it is touched in order, a
// piece at a time, for the checksum goes along three streams, which wait twice as long for memory.
func (f *Frame) Whole() bool {
	const piece = 16 << 10
	sum, touched := uint32(0), byte(0)
	for b := f.Bytes[:len(f.Bytes)-sumBytes]; len(b) > 0; b = b[min(piece, len(b)):] {
		own := b[:min(piece, len(b))]
		touched += touch(own)
		sum = crc32.Update(sum, castagnoli, own)
	}
	runtime.KeepAlive(touched)
	return sum == f.Sum()
}

// touch reads a byte of each line of a cache.
func touch(b []byte) (sum byte) {
	const line = 64
	for ; len(b) >= 8*line; b = b[8*line:] {
		p := (*[8 * line]byte)(b)
		sum += p[0] + p[line] + p[2*line] + p[3*line] + p[4*line] + p[5*line] + p[6*line] + p[7*line]
	}
	return sum
}

// TooLong says that a frame claims to have more bytes than may be.
type TooLong struct {
	At    int64  // where the frame begins
	Bytes uint64 // its payload's, as it says
}

func (e *TooLong) Error() string {
	return fmt.Sprintf("the frame at byte %d says that it has %d bytes", e.At, e.Bytes)
}

// Reader reads frames from a stream.
type Reader struct {
	From io.Reader
	At   int64  // where the next frame begins
	Got  int64  // how many bytes have arrived
	Most uint64 // bytes of a payload
	All  int64  // bytes of the stream, if that is not 0
}

// errNoStream is the error of a caller that gives nil to be read.
var errNoStream = fmt.Errorf("the stream is nil: %w", ecs.ErrArgument)

// Full reads what is no frame: the head of a file.
func (r *Reader) Full(b []byte) error {
	if r.From == nil {
		return errNoStream
	}
	n, err := io.ReadFull(r.From, b)
	r.Got += int64(n)
	if err == nil {
		r.At = r.Got
	}
	return err
}

// Next reads a frame into memory, which is used if it is large enough; the checksum is not looked at. Memory grows with what
// arrives, whatever the length says. The error is io.EOF where no frame follows, io.ErrUnexpectedEOF, a *TooLong, or that of the stream.
func (r *Reader) Next(memory []byte) (Frame, error) {
	if r.From == nil {
		return Frame{}, errNoStream
	}
	var head [headBytes]byte
	n, err := io.ReadFull(r.From, head[:])
	if r.Got = r.At + int64(n); err != nil {
		return Frame{}, err
	}
	size := binary.LittleEndian.Uint64(head[4:])
	if size > min(r.Most, math.MaxInt/2) || r.All > 0 && int64(size) > r.All-r.At-headBytes-sumBytes {
		return Frame{}, &TooLong{r.At, size}
	}
	want := headBytes + int(size) + sumBytes
	b := append(memory[:0], head[:]...)
	for len(b) < want {
		from, next := len(b), want
		if from < want/2 {
			next = min(want, max(firstStep, 2*from))
		}
		if cap(b) < next {
			b = append(make([]byte, 0, next), b...)
		}
		b = b[:min(want, cap(b))]
		n, err := io.ReadFull(r.From, b[from:])
		if r.Got += int64(n); err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return Frame{}, err
		}
	}
	f := Frame{b, r.At}
	r.At += int64(want)
	return f, nil
}

// Lent returns the next frame where it lies, if From is memory and the frame of one of some kinds. Its bytes are good until a caller
// writes to that memory.
func (r *Reader) Lent(kinds ...uint32) (f Frame, lent bool) {
	own, is := r.From.(*bytes.Buffer)
	if !is || own.Len() < headBytes+sumBytes {
		return f, false
	}
	kind, size := binary.LittleEndian.Uint32(own.Bytes()), binary.LittleEndian.Uint64(own.Bytes()[4:])
	if !slices.Contains(kinds, kind) || size > min(r.Most, uint64(own.Len()-headBytes-sumBytes)) || r.All > 0 && int64(size) > r.All-r.At-headBytes-sumBytes {
		return f, false
	}
	f = Frame{own.Next(headBytes + int(size) + sumBytes), r.At}
	r.At += int64(len(f.Bytes))
	r.Got = r.At
	return f, true
}

// End returns io.EOF if the stream ends here, nil if it goes on, or the error of the stream.
func (r *Reader) End() error {
	_, err := io.ReadFull(r.From, make([]byte, 1))
	return err
}

// Ending says where a stream has ended that has no End.
func (r *Reader) Ending() string {
	if r.Got == 0 {
		return "it is empty"
	}
	return fmt.Sprintf("it ends at byte %d, in the middle", r.Got)
}

// OfFile returns an error of a package as one about a file. It says the name of the package once.
func OfFile(pkg, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fileError{pkg + ": " + name + ": " + strings.TrimPrefix(err.Error(), pkg+": "), err}
}

// Unasked returns an error of package ecs without the function that made it, which a reader of files has called and its caller has not.
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

// Ended says whether an error says that the stream has ended.
func Ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// In is bytes that are not read yet. When they end too early it fails, and all that follows is 0.
type In struct {
	B   []byte
	Bad bool
}

// Done says whether all was there, and nothing more.
func (d *In) Done() bool { return !d.Bad && len(d.B) == 0 }

// Fail makes all that follows 0.
func (d *In) Fail() { d.B, d.Bad = nil, true }

// Take returns the next n bytes, or nil.
func (d *In) Take(n uint64) []byte {
	if n > uint64(len(d.B)) {
		d.Fail()
		return nil
	}
	b := d.B[:n:n]
	d.B = d.B[n:]
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

// U32 reads a number.
func (d *In) U32() uint32 {
	if b := d.Take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// U64 reads a number.
func (d *In) U64() uint64 {
	if b := d.Take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Uvarint reads a number of one to ten bytes.
func (d *In) Uvarint() uint64 {
	v, n := binary.Uvarint(d.B)
	if n <= 0 {
		d.Fail()
		return 0
	}
	d.B = d.B[n:]
	return v
}

// F64 reads a finite number.
func (d *In) F64() float64 {
	v := math.Float64frombits(d.U64())
	if v-v != 0 {
		d.Bad = true
	}
	return v
}

// Bytes reads the bytes of a text: they are those of the frame.
func (d *In) Bytes() []byte { return d.Take(uint64(d.U32())) }

// Text reads a text.
func (d *In) Text() string { return string(d.Bytes()) }

// Count reads how many things follow, of at least so many bytes each.
func (d *In) Count(size int) int {
	n := d.U32()
	if uint64(n)*uint64(size) > uint64(len(d.B)) {
		d.Fail()
		return 0
	}
	return int(n)
}

// Flag reads a bool.
func (d *In) Flag() bool {
	v := d.U32()
	if v > 1 {
		d.Bad = true
	}
	return v == 1
}

// Maybe reads bytes of its own, or nil if there are none.
func (d *In) Maybe() []byte {
	if !d.Flag() {
		return nil
	}
	return append([]byte{}, d.Bytes()...)
}

// Entity reads an entity.
func (d *In) Entity() ecs.Entity { return ecs.Entity{Index: int32(d.U32()), Version: int32(d.U32())} }

// Entities reads so many entities, of 8 bytes each.
func (d *In) Entities(n int) []ecs.Entity {
	list := make([]ecs.Entity, n)
	for i := range list {
		list[i] = d.Entity()
	}
	return list
}

// Names reads what entities are called: 8 bytes of an entity and a text each. The names are parts of all, which is the bytes of d as a
// string: strings of their own would take longer than all else in a file. The list has the memory of another one, if that is large enough.
func (d *In) Names(memory []ecs.ImageName, all string) []ecs.ImageName {
	n := d.Count(12)
	list, total := slices.Grow(memory[:0], n)[:n], len(all)
	for i := range list {
		if len(d.B) < 12 {
			d.Fail()
			return nil
		}
		n := binary.LittleEndian.Uint32(d.B[8:])
		list[i].Entity = ecs.Entity{Index: int32(binary.LittleEndian.Uint32(d.B)), Version: int32(binary.LittleEndian.Uint32(d.B[4:]))}
		if d.B = d.B[12:]; uint64(n) > uint64(len(d.B)) {
			d.Fail()
			return nil
		}
		list[i].Name = all[total-len(d.B):][:n]
		d.B = d.B[n:]
	}
	return list
}

// Places reads a list of places.
func (d *In) Places() []int32 {
	list := make([]int32, d.Count(4))
	for i := range list {
		list[i] = int32(d.U32())
	}
	return list
}

// Out collects the bytes of a frame.
type Out struct{ B []byte }

// Begin makes room for the head of a frame.
func (o *Out) Begin(kind uint32) { o.B = o.B[:0]; o.U32(kind); o.U64(0) }

// End completes a frame, and returns its checksum.
func (o *Out) End() uint32 {
	binary.LittleEndian.PutUint64(o.B[4:], uint64(len(o.B)-headBytes))
	sum := Sum(o.B)
	o.U32(sum)
	return sum
}

// Send completes a frame, and writes it.
func (o *Out) Send(to io.Writer) error {
	o.End()
	_, err := to.Write(o.B)
	return err
}

// U32 appends a number.
func (o *Out) U32(v uint32) { o.B = binary.LittleEndian.AppendUint32(o.B, v) }

// U64 appends a number.
func (o *Out) U64(v uint64) { o.B = binary.LittleEndian.AppendUint64(o.B, v) }

// Uvarint appends a number, in fewer bytes if it is small: seven bits a byte, the low ones first, and the eighth is set except for the last.
func (o *Out) Uvarint(v uint64) { o.B = binary.AppendUvarint(o.B, v) }

// F64 appends a number.
func (o *Out) F64(v float64) { o.U64(math.Float64bits(v)) }

// Count appends how many things follow.
func (o *Out) Count(n int) { o.U32(uint32(n)) }

// Text appends a text: how many bytes it has, and these.
func (o *Out) Text(s string) { o.Count(len(s)); o.B = append(o.B, s...) }

// Flag appends a bool.
func (o *Out) Flag(v bool) {
	if v {
		o.U32(1)
	} else {
		o.U32(0)
	}
}

// Maybe appends bytes, or that there are none: a list of no or one text.
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

// Entities appends entities, without how many they are.
func (o *Out) Entities(list []ecs.Entity) {
	at := len(o.B)
	o.B = slices.Grow(o.B, 8*len(list))[:at+8*len(list)]
	b := o.B[at:]
	for i, e := range list {
		binary.LittleEndian.PutUint64(b[8*i:], uint64(uint32(e.Index))|uint64(uint32(e.Version))<<32)
	}
}

// Places appends a list of places.
func (o *Out) Places(list []int32) {
	o.Count(len(list))
	for _, v := range list {
		o.U32(uint32(v))
	}
}
