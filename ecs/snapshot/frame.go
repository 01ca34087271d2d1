package snapshot

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/internal/printable"
)

// Version is the latest version of the format. Read reads it and all before; Write writes the first one
// that has what the image has, so that older programs read what they can.
const Version = 2

// magic begins every snapshot: it is no text, and shows when line ends were changed.
var magic = [8]byte{0x89, 'L', 'W', 'S', '\r', '\n', 0x1a, '\n'}

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
	return fmt.Errorf("snapshot: %w: %s", ErrCorrupt, printable.Line(fmt.Sprintf(text, args...)))
}

// done says whether all of d was read, and nothing more.
func done(d *frames.In, what string) error {
	if !d.Done() {
		return corrupt("%s ends too early or too late", what)
	}
	return nil
}

// cut is what a reader of frames has returned.
func cut(r *frames.Reader, err error) error {
	if long := (*frames.TooLong)(nil); errors.As(err, &long) {
		return fmt.Errorf("snapshot: %w: %w; the limit is %d in all, see Within", ErrLimit, long, r.All)
	}
	if frames.Ended(err) {
		return corrupt("%s", r.Ending())
	}
	return fmt.Errorf("snapshot: read at byte %d: %w", r.Got, err)
}
