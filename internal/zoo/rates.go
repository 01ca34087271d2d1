package zoo

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// Beat is a singleton that counts the updates of groups with rates.
type Beat struct {
	Fixed, Simple, Interval, Variable, Custom, Snooze int32
	Time, Alpha, Expected                             float64
}

// rates is the feature with groups that do not run once in each frame.
var rates = Feature{
	Name:  "rates",
	About: "groups with five kinds of rates, one of them a Saver; interpolation; a system that is switched off and on",
	Types: listTypes(ecs.With[Beat]()),
	Spawn: func(k *Keeper) error {
		_, err := ecs.CreateSingleton(k.World, Beat{})
		return err
	},
	Install: func(k *Keeper) error {
		system.GetOrCreate[system.FixedStep](k.World).SetRate(system.CatchUpRate(1.0 / 50))
		return nil
	},
	Systems: []*system.Type{
		system.Of[FixedBeat](), system.Of[SimpleGroup](), system.Of[SimpleBeat](), system.Of[IntervalGroup](), system.Of[IntervalBeat](),
		system.Of[VariableBeat](), system.Of[CustomGroup](), system.Of[CustomBeat](), system.Of[Interpolation](),
		system.Of[Snooze](), system.Of[Alarm](), system.Of[Expect](),
	},
}

// beats writes the singleton Beat. Systems embed it.
type beats struct{ beat *ecs.Query }

// Create makes the query.
func (s *beats) Create(u *system.Setup) error {
	s.beat = u.Query(ecs.Write[Beat]())
	u.Require(s.beat)
	return nil
}

// change changes the singleton.
func (s *beats) change(f func(b *Beat)) error {
	b, err := ecs.Singleton[Beat](s.beat)
	if err != nil {
		return err
	}
	f(&b)
	return ecs.SetSingleton(s.beat, b)
}

// The groups with rates and their systems.
type (
	// FixedBeat is in the group that catches up.
	FixedBeat struct {
		_ system.In[system.FixedStep]
		beats
	}
	// SimpleGroup runs one step in each update.
	SimpleGroup struct {
		_ system.In[system.Simulation]
		system.Group
	}
	// SimpleBeat counts the updates of SimpleGroup.
	SimpleBeat struct {
		_ system.In[SimpleGroup]
		beats
	}
	// IntervalGroup runs if a tenth of a second has passed.
	IntervalGroup struct {
		_ system.In[system.Simulation]
		system.Group
	}
	// IntervalBeat counts the updates of IntervalGroup.
	IntervalBeat struct {
		_ system.In[IntervalGroup]
		beats
	}
	// VariableBeat is in the group that packages run about 15 times a second.
	VariableBeat struct {
		_ system.In[system.VariableRate]
		beats
	}
	// CustomGroup runs its members twice in each update that its rate counts.
	CustomGroup struct {
		_ system.In[system.Simulation]
		system.Group
	}
	// CustomBeat counts the updates of CustomGroup.
	CustomBeat struct {
		_ system.In[CustomGroup]
		beats
	}
	// Interpolation reads the part of the next fixed step that has passed.
	Interpolation struct {
		_ system.In[system.Presentation]
		beats
	}
)

// Snooze counts its updates. Alarm switches it off and on.
type Snooze struct{ beats }

// Alarm switches Snooze, changes the step of SimpleGroup, and changes the speed and the limit of the clock.
type Alarm struct {
	_ system.Before[Snooze]
	reader
	beats
}

// Create makes the query.
func (s *Alarm) Create(u *system.Setup) error { return s.beats.Create(u) }

// Update switches the system in one tick of four, changes the step in one of five, and the clock in all.
func (s *Alarm) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	if s.Tick%4 == 3 {
		in := system.InstanceOf(f.World(), system.Find[Snooze](f.World()))
		in.SetEnabled(!in.Enabled())
	}
	if s.Tick%5 == 1 {
		system.Find[SimpleGroup](f.World()).SetStep(0.125 * float64(1+s.Tick%3))
	}
	clock := system.ClockOf(f.World())
	clock.SetScale([...]float64{2, 0.25, 2, 0.25, 0}[s.Tick%5]) // three fixed steps in a tick, and then none or one
	if s.Tick%2 == 0 {
		clock.MaximumDelta = float64(0.25 * float64(1+s.Tick%3))
	}
	return s.change(func(b *Beat) { b.Time += clock.Scale() + clock.MaximumDelta })
}

// Expect reads the part of the next fixed step that had passed at the end of the last frame.
type Expect struct {
	_ system.In[system.Initialization]
	beats
}

// Update reads the part.
func (s *Expect) Update(f *system.Frame) error {
	return s.change(func(b *Beat) { b.Expected = f.Alpha() })
}

// Update counts.
func (s *Snooze) Update(*system.Frame) error {
	return s.change(func(b *Beat) { b.Snooze++ })
}

// Create sets the rate.
func (g *SimpleGroup) Create(*system.Setup) error {
	g.SetRate(system.SimpleRate(0.25))
	return nil
}

// Create sets the rate.
func (g *IntervalGroup) Create(*system.Setup) error {
	g.SetRate(system.IntervalRate(100*time.Millisecond, nil))
	return nil
}

// Create sets the rate.
func (g *CustomGroup) Create(*system.Setup) error {
	g.SetRate(new(customRate))
	return nil
}

// customRate is a rate that has state. Images contain the state because customRate is a system.Saver.
type customRate struct{ calls uint32 }

// Next returns true for two passes and false for the third.
func (r *customRate) Next(*system.Clock) bool {
	r.calls++
	return r.calls%3 != 0
}

// AppendState writes the number of calls.
func (r *customRate) AppendState(out []byte) []byte {
	return binary.LittleEndian.AppendUint32(out, r.calls)
}

// LoadState reads it.
func (r *customRate) LoadState(in []byte) error {
	if len(in) != 4 {
		return errors.New("zoo: the state of a custom rate has four bytes")
	}
	r.calls = binary.LittleEndian.Uint32(in)
	return nil
}

// Update counts.
func (s *FixedBeat) Update(f *system.Frame) error {
	return s.change(func(b *Beat) { b.Fixed++; b.Time += f.Elapsed() })
}

// Update counts.
func (s *SimpleBeat) Update(f *system.Frame) error {
	return s.change(func(b *Beat) { b.Simple++; b.Time += f.Delta() + f.Elapsed() })
}

// Update counts.
func (s *IntervalBeat) Update(f *system.Frame) error {
	return s.change(func(b *Beat) { b.Interval++; b.Time += f.Delta() })
}

// Update counts.
func (s *VariableBeat) Update(f *system.Frame) error {
	return s.change(func(b *Beat) { b.Variable++; b.Time += f.Delta() })
}

// Update counts.
func (s *CustomBeat) Update(*system.Frame) error { return s.change(func(b *Beat) { b.Custom++ }) }

// Update reads the part.
func (s *Interpolation) Update(f *system.Frame) error {
	return s.change(func(b *Beat) { b.Alpha = f.Alpha() })
}
