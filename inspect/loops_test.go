package inspect

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// Conformance: 474.
func TestTwoWorlds(t *testing.T) {
	one, two := newStage(t, 50), newStage(t, 80)
	both := New(Token("secret"), Only(one.w, two.w), Allow(Control))
	defer both.Close()
	s := &stage{T: t, server: httptestServer(both)}
	defer s.server.Close()
	list := get[Worlds](s, "/api/worlds").Worlds
	if len(list) != 2 {
		t.Fatalf("%+v", list)
	}
	var wg sync.WaitGroup
	for k, st := range []*stage{one, two} {
		wg.Go(func() {
			for range 20 {
				e := get[Entities](s, "/api/entities", "w", list[k].ID, "q", "Speed :all")
				if want := []int{50, 80}[k]; e.Count != want {
					t.Errorf("world %s: %d entities, want %d", list[k].Name, e.Count, want)
				}
				if name := get[Frame](s, "/api/frame", "w", list[k].ID).World; name != st.w.Name() {
					t.Errorf("world %q", name)
				}
			}
		})
	}
	wg.Wait()
	// A paused world must not delay another world.
	post[Controlled](s, "/api/control", "do", "pause", "w", list[0].ID)
	a, b := get[Frame](s, "/api/frame", "w", list[0].ID).Frame, get[Frame](s, "/api/frame", "w", list[1].ID).Frame
	for begin := time.Now(); get[Frame](s, "/api/frame", "w", list[1].ID).Frame < b+5; time.Sleep(time.Millisecond) {
		if time.Since(begin) > generous {
			t.Fatal("the other world stands still")
		}
	}
	if now := get[Frame](s, "/api/frame", "w", list[0].ID).Frame; now != a {
		t.Errorf("the paused world goes on: %d, %d", a, now)
	}
	post[Controlled](s, "/api/control", "do", "resume", "w", list[0].ID)
}

// TestOneLoop checks that the worlds of one loop pause together and that requests to each are
// answered.
func TestOneLoop(t *testing.T) {
	pool := jobs.New(jobs.Workers(2))
	defer pool.Close()
	l := app.NewLoop()
	var ws []*ecs.World
	for k := range 3 {
		w, err := system.NewWorld(fmt.Sprint("of one loop ", k), system.OnPool(pool), system.Only(system.Of[mover]()))
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		w.Spawn(Health{int32(k)})
		if err := l.Append(w); err != nil {
			t.Fatal(err)
		}
		ws = append(ws, w)
	}
	l.Phase(app.PhaseUpdate).Call(func() error { return nil })
	in := New(Token("secret"), Only(ws...), Allow(Control))
	s := &stage{T: t, server: httptestServer(in)}
	ended := make(chan error)
	over := false
	l.Phase(app.PhaseTime).Call(func() error {
		if over {
			return errors.New("over")
		}
		return nil
	})
	go func() { ended <- l.Run(t.Context(), app.Step(0.01), app.Pace(500)) }()
	for _, paused := range []int{0, 1, 2} {
		name := ws[paused].Name()
		post[Controlled](s, "/api/control", "do", "pause", "w", name)
		frame := get[Frame](s, "/api/frame", "w", name).Frame
		for k, w := range ws {
			if n := get[Entities](s, "/api/entities", "w", w.Name(), "q", "Health").Count; n != 1 {
				t.Errorf("paused %d, world %d: %d", paused, k, n)
			}
		}
		phases := get[Loops](s, "/api/loop", "w", name)
		if i := len(phases.Phases); !phases.Loop || i != 8 || len(phases.Phases[5].Steps) != 4 || phases.Phases[5].Steps[3].Kind != "function" || phases.Phases[5].Steps[2].World != ws[2].Name() {
			t.Errorf("%+v", phases)
		}
		post[Controlled](s, "/api/control", "do", "step", "value", "3", "w", name)
		for begin := time.Now(); get[Frame](s, "/api/frame", "w", name).Frame != frame+3; time.Sleep(time.Millisecond) {
			if time.Since(begin) > generous {
				t.Fatal("no three steps")
			}
		}
		post[Controlled](s, "/api/control", "do", "resume", "w", name)
	}
	v := in.find(ws[0])
	_, _ = v.runBetween(t.Context(), "end", func(*ownerSlice) (bool, error) { over = true; return false, nil })
	if err := <-ended; err == nil || err.Error() != "over" {
		t.Error(err)
	}
	_ = in.Close()
	s.server.Close()
}
