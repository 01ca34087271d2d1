package journal

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/internal/messages"
)

var updateMessages = flag.Bool("lanewise.update", false, "write testdata/messages.golden anew")

// TestMessages compares the messages about misuse with testdata. It also looks in the source
// for messages that no call reaches.
func TestMessages(t *testing.T) {
	dir := t.TempDir()
	l := &messages.List{T: t, Edit: func(text string) string {
		return strings.ReplaceAll(filepath.ToSlash(text), filepath.ToSlash(dir), "DIR")
	}}
	l.Err(CheckWorker("a/b"))
	_, err := Append(nil, Entry{Kind: Ended, Run: 3, State: 1}, slices.Repeat([][]byte{make([]byte, 1<<20)}, maxPayload>>20+1)...)
	l.Err(err)
	a := open(t, dir, "a")
	_, err = Open(dir, "a", "id")
	if !errors.Is(err, errNoLocks) && err == nil {
		t.Skip("the file system has no locks")
	}
	l.Err(err)
	ok(t, a.Keep(record(t, 7, 10)), a.Close())
	_, err = Open(dir, "a", "another")
	l.Err(err)
	_, err = Read(dir, "id", 5)
	l.Err(err)
	p, err := Read(dir, "id", 10)
	ok(t, err)
	name := Name(dir, "a")
	whole, err := os.ReadFile(name)
	ok(t, err)
	torn := append([]byte(nil), whole...)
	torn[len(torn)-5] ^= 1
	ok(t, os.WriteFile(name, torn, 0o666))
	l.Err(p.Records(func(Entry, []byte) error { return nil }))
	ok(t, os.WriteFile(name, append([]byte("x"), whole...), 0o666))
	_, err = Open(dir, "a", "id")
	l.Err(err)
	for _, what := range []string{"system", "file system"} { // messages that need a broken system, not this test
		l.Say("the " + what + " has no locks")
	}
	l.Compare(*updateMessages, 7, "%s: run %d: %w")
}
