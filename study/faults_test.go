package study

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/study/internal/journal"
	"github.com/lanewise/lanewise/study/table"
)

// dice is a model without a world, so that its rows are its only output.
type dice struct {
	Sides  int  `default:"6" range:"1..100"`
	Loaded bool `default:"false"`
}

// Thrown is a row of the table thrown.
type Thrown struct{ Eyes int }

func (*dice) Setup(*Run) (*ecs.World, error) { return nil, nil }

func (m *dice) Step(r *Run) (bool, error) {
	eyes := m.Sides
	if !m.Loaded {
		eyes = 1 + int(r.Unit(0, 1)*float64(m.Sides))
	}
	Emit(r, Thrown{eyes})
	return r.Tick < 9, nil
}

func (m *dice) Result(*Run) Thrown { return Thrown{m.Sides} }

// TestWorldless checks that the hash of a run without a world is the hash of its rows. It also checks
// that the study reports different seeds that give the same rows.
func TestWorldless(t *testing.T) {
	hash := map[uint64]string{}
	for _, settings := range []string{"sides=6", "sides=20", "sides=20 loaded=true"} {
		out, err := Once[*dice](nil, strings.Fields(settings)...)
		if err != nil || out.Hash == 0 || hash[out.Hash] != "" {
			t.Errorf("%s: %+v, %v; the hash is that of %q", settings, out, err, hash[out.Hash])
		}
		hash[out.Hash] = settings
		if again, err := Once[*dice](nil, strings.Fields(settings)...); again != out || err != nil {
			t.Errorf("%s again: %+v, %v", settings, again, err)
		}
	}
	for _, c := range []struct {
		settings string
		noted    bool
	}{{"loaded=true", true}, {"sides=50", false}} {
		var said bytes.Buffer
		code := programOf[*dice]("Main").main(t.Context(), []string{"test", c.settings}, Console{Out: &said, Err: &said}, nil, nil)
		if code != exitOK || c.noted != strings.Contains(said.String(), "note: a run with another seed is the same run") {
			t.Errorf("test %s: exit %d\n%s", c.settings, code, said.String())
		}
	}
}

// TestEngine checks an engine: other engines can continue the study from its manifest, and it
// lists the missing runs in the order of work.
func TestEngine(t *testing.T) {
	dir := t.TempDir()
	s := openStudy(t, dir, "-seeds", "5", "pace=1,2")
	if s.Dir() != dir || string(s.Manifest()) != read(t, dir+"/study.json") {
		t.Errorf("the study of %s has %s", s.Dir(), s.Manifest())
	}
	other := &Study{program: s.program, errOut: io.Discard}
	if err := other.Adopt(s.Manifest()); err != nil || other.ID() != s.ID() || other.Runs() != 10 || other.Dir() != "" {
		t.Errorf("adopted: %v, %s of %d runs", err, other.ID(), other.Runs())
	}
	s.history.Open[3]++ // it was running when everything ended
	runs := slices.Collect(s.Missing())
	if len(runs) != 10 || runs[9] != 3 {
		t.Errorf("missing are %v, want run 3 at the end", runs)
	}
	for range s.Missing() { // stops early
		break
	}
	for i, run := range runs[:9] {
		for k := range s.Missing() {
			if k != run {
				t.Errorf("run %d comes after %d runs, want %d", k, i, run)
			}
			break
		}
		b, err := (&outcome{run: run, state: OK}).record()
		if first, bad := s.keepOwn(Record{run, OK, 0, 0, b}); !first || err != nil || bad != nil {
			t.Errorf("run %d: %v, %v, %v", run, first, err, bad)
		}
	}
	for k := range s.Missing() {
		if k != 3 {
			t.Errorf("run %d is left", k)
		}
		break
	}
}

// TestCrew checks that a crew reports attempts and stops when it cannot continue.
func TestCrew(t *testing.T) {
	s := openStudy(t, t.TempDir(), "trap=exit,none")
	t.Setenv("LANEWISE_STUDY_TEST", "walk")
	away := errors.New("the log is away")
	crew := func(o CrewOptions) *Crew {
		t.Helper()
		c, err := s.Crew(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	if _, err := crew(CrewOptions{OnAttemptBegan: func(int, int) error { return away }}).Do(t.Context(), 1); !errors.Is(err, away) {
		t.Errorf("OnAttemptBegan: %v", err)
	}
	attempts := []int{}
	c := crew(CrewOptions{Processes: 1, Attempts: 2, OnAttemptFailed: func(_, attempt int, _ string) error {
		attempts = append(attempts, attempt)
		if attempt == 2 {
			return away
		}
		return nil
	}})
	if _, err := c.Do(t.Context(), 0); !errors.Is(err, away) || !slices.Equal(attempts, []int{1, 2}) {
		t.Errorf("OnAttemptFailed: %v, attempts %v", err, attempts)
	}
	record, err := c.do(t.Context(), 0, 2)
	if r, bad := ParseRecord(record); err != nil || bad != nil || r.State != Crash || reasonOf(record) != "its process died at each of 2 attempts: earlier attempts" {
		t.Errorf("a run that has had its attempts: %v, %v, %s", err, bad, record)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if _, err := c.Do(ended, 1); !errors.Is(err, errStopped) {
		t.Errorf("after its context: %v", err)
	}
	hold := <-c.freePosts // the only process is busy
	if _, err := c.Do(ended, 1); !errors.Is(err, errStopped) {
		t.Errorf("waiting, after its context: %v", err)
	}
	c.freePosts <- hold
	if got := reasonOf([]byte("no record")); got != ErrRecord.Error() {
		t.Error(got)
	}
}

// TestSavedOtherwise checks saved files that do not belong to the run. The worker must report such
// files and restart the run.
func TestSavedOtherwise(t *testing.T) {
	p := programOf[*walk]("test")
	task, err := p.singleTask([]string{"ticks=4"})
	if err != nil {
		t.Fatal(err)
	}
	want, err := p.runOnce(t.Context(), task, 1)
	if err != nil {
		t.Fatal(err)
	}
	var kept []byte
	task.keep = &runSaver{id: "me", isDue: func(int) bool { return true }, read: func() ([]byte, error) { return nil, os.ErrNotExist }, write: func(b []byte) error {
		kept = b
		return errSuspended
	}}
	if _, err := p.runOnce(t.Context(), task, 1); !errors.Is(err, errSuspended) {
		t.Fatal(err)
	}
	sum := func(b []byte) []byte {
		b = b[:len(b)-len("\n00000000")]
		return append(append(b, '\n'), []byte(strings.ToLower(hex8(journal.Checksum(b))))...)
	}
	change := func(from, to string) []byte { return sum(bytes.Replace(kept, []byte(from), []byte(to), 1)) }
	torn := bytes.Clone(kept)
	torn[len(torn)/2] ^= 1
	for name, c := range map[string]struct {
		b   []byte
		why string
	}{
		"the run itself": {kept, ""}, "short": {kept[:5], "is damaged"}, "torn": {torn, "is damaged"}, "nothing": {nil, "is damaged"},
		"of another study": {change(`"id":"me"`, `"id":"he"`), "is of another study or run"}, "of another run": {change(`"run":0`, `"run":1`), "is of another study or run"},
		"no head": {change(`{`, `[`), "is damaged"}, "longer tables": {change(`"bytes":`, `"bytes":9`), "is damaged"},
		"a model that cannot load it": {sum(append(bytes.Clone(kept[:len(kept)-200]), kept[len(kept)-9:]...)), "cannot be loaded: Load at tick 1: "},
	} {
		told := ""
		task.keep.write = func([]byte) error { return nil }
		task.keep.read = func() ([]byte, error) { return c.b, nil }
		task.keep.restarted = func(why string) { told += why }
		got, err := p.runOnce(t.Context(), task, 1)
		if err != nil || want.difference(got) != "" || (told == "") != (c.why == "") || !strings.HasPrefix(told, c.why) {
			t.Errorf("%s: %v, %v, told %q", name, err, got, told)
		}
	}
	// A panic of Load is reported too.
	begin := p.begin
	p.begin = func(r *Run, values []string) (steps, error) {
		s, err := begin(r, values)
		set := s.setup
		s.setup = func(from io.Reader) error {
			if from != nil {
				panic("not expected")
			}
			return set(nil)
		}
		return s, err
	}
	task.keep.read = func() ([]byte, error) { return kept, nil }
	task.keep.restarted = func(why string) {
		if why != "cannot be loaded: Load at tick 1: panic: not expected" {
			t.Error(why)
		}
	}
	if got, err := p.runOnce(t.Context(), task, 1); err != nil || want.difference(got) != "" {
		t.Errorf("%v, %v", err, got)
	}
}

func hex8(v uint32) string {
	const digits = "0123456789abcdef"
	b := make([]byte, 8)
	for i := range b {
		b[7-i] = digits[v>>(4*i)&15]
	}
	return string(b)
}

// TestTidy checks that tidy removes the saved states of ended runs, no matter which worker left them,
// and that it keeps the saved states of all other runs.
func TestTidy(t *testing.T) {
	dir := t.TempDir()
	s := openStudy(t, dir, "-seeds", "3")
	b, err := (&outcome{run: 1, state: OK}).record()
	if _, bad := s.keepOwn(Record{1, OK, 0, 0, b}); bad != nil || err != nil {
		t.Fatal(bad, err)
	}
	for _, name := range []string{"run-1.save", "run-1.save.77", "run-0.save", "run-7.save", "run-x.save", "run--1.save", "run-1.saved", "run-1.save.old", ".run-1.save.lanewise-77-0.tmp", ".run-0.save.lanewise-77-0.tmp"} {
		write(t, filepath.Join(dir, name), "x")
	}
	tidy(s)
	left, _ := filepath.Glob(dir + "/*run-*")
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	if want := []string{".run-0.save.lanewise-77-0.tmp", "run--1.save", "run-0.save", "run-1.save.old", "run-1.saved", "run-7.save", "run-x.save"}; !slices.Equal(left, want) {
		t.Errorf("%v is left, want %v", left, want)
	}
}

// TestTidyMeanwhile checks a worker that still does a run after another worker has finished the same
// run and removed its saved states. In this case, the first worker must save nothing and must not
// fail.
func TestTidyMeanwhile(t *testing.T) {
	dir := t.TempDir()
	k := newKeeper(filepath.Join(dir, "gone"), "me", 1, 0)
	if err := k.write([]byte("x")); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Error(left)
	}
}

// aboutFormat records the descriptions that it receives.
type aboutFormat struct{ about []table.About }

func (f *aboutFormat) About(a table.About)     { f.about = append(f.about, a) }
func (f *aboutFormat) Row([]table.Value) error { return nil }
func (f *aboutFormat) Close() error            { return nil }

var told aboutFormat

var formats = sync.OnceFunc(func() {
	table.Register("about", func(io.Writer, []table.Column) (table.Writer, error) { return &told, nil })
	table.Register("none", func(io.Writer, []table.Column) (table.Writer, error) { return nil, io.ErrShortWrite })
})

// TestPresenter checks that a format that asks for the description of a table gets it once.
func TestPresenter(t *testing.T) {
	formats() // sets the formats of the process, which other tests list
	dir := t.TempDir()
	c := &collector{t: t, dir: dir}
	t.Setenv("LANEWISE_STUDY_TEST", "walk")
	if said, code := c.main("sweep", "-out", dir, "-cores", "1", "-seeds", "3"); code != exitOK || !startable() {
		t.Skip("starts the test program anew, which cannot be done here: ", said)
	}
	if said, code := c.main("table", "-out", dir, "-format", "about", "where"); code != exitOK {
		t.Error(said)
	}
	if len(told.about) == 0 || told.about[len(told.about)-1].Model != "github.com/lanewise/lanewise/study.walk" || told.about[len(told.about)-1].Table != "where" || told.about[len(told.about)-1].Runs != 3 || strings.Join(told.about[len(told.about)-1].Params, " ") != "people pace ticks sleep trap" {
		t.Errorf("it is told %+v", told.about)
	}
	for _, name := range []string{"where", runsTable, timesTable} {
		if said, code := c.main("table", "-out", dir, "-format", "none", name); code != exitFault || !strings.Contains(said, io.ErrShortWrite.Error()) {
			t.Errorf("a format that cannot begin: exit %d, %s", code, said)
		}
	}
	// In these commands, a directory does not exist, or a file has the name that a directory needs.
	for _, line := range []string{"sweep -plan -out DIR/study.json/x", "sweep -plan -list DIR/nowhere.csv", "sweep -out DIR/a/study.json", "resume -out DIR/study.json/x", "resume -out DIR/b"} {
		_ = os.MkdirAll(dir+"/a/study.json/study.json", 0o777)
		_ = os.MkdirAll(dir+"/b/study.json", 0o777)
		code := exitFault
		if strings.Contains(line, "-list") {
			code = exitUsage
		}
		c.collectFailure(code, line)
	}
	if err := writeAtomic(filepath.Join(dir, "none", "x"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if err := writeAtomic(filepath.Join(dir, "b", "study.json"), nil); err == nil {
		t.Error("a file takes the place of a directory")
	}
	if names, _ := filepath.Glob(dir + "/b/*"); len(names) != 1 {
		t.Errorf("what could not be placed is left: %v", names)
	}
	// The share comes from the variables of an engine.
	t.Setenv("PMI_RANK", "1")
	t.Setenv("PMI_SIZE", "2")
	if said, code := c.main("worker", "-out", dir); code != exitOK || !strings.Contains(said, "PMI_RANK 1 of PMI_SIZE 2: share 1/2") {
		t.Errorf("worker: exit %d, %s", code, said)
	}
	if _, code := c.main("worker", "-nothing"); code != exitUsage {
		t.Errorf("worker -nothing: exit %d", code)
	}
}

// closedFile is an output that refuses all writes.
type closedFile struct{}

func (closedFile) Write([]byte) (int, error) { return 0, os.ErrClosed }

// TestOutputClosed checks that failing writes are reported.
func TestOutputClosed(t *testing.T) {
	p := programOf[*walk]("Main")
	for _, args := range [][]string{{"params"}, {"run"}, {"run", "-table", "where"}} {
		var said bytes.Buffer
		if code := p.main(t.Context(), args, Console{Out: closedFile{}, Err: &said}, nil, nil); code != exitFault || !strings.Contains(said.String(), os.ErrClosed.Error()) {
			t.Errorf("%v: exit %d, %s", args, code, said.String())
		}
	}
	s := openStudy(t, t.TempDir())
	if err := s.log.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := (&outcome{state: OK}).record()
	if err != nil {
		t.Fatal(err)
	}
	if first, err := s.keepOwn(Record{0, OK, 0, 0, b}); first || err == nil || s.Done() != 0 {
		t.Errorf("a record is kept in a closed log: %v, %v", first, err)
	}
	s.log = nil // Close would close it again
}

// TestTail checks that the study keeps the line with the cause of death from a process's output, no
// matter how long the other lines are.
func TestTail(t *testing.T) {
	var out bytes.Buffer
	tail := &stderrTail{to: &out}
	for _, text := range []string{"much", strings.Repeat("x", 10_000), "\npanic: ", "the end" + strings.Repeat("!", 400), "\n\ngoroutine 1\npanic: another\n"} {
		if n, err := tail.Write([]byte(text)); n != len(text) || err != nil {
			t.Error(n, err)
		}
		if len(tail.part) > 1<<12 {
			t.Errorf("%d bytes are kept", len(tail.part))
		}
	}
	if want := "panic: the end" + strings.Repeat("!", 300-14) + "…"; tail.why != want || out.Len() < 10_000 {
		t.Errorf("why: %s; %d bytes are passed on", tail.why, out.Len())
	}
	// The byte that begins a run must not be passed on, and the output of earlier runs must be dropped.
	out.Reset()
	for text, why := range map[string]string{"panic: of one\n\x00": "", "panic: a\n\x00fatal error: b\n": "fatal error: b", "panic: a\n\x00\x00panic: c\n": "panic: c", "pan\x00ic: d\n": ""} {
		n, err := tail.Write([]byte(text))
		if n != len(text) || err != nil || tail.why != why || len(tail.part) > 0 {
			t.Errorf("%q: why %q, %q is left; %d, %v", text, tail.why, tail.part, n, err)
		}
	}
	if strings.ContainsRune(out.String(), 0) || strings.Count(out.String(), "panic: a\n") != 2 {
		t.Errorf("passed on: %q", out.String())
	}
}

// TestInner checks that the trial of a mode ends early if the mode is slower. Runs that failed are
// not compared.
func TestInner(t *testing.T) {
	s := openStudy(t, t.TempDir(), "-seeds", "4", "ticks=100", "sleep=1000")
	t.Setenv("LANEWISE_STUDY_TEST", "walk")
	w := &worker{study: s, workerOptions: workerOptions{cores: 2, attempts: 1}}
	bad := []Record{{Run: 0, State: Errored}, {Run: 1, State: Late}}
	if took, err := w.tryInner(t.Context(), []int{0, 1}, bad, time.Hour); err != nil || took >= time.Hour {
		t.Errorf("nothing to compare: %v, %v", took, err)
	}
	fine := []Record{{Run: 0, State: Errored}, {Run: 1, State: OK}}
	if took, err := w.tryInner(t.Context(), []int{0, 1}, fine, time.Millisecond); err != nil || took != time.Millisecond {
		t.Errorf("slower than a millisecond: %v, %v", took, err)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if _, err := w.tryInner(ended, []int{0, 1}, fine, time.Hour); !errors.Is(err, errStopped) {
		t.Errorf("stopped: %v", err)
	}
}

// TestOtherMachinesFiles checks that temporary files of workers on other machines stay in the study's
// directory. The locks of these files are not visible here, so the files may be in use.
func TestOtherMachinesFiles(t *testing.T) {
	dir := t.TempDir()
	theirs := []string{".run-7.save.lanewise-77-0.tmp", ".worker-there.idx.lanewise-77-0.tmp", ".study.json.lanewise-77-0.tmp"}
	for _, name := range theirs {
		write(t, filepath.Join(dir, name), "half")
	}
	s := openStudy(t, dir, "-seeds", "3")
	if err := newKeeper(dir, s.id, 1, 0).write([]byte("saved")); err != nil {
		t.Fatal(err)
	}
	tidy(s)
	for _, name := range theirs {
		if read(t, filepath.Join(dir, name)) != "half" {
			t.Errorf("%s was changed", name)
		}
	}
}
