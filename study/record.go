package study

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/study/internal/journal"
	"github.com/lanewise/lanewise/study/table"
)

// State is how a run ended.
type State uint8

// The states. The index of a log stores a state as this number.
const (
	OK      State = 1 + iota // the run has a result
	Errored                  // Setup or Step returned an error
	Panic                    // the model panicked
	NaN                      // a row has a number that is not finite
	Late                     // it took longer than -limit
	Crash                    // the run ended its process in each of -attempts attempts
)

// String returns the name of the state in tables.
func (s State) String() string {
	if int(s) < len(journal.States) {
		return journal.States[s]
	}
	return fmt.Sprintf("state %d", uint8(s))
}

// A Record is the result of a run, together with the bytes that the log stores for it. Engines
// transfer these bytes between machines.
type Record struct {
	Run   int
	State State
	Hash  uint64 // of the world at the end, or of the rows if the model has no world
	Rows  uint32 // CRC-32C of the rows
	Bytes []byte // the whole record
}

// Same reports whether two records of a run have the same result. Same ignores the worker and the
// duration. If the results differ, and neither record is Late or a Crash, the model is not
// reproducible.
func (r Record) Same(o Record) bool {
	return r.Run == o.Run && r.State == o.State && r.Hash == o.Hash && r.Rows == o.Rows
}

// ErrRecord is returned for bytes that are not exactly one record.
var ErrRecord = errors.New("study: the bytes are not a whole record")

// ParseRecord checks the bytes of a record. The record keeps b.
func ParseRecord(b []byte) (Record, error) {
	e, _, ok, _ := journal.Parse(b)
	if !ok || e.Kind != journal.Ended || e.Size() != len(b) {
		return Record{}, ErrRecord
	}
	return Record{e.Run, State(e.State), e.Hash, e.Body, b}, nil
}

// checkOrigin returns the tables of a record. It returns an error if no run of the study can have
// made the record. Engines transfer records from machines that an attacker may control. A correct
// checksum does not prove the origin of a record, because the checksum needs no key. The check is
// necessary because one record that does not fit its table would make every table fail.
func (s *Study) checkOrigin(r Record) ([]part, error) {
	bad := func(format string, args ...any) ([]part, error) {
		return nil, fmt.Errorf("%w of this study: run %d: %w", ErrRecord, r.Run, fmt.Errorf(format, args...))
	}
	if r.Run < 0 || r.Run >= s.Runs() {
		return nil, fmt.Errorf("%w of this study: a record of run %d, the study has %d runs", ErrRecord, r.Run, s.Runs())
	}
	_, payload, _, _ := journal.Parse(r.Bytes)
	h, body, err := parsePayload(payload)
	if err != nil {
		return bad("its first line: %w", err)
	}
	if _, seed := s.manifest.Design.At(nil, r.Run); h.Seed != seed || h.Ticks < 0 {
		return bad("it has the seed %d and %d ticks, the study gives it the seed %d", h.Seed, h.Ticks, seed)
	}
	if sum := journal.Checksum(body); sum != r.Rows {
		return bad("its rows have the checksum %08x, its line says %08x", sum, r.Rows)
	}
	names := map[string]bool{runsTable: true, timesTable: true} // names that no run can emit
	for _, p := range h.Tables {
		if p.Name == "" || names[p.Name] {
			return bad("table %q is there twice, or is the study's own", p.Name)
		}
		names[p.Name] = true
		if p.Bytes < 0 || p.Bytes > len(body) {
			return bad("table %q has %d bytes of %d", p.Name, p.Bytes, len(body))
		}
		if err := p.check(body[:p.Bytes]); err != nil {
			return bad("table %q: %w", p.Name, err)
		}
		if p.Name == resultTable && (p.Rows != 1 || !slices.Equal(p.Columns, s.program.result.Columns)) {
			return bad("a result of %d rows and columns %q: this program's has one row and %q", p.Rows, p.Columns, s.program.result.Columns)
		}
		body = body[p.Bytes:]
	}
	switch {
	case len(body) > 0:
		return bad("%d bytes are of no table", len(body))
	case (r.State == OK || r.State == NaN) && !names[resultTable]:
		return bad("it is %s and has no result", r.State)
	}
	return h.Tables, nil
}

// check returns an error if rows do not match the part that describes them.
func (p *part) check(rows []byte) (err error) {
	for _, c := range p.Columns {
		if _, err := c.Kind.MarshalText(); err != nil || c.Name == "" {
			return fmt.Errorf("column %q: %w", c.Name, errors.Join(err, ErrRecord))
		}
	}
	var cells []table.Value
	n := 0
	for ; n < p.Rows && err == nil; n++ {
		cells, rows, err = table.Decode(rows, p.Columns, cells[:0])
	}
	if err == nil && (n != p.Rows || len(rows) > 0) {
		err = fmt.Errorf("%d bytes are left after %d rows", len(rows), p.Rows)
	}
	return err
}

// checkColumns returns an error if the columns of a table differ between this record and an
// earlier record that counts, because one table cannot contain the rows of both. The caller holds
// s.mu.
func (s *Study) checkColumns(run int, tables []part) error {
	for _, p := range tables {
		if was, ok := s.columns[p.Name]; ok && !slices.Equal(was, p.Columns) {
			return fmt.Errorf("%w of this study: run %d: table %q has the columns %q, and %q in a run before: two types of the model may have one name, so rename one", ErrRecord, run, p.Name, p.Columns, was)
		}
	}
	return nil
}

// storeColumns stores the columns of tables, for later calls of checkColumns.
func (s *Study) storeColumns(tables []part) {
	for _, p := range tables {
		if _, ok := s.columns[p.Name]; !ok {
			s.columns[p.Name] = p.Columns
		}
	}
}

// columnsBefore finds the columns that the tables had in earlier runs. It reads the columns from
// the record of the first run that has a result.
func (s *Study) columnsBefore() {
	found := errors.New("found")
	s.columns = map[string][]table.Column{}
	_ = s.history.Records(func(e journal.Entry, payload []byte) error { // a record that cannot be read has no columns
		if State(e.State) != OK {
			return nil
		}
		h, _, err := parsePayload(payload)
		if err != nil {
			return nil
		}
		s.storeColumns(h.Tables)
		return found
	})
}

// header is the first line of a record's payload. Same ignores it.
type header struct {
	Seed   uint64  `json:"seed,string"`
	Ticks  int     `json:"ticks"`
	Ms     float64 `json:"ms"`
	Why    string  `json:"why,omitempty"`
	Stack  string  `json:"stack,omitempty"`
	Marks  []mark  `json:"marks,omitempty"`
	Tables []part  `json:"tables,omitempty"`
}

// A part describes the rows of one table in a record. A record stores the rows of its parts one
// after another.
type part struct {
	Name    string         `json:"name"`
	Columns []table.Column `json:"columns"`
	Rows    int            `json:"rows"`
	Bytes   int            `json:"bytes"`
}

// outcome is the result of a run in this process.
type outcome struct {
	header
	run   int
	state State
	hash  uint64
	body  [][]byte

	stopped bool // the run stopped early, at the tick of its task

	result reflect.Value // the row that Result returned
}

// record returns the outcome as the bytes of a record.
func (o *outcome) record() ([]byte, error) {
	h, err := json.Marshal(o.header)
	if err != nil {
		return nil, err
	}
	body := bytes.Join(o.body, nil)
	e := journal.Entry{Kind: journal.Ended, Run: o.run, State: uint8(o.state), Hash: o.hash, Body: journal.Checksum(body)}
	return journal.Append(make([]byte, 0, len(h)+len(body)+journal.MaxLine), e, h, []byte{'\n'}, body, []byte{'\n'})
}

// parsePayload splits the payload of a record into its header and its body.
func parsePayload(payload []byte) (h header, body []byte, err error) {
	first, body, ok := bytes.Cut(payload, []byte{'\n'})
	if !ok || !bytes.HasSuffix(body, []byte{'\n'}) {
		return h, nil, ErrRecord
	}
	return h, body[:len(body)-1], json.Unmarshal(first, &h)
}
