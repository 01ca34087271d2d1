package study

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/diff"
	"github.com/lanewise/lanewise/ecs/replay"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/study/internal/journal"
	"github.com/lanewise/lanewise/study/table"
)

// locate prints the first difference between a run and the certificate. It is called if a record that another process of
// this program has made differs from the certificate.
// If ctx ends, it prints what it has found, and returns errStopped.
func (v *verification) locate(ctx context.Context, run int, record certifiedRun) error {
	text := v.cert.runs[run].firstDifference(record)
	if value, err := v.firstRow(ctx, run); err == nil && value != "" {
		text += ": " + value
	}
	if v.against != "" && ctx.Err() == nil {
		switch d, err := v.divergence(ctx, run, record); {
		case err != nil:
			text += fmt.Sprintf("; compared with %s: %v", filepath.Base(v.against), err)
		case d != "":
			text += fmt.Sprintf(": compared with %s: %s", filepath.Base(v.against), d)
		}
	}
	if d, err := v.unstable(ctx, run); err == nil && d != "" {
		text += ": the model is not reproducible on this machine: " + d
	}
	v.fault("run %d: %s", run, text)
	if ctx.Err() != nil {
		return errStopped
	}
	return nil
}

// task returns the task of a run.
func (v *verification) task(run int) task {
	t := task{run: run}
	t.values, t.seed = v.study.manifest.Design.At(nil, run)
	return t
}

// unstable computes a run with one worker and with several, and describes the first difference. It returns an error only if
// ctx has ended.
func (v *verification) unstable(ctx context.Context, run int) (text string, err error) {
	var o [2]*outcome
	for i := range o {
		if o[i], err = v.program.execute(ctx, v.task(run), v.pool(i)); err != nil {
			return "", err
		}
	}
	text = o[0].difference(o[1])
	if o[0].state != o[1].state {
		text = fmt.Sprintf("it ended %s with 1 worker, and %s with %d workers: %s", o[0].state, o[1].state, v.pool(1).Workers(), cmp.Or(o[1].Why, o[0].Why))
	}
	if text == "" || o[0].Ticks == 0 {
		return text, nil
	}
	var runs [2]replay.Run
	for i := range runs {
		r, s, err := v.begin(ctx, run, v.pool(i))
		if err != nil || r.World == nil {
			return text, nil
		}
		defer release(r)
		runs[i] = replay.Run{World: r.World, Step: stepper(r, s)}
	}
	var d *replay.Divergence
	err = guard(func() (err error) {
		d, err = replay.Compare(runs[0], runs[1], uint64(o[0].Ticks))
		return err
	})
	if err != nil || d == nil {
		return text, nil
	}
	d.Tick-- // replay counts ticks from 1
	return d.String(), nil
}

// guard calls a function that calls methods of the model. If such a method panics, guard returns the panic as an error.
func guard(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the model panicked: %v", p)
		}
	}()
	return do()
}

// release closes the world of a run. A model that panicked may have left its world in any state. So release ignores all
// errors and panics.
func release(r *Run) {
	if r.World != nil {
		_ = guard(r.World.Close)
	}
}

// begin sets a run up in this process. If it returns an error, it has closed the worlds of the run.
func (v *verification) begin(ctx context.Context, run int, pool *jobs.Pool) (r *Run, s steps, err error) {
	t := v.task(run)
	r = &Run{Index: run, Seed: t.seed, ctx: ctx, pool: pool}
	before := system.Worlds()
	err = guard(func() (err error) {
		if s, err = v.program.begin(r, t.values); err == nil {
			err = s.setup(nil)
		}
		return err
	})
	if err != nil {
		release(r)
		closeSince(before, pool)
		r.World = nil
	}
	return r, s, err
}

// stepper returns a function that runs one tick. Package replay counts the first of these ticks as 1. If the context of the
// run has ended, the function does nothing and returns the error of the context.
func stepper(r *Run, s steps) func(uint64) error {
	return func(tick uint64) error {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		r.Tick = int(tick) - 1
		err := guard(func() error {
			_, err := s.step()
			return err
		})
		r.Tick++
		return err
	}
}

// firstRow computes a run and describes the first row that differs from the rows of the logs.
func (v *verification) firstRow(ctx context.Context, run int) (string, error) {
	theirs := v.rowsInLogs(run)
	if theirs == nil {
		return "", nil
	}
	o, err := v.program.execute(ctx, v.task(run), v.pool(0))
	if err != nil {
		return "", err
	}
	text, _ := firstDifferentRow(v.cert.head.Tables, theirs, rowsOf(o), tickRange{})
	return text, nil
}

// rowsOf returns the rows of an outcome by table.
func rowsOf(o *outcome) map[string][]byte {
	rows := map[string][]byte{}
	for i, p := range o.Tables {
		rows[p.Name] = o.body[i]
	}
	return rows
}

// rowsInLogs returns the rows that the logs have for a run. It returns nil if the logs have none, or if the rows are not
// exactly those of the certificate.
func (v *verification) rowsInLogs(run int) (found map[string][]byte) {
	if v.study.history == nil || !v.study.history.Has(run) {
		return nil
	}
	err := v.study.history.Record(run, func(e journal.Entry, payload []byte) error {
		log, rows, err := certifiedLine(e, payload)
		if err != nil || !maps.Equal(log.Rows, v.cert.runs[run].Rows) {
			return err
		}
		found = map[string][]byte{}
		for _, name := range slices.Sorted(maps.Keys(rows)) {
			found[name] = bytes.Clone(rows[name])
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return found
}

// firstDifferentRow compares two sets of rows. Of the rows that differ, it takes the one with the lowest tick, and describes
// the first different cell of that row. It also returns the index of the row in its table. Only rows with a tick in the
// range count.
func firstDifferentRow(tables map[string][]table.Column, theirs, own map[string][]byte, ticks tickRange) (text string, row int) {
	best := -1
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		columns := tables[name]
		a, b := theirs[name], own[name]
		for k := 0; len(a)+len(b) > 0; k++ {
			x, restA, errA := table.Decode(a, columns, nil)
			y, restB, errB := table.Decode(b, columns, nil)
			one := x
			if errA != nil {
				one = y
			}
			if errA != nil && errB != nil {
				break
			}
			a, b = restA, restB
			tick := int(one[0].Int())
			if !ticks.has(tick) {
				continue
			}
			what := describeRows(name, k, columns, x, y, errA, errB)
			if what == "" {
				continue
			}
			if best < 0 || tick < best {
				best, text, row = tick, what, k
			}
			break
		}
	}
	return text, row
}

// describeRows describes the first different cell of two rows.
func describeRows(name string, row int, columns []table.Column, theirs, own []table.Value, noTheirs, noOwn error) string {
	switch {
	case noTheirs != nil:
		return fmt.Sprintf("table %s has no row %d, and here it has one for tick %d", name, row, own[0].Int())
	case noOwn != nil:
		return fmt.Sprintf("table %s has row %d for tick %d, and here it has none", name, row, theirs[0].Int())
	}
	for i, c := range append([]table.Column{tickColumn}, columns...) {
		if theirs[i] != own[i] {
			return fmt.Sprintf("table %s, tick %d: %s is %s, and here %s", name, theirs[0].Int(), c.Name, theirs[i].AppendText(nil, c.Kind), own[i].AppendText(nil, c.Kind))
		}
	}
	return ""
}

// computeTicks computes the beginning of runs in this process, and compares the marks and rows in the range of ticks. If
// a run ends within the range, computeTicks compares its end too.
func (v *verification) computeTicks(ctx context.Context, runs []int, workers int) (wrong []int, err error) {
	pool := jobs.New(jobs.Workers(workers))
	defer func() { _ = pool.Close() }()
	for _, run := range runs {
		t := v.task(run)
		t.stop = v.ticks.to + 1
		o, err := v.program.execute(ctx, t, pool)
		if err != nil {
			return nil, err
		}
		record, err := o.record()
		if err != nil {
			return nil, err
		}
		own, err := certifiedRecord(record)
		if err != nil {
			return nil, err
		}
		theirs := v.cert.runs[run]
		v.compareColumns("here", own.tables)
		text := v.ticks.firstDifference(theirs, own, o.stopped)
		rows := v.rowsInLogs(run)
		if text == "" && rows == nil && o.stopped && len(v.ticks.marks(theirs.Marks)) == 0 {
			return nil, fmt.Errorf("-ticks %d:%d: there is nothing to compare in run %d: its marks are after Setup and after 1, 2, 4, 8 and so on ticks, and there are no rows without logs: take a larger range", v.ticks.from, v.ticks.to, run)
		}
		if row, _ := firstDifferentRow(v.cert.head.Tables, rows, rowsOf(o), v.ticks); rows != nil && row != "" {
			text = strings.TrimPrefix(text+": "+row, ": ")
		}
		if o.state != OK && theirs.State == OK.String() {
			text = fmt.Sprintf("it ended ok, and here %s: %s", o.state, o.Why)
		}
		if text != "" {
			v.fault("run %d: %s", run, text)
			wrong = append(wrong, run)
		}
	}
	return wrong, nil
}

// firstDifference compares a certified run with the same run of this program, which may have stopped after the range, and
// describes the first difference. If one of the two runs ended within the range, the whole runs are compared.
func (t tickRange) firstDifference(theirs, own certifiedRun, stopped bool) string {
	if !stopped {
		return theirs.firstDifference(own)
	}
	a, b := t.marks(theirs.Marks), t.marks(own.Marks)
	if text := marksDiffer(a, b); text != "" {
		return text
	}
	if has := theirs.State == OK.String() || theirs.State == NaN.String(); theirs.Ticks <= t.to || theirs.Ticks == t.to+1 && has {
		return fmt.Sprintf("it ended %s after %d ticks, and here it has not ended after %d", theirs.State, theirs.Ticks, own.Ticks)
	}
	if len(theirs.Marks) > 0 && !slices.Equal(a, b) {
		return otherTicks
	}
	return ""
}

// traceCommand is the command that sends a recording of a run, or its world after a tick, to a
// verifying process of another build. The usage text does not list it.
const traceCommand = "trace"

// traceOrders are the input of the command.
type traceOrders struct {
	Manifest []byte `json:"manifest"`
	Run      int    `json:"run"`
	Ticks    int    `json:"ticks"`           // after which the trace ends
	World    bool   `json:"world,omitempty"` // send a snapshot of the world after the last tick instead of a recording
}

// trace does the command.
func (p *program) trace(ctx context.Context, in io.Reader, out *os.File) error {
	os.Stdout = os.Stderr
	var o traceOrders
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		return fmt.Errorf("study: %s: %w", traceCommand, err)
	}
	v := &verification{program: p, study: &Study{program: p, errOut: io.Discard, inChild: true}}
	if err := v.study.Adopt(o.Manifest); err != nil {
		return err
	}
	pool := jobs.New(jobs.Workers(1))
	defer func() { _ = pool.Close() }()
	r, s, err := v.begin(ctx, o.Run, pool)
	if err != nil {
		return err
	}
	if r.World == nil {
		return errNoWorld
	}
	defer release(r)
	step := stepper(r, s)
	if o.World {
		for tick := range o.Ticks {
			if err := step(uint64(tick) + 1); err != nil {
				return err
			}
		}
		return SaveWorld(r, out)
	}
	rec, err := replay.Record(out, r.World, replay.BySystem())
	for tick := 0; tick < o.Ticks && err == nil; tick++ {
		if err = step(uint64(tick) + 1); err == nil {
			err = rec.Tick()
		}
	}
	if err != nil {
		return err
	}
	return rec.Close()
}

var errNoWorld = errors.New("the model has no world, so there are no worlds to compare")

// traceOf starts the other build for a trace, and calls a function with its output.
func (v *verification) traceOf(ctx context.Context, o traceOrders, read func(io.Reader) error) error {
	var err error
	if o.Manifest, err = json.Marshal(v.study.manifest); err != nil {
		return err
	}
	orders, err := json.Marshal(o)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	errs := stderrTail{to: io.Discard}
	cmd := exec.CommandContext(ctx, v.against, traceCommand)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(orders), &errs
	from, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = read(from)
	stop() // the rest of the recording is not needed
	_ = cmd.Wait()
	if text := errs.text(); err != nil && text != "" {
		return fmt.Errorf("it ended with %q", text)
	}
	return err
}

// divergence compares the world of a run with the world of the same run in the other build. It describes the first tick
// that differs, the first system that wrote another value in this tick, and the first entity and value that differ after
// the tick.
func (v *verification) divergence(ctx context.Context, run int, record certifiedRun) (string, error) {
	r, s, err := v.begin(ctx, run, v.pool(0))
	if err != nil {
		return "", err
	}
	if r.World == nil {
		return "", errNoWorld
	}
	defer release(r)
	step := stepper(r, s)
	var d *replay.Divergence
	err = v.traceOf(ctx, traceOrders{Run: run, Ticks: min(record.Ticks, max(1, v.cert.runs[run].Ticks))}, func(from io.Reader) (err error) {
		return guard(func() (err error) {
			d, err = replay.Replay(from, r.World, func(t *replay.Tick) error { return step(t.Number) })
			return err
		})
	})
	switch {
	case errors.Is(err, replay.ErrStart):
		first, differ, errFirst := v.compareWorlds(ctx, run, r, 0, "")
		if errFirst != nil || !differ {
			return "", errors.Join(err, errFirst)
		}
		first.Labels = buildLabels
		return "after Setup: " + first.String(), nil
	case err != nil:
		return "", err
	case d == nil:
		return "all worlds are the same", nil
	}
	if first, differ, err := v.compareWorlds(ctx, run, r, int(d.Tick), d.Component); err == nil && differ {
		d.First, d.Exact = first, true
	}
	d.Labels = buildLabels
	d.Tick-- // replay counts ticks from 1
	return d.String(), nil
}

// buildLabels name the two sides of a comparison with another build of the program.
var buildLabels = [2]string{"the other build", "this build"}

// compareWorlds compares the world of a run with the world of the other build after the same tick. It returns the first
// difference of a component, or of all if it is empty, and whether there is one. In the description, the value of the other build comes first.
func (v *verification) compareWorlds(ctx context.Context, run int, r *Run, tick int, component string) (d diff.Difference, differ bool, err error) {
	err = v.traceOf(ctx, traceOrders{Run: run, Ticks: tick, World: true}, func(from io.Reader) error {
		theirs, err := snapshot.Read(from)
		if err != nil {
			return err
		}
		defer func() { _ = theirs.Release() }()
		return guard(func() (err error) {
			d, differ, err = firstDifference(theirs, r.World, component)
			return err
		})
	})
	return d, differ, err
}

// firstDifference returns the first difference of an image and a world, as [diff.FirstIn] does.
func firstDifference(theirs *ecs.Image, w *ecs.World, component string) (d diff.Difference, differ bool, err error) {
	own, err := ecs.Capture(w, nil)
	if err != nil {
		return d, false, err
	}
	defer func() { _ = own.Release() }()
	d, differ = diff.FirstIn(diff.Images(theirs, own), component)
	return d, differ, nil
}

// compareSaves loads the saved states of the given runs that have not ended. It computes these runs up to the tick of their
// saved states, and compares the two worlds of each run. The runs are sorted. If a range of ticks is given, it compares only
// the states that depend on a tick in the range, and on no tick after it.
func (v *verification) compareSaves(ctx context.Context, runs []int) error {
	if v.study.history == nil || !v.program.saves {
		return nil
	}
	entries, err := os.ReadDir(v.dir)
	if err != nil {
		return err
	}
	compared := 0
	for _, e := range entries {
		part := savedName.FindStringSubmatch(e.Name())
		if part == nil || e.Name() != "run-"+part[1]+".save" {
			continue
		}
		run, err := strconv.Atoi(part[1])
		if err != nil || run >= v.study.Runs() || v.study.history.Has(run) {
			continue
		}
		if _, chosen := slices.BinarySearch(runs, run); !chosen {
			continue
		}
		text, beyond := v.compareSave(ctx, run)
		if ctx.Err() != nil {
			return errStopped
		}
		if beyond {
			continue
		}
		compared++
		if text != "" {
			v.fault("%s: %s: remove the file, and resume does the run again", e.Name(), text)
		}
	}
	if compared > 0 {
		v.say("%d saved runs compared", compared)
	}
	return nil
}

// compareSave describes the first difference of a saved run. It reports whether the state is beyond the range of ticks,
// in which case it was not compared.
func (v *verification) compareSave(ctx context.Context, run int) (text string, beyond bool) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprintf("the model panicked: %v", p)
		}
	}()
	t := v.task(run)
	saved := &Run{Index: run, Seed: t.seed, ctx: ctx, pool: v.pool(0)}
	k := &runSaver{id: v.study.id, read: func() ([]byte, error) { return os.ReadFile(saveName(v.dir, run)) }}
	from, _, err := k.resume(saved)
	if err != nil {
		return err.Error(), false
	}
	if v.ticks.part && len(v.ticks.marks([]mark{{Tick: saved.Tick}})) == 0 {
		return "", true
	}
	defer func() { release(saved) }()
	s, err := v.program.begin(saved, t.values)
	if err == nil {
		err = s.setup(from)
	}
	if err != nil {
		return fmt.Sprintf("Load after %d ticks: %v", saved.Tick, err), false
	}
	r, s, err := v.begin(ctx, run, v.pool(1))
	defer release(r)
	if err == nil {
		r.mark()
	}
	for step := stepper(r, s); err == nil && r.Tick < saved.Tick; {
		if err = step(uint64(r.Tick) + 1); err == nil {
			r.mark()
		}
	}
	if err != nil {
		return fmt.Sprintf("here the run ends after %d ticks: %v", r.Tick, err), false
	}
	if text := marksDiffer(saved.marks, r.marks); text != "" {
		return text, false
	}
	if len(saved.marks) > 0 && !slices.Equal(saved.marks, r.marks) {
		return otherTicks, false
	}
	if r.hash() == saved.hash() {
		return "", false
	}
	if r.World == nil || saved.World == nil {
		return fmt.Sprintf("after %d ticks: its rows are different here", saved.Tick), false
	}
	theirs, err := ecs.Capture(saved.World, nil)
	if err != nil {
		return err.Error(), false
	}
	defer func() { _ = theirs.Release() }()
	d, differ, err := firstDifference(theirs, r.World, "")
	switch {
	case err != nil:
		return err.Error(), false
	case !differ:
		return fmt.Sprintf("after %d ticks: the worlds are the same, and their hashes are not", saved.Tick), false
	}
	return fmt.Sprintf("after %d ticks: %s", saved.Tick, d), false
}
