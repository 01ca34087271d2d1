package study

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// walkProgram runs the program of walk and returns its output and exit code.
func walkProgram(t *testing.T, args ...string) (out, errOut string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	c := walkCommand(t, args...)
	c.Stdout, c.Stderr = &o, &e
	err := c.Run()
	if err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return o.String(), e.String(), c.ProcessState.ExitCode()
}

// walkCommand returns the command for the program of walk, not yet started.
func walkCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	if !startable() {
		t.Skip("starts the test program anew, which cannot be done here")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(exe, args...)
	c.Env = append(os.Environ(), "LANEWISE_STUDY_TEST=walk")
	return c
}

// must runs the program, and fails the test if the program fails.
func must(t *testing.T, args ...string) (out, errOut string) {
	t.Helper()
	out, errOut, code := walkProgram(t, args...)
	if code != 0 {
		t.Fatalf("%s: exit %d\n%s%s", strings.Join(args, " "), code, out, errOut)
	}
	return out, errOut
}

// TestSweep runs a study from a command line to its tables. A second run of the command must do
// nothing.
//
// Conformance: 506
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	must(t, "sweep", "-out", dir, "pace=0.1:0.4:0.1", "-seeds", "3", "-cores", "2")
	result, _ := must(t, "table", "-out", dir)
	if lines := strings.Split(result, "\n"); len(lines) != 14 || !strings.HasPrefix(lines[0], "run,seed,state,hash,people,pace,") || !strings.HasPrefix(lines[12], "11,") {
		t.Errorf("the table is\n%s", result)
	}
	log, err := os.ReadFile(dir + "/worker-0-of-1.log")
	if err != nil {
		t.Fatal(err)
	}
	_, said := must(t, "resume", "-out", dir)
	if again, err := os.ReadFile(dir + "/worker-0-of-1.log"); err != nil || !bytes.Equal(log, again) || !strings.Contains(said, "all 12 runs have ended") {
		t.Errorf("resume of a finished study: %v, %s", err, said)
	}
}

// TestShortSteps checks that a sweep names an axis whose steps do not reach its end, and no other axis.
func TestShortSteps(t *testing.T) {
	dir := t.TempDir()
	_, said := must(t, "sweep", "-plan", "-out", dir+"/short", "pace=0:0.4:0.15", "people=1:3:1")
	if want := "note: pace=0:0.4:0.15 ends at 0.30: the next step is past 0.4\n"; strings.Count(said, "note: ") != 1 || !strings.Contains(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
}

// TestTableFormats checks that no combination of the flags of table ignores one of them.
func TestTableFormats(t *testing.T) {
	dir := t.TempDir()
	must(t, "sweep", "-out", dir, "pace=0.1,0.2", "-seeds", "2", "-cores", "2", "ticks=3")
	text, _ := must(t, "table", "-out", dir, "-summary")
	for _, c := range []struct{ args, want string }{
		{"-summary -format summary", strings.SplitAfter(text, "\n")[0]},
		{"-format summary", strings.SplitAfter(text, "\n")[0]},
		{"-summary -format csv", "people,pace,ticks,sleep,trap,n,tick_mean,tick_error,tick_n,distance_mean,distance_error,distance_n,"},
		{"-summary -format jsonl", `{"people":20,"pace":0.1,"ticks":3,"sleep":0,"trap":"none","n":2,"tick_mean":3,"tick_error":0,"tick_n":2,`},
		{"where -summary -format csv", "people,pace,ticks,sleep,trap,tick,n,mean_mean,"},
	} {
		if got, _ := must(t, append([]string{"table", "-out", dir}, strings.Fields(c.args)...)...); !strings.HasPrefix(got, c.want) {
			t.Errorf("table %s: %q, want %q", c.args, got, c.want)
		}
	}
	if got, _ := must(t, "run", "-format", "csv", "ticks=3"); !strings.HasPrefix(got, "tick,distance,ticks\n3,") {
		t.Errorf("run -format csv: %q", got)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
