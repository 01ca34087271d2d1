package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/inspect"
	"github.com/lanewise/lanewise/internal/benchbin"
	"github.com/lanewise/lanewise/jobs"
)

// These are the components of the measured worlds.
type (
	speed   struct{ X, Y, Z float32 }
	health  struct{ Points int32 }
	still   struct{}
	newborn struct{}
)

func (speed) Column() (c struct{ X, Y, Z []float32 }) { return }

// move moves the entities that are not still, as a job.
type move struct {
	q    *ecs.Query
	busy time.Duration // time that each update spends on the owner, as a program does that uses its whole frame
}

func (s *move) Create(u *system.Setup) error {
	s.q = u.Query(ecs.Write[transform.Translation](), ecs.Read[speed](), ecs.Without[still]())
	return nil
}

func (s *move) Update(f *system.Frame) error {
	f.ParallelFor(s.q, s)
	for begin := time.Now(); time.Since(begin) < s.busy; {
	}
	return nil
}

func (s *move) Chunk(c *ecs.Chunk) {
	pos, v := ecs.Column[transform.Translation](c), ecs.Column[speed](c)
	for i := range pos.X {
		pos.X[i] += float32(v.X[i] * 0.01)
	}
}

// birth replaces one entity in each frame. It finds this entity by a component and not by a field of the system, because images
// do not contain fields of systems.
type birth struct{ q *ecs.Query }

func (s *birth) Create(u *system.Setup) error {
	s.q = u.Query(ecs.With[newborn]())
	return nil
}

func (s *birth) Update(f *system.Frame) error {
	if err := ecs.DestroyAll(f.World(), ecs.Matching(s.q)); err != nil {
		return err
	}
	f.World().Spawn(health{1}, newborn{})
	return nil
}

// newWorld creates a world of n entities, some of which move.
func newWorld(n, moving int) (*ecs.World, func(), error) {
	pool := jobs.New(jobs.Workers(2))
	w, err := system.NewWorld("measured", system.OnPool(pool), system.Only(system.Of[move](), system.Of[birth]()))
	if err != nil {
		return nil, nil, err
	}
	w.Create(w.Archetype(ecs.With[transform.Translation](), ecs.With[health](), ecs.With[still]()), n-moving)
	for i := range moving {
		w.Spawn(transform.Translation{X: float32(i)}, speed{X: 1}, health{int32(i)})
	}
	return w, func() {
		_ = w.Close()
		_ = pool.Close()
	}, nil
}

// requests lists the paths and arguments of the requests that a page sends.
var requests = [][]string{
	{"worlds"}, {"frame"}, {"order"}, {"archetypes"}, {"entities", "q", "Translation", "limit", "60"}, {"entities", "q", "health", "from", "900", "limit", "60"},
	{"entity", "id", "0:1"}, {"journal"}, {"memory"}, {"picture", "kind", "heat", "x", "Translation.X", "y", "Translation.Y"}, {"watches", "watch", "count Translation", "watch", "sum health.Points"},
}

// client sends requests to an inspector over a socket.
type client struct{ base string }

// ask sends a request, which consists of a path and arguments, and decodes the answer. If out is nil, ask
// does not decode it.
func (c *client) ask(method string, r []string, out any) error {
	form := url.Values{}
	for k := 1; k+1 < len(r); k += 2 {
		form.Add(r[k], r[k+1])
	}
	req, err := http.NewRequest(method, c.base+"/api/"+r[0]+"?"+form.Encode(), nil)
	if err != nil {
		return err
	}
	req.Header.Set("X-Lanewise-Token", "bench")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // it was read
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %d %s", r[0], resp.StatusCode, text)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(text, out)
}

// printRates prints the times of requests and the delays of frames at several frame rates.
func printRates(out io.Writer, o options) error {
	rows := [][]string{{"entities", "frames/s", "loop", "median", "slowest kind", "its median", "slowest of all", "frame p99", "frame max", "1 % of a frame"}}
	for _, n := range o.sizes {
		for _, hz := range o.rates {
			for _, loop := range []string{"paced", "busy", "paused"} {
				if loop == "busy" && hz < 12 || loop == "paused" && hz != o.rates[0] {
					continue // a frame that computes for a second answers after it
				}
				row, err := atRate(n, hz, loop, o.rounds)
				if err != nil {
					return err
				}
				rows = append(rows, row)
			}
		}
	}
	table(out, "requests: any is to take at most 100 ms, and a frame's delay at most 1 % of the frame or 100 µs, whichever is more", rows)
	return nil
}

// atRate measures one world at one rate. A paced loop sleeps after each frame. A busy loop computes
// during the whole frame. A paused loop waits between two frames.
func atRate(n int, hz float64, loop string, rounds int) ([]string, error) {
	w, end, err := newWorld(n, min(n, 1000))
	if err != nil {
		return nil, err
	}
	defer end()
	opts := []app.RunOption{app.Step(1 / hz)}
	if loop == "busy" {
		system.Find[move](w).busy = time.Duration(float64(time.Second) / hz)
	} else {
		opts = append(opts, app.Pace(hz))
	}
	in := inspect.New(inspect.Only(w), inspect.Token("bench"), inspect.Allow(inspect.Control))
	server := httptest.NewServer(in)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		_ = app.Run(ctx, w, opts...) // the end of the context
		close(ended)
	}()
	defer func() {
		server.Close()
		_ = in.Close()
		stop()
		<-ended
	}()
	time.Sleep(10 * time.Millisecond) // the first frame has begun its sleep
	c := &client{base: server.URL}
	if loop == "paused" {
		if err := c.ask(http.MethodPost, []string{"control", "do", "pause"}, nil); err != nil {
			return nil, err
		}
	}
	var all []float64 // times in nanoseconds
	kinds := make([][]float64, len(requests))
	for range rounds {
		for k, r := range requests {
			begin := time.Now()
			if err := c.ask(http.MethodGet, r, nil); err != nil {
				return nil, err
			}
			took := float64(time.Since(begin))
			all, kinds[k] = append(all, took), append(kinds[k], took)
		}
	}
	var f inspect.Frame
	if err := c.ask(http.MethodGet, []string{"frame"}, &f); err != nil {
		return nil, err
	}
	slowest := 0
	for k := range kinds {
		if benchbin.Median(kinds[k]) > benchbin.Median(kinds[slowest]) {
			slowest = k
		}
	}
	return []string{
		fmt.Sprint(n), fmt.Sprint(hz), loop, formatMillis(benchbin.Median(all)), requests[slowest][0], formatMillis(benchbin.Median(kinds[slowest])), formatMillis(slices.Max(all)),
		fmt.Sprintf("%.0f µs", f.Cost.P99), fmt.Sprintf("%.0f µs", f.Cost.Max), fmt.Sprintf("%.0f µs", 1e4/hz),
	}, nil
}

// formatMillis formats a time in nanoseconds.
func formatMillis[T ~int64 | ~float64](ns T) string { return fmt.Sprintf("%.2f ms", float64(ns)/1e6) }

// timeUpdates updates the world a number of times, and returns how long that takes.
func timeUpdates(w *ecs.World, n int) (time.Duration, error) {
	begin := time.Now()
	for range n {
		if err := system.Update(w); err != nil {
			return 0, err
		}
	}
	return time.Since(begin), nil
}

// runUpdates is timeUpdates with or without an inspector.
func runUpdates(w *ecs.World, n int, with bool) (time.Duration, error) {
	if with {
		defer inspect.New(inspect.Only(w)).Close()
	}
	return timeUpdates(w, n)
}

// printUnseen prints the time of a frame with an inspector that no client has opened, beside the time
// of a frame without an inspector. Both kinds of frames alternate, so that a change of the machine's
// speed affects both.
func printUnseen(out io.Writer, o options) error {
	rows := [][]string{{"entities", "a frame without", "an unseen inspector : none", "least : least"}}
	for _, n := range o.sizes {
		n = min(n, 100_000)
		w, end, err := newWorld(n, n)
		if err != nil {
			return err
		}
		steps, took := 1, time.Duration(0)
		for ; took < o.run && err == nil; steps *= 2 {
			took, err = timeUpdates(w, steps)
		}
		var ratios []float64
		least := [2]time.Duration{time.Hour, time.Hour}
		for range o.pairs {
			var pair [2]time.Duration
			for k := range pair {
				if err == nil {
					pair[k], err = runUpdates(w, steps, k == 1)
				}
				least[k] = min(least[k], pair[k])
			}
			ratios = append(ratios, float64(pair[1])/float64(pair[0]))
		}
		end()
		if err != nil {
			return err
		}
		rows = append(rows, []string{fmt.Sprint(n), fmt.Sprintf("%.1f µs", float64(least[0])/float64(steps)/1e3), fmt.Sprintf("%.3f", benchbin.Median(ratios)), fmt.Sprintf("%.3f", float64(least[1])/float64(least[0]))})
	}
	table(out, "an inspector that no client has opened: at most 1.01", rows)
	return nil
}
