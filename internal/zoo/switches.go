package zoo

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// The components that can be switched.
type (
	// Awake animals do not dream.
	Awake struct {
		ecs.Enableable
		Since int32
	}
	// Blink is a tag.
	Blink struct{ ecs.Enableable }
	// Dreams counts the ticks of sleep.
	Dreams struct{ Count int32 }
)

// Column names the lane.
func (Awake) Column() (c struct{ Since []int32 }) { return }

// Column names the lane.
func (Dreams) Column() (c []int32) { return }

var switches = Feature{
	Name:  "switches",
	About: "enableable components with and without data; jobs that switch, and that visit runs of rows",
	Types: listTypes(ecs.With[Awake](), ecs.With[Blink](), ecs.With[Dreams]()),
	Give:  func(_ *Keeper, _ int, e []any) []any { return append(e, Awake{}, Blink{}, Dreams{}) },
	Link: func(k *Keeper, animal int) error {
		if e := k.Animals[animal]; animal%3 == 1 && ecs.Has[Blink](k.World, e) {
			return ecs.SetEnabled[Blink](k.World, e, false)
		}
		return nil
	},
	Systems: []*system.Type{system.Of[Sleep](), system.Of[Dream]()},
}

// Sleep schedules a job that enables and disables components.
type Sleep struct {
	reader
	all *ecs.Query
}

// Create makes the query.
func (s *Sleep) Create(u *system.Setup) error {
	s.all = u.Query(ecs.Write[Awake](), ecs.Write[Blink](), ecs.Read[ID](), ecs.IgnoreEnabled())
	return nil
}

// Update schedules the job.
func (s *Sleep) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	f.ParallelFor(s.all, s)
	return nil
}

// Chunk is the job.
func (s *Sleep) Chunk(c *ecs.Chunk) {
	awake := ecs.Column[Awake](c)
	for i, id := range *ecs.ReadColumn[ID](c) {
		if s.isDrawn(streamSleep, id, 5) {
			on := !ecs.EnabledAt[Awake](c, i)
			ecs.SetEnabledAt[Awake](c, i, on)
			awake.Since[i] = int32(s.Tick)
		}
		ecs.SetEnabledAt[Blink](c, i, (uint32(id)+s.Tick)%3 != 0)
	}
}

// Dream schedules a job over the matching rows, which a mask selects. The job counts the ticks
// in which an animal sleeps with open eyes.
type Dream struct {
	_        system.After[Sleep]
	sleeping *ecs.Query
}

// Create makes the query.
func (s *Dream) Create(u *system.Setup) error {
	s.sleeping = u.Query(ecs.Write[Dreams](), ecs.Disabled[Awake](), ecs.With[Blink]())
	return nil
}

// Update schedules the job.
func (s *Dream) Update(f *system.Frame) error {
	f.ParallelFor(s.sleeping, s)
	return nil
}

// Chunk is the job.
func (s *Dream) Chunk(c *ecs.Chunk) {
	n := *ecs.Column[Dreams](c)
	for lo, hi := range c.Runs() {
		for i := lo; i < hi; i++ {
			n[i] += int32(hi - lo)
		}
	}
}
