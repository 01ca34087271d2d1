package study

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
)

// Guide is the program of the guide. It is a variable, because the program is in the other package of
// these tests.
var Guide func()

// TestMain turns the test binary into the program of a model if LANEWISE_STUDY_TEST is set, so that
// tests can start it as a process with children.
func TestMain(m *testing.M) {
	switch os.Getenv("LANEWISE_STUDY_TEST") {
	case "walk":
		Main[*walk]()
	case "other":
		Main[*other]()
	case "brittle":
		Main[*brittle]()
	case "drill":
		Main[*drill]()
	case "cloud":
		Guide()
	case "bare":
		bareMain()
	case "dead":
		os.Exit(7)
	}
	// With the race detector, a process waits a second before it exits, in case another thread has a
	// race to report. When these tests exit, no thread is left, and there are many processes, so the
	// wait is turned off.
	if err := os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	if err := flag.CommandLine.Parse(os.Args[1:]); err == nil && !startable() {
		// If no process can be started, leave out all examples, because an example cannot be skipped.
		_ = flag.Set("test.skip", "^Example")
	}
	os.Exit(m.Run())
}

// startable reports whether the test binary can be started again. For example, an emulator starts the
// binary itself, but the system cannot start it as a child.
var startable = sync.OnceValue(func() bool {
	exe, err := os.Executable()
	if err != nil {
		return false
	}
	c := exec.Command(exe, "params")
	c.Env = append(os.Environ(), "LANEWISE_STUDY_TEST=walk")
	return !errors.Is(c.Run(), syscall.ENOEXEC)
})

// walk is a model for tests of people who walk at random. A parameter makes it fail in various ways.
type walk struct {
	People int     `default:"20" range:"1..100000" help:"who walk"`
	Pace   float64 `default:"0.5" range:"0..10" unit:"m" help:"of a step"`
	Ticks  int     `default:"10" range:"0..1000000000"`
	Sleep  int     `default:"0" range:"0..100000" unit:"us" help:"in each tick"`
	Trap   string  `default:"none" choices:"none,error,panic,nan,nanrow,exit,kill,hang,deaf,memory,goroutine,goexit,print,raw,setup,uneven,crowd,pair"`

	walkers *ecs.Query
}

// other is a second model.
type other struct{ walk }

// spot is the position of a person.
type spot struct{ X, Y float64 }

// Where is a row of the table named where.
type Where struct {
	Mean float64 `unit:"m"`
	Who  string
	Far  bool
	Half float32
}

// Walked is the result of a walk.
type Walked struct {
	Distance float64 `unit:"m" help:"from the beginning, in the mean"`
	Ticks    int
}

func (m *walk) Setup(r *Run) (*ecs.World, error) {
	if m.Trap == "setup" {
		return nil, errors.New("there is no ground")
	}
	people := m.People
	if m.Trap == "pair" && r.Pool().Workers() > 1 {
		return nil, errors.New("there is room for one")
	}
	if m.Trap == "crowd" { // depends on the number of workers in the world
		people += r.Pool().Workers()
	}
	w := ecs.NewWorld("walk", ecs.OnPool(r.Pool()))
	m.walkers = w.Query(ecs.Write[spot]())
	w.Create(w.Archetype(ecs.With[spot]()), people)
	return w, nil
}

func (m *walk) Step(r *Run) (bool, error) {
	if r.Tick >= m.Ticks {
		return false, nil
	}
	if r.Tick == 5 {
		if err := m.fall(r); err != nil {
			return false, err
		}
	}
	if m.Sleep > 0 {
		time.Sleep(time.Duration(m.Sleep) * time.Microsecond)
	}
	sum, n := 0.0, 0
	for c := range m.walkers.Chunks() {
		for _, e := range c.Entities() {
			p, err := ecs.Get[spot](r.World, e)
			if err != nil {
				return false, err
			}
			p.X += float64(m.Pace * (r.Unit(uint64(n), 1) - 0.5))
			p.Y += float64(m.Pace * (r.Unit(uint64(n), 2) - 0.5))
			if err := ecs.Set(r.World, e, p); err != nil {
				return false, err
			}
			sum += math.Abs(p.X) + math.Abs(p.Y)
			n++
		}
	}
	row := Where{Mean: sum / float64(n), Who: fmt.Sprintf("%d, \"walkers\"", n), Far: sum > 10, Half: float32(sum / 2)}
	if m.Trap == "nanrow" && r.Tick == 5 {
		row.Half = float32(math.NaN())
	}
	Emit(r, row)
	return r.Tick+1 < m.Ticks, nil
}

// starve uses up the available memory on systems where a test can limit it.
var starve = func() { os.Exit(2) }

// fall fails in the way that a parameter chooses.
func (m *walk) fall(r *Run) error {
	switch m.Trap {
	case "error":
		return errors.New("the way is closed")
	case "panic":
		panic("the ground is on fire")
	case "exit":
		os.Exit(9)
	case "kill":
		p, _ := os.FindProcess(os.Getpid())
		_ = p.Kill()
		select {}
	case "hang":
		<-r.Context().Done()
		return r.Context().Err()
	case "deaf":
		select {}
	case "memory":
		starve()
	case "goroutine":
		done := make(chan bool)
		go func() {
			defer close(done)
			panic("not caught")
		}()
		<-done
		select {}
	case "goexit":
		runtime.Goexit()
	case "raw": // writes to the first os.Stdout, because os.Stdout has been replaced
		_, _ = os.NewFile(1, "stdout").WriteString("17 %\n")
	case "print":
		fmt.Println("R 0 ok 0000000000000000 00000000 0 00000000")
	}
	return nil
}

func (m *walk) Result(r *Run) Walked {
	d := 0.0
	for c := range m.walkers.Chunks() {
		for _, e := range c.Entities() {
			p, _ := ecs.Get[spot](r.World, e)
			d += math.Abs(p.X) + math.Abs(p.Y)
		}
	}
	switch m.Trap {
	case "uneven": // depends on the number of workers
		d += float64(r.Pool().Workers())
	case "nan":
		d = math.NaN()
	}
	return Walked{Distance: d / float64(m.People), Ticks: r.Tick}
}

// Save writes the places.
func (m *walk) Save(r *Run, w io.Writer) error {
	for c := range m.walkers.Chunks() {
		for _, e := range c.Entities() {
			p, err := ecs.Get[spot](r.World, e)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintln(w, p.X, p.Y); err != nil {
				return err
			}
		}
	}
	return nil
}

// Load reads them.
func (m *walk) Load(r *Run, from io.Reader) (*ecs.World, error) {
	w, err := m.Setup(r)
	if err != nil {
		return nil, err
	}
	for c := range m.walkers.Chunks() {
		for _, e := range c.Entities() {
			var p spot
			if _, err := fmt.Fscanln(from, &p.X, &p.Y); err != nil {
				return w, err
			}
			if err := ecs.Set(w, e, p); err != nil {
				return w, err
			}
		}
	}
	return w, nil
}
