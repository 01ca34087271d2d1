package study

import (
	"context"
	"io"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/random"
)

// A Model is what a user writes, by methods on a pointer to a struct. The exported
// fields of the struct with a tag "default" are the parameters:
//
//	Beta float64 `default:"0.2" range:"0..1" unit:"1/day" help:"chance to catch it"`
//
// R is the row with which a run ends: a struct of numbers, bools and strings. A
// value of the model serves one run, so that its other fields are the run's own.
type Model[R any] interface {
	// Setup makes the world. Whatever chance there is in the model comes from r. A
	// model that needs no world returns nil.
	Setup(r *Run) (*ecs.World, error)
	// Step takes one tick and says whether there is another one. It returns soon
	// once the context of r has ended.
	Step(r *Run) (more bool, err error)
	// Result measures the end.
	Result(r *Run) R
}

// A Saver is a model whose runs can be put aside and go on in another process: long
// runs are saved now and then, and go on from there after whatever ended them. What
// a run draws afterwards, and what it ends with, must be what it would have been
// otherwise; [Test] tries that.
type Saver interface {
	// Save writes all that Load needs to make the run as it is between two ticks.
	Save(r *Run, w io.Writer) error
	// Load does the work of Setup, from what Save wrote. It may call Setup, because r draws in Load as in Setup, at tick 0,
	// and rows that are emitted in it are left out: the run has those of its Setup. The field Tick has the tick of the save.
	Load(r *Run, from io.Reader) (*ecs.World, error)
}

// A Run is one run, as its model sees it.
type Run struct {
	Index int        // in the study
	Seed  uint64     // of this run
	Tick  int        // ticks that are done
	World *ecs.World // that of Setup

	ctx     context.Context
	pool    *jobs.Pool
	tables  []*rows
	bad     string // the first cell that was no finite number, and when
	loading bool   // in Load, which draws and emits as Setup has done
}

// Context ends when the study is stopped or the run has had its time (-limit).
func (r *Run) Context() context.Context { return r.ctx }

// Pool is where the run's jobs belong: give it to [ecs.OnPool]. It has one worker or
// several, as the study finds faster, which changes no result.
func (r *Run) Pool() *jobs.Pool { return r.pool }

// Key draws numbers for this run at this tick, in Load at tick 0: for lanes, or for rows by themselves.
// The stream is a constant of one's own for each place in the model that draws.
func (r *Run) Key(stream uint32) random.Key {
	tick := uint32(r.Tick)
	if r.loading {
		tick = 0
	}
	return random.Key{Seed: r.Seed, Tick: tick, Stream: stream}
}

// Unit draws one number in [0, 1) for an entity, or whatever has a number of its
// own, at this tick: the same wherever it is asked for, and whenever.
func (r *Run) Unit(entity uint64, stream uint32) float64 {
	return random.UniformOf[float64](r.Key(stream).ID(entity))
}
