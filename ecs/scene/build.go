package scene

import (
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

var headerType = reflect.TypeFor[ecs.ChunkHeader]()

// buildImage creates the image.
func (b *baker) buildImage() (*ecs.Image, error) {
	archetypes, err := b.archetypes()
	if err != nil {
		return nil, err
	}
	to := ecs.NewImageBuilder()
	names := make([]ecs.ImageName, len(b.doc.Entries))
	for i := range names {
		names[i] = ecs.ImageName{Entity: entryID(int32(i)), Name: b.doc.Entries[i].Name}
	}
	if err := to.AddState(ecs.ImageState{Names: names}); err != nil {
		return nil, errorf("%w", err)
	}
	for _, own := range b.doc.catalog.sorted {
		if list := b.sharedValues[own.Type]; list != nil {
			if err := to.AddShared(ecs.ImageShared{Component: own.Type, Values: list.values}); err != nil {
				return nil, errorf("%w", err)
			}
		}
	}
	heads, bySet := b.matchArchetypes(archetypes)
	for i := range archetypes {
		a := &archetypes[i]
		switch own := bySet[i]; {
		case heads[i] != nil:
			err = b.addMetaArchetype(to, a, heads[i])
		case own != nil:
			err = b.addArchetype(to, a, own)
		default:
			err = to.AddArchetype(ecs.ImageArchetype{Components: a.Components})
		}
		if err != nil {
			return nil, errorf("%w", err)
		}
	}
	if err := b.fillChunks(); err != nil {
		return nil, err
	}
	image, err := to.Image()
	if err != nil {
		return nil, errorf("%w", err)
	}
	return image, nil
}

// archetypes returns the archetypes of the sets, and the number of rows of their chunks. The result
// includes the additional archetypes that a world creates for them.
func (b *baker) archetypes() ([]ecs.ImageArchetype, error) {
	w := ecs.NewWorld("scene")
	defer discard(w)
	for _, s := range b.setOrder {
		values := make([]any, len(s.components))
		for i, own := range s.components {
			values[i] = reflect.Zero(own.Type).Interface()
		}
		if err := callUser(func() error { w.Spawn(values...); return nil }); err != nil {
			e := &b.doc.Entries[s.rows[0]]
			return nil, joinErrors([]*Error{b.doc.errorAt(int(e.offset), "entity %q: %v", e.Name, err)})
		}
	}
	image, err := ecs.Capture(w, nil)
	if err != nil {
		return nil, errorf("%w", err)
	}
	list := image.Archetypes()
	for i := range list {
		a := &list[i]
		*a = ecs.ImageArchetype{Components: a.Components, Capacity: a.Capacity, Rows: a.Rows}
	}
	return list, nil
}

// matchArchetypes finds the archetype of each set. It creates the meta entities of all chunks, and
// finds their archetypes.
func (b *baker) matchArchetypes(archetypes []ecs.ImageArchetype) (heads []*metaRows, bySet []*entrySet) {
	heads, bySet = make([]*metaRows, len(archetypes)), make([]*entrySet, len(archetypes))
	places := map[string]int{}
	for i := range archetypes {
		if archetypes[i].Rows > 0 {
			places[b.typesKey(archetypes[i].Components)] = i
		}
	}
	next := int32(len(b.doc.Entries))
	for _, s := range b.setOrder {
		types, own := make([]reflect.Type, len(s.components)), []reflect.Type(nil)
		for i, k := range s.components {
			if types[i] = k.Type; k.PerChunk {
				own = append(own, k.Type)
			}
		}
		at := places[b.typesKey(types)]
		bySet[at] = s
		if own == nil {
			continue
		}
		inner := []reflect.Type{headerType}
		for _, t := range own {
			inner = append(inner, t.Field(0).Type)
		}
		head := places[b.typesKey(inner)]
		if heads[head] == nil {
			heads[head] = &metaRows{}
		}
		s.metaEntities = heads[head]
		s.addMetaEntities(own, archetypes[at].Capacity)
	}
	for _, h := range heads {
		if h != nil {
			h.firstID = next
			next += int32(len(h.rows))
		}
	}
	return heads, bySet
}

// typesKey returns a key that identifies a set of types. The key does not depend on their order.
func (b *baker) typesKey(types []reflect.Type) string {
	numbers := make([]int32, 0, len(types))
	for _, t := range types {
		if t != headerType && b.doc.catalog.byType[t] != nil {
			numbers = append(numbers, int32(b.doc.catalog.byType[t].id))
		} else {
			numbers = append(numbers, -1)
		}
	}
	slices.Sort(numbers)
	return string(appendInts(nil, numbers))
}

// addMetaEntities creates a meta entity for each chunk that the groups of s fill. The parameter own
// lists the chunk components.
func (s *entrySet) addMetaEntities(own []reflect.Type, capacity int) {
	for _, g := range s.groups {
		g.firstMeta = len(s.metaEntities.rows)
		for range (len(g.rows) + capacity - 1) / capacity {
			values := map[reflect.Type]int32{}
			for i, t := range own {
				values[t] = g.chunkIndices[i]
			}
			s.metaEntities.rows = append(s.metaEntities.rows, metaRow{values})
		}
	}
}

// addMetaArchetype adds an archetype of meta entities to the image.
func (b *baker) addMetaArchetype(to *ecs.ImageBuilder, a *ecs.ImageArchetype, m *metaRows) error {
	if err := to.AddArchetype(ecs.ImageArchetype{Components: a.Components}); err != nil {
		return err
	}
	for at := 0; at < len(m.rows); at += a.Capacity {
		rows := m.rows[at:min(at+a.Capacity, len(m.rows))]
		c, err := to.AddChunk(ecs.ImageChunk{}, len(rows))
		if err != nil {
			return err
		}
		b.tasks = append(b.tasks, chunkTask{chunk: c, metas: rows, firstMeta: m.firstID + int32(at)})
	}
	return nil
}

// addArchetype adds the archetype of a set to the image.
func (b *baker) addArchetype(to *ecs.ImageBuilder, a *ecs.ImageArchetype, s *entrySet) error {
	shared := s.sharedPositions(a.Components)
	groups, byValues, order := []ecs.ImageGroup(nil), map[string]int{}, make([]int, len(s.groups))
	for i, g := range s.groups {
		values := make([]int32, len(shared))
		for k, from := range shared {
			values[k] = g.sharedIndices[from]
		}
		key := string(appendInts(nil, values))
		at, ok := byValues[key]
		if !ok {
			at = len(groups)
			byValues[key] = at
			groups = append(groups, ecs.ImageGroup{Values: values})
		}
		order[i] = at
	}
	if err := to.AddArchetype(ecs.ImageArchetype{Components: a.Components, Groups: groups}); err != nil {
		return err
	}
	for i, g := range s.groups {
		for at := 0; at < len(g.rows); at += a.Capacity {
			rows := g.rows[at:min(at+a.Capacity, len(g.rows))]
			of := ecs.ImageChunk{Group: order[i]}
			if s.metaEntities != nil {
				of.MetaEntity = entryID(s.metaEntities.firstID + int32(g.firstMeta+at/a.Capacity))
			}
			c, err := to.AddChunk(of, len(rows))
			if err != nil {
				return err
			}
			b.tasks = append(b.tasks, chunkTask{chunk: c, set: s, rows: rows})
		}
	}
	return nil
}

// sharedPositions returns, for each shared component of an archetype, its index among the set's
// shared components.
func (s *entrySet) sharedPositions(types []reflect.Type) (list []int) {
	at := map[reflect.Type]int{}
	for _, own := range s.components {
		if own.Shared {
			at[own.Type] = len(at)
		}
	}
	for _, t := range types {
		if i, ok := at[t]; ok {
			list = append(list, i)
		}
	}
	return list
}
