package jobs

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestWatchdogDumpsLiveJobs(t *testing.T) {
	limit(t)
	dumps := make(chan LiveJobs, 1)
	p := New(Workers(3), Safety(Panic), Watchdog(20*time.Millisecond, func(l LiveJobs) {
		select {
		case dumps <- l:
		default:
		}
	}))
	body, release := held()
	stuck := p.Schedule(&namedJob{Func: func(t *Task) {
		t.Schedule(&namedJob{Func: body, name: "child"})
	}, name: "parent"})
	behind := p.Schedule(&namedJob{Func: func(*Task) {}, name: "behind"}, stuck, p.Schedule(&nothing{}))
	var text strings.Builder
	var last LiveJobs
	soon(t, "a dump of three jobs, two of them running", func() bool {
		last = <-dumps
		text.Reset()
		if err := last.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		return len(last) == 3 && strings.Count(text.String(), ": running") == 2
	})
	id := map[string]uint64{}
	for _, j := range last {
		id[j.Name] = j.ID
	}
	for _, want := range []string{
		"parent: running, scheduled at",
		fmt.Sprintf("behind: waiting for [%d], ", id["parent"]),
		fmt.Sprintf("child: running, child of %d", id["parent"]),
		"live_test.go:",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &text)
		}
	}
	release()
	if err := behind.Wait(); err != nil {
		t.Error(err)
	}
	if l := p.Live(); len(l) != 0 {
		t.Errorf("still live: %v", l)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestLiveNamesWhatIsOwned: a job that its own goroutine has to run looks idle to all
// others.
func TestLiveNamesWhatIsOwned(t *testing.T) {
	limit(t)
	p := New(Workers(2), Safety(Panic))
	h := p.ScheduleHere(&namedJob{Func: func(*Task) {}, name: "here"})
	behind := p.ScheduleHere(&namedJob{Func: func(*Task) {}, name: "behind"}, h)
	live := p.Live()
	for i := range live {
		live[i].Site = ""
	}
	var text strings.Builder
	if err := live.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	const want = "job 1 here: ready, for its own goroutine\njob 2 behind: waiting for [1]\n"
	if text.String() != want {
		t.Errorf("%s, want\n%s", &text, want)
	}
	if err := errors.Join(behind.Wait(), p.Close()); err != nil {
		t.Error(err)
	}
}

// TestWatchdogIsQuietWhileThereIsProgress: it reports when nothing has changed for
// four looks while jobs were live, and after four more.
func TestWatchdogIsQuietWhileThereIsProgress(t *testing.T) {
	limit(t)
	var w watchdog
	for i, look := range []struct {
		changes uint64
		live    int
		stuck   bool
	}{
		{1, 1, false},                                              // the first change
		{1, 1, false}, {1, 2, false}, {1, 2, false}, {2, 2, false}, // another just in time
		{2, 2, false}, {2, 2, false}, {2, 2, false}, {2, 0, false}, // nothing to wait for
		{2, 1, false}, {2, 1, false}, {2, 1, false}, {2, 1, true},
		{2, 1, false}, {2, 1, false}, {2, 1, false}, {2, 1, true}, // goes on
		{3, 1, false}, {3, 1, false}, {3, 1, false}, {3, 1, false}, {3, 1, true},
	} {
		if got := w.checkStuck(look.changes, look.live); got != look.stuck {
			t.Errorf("look %d: stuck: %v", i, got)
		}
	}
}

// A job that waits for one of another pool is not ready, and says for which it waits.
func TestLiveAcrossPools(t *testing.T) {
	limit(t)
	a, b := New(Workers(1)), New(Workers(1), Watchdog(time.Hour, func(LiveJobs) {}))
	gate := a.Schedule(&named{name: "gate"})
	h := b.Schedule(&named{name: "behind"}, gate)
	var text strings.Builder
	if err := b.Live().WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if want := "job 1 behind: waiting for gate of another pool\n"; text.String() != want {
		t.Errorf("%q, want %q", text.String(), want)
	}
	if err := errors.Join(h.Wait(), a.Close(), b.Close()); err != nil {
		t.Error(err)
	}
}
