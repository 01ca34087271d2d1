package ecs_test

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// A program runs its own systems without ecs/system. Each system has private queries, and sees the changes
// since its last update.
func ExampleScheduler_BeginUpdate() {
	w := ecs.NewWorld("example")
	car := w.Spawn(Place{})
	q := w.Scheduler().Query("watcher", ecs.Read[Place](), ecs.Changed[Place]())
	update := func() {
		outer := w.Scheduler().BeginUpdate("watcher")
		fmt.Println(w.Scheduler().RunningSystem(), "sees", q.Count())
		q.SetSince(w.Scheduler().EndUpdate(outer))
	}
	update()
	update()
	ecs.Set(w, car, Place{X: 1})
	update()
	fmt.Println(w.Scheduler().CloseQueries("watcher"))
	// Output:
	// watcher sees 1
	// watcher sees 0
	// watcher sees 1
	// <nil>
}

// Weather has one value for the whole world.
type Weather struct {
	ecs.Worldwide
	Wind float32
}

// A job that has no query can still be ordered among the jobs of the world. This job runs after the
// job that writes places, because it declares that it reads places.
func ExampleScheduler_Before() {
	w := ecs.NewWorld("example")
	defer w.Close()
	w.Spawn(Place{X: 1})
	d := &drive{}
	w.Query(ecs.Write[Place]()).ParallelFor(d)

	var own access.Access
	if err := w.Scheduler().AddAccess(&own, ecs.Read[Place](), ecs.Write[Weather]()); err != nil {
		fmt.Println(err)
	}
	t := &tell{of: d}
	h := w.Pool().ParallelFor(t, 1, 1, w.Scheduler().Before(&own, nil)...)
	w.Scheduler().Track(&own, h)
	for i := range own.Write.All() {
		fmt.Println("it writes", ecs.ComponentName(i))
	}
	fmt.Println(w.Scheduler().Await(&own), t.text, w.Sync())
	// Output:
	// it writes github.com/lanewise/lanewise/ecs_test.Weather
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

// journal is data that a package keeps with a world.
type journal struct{ changes []string }

type journalKey struct{}

func journalOf(w *ecs.World) *journal {
	if j, ok := w.Hooks().Attached(journalKey{}).(*journal); ok {
		return j
	}
	j := &journal{}
	w.Hooks().Attach(journalKey{}, j)
	w.Hooks().OnCommit(func(op string) { j.changes = append(j.changes, op) })
	w.Hooks().OnCapture(func(m *ecs.Image) { m.Attach(journalKey{}, len(j.changes)) })
	w.Hooks().OnRestore(func(m *ecs.Image) { j.changes = j.changes[:m.Attached(journalKey{}).(int)] })
	w.Hooks().OnHash("journal", func() (uint64, bool) { return uint64(len(j.changes)), true })
	w.Hooks().OnClose(func() error { fmt.Println("closed after", j.changes); return nil })
	return j
}

// Attached data belongs to a world, and is restored with it.
func ExampleHooks_Attach() {
	w := ecs.NewWorld("example")
	j := journalOf(w)
	car := w.Spawn(Place{})
	before, err := ecs.Capture(w, nil)
	hash := w.Hash()
	fmt.Println(w.Destroy(car), j == journalOf(w), j.changes, err)

	err = ecs.Restore(w, before)
	fmt.Println(j.changes, w.Hash() == hash, err)
	w.Scheduler().Report(fmt.Errorf("the disk is full")) // Sync returns it
	fmt.Println(w.Close())
	// Output:
	// <nil> true [Spawn Destroy] <nil>
	// [Spawn] true <nil>
	// closed after [Spawn]
	// the disk is full
}
