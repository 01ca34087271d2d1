package ecs_test

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// Restore must restore the ids of an image even if no row was added or removed since the capture, but
// only ids have changed. This happens, for example, if a stream reserves or returns ids, or if a
// playback fails and drops the ids that it has reserved.
func TestRestoreIDs(t *testing.T) {
	image := func(w *ecs.World) *ecs.Image {
		t.Helper()
		m, err := ecs.Capture(w, nil)
		must(t, err)
		return m
	}
	source := ecs.NewWorld("source")
	for range 20 {
		source.Spawn(next{})
	}
	rows := image(source)
	stream := func(w *ecs.World, load int) *ecs.ImageStream {
		t.Helper()
		s, err := ecs.NewImageStream(rows)
		must(t, err)
		must(t, s.Begin(w))
		_, err = s.Load(load)
		must(t, err)
		return s
	}
	for _, c := range []struct {
		name   string
		before func(w *ecs.World) *ecs.ImageStream
		change func(w *ecs.World, s *ecs.ImageStream)
	}{
		{"reserve", func(*ecs.World) *ecs.ImageStream { return nil }, func(w *ecs.World, _ *ecs.ImageStream) { stream(w, 0) }},
		{"reserve free ids", func(w *ecs.World) *ecs.ImageStream {
			s := stream(w, 0)
			_, err := s.Unload(1)
			must(t, err)
			return nil
		}, func(w *ecs.World, _ *ecs.ImageStream) {
			s := stream(w, 0)
			_, err := s.Unload(1)
			must(t, err)
		}},
		{"return", func(w *ecs.World) *ecs.ImageStream { return stream(w, 0) }, func(_ *ecs.World, s *ecs.ImageStream) {
			_, err := s.Unload(100)
			must(t, err)
		}},
		{"return after the rows have moved", func(w *ecs.World) *ecs.ImageStream {
			s, away := stream(w, 7), ecs.NewWorld("away")
			must(t, ecs.MoveEntities(away, w, nil))
			must(t, ecs.MoveEntities(w, away, nil))
			return s
		}, func(_ *ecs.World, s *ecs.ImageStream) {
			_, err := s.Unload(100)
			must(t, err)
		}},
		{"a playback that fails", func(*ecs.World) *ecs.ImageStream { return nil }, func(w *ecs.World, _ *ecs.ImageStream) {
			failedPlayback(t, w)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := ecs.NewWorld(c.name)
			defer w.Close()
			for range 5 {
				w.Spawn(next{})
			}
			s := c.before(w)
			clone, before := s.Clone(), w.Hash()
			m := image(w)
			c.change(w, s)
			changed := image(w)
			changedHash := w.Hash()
			if changedHash == before {
				t.Error("the ids have not changed")
			}
			for range 2 {
				must(t, ecs.Restore(w, m))
				if s != nil {
					must(t, clone.Clone().Resume())
				}
				if w.Hash() != before {
					t.Errorf("the hash is %016x, and %016x was captured", w.Hash(), before)
				}
				must(t, ecs.Restore(w, changed))
				if w.Hash() != changedHash {
					t.Errorf("with the changed ids the hash is %016x, and %016x was captured", w.Hash(), changedHash)
				}
			}
			must(t, ecs.Restore(w, m))
			twin, err := ecs.Fork(m, "twin")
			must(t, err)
			defer twin.Close()
			if a, b := w.Spawn(next{}), twin.Spawn(next{}); a != b {
				t.Errorf("the next id is %v, and %v in a fork", a, b)
			}
		})
	}
}

// failedPlayback plays a buffer with three commands. The first refers to an entity that the last
// would create. The command between them fails.
func failedPlayback(t *testing.T, w *ecs.World) {
	t.Helper()
	c := w.NewCommands()
	q := w.Query(ecs.Write[next]())
	e, err := c.Spawn(next{})
	must(t, err)
	p := c.Parallel()
	must(t, q.ParallelFor(chunkFunc(func(k *ecs.Chunk) {
		buffer := p.For(k)
		first := k.Entities()[0]
		_ = ecs.Set(buffer, first, next{e})
		_, _ = ecs.Remove[next](buffer, ecs.Entity{Index: 3, Version: 7})
		_ = ecs.Set(buffer, ecs.Entity{Index: 3, Version: 7}, next{})
	})).Wait())
	if err := c.Playback(w); err == nil {
		t.Error("the playback does not fail")
	}
}
