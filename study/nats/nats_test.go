package nats

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/study"
)

// TestMain turns the test binary into the program of a model, for the processes that tests start.
func TestMain(m *testing.M) {
	if os.Getenv("LANEWISE_STUDY_TEST") != "" {
		if a := os.Getenv("LANEWISE_STUDY_ARCH"); a != "" {
			arch = a
		}
		study.Main[*walk]()
	}
	os.Exit(m.Run())
}

// walk is a model for tests.
type walk struct {
	Pace  float64 `default:"0.5" range:"0..10"`
	Ticks int     `default:"10" range:"0..100000"`
	Sleep int     `default:"0" range:"0..1000000" unit:"us" help:"in each tick"`
	Wide  bool    `default:"false" help:"rows of the table step that take room"`

	at float64
}

// Step is a row of the table step.
type Step struct {
	At   float64
	Text string
}

// Walked is the result of a walk.
type Walked struct{ Distance float64 }

func (m *walk) Setup(*study.Run) (*ecs.World, error) { return ecs.NewWorld("walk"), nil }

func (m *walk) Step(r *study.Run) (bool, error) {
	if r.Tick >= m.Ticks {
		return false, nil
	}
	for gate := os.Getenv("LANEWISE_STUDY_GATE"); gate != ""; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(gate); err == nil {
			break
		}
	}
	time.Sleep(time.Duration(m.Sleep) * time.Microsecond)
	m.at += float64(m.Pace * r.Unit(1, 0))
	if os.Getenv("LANEWISE_STUDY_UNEVEN") != "" {
		m.at++
	}
	row := Step{At: m.at}
	if m.Wide {
		row.Text = strings.Repeat("x", 1000)
	}
	study.Emit(r, row)
	return true, nil
}

func (m *walk) Result(*study.Run) Walked { return Walked{m.at} }

// program is a process of the model.
type program struct {
	*exec.Cmd
	said chan string // the lines of its standard error
	all  *bytes.Buffer
	done chan error
}

// begin starts the program exe.
func begin(t *testing.T, exe string, env []string, args ...string) *program {
	t.Helper()
	p := &program{Cmd: exec.Command(exe, args...), said: make(chan string, 4096), all: new(bytes.Buffer), done: make(chan error, 1)}
	p.Env = append(append(os.Environ(), "LANEWISE_STUDY_TEST=1", tokenVariable+"=test"), env...)
	out, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			fmt.Fprintln(p.all, s.Text())
			p.said <- s.Text()
		}
		close(p.said)
		p.done <- p.Wait()
	}()
	t.Cleanup(func() { _ = p.Process.Kill() })
	return p
}

// hear waits for a line with this word and returns the text after the word.
func (p *program) hear(t *testing.T, word string) string {
	t.Helper()
	limit := time.After(2 * time.Minute)
	for {
		select {
		case line, ok := <-p.said:
			if !ok {
				t.Fatalf("%v ended without %q:\n%s", p.Args[1:], word, p.all)
			}
			if _, after, ok := strings.Cut(line, word); ok {
				return after
			}
		case <-limit:
			t.Fatalf("%v: two minutes without %q", p.Args[1:], word)
		}
	}
}

// end waits until the program ends by itself and returns its output.
func (p *program) end(t *testing.T, code int) string {
	t.Helper()
	limit := time.After(2 * time.Minute)
	for {
		select {
		case <-p.said:
			continue
		case <-p.done:
		case <-limit:
			t.Fatalf("%v does not end", p.Args[1:])
		}
		break
	}
	if got := p.ProcessState.ExitCode(); got != code {
		t.Fatalf("%v: exit %d, want %d\n%s", p.Args[1:], got, code, p.all)
	}
	return p.all.String()
}

func self(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// must runs a command of the program, and fails the test if the command fails.
func must(t *testing.T, args ...string) string {
	t.Helper()
	c := exec.Command(self(t), args...)
	c.Env = append(os.Environ(), "LANEWISE_STUDY_TEST=1")
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return string(out)
}

// plan makes a study, and does its runs in another directory with one process.
func plan(t *testing.T, design ...string) (dir, alone string) {
	t.Helper()
	dir, alone = t.TempDir(), t.TempDir()
	must(t, append([]string{"sweep", "-out", alone, "-progress", "none", "-mode", "outer"}, design...)...)
	must(t, append([]string{"sweep", "-plan", "-out", dir}, design...)...)
	return dir, alone
}

// compareTables compares the tables of two studies.
func compareTables(t *testing.T, dir, alone string) {
	t.Helper()
	for _, table := range []string{"result", "step", "runs"} {
		want, got := must(t, "table", "-out", alone, table), must(t, "table", "-out", dir, table)
		if got != want || len(got) < 100 {
			t.Errorf("table %s has %d bytes, that of one process %d", table, len(got), len(want))
		}
	}
}

func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestKills kills a worker in the middle of runs, and then the coordinator. Successors replace both,
// and another worker continues all the time. The table must be the same as the table of one process.
//
// Conformance: 528, 529, 534
func TestKills(t *testing.T) {
	dir, alone := plan(t, "pace=0.1:0.4:0.1", "sleep=4000", "-seeds", "20") // 80 runs of 40 ms
	addr := freeAddr(t)
	serve := func() *program {
		p := begin(t, self(t), nil, "serve", "-out", dir, "-addr", addr, "-lease", "1s", "-block", "100ms", "-progress", "lines")
		p.hear(t, "join with: join -at nats://"+addr)
		return p
	}
	join := func() *program {
		return begin(t, self(t), nil, "join", "-at", "nats://"+addr, "-cores", "2")
	}
	first := serve()
	kept := func() int {
		b, _ := os.ReadFile(dir + "/worker-collector.log")
		return bytes.Count(b, []byte("\n"))
	}
	until := func(what string, ok func() bool) {
		t.Helper()
		for end := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("two minutes, and no %s\n%s", what, first.all)
			}
		}
	}
	victim := join()
	at := kept()
	until("results of the first worker", func() bool { return kept() > at+8 })
	_ = victim.Process.Signal(syscall.SIGKILL)
	victim.end(t, -1)
	stays := join()
	at = kept()
	until("results of the second worker", func() bool { return kept() > at+8 })
	_ = first.Process.Signal(syscall.SIGKILL)
	first.end(t, -1)
	if out := must(t, "table", "-out", dir); strings.Count(out, "\n") > 80 {
		t.Error("all runs have ended before the coordinator was killed: too few for a test")
	}
	second := serve()
	late := join()
	if said := second.end(t, 0); !strings.Contains(said, "80 of 80 runs have ended") {
		t.Errorf("the second coordinator says\n%s", said)
	}
	stays.end(t, 0)
	late.end(t, 0)
	compareTables(t, dir, alone)
	if said := serve().end(t, 0); !strings.Contains(said, "80 of 80 runs have ended, 0 results came twice") {
		t.Errorf("a coordinator with nothing to do says\n%s", said)
	}
}

// TestFull produces results faster than they can be stored. Workers must wait, and no result may be
// lost.
//
// Conformance: 531
func TestFull(t *testing.T) {
	dir, alone := plan(t, "pace=0.1:0.4:0.1", "ticks=40", "wide=true", "-seeds", "30") // 120 records of 41 kB
	p := begin(t, self(t), nil, "serve", "-out", dir, "-addr", "127.0.0.1:0", "-buffer", "100000", "-progress", "none")
	addr := p.hear(t, "join with: join -at ")
	said := begin(t, self(t), nil, "join", "-at", addr, "-cores", "2").end(t, 0)
	if strings.Contains(said, "waited 0 times") {
		t.Errorf("no worker has waited: %s", said)
	}
	p.end(t, 0)
	compareTables(t, dir, alone)
}

// TestOtherBuild checks that a worker of another build is refused, with a message that names both
// builds.
//
// Conformance: 532
func TestOtherBuild(t *testing.T) {
	dir, alone := plan(t, "-seeds", "30")
	b, err := os.ReadFile(self(t))
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir() + "/other"
	if err := os.WriteFile(other, append(b, 0), 0o777); err != nil {
		t.Fatal(err)
	}
	p := begin(t, self(t), nil, "serve", "-out", dir, "-addr", "127.0.0.1:0", "-progress", "none", "-block", "0")
	addr := p.hear(t, "join with: join -at ")
	if said := begin(t, other, nil, "join", "-at", addr).end(t, 1); strings.Count(said, "sha256:") != 2 || !strings.Contains(said, "another build") {
		t.Errorf("the other build is told\n%s", said)
	}
	begin(t, self(t), nil, "join", "-at", addr).end(t, 0)
	p.end(t, 0)
	compareTables(t, dir, alone)
}

// TestArchs lets two kinds of CPU do a study and compare one run of each block. A CPU that computes
// other results must be found.
func TestArchs(t *testing.T) {
	for _, uneven := range []bool{false, true} {
		dir, alone := plan(t, "pace=0.1:0.4:0.1", "sleep=2000", "-seeds", "10")
		p := begin(t, self(t), nil, "serve", "-out", dir, "-addr", "127.0.0.1:0", "-block", "0", "-progress", "lines")
		addr := p.hear(t, "join with: join -at ")
		gate := []string{"LANEWISE_STUDY_GATE=" + dir + "/gate"}
		env := append([]string{"LANEWISE_STUDY_ARCH=other"}, gate...)
		if uneven {
			env = append(env, "LANEWISE_STUDY_UNEVEN=1")
		}
		a := begin(t, self(t), gate, "join", "-at", addr, "-cores", "1")
		b := begin(t, self(t), env, "join", "-at", addr, "-cores", "1")
		a.hear(t, "joined")
		b.hear(t, "joined")
		if err := os.WriteFile(dir+"/gate", nil, 0o666); err != nil { // no run was done before
			t.Fatal(err)
		}
		code := 0
		if uneven {
			code = 1
		}
		said := p.end(t, code)
		compared := a.end(t, 0) + b.end(t, 0)
		if strings.Count(compared, ", 0 to compare") == 2 {
			t.Errorf("nothing was compared:\n%s", compared)
		}
		if uneven != strings.Contains(said, "not reproducible") {
			t.Errorf("uneven %v: the coordinator says\n%s", uneven, said)
		}
		if !uneven {
			compareTables(t, dir, alone)
		}
	}
}

// TestOpen checks that serve beyond the loopback interface needs a token and a certificate.
func TestOpen(t *testing.T) {
	dir, alone := plan(t, "-seeds", "8")
	cert, key := certificate(t)
	for _, c := range []struct {
		env  []string
		args string
		want string
	}{
		{nil, "-addr 0.0.0.0:0", "is open to others: set STUDY_TOKEN"},
		{[]string{"STUDY_TOKEN=x"}, "-addr 0.0.0.0:0", "give a certificate"},
		{nil, "-addr example.org:1", "is open to others"},
		{nil, "-addr 127.0.0.1", "say host:port"},
		{nil, "-addr 127.0.0.1:x", "x is no port"},
		{nil, "-cert " + cert, "-cert and -key go together"},
		{nil, "-cert " + key + " -key " + cert, "-cert and -key"},
		{nil, "-lease 1ms", "-lease is 100ms or more"},
		{nil, "-progress loud", "loud"},
		{nil, "more", "it takes flags alone"},
	} {
		if said := begin(t, self(t), c.env, append([]string{"serve", "-out", dir}, strings.Fields(c.args)...)...).end(t, 1); !strings.Contains(said, c.want) {
			t.Errorf("%s: %s, want %s", c.args, said, c.want)
		}
	}
	token := []string{"STUDY_TOKEN=secret"}
	p := begin(t, self(t), token, "serve", "-out", dir, "-addr", "0.0.0.0:0", "-cert", cert, "-key", key, "-block", "0", "-progress", "none")
	_, port, _ := net.SplitHostPort(p.hear(t, "join with: join -at tls://"))
	at := "tls://127.0.0.1:" + port
	if said := begin(t, self(t), nil, "join", "-at", at, "-ca", cert).end(t, 1); !strings.Contains(said, "set STUDY_TOKEN") {
		t.Errorf("no token: %s", said)
	}
	if said := begin(t, self(t), token, "join", "-at", at, "-patience", "1s").end(t, 1); !strings.Contains(said, "certificate") {
		t.Errorf("no certificate: %s", said)
	}
	begin(t, self(t), token, "join", "-at", at, "-ca", cert).end(t, 0)
	p.end(t, 0)
	compareTables(t, dir, alone)
	for _, c := range []struct{ args, want string }{
		{"-at nats://127.0.0.1:1 -patience 500ms", "no study in 500ms"},
		{"-cores 0", "-cores is 1 or more"},
		{"more", "it takes flags alone"},
		{"-ca missing.pem", "missing.pem"},
	} {
		if said := begin(t, self(t), nil, append([]string{"join"}, strings.Fields(c.args)...)...).end(t, 1); !strings.Contains(said, c.want) {
			t.Errorf("join %s: %s, want %s", c.args, said, c.want)
		}
	}
}

// certificate makes a self-signed certificate for 127.0.0.1.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range []struct {
		name, kind string
		data       []byte
	}{{dir + "/cert.pem", "CERTIFICATE", der}, {dir + "/key.pem", "PRIVATE KEY", secret}} {
		if err := os.WriteFile(f.name, pem.EncodeToMemory(&pem.Block{Type: f.kind, Bytes: f.data}), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir + "/cert.pem", dir + "/key.pem"
}

// BenchmarkBlocks does 4,000 empty runs, by workers over NATS and without. The difference is the cost
// of a run.
func BenchmarkBlocks(b *testing.B) {
	const runs = 4000
	var over, alone []float64
	for b.Loop() {
		t := new(testing.T)
		dir, other := b.TempDir(), b.TempDir()
		start := time.Now()
		must(t, "sweep", "-out", other, "-progress", "none", "-mode", "outer", "ticks=0", "-seeds", fmt.Sprint(runs))
		alone = append(alone, float64(time.Since(start).Microseconds())/runs)
		must(t, "sweep", "-plan", "-out", dir, "ticks=0", "-seeds", fmt.Sprint(runs))
		p := begin(t, self(t), nil, "serve", "-out", dir, "-addr", "127.0.0.1:0", "-progress", "none")
		addr := p.hear(t, "join with: join -at ")
		start = time.Now()
		w := begin(t, self(t), nil, "join", "-at", addr)
		p.hear(t, "runs have ended")
		over = append(over, float64(time.Since(start).Microseconds())/runs)
		p.end(t, 0)
		w.end(t, 0)
		if t.Failed() {
			b.Fatal("a command failed")
		}
	}
	slices.Sort(over)
	slices.Sort(alone)
	b.ReportMetric(over[len(over)/2], "µs/run")
	b.ReportMetric(alone[len(alone)/2], "µs/run-alone")
}
