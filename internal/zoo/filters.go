package zoo

import (
	"encoding/binary"
	"errors"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/random"
)

// Census is a singleton that systems with filters write.
type Census struct {
	Changed, Lonely uint32
}

// filters is a feature of the test world. It contains filters, spans, hooks of a system, a system
// that has state, a private world that a transaction fills, and sorted rows.
var filters = Feature{
	Name:  "filters",
	About: "change filters, spans, Require, StartRunning and StopRunning, a Saver, a transaction, OrderBy and Swap",
	Types: listTypes(ecs.With[Census](), ecs.With[Tour](), ecs.With[Rank]()),
	Spawn: func(k *Keeper) error {
		for i := range int32(5) {
			k.World.Spawn(Rank{i})
		}
		_, err := ecs.CreateSingleton(k.World, Census{})
		return err
	},
	Systems: []*system.Type{
		system.Of[Watch](), system.Of[Span](), system.Of[Lonely](), system.Of[Stateful](), system.Of[Immigrate](), system.Of[Arrange](),
	},
}

// Watch counts the chunks that changed.
type Watch struct {
	_                 system.Last[system.Simulation]
	census            *ecs.Query
	parts             *ecs.Query
	mates, awake, ids *ecs.Query
	instance          *system.Instance
}

// Create makes the queries.
func (s *Watch) Create(u *system.Setup) error {
	s.census = u.Query(ecs.Write[Census]())
	s.parts = u.Query(ecs.Read[Part](), ecs.Optional(ecs.Read[ecs.Buffer[Visit]]()), ecs.Changed[Part]())
	s.mates = u.Query(ecs.Read[Mate](), ecs.Read[Place](), ecs.ChangedAny(ecs.With[Mate](), ecs.With[Place]()))
	s.awake = u.Query(ecs.With[Awake](), ecs.Changed[Awake]())
	s.ids = u.Query(ecs.Read[ID]())
	s.instance = u.Instance()
	u.Require(s.census)
	return nil
}

// Update counts.
func (s *Watch) Update(*system.Frame) error {
	v, err := ecs.Singleton[Census](s.census)
	if err != nil {
		return err
	}
	for _, q := range []*ecs.Query{s.parts, s.mates, s.awake} {
		for c := range q.Chunks() {
			v.Changed += uint32(c.Len())
		}
	}
	for c := range s.ids.Chunks() {
		if ecs.ChangedSince[ID](c, s.instance.LastVersion()) {
			v.Changed += 1000
		}
	}
	return ecs.SetSingleton(s.census, v)
}

// Flow is a singleton. It counts the rows in chunks to which rows were added or from which rows were removed.
type Flow struct{ Moved uint32 }

// orderFilters is the feature with queries for chunks to which rows were added or from which rows were removed. After
// Compact, these are all chunks.
var orderFilters = Feature{
	Name:  "order filters",
	About: "filters of rows that came or went",
	Types: listTypes(ecs.With[Flow]()),
	Spawn: func(k *Keeper) error {
		_, err := ecs.CreateSingleton(k.World, Flow{})
		return err
	},
	Systems: []*system.Type{system.Of[Migrate]()},
}

// Migrate counts the rows in chunks to which rows were added or from which rows were removed.
type Migrate struct {
	_                 system.Last[system.Simulation]
	flow, hungry, ids *ecs.Query
	instance          *system.Instance
}

// Create makes the queries.
func (s *Migrate) Create(u *system.Setup) error {
	s.flow = u.Query(ecs.Write[Flow]())
	s.hungry = u.Query(ecs.With[Hungry](), ecs.OrderChanged())
	s.ids = u.Query(ecs.Read[ID]())
	s.instance = u.Instance()
	u.Require(s.flow)
	return nil
}

// Update counts.
func (s *Migrate) Update(*system.Frame) error {
	v, err := ecs.Singleton[Flow](s.flow)
	if err != nil {
		return err
	}
	for c := range s.hungry.Chunks() {
		v.Moved += uint32(c.MatchCount())
	}
	for c := range s.ids.Chunks() {
		if c.OrderChangedSince(s.instance.LastVersion()) {
			v.Moved += 1000
		}
	}
	return ecs.SetSingleton(s.flow, v)
}

// Span schedules a job over spans of chunks.
type Span struct {
	steps *ecs.Query
}

// Create makes the query.
func (s *Span) Create(u *system.Setup) error {
	s.steps = u.Query(ecs.Write[Body](), ecs.With[ID]())
	return nil
}

// Update schedules the job, and tells the world about it.
func (s *Span) Update(f *system.Frame) error {
	return f.Track(s.steps.ParallelForSpans(s), s.steps.Access())
}

// Run is the job. The result does not depend on how many chunks are in a span.
func (s *Span) Run(c *ecs.Chunk) {
	steps := ecs.Column[Body](c).Steps
	for i := range steps {
		steps[i] ^= 5
	}
}

// Lonely runs only while there are seeds that jobs have created. It implements the hooks for starts and stops.
type Lonely struct {
	reader
	seeds, census *ecs.Query
	running       int
}

// Create makes the queries.
func (s *Lonely) Create(u *system.Setup) error {
	s.seeds = u.Query(ecs.With[Seed](), ecs.With[ID]())
	s.census = u.Query(ecs.Write[Census]())
	u.Require(s.seeds, s.census)
	return nil
}

// StartRunning counts starts outside of the world, because images do not store whether a system runs.
func (s *Lonely) StartRunning(*system.Frame) error {
	s.running++
	return nil
}

// StopRunning counts stops.
func (s *Lonely) StopRunning(*system.Frame) error {
	s.running--
	return nil
}

// Update counts.
func (s *Lonely) Update(*system.Frame) error {
	v, err := ecs.Singleton[Census](s.census)
	if err != nil {
		return err
	}
	if v.Lonely++; s.running != 1 {
		return errors.New("zoo: Lonely updates, and its StartRunning was not called once more than its StopRunning")
	}
	return ecs.SetSingleton(s.census, v)
}

// Tour is a component that a system with state adds to entities.
type Tour struct{ Stop uint32 }

// Column names the lane.
func (Tour) Column() (c []uint32) { return }

// Stateful keeps a number in a field. It is a system.Saver, so that images contain the field.
type Stateful struct {
	count uint32
	tours *ecs.Query
}

// Create makes the query.
func (s *Stateful) Create(u *system.Setup) error {
	s.tours = u.Query(ecs.Write[Tour]())
	return nil
}

// Update counts, and spawns or writes.
func (s *Stateful) Update(f *system.Frame) error {
	s.count += 3
	if s.count%7 == 0 && s.tours.Count() < 50 {
		_, err := f.Commands().Spawn(Tour{s.count})
		return err
	}
	for c := range s.tours.Chunks() {
		stops := *ecs.Column[Tour](c)
		for i := range stops {
			stops[i] += s.count
		}
	}
	return nil
}

// AppendState writes the count.
func (s *Stateful) AppendState(out []byte) []byte {
	return binary.LittleEndian.AppendUint32(out, s.count)
}

// LoadState reads the count.
func (s *Stateful) LoadState(in []byte) error {
	trigger()
	if len(in) != 4 {
		return errors.New("zoo: the state of Stateful has four bytes")
	}
	s.count = binary.LittleEndian.Uint32(in)
	return nil
}

// Immigrate fills another world by the job of a transaction, and moves its entities into this one.
type Immigrate struct {
	reader
	tours *ecs.Query
}

// Create makes the query.
func (s *Immigrate) Create(u *system.Setup) error {
	s.tours = u.Query(ecs.Read[Tour]())
	return nil
}

// Update fills and moves.
func (s *Immigrate) Update(f *system.Frame) (err error) {
	if err := s.open(f); err != nil {
		return err
	}
	if s.Tick%11 != 5 || s.tours.Count() > 80 {
		return nil
	}
	other := ecs.NewWorld("immigrants", ecs.OnPool(f.World().Pool()))
	defer func() { err = errors.Join(err, other.Close()) }()
	filling, err := ecs.BeginTransaction(other)
	if err != nil {
		return err
	}
	filling.Schedule(ecs.TransactionFunc(func(w *ecs.World) error {
		var last ecs.Entity
		for i := range 5 {
			last = w.Spawn(Tour{s.Tick}, Seed{Next: last, Key: int32(i)}, Herd{Number: int32(i % 2)}, Paint{Hue: 40 + int32(i%2)}, ecs.BufferOf(Visit{s.Tick, last}))
		}
		return nil
	}))
	if err := filling.End(); err != nil {
		return err
	}
	return ecs.MoveEntities(f.World(), other, nil)
}

// Rank is a component of entities that only OrderBy moves.
type Rank struct{ Number int32 }

// Column names the lane.
func (Rank) Column() (c []int32) { return }

// Arrange sorts the rows of animals from time to time, and swaps two of them. It sorts the ranks in each second tick.
type Arrange struct {
	reader
	animals, ranks *ecs.Query
}

// Create makes the query.
func (s *Arrange) Create(u *system.Setup) error {
	s.animals = u.Query(ecs.Read[ID](), ecs.Read[Place]())
	s.ranks = u.Query(ecs.Read[Rank]())
	return nil
}

// Update sorts.
func (s *Arrange) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	if s.Tick%2 == 0 {
		return ecs.OrderBy(f.World(), s.ranks, func(c *ecs.Chunk, keys []uint64) {
			for i, n := range *ecs.ReadColumn[Rank](c) {
				keys[i] = random.BelowOf(s.roll(streamOrder, uint64(n)), uint64(1000))
			}
		})
	}
	switch s.Tick % 4 {
	case 3:
		return ecs.OrderBy(f.World(), s.animals, func(c *ecs.Chunk, keys []uint64) {
			for i, id := range *ecs.ReadColumn[ID](c) {
				keys[i] = random.BelowOf(s.roll(streamOrder, id), uint64(16))
			}
		})
	case 1:
		var a, b ecs.Entity
		for c := range s.animals.Chunks() {
			if c.Len() > 1 {
				a, b = c.Entities()[0], c.Entities()[c.Len()-1]
				break
			}
		}
		if !a.IsZero() {
			return f.World().Swap(a, b)
		}
	}
	return nil
}
