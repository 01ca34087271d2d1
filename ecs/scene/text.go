package scene

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
)

// Text returns a formatted text of the scene. In that text, no entity depends on another: the
// components [ecs.Prefab], Parent and [ecs.LinkedGroup] of prefabs and children are written out.
// Text returns an error if the scene contains values that have no text: blobs, numbers in
// unexported fields, and managed components whose types can be read from text but not written.
func (b *Baked) Text() ([]byte, error) {
	w, err := ecs.Fork(b.image, "text")
	if err != nil {
		return nil, errorf("%w", err)
	}
	defer discard(w)
	t := textWriter{world: w, catalog: programCatalog(), externalRefs: map[ecs.Entity][]Reference{}}
	for _, r := range b.externalRefs {
		t.externalRefs[r.From] = append(t.externalRefs[r.From], r)
	}
	types := make([][]reflect.Type, b.namedCount)
	for i, a := range b.image.Archetypes() {
		for j := range a.Chunks {
			for _, e := range b.image.Chunk(i, j).Entities {
				if int(e.Index) < len(types) {
					types[e.Index] = a.Components
				}
			}
		}
	}
	var out bytes.Buffer
	out.WriteString(`{"entities": {`)
	for i, name := range b.Names() {
		out.Write(appendString(nil, name))
		out.WriteString(": {")
		if err := t.appendEntity(&out, entryID(int32(i)), types[i]); err != nil {
			return nil, errorf("entity %q: %w", name, err)
		}
		out.WriteString("},\n")
	}
	out.WriteString("}}\n")
	return Format("text", out.Bytes())
}

// textWriter writes entities as text.
type textWriter struct {
	world        *ecs.World
	catalog      *catalog
	externalRefs map[ecs.Entity][]Reference
}

// appendEntity appends the components of an entity.
func (t *textWriter) appendEntity(out *bytes.Buffer, e ecs.Entity, types []reflect.Type) error {
	var off []string
	types = slices.Clone(types)
	slices.SortFunc(types, func(a, b reflect.Type) int { return strings.Compare(nameOf(a), nameOf(b)) })
	for _, typ := range types {
		own := t.catalog.byType[typ]
		if own == nil {
			return fmt.Errorf("%v belongs to the world", typ)
		}
		v, err := t.valueOf(e, typ)
		if err != nil {
			return err
		}
		name := t.catalog.nameOf(own)
		out.Write(appendString(nil, name))
		out.WriteString(": ")
		box := reflect.ValueOf(v)
		if own.PerChunk {
			box = box.Field(0)
		}
		text, err := appendValue(nil, box, func(to ecs.Entity) (string, error) { return t.referenceTo(e, to) })
		if err != nil {
			return fmt.Errorf("%s: %w", own.Name, err)
		}
		out.Write(text)
		out.WriteString(", ")
		if on, err := t.world.Untyped().Enabled(e, typ); err != nil || !on {
			off = append(off, string(appendString(nil, name)))
		}
	}
	if off != nil {
		fmt.Fprintf(out, `"disabled": [%s]`, strings.Join(off, ", "))
	}
	return nil
}

// valueOf returns a component of e. It replaces each reference to an entity outside of the scene by a
// negative number, which referenceTo converts to text.
func (t *textWriter) valueOf(e ecs.Entity, typ reflect.Type) (any, error) {
	v, err := t.world.Untyped().Get(e, typ)
	if err != nil {
		return nil, err
	}
	for i := range t.externalRefs[e] {
		if r := &t.externalRefs[e][i]; r.Type == typ {
			if v, err = r.Put(v, ecs.Entity{Index: -1 - int32(i)}); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// referenceTo returns the text of a reference.
func (t *textWriter) referenceTo(from, to ecs.Entity) (string, error) {
	switch {
	case to.IsZero():
		return "", nil
	case to.Index < 0:
		r := &t.externalRefs[from][-1-to.Index]
		return "@" + r.Scene + ":" + r.Name, nil
	}
	return "@" + t.world.EntityName(to), nil
}
