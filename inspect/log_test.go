package inspect

import (
	"bytes"
	"log/slog"
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

// TestLog checks that a slow frame becomes a line of the log with the system that was slow, and that
// no request is needed for this.
func TestLog(t *testing.T) {
	var out lockedBuffer
	s := newStage(t, 10, SlowFrames(100*time.Millisecond), Log(slog.New(slog.NewTextHandler(&out, nil))))
	s.stop()
	frame := 0
	s.breed.then = func(*system.Frame) {
		if frame++; frame == 20 { // the first frame of a view is not measured
			time.Sleep(150 * time.Millisecond)
		}
	}
	s.run()
	for begin := time.Now(); !strings.Contains(out.String(), "inspect: slow frame"); time.Sleep(5 * time.Millisecond) {
		if time.Since(begin) > generous {
			t.Fatalf("no slow frame is logged: %q", out.String())
		}
	}
	for _, want := range []string{"level=WARN", "world=TestLog", "slowest=inspect.breeder", "slowestTook=1", "limit=100ms"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the log lacks %q: %s", want, out.String())
		}
	}
}
