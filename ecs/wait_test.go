package ecs

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/lanewise/lanewise/jobs/access"
)

// A function of OnWait must be called before every wait, and the function that it returns after
// the wait. It is not called if there is nothing to wait for.
func TestOnWait(t *testing.T) {
	w := newWorld(t, 2)
	e := w.Spawn(A{}, B{})
	write := w.Query(Write[A](), Anywhere(Read[B]()))
	NewLookup[B](write)
	read := w.Query(Read[A]())
	c, err := componentIn[A](w, "OnWait")
	must(t, err)
	var log []string
	release := func() {}
	remove := w.Hooks().OnWait(func(a *access.Access) func() {
		switch {
		case a == nil:
			log = append(log, "all")
		case a.Write.Has(c.index):
			log = append(log, "written")
		case a.Read.Has(c.index):
			log = append(log, "read")
		}
		release()
		return func() { log = append(log, "done") }
	})
	for _, c := range []struct {
		what string
		do   func() error
		want []string
	}{
		{"Chunks", func() error {
			for range read.Chunks() {
			}
			return nil
		}, []string{"read", "done"}},
		{"Get", func() error { _, err := Get[A](w, e); return err }, []string{"read", "done"}},
		{"Set", func() error { return Set(w, e, A{}) }, []string{"written", "done"}},
		{"Run with a look-up", func() error {
			w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("")) // which makes the lookup stale
			return write.Run(chunkFunc(func(*Chunk) {}))
		}, []string{"written", "done"}},
		{"Sync", w.Sync, []string{"all", "done"}},
	} {
		hold := make(chan bool)
		release = sync.OnceFunc(func() { close(hold) })
		write.ParallelFor(chunkFunc(func(*Chunk) { <-hold }))
		log = nil
		limit := time.AfterFunc(5*time.Second, func() {
			t.Errorf("%s: the wait was not told", c.what)
			close(hold)
		})
		must(t, c.do())
		if !limit.Stop() {
			return
		}
		if !slices.Equal(log, c.want) {
			t.Errorf("%s: told %q, want %q", c.what, log, c.want)
		}
		log = nil
		must(t, c.do())
		if len(log) != 0 {
			t.Errorf("%s without jobs: told %q", c.what, log)
		}
	}
	remove()
	write.ParallelFor(chunkFunc(func(*Chunk) {}))
	must(t, w.Sync())
}
