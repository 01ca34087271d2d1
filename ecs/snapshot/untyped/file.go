package untyped

import (
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/snapshot/internal/format"
)

// File is a snapshot that was read.
type File struct {
	Version     uint32 // version of the format
	HashVersion uint32
	Hash        uint64 // hash of the world, as stored in the file
	Bytes       int64
	Frames      int
	Components  []Component // sorted by name
	Free        []ecs.Entity
	Retired     []int32
	Names       map[ecs.Entity]string
	Sums        []ecs.NamedHash
	Blobs       []byte           // the encoded frame that contains the blobs
	Shared      map[int][][]byte // maps the index of a shared component to its values; value 0 is the default and is nil
	Archetypes  []Archetype
}

// Kind is a set of properties of a component, as bits.
type Kind uint32

// These are the kinds.
const (
	Shared Kind = 1 << iota
	Cleanup
	Enableable
	Managed
	Buffer
	PerChunk
	Tag
	Skipped // the file contains no values of the component
)

// String returns the names of the kinds, or "data" if there are none.
func (k Kind) String() string {
	var list []string
	for i, name := range [...]string{"shared", "cleanup", "enableable", "managed", "buffer", "chunk", "tag", "skipped"} {
		if k&(1<<i) != 0 {
			list = append(list, name)
		}
	}
	if list == nil {
		return "data"
	}
	return strings.Join(list, " ")
}

// Component describes a component type of the snapshot.
type Component struct {
	Name  string // the full name
	Kind  Kind
	Lanes []Lane
	Elem  Shape // shape of a buffer's elements
}

// Lane is one lane of a component.
type Lane struct {
	Name  string
	Shape Shape
}

// Shape describes the numbers of a value, in order.
type Shape struct {
	Text    string
	Numbers []Number
	Size    int // size of a value in bytes
}

// Number describes one number: its kind, and its size in bytes. The kinds are b for bool, i and u
// for integers, f for floats, and r for a reference to a blob. The value of a reference is the
// number of a blob in File.Blobs, counted from 1, or 0 for no blob.
type Number struct {
	Letter   byte
	At, Size int
}

// shapeOf parses the text of a shape.
func shapeOf(text string) (Shape, error) {
	s := Shape{Text: text}
	for i := 0; i < len(text); {
		letter, n, j := text[i], 0, i+1
		for ; j < len(text) && '0' <= text[j] && text[j] <= '9' && n <= 16; j++ {
			n = 10*n + int(text[j]-'0')
		}
		if letter == 'c' && (n == 8 || n == 16) {
			s.Numbers = append(s.Numbers, Number{'f', s.Size, n / 2}, Number{'f', s.Size + n/2, n / 2})
		} else if letter == 'r' && n == 4 {
			s.Numbers = append(s.Numbers, Number{'r', s.Size, n})
		} else if strings.IndexByte("biuf", letter) >= 0 && (n == 1 || n == 2 || n == 4 || n == 8) {
			s.Numbers = append(s.Numbers, Number{letter, s.Size, n})
		} else {
			return s, corrupt("%q are no numbers", text)
		}
		s.Size, i = s.Size+n, j
	}
	return s, nil
}

// Archetype is a set of components, and the chunks with these components.
type Archetype struct {
	Components      []int // indices in File.Components
	Groups          []Group
	Chunks          []Chunk
	Rows            int
	announcedChunks int // number of chunks according to the file
}

// Group lists chunks with the same shared values.
type Group struct {
	Values []int32 // for each shared component, the index of its value in File.Shared
}

// Chunk is one chunk.
type Chunk struct {
	Group    int
	Meta     ecs.Entity // the entity that stores the chunk components
	Entities []ecs.Entity
	Columns  []Column // in the order of the archetype's components
}

// Column holds the values of one component in a chunk. The values are stored one after the other, as
// little-endian numbers without padding.
type Column struct {
	Lanes   [][]byte
	On      []uint64
	Rows    [][]byte // for a buffer, the elements of each row; for a managed component, the bytes from the codec
	Value   []byte   // for a shared component, its value; nil if it is the default
	Default bool     // the value is the default
}

// Entities returns the number of entities, including those that store chunk components.
func (f *File) Entities() (n int) {
	for i := range f.Archetypes {
		n += f.Archetypes[i].Rows
	}
	return n
}

// corrupt returns an error of category ErrCorrupt.
func corrupt(text string, args ...any) error { return format.Corrupt("untyped", text, args...) }
