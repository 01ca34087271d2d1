package render

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// matrixAt returns a matrix at a place.
func matrixAt(x, y, z float32) transform.LocalToWorld {
	m := transform.LocalToWorld{M: transform.IdentityMatrix[float32]()}
	m.M[12], m.M[13], m.M[14] = x, y, z
	return m
}

// perspective is a camera that looks along -Z, with a very wide angle for these tests.
var perspective = Camera{FOV: 3, Near: 0.01, Far: 1e6}

// newLevelGroup creates a group at the origin, and one entity for each of its three levels. The last
// entity belongs to the last level, which has no end.
func newLevelGroup(s *stage, l Levels) (group ecs.Entity, rows []ecs.Entity) {
	group = s.w.Spawn(l, matrixAt(0, 0, 0))
	for k := range 3 {
		rows = append(rows, s.w.Spawn(square, matrixAt(0, 0, 0), Level{Group: group, Min: uint8(k)}))
	}
	return group, rows
}

// drawnIn returns the entities that a camera has drawn in the last frame.
func (s *stage) drawnIn(camera ecs.Entity) []ecs.Entity {
	s.Helper()
	k := slices.Index(s.pen.cameras, camera)
	if k < 0 {
		s.Fatalf("camera %v has drawn nothing", camera)
	}
	return s.pen.seen[k]
}

func (s *stage) move(e ecs.Entity, x, y, z float32) {
	s.Helper()
	s.ok(ecs.Set(s.w, e, matrixAt(x, y, z)))
}

// A level begins at its own distance and ends just before the distance of the next level. A group
// that moves away leaves a level only at a larger distance. A group that comes nearer enters a
// level at the level's distance. Both are also true if it passes several levels at once.
// Hysteresis has no effect in the first frame and after a cut.
//
// Conformance: 421
// Conformance: 423
func TestLevels(t *testing.T) {
	s := newStage(t)
	_, rows := newLevelGroup(s, Levels{Distances: [8]float32{10, 50}, Hysteresis: 0.5})
	above := math.Nextafter32
	camera := s.w.Spawn(perspective, matrixAt(0, 0, 10))
	other := s.w.Spawn(perspective, matrixAt(0, 0, 1))
	steps := []struct {
		at   float32
		want int
	}{
		{10, 1}, // first frame: no hysteresis
		{math.Nextafter32(10, 0), 0},
		{10, 0}, {14.5, 0}, {math.Nextafter32(15, 0), 0}, {15, 1}, {14, 1}, {10, 1}, {9, 0},
		{80, 2}, {75, 2}, {50, 2}, {49, 1}, {60, 1}, {above(75, 0), 1}, {75, 2},
		{1, 0}, {60, 1}, {1, 0}, {76, 2}, {1000, 2},
	}
	for k, step := range steps {
		s.move(camera, 0, 0, step.at)
		s.frame()
		if got := s.drawnIn(camera); !equal(got, rows[step.want:step.want+1]) {
			t.Fatalf("step %d, at %v: drawn %v, want level %d of %v", k, step.at, got, step.want, rows)
		}
		if got := s.drawnIn(other); !equal(got, rows[:1]) {
			t.Fatalf("step %d: the camera that stays has drawn %v", k, got)
		}
	}
	s.move(camera, 0, 0, 12)
	s.frame()
	if got := s.drawnIn(camera); !equal(got, rows[1:2]) {
		t.Errorf("back from far away: drawn %v", got)
	}
	s.move(camera, 0, 0, 9)
	s.frame()
	s.move(camera, 0, 0, 12)
	cut := perspective
	cut.Cut = 1
	s.ok(ecs.Set(s.w, camera, cut))
	s.frame()
	if got := s.drawnIn(camera); !equal(got, rows[1:2]) {
		t.Errorf("after a cut: drawn %v, want level 1", got)
	}
	s.move(camera, 0, 0, 9)
	s.frame()
	s.ok(ecs.SetEnabled[Camera](s.w, camera, false))
	s.frame()
	s.ok(ecs.SetEnabled[Camera](s.w, camera, true))
	s.move(camera, 0, 0, 12)
	s.frame()
	if got := s.drawnIn(camera); !equal(got, rows[1:2]) {
		t.Errorf("off and on again: drawn %v, want level 1", got)
	}
}

// The distance depends on the group's place, the camera's LevelBias, and, for a camera without FOV,
// on its Height.
func TestLevelsDistance(t *testing.T) {
	s := newStage(t)
	group, rows := newLevelGroup(s, Levels{Distances: [8]float32{10, 50, 50, 70}}) // the second 50 ends the list
	camera := s.w.Spawn(perspective, matrixAt(3, 4, 12))
	check := func(what string, want int) {
		t.Helper()
		s.frame()
		if got := s.drawnIn(camera); !equal(got, rows[want:want+1]) {
			t.Errorf("%s: drawn %v, want level %d of %v", what, got, want, rows)
		}
	}
	check("13 away", 1)
	s.move(group, 3, 4, 3)
	check("9 away", 0)
	s.move(group, 3, 4, 2)
	check("10 away", 1)
	biased := perspective
	biased.LevelBias = 0.5
	s.ok(ecs.Set(s.w, camera, biased))
	check("at half the distance", 0)
	biased.LevelBias = 5
	s.ok(ecs.Set(s.w, camera, biased))
	check("at 50", 2)
	s.ok(ecs.Set(s.w, group, Levels{Distances: [8]float32{10, 51}}))
	check("of other distances", 1)
	s.move(group, float32(math.NaN()), 0, 0)
	s.frame()
	if got := s.drawnIn(camera); len(got) != 0 {
		t.Errorf("of a group that is nowhere %v is drawn", got)
	}
	s.move(group, 1e30, 0, 0)
	check("too far for a square", 2)
	s.move(camera, 0, 0, 0)
	for _, flat := range []struct {
		height float32
		want   int
	}{{0, 0}, {9, 0}, {10, 1}, {60, 2}} {
		s.ok(ecs.Set(s.w, camera, Camera{Height: flat.height}))
		check(fmt.Sprintf("without FOV, Height %v", flat.height), flat.want)
	}
}

// A group is shown only while its parent is shown and is at one of the levels that the group's Parent
// names.
//
// Conformance: 425
func TestLevelsParent(t *testing.T) {
	s := newStage(t)
	camera := s.w.Spawn(perspective, matrixAt(0, 0, 5))
	top := s.w.Spawn(Levels{Distances: [8]float32{100, 200}}, matrixAt(0, 0, 0))
	middle := s.w.Spawn(Levels{Distances: [8]float32{1000}, Parent: Level{Group: top, Min: 0, Max: 2}}, matrixAt(0, 0, 0))
	low := s.w.Spawn(Levels{Distances: [8]float32{50}, Parent: Level{Group: middle}}, matrixAt(0, 0, 0))
	spawn := func(l Level) ecs.Entity { return s.w.Spawn(square, matrixAt(0, 0, 0), l) }
	whole, near, far, plain := spawn(Level{Group: top, Min: 2, Max: 255}), spawn(Level{Group: low}), spawn(Level{Group: low, Min: 1, Max: 9}), s.w.Spawn(square, matrixAt(0, 0, 0))
	want := func(at float32, list ...ecs.Entity) {
		t.Helper()
		s.move(camera, 0, 0, at)
		s.frame()
		got := slices.Clone(s.drawnIn(camera))
		list = append(list, plain)
		sorted := func(l []ecs.Entity) { slices.SortFunc(l, ecs.Entity.Compare) }
		sorted(got)
		sorted(list)
		if !equal(got, list) {
			t.Errorf("at %v: drawn %v, want %v", at, got, list)
		}
	}
	want(5, near)
	want(60, far)
	want(150, far)
	want(250, whole)
	want(5000, whole)
	want(199, far)
	s.ok(ecs.Set(s.w, middle, Levels{Distances: [8]float32{1000}, Parent: Level{Group: top}}))
	want(150)
	want(60, far)
	s.ok(ecs.Set(s.w, low, Levels{Distances: [8]float32{50}}))
	want(5000, whole, far)
	s.ok(ecs.Set(s.w, middle, Levels{}))
	want(5000, whole, far)
}

// Entities of a destroyed group are not drawn, and that is reported once.
//
// Conformance: 426
func TestLevelsGroupGone(t *testing.T) {
	for _, n := range []int{1, 300} {
		s := newStage(t)
		camera := s.w.Spawn(perspective, matrixAt(0, 0, 5))
		var groups []ecs.Entity
		for range 3 {
			groups = append(groups, s.w.Spawn(Levels{Distances: [8]float32{10}}, matrixAt(0, 0, 0)))
		}
		child := s.w.Spawn(Levels{Distances: [8]float32{10}, Parent: Level{Group: groups[0]}}, matrixAt(0, 0, 0))
		rows := map[ecs.Entity]int{}
		for k := range n {
			for _, g := range append(groups[:3:3], child) {
				rows[s.w.Spawn(square, matrixAt(float32(k%7), 0, 0), Level{Group: g})]++
			}
		}
		seen := func() int { return len(s.drawnIn(camera)) }
		s.frame()
		if seen() != 4*n {
			t.Fatalf("drawn %d, want %d", seen(), 4*n)
		}
		reports := func(want ...string) {
			t.Helper()
			err := system.Update(s.w)
			text := fmt.Sprint(err)
			if (err == nil) != (len(want) == 0) || err != nil && !errors.Is(err, ecs.ErrState) {
				t.Fatalf("reported %v, want %q", err, want)
			}
			for _, w := range want {
				if strings.Count(text, w) != 1 {
					t.Errorf("reported %v, want %q once", err, w)
				}
			}
			if k := strings.Count(text, "are not drawn"); k != len(want) {
				t.Errorf("%d reports, want %d: %v", k, len(want), err)
			}
		}
		s.ok(s.w.Destroy(groups[0]))
		reports(fmt.Sprintf("group %v", groups[0]))
		if seen() != 2*n {
			t.Errorf("without a group: drawn %d, want %d", seen(), 2*n)
		}
		reports()
		s.move(camera, 0, 0, 6)
		reports()
		had, err := ecs.Remove[Levels](s.w, groups[1])
		s.ok(err)
		if !had {
			t.Fatal("no Levels")
		}
		reports(fmt.Sprintf("group %v", groups[1]))
		s.ok(ecs.Add(s.w, groups[1], Levels{Distances: [8]float32{10}}))
		reports()
		if seen() != 2*n {
			t.Errorf("with Levels again: drawn %d, want %d", seen(), 2*n)
		}
		s.ok(s.w.SetActive(groups[2], false))
		reports()
		if seen() != n {
			t.Errorf("with a group that rests: drawn %d, want %d", seen(), n)
		}
		s.ok(s.w.SetActive(groups[2], true))
		_, err = ecs.Remove[transform.LocalToWorld](s.w, groups[1])
		s.ok(err)
		reports(fmt.Sprintf("group %v", groups[1]))
		s.w.Spawn(square, matrixAt(0, 0, 0), Level{})
		reports("none at all")
		reports()
	}
}

// failing is a job that writes levels and panics on demand.
type failing struct{ on bool }

func (f *failing) Chunk(c *ecs.Chunk) {
	if f.on {
		panic("no levels today")
	}
	ecs.Column[Levels](c)
}

// In one frame, an earlier job fails, so the update of the groups is skipped. The test destroys
// groups in that frame. Afterwards the entities of these groups are not drawn, and all other
// entities are drawn.
func TestLevelsAfterFailure(t *testing.T) {
	s := newStage(t)
	camera := s.w.Spawn(perspective, matrixAt(0, 0, 5))
	var groups []ecs.Entity
	for range 9 {
		groups = append(groups, s.w.Spawn(Levels{Distances: [8]float32{10}}, matrixAt(0, 0, 0)))
		s.w.Spawn(square, matrixAt(0, 0, 0), Level{Group: groups[len(groups)-1]})
	}
	q, f := s.w.Query(ecs.Write[Levels]()), &failing{}
	s.frame()
	for k := 8; k > 1; k -= 2 {
		s.ok(ecs.DestroyAll(s.w, ecs.Entities(groups[k-1:k+1])))
		f.on = true
		q.ParallelFor(f)
		if err := system.Update(s.w); err == nil || !strings.Contains(err.Error(), "no levels today") {
			t.Fatalf("got error %v", err)
		}
		f.on = false
		if err := system.Update(s.w); err != nil && strings.Contains(err.Error(), "panic") {
			t.Fatal(err)
		}
		if got := len(s.drawnIn(camera)); got != k-1 {
			t.Fatalf("%d groups: drawn %d", k-1, got)
		}
	}
}

// Groups in cycles are reported, and their entities are hidden. Groups whose parents do not exist are
// reported and hidden too.
func TestLevelsCircle(t *testing.T) {
	s := newStage(t)
	camera := s.w.Spawn(perspective, matrixAt(0, 0, 5))
	a := s.w.Spawn(Levels{Distances: [8]float32{10}}, matrixAt(0, 0, 0))
	b := s.w.Spawn(Levels{Distances: [8]float32{10}, Parent: Level{Group: a}}, matrixAt(0, 0, 0))
	row := s.w.Spawn(square, matrixAt(0, 0, 0), Level{Group: b})
	s.frame()
	if got := s.drawnIn(camera); !equal(got, []ecs.Entity{row}) {
		t.Fatalf("drawn %v", got)
	}
	s.ok(ecs.Set(s.w, a, Levels{Distances: [8]float32{10}, Parent: Level{Group: b}}))
	err := system.Update(s.w)
	if !errors.Is(err, ecs.ErrState) || strings.Count(err.Error(), "groups above it") != 2 {
		t.Errorf("a circle: %v", err)
	}
	if got := s.drawnIn(camera); len(got) != 0 {
		t.Errorf("of a circle %v is drawn", got)
	}
	s.frame()
	s.ok(s.w.Destroy(a))
	err = system.Update(s.w)
	if !errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), fmt.Sprintf("the group %v, and all others of group %v", b, a)) {
		t.Errorf("a parent that is gone: %v", err)
	}
	s.frame()
}
