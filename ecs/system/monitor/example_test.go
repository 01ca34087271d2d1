package monitor_test

import (
	"context"
	"fmt"
	"path"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/system/explain"
	"github.com/lanewise/lanewise/ecs/system/monitor"
)

type Velocity struct{ X float32 }

func (Velocity) Column() (c []float32) { return }

// Steer changes velocities.
type Steer struct {
	_        system.Before[Drive]
	steering *ecs.Query
}

func (s *Steer) Create(u *system.Setup) error {
	s.steering = u.Query(ecs.Write[Velocity]())
	return nil
}

func (s *Steer) Update(f *system.Frame) error {
	f.ParallelFor(s.steering, s)
	return nil
}

func (s *Steer) Chunk(c *ecs.Chunk) {
	v := ecs.Column[Velocity](c)
	for i := range *v {
		(*v)[i] = 1
	}
}

// Drive reads them, where there are any.
type Drive struct {
	_       system.MatchingOnly
	driving *ecs.Query
}

func (d *Drive) Create(u *system.Setup) error {
	d.driving = u.Query(ecs.Read[Velocity]())
	return nil
}

func (d *Drive) Update(f *system.Frame) error {
	f.ParallelFor(d.driving, d)
	return nil
}

func (d *Drive) Chunk(*ecs.Chunk) {}

// world makes a world of both.
func world() *ecs.World {
	w, err := system.NewWorld("example", system.Only(system.Of[Steer](), system.Of[Drive]()))
	if err != nil {
		panic(err)
	}
	return w
}

// frames runs n frames of half a second each.
func frames(w *ecs.World, n int) {
	if err := app.Run(context.Background(), w, app.Frames(n), app.Step(0.5)); err != nil {
		panic(err)
	}
}

// An explanation in two parts: what needs the owner is short.
func ExampleBeginSnapshot() {
	w := world()
	s := monitor.BeginSnapshot(w) // here and now, between two frames
	for !s.Continue(func() bool { return false }) {
	} // or in pieces, for as long as there is time
	told := make(chan *explain.Report)
	go func() { told <- s.Explain() }() // whenever there is time
	for _, wait := range (<-told).Waits {
		fmt.Println(wait)
	}
	// Output: monitor_test.Drive for monitor_test.Steer: it reads monitor_test.Velocity, which that writes
}

// Frames and what their systems took, as a tool sees them.
func ExampleOnBorder() {
	w := world()
	stop := monitor.Record(w, 1) // the times of all frames
	remove := monitor.OnBorder(w, func(b *monitor.Border) {
		fmt.Println("frame", b.Frame, b.End >= b.Start, len(b.Errs))
		monitor.Hold(b, func() {}) // a pause, which is no time of the world
	})
	frames(w, 2)
	remove()
	list, _ := monitor.Roots(w)
	for _, root := range list[:2] {
		samples := monitor.AppendSamples(nil, root, 0)
		fmt.Println(path.Base(root.Name()), len(samples), samples[1].Updates)
	}
	stop()
	// Output:
	// frame 1 true 0
	// frame 2 true 0
	// system.Initialization 2 1
	// system.Simulation 2 1
}

// Why a system did not update, and what it asks for.
func ExampleIdle() {
	w := world()
	frames(w, 1)
	drive := system.InstanceOf(w, system.Find[Drive](w))
	fmt.Println(monitor.Idle(drive))
	fmt.Println(monitor.Queries(drive))
	fmt.Println(monitor.Touches(drive))
	// Output:
	// nothing matches its queries, and it updates only then
	// [Query(Read[monitor_test.Velocity]())]
	// [github.com/lanewise/lanewise/ecs/system/monitor_test.Velocity] []
}

// teller is told of each update.
type teller struct{ w *ecs.World }

func (t teller) Before(*system.Instance) {}

func (t teller) After(in *system.Instance, since uint32, err error) {
	q := t.w.Query(ecs.Read[Velocity](), ecs.Changed[Velocity]())
	q.SetSince(since)
	if n := q.Count(); n > 0 {
		fmt.Println("frame", monitor.FrameOf(t.w), path.Base(in.Name()), "wrote", n, "rows,", err)
	}
}

// Which system has written what.
func ExampleWatch() {
	w := world()
	w.Spawn(Velocity{})
	stop := monitor.Watch(w, teller{w})
	frames(w, 1)
	stop()
	// Output: frame 1 monitor_test.Steer wrote 1 rows, <nil>
}
