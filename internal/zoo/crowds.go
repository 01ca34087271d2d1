package zoo

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/internal/crowd"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
	"github.com/lanewise/lanewise/near"
	"github.com/lanewise/lanewise/random"
)

// Crowded holds the sums over the neighbours of an animal.
type Crowded struct {
	Near  float32
	Count int32
	Heat  float32
}

// Column names the lanes.
func (Crowded) Column() (c struct {
	Near  []float32
	Count []int32
	Heat  []float32
}) {
	return
}

// Map is a resource: the grid of all places, and the heat of each of its cells. Images do not
// contain resources. So the grid is built again in each tick, and the system Warm saves the heat,
// because the hash of the world includes the heat.
type Map struct {
	grid *near.Grid[float32]
	mass []float32
	heat [64]float32
}

// Hash is a part of the hash of the world.
func (m *Map) Hash() uint64 {
	h := uint64(0)
	for _, x := range m.heat {
		h = h*31 + uint64(math.Float32bits(x))
	}
	return h
}

// crowds is the feature with resources, jobs without queries, and kernels of lanec.
var crowds = Feature{
	Name:    "crowds",
	About:   "a resource with a hash, a grid, jobs without queries, a kernel of lanec",
	Types:   listTypes(ecs.With[Crowded]()),
	Give:    func(_ *Keeper, _ int, e []any) []any { return append(e, Crowded{}) },
	Systems: []*system.Type{system.Of[Survey](), system.Of[Warm](), system.Of[Push]()},
}

// Survey builds the grid in a single job. The job reads the places that the system has collected with a query.
type Survey struct {
	_       system.After[Move]
	places  *ecs.Query
	land    *system.Resource[Map]
	access  *access.Access
	x, y, z []float32
	mass    []float32
	pool    *jobs.Pool
}

// Create makes the queries and the access.
func (s *Survey) Create(u *system.Setup) error {
	s.land = system.ResourceOf[Map](u.World())
	s.places = u.Query(ecs.Read[Place](), ecs.Read[ID](), ecs.IncludeGhosts())
	s.access = u.Access(ecs.Write[system.Resource[Map]]())
	s.pool = u.World().Pool()
	return nil
}

// Update collects the places and schedules the job.
func (s *Survey) Update(f *system.Frame) error {
	s.x, s.y, s.z, s.mass = s.x[:0], s.y[:0], s.z[:0], s.mass[:0]
	for c := range s.places.Chunks() {
		p := ecs.ReadColumn[Place](c)
		s.x, s.y, s.z = append(s.x, p.X...), append(s.y, p.Y...), append(s.z, p.Z...)
		for _, id := range *ecs.ReadColumn[ID](c) {
			s.mass = append(s.mass, float32(1+id%5))
		}
	}
	f.Schedule(s, s.access)
	return nil
}

// Run is the job.
func (s *Survey) Run(*jobs.Task) {
	m := s.land.WriteBy(s.access)
	if m.grid == nil {
		m.grid = near.New(near.Space[float32]{Dims: 3, High: near.Point[float32]{X: cage, Y: cage, Z: cage}, Cell: 1})
	}
	m.grid.Build(s.x, s.y, s.z)
	m.mass = append(m.mass[:0], s.mass...)
}

// Warm schedules a job over a range, which writes the heat of the resource.
type Warm struct {
	_ system.After[Survey]
	reader
	land   *system.Resource[Map]
	access *access.Access
}

// Create makes the access.
func (s *Warm) Create(u *system.Setup) error {
	s.land = system.ResourceOf[Map](u.World())
	s.access = u.Access(ecs.Write[system.Resource[Map]]())
	return nil
}

// Update schedules the job.
func (s *Warm) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	f.ParallelRange(s, len(Map{}.heat), 8, s.access)
	return nil
}

// RunRange is the job.
func (s *Warm) RunRange(_ *jobs.Task, lo, hi int) {
	m := s.land.WriteBy(s.access)
	for i := lo; i < hi; i++ {
		m.heat[i] = float32(m.heat[i]*0.5) + random.UniformOf[float32](s.roll(streamOrder, uint64(i)))
	}
}

// AppendState writes the heat.
func (s *Warm) AppendState(out []byte) []byte {
	for _, x := range s.land.Read().heat {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return out
}

// LoadState reads the heat.
func (s *Warm) LoadState(in []byte) error {
	m := s.land.Write()
	if len(in) != 4*len(m.heat) {
		return errors.New("zoo: the state of Warm has four bytes for each cell")
	}
	for i := range m.heat {
		m.heat[i] = math.Float32frombits(binary.LittleEndian.Uint32(in[4*i:]))
	}
	return nil
}

// Push schedules a job that reads the resource. The job adds up the masses of neighbours twice:
// with a search, and with a kernel that lanec has compiled.
type Push struct {
	_      system.After[Warm]
	crowds *ecs.Query
	land   *system.Resource[Map]
}

// Create makes the query.
func (s *Push) Create(u *system.Setup) error {
	s.land = system.ResourceOf[Map](u.World())
	s.crowds = u.Query(ecs.Write[Crowded](), ecs.Read[Place](), ecs.Read[system.Resource[Map]]())
	return nil
}

// Update schedules the job.
func (s *Push) Update(f *system.Frame) error {
	f.ParallelFor(s.crowds, s)
	return nil
}

// Chunk is the job.
func (s *Push) Chunk(c *ecs.Chunk) {
	m, p, n := s.land.ReadIn(c), ecs.ReadColumn[Place](c), ecs.Column[Crowded](c)
	var found []near.Found[float32]
	for i := range n.Count {
		found = m.grid.AppendWithin(found[:0], near.Point[float32]{X: p.X[i], Y: p.Y[i], Z: p.Z[i]}, 0.75)
		n.Count[i] = int32(len(found))
		for _, f := range found {
			n.Count[i] += int32(m.mass[f.ID])
		}
		n.Heat[i] = float32(n.Heat[i]*0.75) + m.heat[n.Count[i]&63]
	}
	few := min(len(m.mass), 16)
	at := m.grid.At()
	crowd.Near(n.Near, p.X, p.Y, p.Z, at.X[:few], at.Y[:few], at.Z[:few], m.mass[:few], 4)
}

// Seed marks entities that jobs create with sort keys. It refers to a seed of another task.
type Seed struct {
	Next ecs.Entity
	Key  int32
	Tick uint32
}

// Column names the lanes.
func (Seed) Column() (c struct {
	Next []ecs.Entity
	Key  []int32
	Tick []uint32
}) {
	return
}

// seeds is a feature of the test world. It contains special command buffers: jobs without queries
// record them, they are played back twice, and they refer to entities that the same buffer creates.
var seeds = Feature{
	Name:    "seeds",
	About:   "command buffers with sort keys, deferred references and two playbacks; commands for all matches",
	Types:   listTypes(ecs.With[Seed]()),
	Spawn:   func(k *Keeper) error { k.World.Spawn(Seed{}); return nil },
	Systems: []*system.Type{system.Of[Sow](), system.Of[Twice]()},
}

// Sow records with sort keys, and destroys all seeds from time to time.
type Sow struct {
	reader
	old    *ecs.Query
	shape  ecs.Archetype
	record ecs.ParallelCommands
}

// Create makes the query.
func (s *Sow) Create(u *system.Setup) error {
	s.old = u.Query(ecs.Read[Seed]())
	return nil
}

// Update schedules the job.
func (s *Sow) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	switch s.Tick % 5 {
	case 1:
		s.shape = f.World().Archetype(ecs.With[Seed](), ecs.With[ID]())
		s.record = system.Commands[system.EndSimulation](f).Parallel()
		f.ParallelRange(s, 9, 2, nil)
	case 4:
		return ecs.DestroyAll(f.Commands(), ecs.Matching(s.old))
	}
	return nil
}

// RunRange is the job.
func (s *Sow) RunRange(t *jobs.Task, lo, hi int) {
	later := s.record.ForKey(t, t.Lo())
	var last ecs.Entity
	for i := lo; i < hi; i++ {
		e, err := later.Create(s.shape)
		if err == nil {
			err = ecs.Set(later, e, Seed{last, int32(i), s.Tick})
		}
		if err == nil {
			err = ecs.Set(later, e, ID{uint64(4_000_000 + i)})
		}
		if err != nil {
			panic(err)
		}
		last = e
	}
}

// Twice is a system that plays the same buffer back two times. It records one buffer anew each time, and another one
// only once, which a Restore must not empty.
type Twice struct {
	_ system.After[Sow]
	reader
	later, kept *ecs.Commands
}

// Create records the buffer that stays as it is.
func (s *Twice) Create(u *system.Setup) error {
	s.kept = u.World().NewCommands()
	s.kept.SetMultiPlayback(true)
	a, err := s.kept.Spawn(Seed{Key: -3})
	if err != nil {
		return err
	}
	_, err = s.kept.Spawn(Seed{Next: a, Key: -4})
	return err
}

// Update records and plays back.
func (s *Twice) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	if s.Tick%5 == 0 {
		return s.kept.Playback(f.World())
	}
	if s.Tick%5 != 2 {
		return nil
	}
	if s.later == nil {
		s.later = f.World().NewCommands()
	}
	s.later.Reset()
	s.later.SetMultiPlayback(true)
	a, err := s.later.Spawn(Seed{Key: -1, Tick: s.Tick})
	if err != nil {
		return err
	}
	if _, err := s.later.Spawn(Seed{Next: a, Key: -2, Tick: s.Tick}); err != nil {
		return err
	}
	return errors.Join(s.later.Playback(f.World()), s.later.Playback(f.World()))
}
