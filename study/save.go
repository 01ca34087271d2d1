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

// A runSaver saves a long run at intervals. It writes a save as a whole or not at all. A nil
// runSaver saves nothing.
type runSaver struct {
	id        string // id of the study
	isDue     func(tick int) bool
	write     func(b []byte) error
	read      func() ([]byte, error) // fs.ErrNotExist if nothing was saved
	restarted func(why string)       // is called with the reason if a run cannot continue and starts again; if it is nil, the run fails instead
}

// saveName returns the name of the file in which a run is saved.
func saveName(dir string, run int) string { return filepath.Join(dir, fmt.Sprintf("run-%d.save", run)) }

// newKeeper returns the runSaver of a run, which saves into a directory.
func newKeeper(dir, id string, run int, every time.Duration) *runSaver {
	name, last := saveName(dir, run), time.Now()
	return &runSaver{
		id:    id,
		isDue: func(int) bool { return time.Since(last) >= every },
		write: func(b []byte) error {
			err := writeAtomic(name, b)
			last = time.Now()
			if errors.Is(err, fs.ErrNotExist) { // another worker has done the run meanwhile and removed its file
				return nil
			}
			return err
		},
		read: func() ([]byte, error) { return os.ReadFile(name) },
		restarted: func(why string) {
			_, _ = fmt.Fprintf(os.Stderr, "run %d begins anew: %s %s\n", run, filepath.Base(name), printable.Lines(why))
		},
	}
}

// SaveWorld writes the world of a run. Use SaveWorld in the Save method of a model. The method may
// write more before or after the world. Package [snapshot] lists the parts of a world that no file
// contains, and the options for them.
func SaveWorld(r *Run, to io.Writer, opts ...snapshot.Option) error {
	m, err := ecs.Capture(r.World, nil)
	if err != nil {
		return err
	}
	_, err = snapshot.Write(to, m, opts...)
	return errors.Join(err, m.Release())
}

// LoadWorld restores the world that [SaveWorld] wrote into w, which Load has
// made in the same way as Setup. LoadWorld restores all entities with their ids. For systems, it
// restores their change versions and their saved state; see [system.Saver]. So the run continues
// as if it had not been interrupted. Queries stay valid. LoadWorld reads to the end of from.
func LoadWorld(w *ecs.World, from io.Reader, opts ...snapshot.Option) error {
	m, err := snapshot.Read(from, opts...)
	if err != nil {
		return err
	}
	return errors.Join(system.Restore(w, m), m.Release())
}

// saved is the first line of a saved run. The rows and the model's bytes
// follow.
type saved struct {
	ID     string        `json:"id"`
	Run    int           `json:"run"`
	Tick   int           `json:"tick"`
	Spent  time.Duration `json:"spent"`
	Bad    string        `json:"bad,omitempty"`
	Marks  []mark        `json:"marks,omitempty"`
	Tables []part        `json:"tables,omitempty"`
}

// save saves the run if its interval has passed.
func (k *runSaver) save(r *Run, s steps, spent time.Duration, more bool) error {
	if k == nil || s.save == nil || !more || r.ctx.Err() != nil || !k.isDue(r.Tick) {
		return nil
	}
	head := saved{ID: k.id, Run: r.Index, Tick: r.Tick, Spent: spent, Bad: r.notFinite, Marks: r.marks}
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

// These are the errors for a file that is not a saved run.
var (
	errDamaged = errors.New("is damaged")
	errForeign = errors.New("is of another study or run")
)

// resume restores the run from its save. resume returns the bytes of the model and the time that
// the run has spent. If the file is damaged or belongs to another run, resume reports the file and
// ignores it.
func (k *runSaver) resume(r *Run) (from *bytes.Reader, spent time.Duration, err error) {
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
	if (errors.Is(err, errDamaged) || errors.Is(err, errForeign)) && k.restarted != nil {
		k.restarted(err.Error())
		return nil, 0, nil
	}
	return from, spent, err
}

// open splits the bytes of a saved run.
func (k *runSaver) open(r *Run, b []byte) (from *bytes.Reader, spent time.Duration, err error) {
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
	r.Tick, r.notFinite, r.tables, r.marks = head.Tick, head.Bad, tables, head.Marks
	return bytes.NewReader(rest), head.Spent, nil
}

// forget removes the save of a run that has ended.
func forget(dir string, run int) {
	if dir != "" {
		_ = os.Remove(saveName(dir, run))
	}
}

// savedName matches the names of saved runs: complete and temporary files, of
// this version and of earlier versions.
var savedName = regexp.MustCompile(`^\.?run-(0|[1-9][0-9]*)\.save(\.[0-9]+|\.lanewise-[0-9]+-[0-9]+\.tmp)?$`)

// tidy removes the saves of runs that have ended. A save remains if its process was killed before
// it removed the save, or if another worker has done the run. If a worker is still doing such a
// run, it finds that its file is gone, which does no harm.
func tidy(s *Study) {
	entries, _ := os.ReadDir(s.dir) // not filepath.Glob, because the name of the directory may contain pattern characters
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
