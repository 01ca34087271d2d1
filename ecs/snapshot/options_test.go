package snapshot

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// If an option is nil, the text of the panic contains the index of the option.
func TestNilOption(t *testing.T) {
	defer func() {
		if got, want := recover(), "snapshot: Read: option 0 is nil"; got != want {
			t.Errorf("got panic %v, want %q", got, want)
		}
	}()
	_, _ = Read(bytes.NewReader(nil), nil)
}

// Every error about a file names the file. The error does not mention anything that the file never
// contained.
func TestErrorsNameTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "world.snap")
	whole := bytesOf(t, imageOf(t, newFamilies(t, 5, 2)), named)
	later := bytes.Clone(whole)
	later[8] = Version + 1
	w := ecs.NewWorld("w")
	for _, one := range []struct {
		content []byte
		as      error
		say     string
	}{
		{nil, ErrCorrupt, "empty"},
		{[]byte("a text, and no snapshot of a world"), ErrCorrupt, "begin as one"},
		{whole[:40], ErrCorrupt, "ends at byte 40"},
		{later, ErrVersion, "knows up to"},
	} {
		must(t, os.WriteFile(path, one.content, 0o600))
		_, opened := Open(path, named)
		for _, err := range []error{opened, Load(w, path, named)} {
			if !errors.Is(err, one.as) || !strings.HasPrefix(err.Error(), "snapshot: "+path+": ") || !strings.Contains(err.Error(), one.say) || strings.Contains(err.Error(), path+": snapshot: ") {
				t.Errorf("%d bytes: %v", len(one.content), err)
			}
		}
	}
	if err := Load(nil, path); !errors.Is(err, ecs.ErrArgument) || !strings.Contains(err.Error(), "the world is nil") {
		t.Error(err)
	}
	if err := Save(path, nil); !errors.Is(err, ecs.ErrArgument) || !strings.Contains(err.Error(), "snapshot: the image is nil") {
		t.Error(err)
	}
}

// If the program does not know a component, the error says how to fix this. The error does not name
// functions that the program has not called.
func TestUnknownComponent(t *testing.T) {
	_, err := optionsOf("Load", nil).typeOf("example.org/gone.Nome")
	if !errors.Is(err, ErrSchema) || !errors.Is(err, ecs.ErrArgument) || strings.Contains(err.Error(), "ComponentByName") || !strings.Contains(err.Error(), "component example.org/gone.Nome: no component of this name is registered: ") ||
		!strings.Contains(err.Error(), "RegisterComponent") || !strings.Contains(err.Error(), "Renamed") || !strings.Contains(err.Error(), "Drop") {
		t.Error(err)
	}
}

// Note is a managed component, and Sign a shared one. Codecs decide their form.
type (
	Note struct {
		ecs.Managed
		Text []byte
	}
	Sign struct {
		ecs.Shared
		text string
	}
)

// TestCodecErrors checks that an error of an encode function is returned, no matter which bytes the
// function returns together with it. It also checks that an encode function that does not append to its
// argument causes an error.
func TestCodecErrors(t *testing.T) {
	stop := errors.New("stop")
	for name, encode := range map[string]func(out []byte) ([]byte, error){
		"nil":   func([]byte) ([]byte, error) { return nil, stop },
		"short": func(out []byte) ([]byte, error) { return out[:0], stop },
		"long":  func(out []byte) ([]byte, error) { return append(out, 1, 2, 3), stop },
		"text":  func([]byte) ([]byte, error) { return []byte("x"), nil },
	} {
		text := "a"
		for _, v := range []any{Note{}, Sign{text: text}} {
			w := newWorld(t, 2)
			w.Spawn(v)
			_, shared := v.(Sign)
			if name == "text" && shared {
				continue // there is nothing to append to
			}
			codecs := []Option{Codec(func(out []byte, _ *Note) ([]byte, error) { return encode(out) }, func([]byte, *Note) error { return nil }),
				Codec(func(out []byte, _ *Sign) ([]byte, error) { return encode(out) }, func([]byte, *Sign) error { return nil })}
			_, err := Write(&bytes.Buffer{}, imageOf(t, w), codecs...)
			if !errors.Is(err, ErrValue) || (name != "text") != errors.Is(err, stop) || name == "text" && !strings.Contains(err.Error(), "it must append") {
				t.Errorf("%s, %T: error %v", name, v, err)
			}
		}
	}
}

// TestCodecMemory checks that a decode function may keep its input. The kept value must not change when
// the memory of the stream is reused.
func TestCodecMemory(t *testing.T) {
	codec := Codec(func(out []byte, v *Note) ([]byte, error) { return append(out, v.Text...), nil },
		func(in []byte, v *Note) error { _ = append(in, "!!!!"...); v.Text = in; return nil })
	w := newWorld(t, 2)
	var list []ecs.Entity
	for i := range 3000 {
		list = append(list, w.Spawn(Note{Text: []byte(strings.Repeat("x", i%9))}))
	}
	b := bytesOf(t, imageOf(t, w), codec)
	m, err := Read(bytes.NewBuffer(b), codec)
	must(t, err)
	copy(b, bytes.Repeat([]byte("#"), len(b)))
	must(t, ecs.Restore(w, m))
	for i, e := range list {
		if v, err := ecs.Get[Note](w, e); err != nil || string(v.Text) != strings.Repeat("x", i%9) {
			t.Fatalf("entity %d has %q, %v", i, v.Text, err)
		}
	}
}
