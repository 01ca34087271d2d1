package study

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/lanewise/lanewise/internal/progress"
	"github.com/lanewise/lanewise/study/internal/design"
)

func (p *program) sweepCommand(ctx context.Context, args []string, c Console) error {
	f := newFlags("sweep", c)
	w := f.workerFlags()
	o := f.designFlags()
	plan := f.Bool("plan", false, "create the study but do no run: workers do the runs later")
	if err := f.parse(args); err != nil {
		return err
	}
	if err := w.check(); err != nil {
		return err
	}
	d, err := p.designUntil(ctx, o, f.rest)
	if err != nil {
		return err
	}
	if *o.limit < 0 {
		return usageError{fmt.Errorf("-limit %v: take a time above 0, or 0 for none", *o.limit)}
	}
	s := &Study{program: p, errOut: c.Err, anyBuild: *w.anyBuild}
	if err := s.create(*w.out, d, *o.limit); err != nil {
		return err
	}
	for i := range d.Axes {
		if last, end := d.Axes[i].Short(); last != "" {
			_, _ = fmt.Fprintf(c.Err, "note: %s=%s ends at %s: the next step is past %s\n", d.Axes[i].Param, d.Axes[i].Steps, last, end)
		}
	}
	if *plan {
		_, err := fmt.Fprintf(c.Err, "%s is a study of %d runs: worker -out %s does them\n", *w.out, d.Runs(), *w.out)
		return err
	}
	return p.work(ctx, w, Share{0, 1}, c)
}

func (p *program) resumeCommand(ctx context.Context, args []string, c Console) error {
	f := newFlags("resume", c)
	w := f.workerFlags()
	if err := errors.Join(f.parse(args)); err != nil {
		return err
	}
	if err := errors.Join(w.check(), f.checkNoArgs()); err != nil {
		return err
	}
	return p.work(ctx, w, Share{0, 1}, c)
}

func (p *program) workerCommand(ctx context.Context, args []string, c Console) error {
	f := newFlags("worker", c)
	w := f.workerFlags()
	shard := f.String("shard", "", "the share of this worker, `i/n`: every n-th run from the i-th on (default: what SLURM, Kubernetes or MPI say, or all)")
	if err := f.parse(args); err != nil {
		return err
	}
	if err := errors.Join(w.check(), f.checkNoArgs()); err != nil {
		return err
	}
	at, err := shareOf(*shard)
	if err != nil {
		return usageError{err}
	}
	if at.variable != "" {
		_, _ = fmt.Fprintf(c.Err, "%s: share %v\n", at.variable, at.share)
	}
	return p.work(ctx, w, at.share, c)
}

// work does the missing runs of a share.
func (p *program) work(ctx context.Context, w *workerFlags, share Share, c Console) (err error) {
	s := &Study{program: p, errOut: c.Err, anyBuild: *w.anyBuild}
	name := *w.worker
	if name == "" {
		name = share.name()
	}
	if err := s.Open(*w.out, name); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	total, had := 0, 0
	for k := share.Index; k < s.Runs(); k += share.Count {
		total++
		if s.history.Has(s.manifest.Design.Order(k)) {
			had++
		}
	}
	defer tidy(s)
	if had == total {
		_, err := fmt.Fprintf(c.Err, "all %s runs have ended: table -out %s\n", progress.Thousands(total), *w.out)
		return errors.Join(err, s.checkReproducible())
	}
	style, err := progress.StyleOf(*w.style, c.Live)
	if err != nil {
		return usageError{err}
	}
	bar := progress.New(c.Err, progress.Options{Style: style, Total: total, Had: had, What: "runs"})
	if had > 0 {
		bar.Say("%s of %s runs have ended before", progress.Thousands(had), progress.Thousands(total))
	}
	s.errOut = bar
	mode, err := s.work(ctx, workerOptions{share: share, mode: *w.mode, cores: *w.cores, attempts: *w.attempts, save: *w.save, progress: bar})
	bar.End()
	rate, took := bar.Rate()
	left := 0
	for range s.missing(share) {
		left++
	}
	bar.Say("%s of %s runs have ended, %s; %s, %.1f runs/s, %s", progress.Thousands(total-left), progress.Thousands(total), s.describeStates(), took.Round(time.Millisecond), rate, mode)
	if errors.Is(err, errStopped) {
		return fmt.Errorf("stopped: resume -out %s goes on", *w.out)
	}
	return errors.Join(err, s.checkReproducible())
}

// describeStates describes how many runs ended in each state.
func (s *Study) describeStates() (text string) {
	for state, n := range s.history.States() {
		if state > 0 && n > 0 {
			if text != "" {
				text += ", "
			}
			text += fmt.Sprintf("%s %s", progress.Thousands(n), State(state))
		}
	}
	return text
}

// checkReproducible returns an error if a repeated run had a different result.
func (s *Study) checkReproducible() error {
	if n := len(s.history.Differ); n > 0 {
		return fmt.Errorf("runs %v: %w", s.history.Differ[:min(n, 10)], ErrDiffers)
	}
	return nil
}

// designFlags holds the flags that describe a design.
type designFlags struct {
	seeds, latin, random *int
	seed                 *uint64
	list                 *string
	limit                *time.Duration
}

func (f *flags) designFlags() *designFlags {
	return &designFlags{
		seeds:  f.Int("seeds", 1, "`replicates` of each point, each with its own seed"),
		seed:   f.Uint64("seed", 1, "the `seed` of the study"),
		latin:  f.Int("latin", 0, "draw `n` points, evenly along each axis (Latin hypercube)"),
		random: f.Int("random", 0, "draw `n` points"),
		list:   f.String("list", "", "take the points from a CSV `file`, whose first line names parameters"),
		limit:  f.Duration("limit", 0, "the `time` that a run may take; 0: any"),
	}
}

// designUntil calls design, but returns early when ctx ends, because the list of points may be a pipe to
// which no process writes. In this case, the goroutine that reads the pipe runs until the process
// exits.
func (p *program) designUntil(ctx context.Context, o *designFlags, axes []string) (design.Design, error) {
	type result struct {
		d   design.Design
		err error
	}
	made := make(chan result, 1)
	if *o.list == "" {
		ctx = context.WithoutCancel(ctx)
	}
	go func() {
		d, err := p.design(o, axes)
		made <- result{d, err}
	}()
	select {
	case r := <-made:
		if r.err != nil {
			return r.d, usageError{r.err}
		}
		return r.d, nil
	case <-ctx.Done():
		return design.Design{}, fmt.Errorf("stopped while reading %s", filepath.ToSlash(*o.list))
	}
}

// design returns the design that a command line describes.
func (p *program) design(o *designFlags, axes []string) (d design.Design, err error) {
	d = design.Design{Kind: design.Grid, Replicates: *o.seeds, Seed: *o.seed}
	kinds := 0
	for _, k := range []struct {
		kind   string
		points int
	}{{design.Latin, *o.latin}, {design.Random, *o.random}} {
		if k.points != 0 {
			d.Kind, d.Points = k.kind, k.points
			kinds++
		}
	}
	if *o.list != "" {
		d.Kind = design.Rows
		kinds++
		f, err := os.Open(*o.list)
		if err != nil {
			return d, err
		}
		d.Columns, d.List, err = design.ReadList(f)
		if err = errors.Join(err, f.Close()); err != nil {
			return d, fmt.Errorf("%s: %w", filepath.ToSlash(*o.list), err)
		}
	}
	if kinds > 1 {
		return d, errors.New("-latin, -random and -list: take one of them")
	}
	for _, text := range axes {
		a, err := design.ParseAxis(p.params, text)
		switch {
		case err != nil:
			return d, err
		case a.Single():
			d.Fixed = append(d.Fixed, design.Setting{Param: a.Param, Value: a.Values[0]})
		case d.Kind == design.Rows:
			return d, fmt.Errorf("%s: beside a list, parameters have one value: name=value", text)
		default:
			d.Axes = append(d.Axes, a)
		}
	}
	return d, d.Bind(p.params)
}
