package snapshot

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/system"
)

// Piece gives a snapshot that is written a piece of the caller's own: a seed, the number of a turn.
// Read returns it by [Pieces].
func Piece(name string, data []byte) Option {
	return func(o *options) { o.given[name] = data }
}

// Pieces puts the pieces of a snapshot that is read into a map, by their names. When the reading
// fails nothing is put there.
func Pieces(into map[string][]byte) Option {
	return func(o *options) { o.taken = into }
}

// Load makes w contain what a file does, as [ecs.Restore] does of an image: with ids, time, and what
// its systems had seen and saved, see [system.Saver]. Errors are those of [Open] and of [system.Restore], and
// change nothing: w is what it was.
//
// Systems are found by the names of their types. One that the file does not know sees everything as new; one that
// the world does not have is left out, unless it has saved something of its own: that is
// an error until [Drop] names it.
//
// The image of the file is in no hands, so that its rows are read to where the world keeps them: to load a file takes
// less time and memory than Open and Restore. While it is read w cannot be changed, by a codec for example. Functions of [plumbing.OnRestore] find
// the image released, but for what is kept with it.
func Load(w *ecs.World, path string, opts ...Option) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	defer func() { _ = f.Close() }() // which must not be an error when the world is another one already
	return frames.OfFile("snapshot", path, load(w, bufio.NewReaderSize(f, 1<<20), opts))
}

// LoadFrom is [Load] from a stream, which is read as [Read] does.
func LoadFrom(w *ecs.World, from io.Reader, opts ...Option) error {
	return load(w, from, opts)
}

// load is LoadFrom.
func load(w *ecs.World, from io.Reader, opts []Option) error {
	if w == nil { // before the file, of which much could be said
		return fmt.Errorf("snapshot: Load: the world is nil: %w", ecs.ErrArgument)
	}
	m, err := readFor(w, from, opts)
	if err != nil {
		return err
	}
	blobs := Blobs(m)
	defer func() { _ = m.Release() }() // unless the world has had it; behind a panic too
	if err = system.Restore(w, m); err != nil {
		for _, b := range blobs {
			_ = b.Dispose() // it is in no hands
		}
		return fmt.Errorf("snapshot: %w", err)
	}
	return nil
}
