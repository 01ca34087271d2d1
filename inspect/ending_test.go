package inspect

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
)

// ways are the reasons for which the owner of a world waits for the inspector, with the rate of the loop.
var ways = []struct {
	name     string
	hz       float64
	requests [][]string
}{
	{"paused at the end of a frame", 500, [][]string{{"do", "pause"}}},
	{"paused in the sleep of a loop", 0.02, [][]string{{"do", "pause"}}},
	{"after a step", 500, [][]string{{"do", "pause"}, {"do", "step"}}},
	{"slowed down", 500, [][]string{{"do", "pace", "value", "0.1"}}},
}

// returns fails if ended gets no error soon, or another one than want.
func returns(t *testing.T, ended <-chan error, want error) {
	t.Helper()
	select {
	case err := <-ended:
		if want != nil && !errors.Is(err, want) {
			t.Errorf("got error %v, want %v", err, want)
		}
	case <-time.After(generous):
		t.Fatal("the owner still waits for the inspector")
	}
}

// TestEndOfContextEndsPause checks that a run ends when its context ends, although the inspector makes its owner wait.
func TestEndOfContextEndsPause(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			s := slowStage(t, way.hz, Allow(Control))
			for _, request := range way.requests {
				post[Controlled](s, "/api/control", request...)
			}
			time.Sleep(5 * time.Millisecond)
			ended := make(chan error, 1)
			go func() { s.stop(); ended <- nil }()
			returns(t, ended, nil)
		})
	}
}

// broken writes a NaN when it is told to.
type broken struct {
	masses *ecs.Query
	now    chan bool
}

func (b *broken) Create(s *system.Setup) error {
	b.masses = s.Query(ecs.Write[mass]())
	b.now = make(chan bool, 1)
	return nil
}

func (b *broken) Update(*system.Frame) error {
	select {
	case <-b.now:
		for c := range b.masses.Chunks() {
			ecs.Column[mass](c).N[0] = float32(math.NaN())
		}
	default:
	}
	return nil
}

// mass is the component in which it writes the NaN.
type mass struct{ N float32 }

func (mass) Column() (c struct{ N []float32 }) { return }

// TestEndOfContextEndsCatch checks the same for a world that a caught NaN has paused.
func TestEndOfContextEndsCatch(t *testing.T) {
	s := newStage(t, 10, Allow(Control))
	s.stop()
	s.w.Spawn(mass{1})
	if err := system.AddSystems(s.w, system.Of[broken]()); err != nil {
		t.Fatal(err)
	}
	s.run()
	post[Controlled](s, "/api/control", "do", "catch", "value", "true")
	system.Find[broken](s.w).now <- true
	for begin := time.Now(); !s.in.find(s.w).pace.paused.Load(); time.Sleep(time.Millisecond) {
		if time.Since(begin) > generous {
			t.Fatal("the NaN was not caught")
		}
	}
	time.Sleep(5 * time.Millisecond)
	ended := make(chan error, 1)
	go func() { s.stop(); ended <- nil }()
	returns(t, ended, nil)
}

// TestEndOfSleepEndsPause checks the same for a program with its own main loop, and that a closed world and the end
// of a run, but not an earlier run, end a wait.
func TestEndOfSleepEndsPause(t *testing.T) {
	s := newStage(t, 10, Allow(Control))
	post[Controlled](s, "/api/control", "do", "pause")
	s.stop()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		app.Sleep(ctx, time.Hour, s.w)
		ended <- ctx.Err()
	}()
	time.Sleep(5 * time.Millisecond)
	cancel()
	returns(t, ended, context.Canceled)

	v := s.in.find(s.w)
	if v.isEnding(v.loopDone()) {
		t.Error("the end of an earlier run ends a later pause")
	}
	go func() { v.answerWhile(func() bool { return true }, nil, nil); ended <- nil }()
	v.worldClosed.Store(true)
	returns(t, ended, nil)
	v.worldClosed.Store(false)
}
