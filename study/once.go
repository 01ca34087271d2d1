package study

import (
	"context"
	"fmt"
	"reflect"

	"github.com/lanewise/lanewise/jobs"
)

// An Outcome is the result of a run that ended without an error.
type Outcome[R any] struct {
	Result R
	Ticks  int
	Hash   uint64 // of the world, or of the rows if the model has no world
}

// Once does one run in this process, as the command run does. The run has the model's default
// parameters, except for the parameters in settings (name=value). The seed of the run is the
// seed of the first run of a study. Use it in a test that compares the outcome with an earlier
// one. Jobs run on the pool; if the pool is nil, Once makes a pool with one worker.
//
// Once returns an error if a parameter is invalid or the run fails.
func Once[P Model[R], R any](pool *jobs.Pool, settings ...string) (out Outcome[R], err error) {
	p := programOf[P, R]("Once")
	t, err := p.singleTask(settings)
	if err != nil {
		return out, err
	}
	if pool == nil {
		pool = jobs.New(jobs.Workers(1))
		defer func() { _ = pool.Close() }()
	}
	o, err := p.runOrFail(context.Background(), t, pool)
	if err != nil {
		return out, err
	}
	out.Ticks, out.Hash = o.Ticks, o.hash
	reflect.ValueOf(&out.Result).Elem().Set(o.result)
	return out, nil
}

// singleTask returns the task for a single run with the given parameters.
func (p *program) singleTask(settings []string) (task, error) {
	zero, one, seed, list := 0, 1, uint64(1), ""
	d, err := p.design(&designFlags{seeds: &one, latin: &zero, random: &zero, seed: &seed, list: &list}, settings)
	if err != nil {
		return task{}, usageError{err}
	}
	if d.Runs() != 1 {
		return task{}, usageError{fmt.Errorf("%d runs: a parameter has one value here, name=value", d.Runs())}
	}
	t := task{}
	t.values, t.seed = d.At(nil, 0)
	return t, nil
}

// runOrFail does a run, and returns an error if the run fails.
func (p *program) runOrFail(ctx context.Context, t task, pool *jobs.Pool) (*outcome, error) {
	o, err := p.execute(ctx, t, pool)
	switch {
	case err != nil:
		return nil, err
	case o.Stack != "":
		return nil, fmt.Errorf("%s: %s\n%s", o.state, o.Why, o.Stack)
	case o.state != OK:
		return nil, fmt.Errorf("%s: %s", o.state, o.Why)
	}
	return o, nil
}
