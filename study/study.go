package study

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"github.com/lanewise/lanewise/internal/atomicfile"
	"github.com/lanewise/lanewise/internal/printable"
	"github.com/lanewise/lanewise/study/internal/design"
	"github.com/lanewise/lanewise/study/internal/journal"
	"github.com/lanewise/lanewise/study/table"
)

// A Study gives an engine access to a study. An engine hands out the study's runs to the cores of
// this machine or to other machines. Main passes a Study to the engine's command, which calls Open
// or Adopt to open it.
//
// Several goroutines may call Done, Missing and Keep at the same time.
type Study struct {
	program  *program
	errOut   io.Writer
	anyBuild bool
	inChild  bool // this process belongs to a crew

	dir      string // empty if there is none: on a machine that does runs for another one
	manifest manifest
	bytes    []byte // bytes of the manifest
	id       string

	mu      sync.Mutex
	log     *journal.Log
	history *journal.History
	columns map[string][]table.Column // columns of the tables in records that count, by name; only for engines
}

// manifest is the contents of study.json, which holds everything that a worker needs to know.
type manifest struct {
	Format  int            `json:"format"`
	Model   string         `json:"model"`
	Program string         `json:"program"` // the result of Build
	Params  []design.Param `json:"params"`
	Design  design.Design  `json:"design"`
	Limit   time.Duration  `json:"limit,omitempty"` // time limit of a run, in nanoseconds
}

const manifestName = "study.json"

// Build identifies the build of this program. If the program was built from a clean revision, Build
// is "git:" and the revision. Otherwise, it is "sha256:" and the digest of the executable. Builds
// of one revision for different CPUs have the same name, because their results are the same.
func Build() (string, error) { return build() }

var build = sync.OnceValues(func() (string, error) {
	if b, ok := debug.ReadBuildInfo(); ok {
		setting := map[string]string{}
		for _, s := range b.Settings {
			setting[s.Key] = s.Value
		}
		if rev := setting["vcs.revision"]; rev != "" && setting["vcs.modified"] == "false" {
			return "git:" + rev, nil
		}
	}
	name, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return fmt.Sprintf("sha256:%x", h.Sum(nil)), errors.Join(err, f.Close())
})

// create writes the manifest of a new study into a directory. If the directory already
// contains the same study, create does nothing. If it contains another study, create changes
// nothing and returns an error.
func (s *Study) create(dir string, d design.Design, limit time.Duration) error {
	b, err := Build()
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(manifest{1, s.program.name, b, s.program.params, d, limit}, "", "\t")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	name := filepath.Join(dir, manifestName)
	old, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return writeAtomic(name, text)
	}
	if err != nil || bytes.Equal(old, text) {
		return err
	}
	m := new(manifest)
	if err := json.Unmarshal(old, m); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := s.checkProgram(m, dir); err != nil {
		return err
	}
	if s.anyBuild {
		m.Program = b
		if like, err := json.MarshalIndent(m, "", "\t"); err == nil && bytes.Equal(append(like, '\n'), text) {
			return nil
		}
	}
	return fmt.Errorf("%s holds a study with another design (or -limit): take another -out, or go on with that one: resume -out %s", dir, dir)
}

// writeAtomic writes a file as a whole or not at all. It leaves other temporary files alone,
// because workers on other machines write into the directory too, and their locks may not be
// visible here. The function tidy removes such files later.
func writeAtomic(name string, b []byte) error {
	return atomicfile.Write(name, atomicfile.Options{NoSweep: true}, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// checkProgram returns an error if this program cannot continue the study.
func (s *Study) checkProgram(m *manifest, where string) error {
	if m.Format != 1 {
		return fmt.Errorf("%s has format %d, this program knows 1: take the version of it that made the study", where, m.Format)
	}
	if m.Model != s.program.name {
		return fmt.Errorf("%s is a study of %s, this program has %s", where, printable.Line(m.Model), s.program.name)
	}
	if s.inChild { // the parent has already checked the build
		return nil
	}
	b, err := Build()
	if err != nil || b == m.Program {
		return err
	}
	if s.anyBuild {
		_, _ = fmt.Fprintf(s.errOut, "-any-build: %s was begun by another build (%s, this is %s): whether its runs and these belong together is for you to know\n", where, printable.Line(m.Program), b)
		return nil
	}
	return fmt.Errorf("%s was begun by another build of the program (%s, this is %s): begin anew with another -out, or say -any-build if the change cannot matter", where, printable.Line(m.Program), b)
}

// Adopt opens a study by its manifest, on a machine without the study's
// directory. Adopt returns an error for a study of another model or another build.
func (s *Study) Adopt(text []byte) error {
	m := manifest{}
	if err := json.Unmarshal(text, &m); err != nil {
		return fmt.Errorf("study: the manifest: %w", err)
	}
	return s.adopt(m, text, "the study that was handed out")
}

func (s *Study) adopt(m manifest, text []byte, where string) error {
	if err := s.checkProgram(&m, where); err != nil {
		return err
	}
	if err := m.Design.Bind(s.program.params); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	s.manifest, s.bytes, s.id = m, text, fmt.Sprintf("%x", sha256.Sum256(text))[:32]
	return nil
}

// load reads the manifest in a directory.
func (s *Study) load(dir string) error {
	name := filepath.Join(dir, manifestName)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s holds no study (there is no %s): sweep -out %s makes one", dir, manifestName, dir)
	}
	if err != nil {
		return err
	}
	m := manifest{}
	if err := json.Unmarshal(text, &m); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	s.dir = dir
	return s.adopt(m, text, dir)
}

// Open opens the study in a directory, and the log of one of its workers. No other process may use
// the same worker name. A run counts as done if the log of any worker has a record of it.
func (s *Study) Open(dir, worker string) (err error) {
	if err := s.load(dir); err != nil {
		return err
	}
	if s.log, err = journal.Open(dir, worker, s.id); err != nil {
		return err
	}
	if s.history, err = journal.Read(dir, s.id, s.Runs()); err != nil {
		return errors.Join(err, s.Close())
	}
	return nil
}

// Close closes the log.
func (s *Study) Close() error {
	if s.log == nil {
		return nil
	}
	err := s.log.Close()
	s.log = nil
	return err
}

// ID identifies the study. The id is a hash of the manifest.
func (s *Study) ID() string { return s.id }

// Manifest returns the bytes of study.json, for Adopt on another machine.
func (s *Study) Manifest() []byte { return s.bytes }

// Dir returns the study's directory; it is empty after Adopt.
func (s *Study) Dir() string { return s.dir }

// Runs returns the number of runs of the study.
func (s *Study) Runs() int { return s.manifest.Design.Runs() }

// Done returns the number of runs that have ended.
func (s *Study) Done() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.history.Done
}

// Missing yields the runs that have not ended, in the order in which they
// should be done. The order is a shuffle, so that all shares take about the same time. Runs that
// were in progress when all processes died come last.
func (s *Study) Missing() iter.Seq[int] { return s.missing(Share{0, 1}) }

func (s *Study) missing(of Share) iter.Seq[int] {
	return func(yield func(int) bool) {
		var later []int
		for k := of.Index; k < s.Runs(); k += of.Count {
			run := s.manifest.Design.Order(k)
			s.mu.Lock()
			has, doubtful := s.history.Has(run), s.history.Open[run] > 0
			s.mu.Unlock()
			switch {
			case has:
			case doubtful:
				later = append(later, run)
			case !yield(run):
				return
			}
		}
		for _, run := range later {
			if !yield(run) {
				return
			}
		}
	}
}

// Keep writes a record into the log if it is the first record of its run. A record with Late or
// Crash describes a machine and not the model. So a later record with a result replaces it. Keep
// reports whether the record is the first. If the record contradicts the record that counts, Keep
// returns ErrDiffers. If no run of this study can have made the record, Keep returns ErrRecord.
// In this case, an engine should drop the record and continue.
//
// Keep returns ErrRecord in three cases: the record's seed is not the seed of its run; the rows do
// not match the checksum or the columns; or the state is OK and there is no result. Keep also
// returns ErrRecord if the columns of a table differ from the program's columns or from the columns
// in earlier records. Keep cannot detect wrong numbers in a valid record, so let only trusted
// machines join.
func (s *Study) Keep(record []byte) (first bool, err error) {
	r, err := ParseRecord(record)
	if err != nil {
		return false, err
	}
	tables, err := s.checkOrigin(r)
	if err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.columns == nil {
		s.columnsBefore()
	}
	if err := s.checkColumns(r.Run, tables); err != nil {
		return false, err
	}
	found, err := s.keep(r)
	if err == nil && found != journal.Nothing {
		s.storeColumns(tables)
	}
	return found == journal.First, err
}

// keep writes a record as Keep does. The caller holds s.mu.
func (s *Study) keep(r Record) (journal.Finding, error) {
	e := journal.Entry{Run: r.Run, State: uint8(r.State), Hash: r.Hash, Body: r.Rows}
	found := s.history.Weigh(e)
	if found == journal.First || found == journal.Better {
		if err := s.log.Keep(r.Bytes); err != nil {
			return journal.Nothing, err
		}
		forget(s.dir, r.Run)
	}
	if s.history.Note(e); found == journal.Differs {
		return found, fmt.Errorf("run %d: %w", r.Run, ErrDiffers)
	}
	return found, nil
}

// keepOwn writes a record as Keep does, but does not check the record's origin, because a child of
// this process has made it.
func (s *Study) keepOwn(r Record) (first bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, err := s.keep(r)
	return found == journal.First, err
}

// ErrDiffers is returned for a run that was done twice with different results, because the model is
// then not reproducible.
var ErrDiffers = errors.New("it was done twice and ended differently: the model is not reproducible")
