package study

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/lanewise/lanewise/study/internal/journal"
	"github.com/lanewise/lanewise/study/table"
)

// State is how a run ended.
type State uint8

// The states, by their numbers in the index of a log.
const (
	OK      State = 1 + iota // it has a result
	Errored                  // Setup or Step returned an error
	Panic                    // the model panicked
	NaN                      // a row has a number that is not finite
	Late                     // it took longer than -limit
	Crash                    // it took its process with it, as often as -attempts
)

// String returns the word for the state in tables.
func (s State) String() string {
	if int(s) < len(journal.States) {
		return journal.States[s]
	}
	return fmt.Sprintf("state %d", uint8(s))
}

// A Record is what became of a run, in the bytes of the log: for engines, which carry
// records from one machine to another.
type Record struct {
	Run   int
	State State
	Hash  uint64 // of the world at the end, or of the rows of a model without a world
	Rows  uint32 // CRC-32C of the rows
	Bytes []byte // all of it
}

// Same says whether two records tell the same of a run, whichever worker did it and however
// long that took. If they do not, and neither is of a run that was Late or a Crash, the model
// is not reproducible.
func (r Record) Same(o Record) bool {
	return r.Run == o.Run && r.State == o.State && r.Hash == o.Hash && r.Rows == o.Rows
}

// ErrRecord is returned for bytes that are not one whole record.
var ErrRecord = errors.New("study: the bytes are not a whole record")

// ParseRecord checks the bytes of a record. The record keeps them.
func ParseRecord(b []byte) (Record, error) {
	e, _, ok, _ := journal.Parse(b)
	if !ok || e.Kind != journal.Ended || e.Size() != len(b) {
		return Record{}, ErrRecord
	}
	return Record{e.Run, State(e.State), e.Hash, e.Body, b}, nil
}

// belongs reports a record that no run of the study can have had. Its checksum is right, but a checksum has no key: engines
// carry records of machines that somebody else may have got at, and one that tables cannot be made of would end them all.
func (s *Study) belongs(r Record) error {
	if r.Run < 0 || r.Run >= s.Runs() {
		return fmt.Errorf("%w of this study: a record of run %d, the study has %d runs", ErrRecord, r.Run, s.Runs())
	}
	_, payload, _, _ := journal.Parse(r.Bytes)
	h, body, err := parsePayload(payload)
	if err != nil {
		return fmt.Errorf("%w of this study: run %d: its first line: %w", ErrRecord, r.Run, err)
	}
	var cells []table.Value
	for _, p := range h.Tables {
		if p.Bytes < 0 || p.Bytes > len(body) || p.Rows < 0 {
			return fmt.Errorf("%w of this study: run %d: table %s has %d bytes of %d", ErrRecord, r.Run, p.Name, p.Bytes, len(body))
		}
		rows := body[:p.Bytes]
		body = body[p.Bytes:]
		for range p.Rows {
			if cells, rows, err = table.Decode(rows, p.Columns, cells[:0]); err != nil {
				return fmt.Errorf("%w of this study: run %d: table %s: %w", ErrRecord, r.Run, p.Name, err)
			}
		}
	}
	return nil
}

// header is the first line of a record's payload. What Same compares does not depend
// on it.
type header struct {
	Seed   uint64  `json:"seed,string"`
	Ticks  int     `json:"ticks"`
	Ms     float64 `json:"ms"`
	Why    string  `json:"why,omitempty"`
	Stack  string  `json:"stack,omitempty"`
	Tables []part  `json:"tables,omitempty"`
}

// A part says what the rows of one table in a record are. The parts follow each
// other in the bytes.
type part struct {
	Name    string         `json:"name"`
	Columns []table.Column `json:"columns"`
	Rows    int            `json:"rows"`
	Bytes   int            `json:"bytes"`
}

// outcome is what became of a run in this process.
type outcome struct {
	header
	run   int
	state State
	hash  uint64
	body  [][]byte

	result reflect.Value // what Result returned
}

// record makes the bytes of a record.
func (o *outcome) record() ([]byte, error) {
	h, err := json.Marshal(o.header)
	if err != nil {
		return nil, err
	}
	body := bytes.Join(o.body, nil)
	e := journal.Entry{Kind: journal.Ended, Run: o.run, State: uint8(o.state), Hash: o.hash, Body: journal.Checksum(body)}
	return journal.Append(make([]byte, 0, len(h)+len(body)+journal.MaxLine), e, h, []byte{'\n'}, body, []byte{'\n'})
}

// parsePayload takes the payload of a record apart.
func parsePayload(payload []byte) (h header, body []byte, err error) {
	first, body, ok := bytes.Cut(payload, []byte{'\n'})
	if !ok || len(body) == 0 {
		return h, nil, ErrRecord
	}
	return h, body[:len(body)-1], json.Unmarshal(first, &h)
}
