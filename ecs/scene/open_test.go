package scene

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
)

// Conformance: 375
func TestOpenWithoutPlay(t *testing.T) {
	t.Cleanup(func() { CloseAll(); must(t, app.Shutdown()) })
	files := shelfOf("room.scene", room, "bad.scene", `{"entities": {"a": 1}}`)
	if _, e, err := Open(files, "bad.scene"); err == nil || !e.Null() {
		t.Errorf("a broken scene was opened as %v", e)
	}
	editor, e, err := Open(files, "room.scene")
	must(t, err)
	if !system.Is[system.Editor](editor) || editor.Name() != "Editor World" || app.Default() != nil {
		t.Errorf("the scene is in %q", editor.Name())
	}
	lamp := Find(editor, e, "lamp")
	if lamp.Null() || editor.Len() != 6 {
		t.Errorf("the editor world has %d entities", editor.Len())
	}
	files.write("room.scene", strings.Replace(room, `"Kg": 1}`, `"Kg": 5}`, 1), time.Unix(1, 0))
	must(t, Refresh(editor)) // the first look: the text has changed since it was loaded
	must(t, Wait(editor))
	if m, err := ecs.Get[Mass](editor, Find(editor, e, "lamp")); err != nil || m.Kg != 5 {
		t.Error(m, err)
	}
	w, err := app.Play("game")
	must(t, err)
	if err := editor.Close(); !errors.Is(err, ecs.ErrArgument) {
		t.Error("the editor world is not closed")
	}
	if app.Default() != w {
		t.Error("there is no default world")
	}
	must(t, Wait(w))
	q := w.Query(ecs.With[SubScene]())
	own := q.AppendEntities(nil)
	if len(own) != 1 || Find(w, own[0], "lamp").Null() || w.Len() != 6 {
		t.Errorf("the default world has %d scenes, %d entities", len(own), w.Len())
	}
	again, _, err := Open(files, "room.scene")
	if must(t, err); again != w || w.Len() != 12 {
		t.Errorf("opened in %q", again.Name())
	}
}

// The systems stand where Unity's manual has them: in Initialization, live link before streaming.
func TestPlaces(t *testing.T) {
	w, err := system.NewWorld("tree")
	must(t, err)
	defer w.Close()
	s := system.Explain(w).String()
	group, link, stream := strings.Index(s, "Initialization"), strings.Index(s, "LiveLink"), strings.Index(s, "Streaming")
	end := strings.Index(s, "EndInitialization")
	if group < 0 || link < group || stream < link || end < stream {
		t.Errorf("Initialization at %d, LiveLink at %d, Streaming at %d, EndInitialization at %d of\n%s", group, link, stream, end, s)
	}
}
