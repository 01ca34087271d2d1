package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// A History is the contents of all logs of a study.
type History struct {
	Done    int         // number of runs with a record
	Doubles int         // number of further records that agree with the first of their run
	Differ  []int       // runs with records that disagree
	Fails   map[int]int // by run: failed attempts of runs that have not ended
	Open    map[int]int // by run: attempts that began without a known end, because all processes died or they are in progress
	Files   []string    // names of the logs

	endedRecords []recordPosition
	openAttempts []int32 // while logs are read: for each run, attempts without a known end
}

// A recordPosition is the position of the record that counts for a run. This is the first record
// that describes the model. If no record describes the model, it is the first record of all.
type recordPosition struct {
	hash   uint64
	offset int64
	length int32 // length of the payload
	body   uint32
	file   int32
	state  uint8
}

// Read reads all logs of a study with the given number of runs.
func Read(dir, id string, runs int) (*History, error) {
	p := &History{Fails: map[int]int{}, Open: map[int]int{}, endedRecords: make([]recordPosition, runs), openAttempts: make([]int32, runs)}
	names, err := listLogs(dir)
	if err != nil {
		return nil, err
	}
	p.Files = names
	for i, name := range names {
		if err := p.read(name, id, int32(i)); err != nil {
			return nil, err
		}
	}
	for run, n := range p.openAttempts {
		if n > 0 && p.endedRecords[run].state == 0 {
			p.Open[run] = int(n)
		}
	}
	p.openAttempts = nil
	for run := range p.Fails {
		if p.endedRecords[run].state != 0 {
			delete(p.Fails, run)
		}
	}
	slices.Sort(p.Differ)
	p.Differ = slices.Compact(p.Differ)
	return p, nil
}

// listLogs lists the logs of a directory, sorted by name.
func listLogs(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if ok, _ := filepath.Match("worker-*.log", e.Name()); ok {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	slices.SortFunc(names, cmp.Compare)
	return names, nil
}

func (p *History) read(name, id string, file int32) (err error) {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	first := make([]byte, MaxLine)
	n, err := f.ReadAt(first, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := checkHeader(name, id, first[:n]); err != nil {
		return err
	}
	_, err = scanIndexed(name, id, f, func(e Entry, at int64) error { return p.add(e, at, file, name) })
	return err
}

// add adds an entry of a log to the history.
func (p *History) add(e Entry, at int64, file int32, name string) error {
	if e.Run >= len(p.endedRecords) {
		return fmt.Errorf("%s has run %d, the study has %d runs: the log is not of this study", name, e.Run, len(p.endedRecords))
	}
	switch e.Kind {
	case Began:
		p.openAttempts[e.Run]++
	case Failed:
		p.Fails[e.Run]++
		p.openAttempts[e.Run]--
	case Ended:
		p.note(e, recordPosition{e.Hash, at, int32(e.Length), e.Body, file, e.State})
	}
	return nil
}

// entry returns the result of a run. If several records have ended the run, it returns the best of
// them (see Weigh).
func (p *History) entry(run int) Entry {
	e := p.endedRecords[run]
	return Entry{Kind: Ended, Run: run, State: e.state, Hash: e.hash, Body: e.body}
}

// Runs returns the number of runs of the study.
func (p *History) Runs() int { return len(p.endedRecords) }

// Has reports whether a run has a record.
func (p *History) Has(run int) bool { return p.endedRecords[run].state != 0 }

// A Finding tells how a record relates to earlier records of its run.
type Finding int

// The findings.
const (
	First   Finding = iota // there was none
	Better                 // earlier records described only the machine, so this one counts
	Nothing                // it agrees with them, or describes only the machine
	Differs                // it disagrees: the model is not reproducible
)

// Weigh returns the finding of a record without adding it.
func (p *History) Weigh(e Entry) Finding {
	switch was := p.entry(e.Run); {
	case was.State == 0:
		return First
	case was.OfMachine() && !e.OfMachine():
		return Better
	case e.OfMachine(), was.Same(e):
		return Nothing
	}
	return Differs
}

// Note adds a record that this process has just written. It also adds a record that the process has
// not written, because the record would add nothing to the log.
func (p *History) Note(e Entry) Finding {
	return p.note(e, recordPosition{hash: e.Hash, body: e.Body, state: e.State, file: -1})
}

func (p *History) note(e Entry, at recordPosition) Finding {
	f := p.Weigh(e)
	switch f {
	case First:
		p.endedRecords[e.Run] = at
		p.Done++
	case Better:
		p.endedRecords[e.Run] = at
		p.Doubles++
	case Nothing:
		p.Doubles++
	case Differs:
		p.Differ = append(p.Differ, e.Run)
	}
	return f
}

// States counts the runs by the state in which they ended.
func (p *History) States() (count [7]int) {
	for _, e := range p.endedRecords {
		count[e.state]++
	}
	return count
}

// Records passes the record of every run that has ended to the function each, in the order of the
// runs. The payload is valid until that call of each returns.
func (p *History) Records(each func(e Entry, payload []byte) error) (err error) {
	files := make([]*os.File, len(p.Files))
	defer func() {
		for _, f := range files {
			if f != nil {
				err = errors.Join(err, f.Close())
			}
		}
	}()
	var buf []byte
	for run, at := range p.endedRecords {
		if at.state == 0 {
			continue
		}
		if files[at.file] == nil {
			if files[at.file], err = os.Open(p.Files[at.file]); err != nil {
				return err
			}
		}
		size := int(at.length) + MaxLine // an upper bound: the line may be shorter, and bytes after the entry are ignored
		if cap(buf) < size {
			buf = make([]byte, 2*size)
		}
		e, payload, err := p.record(files[at.file], buf[:size], run)
		if err != nil {
			return err
		}
		if err := each(e, payload); err != nil {
			return err
		}
	}
	return nil
}

// Record calls a function with the record of a run that has ended, as Records does.
func (p *History) Record(run int, each func(e Entry, payload []byte) error) (err error) {
	at := p.endedRecords[run]
	f, err := os.Open(p.Files[at.file])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	e, payload, err := p.record(f, make([]byte, int(at.length)+MaxLine), run)
	if err != nil {
		return err
	}
	return each(e, payload)
}

// A Gap is a part of a log that consists of no whole entry.
type Gap struct {
	File     string
	From, To int64 // offsets of the first byte, and of the first byte after it
	AtEnd    bool  // no entry follows
}

// Gaps reads all logs of a study as a whole, without their indexes, and returns their gaps.
func (p *History) Gaps(id string) (gaps []Gap, err error) {
	for _, name := range p.Files {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		at := int64(len(logHeader(id)))
		_, err = Scan(f, at, func(e Entry, from int64, _ []byte) error {
			if from > at {
				gaps = append(gaps, Gap{name, at, from, false})
			}
			at = from + int64(e.Size())
			return nil
		})
		size, err2 := f.Seek(0, io.SeekEnd)
		if at < size {
			gaps = append(gaps, Gap{name, at, size, true})
		}
		if err := errors.Join(err, err2, f.Close()); err != nil {
			return nil, err
		}
	}
	return gaps, nil
}

// record reads, from a log, the record of a run that has ended.
func (p *History) record(f *os.File, buf []byte, run int) (Entry, []byte, error) {
	at := p.endedRecords[run]
	n, err := f.ReadAt(buf, at.offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return Entry{}, nil, fmt.Errorf("%s: run %d: %w", p.Files[at.file], run, err)
	}
	e, payload, ok, _ := Parse(buf[:n])
	if !ok || e.Run != run {
		return e, nil, fmt.Errorf("%s: the record of run %d, at byte %d, is damaged: remove %s, and resume does the run again", p.Files[at.file], run, at.offset, indexName(p.Files[at.file]))
	}
	return e, payload, nil
}
