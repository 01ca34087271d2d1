package study

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/study/internal/journal"
)

// brittle is a model that fails in a place that a test chooses.
type brittle struct {
	Ticks int `default:"9"`

	walkers *ecs.Query
}

// A brittleFault says where the runs of brittle fail.
type brittleFault struct {
	setup   string // "panic": Setup panics; "late": it panics after it has made its world; "error": it returns its world and an error
	step    int    // Step panics in this tick, within a loop over chunks; -1 for none
	several bool   // only runs with several workers fail
	stop    func() // Step calls it in tick 3; nil for none
}

var brittleNow = brittleFault{step: -1}

func (m *brittle) Setup(r *Run) (*ecs.World, error) {
	fails := r.Pool().Workers() > 1 || !brittleNow.several
	if fails && brittleNow.setup == "panic" {
		panic("Setup broke")
	}
	w := ecs.NewWorld("brittle", ecs.OnPool(r.Pool()))
	m.walkers = w.Query(ecs.Write[far]())
	w.Create(w.Archetype(ecs.With[far]()), 10)
	if fails && brittleNow.setup == "late" {
		panic("Setup broke late")
	}
	if fails && brittleNow.setup == "error" {
		return w, errors.New("Setup failed")
	}
	return w, nil
}

func (m *brittle) Step(r *Run) (bool, error) {
	if r.Tick == 3 && brittleNow.stop != nil {
		brittleNow.stop()
	}
	for c := range m.walkers.Chunks() {
		x := ecs.Column[far](c).X
		for i := range x {
			x[i] += r.Unit(uint64(i), 1)
		}
		if r.Tick == brittleNow.step && (r.Pool().Workers() > 1 || !brittleNow.several) {
			panic(fmt.Sprintf("Step broke in tick %d", r.Tick))
		}
	}
	Emit(r, Opened{r.Unit(0, 2)})
	return r.Tick+1 < m.Ticks, nil
}

func (m *brittle) Result(r *Run) Drew { return Drew{r.Unit(0, 3)} }

// brittleCommand calls the program of brittle.
func brittleCommand(ctx context.Context, args ...string) (string, int) {
	var b bytes.Buffer
	both := sharedWriter{to: &b} // other processes write there, too
	code := programOf[*brittle]("Main").main(ctx, args, Console{Out: &both, Err: &both}, strings.NewReader(""), func(int) {})
	return b.String(), code
}

// certifyBrittle does two runs of brittle with one worker, certifies them, and returns their directory.
func certifyBrittle(t *testing.T) string {
	t.Helper()
	brittleNow = brittleFault{step: -1}
	t.Cleanup(func() { brittleNow = brittleFault{step: -1} })
	dir := t.TempDir()
	brittleCommand(t.Context(), "sweep", "-plan", "-out", dir, "-seeds", "2")
	s := &Study{program: programOf[*brittle]("Main"), errOut: io.Discard}
	if err := s.Open(dir, "test"); err != nil {
		t.Fatal(err)
	}
	for run := range 2 {
		record, err := outcomeOf(t, s, run).record()
		if err == nil {
			_, err = s.Keep(record)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if out, code := brittleCommand(t.Context(), "certify", "-out", dir); code != 0 {
		t.Fatal(out)
	}
	return dir
}

// openBrittle opens a verification of a certified study.
func openBrittle(t *testing.T, dir string) *verification {
	t.Helper()
	v := &verification{program: programOf[*brittle]("Main"), dir: dir, console: Console{Out: io.Discard, Err: io.Discard}, suspect: map[int]bool{}, columns: map[string]bool{}}
	t.Cleanup(v.close)
	if err := v.open("", ""); err != nil {
		t.Fatal(err)
	}
	return v
}

// brittleWorlds returns the number of open worlds of brittle.
func brittleWorlds() (n int) {
	for _, w := range system.Worlds() {
		if w.Name() == "brittle" {
			n++
		}
	}
	return n
}

// TestVerifyPanics verifies a study with a model that fails in this process, in each place and with each number of workers.
// Verify must find a fault, and must not panic itself. If only runs with several workers fail, it must say that the model is
// not reproducible.
func TestVerifyPanics(t *testing.T) {
	dir := certifyBrittle(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("LANEWISE_STUDY_TEST", "brittle")
	check := func(fault brittleFault, wants ...string) {
		t.Helper()
		brittleNow = fault
		args := []string{"verify", "-out", dir, "-cores", "0", "-workers", "2", "-runs", "1", "-against", exe}
		out, code := brittleCommand(t.Context(), args...)
		for _, want := range append(wants, "WRONG run 1: it ended ok, and here ") {
			if code != exitFault || !strings.Contains(out, want) {
				t.Errorf("%+v: exit %d, want %q:\n%s", fault, code, want, out)
			}
		}
	}
	for step := range 9 {
		text := fmt.Sprintf("Step broke in tick %d", step)
		check(brittleFault{step: step, several: true}, fmt.Sprintf("it ended ok with 1 worker, and panic with 2 workers: %s", text))
		if startable() {
			check(brittleFault{step: step}, fmt.Sprintf("compared with %s: all worlds are the same", filepath.Base(exe))) // up to the tick of the panic
		}
	}
	check(brittleFault{setup: "panic", step: -1, several: true}, "it ended ok with 1 worker, and panic with 2 workers: Setup broke")
	check(brittleFault{setup: "panic", step: -1}, fmt.Sprintf("compared with %s: the model panicked: Setup broke", filepath.Base(exe)))
	check(brittleFault{setup: "error", step: -1, several: true}, "it ended ok with 1 worker, and error with 2 workers: Setup failed")
	check(brittleFault{setup: "error", step: -1}, fmt.Sprintf("compared with %s: Setup failed", filepath.Base(exe)))
}

// TestBeginFails checks that a run whose Setup fails leaves no world open, neither in begin nor in its callers.
func TestBeginFails(t *testing.T) {
	dir := certifyBrittle(t)
	v := openBrittle(t, dir)
	before := brittleWorlds()
	for _, setup := range []string{"error", "late", "panic"} {
		brittleNow = brittleFault{setup: setup, step: -1}
		for pool := range 2 {
			if _, _, err := v.begin(t.Context(), 0, v.pool(pool)); err == nil || !strings.Contains(err.Error(), "Setup ") {
				t.Errorf("%s: %v", setup, err)
			}
		}
	}
	brittleNow = brittleFault{setup: "error", step: -1, several: true}
	brittleCommand(t.Context(), "verify", "-out", dir, "-cores", "0", "-workers", "2")
	brittleNow.several = false
	b, err := json.Marshal(traceOrders{Manifest: v.study.bytes, Ticks: 3})
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	defer func() { os.Stdout = stdout }()
	if err := v.program.trace(t.Context(), bytes.NewReader(b), nil); err == nil || !strings.Contains(err.Error(), "Setup failed") {
		t.Errorf("trace: %v", err)
	}
	if after := brittleWorlds(); after != before {
		t.Errorf("%d worlds are open, and %d before", after, before)
	}
}

// TestVerifyStopped stops a verification in several places. It must end with an error, and must report only faults that it
// has found.
func TestVerifyStopped(t *testing.T) {
	dir := certifyBrittle(t)
	ended, end := context.WithCancel(t.Context())
	end()
	v := openBrittle(t, dir)
	r, s, err := v.begin(ended, 0, v.pool(0))
	if err != nil {
		t.Fatal(err)
	}
	defer release(r)
	if err := stepper(r, s)(1); !errors.Is(err, context.Canceled) || r.Tick != 0 {
		t.Errorf("a step after its context: %v, tick %d", err, r.Tick)
	}
	if text, err := v.firstRow(ended, 0); !errors.Is(err, errStopped) || text != "" {
		t.Errorf("the first row after the context: %q, %v", text, err)
	}
	if text, err := v.unstable(ended, 0); !errors.Is(err, errStopped) || text != "" {
		t.Errorf("two computations after the context: %q, %v", text, err)
	}
	if err := v.locate(ended, 0, certifiedRun{State: "error"}); !errors.Is(err, errStopped) || v.faults != 1 {
		t.Errorf("locate after the context: %v, %d faults", err, v.faults)
	}
	// While verify computes a run for a wrong table, the study is stopped.
	out, code := brittleCommand(t.Context(), "table", "-out", dir, "opened")
	name := filepath.Join(dir, "opened.csv")
	comma := strings.LastIndexByte(out, ',')
	if code != 0 || comma < 0 {
		t.Fatal(out)
	}
	write(t, name, out[:comma]+",7\n") // the last value of the last run
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	brittleNow.stop = stop
	out, code = brittleCommand(ctx, "verify", "-out", filepath.Join(dir, "none"), "-cert", filepath.Join(dir, certificateName), "-cores", "0", name)
	if code != exitFault || strings.Contains(out, "WRONG") || !strings.Contains(out, errStopped.Error()) {
		t.Errorf("a table: exit %d:\n%s", code, out)
	}
}

// TestSavesStopped stops a verification while it computes a saved run. Verify must not print that the save is wrong.
func TestSavesStopped(t *testing.T) {
	dir := t.TempDir()
	c := &collector{t: t, dir: dir}
	c.main("sweep", "-plan", "-out", dir, "people=2", "ticks=9", "trap=hang")
	writeSave(t, dir, 0, 7)
	ended, end := context.WithCancel(t.Context())
	end()
	out, said, code := walkIn(ended, "verify", "-out", dir)
	if code != exitFault || strings.Contains(out, "WRONG") || !strings.Contains(said, errStopped.Error()) {
		t.Errorf("exit %d:\n%s%s", code, out, said)
	}
}

// writeSave writes a wrong save of a run of walk after some ticks. In this save, both people stand at the origin.
func writeSave(t *testing.T, dir string, run, tick int) {
	t.Helper()
	s := &Study{program: programOf[*walk]("Main"), errOut: io.Discard}
	if err := s.load(dir); err != nil {
		t.Fatal(err)
	}
	b := fmt.Appendf(nil, "{\"id\":%q,\"run\":%d,\"tick\":%d}\n0 0\n0 0\n", s.id, run, tick)
	write(t, saveName(dir, run), string(fmt.Appendf(b, "\n%08x", journal.Checksum(b))))
}

// walkIn calls the program of walk in this process.
func walkIn(ctx context.Context, args ...string) (out, said string, code int) {
	var to, errTo bytes.Buffer
	code = programOf[*walk]("Main").main(ctx, args, Console{Out: &to, Err: &errTo}, strings.NewReader(""), func(int) {})
	return to.String(), errTo.String(), code
}

// TestSavesChosen checks that verify compares only the saves that its flags choose.
func TestSavesChosen(t *testing.T) {
	dir := t.TempDir()
	c := &collector{t: t, dir: dir}
	c.main("sweep", "-plan", "-out", dir, "people=2", "ticks=9", "-seeds", "4")
	for run, tick := range []int{3, 5, 5, 8} {
		writeSave(t, dir, run, tick)
	}
	all := []string{"0", "1", "2", "3"}
	for line, want := range map[string][]string{
		"": all, "-runs 0:3": all, "-sample 100%": all, "-ticks 0:8": all,
		"-runs none": nil, "-runs 2": {"2"}, "-runs 1,3": {"1", "3"},
		"-ticks 0:1": nil, "-ticks 0:2": {"0"}, "-ticks 3:4": {"1", "2"}, "-ticks 3:4 -runs 2:3": {"2"}, "-ticks 5:7": {"3"},
	} {
		out, _, code := walkIn(t.Context(), append([]string{"verify", "-out", dir, "-cores", "0"}, strings.Fields(line)...)...)
		var wrong []string
		for l := range strings.Lines(out) {
			if rest, ok := strings.CutPrefix(l, "WRONG run-"); ok {
				wrong = append(wrong, rest[:1])
			}
		}
		if !slices.Equal(wrong, want) || (code != 0) != (len(want) > 0) || len(want) > 0 != strings.Contains(out, fmt.Sprintf("%d saved runs compared\n", len(want))) {
			t.Errorf("verify %s: exit %d, the saves %v are wrong, want %v:\n%s", line, code, wrong, want, out)
		}
	}
}

// TestRowsInLogs checks that the rows of a log are used only if they are the rows of the certificate.
func TestRowsInLogs(t *testing.T) {
	v := openBrittle(t, certifyBrittle(t))
	if rows := v.rowsInLogs(1); len(rows) != 2 || sumOf(rows["opened"]) != v.cert.runs[1].Rows["opened"] {
		t.Errorf("%d tables", len(rows))
	}
	for _, change := range []func(rows map[string]string){
		func(rows map[string]string) { rows["opened"] = sumOf(nil) },
		func(rows map[string]string) { rows["other"] = sumOf(nil) },
		func(rows map[string]string) { delete(rows, "result") },
	} {
		own := openBrittle(t, v.dir)
		change(own.cert.runs[1].Rows)
		if rows := own.rowsInLogs(1); rows != nil {
			t.Errorf("%d tables of %v", len(rows), own.cert.runs[1].Rows)
		}
		if rows := own.rowsInLogs(0); len(rows) != 2 {
			t.Errorf("%d tables of another run", len(rows))
		}
	}
	name := filepath.Join(v.dir, "worker-test.log")
	text := []byte(read(t, name))
	own := openBrittle(t, v.dir)
	for at := range text { // in each record, a table is longer than the rows
		if bytes.HasPrefix(text[at:], []byte(`"bytes":`)) {
			text[at+len(`"bytes":`)] = '9'
		}
	}
	write(t, name, string(text))
	for run := range 2 {
		if rows := own.rowsInLogs(run); rows != nil {
			t.Errorf("run %d: a record that cannot be read has %d tables", run, len(rows))
		}
	}
}

// A hook is an output that calls a function before the first write.
type hook struct {
	bytes.Buffer
	first func()
}

func (h *hook) Write(b []byte) (int, error) {
	if h.first != nil {
		h.first()
		h.first = nil
	}
	return h.Buffer.Write(b)
}

// TestSignedBytes replaces the certificate while verify reads it. verify must check the signature of exactly those bytes
// that it uses.
func TestSignedBytes(t *testing.T) {
	dir := certifyBrittle(t)
	name := filepath.Join(dir, certificateName)
	honest := read(t, name)
	key, line := sshKey('a')
	public := filepath.Join(dir, "key.pub")
	write(t, public, line)
	write(t, name+".sig", string(sshSign(key, signatureNamespace, "sha512", []byte(honest))))
	x, err := parseCertificate(name, []byte(honest))
	if err != nil {
		t.Fatal(err)
	}
	x.head.Toolchain = "forged"
	var forged bytes.Buffer
	if err := x.write(&forged); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		first, then string
		code        int
	}{{honest, honest, exitOK}, {forged.String(), honest, exitFault}, {honest, forged.String(), exitOK}} {
		write(t, name, c.first)
		said := &hook{first: func() { write(t, name, c.then) }}
		code := programOf[*brittle]("Main").main(t.Context(), []string{"verify", "-out", dir, "-runs", "none", "-key", public}, Console{Out: said, Err: said}, nil, nil)
		if code != c.code {
			t.Errorf("exit %d, want %d:\n%s", code, c.code, said.String())
		}
	}
}

// TestVerifyIdle checks that a verification that computes nothing in this process starts no workers.
func TestVerifyIdle(t *testing.T) {
	dir := certifyBrittle(t)
	for _, line := range []string{"-runs none", "-runs 7", "-sample 2", "-cert " + dir + "/none"} {
		before, during := runtime.NumGoroutine(), 0
		said := &hook{first: func() { during = runtime.NumGoroutine() }}
		args := append([]string{"verify", "-out", dir, "-cores", "64"}, strings.Fields(line)...)
		programOf[*brittle]("Main").main(t.Context(), args, Console{Out: said, Err: said}, nil, nil)
		if during == 0 || during > before+8 {
			t.Errorf("verify %s: %d goroutines, and %d before", line, during, before)
		}
	}
	v := openBrittle(t, dir)
	v.several = 5
	if a, b := v.pool(0), v.pool(1); a.Workers() != 1 || b.Workers() != 5 || v.pool(0) != a || v.pool(1) != b {
		t.Errorf("pools of %d and %d workers", a.Workers(), b.Workers())
	}
}

// TestTailText checks the text that stderrTail keeps of the error output of a process. It keeps only a small number of
// bytes.
func TestTailText(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "\n \n": "", "a\nb\n": "b", "a\nb": "b", "a\n\n": "a", "panic: x\ngoroutine 1\nexit status 2\n": "panic: x",
		strings.Repeat("much\n", 100_000) + "the end\n": "the end",
	} {
		tail := &stderrTail{to: io.Discard}
		_, _ = io.Copy(tail, strings.NewReader(text))
		if got := tail.text(); got != want || len(tail.part)+len(tail.last)+len(tail.why) > 1<<13 {
			t.Errorf("%.20q: %q, want %q", text, got, want)
		}
	}
}
