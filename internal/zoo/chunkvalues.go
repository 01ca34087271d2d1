package zoo

import (
	"errors"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// The components of chunks, and the component that shows them to entities.
type (
	// Weather is plain.
	Weather struct {
		Rain   float64
		Lowest uint64
	}
	// Guard refers to an entity.
	Guard struct{ Of ecs.Entity }
	// Wet is the rain that an animal saw.
	Wet struct{ Value float64 }
)

// Column names the lane.
func (Wet) Column() (c []float64) { return }

var chunkValues = Feature{
	Name:  "chunk values",
	About: "components of chunks, also with a reference; a query for their entities",
	Types: listTypes(ecs.With[ecs.PerChunk[Weather]](), ecs.With[ecs.PerChunk[Guard]](), ecs.With[Wet](), ecs.With[ecs.ChunkHeader](), ecs.With[Patrolled]()),
	Give: func(_ *Keeper, _ int, e []any) []any {
		return append(e, ecs.PerChunk[Weather]{}, ecs.PerChunk[Guard]{}, Wet{})
	},
	Spawn: func(k *Keeper) error {
		q := k.World.Query(ecs.Write[ecs.PerChunk[Guard]]())
		for c := range q.Chunks() {
			ecs.SetChunkValue(c, Guard{c.Entities()[c.Len()-1]})
		}
		_, err := ecs.CreateSingleton(k.World, Patrolled{})
		return errors.Join(err, q.Close())
	},
	Systems: []*system.Type{system.Of[Rain](), system.Of[Soak](), system.Of[Patrol]()},
}

// Rain schedules a job that writes the components of chunks.
type Rain struct {
	reader
	chunks *ecs.Query
}

// Create makes the query.
func (s *Rain) Create(u *system.Setup) error {
	s.chunks = u.Query(ecs.Write[ecs.PerChunk[Weather]](), ecs.Write[ecs.PerChunk[Guard]](), ecs.Read[ID]())
	return nil
}

// Update schedules the job.
func (s *Rain) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	f.ParallelFor(s.chunks, s)
	return nil
}

// Chunk is the job.
func (s *Rain) Chunk(c *ecs.Chunk) {
	v := Weather{float64(ecs.ChunkValue[Weather](c).Rain/2) + float64(s.Tick%5), ^uint64(0)}
	for _, id := range *ecs.ReadColumn[ID](c) {
		v.Lowest = min(v.Lowest, id)
	}
	ecs.SetChunkValue(c, v)
	if s.Tick%4 == 1 || ecs.ChunkValue[Guard](c) == (Guard{}) {
		ecs.SetChunkValue(c, Guard{c.Entities()[c.Len()/2]})
	}
}

// Soak schedules a job that reads the components of chunks.
type Soak struct {
	_       system.After[Rain]
	animals *ecs.Query
}

// Create makes the query.
func (s *Soak) Create(u *system.Setup) error {
	s.animals = u.Query(ecs.Read[ecs.PerChunk[Weather]](), ecs.Read[ecs.PerChunk[Guard]](), ecs.Write[Wet]())
	return nil
}

// Update schedules the job.
func (s *Soak) Update(f *system.Frame) error {
	f.ParallelFor(s.animals, s)
	return nil
}

// Chunk is the job.
func (s *Soak) Chunk(c *ecs.Chunk) {
	rain := ecs.ChunkValue[Weather](c).Rain
	guard := ecs.ChunkValue[Guard](c).Of
	wet := *ecs.Column[Wet](c)
	for i, e := range c.Entities() {
		wet[i] = float64(wet[i]*0.5) + rain
		if e == guard {
			wet[i] = -wet[i]
		}
	}
}

// Patrolled is a singleton with sums over all chunks that have components.
type Patrolled struct {
	Rows  int64
	First int64 // of the indices of the first entities
}

// Patrol visits the entities of chunks, and through their headers the chunks.
type Patrol struct {
	headers, patrolled *ecs.Query
}

// Create makes the queries.
func (s *Patrol) Create(u *system.Setup) error {
	s.headers = u.Query(ecs.Read[ecs.ChunkHeader]())
	s.patrolled = u.Query(ecs.Write[Patrolled]())
	u.Require(s.patrolled)
	return nil
}

// Update adds up.
func (s *Patrol) Update(*system.Frame) error {
	v, err := ecs.Singleton[Patrolled](s.patrolled)
	if err != nil {
		return err
	}
	for c := range s.headers.Chunks() {
		for _, h := range *ecs.ReadColumn[ecs.ChunkHeader](c) {
			v.Rows += int64(h.Len())
			v.First += int64(h.Entities()[0].Index)
		}
	}
	return ecs.SetSingleton(s.patrolled, v)
}
