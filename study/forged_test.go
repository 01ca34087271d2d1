package study

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// relay is a model without a world. The variable relayed changes its runs.
type relay struct {
	Legs int `default:"40"`

	sum int
}

// A relayTrack describes the course of the runs of relay.
type relayTrack struct {
	ends  int // the run ends after this many ticks
	fails int // Step returns an error in this tick
	odd   int // in this tick, the rows are different
}

var (
	relayed     relayTrack
	relaySetups int
)

// Alpha, Beta and Gamma are rows with the same columns.
type (
	Alpha struct{ X int }
	Beta  struct{ X int }
	Gamma struct{ X int }
)

// Letter is a row with a text that CSV puts in quotes.
type Letter struct {
	Text string `unit:"words" help:"a text of two lines"`
}

// Relayed is the result.
type Relayed struct {
	Sum int `unit:"m"`
}

func (m *relay) Setup(*Run) (*ecs.World, error) { relaySetups++; return nil, nil }

func (m *relay) Step(r *Run) (bool, error) {
	if r.Tick == relayed.fails {
		return false, errors.New("the stick fell")
	}
	x := r.Tick + r.Index
	if r.Tick == relayed.odd {
		x = 1000
	}
	m.sum += x
	Emit(r, Alpha{x})
	Emit(r, Beta{-x})
	if r.Index == 0 {
		Emit(r, Gamma{x})
	}
	Emit(r, Letter{fmt.Sprintf("a\r\nb\r%d\x00\n\x001", x)})
	return r.Tick+1 < relayed.ends, nil
}

func (m *relay) Result(*Run) Relayed { return Relayed{m.sum} }

// relayCommand calls the program of relay.
func relayCommand(t *testing.T, args ...string) (string, int) {
	t.Helper()
	var b bytes.Buffer
	both := sharedWriter{to: &b} // other processes write there, too
	code := programOf[*relay]("Main").main(t.Context(), args, Console{Out: &both, Err: &both}, strings.NewReader(""), func(int) {})
	return b.String(), code
}

// certifyRelay does two runs of relay, and returns the name of their certificate.
func certifyRelay(t *testing.T, track relayTrack) string {
	t.Helper()
	relayed = track
	dir := t.TempDir()
	relayCommand(t, "sweep", "-plan", "-out", dir, "-seeds", "2")
	s := &Study{program: programOf[*relay]("Main"), errOut: io.Discard}
	if err := s.Open(dir, "test"); err != nil {
		t.Fatal(err)
	}
	for run := range 2 {
		o, err := s.do(t.Context(), run, nil, orders{})
		if err != nil {
			t.Fatal(err)
		}
		record, err := o.record()
		if err == nil {
			_, err = s.Keep(record)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if out, code := relayCommand(t, "certify", "-out", dir); code != 0 {
		t.Fatal(out)
	}
	return filepath.Join(dir, certificateName)
}

// verifyRelay verifies a certificate without logs.
func verifyRelay(t *testing.T, cert string, args ...string) (string, int) {
	t.Helper()
	return relayCommand(t, append([]string{"verify", "-out", filepath.Join(filepath.Dir(cert), "none"), "-cert", cert, "-cores", "0"}, args...)...)
}

// end returns the number of ticks of a run, and whether it fails.
func (r relayTrack) end() (ticks int, fails bool) {
	if r.fails >= 0 && r.fails < r.ends {
		return r.fails, true
	}
	return r.ends, false
}

// endsWithin reports whether a run ends in the given tick or earlier.
func (r relayTrack) endsWithin(to int) bool {
	ticks, fails := r.end()
	return ticks <= to || ticks == to+1 && !fails
}

// isDifferent reports whether two runs have the same rows and end.
func (r relayTrack) isDifferent(o relayTrack) bool {
	a, failsA := r.end()
	b, failsB := o.end()
	if r.odd >= a {
		r.odd = -1
	}
	if o.odd >= b {
		o.odd = -1
	}
	return a != b || failsA != failsB || r.odd != o.odd
}

// differsIn reports whether verify must find a difference between two runs in a range of ticks, and whether it can
// compare anything in that range.
func (r relayTrack) differsIn(o relayTrack, from, to int) (differs, compared bool) {
	if r.endsWithin(to) || o.endsWithin(to) {
		return r.isDifferent(o), true
	}
	before := func(odd, mark int) bool { return odd >= 0 && odd < mark }
	ticks, fails := r.end()
	for mark := 1; mark <= to+1; mark *= 2 {
		if mark > from && (mark < ticks || mark == ticks && fails) {
			compared = true
			differs = differs || r.odd != o.odd && (before(r.odd, mark) || before(o.odd, mark))
		}
	}
	return differs, compared
}

// TestVerifyTicks compares verify -ticks with a plain rule. If one of two runs ends in the range, verify must find every
// difference between them. Otherwise, it must find the differences before a mark in the range.
func TestVerifyTicks(t *testing.T) {
	check := func(theirs, own relayTrack, from, to int) {
		t.Helper()
		cert := certifyRelay(t, theirs)
		relayed = own
		out, code := verifyRelay(t, cert, "-ticks", fmt.Sprintf("%d:%d", from, to))
		want, compared := theirs.differsIn(own, from, to)
		switch {
		case !compared:
			if code == 0 || !strings.Contains(out, "there is nothing to compare") {
				t.Errorf("%+v here %+v, ticks %d:%d: exit %d, want nothing to compare:\n%s", theirs, own, from, to, code, out)
			}
		case want != strings.Contains(out, "WRONG run 1: ") || want != (code != 0) || want == strings.Contains(out, "\nverified\n"):
			t.Errorf("%+v here %+v, ticks %d:%d: exit %d, want a fault: %v:\n%s", theirs, own, from, to, code, want, out)
		}
	}
	whole := relayTrack{40, -1, -1}
	check(whole, relayTrack{20, -1, -1}, 0, 35)
	check(whole, relayTrack{40, -1, 39}, 0, 1000)
	check(relayTrack{40, 20, -1}, whole, 0, 35)
	check(whole, relayTrack{40, -1, 39}, 0, 39)
	check(whole, relayTrack{40, -1, 39}, 0, 38)
	check(whole, whole, 0, 39)
	r := rand.New(rand.NewPCG(1, 7))
	track := func() relayTrack {
		x := relayTrack{1 + r.IntN(20), -1, -1}
		if r.IntN(3) == 0 {
			x.fails = r.IntN(20)
		}
		if r.IntN(2) == 0 {
			x.odd = r.IntN(20)
		}
		return x
	}
	for range 150 {
		from := r.IntN(12)
		theirs := track()
		own := theirs
		switch r.IntN(4) {
		case 0:
			own = track()
		case 1:
			own.odd = r.IntN(20)
		case 2:
			own.ends = 1 + r.IntN(20)
		}
		check(theirs, own, from, from+r.IntN(12))
	}
}

// TestForgedCertificate changes parts of a certificate, and computes its chain again. Verify must find each change
// without logs.
func TestForgedCertificate(t *testing.T) {
	name := certifyRelay(t, relayTrack{6, -1, -1})
	honest, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for i, change := range []func(x *certificate, r *certifiedRun){
		func(_ *certificate, r *certifiedRun) {
			*r = certifiedRun{Run: 1, Seed: r.Seed, State: "late", Rows: map[string]string{"result": sumOf([]byte("forged"))}}
		},
		func(_ *certificate, r *certifiedRun) { *r = certifiedRun{Run: 1, Seed: r.Seed, State: "late", Hash: 1} },
		func(_ *certificate, r *certifiedRun) {
			*r = certifiedRun{Run: 1, Seed: r.Seed, State: "crash", Ticks: 1}
		},
		func(_ *certificate, r *certifiedRun) {
			*r = certifiedRun{Run: 1, Seed: r.Seed, State: "crash", Marks: r.Marks}
		},
		func(_ *certificate, r *certifiedRun) { *r = certifiedRun{Run: 1, State: "late"} },
		func(_ *certificate, r *certifiedRun) { r.Seed ^= 1 },
		func(x *certificate, _ *certifiedRun) { x.head.Tables["result"][0].Unit = "km" },
		func(x *certificate, _ *certifiedRun) { x.head.Tables["letter"][0].Unit = "letters" },
		func(x *certificate, _ *certifiedRun) { x.head.Tables["letter"][0].Help = "" },
		func(x *certificate, _ *certifiedRun) { x.head.Tables["letter"][0].Name = "word" },
		func(x *certificate, _ *certifiedRun) { x.head.Tables["alpha"][0].Kind = 'f' },
		func(x *certificate, _ *certifiedRun) { x.head.Tables["other"] = x.head.Tables["alpha"] },
	} {
		for _, args := range [][]string{nil, {"-ticks", "0:3"}} {
			x, err := parseCertificate(name, honest)
			if err != nil {
				t.Fatal(err)
			}
			if out, code := verifyRelay(t, name, args...); code != 0 {
				t.Fatalf("an honest certificate: exit %d:\n%s", code, out)
			}
			run := x.runs[1]
			change(x, &run)
			x.runs[1] = run
			var b bytes.Buffer
			if err := errors.Join(x.write(&b), os.WriteFile(name, b.Bytes(), 0o644)); err != nil {
				t.Fatal(err)
			}
			if out, code := verifyRelay(t, name, args...); code == 0 || strings.Contains(out, "\nverified\n") {
				t.Errorf("change %d, %v: exit %d:\n%s", i, args, code, out)
			}
			if err := os.WriteFile(name, honest, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestVerifySimilarTables verifies tables that have the same columns, under their own and other names. The tables contain
// texts with line breaks of all kinds.
func TestVerifySimilarTables(t *testing.T) {
	cert := certifyRelay(t, relayTrack{6, -1, -1})
	dir := filepath.Dir(cert)
	for _, table := range []string{"alpha", "beta", "gamma", "letter", "result"} {
		text, code := relayCommand(t, "table", "-out", dir, table)
		if code != 0 {
			t.Fatal(text)
		}
		for _, file := range []string{table, "unnamed", "alpha", "beta"} {
			file = filepath.Join(t.TempDir(), file+".csv")
			put := func(text string) {
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			put(text)
			if out, code := verifyRelay(t, cert, "-runs", "none", file); code != 0 || !strings.Contains(out, ": table "+table+", ") {
				t.Errorf("%s in %s: exit %d:\n%s", table, filepath.Base(file), code, out)
			}
			put(strings.ReplaceAll(text, "\r", ""))
			if out, code := verifyRelay(t, cert, "-runs", "none", file); table == "letter" && code == 0 {
				t.Errorf("%s without \\r: %s", table, out)
			}
			put(strings.ReplaceAll(text, "\n", "\r\n"))
			if out, code := verifyRelay(t, cert, "-runs", "none", file); code == 0 || !strings.Contains(out, "WRONG") {
				t.Errorf("%s with \\r\\n: exit %d:\n%s", table, code, out)
			}
		}
	}
}

// TestVerifyFilesOnly checks that -runs none computes no run, even if a table has a fault.
func TestVerifyFilesOnly(t *testing.T) {
	cert := certifyRelay(t, relayTrack{6, -1, -1})
	text, _ := relayCommand(t, "table", "-out", filepath.Dir(cert), "result")
	file := filepath.Join(t.TempDir(), "result.csv")
	if err := os.WriteFile(file, []byte(strings.Replace(text, ",15\n", ",16\n", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	relaySetups = 0
	out, code := verifyRelay(t, cert, "-runs", "none", file)
	if code == 0 || !strings.Contains(out, "WRONG") || strings.Contains(out, "computed again") || relaySetups > 0 {
		t.Errorf("exit %d, and %d runs were computed:\n%s", code, relaySetups, out)
	}
	if out, _ := verifyRelay(t, cert, "-runs", "1", file); !strings.Contains(out, "2 of 2 runs computed again") {
		t.Errorf("with -runs 1, the run with the fault is not computed again:\n%s", out)
	}
}

// TestCertificateBytes reads damaged certificates. Each damaged certificate must cause an error, and none may cause a
// panic.
func TestCertificateBytes(t *testing.T) {
	honest, err := os.ReadFile(certifyRelay(t, relayTrack{6, -1, -1}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parseCertificate("honest", honest); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "\n", "{}", "null", `{"certificate":1}`, `{"certificate":1,"runs":-1}`, `{"certificate":1,"runs":-1}` + "\n", `{"certificate":1,"runs":9223372036854775807}`} {
		if _, err := parseCertificate("damaged", []byte(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for trial := range 3000 {
		text := slices.Clone(honest)
		for range 1 + r.IntN(3) {
			at := r.IntN(len(text))
			switch r.IntN(4) {
			case 0:
				text[at] ^= 1 << r.IntN(8)
			case 1:
				text[at] = `0123456789-{}[]",:`[r.IntN(18)]
			case 2:
				text = text[:at+1]
			default:
				to := min(len(text), at+1+r.IntN(9))
				text = slices.Delete(text, at, to)
			}
			if len(text) == 0 {
				break
			}
		}
		if _, err := parseCertificate("damaged", text); (err == nil) != bytes.Equal(text, honest) {
			t.Errorf("trial %d: %v for\n%s", trial, err, text)
		}
	}
}
