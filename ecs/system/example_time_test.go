package system_test

import (
	"fmt"
	"time"

	"github.com/lanewise/lanewise/ecs/system"
)

// Metronome says what time it is; the group that it stands in decides how often.
type Metronome struct {
	_ system.In[system.FixedStep]
}

func (*Metronome) Update(f *system.Frame) error { return say(f.Elapsed()) }

func ExampleFixedStep() {
	w := world(system.Of[Metronome]())
	system.Get[system.FixedStep](w).SetRate(system.FixedRate(5))
	frames(w, 3) // it catches up, by a third of a second a frame at most
	// Output:
	// 0
	// 0.2
	// 0.4
}

func ExampleNewSimple() {
	w := world(system.Of[Metronome]())
	system.Get[system.FixedStep](w).SetRate(system.NewSimple(0.25))
	frames(w, 3) // one step a frame, however long the frame
	// Output:
	// 0
	// 0.25
	// 0.5
}

func ExampleNewVariable() {
	w := world(system.Of[Metronome]())
	system.Get[system.FixedStep](w).SetRate(system.NewVariable(time.Second, nil))
	frames(w, 5) // the last frame is at 2 s
	// Output:
	// 0
	// 1
	// 2
}

func ExampleClock() {
	w := world()
	c := system.ClockOf(w)
	c.Advance(0.5) // a world begins at 0
	c.Advance(0.5)
	fmt.Println(c.Now())
	c.Push(system.Time{Elapsed: 100, Delta: 1})
	fmt.Println(c.Now(), c.Depth())
	fmt.Println(c.Pop(), c.Now())
	fmt.Println(c.Pop())
	// Output:
	// {0.5 0.5}
	// {100 1} 1
	// <nil> {0.5 0.5}
	// system: Clock.Pop: nothing was pushed: invalid operation in this state
}
