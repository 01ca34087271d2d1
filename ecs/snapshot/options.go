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
// uses the earliest version that can represent the image, so that older programs can read as many
// files as possible.
const Version = format.Version

// These are the categories of errors, for errors.Is.
var (
	// ErrCorrupt says that the bytes were changed after they were written, or that they are not a
	// snapshot.
	ErrCorrupt = format.ErrCorrupt

	// ErrVersion says that a later release of this package has written the snapshot.
	ErrVersion = format.ErrVersion

	// ErrSchema says that the component types of the program differ from those of the snapshot.
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
	skipManaged   bool
	renamedTypes  map[string]reflect.Type
	droppedNames  map[string]bool
	migrations    map[string]*migration
	onRecut       func(components []reflect.Type, before, after int)
	piecesToWrite map[string][]byte // the data that Piece has added, by name
	pieceTargets  map[string][]byte // the map that Pieces has set
	limits        Limits
	blobs         blobTable
	skipChecksums bool // for fuzzing: with checksums, a fuzzer would hardly reach the decoder
}

// Limits bounds the memory that a reader may allocate for a snapshot. A zero field means the
// default.
type Limits struct {
	Bytes int64 // largest size of the snapshot in bytes; the default is 1 TiB
	Room  int64 // largest capacity of buffers on the heap, in bytes beyond twice the size of their elements; the default is 64 MiB
}

// optionsOf applies the options of a call to the defaults. optionsOf panics if an option is nil.
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

// parallel calls f for ranges of [0, n). If there are enough bytes to make parallel work
// worthwhile, parallel uses all workers. Otherwise it uses only the calling goroutine.
func (o *options) parallel(n, grain, bytes int, f func(lo, hi int)) error {
	if n <= grain || bytes < 64<<10 {
		return catchPanic(func() error { f(0, n); return nil })
	}
	return o.pool.Range(n, grain, f)
}

// OnPool makes the workers of p encode and decode the snapshot. The default is jobs.Default().
func OnPool(p *jobs.Pool) Option { return func(o *options) { o.pool = p } }

// Codec sets how a component T is stored. Codec is for managed components, and for shared
// components that contain more than exported numbers and strings. Encode appends the bytes of a
// value to out. Decode sets v from the bytes in. decode may keep the slice, because nothing else
// uses it. Several goroutines may call encode and decode at the same time. Without a codec,
// writing such a value is an error of category ErrValue, unless T is skipped.
func Codec[T any](encode func(out []byte, v *T) ([]byte, error), decode func(in []byte, v *T) error) Option {
	return func(o *options) {
		o.codecs[reflect.TypeFor[T]()] = plain.Codec{
			Encode: func(out []byte, v any) ([]byte, error) { return encode(out, v.(*T)) },
			Decode: func(in []byte, v any) error { return decode(in, v.(*T)) },
		}
	}
}

// CodecOf does the same as [Codec] for a type that is known only at run time. The parameter v of
// encode and decode is a pointer to the value.
func CodecOf(t reflect.Type, encode func(out []byte, v any) ([]byte, error), decode func(in []byte, v any) error) Option {
	return func(o *options) { o.codecs[t] = plain.Codec{Encode: encode, Decode: decode} }
}

// Skip leaves out the values of T. When the snapshot is read, its rows have the zero T. Skip is for
// managed components and for components with lanes.
func Skip[T any]() Option {
	return func(o *options) { o.skippedTypes[reflect.TypeFor[T]()] = true }
}

// SkipManaged leaves out the values of all managed components that have no [Codec], as [Skip] does for one
// component. [ecs.World.Hash] ignores these values too.
func SkipManaged() Option { return func(o *options) { o.skipManaged = true } }

// Renamed says that component T had the full name old when the snapshot was written. A full name
// consists of the package path and the type name.
func Renamed[T any](old string) Option {
	return func(o *options) { o.renamedTypes[old] = reflect.TypeFor[T]() }
}

// Drop names data that the program no longer has; reading ignores it. Components have names such as
// "example.org/game.Body", lanes have names such as "example.org/game.Body.Mass", and the saved
// bytes of a system have the name of the system's type. Without Drop, a missing component or lane
// is an error of category ErrSchema, and a missing system is an error of Load. The entities remain,
// without the component. If two archetypes become one because of this option, their rows are
// distributed to new chunks: see [Recut]. Chunk components and cleanup components cannot be
// dropped.
func Drop(names ...string) Option {
	return func(o *options) {
		for _, n := range names {
			o.droppedNames[n] = true
		}
	}
}

// Within sets the limits for reading a snapshot.
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

// Piece adds data of the program to a snapshot, for example a seed or a turn number. [Pieces] reads
// such data.
func Piece(name string, data []byte) Option {
	return func(o *options) { o.piecesToWrite[name] = data }
}

// Pieces copies the data that [Piece] has added to a snapshot into a map. The names are the keys.
// If reading fails, the map does not change.
func Pieces(into map[string][]byte) Option {
	return func(o *options) { o.pieceTargets = into }
}
