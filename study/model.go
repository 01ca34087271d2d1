package study

import (
	"context"
	"io"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/random"
)

// A Model is the user's simulation: a pointer to a struct, with these methods. The struct's
// exported fields that have a tag "default" are the parameters:
//
//	Beta float64 `default:"0.2" range:"0..1" unit:"1/day" help:"chance to catch it"`
//
// R is the row with the result of a run: a struct of numbers, bools and
// strings. A value of the model serves one run, so its other fields may hold
// the state of that run.
type Model[R any] interface {
	// Setup creates the world. All random numbers of the model must come from r, so that a run is
	// reproducible. A model that needs no world returns nil.
	Setup(r *Run) (*ecs.World, error)
	// Step does one tick and reports whether there is another tick to do. Step should return soon
	// after the context of r has ended.
	Step(r *Run) (more bool, err error)
	// Result returns the row of results at the end.
	Result(r *Run) R
}

// A Saver is a model whose runs can be saved and continued in another process.
// Long runs are saved regularly. After a crash or an interruption they continue from the last
// save. A continued run must draw the same numbers and have the same result as a run without an
// interruption; [Test] checks that.
type Saver interface {
	// Save writes everything that Load needs to restore the run. Save is called between two ticks.
	Save(r *Run, w io.Writer) error
	// Load restores the run from the bytes that Save wrote, instead of Setup.
	// Load may call Setup. In Load, r draws the same numbers as in Setup, which are the numbers
	// of tick 0. Emit does nothing in Load, because the run already has the rows of its first
	// Setup. The field Tick holds the tick of the save.
	Load(r *Run, from io.Reader) (*ecs.World, error)
}

// A Run gives the methods of a model access to the run for which they are called.
type Run struct {
	Index int        // index in the study
	Seed  uint64     // seed of this run
	Tick  int        // number of ticks done
	World *ecs.World // the world of Setup

	ctx       context.Context
	pool      *jobs.Pool
	tables    []*rows
	marks     []mark
	notFinite string // the first cell that was not finite, and its tick
	loading   bool   // in Load: it draws and emits as Setup does
}

// Context ends when the study is stopped or the run has reached its time limit
// (-limit).
func (r *Run) Context() context.Context { return r.ctx }

// Pool is the pool for the run's jobs: pass it to [ecs.OnPool]. The pool has one worker or several,
// whichever the study has measured to be faster. The result of a run does not depend on the number
// of workers.
func (r *Run) Pool() *jobs.Pool { return r.pool }

// Key returns the key for random numbers of this run at this tick. In Load, the tick is 0. The key
// is for functions of package random on lanes or single rows. Pass a different constant as the
// stream at each place in the model that draws.
func (r *Run) Key(stream uint32) random.Key {
	tick := uint32(r.Tick)
	if r.loading {
		tick = 0
	}
	return random.Key{Seed: r.Seed, Tick: tick, Stream: stream}
}

// Unit draws one number in [0, 1) at this tick for the entity, or for another thing, that has the
// given number. The same arguments always give the same number, no matter in which order the calls
// are made.
func (r *Run) Unit(entity uint64, stream uint32) float64 {
	return random.UniformOf[float64](r.Key(stream).ID(entity))
}
