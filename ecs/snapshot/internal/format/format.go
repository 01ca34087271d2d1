// Package format reads the outline of a snapshot: the bytes before its first frame, the frames with
// their checksums, and the totals in the last one. Packages snapshot and untyped both use package
// format, so that they accept the same files. snapshot and untyped decode the contents of frames
// separately, because package snapshot fills the chunks of a world, and package untyped stores
// lanes as bytes.
package format

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/internal/printable"
)

// Version is the latest version of the snapshot format. A reader reads this version and all earlier
// ones.
const Version = 2

// Magic is at the beginning of every snapshot. Its bytes are not text. The bytes of Magic contain line
// ends, so that a reader notices if a program has converted line ends.
var Magic = [8]byte{0x89, 'L', 'W', 'S', '\r', '\n', 0x1a, '\n'}

// These are the kinds of frames. In version 1, frames are in this order.
const (
	KindSchema = 1 + iota
	KindState
	KindShared
	KindArchetypes
	KindRows
	KindEnd
	KindBlobs   // comes before the shared values
	KindSystems // comes after the rows
	KindPieces  // comes after the systems
)

// These are the categories of errors. Both packages export them.
var (
	ErrCorrupt = errors.New("not a whole snapshot")
	ErrVersion = errors.New("a snapshot of a later version")
	ErrLimit   = errors.New("larger than allowed")
)

// Corrupt returns an error of category ErrCorrupt that begins with the name of a package.
func Corrupt(pkg, text string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", pkg, ErrCorrupt, printable.Line(fmt.Sprintf(text, args...)))
}

// Reader reads the frames of a snapshot, and computes the totals that the last frame must have.
type Reader struct {
	frames.Reader
	Package   string // name of the package that reads; errors begin with it
	Unchecked bool   // for fuzzing: with checksums, a fuzzer would hardly reach the decoder
	MayReuse  bool   // the bytes of frames of names and rows are no longer used after they are decoded

	Version     uint32 // version of the format in the file
	HashVersion uint32
	Frames      uint64 // number of frames that Count has counted

	frameSum     uint32   // checksum of the checksums of the counted frames
	frameBuffers [][]byte // memory of decoded frames that can be reused
}

// ReadHead reads the bytes before the first frame.
func (r *Reader) ReadHead() error {
	var head [16]byte
	if err := r.Full(head[:]); err != nil {
		return r.StreamError(err)
	}
	if [8]byte(head[:8]) != Magic {
		return r.corrupt("it does not begin as one")
	}
	r.Version, r.HashVersion = binary.LittleEndian.Uint32(head[8:]), binary.LittleEndian.Uint32(head[12:])
	if r.Version == 0 || r.Version > Version {
		return fmt.Errorf("%s: %w: %d, and this release knows up to %d", r.Package, ErrVersion, r.Version, Version)
	}
	r.BeginTotals(head[:])
	return nil
}

// ReadFrame reads a frame. If the stream lends its memory, the frame refers to that memory.
// ReadFrame does not verify the checksum: see Verify.
func (r *Reader) ReadFrame() (frames.Frame, error) {
	if r.MayReuse {
		if f, lent := r.Lent(KindState, KindRows); lent {
			return f, nil
		}
	}
	var memory []byte
	if n := len(r.frameBuffers); n > 0 {
		memory, r.frameBuffers = r.frameBuffers[n-1], r.frameBuffers[:n-1]
	}
	f, err := r.Next(memory)
	if err != nil {
		err = r.StreamError(err)
	}
	return f, err
}

// Reuse makes the memory of decoded frames available for later frames.
func (r *Reader) Reuse(list []frames.Frame) {
	if _, lent := r.Source.(*bytes.Buffer); !r.MayReuse || lent {
		return
	}
	for i := range list {
		r.frameBuffers = append(r.frameBuffers, list[i].Bytes)
	}
}

// Verify returns an error if the checksum of a frame is wrong.
func (r *Reader) Verify(f *frames.Frame) error {
	if r.Unchecked || f.Whole() {
		return nil
	}
	return r.corrupt("the frame at byte %d was changed", f.Offset)
}

// ReadVerified reads a frame and verifies it.
func (r *Reader) ReadVerified() (frames.Frame, error) {
	f, err := r.ReadFrame()
	if err == nil {
		err = r.Verify(&f)
	}
	return f, err
}

// Count adds a frame to the totals. The last frame of a file, which contains the totals, is not
// counted.
func (r *Reader) Count(f *frames.Frame) {
	r.Frames++
	r.frameSum = frames.Joined(r.frameSum, f.Sum())
}

// BeginTotals starts the totals with the bytes before the first frame.
func (r *Reader) BeginTotals(head []byte) { r.frameSum = frames.Sum(head) }

// SameTotals reads totals from d, and reports whether they equal the totals of the counted frames.
func (r *Reader) SameTotals(d *frames.In) bool {
	count, sums := d.U64(), d.U32()
	return r.Unchecked || count == r.Frames && sums == r.frameSum
}

// ReadEnd compares the totals with the totals in the last frame, and checks that the stream ends
// after it. It returns the hash of the world.
func (r *Reader) ReadEnd(f frames.Frame) (hash uint64, err error) {
	d := f.Body()
	same, hash := r.SameTotals(d), d.U64()
	if !d.Done() {
		return 0, r.corrupt("the last frame ends too early or too late")
	}
	if !same {
		return 0, r.corrupt("frames are missing, or in another order")
	}
	if err := r.End(); err == nil {
		return 0, r.corrupt("it goes on behind its end, at byte %d", r.Offset)
	} else if err != io.EOF {
		return 0, r.StreamError(err)
	}
	return hash, nil
}

// StreamError converts an error of [frames.Reader] to an error of this format.
func (r *Reader) StreamError(err error) error {
	if long := (*frames.TooLong)(nil); errors.As(err, &long) {
		if r.MaxBytes == 0 { // the caller has not set a limit
			return r.corrupt("%v", long)
		}
		return fmt.Errorf("%s: %w: %w; the limit is %d in all, see Within", r.Package, ErrLimit, long, r.MaxBytes)
	}
	if frames.Ended(err) {
		return r.corrupt("%s", r.Ending())
	}
	return fmt.Errorf("%s: read at byte %d: %w", r.Package, r.Received, err)
}

func (r *Reader) corrupt(text string, args ...any) error { return Corrupt(r.Package, text, args...) }
