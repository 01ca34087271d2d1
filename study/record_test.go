package study

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/study/internal/journal"
	"github.com/lanewise/lanewise/study/table"
)

// outcomeOf does a run of a study in this process.
func outcomeOf(t *testing.T, s *Study, run int) *outcome {
	t.Helper()
	pool := jobs.New(jobs.Workers(1))
	defer pool.Close()
	o, err := s.do(t.Context(), run, pool, orders{})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// recordOf returns the record of an outcome with a different header, body and checksum of the body.
func recordOf(t *testing.T, o *outcome, h header, body []byte, sum uint32, end string) []byte {
	t.Helper()
	line, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	b, err := journal.Append(nil, journal.Entry{Kind: journal.Ended, Run: o.run, State: uint8(o.state), Hash: o.hash, Body: sum}, line, []byte("\n"), body, []byte(end))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBelongs changes one part of a record at a time. The record must be refused, whether or not the
// table already has rows, and also by a study that is opened again. Afterwards the study must be
// able to write all tables.
func TestBelongs(t *testing.T) {
	dir := t.TempDir()
	s := openStudy(t, dir, "-seeds", "6")
	type record struct {
		h     header
		body  []byte
		sum   uint32
		end   string
		state State
	}
	last := func(r *record) *part { return &r.h.Tables[len(r.h.Tables)-1] } // the result; the table where is the first
	faults := map[string]func(r *record){
		"the seed":             func(r *record) { r.h.Seed++ },
		"fewer than no ticks":  func(r *record) { r.h.Ticks = -1 },
		"the checksum":         func(r *record) { r.sum++ },
		"no end":               func(r *record) { r.end = "x" },
		"bytes left":           func(r *record) { r.body = append(r.body, 0) },
		"bytes of a part left": func(r *record) { r.body, last(r).Bytes = append(r.body, 0), last(r).Bytes+1 },
		"too few bytes":        func(r *record) { last(r).Bytes++ },
		"fewer than no bytes":  func(r *record) { last(r).Bytes = -1 },
		"no result":            func(r *record) { r.body, r.h.Tables = r.body[:len(r.body)-last(r).Bytes], r.h.Tables[:1] },
		"no table":             func(r *record) { r.body, r.h.Tables = nil, nil },
		"a NaN without result": func(r *record) { r.body, r.h.Tables, r.state = nil, nil, NaN },
		"a result of no row":   func(r *record) { r.body, last(r).Rows, last(r).Bytes = r.body[:len(r.body)-last(r).Bytes], 0, 0 },
		"a result of two rows": func(r *record) {
			r.body = append(r.body, r.body[len(r.body)-last(r).Bytes:]...)
			last(r).Rows, last(r).Bytes = 2, 2*last(r).Bytes
		},
		"fewer rows":       func(r *record) { r.h.Tables[0].Rows-- },
		"more rows":        func(r *record) { r.h.Tables[0].Rows++ },
		"rows without end": func(r *record) { r.h.Tables[0].Rows = math.MaxInt32 },
		"another column":   func(r *record) { last(r).Columns[0].Name = "evil" },
		"another unit":     func(r *record) { last(r).Columns[0].Unit = "evil" },
		"a name twice": func(r *record) {
			r.h.Tables = append([]part{{r.h.Tables[0].Name, r.h.Tables[0].Columns, 0, 0}}, r.h.Tables...)
		},
		"a result twice":       func(r *record) { r.h.Tables = append(r.h.Tables, part{resultTable, last(r).Columns, 0, 0}) },
		"a table of the study": func(r *record) { r.h.Tables = append(r.h.Tables, part{Name: timesTable}) },
		"a table without name": func(r *record) { r.h.Tables = append(r.h.Tables, part{}) },
		"a column without kind": func(r *record) {
			r.h.Tables = append(r.h.Tables, part{Name: "new", Columns: []table.Column{{Name: "a", Kind: table.KindInt}, {Kind: table.KindInt}}})
		},
	}
	emitted := func(r *record) { r.h.Tables[0].Columns[0].Name = "\x1b[2J" } // known from the first record that counts
	refuse := func(run int) {
		t.Helper()
		for name, spoil := range faults {
			o := outcomeOf(t, s, run)
			r := &record{o.header, bytes.Join(o.body, nil), 0, "\n", o.state}
			for i := range r.h.Tables {
				r.h.Tables[i].Columns = slices.Clone(r.h.Tables[i].Columns)
			}
			spoil(r)
			o.state = r.state
			b := recordOf(t, o, r.h, r.body, r.sum+journal.Checksum(r.body), r.end)
			done := s.Done()
			if first, err := s.Keep(b); first || !errors.Is(err, ErrRecord) || s.Done() != done || strings.ContainsAny(err.Error(), "\x1b") {
				t.Errorf("run %d, %s: %v, %v", run, name, first, err)
			}
		}
	}
	keep := func(run int) {
		t.Helper()
		b, err := outcomeOf(t, s, run).record()
		if err != nil {
			t.Fatal(err)
		}
		if first, err := s.Keep(b); !first || err != nil {
			t.Errorf("run %d: %v, %v", run, first, err)
		}
	}
	refuse(3)
	if _, err := s.Keep(recordOf(t, &outcome{run: 6, state: Crash}, header{}, nil, 0, "\n")); !errors.Is(err, ErrRecord) || !strings.Contains(err.Error(), "a record of run 6, the study has 6 runs") {
		t.Errorf("a run that there is not: %v", err)
	}
	keep(3)
	faults["another column of a table that is known"] = emitted
	refuse(1)
	keep(1)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Open(dir, "next"); err != nil {
		t.Fatal(err)
	}
	s.columns = nil // as in another process
	refuse(0)
	for _, state := range []State{Errored, Panic, NaN, Late, Crash} { // the states of runs without a result, or with a doubtful one
		o := outcomeOf(t, s, 0)
		if o.state = state; state != NaN {
			o.Tables, o.body = o.Tables[:1], o.body[:1]
		}
		if b, err := o.record(); err == nil {
			r, err := ParseRecord(b)
			if _, bad := s.checkOrigin(r); bad != nil || err != nil {
				t.Errorf("%s: %v, %v", state, bad, err)
			}
		}
	}
	for _, run := range []int{0, 2, 4, 5} {
		keep(run)
	}
	for _, name := range []string{resultTable, "where", runsTable, timesTable} {
		if out, _ := must(t, "table", "-out", dir, name); strings.Count(out, "\n") < 7 {
			t.Errorf("table %s has %d lines", name, strings.Count(out, "\n"))
		}
	}
}

// TestBelongsAtRandom changes one byte of a record and corrects the checksum of its line. Either the
// record is refused, or tables can be made from it.
func TestBelongsAtRandom(t *testing.T) {
	s := openStudy(t, t.TempDir(), "-seeds", "2")
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	o := outcomeOf(t, s, 0)
	whole, err := o.record()
	if err != nil {
		t.Fatal(err)
	}
	_, payload, _, _ := journal.Parse(whole)
	refused := 0
	for range 2000 {
		b := slices.Clone(payload)
		b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
		rec, err := journal.Append(nil, journal.Entry{Kind: journal.Ended, Run: 0, State: uint8(o.state), Hash: o.hash, Body: journal.Checksum(bytes.Join(o.body, nil))}, b)
		if err != nil {
			t.Fatal(err)
		}
		r, err := ParseRecord(rec)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.checkOrigin(r); err != nil {
			refused++
			continue
		}
		for _, name := range []string{resultTable, runsTable, timesTable} {
			w := &tableWriter{study: s, name: name, open: table.NewCSV, out: new(bytes.Buffer), seen: map[string]bool{}}
			if err := w.record(journal.Entry{State: uint8(o.state)}, b); err != nil {
				t.Fatalf("seed %d: %s of a record that belongs: %v", seed, name, err)
			}
		}
	}
	if refused < 1000 {
		t.Errorf("seed %d: %d of 2000 are refused", seed, refused)
	}
}

// TestBelongsHoweverItEnds checks that the study accepts the record of a run no matter how the run
// ends. Otherwise an engine would hand the same run out again and again.
func TestBelongsHoweverItEnds(t *testing.T) {
	if !startable() {
		t.Skip("starts the test program anew, which cannot be done here")
	}
	s := openStudy(t, t.TempDir(), "trap=none,error,panic,nan,nanrow,exit,goexit,setup", "-seed", "7")
	t.Setenv("LANEWISE_STUDY_TEST", "walk")
	c, err := s.Crew(CrewOptions{Processes: 1, Attempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for run := range s.Runs() {
		record, err := c.Do(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		if first, err := s.Keep(record); !first || err != nil {
			t.Errorf("run %d: %v, %v\n%s", run, first, err, record)
		}
	}
}

// TestStrangersTexts checks that text from a foreign directory or from a cell can neither move the
// cursor of the terminal nor add a row.
func TestStrangersTexts(t *testing.T) {
	p := programOf[*walk]("Main")
	const evil = "a\x1b[2J\u009b\u202e"
	b, err := Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{`{"format":1,"model":"` + p.name + `","program":"` + b + `","design":{"kind":"grid","replicates":1,"seed":"1","fixed":[{"param":"\u001b[2J\u009b","value":"1"}]}}`, `{"format":1,"model":%q}`, `{"format":1,"model":"` + p.name + `","program":%q}`, `{"format":%q}`} {
		dir := t.TempDir()
		quoted, err := json.Marshal(evil + "\nforged")
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, manifestName), strings.Replace(text, "%q", string(quoted), 1))
		for _, args := range [][]string{{"resume", "-out", dir}, {"resume", "-any-build", "-out", dir}, {"table", "-out", dir}} {
			var out, said bytes.Buffer
			code := p.main(t.Context(), args, Console{Out: &out, Err: &said}, nil, nil)
			if code != exitFault || strings.ContainsAny(said.String()+out.String(), "\x1b\u009b\u202e") || strings.Contains(said.String(), "\nforged") {
				t.Errorf("%v: exit %d, %q", args, code, said.String())
			}
		}
	}
	var out bytes.Buffer
	l := &listing{w: &out, columns: []table.Column{tickColumn, {Name: "who", Kind: table.KindText}}}
	if err := l.Row([]table.Value{table.IntValue(1), table.TextValue(evil + "\ndistance\t9")}); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), `who  a\x1b[2J\u009b\u202e\ndistance\t9`+"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
