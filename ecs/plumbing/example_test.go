package plumbing_test

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/plumbing"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Place is where something is, in metres.
type Place struct{ X, Y float32 }

func (Place) Column() (c struct{ X, Y []float32 }) { return }

// A program that runs systems of its own, without ecs/system: each has queries that no other has, and
// is told what has changed since its last update.
func ExampleBeginUpdate() {
	w := ecs.NewWorld("example")
	car := w.Spawn(Place{})
	q := plumbing.QueryFor(w, "watcher", ecs.Read[Place](), ecs.Changed[Place]())
	update := func() {
		outer := plumbing.BeginUpdate(w, "watcher")
		fmt.Println(plumbing.Running(w), "sees", q.Count())
		q.SetSince(plumbing.EndUpdate(w, outer))
	}
	update()
	update()
	ecs.Set(w, car, Place{X: 1})
	update()
	fmt.Println(plumbing.CloseQueries(w, "watcher"))
	// Output:
	// watcher sees 1
	// watcher sees 0
	// watcher sees 1
	// <nil>
}

// Weather is what a world has once.
type Weather struct {
	plumbing.Worldwide
	Wind float32
}

// A job that is over no query takes its turn among those of the world: here behind the one that writes
// places, since it declares to read them.
func ExampleBefore() {
	w := ecs.NewWorld("example")
	defer w.Close()
	w.Spawn(Place{X: 1})
	d := &drive{}
	w.Query(ecs.Write[Place]()).ParallelFor(d)

	var own access.Access
	if err := plumbing.AddAccess(w, &own, ecs.Read[Place](), ecs.Write[Weather]()); err != nil {
		fmt.Println(err)
	}
	t := &tell{of: d}
	h := w.Pool().ParallelFor(t, 1, 1, plumbing.Before(w, &own, nil)...)
	plumbing.Track(w, &own, h)
	for i := range own.Write.All() {
		fmt.Println("it writes", plumbing.ComponentName(i))
	}
	fmt.Println(plumbing.Await(w, &own), t.text, w.Sync())
	// Output:
	// it writes github.com/lanewise/lanewise/ecs/plumbing_test.Weather
	// <nil> driven to 2 <nil>
}

type drive struct{ to float32 }

func (d *drive) Chunk(c *ecs.Chunk) {
	x := ecs.Column[Place](c).X
	for i := range x { // one car
		x[i]++
		d.to = x[i]
	}
}

type tell struct {
	of   *drive
	text string
}

func (t *tell) RunRange(*jobs.Task, int, int) { t.text = fmt.Sprint("driven to ", t.of.to) }

// journal is what a package keeps with a world.
type journal struct{ changes []string }

type journalKey struct{}

func journalOf(w *ecs.World) *journal {
	if j, ok := plumbing.Attached(w, journalKey{}).(*journal); ok {
		return j
	}
	j := &journal{}
	plumbing.Attach(w, journalKey{}, j)
	plumbing.OnCommit(w, func(op string) { j.changes = append(j.changes, op) })
	plumbing.OnCapture(w, func(m *ecs.Image) { plumbing.Keep(m, journalKey{}, len(j.changes)) })
	plumbing.OnRestore(w, func(m *ecs.Image) { j.changes = j.changes[:plumbing.Kept(m, journalKey{}).(int)] })
	plumbing.OnHash(w, "journal", func() (uint64, bool) { return uint64(len(j.changes)), true })
	plumbing.OnClose(w, func() error { fmt.Println("closed after", j.changes); return nil })
	return j
}

// What belongs to a world, and goes back with it.
func ExampleAttach() {
	w := ecs.NewWorld("example")
	j := journalOf(w)
	car := w.Spawn(Place{})
	before, err := ecs.Capture(w, nil)
	hash := w.Hash()
	fmt.Println(w.Destroy(car), j == journalOf(w), j.changes, err)

	err = ecs.Restore(w, before)
	fmt.Println(j.changes, w.Hash() == hash, err)
	plumbing.Report(w, fmt.Errorf("the disk is full")) // for Sync to say
	fmt.Println(w.Close())
	// Output:
	// <nil> true [Spawn Destroy] <nil>
	// [Spawn] true <nil>
	// closed after [Spawn]
	// the disk is full
}
