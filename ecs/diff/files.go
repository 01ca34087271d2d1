package diff

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc64"
	"iter"
	"slices"

	"github.com/lanewise/lanewise/ecs/images"
	"github.com/lanewise/lanewise/ecs/snapshot/untyped"
)

// Files yields the differences of two snapshots, as [Images] does of what was saved. Values have no types there: a lane of
// several numbers is a list of them, shared values are bytes, blobs are numbers, and whether they are the same is told as a sum. A component whose lanes or kinds differ counts as another one.
func Files(a, b *untyped.File) iter.Seq[Difference] {
	return func(yield func(Difference) bool) { compare(sideOfFile(a), sideOfFile(b), yield) }
}

// sideOfFile shows a snapshot.
func sideOfFile(f *untyped.File) *side {
	s := &side{free: f.Free, retired: len(f.Retired), sums: f.Sums}
	if len(f.Blobs) > 0 { // values have their numbers
		s.sums = append(slices.Clone(s.sums), images.Sum{Name: "blobs", Sum: crc64.Checksum(f.Blobs, crc64.MakeTable(crc64.ECMA))})
	}
	types := make([]*component, len(f.Components))
	for i := range f.Components {
		types[i] = componentOf(&f.Components[i])
	}
	for i := range f.Archetypes {
		a := &f.Archetypes[i]
		own := archetype{chunks: len(a.Chunks), rows: a.Rows}
		for _, at := range a.Components {
			own.set = append(own.set, types[at])
			own.key += types[at].name + types[at].of + ","
		}
		own.chunk = func(j int) chunk {
			c := &a.Chunks[j]
			shown := chunk{ids: c.Entities, columns: make([]column, len(own.set))}
			for k, t := range own.set {
				p := &c.Columns[k]
				shown.columns[k] = column{component: t, lanes: p.Lanes, on: p.On, part: (*filePart)(p)}
			}
			return shown
		}
		s.archetypes = append(s.archetypes, own)
	}
	return s
}

// componentOf returns how the values of a component lie in a file.
func componentOf(c *untyped.Component) *component {
	own := &component{name: c.Name, of: fmt.Sprint(" ", c.Kind, c.Lanes, c.Elem), shared: c.Kind&untyped.Shared != 0, managed: c.Kind&untyped.Managed != 0}
	if c.Kind&untyped.Skipped != 0 {
		return own
	}
	if c.Kind&untyped.Buffer != 0 {
		own.elem = fileShape(c.Elem)
	}
	for _, l := range c.Lanes {
		own.lanes = append(own.lanes, lane{l.Name, fileShape(l.Shape)})
	}
	return own
}

func fileShape(s untyped.Shape) *shape {
	own := &shape{size: s.Size, order: binary.LittleEndian}
	for _, n := range s.Numbers {
		own.parts = append(own.parts, number{n.At, n.Size, n.Letter})
	}
	return own
}

// filePart is a column of a snapshot.
type filePart untyped.Column

func (p *filePart) elements(row int) []byte { return p.Rows[row] }

func (p *filePart) shared() string {
	if p.Default {
		return "its default"
	}
	return fmt.Sprintf("%x", p.Value)
}

func (p *filePart) sharedEquals(other part) bool {
	q, ok := other.(*filePart)
	return ok && p.Default == q.Default && bytes.Equal(p.Value, q.Value)
}
