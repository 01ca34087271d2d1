package study

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/internal/printable"
	"github.com/lanewise/lanewise/study/internal/journal"
	"github.com/lanewise/lanewise/study/table"
)

// certificateName is the name of the certificate in the directory of a study.
const certificateName = "study.cert"

// A certificate lists the results of all runs of a study, and the program that computed them. A stranger can compare a
// table with it, and can compute runs again. The page docs/study.md describes its file.
type certificate struct {
	name string // of the file; empty if the certificate was made from the logs
	head certificateHead
	runs map[int]certifiedRun
	root string // the last link of the chain
}

// certificateHead is the first line of the file.
type certificateHead struct {
	Format    int                       `json:"certificate"`
	ID        string                    `json:"id"`
	Study     json.RawMessage           `json:"study"` // the manifest
	Toolchain string                    `json:"toolchain"`
	Main      string                    `json:"main"`
	Modules   []string                  `json:"modules,omitempty"`
	Settings  []string                  `json:"settings,omitempty"`
	Runs      int                       `json:"runs"`
	Tables    map[string][]table.Column `json:"tables"`
}

// A certifiedRun is the line of one run in a certificate. The chain of a line is a SHA-256 of the chain of the previous
// line and of this line with an empty chain. So the chain of the last line depends on every byte of the file.
type certifiedRun struct {
	Run   int               `json:"run"`
	Seed  uint64            `json:"seed,string"`
	State string            `json:"state"`
	Ticks int               `json:"ticks"`
	Hash  hashHex           `json:"hash"`
	Marks []mark            `json:"marks,omitempty"`
	Rows  map[string]string `json:"rows,omitempty"` // by table: SHA-256 of the rows as the log stores them
	Chain string            `json:"chain"`

	tables []part // of the record; nil in a line that was read from a file
}

// ofMachine reports whether the run was late or crashed, which depends on the machine.
func (r certifiedRun) ofMachine() bool { return r.State == Late.String() || r.State == Crash.String() }

// check returns an error for a line that certify cannot write. A run that was late or crashed is not computed again. So
// its line must not contain results, because nothing would compare these results.
func (r certifiedRun) check(tables map[string][]table.Column) error {
	if i := slices.Index(journal.States, r.State); i < int(OK) {
		return fmt.Errorf("it has the state %q, and a run has one of %s", r.State, strings.Join(journal.States[OK:], ", "))
	}
	if r.ofMachine() && (r.Ticks != 0 || r.Hash != 0 || len(r.Marks) > 0 || len(r.Rows) > 0) {
		return fmt.Errorf("it was %s, and has a result: the result of such a run depends on the machine, and certify writes none", r.State)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Rows)) {
		if _, ok := tables[name]; !ok {
			return fmt.Errorf("it has rows of table %s, and the first line has no columns of it", printable.Name(name))
		}
	}
	return nil
}

// certifiedLine returns the line of a record, and the rows of its tables, which share memory with the payload.
func certifiedLine(e journal.Entry, payload []byte) (c certifiedRun, rows map[string][]byte, err error) {
	h, body, err := parsePayload(payload)
	if err != nil {
		return c, nil, fmt.Errorf("run %d: %w", e.Run, err)
	}
	c = certifiedRun{Run: e.Run, Seed: h.Seed, State: State(e.State).String(), Ticks: h.Ticks, Hash: hashHex(e.Hash), Marks: h.Marks, Rows: map[string]string{}, tables: h.Tables}
	if e.OfMachine() {
		c.Ticks = 0 // depends on the machine
	}
	rows = map[string][]byte{}
	for _, p := range h.Tables {
		if p.Bytes < 0 || p.Bytes > len(body) {
			return c, nil, fmt.Errorf("run %d: %w", e.Run, ErrRecord)
		}
		rows[p.Name] = body[:p.Bytes]
		c.Rows[p.Name] = sumOf(body[:p.Bytes])
		body = body[p.Bytes:]
	}
	if c.ofMachine() && (c.Hash != 0 || len(c.Marks) > 0 || len(c.Rows) > 0) {
		return c, nil, fmt.Errorf("run %d: %w: it was %s, and has a result", e.Run, ErrRecord, c.State)
	}
	return c, rows, nil
}

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// certify makes the certificate of a study from its logs. Runs that have not ended are not in the certificate.
func (s *Study) certify() (*certificate, error) {
	c := &certificate{runs: map[int]certifiedRun{}, head: certificateHead{Format: 1, ID: s.id, Toolchain: "unknown", Runs: s.Runs(), Tables: map[string][]table.Column{}}}
	var compact bytes.Buffer
	if err := json.Compact(&compact, s.bytes); err != nil {
		return nil, err
	}
	c.head.Study = compact.Bytes()
	if b, ok := debug.ReadBuildInfo(); ok {
		c.head.describe(b)
	}
	return c, s.history.Records(func(e journal.Entry, payload []byte) error {
		run, _, err := certifiedLine(e, payload)
		if err != nil {
			return err
		}
		for _, p := range run.tables {
			if was, ok := c.head.Tables[p.Name]; ok && !slices.Equal(was, p.Columns) {
				return fmt.Errorf("run %d: table %s: its columns differ from those of runs before: the program was changed meanwhile", e.Run, printable.Name(p.Name))
			}
			c.head.Tables[p.Name] = p.Columns
		}
		c.runs[e.Run] = run
		return nil
	})
}

// describe stores the build of the program: the module of the program, the modules that it links, and the settings that
// choose code.
func (h *certificateHead) describe(b *debug.BuildInfo) {
	name := func(m *debug.Module) string {
		text := m.Path + " " + m.Version
		if m.Replace != nil {
			return strings.TrimSpace(text + " => " + m.Replace.Version) // its path may be a directory of the machine
		}
		return strings.TrimSpace(text + " " + m.Sum)
	}
	h.Toolchain, h.Main = b.GoVersion, name(&b.Main)
	for _, m := range b.Deps {
		h.Modules = append(h.Modules, name(m))
	}
	for _, s := range b.Settings {
		switch s.Key {
		case "-tags", "-race", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT", "GODEBUG", "CGO_ENABLED", "vcs.revision", "vcs.modified":
			h.Settings = append(h.Settings, s.Key+"="+s.Value)
		}
	}
}

// write writes the file of a certificate.
func (c *certificate) write(to io.Writer) error {
	w := bufio.NewWriter(to)
	first, err := json.Marshal(c.head)
	if err != nil {
		return err
	}
	_, _ = w.Write(append(first, '\n'))
	c.root = sumOf(first)
	for run := range c.head.Runs {
		line := c.runs[run]
		if line.Chain, err = line.link(c.root); err != nil {
			return err
		}
		c.root = line.Chain
		b, err := json.Marshal(line)
		if err != nil {
			return err
		}
		_, _ = w.Write(append(b, '\n'))
	}
	return w.Flush()
}

// check returns an error for a first line that certify cannot write.
func (h *certificateHead) check() error {
	if h.Runs < 0 {
		return fmt.Errorf("it has %d runs", h.Runs)
	}
	for _, name := range slices.Sorted(maps.Keys(h.Tables)) {
		for _, c := range h.Tables[name] {
			if _, err := c.Kind.MarshalText(); err != nil || c.Name == "" {
				return fmt.Errorf("a column of table %s has no name or no kind", printable.Name(name))
			}
		}
	}
	return nil
}

// link returns the chain of a line. Its argument is the chain of the previous line.
func (r certifiedRun) link(before string) (string, error) {
	r.Chain = ""
	b, err := json.Marshal(r)
	return sumOf(append([]byte(before), b...)), err
}

// errCertificate is the category of errors for a file that is not an unchanged certificate.
var errCertificate = errors.New("it was changed after certify wrote it, or is not whole: ask for the original file")

// parseCertificate reads the text of a certificate and checks its chain.
func parseCertificate(name string, text []byte) (*certificate, error) {
	c := &certificate{name: name, runs: map[int]certifiedRun{}}
	lines := bytes.SplitAfter(text, []byte{'\n'})
	first := bytes.TrimSuffix(lines[0], []byte{'\n'})
	if err := json.Unmarshal(first, &c.head); err != nil {
		return nil, fmt.Errorf("%s: line 1: %w", name, errCertificate)
	}
	if c.head.Format != 1 {
		return nil, fmt.Errorf("%s has format %d, this program knows 1: take the version of it that made the certificate", name, c.head.Format)
	}
	if err := c.head.check(); err != nil {
		return nil, fmt.Errorf("%s: line 1: %w: %w", name, err, errCertificate)
	}
	c.root = sumOf(first)
	lines = lines[1:]
	used := map[string]bool{}
	for run := range c.head.Runs {
		var r certifiedRun
		if run >= len(lines) || json.Unmarshal(lines[run], &r) != nil {
			return nil, fmt.Errorf("%s: line %d, of run %d: %w", name, run+2, run, errCertificate)
		}
		whole, _ := json.Marshal(r)
		link, err := r.link(c.root)
		if err != nil || r.Run != run || link != r.Chain || !bytes.Equal(append(whole, '\n'), lines[run]) {
			what := fmt.Sprintf("%s: line %d, of run %d", name, run+2, run)
			if run == 0 {
				what = name + ": line 1 or 2"
			}
			return nil, fmt.Errorf("%s: %w", what, errCertificate)
		}
		if err := r.check(c.head.Tables); err != nil {
			return nil, fmt.Errorf("%s: line %d, of run %d: %w: %w", name, run+2, run, err, errCertificate)
		}
		c.root, c.runs[run] = r.Chain, r
		for table := range r.Rows {
			used[table] = true
		}
	}
	if len(used) < len(c.head.Tables) {
		return nil, fmt.Errorf("%s: line 1: it has tables without rows: %w", name, errCertificate)
	}
	if len(lines) != c.head.Runs+1 || len(lines[c.head.Runs]) > 0 {
		return nil, fmt.Errorf("%s: bytes follow line %d: %w", name, c.head.Runs+1, errCertificate)
	}
	return c, nil
}

func (p *program) certifyCommand(_ context.Context, args []string, c Console) error {
	f := newFlags("certify", c)
	out := f.String("out", "study", "the study's `directory`")
	if err := errors.Join(f.parse(args), f.checkNoArgs()); err != nil {
		return err
	}
	s := &Study{program: p, errOut: c.Err}
	if err := s.load(*out); err != nil {
		return err
	}
	var err error
	if s.history, err = journal.Read(*out, s.id, s.Runs()); err != nil {
		return err
	}
	if missing := s.Runs() - s.history.Done; missing > 0 {
		return fmt.Errorf("%d of %d runs are missing, and a certificate has all: resume -out %s does them", missing, s.Runs(), *out)
	}
	if err := s.checkReproducible(); err != nil {
		return err
	}
	cert, err := s.certify()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := cert.write(&b); err != nil {
		return err
	}
	name := filepath.Join(*out, certificateName)
	if err := writeAtomic(name, b.Bytes()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Err, "%s certifies %d runs: chain %s\n", filepath.ToSlash(name), s.Runs(), cert.root)
	return err
}
