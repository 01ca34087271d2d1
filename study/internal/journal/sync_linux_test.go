package journal

import (
	"os"
	"testing"
	"time"
)

// TestSyncFails checks that Close reports data that the system could not write to disk, even if no
// call waited for this data.
func TestSyncFails(t *testing.T) {
	l := open(t, t.TempDir(), "a")
	r, w, err := os.Pipe()
	ok(t, err, l.file.Close())
	l.file = w // a pipe has no disk
	ok(t, l.Begin(1, 1))
	for end := time.Now().Add(time.Minute); l.dirty.Load() && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if err := l.Close(); err == nil {
		t.Error("a log that could not be synced is closed without a word")
	}
	ok(t, r.Close())
}
