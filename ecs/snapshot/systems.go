package snapshot

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
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
func Load(w *ecs.World, path string, opts ...Option) error {
	m, err := Open(path, opts...)
	if err != nil {
		return err
	}
	if err := system.Restore(w, m); err != nil {
		for _, b := range Blobs(m) {
			_ = b.Dispose() // it is in no hands
		}
		return fmt.Errorf("snapshot: %s: %w", path, err)
	}
	return nil
}
