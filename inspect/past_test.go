package inspect

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
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
		kept, id := frame/2*2, e.String()
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
	hero := get[Entity](s, "/api/entity", "id", s.hero.String(), "frame", fmt.Sprint(p.First))
	if hero.Name != "hero" || len(hero.Components) != len(get[Entity](s, "/api/entity", "id", s.hero.String()).Components) {
		t.Errorf("%+v", hero)
	}
	s.wantError(400, "shows only the running world", "GET", "/api/journal", "frame", "3")
	s.wantError(400, "write the number of a frame", "GET", "/api/entities", "frame", "x")
	s.wantError(404, "frame 0 is not kept: the kept frames are ", "GET", "/api/entities", "frame", "0")
	s.wantError(404, "does not exist", "GET", "/api/entity", "id", "9999:1", "frame", fmt.Sprint(p.Last))
}

// TestPastAlike asks about an entity of a kept frame. The owner compares its components with those of thousands of archetypes, in
// slices. The answer must be that about an entity of the running world. After a restore, no archetype is left with these components.
func TestPastAlike(t *testing.T) {
	archetypes := 3000
	if jobs.Goroutine() == 0 {
		archetypes = 100 // in builds without goroutine numbers a frame takes a hundred times as long
	}
	s := newStage(t, 10, History(10, 64<<20), Budget(1), Allow(Control|Edit))
	s.awaitFrames(11)
	first := get[Frame](s, "/api/frame").Past.Last
	s.stop()
	crowd(s.w, archetypes, 1)
	id := s.w.Spawn(Speed{}, transform.Translation{}, few{}).String()
	s.hz = 50_000
	s.run()
	s.awaitFrames(30)
	last := fmt.Sprint(get[Frame](s, "/api/frame").Past.Last)
	kept, now := get[Entity](s, "/api/entity", "id", id, "frame", last), get[Entity](s, "/api/entity", "id", id)
	if !sameMatches(kept.Systems, now.Systems) {
		t.Errorf("the systems are %+v, want %+v", kept.Systems, now.Systems)
	}
	if kept.Frames < archetypes/16 {
		t.Errorf("the owner compared %d archetypes in %d frames", archetypes, kept.Frames)
	}
	post[Controlled](s, "/api/control", "do", "pause")
	post[Restored](s, "/api/restore", "frame", fmt.Sprint(first))
	kept = get[Entity](s, "/api/entity", "id", id, "frame", last)
	asked := 0
	for _, m := range kept.Systems {
		if len(m.Queries) == 0 {
			continue
		}
		asked++
		if want := []string{"the running world has no archetype with these components"}; m.Matches || !slices.Equal(m.Why, want) {
			t.Errorf("after the restore: %+v, want no match because %q", m, want)
		}
	}
	if asked == 0 {
		t.Errorf("after the restore, no system has a query: %+v", kept.Systems)
	}
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
	if x, _ := d.at(then); xOf(t, get[Entity](s, "/api/entity", "id", e.String())) != x {
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
	s.wantError(404, "frame 9999999 is not kept: the kept frames are ", "POST", "/api/restore", "frame", "9999999") // it has not run yet
}

// TestContinueAfterEdit restores an earlier frame after an edit of the paused world. The edited state must not be lost,
// although an image of the same frame exists from before the edit.
func TestContinueAfterEdit(t *testing.T) {
	s, _, e := newDiaryStage(t, History(1, 64<<20), Allow(Control|Edit))
	s.awaitFrames(20)
	post[Controlled](s, "/api/control", "do", "pause")
	last := get[Frame](s, "/api/frame").Past.Last
	for _, x := range []string{"77", "78"} {
		post[Edited](s, "/api/set", "id", e.String(), "component", "transform.Translation", "field", "X", "value", x)
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

// dozing is a component with a switch.
type dozing struct {
	ecs.Enableable
	Since float64
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
