//go:build unix

package study

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var kills = flag.Int("study.kills", 4, "how often the kill tests kill")

// size returns the length of a worker's log in bytes.
func size(dir, worker string) int64 {
	info, err := os.Stat(dir + "/worker-" + worker + ".log")
	if err != nil {
		return 0
	}
	return info.Size()
}

// waitUntil waits for a condition, or for a process to end.
func waitUntil(t *testing.T, p *started, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !condition(); time.Sleep(time.Millisecond) {
		select {
		case <-p.ended:
			return
		default:
		}
		if time.Now().After(end) {
			t.Fatalf("it took two minutes, and not yet: %s\n%s", what, p.said.String())
		}
	}
}

// started is a running program.
type started struct {
	*exec.Cmd
	said  bytes.Buffer
	ended chan struct{}
}

func start(t *testing.T, args ...string) *started {
	t.Helper()
	p := &started{Cmd: walkCommand(t, args...), ended: make(chan struct{})}
	p.Stderr = &p.said
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		_ = p.Process.Kill()
		<-p.ended
	})
	return p
}

// tables returns all tables of a study that do not depend on time.
func tables(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range []string{"result", "where", "runs"} {
		out, _ := must(t, "table", "-out", dir, "-format", "jsonl", name)
		all.WriteString(out)
	}
	return all.String()
}

// TestKill kills a study again and again at random moments. The study must end with the
// tables of an undisturbed study. Its long runs continue from their saved states.
//
// Conformance: 501
func TestKill(t *testing.T) {
	sweep := []string{"sweep", "trap=none,error,nanrow", "pace=0.1:0.3:0.1", "-seeds", strconv.Itoa(3 + *kills/5), "ticks=20", "sleep=100", "-cores", "2", "-checkpoint", "1ns"}
	quiet, torn := t.TempDir(), t.TempDir()
	must(t, append(sweep, "-out", quiet)...)
	want := tables(t, quiet)
	must(t, append(sweep, "-out", torn, "-plan")...)
	resume := []string{"resume", "-out", torn, "-cores", "2", "-checkpoint", "1ns"}
	whole := size(quiet, "0-of-1")
	killed := 0
	for range *kills {
		p := start(t, resume...)
		from := size(torn, "0-of-1")
		to := from + rand.Int64N(max(whole/int64(*kills), 1))
		waitUntil(t, p, "entries in the log", func() bool { return size(torn, "0-of-1") > to })
		_ = p.Process.Kill()
		<-p.ended
		if s, ok := p.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
			killed++ // the study did not end by itself
		}
	}
	must(t, resume...)
	if got := tables(t, torn); got != want {
		t.Errorf("after %d kills the tables are\n%s\nwant\n%s", killed, got, want)
	}
	if left, _ := filepath.Glob(torn + "/run-*"); len(left) > 0 {
		t.Errorf("of runs that have ended %v is left", left)
	}
	t.Logf("killed %d times of %d", killed, *kills)
}

// TestKillLong checks that a killed run continues from its saved state.
func TestKillLong(t *testing.T) {
	dir := t.TempDir()
	args := []string{"sweep", "-out", dir, "ticks=200", "sleep=1000", "-checkpoint", "1ns", "-cores", "1"}
	p := start(t, args...)
	waitUntil(t, p, "a run that is saved", func() bool { return size(dir, "0-of-1") > 0 && tickOf(dir) > 3 })
	_ = p.Process.Kill()
	<-p.ended
	if tick := tickOf(dir); tick <= 3 {
		t.Fatalf("the run is saved at tick %d", tick)
	}
	must(t, args...)
	if _, err := os.Stat(dir + "/run-0.save"); err == nil {
		t.Error("what was saved is left")
	}
	whole := t.TempDir()
	must(t, "sweep", "-out", whole, "ticks=200", "-cores", "1")
	got, want := csvTable(t, dir, "where"), csvTable(t, whole, "where")
	if len(got) != 200 || len(want) != 200 {
		t.Fatalf("%d and %d rows, want 200", len(got), len(want))
	}
	for i := range got {
		if got[i]["hash"] != want[i]["hash"] || got[i]["mean"] != want[i]["mean"] || got[i]["tick"] != want[i]["tick"] {
			t.Fatalf("row %d: %v, undisturbed %v", i, got[i], want[i])
		}
	}
}

// TestKillExamples runs the examples as studies whose long runs are saved. It kills the process of a
// run, or the process that watches it. The run must then continue from the saved state. If that state
// is damaged, the study must say so and restart the run. The tables and hashes must be the same as
// those of an undisturbed study.
func TestKillExamples(t *testing.T) {
	if !startable() {
		t.Skip("starts the test program anew, which cannot be done here")
	}
	if testing.Short() {
		t.Skip("builds the examples")
	}
	for _, c := range []struct{ name, settings, table string }{ // with ticks of a millisecond, because finding a child takes many ticks
		{"epidemic", "side=96 beta=0.3 gamma=0.001 days=500", "day"},
		{"flock", "birds=700 ticks=500", "order"},
	} {
		t.Run(c.name, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), c.name)
			if out, err := exec.Command("go", "build", "-o", program, "../examples/"+c.name).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			study := func(dir string, args ...string) *started {
				p := &started{Cmd: exec.Command(program, append(args, "-out", dir, "-cores", "1", "-checkpoint", "1ns")...), ended: make(chan struct{})}
				p.Stderr = &p.said
				if err := p.Start(); err != nil {
					t.Fatal(err)
				}
				go func() {
					_ = p.Wait()
					close(p.ended)
				}()
				return p
			}
			all := func(dir string) (text string) {
				for _, name := range []string{"result", "runs", c.table} {
					out, err := exec.Command(program, "table", "-out", dir, name).Output()
					if err != nil || len(out) == 0 {
						t.Fatal(name, err)
					}
					text += string(out)
				}
				return text
			}
			quiet, torn := t.TempDir(), t.TempDir()
			sweep := append([]string{"sweep"}, strings.Fields(c.settings)...)
			<-study(quiet, sweep...).ended
			p, at := study(torn, sweep...), 0
			save := saveName(torn, 0)
			for kill := range 4 {
				// A process without its parent may save a few more ticks. Progress of the run
				// therefore does not prove that the new process already has a child.
				victim, child := p.Process.Pid, 0
				waitUntil(t, p, "ticks of a run that is saved", func() bool {
					if tickOf(torn) > at+10 {
						child = childOf(p.Process.Pid)
					}
					return child != 0
				})
				if child == 0 {
					t.Fatalf("kill %d: saved at tick %d, it has ended: %s", kill, tickOf(torn), p.said.String())
				}
				if kill%2 == 1 {
					victim = child
				}
				if err := syscall.Kill(victim, syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
				if kill%2 == 1 {
					waitUntil(t, p, "a second attempt", func() bool { return strings.Contains(read(t, torn+"/worker-0-of-1.log"), "\nF ") })
					_ = p.Process.Kill()
				}
				<-p.ended
				at = tickOf(torn)
				if at == 0 || strings.Contains(p.said.String(), "anew") {
					t.Fatalf("kill %d: saved at tick %d, and it says %s", kill, at, p.said.String())
				}
				if kill == 3 {
					time.Sleep(300 * time.Millisecond) // a process that has lost its parent ends within a tick
					b := []byte(read(t, save))
					b[len(b)/2] ^= 1
					if err := os.WriteFile(save, b, 0o666); err != nil {
						t.Fatal(err)
					}
				}
				p = study(torn, "resume")
			}
			<-p.ended
			if !strings.Contains(p.said.String(), "run 0 begins anew: run-0.save is damaged") {
				t.Errorf("what was saved is damaged, and it says %s", p.said.String())
			}
			if got, want := all(torn), all(quiet); got != want {
				t.Errorf("the tables are\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// childOf finds the process that does runs for another process. It returns 0 if there is none yet.
func childOf(parent int) int {
	out, _ := exec.Command("pgrep", "-P", strconv.Itoa(parent)).Output() // pgrep fails if it finds none
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		return 0
	}
	return pid
}

// tickOf returns the tick at which run 0 was saved, or 0.
func tickOf(dir string) int {
	k := newKeeper(dir, "", 0, 0)
	b, err := k.read()
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(b, []byte(`"tick":`))
	n := 0
	for _, c := range rest {
		if c < '0' || c > '9' {
			break
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// TestInterrupt checks two cases. A second process under the same name is refused with the name of the
// file. Ctrl-C ends a study between two records with exit code 1, and resume does the remaining runs.
//
// Conformance: 504, 515
func TestInterrupt(t *testing.T) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		dir := t.TempDir()
		p := start(t, "sweep", "-out", dir, "-seeds", "3", "ticks=1000000", "sleep=1000", "-cores", "2", "-checkpoint", "1ns")
		waitUntil(t, p, "two runs", func() bool {
			b, _ := os.ReadFile(dir + "/worker-0-of-1.log")
			saved, _ := filepath.Glob(dir + "/run-*.save")
			return bytes.Count(b, []byte("\nB ")) == 2 && len(saved) == 2
		})
		_, said, code := walkProgram(t, "resume", "-out", dir)
		if code != 1 || !strings.Contains(said, dir+"/worker-0-of-1.log: another process works under this name") {
			t.Errorf("a second process: exit %d, %s", code, said)
		}
		if err := p.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		<-p.ended
		if code := p.ProcessState.ExitCode(); code != 1 || !strings.Contains(p.said.String(), "stopped: resume -out "+dir) {
			t.Errorf("%v: exit %d, %s", s, code, p.said.String())
		}
		if text := read(t, dir+"/worker-0-of-1.log"); strings.Contains(text, "\nR ") || !strings.HasSuffix(text, "\n") {
			t.Errorf("%v: the log is %q", s, text)
		}
	}
}

// TestClosedPipe checks that a table written to a pipe that closes early ends its program by SIGPIPE,
// without a message.
//
// Conformance: 550
func TestClosedPipe(t *testing.T) {
	dir := t.TempDir()
	must(t, "sweep", "-out", dir, "ticks=5000", "people=1", "-cores", "1")
	c := walkCommand(t, "table", "-out", dir, "where")
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = out.Read(make([]byte, 10))
	_ = out.Close()
	_ = c.Wait()
	if s, ok := c.ProcessState.Sys().(syscall.WaitStatus); !ok || !s.Signaled() || s.Signal() != syscall.SIGPIPE || said.Len() > 0 {
		t.Errorf("it ended with %v, and said %q", c.ProcessState, said.String())
	}
}
