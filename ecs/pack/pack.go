package pack

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/plain"
)

// The categories of errors, for errors.Is. What the world has to say is an *ecs.Error.
var (
	// ErrCorrupt says that the bytes are not those that Pack made.
	ErrCorrupt = errors.New("not a whole message")

	// ErrSchema says that the program has other component types than the one that has sent the message.
	ErrSchema = errors.New("other component types")

	// ErrValue says that something cannot be packed.
	ErrValue = errors.New("no way to pack it")
)

// Packer packs entities of one world, and lets entities come to it. It is for the owner of
// the world, and keeps memory for the next message.
type Packer struct {
	world *ecs.World
	options
	excerpt     ecs.Excerpt
	columns     map[reflect.Type]*column // of the program
	columnIndex map[reflect.Type]uint32  // in the message that is made
	sentColumns []*column
	schemas     map[string][]*column // by the bytes of the schema
}

// Option changes how entities are packed and unpacked.
type Option func(*options)

type options struct {
	outside   func(ecs.Entity) (uint64, error)
	inside    func(uint64) (ecs.Entity, error)
	codecs    map[reflect.Type]plain.Codec
	skipped   map[reflect.Type]bool
	unchecked bool // for fuzzing: a checksum hides what is behind it
}

// New returns a packer for the entities of a world.
func New(w *ecs.World, opts ...Option) *Packer {
	p := &Packer{
		world: w, columns: map[reflect.Type]*column{}, columnIndex: map[reflect.Type]uint32{}, schemas: map[string][]*column{},
		options: options{codecs: map[reflect.Type]plain.Codec{}, skipped: map[reflect.Type]bool{}},
	}
	for i, opt := range opts {
		if opt == nil {
			panic(fmt.Sprintf("pack: New: option %d is nil", i))
		}
		opt(&p.options)
	}
	return p
}

// Outside says by which key others know an entity of the world to which something refers that is packed without it: a
// global id. A key of 0 is no entity; an error refuses to pack. Without this option such references are null.
func Outside(key func(e ecs.Entity) (uint64, error)) Option {
	return func(o *options) { o.outside = key }
}

// Inside finds the entity of the world for a key that [Outside] has given elsewhere. It may return the null
// entity; an error refuses the message. It is called once for each key of a message, before anything is changed. Without this option
// such references are null.
func Inside(entity func(key uint64) (ecs.Entity, error)) Option {
	return func(o *options) { o.inside = entity }
}

// Codec says how a managed component T, or a shared one that holds more than exported
// numbers and strings, is packed: encode appends the bytes of a value, decode makes a
// value of them, and may keep in, because nothing else uses it. A value without a codec is an error of category ErrValue, unless T is skipped. Neither function may change the world.
// An id in a value that encode sees is that of an [ecs.Excerpt], and is to be written as it is.
func Codec[T any](encode func(out []byte, v *T) ([]byte, error), decode func(in []byte, v *T) error) Option {
	return func(o *options) {
		o.codecs[reflect.TypeFor[T]()] = plain.Codec{
			Encode: func(out []byte, v any) ([]byte, error) { return encode(out, v.(*T)) },
			Decode: func(in []byte, v any) error { return decode(in, v.(*T)) },
		}
	}
}

// Skip leaves the values of a managed component T behind: entities arrive with a zero T.
func Skip[T any]() Option {
	return func(o *options) { o.skipped[reflect.TypeFor[T]()] = true }
}

// Pack appends entities with all they have to dst: components, tags, buffers, shared values by value, what is on and off, chunk components, cleanup state,
// and names. They stay in the world. The same entities make the same bytes on every machine. It is a sync point.
//
// What cannot go along is refused: managed components without a [Codec], references to blobs, an entity that does not
// exist or comes twice. After an error dst is what it was.
func (p *Packer) Pack(dst []byte, ids []ecs.Entity) ([]byte, error) {
	if err := p.excerpt.Extract(p.world, ids, p.outside); err != nil {
		return dst, fmt.Errorf("pack: %w", err)
	}
	out, err := p.appendMessage(dst)
	if err != nil {
		return dst, err
	}
	return out, nil
}

// Take is Pack, and then the entities leave the world, with their cleanup components: see [ecs.Excerpt.DestroySource]. After an
// error, or a panic of a codec or another function of the program, all of them are where they were. A panic of a method Release does not lose the message: the
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

// Unpack lets the entities of a message come to the world, and returns their new ids in the order in which they were
// packed, good until the next call. It is one structural change, and happens whole: after an error the
// world is what it was. The message must be all of src, and may come from anywhere: one that was changed or cut short, or that is none, is an error of category
// ErrCorrupt; one with component types that the program does not have, or has with other fields, is of category ErrSchema: see
// [ecs.RegisterComponent]. Memory grows with the bytes that there are, whatever they say.
func (p *Packer) Unpack(src []byte) ([]ecs.Entity, error) {
	if err := p.readMessage(src); err != nil {
		return nil, err
	}
	ids, err := p.excerpt.Insert(p.world, p.inside)
	if err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	return ids, nil
}

// Len returns how many entities a message has, of which not more than the head is looked at; 0 of what is none.
func Len(message []byte) int {
	if len(message) < messageHeadBytes || [4]byte(message) != magic {
		return 0
	}
	return int(le.Uint32(message[16:]))
}
