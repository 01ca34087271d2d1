package inspect

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

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
	s.checkAbsent(g)
	index, _, _ := strings.Cut(s.hero.String(), ":")
	if g := get[Gone](s, "/api/gone", "id", index); g.ID != s.hero.String() || g.Name != "hero" || g.Last != p.Last || g.Frame != 0 {
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

// checkAbsent asks for an entity of the breeder in a kept frame that does not have it. The error must name the frames that have it.
func (s *stage) checkAbsent(g *Gone) {
	s.Helper()
	index, _, _ := strings.Cut(g.ID, ":")
	own := fmt.Sprintf("entity %s does not exist in frame %%d: it is in the kept frames from %d to %d", g.ID, g.First, g.Last)
	s.wantError(404, fmt.Sprintf(own, g.First-1), "GET", "/api/entity", "id", g.ID, "frame", fmt.Sprint(g.First-1))
	s.wantError(404, fmt.Sprintf(own, g.Frame), "GET", "/api/entity", "id", g.ID, "frame", fmt.Sprint(g.Frame))
	s.wantError(404, fmt.Sprintf("entity %s:99999 does not exist in frame %d: no kept frame has it; %s has the index in this frame", index, g.Last, g.ID), "GET", "/api/entity", "id", index+":99999", "frame", fmt.Sprint(g.Last))
	s.wantError(404, fmt.Sprintf("no entity with the index 9999 exists in frame %d", g.Last), "GET", "/api/entity", "id", "9999", "frame", fmt.Sprint(g.Last))
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

// TestAbsentAfterRestore checks the errors for a kept frame without an entity that a restore has brought back later.
func TestAbsentAfterRestore(t *testing.T) {
	s := newStage(t, 5, History(1, 64<<20), Allow(Control|Edit))
	s.awaitFrames(3)
	post[Controlled](s, "/api/control", "do", "pause")
	id, then := get[Entities](s, "/api/entities", "q", "Speed").Rows[0].ID, get[Frame](s, "/api/frame").Past.Last
	run := func() string {
		post[Controlled](s, "/api/control", "do", "resume")
		s.awaitFrames(3)
		post[Controlled](s, "/api/control", "do", "pause")
		return fmt.Sprint(get[Frame](s, "/api/frame").Past.Last)
	}
	post[Edited](s, "/api/destroy", "id", id)
	without := run()
	post[Restored](s, "/api/restore", "frame", fmt.Sprint(then))
	run()
	s.wantError(404, "it is in kept frames before and after it", "GET", "/api/entity", "id", id, "frame", without)
	index, _, _ := strings.Cut(id, ":")
	_, body, _ := s.do("GET", "/api/entity", values([]string{"id", index, "frame", without}))
	if want := "no entity with the index " + index + " exists in frame " + without; !strings.Contains(body, want) || strings.Contains(body, "has the index in this frame") {
		t.Errorf("got %q, want %q", body, want)
	}
}
