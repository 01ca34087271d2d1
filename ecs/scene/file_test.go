package scene

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
)

var full = flag.Bool("lanewise.full", false, "cut and change every byte, not one of thirteen; long random tests")

// bytesOf returns a scene in the form of a file.
func bytesOf(t testing.TB, b *Baked) []byte {
	t.Helper()
	var out bytes.Buffer
	must(t, b.Write(&out))
	return out.Bytes()
}

func TestBakedRoundTrip(t *testing.T) {
	a := bake(t, everything)
	file := bytesOf(t, a)
	b, err := ReadBaked(bytes.NewReader(file))
	must(t, err)
	if !bytes.Equal(bytesOf(t, b), file) {
		t.Error("written again it has other bytes")
	}
	if a.Image().Hash() != b.Image().Hash() || !reflect.DeepEqual(a.Names(), b.Names()) || !reflect.DeepEqual(a.Outward(), b.Outward()) || a.Prefabs() != b.Prefabs() || a.Sum() != b.Sum() {
		t.Error("it is another scene")
	}
	if x, y := get[Label](t, fork(t, a), a, "walker"), get[Label](t, fork(t, b), b, "walker"); !reflect.DeepEqual(x, y) {
		t.Errorf("managed %+v, want %+v", y, x)
	}
}

// If a baked file is cut or one of its bits is flipped, reading it returns an error and never panics.
func TestBakedDamage(t *testing.T) {
	file := bytesOf(t, bake(t, everything))
	step := 13
	if *full {
		step = 1
	}
	for n := 0; n < len(file); n += step {
		if _, err := ReadBaked(bytes.NewReader(file[:n])); err == nil {
			t.Fatalf("cut to %d of %d bytes it is read", n, len(file))
		}
	}
	for i := 0; i < len(file); i += step {
		bit := byte(1) << (i % 8)
		file[i] ^= bit
		if _, err := ReadBaked(bytes.NewReader(file)); err == nil {
			t.Fatalf("with byte %d of %d changed it is read", i, len(file))
		}
		file[i] ^= bit
	}
	if _, err := ReadBaked(bytes.NewReader(append(file, 0))); err == nil {
		t.Error("with a byte behind its end it is read")
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.scene")
	write := func(text string) { must(t, os.WriteFile(path, []byte(text), 0o600)) }
	write(`{"entities": {"a": {"Health": 1}}}`)
	health := func(b *Baked) Health { return get[Health](t, fork(t, b), b, "a") }
	for i, step := range []struct {
		do   func()
		anew bool
		want Health
	}{
		{func() {}, true, 1},
		{func() {}, false, 1},
		{func() { write(`{"entities": {"a": {"Health": 2}}}`) }, true, 2},
		{func() { must(t, os.WriteFile(path+Suffix, []byte("nonsense"), 0o600)) }, true, 2},
	} {
		step.do()
		b, anew, err := BakeFile(path)
		must(t, err)
		if anew != step.anew || health(b) != step.want {
			t.Errorf("%d: anew %v, health %d", i, anew, health(b))
		}
		if b, err = ReadFile(os.DirFS(dir), "a.scene"); err != nil || health(b) != step.want {
			t.Errorf("%d: read %v", i, err)
		}
	}
	must(t, os.Remove(path))
	b, err := ReadFile(os.DirFS(dir), "a.scene")
	must(t, err)
	if health(b) != 2 {
		t.Error("the baked file alone is another")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); left != nil {
		t.Errorf("left over: %q", left)
	}
	if _, err := ReadFile(fstest.MapFS{}, "a.scene"); err == nil {
		t.Error("no file is read")
	}
	stale := fstest.MapFS{"a.scene": {Data: []byte(`{"entities": {"a": {"Health": 3}}}`)}, "a.scene.baked": {Data: bytesOf(t, b)}}
	if b, err := ReadFile(stale, "a.scene"); err != nil || health(b) != 3 {
		t.Errorf("beside another text the baked file is read, %v", err)
	}
}

func TestCommand(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	good := file("good.scene", `{"entities": {"a": {"Health": 1}}}`)
	bad := file("bad.scene", "{\"entities\": {\n\"a\": {\"Helth\": 1}}}")
	for _, c := range []struct {
		args        []string
		code        int
		out, errors string // the expected contents
	}{
		{[]string{}, 2, "", "usage: scenes check FILE..."},
		{[]string{"eat", good}, 2, "", "usage"},
		{[]string{"check"}, 2, "", "usage"},
		{[]string{"check", "-x", good}, 2, "", "-x"},
		{[]string{"check", "-d", good}, 2, "", "usage"},
		{[]string{"schema", good}, 2, "", "usage"},
		{[]string{"check", good}, 0, "", ""},
		{[]string{"check", good, bad}, 1, "", `bad.scene:2:7: no component "Helth" is registered: there is "Health"`},
		{[]string{"check", good + "x"}, 1, "", "o such file"}, // WebAssembly begins with a capital letter
		{[]string{"bake", good}, 0, "good.scene.baked is written: 1 entities, of these 0 in prefabs", ""},
		{[]string{"bake", good}, 0, "is current", ""},
		{[]string{"bake", bad, good}, 1, "is current", "bad.scene:2:7"},
		{[]string{"fmt", "-d", good}, 1, "", "good.scene: it is not in its one form"},
		{[]string{"fmt", good}, 0, "good.scene", ""},
		{[]string{"fmt", "-d", good}, 0, "", ""},
		{[]string{"fmt", good}, 0, "", ""},
		{[]string{"schema"}, 0, `"$schema"`, ""},
	} {
		var out, wrong bytes.Buffer
		code := Main("scenes", c.args, &out, &wrong)
		if code != c.code || !strings.Contains(out.String(), c.out) || !strings.Contains(wrong.String(), c.errors) || (c.out == "") != (out.Len() == 0) || (c.errors == "") != (wrong.Len() == 0) {
			t.Errorf("%q: exit %d, printed %q, errors %q", c.args, code, out.String(), wrong.String())
		}
	}
	if _, err := os.Stat(bad + Suffix); err == nil {
		t.Error("a wrong text is baked")
	}
}

// Conformance: 375
func TestOpenWithoutPlay(t *testing.T) {
	t.Cleanup(func() { ForgetOpened(); must(t, app.Shutdown()) })
	files := shelfOf("room.scene", room, "bad.scene", `{"entities": {"a": 1}}`)
	if _, e, err := Open(files, "bad.scene"); err == nil || !e.IsZero() {
		t.Errorf("a broken scene was opened as %v", e)
	}
	editor, e, err := Open(files, "room.scene")
	must(t, err)
	if !system.IsKind[system.EditorWorld](editor) || editor.Name() != "Editor World" || app.Default() != nil {
		t.Errorf("the scene is in %q", editor.Name())
	}
	lamp := Find(editor, e, "lamp")
	if lamp.IsZero() || editor.Len() != 6 {
		t.Errorf("the editor world has %d entities", editor.Len())
	}
	files.write("room.scene", strings.Replace(room, `"Kg": 1}`, `"Kg": 5}`, 1), time.Unix(1, 0))
	must(t, Refresh(editor)) // the first check: the text has changed since it was loaded
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
	if len(own) != 1 || Find(w, own[0], "lamp").IsZero() || w.Len() != 6 {
		t.Errorf("the default world has %d scenes, %d entities", len(own), w.Len())
	}
	again, _, err := Open(files, "room.scene")
	if must(t, err); again != w || w.Len() != 12 {
		t.Errorf("opened in %q", again.Name())
	}
}

// The systems have the same places as in Unity's manual: they are in Initialization, and live link runs
// before streaming.
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

// shelf is a file system whose files are written while they are read. A cancelled load may still be
// reading in the background.
type shelf struct {
	lock  sync.Mutex
	files fstest.MapFS
	held  chan struct{} // if it is not nil, Open waits until it is closed
}

// shelfOf creates a shelf from paths and their texts.
func shelfOf(texts ...string) *shelf {
	return &shelf{files: filesOf(texts...)}
}

// Open implements fs.FS. A reader gets the file as it was when it was opened.
func (s *shelf) Open(name string) (fs.File, error) {
	if s.held != nil {
		<-s.held
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	now := fstest.MapFS{}
	if f, has := s.files[name]; has {
		was := *f
		now[name] = &was
	}
	return now.Open(name)
}

// write replaces the text of a file and its time of change.
func (s *shelf) write(name, text string, at time.Time) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.files[name] = &fstest.MapFile{Data: []byte(text), ModTime: at}
}
