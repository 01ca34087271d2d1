package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/inspect"
	"github.com/lanewise/lanewise/jobs"
)

// serveInspector serves an inspector of a world that runs, and returns its address and the server.
func serveInspector(t *testing.T, w *ecs.World) (at string, server *httptest.Server) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- app.Run(ctx, w, app.Step(0.01), app.Pace(500)) }()
	in := inspect.New(inspect.Only(w), inspect.Token("tok"), inspect.History(1, 64<<20), inspect.Allow(inspect.Edit|inspect.Control))
	server = httptest.NewServer(in)
	t.Cleanup(func() {
		server.Close()
		_ = in.Close()
		stop()
		<-ended
		_ = w.Close()
	})
	return server.URL + "/#tok/frame", server
}

// TestInspectOneWorker checks that the headings and the lines use the singular for one worker and one frame.
func TestInspectOneWorker(t *testing.T) {
	pool := jobs.New(jobs.Workers(1))
	t.Cleanup(func() { _ = pool.Close() })
	w, err := system.NewWorld("alone", system.OnPool(pool), system.Only())
	if err != nil {
		t.Fatal(err)
	}
	at, _ := serveInspector(t, w)
	for view, want := range map[string][]string{"frame": {" entities, 1 worker; "}, "order": {", 1 worker\n", "predicted with 1 worker: ", "predicted with 2 workers: ", "predicted with any number of workers: "}} {
		out, fault, code := lanewise(t, "inspect", at, "-view", view)
		for begin := time.Now(); strings.Contains(out, "0 frames measured") && time.Since(begin) < 10*time.Second; time.Sleep(time.Millisecond) {
			out, fault, code = lanewise(t, "inspect", at, "-view", view) // the first request begins the measurement
		}
		for _, part := range want {
			if code != exitOK || !strings.Contains(out, part) {
				t.Errorf("%s: exit code %d, %q: want %q\n%s", view, code, fault, part, out)
			}
		}
		for _, bad := range []string{" 1 workers", " 1 frames"} {
			if strings.Contains(out, bad) {
				t.Errorf("%s: %q\n%s", view, bad, out)
			}
		}
	}
}

// TestInspect shows each view of a running world, and checks the error messages for wrong
// arguments.
func TestInspect(t *testing.T) {
	w, err := system.NewWorld("shown", system.Only())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1200 {
		w.Spawn(transform.Translation{X: float32(i)}, transform.Identity)
	}
	e := w.Spawn(transform.Parent{})
	if err := w.SetEntityName(e, "the child"); err != nil {
		t.Fatal(err)
	}
	at, server := serveInspector(t, w)
	for _, c := range []struct{ args, want string }{
		{"", "shown, frame "}, {"-view frame", "1,201 entities"}, {"-view frame -n 2 -every 1ms", "system"}, {"-view archetypes", "  1,200 "}, {"-view archetypes", "  transform.Rotation transform.Translation"},
		{"-view entities -q Parent", `1 entity matches "Parent"`}, {"-view entities -q Parent", `"the child"  Parent (Entity →0:0)`}, {"-view entities -q Translation -rows 2", "0:1  Rotation (X 0 Y 0 Z 0 W 1)  Translation (X 0 Y 0 Z 0)\n"},
		{"-view entities -q Translation -rows 2", "and 1,198 more rows: use -rows, at most 200"}, {"-view archetypes -rows 1", "and 1 more archetype: -rows shows at most 100\n"}, {"-view nan", ": no NaN and no infinity in "}, {"-view nan", ", and none in "},
		{"-view journal", "no structural change yet: the inspector records them only while a client asks"}, {"-view memory", "1,201 entities in 4 chunks"}, {"-view worlds", "shown"}, {"-view order", "predicted with 2 workers: "}, {"-view order -n 2 -every 1ms", "\nno change of the order of systems or of their blocks would save 1 % of a frame\n"},
		{"-view entities -q Parent -json", `"name":"the child"`}, {"-n 3 -every 1ms -view worlds -json", `{"worlds":[{"id":`}, {"-world shown", "shown, frame "},
		{"-view entities -q Translation -when Translation.X>=1198", "2 entities match \"Translation\" and meet Translation.X>=1198\n1198:1  Rotation (X 0 Y 0 Z 0 W 1)  Translation (X 1198 Y 0 Z 0)\n1199:1 "},
		{"-view entities -when Translation.X==7&&Rotation.W==1 -frame 99999999", "1 entity meets Translation.X==7&&Rotation.W==1\n7:1 "}, {"-view time", "1 apart, in "}, {"-view time -when Translation.X>=1199", `is the first kept frame in which an entity meets Translation.X>=1199: entity 1199:1`}, {"-view time -when Translation.X<0", "no entity meets Translation.X<0 in "},
		{"-view entities -q Parent -frame 99999999", `1 entity matches "Parent"`}, {"-view memory -frame 99999999", "frame 99999999 is not kept, so this is frame "}, {"-view archetypes -frame 99999999", "  1,200 "},
		{"-entity 7", "entity 7:1, archetype #"}, {"-entity 7:1", "transform.Translation  X 7  Y 0  Z 0\n"}, {"-entity 7 -json", `"id":"7:1"`}, {"-entity 1200", `entity 1200:1 "the child", archetype`}, {"-entity 7 -frame 99999999", ", the last kept one before it: entity 7:1"}, {"-entity 7", "earlier entit"},
		{"-entity 7 -frame 99999999", "\nentity 7:1 is in the kept frames from "}, {"-entity the_child", `entity 1200:1 "the child", archetype`}, {"-view entities -q the_child", `entity 1200:1 "the child", archetype`}, {"-view entities -q 7", "entity 7:1, archetype #"}, {"-view entities -q 7:1", "entity 7:1, archetype #"}, {"-entity the_child -frame 99999999", ": entity 1200:1 "},
		{"-watch odd", "odd: the name of a number is missing: write Component.Field"},
		{"-watch count_Translation", "1200  1200  1200 "}, {"-watch count_Translation -watch sum_Nowhere", "sum Nowhere: "}, {"-watch count_Translation -json", `"spec":"count Translation"`}, {"-view watches", "no watch: add one with -watch"},
		{"-do catch", "the world pauses when a system writes a new NaN or infinity; -view nan shows those that exist\n"}, {"-do catch_false", "no watch: "}, {"-do catch_false -json", `"catching":false}`},
	} {
		flags := strings.Fields(c.args)
		for k := range flags {
			flags[k] = strings.ReplaceAll(flags[k], "_", " ")
		}
		for _, k := range slices.Compact([]int{0, len(flags) / 4 * 2, len(flags)}) { // the address before, between and after the flags
			args := slices.Concat([]string{"inspect"}, flags[:k], []string{at}, flags[k:])
			out, fault, code := lanewise(t, args...)
			if code != exitOK || !strings.Contains(out, c.want) || fault != "" {
				t.Errorf("%q: exit code %d, %q, want %q\n%s", args, code, fault, c.want, out)
			}
		}
	}
	if out, fault, code := lanewise(t, "inspect", "-json", at, "-view=worlds"); code != exitOK || !strings.Contains(out, `{"worlds":[{"id":`) { // -json takes no value
		t.Errorf("-json before the address: exit code %d, %q\n%s", code, fault, out)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exitUsage, "want the address"}, {[]string{"http://localhost:1/"}, exitUsage, "want the address"}, {[]string{"-url", "localhost:6060#x"}, exitUsage, "want the address"},
		{[]string{at, "-view", "pie"}, exitUsage, "-view pie: there are archetypes, entities, entity, frame, journal, memory, nan, order, time, watches, worlds"}, {[]string{"-rows", at}, exitUsage, "for flag -rows"}, {[]string{"--every", at}, exitUsage, "for flag -every"}, {[]string{at, "-rows", "0"}, exitUsage, "want numbers above 0"}, {[]string{at, "-every", "-1s"}, exitUsage, "want numbers above 0"},
		{[]string{at, "-frame", "3"}, exitUsage, "want a number, and one of the views archetypes, entities, entity, memory"}, {[]string{at, "-view", "entities", "-frame", "x"}, exitUsage, "want a number"}, {[]string{at, "-when", "X < 1"}, exitUsage, "-when is for -view entities and -view time"},
		{[]string{at, "-view", "entity"}, exitUsage, "the view entity needs -entity"}, {[]string{at, "-view", "frame", "-entity", "7"}, exitUsage, "the view entity needs -entity"}, {[]string{at, "-view", "order", "-watch", "x"}, exitUsage, "only the view watches takes -watch"},
		{[]string{at, "-do", "dance"}, exitError, "there are pause, resume, step"}, {[]string{at, "-entity", "99999"}, exitError, "99999"},
		{[]string{at, "-entity", "nobody"}, exitError, `no entity has the name "nobody": write an index`}, {[]string{at, "-entity", "nobody", "-frame", "99999999"}, exitError, `no entity of frame 99999999 has the name "nobody"`}, {[]string{at, "-view", "entities", "-when", "NaN"}, exitError, "or Health.Points == NaN"},
		{[]string{at, "-view", "entities", "-frame", "0"}, exitError, "frame 0 is not kept"}, {[]string{server.URL + "/#wrong"}, exitError, "the token is missing or wrong"}, {[]string{at, "-world", "nowhere"}, exitError, "there is no world nowhere"},
		{[]string{at, "-view", "entities", "-q", "Nowhere"}, exitError, "there is no component Nowhere"}, {[]string{at, "-view", "entities", "-when", "Translation.X < 1 && Translation.Q < 1"}, exitError, "condition, character 22 (Translation.Q < 1): transform.Translation has no field Q"}, {[]string{"http://127.0.0.1:1/#x"}, exitError, "no answer"},
	} {
		out, fault, code := lanewise(t, append([]string{"inspect"}, c.args...)...)
		if code != c.code || !strings.Contains(fault, c.want) || out != "" {
			t.Errorf("%q: exit code %d, %q, want %d and %q", c.args, code, fault, c.code, c.want)
		}
	}
	r, err := http.NewRequest(http.MethodPost, server.URL+"/api/name", strings.NewReader(url.Values{"id": {"7:1"}, "name": {"the seventh"}}.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("X-Lanewise-Token", "tok")
	answer, err := http.DefaultClient.Do(r)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer, err)
	}
	_ = answer.Body.Close()
	if out, fault, code := lanewise(t, "inspect", at, "-view", "journal"); code != exitOK || !strings.Contains(out, `Name by inspector: name of 7:1: "" → "the seventh"`) {
		t.Errorf("exit code %d, %q: the journal without the edit:\n%s", code, fault, out)
	}
	watchTwice(t, at)
}

// watchTwice watches a view until it has been shown twice. It waits longer each time, because a
// busy machine shows a view less often.
func watchTwice(t *testing.T, at string) {
	t.Helper()
	pictures := 0
	for wait := 50 * time.Millisecond; pictures < 2 && wait < time.Minute; wait *= 4 {
		soon, cancel := context.WithTimeout(context.Background(), wait)
		out, _, _ := lanewiseUntil(t, soon, true, "inspect", at, "-every", "5ms")
		cancel()
		pictures = strings.Count(out, "\x1b[2J")
	}
	if pictures < 2 {
		t.Errorf("somebody who watches sees %d pictures", pictures)
	}
}

// TestBare checks that names of generic components are not split.
func TestBare(t *testing.T) {
	for name, want := range map[string]string{
		"transform.Translation": "Translation", "ecs.Of[render.ChunkBounds]": "Of[ChunkBounds]", "a.Pair[b.C, []d.E[int]]": "Pair[C, []E[int]]", "X": "X", "": "",
	} {
		if got := bareName(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

// TestOrreryInspect checks that the inspector is served while the orrery runs, and that it does not
// change the result.
func TestOrreryInspect(t *testing.T) {
	keepPath(t)
	args := []string{"orrery", "-t0", "2000-01-01", "-t1", "2000-01-04"}
	plain, _, code := lanewise(t, args...)
	if code != exitOK {
		t.Fatal("the orrery does not run")
	}
	out, fault, code := lanewise(t, append(args, "-inspect", "localhost:0")...)
	hash := func(s string) string {
		_, rest, _ := strings.Cut(s, "hash")
		line, _, _ := strings.Cut(rest, "\n")
		return line
	}
	if code != exitOK || !strings.Contains(fault, "inspect: open http://127.0.0.1:") && !strings.Contains(fault, "inspect: open http://[::1]:") || hash(out) != hash(plain) || hash(out) == "" {
		t.Errorf("exit code %d, %q, hash %s, want %s", code, fault, hash(out), hash(plain))
	}
	if _, fault, code := lanewise(t, append(args, "-inspect", "0.0.0.0:0")...); code != exitError || !strings.Contains(fault, "open to others") {
		t.Errorf("exit code %d: %s", code, fault)
	}
}

// doomed is destroyed by the system reaper at one of the first frames after its creation.
type doomed struct{ Left int32 }

func (doomed) Column() (c struct{ Left []int32 }) { return }

// reaper counts down, destroys, and creates the next entity, which gets the same index.
type reaper struct{ all *ecs.Query }

func (r *reaper) Create(s *system.Setup) error {
	r.all = s.Query(ecs.Write[doomed]())
	return nil
}

func (r *reaper) Update(f *system.Frame) error {
	var gone []ecs.Entity
	for c := range r.all.Chunks() {
		left := ecs.Column[doomed](c).Left
		for i, e := range c.Entities() {
			if left[i]--; left[i] == 0 {
				gone = append(gone, e)
			}
		}
	}
	for _, e := range gone {
		if err := f.World().Destroy(e); err != nil {
			return err
		}
		f.World().Spawn(doomed{Left: 100_000})
	}
	return nil
}

// claimer declares to write a component, and has no query.
type claimer struct{}

func (claimer) Create(s *system.Setup) error {
	s.Access(ecs.Write[doomed]())
	return nil
}

func (claimer) Update(*system.Frame) error { return nil }

// outsider has a query that does not match the entity.
type outsider struct{}

func (outsider) Create(s *system.Setup) error {
	s.Query(ecs.Write[doomed](), ecs.With[transform.Parent]())
	return nil
}

func (outsider) Update(*system.Frame) error { return nil }

// watcher only reads the entity.
type watcher struct{}

func (watcher) Create(s *system.Setup) error {
	s.Query(ecs.Read[doomed]())
	return nil
}

func (watcher) Update(*system.Frame) error { return nil }

// TestInspectWriters checks which systems the view of an entity lists: those with a query that matches it, and those without a query
// that may write it.
func TestInspectWriters(t *testing.T) {
	w, err := system.NewWorld("writers", system.Only(system.Of[claimer](), system.Of[outsider](), system.Of[watcher]()))
	if err != nil {
		t.Fatal(err)
	}
	w.Spawn(doomed{Left: 1}, transform.Translation{})
	at, _ := serveInspector(t, w)
	out, fault, code := lanewise(t, "inspect", at, "-entity", "0")
	for _, want := range []string{"lanewise.claimer  main.doomed (the system has no query)\n", "lanewise.watcher  nothing of it\n"} {
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("exit code %d, %q, want %q\n%s", code, fault, want, out)
		}
	}
	if strings.Contains(out, "outsider") {
		t.Errorf("a system whose query does not match is listed:\n%s", out)
	}
}

// TestInspectControl checks the words for each state of a world.
func TestInspectControl(t *testing.T) {
	for answer, want := range map[string]string{ //lanewise:inexact each answer is independent
		`{"frame":7}`: "frame 7: the world runs\n", `{"frame":7,"paused":true}`: "frame 7: the world is paused\n",
		`{"frame":7,"paused":true,"steps":1}`: "frame 7: the world pauses after 1 more step\n", `{"frame":7,"paused":true,"steps":3}`: "frame 7: the world pauses after 3 more steps\n",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/control" {
				_, _ = io.WriteString(w, answer)
				return
			}
			_, _ = io.WriteString(w, `{"worlds":[]}`)
		}))
		if out, fault, code := lanewise(t, "inspect", server.URL+"/#x", "-do", "step 3", "-view", "worlds"); code != exitOK || !strings.HasPrefix(out, want) {
			t.Errorf("%s: exit code %d, %q, want %q\n%s", answer, code, fault, want, out)
		}
		server.Close()
	}
}

// TestInspectHarm checks the answers to three questions about a server: who destroyed the former holder of an
// index, for which system another one waits, and how a pause of a caught NaN is ended.
func TestInspectHarm(t *testing.T) {
	w, err := system.NewWorld("harm", system.Only(system.Of[reaper]()))
	if err != nil {
		t.Fatal(err)
	}
	e := w.Spawn(doomed{Left: 200})
	at, _ := serveInspector(t, w)
	var out, fault string
	for begin := time.Now(); !strings.Contains(out, "was destroyed") && time.Since(begin) < 20*time.Second; time.Sleep(20 * time.Millisecond) {
		out, fault, _ = lanewise(t, "inspect", at, "-entity", strconv.Itoa(int(e.Index)))
	}
	for _, want := range []string{"entity 0:2, archetype", "system  writes\n  lanewise.reaper  main.doomed\n", "entity 0:1 was destroyed in frame 200\n", "Destroy by lanewise.reaper\n"} {
		if !strings.Contains(out, want) || fault != "" {
			t.Errorf("want %q, got %q\n%s", want, fault, out)
		}
	}
	if out, fault, code := lanewise(t, "inspect", at, "-entity", "0:1"); code != exitOK || !strings.HasPrefix(out, "entity 0:1 was destroyed in frame 200\n") {
		t.Errorf("the destroyed entity: exit code %d, %q\n%s", code, fault, out)
	}
	if out, fault, code := lanewise(t, "inspect", at, "-entity", "0", "-json"); code != exitOK || strings.Count(out, "\n") != 2 || !strings.Contains(out, `"id":"0:1"`) {
		t.Errorf("JSON: exit code %d, %q\n%s", code, fault, out)
	}
	if out, fault, code := lanewise(t, "inspect", at, "-entity", "0:2", "-frame", "199"); code != exitOK || !strings.Contains(out, "-frame 199: entity 0:2 does not exist") || !strings.Contains(out, "entity 0:2 is in the kept frames from 200 to the last one, ") || !strings.Contains(out, "entity 0:1 is in the kept frames from ") || !strings.Contains(out, " to 199, and was destroyed in frame 200\n") {
		t.Errorf("before its creation: exit code %d, %q\n%s", code, fault, out)
	}
	for _, c := range []struct{ do, want string }{{"pause", "the world is paused\n"}, {"step 3", ": the world "}, {"resume", "the world runs\n"}} {
		if out, fault, code := lanewise(t, "inspect", at, "-do", c.do, "-view", "worlds"); code != exitOK || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit code %d, %q, want %q\n%s", c.do, code, fault, c.want, out)
		}
	}
}

// TestInspectOrder checks the tables of an order: the critical path without its short parts, the dependencies with
// their writers, and the sync points.
func TestInspectOrder(t *testing.T) {
	var b strings.Builder
	c := &client{rows: 3}
	err := errors.Join(
		c.criticalPath(&b, []inspect.Segment{{System: "A", Time: 1}, {System: "B", Time: 2}, {System: "Tide", Jobs: true, Time: 2000}, {System: "C", Time: 1}, {System: "Tide", Time: 30}, {System: "Tide", Jobs: true, Time: 500}}),
		c.waits(&b, []inspect.Waits{{System: "Pilot", For: "Float", Component: "Place", ForItWrites: true}, {System: "Float", For: "Chart", Component: "Place", Writes: true}, {System: "Float", For: "Tide", Component: "Place", Writes: true, ForItWrites: true}}),
		c.syncs(&b, []inspect.SyncPoint{{Count: 1, Waited: 5, For: []inspect.Segment{{System: "Tide"}, {System: "Chart"}}}}),
		c.syncs(&b, nil),
		c.waits(&b, slices.Repeat([]inspect.Waits{{System: "A", For: "B", Component: "C", Writes: true}}, 5)),
		c.advice(&b, []string{"A has no job: move it", "D is alone", "B has no job: move it", "C has no job: move it", "E has no job: move it"}))
	const want = `
     time  on the critical path
  2.50 ms  Tide, jobs
  30.0 µs  Tide
   4.0 µs  3 others with less than 1 % each

 system  waits for  because of
  Pilot      Float  Place, which Float writes
  Float      Chart  Place, which Float writes
  Float       Tide  Place, which both write

 waited  times  sync point
 5.0 µs      1  the end of the frame, for jobs of Tide, Chart

 system  waits for  because of
      A          B  C, which A writes
      A          B  C, which A writes
      A          B  C, which A writes
and 2 more rows: -rows 5 shows all

 systems  advice
       4  … has no job: move it (A, B, C and 1 more)
       1  D is alone
`
	if got := b.String(); err != nil || strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") || strings.Count(got, "\n") != strings.Count(want, "\n") {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestInspectEndWait checks the row for the owner's wait at the end of a frame.
func TestInspectEndWait(t *testing.T) {
	f := &inspect.Frame{Length: 1000, Spans: []inspect.Span{
		{Lane: "owner", Name: "system.Simulation", Kind: "group", B: 50}, {Lane: "owner", Name: "Hours", Kind: "wait", A: 20, B: 30, Depth: 2},
		{Lane: "owner", Name: "Waves", Kind: "wait", A: 50, B: 60}, {Lane: "owner", Name: "Soundings", Kind: "wait", A: 60, B: 960}, {Lane: "owner", Name: "jobs of no system", Kind: "wait", A: 960, B: 961},
		{Lane: "owner jobs", Name: "Soundings", Kind: "job", A: 61, B: 950},
	}}
	row, long := endWait(f)
	if want := []string{"·", "·", "·", "911.0 µs", "·", "·", "end of the frame, waits for Soundings, Waves"}; !slices.Equal(row, want) || !long {
		t.Errorf("got %q, %v, want %q and a long wait", row, long, want)
	}
	f.Length = 5e4
	if row, long := endWait(f); row == nil || long {
		t.Errorf("a fiftieth of the frame: got %q, %v, want a row, and no long wait", row, long)
	}
	f.Length = 1e6
	if row, _ := endWait(f); row != nil {
		t.Errorf("a thousandth of the frame: %q", row)
	}
	f.Spans = f.Spans[:2]
	if row, _ := endWait(f); row != nil {
		t.Errorf("without a wait at the end: %q", row)
	}
}

// TestInspectNaN finds a NaN of an inactive entity with its first kept frame, and an infinity of the running world.
func TestInspectNaN(t *testing.T) {
	w, err := system.NewWorld("odd", system.Only())
	if err != nil {
		t.Fatal(err)
	}
	e := w.Spawn(transform.Translation{Z: float32(math.NaN())}, transform.Rotation{X: float32(math.Inf(-1))}, ecs.Inactive{})
	if err := w.SetEntityName(e, "hidden"); err != nil {
		t.Fatal(err)
	}
	at, _ := serveInspector(t, w)
	out, fault, code := lanewise(t, "inspect", at, "-view", "nan")
	for _, want := range []string{"NaN  transform.Translation.Z  0:1 \"hidden\"  no system\n", "-Inf     transform.Rotation.X  0:1 \"hidden\"  no system\n", ", the oldest kept frame, has a NaN or an infinity already\n"} {
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("exit code %d, %q, want %q\n%s", code, fault, want, out)
		}
	}
	if out, fault, code := lanewise(t, "inspect", at, "-view", "nan", "-json"); code != exitOK || !strings.Contains(out, `"when":"transform.Translation.Z == NaN","found":true,`) {
		t.Errorf("JSON: exit code %d, %q\n%s", code, fault, out)
	}
}

// TestAddWriters checks that the number whose system runs first comes first, and that a later system names the component from which it may have the NaN.
func TestAddWriters(t *testing.T) {
	list := []oddNumber{{component: "Hull", frame: 609}, {component: "Ghost", frame: 609}, {component: "Rope", frame: 609}, {component: "Mast", frame: 600}, {component: "Keel", frame: 612, old: true}}
	addWriters(list, []inspect.System{{Name: "Ropes", Reads: []string{"Swell"}, Writes: []string{"Rope"}}, {Name: "Wear", Reads: []string{"Rope", "Mast"}, Writes: []string{"Hull"}}, {Name: "Sails", Writes: []string{"Mast"}}})
	want := []string{"Keel []", "Mast [Sails]", "Ghost []", "Rope [Ropes]", "Hull [Wear, which reads Rope]"}
	for k, x := range list {
		if got := fmt.Sprint(x.component, " ", x.writers); got != want[k] {
			t.Errorf("row %d: got %s, want %s", k, got, want[k])
		}
	}
}

// TestInspectAnswers checks the words for answers of a server that are hard to get from a running world: the order of the journal, and the first number of a
// frame that was repeated.
func TestInspectAnswers(t *testing.T) {
	answers := map[string]string{
		"/api/journal": `{"next":3,"changes":[{"frame":3,"op":"Spawn","times":1},{"frame":7,"op":"Destroy","system":"main.Scrap","times":1},{"frame":7,"op":"Set","system":"inspector","what":"x","times":1}],"edits":[{"frame":5,"op":"Restore","system":"inspector","what":"frame 5 → 2"},{"frame":7,"op":"Set","system":"inspector","what":"x"}]}`,
		"/api/control": `{"frame":9,"already":[{"frame":3,"entity":"27:1","number":"main.Hull.Stress","value":"NaN"}]}`,
		"/api/watches": `{"frame":4414,"caught":{"system":"main.Ropes","frame":4414,"again":609,"entity":"27:1","number":"main.Rope.Strain","value":"NaN"},"watches":[{"spec":"odd Rope.Strain","values":[1],"first":{"frame":4400,"since":0,"entity":"27:1","name":"Skua","value":"NaN"}}]}`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, answers[r.URL.Path]) }))
	defer server.Close()
	for view, want := range map[string]string{ //lanewise:inexact each view is independent
		"journal": "7 0 0 0 Set by inspector: x 7 1 0 0 Destroy by main.Scrap 5 0 0 0 Restore by inspector: frame 5 → 2 3 1 0 0 Spawn by the program, between systems",
		"watches": "frame 4414: caught: main.Ropes wrote NaN to main.Rope.Strain of entity 27:1 in frame 4414 (frame 609 again); the world waits until -do resume last min max frames watch 1 1 1 1 odd Rope.Strain odd Rope.Strain: in frame 4400, when the watch began, there was already NaN of entity 27:1 \"Skua\" (-view nan finds the first frame)",
	} {
		out, fault, code := lanewise(t, "inspect", server.URL+"/#x", "-view", view)
		if got := strings.Join(strings.Fields(out), " "); code != exitOK || !strings.HasSuffix(got, want) {
			t.Errorf("%s: exit code %d, %q\ngot  %s\nwant %s", view, code, fault, got, want)
		}
	}
	if out, _, _ := lanewise(t, "inspect", server.URL+"/#x", "-do", "catch"); !strings.HasPrefix(out, "frame 9: the world runs\nNaN or infinite already, so these do not pause the world: main.Hull.Stress of entity 27:1 is NaN (-view nan finds their first frames)\n") {
		t.Errorf("no number that is NaN already:\n%s", out)
	}
	if out, _, _ := lanewise(t, "inspect", server.URL+"/#x", "-view", "journal", "-rows", "3"); !strings.HasSuffix(out, "and 1 more row: -rows 4 shows all\n") {
		t.Errorf("no note about a row that is left out:\n%s", out)
	}
}
