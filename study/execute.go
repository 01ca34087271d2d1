package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/study/internal/design"
	"github.com/lanewise/lanewise/study/table"
)

// A program is a model whose type has been erased, so that commands, workers and tests need no type parameters.
type program struct {
	name   string // name of the model's type, with its package
	params []design.Param
	result *table.Shape
	row    reflect.Type
	saves  bool
	begin  func(r *Run, values []string) (steps, error)
}

// steps holds the methods of one value of a model as functions.
type steps struct {
	setup  func(from io.Reader) error // Setup, or Load
	step   func() (bool, error)
	result func() reflect.Value
	save   func(w io.Writer) error // nil if the model does not save
}

// programOf returns the program of a model. It panics if the model's struct or its row type is not
// valid, because that is a mistake in the source.
func programOf[P Model[R], R any](caller string) *program {
	t := reflect.TypeFor[P]()
	if t.Kind() != reflect.Pointer {
		panic(fmt.Sprintf("study: %s: the model is %s: take the pointer to a struct, as in %s[*Epidemic]()", caller, t, caller))
	}
	t = t.Elem()
	params, err := design.Params(t)
	if err != nil {
		panic(fmt.Sprintf("study: %s: %v", caller, err))
	}
	for _, p := range params {
		if slices.ContainsFunc(append(headColumns, tickColumn), func(c table.Column) bool { return c.Name == p.Name }) {
			panic(fmt.Sprintf("study: %s: a parameter of %s is named %s, as a column of every table is: give the field another name, or a tag, name:\"…\"", caller, t, p.Name))
		}
	}
	row := reflect.TypeFor[R]()
	shape, err := table.ShapeOf(row)
	if err != nil {
		panic(fmt.Sprintf("study: %s: the result of %s: %v", caller, t, err))
	}
	_, saves := any(reflect.New(t).Interface()).(Saver)
	p := &program{name: t.PkgPath() + "." + t.Name(), params: params, result: shape, row: row, saves: saves}
	p.begin = func(r *Run, values []string) (steps, error) {
		v := reflect.New(t)
		for i := range params {
			if err := params[i].Set(v.Elem(), values[i]); err != nil {
				return steps{}, err
			}
		}
		m := v.Interface().(P)
		saver, _ := any(m).(Saver)
		s := steps{
			step:   func() (bool, error) { return m.Step(r) },
			result: func() reflect.Value { return reflect.ValueOf(m.Result(r)) },
			setup: func(from io.Reader) (err error) {
				if from != nil {
					r.loading = true
					defer func() { r.loading = false }()
					r.World, err = saver.Load(r, from)
				} else {
					r.World, err = m.Setup(r)
				}
				return err
			},
		}
		if saver != nil {
			s.save = func(w io.Writer) error { return saver.Save(r, w) }
		}
		return s, nil
	}
	return p
}

// A task is one run to do.
type task struct {
	run    int
	seed   uint64
	values []string
	limit  time.Duration // 0 if there is none
	keep   *runSaver     // for saving; nil if the run is not saved
	stop   int           // the tick after which the run stops early, without a result, unless it ends there; 0 if there is none
}

// stopsAt reports whether the run stops early after a tick.
func (t *task) stopsAt(tick int) bool { return t.stop > 0 && tick >= t.stop }

// errStopped is returned for a run that was interrupted because the study is stopped.
var errStopped = errors.New("the study was stopped")

// errSuspended is returned for a run that was interrupted after a save, because its runSaver
// requested that. The state of such a run is suspended.
var errSuspended = errors.New("the run was put aside")

const suspended State = 0

// execute does a run. If ctx ended the run, execute returns errStopped. It returns no other error.
func (p *program) execute(ctx context.Context, t task, pool *jobs.Pool) (o *outcome, err error) {
	r := &Run{Index: t.run, Seed: t.seed, ctx: ctx, pool: pool}
	o = &outcome{run: t.run, state: OK, header: header{Seed: t.seed}}
	start := time.Now()
	p.drive(ctx, r, t, o, start)
	if ctx.Err() != nil {
		p.close(r, o)
		return nil, errStopped
	}
	if o.state == suspended {
		p.close(r, o)
		return nil, errSuspended
	}
	if o.state == OK {
		o.hash, o.state, o.Why = p.hash(r, o)
	}
	p.close(r, o)
	o.Ticks, o.Ms = r.Tick, float64(time.Since(start).Microseconds())/1000
	if o.state == Late {
		r.tables, r.marks = nil, nil // a run with a time limit gets to a different tick each time
	}
	o.Marks = r.marks
	for _, tab := range r.tables {
		o.Tables = append(o.Tables, tab.part())
		o.body = append(o.body, tab.bytes)
	}
	if o.state == OK && r.World == nil {
		o.hash = r.hash()
	}
	if o.state == OK && r.notFinite != "" {
		o.state, o.Why = NaN, r.notFinite
	}
	return o, nil
}

// drive does a run to its end. The run begins with its saved state, if there is one, or otherwise
// at tick 0.
func (p *program) drive(ctx context.Context, r *Run, t task, o *outcome, start time.Time) {
	defer o.catch()
	if t.limit > 0 {
		var stop context.CancelFunc
		r.ctx, stop = context.WithTimeout(ctx, t.limit)
		defer stop()
	}
	s, spent, err := p.start(r, t)
	if err == nil && r.Tick == 0 {
		r.mark()
	}
	more := true
	for more && err == nil && !t.stopsAt(r.Tick) {
		if err = r.ctx.Err(); err != nil {
			break
		}
		if more, err = s.step(); err == nil {
			r.Tick++
			if more {
				r.mark()
			}
			err = t.keep.save(r, s, spent+time.Since(start), more)
		}
	}
	switch {
	case err == nil && more && t.stopsAt(r.Tick):
		o.stopped = true
	case errors.Is(err, errSuspended):
		o.state = suspended
	case err != nil && t.limit > 0 && r.ctx.Err() != nil && ctx.Err() == nil:
		o.state, o.Why = Late, fmt.Sprintf("it took longer than %v", t.limit)
	case err != nil:
		o.state, o.Why = Errored, err.Error()
	default:
		tab := &rows{name: resultTable, columns: p.result.Columns, row: p.row, shape: p.result}
		r.tables = append(r.tables, tab)
		o.result = s.result()
		r.add(tab, o.result)
	}
}

// start sets up the run with the model's Setup, or loads the run's save. The results also include
// the time that the saved run had already spent.
func (p *program) start(r *Run, t task) (s steps, spent time.Duration, err error) {
	if s, err = p.begin(r, t.values); err != nil {
		return s, 0, err
	}
	from, spent, err := t.keep.resume(r)
	if err != nil || from == nil {
		return s, 0, errors.Join(err, s.setup(nil))
	}
	before := system.Worlds()
	if err = s.load(from, t.keep.restarted != nil); err == nil {
		return s, spent, nil
	}
	err = fmt.Errorf("cannot be loaded: Load at tick %d: %w", r.Tick, err)
	if t.keep.restarted == nil || r.ctx.Err() != nil {
		return s, spent, err
	}
	t.keep.restarted(err.Error())
	if r.World != nil {
		if err := r.World.Close(); err != nil {
			return s, 0, err
		}
	}
	closeSince(before, r.pool)
	r.Tick, r.notFinite, r.tables, r.marks, r.World = 0, "", nil, nil, nil
	if s, err = p.begin(r, t.values); err == nil { // another value of the model, because this one may be half loaded
		err = s.setup(nil)
	}
	return s, 0, err
}

// closeSince closes the worlds on a run's pool that a failed Load left open. Load leaves worlds
// open if it panics, or if it does not close them before it returns an error. A panic may leave a
// world in a loop or an update. A world in a loop or an update cannot be closed. It stays open,
// and the run starts again without it.
func closeSince(before []*ecs.World, pool *jobs.Pool) {
	for _, w := range system.Worlds() {
		if w.Pool() == pool && !slices.Contains(before, w) {
			func() {
				defer func() { _ = recover() }()
				_ = w.Close()
			}()
		}
	}
}

// load loads the saved run. If mayFail is set, a panic becomes an error too.
func (s *steps) load(from io.Reader, mayFail bool) (err error) {
	if mayFail {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("panic: %v", v)
			}
		}()
	}
	return s.setup(from)
}

// hash hashes the world. If a method of the user panics here, the run ends with that panic.
func (p *program) hash(r *Run, o *outcome) (hash uint64, state State, why string) {
	if r.World == nil {
		return 0, OK, ""
	}
	func() {
		defer o.catch()
		hash = r.World.Hash()
	}()
	return hash, o.state, o.Why
}

// close closes the world. After a panic the world may be in any state.
func (p *program) close(r *Run, o *outcome) {
	if r.World == nil {
		return
	}
	was := *o
	func() {
		defer o.catch()
		if err := r.World.Close(); err != nil {
			o.state, o.Why = Errored, fmt.Sprintf("the world cannot be closed: %v", err)
		}
	}()
	if was.state != OK {
		*o = was // the first failure is reported
	}
}

// catch recovers a panic and records it in the outcome.
func (o *outcome) catch() {
	if v := recover(); v != nil {
		o.state, o.Why, o.Stack = Panic, shorten(fmt.Sprint(v), 1000), shorten(string(debug.Stack()), 4000)
	}
}

// shorten cuts a text to at most n bytes.
func shorten(s string, n int) string {
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}
