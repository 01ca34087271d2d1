package study

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
	"github.com/lanewise/lanewise/study/internal/design"
	"github.com/lanewise/lanewise/study/internal/journal"
)

var drillRuns = flag.Int("study.drill", 24, "how many runs the study of the verify drill has")

// drill is a model with two systems: bodies are pulled to the origin, are pushed by chance, and drift.
// The environment variable LANEWISE_DRILL changes one function of the model, as another version of the
// program would.
type drill struct {
	Bodies int     `default:"20" range:"1..100000"`
	Pull   float64 `default:"0.01" range:"0..1"`
	Ticks  int     `default:"20" range:"1..1000000"`

	bodies *ecs.Query
}

// drillChange is the change of the model: none, kernel, rule, setup or late.
var drillChange = os.Getenv("LANEWISE_DRILL")

type drillPlace struct{ X, Y float64 }

func (drillPlace) Column() (c kernels.Vec2s[float64]) { return }

type drillSpeed struct{ X, Y float64 }

func (drillSpeed) Column() (c kernels.Vec2s[float64]) { return }

// steer is the system that changes speeds.
type steer struct {
	bodies *ecs.Query
	key    random.Key
	tick   int
	pull   float64
}

func (s *steer) Create(c *system.Setup) error {
	s.bodies = c.Query(ecs.Write[drillSpeed](), ecs.Read[drillPlace]())
	return nil
}

func (s *steer) Update(f *system.Frame) error { f.ParallelFor(s.bodies, s); return nil }

func (s *steer) Chunk(c *ecs.Chunk) {
	place, speed := ecs.Column[drillPlace](c), ecs.Column[drillSpeed](c)
	pull := -s.pull
	if drillChange == "rule" && s.key.Seed%3 == 0 && s.tick == 9 { // one run in three has another rule at one tick
		pull = -pull
	}
	for i, e := range c.Entities() {
		kick := random.UniformOf[float64](s.key.ID(uint64(e.Index)))
		speed.X[i] = speed.X[i] + float64(pull*place.X[i]) + kick - 0.5
		speed.Y[i] = speed.Y[i] + float64(pull*place.Y[i])
	}
}

// drift is the system that moves bodies by a kernel.
type drift struct {
	_ system.After[steer]

	bodies *ecs.Query
}

func (d *drift) Create(c *system.Setup) error {
	d.bodies = c.Query(ecs.Write[drillPlace](), ecs.Read[drillSpeed]())
	return nil
}

func (d *drift) Update(f *system.Frame) error { f.ParallelFor(d.bodies, d); return nil }

func (d *drift) Chunk(c *ecs.Chunk) {
	place, speed := ecs.Column[drillPlace](c), ecs.Column[drillSpeed](c)
	if drillChange == "kernel" { // the same formula, rounded once instead of twice
		for i := range place.X {
			place.X[i], place.Y[i] = math.FMA(speed.X[i], 0.3, place.X[i]), math.FMA(speed.Y[i], 0.3, place.Y[i])
		}
		return
	}
	place.AddScaled(place, speed, 0.3)
}

// Drilled is the result of a run. Sum is a row of the table sum.
type (
	Drilled struct{ Far float64 }
	Sum     struct{ X, Y float64 }
)

func (m *drill) Setup(r *Run) (*ecs.World, error) {
	w, err := system.NewWorld("drill", system.Only(system.Of[steer](), system.Of[drift]()), system.OnPool(r.Pool()))
	if err != nil {
		return nil, err
	}
	m.bodies = w.Query(ecs.Read[drillPlace](), ecs.Read[drillSpeed]())
	system.Find[steer](w).pull = m.Pull
	for i := range m.Bodies {
		x := r.Unit(uint64(i), 1)
		if drillChange == "setup" && i == 7 {
			x = math.Nextafter(x, 2)
		}
		w.Spawn(drillPlace{X: x, Y: r.Unit(uint64(i), 2)}, drillSpeed{})
	}
	return w, nil
}

func (m *drill) Step(r *Run) (bool, error) {
	s := system.Find[steer](r.World)
	s.key, s.tick = r.Key(3), r.Tick
	if err := system.Update(r.World); err != nil {
		return false, err
	}
	var sum Sum
	for c := range m.bodies.Chunks() {
		place := ecs.Column[drillPlace](c)
		for i := range place.X {
			sum.X += place.X[i]
			sum.Y += place.Y[i]
		}
	}
	Emit(r, sum)
	return r.Tick+1 < m.Ticks, nil
}

func (m *drill) Result(*Run) (d Drilled) {
	for c := range m.bodies.Chunks() {
		place := ecs.Column[drillPlace](c)
		for i := range place.X {
			d.Far = max(d.Far, math.Abs(place.X[i]))
		}
	}
	return d
}

func (m *drill) Save(r *Run, w io.Writer) error { return SaveWorld(r, w) }

func (m *drill) Load(r *Run, from io.Reader) (*ecs.World, error) {
	w, err := m.Setup(r)
	if err != nil {
		return w, err
	}
	return w, LoadWorld(w, from)
}

// drilling is a study for the drill.
type drilling struct {
	t   *testing.T
	dir string
	rng *rand.Rand

	flips  int // how many random bits of each file are flipped
	design *design.Design
}

// command runs a command of the model's program in this process. The runs of the study are done in other
// processes.
func (d *drilling) command(args ...string) (out string, code int) {
	d.t.Helper()
	var b bytes.Buffer
	both := sharedWriter{to: &b} // other processes write there, too
	code = programOf[*drill]("Main").main(d.t.Context(), args, Console{Out: &both, Err: &both}, strings.NewReader(""), func(int) {})
	return b.String(), code
}

// wantFaults runs a command that must fail, and must print all given texts.
func (d *drilling) wantFaults(what string, want []string, args ...string) {
	d.t.Helper()
	out, code := d.command(args...)
	line := out
	for l := range strings.Lines(out) {
		if strings.HasPrefix(l, "WRONG") {
			line = strings.TrimSpace(l)
			break
		}
	}
	if code == 0 {
		d.t.Errorf("%s was not found by %v:\n%s", what, args, out)
	}
	for _, text := range want {
		if !strings.Contains(out, text) {
			d.t.Errorf("%s: %v does not print %q:\n%s", what, args, text, out)
		}
	}
	d.t.Logf("%s\n      %s", what, strings.ReplaceAll(strings.TrimSpace(line), d.dir, "first"))
}

// wantConfirmed runs a command that must find nothing wrong.
func (d *drilling) wantConfirmed(what string, args ...string) {
	d.t.Helper()
	if out, code := d.command(args...); code != 0 || strings.Contains(out, "WRONG") || !strings.HasSuffix(out, "verified\n") {
		d.t.Errorf("%s: %v: exit %d:\n%s", what, args, code, out)
	}
	d.t.Logf("%s\n      verified", what)
}

func (d *drilling) must(args ...string) string {
	d.t.Helper()
	out, code := d.command(args...)
	if code != 0 {
		d.t.Fatalf("%v: exit %d:\n%s", args, code, out)
	}
	return out
}

func (d *drilling) path(name string) string { return filepath.Join(d.dir, name) }

// flip flips one bit of a file while a function runs.
func (d *drilling) flip(name string, at, bit int, during func(old []byte)) {
	d.t.Helper()
	old, err := os.ReadFile(name)
	if err != nil {
		d.t.Fatal(err)
	}
	b := bytes.Clone(old)
	b[at] ^= 1 << bit
	if err := os.WriteFile(name, b, 0o644); err != nil {
		d.t.Fatal(err)
	}
	during(old)
	if err := os.WriteFile(name, old, 0o644); err != nil {
		d.t.Fatal(err)
	}
}

func newDrilling(t *testing.T) *drilling {
	t.Helper()
	if !startable() {
		t.Skip("starts the test program anew, which cannot be done here")
	}
	t.Setenv("LANEWISE_STUDY_TEST", "drill")
	t.Setenv("LANEWISE_DRILL", "")
	d := &drilling{t: t, dir: t.TempDir(), rng: rand.New(rand.NewPCG(1, 2)), flips: max(10, min(*drillRuns/10, 50))}
	d.must("sweep", "-out", d.dir, "pull=0.01,0.02", "-seeds", fmt.Sprint(*drillRuns/2), "-cores", "2", "-mode", "outer", "-progress", "none")
	s := &Study{program: programOf[*drill]("Main"), errOut: io.Discard}
	if err := s.load(d.dir); err != nil {
		t.Fatal(err)
	}
	d.design = &s.manifest.Design
	for _, name := range []string{"result", "sum"} {
		csv := d.must("table", "-out", d.dir, name)
		if err := os.WriteFile(d.path(name+".csv"), []byte(csv), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d.must("certify", "-out", d.dir)
	return d
}

// TestDrill checks that verify finds and names every wrong bit, and that it finds no fault if all bits
// are right. The target make verify-drill does the same with 1,000 runs, and prints the faults.
func TestDrill(t *testing.T) {
	d := newDrilling(t)
	d.verifyUnchanged()
	d.flipTables()
	d.flipLog()
	d.flipCertificate()
	d.flipImage()
	d.verifyChanged()
}

// verifyUnchanged verifies the whole study with several numbers of workers and with the generic kernels.
// It also verifies parts of the study.
func (d *drilling) verifyUnchanged() {
	tables := []string{d.path("result.csv"), d.path("sum.csv")}
	for workers := 1; workers <= 3; workers++ {
		d.wantConfirmed(fmt.Sprintf("unchanged, %d workers", workers), append([]string{"verify", "-out", d.dir, "-workers", fmt.Sprint(workers), "-cores", "2"}, tables...)...)
	}
	d.t.Setenv("LANEWISE_KERNELS", "generic")
	d.wantConfirmed("unchanged, the kernels in Go", "verify", "-out", d.dir, "-cores", "2")
	d.t.Setenv("LANEWISE_KERNELS", "")
	d.wantConfirmed("unchanged, a sample", "verify", "-out", d.dir, "-sample", "10%", "-cores", "0")
	d.wantConfirmed("unchanged, some ticks of some runs", "verify", "-out", d.dir, "-runs", "0,3:5", "-ticks", "4:9")
	d.wantConfirmed("unchanged, tables and certificate without logs", "verify", "-out", d.dir+"/none", "-cert", d.path(certificateName), "-runs", "1", tables[0], tables[1])
}

// flipTables flips bits in tables: in any byte, and in a digit of a value.
func (d *drilling) flipTables() {
	for _, name := range []string{"result.csv", "sum.csv"} {
		text, err := os.ReadFile(d.path(name))
		if err != nil {
			d.t.Fatal(err)
		}
		for range d.flips {
			at, bit := d.rng.IntN(len(text)), d.rng.IntN(8)
			d.flip(d.path(name), at, bit, func([]byte) {
				if out, code := d.command("verify", "-out", d.dir, "-runs", "none", d.path(name)); code == 0 {
					d.t.Errorf("%s: bit %d of byte %d was flipped, and not found:\n%s", name, bit, at, out)
				}
			})
		}
		// This is the last digit of a line.
		lines := bytes.SplitAfter(text, []byte{'\n'})
		n := 1 + d.rng.IntN(len(lines)-2)
		at := len(bytes.Join(lines[:n+1], nil)) - 2
		run, _, _ := bytes.Cut(lines[n], []byte{','})
		fields := strings.Split(strings.TrimSpace(string(lines[n])), ",")
		right := fields[len(fields)-1]
		d.flip(d.path(name), at, 0, func([]byte) {
			far, _ := strconv.ParseFloat(right[:len(right)-1]+string(right[len(right)-1]^1), 64)
			wrong := strconv.FormatFloat(far, 'g', -1, 64)
			want := []string{fmt.Sprintf("line %d: run %s: table %s, tick %s: ", n+1, run, strings.TrimSuffix(name, ".csv"), fields[7]), " is " + wrong + ", and here " + right}
			if wrong == right { // the other digits are the same float
				want = []string{fmt.Sprintf("line %d has the certified values, and not the bytes", n+1)}
			}
			d.wantFaults("one bit of "+name, want,
				"verify", "-out", d.dir, "-runs", "none", d.path(name))
		})
	}
}

// flipLog flips bits of the log.
func (d *drilling) flipLog() {
	const log = "worker-0-of-1.log"
	text, err := os.ReadFile(d.path(log))
	if err != nil {
		d.t.Fatal(err)
	}
	_ = os.Remove(d.path("worker-0-of-1.idx"))
	for i := range d.flips {
		at, bit := d.rng.IntN(len(text)), d.rng.IntN(8)
		d.flip(d.path(log), at, bit, func([]byte) {
			if i == 0 {
				d.wantFaults(fmt.Sprintf("bit %d of byte %d of the log", bit, at), []string{"are no entry"}, "verify", "-out", d.dir, "-runs", "none")
			} else if out, code := d.command("verify", "-out", d.dir, "-runs", "none"); code == 0 {
				d.t.Errorf("%s: bit %d of byte %d was flipped, and not found:\n%s", log, bit, at, out)
			}
		})
	}
	d.forgedLog(log)
}

// forgedLog flips a bit of a record and corrects its checksums.
func (d *drilling) forgedLog(log string) {
	run := d.rng.IntN(*drillRuns)
	text, err := os.ReadFile(d.path(log))
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = os.WriteFile(d.path(log), text, 0o644) }()
	forged := forgeRecord(d.t, text, run, func(body []byte) { body[8+(8+16)*5] ^= 1 }) // the last bit of the x of tick 5
	if err := os.WriteFile(d.path(log), forged, 0o644); err != nil {
		d.t.Fatal(err)
	}
	d.wantFaults("one bit of a record in the log, with correct checksums", []string{fmt.Sprintf("run %d: its record in the log is not that of the certificate", run), "rows of table sum"}, "verify", "-out", d.dir, "-runs", "none")
	d.must("certify", "-out", d.dir)
	d.wantFaults("the same, and certified", []string{fmt.Sprintf("run %d: the world is the same, and the rows of table sum are not: table sum, tick 5: x is ", run)}, "verify", "-out", d.dir)
	if err := os.WriteFile(d.path(log), text, 0o644); err != nil {
		d.t.Fatal(err)
	}
	d.must("certify", "-out", d.dir)
}

// flipCertificate flips bits of the certificate.
func (d *drilling) flipCertificate() {
	name := d.path(certificateName)
	text, err := os.ReadFile(name)
	if err != nil {
		d.t.Fatal(err)
	}
	for i := range d.flips {
		at, bit := d.rng.IntN(len(text)), d.rng.IntN(8)
		line := 1 + bytes.Count(text[:at], []byte{'\n'})
		d.flip(name, at, bit, func([]byte) {
			if i == 0 && line > 2 {
				d.wantFaults(fmt.Sprintf("bit %d of byte %d of the certificate", bit, at), []string{fmt.Sprintf("line %d, of run %d: it was changed", line, line-2)}, "verify", "-out", d.dir)
			} else if out, code := d.command("verify", "-out", d.dir, "-runs", "none"); code == 0 {
				d.t.Errorf("bit %d of byte %d of the certificate was flipped, and not found:\n%s", bit, at, out)
			}
		})
	}
}

// flipImage flips bits of a saved run. One bit is in the file itself. Another bit is in a component, and
// the file with the flipped bit is valid.
func (d *drilling) flipImage() {
	dir := d.t.TempDir()
	d.must("sweep", "-plan", "-out", dir, "-seeds", "2")
	s := &Study{program: programOf[*drill]("Main"), errOut: io.Discard}
	if err := s.load(dir); err != nil {
		d.t.Fatal(err)
	}
	pool := jobs.New(jobs.Workers(1))
	defer func() { _ = pool.Close() }()
	save := func(tick int, change func(r *Run)) {
		_ = os.Remove(saveName(dir, 1))
		t := task{run: 1}
		t.values, t.seed = s.manifest.Design.At(nil, 1)
		t.keep = newKeeper(dir, s.id, 1, 0)
		t.keep.isDue = func(at int) bool { return at == tick }
		write := t.keep.write
		t.keep.write = func(b []byte) error {
			if err := write(b); err != nil {
				return err
			}
			return errSuspended
		}
		p := *s.program
		begin := p.begin
		p.begin = func(r *Run, values []string) (steps, error) {
			st, err := begin(r, values)
			step := st.step
			st.step = func() (bool, error) {
				more, err := step()
				if r.Tick+1 == tick && change != nil {
					change(r)
				}
				return more, err
			}
			return st, err
		}
		if _, err := p.execute(d.t.Context(), t, pool); err != errSuspended {
			d.t.Fatal(err)
		}
	}
	save(5, nil)
	d.wantConfirmed("a saved run", "verify", "-out", dir)
	name := saveName(dir, 1)
	text, err := os.ReadFile(name)
	if err != nil {
		d.t.Fatal(err)
	}
	for i := range d.flips {
		at, bit := d.rng.IntN(len(text)), d.rng.IntN(8)
		d.flip(name, at, bit, func([]byte) {
			if i == 0 {
				d.wantFaults(fmt.Sprintf("bit %d of byte %d of an image", bit, at), []string{"run-1.save: is damaged"}, "verify", "-out", dir)
			} else if out, code := d.command("verify", "-out", dir); code == 0 {
				d.t.Errorf("bit %d of byte %d of the image was flipped, and not found:\n%s", bit, at, out)
			}
		})
	}
	var was, is drillPlace
	save(5, func(r *Run) {
		for e, p := range placesOf(r.World) {
			if e.Index == 3 {
				was, is = p, p
				is.Y = math.Float64frombits(math.Float64bits(is.Y) ^ 1)
				if err := ecs.Set(r.World, e, is); err != nil {
					d.t.Fatal(err)
				}
			}
		}
	})
	d.wantFaults("one bit of a component in a valid image", []string{fmt.Sprintf("run-1.save: after 5 ticks: entity 3:1: study.drillPlace.Y is %v and %v", is.Y, was.Y)}, "verify", "-out", dir)
	d.must("resume", "-out", dir, "-cores", "1", "-progress", "none")
	d.must("certify", "-out", dir)
	d.wantFaults("the run that continued from this image, certified", []string{"run 1: the same after 4 ticks, and different after 8: the hash is ", "table sum, tick "}, "verify", "-out", dir)
}

// verifyChanged verifies the study with programs that compute different bits.
func (d *drilling) verifyChanged() {
	old := d.otherBuild("")
	for _, c := range []struct {
		change string
		want   []string
	}{
		{"kernel", []string{"tick 0: the hash is", "compared with old: tick 0: study.drift: entity ", "study.drillPlace."}},
		{"rule", []string{"the same after 8 ticks, and different after 16: the hash is", "compared with old: tick 9: study.steer: entity 0:1: study.drillSpeed.X is "}},
		{"setup", []string{"after Setup: the hash is", "compared with old: after Setup: entity 7:1: study.drillPlace.X is "}},
	} {
		d.t.Setenv("LANEWISE_DRILL", c.change)
		drillChange = c.change
		d.wantFaults("another "+c.change, c.want[:1], "verify", "-out", d.dir)
		if old != "" {
			d.wantFaults("another "+c.change+", and the old program", c.want, "verify", "-out", d.dir, "-runs", "0:20", "-against", old)
		}
		if c.change == "rule" {
			wrong := 0
			out, _ := d.command("verify", "-out", d.dir)
			for run := range *drillRuns {
				if _, seed := d.design.At(nil, run); seed%3 == 0 {
					wrong++
				}
			}
			if want := fmt.Sprintf(": %d are different\n", wrong); !strings.Contains(out, want) {
				d.t.Errorf("another rule: verify does not print %q:\n%s", want, out)
			}
		}
		drillChange = ""
		d.t.Setenv("LANEWISE_DRILL", "")
	}
}

// otherBuild returns a program whose model has a change. It returns nothing on systems where a script
// cannot be run as a program.
func (d *drilling) otherBuild(change string) string {
	exe, err := os.Executable()
	if err != nil || runtime.GOOS == "windows" {
		return ""
	}
	name := filepath.Join(d.t.TempDir(), "old")
	if err := os.WriteFile(name, []byte("#!/bin/sh\nLANEWISE_DRILL="+change+" exec '"+exe+"' \"$@\"\n"), 0o755); err != nil {
		d.t.Fatal(err)
	}
	return name
}

func placesOf(w *ecs.World) map[ecs.Entity]drillPlace {
	all := map[ecs.Entity]drillPlace{}
	for c := range w.Query(ecs.Read[drillPlace]()).Chunks() {
		place := ecs.Column[drillPlace](c)
		for i, e := range c.Entities() {
			all[e] = drillPlace{place.X[i], place.Y[i]}
		}
	}
	return all
}

// forgeRecord changes the rows of a run in the text of a log, with correct checksums.
func forgeRecord(t *testing.T, log []byte, run int, change func(body []byte)) (forged []byte) {
	t.Helper()
	_, err := journal.Scan(bytes.NewReader(log), 0, func(e journal.Entry, at int64, payload []byte) error {
		if e.Kind != journal.Ended || e.Run != run {
			return nil
		}
		head, body, _ := bytes.Cut(payload, []byte{'\n'})
		body = bytes.Clone(body[:len(body)-1])
		change(body)
		e.Body = journal.Checksum(body)
		record, err := journal.Append(nil, e, head, []byte{'\n'}, body, []byte{'\n'})
		forged = append(append(bytes.Clone(log[:at]), record...), log[int(at)+e.Size():]...)
		return err
	})
	if err != nil || forged == nil {
		t.Fatalf("run %d: %v", run, err)
	}
	return forged
}
