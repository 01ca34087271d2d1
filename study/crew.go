package study

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/study/internal/journal"
)

// A Crew does runs in child processes, several at a time. So a run that ends
// its process does not affect other runs. For example, a run may call os.Exit, run out of memory,
// or cause a fatal error that recover cannot catch. Several goroutines may call the methods of a
// Crew at the same time.
type Crew struct {
	study      *Study
	orders     []byte
	freePosts  chan *processSlot // posts without a run
	aheadPosts chan *processSlot // posts with a short run, after which another may be ordered
	options    CrewOptions
	errOut     io.Writer // the standard error of all processes
}

// A sharedWriter passes on the output of several goroutines.
type sharedWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *sharedWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(b)
}

// CrewOptions are the settings of a crew.
type CrewOptions struct {
	Processes int           // number of processes; 0: one for each core
	Workers   int           // of the pool in each process; 0: one
	Attempts  int           // how often a run that ends its process is tried; 0: three times
	Save      time.Duration // how often a long run is saved, if the study has a directory; 0: never
	// Do calls OnAttemptBegan before each attempt, and OnAttemptFailed after each attempt that
	// ended its process. Both functions run on the goroutine that called Do.
	OnAttemptBegan  func(run, attempt int) error
	OnAttemptFailed func(run, attempt int, why string) error
}

// Crew starts a crew for a study that was opened or adopted. Close it when it
// is no longer needed.
func (s *Study) Crew(o CrewOptions) (*Crew, error) {
	if o.Processes == 0 {
		o.Processes = runtime.GOMAXPROCS(0)
	}
	o.Workers, o.Attempts = max(o.Workers, 1), max(o.Attempts, 0)
	if o.Attempts == 0 {
		o.Attempts = 3
	}
	if s.id == "" {
		return nil, errors.New("study: Crew: the study is not open: Open or Adopt comes first")
	}
	if _, err := executable(); err != nil {
		return nil, err
	}
	b, err := json.Marshal(orders{Manifest: s.bytes, Workers: o.Workers, Dir: s.dir, Every: o.Save})
	if err != nil {
		return nil, err
	}
	c := &Crew{study: s, orders: append(b, '\n'), freePosts: make(chan *processSlot, o.Processes), aheadPosts: make(chan *processSlot, o.Processes), options: o, errOut: &sharedWriter{to: s.errOut}}
	for range o.Processes {
		c.freePosts <- &processSlot{crew: c, handover: make(chan struct{}, 1)}
	}
	return c, nil
}

// startAll starts all processes, so that the measured time of the first runs does
// not include the start of a process.
func (c *Crew) startAll() error {
	var all sync.WaitGroup
	errs := make([]error, cap(c.freePosts))
	for i := range errs {
		at := <-c.freePosts
		all.Go(func() { _, errs[i] = at.start() })
		defer at.leave()
	}
	all.Wait()
	return errors.Join(errs...)
}

// Close ends the processes. It must not be called while a call of Do runs.
func (c *Crew) Close() {
	var all sync.WaitGroup
	for range cap(c.freePosts) {
		if at := <-c.freePosts; at.child != nil {
			all.Go(at.child.end)
		}
	}
	all.Wait()
}

// Do does a run and returns its record. Do waits until a process is free. If ctx ends first, or if
// no process can be started, Do returns an error.
func (c *Crew) Do(ctx context.Context, run int) ([]byte, error) { return c.do(ctx, run, 0) }

// do does a run after some attempts at this run have failed.
func (c *Crew) do(ctx context.Context, run, failed int) ([]byte, error) {
	start, why := time.Now(), "earlier attempts"
	if failed >= c.options.Attempts {
		return c.lostRecord(run, Crash, fmt.Sprintf(everyAttempt, c.options.Attempts, why), start)
	}
	at, ordered, err := c.take(ctx, run)
	if err != nil {
		return nil, err
	}
	defer at.leave()
	defer func() { at.drop(ordered) }()
	start = time.Now()
	for attempt := failed + 1; attempt <= c.options.Attempts; attempt++ {
		if ctx.Err() != nil {
			return nil, errStopped
		}
		ch, err := at.start()
		if err != nil {
			return nil, err
		}
		if c.options.OnAttemptBegan != nil {
			if err := c.options.OnAttemptBegan(run, attempt); err != nil {
				return nil, err
			}
		}
		record, died := at.do(ctx, run, ordered == ch)
		ordered = nil
		switch {
		case died == nil:
			return record.Bytes, nil
		case ctx.Err() != nil:
			return nil, errStopped
		case errors.Is(died, errHung):
			return c.lostRecord(run, Late, died.Error(), start)
		case errors.Is(died, errNoStart):
			return nil, died
		}
		why = died.Error()
		if c.options.OnAttemptFailed != nil {
			if err := c.options.OnAttemptFailed(run, attempt, why); err != nil {
				return nil, err
			}
		}
	}
	return c.lostRecord(run, Crash, fmt.Sprintf(everyAttempt, c.options.Attempts, why), start)
}

// everyAttempt is the reason that is recorded for a run if every attempt at the run ended its process.
const everyAttempt = "its process died at each of %d attempts: %s"

// lostRecord returns the record of a run whose processes all died.
func (c *Crew) lostRecord(run int, state State, why string, start time.Time) ([]byte, error) {
	_, seed := c.study.manifest.Design.At(nil, run)
	o := &outcome{run: run, state: state, header: header{Seed: seed, Why: why, Ms: float64(time.Since(start).Microseconds()) / 1000}}
	return o.record()
}

// child is a process that does runs for this process.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	errors *stderrTail
	pipe   *os.File
	exited chan struct{} // closed when the process has ended
	err    error         // how the process ended; valid once gone is closed
}

var (
	// errHung is the error of a run whose process was killed because the run took too long.
	errHung = errors.New("it took more than twice its time and did not heed its context: its process was killed")
	// errNoStart is returned if a process ends before it is ready.
	errNoStart = errors.New("study: a process for runs does not start")
)

// start starts a process.
func (c *Crew) start() (*child, error) {
	exe, err := executable()
	if err != nil {
		return nil, err
	}
	ch := &child{cmd: exec.Command(exe, childCommand), errors: &stderrTail{to: c.errOut}, exited: make(chan struct{})}
	ch.cmd.Stderr, ch.cmd.WaitDelay = ch.errors, childExitTimeout
	if ch.in, err = ch.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ch.cmd.Stdout = in
	err = ch.cmd.Start()
	_ = in.Close()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", errNoStart, err), out.Close())
	}
	ch.pipe, ch.out = out, bufio.NewReaderSize(out, 1<<16)
	go func() {
		ch.err = ch.cmd.Wait()
		close(ch.exited)
	}()
	if _, err = ch.in.Write(c.orders); err == nil {
		err = ch.readGreeting()
	}
	if err != nil {
		ch.kill()
		return nil, fmt.Errorf("%w: %s", errNoStart, ch.reason())
	}
	return ch, nil
}

// readGreeting reads the output of the process up to the line childGreeting. It passes on the
// earlier lines, which the program printed before it called Main.
func (ch *child) readGreeting() error {
	for {
		line, err := ch.out.ReadString('\n')
		if strings.HasSuffix(line, childGreeting) {
			_, _ = ch.errors.Write([]byte(strings.TrimSuffix(line, childGreeting)))
			return nil
		}
		_, _ = ch.errors.Write([]byte(line))
		if err != nil {
			return err
		}
	}
}

// do waits for the record of a run that was ordered earlier. If the process dies first, the error
// says how it died.
func (ch *child) do(ctx context.Context, run int, limit time.Duration) (Record, error) {
	var hung atomic.Bool // set by the timer; read after the kill has ended the process
	if limit > 0 {
		late := time.AfterFunc(2*limit, func() {
			hung.Store(true)
			_ = ch.cmd.Process.Kill()
		})
		defer late.Stop()
	}
	stop := context.AfterFunc(ctx, func() {
		_ = ch.in.Close()
		time.AfterFunc(childExitTimeout, func() { _ = ch.cmd.Process.Kill() })
	})
	defer stop()
	record, err := ch.answer(run)
	if err == nil {
		return record, nil
	}
	ch.kill()
	if hung.Load() {
		return Record{}, errHung
	}
	if errors.Is(err, ErrRecord) {
		return Record{}, fmt.Errorf("what it wrote is no record: does the model write to a copy of os.Stdout? (%s)", ch.reason())
	}
	return Record{}, errors.New(ch.reason())
}

// order sends a run to the process, which does it after the runs that were ordered before. It
// ignores write errors: if the process has died, reading the record returns the error.
func (ch *child) order(run int) { _, _ = fmt.Fprintf(ch.in, "run %d\n", run) }

// answer reads the record of a run.
func (ch *child) answer(run int) (Record, error) {
	line, err := ch.out.ReadSlice('\n')
	if err != nil {
		if len(line) > 0 {
			err = ErrRecord
		}
		return Record{}, err
	}
	e, ok := journal.ParseLine(line)
	if !ok {
		return Record{}, ErrRecord
	}
	b := make([]byte, e.Size())
	n := copy(b, line)
	if _, err := io.ReadFull(ch.out, b[n:]); err != nil {
		return Record{}, err
	}
	r, err := ParseRecord(b)
	if err == nil && r.Run != run {
		err = ErrRecord
	}
	return r, err
}

// end closes the input of the process, and kills the process if it does not
// end.
func (ch *child) end() {
	_ = ch.in.Close()
	t := time.AfterFunc(childExitTimeout, func() { _ = ch.cmd.Process.Kill() })
	<-ch.exited
	t.Stop()
	_ = ch.pipe.Close()
}

// kill kills the process, unless it has ended.
func (ch *child) kill() {
	_ = ch.in.Close()
	// Wait a moment: a process that is about to end by itself gives a better reason than a process
	// that was killed.
	t := time.NewTimer(time.Second)
	defer t.Stop()
	select {
	case <-ch.exited:
	case <-t.C:
		_ = ch.cmd.Process.Kill()
		<-ch.exited
	}
	_ = ch.pipe.Close()
}
