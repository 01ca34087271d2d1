package study

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/internal/messages"
	"github.com/lanewise/lanewise/study/internal/journal"
	"github.com/lanewise/lanewise/study/table"
)

var updateMessages = flag.Bool("lanewise.update", false, "write testdata/messages.golden anew")

// TestMessages compares the messages about misuse with testdata. It also looks in the source
// for messages that no call reaches.
func TestMessages(t *testing.T) {
	if !startable() {
		t.Skip("starts the test program anew, which cannot be done here")
	}
	t.Setenv("LANEWISE_STUDY_TEST", "walk")
	c := &collector{dir: t.TempDir()}
	c.T, c.t, c.Edit = t, t, c.edit
	c.models()
	c.tables()
	c.lines()
	c.runs()
	c.studies()
	c.collectVerify()
	c.engines()
	c.Compare(*updateMessages, 50, "stopped while reading ", "the model has no world", // TestListPipe, TestVerifyWithoutWorld
		"-%s %s: the table has no such numbers", "-%s %s: its values are true and false", "-fit %s: take one parameter") // TestPlot of package report
}

// A collector keeps each message of errors and panics once.
type collector struct {
	messages.List
	t   *testing.T
	dir string
}

// These parts differ from build to build and between versions of the standard library.
var (
	worldHash = regexp.MustCompile(`hash [0-9a-f]{16} with one worker, [0-9a-f]{16} with`)
	digest    = regexp.MustCompile(`((sha256|git):[0-9a-f]+)+`)
	byteRange = regexp.MustCompile(`the bytes from \d+ to \d+`) // a time in a record may have a digit more
	studyID   = regexp.MustCompile(`study [0-9a-f]{32}`)
	foreign   = regexp.MustCompile(`(unexpected end of JSON|invalid character) .*`)
)

func (c *collector) edit(text string) string {
	text = strings.NewReplacer("about, csv, jsonl, none, summary", "csv, jsonl, summary").Replace(text) // another test has registered it
	text = strings.ReplaceAll(text, filepath.Base(os.Args[0]), "PROGRAM")                               // the name of the compiled test
	text = byteRange.ReplaceAllString(studyID.ReplaceAllString(text, "study ID"), "the bytes from M to N")
	text = worldHash.ReplaceAllString(foreign.ReplaceAllString(text, "…"), "hash HASH with one worker, HASH with")
	return digest.ReplaceAllString(strings.ReplaceAll(filepath.ToSlash(text), filepath.ToSlash(c.dir), "DIR"), "sha256:…")
}

// main runs the program of walk in this process.
func (c *collector) main(args ...string) (said string, code int) {
	return mainIn(c.t.Context(), args...)
}

func mainIn(ctx context.Context, args ...string) (said string, code int) {
	var out, errOut bytes.Buffer
	code = programOf[*walk]("Main").main(ctx, args, Console{Out: &out, Err: &errOut}, strings.NewReader(""), func(int) {})
	return errOut.String(), code
}

// collectFailure keeps the last line of a command's output. The command must end with the given code.
func (c *collector) collectFailure(code int, line string) {
	c.t.Helper()
	said, got := c.main(strings.Fields(strings.ReplaceAll(line, "DIR", c.dir))...)
	lines := strings.Split(strings.TrimSuffix(said, "\n"), "\n")
	if got != code || said == "" {
		c.t.Errorf("%s: exit %d, want %d: %s", line, got, code, said)
	}
	c.Say(lines[len(lines)-1])
}

// plain implements the other methods of a model.
type plain struct{}

func (plain) Setup(*Run) (*ecs.World, error) { return nil, nil }
func (plain) Step(*Run) (bool, error)        { return false, nil }
func (plain) Result(*Run) Walked             { return Walked{} }

// These types are not valid models.
type (
	odd     struct{ plain }
	unkind  struct{ plain }
	doubled struct {
		plain
		Digest int `name:"hash" default:"0"`
	}
	wide struct {
		plain
		Size uint64 `default:"0"`
	}
)

func (unkind) Result(*Run) struct{ At complex64 } { return struct{ At complex64 }{} }

func (c *collector) models() {
	c.Panics(func() { programOf[odd, Walked]("Main") })
	c.Panics(func() { programOf[*unkind, struct{ At complex64 }]("Once") })
	c.Panics(func() { programOf[*doubled, Walked]("Test") })
	c.Panics(func() { programOf[*wide, Walked]("Main") })
	_, err := Once[*walk](nil, "peace=1")
	c.Err(err)
	_, err = Once[*walk](nil, "pace=1,2")
	c.Err(err)
	_, err = Once[*walk](nil, "trap=error")
	c.Err(err)
	_, err = Once[*walk](nil, "trap=panic")
	first, _, _ := strings.Cut(fmt.Sprint(err), "\n") // its stack follows
	c.Say(first)
	var said saying
	Test[*walk](&said, "trap=uneven", "ticks=2")
	Test[*walk](&said, "trap=error")
	for _, line := range said.errors {
		c.Say(line)
	}
	o := &outcome{}
	for _, p := range []*outcome{
		{hash: 1}, {header: header{Ticks: 1}}, {header: header{Tables: []part{{Name: "where"}}}},
	} {
		c.Say(o.difference(p))
	}
	o.Tables = []part{{Name: "where", Rows: 1}}
	c.Say(o.difference(&outcome{}))
}

// saying is a failing test.
type saying struct{ errors []string }

func (*saying) Helper()                     {}
func (*saying) Logf(string, ...any)         {}
func (s *saying) Errorf(f string, a ...any) { s.errors = append(s.errors, fmt.Sprintf(f, a...)) }
func (s *saying) Fatalf(f string, a ...any) { s.Errorf(f, a...) }

func (c *collector) tables() {
	type result struct{ At int }
	type Other struct{ At struct{} }
	c.Panics(func() { Emit(&Run{}, result{}) })
	c.Panics(func() { Emit(&Run{}, struct{ At int }{}) })
	c.Panics(func() { Emit(&Run{}, Other{}) })
	r := &Run{}
	Emit(r, Where{})
	type Where struct{ At int }
	c.Panics(func() { Emit(r, Where{}) })
}

func (c *collector) lines() {
	for _, line := range []string{
		"", "sweeep", "sweep -nothing", "sweep -out DIR/x -mode fast", "sweep -out DIR/x -cores 0", "sweep -out DIR/x -attempts 0", "sweep -out DIR/x -progress loud", "sweep -out DIR/x -limit -1s",
		"sweep -out DIR/x peace=1", "sweep -out DIR/x pace=11", "sweep -out DIR/x -latin 3 -random 3 pace", "sweep -out DIR/x pace=1 pace=2", "sweep -out DIR/x pace=0..1", "sweep -out DIR/x -seeds 0",
		"sweep -out DIR/x -list DIR/list.csv ticks=1,2",
		"resume pace=1", "resume -cores x", "resume -cores 0", "worker pace=1", "worker -shard 4/4", "worker -mode x", "table -out DIR a b", "table -out DIR -format xlsx", "table -plot", "table -plot -summary", "table -columns x", "table -plot -format csv", "table -summary -format html", "table -summary -format xlsx", "table -x", "params pace=1", "params -x", "test -x", "test pace=1,2",
		"run pace=1,2", "run -cores 0", "run -table nothing", "run -table where -format xlsx", "run -x", "run pace=x",
	} {
		if strings.Contains(line, "-list") {
			write(c.t, c.dir+"/list.csv", "pace\n1\n")
		}
		c.collectFailure(exitUsage, line)
	}
	write(c.t, c.dir+"/list.csv", "")
	c.collectFailure(exitUsage, "sweep -out DIR/x -list DIR/list.csv")
	if said, code := c.main("help"); code != exitOK || said != "" {
		c.t.Errorf("help: exit %d, %s", code, said)
	}
	if _, code := c.main("sweep", "-h"); code != exitOK {
		c.t.Errorf("sweep -h: exit %d", code)
	}
}

func (c *collector) runs() {
	for _, line := range []string{"run trap=error", "run trap=setup", "run trap=nan", "run trap=panic -table where", "run trap=deaf ticks=1000000 sleep=1000 -limit 1ms", "test trap=uneven"} {
		c.collectFailure(exitFault, line)
	}
	// The error for a saved run that cannot be loaded must name its file.
	p := programOf[*walk]("Main")
	t, err := p.singleTask([]string{"ticks=3"})
	if err != nil {
		c.t.Fatal(err)
	}
	var kept []byte
	t.keep = &runSaver{isDue: func(int) bool { return true }, write: func(b []byte) error { kept = b; return errSuspended }}
	t.keep.read = func() ([]byte, error) { return nil, os.ErrNotExist }
	if _, err := p.runOnce(c.t.Context(), t, 1); !errors.Is(err, errSuspended) {
		c.t.Fatal(err)
	}
	c.Say(errSuspended.Error())
	c.Say(errForeign.Error()) // TestSavedOtherwise has one
	t.keep.read = func() ([]byte, error) { return kept[:9], nil }
	_, err = p.runOnce(c.t.Context(), t, 1)
	c.Err(err)
	t.keep.read = func() ([]byte, error) { return nil, errors.New("the disk is gone") }
	_, err = p.runOnce(c.t.Context(), t, 1)
	c.Err(err)
	t.keep.read = func() ([]byte, error) { return kept, nil }
	t.keep.write = func([]byte) error { return errors.New("the disk is full") }
	_, err = p.runOnce(c.t.Context(), t, 1)
	c.Err(err)
	load := p.begin
	p.begin = func(r *Run, values []string) (steps, error) {
		s, err := load(r, values)
		s.save = func(io.Writer) error { return errors.New("it cannot be saved") }
		set := s.setup
		s.setup = func(from io.Reader) error {
			if from != nil {
				return errors.New("it cannot be loaded")
			}
			return set(nil)
		}
		return s, err
	}
	_, err = p.runOnce(c.t.Context(), t, 1)
	c.Err(err)
	t.keep.read = func() ([]byte, error) { return nil, os.ErrNotExist }
	_, err = p.runOnce(c.t.Context(), t, 1)
	c.Err(err)
	ctx, stop := context.WithCancel(c.t.Context())
	stop()
	_, err = p.runOnce(ctx, t, 1)
	c.Err(err)
	if said, code := mainIn(ctx, "sweep", "-out", c.dir+"/stopped", "-progress", "none"); code != exitFault {
		c.t.Errorf("a study that is stopped at once: exit %d, %s", code, said)
	} else {
		c.Say(strings.TrimSpace(said[strings.LastIndexByte(strings.TrimSpace(said), '\n')+1:]))
	}
	c.collectProcesses()
}

// collectProcesses collects the messages about processes that misbehave.
func (c *collector) collectProcesses() {
	c.collectFailure(exitFault, "sweep -seeds 100 trap=uneven ticks=2 -cores 2 -out DIR/uneven")
	c.collectFailure(exitFault, "sweep -seeds 100 trap=crowd ticks=2 -cores 2 -out DIR/crowd")
	c.collectFailure(exitFault, "sweep -seeds 100 trap=pair ticks=2 -cores 2 -out DIR/pair")
	c.Say(errHung.Error()) // TestHang has one
	said, _ := c.main("sweep", "-out", c.dir+"/raw", "-attempts", "1", "-cores", "1", "-progress", "none", "trap=raw")
	from := max(strings.Index(said, "what it wrote"), 0)
	line, _, _ := strings.Cut(said[from:], " (")
	c.Say(line)
	s := &Study{program: programOf[*walk]("Main"), errOut: io.Discard}
	if err := s.Open(c.dir+"/uneven", "crew"); err != nil {
		c.t.Fatal(err)
	}
	crew, err := s.Crew(CrewOptions{Processes: 1})
	if err != nil {
		c.t.Fatal(err)
	}
	defer crew.Close()
	record, err := crew.Do(c.t.Context(), 0)
	if r, bad := ParseRecord(record); err != nil || bad != nil || r.Run != 0 {
		c.t.Errorf("%v, %v, %v", r, err, bad)
	}
	child := walkCommand(c.t, childCommand)
	child.Stdin = strings.NewReader("no orders\n")
	var orders bytes.Buffer
	child.Stderr = &orders
	if err := child.Run(); err == nil {
		c.t.Error("a process without orders ends well")
	}
	c.Say(strings.TrimSuffix(orders.String(), "\n"))
	c.t.Setenv("LANEWISE_STUDY_TEST", "dead")
	c.collectFailure(exitFault, "sweep -out DIR/dead -cores 1")
	c.t.Setenv("LANEWISE_STUDY_TEST", "walk")
	was, err := initialExecutable()
	if err != nil {
		c.t.Fatal(err)
	}
	other, err := os.Stat(messages.File)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func(f func() (fileState, error)) { initialExecutable = f }(initialExecutable)
	initialExecutable = func() (fileState, error) { return fileState{was.name, other}, nil }
	_, err = s.Crew(CrewOptions{})
	c.Say(strings.Replace(fmt.Sprint(err), was.name, "PROGRAM", 1))
	initialExecutable = func() (fileState, error) { return fileState{c.dir + "/gone", other}, nil }
	if _, err = s.Crew(CrewOptions{}); !errors.Is(err, os.ErrNotExist) {
		c.t.Errorf("the program is gone: %v", err)
	}
	if err := s.Close(); err != nil {
		c.t.Error(err)
	}
}

func (c *collector) studies() {
	c.collectFailure(exitFault, "resume -out DIR/none")
	c.collectFailure(exitFault, "table -out DIR/none")
	said, code := c.main("sweep", "-plan", "-out", c.dir+"/plan", "pace=1,2")
	if code != exitOK {
		c.t.Fatal(said)
	}
	c.Say(strings.TrimSuffix(said, "\n"))
	c.collectFailure(exitFault, "table -out DIR/plan")
	c.collectFailure(exitFault, "sweep -out DIR/plan pace=1,2,3")
	if said, code := c.main("sweep", "-out", c.dir+"/plan", "-progress", "none", "pace=1,2"); code != exitOK {
		c.t.Fatal(said)
	}
	c.collectFailure(exitFault, "table -out DIR/plan nothing")
	c.collectFailure(exitFault, "resume -out DIR/plan -worker a/b")
	name := c.dir + "/plan/study.json"
	text := read(c.t, name)
	for _, change := range [][2]string{{`"program": "`, `"program": "sha256:00`}, {`.walk"`, `.talk"`}, {`"format": 1`, `"format": 2`}, {`"param": "pace"`, `"param": "peace"`}} {
		write(c.t, name, strings.Replace(text, change[0], change[1], 1))
		c.collectFailure(exitFault, "resume -out DIR/plan")
	}
	for _, command := range []string{"resume -out DIR/plan", "sweep -out DIR/plan pace=1,2"} {
		write(c.t, name, "{")
		c.collectFailure(exitFault, command)
	}
	write(c.t, name, text)
	s := &Study{program: programOf[*walk]("Main"), errOut: new(bytes.Buffer)}
	c.Err(s.Adopt([]byte("{")))
	c.Err(s.Adopt([]byte(strings.Replace(text, `.walk"`, `.talk"`, 1))))
	_, err := s.Crew(CrewOptions{})
	c.Err(err)
	if err := s.Open(c.dir+"/plan", "w"); err != nil {
		c.t.Fatal(err)
	}
	keep := func(o outcome) error {
		if o.run < s.Runs() {
			_, o.Seed = s.manifest.Design.At(nil, o.run)
		}
		b, err := o.record()
		if err != nil {
			c.t.Fatal(err)
		}
		_, err = s.Keep(b)
		return err
	}
	_, err = s.Keep([]byte("R"))
	c.Err(err)
	c.Err(keep(outcome{run: 2, state: OK}))
	b, err := journal.Append(nil, journal.Entry{Kind: journal.Ended, State: uint8(OK)}, []byte("no line"))
	if err == nil {
		_, err = s.Keep(b)
	}
	c.Err(err)
	for _, p := range []part{{Name: resultTable, Bytes: 9}, {Name: resultTable, Rows: 1}, {Name: resultTable, Rows: -1}, {Name: resultTable}, {Name: timesTable}, {Name: "a", Columns: []table.Column{{Kind: table.KindInt}}}} {
		c.Err(keep(outcome{run: 0, state: OK, header: header{Tables: []part{p}}}))
	}
	c.Err(keep(outcome{run: 0, state: OK}))
	c.Err(keep(outcome{run: 0, state: OK, body: [][]byte{{1}}}))
	_, seed := s.manifest.Design.At(nil, 0)
	for _, l := range []string{fmt.Sprintf(`{"seed":"%d"}`, seed+1), fmt.Sprintf(`{"seed":"%d"}`, seed)} {
		b, err := journal.Append(nil, journal.Entry{Kind: journal.Ended, State: uint8(OK), Body: 1}, []byte(l+"\n\n"))
		if err == nil {
			_, err = s.Keep(b)
		}
		c.Err(err)
	}
	s.columns = map[string][]table.Column{"where": runColumns}
	c.Err(keep(outcome{run: 1, state: Errored, header: header{Tables: []part{{Name: "where"}}}}))
	c.Err(keep(outcome{run: 1, state: Errored}))
	if err := s.Close(); err != nil {
		c.t.Fatal(err)
	}
	c.Say(State(9).String())
	// This table comes from a version of the program that has since changed.
	w := &tableWriter{study: s, name: resultTable, open: table.NewCSV, out: new(bytes.Buffer), seen: map[string]bool{}}
	h := header{Tables: []part{{Name: resultTable, Bytes: 1}}}
	payload := func(h header, body string) []byte {
		o := outcome{state: OK, header: h, body: [][]byte{[]byte(body)}}
		b, err := o.record()
		if err != nil {
			c.t.Fatal(err)
		}
		_, after, _ := bytes.Cut(b, []byte("\n"))
		return after
	}
	e := journal.Entry{Kind: journal.Ended, State: uint8(OK)}
	c.Err(w.record(e, nil))
	c.Err(w.record(e, payload(h, "")))
	h.Tables[0].Rows = 1
	c.Err(w.record(e, payload(h, "x")))
	h.Tables = []part{{Name: resultTable, Columns: runColumns}}
	c.Err(w.record(e, payload(h, "")))
}

func (c *collector) engines() {
	run := func(context.Context, *Study, []string, Console) error { return errors.New("the machines are away") }
	defer func(was []Engine) { engines = was }(engines)
	RegisterEngine(Engine{Name: "far", Help: "does runs far away", Run: run})
	for _, e := range []Engine{{Name: "", Run: run}, {Name: "none"}, {Name: "far", Run: run}, {Name: "sweep", Run: run}} {
		c.Panics(func() { RegisterEngine(e) })
	}
	c.collectFailure(exitFault, "far away")
	c.collectFailure(exitUsage, "near")
	for _, env := range []string{
		array(3, 1, 7, 1, 3), array(2, 1, 7, 2, 4), "SLURM_ARRAY_TASK_ID=3", "SLURM_PROCID=0 SLURM_NTASKS=4", "JOB_COMPLETION_INDEX=3", "PMI_RANK=-1 PMI_SIZE=3",
	} {
		_, err := shareIn(environment(env))
		c.Err(err)
	}
}
