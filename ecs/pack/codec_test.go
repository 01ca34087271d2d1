package pack

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// Note is a managed component whose codec keeps what it is given.
type Note struct {
	ecs.Managed
	Text []byte
}

// Sign is a shared one.
type Sign struct {
	ecs.Shared
	text string
}

// TestCodecMemory: a decode may keep its input, append to it and write over it. The message stays as it was, and values stay when the memory of the
// message is used again.
func TestCodecMemory(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 16))
		var kept [][]byte
		spoil := func(in []byte) []byte {
			if rng.IntN(2) == 0 {
				_ = append(in, "!!!!!!!!"...)
			}
			kept = append(kept, in)
			return in
		}
		var codecs []Option
		codecs = append(codecs, Codec(
			func(out []byte, v *Note) ([]byte, error) { return append(out, v.Text...), nil },
			func(in []byte, v *Note) error { v.Text = spoil(in); return nil }))
		codecs = append(codecs, Codec(
			func(out []byte, v *Sign) ([]byte, error) { return append(out, v.text...), nil },
			func(in []byte, v *Sign) error { v.text = string(spoil(in)); return nil }))
		w := ecs.NewWorld("w")
		var list []ecs.Entity
		var texts []string
		for i := range 1 + rng.IntN(200) {
			text := strings.Repeat(fmt.Sprint(i, " "), rng.IntN(4))
			sign := fmt.Sprint(i % 3)
			texts = append(texts, text+sign)
			list = append(list, w.Spawn(Note{Text: []byte(text)}, Sign{text: sign}))
		}
		message, err := New(w, codecs...).Pack(nil, list)
		must(t, err)
		before := bytes.Clone(message)
		x := ecs.NewWorld("x")
		ids, err := New(x, codecs...).Unpack(message)
		must(t, err)
		if !bytes.Equal(message, before) {
			t.Fatalf("seed %d: a codec has changed the message", seed)
		}
		for i := range message {
			message[i] = '#'
		}
		for i, id := range ids {
			note, err := ecs.Get[Note](x, id)
			must(t, err)
			sign, err := ecs.Get[Sign](x, id)
			must(t, err)
			if got := string(note.Text) + sign.text; got != texts[i] {
				t.Fatalf("seed %d: entity %d has %q, want %q", seed, i, got, texts[i])
			}
		}
		must(t, errors.Join(w.Close(), x.Close()))
	}
}

// TestCodecErrors: the error of an encode is returned, whatever the encode returns beside it, and one that does not append is found.
func TestCodecErrors(t *testing.T) {
	stop := errors.New("stop")
	for name, encode := range map[string]func(out []byte) ([]byte, error){
		"nil":   func([]byte) ([]byte, error) { return nil, stop },
		"short": func(out []byte) ([]byte, error) { return out[:1], stop },
		"long":  func(out []byte) ([]byte, error) { return append(out, 1, 2, 3), stop },
		"text":  func([]byte) ([]byte, error) { return []byte("x"), nil },
		"none":  func([]byte) ([]byte, error) { return nil, nil },
	} {
		ignore := func(in []byte) error { return nil }
		text := "a"
		for _, v := range []any{Note{}, Sign{text: text}} {
			w := ecs.NewWorld("w")
			e := w.Spawn(v)
			_, err := New(w,
				Codec(func(out []byte, _ *Note) ([]byte, error) { return encode(out) }, func(in []byte, _ *Note) error { return ignore(in) }),
				Codec(func(out []byte, _ *Sign) ([]byte, error) { return encode(out) }, func(in []byte, _ *Sign) error { return ignore(in) })).Pack(nil, []ecs.Entity{e})
			if !errors.Is(err, ErrValue) || (name == "text" || name == "none") == errors.Is(err, stop) || name == "text" && !strings.Contains(err.Error(), "it must append") {
				t.Errorf("%s, %T: error %v", name, v, err)
			}
			must(t, w.Close())
		}
	}
}
