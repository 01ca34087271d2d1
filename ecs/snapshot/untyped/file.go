package untyped

import (
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/snapshot/internal/format"
)

// File is a snapshot.
type File struct {
	Version     uint32 // of the format
	HashVersion uint32
	Hash        uint64 // of the world, as the file says
	Bytes       int64
	Frames      int
	Components  []Component // in the order of their names
	Free        []ecs.Entity
	Retired     []int32
	Names       map[ecs.Entity]string
	Sums        []ecs.NamedHash
	Blobs       []byte           // the frame of the blobs, as it is
	Shared      map[int][][]byte // the values of a component behind the default, which is nil, by place
	Archetypes  []Archetype
}

// Kind is what a component is, as bits.
type Kind uint32

// The kinds.
const (
	Shared Kind = 1 << iota
	Cleanup
	Enableable
	Managed
	Buffer
	PerChunk
	Tag
	Skipped // the file has no values of it
)

// String lists the kinds, or says "data".
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

// Component is a component type.
type Component struct {
	Name  string // the full one
	Kind  Kind
	Lanes []Lane
	Elem  Shape // of a buffer's elements
}

// Lane is one lane of a component.
type Lane struct {
	Name  string
	Shape Shape
}

// Shape is the numbers of a value, in order.
type Shape struct {
	Text    string
	Numbers []Number
	Size    int // bytes of a value
}

// Number is one number: b bool, i and u integers, f floats, r a blob's place in File.Blobs from 1 on or 0, and its bytes.
type Number struct {
	Letter   byte
	At, Size int
}

// shapeOf understands the text of a shape.
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

// Archetype is a set of components and its chunks.
type Archetype struct {
	Components []int // places in File.Components
	Groups     []Group
	Chunks     []Chunk
	Rows       int
	wantChunks int // chunks
}

// Group is chunks with the same shared values.
type Group struct {
	Values []int32 // places in File.Shared, one a shared component
}

// Chunk is one chunk.
type Chunk struct {
	Group    int
	Meta     ecs.Entity // holds the chunk components
	Entities []ecs.Entity
	Columns  []Column // in the order of the archetype's components
}

// Column is what a chunk has of a component. Values lie one behind the other, little end first, without padding.
type Column struct {
	Lanes   [][]byte
	On      []uint64
	Rows    [][]byte // of buffers the elements of each row, of managed components what the codec wrote
	Value   []byte   // of a shared component; nil is the default
	Default bool     // the value is the default
}

// Entities counts the entities, those that hold chunk components included.
func (f *File) Entities() (n int) {
	for i := range f.Archetypes {
		n += f.Archetypes[i].Rows
	}
	return n
}

// corrupt is an error of category ErrCorrupt.
func corrupt(text string, args ...any) error { return format.Corrupt("untyped", text, args...) }
