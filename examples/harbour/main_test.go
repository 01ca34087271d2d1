package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs/replay"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

var (
	full = flag.Bool("lanewise.full", false, "100 tiles of 10,000 entities")
	laps = flag.Int("harbour.laps", 3, "how many rounds these see, of four seconds each: 900 are an hour")
)

// golden is the hash after a lap over 16 tiles. It is the same on every machine and path, with any
// number of workers, and for any speed of the disk.
const golden = 0xb8bac1d606ba98ef

// slowly is a disk whose reads take a random time up to a limit.
type slowly struct {
	fs.FS
	wait time.Duration
}

func (s slowly) Open(name string) (fs.File, error) {
	time.Sleep(rand.N(s.wait + 1))
	return s.FS.Open(name)
}

func tiles(t *testing.T, v Voyage) fs.FS {
	dir := t.TempDir()
	if err := v.write(dir); err != nil {
		t.Fatal(err)
	}
	return os.DirFS(dir)
}

func TestHash(t *testing.T) {
	v, want := Voyage{Side: 4, Rows: 60, Laps: 1, Budget: 50}, uint64(golden)
	if *full { // the first run determines the expected values of the others
		v, want = Voyage{Side: 10, Rows: 10_000, Laps: 1, Budget: 10_000}, 0
	}
	files := tiles(t, v)
	for _, workers := range []int{1, 2, 8} {
		for _, wait := range []time.Duration{0, 6 * time.Millisecond, 60 * time.Millisecond} {
			if wait > 10*time.Millisecond && !*full {
				continue
			}
			t.Run(fmt.Sprintf("workers=%d/disk=%v", workers, wait), func(t *testing.T) {
				pool := jobs.New(jobs.Workers(workers))
				defer pool.Close()
				l, err := v.sail(slowly{files, wait}, system.OnPool(pool))
				if err != nil {
					t.Fatal(err)
				}
				if want == 0 {
					want = l.Hash
				}
				if l.Hash != want {
					t.Errorf("hash is %#016x, want %#016x", l.Hash, want)
				}
				if l.Most > v.Budget || l.Loads < 12 || l.Entities >= v.Side*v.Side*v.Rows {
					t.Errorf("%+v", l)
				}
				t.Logf("hash %#016x, %d loads, %d entities at the end", l.Hash, l.Loads, l.Entities)
			})
		}
	}
}

// TestCheck checks that a voyage is compared with its recording: an equal voyage has no difference, and a voyage
// with another budget differs at the first update in which the budget is used up. With values, the error
// names an entity.
func TestCheck(t *testing.T) {
	v := Voyage{Side: 2, Rows: 30, Laps: 1, Budget: 25, Record: filepath.Join(t.TempDir(), "voyage.replay"), Values: "1-60"}
	files := tiles(t, v)
	if _, err := v.sail(files); err != nil {
		t.Fatal(err)
	}
	v.Check = v.Record
	if _, err := v.sail(files); err != nil {
		t.Error(err)
	}
	short := v
	short.Record, short.Values = filepath.Join(t.TempDir(), "two.replay"), ""
	short.Check, short.Laps = "", 2
	if _, err := short.sail(files); err != nil {
		t.Fatal(err)
	}
	short.Check, short.Laps = short.Record, 1
	if _, err := short.sail(files); !errors.Is(err, replay.ErrNotCompared) || !strings.Contains(err.Error(), "tick 240, and the recording has 480 ticks") {
		t.Errorf("got %v, want that the voyage is shorter than its recording", err)
	}
	v.Laps = 2
	if _, err := v.sail(files); !errors.Is(err, io.EOF) || !strings.Contains(err.Error(), "no difference in 240 ticks") {
		t.Errorf("got %v, want the end of the recording", err)
	}
	v.Budget = 24
	_, err := v.sail(files)
	if !errors.Is(err, replay.ErrDiverged) || !strings.Contains(err.Error(), ": entity ") || strings.Contains(err.Error(), "record both runs") {
		t.Errorf("got %v, want the first difference", err)
	}
	t.Log(err)
	v.Check, v.Values = "", "5-1"
	if _, err := v.sail(files); err == nil || !strings.Contains(err.Error(), "-values 5-1: want a range") {
		t.Errorf("got %v", err)
	}
}

// TestFlags checks that no flag is ignored.
func TestFlags(t *testing.T) {
	for _, test := range []struct {
		v    Voyage
		live string
		args []string
		want string
	}{
		{Voyage{}, "", nil, ""},
		{Voyage{Record: "a", Values: "1-2"}, "", nil, ""},
		{Voyage{Check: "a"}, "", nil, ""},
		{Voyage{}, "quay", nil, ""},
		{Voyage{Record: "a", Check: "b"}, "", nil, "-record a -check b: give one of them"},
		{Voyage{Values: "1-2"}, "", nil, "-values 1-2: give -record too"},
		{Voyage{Check: "a", Values: "1-2"}, "", nil, "-values 1-2: give -record too"},
		{Voyage{Check: "a"}, "quay", nil, "-live quay: leave out -record and -check"},
		{Voyage{}, "", []string{"a"}, `argument "a": harbour has only flags`},
	} {
		err := test.v.checkFiles(test.live, test.args)
		if (err == nil) != (test.want == "") || err != nil && !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%+v: got %v, want %q", test, err, test.want)
		}
	}
}

// TestMemory checks that memory does not grow: the program uses as much memory after many laps as
// after the second lap. No update may load more rows than the budget. The test logs the durations of
// updates, because an update waits for a file that has not been read yet.
func TestMemory(t *testing.T) {
	v := Voyage{Side: 4, Rows: 500, Laps: 8, Budget: 1000}
	if *full {
		v = Voyage{Side: 10, Rows: 10_000, Laps: max(*laps, 3), Budget: 10_000}
	}
	l, err := v.sail(tiles(t, v))
	if err != nil {
		t.Fatal(err)
	}
	if first, last := l.Heap[1], l.Heap[len(l.Heap)-1]; last > first+first/10+1<<20 {
		t.Errorf("the heap has grown from %d to %d bytes: %v", first, last, l.Heap)
	}
	if l.Most > v.Budget {
		t.Errorf("%d rows came in one update", l.Most)
	}
	heap := l.Heap
	l.Heap = nil
	t.Logf("%+v; heap %d, %d … %d", *l, heap[0], heap[1], heap[len(heap)-1])
}

// TestWatch checks that the program notices a file that is saved while it runs.
func TestWatch(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	from, to := io.Pipe()
	dir := filepath.Join(t.TempDir(), "quay")
	over := make(chan error)
	go func() { over <- watch(ctx, dir, to); to.Close() }()
	lines := bufio.NewScanner(from)
	wait := func(text string) {
		for lines.Scan() {
			if strings.Contains(lines.Text(), text) {
				return
			}
		}
		t.Fatalf("%q was not printed", text)
	}
	wait("5 entities")
	file := filepath.Join(dir, tileName(0))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, edit := range []struct{ from, to, shown string }{
		{`"X": 0, "Y": 0}`, `"X": 7, "Y": 0}`, "pier moves to {7 0}"},
		{`"X": 0.37`, `"X": 0.5`, "crate/1 moves to {0.5 0.61}"},
		{`"crate/3"`, `"barrel"`, "crate/3 has gone"},
		{`"crate/0"`, "\"crate/9\": {\"Place\": {\"X\": 0.25}},\n\"crate/0\"", "crate/9 comes to {0.25 0}"},
		{"Place", "Plaec", ":2:10: no component \"Plaec\""},
		{"Plaec", "Place", "the text is right again"},
	} {
		text = []byte(strings.Replace(string(text), edit.from, edit.to, 1))
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		wait(edit.shown)
	}
	stop()
	go func() {
		for lines.Scan() {
		}
	}()
	if err := <-over; err != nil {
		t.Error(err)
	}
}
