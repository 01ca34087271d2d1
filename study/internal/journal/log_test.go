package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// record returns a record with rows of the given size.
func record(t *testing.T, run, size int) []byte {
	t.Helper()
	body := bytes.Repeat([]byte{byte(run)}, size)
	b, err := Append(nil, Entry{Kind: Ended, Run: run, State: 1, Hash: uint64(run), Body: Checksum(body)}, []byte("{}\n"), body, []byte("\n"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func open(t *testing.T, dir, worker string) *Log {
	t.Helper()
	l, err := Open(dir, worker, "id")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func ok(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// readHistory reads the logs of a study of ten runs and describes the state of each run.
func readHistory(t *testing.T, dir string) (p *History, runs string) {
	t.Helper()
	p, err := Read(dir, "id", 10)
	if err != nil {
		t.Fatal(err)
	}
	for run := range 10 {
		runs += map[bool]string{true: "x", false: "."}[p.Has(run)]
	}
	return p, runs
}

// wantError makes the test fail unless the error contains the text.
func wantError(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("%v, want %q", err, text)
	}
}

func TestLog(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, "a")
	ok(t, l.Begin(3, 1), l.Keep(record(t, 3, 100)), l.Begin(4, 1), l.Fail(4, 1, "exit\nstatus"), l.Begin(4, 2), l.Begin(5, 1), l.Close())
	p, runs := readHistory(t, dir)
	if runs != "...x......" || p.Done != 1 || p.Runs() != 10 || p.Fails[4] != 1 || p.Open[4] != 1 || p.Open[5] != 1 || len(p.Open) != 2 || p.Doubles != 0 {
		t.Errorf("%s, %+v", runs, p)
	}
	// The end of the log is torn, and another worker has also done run 3.
	name := Name(dir, "a")
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	ok(t, err)
	_, err = f.Write(record(t, 7, 100)[:90])
	ok(t, err, f.Close())
	l = open(t, dir, "b")
	ok(t, l.Keep(record(t, 3, 100)), l.Keep(record(t, 5, 0)), l.Close())
	p, runs = readHistory(t, dir)
	if runs != "...x.x...." || p.Doubles != 1 || len(p.Differ) != 0 || len(p.Open) != 1 {
		t.Errorf("%s, %+v", runs, p)
	}
	l = open(t, dir, "a")
	ok(t, l.Keep(record(t, 7, 1)), l.Keep(record(t, 5, 1)), l.Close())
	p, runs = readHistory(t, dir)
	if runs != "...x.x.x.." || !slices.Equal(p.Differ, []int{5}) {
		t.Errorf("%s, %+v", runs, p)
	}
	if s := p.States(); s[1] != 3 || s[0] != 7 {
		t.Errorf("%v", s)
	}
	// Records of this process are known without reading.
	for i, c := range []struct {
		state uint8
		want  Finding
		has   string
	}{
		{6, First, "crash"}, {5, Nothing, "crash"}, {1, Better, "ok"}, {1, Nothing, "ok"}, {6, Nothing, "ok"}, {2, Differs, "ok"}, {5, Nothing, "ok"},
	} {
		if got := p.Note(Entry{Run: 9, State: c.state}); got != c.want || !p.Has(9) || States[p.endedRecords[9].state] != c.has {
			t.Errorf("record %d of run 9, %s: %v, want %v; %s counts, want %s", i, States[c.state], got, c.want, States[p.endedRecords[9].state], c.has)
		}
	}
}

// TestOfMachine checks that failures of a machine do not count against a model. If a run was late or
// crashed in one log and has a result in another, the result counts, in either order.
func TestOfMachine(t *testing.T) {
	for _, names := range []string{"ab", "ba"} {
		dir := t.TempDir()
		for i, state := range []uint8{5, 1} {
			b, err := Append(nil, Entry{Kind: Ended, Run: 3, State: state, Hash: uint64(i)}, []byte("{}\n\n"))
			l := open(t, dir, names[i:i+1])
			ok(t, err, l.Keep(b), l.Close())
		}
		p, _ := readHistory(t, dir)
		if len(p.Differ) != 0 || p.Done != 1 || p.Doubles != 1 || p.endedRecords[3].state != 1 {
			t.Errorf("%s: %+v", names, p)
		}
		ok(t, p.Records(func(e Entry, _ []byte) error {
			if e.State != 1 {
				t.Errorf("%s: the record that is read is %v", names, e)
			}
			return nil
		}))
	}
}

// TestFirstLine checks that a log of another study is neither changed nor skipped silently.
func TestFirstLine(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, "a")
	ok(t, l.Keep(record(t, 3, 100)), l.Close())
	name := Name(dir, "a")
	whole, err := os.ReadFile(name)
	ok(t, err)
	head := len(logHeader("id"))
	bad := [][]byte{whole[1:], whole[head:], []byte("notes of mine\n"), make([]byte, 40), append([]byte{'\n'}, whole...)}
	for i := range head {
		b := bytes.Clone(whole)
		b[i] ^= 1
		bad = append(bad, b)
	}
	for _, b := range bad {
		ok(t, os.WriteFile(name, b, 0o666))
		_, err := Open(dir, "a", "id")
		wantError(t, err, `worker-a.log: its first line is damaged, so its study is unknown: if the log belongs to this study, change the line to "S lanewise-study-1 id `)
		_, err = Read(dir, "id", 10)
		wantError(t, err, "its first line is damaged")
		if now, _ := os.ReadFile(name); !bytes.Equal(now, b) {
			t.Fatalf("%q has become %q", b, now)
		}
	}
	// A process that was killed while it wrote the first line has written nothing else.
	for cut := 0; cut <= head; cut += head / 5 {
		ok(t, os.WriteFile(name, whole[:cut], 0o666))
		if _, runs := readHistory(t, dir); runs != ".........." {
			t.Errorf("cut at %d: %s", cut, runs)
		}
		l := open(t, dir, "a")
		ok(t, l.Keep(record(t, 5, 10)), l.Close())
		if _, runs := readHistory(t, dir); runs != ".....x...." {
			t.Errorf("cut at %d, and gone on: %s", cut, runs)
		}
	}
}

// TestHeldForAMoment checks that a lock may remain held for a moment after its process was killed.
// The reason is that a child that the process was about to start can inherit the lock.
func TestHeldForAMoment(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, "a")
	time.AfterFunc(100*time.Millisecond, func() { _ = l.Close() })
	second, err := Open(dir, "a", "id")
	ok(t, err)
	ok(t, second.Close())
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, "a")
	_, err := Open(dir, "a", "id")
	if !errors.Is(err, ErrHeld) && !errors.Is(errNoLocks, err) {
		t.Errorf("two have one log: %v", err)
	}
	wantError(t, err, Name(dir, "a"))
	ok(t, l.Keep(record(t, 9, 1)), l.Close())
	_, err = Open(dir, "a", "another")
	wantError(t, err, "worker-a.log is a log of study id, this is another: put it elsewhere")
	_, err = Read(dir, "another", 10)
	wantError(t, err, "is a log of study id")
	_, err = Read(dir, "id", 9)
	wantError(t, err, "has run 9, the study has 9 runs")
	_, err = Read(filepath.Join(dir, "none"), "id", 9)
	wantError(t, err, "none")
	for _, worker := range []string{"", "a/b", "a b", "ü", strings.Repeat("x", 101)} {
		_, err := Open(dir, worker, "id")
		wantError(t, err, "a worker cannot be named")
	}
	_, err = Open(filepath.Join(dir, "none"), "a", "id")
	wantError(t, err, "worker-a.log")
	b := make([]byte, 1<<26)
	_, err = Append(nil, Entry{Kind: Ended, State: 1}, slices.Repeat([][]byte{b}, 17)...)
	if !errors.Is(err, ErrTooLong) {
		t.Errorf("a record of more than a GiB: %v", err)
	}
	// A log that cannot be written must report the error and must not contain a partial record.
	l = open(t, dir, "b")
	ok(t, l.file.Close())
	if l.Begin(1, 1) == nil || l.Keep(record(t, 1, 1)) == nil || l.Close() == nil {
		t.Error("a closed file is written")
	}
	if _, runs := readHistory(t, dir); runs != ".........x" {
		t.Error(runs)
	}
}

// TestRecords checks that records from all logs come in the order of the runs.
func TestRecords(t *testing.T) {
	dir := t.TempDir()
	for i, runs := range [][]int{{5, 1, 8}, {0, 9, 3, 1}} {
		l := open(t, dir, fmt.Sprint(i))
		for _, run := range runs {
			ok(t, l.Begin(run, 1), l.Keep(record(t, run, 1000*run)))
		}
		ok(t, l.Close())
	}
	p, _ := readHistory(t, dir)
	var runs []int
	ok(t, p.Records(func(e Entry, payload []byte) error {
		runs = append(runs, e.Run)
		if want := 4 + 1000*e.Run; len(payload) != want || e.Run > 0 && payload[3] != byte(e.Run) {
			t.Errorf("run %d has %d bytes, want %d", e.Run, len(payload), want)
		}
		return nil
	}))
	if !slices.Equal(runs, []int{0, 1, 3, 5, 8, 9}) {
		t.Error(runs)
	}
	stop := errors.New("enough")
	if err := p.Records(func(Entry, []byte) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
	b, err := os.ReadFile(p.Files[1])
	ok(t, err)
	b[bytes.Index(b, []byte{9, 9, 9})]++
	ok(t, os.WriteFile(p.Files[1], b, 0o666))
	wantError(t, p.Records(func(Entry, []byte) error { return nil }), "is damaged")
	ok(t, os.Remove(p.Files[0]))
	wantError(t, p.Records(func(Entry, []byte) error { return nil }), p.Files[0])
}

// TestIndex checks that an index agrees with its log, and is ignored if the log has changed.
func TestIndex(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, "a")
	for run := range 8 {
		ok(t, l.Begin(run, 1))
		if run != 6 {
			ok(t, l.Keep(record(t, run, minIndexedLog/4)))
		}
	}
	theirs := filepath.Join(dir, ".worker-there.idx.lanewise-77-0.tmp") // of another machine, whose lock is not visible here
	ok(t, os.WriteFile(theirs, nil, 0o666), l.Fail(6, 1, "why"), l.Begin(6, 2), l.Close(), os.Remove(theirs))
	want := ""
	check := func(what string) {
		t.Helper()
		p, runs := readHistory(t, dir)
		got := fmt.Sprint(runs, p.Done, p.Doubles, p.Differ, p.Fails, p.Open, p.endedRecords)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	log, idx := Name(dir, "a"), indexName(Name(dir, "a"))
	whole, err := os.ReadFile(idx)
	ok(t, err, os.Rename(idx, idx+"x"))
	check("without an index")
	ok(t, os.Rename(idx+"x", idx))
	check("with it")
	if f, err := os.Open(log); err != nil || len(readIndex(log, "id", f, 1<<30).entries) != 10 {
		t.Errorf("the index has not 7 records, 2 attempts and a failure, %v", err)
	} else {
		if len(readIndex(log, "other", f, 1<<30).entries) != 0 || len(readIndex(log, "id", f, 1000).entries) != 0 {
			t.Error("the index is of another study, or of a longer log")
		}
		ok(t, f.Close())
	}
	for i := range whole {
		bad := bytes.Clone(whole)
		bad[i] ^= 4
		ok(t, os.WriteFile(idx, bad, 0o666))
		if i%17 == 0 || i < 64 {
			check(fmt.Sprintf("with byte %d wrong", i))
		}
	}
	// The log has grown, so the index no longer fits.
	ok(t, os.WriteFile(idx, whole, 0o666))
	l = open(t, dir, "a")
	ok(t, l.Keep(record(t, 9, 5)), l.file.Sync(), l.file.Close()) // as if killed: no index is written
	if p, runs := readHistory(t, dir); runs != "xxxxxx.x.x" || p.Fails[6] != 1 {
		t.Errorf("%s, %+v", runs, p)
	}
	l = open(t, dir, "b")
	for _, run := range []int{1, 2, 3, 4, 5, 8} {
		ok(t, l.Keep(record(t, run, minIndexedLog/3)))
	}
	ok(t, l.Close(), os.Rename(Name(dir, "b"), log), os.Remove(indexName(Name(dir, "b"))))
	if _, runs := readHistory(t, dir); runs != ".xxxxx..x." {
		t.Errorf("beside the index of another log: %s", runs)
	}
}
