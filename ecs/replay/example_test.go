package replay_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/replay"
	"github.com/lanewise/lanewise/ecs/system"
)

// Count is a counter.
type Count struct{ N int32 }

// Add adds one to each counter; at one tick, it adds two to some counters.
type Add struct {
	counting *ecs.Query
	wrong    bool
}

func (a *Add) Create(s *system.Setup) error {
	a.counting = s.Query(ecs.Write[Count]())
	return nil
}

func (a *Add) Update(f *system.Frame) error {
	for c := range a.counting.Chunks() {
		n := ecs.Column[Count](c).N
		for i := range n {
			if n[i]++; a.wrong && n[i] == 37 && i == 5 {
				n[i]++
			}
		}
	}
	return nil
}

func (Count) Column() (c struct{ N []int32 }) { return }

// newRun returns a world that counts.
func newRun(wrong bool) replay.Run {
	w, err := system.NewWorld("game", system.Only(system.Of[Add]()))
	if err != nil {
		panic(err)
	}
	system.Find[Add](w).wrong = wrong
	for range 10 {
		w.Spawn(Count{})
	}
	return replay.Run{World: w, Step: func(uint64) error { return system.Update(w) }}
}

func ExampleCompare() {
	d, err := replay.Compare(newRun(false), newRun(true), 1000, 100)
	fmt.Println(err, d)
	// Output:
	// <nil> tick 37: replay_test.Add: entity 5:1: replay_test.Count.N is 37 and 38 (archetype 0, chunk 0, row 5)
}

// Finds the first tick in which a counter is above 20, and looks at the tick before it.
func ExampleHistory() {
	run := newRun(false)
	h, err := replay.NewHistory(run)
	tick, found, err2 := h.First(0, 10_000, func(w *ecs.World) bool {
		for e := range w.Entities() {
			if c, err := ecs.Get[Count](w, e); err == nil && c.N > 20 {
				return true
			}
		}
		return false
	})
	err = errors.Join(err, err2, h.Go(tick-1))
	e := slices.Collect(run.World.Entities())[0]
	before, err2 := ecs.Get[Count](run.World, e)
	fmt.Println(errors.Join(err, err2, h.Close()), tick, found, before.N)
	// Output:
	// <nil> 21 true 20
}

func ExampleFirstDifference() {
	a, err := replay.NewHistory(newRun(false))
	b, err2 := replay.NewHistory(newRun(true))
	d, err3 := replay.FirstDifference(a, b, 1000)
	fmt.Println(errors.Join(err, err2, err3, a.Close(), b.Close()), d)
	// Output:
	// <nil> tick 37: replay_test.Add: entity 5:1: replay_test.Count.N is 37 and 38 (archetype 0, chunk 0, row 5)
}

// Goes back in a recording.
func ExampleReadHistory() {
	one, other := newRun(false), newRun(false)
	var file bytes.Buffer
	r, err := replay.Record(&file, one.World, replay.Every(100))
	for tick := range uint64(1000) {
		err = errors.Join(err, one.Step(tick+1), r.Tick())
	}
	err = errors.Join(err, r.Close())

	h, err2 := replay.ReadHistory(&file, other.World, func(t *replay.Tick) error {
		return other.Step(t.Number) // step would apply t.Inputs
	})
	err = errors.Join(err, err2, h.Go(h.Ticks()), h.Go(500))
	fmt.Println(err, h.Ticks(), h.Tick())
	// Output:
	// <nil> 1000 500
}

func ExampleReplay() {
	one, other := newRun(false), newRun(true)
	var file bytes.Buffer
	r, _ := replay.Record(&file, one.World, replay.Every(10), replay.BySystem())
	for tick := range uint64(100) {
		r.Input("player 1", []byte("jump"))
		if err := errors.Join(one.Step(tick+1), r.Tick()); err != nil {
			panic(err)
		}
	}
	fmt.Println(r.Close())

	d, err := replay.Replay(&file, other.World, func(t *replay.Tick) error {
		return other.Step(t.Number) // step would apply t.Inputs
	})
	fmt.Println(err, d)
	// Output:
	// <nil>
	// <nil> tick 37: replay_test.Add: it wrote other values of replay_test.Count
}

// The program records itself, or checks itself against a recording.
func ExampleVerify() {
	play := func(run replay.Run, r *replay.Recorder) (err error) {
		for tick := uint64(1); tick <= 100 && err == nil; tick++ {
			err = errors.Join(run.Step(tick), r.Tick())
		}
		return cmp.Or(err, r.Close())
	}
	var file bytes.Buffer
	run := newRun(false)
	r, err := replay.Record(&file, run.World, replay.BySystem(), replay.Values(1, 100))
	fmt.Println(err, play(run, r))

	run = newRun(true)
	r, err = replay.Verify(&file, run.World)
	fmt.Println(err, play(run, r))
	// Output:
	// <nil> <nil>
	// <nil> replay: the run differs from its recording: tick 37: replay_test.Add: entity 5:1: replay_test.Count.N is 37 in the recording and 38 in this run (archetype 0, chunk 0, row 5)
}

// Hoard keeps state in a map, which images do not include.
type Hoard struct {
	counting *ecs.Query
	seen     map[ecs.Entity]bool
}

func (h *Hoard) Create(s *system.Setup) error {
	h.counting, h.seen = s.Query(ecs.Write[Count]()), map[ecs.Entity]bool{}
	return nil
}

func (h *Hoard) Update(f *system.Frame) error {
	for c := range h.counting.Chunks() {
		n := ecs.Column[Count](c).N
		for i, e := range c.Entities() {
			if n[i] == 40 && !h.seen[e] {
				h.seen[e], n[i] = true, 100
			}
		}
	}
	return nil
}

func ExampleSyncTest() {
	w, err := system.NewWorld("game", system.Only(system.Of[Add](), system.Of[Hoard]()))
	if err != nil {
		panic(err)
	}
	w.Spawn(Count{})
	run := replay.Run{World: w, Step: func(uint64) error { return system.Update(w) }}
	d, err := replay.SyncTest(run, 1000)
	fmt.Println(err, d)
	// Output:
	// <nil> tick 40: replay_test.Hoard: entity 0:1: replay_test.Count.N is 100 and 40 (archetype 0, chunk 0, row 0)
}

// The example reads a recording tick by tick, with its inputs and hashes.
func ExampleRead() {
	one := newRun(false)
	var file bytes.Buffer
	var recorder *replay.Recorder
	recorder, err := replay.Record(&file, one.World)
	for tick := range uint64(2) {
		recorder.Input("player 1", []byte("jump"))
		err = errors.Join(err, one.Step(tick+1), recorder.Tick())
	}
	fmt.Println(errors.Join(err, recorder.Close()))
	bytesOfIt := file.Bytes()

	var recording *replay.Recording
	recording, err = replay.Read(&file)
	fmt.Println(recording.World, recording.Every, err)
	for {
		tick, err := recording.Next()
		if err != nil {
			fmt.Println(err)
			break
		}
		in := tick.Inputs[0] // a replay.Input
		fmt.Println(tick.Number, in.Key, string(in.Value), tick.Hashed)
	}
	_, err = replay.Read(bytes.NewReader(bytesOfIt[1:]))
	fmt.Println(errors.Is(err, replay.ErrCorrupt), errors.Is(err, replay.ErrVersion), replay.Version)
	// Output:
	// <nil>
	// game 1 <nil>
	// 1 player 1 jump true
	// 2 player 1 jump true
	// EOF
	// true false 2
}

// The example compares two recordings that should be equal, for example from two
// machines.
func ExampleContrast() {
	record := func(r replay.Run) *bytes.Buffer {
		var file bytes.Buffer
		recorder, err := replay.Record(&file, r.World)
		for tick := range uint64(50) {
			err = errors.Join(err, r.Step(tick+1), recorder.Tick())
		}
		if err := errors.Join(err, recorder.Close()); err != nil {
			panic(err)
		}
		return &file
	}
	var d *replay.Divergence
	d, ticks, err := replay.Contrast(record(newRun(false)), record(newRun(true)))
	fmt.Println("tick", d.Tick, "after", ticks, "that are equal", d.Exact, err)
	_, err = replay.Replay(record(newRun(false)), ecs.NewWorld("another"), nil)
	fmt.Println(errors.Is(err, replay.ErrStart))
	// Output:
	// tick 37 after 36 that are equal false <nil>
	// true
}
