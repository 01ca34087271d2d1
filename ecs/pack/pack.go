package pack

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/plain"
)

// These are the categories of errors, for errors.Is. Errors of the world are of type *ecs.Error.
var (
	// ErrCorrupt says that the bytes are not a message that Pack has returned, or were damaged
	// since.
	ErrCorrupt = errors.New("not a whole message")

	// ErrSchema says that the component types of this program differ from those of the program that
	// sent the message.
	ErrSchema = errors.New("other component types")

	// ErrValue says that a value cannot be packed.
	ErrValue = errors.New("no way to pack it")
)

// Packer packs entities of one world, and unpacks entities into that world. Only the owner of the
// world may call its methods. A Packer keeps its memory for the next message.
type Packer struct {
	world *ecs.World
	options
	excerpt     ecs.Excerpt
	columns     map[reflect.Type]*column // columns of all component types that the packer has met
	columnIndex map[reflect.Type]uint32  // index of each column in the current message
	sentColumns []*column
	schemas     map[string][]*column // maps the bytes of a schema to its columns
}

// Option is an option of [New].
type Option func(*options)

type options struct {
	entityToNumber func(ecs.Entity) (uint64, error)
	numberToEntity func(uint64) (ecs.Entity, error)
	codecs         map[reflect.Type]plain.Codec
	skippedTypes   map[reflect.Type]bool
	skipChecksum   bool // for fuzzing: with a checksum, a fuzzer would hardly reach the decoder
}

// New returns a Packer for the entities of a world.
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

// Outside sets the function that returns the key of an entity. The Packer calls it for an entity
// that is not in the message but to which a packed entity refers. The key is a global id that the
// program chooses. [Inside] uses it to find the entity elsewhere. If the key is 0, the reference
// becomes null. If the function returns an error, Pack fails. Without this option such references
// become null.
func Outside(key func(e ecs.Entity) (uint64, error)) Option {
	return func(o *options) { o.entityToNumber = key }
}

// Inside sets the function that returns the entity for a key from [Outside]. The function may
// return the null entity. If the function returns an error, Unpack fails. Unpack calls the function
// once for each key of a message, before the world changes. Without this option such references
// become null.
func Inside(entity func(key uint64) (ecs.Entity, error)) Option {
	return func(o *options) { o.numberToEntity = entity }
}

// Codec sets how a component T is packed. It is for managed components, and for shared components
// that contain more than exported numbers and strings. Encode appends the bytes of a value to out.
// Decode sets v from the bytes in. The function decode may keep the slice in, because the Packer
// does not use the slice again. Without a codec, packing such a value is an error of category
// ErrValue, unless T is skipped. Neither encode nor decode may change the world. If a value
// contains entity ids, these are ids of an [ecs.Excerpt] in encode, which must write them
// unchanged.
func Codec[T any](encode func(out []byte, v *T) ([]byte, error), decode func(in []byte, v *T) error) Option {
	return func(o *options) {
		o.codecs[reflect.TypeFor[T]()] = plain.Codec{
			Encode: func(out []byte, v any) ([]byte, error) { return encode(out, v.(*T)) },
			Decode: func(in []byte, v any) error { return decode(in, v.(*T)) },
		}
	}
}

// Skip leaves out the values of a managed component T, so entities arrive with a zero T.
func Skip[T any]() Option {
	return func(o *options) { o.skippedTypes[reflect.TypeFor[T]()] = true }
}

// Pack appends a message with the given entities to dst. The message contains their components,
// tags, buffers, shared values, enabled bits, chunk components, cleanup state and names. The
// entities stay in the world. Packing the same entities produces the same bytes on every machine.
// Pack is a sync point.
//
// Pack returns an error for a managed component without a [Codec], for a reference to a blob, and
// for an entity that does not exist or is listed twice. After an error, Pack returns dst unchanged.
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

// Take packs the entities as Pack does and then destroys them, including their cleanup components:
// see [ecs.Excerpt.DestroySource]. If Take fails, or if a codec or another function of the program
// panics, all entities still exist. If a method Release panics, the message is not lost: the next
// [ecs.World.Sync] returns the panic as an error.
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

// Unpack adds the entities of a message to the world. Unpack returns their new ids in the order in
// which they were packed. The slice is valid until the next call. Unpack is one structural change.
// After an error, the world is unchanged. The parameter src must be exactly one message. It may
// come from an untrusted source. If it is damaged, truncated or not a message at all, the error is
// of category ErrCorrupt. If the program does not have a component type of the message, or has this
// type with other fields, the error is of category ErrSchema: see [ecs.RegisterComponent]. The
// memory that Unpack allocates is proportional to the length of src.
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

// Len returns the number of entities in a message. It returns 0 if the bytes are no message. Len
// reads only the head of the message.
func Len(message []byte) int {
	if len(message) < messageHeadBytes || [4]byte(message) != magic {
		return 0
	}
	return int(littleEndian.Uint32(message[16:]))
}
