package study

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/lanewise/lanewise/internal/printable"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/study/internal/journal"
)

// verification is one call of the command verify.
type verification struct {
	program *program
	study   *Study // opened by the manifest of the certificate or directory; its logs, if there are any, are its history
	cert    *certificate
	dir     string
	console Console
	several int           // workers of the second pool
	pools   [2]*jobs.Pool // see pool
	against string        // another build of the program
	ticks   tickRange
	only    bool // compare files only: compute no runs

	mu      sync.Mutex
	faults  int
	suspect map[int]bool    // runs of which a file differs from the certificate
	columns map[string]bool // tables whose columns were found to differ
}

// mostFaults is the largest number of faults that verify prints. mostLocated is the largest number of runs that it
// computes once more to find the first different value.
const (
	mostFaults  = 20
	mostLocated = 5
)

// pool returns a pool for computing runs again in this process: pool 0 has one worker, and pool 1 has several. It
// starts the pool at the first call, because many verifications need none. Only the goroutine of the command may call
// it.
func (v *verification) pool(i int) *jobs.Pool {
	if v.pools[i] == nil {
		v.pools[i] = jobs.New(jobs.Workers([2]int{1, max(2, v.several)}[i]))
	}
	return v.pools[i]
}

// close closes the pools.
func (v *verification) close() {
	for _, p := range v.pools {
		if p != nil {
			_ = p.Close()
		}
	}
}

// fault prints a fault.
func (v *verification) fault(format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.faults++; v.faults <= mostFaults {
		_, _ = fmt.Fprintln(v.console.Out, printable.Line("WRONG "+fmt.Sprintf(format, args...)))
	}
}

// note prints a fact that is neither a result nor a fault.
func (v *verification) note(format string, args ...any) {
	_, _ = fmt.Fprintln(v.console.Err, printable.Line(fmt.Sprintf(format, args...)))
}

// say prints a result.
func (v *verification) say(format string, args ...any) {
	_, _ = fmt.Fprintln(v.console.Out, printable.Line(fmt.Sprintf(format, args...)))
}

// errNotVerified is returned by verify if a result differs.
var errNotVerified = errors.New("not verified")

func (p *program) verifyCommand(ctx context.Context, args []string, c Console) error {
	f := newFlags("verify", c)
	out := f.String("out", "study", "the study's `directory`")
	name := f.String("cert", "", "the certificate's `file` (default: study.cert in the directory)")
	key := f.String("key", "", "check the signature in CERT.sig with this public key of OpenSSH, a `file`")
	which := f.String("runs", "", "compute these `runs` again, as in 3,10:20; none: compare files only (default: all)")
	sample := f.String("sample", "", "compute a random `share` of the runs again, as in 1%")
	seed := f.Uint64("seed", 0, "the `seed` of the sample; 0: draw one")
	ticks := f.String("ticks", "", "compare only these `ticks` of the runs, as in 100:200, and stop each run after the last of them; the runs are computed one after the other in this process, without -cores")
	processes := f.Int("cores", cores(), "how many `runs` to compute at once, each in another process; 0: one after the other in this process")
	workers := f.Int("workers", 1, "how many `workers` each run has")
	against := f.String("against", "", "another build of the program, a `file`: compare worlds with its worlds to find the first different value")
	if err := f.parse(args); err != nil {
		return err
	}
	if *processes < 0 || *workers < 1 {
		return usageError{fmt.Errorf("-cores %d -workers %d: take 0 or more cores, and 1 or more workers", *processes, *workers)}
	}
	v := &verification{program: p, dir: *out, console: c, against: *against, several: *processes, only: *which == "none", suspect: map[int]bool{}, columns: map[string]bool{}}
	defer v.close()
	if err := v.open(*name, *key); err != nil {
		return err
	}
	runs, err := v.chosen(*which, *sample, *seed)
	if err == nil {
		v.ticks, err = parseTicks(*ticks)
	}
	if err != nil {
		return usageError{err}
	}
	v.compareDesign()
	if err := v.compareFiles(ctx, f.rest); err != nil {
		return err
	}
	if !v.only {
		if err := v.compute(ctx, slices.Clone(runs), *processes, *workers); err != nil {
			return err
		}
		if err := v.compareSaves(ctx, runs); err != nil {
			return err
		}
	}
	if v.faults > 0 {
		return fmt.Errorf("%w: %d faults", errNotVerified, v.faults)
	}
	v.say("verified")
	return nil
}

// open reads the certificate and the logs. The certificate or the logs must exist.
func (v *verification) open(name, key string) error {
	v.study = &Study{program: v.program, errOut: v.console.Err, anyBuild: true, inChild: true} // any build may verify
	given := name != ""
	if !given {
		name = filepath.Join(v.dir, certificateName)
	}
	text, err := os.ReadFile(name)
	var cert *certificate
	if err == nil {
		cert, err = parseCertificate(name, text)
	}
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && (given || key != "" || !missing) {
		return err
	}
	if err == nil {
		v.cert = cert
		if err := v.openCertificate(text, key); err != nil {
			return err
		}
	}
	hasDir := true
	if _, err := os.Stat(filepath.Join(v.dir, manifestName)); errors.Is(err, fs.ErrNotExist) && v.cert != nil {
		hasDir = false
	}
	if hasDir {
		if err := v.study.load(v.dir); err != nil {
			return err
		}
		if v.cert != nil && v.study.id != v.cert.head.ID {
			return fmt.Errorf("%s is a certificate of study %s, and %s holds study %s: take the directory of the certificate's study, with -out", name, printable.Line(v.cert.head.ID), v.dir, v.study.id)
		}
		if v.study.history, err = journal.Read(v.dir, v.study.id, v.study.Runs()); err != nil {
			return err
		}
	}
	if v.cert == nil {
		if v.cert, err = v.study.certify(); err != nil {
			return err
		}
		v.note("%s has no certificate: the %d runs of its logs are compared", v.dir, v.study.history.Done)
	}
	return nil
}

// openCertificate checks the signature of the text of the certificate, and adopts its study.
func (v *verification) openCertificate(text []byte, key string) error {
	h := &v.cert.head
	if err := v.study.Adopt(h.Study); err != nil {
		return fmt.Errorf("%s: %w", v.cert.name, err)
	}
	if n := v.study.Runs(); n != h.Runs {
		return fmt.Errorf("%s: it has %d runs, and its design %d: %w", v.cert.name, h.Runs, n, errCertificate)
	}
	v.note("%s: %d runs of %s, chain %s", v.cert.name, h.Runs, v.study.manifest.Model, v.cert.root)
	v.note("computed with %s, %s", h.Toolchain, h.Main)
	v.differentBuild()
	signature := v.cert.name + ".sig"
	if key == "" {
		if _, err := os.Stat(signature); err == nil {
			v.note("signed, and the signature was not checked: -key FILE checks it")
		}
		return nil
	}
	fingerprint, err := checkSignature(text, signature, key)
	if err != nil {
		return err
	}
	v.note("signed by %s", fingerprint)
	return nil
}

// differentBuild prints the parts of this program that differ from the certificate. Such differences are not faults,
// because another build may have the same results. But they explain faults.
func (v *verification) differentBuild() {
	var own certificateHead
	if b, ok := debug.ReadBuildInfo(); ok {
		own.describe(b)
	}
	h := &v.cert.head
	if own.Toolchain != h.Toolchain {
		v.note("note: this program was built by %s", own.Toolchain)
	}
	for _, list := range [][2][]string{{append([]string{h.Main}, h.Modules...), append([]string{own.Main}, own.Modules...)}, {h.Settings, own.Settings}} {
		for _, m := range list[1] {
			if !slices.Contains(list[0], m) {
				v.note("note: this program has %s", m)
			}
		}
		for _, m := range list[0] {
			if !slices.Contains(list[1], m) {
				v.note("note: the certificate has %s", m)
			}
		}
	}
}

// chosen returns the runs to compute again.
func (v *verification) chosen(which, sample string, seed uint64) (runs []int, err error) {
	n := v.study.Runs()
	switch {
	case which != "" && sample != "":
		return nil, errors.New("-runs and -sample: take one of them")
	case which == "none":
		return nil, nil
	case which != "":
		return parseRuns(which, n)
	case sample != "":
		share, err := strconv.ParseFloat(strings.TrimSuffix(sample, "%"), 64)
		if err != nil || !strings.HasSuffix(sample, "%") || !(share > 0 && share <= 100) {
			return nil, fmt.Errorf("-sample %s: say a share above 0 and up to 100 with a percent sign", sample)
		}
		if seed == 0 {
			var b [8]byte
			if _, err := rand.Read(b[:]); err != nil {
				return nil, err
			}
			seed = binary.LittleEndian.Uint64(b[:])>>12 | 1
		}
		v.note("sample with -seed %d", seed)
		return sampleOf(n, max(1, int(math.Round(float64(n)*share/100))), seed), nil
	}
	for run := range n {
		runs = append(runs, run)
	}
	return runs, nil
}

// sampleOf draws k of n runs, each subset with the same probability.
func sampleOf(n, k int, seed uint64) (runs []int) {
	r := Run{Seed: seed}
	for run := range n { // takes run with the probability (missing runs)/(runs left)
		if float64(r.Unit(uint64(run), 0)*float64(n-run)) < float64(k-len(runs)) {
			runs = append(runs, run)
		}
	}
	return runs
}

// parseRuns reads a list of runs: single runs, and ranges that contain both ends.
func parseRuns(text string, n int) (runs []int, err error) {
	for part := range strings.SplitSeq(text, ",") {
		from, to, err := parseRange(part)
		if err != nil || to >= n {
			return nil, fmt.Errorf("-runs %s: say runs from 0 to %d, as in 3,10:20", text, n-1)
		}
		for run := from; run <= to; run++ {
			runs = append(runs, run)
		}
	}
	slices.Sort(runs)
	return slices.Compact(runs), nil
}

func parseRange(text string) (from, to int, err error) {
	a, b, ok := strings.Cut(text, ":")
	if !ok {
		b = a
	}
	from, err = strconv.Atoi(a)
	to, err2 := strconv.Atoi(b)
	if err = errors.Join(err, err2); err == nil && (from < 0 || from > to) {
		err = strconv.ErrRange
	}
	return from, to, err
}

// A tickRange is a range of ticks that contains both ends. The zero range is the whole run.
type tickRange struct {
	from, to int
	part     bool
}

func (t tickRange) has(tick int) bool { return !t.part || tick >= t.from && tick <= t.to }

// marks returns the marks that depend on a tick in the range, and on no tick after it. The hash of the first tick also
// depends on Setup.
func (t tickRange) marks(all []mark) (some []mark) {
	for _, m := range all {
		if (m.Tick > t.from || t.from == 0) && m.Tick <= t.to+1 {
			some = append(some, m)
		}
	}
	return some
}

func parseTicks(text string) (t tickRange, err error) {
	if text == "" {
		return t, nil
	}
	if t.from, t.to, err = parseRange(text); err != nil {
		return t, fmt.Errorf("-ticks %s: say from:to, as in 100:200", text)
	}
	t.part = true
	return t, nil
}

// compute computes runs again, and compares them with the certificate.
func (v *verification) compute(ctx context.Context, runs []int, processes, workers int) error {
	for _, run := range slices.Sorted(maps.Keys(v.suspect)) {
		if !slices.Contains(runs, run) && v.faults <= mostLocated {
			runs = append(runs, run)
		}
	}
	slices.Sort(runs)
	skipped := 0
	runs = slices.DeleteFunc(runs, func(run int) bool {
		c, ok := v.cert.runs[run]
		if ok && c.ofMachine() {
			skipped++
			ok = false
		}
		return !ok
	})
	if skipped > 0 {
		v.say("%d runs were late or crashed, which depends on the machine: they are not computed again", skipped)
	}
	if len(runs) == 0 {
		return nil
	}
	var wrong []int
	var err error
	if !v.ticks.part {
		wrong, err = v.computeWhole(ctx, runs, processes, workers)
	} else {
		wrong, err = v.computeTicks(ctx, runs, workers)
	}
	if err != nil {
		return err
	}
	how := fmt.Sprintf("with %d workers", workers)
	if workers == 1 {
		how = "with 1 worker"
	}
	if v.ticks.part {
		how += fmt.Sprintf(", up to tick %d", v.ticks.to)
	}
	same := "all bits are the same"
	if len(wrong) > 0 {
		same = fmt.Sprintf("%d are different", len(wrong))
	}
	v.say("%d of %d runs computed again %s: %s", len(runs), v.study.Runs(), how, same)
	return nil
}

// computeWhole computes whole runs in processes, as a sweep does. For each run that differs, it locates the first
// difference.
func (v *verification) computeWhole(ctx context.Context, runs []int, processes, workers int) (wrong []int, err error) {
	again, closeAll, err := v.computer(min(processes, len(runs)), workers)
	if err != nil {
		return nil, err
	}
	defer closeAll()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan int)
	go func() {
		defer close(next)
		for _, run := range runs {
			select {
			case next <- run:
			case <-ctx.Done():
				return
			}
		}
	}()
	records := map[int]certifiedRun{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for range max(1, 2*processes) {
		all.Go(func() {
			for run := range next {
				own, err := again(ctx, run)
				if err != nil {
					stop(err)
					return
				}
				v.compareColumns("here", own.tables)
				if v.cert.runs[run].firstDifference(own) != "" {
					mu.Lock()
					records[run] = own
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	wrong = slices.Sorted(maps.Keys(records))
	for i, run := range wrong {
		if i >= mostLocated {
			v.fault("run %d: %s", run, v.cert.runs[run].firstDifference(records[run]))
			continue
		}
		if err := v.locate(ctx, run, records[run]); err != nil {
			return nil, err
		}
	}
	return wrong, nil
}

// computer returns a function that computes a run again: in another process, or in this process if there are no other
// processes.
func (v *verification) computer(processes, workers int) (again func(context.Context, int) (certifiedRun, error), closeAll func(), err error) {
	var do func(ctx context.Context, run int) ([]byte, error)
	if processes == 0 {
		pool := jobs.New(jobs.Workers(workers))
		do = func(ctx context.Context, run int) ([]byte, error) {
			o, err := v.program.execute(ctx, v.task(run), pool)
			if err != nil {
				return nil, err
			}
			return o.record()
		}
		closeAll = func() { _ = pool.Close() }
	} else {
		crew, err := v.study.Crew(CrewOptions{Processes: processes, Workers: workers, Attempts: 1})
		if err != nil {
			return nil, nil, err
		}
		do, closeAll = crew.Do, crew.Close
	}
	return func(ctx context.Context, run int) (certifiedRun, error) {
		record, err := do(ctx, run)
		if err != nil {
			return certifiedRun{}, err
		}
		return certifiedRecord(record)
	}, closeAll, nil
}

// certifiedRecord returns the line of a certificate for the record with the given bytes.
func certifiedRecord(record []byte) (certifiedRun, error) {
	e, payload, ok, _ := journal.Parse(record)
	if !ok {
		return certifiedRun{}, ErrRecord
	}
	c, _, err := certifiedLine(e, payload)
	return c, err
}

// firstDifference compares a certified run with the same run of this program, and describes the first difference.
// It returns nothing if the runs are the same.
func (r certifiedRun) firstDifference(own certifiedRun) string {
	if r.State != own.State {
		return fmt.Sprintf("it ended %s, and here %s", r.State, own.State)
	}
	if r.Seed != own.Seed {
		return fmt.Sprintf("its seed is %d, and here %d", r.Seed, own.Seed)
	}
	if text := marksDiffer(r.Marks, own.Marks); text != "" {
		return text
	}
	if r.Ticks != own.Ticks {
		return fmt.Sprintf("it ended after %d ticks, and here after %d", r.Ticks, own.Ticks)
	}
	if r.Hash != own.Hash {
		last := 0
		if n := len(r.Marks); n > 0 {
			last = r.Marks[n-1].Tick
		}
		return fmt.Sprintf("%s: the hash at the end is %016x, and here %016x", ticksBetween(last, r.Ticks), uint64(r.Hash), uint64(own.Hash))
	}
	if len(r.Marks) > 0 && !slices.Equal(r.Marks, own.Marks) { // an earlier version of the program made no marks
		return otherTicks
	}
	for _, name := range slices.Sorted(maps.Keys(r.Rows)) {
		if own.Rows[name] != r.Rows[name] {
			return fmt.Sprintf("the world is the same, and the rows of table %s are not", name)
		}
	}
	if len(r.Rows) != len(own.Rows) {
		return fmt.Sprintf("it has %d tables, and here %d", len(r.Rows), len(own.Rows))
	}
	return ""
}

const otherTicks = "its marks are after other ticks than those of a run"

// marksDiffer describes the first different mark.
func marksDiffer(theirs, own []mark) string {
	for i, m := range theirs {
		if i >= len(own) || own[i].Tick != m.Tick {
			return ""
		}
		if own[i].Hash != m.Hash {
			before := -1
			if i > 0 {
				before = theirs[i-1].Tick
			}
			return fmt.Sprintf("%s: the hash is %016x, and here %016x", ticksBetween(before, m.Tick), uint64(m.Hash), uint64(own[i].Hash))
		}
	}
	return ""
}

// ticksBetween describes the ticks in which a run may have become different. After the first same ticks, the run was
// still the same; if same is -1, this number is unknown. After the first differs ticks, it was different.
func ticksBetween(same, differs int) string {
	switch {
	case differs == 0:
		return "after Setup"
	case same+1 == differs || differs == 1:
		return fmt.Sprintf("tick %d", differs-1)
	case same < 0:
		return fmt.Sprintf("different after %d ticks", differs)
	}
	return fmt.Sprintf("the same after %d ticks, and different after %d", same, differs)
}
