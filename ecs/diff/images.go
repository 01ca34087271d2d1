package diff

import (
	"fmt"
	"iter"
	"reflect"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/images"
	"github.com/lanewise/lanewise/ecs/tool"
)

// Images yields the differences of two images, of one world or of two: entities that are in one only first, then other
// components, values in the order of archetypes, chunks, components and rows, places, and the rest. There may be
// as many as there are numbers: stop when there were enough, or use [First] or [Text]. It panics
// with an *ecs.Error if an image is nil or released.
func Images(a, b *ecs.Image) iter.Seq[Difference] {
	return func(yield func(Difference) bool) {
		types := known()
		for i, m := range [...]*ecs.Image{a, b} {
			if m == nil {
				panic(&ecs.Error{Category: ecs.ErrArgument, Op: "diff.Images", Text: fmt.Sprintf("image %d is nil", i+1)})
			}
		}
		compare(sideOf(a, types), sideOf(b, types), yield)
	}
}

// known returns how the values of all components of the process lie in memory.
func known() map[reflect.Type]*component {
	types := map[reflect.Type]*component{}
	for _, c := range tool.ComponentTypes() {
		own := &component{name: c.Name, shared: c.Shared, managed: c.Managed}
		if c.Buffer {
			if slice, ok := c.Type.MethodByName("Slice"); ok {
				own.elem = shapeOf(slice.Type.Out(0).Elem())
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

// sideOf shows an image.
func sideOf(m *ecs.Image, types map[reflect.Type]*component) *side {
	state := images.StateOf(m)
	s := &side{image: m, free: state.Free, retired: len(state.Retired), sums: state.Sums}
	for i, a := range images.ArchetypesOf(m) {
		own := archetype{chunks: a.Chunks, rows: a.Rows}
		for _, t := range a.Components {
			own.set = append(own.set, types[t])
		}
		own.key = keyOf(own.set)
		own.chunk = func(j int) chunk { return chunkOf(images.ChunkOf(m, i, j), own.set) }
		s.archetypes = append(s.archetypes, own)
	}
	return s
}

// keyOf returns what tells sets of components apart.
func keyOf(set []*component) string {
	var b strings.Builder
	for _, c := range set {
		b.WriteString(c.name + ",")
	}
	return b.String()
}

// chunkOf shows a chunk of an image.
func chunkOf(c images.Chunk, set []*component) chunk {
	own := chunk{ids: c.Entities, columns: make([]column, len(set))}
	for k, t := range set {
		p := &c.Parts[k]
		to := column{component: t, on: p.On, part: (*imagePart)(p)}
		if len(t.lanes) > 0 {
			to.lanes = p.Lanes
		}
		own.columns[k] = to
	}
	return own
}

// imagePart is a column of an image.
type imagePart images.Part

func (p *imagePart) elements(row int) []byte {
	b, _ := images.BufferOf((*images.Part)(p), row)
	return b
}

func (p *imagePart) shared() string { return fmt.Sprintf("%+v", p.Value) }

// sharedEquals asks Equal as worlds do, if the type has Hash and Equal, because values that differ may have one hash.
func (p *imagePart) sharedEquals(other part) bool {
	q, ok := other.(*imagePart)
	if !ok || images.HashOf((*images.Part)(p)) != images.HashOf((*images.Part)(q)) {
		return false
	}
	t := reflect.TypeOf(p.Value)
	if _, hashes := p.Value.(interface{ Hash() uint64 }); !hashes || t != reflect.TypeOf(q.Value) {
		return true
	}
	equal, has := t.MethodByName("Equal")
	return !has || equal.Func.Call([]reflect.Value{reflect.ValueOf(p.Value), reflect.ValueOf(q.Value)})[0].Bool()
}
