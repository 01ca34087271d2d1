package inspect

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// diary records, for each frame, the X of one entity and the number of entities.
type diary struct {
	mu    sync.Mutex
	place map[uint64]float32
	count map[uint64]int
}

// note adds the current frame. The breeder calls it before it replaces one entity by another.
func (d *diary) note(w *ecs.World, e ecs.Entity) {
	d.mu.Lock()
	defer d.mu.Unlock()
	frame := system.FrameNumber(w)
	at, err := ecs.Get[transform.Translation](w, e)
	if err == nil {
		d.place[frame], d.count[frame] = at.X, w.Len()
	}
}

func (d *diary) at(frame uint64) (x float32, n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.place[frame], d.count[frame]
}

// newDiaryStage creates a stage, and a diary that records the first moving entity.
func newDiaryStage(t *testing.T, opts ...Option) (*stage, *diary, ecs.Entity) {
	s := newStage(t, 400, append([]Option{Budget(time.Second)}, opts...)...)
	s.stop()
	var first ecs.Entity
	for e := range s.w.Entities() {
		if speed, err := ecs.Get[Speed](s.w, e); err == nil && speed.X > 0 {
			first = e
			break
		}
	}
	d := &diary{place: map[uint64]float32{}, count: map[uint64]int{}}
	s.breed.then = func(f *system.Frame) { d.note(f.World(), first) }
	s.run()
	return s, d, first
}

// xOf returns Translation.X in the answer about an entity.
func xOf(t *testing.T, e *Entity) float32 {
	t.Helper()
	for _, c := range e.Components {
		if c.Name == "transform.Translation" {
			return float32(fieldOf(t, c.Value, "X").(float64))
		}
	}
	t.Fatalf("entity %s has no Translation", e.ID)
	return 0
}

// TestPast requests pages about kept frames, and compares the answers with the diary that the world wrote while it
// ran.
func TestPast(t *testing.T) {
	s, d, e := newDiaryStage(t, History(2, 64<<20), Allow(Control|Edit))
	s.awaitFrames(60)
	post[Controlled](s, "/api/control", "do", "pause")
	p := get[Frame](s, "/api/frame").Past
	if p == nil || p.Every != 2 || p.Kept < 20 || p.First%2 != 0 || p.Last < p.First+40 || p.Bytes < 10_000 || p.Bytes > p.Limit || p.Why != "" {
		t.Fatalf("%+v", p)
	}
	draw := rand.New(rand.NewPCG(3, 4))
	for range 12 {
		frame := p.First + draw.Uint64N(p.Last-p.First+1)
		kept, id := frame/2*2, entityText(e)
		if _, n := d.at(kept); n == 0 {
			continue // a frame before the diary
		}
		one := get[Entity](s, "/api/entity", "id", id, "frame", fmt.Sprint(frame))
		x, n := d.at(kept)
		if got := xOf(t, one); got != x || one.Frame != kept {
			t.Errorf("frame %d: X is %v in frame %d, want %v in %d", frame, got, one.Frame, x, kept)
		}
		if now := get[Entity](s, "/api/entity", "id", id).Systems; !sameMatches(one.Systems, now) {
			t.Errorf("frame %d: the systems are %+v, want %+v", frame, one.Systems, now)
		}
		all := get[Entities](s, "/api/entities", "q", ":all", "frame", fmt.Sprint(frame))
		if all.Count != n || all.Frame != kept {
			t.Errorf("frame %d: %d entities in frame %d, want %d", frame, all.Count, all.Frame, n)
		}
		if a := get[Archetypes](s, "/api/archetypes", "frame", fmt.Sprint(frame)); a.Rows != n {
			t.Errorf("frame %d: the archetypes have %d rows, want %d", frame, a.Rows, n)
		}
		if m := get[Memory](s, "/api/memory", "frame", fmt.Sprint(frame)); m.Entities != n {
			t.Errorf("frame %d: %d entities in the memory, want %d", frame, m.Entities, n)
		}
		if pic := get[Picture](s, "/api/picture", "kind", "histogram", "x", "Speed.X", "frame", fmt.Sprint(frame)); pic.Count != 400 {
			t.Errorf("frame %d: %d entities in the picture", frame, pic.Count)
		}
	}
	hero := get[Entity](s, "/api/entity", "id", entityText(s.hero), "frame", fmt.Sprint(p.First))
	if hero.Name != "hero" || len(hero.Components) != len(get[Entity](s, "/api/entity", "id", entityText(s.hero)).Components) {
		t.Errorf("%+v", hero)
	}
	s.wantError(400, "shows only the running world", "GET", "/api/journal", "frame", "3")
	s.wantError(400, "write the number of a frame", "GET", "/api/entities", "frame", "x")
	s.wantError(404, "frame 0 is not kept: the oldest kept frame is ", "GET", "/api/entities", "frame", "0")
	s.wantError(404, "does not exist", "GET", "/api/entity", "id", "9999:1", "frame", fmt.Sprint(p.Last))
}

// sameMatches reports whether two lists have the same systems with the same matches and accesses. At least one system must match and write.
func sameMatches(a, b []Matching) bool {
	writes := false
	for _, m := range a {
		writes = writes || m.Matches && len(m.Writes) > 0
	}
	return writes && slices.EqualFunc(a, b, func(p, q Matching) bool {
		return p.Full == q.Full && p.Matches == q.Matches && slices.Equal(p.Writes, q.Writes) && slices.Equal(p.Reads, q.Reads)
	})
}

// worldHash returns the hash of the world, which its owner computes.
func (s *stage) worldHash() (hash uint64) {
	s.Helper()
	v, err := s.in.pick(context.Background(), "")
	if err != nil {
		s.Fatal(err)
	}
	if _, err := v.runBetween(context.Background(), "hash", func(*ownerSlice) (bool, error) { hash = s.w.Hash(); return false, nil }); err != nil {
		s.Fatal(err)
	}
	return hash
}

// imageHash returns the hash of a kept frame.
func (s *stage) imageHash(frame uint64) uint64 {
	s.Helper()
	held, release := s.in.find(s.w).past.hold(at(frame))
	defer release()
	if len(held) != 1 {
		s.Fatalf("frame %d is not kept", frame)
	}
	return held[0].image.Hash()
}

// TestContinueFromFrame restores an earlier frame, undoes this, and lets the world run on. The world must then do the
// same as before: its later frames have the same hashes.
func TestContinueFromFrame(t *testing.T) {
	s, d, e := newDiaryStage(t, History(1, 64<<20), Allow(Control|Edit))
	s.awaitFrames(40)
	post[Controlled](s, "/api/control", "do", "pause")
	p := get[Frame](s, "/api/frame").Past
	now, then := s.worldHash(), p.Last-20
	out := post[Restored](s, "/api/restore", "frame", fmt.Sprint(then))
	if out.Frame != then || out.From != p.Last || s.worldHash() != s.imageHash(then) {
		t.Errorf("%+v after %+v; hash %016x, want %016x", out, p, s.worldHash(), s.imageHash(then))
	}
	if x, _ := d.at(then); xOf(t, get[Entity](s, "/api/entity", "id", entityText(e))) != x {
		t.Errorf("X is not %v", x)
	}
	post[Restored](s, "/api/restore", "frame", fmt.Sprint(out.From))
	if s.worldHash() != now {
		t.Error("going back cannot be undone")
	}
	post[Restored](s, "/api/restore", "frame", fmt.Sprint(then))
	post[Controlled](s, "/api/control", "do", "step", "value", "15")
	for begin := time.Now(); get[Frame](s, "/api/frame").Frame < p.Last+15; time.Sleep(time.Millisecond) {
		if time.Since(begin) > generous {
			t.Fatal("the world does not go on")
		}
	}
	if c := get[Frame](s, "/api/frame").Continued; c == nil || *c != (Continued{then, p.Last}) {
		t.Errorf("the world continues %+v, want from frame %d after frame %d", c, then, p.Last)
	}
	x, _ := d.at(then + 15)
	if y, _ := d.at(p.Last + 15); x != y || x == 0 {
		t.Errorf("15 frames after frame %d, X is %v, and was %v", then, y, x)
	}
	s.wantError(400, "write the number of a frame", "POST", "/api/restore")
	s.wantError(404, "is not kept", "POST", "/api/restore", "frame", "0")
}

// TestContinueAfterEdit restores an earlier frame after an edit of the paused world. The edited state must not be lost,
// although an image of the same frame exists from before the edit.
func TestContinueAfterEdit(t *testing.T) {
	s, _, e := newDiaryStage(t, History(1, 64<<20), Allow(Control|Edit))
	s.awaitFrames(20)
	post[Controlled](s, "/api/control", "do", "pause")
	last := get[Frame](s, "/api/frame").Past.Last
	for _, x := range []string{"77", "78"} {
		post[Edited](s, "/api/set", "id", entityText(e), "component", "transform.Translation", "field", "X", "value", x)
		edited := s.worldHash()
		out := post[Restored](s, "/api/restore", "frame", fmt.Sprint(last-10))
		if s.worldHash() != s.imageHash(last-10) || out.From != last {
			t.Errorf("X %s: %+v", x, out)
		}
		post[Restored](s, "/api/restore", "frame", fmt.Sprint(out.From))
		if s.worldHash() != edited {
			t.Errorf("X %s: going back loses the edit", x)
		}
	}
}

// TestPastWhileSearched checks that the inspector keeps most frames while a request uses all of them.
func TestPastWhileSearched(t *testing.T) {
	s := newStage(t, 3000, History(1, 2_000_000))
	for s.awaitFrames(30); get[Frame](s, "/api/frame").Past.First <= 1; { // until the limit is reached
		s.awaitFrames(10)
	}
	kept := get[Frame](s, "/api/frame").Past.Kept
	_, release := s.in.find(s.w).past.hold(func(list []*keptFrame) []*keptFrame { return list })
	defer release()
	s.awaitFrames(2)
	if now := get[Frame](s, "/api/frame").Past.Kept; now < min(kept, 3) {
		t.Errorf("%d frames are kept, and were %d before the search", now, kept)
	}
}

// TestPastPermissions checks which permissions a page needs to restore a frame, and the errors if no frames are
// kept.
func TestPastPermissions(t *testing.T) {
	for _, opts := range [][]Option{{}, {Allow(Control)}, {Allow(Edit | Control), ReadOnly()}} {
		s := newStage(t, 10, append(opts, History(1, 1<<20))...)
		s.awaitFrames(3)
		s.wantError(403, "does not allow", "POST", "/api/restore", "frame", "2")
		s.wantError(405, "POST it", "GET", "/api/restore", "frame", "2")
		if e := get[Entities](s, "/api/entities", "q", "Health", "frame", "2"); e.Frame != 2 || e.Count == 0 {
			t.Errorf("the past cannot be read: %+v", e)
		}
	}
	s := newStage(t, 10, Allow(Edit))
	s.wantError(404, "the program keeps no frames: see inspect.History", "GET", "/api/entities", "frame", "1")
	s.wantError(404, "the program keeps no frames", "POST", "/api/restore", "frame", "1")
	s.wantError(404, "the program keeps no frames", "GET", "/api/find", "when", "Health.Points < 10")
	if f := get[Frame](s, "/api/frame"); f.Past != nil {
		t.Errorf("%+v", f.Past)
	}
}

// TestPastLimit checks that the images stay below the limit, and that Close releases them.
func TestPastLimit(t *testing.T) {
	s := newStage(t, 3000, History(1, 300_000), Allow(Control))
	s.awaitFrames(30)
	for range 5 {
		s.awaitFrames(1)
		if p := get[Frame](s, "/api/frame").Past; p.Bytes > 300_000 || p.Kept < 2 || p.First+uint64(p.Kept) != p.Last+1 || p.Took <= 0 {
			t.Errorf("%+v", p)
		}
	}
	post[Controlled](s, "/api/control", "do", "pause") // a running world would soon drop the frame
	_ = get[Entities](s, "/api/entities", "q", "Health", "frame", fmt.Sprint(get[Frame](s, "/api/frame").Past.Last))
	v := s.in.find(s.w)
	if err := s.in.Close(); err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); s.in.find(s.w) != nil; time.Sleep(time.Millisecond) {
		if time.Since(begin) > generous {
			t.Fatal("the view does not end")
		}
	}
	s.stop()
	if n := s.w.ImageBytes(); n != 0 || v.past.fork != nil {
		t.Errorf("%d bytes are left after Close, and a fork: %v", n, v.past.fork)
	}
	for _, c := range [][2]int{{-1, 1}, {1, 0}} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "inspect: History: every ") {
					t.Errorf("got panic %s", got)
				}
			}()
			History(c[0], c[1])
		}()
	}
}

// TestFind searches for the first frame in which the X of an entity is beyond a limit, and compares this frame with the
// diary.
func TestFind(t *testing.T) {
	s, d, e := newDiaryStage(t, History(1, 64<<20), Allow(Control))
	s.awaitFrames(60)
	post[Controlled](s, "/api/control", "do", "pause")
	p := get[Frame](s, "/api/frame").Past
	mid, _ := d.at(p.Last - 17)
	if found := get[Found](s, "/api/find", "when", fmt.Sprintf("Translation.X >= %v", mid), "id", entityText(e)); !found.Found || found.Frame != p.Last-17 || found.Before != p.Last-18 || found.ID != entityText(e) {
		t.Errorf("%+v, want frame %d", found, p.Last-17)
	}
	if found := get[Found](s, "/api/find", "when", `Health.Points == 100 && Team.Label == "red"`); !found.Found || found.Frame != p.First || found.Before != 0 || found.Name != "hero" {
		t.Errorf("%+v", found)
	}
	if found := get[Found](s, "/api/find", "when", "Speed.X > 1e9"); found.Found || found.Frame != 0 || found.Checked != p.Kept {
		t.Errorf("%+v", found)
	}
	for _, c := range []struct{ when, want string }{
		{"", "condition, at its end: \"\" is no comparison"}, {"Health.Points", "is no comparison"}, {"Health.Points < ", "is no number"}, {"Health.Points = 3", "is no comparison"}, {"Nowhere.X < 1", "no component Nowhere"},
		{"Health.Points < abc", "no number"}, {`Health.Points == "red"`, "is no text"}, {`Team.Label < "red"`, "== or !="}, {"Team.Label == 3", "is a text"}, {`Team.Label == "red`, "no text in quotes"},
		{"Team == 3", "several fields"}, {"Team.Size == 3", "condition, character 1 (Team.Size == 3): inspect.Team has no field Size"},
		{`Team.Label == "ö && ü" && Health.Points<abc && Mark == 1`, `condition, character 41 (abc): "abc" is no number`}, {`Health.Points < 1 &&   Nowhere.X<1`, "condition, character 24 (Nowhere.X<1): there is no component Nowhere"},
		{"Health.Points < 1 || Wide.F == 2", "condition, character 19 (|| Wide.F == 2): there is no ||"}, {`Health.Points < 1 && Team.Label<="red"`, `condition, character 32 (<="red"): a text is compared`}, {"Health.Points < 1 &&", "condition, at its end: "}, {"Note.Text == 3", "no numbers"}, {"Translation == 3", "several numbers"},
		{strings.Repeat("Health.Points < 1 && ", 20) + "Health.Points < 1", "more than 16"},
	} {
		s.wantError(400, c.want, "GET", "/api/find", "when", c.when)
	}
	s.wantError(400, "is no entity", "GET", "/api/find", "when", "Health.Points < 1", "id", "x")
}

// TestConditions compares the first match in images of random worlds with a search that reads each entity.
func TestConditions(t *testing.T) {
	fields := []struct {
		name string
		of   func(w *ecs.World, e ecs.Entity) (float64, bool)
	}{
		{"Health.Points", func(w *ecs.World, e ecs.Entity) (float64, bool) {
			c, err := ecs.Get[Health](w, e)
			return float64(c.Points), err == nil
		}},
		{"Wide.F", func(w *ecs.World, e ecs.Entity) (float64, bool) {
			c, err := ecs.Get[Wide](w, e)
			return c.F, err == nil
		}},
		{"Wide.U", func(w *ecs.World, e ecs.Entity) (float64, bool) {
			c, err := ecs.Get[Wide](w, e)
			return float64(c.U), err == nil
		}},
		{"Speed.Y", func(w *ecs.World, e ecs.Entity) (float64, bool) {
			c, err := ecs.Get[Speed](w, e)
			return float64(c.Y), err == nil
		}},
		{"Team.Number", func(w *ecs.World, e ecs.Entity) (float64, bool) {
			c, err := ecs.Get[Team](w, e)
			return float64(c.Number), err == nil
		}},
		{"Asleep", func(w *ecs.World, e ecs.Entity) (float64, bool) {
			c, err := ecs.Get[Asleep](w, e)
			on, _ := ecs.Enabled[Asleep](w, e)
			return float64(c.Since), err == nil && on
		}},
	}
	compare := map[string]func(x, y float64) bool{
		"<": func(x, y float64) bool { return x < y }, "<=": func(x, y float64) bool { return x <= y }, ">": func(x, y float64) bool { return x > y },
		">=": func(x, y float64) bool { return x >= y }, "==": func(x, y float64) bool { return x == y || x != x && y != y }, "!=": func(x, y float64) bool { return x != y && (x == x || y == y) },
	}
	seeds, conditions := uint64(5), 12
	if *full {
		seeds, conditions = 20, 40
	}
	for seed := range seeds {
		draw := rand.New(rand.NewPCG(seed, 9))
		w := ecs.NewWorld("random")
		for range draw.IntN(150) {
			n := float64(draw.IntN(5))
			if draw.IntN(9) == 0 {
				n = math.NaN()
			}
			list := []any{Mark{}}
			for _, c := range []any{Health{int32(draw.IntN(5))}, Wide{F: n, U: uint8(draw.IntN(5))}, Speed{Y: float32(n)}, Team{Number: int32(draw.IntN(5))}, Asleep{Since: int32(draw.IntN(5))}, ecs.Prefab{}} {
				if _, hidden := c.(ecs.Prefab); draw.IntN(2) == 0 && !hidden || draw.IntN(9) == 0 && hidden {
					list = append(list, c)
				}
			}
			e := w.Spawn(list...)
			if _, err := ecs.Get[Asleep](w, e); err == nil && draw.IntN(2) == 0 {
				_ = ecs.SetEnabled[Asleep](w, e, false)
			}
		}
		m, err := ecs.Capture(w, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range conditions {
			var parts []string
			var tests []func(e ecs.Entity) bool
			for range 1 + draw.IntN(3) {
				f := fields[draw.IntN(len(fields))]
				op := operators[draw.IntN(len(operators))]
				y := float64(draw.IntN(6))
				if draw.IntN(8) == 0 && (op == "==" || op == "!=") {
					y = math.NaN()
				}
				parts = append(parts, fmt.Sprintf("%s%s%v", f.name, op, y))
				tests = append(tests, func(e ecs.Entity) bool { x, has := f.of(w, e); return has && compare[op](x, y) })
			}
			text := strings.Join(parts, []string{"&&", " && "}[draw.IntN(2)])
			c, err := parseCondition(text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			wanted, k := 0, 0
			for e := range w.Entities() {
				match := !slices.Contains(w.ArchetypeOf(e).Types(), reflect.TypeFor[ecs.Prefab]())
				for _, test := range tests {
					match = match && test(e)
				}
				if match {
					wanted++
				}
				if k++; k%8 != 0 { // each search reads all chunks
					continue
				}
				if _, got := c.first(m, nil, ecs.ComponentTypes(), e); got != match {
					t.Fatalf("seed %d: %s for entity %v: %v, want %v", seed, text, e, got, match)
				}
			}
			if list := filteredRows(t, w, "", text); len(list) != wanted {
				t.Fatalf("seed %d: %s: the running world has %d entities that meet it, want %d", seed, text, len(list), wanted)
			}
			if _, got := c.first(m, nil, ecs.ComponentTypes(), ecs.Entity{}); got != (wanted > 0) {
				t.Fatalf("seed %d: %s: %v, and %d entities meet it", seed, text, got, wanted)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// dozing is a component with a switch.
type dozing struct {
	ecs.Enableable
	Since float64
}

// TestFindHidden finds a NaN of an inactive entity, of a prefab and of a disabled component in the kept frames.
func TestFindHidden(t *testing.T) {
	s := newStage(t, 10, History(1, 64<<20))
	s.stop()
	e := s.w.Spawn(Speed{Z: float32(math.NaN())}, ecs.Inactive{})
	s.w.Spawn(Health{Points: 77777}, ecs.Prefab{})
	off := s.w.Spawn(dozing{Since: math.Inf(1)})
	if err := ecs.SetEnabled[dozing](s.w, off, false); err != nil {
		t.Fatal(err)
	}
	s.run()
	s.awaitFrames(3)
	for _, when := range []string{"Speed.Z == NaN", "Health.Points == 77777", "dozing.Since == Inf"} {
		if f := get[Found](s, "/api/find", "when", when); f.Found {
			t.Errorf("%s: %+v without :all", when, f)
		}
		f := get[Found](s, "/api/find", "when", when, "q", ":all")
		if !f.Found || when == "Speed.Z == NaN" && f.ID != entityText(e) {
			t.Errorf("%s: %+v", when, f)
		}
	}
	s.wantError(400, "no query except :all", "GET", "/api/find", "when", "Speed.Z == NaN", "q", "Mark")
}

// TestImageShare checks how rare images become if their cost decides it. The program changes its rows in each frame or in one
// frame of several. The images must take at most one percent of the time, but also must not be rarer than twice as rare as that.
func TestImageShare(t *testing.T) {
	const frame, first = 16 * time.Millisecond, 20 * time.Millisecond
	rng := rand.New(rand.NewPCG(7, 7))
	for _, period := range []int{1, 2, 3, 4, 5, 7, 8, 1, 4} {
		cheap, dear := time.Duration(rng.IntN(100_000)), time.Duration(500_000+rng.IntN(6_000_000))
		p := &past{every: 1, limit: 1, adapts: true}
		var took, all time.Duration
		for k, changed := 0, false; k < 20_000; k++ {
			p.since.time, p.since.frames = p.since.time+frame, p.since.frames+1
			changed = changed || k%period == 0
			if k%p.every == 0 {
				if p.took = cheap; changed {
					p.took = dear
				}
				if changed = false; k == 0 {
					p.took = first
				} else if k > 10_000 {
					took += p.took
				}
				p.adapt()
			}
			if k > 10_000 {
				all += frame
			}
		}
		if share := float64(took) / float64(all); share > 1.02*maxImageShare || share < maxImageShare/2.1 && p.every > 1 {
			t.Errorf("the rows change in one frame of %d, and an image then takes %v: the images, one in %d frames, take %.2f %% of the time", period, dear, p.every, 100*share)
		}
	}
}

// TestImageOutlier checks that the first image and a single one that takes unusually long do not make images rarer, and that
// images become frequent again after a slow time.
func TestImageOutlier(t *testing.T) {
	p := &past{every: 1, limit: 1, adapts: true}
	add := func(took time.Duration) int {
		p.since, p.took = imageCost{time: time.Duration(p.every) * 16 * time.Millisecond, frames: p.every}, took
		p.adapt()
		return p.every
	}
	add(time.Hour)
	for k := range 60 {
		took := 100 * time.Microsecond
		if k%20 == 1 {
			took = time.Hour
		}
		if every := add(took); every != 1 {
			t.Fatalf("image %d, which takes %v: one image in %d frames, want one in each", k, took, every)
		}
	}
	for range 2 * maxCosts {
		if before := p.every; add(3*time.Millisecond) > 2*before {
			t.Errorf("one image in %d frames after one in %d", p.every, before)
		}
	}
	if p.every != 32 {
		t.Errorf("images of 3 ms: one in %d frames, want one in 32", p.every)
	}
	for range 2 * maxCosts {
		add(100 * time.Microsecond)
	}
	if p.every != 1 {
		t.Errorf("cheap images again: one in %d frames, want one in each", p.every)
	}
}

// TestAdaptiveHistory runs a loop whose inspector keeps images as often as their cost allows, and shows kept frames. The answer
// must come from an image that is not later than the requested frame.
func TestAdaptiveHistory(t *testing.T) {
	s := newStage(t, 400, History(0, 64<<20), Allow(Control))
	s.awaitFrames(100)
	post[Controlled](s, "/api/control", "do", "pause")
	p := get[Frame](s, "/api/frame").Past
	if p == nil || p.Kept < 1 || p.Every < 1 || p.Every&(p.Every-1) != 0 || p.Why != "" {
		t.Fatalf("%+v", p)
	}
	for frame := p.First; frame <= p.Last; frame += max(1, (p.Last-p.First)/7) {
		if got := get[Entities](s, "/api/entities", "q", "Speed", "frame", fmt.Sprint(frame)); got.Count != 400 || got.Frame > frame || got.Frame < p.First {
			t.Errorf("frame %d: %d entities in frame %d", frame, got.Count, got.Frame)
		}
	}
}

// TestGone asks who destroyed an entity: the system breeder, in the frame after the last one that has the entity.
func TestGone(t *testing.T) {
	s := newStage(t, 50, History(1, 64<<20), Allow(Control))
	s.awaitFrames(8)
	post[Controlled](s, "/api/control", "do", "pause")
	p := get[Frame](s, "/api/frame").Past
	at := fmt.Sprint(p.Last - 3)
	born := get[Entities](s, "/api/entities", "q", "Mark Health !Translation", "frame", at)
	if len(born.Rows) != 1 {
		t.Fatalf("%d entities of the breeder in frame %s", len(born.Rows), at)
	}
	id := born.Rows[0].ID
	g := get[Gone](s, "/api/gone", "id", id)
	if g.ID != id || g.Last != p.Last-3 || g.Frame != p.Last-2 {
		t.Errorf("%+v, want that %s was last in frame %d", g, id, p.Last-3)
	}
	if len(g.Changes) != 1 || g.Changes[0].System != "inspect.breeder" || g.Changes[0].Op != "Destroy" || g.Changes[0].Frame != g.Frame || g.Changes[0].Fewer != 1 {
		t.Errorf("the changes are %+v, want that inspect.breeder destroyed one entity", g.Changes)
	}
	s.checkEarlier(p, id)
	index, _, _ := strings.Cut(entityText(s.hero), ":")
	if g := get[Gone](s, "/api/gone", "id", index); g.ID != entityText(s.hero) || g.Name != "hero" || g.Last != p.Last || g.Frame != 0 {
		t.Errorf("%+v, want that the hero is in frame %d", g, p.Last)
	}
	s.wantError(404, "no kept frame has entity 9999:1: the oldest is frame ", "GET", "/api/gone", "id", "9999:1")
	s.wantError(400, "is no entity", "GET", "/api/gone", "id", "x")
	newStage(t, 1).wantError(404, "the program keeps no frames: see inspect.History", "GET", "/api/gone", "id", "1:1")
}

// checkEarlier asks who had the index of an entity of the breeder, and compares the answer with the entities of the breeder in the kept frames.
func (s *stage) checkEarlier(p *Past, id string) {
	s.Helper()
	index, _, _ := strings.Cut(id, ":")
	var want []Holder // the newest first, without changes
	for frame := p.Last; frame >= p.First; frame-- {
		row := get[Entities](s, "/api/entities", "q", "Mark Health !Translation", "frame", fmt.Sprint(frame)).Rows[0]
		if has, _, _ := strings.Cut(row.ID, ":"); has != index {
			continue
		}
		h := Holder{ID: row.ID, First: frame, Last: frame}
		if frame < p.Last {
			h.Frame = frame + 1
		}
		want = append(want, h)
	}
	want = want[:min(len(want), 1+maxEarlier)]
	if len(want) < 3 {
		s.Fatalf("the index %s was used %d times", index, len(want))
	}
	g := get[Gone](s, "/api/gone", "id", index)
	got := append([]Holder{g.Holder}, g.Earlier...)
	for k := range got {
		if n := len(got[k].Changes); (n == 1) != (got[k].Frame > 0) {
			s.Errorf("%d changes destroyed %+v", n, got[k])
		}
		got[k].Changes = nil
	}
	if !reflect.DeepEqual(got, want) {
		s.Errorf("the entities with the index %s are\n%+v, want\n%+v", index, got, want)
	}
	later := slices.IndexFunc(want, func(h Holder) bool { return h.ID == id })
	if g := get[Gone](s, "/api/gone", "id", id); len(g.Earlier) != len(want)-later-1 && len(want) <= maxEarlier || g.First != want[later].First {
		s.Errorf("%+v, want %s and %d earlier ones", g, id, len(want)-later-1)
	}
}

// TestGoneByEdit checks that the answer names the inspector if a client destroyed the entity.
func TestGoneByEdit(t *testing.T) {
	s := newStage(t, 5, History(1, 64<<20), Allow(Control|Edit))
	s.awaitFrames(3)
	post[Controlled](s, "/api/control", "do", "pause")
	id := get[Entities](s, "/api/entities", "q", "Speed").Rows[0].ID
	post[Edited](s, "/api/destroy", "id", id)
	look := func() *Gone {
		t.Helper()
		g := get[Gone](s, "/api/gone", "id", id)
		if !slices.ContainsFunc(g.Changes, func(c Change) bool { return c.System == editor && c.Fewer > 0 && c.Frame == g.Last }) {
			t.Errorf("%+v, want a change by a client", g)
		}
		return g
	}
	if g := look(); g.Frame != 0 {
		t.Errorf("%+v, want no frame without it", g)
	}
	post[Controlled](s, "/api/control", "do", "resume")
	s.awaitFrames(2)
	if g := look(); g.Frame != g.Last+1 {
		t.Errorf("%+v, want no frame between those with and without it", g)
	}
}

// TestGoneAfterRestore checks the answers after a restore: a destroyed entity that exists again is in the answer once, and the end of
// an entity that was created meanwhile has the restore as its cause.
func TestGoneAfterRestore(t *testing.T) {
	s := newStage(t, 5, History(1, 64<<20), Allow(Control|Edit))
	s.awaitFrames(3)
	post[Controlled](s, "/api/control", "do", "pause")
	rows := get[Entities](s, "/api/entities", "q", "Speed").Rows
	id := rows[0].ID
	then := get[Frame](s, "/api/frame").Past.Last
	post[Edited](s, "/api/destroy", "id", id)
	born := post[Spawned](s, "/api/spawn", "id", rows[1].ID).ID
	run := func() (last uint64) {
		post[Controlled](s, "/api/control", "do", "resume")
		s.awaitFrames(3)
		post[Controlled](s, "/api/control", "do", "pause")
		return get[Frame](s, "/api/frame").Past.Last
	}
	ended := run()
	post[Restored](s, "/api/restore", "frame", fmt.Sprint(then))
	last := run()
	index, _, _ := strings.Cut(id, ":")
	g := get[Gone](s, "/api/gone", "id", index)
	if g.ID != id || g.First > then || g.Last != last || g.Frame != 0 {
		t.Errorf("the index %s: %+v, want %s in the frames %d and %d", index, g.Holder, id, then, last)
	}
	for _, h := range g.Earlier {
		if h.ID == id {
			t.Errorf("%s is an entity before itself: %+v", id, h)
		}
	}
	b := get[Gone](s, "/api/gone", "id", born)
	if b.Last != ended || !slices.ContainsFunc(b.Changes, func(c Change) bool { return c.Op == opRestore }) {
		t.Errorf("%s: %+v, want that the restore after frame %d ended it", born, b, ended)
	}
}
