package zoo

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/random"
)

// Part is a part of a body with a linked group.
type Part struct {
	Of    ecs.Entity
	Wear  int32
	First ecs.Entity // the first part of the same body
}

// Column names the lanes.
func (Part) Column() (c struct {
	Of    []ecs.Entity
	Wear  []int32
	First []ecs.Entity
}) {
	return
}

// Born holds the tick in which an instance was created, and the number of instances that it has created so far.
type Born struct {
	Tick  uint32
	Times int32
	From  ecs.Entity // the prefab
}

// Column names the lanes.
func (Born) Column() (c struct {
	Tick  []uint32
	Times []int32
	From  []ecs.Entity
}) {
	return
}

// mostBorn is the largest number of instances of all prefabs together.
const mostBorn = 200

var linkedGroups = Feature{
	Name:  "linked groups",
	About: "prefabs, nested linked groups, instances that parallel command buffers make, inactive entities, ghosts, names",
	Types: listTypes(ecs.With[Part](), ecs.With[Born](), ecs.With[ecs.LinkedGroup](), ecs.With[ecs.Prefab](), ecs.With[ecs.OmitGroup](),
		ecs.With[ecs.Inactive](), ecs.With[ecs.Ghost]()),
	Spawn: func(k *Keeper) error {
		for i := range k.countFor(2, 6) {
			if err := spawnModel(k, i); err != nil {
				return err
			}
		}
		// A prefab without a group, one whose copies lose the group, an inactive group and a ghost.
		w := k.World
		w.Spawn(Born{}, ecs.Prefab{}, ecs.BufferOf(Visit{To: k.Animals[0]}))
		root := w.Spawn(Born{}, ecs.OmitGroup{}, ecs.Prefab{})
		part := w.Spawn(Part{Of: root}, ecs.Prefab{})
		if err := ecs.Add(w, root, ecs.BufferOf(ecs.Linked{Entity: root}, ecs.Linked{Entity: part})); err != nil {
			return err
		}
		w.Spawn(ID{2_000_000}, Body{}, Born{}, ecs.Ghost{})
		w.Spawn(ID{2_000_001}, Body{}, Born{}, ecs.Inactive{})
		return nil
	},
	Systems: []*system.Type{system.Of[Breed](), system.Of[Wear](), system.Of[Rest]()},
}

// spawnModel makes a prefab with parts and a nested group, and an instance of the prefab.
func spawnModel(k *Keeper, i int) error {
	w := k.World
	root := w.Spawn(Born{Tick: uint32(i)}, Herded{}, ecs.Prefab{})
	arm := w.Spawn(Part{Of: root, Wear: int32(i)}, ecs.Prefab{})
	hand := w.Spawn(Part{Of: arm, First: arm}, ecs.BufferOf(Visit{To: root}, Visit{To: k.Animals[0]}), ecs.Prefab{})
	if err := ecs.Set(w, root, Born{From: root}); err != nil {
		return err
	}
	if err := ecs.Add(w, root, ecs.BufferOf(ecs.Linked{Entity: root}, ecs.Linked{Entity: arm})); err != nil {
		return err
	}
	if err := ecs.Add(w, arm, ecs.BufferOf(ecs.Linked{Entity: arm}, ecs.Linked{Entity: hand})); err != nil {
		return err
	}
	for _, e := range []ecs.Entity{root, arm, hand} {
		if err := w.SetEntityName(e, fmt.Sprint("model ", i, " ", e.Index)); err != nil {
			return err
		}
	}
	_, err := w.Instantiate(root, 2)
	return err
}

// Herded marks a root.
type Herded struct{ Number int32 }

// Breed schedules a job that creates instances of prefabs. The job records commands in parallel,
// and refers to instances that do not exist yet. In other ticks, Breed destroys old instances on
// the owner's goroutine.
type Breed struct {
	reader
	models, born *ecs.Query
	record       ecs.ParallelCommands
}

// Create makes the queries.
func (s *Breed) Create(u *system.Setup) error {
	s.models = u.Query(ecs.Read[Born](), ecs.With[ecs.Prefab]())
	s.born = u.Query(ecs.Read[Born](), ecs.Without[ecs.Prefab]())
	return nil
}

// Update schedules the job, or destroys.
func (s *Breed) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	if s.Tick%3 == 0 && s.born.Count() < mostBorn {
		s.record = system.Commands[system.BeginPresentation](f).Parallel()
		f.ParallelFor(s.models, s)
		return nil
	}
	for c := range s.born.Chunks() {
		for i, tick := range ecs.ReadColumn[Born](c).Tick {
			if e := c.Entities()[i]; tick != 0 && tick+9 < s.Tick && random.BelowOf(s.roll(streamDeath, random.EntityID(e)), 6) == 0 {
				if err := f.Commands().Destroy(e); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Chunk is the job.
func (s *Breed) Chunk(c *ecs.Chunk) {
	later, models := s.record.For(c), c.Entities()
	for i, born := range ecs.ReadColumn[Born](c).Tick {
		if random.BelowOf(s.roll(streamBirth, random.EntityID(models[i])), 3) == 0 {
			continue
		}
		e, err := later.Instantiate(models[i])
		if err == nil {
			err = ecs.Set(later, e, Born{Tick: s.Tick, Times: int32(born), From: e})
		}
		if err == nil {
			_, err = later.Spawn(Part{Of: e, Wear: 100, First: models[i]}, Mortal{}, ID{uint64(3_000_000 + s.Tick)})
		}
		if err != nil {
			panic(err)
		}
	}
}

// Wear adds to the parts of bodies, If the body is gone, the part is destroyed.
type Wear struct {
	_ system.After[Breed]
	reader
	parts *ecs.Query
	roots *ecs.Lookup[Born]
}

// Create makes the query.
func (s *Wear) Create(u *system.Setup) error {
	s.parts = u.Query(ecs.Write[Part](), ecs.Anywhere(ecs.Read[Born]()))
	s.roots = ecs.NewLookup[Born](s.parts)
	return nil
}

// Update loops and records.
func (s *Wear) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	for c := range s.parts.Chunks() {
		p := ecs.Column[Part](c)
		for i, of := range p.Of {
			born, isRoot := s.roots.Get(of)
			p.Wear[i] += int32(born.Tick%3) + 1
			if !isRoot && !f.World().Exists(of) {
				if err := f.Commands().Destroy(c.Entities()[i]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Rest makes groups and animals inactive and active again, and writes to all parts of a group.
type Rest struct {
	_ system.After[Wear]
	reader
	roots, resting, worn *ecs.Query
}

// Create makes the queries.
func (s *Rest) Create(u *system.Setup) error {
	s.roots = u.Query(ecs.Read[Born](), ecs.With[ecs.LinkedGroup]())
	s.resting = u.Query(ecs.Read[Born](), ecs.With[ecs.Inactive]())
	s.worn = u.Query(ecs.Write[Part](), ecs.IncludeInactive())
	return nil
}

// Update loops and records.
func (s *Rest) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	for _, q := range []*ecs.Query{s.roots, s.resting} {
		for c := range q.Chunks() {
			for _, e := range c.Entities() {
				switch id := random.EntityID(e); {
				case s.isDrawn(streamRest, id, 7):
					if err := f.Commands().SetActive(e, q == s.resting); err != nil {
						return err
					}
				case q == s.roots && s.isDrawn(streamRest+100, id, 5):
					if err := ecs.SetAll(f.Commands(), ecs.LinkedTo(e, s.worn), Part{Of: e, Wear: int32(s.Tick)}); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}
