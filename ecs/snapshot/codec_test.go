package snapshot

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// Note is a managed component, and Sign a shared one, of which a codec decides what they are.
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

// TestCodecErrors: the error of an encode is returned, whatever the encode returns beside it, and one that does not append is found.
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
				continue // it is given nothing to append to
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

// TestCodecMemory: a decode may keep its input. The value stays when the memory of the stream is used again.
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
