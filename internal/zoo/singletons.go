package zoo

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// The components of feature singletons.
type (
	// Dial is a singleton that a job turns. Another system reads it without a job.
	Dial struct{ Turns, Read uint32 }
	// Lamp is on in at most one of several entities, which is a singleton then.
	Lamp struct {
		ecs.Enableable
		Lit  uint32
		Next ecs.Entity
	}
	// Crown is a singleton that is created anew from time to time. A prefab has a Crown too.
	Crown struct{ Reigns uint32 }
)

// Column names the lanes.
func (Dial) Column() (c struct{ Turns, Read []uint32 }) { return }

// Column names the lanes.
func (Lamp) Column() (c struct {
	Lit  []uint32
	Next []ecs.Entity
}) {
	return
}

var singletons = Feature{
	Name:  "singletons",
	About: "a singleton that a job writes, one that is on in one row of several, and one that is created anew",
	Types: listTypes(ecs.With[Dial](), ecs.With[Lamp](), ecs.With[Crown]()),
	Spawn: spawnSingletons,
	Systems: []*system.Type{
		system.Of[Wind](), system.Of[Tell](), system.Of[Pass](), system.Of[Succeed](),
	},
}

// spawnSingletons makes the dial, a ring of lamps of which one is on, and the prefab with a crown.
func spawnSingletons(k *Keeper) error {
	w := k.World
	if _, err := ecs.CreateSingleton(w, Dial{}); err != nil {
		return err
	}
	w.Spawn(Crown{}, ecs.Prefab{})
	var ring []ecs.Entity
	for range 3 + k.countFor(60, 100) { // more rows than a word of a mask has
		ring = append(ring, w.Spawn(Lamp{}))
	}
	for i, e := range ring {
		if err := ecs.Set(w, e, Lamp{Next: ring[(i+7)%len(ring)]}); err != nil {
			return err
		}
		if err := ecs.SetEnabled[Lamp](w, e, i == 1); err != nil {
			return err
		}
	}
	return nil
}

// Wind schedules a job that turns the dial.
type Wind struct {
	reader
	dial *ecs.Query
}

// Create makes the query.
func (s *Wind) Create(u *system.Setup) error {
	s.dial = u.Query(ecs.Write[Dial]())
	return nil
}

// Update schedules the job.
func (s *Wind) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	f.ParallelFor(s.dial, s)
	return nil
}

// Chunk is the job.
func (s *Wind) Chunk(c *ecs.Chunk) {
	turns := ecs.Column[Dial](c).Turns
	for i := range turns {
		turns[i] = 3*turns[i] + s.Tick
	}
}

// Tell reads the dial as soon as the job of Wind is scheduled, and stores the sum of all values.
type Tell struct {
	_    system.After[Wind]
	dial *ecs.Query
}

// Create makes the query.
func (s *Tell) Create(u *system.Setup) error {
	s.dial = u.Query(ecs.Write[Dial]())
	u.Require(s.dial)
	return nil
}

// Update reads and writes.
func (s *Tell) Update(*system.Frame) error {
	v, err := ecs.Singleton[Dial](s.dial)
	if err != nil {
		return err
	}
	v.Read += v.Turns
	return ecs.SetSingleton(s.dial, v)
}

// Pass lets a job switch off the lamp that is on, and switch on the next lamp. In one tick of six
// all lamps are off.
type Pass struct {
	reader
	lit, all *ecs.Query
	lamps    *ecs.Lookup[Lamp]
	off, on  ecs.Entity
}

// Create makes the queries.
func (s *Pass) Create(u *system.Setup) error {
	s.lit = u.Query(ecs.Read[Lamp]())
	s.all = u.Query(ecs.With[Lamp](), ecs.IgnoreEnabled(), ecs.Anywhere(ecs.Write[Lamp]()))
	s.lamps = ecs.NewLookup[Lamp](s.all)
	u.Require(s.all)
	return nil
}

// Update finds the lamp that is on, and schedules the job.
func (s *Pass) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	on, is := s.lit.FindSingle()
	if !is { // a lamp that depends on the tick
		list := s.all.AppendEntities(nil)
		s.off, s.on = ecs.Entity{}, list[int(s.Tick)%len(list)]
	} else {
		v, err := ecs.Get[Lamp](f.World(), on)
		if err != nil {
			return err
		}
		if is, err := ecs.Enabled[Lamp](f.World(), on); err != nil || !is {
			return fmt.Errorf("zoo: Pass: the query for the lamp that is on returns %v, which is on: %v (%v)", on, is, err)
		}
		if s.off, s.on = on, v.Next; s.Tick%6 == 5 {
			s.on = ecs.Entity{}
		}
	}
	f.ParallelFor(s.all, s)
	return nil
}

// Chunk is the job. It switches in the call for the first chunk only.
func (s *Pass) Chunk(c *ecs.Chunk) {
	if c.Index() > 0 {
		return
	}
	for _, e := range []ecs.Entity{s.off, s.on} {
		if v, ok := s.lamps.Get(e); ok {
			v.Lit += s.Tick
			s.lamps.Set(e, v)
			s.lamps.SetEnabled(e, e == s.on)
		}
	}
}

// Succeed destroys the crown from time to time, and creates another one some ticks later.
type Succeed struct {
	reader
	crown *ecs.Query
}

// Create makes the query.
func (s *Succeed) Create(u *system.Setup) error {
	s.crown = u.Query(ecs.Write[Crown]())
	return nil
}

// Update destroys, creates or writes.
func (s *Succeed) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	v, has := ecs.FindSingleton[Crown](s.crown)
	switch {
	case !has && s.Tick%3 == 0:
		_, err := ecs.CreateSingleton(f.World(), Crown{Reigns: s.Tick})
		return err
	case !has:
		return nil
	case s.Tick%7 == 0:
		e, err := s.crown.Single()
		if err != nil {
			return err
		}
		return f.World().Destroy(e)
	}
	v.Reigns++
	return ecs.SetSingleton(s.crown, v)
}
