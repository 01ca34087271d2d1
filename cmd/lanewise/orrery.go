package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/catalogue"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/julian"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/orrery"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/inspect"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// checkPlaces is the self-check. Tests replace it by a function that fails.
var checkPlaces = orrery.Check

// orreryCommand implements the subcommand orrery.
func orreryCommand(ctx context.Context, args []string, t *terminal) (err error) {
	j, err := parseJourney(args, t)
	if err != nil {
		return err
	}
	out, err := j.createOutputs()
	defer out.drop()
	if err != nil {
		return err
	}
	in := &loader{ctx: ctx, t: t, strict: j.strict}
	set, err := in.load(j)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return errors.New("stopped before the first step")
	}
	pool := j.pool()
	defer func() { err = errors.Join(err, pool.Close()) }()
	o, err := orrery.New(set, pool)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	if err := j.resume(o); err != nil {
		return err
	}
	stop, err := j.show(ctx, o, t)
	if err != nil {
		return err
	}
	took, err := j.run(ctx, o, t)
	stop()
	if err != nil {
		return err
	}
	places, err := o.Places()
	if err != nil {
		return err
	}
	deviation, failed := checkPlaces(places, set, j.t1, pool)
	hash := o.World().Hash() // at -t1
	if err := j.deliver(ctx, out, o, places, set, pool, t); err != nil {
		return err
	}

	report := &summary{w: t.out}
	report.line("bodies", "%s: %s", formatThousands(set.Len()), countBodies(set))
	if s := in.String(); s != "" {
		report.line("input", "%s", s)
	}
	j.report(report, set.Len(), pool.Workers(), took)
	report.line("hash", "%016x", hash)
	if failed == nil {
		report.line("self-check", "ok: off by %.1e AU at most, %s", deviation.AU, deviation.Name)
	}
	for _, o := range out.all() {
		report.line("wrote", "%s", o.path)
	}
	return errors.Join(failed, report.err)
}

// report prints a description of the computation and its speed.
func (j *journey) report(to *summary, bodies, workers int, took time.Duration) {
	to.line("dates", "%s to %s TDB, %s of %v d", julian.Format(j.t0), julian.Format(j.t1), count(j.steps(), "step"), j.dt)
	rate := float64(bodies) * float64(j.steps()+1) / took.Seconds()
	to.line("speed", "%s rows/s, %v", formatThousands(int(rate)), took.Round(time.Millisecond))
	to.line("kernels", "path %s, %s", kernels.Path(), count(workers, "worker"))
}

// deliver writes the requested outputs: the world, the places, the charts and the film.
func (j *journey) deliver(ctx context.Context, out outputs, o *orrery.Orrery, places *orrery.Places, set *catalogue.Set, pool *jobs.Pool, t *terminal) (err error) {
	if out.world != nil {
		if err := out.world.write(ctx, o.Write); err != nil {
			return err
		}
	}
	err = j.write(ctx, out, places, set, pool)
	if err == nil && out.video != nil {
		err = j.record(ctx, out.video, o, set, pool, t)
	}
	if err != nil && ctx.Err() != nil {
		return errors.New("stopped while writing")
	}
	return err
}

// If the flags name a saved world, resume continues with it.
func (j *journey) resume(o *orrery.Orrery) (err error) {
	if j.load == "" {
		return nil
	}
	if j.t0, err = o.Load(j.load); err != nil {
		return err
	}
	return j.settle()
}

// outputs holds the output files of a journey. The field of a file that is not
// requested is nil or empty.
type outputs struct {
	table    *output
	pictures []*output
	video    *output
	world    *output
}

// createOutputs creates the output files before the computation begins, so that a
// wrong file name is found early.
func (j *journey) createOutputs() (out outputs, err error) {
	if j.csv != "" {
		if out.table, err = newOutput(j.csv); err != nil {
			return out, err
		}
	}
	for _, path := range picturePaths(j.png) {
		p, err := newOutput(path)
		if err != nil {
			return out, err
		}
		out.pictures = append(out.pictures, p)
	}
	if j.video != "" {
		if out.video, err = newOutput(j.video); err != nil {
			return out, err
		}
	}
	if j.save != "" {
		out.world, err = newOutput(j.save)
	}
	return out, err
}

func (o *outputs) all() (all []*output) {
	if o.table != nil {
		all = append(all, o.table)
	}
	all = append(all, o.pictures...)
	if o.video != nil {
		all = append(all, o.video)
	}
	if o.world != nil {
		all = append(all, o.world)
	}
	return all
}

// drop removes the files that were not completed.
func (o *outputs) drop() {
	for _, f := range o.all() {
		f.drop()
	}
}

// write writes the files.
func (j *journey) write(ctx context.Context, out outputs, p *orrery.Places, set *catalogue.Set, pool *jobs.Pool) error {
	if out.table != nil {
		err := out.table.write(ctx, func(w io.Writer) error { return orrery.WriteTable(w, p, set) })
		if err != nil {
			return err
		}
	}
	if out.pictures != nil {
		return j.draw(ctx, out.pictures, p, set, pool)
	}
	return nil
}

// run computes all steps and returns the time that they took.
func (j *journey) run(ctx context.Context, o *orrery.Orrery, t *terminal) (time.Duration, error) {
	bar := newProgress(t, j.steps())
	defer bar.End()
	done := 0
	var opts []app.RunOption
	if j.inspect != "" {
		opts = append(opts, app.Pace(60))
	}
	err := o.Run(ctx, j.steps()+1, j.date, func(k int) {
		done = k + 1
		bar.Set(k, julian.Format(math.Floor(j.date(k)-0.5)+0.5))
	}, opts...)
	if err != nil && ctx.Err() != nil {
		return 0, fmt.Errorf("stopped after %s of %s steps", formatThousands(done), formatThousands(j.steps()))
	}
	_, took := bar.Rate()
	return took, err
}

// If the flags request the inspector, show serves it until stop is called.
func (j *journey) show(ctx context.Context, o *orrery.Orrery, t *terminal) (stop func(), err error) {
	if j.inspect == "" {
		return func() {}, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	said, served := &firstLine{said: make(chan string, 1)}, make(chan error, 1)
	go func() {
		served <- inspect.Serve(ctx, j.inspect, said, inspect.Only(o.World()), inspect.Allow(inspect.Control|inspect.Edit))
	}()
	select {
	case err := <-served:
		cancel()
		return nil, err
	case line := <-said.said:
		select {
		case err := <-served: // the printed line has the reason
			cancel()
			return nil, err
		case <-time.After(10 * time.Millisecond):
		}
		t.say("%s", line)
	}
	return func() {
		cancel()
		if err := <-served; err != nil {
			t.say("%v", err)
		}
	}, nil
}

// firstLine is an io.Writer that sends its first line to a channel.
type firstLine struct{ said chan string }

func (f *firstLine) Write(b []byte) (int, error) {
	select {
	case f.said <- strings.TrimSpace(string(b)):
	default:
	}
	return len(b), nil
}

// countBodies counts bodies by kind.
func countBodies(set *catalogue.Set) string {
	var counts [catalogue.Asteroid + 1]int
	for i := range set.Bodies {
		counts[set.Bodies[i].Kind]++
	}
	counts[catalogue.Asteroid] = len(set.Minors)
	var parts []string
	for kind, n := range counts {
		if n > 0 {
			parts = append(parts, count(n, catalogue.Kind(kind).String()))
		}
	}
	return strings.Join(parts, ", ")
}

// A summary prints lines, each with a name and a text.
type summary struct {
	w   io.Writer
	err error
}

func (s *summary) line(name, format string, args ...any) {
	if s.err == nil {
		_, s.err = fmt.Fprintf(s.w, "%-11s %s\n", name, fmt.Sprintf(format, args...))
	}
}
