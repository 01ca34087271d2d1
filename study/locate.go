package study

import (
	"bytes"
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
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/study/internal/journal"
	"github.com/lanewise/lanewise/study/table"
)

// locate prints the first difference of a run whose record, which another process of this program
// has made, differs from the certificate.
func (v *verification) locate(ctx context.Context, run int, record certifiedRun) {
	text := v.cert.runs[run].differs(record)
	if value := v.firstRow(ctx, run); value != "" {
		text += ": " + value
	}
	if v.against != "" {
		switch d, err := v.divergence(ctx, run, record); {
		case err != nil:
			text += fmt.Sprintf("; compared with %s: %v", filepath.Base(v.against), err)
		case d != "":
			text += fmt.Sprintf(": compared with %s: %s", filepath.Base(v.against), d)
		}
	}
	if d := v.unstable(ctx, run); d != "" {
		text += ": the model is not reproducible on this machine: " + d
	}
	v.fault("run %d: %s", run, text)
}

// task returns the task of a run.
func (v *verification) task(run int) task {
	t := task{run: run}
	t.values, t.seed = v.study.manifest.Design.At(nil, run)
	return t
}

// outcomeOf computes a run in this process.
func (v *verification) outcomeOf(ctx context.Context, t task, pool *jobs.Pool) *outcome {
	o, err := v.program.execute(ctx, t, pool)
	if err != nil {
		return &outcome{}
	}
	return o
}

// unstable computes a run with one worker and with several, and describes the first difference.
func (v *verification) unstable(ctx context.Context, run int) string {
	var o [2]*outcome
	for i := range o {
		o[i] = v.outcomeOf(ctx, v.task(run), v.pool[i])
	}
	text := o[0].differs(o[1])
	if text == "" || o[0].Ticks == 0 {
		return text
	}
	var runs [2]replay.Run
	for i := range runs {
		r, s, err := v.begin(ctx, run, v.pool[i])
		if err != nil || r.World == nil {
			return text
		}
		defer func() { _ = r.World.Close() }()
		runs[i] = replay.Run{World: r.World, Step: stepper(r, s)}
	}
	d, err := replay.Compare(runs[0], runs[1], uint64(o[0].Ticks))
	if err != nil || d == nil {
		return text
	}
	d.Tick-- // replay counts ticks from 1
	return d.String()
}

// begin sets a run up in this process.
func (v *verification) begin(ctx context.Context, run int, pool *jobs.Pool) (*Run, steps, error) {
	t := v.task(run)
	r := &Run{Index: run, Seed: t.seed, ctx: ctx, pool: pool}
	s, err := v.program.begin(r, t.values)
	if err == nil {
		err = s.setup(nil)
	}
	return r, s, err
}

// stepper returns a function that runs one tick, of which replay counts the first as 1.
func stepper(r *Run, s steps) func(uint64) error {
	return func(tick uint64) error {
		r.Tick = int(tick) - 1
		_, err := s.step()
		r.Tick++
		return err
	}
}

// firstRow computes a run and describes the first row that differs from the rows of the logs.
func (v *verification) firstRow(ctx context.Context, run int) string {
	theirs := v.rowsInLogs(run)
	if theirs == nil {
		return ""
	}
	o := v.outcomeOf(ctx, v.task(run), v.pool[0])
	text, _ := firstDifferentRow(v.cert.head.Tables, theirs, rowsOf(o), tickRange{})
	return text
}

// rowsOf returns the rows of an outcome by table.
func rowsOf(o *outcome) map[string][]byte {
	rows := map[string][]byte{}
	for i, p := range o.Tables {
		rows[p.Name] = o.body[i]
	}
	return rows
}

// rowsInLogs returns the rows that the logs have for a run, or nil if they have none or others than the certificate.
func (v *verification) rowsInLogs(run int) (found map[string][]byte) {
	if v.study.history == nil || !v.study.history.Has(run) {
		return nil
	}
	_ = v.study.history.Record(run, func(e journal.Entry, payload []byte) error {
		_, rows, err := certified(e, payload)
		found = map[string][]byte{}
		for _, name := range slices.Sorted(maps.Keys(rows)) {
			found[name] = bytes.Clone(rows[name])
		}
		return err
	})
	return found
}

// firstDifferentRow describes the row with the lowest tick that differs in two sets of rows, and its first
// different cell. It also returns the index of the row in its table. Only rows with a tick in the range count.
func firstDifferentRow(tables map[string][]table.Column, theirs, own map[string][]byte, ticks tickRange) (text string, row int) {
	names := make([]string, 0, len(tables))
	for name := range tables {
		names = append(names, name)
	}
	slices.Sort(names)
	best := -1
	for _, name := range names {
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
		text := v.ticks.differs(theirs, own, o.stopped)
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

// differs describes the first difference of a certified run from the same run of this program, which may have stopped
// after the range. If one of them ended within the range, the whole runs are compared.
func (t tickRange) differs(theirs, own certifiedRun, stopped bool) string {
	if !stopped {
		return theirs.differs(own)
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
	if err != nil || r.World == nil {
		return errors.Join(err, errNoWorld)
	}
	defer func() { _ = r.World.Close() }()
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
	var errs bytes.Buffer
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
	if text := strings.TrimSpace(errs.String()); err != nil && text != "" {
		return fmt.Errorf("it ended with %q", text)
	}
	return err
}

// divergence compares the world of a run with that of the other build. It describes the first tick that
// differs, the first system that wrote another value in this tick, and the first entity and value that differ after the tick.
func (v *verification) divergence(ctx context.Context, run int, record certifiedRun) (string, error) {
	r, s, err := v.begin(ctx, run, v.pool[0])
	if err != nil {
		return "", err
	}
	if r.World == nil {
		return "", errNoWorld
	}
	defer func() { _ = r.World.Close() }()
	step := stepper(r, s)
	var d *replay.Divergence
	err = v.traceOf(ctx, traceOrders{Run: run, Ticks: min(record.Ticks, max(1, v.cert.runs[run].Ticks))}, func(from io.Reader) (err error) {
		d, err = replay.Replay(from, r.World, func(t *replay.Tick) error { return step(t.Number) })
		return err
	})
	switch {
	case errors.Is(err, replay.ErrStart):
		d = &replay.Divergence{}
	case err != nil:
		return "", err
	case d == nil:
		return "all worlds are the same", nil
	}
	first, err := v.compareWorlds(ctx, run, r, int(d.Tick))
	if err != nil {
		first = fmt.Sprintf("the hashes are %016x and %016x", d.A, d.B)
	}
	text := fmt.Sprintf("tick %d: ", int(d.Tick)-1) // replay counts ticks from 1
	if d.Tick == 0 {
		text = "after Setup: "
	}
	if d.System != "" {
		text += d.System[strings.LastIndexByte(d.System, '/')+1:] + ": "
	}
	return text + first, nil
}

// compareWorlds describes the first difference of the world of a run and the world of the other build after
// the same tick. The other build's value comes first.
func (v *verification) compareWorlds(ctx context.Context, run int, r *Run, tick int) (text string, err error) {
	err = v.traceOf(ctx, traceOrders{Run: run, Ticks: tick, World: true}, func(from io.Reader) error {
		theirs, err := snapshot.Read(from)
		if err != nil {
			return err
		}
		defer func() { _ = theirs.Release() }()
		text, err = firstDifference(theirs, r.World)
		return err
	})
	return text, err
}

// firstDifference describes the first difference of an image and a world.
func firstDifference(theirs *ecs.Image, w *ecs.World) (string, error) {
	own, err := ecs.Capture(w, nil)
	if err != nil {
		return "", err
	}
	defer func() { _ = own.Release() }()
	d, differ := diff.First(diff.Images(theirs, own))
	if !differ {
		return "the worlds are the same", nil
	}
	return d.String(), nil
}

// compareSaves loads the saved states of runs that have not ended, computes these runs up to
// the same tick, and compares both worlds.
func (v *verification) compareSaves(ctx context.Context) error {
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
		compared++
		if text := v.compareSave(ctx, run); text != "" {
			v.fault("%s: %s: remove the file, and resume does the run again", e.Name(), text)
		}
	}
	if compared > 0 {
		v.say("%d saved runs compared", compared)
	}
	return nil
}

// compareSave describes the first difference of a saved run.
func (v *verification) compareSave(ctx context.Context, run int) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprintf("the model panicked: %v", p)
		}
	}()
	t := v.task(run)
	saved := &Run{Index: run, Seed: t.seed, ctx: ctx, pool: v.pool[0]}
	k := &runSaver{id: v.study.id, read: func() ([]byte, error) { return os.ReadFile(saveName(v.dir, run)) }}
	from, _, err := k.resume(saved)
	if err != nil {
		return err.Error()
	}
	s, err := v.program.begin(saved, t.values)
	if err == nil {
		err = s.setup(from)
	}
	if saved.World != nil {
		defer func() { _ = saved.World.Close() }()
	}
	if err != nil {
		return fmt.Sprintf("Load after %d ticks: %v", saved.Tick, err)
	}
	r, s, err := v.begin(ctx, run, v.pool[1])
	if r.World != nil {
		defer func() { _ = r.World.Close() }()
	}
	if err == nil {
		r.mark()
	}
	for step := stepper(r, s); err == nil && r.Tick < saved.Tick; {
		if err = step(uint64(r.Tick) + 1); err == nil {
			r.mark()
		}
	}
	if err != nil {
		return fmt.Sprintf("here the run ends after %d ticks: %v", r.Tick, err)
	}
	if text := marksDiffer(saved.marks, r.marks); text != "" {
		return text
	}
	if len(saved.marks) > 0 && !slices.Equal(saved.marks, r.marks) {
		return otherTicks
	}
	if r.hash() == saved.hash() {
		return ""
	}
	if r.World == nil || saved.World == nil {
		return fmt.Sprintf("after %d ticks: its rows are different here", saved.Tick)
	}
	theirs, err := ecs.Capture(saved.World, nil)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = theirs.Release() }()
	if text, err = firstDifference(theirs, r.World); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("after %d ticks: %s", saved.Tick, text)
}
