package zoo

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/random"
)

// Mate refers to another animal.
type Mate struct {
	With     ecs.Entity
	Distance float32
}

// Column names the lanes.
func (Mate) Column() (c struct {
	With     []ecs.Entity
	Distance []float32
}) {
	return
}

var references = Feature{
	Name:  "references",
	About: "references in components; a job with lookups",
	Types: listTypes(ecs.With[Mate]()),
	Give:  func(_ *Keeper, _ int, e []any) []any { return append(e, Mate{}) },
	Link: func(k *Keeper, animal int) error {
		if e := k.Animals[animal]; ecs.Has[Mate](k.World, e) {
			return ecs.Set(k.World, e, Mate{With: k.Animals[(animal^1)%len(k.Animals)]})
		}
		return nil
	},
	Systems: []*system.Type{system.Of[Meet]()},
}

// Meet schedules a job that looks up components of other entities. An animal that met its
// mate finds another one, by the reference of its mate.
type Meet struct {
	reader
	pairs *ecs.Query
	place *ecs.Lookup[Place]
	id    *ecs.Lookup[ID]
}

// Create makes the query and the lookups.
func (s *Meet) Create(u *system.Setup) error {
	s.pairs = u.Query(ecs.Write[Mate](), ecs.Read[Place](), ecs.Anywhere(ecs.Read[Place](), ecs.Read[ID]()))
	s.place, s.id = ecs.NewLookup[Place](s.pairs), ecs.NewLookup[ID](s.pairs)
	return nil
}

// Update schedules the job.
func (s *Meet) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	f.ParallelFor(s.pairs, s)
	return nil
}

// Chunk is the job.
func (s *Meet) Chunk(c *ecs.Chunk) {
	m, p := ecs.Column[Mate](c), ecs.ReadColumn[Place](c)
	for i, e := range m.With {
		q, ok := s.place.Get(e)
		if !ok {
			m.With[i], m.Distance[i] = c.Entities()[i], -1 // its mate is dead
			continue
		}
		dx, dy, dz := p.X[i]-q.X, p.Y[i]-q.Y, p.Z[i]-q.Z
		m.Distance[i] = float32(dx*dx) + float32(dy*dy) + float32(dz*dz)
		if id, ok := s.id.Get(e); ok {
			m.Distance[i] += float32(id.Value % 8)
		}
	}
}

// The buffers.
type (
	// Visit is an element of the memory of an animal. The chunk stores two of them inline.
	Visit struct {
		Tick uint32
		To   ecs.Entity
	}
	// Track is an element of a buffer that the chunk never stores.
	Track struct{ Depth uint8 }
)

// InlineCapacity returns the number of elements that the chunk stores.
func (Visit) InlineCapacity() int { return 2 }

// InlineCapacity returns 0, because the chunk stores no element.
func (Track) InlineCapacity() int { return 0 }

var buffers = Feature{
	Name:  "buffers",
	About: "buffers inside and outside of the chunk, with references; a job that changes their length; a lookup that only reads",
	Types: listTypes(ecs.With[ecs.Buffer[Visit]](), ecs.With[ecs.Buffer[Track]](), ecs.With[Archive]()),
	Give: func(_ *Keeper, animal int, e []any) []any {
		return append(e, ecs.BufferOf(make([]Visit, animal%4)...), ecs.BufferOf(make([]Track, animal%3)...))
	},
	Link: func(k *Keeper, animal int) error {
		if e := k.Animals[animal]; ecs.Has[ecs.Buffer[Visit]](k.World, e) {
			return ecs.AppendBuffer(k.World, e, Visit{To: k.Animals[animal*7%len(k.Animals)]})
		}
		return nil
	},
	Spawn: func(k *Keeper) error {
		_, err := ecs.CreateSingleton(k.World, Archive{})
		return err
	},
	Systems: []*system.Type{system.Of[Remember](), system.Of[Recall]()},
}

// Remember schedules a job that makes buffers longer and shorter.
type Remember struct {
	reader
	all *ecs.Query
}

// Create makes the query.
func (s *Remember) Create(u *system.Setup) error {
	s.all = u.Query(ecs.Write[ecs.Buffer[Visit]](), ecs.Write[ecs.Buffer[Track]](), ecs.Read[Mate](), ecs.Read[ID]())
	return nil
}

// Update schedules the job.
func (s *Remember) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	f.ParallelFor(s.all, s)
	return nil
}

// Chunk is the job.
func (s *Remember) Chunk(c *ecs.Chunk) {
	visits, tracks, mates := ecs.Column[ecs.Buffer[Visit]](c), ecs.Column[ecs.Buffer[Track]](c), ecs.ReadColumn[Mate](c)
	for i, id := range *ecs.ReadColumn[ID](c) {
		v, t := visits.At(i), tracks.At(i)
		switch random.BelowOf(s.roll(streamVisit, id), 12) {
		case 0, 1:
			v.Append(Visit{s.Tick, mates.With[i]})
		case 2:
			v.Insert(0, Visit{s.Tick, c.Entities()[i]})
		case 3:
			if v.Len() > 2 {
				v.RemoveSwap(0, 1)
				v.Trim()
			}
		case 4:
			t.Append(Track{uint8(id)}, Track{uint8(s.Tick)})
		case 5:
			t.Clear()
			t.Trim()
		case 6:
			v.Resize(min(v.Len(), 6))
			t.Resize(min(t.Len(), 9))
		}
	}
}

// Archive is a singleton with the length of all buffers that Recall has read, and with the number of rows in chunks
// whose buffers were written.
type Archive struct{ Visits, Changed uint32 }

// Recall reads the buffers of mates by a lookup that only reads, so that no change filter may show them.
type Recall struct {
	_                         system.After[Remember]
	animals, changed, archive *ecs.Query
	visits                    *ecs.Lookup[ecs.Buffer[Visit]]
}

// Create makes the queries.
func (s *Recall) Create(u *system.Setup) error {
	s.animals = u.Query(ecs.Read[Mate](), ecs.Anywhere(ecs.Read[ecs.Buffer[Visit]]()))
	s.visits = ecs.NewLookup[ecs.Buffer[Visit]](s.animals)
	s.changed = u.Query(ecs.With[ecs.Buffer[Visit]](), ecs.Changed[ecs.Buffer[Visit]]())
	s.archive = u.Query(ecs.Write[Archive]())
	u.Require(s.archive)
	return nil
}

// Update reads and counts.
func (s *Recall) Update(f *system.Frame) error {
	v, err := ecs.Singleton[Archive](s.archive)
	if err != nil {
		return err
	}
	before := f.World().Version() - 1 // this update has a newer version, and only it can write now
	for c := range s.animals.Chunks() {
		for _, e := range ecs.ReadColumn[Mate](c).With {
			if visits, ok := s.visits.Get(e); ok {
				v.Visits += uint32(visits.Len())
			}
			if s.visits.ChangedSince(e, before) {
				return fmt.Errorf("zoo: Recall has read the buffer of %v, and the buffer counts as written", e)
			}
		}
	}
	v.Changed += uint32(s.changed.Count())
	return ecs.SetSingleton(s.archive, v)
}
