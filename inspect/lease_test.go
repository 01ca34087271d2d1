package inspect

import (
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// Conformance: 465.
func TestUsersMeasure(t *testing.T) {
	s := newStage(t, 10)
	measured := make(chan int, 1)
	count := 0
	s.stop()
	system.Measure(s.w, true)
	s.breed.then = func(*system.Frame) { count++ }
	s.w.Pool().Profile().Record(64)
	s.run()
	s.awaitFrames(5)
	get[Frame](s, "/api/frame")
	s.in.lastRequest.Store(int64(now() - 2*lease))
	for s.in.find(s.w) != nil {
		time.Sleep(time.Millisecond)
	}
	s.stop()
	measured <- system.Explain(s.w).Frames
	if n := <-measured; n != count || n < 5 {
		t.Errorf("%d frames are measured of %d", n, count)
	}
	if n := s.w.Pool().Profile().Recording(); n != 64 {
		t.Errorf("the user's recording is %d", n)
	}
	s.run()
	s.awaitFrames(1)
	s.stop()
	if system.Explain(s.w).Frames <= count-3 {
		t.Error("what was measured is forgotten")
	}
}

// TestLease checks that three seconds after the last request the inspector has removed all its hooks.
func TestLease(t *testing.T) {
	s := newStage(t, 10)
	get[Entities](s, "/api/entities", "q", "Health")
	if s.w.Pool().Profile().Recording() == 0 {
		t.Error("the pool does not record")
	}
	s.in.lastRequest.Store(int64(now() - lease + 50*time.Millisecond))
	for s.in.find(s.w) != nil {
		time.Sleep(time.Millisecond)
	}
	if n := s.w.Pool().Profile().Recording(); n != 0 {
		t.Errorf("the pool records %d", n)
	}
	for s.in.hooked() {
		time.Sleep(time.Millisecond)
	}
	s.stop()
	if x := system.Explain(s.w); x.Frames != 0 {
		t.Errorf("%d frames are measured", x.Frames)
	}
	s.run()
	if n := get[Entities](s, "/api/entities", "q", "Health").Count; n != 2 {
		t.Errorf("%d have health when it is looked at again", n)
	}
}

// hooked reports whether the inspector has a hook in all worlds.
func (i *Inspector) hooked() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.remove != nil
}

// Conformance: 473.
func TestUnseenAllocates(t *testing.T) {
	w, err := system.NewWorld("unseen", system.Only(system.Of[mover]()))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.Spawn(transform.Translation{}, Speed{})
	measure := func(what string, most float64) float64 {
		t.Helper()
		for range 20 {
			if err := system.Update(w); err != nil {
				t.Fatal(err)
			}
		}
		if n := testing.AllocsPerRun(100, func() { _ = system.Update(w) }); n > most {
			t.Errorf("%s: %v allocations a frame, want %v", what, n, most)
		}
		return testing.AllocsPerRun(100, func() { _ = system.Update(w) })
	}
	none := measure("without an inspector", 1000) // 0, except in builds with more checks
	i := New(Only(w))
	defer i.Close()
	measure("never seen", none)
	i.renewLease()
	if err := system.Update(w); err != nil || i.find(w) == nil {
		t.Fatal("the world is not looked at", err)
	}
	i.lastRequest.Store(int64(now() - 2*lease))
	measure("seen before", none)
	if i.hooked() || i.find(w) != nil {
		t.Error("something is left")
	}
}
