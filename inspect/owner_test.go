package inspect

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
)

// Conformance: 459. Those who wait are told, and so are those who come later.
func TestWorldClosedWhileAsked(t *testing.T) {
	s := newStage(t, 10, Allow(Control))
	s.frames(2)
	v := s.in.find(s.w)
	answers := make(chan error)
	s.stop() // no frame comes any more
	for range 3 {
		go func() {
			_, err := v.framePage(t.Context(), 0)
			answers <- err
		}()
	}
	for len(v.asked) < 3 {
		time.Sleep(time.Millisecond)
	}
	if err := s.w.Close(); err != nil {
		t.Error(err)
	}
	for range 3 {
		select {
		case err := <-answers:
			if !errors.Is(err, errClosed) {
				t.Error(err)
			}
		case <-time.After(time.Second):
			t.Fatal("one who waits for a closed world is not told")
		}
	}
	s.refused(503, "there is no world", "GET", "/api/frame")
	s.refused(404, "is closed", "GET", "/api/frame", "w", "123456")
	if w := get[Worlds](s, "/api/worlds"); len(w.Worlds) != 0 {
		t.Errorf("%+v", w)
	}
	if _, err := v.framePage(t.Context(), 0); !errors.Is(err, errClosed) {
		t.Error(err)
	}
}

// Conformance: 460.
func TestNoFrame(t *testing.T) {
	s := newStage(t, 10)
	s.frames(2)
	http.DefaultClient.CloseIdleConnections()
	time.Sleep(20 * time.Millisecond)
	before := runtime.NumGoroutine()
	s.stop()
	var wg sync.WaitGroup
	for _, c := range asking[2:12] {
		wg.Go(func() {
			begin := time.Now()
			code, body, _ := s.do("GET", c[0], values(c[1:]))
			if took := time.Since(begin); code != 503 || !strings.Contains(body, "has had no frame for 2s since frame ") || took < patience || took > patience+generous {
				t.Errorf("%s: %d %s after %v", c[0], code, body, took)
			}
		})
	}
	wg.Wait()
	http.DefaultClient.CloseIdleConnections()
	for begin := time.Now(); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
		if time.Since(begin) > generous {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
	s.run() // what was given up is not done when frames come again
	if len(get[Frame](s, "/api/frame").Systems) == 0 {
		t.Error("no systems")
	}
}

// TestNeverAFrame: a world that has not begun is in the list, and is told apart.
func TestNeverAFrame(t *testing.T) {
	w, err := system.NewWorld("never")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	i := New(Only(w))
	defer i.Close()
	if list := i.worldsPage().Worlds; len(list) != 1 || list[0].Name != "never" || list[0].Frame != 0 {
		t.Errorf("%+v", list)
	}
	begin := time.Now()
	_, err = i.pick(t.Context(), "never")
	if err == nil || !strings.Contains(err.Error(), `"never" has had no frame`) || time.Since(begin) > patience+generous {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
}

// play steps a world of its own and returns its hash.
func play(t *testing.T, watch func(w *ecs.World, running *sync.WaitGroup) func()) uint64 {
	t.Helper()
	pool := jobs.New(jobs.Workers(2))
	defer pool.Close()
	w, err := system.NewWorld("played", system.OnPool(pool), system.Only(system.Of[mover](), system.Of[breeder]()))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := transformSystems(w); err != nil {
		t.Fatal(err)
	}
	populate(w, 2000)
	var readers sync.WaitGroup
	stop := watch(w, &readers)
	err = system.Run(t.Context(), w, system.Step(1.0/60), system.Frames(150), system.Pace(600))
	stop()
	if err != nil {
		t.Error(err)
	}
	return w.Hash()
}

// Conformance: 463.
func TestHashOfTheSeen(t *testing.T) {
	want := play(t, func(*ecs.World, *sync.WaitGroup) func() { return func() {} })
	got := play(t, func(w *ecs.World, readers *sync.WaitGroup) func() {
		s := &stage{T: t, w: w}
		i := New(Token("secret"), Only(w), SlowFrames(time.Nanosecond))
		server := httptestServer(i)
		s.server = server
		over := make(chan bool)
		answers := 0
		var mu sync.Mutex
		for k := range 10 {
			readers.Go(func() {
				for n := k; ; n++ {
					select {
					case <-over:
						return
					default:
					}
					c := asking[n%len(asking)]
					if code, body, _ := s.do("GET", c[0], values(c[1:])); code == 200 {
						mu.Lock()
						answers++
						mu.Unlock()
					} else if code != 503 {
						t.Errorf("%s: %d %s", c[0], code, body)
					}
				}
			})
		}
		return func() {
			close(over)
			_ = system.Update(w) // so that nobody waits for a frame; its time has not moved
			_ = i.Close()
			readers.Wait()
			server.Close()
			if answers < 10 {
				t.Errorf("only %d answers", answers)
			}
		}
	})
	again := play(t, func(w *ecs.World, _ *sync.WaitGroup) func() { return func() { _ = system.Update(w) } })
	if got != again || want == again {
		t.Errorf("hash %x with ten readers, %x without; %x a frame before", got, again, want)
	}
}

// Conformance: 465.
func TestUsersMeasure(t *testing.T) {
	s := newStage(t, 10)
	measured := make(chan int, 1)
	count := 0
	s.stop()
	system.Measure(s.w, true)
	s.breed.then = func(*system.Frame) { count++ }
	s.w.Pool().Record(64)
	s.run()
	s.frames(5)
	get[Frame](s, "/api/frame")
	s.in.looked.Store(int64(now() - 2*lease))
	for s.in.find(s.w) != nil {
		time.Sleep(time.Millisecond)
	}
	s.stop()
	measured <- system.Explain(s.w).Frames
	if n := <-measured; n != count || n < 5 {
		t.Errorf("%d frames are measured of %d", n, count)
	}
	if n := s.w.Pool().Recording(); n != 64 {
		t.Errorf("the user's recording is %d", n)
	}
	s.run()
	s.frames(1)
	s.stop()
	if system.Explain(s.w).Frames <= count-3 {
		t.Error("what was measured is forgotten")
	}
}

// TestLease: three seconds after the last request nothing is left.
func TestLease(t *testing.T) {
	s := newStage(t, 10)
	get[Entities](s, "/api/entities", "q", "Health")
	if s.w.Pool().Recording() == 0 {
		t.Error("the pool does not record")
	}
	s.in.looked.Store(int64(now() - lease + 50*time.Millisecond))
	for s.in.find(s.w) != nil {
		time.Sleep(time.Millisecond)
	}
	if n := s.w.Pool().Recording(); n != 0 {
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
		t.Errorf("%d have health when somebody looks again", n)
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
	none := measure("without an inspector", 1000) // 0, but where the build checks more
	i := New(Only(w))
	defer i.Close()
	measure("never seen", none)
	i.touch()
	if err := system.Update(w); err != nil || i.find(w) == nil {
		t.Fatal("nobody looks", err)
	}
	i.looked.Store(int64(now() - 2*lease))
	measure("seen before", none)
	if i.hooked() || i.find(w) != nil {
		t.Error("something is left")
	}
}

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
	// One that is paused does not hold up the other.
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

// TestOneLoop: worlds of one loop stand still together, and all of them are served.
func TestOneLoop(t *testing.T) {
	pool := jobs.New(jobs.Workers(2))
	defer pool.Close()
	l := system.NewLoop()
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
	l.Phase(system.PhaseUpdate).Call(func() error { return nil })
	in := New(Token("secret"), Only(ws...), Allow(Control))
	s := &stage{T: t, server: httptestServer(in)}
	ended := make(chan error)
	over := false
	l.Phase(system.PhaseTime).Call(func() error {
		if over {
			return errors.New("over")
		}
		return nil
	})
	go func() { ended <- l.Run(t.Context(), system.Step(0.01), system.Pace(500)) }()
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
	_, _ = v.at(t.Context(), "end", func(*look) (bool, error) { over = true; return false, nil })
	if err := <-ended; err == nil || err.Error() != "over" {
		t.Error(err)
	}
	_ = in.Close()
	s.server.Close()
}

// Conformance: 477.
func TestFailingSystem(t *testing.T) {
	s := newStage(t, 10)
	s.stop()
	s.breed.fail = errors.New("out of hay")
	s.run()
	s.frames(3)
	f := get[Frame](s, "/api/frame")
	if !strings.Contains(f.Failure, "out of hay") || !strings.Contains(f.Failure, "breeder") || f.FailureFrame == 0 {
		t.Errorf("failure %q in frame %d", f.Failure, f.FailureFrame)
	}
	s.stop()
	s.breed.then = func(*system.Frame) { panic("the barn burns") }
	s.run()
	s.frames(3)
	if f = get[Frame](s, "/api/frame"); !strings.Contains(f.Failure, "the barn burns") {
		t.Errorf("failure %q", f.Failure)
	}
	for _, c := range asking {
		if code, body, _ := s.do("GET", c[0], values(c[1:])); code != 200 {
			t.Errorf("%s: %d %s", c[0], code, body)
		}
	}
	if text := textOf([]error{badError{}}); !strings.Contains(text, "panics") {
		t.Error(text)
	}
	if text := textOf([]error{errors.New(strings.Repeat("x", 5000)), errors.New("y")}); len(text) > 4100 {
		t.Errorf("%d bytes of an error", len(text))
	}
}

type badError struct{}

func (badError) Error() string { panic("no text") }

// Conformance: 480. One who reads slowly, or not at all, is nobody's matter but his own.
func TestSlowClient(t *testing.T) {
	s := newStage(t, 30_000)
	addr := s.server.Listener.Addr().String()
	var conns []net.Conn
	for range 8 {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, c)
		fmt.Fprintf(c, "GET /api/entities?limit=200 HTTP/1.1\r\nHost: localhost\r\n%s: secret\r\n\r\n", tokenHeader)
	}
	time.Sleep(20 * time.Millisecond)
	begin := time.Now()
	s.frames(100) // nobody reads
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("100 frames took %v", took)
	}
	for _, c := range conns {
		c.Close()
	}
}

// TestGivenUp: what a request has given up is the owner's still, who may be at it: the request takes
// nothing of it.
func TestGivenUp(t *testing.T) {
	w, err := system.NewWorld("still")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	i := New(Only(w))
	defer i.Close()
	v := newView(i, w) // whose owner never comes
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, ask := range map[string]func() (any, error){
		"archetypes": func() (any, error) {
			used, _, err := v.weigh(ctx, &Archetypes{}, -1)
			return len(used), err
		},
		"journal": func() (any, error) {
			j, err := v.journalPage(ctx, 0)
			return j == nil, err
		},
		"watches": func() (any, error) {
			w, err := v.watched(ctx, []string{"count !Health"}, 0)
			return w == nil, err
		},
	} {
		if got, err := ask(); !errors.Is(err, context.Canceled) || got != 0 && got != true {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if n := v.most.archetypes.Load(); n != 0 {
		t.Errorf("room for %d archetypes, of which nobody has told", n)
	}
}

// TestGivenUpInTheMidst: a request whose owner does not come back from a look leaves alone what he writes there: the
// race detector says so.
func TestGivenUpInTheMidst(t *testing.T) {
	for name, ask := range map[string]func(v *view, ctx context.Context) error{
		"archetypes": func(v *view, ctx context.Context) error {
			_, _, err := v.weigh(ctx, &Archetypes{}, -1)
			return err
		},
		"systems": func(v *view, ctx context.Context) error {
			_, _, _, err := v.known(ctx)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each waits for as long as a request has patience
			w, err := system.NewWorld("slow " + name)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			w.Spawn(Health{1})
			i := New(Only(w))
			defer i.Close()
			v := newView(i, w)
			ctx, cancel := context.WithCancel(t.Context())
			given := make(chan error)
			go func() { given <- ask(v, ctx) }()
			a := <-v.asked
			a.state.Store(running)
			cancel()
			for {
				_, _ = a.step(&look{v: v})
				select {
				case err := <-given:
					if err == nil || !strings.Contains(err.Error(), "does not come back") {
						t.Error(err)
					}
					return
				case <-time.After(time.Millisecond):
				}
			}
		})
	}
}
