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

// A Crew does runs in processes of its own, several at a time: a run that takes its
// process along, by os.Exit, for want of memory or in a way that no recover can
// catch, costs nothing but itself. Its methods may be called by several goroutines.
type Crew struct {
	study   *Study
	orders  []byte
	free    chan *post // where no run is under way
	ahead   chan *post // where a short one is, and another may be ordered
	options CrewOptions
}

// CrewOptions say how a crew works.
type CrewOptions struct {
	Processes int           // at a time; 0: one for each core
	Workers   int           // of the pool in each; 0: one
	Attempts  int           // at a run that takes its process along; 0: three
	Save      time.Duration // how often long runs are saved, if the study has a directory; 0: never
	// Began and Failed are told of attempts, from the goroutine that called Do.
	Began  func(run, attempt int) error
	Failed func(run, attempt int, why string) error
}

// Crew makes a crew for a study that was opened or adopted. Close it.
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
	c := &Crew{study: s, orders: append(b, '\n'), free: make(chan *post, o.Processes), ahead: make(chan *post, o.Processes), options: o}
	for range o.Processes {
		c.free <- &post{crew: c, turn: make(chan struct{}, 1)}
	}
	return c, nil
}

// warm starts all processes, so that the time of the first runs is theirs alone.
func (c *Crew) warm() error {
	var all sync.WaitGroup
	errs := make([]error, cap(c.free))
	for i := range errs {
		at := <-c.free
		all.Go(func() { _, errs[i] = at.start() })
		defer at.leave()
	}
	all.Wait()
	return errors.Join(errs...)
}

// Close ends the processes. No Do may be under way.
func (c *Crew) Close() {
	var all sync.WaitGroup
	for range cap(c.free) {
		if at := <-c.free; at.child != nil {
			all.Go(at.child.end)
		}
	}
	all.Wait()
}

// Do does a run and returns its record. It waits for one of the processes to be free.
// It returns an error if ctx ends first, or if no process can be started.
func (c *Crew) Do(ctx context.Context, run int) ([]byte, error) { return c.do(ctx, run, 0) }

// do does a run of which some attempts have failed already.
func (c *Crew) do(ctx context.Context, run, failed int) ([]byte, error) {
	start, why := time.Now(), "earlier attempts"
	if failed >= c.options.Attempts {
		return c.lost(run, Crash, fmt.Sprintf(everyAttempt, c.options.Attempts, why), start)
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
		if c.options.Began != nil {
			if err := c.options.Began(run, attempt); err != nil {
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
			return c.lost(run, Late, died.Error(), start)
		case errors.Is(died, errNoStart):
			return nil, died
		}
		why = died.Error()
		if c.options.Failed != nil {
			if err := c.options.Failed(run, attempt, why); err != nil {
				return nil, err
			}
		}
	}
	return c.lost(run, Crash, fmt.Sprintf(everyAttempt, c.options.Attempts, why), start)
}

// everyAttempt is the reason of a run that took its process along as often as it may.
const everyAttempt = "its process died at each of %d attempts: %s"

// lost makes the record of a run that no process came back from.
func (c *Crew) lost(run int, state State, why string, start time.Time) ([]byte, error) {
	_, seed := c.study.manifest.Design.At(nil, run)
	o := &outcome{run: run, state: state, header: header{Seed: seed, Why: why, Ms: float64(time.Since(start).Microseconds()) / 1000}}
	return o.record()
}

// child is a process that does runs.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	errors *tail
	pipe   *os.File
	gone   chan struct{} // closed when it has ended
	err    error         // how; after gone
}

var (
	// errHung is what became of a run whose process had to be killed.
	errHung = errors.New("it took more than twice its time and did not heed its context: its process was killed")
	// errNoStart is returned where a process ends before it can do anything.
	errNoStart = errors.New("study: a process for runs does not start")
)

// start starts a process.
func (c *Crew) start() (*child, error) {
	exe, err := executable()
	if err != nil {
		return nil, err
	}
	ch := &child{cmd: exec.Command(exe, childCommand), errors: &tail{to: c.study.errOut}, gone: make(chan struct{})}
	ch.cmd.Stderr, ch.cmd.WaitDelay = ch.errors, lingers
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
		close(ch.gone)
	}()
	if _, err = ch.in.Write(c.orders); err == nil {
		err = ch.greeted()
	}
	if err != nil {
		ch.kill()
		return nil, fmt.Errorf("%w: %s", errNoStart, ch.reason())
	}
	return ch, nil
}

// greeted reads up to where the records begin: what a program prints before it comes
// to Main is passed on.
func (ch *child) greeted() error {
	for {
		line, err := ch.out.ReadString('\n')
		if strings.HasSuffix(line, childBegins) {
			_, _ = ch.errors.Write([]byte(strings.TrimSuffix(line, childBegins)))
			return nil
		}
		_, _ = ch.errors.Write([]byte(line))
		if err != nil {
			return err
		}
	}
}

// do waits for the record of a run that was ordered. An error says how the process died.
func (ch *child) do(ctx context.Context, run int, limit time.Duration) (Record, error) {
	var hung atomic.Bool // set by the timer, read after the process has died of it
	if limit > 0 {
		late := time.AfterFunc(2*limit, func() {
			hung.Store(true)
			_ = ch.cmd.Process.Kill()
		})
		defer late.Stop()
	}
	stop := context.AfterFunc(ctx, func() {
		_ = ch.in.Close()
		time.AfterFunc(lingers, func() { _ = ch.cmd.Process.Kill() })
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

// order tells the process to do a run behind those that it was told to do. If it has died, that is found
// where its record is read.
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

// end lets the process end, and kills it if it does not.
func (ch *child) end() {
	_ = ch.in.Close()
	t := time.AfterFunc(lingers, func() { _ = ch.cmd.Process.Kill() })
	<-ch.gone
	t.Stop()
	_ = ch.pipe.Close()
}

// kill kills the process, if it has not ended.
func (ch *child) kill() {
	_ = ch.in.Close()
	// One that is about to end by itself says more of the reason than one that was killed.
	t := time.NewTimer(time.Second)
	defer t.Stop()
	select {
	case <-ch.gone:
	case <-t.C:
		_ = ch.cmd.Process.Kill()
		<-ch.gone
	}
	_ = ch.pipe.Close()
}
