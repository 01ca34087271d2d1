package pack

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/plain"
)

// The categories of errors, for errors.Is. An error of the world is an *ecs.Error.
var (
	// ErrCorrupt says that the bytes are not those that Pack made.
	ErrCorrupt = errors.New("not a whole message")

	// ErrSchema says that the program has other component types than the program that sent the
	// message.
	ErrSchema = errors.New("other component types")

	// ErrValue says that a value cannot be packed.
	ErrValue = errors.New("no way to pack it")
)

// Packer packs entities of one world and unpacks entities into it. Only the owner of the world may
// call its methods. It keeps memory for the next message.
type Packer struct {
	world *ecs.World
	options
	excerpt     ecs.Excerpt
	columns     map[reflect.Type]*column // of the program
	columnIndex map[reflect.Type]uint32  // in the current message
	sentColumns []*column
	schemas     map[string][]*column // by the bytes of the schema
}

// Option is an option of [New].
type Option func(*options)

type options struct {
	entityToNumber func(ecs.Entity) (uint64, error)
	numberToEntity func(uint64) (ecs.Entity, error)
	codecs         map[reflect.Type]plain.Codec
	skippedTypes   map[reflect.Type]bool
	skipChecksum   bool // for fuzzing: a checksum would hide the decoder from a fuzzer
}

// New returns a packer for the entities of a world.
func New(w *ecs.World, opts ...Option) *Packer {
	p := &Packer{
		world: w, columns: map[reflect.Type]*column{}, columnIndex: map[reflect.Type]uint32{}, schemas: map[string][]*column{},
		options: options{codecs: map[reflect.Type]plain.Codec{}, skippedTypes: map[reflect.Type]bool{}},
	}
	for i, opt := range opts {
		if opt == nil {
			panic(fmt.Sprintf("pack: New: option %d is nil", i))
		}
		opt(&p.options)
	}
	return p
}

// Outside sets the function that returns the key of an entity that is not packed but that a packed
// entity refers to. The key is a global id of the program, by which [Inside] finds the entity
// elsewhere. A key of 0 makes the reference null; an error makes Pack fail. Without this option
// such references become null.
func Outside(key func(e ecs.Entity) (uint64, error)) Option {
	return func(o *options) { o.entityToNumber = key }
}

// Inside sets the function that returns the entity with a key of [Outside]. It may return the null
// entity; an error makes Unpack fail. It is called once for each key of a message, before the world
// changes. Without this option such references become null.
func Inside(entity func(key uint64) (ecs.Entity, error)) Option {
	return func(o *options) { o.numberToEntity = entity }
}

// Codec sets how a managed component T is packed, or a shared one that has more than exported
// numbers and strings. Encode appends the bytes of a value to out. Decode sets v from bytes; it may
// keep in, because nothing else uses it. A value without a codec is an error of category ErrValue,
// unless T is skipped. Neither function may change the world. In encode, an id in a value is that
// of an [ecs.Excerpt] and must be written as it is.
func Codec[T any](encode func(out []byte, v *T) ([]byte, error), decode func(in []byte, v *T) error) Option {
	return func(o *options) {
		o.codecs[reflect.TypeFor[T]()] = plain.Codec{
			Encode: func(out []byte, v any) ([]byte, error) { return encode(out, v.(*T)) },
			Decode: func(in []byte, v any) error { return decode(in, v.(*T)) },
		}
	}
}

// Skip leaves out the values of a managed component T: entities arrive with a zero T.
func Skip[T any]() Option {
	return func(o *options) { o.skippedTypes[reflect.TypeFor[T]()] = true }
}

// Pack appends a message with the given entities to dst: their components, tags, buffers, shared
// values, enabled bits, chunk components, cleanup state and names. The entities stay in the world.
// The same entities give the same bytes on every machine. Pack is a sync point.
//
// It returns an error for managed components without a [Codec], references to blobs, and an entity
// that does not exist or is given twice. After an error it returns dst unchanged.
func (p *Packer) Pack(dst []byte, ids []ecs.Entity) ([]byte, error) {
	if err := p.excerpt.Extract(p.world, ids, p.entityToNumber); err != nil {
		return dst, fmt.Errorf("pack: %w", err)
	}
	out, err := p.appendMessage(dst)
	if err != nil {
		return dst, err
	}
	return out, nil
}

// Take is Pack, and then destroys the entities, including their cleanup components: see
// [ecs.Excerpt.DestroySource]. After an error, or a panic of a codec or another function of the
// program, all entities are still there. A panic of a method Release does not lose the message: the
// next [ecs.World.Sync] returns it as an error.
func (p *Packer) Take(dst []byte, ids []ecs.Entity) ([]byte, error) {
	out, err := p.Pack(dst, ids)
	if err != nil {
		return dst, err
	}
	if err := p.excerpt.DestroySource(); err != nil {
		return dst, fmt.Errorf("pack: %w", err)
	}
	return out, nil
}

// Unpack adds the entities of a message to the world. It returns their new ids in the order in
// which they were packed; the slice is valid until the next call. It is one structural change, and
// after an error the world is unchanged. Src must be exactly one message, and may come from an
// untrusted source: a message that is damaged, cut short or no message is an error of category
// ErrCorrupt. If the program does not have a component type of the message, or has it with other
// fields, the error is of category ErrSchema: see [ecs.RegisterComponent]. The memory that Unpack
// takes is proportional to the length of src.
func (p *Packer) Unpack(src []byte) ([]ecs.Entity, error) {
	if err := p.readMessage(src); err != nil {
		return nil, err
	}
	ids, err := p.excerpt.Insert(p.world, p.numberToEntity)
	if err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	return ids, nil
}

// Len returns the number of entities in a message, or 0 if it is no message. It reads only the
// head.
func Len(message []byte) int {
	if len(message) < messageHeadBytes || [4]byte(message) != magic {
		return 0
	}
	return int(littleEndian.Uint32(message[16:]))
}
