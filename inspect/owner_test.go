package inspect

import (
	"errors"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// Conformance: 459. Requests that wait at that moment, and later requests, return an
// error.
func TestWorldClosedWhileAsked(t *testing.T) {
	s := newStage(t, 10, Allow(Control))
	s.awaitFrames(2)
	v := s.in.find(s.w)
	answers := make(chan error)
	s.stop() // no more frames follow
	for range 3 {
		go func() {
			_, err := framePage(t.Context(), v, 0)
			answers <- err
		}()
	}
	for len(v.asks.asked) < 3 {
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
			t.Fatal("a request that waits for a closed world is not told")
		}
	}
	s.wantError(503, "there is no world", "GET", "/api/frame")
	s.wantError(404, "is closed", "GET", "/api/frame", "w", "123456")
	if w := get[Worlds](s, "/api/worlds"); len(w.Worlds) != 0 {
		t.Errorf("%+v", w)
	}
	if _, err := framePage(t.Context(), v, 0); !errors.Is(err, errClosed) {
		t.Error(err)
	}
}

// Conformance: 460.
func TestNoFrame(t *testing.T) {
	s := newStage(t, 10)
	s.awaitFrames(2)
	http.DefaultClient.CloseIdleConnections()
	time.Sleep(20 * time.Millisecond)
	before := runtime.NumGoroutine()
	s.stop()
	var wg sync.WaitGroup
	for _, c := range asking {
		wg.Go(func() {
			begin := time.Now()
			code, body, _ := s.do("GET", c[0], values(c[1:]))
			if slices.Contains([]string{"/api/worlds", "/api/types", "/api/box"}, c[0]) { // these do not read the world
				if code != 200 {
					t.Errorf("%s: %d %s", c[0], code, body)
				}
				return
			}
			if took := time.Since(begin); code != 503 || !strings.Contains(body, "has had no frame for 2s since frame ") || took < frameEndTimeout || took > frameEndTimeout+generous {
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
	s.run() // cancelled requests must not run when frames come again
	if len(get[Frame](s, "/api/frame").Systems) == 0 {
		t.Error("no systems")
	}
}

// TestNeverAFrame checks that a world that has not run a frame is listed, and that
// requests about it say so.
func TestNeverAFrame(t *testing.T) {
	w, err := system.NewWorld("never")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	i := New(Only(w))
	defer i.Close()
	if list := worldsPage(&i.views, false, false).Worlds; len(list) != 1 || list[0].Name != "never" || list[0].Frame != 0 {
		t.Errorf("%+v", list)
	}
	begin := time.Now()
	_, err = i.pick(t.Context(), "never")
	if err == nil || !strings.Contains(err.Error(), `"never" has had no frame`) || time.Since(begin) > frameEndTimeout+generous {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
}

// play steps a new world and returns its hash.
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
	err = app.Run(t.Context(), w, app.Step(1.0/60), app.Frames(150), app.Pace(600))
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
			_ = system.Update(w) // so that no request waits for a frame; its time has not moved
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

// Conformance: 477.
func TestFailingSystem(t *testing.T) {
	s := newStage(t, 10)
	s.stop()
	s.breed.fail = errors.New("out of hay")
	s.run()
	s.awaitFrames(3)
	f := get[Frame](s, "/api/frame")
	if !strings.Contains(f.Failure, "out of hay") || !strings.Contains(f.Failure, "breeder") || f.FailureFrame == 0 {
		t.Errorf("failure %q in frame %d", f.Failure, f.FailureFrame)
	}
	s.stop()
	s.breed.then = func(*system.Frame) { panic("the barn burns") }
	s.run()
	s.awaitFrames(3)
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
