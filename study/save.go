package study

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/internal/printable"
	"github.com/lanewise/lanewise/study/internal/journal"
)

// A keeper saves a long run now and then, as a whole or not at all. A nil keeper saves
// nothing.
type keeper struct {
	id    string // of the study
	due   func(tick int) bool
	write func(b []byte) error
	read  func() ([]byte, error) // fs.ErrNotExist: nothing was saved
	anew  func(why string)       // is told why a run begins anew; nil: it does not, and fails
}

// saveName is the name of the file of a run.
func saveName(dir string, run int) string { return filepath.Join(dir, fmt.Sprintf("run-%d.save", run)) }

// newKeeper returns the keeper of a run in a directory.
func newKeeper(dir, id string, run int, every time.Duration) *keeper {
	name, last := saveName(dir, run), time.Now()
	return &keeper{
		id:  id,
		due: func(int) bool { return time.Since(last) >= every },
		write: func(b []byte) error {
			err := place(name, b)
			last = time.Now()
			if errors.Is(err, fs.ErrNotExist) { // another has done the run meanwhile, and tidied up
				return nil
			}
			return err
		},
		read: func() ([]byte, error) { return os.ReadFile(name) },
		anew: func(why string) {
			_, _ = fmt.Fprintf(os.Stderr, "run %d begins anew: %s %s\n", run, filepath.Base(name), printable.Lines(why))
		},
	}
}

// SaveWorld writes the world of a run: for the Save of a model, behind whatever else that writes. What
// can be in a world and in no file is told in package [snapshot], and what options do about it.
func SaveWorld(r *Run, to io.Writer, opts ...snapshot.Option) error {
	m, err := ecs.Capture(r.World, nil)
	if err != nil {
		return err
	}
	_, err = snapshot.Write(to, m, opts...)
	return errors.Join(err, m.Release())
}

// LoadWorld makes w, which Load has made as Setup does, what [SaveWorld] wrote: with all entities and their
// ids, and if it has systems what these have seen and saved, see [system.Saver], so that the run goes on as it would
// have. Queries stay good. It reads to the end.
func LoadWorld(w *ecs.World, from io.Reader, opts ...snapshot.Option) error {
	m, err := snapshot.Read(from, opts...)
	if err != nil {
		return err
	}
	return errors.Join(system.Restore(w, m), m.Release())
}

// saved is the first line of what a file holds. The rows and the model's own bytes
// follow.
type saved struct {
	ID     string        `json:"id"`
	Run    int           `json:"run"`
	Tick   int           `json:"tick"`
	Spent  time.Duration `json:"spent"`
	Bad    string        `json:"bad,omitempty"`
	Tables []part        `json:"tables,omitempty"`
}

// save saves the run if it is time for that.
func (k *keeper) save(r *Run, s steps, spent time.Duration, more bool) error {
	if k == nil || s.save == nil || !more || r.ctx.Err() != nil || !k.due(r.Tick) {
		return nil
	}
	head := saved{ID: k.id, Run: r.Index, Tick: r.Tick, Spent: spent, Bad: r.bad}
	for _, tab := range r.tables {
		head.Tables = append(head.Tables, tab.part())
	}
	line, err := json.Marshal(head)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.Write(append(line, '\n'))
	for _, tab := range r.tables {
		b.Write(tab.bytes)
	}
	if err := s.save(&b); err != nil {
		return fmt.Errorf("Save: %w", err)
	}
	fmt.Fprintf(&b, "\n%08x", journal.Checksum(b.Bytes()))
	if err := k.write(b.Bytes()); err != nil {
		return fmt.Errorf("saving the run: %w", err)
	}
	return nil
}

// What is wrong with a file that is no run's.
var (
	errDamaged = errors.New("is damaged")
	errForeign = errors.New("is of another study or run")
)

// resume puts the run where it was saved, and returns what the model wrote and the
// time that was spent. A file that is damaged or of another run counts as none, and is told.
func (k *keeper) resume(r *Run) (from *bytes.Reader, spent time.Duration, err error) {
	if k == nil {
		return nil, 0, nil
	}
	b, err := k.read()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err == nil {
		from, spent, err = k.open(r, b)
	}
	if (errors.Is(err, errDamaged) || errors.Is(err, errForeign)) && k.anew != nil {
		k.anew(err.Error())
		return nil, 0, nil
	}
	return from, spent, err
}

// open takes apart what was saved.
func (k *keeper) open(r *Run, b []byte) (from *bytes.Reader, spent time.Duration, err error) {
	end := len(b) - len("\n00000000")
	if end < 0 || string(b[end:]) != fmt.Sprintf("\n%08x", journal.Checksum(b[:end])) {
		return nil, 0, errDamaged
	}
	line, rest, _ := bytes.Cut(b[:end], []byte{'\n'})
	var head saved
	if json.Unmarshal(line, &head) != nil {
		return nil, 0, errDamaged
	}
	if head.ID != k.id || head.Run != r.Index {
		return nil, 0, errForeign
	}
	var tables []*rows
	for _, p := range head.Tables {
		if p.Bytes < 0 || p.Bytes > len(rest) {
			return nil, 0, errDamaged
		}
		tables = append(tables, &rows{name: p.Name, columns: p.Columns, n: p.Rows, bytes: bytes.Clone(rest[:p.Bytes])})
		rest = rest[p.Bytes:]
	}
	r.Tick, r.bad, r.tables = head.Tick, head.Bad, tables
	return bytes.NewReader(rest), head.Spent, nil
}

// forget removes what was saved of a run that has ended.
func forget(dir string, run int) {
	if dir != "" {
		_ = os.Remove(saveName(dir, run))
	}
}

// savedName is how files of runs are named: whole ones, and those that were being written, by this version and by earlier ones.
var savedName = regexp.MustCompile(`^\.?run-(0|[1-9][0-9]*)\.save(\.[0-9]+|\.lanewise-[0-9]+-[0-9]+\.tmp)?$`)

// tidy removes what was saved of runs that have ended: a process was killed while it forgot one, or
// died after its run was done by another, and has left it. A worker that is at such a run all the same
// finds its file gone, which is no harm.
func tidy(s *Study) {
	entries, _ := os.ReadDir(s.dir) // no Glob: the name of the directory may look like a pattern
	for _, e := range entries {
		part := savedName.FindStringSubmatch(e.Name())
		if part == nil {
			continue
		}
		if run, err := strconv.Atoi(part[1]); err == nil && run < s.Runs() && s.history.Has(run) {
			_ = os.Remove(filepath.Join(s.dir, e.Name()))
		}
	}
}
