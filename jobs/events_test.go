package jobs

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lanewise/lanewise/jobs/profile"
)

// TestRecordSwitches: recording begins and ends while jobs run, and says what they did.
func TestRecordSwitches(t *testing.T) {
	limit(t)
	for _, workers := range []int{1, 2, 3, 8} {
		p := New(Workers(workers))
		work := func(name string) {
			h := p.Schedule(&namedJob{Func: func(*Task) { time.Sleep(10 * time.Microsecond) }, name: name})
			if err := h.Wait(); err != nil {
				t.Error(err)
			}
		}
		named := func(list []profile.Event) (names []string) {
			for _, e := range list {
				if e.Start <= 0 || e.End < e.Start || e.Worker < 0 || e.Caller != (e.Worker == 0 || e.Worker >= workers) {
					t.Errorf("event %+v", e)
				}
				if e.Name != "" {
					names = append(names, e.Name)
				}
			}
			slices.Sort(names)
			return names
		}
		work("unseen")
		if list := p.Profile().AppendEvents(nil, 0); len(list) != 0 || p.Profile().Recording() != 0 {
			t.Errorf("%d events of a pool that records nothing", len(list))
		}
		p.Profile().Record(8)
		work("one")
		between := profile.Clock()
		work("two")
		if got := named(p.Profile().AppendEvents(nil, 0)); !slices.Equal(got, []string{"one", "two"}) || p.Profile().Recording() != 8 {
			t.Errorf("%d workers: %q", workers, got)
		}
		if got := named(p.Profile().AppendEvents(nil, between)); !slices.Equal(got, []string{"two"}) {
			t.Errorf("%d workers: since the second one %q", workers, got)
		}
		for i := range 20 {
			work(fmt.Sprint("many ", i))
		}
		got := p.Profile().AppendEvents(nil, 0)
		if n := len(named(got)); n == 0 || n > 8*(workers+1) {
			t.Errorf("%d workers: %d events are kept", workers, n)
		}
		p.ParallelFor(&namedLoop{"a loop"}, 100, 1).Wait()
		if i := slices.IndexFunc(p.Profile().AppendEvents(nil, 0), func(e profile.Event) bool { return e.Name == "a loop" && e.Blocks > 0 }); i < 0 {
			t.Error("no blocks of the loop")
		}
		p.Profile().Record(0)
		work("unseen")
		if list := p.Profile().AppendEvents(nil, 0); len(list) != 0 || p.Profile().Recording() != 0 || p.observed() {
			t.Errorf("%d events after the end", len(list))
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestRecordWhileRunning: the switch is thrown while workers run and sleep.
func TestRecordWhileRunning(t *testing.T) {
	limit(t)
	p := New(Workers(3))
	var wg sync.WaitGroup
	over := make(chan bool)
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
					_ = p.ParallelFor(&namedLoop{"loop"}, 50, 1).Wait()
				}
			}
		})
	}
	for i := range 200 {
		p.Profile().Record(i % 3 * 10)
		p.Profile().AppendEvents(nil, 0)
	}
	close(over)
	wg.Wait()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestRecordRefuses what is no number of events.
func TestRecordRefuses(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	defer p.Close()
	defer func() {
		if v := recover(); !strings.Contains(fmt.Sprint(v), "profile: Recorder.Record: n is -1") {
			t.Errorf("panic %v", v)
		}
	}()
	p.Profile().Record(-1)
}
