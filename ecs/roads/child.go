package roads

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/snapshot"
)

// childFlag makes a test the child of road child.
var childFlag = flag.String("roads.child", "", "the work of a child process, which roads.Test sets")

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

func nextCall(test string) int {
	calls.Lock()
	defer calls.Unlock()
	if calls.of == nil {
		calls.of = map[string]int{}
	}
	calls.of[test]++
	return calls.of[test]
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
	var pattern []string
	for _, part := range strings.Split(r.t.Name(), "/") {
		pattern = append(pattern, "^"+quoted(part)+"$")
	}
	c := exec.Command(binary, "-test.run="+strings.Join(pattern, "/"), "-test.count=1", "-test.timeout=5m", "-roads.child="+string(spec))
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("the child process: %w\n%s", err, out)
	}
	return nil
}

// quoted returns a pattern that matches a text.
func quoted(text string) string {
	var b strings.Builder
	for _, c := range text {
		if strings.ContainsRune(`\.+*?()|[]{}^$`, c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
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
	if e.Test != t.Name() || e.Call != nextCall(t.Name()) {
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
