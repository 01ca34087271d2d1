package study

import (
	"fmt"
	"strings"
	"testing"
)

// csvTable returns the rows of a table that the program wrote, in the order of the runs.
func csvTable(t *testing.T, dir, name string) (rows []map[string]string) {
	t.Helper()
	out, _ := must(t, "table", "-out", dir, "-format", "csv", name)
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	head := strings.Split(lines[0], ",")
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, cell := range strings.SplitN(line, ",", len(head)) {
			row[head[i]] = strings.Trim(cell, `"`)
		}
		rows = append(rows, row)
	}
	return rows
}

// TestTraps checks that any failure of a run is recorded with its reason and that the other runs are
// done.
//
// Conformance: 509, 511, 517
func TestTraps(t *testing.T) {
	dir := t.TempDir()
	want := []struct{ trap, state, why string }{
		{"none", "ok", ""},
		{"error", "error", "the way is closed"},
		{"setup", "error", "there is no ground"},
		{"panic", "panic", "the ground is on fire"},
		{"goexit", "panic", "the model ended its goroutine (runtime.Goexit)"},
		{"nan", "nan", "result.distance at tick 10 is no finite number"},
		{"nanrow", "nan", "where.half at tick 5 is no finite number"},
		{"exit", "crash", "its process died at each of 2 attempts: exit status 9"},
		{"goroutine", "crash", "its process died at each of 2 attempts: exit status 2: panic: not caught"},
		{"kill", "crash", "its process died at each of 2 attempts: "},
		{"memory", "crash", "its process died at each of 2 attempts: exit status 2"},
		{"raw", "crash", "its process died at each of 2 attempts: what it wrote is no record: does the model write to a copy of os.Stdout?"},
		{"print", "ok", ""},
	}
	var traps []string
	for _, w := range want {
		traps = append(traps, w.trap)
	}
	_, said := must(t, "sweep", "-out", dir, "trap="+strings.Join(traps, ","), "-seeds", "2", "-attempts", "2", "-cores", "2")
	runs := csvTable(t, dir, "runs")
	if len(runs) != 2*len(want) {
		t.Fatalf("%d runs, want %d", len(runs), 2*len(want))
	}
	for i, row := range runs {
		w := want[i/2]
		if row["run"] != fmt.Sprint(i) || row["trap"] != w.trap || row["state"] != w.state || !strings.HasPrefix(row["why"], w.why) || w.why == "" && row["why"] != "" {
			t.Errorf("run %d: %v, want %v", i, row, w)
		}
		if (row["hash"] != "") != (w.state == "ok" || w.state == "nan") {
			t.Errorf("run %d: %s with hash %q", i, row["state"], row["hash"])
		}
		if w.state == "crash" && !strings.Contains(said, fmt.Sprintf("run %d: attempt 2 of 2 took its process with it", i)) {
			t.Errorf("nothing is said of run %d:\n%s", i, said)
		}
	}
	if results := csvTable(t, dir, "result"); len(results) != 8 {
		t.Errorf("%d results, want those of the 4 good runs and of the 4 with numbers that are not finite", len(results))
	}
}

// TestHang checks runs that hang. A run that stops when its context ends is late. A run that ignores
// its context is killed, and is late too. Neither is tried again. How soon a process reacts depends on
// the machine, so the test only checks that it was not killed.
//
// Conformance: 513, 514
func TestHang(t *testing.T) {
	const heeded, killed = "it took longer than 200ms", "it took more than twice its time"
	for _, trap := range []string{"hang", "deaf"} {
		dir := t.TempDir()
		must(t, "sweep", "-out", dir, "trap="+trap, "-limit", "200ms", "-cores", "1")
		runs := csvTable(t, dir, "runs")
		if len(runs) != 1 || runs[0]["state"] != "late" || !strings.HasPrefix(runs[0]["why"], killed) && (trap == "deaf" || runs[0]["why"] != heeded) {
			t.Errorf("%s: %v", trap, runs)
		}
		if log := read(t, dir+"/worker-0-of-1.log"); strings.Count(log, "\nB 0 ") != 1 {
			t.Errorf("%s was tried again:\n%s", trap, log)
		}
	}
	if _, said, code := walkProgram(t, "run", "trap=hang", "-limit", "200ms"); code != 1 || !strings.Contains(said, "late: "+heeded) {
		t.Errorf("run: exit %d, %s", code, said)
	}
}

// TestRefused checks that a study continues only with the build, the model and the design that began
// it.
//
// Conformance: 507, 508
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	must(t, "sweep", "-out", dir, "-plan", "pace=1,2")
	name := dir + "/study.json"
	text := read(t, name)
	for _, c := range []struct{ name, from, to, want string }{
		{"another build", `"program": "sha256:`, `"program": "sha256:00`, "was begun by another build of the program (sha256:00"},
		{"another model", `.walk"`, `.talk"`, "is a study of github.com/lanewise/lanewise/study.talk, this program has github.com/lanewise/lanewise/study.walk"},
		{"another format", `"format": 1`, `"format": 2`, "has format 2, this program knows 1"},
		{"no format", `{`, ``, "study.json: "},
		{"another parameter", `"param": "pace"`, `"param": "peace"`, "peace: the model has no such parameter: is it pace?"},
	} {
		write(t, name, strings.Replace(text, c.from, c.to, 1))
		for _, args := range [][]string{{"resume"}, {"sweep", "pace=1,2"}} {
			if c.name == "another parameter" && args[0] == "sweep" {
				continue
			}
			out, said, code := walkProgram(t, append(args, "-out", dir)...)
			if code != 1 || !strings.Contains(said, c.want) || out != "" {
				t.Errorf("%s: %s: exit %d, %s, want %s", c.name, args[0], code, said, c.want)
			}
			if c.name == "another build" && strings.Count(said, "sha256:") != 2 {
				t.Errorf("the digests of both builds are not named: %s", said)
			}
		}
	}
	write(t, name, text)
	_, said, code := walkProgram(t, "sweep", "-out", dir, "pace=1,2,3")
	if code != 1 || !strings.Contains(said, "holds a study with another design") {
		t.Errorf("another design: exit %d, %s", code, said)
	}
	if read(t, name) != text {
		t.Error("the study that was there has changed")
	}
	// Another build may continue the study if a flag allows it, and the output says so.
	write(t, name, strings.Replace(text, `"program": "sha256:`, `"program": "sha256:00`, 1))
	if _, said := must(t, "sweep", "-out", dir, "-any-build", "pace=1,2"); !strings.Contains(said, "-any-build: ") {
		t.Errorf("nothing is said of the other build: %s", said)
	}
	// The existing results can be read with any build.
	if rows := csvTable(t, dir, "result"); len(rows) != 2 {
		t.Errorf("%d rows", len(rows))
	}
}
