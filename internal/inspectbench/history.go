//go:build !js

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/replay"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/inspect"
	"github.com/lanewise/lanewise/internal/benchbin"
)

// pastRun is the run that the command measures. It has a world in which all entities move.
type pastRun struct {
	replay.Run
	end   func()
	first ecs.Entity
}

// newPastRun creates a run. If slip is above 0, one value of the world changes after the tick slip.
func newPastRun(rows int, slip uint64) (*pastRun, error) {
	w, end, err := newWorld(rows, rows)
	if err != nil {
		return nil, err
	}
	r := &pastRun{end: end, first: slices.Collect(w.Entities())[0]}
	r.Run = replay.Run{World: w, Step: func(tick uint64) error {
		if err := system.Update(w); err != nil || tick != slip {
			return err
		}
		at, err := ecs.Get[transform.Translation](w, r.first)
		return errors.Join(err, ecs.Set(w, r.first, transform.Translation{X: at.X, Y: at.Y + 1, Z: at.Z}))
	}}
	return r, nil
}

// newHistories creates three runs, and histories of the first two. The second run differs after tick slip, and the third one has
// no history.
func newHistories(rows int, slip uint64) (runs [3]*pastRun, histories [2]*replay.History, end func(), err error) {
	end = func() {
		for _, h := range histories {
			_ = h.Close()
		}
		for _, r := range runs {
			if r != nil {
				r.end()
			}
		}
	}
	for k := range runs {
		differs := uint64(0)
		if k == 1 {
			differs = slip
		}
		if runs[k], err = newPastRun(rows, differs); err != nil {
			return runs, histories, end, err
		}
		if k < len(histories) {
			if histories[k], err = replay.NewHistory(runs[k].Run); err != nil {
				return runs, histories, end, err
			}
		}
	}
	return runs, histories, end, nil
}

// pastTimes holds what printPast measures, one number for each round. Times are nanoseconds.
type pastTimes struct {
	with, without, tick            []float64 // all ticks with and without a history, and one tick without it
	ratio                          []float64 // with : without
	reach, slowest                 []float64 // Go to random ticks: the median and the maximum
	search, first, firstDifference []float64
	checkpoints, bytes             int // in the last round
}

// printPast prints times of a replay.History: by how much it slows down the run, how long it takes to reach a
// tick, and how long searches take.
func (b *bench) printPast() error {
	var t pastTimes
	for round := range b.rounds {
		if err := t.measure(b.options, uint64(round)); err != nil {
			return err
		}
	}
	rows := [][]string{{"", "median", "least", "limit", ""}}
	add := func(name string, list []float64, limit float64) {
		rows = append(rows, []string{name, formatMillis(benchbin.Median(list)), formatMillis(slices.Min(list)), formatMillis(limit), b.verdict(name, benchbin.Median(list), limit)})
	}
	rows = append(rows, []string{"a run with a history : without", fmt.Sprintf("%.3f", benchbin.Median(t.ratio)), fmt.Sprintf("%.3f", slices.Min(t.with)/slices.Min(t.without)), "1.010", b.verdict("a run with a history", benchbin.Median(t.ratio), 1.01)})
	add("any tick: the median", t.reach, 100e6)
	add(fmt.Sprintf("any tick: the slowest of %d", b.reaches), t.slowest, 100e6)
	add("first tick where a predicate holds, by bisection: Search", t.search, 2e9)
	add("first tick where two runs differ, by bisection: FirstDifference", t.firstDifference, 2e9)
	rows = append(rows, []string{"first tick where a predicate holds, which tests every tick: First", formatMillis(benchbin.Median(t.first)), formatMillis(slices.Min(t.first)), "none", ""})
	b.table(fmt.Sprintf("the past of a run of %d ticks with %d rows that all change in each tick of %.0f µs, in %d checkpoints of %.0f MiB together, %d rounds; the least ratio is that of the least times", b.ticks, b.pastRows, benchbin.Median(t.tick)/1e3, t.checkpoints, float64(t.bytes)/(1<<20), b.rounds), rows)
	return nil
}

// timed returns the time that f takes, in nanoseconds.
func timed(f func() error) (float64, error) {
	begin := time.Now()
	err := f()
	return float64(time.Since(begin)), err
}

// measure does one round of the measurement.
func (t *pastTimes) measure(o options, round uint64) error {
	ticks := uint64(o.ticks)
	slip := ticks * 3 / 4
	runs, histories, end, err := newHistories(o.pastRows, slip)
	defer end()
	if err != nil {
		return err
	}
	h := histories[0]
	if err := t.recordingCost(h, runs[2], ticks); err != nil {
		return err
	}
	t.checkpoints, t.bytes = h.Checkpoints(), runs[0].World.ImageBytes()
	var reach []float64
	draw := rand.New(rand.NewPCG(round, 2))
	for range o.reaches {
		took, err := timed(func() error { return h.Go(draw.Uint64N(ticks + 1)) })
		if err != nil {
			return err
		}
		reach = append(reach, took)
	}
	t.reach, t.slowest = append(t.reach, benchbin.Median(reach)), append(t.slowest, slices.Max(reach))
	far := func(w *ecs.World) bool {
		at, err := ecs.Get[transform.Translation](w, runs[0].first)
		return err == nil && at.X >= 0.01*0.7*float32(ticks)
	}
	search, err := timed(func() error { return found(h.Search(0, ticks, far)) })
	if err != nil {
		return err
	}
	first, err := timed(func() error { return found(h.First(0, ticks, far)) })
	if err != nil {
		return err
	}
	if err := errors.Join(h.Go(ticks), histories[1].Go(ticks)); err != nil {
		return err
	}
	difference, err := timed(func() error {
		d, err := replay.FirstDifference(h, histories[1], ticks)
		if err == nil && (d == nil || d.Tick != slip) {
			err = fmt.Errorf("the first difference is %v, want one in tick %d", d, slip)
		}
		return err
	})
	t.search, t.first, t.firstDifference = append(t.search, search), append(t.first, first), append(t.firstDifference, difference)
	return err
}

// found returns an error if a search has failed or has found no tick.
func found(_ uint64, is bool, err error) error {
	if err == nil && !is {
		err = errors.New("no tick was found")
	}
	return err
}

// recordingCost runs all ticks with a history, and the same ticks without a history. Runs
// with and without a history alternate, so that a change of the machine's speed affects
// both.
func (t *pastTimes) recordingCost(h *replay.History, plain *pastRun, ticks uint64) error {
	const turns = 40
	var with, without float64
	for k := range uint64(turns) {
		from, to := ticks*k/turns, ticks*(k+1)/turns
		took, err := timed(func() error { return h.Go(to) })
		if err != nil {
			return err
		}
		with += took
		took, err = timed(func() error {
			for at := from; at < to; at++ {
				if err := plain.Step(at + 1); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		without += took
	}
	t.with, t.without, t.ratio, t.tick = append(t.with, with), append(t.without, without), append(t.ratio, with/without), append(t.tick, without/float64(ticks))
	return nil
}

// printKept prints times of the frames that an inspector keeps: how long an image delays a frame, and how long it takes to show
// a kept frame and to find the first one in which a condition holds.
func (b *bench) printKept() error {
	const hz, bytes = 60, 256 << 20
	w, end, err := newWorld(b.pastRows, b.pastRows)
	if err != nil {
		return err
	}
	defer end()
	var scrub, find, image []float64
	var p inspect.Past
	err = inspected(w, []app.RunOption{app.Step(1.0 / hz), app.Pace(hz)}, []inspect.Option{inspect.History(0, bytes)}, func(ask *client) error {
		for begin := time.Now(); p.Last < uint64(b.kept); time.Sleep(time.Second / hz) {
			var f inspect.Frame
			if err := ask.send(http.MethodGet, []string{"frame"}, &f); err != nil {
				return err
			}
			if p = *f.Past; time.Since(begin) > time.Minute {
				return errors.New("the inspector keeps no frames")
			}
			image = append(image, p.Took*1e3/float64(p.Every))
		}
		if err := ask.send(http.MethodPost, []string{"control", "do", "pause"}, nil); err != nil {
			return err
		}
		for k := range b.reaches {
			frame := p.First + (p.Last-p.First)*uint64(k*37%b.reaches)/uint64(b.reaches)
			took, err := timed(func() error {
				return ask.send(http.MethodGet, []string{"entities", "q", "Translation", "limit", "60", "frame", fmt.Sprint(frame)}, nil)
			})
			if err != nil {
				return err
			}
			scrub = append(scrub, took)
		}
		for range b.rounds {
			took, err := timed(func() error {
				return ask.send(http.MethodGet, []string{"find", "when", "Translation.X < -1"}, nil)
			})
			if err != nil {
				return err
			}
			find = append(find, took)
		}
		return nil
	})
	if err != nil {
		return err
	}
	rows := [][]string{{"", "median", "least", "limit", ""}}
	add := func(name string, list []float64, limit float64) {
		rows = append(rows, []string{name, formatMillis(benchbin.Median(list)), formatMillis(slices.Min(list)), formatMillis(limit), b.verdict(name, benchbin.Median(list), limit)})
	}
	add("delay of a frame by images, on average", image, 1e9/hz/100)
	add("a kept frame is shown", scrub, 100e6)
	add("the slowest of them", []float64{slices.Max(scrub)}, 100e6)
	add("a search through all kept frames", find, 2e9)
	b.table(fmt.Sprintf("frames that an inspector keeps: %d frames of %d rows that all change, %d images of %.0f MiB together, one in %d frames", b.kept, b.pastRows, p.Kept, float64(p.Bytes)/(1<<20), p.Every), rows)
	return nil
}
