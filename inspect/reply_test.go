package inspect

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// TestOwnerAnswers checks that the owner of a world can answer every request itself, between two frames. No other
// goroutine runs the world, so a request that waited for a frame would fail.
func TestOwnerAnswers(t *testing.T) {
	s := newStage(t, 10, Allow(Control|Edit), History(1, 1<<20))
	s.stop()
	answer := func(method, path string, want int, form ...string) (text string) {
		t.Helper()
		r := s.in.Answer(t.Context(), Request{Method: method, Path: path, Form: values(form), Owner: true})
		if r.Status != want {
			t.Errorf("%s %s %v: %d %s, want %d", method, path, form, r.Status, r.Data, want)
		}
		return string(r.Data)
	}
	frames := map[uint64]bool{}
	for range 3 {
		if err := system.Update(s.w); err != nil {
			t.Fatal(err)
		}
		for _, c := range asking {
			answer("GET", c[0], 200, c[1:]...)
		}
		var f Frame
		if err := json.Unmarshal([]byte(answer("GET", "/api/frame", 200)), &f); err != nil {
			t.Fatal(err)
		}
		frames[f.Frame] = true
		answer("GET", "/api/entities", 200, "q", "Speed", "frame", "1")
	}
	if len(frames) != 3 {
		t.Errorf("the answers are of the frames %v, want three", frames)
	}
	answer("POST", "/api/set", 200, "id", s.hero.String(), "component", "Health", "field", "Points", "value", "77")
	if text := answer("GET", "/api/entity", 200, "id", s.hero.String()); !strings.Contains(text, "77") {
		t.Errorf("the value is not there: %s", text)
	}
	answer("POST", "/api/undo", 200)
	named := s.w.Spawn(Herd{Temper: 200}) // its method String panics
	if text := answer("GET", "/api/entity", 200, "id", named.String()); !strings.Contains(text, `{"name":"Temper","value":200}`) {
		t.Errorf("want the number of a value whose String panics: %s", text)
	}
	x, err := ecs.BeginTransaction(s.w)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][]string{{"GET", "/api/entity"}, {"GET", "/api/archetypes"}, {"POST", "/api/destroy"}} {
		if text := answer(c[0], c[1], 409, "id", named.String()); !strings.Contains(text, "lent to a transaction") {
			t.Errorf("%s %s while the world is lent: %s", c[0], c[1], text)
		}
	}
	if err := x.End(); err != nil {
		t.Fatal(err)
	}
	answer("POST", "/api/destroy", 200, "id", named.String())
	for _, c := range [][]string{{"GET", "/api/undo"}, {"POST", "/api/frame"}, {"PUT", "/api/set"}} {
		answer(c[0], c[1], 405)
	}
	answer("GET", "/table/", 404)
	answer("GET", "/api/nothing", 404)
	answer("GET", "/api/frame", 404, "w", "nowhere")
	if text := answer("POST", "/api/control", 409, "do", "pause"); !strings.Contains(text, "cannot control") {
		t.Error(text)
	}
	if err := system.Update(s.w); err != nil { // would wait if the world were paused
		t.Fatal(err)
	}
	if r := New(Only(s.w)).Answer(t.Context(), Request{Method: "POST", Path: "/api/undo", Form: url.Values{}, Owner: true}); r.Status != 403 {
		t.Errorf("without permission: %d %s", r.Status, r.Data)
	}
	_ = s.in.Close()
	answer("GET", "/api/worlds", 503)
}
