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

// Version is the latest version of the format. Read reads this version and all earlier ones. Write
// writes the earliest version that can hold the image, so that older programs can read as many
// files as possible.
const Version = format.Version

// The categories of errors, for errors.Is.
var (
	// ErrCorrupt says that the bytes are not those that were written, or that they are not a
	// snapshot.
	ErrCorrupt = format.ErrCorrupt

	// ErrVersion says that a later release has written the snapshot.
	ErrVersion = format.ErrVersion

	// ErrSchema says that the program has other component types than the snapshot.
	ErrSchema = errors.New("other component types")

	// ErrValue says that a value cannot be written.
	ErrValue = errors.New("no way to write it")

	// ErrLimit says that the snapshot is larger than [Within] allows.
	ErrLimit = format.ErrLimit
)

// corrupt returns an error of category ErrCorrupt.
func corrupt(text string, args ...any) error { return format.Corrupt("snapshot", text, args...) }

// checkDone returns an error unless exactly all of d was read.
func checkDone(d *frames.In, what string) error {
	if !d.Done() {
		return corrupt("%s ends too early or too late", what)
	}
	return nil
}

// Option is an option of the functions that write and read snapshots.
type Option func(*options)

type options struct {
	pool          *jobs.Pool
	codecs        map[reflect.Type]plain.Codec
	skippedTypes  map[reflect.Type]bool
	renamedTypes  map[string]reflect.Type
	droppedNames  map[string]bool
	migrations    map[string]*migration
	onRecut       func(components []reflect.Type, before, after int)
	piecesToWrite map[string][]byte // pieces to be written
	pieceTargets  map[string][]byte // destination of pieces that are read
	limits        Limits
	blobs         blobTable
	skipChecksums bool // for fuzzing: checksums would hide the decoder from a fuzzer
}

// Limits bounds the memory that a snapshot may make a reader allocate. A zero field means the
// default.
type Limits struct {
	Bytes int64 // largest size of the snapshot; 1 TiB
	Room  int64 // bytes of buffers on the heap beyond twice their elements; 64 MiB
}

// optionsOf applies the options of a call to the defaults. It panics if one is nil.
func optionsOf(call string, opts []Option) *options {
	o := &options{
		codecs: map[reflect.Type]plain.Codec{}, skippedTypes: map[reflect.Type]bool{},
		renamedTypes: map[string]reflect.Type{}, droppedNames: map[string]bool{}, migrations: map[string]*migration{}, piecesToWrite: map[string][]byte{},
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

// parallel calls f for ranges of [0, n). It uses all workers if the ranges have enough bytes to
// make up for that, and otherwise the calling goroutine.
func (o *options) parallel(n, grain, bytes int, f func(lo, hi int)) error {
	if n <= grain || bytes < 64<<10 {
		return catchPanic(func() error { f(0, n); return nil })
	}
	return o.pool.Range(n, grain, f)
}

// OnPool makes the workers of p encode and decode. The default is jobs.Default().
func OnPool(p *jobs.Pool) Option { return func(o *options) { o.pool = p } }

// Codec sets how a managed component T is stored, or a shared one that has more than exported
// numbers and strings. Encode appends the bytes of a value to out. Decode sets v from bytes; it may
// keep in, because nothing else uses it. Several goroutines may call them at once. A value without
// a codec is an error of category ErrValue, unless T is skipped.
func Codec[T any](encode func(out []byte, v *T) ([]byte, error), decode func(in []byte, v *T) error) Option {
	return func(o *options) {
		o.codecs[reflect.TypeFor[T]()] = plain.Codec{
			Encode: func(out []byte, v any) ([]byte, error) { return encode(out, v.(*T)) },
			Decode: func(in []byte, v any) error { return decode(in, v.(*T)) },
		}
	}
}

// CodecOf is [Codec] for a type that is known only at run time. The argument v of encode and decode
// is a pointer to the value.
func CodecOf(t reflect.Type, encode func(out []byte, v any) ([]byte, error), decode func(in []byte, v any) error) Option {
	return func(o *options) { o.codecs[t] = plain.Codec{Encode: encode, Decode: decode} }
}

// Skip leaves out the values of T: when the snapshot is read, rows have the zero T. It is for
// managed components and components with lanes.
func Skip[T any]() Option {
	return func(o *options) { o.skippedTypes[reflect.TypeFor[T]()] = true }
}

// Renamed says that component T had the full name old, its package path and type name, when the
// snapshot was written.
func Renamed[T any](old string) Option {
	return func(o *options) { o.renamedTypes[old] = reflect.TypeFor[T]() }
}

// Drop leaves out data that the program does not have any more: components, with names such as
// "example.org/game.Body"; lanes, with names such as "example.org/game.Body.Mass"; and the saved
// bytes of systems, by the names of their types. Without it, a missing component or lane is an
// error of category ErrSchema, and a missing system is an error of Load. The entities stay, without
// the component. If two archetypes become one by that, their chunks are filled anew: see [Recut].
// Chunk components and cleanup components cannot be dropped.
func Drop(names ...string) Option {
	return func(o *options) {
		for _, n := range names {
			o.droppedNames[n] = true
		}
	}
}

// Within sets limits for reading.
func Within(l Limits) Option { return func(o *options) { o.limits = l } }

// typeOf returns the component with the given name in a snapshot.
func (o *options) typeOf(name string) (ecs.ComponentType, error) {
	t, renamed := o.renamedTypes[name]
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

// Piece adds data of the program to a snapshot, for example a seed or the number of a turn.
// [Pieces] reads it.
func Piece(name string, data []byte) Option {
	return func(o *options) { o.piecesToWrite[name] = data }
}

// Pieces copies the data that [Piece] has added to a snapshot into a map, by name. If reading fails
// the map does not change.
func Pieces(into map[string][]byte) Option {
	return func(o *options) { o.pieceTargets = into }
}
