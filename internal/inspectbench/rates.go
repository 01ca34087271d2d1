//go:build !js

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
	{"entity", "id", "0:1"}, {"journal"}, {"memory"}, {"picture", "kind", "heat", "x", "Translation.X", "y", "Translation.Y"}, {"watches", "watch", "count Translation", "watch", "sum health.Points", "watch", "quantiles health.Points"},
}

// client sends requests to an inspector over a socket.
type client struct{ base string }

// send sends a request, which consists of a path and arguments, and decodes the answer. If out is nil, send
// does not decode it.
func (c *client) send(method string, r []string, out any) error {
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

// cell is a world whose frames run at a certain rate. A paced loop sleeps after each frame. A busy loop computes
// during the whole frame. A paused loop waits between two frames.
type cell struct {
	n     int
	hz    float64
	loop  string
	kinds [][]float64 // for each of requests, the times in nanoseconds
	cost  []float64   // for each round, the 99th percentile of the delay of a frame, in microseconds
}

// printRates prints the times of requests and the delays of frames at several frame rates.
func (b *bench) printRates() error {
	var cells []*cell
	for _, n := range b.sizes {
		w, end, err := newWorld(n, min(n, 1000))
		if err != nil {
			return err
		}
		var own []*cell
		for _, loop := range []string{"paced", "paused", "busy"} {
			for _, hz := range b.rates {
				if loop == "busy" && hz < 12 || loop == "paused" && hz != b.rates[0] {
					continue // a frame that computes for a second answers after it
				}
				own = append(own, &cell{n: n, hz: hz, loop: loop, kinds: make([][]float64, len(requests))})
			}
		}
		for range b.rounds {
			for _, c := range own {
				if err == nil {
					err = c.measure(w, b.requests)
				}
			}
		}
		end()
		if err != nil {
			return err
		}
		cells = append(cells, own...)
	}
	b.tableOfRates("requests to a loop that sleeps or is paused: each kind is to take at most 100 ms, and 20 ms in a pause; medians, and in parentheses the least", cells, func(c *cell) bool { return c.loop != "busy" })
	b.tableOfRates("requests to a loop that computes during whole frames, and so answers only between two of them: there is no limit for the requests", cells, func(c *cell) bool { return c.loop == "busy" })
	return nil
}

// tableOfRates prints a table of the cells that keep selects.
func (b *bench) tableOfRates(heading string, cells []*cell, keep func(*cell) bool) {
	rows := [][]string{{"entities", "frames/s", "loop", "all requests", "slowest kind", "its time", "slowest of all", "limit", "", "frame p99", "limit", ""}}
	for _, c := range cells {
		if !keep(c) {
			continue
		}
		name := fmt.Sprintf("%d entities, %v frames/s, %s: ", c.n, c.hz, c.loop)
		slowest := 0
		for k := range c.kinds {
			if benchbin.Median(c.kinds[k]) > benchbin.Median(c.kinds[slowest]) {
				slowest = k
			}
		}
		all := slices.Concat(c.kinds...)
		limit, verdict := "none", ""
		if c.loop != "busy" {
			most := map[string]float64{"paced": 100e6, "paused": 20e6}[c.loop]
			limit, verdict = formatMillis(most), b.verdict(name+requests[slowest][0], benchbin.Median(c.kinds[slowest]), most)
		}
		delay := max(1e4/c.hz, 100)
		rows = append(rows, []string{
			fmt.Sprint(c.n), fmt.Sprint(c.hz), c.loop, medianAndLeast(all), requests[slowest][0], medianAndLeast(c.kinds[slowest]), formatMillis(slices.Max(all)), limit, verdict,
			fmt.Sprintf("%.0f (%.0f) µs", benchbin.Median(c.cost), slices.Min(c.cost)), fmt.Sprintf("%.0f µs", delay), b.verdict(name+"delay of a frame", benchbin.Median(c.cost), delay),
		})
	}
	b.table(heading+". The delay of a frame is to be at most 1 % of the frame or 100 µs, whichever is more", rows)
}

// measure runs frames, and sends each request the given number of times.
func (c *cell) measure(w *ecs.World, times int) error {
	opts := []app.RunOption{app.Step(1 / c.hz)}
	system.Find[move](w).busy = 0
	if c.loop == "busy" {
		system.Find[move](w).busy = time.Duration(float64(time.Second) / c.hz)
	} else {
		opts = append(opts, app.Pace(c.hz))
	}
	return inspected(w, opts, nil, func(ask *client) error {
		if c.loop == "paused" {
			if err := ask.send(http.MethodPost, []string{"control", "do", "pause"}, nil); err != nil {
				return err
			}
		}
		for range times {
			for k, r := range requests {
				begin := time.Now()
				if err := ask.send(http.MethodGet, r, nil); err != nil {
					return err
				}
				c.kinds[k] = append(c.kinds[k], float64(time.Since(begin)))
			}
		}
		var f inspect.Frame
		if err := ask.send(http.MethodGet, []string{"frame"}, &f); err != nil {
			return err
		}
		c.cost = append(c.cost, f.Cost.P99)
		return nil
	})
}

// inspected runs a loop and an inspector of its world. It calls f with a client of this inspector, and ends both after f.
func inspected(w *ecs.World, run []app.RunOption, options []inspect.Option, f func(*client) error) error {
	in := inspect.New(append([]inspect.Option{inspect.Only(w), inspect.Token("bench"), inspect.Allow(inspect.Control)}, options...)...)
	server := httptest.NewServer(in)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		_ = app.Run(ctx, w, run...) // the end of the context
		close(ended)
	}()
	defer func() {
		server.Close()
		_ = in.Close()
		stop()
		<-ended
	}()
	time.Sleep(10 * time.Millisecond) // the first frame has begun its sleep
	return f(&client{base: server.URL})
}

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
// of a frame without an inspector. There are many short runs with and without an inspector, in turns and in
// changing order, because another program then disturbs few of them.
func (b *bench) printUnseen() error {
	rows := [][]string{{"entities", "a frame without", "an unseen inspector : none", "least : least", "limit", ""}}
	for _, n := range b.sizes {
		n = min(n, 100_000)
		w, end, err := newWorld(n, n)
		if err != nil {
			return err
		}
		steps, took := 1, time.Duration(0)
		for ; took < b.run && err == nil; steps *= 2 {
			took, err = timeUpdates(w, steps)
		}
		var ratios []float64
		least := [2]time.Duration{time.Hour, time.Hour}
		for k := range b.pairs {
			var pair [2]time.Duration
			for i := range pair {
				with := (i + k) % 2
				if err == nil {
					pair[with], err = runUpdates(w, steps, with == 1)
				}
				least[with] = min(least[with], pair[with])
			}
			ratios = append(ratios, float64(pair[1])/float64(pair[0]))
		}
		end()
		if err != nil {
			return err
		}
		ratio := benchbin.Median(ratios)
		rows = append(rows, []string{fmt.Sprint(n), fmt.Sprintf("%.2f µs", float64(least[0])/float64(steps)/1e3), fmt.Sprintf("%.3f", ratio), fmt.Sprintf("%.3f", float64(least[1])/float64(least[0])), "1.01", b.verdict(fmt.Sprintf("unseen inspector, %d entities", n), ratio, 1.01)})
	}
	b.table("an inspector that no client has opened", rows)
	return nil
}
