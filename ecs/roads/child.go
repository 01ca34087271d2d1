package roads

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/snapshot"
)

// childFlag makes a test the child of road child.
var childFlag = flag.String("roads.child", "", "the work of a child process, which roads.Test sets")

// execVariable is an environment variable with the program that runs child processes, as go test -exec has one for tests.
const execVariable = "LANEWISE_EXEC"

// errand is the work of a child process.
type errand struct {
	Test     string
	Call     int // the number of the call of Test in the test
	From, To string
	Ticks    int
	Workers  int
}

// calls counts the calls of Test in each test, so that a child finds the call of its parent.
var calls struct {
	sync.Mutex
	of map[string]int
}

func nextCall(t testing.TB) int {
	calls.Lock()
	defer calls.Unlock()
	if calls.of == nil {
		calls.of = map[string]int{}
	}
	calls.of[t.Name()]++
	if calls.of[t.Name()] == 1 { // the test can run again in this process, with -count=2 or -cpu=1,2
		t.Cleanup(func() {
			calls.Lock()
			defer calls.Unlock()
			delete(calls.of, t.Name())
		})
	}
	return calls.of[t.Name()]
}

// setFlags returns the flags that are needed to create the world of this process: all flags of the
// command line except those of package testing and of this package. It keeps -test.short.
func setFlags() (list []string) {
	flag.Visit(func(f *flag.Flag) {
		if f.Name == "test.short" || !strings.HasPrefix(f.Name, "test.") && !strings.HasPrefix(f.Name, "roads.") {
			list = append(list, "-"+f.Name+"="+f.Value.String())
		}
	})
	return list
}

// testPattern returns the pattern of -run that matches only the test with a name.
func testPattern(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// child advances the world in a file by some ticks in another process, which writes it to a file.
func (r *runner) child(t *Trip, from, to string, ticks int) error {
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	spec, err := json.Marshal(errand{r.t.Name(), r.call, from, to, ticks, drawnWorkers[t.Rand.IntN(len(drawnWorkers))]})
	if err != nil {
		return err
	}
	args := append([]string{"-test.run=" + testPattern(r.t.Name()), "-test.count=1", "-test.timeout=5m", "-roads.child=" + string(spec)}, setFlags()...)
	words := append(append(strings.Fields(os.Getenv(execVariable)), binary), args...)
	out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return fmt.Errorf("the child process does not start: %w: if go test -exec runs the test itself, set %s to that program, for example %[2]s=qemu-aarch64-static", err, execVariable)
	}
	if err != nil {
		return fmt.Errorf("the child process: %w\n%s", err, out)
	}
	if _, err := os.Stat(to); err != nil {
		return fmt.Errorf("the child process did not reach call %d of Test in %s: let it make the same calls of Test as its parent; it has said:\n%s", r.call, r.t.Name(), out)
	}
	return nil
}

// childMain does the errand of a child process, and reports whether this process is one.
func childMain(t testing.TB, s *Subject) bool {
	if *childFlag == "" {
		return false
	}
	t.Helper()
	var e errand
	if err := json.Unmarshal([]byte(*childFlag), &e); err != nil {
		t.Fatalf("roads: Test: -roads.child: %v", err)
	}
	if e.Test != t.Name() || e.Call != nextCall(t) {
		return true
	}
	if err := e.do(s); err != nil {
		t.Fatalf("roads: Test: %v", err)
	}
	t.Skip("the child of road child has done its work, and the rest of the test is for the parent")
	return true
}

// do loads the world, advances it and saves it.
func (e *errand) do(s *Subject) (err error) {
	trip, err := newTrip(s, e.Workers, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, trip.close()) }()
	if err := snapshot.Load(trip.World, e.From, s.Snapshot...); err != nil {
		return err
	}
	if err := trip.Tick(e.Ticks); err != nil {
		return err
	}
	m, err := ecs.Capture(trip.World, nil)
	if err != nil {
		return err
	}
	return snapshot.Save(e.To, m, s.Snapshot...)
}
