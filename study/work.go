package study

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/lanewise/lanewise/internal/progress"
)

// These are the modes in which runs use the cores.
const (
	modeAuto  = "auto"  // measure both, then choose
	modeOuter = "outer" // one run on each core
	modeInner = "inner" // one run at a time, with its jobs on all cores
)

// workerOptions holds the settings of a worker.
type workerOptions struct {
	share    Share
	mode     string
	cores    int
	attempts int
	save     time.Duration
	progress *progress.Progress
}

// worker does the runs of a share on this machine.
type worker struct {
	workerOptions
	study *Study
	queue *queue
}

// work does the missing runs of a share. The result is the mode that the worker has chosen.
func (s *Study) work(ctx context.Context, l workerOptions) (mode string, err error) {
	left := 0
	for range s.missing(l.share) {
		left++
	}
	w := &worker{workerOptions: l, study: s, queue: newQueue(s.missing(l.share))}
	defer w.queue.stop()
	mode = l.mode
	if l.cores == 1 {
		mode = modeOuter
	}
	if mode == modeAuto {
		if mode, err = w.chooseMode(ctx, left); err != nil {
			return mode, err
		}
	}
	return mode, w.runQueue(ctx, mode)
}

// crew starts the crew for a mode.
func (w *worker) crew(mode string) (*Crew, error) {
	o := CrewOptions{Processes: w.cores, Workers: 1, Attempts: w.attempts, Save: w.save, OnAttemptBegan: w.study.log.Begin, OnAttemptFailed: w.failed}
	switch mode {
	case modeInner:
		o.Processes, o.Workers = 1, w.cores
	case modeAgain: // runs for comparison are not saved or logged
		o = CrewOptions{Processes: 1, Workers: w.cores, Attempts: 1}
	}
	return w.study.Crew(o)
}

// modeAgain is the mode for repeating runs that are already done. This mode is like modeInner, but saves and
// logs nothing.
const modeAgain = "again"

func (w *worker) failed(run, attempt int, why string) error {
	w.progress.Say("run %d: attempt %d of %d took its process with it: %s", run, attempt, w.attempts, why)
	return w.study.log.Fail(run, attempt, why)
}

// runQueue does the runs of the queue.
func (w *worker) runQueue(ctx context.Context, mode string) error {
	crew, err := w.crew(mode)
	if err != nil {
		return err
	}
	defer crew.Close()
	return w.runQueueOn(ctx, crew)
}

// runQueueOn does the runs of the queue with a crew.
func (w *worker) runQueueOn(ctx context.Context, crew *Crew) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var crewAtWork sync.WaitGroup
	// Start twice as many goroutines as processes, so that a process gets its next run while a
	// goroutine is still storing the record of the last run.
	for range 2 * crew.options.Processes {
		crewAtWork.Go(func() {
			for ctx.Err() == nil {
				run, ok := w.queue.next()
				if !ok {
					return
				}
				if _, err := w.runOne(ctx, crew, run); err != nil {
					stop(err)
				}
			}
		})
	}
	crewAtWork.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	if ctx.Err() != nil {
		return errStopped
	}
	return nil
}

// runOne does a run and keeps its record.
func (w *worker) runOne(ctx context.Context, crew *Crew, run int) (Record, error) {
	record, err := crew.do(ctx, run, w.study.history.Fails[run])
	if err != nil {
		return Record{}, err
	}
	r, err := ParseRecord(record)
	if err != nil {
		return r, err
	}
	if _, err := w.study.keepOwn(r); err != nil {
		return r, err
	}
	if r.State != OK {
		w.progress.Say("run %d: %s: %s", run, r.State, reasonOf(record))
	}
	w.progress.Add(1, "")
	return r, nil
}

// reasonOf returns the first line of the text that explains why a run has no result.
func reasonOf(record []byte) string {
	_, payload, _ := strings.Cut(string(record), "\n")
	h, _, err := parsePayload([]byte(payload))
	if err != nil {
		return err.Error()
	}
	why, _, _ := strings.Cut(h.Why, "\n")
	return why
}

// queue hands out runs.
type queue struct {
	mu   sync.Mutex
	pull func() (int, bool)
	end  func()
}

func newQueue(runs iter.Seq[int]) *queue {
	q := &queue{}
	q.pull, q.end = iter.Pull(runs)
	return q
}

func (q *queue) next() (int, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.pull()
}

func (q *queue) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.end()
}

// cores returns the default number of runs that are done at the same time.
func cores() int { return runtime.GOMAXPROCS(0) }

// worthTrying is the smallest ratio of runs to cores at which the worker tries both modes. With
// fewer runs, the trial would take more than 1/worthTrying of the study.
const worthTrying = 50

// chooseMode does the same first runs in both modes and chooses the faster mode. It also compares the hashes,
// so that each study starts with a test of reproducibility.
func (w *worker) chooseMode(ctx context.Context, left int) (string, error) {
	switch {
	case left < w.cores: // one core for each run would leave cores idle
		return modeInner, nil
	case left < worthTrying*w.cores:
		return modeOuter, nil
	}
	first := make([]int, w.cores)
	for i := range first {
		first[i], _ = w.queue.next()
	}
	records, outer, err := w.tryOuter(ctx, first)
	if err != nil {
		return modeOuter, err
	}
	inner, err := w.tryInner(ctx, first, records, outer)
	if err != nil {
		return modeOuter, err
	}
	return fasterMode(outer, inner), nil
}

// shortTrial is the longest trial whose times say nothing about the modes. For example, the runs of such a trial take less
// time than a busy machine takes to start a thread again.
const shortTrial = 100 * time.Millisecond

// fasterMode chooses a mode by the times of the trial.
func fasterMode(outer, inner time.Duration) string {
	if outer > shortTrial && inner < outer-outer/10 { // a smaller advantage may be chance on a busy machine
		return modeInner
	}
	return modeOuter
}

// tryOuter does several runs at once, and returns the time that they took.
func (w *worker) tryOuter(ctx context.Context, runs []int) (records []Record, took time.Duration, err error) {
	crew, err := w.crew(modeOuter)
	if err != nil {
		return nil, 0, err
	}
	defer crew.Close()
	if err := crew.startAll(); err != nil {
		return nil, 0, err
	}
	records, errs := make([]Record, len(runs)), make([]error, len(runs))
	start := time.Now()
	var all sync.WaitGroup
	for i, run := range runs {
		all.Go(func() { records[i], errs[i] = w.runOne(ctx, crew, run) })
	}
	all.Wait()
	return records, time.Since(start), errors.Join(errs...)
}

// tryInner does runs one after another and compares them with the earlier records.
// After the first comparison, tryInner gives up if it has taken longer than limit.
func (w *worker) tryInner(ctx context.Context, runs []int, was []Record, limit time.Duration) (took time.Duration, err error) {
	crew, err := w.crew(modeAgain)
	if err != nil {
		return 0, err
	}
	defer crew.Close()
	if err := crew.startAll(); err != nil {
		return 0, err
	}
	bound, stop := context.WithTimeout(ctx, limit)
	defer stop()
	start := time.Now()
	for i, run := range runs {
		if was[i].State != OK {
			continue
		}
		within := bound
		if i == 0 {
			within = ctx
		}
		record, err := crew.Do(within, run)
		if err != nil {
			if ctx.Err() == nil && bound.Err() != nil {
				return limit, nil
			}
			return limit, err
		}
		r, err := ParseRecord(record)
		switch {
		case err != nil:
			return limit, err
		case r.State == Late || r.State == Crash: // with this mode the run may need more time or memory than it is allowed
			return limit, nil
		case r.State != OK:
			return limit, fmt.Errorf("run %d: ok with one worker, %s with %d: %w", run, r.State, w.cores, ErrDiffers)
		case r.Hash != was[i].Hash:
			return limit, fmt.Errorf("run %d: hash %016x with one worker, %016x with %d: %w", run, was[i].Hash, r.Hash, w.cores, ErrDiffers)
		case !r.Same(was[i]):
			return limit, fmt.Errorf("run %d: the same hash, and other rows with %d workers than with one: %w", run, w.cores, ErrDiffers)
		}
	}
	return time.Since(start), nil
}
