package study

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/lanewise/lanewise/jobs"
)

// A child is a process that does runs, one after another, for its parent. Only
// the parent writes logs. The parent writes lines to the child's standard
// input:
//
//	{"manifest":…}   the parameters of the study: the first line, once
//	run 17           do run 17
//
// The child writes a record for each run to its standard output, after a line
// that marks the first. When its input ends, the child ends. The input also ends when the parent
// dies for any reason, because the system then closes the pipe. The child sends the output of the
// model to standard error.

// childCommand is the command that starts a child process. The usage text does not list it.
const childCommand = "child"

// childGreeting is the line that a child writes before its first record.
const childGreeting = "lanewise-study-child-1\n"

// runSeparator is the byte on standard error that separates the messages of runs.
// The parent needs the separator, because it may still be reading the record of the previous run.
const runSeparator = 0

// orders holds the settings that a parent sends to a child.
type orders struct {
	Manifest []byte        `json:"manifest"`
	AnyBuild bool          `json:"anyBuild,omitempty"`
	Workers  int           `json:"workers"`         // of the child's pool
	Dir      string        `json:"dir,omitempty"`   // for saved runs
	Every    time.Duration `json:"every,omitempty"` // how often a run is saved; 0: never
}

// childExitTimeout is the longest time that the parent waits for a child to exit without being killed.
const childExitTimeout = 10 * time.Second

// child does the runs that the parent orders. If a model does not return, child calls exit to end
// the process at once.
func (p *program) child(in io.Reader, out *os.File, exit func(int)) error {
	// Ignore Ctrl-C, because the parent handles it and then closes our input.
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	os.Stdout = os.Stderr
	if _, err := io.WriteString(out, childGreeting); err != nil {
		return err
	}
	lines := bufio.NewReaderSize(in, 1<<16)
	first, err := lines.ReadBytes('\n')
	if err != nil {
		return nil // the parent has ended
	}
	var o orders
	if err := json.Unmarshal(first, &o); err != nil {
		return fmt.Errorf("study: orders: %w", err)
	}
	s := &Study{program: p, errOut: io.Discard, inChild: true}
	if err := s.Adopt(o.Manifest); err != nil {
		return err
	}
	runtime.GOMAXPROCS(o.Workers)
	pool := jobs.New(jobs.Workers(o.Workers))
	defer pool.Close()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	asked := make(chan int)
	go func() {
		defer close(asked)
		for {
			line, err := lines.ReadString('\n')
			run, bad := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(line, "run "), "\n"))
			if err != nil || bad != nil {
				stop()
				time.AfterFunc(childExitTimeout, func() { exit(1) })
				return
			}
			asked <- run
		}
	}()
	l := &childLoop{ordered: asked, out: out, ended: make(chan error), seed: func(run int) uint64 {
		_, seed := s.manifest.Design.At(nil, run)
		return seed
	}, do: func(run int) (*outcome, error) {
		_, _ = os.Stderr.Write([]byte{runSeparator})
		return s.do(ctx, run, pool, o)
	}}
	go l.loop()
	return <-l.ended
}

// childLoop does the ordered runs on a separate goroutine, because a model may
// call runtime.Goexit.
type childLoop struct {
	ordered <-chan int
	out     io.Writer
	seed    func(run int) uint64
	do      func(run int) (*outcome, error)
	ended   chan error
}

func (l *childLoop) loop() {
	under := -1 // the run in progress
	defer func() {
		if under < 0 {
			return
		}
		if err := l.write(&outcome{run: under, state: Panic, header: header{Seed: l.seed(under), Why: "the model ended its goroutine (runtime.Goexit)"}}); err != nil {
			l.ended <- err
			return
		}
		l.ended <- nil
	}()
	var err error
	for run := range l.ordered {
		under = run
		var o *outcome
		o, err = l.do(run)
		under = -1
		if errors.Is(err, errStopped) {
			err = nil
			break
		}
		if err = l.write(o); err != nil || endsProcess(o.state) {
			break
		}
	}
	l.ended <- err
}

// endsProcess reports whether the process must do no further run after a run that ended in this
// state. The model may have left goroutines or memory.
func endsProcess(s State) bool { return s == Panic || s == Late }

func (l *childLoop) write(o *outcome) error {
	record, err := o.record()
	if err == nil {
		_, err = l.out.Write(record)
	}
	return err
}

// do does a run in this process.
func (s *Study) do(ctx context.Context, run int, pool *jobs.Pool, o orders) (*outcome, error) {
	t := task{run: run, limit: s.manifest.Limit}
	t.values, t.seed = s.manifest.Design.At(nil, run)
	if s.program.saves && o.Dir != "" && o.Every > 0 {
		t.keep = newKeeper(o.Dir, s.id, run, o.Every)
	}
	return s.program.execute(ctx, t, pool)
}
