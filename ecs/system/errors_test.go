package system

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// TestNestedErrors checks that a message names the package, the world and the system only once, for
// each kind of inner error.
func TestNestedErrors(t *testing.T) {
	of := func(system string) *ecs.Error {
		return &ecs.Error{Category: ecs.ErrArgument, Op: "Set", World: "x", System: system, Text: "inside"}
	}
	two := errors.Join(of("game.Move"), of("game.Stop"))
	for want, err := range map[string]error{
		`system: game.Move: Update: ecs: Set: world "x": inside`:                   of("game.Move"),
		`system: game.Move: Update: ecs: Set: world "x": system game.Stop: inside`: of("game.Stop"),
		`system: game.Move: Update: panic: ecs: Set: world "x": inside`:            &PanicError{Value: of("game.Move")},
		`system: game.Move: Update: panic: why`:                                    &PanicError{Value: "why"},
		`system: game.Move: Update: game.Stop is not a system`:                     errors.New("system: game.Stop is not a system"),
		`system: game.Move: Update: the cause`:                                     errors.New("the cause"),
		fmt.Sprint("system: game.Move: Update: ", two):                             two,
	} {
		got := &wrappedError{"game.Move: Update", "game.Move", err}
		if got.Error() != want || !errors.Is(got, err) {
			t.Errorf("got  %v\nwant %s", got, want)
		}
	}
}

// faulty fails in the given way.
type faulty struct{ how func(f *Frame) error }

func (s *faulty) Update(f *Frame) error { return s.how(f) }

// TestErrorsOfSystemsNest checks the rule of TestNestedErrors for errors that a world returns.
func TestErrorsOfSystemsNest(t *testing.T) {
	for name, how := range map[string]func(f *Frame) error{
		"an error": func(f *Frame) error { return f.World().Destroy(ecs.Entity{Index: 99, Version: 1}) },
		"a panic":  func(f *Frame) error { f.World().Spawn(1); return nil },
		"a buffer": func(f *Frame) error {
			c := f.World().NewCommands()
			if err := ecs.DestroyAll(c, ecs.Entities([]ecs.Entity{{Index: 99, Version: 1}})); err != nil {
				return err
			}
			return c.Playback(f.World())
		},
		"a system": func(f *Frame) error { _, err := Create[faulty](nil); return err },
	} {
		w := newWorld(t)
		s := &faulty{how}
		must(t, Adopt(w, s))
		must(t, GetOrCreate[Simulation](w).Add(s))
		text := fmt.Sprint(Update(w))
		for _, once := range []string{"system: ", "ecs: ", `world "`} {
			if n := strings.Count(text, once); n > 1 {
				t.Errorf("%s: %q comes %d times in %s", name, once, n, text)
			}
		}
		if strings.Contains(text, ": system ") || !strings.HasPrefix(text, "system: ") || !strings.Contains(text, "Update: ") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestBlame checks that the time of a sync point is charged to the systems whose jobs ran while
// the owner waited. The time must not be charged to the system that was created first. If the
// owner came so late that the jobs were almost finished, the test is repeated with longer jobs.
func TestBlame(t *testing.T) {
	for _, workers := range []int{1, 2, 3} {
		inTime(t, func(d time.Duration) (string, bool) {
			x, guilty, first := updateWaiting(t, workers, d)
			i := slices.IndexFunc(x.Syncs, func(s ReportSync) bool { return strings.HasPrefix(s.System, guilty.uniqueName[:10]) })
			if i < 0 {
				return "no sync point", false
			}
			times := map[string]time.Duration{}
			for _, f := range x.Syncs[i].For {
				times[f.System] = f.Time
			}
			return fmt.Sprintf("%d workers: blamed %v; %s worked for %v", workers, times, guilty.uniqueName, d),
				times[guilty.uniqueName] > d/2 && times[first.uniqueName] < times[guilty.uniqueName]/2
		})
	}
}

// updateWaiting updates a world whose owner waits for two jobs. One job takes the time d, and the other
// takes no time.
func updateWaiting(t *testing.T, workers int, d time.Duration) (x *Report, guilty, first *Instance) {
	b := newBench(t)
	b.w = ecs.NewWorld("", ecs.OnPool(newPool(t, workers)))
	b.w.Spawn(alpha{})
	work := func(d time.Duration) (*probe, *Instance) {
		p := &probe{log: &b.log}
		var q *ecs.Query
		p.require = func(s *Setup) { q = s.Query(ecs.Write[alpha]()) }
		p.update = func(f *Frame) error {
			f.ParallelFor(q, chunkFunc(func(*ecs.Chunk) { time.Sleep(d) }))
			return nil
		}
		return p, b.adopt(p)
	}
	quick, first := work(0) // created first, runs last
	slow, guilty := work(d)
	ender, _ := b.add("ender")
	ender.update = func(f *Frame) error { f.World().Spawn(beta{}); return nil }
	b.ok(GetOrCreate[Simulation](b.w).Add(slow))
	g := b.group(quick, ender)
	g.SetSorting(false)
	b.ok(GetOrCreate[Presentation](b.w).Add(g))
	Measure(b.w, true)
	b.ok(Update(b.w))
	return Explain(b.w), guilty, first
}

// inTime tests a condition that depends on real time. inTime repeats the test with longer times until
// the condition holds.
func inTime(t *testing.T, try func(d time.Duration) (got string, ok bool)) {
	t.Helper()
	for d := 3 * time.Millisecond; ; d *= 4 {
		got, ok := try(d)
		if ok {
			return
		}
		if d > 2*time.Second {
			t.Error(got)
			return
		}
	}
}

// TestBlameStrangers checks a wait during which no work of a job is measured. The wait must be charged
// to the system whose jobs are not finished.
func TestBlameStrangers(t *testing.T) {
	inTime(t, func(d time.Duration) (string, bool) {
		b := newBench(t)
		b.w = ecs.NewWorld("", ecs.OnPool(newPool(t, 2)))
		var access *access.Access
		p := &probe{log: &b.log, require: func(s *Setup) { access = s.Access(ecs.Write[alpha]()) }}
		in := b.adopt(p)
		p.update = func(f *Frame) error {
			h := b.w.Pool().Schedule(jobs.Func(func(*jobs.Task) { time.Sleep(d) }))
			f.Track(h, access)
			return nil
		}
		b.ok(GetOrCreate[Simulation](b.w).Add(p))
		Measure(b.w, true)
		b.ok(Update(b.w))
		x := Explain(b.w)
		i := slices.IndexFunc(x.Syncs, func(s ReportSync) bool { return s.System == "" })
		return fmt.Sprintf("sync points %+v", x.Syncs), i >= 0 && len(x.Syncs[i].For) == 1 && x.Syncs[i].For[0].System == in.uniqueName
	})
}
