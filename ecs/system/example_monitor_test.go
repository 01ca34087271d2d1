package system_test

import (
	"fmt"
	"path"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

type Current struct{ X float32 }

func (Current) Column() (c []float32) { return }

// Stir changes currents.
type Stir struct {
	_        system.Before[Drift]
	stirring *ecs.Query
}

func (s *Stir) Create(u *system.Setup) error {
	s.stirring = u.Query(ecs.Write[Current]())
	return nil
}

func (s *Stir) Update(f *system.Frame) error {
	f.ParallelFor(s.stirring, s)
	return nil
}

func (s *Stir) Chunk(c *ecs.Chunk) {
	v := ecs.Column[Current](c)
	for i := range *v {
		(*v)[i] = 1
	}
}

// Drift reads currents, if there are any.
type Drift struct {
	_        system.MatchingOnly
	drifting *ecs.Query
}

func (d *Drift) Create(u *system.Setup) error {
	d.drifting = u.Query(ecs.Read[Current]())
	return nil
}

func (d *Drift) Update(f *system.Frame) error {
	f.ParallelFor(d.drifting, d)
	return nil
}

func (d *Drift) Chunk(*ecs.Chunk) {}

// A program creates a report in two parts. Only the first part, which is short, needs the owner of the
// world.
func ExampleNewExplainer() {
	w := world(system.Of[Stir](), system.Of[Drift]())
	s := system.NewExplainer(w) // on the owner, between two frames
	for !s.Continue(func() bool { return false }) {
	} // the function returns true when there is no more time
	told := make(chan *system.Report)
	go func() { told <- s.Report() }() // on any goroutine
	for _, wait := range (<-told).Waits {
		fmt.Println(wait)
	}
	// Output: system_test.Drift for system_test.Stir: it reads system_test.Current, which that writes
}

// A tool observes each frame and the times of its systems.
func ExampleOnFrameEnd() {
	w := world(system.Of[Stir](), system.Of[Drift]())
	stop := system.RecordTimes(w, 1) // the times of all frames
	remove := system.OnFrameEnd(w, func(b *system.FrameEnd) {
		fmt.Println("frame", b.Frame, b.End >= b.Start, len(b.Errs))
		b.Pause(func() {}) // the world's time stands still
	})
	runFrames(w, 2)
	remove()
	list, _ := system.Roots(w)
	for _, root := range list[:2] {
		samples := root.AppendSamples(nil, 0)
		fmt.Println(path.Base(root.Name()), len(samples), samples[1].Updates)
	}
	stop()
	// Output:
	// frame 1 true 0
	// frame 2 true 0
	// system.Initialization 2 1
	// system.Simulation 2 1
}

// A program asks why a system did not update, and which queries the system has.
func ExampleInstance_IdleReason() {
	w := world(system.Of[Stir](), system.Of[Drift]())
	runFrames(w, 1)
	drift := system.InstanceOf(w, system.Find[Drift](w))
	fmt.Println(drift.IdleReason())
	fmt.Println(drift.Queries())
	fmt.Println(drift.Components())
	// Output:
	// nothing matches its queries, and it updates only then
	// [Query(Read[system_test.Current]())]
	// [github.com/lanewise/lanewise/ecs/system_test.Current] []
}

// teller prints which system has written.
type teller struct{ w *ecs.World }

func (t teller) Before(*system.Instance) {}

func (t teller) After(in *system.Instance, since uint32, err error) {
	q := t.w.Query(ecs.Read[Current](), ecs.Changed[Current]())
	q.SetSince(since)
	if n := q.Count(); n > 0 {
		fmt.Println("frame", system.FrameNumber(t.w), path.Base(in.Name()), "wrote", n, "rows,", err)
	}
}

// A watcher finds out which system has written which rows.
func ExampleWatch() {
	w := world(system.Of[Stir](), system.Of[Drift]())
	w.Spawn(Current{})
	stop := system.Watch(w, teller{w})
	runFrames(w, 1)
	stop()
	// Output: frame 1 system_test.Stir wrote 1 rows, <nil>
}
