package diff

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc64"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/snapshot/untyped"
)

// source is an image or a snapshot that is prepared for comparing.
type source struct {
	image        *ecs.Image // nil if the source is a file
	archetypes   []archetype
	freeIDs      []ecs.Entity
	retiredCount int
	sums         []ecs.NamedHash
	nameOf       func(ecs.Entity) string // the name of an entity, or ""
}

// archetype is a set of components, sorted by full name, and the chunks with these components.
type archetype struct {
	components []*component
	key        string // identifies the set by the names of the components
	chunkCount int
	rowCount   int
	loadChunk  func(i int) chunk
}

// chunk is one chunk.
type chunk struct {
	ids     []ecs.Entity
	columns []column // in the order of the archetype's set
}

// column holds the values of one component in a chunk.
type column struct {
	*component
	lanes       [][]byte // the values of the rows, lane by lane
	enabledBits []uint64
	values      columnValues
}

// columnValues is a column of buffers, or a column with a shared value.
type columnValues interface {
	elements(row int) []byte
	shared() (text string)
	sharedEquals(other columnValues) bool // the parameter is from the same kind of source
}

// component describes how the values of a component are stored in memory or in a file.
type component struct {
	name      string // the full name of the component
	signature string // for a file, the kind, lanes and elements, which may differ between two files
	lanes     []lane
	elemShape *shape // shape of the elements of a buffer
	shared    bool
	managed   bool
}

// lane is one lane of a component.
type lane struct {
	name  string
	shape *shape
}

// rowBytes returns the bytes of one row in a lane.
func (x *column) rowBytes(lane, i int) []byte {
	size := x.component.lanes[lane].shape.size
	return x.lanes[lane][i*size:][:size]
}

// Images yields the differences of two images, which may be of one world or of two. It yields
// entities that only one image contains, then entities whose components differ. Then it yields
// values in the order of archetypes, chunks, components and rows. Then it yields entities that
// are in another row, and then all other differences. There may be as many differences as there
// are numbers in the images. So stop the loop when you have enough of them, or use [First] or
// [Text]. Images panics with an *ecs.Error if an image is nil or released.
func Images(a, b *ecs.Image) iter.Seq[Difference] {
	return func(yield func(Difference) bool) {
		types := memoryComponents()
		for i, m := range [...]*ecs.Image{a, b} {
			if m == nil {
				panic(&ecs.Error{Category: ecs.ErrArgument, Op: "diff.Images", Text: fmt.Sprintf("image %d is nil", i+1)})
			}
		}
		compareSources(sourceOfImage(a, types), sourceOfImage(b, types), yield)
	}
}

// memoryComponents returns descriptions of all components of the process.
func memoryComponents() map[reflect.Type]*component {
	types := map[reflect.Type]*component{}
	for _, c := range ecs.ComponentTypes() {
		own := &component{name: c.Name, shared: c.Shared, managed: c.Managed}
		if c.Buffer {
			if slice, ok := c.Type.MethodByName("Slice"); ok {
				own.elemShape = shapeOf(slice.Type.Out(0).Elem())
			}
		} else if !c.Shared && !c.Managed {
			for _, l := range c.Lanes {
				own.lanes = append(own.lanes, lane{l.Name, shapeOf(l.Type)})
			}
		}
		types[c.Type] = own
	}
	return types
}

// sourceOfImage converts an image to a source.
func sourceOfImage(m *ecs.Image, types map[reflect.Type]*component) *source {
	state := m.State()
	s := &source{image: m, freeIDs: state.Free, retiredCount: len(state.Retired), sums: state.Sums, nameOf: m.EntityName}
	for i, a := range m.Archetypes() {
		own := archetype{chunkCount: a.Chunks, rowCount: a.Rows}
		for _, t := range a.Components {
			own.components = append(own.components, types[t])
		}
		own.key = keyOf(own.components)
		own.loadChunk = func(j int) chunk { return chunkOf(m.Chunk(i, j), own.components) }
		s.archetypes = append(s.archetypes, own)
	}
	return s
}

// keyOf returns the key that identifies a set of components.
func keyOf(set []*component) string {
	var b strings.Builder
	for _, c := range set {
		b.WriteString(c.name + ",")
	}
	return b.String()
}

// chunkOf returns a chunk of an image.
func chunkOf(c ecs.ImageChunk, set []*component) chunk {
	own := chunk{ids: c.Entities, columns: make([]column, len(set))}
	for k, t := range set {
		p := &c.Columns[k]
		to := column{component: t, enabledBits: p.On, values: (*imageColumn)(p)}
		if len(t.lanes) > 0 {
			to.lanes = p.Lanes
		}
		own.columns[k] = to
	}
	return own
}

// imageColumn is a column of an image.
type imageColumn ecs.ImageColumn

func (p *imageColumn) elements(row int) []byte {
	b, _ := (*ecs.ImageColumn)(p).Buffer(row)
	return b
}

func (p *imageColumn) shared() string { return fmt.Sprintf("%+v", p.Value) }

// If the type has the methods Hash and Equal, sharedEquals calls its method Equal, as worlds do,
// because different values may have the same hash.
func (p *imageColumn) sharedEquals(other columnValues) bool {
	q, ok := other.(*imageColumn)
	if !ok || (*ecs.ImageColumn)(p).Hash() != (*ecs.ImageColumn)(q).Hash() {
		return false
	}
	t := reflect.TypeOf(p.Value)
	if _, hashes := p.Value.(interface{ Hash() uint64 }); !hashes || t != reflect.TypeOf(q.Value) {
		return true
	}
	equal, has := t.MethodByName("Equal")
	return !has || equal.Func.Call([]reflect.Value{reflect.ValueOf(p.Value), reflect.ValueOf(q.Value)})[0].Bool()
}

// Files yields the differences of two snapshots, as [Images] does for images. The values in a file
// have no types. Therefore a lane of several numbers is a list, shared values are bytes, and blobs
// are numbers. A difference of kind Sum says whether the blobs differ. If the lanes or the kind of
// a component differ, Files handles it as two components.
func Files(a, b *untyped.File) iter.Seq[Difference] {
	return func(yield func(Difference) bool) { compareSources(sourceOfFile(a), sourceOfFile(b), yield) }
}

// sourceOfFile converts a snapshot to a source.
func sourceOfFile(f *untyped.File) *source {
	s := &source{freeIDs: f.Free, retiredCount: len(f.Retired), sums: f.Sums, nameOf: func(e ecs.Entity) string { return f.Names[e] }}
	if len(f.Blobs) > 0 { // the values of blobs refer to blobs by number
		s.sums = append(slices.Clone(s.sums), ecs.NamedHash{Name: "blobs", Sum: crc64.Checksum(f.Blobs, crc64.MakeTable(crc64.ECMA))})
	}
	types := make([]*component, len(f.Components))
	for i := range f.Components {
		types[i] = componentOf(&f.Components[i])
	}
	for i := range f.Archetypes {
		a := &f.Archetypes[i]
		own := archetype{chunkCount: len(a.Chunks), rowCount: a.Rows}
		for _, at := range a.Components {
			own.components = append(own.components, types[at])
			own.key += types[at].name + types[at].signature + ","
		}
		own.loadChunk = func(j int) chunk {
			c := &a.Chunks[j]
			shown := chunk{ids: c.Entities, columns: make([]column, len(own.components))}
			for k, t := range own.components {
				p := &c.Columns[k]
				shown.columns[k] = column{component: t, lanes: p.Lanes, enabledBits: p.On, values: (*fileColumn)(p)}
			}
			return shown
		}
		s.archetypes = append(s.archetypes, own)
	}
	return s
}

// componentOf returns the description of a component of a file.
func componentOf(c *untyped.Component) *component {
	own := &component{name: c.Name, signature: fmt.Sprint(" ", c.Kind, c.Lanes, c.Elem), shared: c.Kind&untyped.Shared != 0, managed: c.Kind&untyped.Managed != 0}
	if c.Kind&untyped.Skipped != 0 {
		return own
	}
	if c.Kind&untyped.Buffer != 0 {
		own.elemShape = fileShape(c.Elem)
	}
	for _, l := range c.Lanes {
		own.lanes = append(own.lanes, lane{l.Name, fileShape(l.Shape)})
	}
	return own
}

func fileShape(s untyped.Shape) *shape {
	own := &shape{size: s.Size, order: binary.LittleEndian}
	for _, n := range s.Numbers {
		own.numbers = append(own.numbers, numberPlace{n.At, n.Size, n.Letter})
	}
	return own
}

// fileColumn is a column of a snapshot.
type fileColumn untyped.Column

func (p *fileColumn) elements(row int) []byte { return p.Rows[row] }

func (p *fileColumn) shared() string {
	if p.Default {
		return "its default"
	}
	return fmt.Sprintf("%x", p.Value)
}

func (p *fileColumn) sharedEquals(other columnValues) bool {
	q, ok := other.(*fileColumn)
	return ok && p.Default == q.Default && bytes.Equal(p.Value, q.Value)
}
