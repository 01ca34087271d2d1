package system_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/lanewise/lanewise/ecs/system"
)

// Metronome prints the time. Its group decides how often it runs.
type Metronome struct {
	_ system.In[system.FixedStep]
}

func (*Metronome) Update(f *system.Frame) error { return say(f.Elapsed()) }

func ExampleFixedStep() {
	w := world(system.Of[Metronome]())
	system.GetOrCreate[system.FixedStep](w).SetRate(system.CatchUpRate(1.0 / 5))
	runFrames(w, 3) // it catches up, by at most a third of a second in a frame
	// Output:
	// 0
	// 0.2
	// 0.4
}

func ExampleGroup_SetRate_simple() {
	w := world(system.Of[Metronome]())
	system.GetOrCreate[system.FixedStep](w).SetRate(system.SimpleRate(0.25))
	runFrames(w, 3) // one step in each frame, whatever its length
	// Output:
	// 0
	// 0.25
	// 0.5
}

func ExampleGroup_SetRate_variable() {
	w := world(system.Of[Metronome]())
	system.GetOrCreate[system.FixedStep](w).SetRate(system.IntervalRate(time.Second, nil))
	runFrames(w, 5) // the last frame is at 2 s
	// Output:
	// 0
	// 1
	// 2
}

// Cart moves one metre in each fixed step, and keeps its previous position.
type Cart struct {
	_       system.In[system.FixedStep]
	was, is float64
}

func (c *Cart) Update(f *system.Frame) error {
	c.was, c.is = c.is, c.is+1
	return nil
}

// Camera prints the position of the cart at the time of the frame.
type Camera struct {
	_    system.In[system.Presentation]
	cart *Cart
}

func (c *Camera) Create(s *system.Setup) error {
	c.cart = system.GetOrCreate[Cart](s.World())
	return nil
}

func (c *Camera) Update(f *system.Frame) error {
	return say(f.Elapsed(), c.cart.was+float64(f.Alpha()*(c.cart.is-c.cart.was)))
}

func ExampleFrame_Alpha() {
	w := world(system.Of[Cart](), system.Of[Camera]())
	system.GetOrCreate[system.FixedStep](w).SetRate(system.CatchUpRate(2))
	runFrames(w, 6) // of half a second; a step is two seconds
	// Output:
	// 0 0
	// 0.5 0.25
	// 1 0.5
	// 1.5 0.75
	// 2 1
	// 2.5 1.25
}

func ExampleGroup_Alpha() {
	w := world(system.Of[Double]())
	probe := &Meter{}
	if err := errors.Join(system.Adopt(w, probe), system.GetOrCreate[system.Presentation](w).Add(probe)); err != nil {
		panic(err)
	}
	runFrames(w, 1)
	// Output: 0 1
}

// Meter shows how far two groups are into their next step.
type Meter struct{}

func (*Meter) Update(f *system.Frame) error {
	return say(f.Alpha(), system.Find[Double](f.World()).Alpha()) // Double has no Alpha
}

func ExampleClockOf() {
	w := world()
	c := system.ClockOf(w)
	c.Advance(0.5) // a world begins at 0
	c.Advance(0.5)
	fmt.Println(c.Now())
	c.Push(system.Time{Elapsed: 100, Delta: 1})
	fmt.Println(c.Now())
	fmt.Println(c.Pop(), c.Now())
	fmt.Println(c.Pop())
	// Output:
	// {0.5 0.5}
	// {100 1}
	// <nil> {0.5 0.5}
	// system: Clock.Pop: nothing was pushed: invalid operation in this state
}
