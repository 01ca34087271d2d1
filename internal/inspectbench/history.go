package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/replay"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
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

// past prints times of a replay.History: by how much it slows down the run, how long it takes to reach a tick,
// and how long searches take.
func past(out io.Writer, o options) error {
	ticks := uint64(o.ticks)
	var runs [3]*pastRun // the second one differs after a tick in the last third, and the third one has no history
	var histories [2]*replay.History
	for k := range runs {
		slip := uint64(0)
		if k == 1 {
			slip = ticks * 3 / 4
		}
		r, err := newPastRun(o.pastRows, slip)
		if err != nil {
			return err
		}
		defer r.end()
		runs[k] = r
		if k < len(histories) {
			if histories[k], err = replay.NewHistory(r.Run); err != nil {
				return err
			}
			defer func() { _ = histories[k].Close() }()
		}
	}
	h := histories[0]
	recorded, ratios, err := recordingCost(h, runs[2], ticks)
	if err != nil {
		return err
	}
	var reach []float64
	draw := rand.New(rand.NewPCG(1, 2))
	for range o.reaches {
		begin := time.Now()
		if err := h.Go(draw.Uint64N(ticks + 1)); err != nil {
			return err
		}
		reach = append(reach, float64(time.Since(begin)))
	}
	far := func(w *ecs.World) bool {
		at, err := ecs.Get[transform.Translation](w, runs[0].first)
		return err == nil && at.X >= 0.01*0.7*float32(ticks)
	}
	timed := func(f func() error) (time.Duration, error) {
		begin := time.Now()
		err := f()
		return time.Since(begin), err
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
		if err == nil && (d == nil || d.Tick != ticks*3/4) {
			err = fmt.Errorf("the first difference is %v", d)
		}
		return err
	})
	if err != nil {
		return err
	}
	table(out, fmt.Sprintf("the past of a run of %d ticks with %d rows that all change in each tick, in %d checkpoints: any tick within 100 ms, a bisection within 2 s, a run at most 1 %% longer", ticks, o.pastRows, h.Checkpoints()), [][]string{
		{"a tick", "with a history : without", "bytes in images", "any tick, median", "slowest of all", "Search", "First", "FirstDifference"},
		{fmt.Sprintf("%.1f µs", recorded/1e3), fmt.Sprintf("%.3f", ratios), fmt.Sprintf("%.0f MiB", float64(runs[0].World.ImageBytes())/(1<<20)), formatMillis(benchbin.Median(reach)), formatMillis(slices.Max(reach)), formatMillis(search), formatMillis(first), formatMillis(difference)},
	})
	return nil
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
// both. recordingCost returns the time of a tick without a history, in nanoseconds, and the
// ratio of the time with a history to the time without it.
func recordingCost(h *replay.History, plain *pastRun, ticks uint64) (tick, ratio float64, err error) {
	const turns = 40
	var with, without []float64
	for k := range uint64(turns) {
		from, to := ticks*k/turns, ticks*(k+1)/turns
		begin := time.Now()
		if err := h.Go(to); err != nil {
			return 0, 0, err
		}
		mid := time.Now()
		for at := from; at < to; at++ {
			if err := plain.Step(at + 1); err != nil {
				return 0, 0, err
			}
		}
		with, without = append(with, float64(mid.Sub(begin))), append(without, float64(time.Since(mid)))
	}
	sum := func(list []float64) (s float64) {
		for _, x := range list {
			s += x
		}
		return s
	}
	return benchbin.Median(without) * turns / float64(ticks), sum(with) / sum(without), nil
}
