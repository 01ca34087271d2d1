package ecs

import (
	"errors"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

// A world and its images must have the same hashes after the world's pool is closed.
func TestHashOnClosedPool(t *testing.T) {
	pool := jobs.New(jobs.Workers(2))
	w := NewWorld("test", OnPool(pool))
	w.Create(w.Archetype(With[A]()), 40_000)
	m, err := Capture(w, nil)
	must(t, err)
	want := w.Hash()
	must(t, pool.Close())
	if got := m.Hash(); got != want {
		t.Errorf("the image has %x, want %x", got, want)
	}
	must(t, w.Close())
	if got := m.Hash(); got != want {
		t.Errorf("the image of a closed world has %x, want %x", got, want)
	}
}

// A ParallelCommands that was taken before a Restore is refused, because its commands would never
// be played.
func TestParallelEndsWithRestore(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1})
	m, err := Capture(w, nil)
	must(t, err)
	q := w.Query(With[A]())
	for _, replay := range []bool{false, true} {
		c := w.NewCommands()
		c.SetMultiPlayback(replay)
		p := c.Parallel()
		must(t, Restore(w, m))
		for chunk := range q.Chunks() {
			if !replay {
				wantPanic(t, ErrDisposed, func() { p.For(chunk) })
				continue
			}
			must(t, Set(p.For(chunk), e, A{2}))
		}
		must(t, c.Playback(w))
		if got := get[A](t, w, e); replay != (got == A{2}) {
			t.Errorf("replay %v: it is %v", replay, got)
		}
	}
}

// The methods Retain and Release may be called in the middle of a playback, when ids are
// reserved. There they can neither restore nor capture the world. Such an attempt changes
// nothing.
func TestRestoreWhilePromised(t *testing.T) {
	w := newWorld(t, 1)
	at := w.Spawn(Tag{})
	m, err := Capture(w, nil)
	must(t, err)
	told, promised := 0, 0
	barrier = func(method string) {
		if method != "Retain" {
			return
		}
		told++
		if len(w.reservedIDs.list) == 0 {
			return
		}
		promised++
		if err := Restore(w, m); !errors.Is(err, ErrState) {
			t.Error(err)
		}
		if _, err := Capture(w, nil); !errors.Is(err, ErrState) {
			t.Error(err)
		}
	}
	defer func() { barrier = func(string) {} }()
	c := w.NewCommands()
	var made Entity
	recordEarly(t, w, c, true, func(b *Commands) {
		made, err = b.Spawn(A{7})
		must(t, err)
	}, func(b *Commands) {
		must(t, Add(b, at, two{made, made}))
		must(t, Add(b, at, gated{N: 3}))
	})
	must(t, c.Playback(w))
	v := get[two](t, w, at)
	if told == 0 || promised == 0 || get[A](t, w, v.First) != (A{7}) {
		t.Errorf("told %d times, %d of them while ids are promised; %v", told, promised, v)
	}
}
