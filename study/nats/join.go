package nats

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/lanewise/lanewise/study"
)

// arch is the kind of this CPU. Tests set it to several kinds.
var arch = runtime.GOARCH

// These are the error codes that JetStream returns for a full stream. JetStream also returns codeSubjectFull if
// a subject is full.
const (
	codeSubjectFull = 10077
	codeStreamFull  = 10047
)

// isFull reports whether the error says that a stream is full, as a whole or for this subject.
func isFull(err error, subject bool) bool {
	api := new(jetstream.APIError)
	return errors.As(err, &api) && (api.ErrorCode == codeSubjectFull || api.ErrorCode == codeStreamFull) && strings.Contains(api.Description, "per subject") == subject
}

// joinedWorker does runs that a coordinator hands out.
type joinedWorker struct {
	study    *study.Study
	nc       *nats.Conn
	js       jetstream.JetStream
	kv       jetstream.KeyValue
	crew     *study.Crew
	work     jetstream.Consumer
	lease    time.Duration
	patience time.Duration
	refused  error // by this program, because of the study that is handed out
	// These are the counts that the last line of the output prints. Each goroutine that does runs adds to the
	// counts. The function run reads the counts when all these goroutines have ended.
	runsDone        atomic.Int64
	runsAlreadyDone atomic.Int64 // runs that another worker had done before
	waits           atomic.Int64 // waits for room on the server
	runsRepeated    atomic.Int64 // runs repeated for comparison
}

func join(ctx context.Context, s *study.Study, args []string, c study.Console) error {
	f := flag.NewFlagSet("join", flag.ContinueOnError)
	f.SetOutput(c.Err)
	at := f.String("at", "nats://127.0.0.1:4222", "the `address` that serve has said")
	cores := f.Int("cores", runtime.GOMAXPROCS(0), "how many `runs` to do at a time")
	file := f.String("token", "", "the `file` with the token that serve has said; else it is in "+tokenVariable)
	ca := f.String("ca", "", "a `file` with the certificate of serve, or of who has signed it")
	patience := f.Duration("patience", 10*time.Minute, "the `time` to wait for serve, at first and when it is gone")
	if err := f.Parse(args); err != nil {
		return err
	}
	switch {
	case f.NArg() > 0:
		return fmt.Errorf("join: %s: it takes flags alone", strings.Join(f.Args(), " "))
	case *cores < 1 || *patience <= 0:
		return errors.New("join: -cores is 1 or more, -patience more than 0")
	}
	token := os.Getenv(tokenVariable)
	if *file != "" {
		var err error
		if token, err = readToken(*file); err != nil {
			return fmt.Errorf("join: -token: %w", err)
		}
	}
	key, err := signIn(token)
	if err != nil {
		return fmt.Errorf("join: %w", err)
	}
	options := []nats.Option{key, nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond), nats.RetryOnFailedConnect(true), nats.ReconnectErrHandler(func(*nats.Conn, error) {})}
	if *ca != "" {
		options = append(options, nats.RootCAs(*ca))
	}
	nc, err := nats.Connect(*at, options...)
	if err != nil {
		return fmt.Errorf("join: %s: %w", *at, err)
	}
	defer nc.Close()
	h := &joinedWorker{study: s, nc: nc, patience: *patience}
	if h.js, err = jetstream.New(nc); err != nil {
		return err
	}
	if err := h.adopt(ctx); err != nil {
		return fmt.Errorf("join: %s: %w", *at, err)
	}
	if h.crew, err = s.Crew(study.CrewOptions{Processes: *cores}); err != nil {
		return err
	}
	defer h.crew.Close()
	_, _ = fmt.Fprintf(c.Err, "joined a study of %d runs\n", s.Runs())
	err = h.run(ctx, *cores)
	_, _ = fmt.Fprintf(c.Err, "did %d runs, %d of them had been done by another, %d to compare; waited %d times for room\n", h.runsDone.Load(), h.runsAlreadyDone.Load(), h.runsRepeated.Load(), h.waits.Load())
	return err
}

// adopt waits until serve hands out a study, and adopts the study.
func (h *joinedWorker) adopt(ctx context.Context) error {
	for end := time.Now().Add(h.patience); ; time.Sleep(100 * time.Millisecond) {
		err := h.readManifest(ctx)
		switch {
		case err == nil:
			return nil
		case h.refused != nil:
			return h.refused
		case ctx.Err() != nil:
			return ctx.Err()
		case h.nc.IsClosed():
			return h.connectionError()
		case time.Now().After(end):
			return fmt.Errorf("no study in %v: %w", h.patience, errors.Join(err, h.nc.LastError()))
		}
		if last := h.nc.LastError(); errors.Is(last, nats.ErrAuthorization) {
			return h.connectionError()
		}
	}
}

// connectionError returns the reason why the server refuses the connection.
func (h *joinedWorker) connectionError() error {
	if last := h.nc.LastError(); errors.Is(last, nats.ErrAuthorization) {
		return fmt.Errorf("%w: set %s to what serve has, or give -token with the file that serve has said", last, tokenVariable)
	} else if last != nil {
		return last
	}
	return nats.ErrConnectionClosed
}

// readManifest reads the data that serve has prepared. The manifest comes last.
func (h *joinedWorker) readManifest(ctx context.Context) (err error) {
	short, stop := context.WithTimeout(ctx, 2*time.Second)
	defer stop()
	if h.kv, err = h.js.KeyValue(short, kvBucket); err != nil {
		return err
	}
	e, err := h.kv.Get(short, manifestKey)
	if err != nil {
		return err
	}
	if h.refused = h.study.Adopt(e.Value()); h.refused != nil {
		return h.refused
	}
	if h.work, err = h.js.Consumer(short, nameOf(runsStream, h.study), "work"); err != nil {
		return err
	}
	h.lease = h.work.CachedInfo().Config.AckWait
	_, err = h.kv.PutString(short, archKeys+arch, "")
	return err
}

// errOther is the error that ends a worker whose study is no longer handed out.
var errOther = fmt.Errorf("%w: another study is handed out at this address by now", errFatal)

// hasOtherStudy reports whether another study is handed out now.
func (h *joinedWorker) hasOtherStudy(ctx context.Context) bool {
	e, err := h.kv.Get(ctx, manifestKey)
	return err == nil && !bytes.Equal(e.Value(), h.study.Manifest())
}

// run does blocks until the study is over.
func (h *joinedWorker) run(ctx context.Context, cores int) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var crew sync.WaitGroup
	for range cores {
		crew.Go(func() { h.runBlocks(ctx, stop) })
	}
	crew.Wait()
	if err := context.Cause(ctx); ctx.Err() != nil && !errors.Is(err, context.Canceled) {
		return err
	} else if ctx.Err() != nil {
		return errors.New("join: stopped")
	}
	return nil
}

// runBlocks does one block after another until the study is over or the server no
// longer answers.
func (h *joinedWorker) runBlocks(ctx context.Context, stop context.CancelCauseFunc) {
	for heard := time.Now(); ctx.Err() == nil; {
		n, err := h.doNext(ctx)
		if n == 0 && h.hasOtherStudy(ctx) {
			err = errOther
		}
		switch {
		case err == nil:
			heard = time.Now()
		case h.nc.IsClosed():
			stop(h.connectionError())
		case errors.Is(err, errFatal):
			stop(err)
		case time.Since(heard) > h.patience:
			stop(fmt.Errorf("join: nothing is heard of serve for %v: %w", h.patience, err))
		default:
			pause(ctx, 100*time.Millisecond)
		}
		if err == nil && n == 0 && h.isOver(ctx) {
			return
		}
	}
}

// errFatal is wrapped by errors that a retry cannot fix.
var errFatal = errors.New("a worker cannot go on")

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// isOver reports whether the study has ended.
func (h *joinedWorker) isOver(ctx context.Context) bool {
	_, err := h.kv.Get(ctx, overKey)
	return err == nil
}

// doNext does a comparison or a block, if there is one.
func (h *joinedWorker) doNext(ctx context.Context) (n int, err error) {
	if check, err := h.js.Consumer(ctx, nameOf(checksStream, h.study), "check-"+arch); err == nil {
		batch, err := check.FetchNoWait(1)
		if err != nil {
			return 0, err
		}
		for m := range batch.Messages() {
			if err := h.repeatRun(ctx, m); err != nil {
				return n, err
			}
			n++
		}
		if n > 0 {
			return n, nil
		}
	}
	batch, err := h.work.Fetch(1, jetstream.FetchMaxWait(time.Second))
	if err != nil {
		return 0, err
	}
	for m := range batch.Messages() {
		if err := h.runBlock(ctx, m); err != nil {
			return n, err
		}
		n++
	}
	return n, batch.Error()
}

// renewLease renews the lease of a message until the returned function is called. If
// tell is not nil, renewLease calls tell at each renewal.
func (h *joinedWorker) renewLease(ctx context.Context, m jetstream.Msg, tell func()) (stop func()) {
	ctx, stop = context.WithCancel(ctx)
	go func() {
		t := time.NewTicker(h.lease / 3)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				_ = m.InProgress() // if it does not arrive, another worker repeats the runs
				if tell != nil {
					tell()
				}
			}
		}
	}()
	return stop
}

// runBlock does the runs of a block, and acknowledges it when the server has
// stored all results.
func (h *joinedWorker) runBlock(ctx context.Context, m jetstream.Msg) error {
	defer h.renewLease(ctx, m, nil)()
	var runs []int
	if err := json.Unmarshal(m.Data(), &runs); err != nil {
		return errors.Join(err, m.Term())
	}
	type sent struct {
		m *nats.Msg
		f jetstream.PubAckFuture
	}
	var list []sent
	for i, run := range runs {
		record, err := h.crew.Do(ctx, run)
		if err != nil {
			return errors.Join(err, m.Nak())
		}
		h.runsDone.Add(1)
		if len(record) > maxPayload-1024 {
			return errors.Join(fmt.Errorf("%w: the record of run %d has %d bytes, and NATS takes %d: let workers share a directory instead", errFatal, run, len(record), maxPayload-1024), m.Nak())
		}
		msg := nats.NewMsg(subjectOf("results", h.study, strconv.Itoa(run)))
		msg.Data = record
		msg.Header.Set(archHeader, arch)
		if i == 0 {
			msg.Header.Set(checkHeader, "1")
		}
		f, err := h.js.PublishMsgAsync(msg)
		if err != nil {
			f = nil // it is sent again below
		}
		list = append(list, sent{msg, f})
	}
	for _, s := range list {
		if err := h.deliver(ctx, s.m, s.f); err != nil {
			return errors.Join(err, m.Nak())
		}
	}
	return m.DoubleAck(ctx)
}

// deliver waits until the server has stored a result. It keeps waiting while the connection is re-established
// and while the server is full. If the server does not answer for as long as the worker's patience, deliver
// gives up.
func (h *joinedWorker) deliver(ctx context.Context, m *nats.Msg, f jetstream.PubAckFuture) error {
	var err error
	end := time.Now().Add(h.patience)
	if f == nil {
		err = nats.ErrTimeout
	} else {
		select {
		case <-f.Ok():
			return nil
		case err = <-f.Err():
		case <-time.After(min(10*time.Second, h.patience)):
			err = nats.ErrTimeout
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for err != nil {
		switch {
		case isFull(err, true):
			h.runsAlreadyDone.Add(1)
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case h.nc.IsClosed():
			return h.connectionError()
		case isFull(err, false):
			h.waits.Add(1)
			end = time.Now().Add(h.patience)
		case h.hasOtherStudy(ctx):
			return errOther
		case time.Now().After(end):
			return fmt.Errorf("a result cannot be handed over: %w", err)
		}
		pause(ctx, 50*time.Millisecond)
		again := nats.NewMsg(m.Subject)
		again.Data = m.Data
		again.Header.Set(archHeader, m.Header.Get(archHeader))
		again.Header.Set(checkHeader, m.Header.Get(checkHeader))
		_, err = h.js.PublishMsg(ctx, again)
	}
	return nil
}

// repeatRun repeats a run that a worker with another kind of CPU has done.
func (h *joinedWorker) repeatRun(ctx context.Context, m jetstream.Msg) error {
	// Calling tell shows serve that this worker is still at work. Without these
	// calls, serve would stop waiting for the result.
	defer h.renewLease(ctx, m, func() { _, _ = h.kv.PutString(ctx, archKeys+arch, "") })()
	var run int
	if _, err := fmt.Sscanf(m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:], "%d", &run); err != nil {
		return errors.Join(err, m.Term())
	}
	record, err := h.crew.Do(ctx, run)
	if err != nil {
		return errors.Join(err, m.Nak())
	}
	h.runsRepeated.Add(1)
	msg := nats.NewMsg(subjectOf("again", h.study, strconv.Itoa(run)))
	msg.Data = record
	msg.Header.Set(archHeader, arch)
	if err := h.deliver(ctx, msg, nil); err != nil {
		return errors.Join(err, m.Nak())
	}
	return m.DoubleAck(ctx)
}
