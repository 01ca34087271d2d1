package snapshot

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/blob"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/internal/plain"
	"github.com/lanewise/lanewise/ecs/snapshot/internal/format"
	"github.com/lanewise/lanewise/jobs"
)

// Version is the latest version of the format. Read reads it and all before; Write writes the first one
// that has what the image has, so that older programs read what they can.
const Version = format.Version

// The categories of errors, for errors.Is.
var (
	// ErrCorrupt says that the bytes are not those that were written, or are no snapshot.
	ErrCorrupt = format.ErrCorrupt

	// ErrVersion says that a later release has written the snapshot.
	ErrVersion = format.ErrVersion

	// ErrSchema says that the program has other component types than the snapshot.
	ErrSchema = errors.New("other component types")

	// ErrValue says that something cannot be written.
	ErrValue = errors.New("no way to write it")

	// ErrLimit says that the snapshot is larger than Within allows.
	ErrLimit = format.ErrLimit
)

// corrupt is an error of category ErrCorrupt.
func corrupt(text string, args ...any) error { return format.Corrupt("snapshot", text, args...) }

// checkDone returns an error unless all of d was read, and nothing more.
func checkDone(d *frames.In, what string) error {
	if !d.Done() {
		return corrupt("%s ends too early or too late", what)
	}
	return nil
}

// Option changes how a snapshot is written or read.
type Option func(*options)

type options struct {
	pool       *jobs.Pool
	codecs     map[reflect.Type]plain.Codec
	skipped    map[reflect.Type]bool
	renamed    map[string]reflect.Type
	dropped    map[string]bool
	migrated   map[string]*migration
	recut      func(components []reflect.Type, before, after int)
	piecesOut  map[string][]byte // pieces to be written
	piecesInto map[string][]byte // where pieces that are read go
	limits     Limits
	blobs      blobTable
	unchecked  bool // for fuzzing: checksums hide the decoder
}

// Limits bounds what a snapshot may make a reader allocate. A 0 is the default.
type Limits struct {
	Bytes int64 // of the snapshot; 1 TiB
	Room  int64 // bytes that buffers have on the heap, beyond twice their elements; 64 MiB
}

// optionsOf applies the options of a call to the defaults. It panics if one is nil.
func optionsOf(call string, opts []Option) *options {
	o := &options{
		codecs: map[reflect.Type]plain.Codec{}, skipped: map[reflect.Type]bool{},
		renamed: map[string]reflect.Type{}, dropped: map[string]bool{}, migrated: map[string]*migration{}, piecesOut: map[string][]byte{},
		blobs: blobTable{numbers: map[blob.Any]uint32{}},
	}
	for i, opt := range opts {
		if opt == nil {
			panic(fmt.Sprintf("snapshot: %s: option %d is nil", call, i))
		}
		opt(o)
	}
	if o.pool == nil {
		o.pool = jobs.Default()
	}
	if o.limits.Bytes == 0 {
		o.limits.Bytes = 1 << 40
	}
	if o.limits.Room == 0 {
		o.limits.Room = 64 << 20
	}
	return o
}

// parallel calls f for ranges of 0 to n: on all workers if the bytes in them are so many that it pays, or else here.
func (o *options) parallel(n, grain, bytes int, f func(lo, hi int)) error {
	if n <= grain || bytes < 64<<10 {
		return callCodec(func() error { f(0, n); return nil })
	}
	return o.pool.Range(n, grain, f)
}

// OnPool makes the workers of a pool encode and decode. Without it those of jobs.Default() do.
func OnPool(p *jobs.Pool) Option { return func(o *options) { o.pool = p } }

// Codec says how a managed component T, or a shared one that holds more than exported
// numbers and strings, is written: encode appends the bytes of a value, decode makes a
// value of them, and may keep in, because nothing else uses it. A value without a codec is an error of category ErrValue, unless T is skipped.
func Codec[T any](encode func(out []byte, v *T) ([]byte, error), decode func(in []byte, v *T) error) Option {
	return func(o *options) {
		o.codecs[reflect.TypeFor[T]()] = plain.Codec{
			Encode: func(out []byte, v any) ([]byte, error) { return encode(out, v.(*T)) },
			Decode: func(in []byte, v any) error { return decode(in, v.(*T)) },
		}
	}
}

// CodecOf is [Codec] for a type that is known at run time only: encode and decode are given a
// pointer to the value.
func CodecOf(t reflect.Type, encode func(out []byte, v any) ([]byte, error), decode func(in []byte, v any) error) Option {
	return func(o *options) { o.codecs[t] = plain.Codec{Encode: encode, Decode: decode} }
}

// Skip leaves the values of T out: rows have a zero T when they come back. It is for
// managed components and those with lanes.
func Skip[T any]() Option {
	return func(o *options) { o.skipped[reflect.TypeFor[T]()] = true }
}

// Renamed says that the component that is called T now had the old full name, the package
// path and the type's name, when the snapshot was written.
func Renamed[T any](old string) Option {
	return func(o *options) { o.renamed[old] = reflect.TypeFor[T]() }
}

// Drop leaves out what the program has no longer: components of a snapshot, named as "example.org/game.Body", lanes, named as
// "example.org/game.Body.Mass", and what systems have saved, named by their types. Without it lanes and components are an error
// of category ErrSchema, and systems one of Load. Entities stay without the component; chunks that become those of one archetype
// are cut anew, see [Recut]. Chunk components and cleanup components cannot be dropped.
func Drop(names ...string) Option {
	return func(o *options) {
		for _, n := range names {
			o.dropped[n] = true
		}
	}
}

// Within sets limits.
func Within(l Limits) Option { return func(o *options) { o.limits = l } }

// typeOf returns the component of a name in a snapshot.
func (o *options) typeOf(name string) (ecs.ComponentType, error) {
	t, renamed := o.renamed[name]
	for _, c := range ecs.ComponentTypes() {
		if renamed && c.Type == t {
			return c, nil
		}
	}
	if renamed {
		return ecs.ComponentType{}, fmt.Errorf("snapshot: %w: %q is Renamed to %v, which is not registered: see ecs.RegisterComponent", ErrSchema, name, t)
	}
	c, err := ecs.ComponentByName(name)
	if err != nil {
		return c, fmt.Errorf("snapshot: %w: %w; if it is called otherwise now, say so by Renamed; if it is gone, Drop it", ErrSchema, frames.Unasked(err))
	}
	return c, nil
}

// Piece gives a snapshot that is written a piece of the caller's own: a seed, the number of a turn.
// Read returns it by [Pieces].
func Piece(name string, data []byte) Option {
	return func(o *options) { o.piecesOut[name] = data }
}

// Pieces puts the pieces of a snapshot that is read into a map, by their names. When the reading
// fails nothing is put there.
func Pieces(into map[string][]byte) Option {
	return func(o *options) { o.piecesInto = into }
}
