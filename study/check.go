package study

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/lanewise/lanewise/jobs"
)

// T is the subset of the methods of *testing.T and *testing.B that Test needs.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Logf(format string, args ...any)
}

// Test checks in a test of your package that a model is fit for a study. Test runs the model with
// its default parameters, except those in settings (name=value), and checks that
//
//   - the run ends without an error, and all its numbers are finite;
//
//   - the run has the same hash and rows when it is repeated, next to another run, and with 1, 2
//     and 8 workers;
//
//   - another seed gives another run;
//
//   - saving and loading a run does not change its hash, if the model saves
//     its runs.
//
//     func TestEpidemic(t *testing.T) { study.Test[*Epidemic](t, "side=32", "days=20") }
//
// Choose parameters with which a run is short, because there are about ten
// runs.
func Test[P Model[R], R any](t T, settings ...string) {
	t.Helper()
	p := programOf[P, R]("Test")
	if err := p.test(context.Background(), settings, t.Logf); err != nil {
		t.Errorf("study: Test: %v", err)
	}
}

func (p *program) testCommand(ctx context.Context, args []string, c Console) error {
	f := newFlags("test", c)
	if err := f.parse(args); err != nil {
		return err
	}
	return p.test(ctx, f.rest, func(format string, args ...any) { _, _ = fmt.Fprintf(c.Out, format+"\n", args...) })
}

// test checks the model and returns a report of the problems that it finds.
func (p *program) test(ctx context.Context, settings []string, say func(string, ...any)) error {
	t, err := p.singleTask(settings)
	if err != nil {
		return err
	}
	first, err := p.runOnce(ctx, t, 1)
	if err != nil {
		return err
	}
	say("%d ticks, %.1f ms, hash %016x", first.Ticks, first.Ms, first.hash)
	compare := func(what string, o *outcome, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if diff := first.difference(o); diff != "" {
			return fmt.Errorf("%s: %s: the model is not reproducible", what, diff)
		}
		say("the same %s", what)
		return nil
	}
	for _, workers := range []int{1, 2, 8} {
		o, err := p.runOnce(ctx, t, workers)
		if err := compare(fmt.Sprintf("again, with %d of jobs' workers", workers), o, err); err != nil {
			return err
		}
	}
	other := t
	other.seed, other.run = t.seed+1, 1
	beside := make(chan *outcome, 1)
	go func() {
		o, _ := p.runOnce(ctx, other, 1)
		beside <- o
	}()
	o, err := p.runOnce(ctx, t, 1)
	another := <-beside
	if err := compare("beside another run in one process (the model shares nothing)", o, err); err != nil {
		return err
	}
	if another != nil && first.difference(another) == "" {
		say("note: a run with another seed is the same run: the model has no chance, so that -seeds makes no sense")
	}
	if p.saves {
		o, n, err := p.inPieces(ctx, t)
		if err := compare(fmt.Sprintf("saved and loaded %d times", n), o, err); err != nil {
			return err
		}
	}
	return nil
}

// runOnce does a run. It returns an error if the run fails.
func (p *program) runOnce(ctx context.Context, t task, workers int) (*outcome, error) {
	pool := jobs.New(jobs.Workers(workers))
	defer pool.Close()
	return p.runOrFail(ctx, t, pool)
}

// difference describes the difference between two outcomes of one run.
func (o *outcome) difference(p *outcome) string {
	if o.hash != p.hash {
		return fmt.Sprintf("hash %016x, and %016x the first time", p.hash, o.hash)
	}
	for i := range o.Tables {
		if i >= len(p.Tables) || o.Tables[i].Name != p.Tables[i].Name || o.Tables[i].Rows != p.Tables[i].Rows || !bytes.Equal(o.body[i], p.body[i]) {
			return fmt.Sprintf("table %s is not what it was the first time", o.Tables[i].Name)
		}
	}
	if len(p.Tables) != len(o.Tables) || o.Ticks != p.Ticks {
		return fmt.Sprintf("%d ticks and %d tables, and %d and %d the first time", p.Ticks, len(p.Tables), o.Ticks, len(o.Tables))
	}
	return ""
}

// inPieces does a run that is saved after 1, 2, 4 and so on ticks. After each save, the run
// continues in a new value of the model. It returns the number of times that it saved the run.
func (p *program) inPieces(ctx context.Context, t task) (o *outcome, n int, err error) {
	var kept []byte
	next := 1
	t.keep = &runSaver{
		isDue: func(tick int) bool { return tick >= next },
		write: func(b []byte) error {
			kept, next, n = b, 2*next, n+1
			return errSuspended
		},
		read: func() ([]byte, error) {
			if kept == nil {
				return nil, fs.ErrNotExist
			}
			return kept, nil
		},
	}
	for {
		o, err = p.runOnce(ctx, t, 1)
		if !errors.Is(err, errSuspended) {
			return o, n, err
		}
	}
}
