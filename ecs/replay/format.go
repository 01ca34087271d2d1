package replay

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/internal/printable"
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

var magic = [8]byte{0x89, 'L', 'W', 'R', '\r', '\n', 0x1a, '\n'}

// The kinds of frames.
const (
	kindHead = 1 + iota
	kindTick
	kindEnd
)

func corrupt(text string, args ...any) error {
	return fmt.Errorf("replay: %w: %s", ErrCorrupt, printable.Line(fmt.Sprintf(text, args...)))
}

// next reads a frame.
func (r *Recording) next() (kind uint32, d *frames.In, err error) {
	f, err := r.stream.Next(nil)
	if err != nil {
		return 0, nil, r.cut(err)
	}
	if !f.Whole() {
		return 0, nil, corrupt("the frame at byte %d was changed", f.At)
	}
	return f.Kind(), f.Body(), nil
}

// cut is what a reader of frames has returned.
func (r *Recording) cut(err error) error {
	if long := (*frames.TooLong)(nil); errors.As(err, &long) {
		return corrupt("%v; the limit is %d", long, mostFrame)
	}
	if frames.Ended(err) {
		return corrupt("it ends in the frame at byte %d", r.stream.At)
	}
	return fmt.Errorf("replay: read at byte %d: %w", r.stream.At, err)
}
