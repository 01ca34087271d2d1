package nats

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/lanewise/lanewise/internal/progress"
	"github.com/lanewise/lanewise/study"
)

func init() {
	study.RegisterEngine(study.Engine{Name: "serve", Help: "hand out the runs of -out to those who join, over NATS", Run: serve})
	study.RegisterEngine(study.Engine{Name: "join", Help: "do runs that a program at -at hands out", Run: join})
}

// These are the names of streams and keys on the server. The names of streams and subjects also contain
// the id of the study.
const (
	runsStream    = "runs"    // blocks of runs, leased to workers
	resultsStream = "results" // records on their way to the log
	checksStream  = "checks"  // runs to repeat, by the kind of CPU
	kvBucket      = "study"
	manifestKey   = "manifest"
	overKey       = "over"
	archKeys      = "arch."
	archHeader    = "Study-Arch"  // of a record: the kind of CPU that made it
	checkHeader   = "Study-Check" // of a record: the run is the one of its block to compare
)

// nameOf returns the name of a stream of one study. The name contains the
// study's id, because a worker may outlive its coordinator and meet another
// study at the same address. A worker that meets another study finds no runs there, and delivers no
// results.
func nameOf(stream string, s *study.Study) string { return stream + "-" + s.ID() }

// subjectOf returns a subject in a stream of one study.
func subjectOf(kind string, s *study.Study, rest string) string {
	return kind + "." + s.ID() + "." + rest
}

// maxBlockRuns is the largest number of runs of a block.
const maxBlockRuns = 1 << 10

// coordinator hands out the runs of a study and collects the results.
type coordinator struct {
	study            *study.Study
	js               jetstream.JetStream
	kv               jetstream.KeyValue
	results          jetstream.Consumer
	lease            time.Duration
	progress         *progress.Progress
	block            int
	archs            []string
	toCompare        []comparison // runs to compare once there is another kind of CPU
	handedOutAgain   map[int]bool // runs that were handed out again
	differing        []int
	duplicateResults int
	lastResult       time.Time // time of the last result
	renewals         uint64    // number of renewals by workers that compare; see sumRenewals
}

// comparison is a run of a block that another kind of CPU should repeat. It also contains the kind of
// CPU that has already done the run.
type comparison struct {
	run  int
	arch string
}

func serve(ctx context.Context, s *study.Study, args []string, c study.Console) (err error) {
	f := flag.NewFlagSet("serve", flag.ContinueOnError)
	f.SetOutput(c.Err)
	dir := f.String("out", "study", "the study's `directory`: sweep -plan makes one")
	addr := f.String("addr", "127.0.0.1:4222", "the `address` to listen on; beyond the loopback with "+tokenVariable+", -cert and -key. Without "+tokenVariable+" the token is in "+tokenName+" of -out")
	cert, key := f.String("cert", "", "a `file` with the certificate"), f.String("key", "", "a `file` with its key")
	lease := f.Duration("lease", 5*time.Second, "the `time` after which a block is lent to another if its worker says nothing")
	work := f.Duration("block", 250*time.Millisecond, "the `time` that a block of runs should take")
	buffer := f.Int64("buffer", 256<<20, "`bytes` of results on their way, before workers wait")
	style := f.String("progress", "auto", "auto, bar, lines, json or none")
	if err := f.Parse(args); err != nil {
		return err
	}
	switch {
	case f.NArg() > 0:
		return fmt.Errorf("serve: %s: it takes flags alone", strings.Join(f.Args(), " "))
	case *lease < 100*time.Millisecond || *work < 0 || *buffer < 1<<16:
		return errors.New("serve: -lease is 100ms or more, -block no less than 0, -buffer 65536 or more")
	}
	looks, err := progress.StyleOf(*style, c.Live)
	if err != nil {
		return err
	}
	if err := s.Open(*dir, "collector"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	l := serverOptions{*addr, *cert, *key, os.Getenv(tokenVariable)}
	how := ""
	if loopback, err := l.loopback(); err != nil {
		return err
	} else if l.token == "" && loopback {
		var name string
		if l.token, name, err = tokenOf(*dir); err != nil {
			return fmt.Errorf("the token of those who join: %w", err)
		}
		how = " -token " + name
	}
	ns, nc, url, err := l.start(*dir)
	if err != nil {
		return err
	}
	defer func() {
		nc.Close()
		ns.Shutdown() //lanewise:inexact a server has no numbers of a world
		ns.WaitForShutdown()
	}()
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(4096))
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(c.Err, "join with: join -at %s%s\n", url, how)
	o := &coordinator{study: s, js: js, lease: *lease, handedOutAgain: map[int]bool{}, lastResult: time.Now()}
	o.progress = progress.New(c.Err, progress.Options{Style: looks, Total: s.Runs(), Had: s.Done(), What: "runs"})
	err = o.run(ctx, *work, *buffer)
	o.progress.End()
	if ctx.Err() != nil {
		return errors.Join(fmt.Errorf("stopped: serve -out %s goes on", *dir), o.verdict())
	}
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(c.Err, "%d of %d runs have ended, %d results came twice\n", s.Done(), s.Runs(), o.duplicateResults)
	if _, err := o.kv.Put(ctx, overKey, nil); err != nil {
		return err
	}
	// Wait until workers have read that the study is over, because otherwise
	// they would wait for the server to return.
	for end := time.Now().Add(10 * time.Second); ns.NumClients() > 1 && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	return o.verdict()
}

// verdict returns an error if runs had different results when they were
// repeated.
func (o *coordinator) verdict() error {
	if len(o.differing) == 0 {
		return nil
	}
	return fmt.Errorf("runs %v: %w", o.differing[:min(len(o.differing), 10)], study.ErrDiffers)
}

// run prepares the server, assigns the missing runs to workers, and collects results until no run
// is missing.
func (o *coordinator) run(ctx context.Context, work time.Duration, buffer int64) error {
	if err := o.prepare(ctx, buffer); err != nil {
		return err
	}
	// First keep the results that were queued when an earlier coordinator
	// ended.
	for n := 1; n > 0; {
		var err error
		if n, err = o.collect(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	if err := o.measure(ctx, work); err != nil {
		return err
	}
	if err := o.handOut(ctx, o.block); err != nil {
		return err
	}
	for {
		n, err := o.collect(ctx, 200*time.Millisecond)
		if err != nil {
			return err
		}
		if err := o.checkWorkers(ctx, n); err != nil {
			return err
		}
		if o.study.Done() == o.study.Runs() && len(o.handedOutAgain) == 0 {
			return nil
		}
	}
}

// prepare creates the streams and keys on the server.
func (o *coordinator) prepare(ctx context.Context, buffer int64) error {
	once := jetstream.StreamConfig{Storage: jetstream.FileStorage, Retention: jetstream.WorkQueuePolicy, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true}
	stream := func(name string, bytes int64, kinds ...string) (jetstream.Stream, error) {
		c := once
		c.Name, c.MaxBytes = nameOf(name, o.study), bytes
		for _, kind := range kinds {
			c.Subjects = append(c.Subjects, subjectOf(kind, o.study, ">"))
		}
		return o.js.CreateOrUpdateStream(ctx, c)
	}
	kv, err := o.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: kvBucket})
	if err != nil {
		return err
	}
	o.kv = kv
	for _, key := range []string{manifestKey, overKey} { // left by an earlier coordinator
		if err := kv.Delete(ctx, key); err != nil {
			return err
		}
	}
	runs, err := stream(runsStream, -1, "runs")
	if err != nil {
		return err
	}
	if err := runs.Purge(ctx); err != nil { // the queue of an earlier coordinator, because blocks are made again
		return err
	}
	if _, err := runs.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: "work", AckPolicy: jetstream.AckExplicitPolicy, AckWait: o.lease, MaxAckPending: -1}); err != nil {
		return err
	}
	checks, err := stream(checksStream, -1, "checks")
	if err != nil {
		return err
	}
	if err := checks.Purge(ctx); err != nil {
		return err
	}
	results, err := stream(resultsStream, buffer, "results", "again")
	if err != nil {
		return err
	}
	if o.results, err = results.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: "collector", AckPolicy: jetstream.AckExplicitPolicy, AckWait: o.lease, MaxAckPending: 4096}); err != nil {
		return err
	}
	_, err = o.kv.Put(ctx, manifestKey, o.study.Manifest())
	return err
}

// measure does some runs on this machine to find their duration, which
// determines the number of runs in a block. If a run takes longer than a block
// should take, measure leaves it to the workers.
func (o *coordinator) measure(ctx context.Context, work time.Duration) error {
	o.block = 1
	if work == 0 || o.study.Runs()-o.study.Done() < 4 {
		return nil
	}
	crew, err := o.study.Crew(study.CrewOptions{Processes: 1})
	if err != nil {
		return err
	}
	defer crew.Close()
	short, stop := context.WithTimeout(ctx, work+time.Second) // includes time to start a process
	defer stop()
	done := 0
	for run := range o.study.Missing() {
		start := time.Now()
		record, err := crew.Do(short, run)
		if err != nil {
			return ctx.Err() // a run takes too long, so a block is one run
		}
		if _, err := o.study.Keep(record); err != nil {
			return err
		}
		o.progress.Add(1, "")
		if done++; done == 2 { // the first run included the start of a process
			o.block = min(max(int(work/max(time.Since(start), time.Microsecond)), 1), maxBlockRuns)
			return nil
		}
	}
	return nil
}

// handOut queues the missing runs in blocks of the given size.
func (o *coordinator) handOut(ctx context.Context, size int) error {
	var block []int
	queue := func() error {
		if len(block) == 0 {
			return nil
		}
		b, err := json.Marshal(block)
		if err == nil {
			_, err = o.js.PublishAsync(subjectOf("runs", o.study, strconv.Itoa(block[0])), b)
		}
		block = block[:0]
		return err
	}
	for run := range o.study.Missing() {
		if block = append(block, run); len(block) == size {
			if err := queue(); err != nil {
				return err
			}
		}
	}
	if err := queue(); err != nil {
		return err
	}
	select {
	case <-o.js.PublishAsyncComplete():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// collect keeps the results that have arrived, and waits a while if there are
// none.
func (o *coordinator) collect(ctx context.Context, wait time.Duration) (n int, err error) {
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	batch, err := o.results.Fetch(256, jetstream.FetchMaxWait(wait))
	if err != nil {
		return 0, err
	}
	for m := range batch.Messages() {
		first, err := o.study.Keep(m.Data())
		r, bad := study.ParseRecord(m.Data())
		again := strings.HasPrefix(m.Subject(), "again.")
		switch {
		case errors.Is(err, study.ErrDiffers):
			o.differing = append(o.differing, r.Run)
			o.progress.Say("%v", err)
		case bad != nil || errors.Is(err, study.ErrRecord): // no worker of this build sends such a message
			o.progress.Say("a result on %s is left out: %v", m.Subject(), err)
			if err := m.Ack(); err != nil {
				return n, err
			}
			n++
			continue
		case err != nil:
			return n, err
		case first:
			o.progress.Add(1, "")
		case !again:
			o.duplicateResults++
		}
		if again {
			delete(o.handedOutAgain, r.Run)
		} else if first && m.Headers().Get(checkHeader) != "" {
			o.toCompare = append(o.toCompare, comparison{r.Run, m.Headers().Get(archHeader)})
		}
		if err := m.Ack(); err != nil {
			return n, err
		}
		n++
	}
	if n > 0 {
		o.lastResult = time.Now()
	}
	if err := batch.Error(); err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
		return n, err
	}
	return n, nil
}

// compare queues the runs of toCompare for workers with another kind of CPU, if there are any.
func (o *coordinator) compare(ctx context.Context) error {
	left := o.toCompare[:0]
	for _, m := range o.toCompare {
		i := slices.IndexFunc(o.archs, func(a string) bool { return a != m.arch })
		if i < 0 {
			left = append(left, m)
			continue
		}
		if _, err := o.js.Publish(ctx, subjectOf("checks", o.study, fmt.Sprintf("%s.%d", o.archs[i], m.run)), nil); err != nil && !isFull(err, true) {
			return err
		}
		o.handedOutAgain[m.run] = true
	}
	o.toCompare = left
	return nil
}

// sumRenewals returns the number of lease renewals by workers that compare runs. The sum increases as
// long as a worker compares a run.
func (o *coordinator) sumRenewals(ctx context.Context) (n uint64) {
	for _, arch := range o.archs {
		if e, err := o.kv.Get(ctx, archKeys+arch); err == nil {
			n += e.Revision()
		}
	}
	return n
}

// checkWorkers finds out which workers have joined, and hands out again the runs that
// no worker is doing any longer.
func (o *coordinator) checkWorkers(ctx context.Context, came int) error {
	keys, err := o.kv.ListKeysFiltered(ctx, archKeys+">")
	if err != nil {
		return err
	}
	for k := range keys.Keys() {
		arch := strings.TrimPrefix(k, archKeys)
		if !slices.Contains(o.archs, arch) && !strings.ContainsAny(arch, ".*>/\\ \t\r\n") { // the name comes from a worker and is not trusted
			if _, err := o.js.CreateOrUpdateConsumer(ctx, nameOf(checksStream, o.study), jetstream.ConsumerConfig{Durable: "check-" + arch, FilterSubject: subjectOf("checks", o.study, arch+".*"), AckPolicy: jetstream.AckExplicitPolicy, AckWait: o.lease, MaxAckPending: -1}); err != nil {
				return err
			}
			o.archs = append(o.archs, arch)
		}
	}
	if err := o.compare(ctx); err != nil {
		return err
	}
	if came > 0 || time.Since(o.lastResult) < 3*o.lease {
		return nil
	}
	o.lastResult = time.Now()
	if o.study.Done() == o.study.Runs() {
		if n := o.sumRenewals(ctx); n != o.renewals { // a worker compares a long run
			o.renewals = n
			return nil
		}
		o.progress.Say("%d runs were not done again on another kind of CPU: nobody has one any longer", len(o.handedOutAgain))
		clear(o.handedOutAgain)
		return nil
	}
	work, err := o.js.Consumer(ctx, nameOf(runsStream, o.study), "work")
	if err != nil {
		return err
	}
	info, err := work.Info(ctx)
	if err != nil {
		return err
	}
	if info.NumPending == 0 && info.NumAckPending == 0 {
		return o.handOut(ctx, 1)
	}
	return nil
}
