package study

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/study/internal/journal"
)

// openStudy returns a study of the program of walk in this process, with the flags of a sweep.
func openStudy(t *testing.T, dir string, args ...string) *Study {
	t.Helper()
	must(t, append([]string{"sweep", "-plan", "-out", dir}, args...)...)
	s := &Study{program: programOf[*walk]("TestShares"), errOut: os.Stderr}
	if err := s.Open(dir, "test"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestShares checks that shares cover every run once, for any number of shares, and that any number of
// workers makes the same table.
//
// Conformance: 522
func TestShares(t *testing.T) {
	s := openStudy(t, t.TempDir(), "-seeds", "60")
	for n := 1; n <= 64; n++ {
		var all []int
		for i := range n {
			all = slices.AppendSeq(all, s.missing(Share{i, n}))
		}
		if slices.Sort(all); len(all) != 60 || all[0] != 0 || all[59] != 59 || len(slices.Compact(all)) != 60 {
			t.Errorf("%d shares have the runs %v", n, all)
		}
	}
	want := ""
	counts := []int{1, 2, 3, 5, 7}
	if testing.Short() {
		counts = []int{1, 5}
	}
	for _, n := range counts {
		dir := t.TempDir()
		must(t, "sweep", "-plan", "-out", dir, "-seeds", "20", "pace=1,2,3")
		for i := range n {
			must(t, "worker", "-out", dir, "-shard", fmt.Sprintf("%d/%d", i, n), "-cores", "1")
		}
		table, _ := must(t, "table", "-out", dir)
		p, err := journal.Read(dir, idOf(t, dir), 60)
		if err != nil || p.Done != 60 || p.Doubles != 0 || len(p.Files) != n {
			t.Errorf("%d workers: %d runs in %d logs, %d twice, %v", n, p.Done, len(p.Files), p.Doubles, err)
		}
		if want == "" {
			want = table
		} else if table != want {
			t.Errorf("%d workers make another table:\n%s\nwant\n%s", n, table, want)
		}
	}
}

// idOf returns the id of a study.
func idOf(t *testing.T, dir string) string {
	t.Helper()
	s := &Study{program: programOf[*walk]("idOf"), errOut: os.Stderr}
	if err := s.load(dir); err != nil {
		t.Fatal(err)
	}
	return s.ID()
}

// TestModes checks that a run on each core and one run on all cores give the same hashes and rows.
//
// Conformance: 524
func TestModes(t *testing.T) {
	var all [3]string
	for i, mode := range []string{"outer", "inner", "auto"} {
		dir := t.TempDir()
		// These are enough runs for the mode auto to try both modes.
		_, said := must(t, "sweep", "-out", dir, "-seeds", "50", "pace=1,2", "ticks=3", "-cores", "2", "-mode", mode)
		for _, name := range []string{"result", "where", "runs"} {
			out, _ := must(t, "table", "-out", dir, name)
			all[i] += out
		}
		if mode != "auto" && !strings.Contains(said, ", "+mode) {
			t.Errorf("-mode %s: %s", mode, said)
		}
		if all[i] != all[0] {
			t.Errorf("-mode %s makes other tables", mode)
		}
	}
}

// TestAuto checks the mode that a sweep chooses. Runs that only wait take as many times longer on all cores, one after another,
// as there are cores. A busy machine may disturb the trial of these runs, so the test repeats the sweep.
func TestAuto(t *testing.T) {
	for _, c := range []struct{ name, args, mode string }{
		{"fewer runs than cores", "-seeds 3 -cores 4", "inner"},
		{"too few runs to measure", "-seeds 20 -cores 2", "outer"},
		{"many small runs", "-seeds 100 -cores 2 sleep=5000", "outer"},
	} {
		for try := 1; ; try++ {
			args := append([]string{"sweep", "-out", t.TempDir(), "ticks=1"}, strings.Fields(c.args)...)
			_, said := must(t, args...)
			if strings.Contains(said, ", "+c.mode) {
				break
			}
			if try == 10 || !strings.Contains(c.args, "sleep=") {
				t.Errorf("%s: %s: the mode is not %s: %s", c.name, c.args, c.mode, said)
				break
			}
		}
	}
	const s = time.Second
	for _, c := range []struct {
		outer, inner time.Duration
		mode         string
	}{{2 * s, s, "inner"}, {2 * s, 1750 * s / 1000, "inner"}, {2 * s, 1850 * s / 1000, "outer"}, {s, 2 * s, "outer"}, {s / 20, s / 100, "outer"}} {
		if got := fasterMode(c.outer, c.inner); got != c.mode {
			t.Errorf("outer takes %v, inner %v: %s, want %s", c.outer, c.inner, got, c.mode)
		}
	}
}

// TestUneven checks that a study detects a model whose results depend on the number of workers. The
// study must detect it in two cases: if it tries both modes, and if it does a run twice.
//
// Conformance: 525
func TestUneven(t *testing.T) {
	const sweep = "sweep -seeds 100 trap=uneven ticks=2 -cores 2"
	_, said, code := walkProgram(t, append(strings.Fields(sweep), "-out", t.TempDir())...)
	if code != 1 || !strings.Contains(said, "it was done twice and ended differently: the model is not reproducible") {
		t.Errorf("exit %d, %s", code, said)
	}
	one, two := t.TempDir(), t.TempDir()
	for dir, mode := range map[string]string{one: "inner", two: "outer"} {
		must(t, "sweep", "-out", dir, "-mode", mode, "trap=uneven", "-seeds", "2", "ticks=2", "-cores", "2")
	}
	write(t, one+"/worker-b.log", read(t, two+"/worker-0-of-1.log"))
	for _, command := range []string{"table", "resume"} {
		_, said, code := walkProgram(t, command, "-out", one)
		if code != 1 || !strings.Contains(said, "runs [0 1]: it was done twice and ended differently") {
			t.Errorf("%s: exit %d, %s", command, code, said)
		}
	}
}

// TestLateElsewhere checks a run that took too long on one machine and has a result on another
// machine. The result counts as the result of the run, and the difference is not reported as a fault
// of the model.
func TestLateElsewhere(t *testing.T) {
	dir := t.TempDir()
	s := openStudy(t, dir, "-seeds", "3")
	keep := func(run int, state State, hash uint64) (bool, error) {
		t.Helper()
		b, err := (&outcome{run: run, state: state, hash: hash}).record()
		if err != nil {
			t.Fatal(err)
		}
		r, err := ParseRecord(b)
		if err != nil {
			return false, err
		}
		return s.keepOwn(r)
	}
	for i, c := range []struct {
		run   int
		state State
		hash  uint64
		first bool
		want  error
	}{
		{0, Late, 0, true, nil}, {0, OK, 5, false, nil}, {0, Crash, 0, false, nil}, {0, OK, 5, false, nil},
		{1, OK, 6, true, nil}, {1, Late, 0, false, nil}, {1, OK, 7, false, ErrDiffers},
		{2, Crash, 0, true, nil},
	} {
		if first, err := keep(c.run, c.state, c.hash); first != c.first || !errors.Is(err, c.want) {
			t.Errorf("record %d, %v of run %d: %v, %v; want %v, %v", i, c.state, c.run, first, err, c.first, c.want)
		}
	}
	if n := s.Done(); n != 3 {
		t.Errorf("%d runs are done", n)
	}
	for i, want := range []string{"ok 0000000000000005", "ok 0000000000000006", "crash "} {
		if row := csvTable(t, dir, "runs")[i]; row["state"]+" "+row["hash"] != want {
			t.Errorf("run %d: %v, want %s", i, row, want)
		}
	}
	for _, bad := range []string{"", "R 0 ok", "B 0 1 00000000\n"} {
		if _, err := s.Keep([]byte(bad)); !errors.Is(err, ErrRecord) {
			t.Errorf("%q is kept: %v", bad, err)
		}
	}
}

// TestPipe checks that the output of a program into a pipe never has control codes.
//
// Conformance: 549
func TestPipe(t *testing.T) {
	for _, style := range []string{"auto", "json"} {
		_, said := must(t, "sweep", "-out", t.TempDir(), "trap=none,error,exit", "-cores", "2", "-progress", style)
		for _, r := range said {
			if r < ' ' && r != '\n' {
				t.Errorf("-progress %s: %q", style, said)
				break
			}
		}
		if !strings.Contains(said, "100 %  3/3 runs") && !strings.Contains(said, `{"done":3,"total":3,"what":"runs"`) {
			t.Errorf("-progress %s: %s", style, said)
		}
	}
}
