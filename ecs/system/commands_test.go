package system

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// writer records to the buffers of EndSimulation.
type writer struct {
	wants func(f *Frame) error
}

func (s *writer) Update(f *Frame) error { return s.wants(f) }

// counter runs after the other members of EndSimulation.
type counter struct {
	_ In[Presentation]
	q *ecs.Query
	n int
}

func (s *counter) Create(u *Setup) error { s.q = u.Query(ecs.Read[alpha]()); return nil }
func (s *counter) Update(*Frame) error   { s.n = s.q.Count(); return nil }

func TestCommands(t *testing.T) {
	w := newWorld(t, Only(Of[writer](), Of[counter]()))
	s, c := Find[writer](w), Find[counter](w)
	end := Find[EndSimulation](w)
	s.wants = func(f *Frame) error {
		for range 2 {
			if _, err := Commands[EndSimulation](f).Spawn(alpha{1}); err != nil {
				return err
			}
		}
		if n := c.q.Count(); n != c.n {
			t.Errorf("%d entities before the buffers are played, want %d", n, c.n)
		}
		return nil
	}
	for frame := range 5 {
		if err := Update(w); err != nil {
			t.Fatal(err)
		}
		if c.n != 2*(frame+1) {
			t.Errorf("frame %d: %d entities", frame, c.n)
		}
		if !guard && len(end.freeBuffers) != 2 {
			t.Errorf("frame %d: %d buffers are kept, want 2", frame, len(end.freeBuffers))
		}
	}
}

// Buffers are played back in the order in which they were taken. If one of them fails, the others
// are still played back.
func TestCommandsFail(t *testing.T) {
	w := newWorld(t, Only(Of[writer](), Of[counter]()))
	dead := w.Spawn(alpha{})
	if err := w.Destroy(dead); err != nil {
		t.Fatal(err)
	}
	s, c := Find[writer](w), Find[counter](w)
	s.wants = func(f *Frame) error {
		first, second, third := Commands[EndSimulation](f), Commands[EndSimulation](f), Commands[EndSimulation](f)
		_, err1 := third.Spawn(alpha{3})
		err2 := ecs.Set(second, dead, alpha{2})
		_, err3 := first.Spawn(alpha{1})
		return errors.Join(err1, err2, err3)
	}
	err := Update(w)
	if !errors.Is(err, ecs.ErrArgument) {
		t.Fatalf("error %v", err)
	}
	for _, part := range []string{"system.EndSimulation: Update: ", "1 of 3 command buffers failed", "buffer 1, recorded by github.com/lanewise/lanewise/ecs/system.writer: "} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
	if c.n != 2 {
		t.Errorf("%d entities, want those of the two good buffers", c.n)
	}
	s.wants = func(*Frame) error { return nil }
	if err := Update(w); err != nil || c.n != 2 {
		t.Errorf("the failed buffer is played again: %v, %d entities", err, c.n)
	}
}

// last is a shared value that ends the goroutine when a world stores it for the first time.
type last struct {
	ecs.Shared
	held *int
}

func (l last) Release() {}
func (l last) Retain() {
	if *l.held++; *l.held == 1 {
		runtime.Goexit()
	}
}

// runGoroutine calls f in a new goroutine, which f may end.
func runGoroutine(f func()) {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		f()
	}()
	<-gone
}

// If a test fails during the playback of a buffer and so ends the goroutine, that buffer is neither
// played back again nor reused. The buffer after it is played back in the next frame.
func TestCommandsEndTheGoroutine(t *testing.T) {
	w := newWorld(t, Only(Of[writer](), Of[counter]()))
	s, c, end := Find[writer](w), Find[counter](w), Find[EndSimulation](w)
	held := 0
	var used []*ecs.Commands
	record := func(f *Frame, values ...any) {
		used = append(used, Commands[EndSimulation](f))
		if _, err := used[len(used)-1].Spawn(values...); err != nil {
			t.Error(err)
		}
	}
	s.wants = func(f *Frame) error {
		record(f, alpha{1})
		record(f, beta{}, last{held: &held})
		record(f, alpha{3})
		return nil
	}
	runGoroutine(func() {
		err := Update(w)
		t.Errorf("the update has come back with %v", err)
	})
	if held != 1 || len(end.inUse) != 1 {
		t.Fatalf("the value was held %d times, %d buffers are taken, want 1 and 1", held, len(end.inUse))
	}
	broken := used[1]
	used = nil
	s.wants = func(f *Frame) error {
		for i := range 3 {
			record(f, alpha{int32(4 + i)})
		}
		return nil
	}
	for want := range 3 {
		if err := Update(w); err != nil {
			t.Fatal(err)
		}
		if n := 2 + 3*(want+1); c.n != n || held != 1 {
			t.Errorf("frame %d: %d entities, want %d; the value was held %d times", want, c.n, n, held)
		}
		for i, one := range used {
			if one == broken || slices.Index(used, one) != i {
				t.Errorf("frame %d: buffer %d is another one's too, or was not played to its end", want, i)
			}
		}
		used = nil
	}
}

// If the playback of a buffer of Frame.Commands ends the goroutine, the buffer is not played back
// again.
func TestFrameCommandsEndsTheGoroutine(t *testing.T) {
	b := newBench(t)
	p, in := b.add("")
	held := 0
	p.update = func(f *Frame) error {
		_, err := f.Commands().Spawn(alpha{1}, last{held: &held})
		return err
	}
	runGoroutine(func() {
		err := in.Update()
		t.Errorf("the update has come back with %v", err)
	})
	p.update = func(*Frame) error { return nil }
	b.ok(in.Update())
	p.update = func(f *Frame) error {
		_, err := f.Commands().Spawn(alpha{2})
		return err
	}
	before := b.w.Len()
	b.ok(in.Update())
	if n := b.w.Len() - before; n != 1 || held != 1 {
		t.Errorf("%d entities more, want 1; the value was held %d times", n, held)
	}
}

func TestFrameCommandsOfAnEndedGoroutine(t *testing.T) {
	b := newBench(t)
	p, in := b.add("")
	p.update = func(f *Frame) error {
		if _, err := f.Commands().Spawn(alpha{1}); err != nil {
			return err
		}
		runtime.Goexit()
		return nil
	}
	runGoroutine(func() {
		err := in.Update()
		t.Errorf("the update has come back with %v", err)
	})
	p.update = func(*Frame) error { return nil }
	before := b.w.Len()
	b.ok(in.Update())
	if n := b.w.Len() - before; n != 0 {
		t.Errorf("%d entities of the update that did not end", n)
	}
}

// Conformance: 209
func TestCommandsDropped(t *testing.T) {
	w := newWorld(t, Only(Of[writer](), Of[counter]()))
	s := Find[writer](w)
	var late *ecs.Commands
	s.wants = func(f *Frame) error {
		late = Commands[BeginSimulation](f) // played back in the next frame
		_, err := late.Spawn(alpha{1})
		return err
	}
	if err := Update(w); err != nil {
		t.Fatal(err)
	}
	if err := Destroy(w, Find[BeginSimulation](w)); err != nil {
		t.Fatal(err)
	}
	s.wants = func(f *Frame) error { Commands[BeginSimulation](f); return nil }
	err := Update(w)
	if !errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), "has no github.com/lanewise/lanewise/ecs/system.BeginSimulation") {
		t.Errorf("a buffer of a system that is not there: %v", err)
	}
	if _, err := late.Spawn(); err != nil || Find[counter](w).n != 0 { // a buffer that was played back refuses
		t.Errorf("%d entities; %v", Find[counter](w).n, err)
	}
}

func TestFrameCommands(t *testing.T) {
	b := newBench(t)
	p, in := b.add("")
	var inside int
	p.update = func(f *Frame) error {
		if _, err := f.Commands().Spawn(alpha{1}); err != nil {
			return err
		}
		inside = b.w.Len()
		return nil
	}
	for i := range 3 {
		b.ok(in.Update())
		if inside != i || b.w.Len() != i+1 {
			t.Errorf("update %d: %d entities inside, %d after", i, inside, b.w.Len())
		}
	}
	// The commands of a failed update are not played back.
	p.update = func(f *Frame) error {
		if _, err := f.Commands().Spawn(alpha{1}); err != nil {
			return err
		}
		return errBroken
	}
	if err := in.Update(); !errors.Is(err, errBroken) || b.w.Len() != 3 {
		t.Errorf("error %v, %d entities", err, b.w.Len())
	}
	p.update = func(f *Frame) error {
		f.Commands() // an empty buffer
		return nil
	}
	b.ok(in.Update())
	if b.w.Len() != 3 {
		t.Errorf("%d entities", b.w.Len())
	}
	dead := b.w.Spawn(alpha{})
	b.ok(b.w.Destroy(dead))
	p.update = func(f *Frame) error { return ecs.Set(f.Commands(), dead, alpha{}) }
	if err := in.Update(); !errors.Is(err, ecs.ErrArgument) || !strings.Contains(err.Error(), "system.probe: post commands: ") {
		t.Errorf("error %v", err)
	}
}
