package inspect

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs/system"
)

// lockedBuffer is a buffer that a logger and a test share.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestLog checks that a slow frame is logged with the name of the slow system, even without requests. On a busy
// machine another frame may be logged instead, so the test makes every twentieth frame slow.
func TestLog(t *testing.T) {
	var out lockedBuffer
	s := newStage(t, 10, SlowFrames(100*time.Millisecond), Log(slog.New(slog.NewTextHandler(&out, nil))))
	s.stop()
	frame := 0
	s.breed.then = func(*system.Frame) {
		if frame++; frame%20 == 0 { // the first frame of a view is not measured
			time.Sleep(150 * time.Millisecond)
		}
	}
	s.run()
	line := regexp.MustCompile(`level=WARN msg="inspect: slow frame" world=TestLog frame=\d+ took=\S+ limit=100ms slowest=inspect.breeder slowestTook=(\S+) `)
	for begin := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if parts := line.FindStringSubmatch(out.String()); parts != nil {
			if took, err := time.ParseDuration(parts[1]); err != nil || took < 150*time.Millisecond {
				t.Errorf("the system took %v, %v; want at least 150ms", took, err)
			}
			return
		}
		if time.Since(begin) > generous {
			t.Fatalf("the slow system is not logged: %q", out.String())
		}
	}
}

// TestLogCountsMissed checks that the lines of the log add up to the number of all slow frames, although several
// slow frames in quick succession get only one line.
func TestLogCountsMissed(t *testing.T) {
	const slow = 6
	var out lockedBuffer
	s := newStage(t, 10, SlowFrames(20*time.Millisecond), Log(slog.New(slog.NewTextHandler(&out, nil))))
	s.stop()
	frame, seen := 0, make(chan struct{})
	s.breed.then = func(*system.Frame) {
		switch frame++; {
		case frame >= 20 && frame < 20+slow:
			time.Sleep(30 * time.Millisecond)
		case frame == 20+slow:
			close(seen)
		}
	}
	s.run()
	<-seen
	s.stop()
	if err := s.in.Close(); err != nil {
		t.Fatal(err)
	}
	lines, missed := strings.Count(out.String(), "inspect: slow frame\""), 0
	for _, part := range strings.Split(out.String(), " missed=")[1:] {
		n := 0
		if _, err := fmt.Sscan(part, &n); err != nil {
			t.Fatal(err)
		}
		missed += n
	}
	if lines == 0 || lines+missed < slow { // other frames may be slow too on a busy machine
		t.Errorf("%d lines and %d missed frames, want %d in all: %s", lines, missed, slow, out.String())
	}
}

// askingHandler is a handler that asks an inspector about its slow frames before it writes a line.
type askingHandler struct {
	slog.Handler
	ask func(line string)
}

func (h askingHandler) Handle(ctx context.Context, r slog.Record) error {
	h.ask(r.Message)
	return h.Handler.Handle(ctx, r)
}

func (askingHandler) Enabled(context.Context, slog.Level) bool { return true }

// TestLogAsks checks that the handler of the log may send requests to the inspector, both while it handles the
// line of a slow frame and while it handles the last line, which Close logs.
func TestLogAsks(t *testing.T) {
	var out lockedBuffer
	var s *stage
	ready := make(chan struct{})
	handler := askingHandler{slog.NewTextHandler(&out, nil), func(line string) {
		<-ready
		if box := boxPage(s.in.box); !box.On {
			t.Errorf("%s: there is no black box", line)
		}
		code, _, _ := s.do("GET", "/api/box", nil)
		if want := map[bool]int{false: 200, true: 503}[s.in.closed.Load()]; code != want {
			t.Errorf("%s: code %d, want %d", line, code, want)
		}
	}}
	s = newStage(t, 10, SlowFrames(50*time.Millisecond), Log(slog.New(handler)))
	close(ready)
	s.stop()
	frame := 0
	s.breed.then = func(*system.Frame) {
		if frame++; frame == 20 || frame == 25 { // the second one has no line of its own
			time.Sleep(80 * time.Millisecond)
		}
	}
	s.run()
	for begin := time.Now(); !strings.Contains(out.String(), "inspect: slow frame\""); time.Sleep(5 * time.Millisecond) {
		if time.Since(begin) > generous {
			t.Fatalf("no slow frame is logged: %q", out.String())
		}
	}
	s.awaitFrames(30)
	s.stop()
	closed := make(chan error, 1)
	go func() { closed <- s.in.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(generous):
		t.Fatal("Close waits for the handler, which waits for the inspector")
	}
	if !strings.Contains(out.String(), "after the last line") {
		t.Errorf("Close logs no missed frame: %s", out.String())
	}
}

// TestLogPanics checks that a panic of the handler in Close reaches the caller of Close, and that no mutex stays
// locked.
func TestLogPanics(t *testing.T) {
	handler := askingHandler{slog.DiscardHandler, func(string) { panic("the disk is full") }}
	i := New(SlowFrames(time.Hour), Log(slog.New(handler)))
	i.box.mu.Lock()
	i.box.missed = 1
	i.box.mu.Unlock()
	func() {
		defer func() {
			if v := recover(); v != "the disk is full" {
				t.Errorf("the panic is %v", v)
			}
		}()
		_ = i.Close()
	}()
	if err := i.Close(); err != nil || !i.box.mu.TryLock() {
		t.Errorf("%v, or the lock is held", err)
	}
}
