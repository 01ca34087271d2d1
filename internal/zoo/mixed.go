package zoo

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// The components with two markers, and the singleton that shows them.
type (
	// Mood is managed and can be switched.
	Mood struct {
		ecs.Managed
		ecs.Enableable
		Text string
	}
	// Spot is an element of a buffer that can be switched.
	Spot struct {
		ecs.Enableable
		On ecs.Entity
	}
	// Diary is managed and outlives its entity.
	Diary struct {
		ecs.Managed
		ecs.Cleanup
		Text string
	}
	// Ashes is a component of a chunk that outlives the chunk.
	Ashes struct {
		ecs.Cleanup
		Weight int32
	}
	// Cemetery adds up the values that dead entities and chunks leave.
	Cemetery struct {
		Diaries, Ashes, Moods, Spots int32
		Letters                      int64
	}
)

// Column names the values.
func (Mood) Column() (c []Mood) { return }

// Column names the values.
func (Diary) Column() (c []Diary) { return }

var mixed = Feature{
	Name:  "mixed kinds",
	About: "managed components that can be switched or outlive their entity, buffers that can be switched, components that outlive their chunk",
	Types: listTypes(ecs.With[Mood](), ecs.With[ecs.Buffer[Spot]](), ecs.With[Diary](), ecs.With[ecs.PerChunk[Ashes]](), ecs.With[Cemetery]()),
	Give: func(_ *Keeper, animal int, e []any) []any {
		return append(e, Mood{Text: fmt.Sprint("mood ", animal%7)}, ecs.BufferOf(make([]Spot, animal%3)...))
	},
	Link: func(k *Keeper, animal int) error {
		e := k.Animals[animal]
		if !ecs.Has[Mood](k.World, e) {
			return nil
		}
		if err := ecs.SetEnabled[Mood](k.World, e, animal%3 != 0); err != nil {
			return err
		}
		return ecs.AppendBuffer(k.World, e, Spot{On: k.Animals[animal/2]})
	},
	Spawn: func(k *Keeper) error {
		if _, err := ecs.CreateSingleton(k.World, Cemetery{}); err != nil {
			return err
		}
		for i := range k.countFor(20, 100) {
			k.World.Spawn(ID{uint64(5_000_000 + i)}, Mortal{}, Diary{Text: fmt.Sprint("page ", i)}, ecs.PerChunk[Ashes]{Value: Ashes{Weight: int32(i)}}, Herd{Number: int32(i % 3)})
		}
		return nil
	},
	Systems: []*system.Type{system.Of[Swing](), system.Of[Bury]()},
	Codecs: []Codec{
		codec(
			func(out []byte, v *Mood) ([]byte, error) { return append(out, v.Text...), nil },
			func(in []byte, v *Mood) error { v.Text = string(in); return nil }),
		codec(
			func(out []byte, v *Diary) ([]byte, error) { return append(out, v.Text...), nil },
			func(in []byte, v *Diary) error { v.Text = string(in); return nil }),
	},
}

// Swing switches moods and spots, and writes them while they are on.
type Swing struct {
	reader
	moods *ecs.Query
}

// Create makes the query.
func (s *Swing) Create(u *system.Setup) error {
	s.moods = u.Query(ecs.Write[Mood](), ecs.Write[ecs.Buffer[Spot]](), ecs.Read[ID](), ecs.IgnoreEnabled())
	return nil
}

// Update schedules the job.
func (s *Swing) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	f.ParallelFor(s.moods, s)
	return nil
}

// Chunk is the job.
func (s *Swing) Chunk(c *ecs.Chunk) {
	moods, spots := *ecs.Column[Mood](c), ecs.Column[ecs.Buffer[Spot]](c)
	for i, id := range *ecs.ReadColumn[ID](c) {
		if !s.isDrawn(streamMood, id, 6) {
			continue
		}
		on := ecs.EnabledAt[Mood](c, i)
		ecs.SetEnabledAt[Mood](c, i, !on)
		ecs.SetEnabledAt[ecs.Buffer[Spot]](c, i, on)
		if on {
			moods[i] = Mood{Text: fmt.Sprint("mood ", s.Tick)}
		} else if b := spots.At(i); b.Len() < 5 {
			b.Append(Spot{On: c.Entities()[i]})
		}
	}
}

// Bury counts everything in the singleton, and removes the rest of dead entities and of chunks.
type Bury struct {
	_ system.After[Die]
	_ system.After[Swing]
	reader
	diaries, ashes, moods, spots, cemetery *ecs.Query
}

// Create makes the queries.
func (s *Bury) Create(u *system.Setup) error {
	s.diaries = u.Query(ecs.Read[Diary](), ecs.Without[ID]())
	s.ashes = u.Query(ecs.With[Ashes](), ecs.Without[ecs.ChunkHeader]())
	s.moods = u.Query(ecs.Read[Mood]())
	s.spots = u.Query(ecs.Read[ecs.Buffer[Spot]]())
	s.cemetery = u.Query(ecs.Write[Cemetery]())
	u.Require(s.cemetery)
	return nil
}

// Update counts and records.
func (s *Bury) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	v, err := ecs.Singleton[Cemetery](s.cemetery)
	if err != nil {
		return err
	}
	for c := range s.moods.Chunks() {
		moods := *ecs.ReadColumn[Mood](c)
		for i := range c.Rows() {
			v.Letters += int64(len(moods[i].Text))
		}
	}
	v.Moods, v.Spots = int32(s.moods.Count()), int32(s.spots.Count())
	for c := range s.diaries.Chunks() {
		for i, d := range *ecs.ReadColumn[Diary](c) {
			if s.Tick%4 == 0 {
				v.Diaries++
				v.Letters += int64(len(d.Text))
				if _, err := ecs.Remove[Diary](f.Commands(), c.Entities()[i]); err != nil {
					return err
				}
			}
		}
	}
	for c := range s.ashes.Chunks() {
		for _, e := range c.Entities() {
			v.Ashes++
			if _, err := ecs.Remove[Ashes](f.Commands(), e); err != nil {
				return err
			}
		}
	}
	return ecs.SetSingleton(s.cemetery, v)
}

// Known is the length of the name of an animal.
type Known struct{ Length int32 }

// Column names the lane.
func (Known) Column() (c []int32) { return }

var names = Feature{
	Name: "names", About: "names of entities, which change and are taken away",
	Types: listTypes(ecs.With[Known]()),
	Give:  func(_ *Keeper, _ int, e []any) []any { return append(e, Known{}) },
	Link: func(k *Keeper, animal int) error {
		if animal%3 == 2 || animal > 500 {
			return nil
		}
		return k.World.SetEntityName(k.Animals[animal], fmt.Sprint("animal ", animal))
	},
	Systems: []*system.Type{system.Of[Christen]()},
}

// Christen names animals, and writes the length of each name.
type Christen struct {
	reader
	animals *ecs.Query
}

// Create makes the query.
func (s *Christen) Create(u *system.Setup) error {
	s.animals = u.Query(ecs.Write[Known](), ecs.Read[ID]())
	return nil
}

// Update loops and names.
func (s *Christen) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	type naming struct {
		e    ecs.Entity
		name string
	}
	var list []naming
	for c := range s.animals.Chunks() {
		known := *ecs.Column[Known](c)
		for i, id := range *ecs.ReadColumn[ID](c) {
			e := c.Entities()[i]
			known[i] = int32(len(f.World().EntityName(e)))
			if id > 500 || !s.isDrawn(streamName, id, 10) {
				continue
			}
			n := naming{e: e}
			if known[i] == 0 {
				n.name = fmt.Sprint("animal ", id, " of ", s.Tick)
			}
			list = append(list, n)
		}
	}
	for _, n := range list {
		if err := f.World().SetEntityName(n.e, n.name); err != nil {
			return err
		}
	}
	return nil
}
