package scene

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// Touchy is a shared value with methods that may panic.
type Touchy struct {
	ecs.Shared
	Name string
}

var touchy struct{ calls, at int }

var errTouched = errors.New("touched")

var touching sync.Mutex // guards the counter, because all workers call codecs

func touch() {
	touching.Lock()
	defer touching.Unlock()
	if touchy.calls++; touchy.calls == touchy.at {
		panic(errTouched)
	}
}

// Hash and Equal are called while rows are loaded.
func (t Touchy) Hash() uint64        { touch(); return uint64(len(t.Name)) }
func (t Touchy) Equal(o Touchy) bool { touch(); return t.Name == o.Name }

func init() { ecs.RegisterComponent[Touchy]() }

const touchyText = `{"entities": {
	"a": {"Touchy": {"Name": "x"}, "Mass": {"Kg": 1}},
	"b": {"Touchy": {"Name": "y"}},
	"c": {"Touchy": {"Name": "zz"}, "Label": {"Text": "l"}},
	"d": {"Label": {"Text": "m"}, "Parent": {"Entity": "@a"}, "Sign": {"Word": "neon"}},
}}`

// checkGone checks that nothing of a scene is left: no entities, no data of the streamer and no work.
func checkGone(t *testing.T, w *ecs.World, e ecs.Entity, length int) {
	t.Helper()
	must(t, ecs.SetEnabled[Request](w, e, false))
	must(t, Wait(w))
	s, err := streamerFor(w)
	must(t, err)
	if in := s.byID[e]; w.Len() != length || in.phase != Unloaded || in.load != nil || in.arrival != nil || in.baked != nil {
		t.Fatalf("%d entities are left, want %d; the scene is %v", w.Len(), length, in.phase)
	}
}

// Spelled is a value with text methods that may panic.
type Spelled struct{ letters string }

func (s *Spelled) UnmarshalText(text []byte) error { touch(); s.letters = string(text); return nil }
func (s Spelled) MarshalText() ([]byte, error)     { touch(); return []byte(s.letters), nil }

// Sign is a managed component without a codec, so files store the text of its value.
type Sign struct {
	ecs.Managed
	Word Spelled
}

func init() { ecs.RegisterComponent[Sign]() }

// labelCodec is a codec that may panic.
var labelCodec = Codec(func(out []byte, v *Label) ([]byte, error) { touch(); return append(out, v.Text...), nil },
	func(in []byte, v *Label) error { touch(); v.Text = string(in); return nil })

// touchyFiles is a file system that may panic when the file of the scene "touchy" is opened.
type touchyFiles struct{ files fs.FS }

func (f touchyFiles) Open(name string) (fs.File, error) {
	if strings.HasPrefix(name, "touchy") {
		touch()
	}
	return f.files.Open(name)
}

// The test lets each call of a value's method, of a codec and of the file system panic. Then the scene
// fails and leaves nothing in the world, whether it is read from its text or from its baked file.
// The failure does not prevent the loading of another scene. The failed scene is also loaded when it
// is requested again. If a file may have changed after it was read, it is read again. Even then, a
// panic of the first read makes the scene fail.
func TestPanicsAtAnyCall(t *testing.T) {
	d, err := Parse("touchy.scene", []byte(touchyText))
	must(t, err)
	b, err := d.Bake(labelCodec)
	must(t, err)
	for name, files := range map[string]fstest.MapFS{
		"baked": filesOf("touchy.scene.baked", string(bytesOf(t, b)), "calm.scene", textOf(9, 1)),
		"text":  filesOf("touchy.scene", touchyText, "calm.scene", textOf(9, 1)),
	} {
		t.Run(name, func(t *testing.T) { panicsAtAnyCall(t, touchyFiles{files}) })
		for name, f := range files {
			if strings.HasPrefix(name, "touchy") {
				f.ModTime = time.Now().Add(time.Hour)
			}
		}
		t.Run(name+" changed", func(t *testing.T) { panicsAtAnyCall(t, touchyFiles{files}) })
	}
}

func panicsAtAnyCall(t *testing.T, files fs.FS) {
	defer func() { touchy.at = 0 }()
	failed := 0
	for k := 1; ; k++ {
		w := stage(t, Config{Files: files, Budget: 1, Options: []Option{labelCodec}})
		e, calm := Load(w, "touchy.scene", 1), Load(w, "calm.scene", 0)
		touchy.calls, touchy.at = 0, k
		updateUntil(t, w, calm, Loaded)
		for p := phaseOf(t, w, e); p != Loaded && p != Failed; p = phaseOf(t, w, e) {
			must(t, system.Update(w))
		}
		touchy.at = 0
		if phaseOf(t, w, e) == Loaded {
			if touchy.calls >= k {
				t.Fatalf("call %d of %d has panicked, and the scene is loaded", k, touchy.calls)
			}
			if failed < 4 {
				t.Errorf("%d calls have panicked", failed)
			}
			return // all calls have panicked once
		}
		failed++
		if err := Failure(w, e); err == nil || !strings.Contains(err.Error(), "panic") {
			t.Fatalf("call %d: the reason is %v", k, err)
		} else if !errors.Is(err, errTouched) {
			t.Errorf("call %d: the reason does not wrap the value of the panic: %v", k, err)
		}
		checkGone(t, w, e, 2+9)
		must(t, ecs.SetEnabled[Request](w, e, true))
		updateUntil(t, w, e, Loaded)
		if w.Len() != 2+9+4 || Find(w, e, "d").IsZero() {
			t.Fatalf("call %d: loaded again there are %d entities", k, w.Len())
		}
	}
}

// TestOperationsPanic tests each operation on a scene outside of a world. The test lets one
// call of a user's method panic: a codec, a text method or a method of a shared value. The
// operation must return no result, files must stay complete, and a repetition must have the
// same result as a first call.
func TestOperationsPanic(t *testing.T) {
	d, err := Parse("touchy.scene", []byte(touchyText))
	must(t, err)
	b, err := d.Bake(labelCodec)
	must(t, err)
	baked := bytesOf(t, b)
	text, err := b.Text()
	must(t, err)
	last, _ := d.Find("d")
	dir := t.TempDir()
	path := filepath.Join(dir, "touchy.scene")
	must(t, os.WriteFile(path, []byte(touchyText), 0o600))
	earlier := []byte("an earlier file")
	same := func(b *Baked, err error) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		err = b.Write(&out)
		return out.Bytes(), err
	}
	for name, op := range map[string]struct {
		do   func() ([]byte, error)
		want []byte
	}{
		"Parse and Bake": {func() ([]byte, error) {
			d, err := Parse("touchy.scene", []byte(touchyText))
			if err != nil {
				return nil, err
			}
			return same(d.Bake(labelCodec))
		}, baked},
		"Bake": {func() ([]byte, error) { return same(d.Bake(labelCodec)) }, baked},
		"Document.Value": {func() (out []byte, err error) {
			for part := range d.Entries[last].Parts {
				v, _, err := d.Value(last, part)
				if err != nil {
					return nil, err
				}
				if s, is := v.(Sign); is {
					out = append(out, s.Word.letters...)
				}
			}
			return out, nil
		}, []byte("neon")},
		"Baked.Text": {b.Text, text},
		"ReadBaked":  {func() ([]byte, error) { return same(ReadBaked(bytes.NewReader(baked), labelCodec)) }, baked},
		"ReadFile": {func() ([]byte, error) {
			return same(ReadFile(filesOf("touchy.scene", touchyText), "touchy.scene", labelCodec))
		}, baked},
		"BakeFile": {func() (out []byte, err error) {
			must(t, os.WriteFile(path+Suffix, earlier, 0o600))
			want := earlier
			defer func() {
				entries, err := os.ReadDir(dir)
				must(t, err)
				got, err := os.ReadFile(path + Suffix)
				must(t, err)
				if len(entries) != 2 || !bytes.Equal(got, want) {
					t.Errorf("BakeFile: there are %d files, and the baked one has %d bytes, want %d", len(entries), len(got), len(want))
				}
			}()
			b, _, err := BakeFile(path, labelCodec)
			if err == nil {
				want = baked
			}
			kept := touchy // reading the result is not part of the operation
			touchy.at = 0
			defer func() { touchy = kept }()
			return same(b, err)
		}, baked},
	} {
		panicked := 0
		for k := 1; ; k++ {
			out, err := callFailing(k, op.do)
			if touchy.calls < k {
				if err != nil || !bytes.Equal(out, op.want) || panicked == 0 {
					t.Errorf("%s: after %d panics: %d bytes, want %d, error %v", name, panicked, len(out), len(op.want), err)
				}
				break
			}
			if panicked++; err == nil || !strings.Contains(err.Error(), "touched") {
				t.Fatalf("%s: call %d: error %v", name, k, err)
			}
		}
	}
}

// callFailing calls f, in which the k-th call of a program's function panics. If f panics instead of
// returning an error, callFailing returns an error that begins with "panic:".
func callFailing(k int, f func() ([]byte, error)) (out []byte, err error) {
	touchy.calls, touchy.at = 0, k
	defer func() {
		touchy.at = 0
		if v := recover(); v != nil {
			out, err = nil, fmt.Errorf("panic: %v", v)
		}
	}()
	return f()
}

// failing is a file system whose k-th call fails.
type failing struct {
	fs.FS
	calls, at int
}

type failingFile struct {
	fs.File
	of *failing
}

var errDisk = errors.New("the disk has failed")

func (f *failing) fails() bool { f.calls++; return f.calls == f.at }

func (f *failing) Open(name string) (fs.File, error) {
	if f.fails() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errDisk}
	}
	own, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return failingFile{own, f}, nil
}

func (f failingFile) Read(b []byte) (int, error) {
	if f.of.fails() {
		return 0, errDisk
	}
	return f.File.Read(b[:min(len(b), 700)])
}

func (f failingFile) Stat() (fs.FileInfo, error) {
	if f.of.fails() {
		return nil, errDisk
	}
	return f.File.Stat()
}

// If any call of the file system fails, the scene either fails or is read from its text. A failed scene
// leaves nothing in the world.
func TestDiskFailsAtAnyCall(t *testing.T) {
	text := textOf(40, 1)
	for _, files := range []fstest.MapFS{
		filesOf("a.scene", text), filesOf("a.scene.baked", string(bytesOf(t, bake(t, text)))), filesOf("a.scene", text, "a.scene.baked", string(bytesOf(t, bake(t, text)))),
	} {
		failed := 0
		for k := 1; ; k++ {
			disk := &failing{FS: files, at: k}
			w := stage(t, Config{Files: disk})
			e := Load(w, "a.scene", 0)
			for p := Unloaded; p != Loaded && p != Failed; p = phaseOf(t, w, e) {
				_ = Wait(w) // Failure returns the error
			}
			if phaseOf(t, w, e) == Failed {
				failed++
				if err := Failure(w, e); !errors.Is(err, errDisk) || w.Len() != 1 {
					t.Fatalf("call %d: %d entities, the reason is %v", k, w.Len(), err)
				}
			}
			checkGone(t, w, e, 1)
			if disk.calls < k {
				break
			}
		}
		if failed == 0 {
			t.Error("no call has made a scene fail")
		}
	}
}

// If a text is cut at any place while the scene is watched, nothing changes until the text is
// complete again.
func TestCutWhileWatched(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.scene")
	text, next := textOf(5, 1), textOf(6, 2)
	must(t, os.WriteFile(file, []byte(text), 0o644))
	w := stage(t, Config{Files: os.DirFS(dir)})
	e := Load(w, "a.scene", 0)
	must(t, Wait(w))
	must(t, Refresh(w))
	hash := w.Hash()
	for cut := 0; cut < len(next); cut += 13 {
		must(t, os.WriteFile(file, []byte(next[:cut]), 0o644))
		if err := Refresh(w); err == nil || w.Hash() != hash {
			t.Fatalf("cut at %d: %v; the hash has changed: %v", cut, err, w.Hash() != hash)
		}
	}
	must(t, os.Remove(file))
	if err := Refresh(w); !errors.Is(err, fs.ErrNotExist) || w.Hash() != hash {
		t.Fatalf("removed: %v", err)
	}
	must(t, os.WriteFile(file, []byte(next), 0o644))
	must(t, Refresh(w))
	if m, err := ecs.Get[Mass](w, Find(w, e, "lamp/5")); err != nil || m.Kg != 2 || Failure(w, e) != nil {
		t.Errorf("%v, %v, %v", m, err, Failure(w, e))
	}
	checkGone(t, w, e, 1)
}

// If two scenes have one name, the name means the scene that was loaded first. When that scene is
// unloaded, the name means the other scene.
func TestOneName(t *testing.T) {
	w := stage(t, Config{Files: filesOf("east/x.scene", `{"entities": {"y": {"Mass": {}}}}`, "west/x.scene", `{"entities": {"y": {"Mass": {}}}}`,
		"a.scene", `{"entities": {"a": {"Parent": {"Entity": "@x:y"}}}}`)})
	a, east, west := Load(w, "a.scene", 0), Load(w, "east/x.scene", 0), Load(w, "west/x.scene", 0)
	must(t, Wait(w))
	goal := func() ecs.Entity {
		p, err := ecs.Get[Parent](w, Find(w, a, "a"))
		must(t, err)
		return p.Entity
	}
	if goal() != Find(w, east, "y") || goal().IsZero() {
		t.Errorf("it leads to %v", goal())
	}
	must(t, w.Destroy(east))
	must(t, Wait(w))
	if goal() != Find(w, west, "y") || goal().IsZero() {
		t.Errorf("without the first it leads to %v", goal())
	}
	must(t, w.Destroy(west))
	must(t, Wait(w))
	if !goal().IsZero() {
		t.Errorf("without both it leads to %v", goal())
	}
}

// The test changes a scene while it is being loaded. The test destroys the scene while the file is
// read, gives it another path, or saves the text while rows are loaded.
func TestChangedOnTheWay(t *testing.T) {
	files := filesOf("a.scene", textOf(20, 1), "b.scene", textOf(30, 2))
	w := stage(t, Config{Files: slowly{files, 30 * time.Millisecond}, Budget: 3})
	e := Load(w, "a.scene", 0)
	must(t, system.Update(w))
	must(t, w.Destroy(e)) // while it is read
	must(t, Wait(w))
	if w.Len() != 0 {
		t.Errorf("%d entities are left", w.Len())
	}
	e = Load(w, "a.scene", 0)
	updateUntil(t, w, e, Coming)
	must(t, ecs.Set(w, e, SubScene{Path: "b.scene"}))
	must(t, Wait(w))
	if w.Len() != 31 || Find(w, e, "lamp/29").IsZero() {
		t.Errorf("%d entities with the other path", w.Len())
	}
	checkGone(t, w, e, 1)
	dir := t.TempDir()
	file := filepath.Join(dir, "c.scene")
	must(t, os.WriteFile(file, []byte(textOf(20, 1)), 0o644))
	live := stage(t, Config{Files: os.DirFS(dir), Budget: 3, Live: true})
	c := Load(live, "c.scene", 0)
	updateUntil(t, live, c, Coming)
	must(t, os.WriteFile(file, []byte(textOf(24, 5)), 0o644))
	for end := time.Now().Add(2 * time.Minute); Find(live, c, "lamp/23").IsZero(); time.Sleep(time.Millisecond) {
		must(t, system.Update(live))
		if time.Now().After(end) {
			t.Fatalf("the new text is not seen: %d entities, %v", live.Len(), Failure(live, c))
		}
	}
	if m, err := ecs.Get[Mass](live, Find(live, c, "lamp/3")); err != nil || m.Kg != 5 || live.Len() != 25 {
		t.Errorf("%v, %v, %d entities", m, err, live.Len())
	}
}

// A system that panics in some updates does not disturb loading.
func TestSystemPanics(t *testing.T) {
	w, err := system.NewWorld("shaky", system.Only(system.Of[shaky]()), system.WithPlugins(Systems()))
	must(t, err)
	defer w.Close()
	must(t, Configure(w, Config{Files: filesOf("a.scene", textOf(40, 1)), Budget: 7}))
	e := Load(w, "a.scene", 0)
	wrong := 0
	for end := time.Now().Add(2 * time.Minute); phaseOf(t, w, e) != Loaded && time.Now().Before(end); time.Sleep(time.Millisecond / 4) {
		if err := system.Update(w); err != nil {
			wrong++
		}
	}
	if wrong == 0 || w.Len() != 41 {
		t.Errorf("%d updates have failed, %d entities", wrong, w.Len())
	}
	if p, err := ecs.Get[Parent](w, Find(w, e, "lamp/39")); err != nil || p.Entity != Find(w, e, "lamp/38") {
		t.Error(p, err)
	}
}

type shaky struct{ n int }

func (s *shaky) Update(*system.Frame) error {
	if s.n++; s.n%2 == 0 {
		panic(fmt.Sprint("update ", s.n))
	}
	return nil
}

// A random scene in a running world is the same from its text and from its baked file.
func TestTextAndBakedInWorld(t *testing.T) {
	hash := func(files fstest.MapFS) uint64 {
		w := stage(t, Config{Files: files, Budget: 2, Delay: 1})
		Load(w, "a.scene", 0)
		must(t, Wait(w))
		return w.Hash()
	}
	for seed := range uint64(20) {
		text := randomText(seed)
		if one, two := hash(filesOf("a.scene", text)), hash(filesOf("a.scene.baked", string(bytesOf(t, bake(t, text))))); one != two {
			t.Errorf("seed %d: hashes %#x and %#x", seed, one, two)
		}
	}
}
