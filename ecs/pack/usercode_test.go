package pack_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/pack"
)

// trap counts the calls of the program's functions, and makes the call with number at panic.
var trap struct {
	calls, at int
	released  bool // the last call was one of Retain or Release
	held      map[int32]int
}

func spring(released bool) {
	trap.calls++
	if trap.released = released; trap.calls == trap.at {
		panic("the user's function")
	}
}

// Wary is a shared value whose methods and codec can panic.
type Wary struct {
	ecs.Shared
	N int32
}

func (v Wary) Equal(o Wary) bool { spring(false); return v == o }
func (v Wary) Hash() uint64      { spring(false); return uint64(v.N % 2) }
func (v Wary) Retain()           { trap.held[v.N]++; spring(true) }
func (v Wary) Release()          { trap.held[v.N]--; spring(true) }

// To refers to an entity.
type To struct{ E ecs.Entity }

// callFailing calls f. The k-th call of a program's function panics, and callFailing reports whether
// this happened.
func callFailing(k int, f func() error) (panicked bool, err error) {
	trap.calls, trap.at = 0, k
	defer func() {
		trap.at = 0
		if v := recover(); v != nil {
			if v != "the user's function" {
				panic(v)
			}
			panicked = true
		}
	}()
	return false, f()
}

// TestPanics lets one call panic in Take or Unpack: a call of a codec, of Outside or Inside, or
// of a method of a shared value. Afterwards each entity must be either in the world or in the
// message, exactly once. Retain and Release are called correctly, and the packer continues.
func TestPanics(t *testing.T) {
	wary := pack.Codec(func(out []byte, v *Wary) ([]byte, error) { spring(false); return append(out, byte(v.N)), nil },
		func(in []byte, v *Wary) error { spring(false); v.N = int32(in[0]); return nil })
	worlds := func() (a, b *ecs.World, from, to *pack.Packer, ids []ecs.Entity) {
		trap.held = map[int32]int{}
		a, b = ecs.NewWorld("a"), ecs.NewWorld("b")
		stays := a.Spawn(Position{})
		for i := range int32(6) {
			ids = append(ids, a.Spawn(Position{X: float32(i)}, To{stays}, Wary{N: 1 + i/2}))
		}
		b.Spawn(Wary{N: 2})
		from = pack.New(a, wary, pack.Outside(func(ecs.Entity) (uint64, error) { spring(false); return 1, nil }))
		to = pack.New(b, wary, pack.Inside(func(uint64) (ecs.Entity, error) { spring(false); return ecs.Entity{}, nil }))
		return a, b, from, to, ids
	}
	told := func(when string, worlds ...*ecs.World) {
		t.Helper()
		use := map[int32]int{}
		for _, w := range worlds {
			for i, v := range ecs.SharedValues[Wary](w) {
				if i > 0 {
					use[v.N]++
				}
			}
		}
		for n := range int32(5) {
			if trap.held[n] != use[n] {
				t.Errorf("%s: value %d is held %d times, and was told %d", when, n, use[n], trap.held[n])
			}
		}
	}
	for k := 1; ; k++ { // Take
		a, b, from, to, ids := worlds()
		var message []byte
		panicked, err := callFailing(k, func() (err error) { message, err = from.Take(nil, ids); return err })
		must(t, err)
		when := fmt.Sprintf("Take, call %d", k)
		over := k > trap.calls
		switch left := a.Len() == 1; {
		case panicked && (left || trap.released):
			t.Fatalf("%s: it panicked, %d entities are left, and there is no message", when, a.Len())
		case panicked:
			message, err = from.Take(nil, ids)
			must(t, err)
		case !left:
			t.Fatalf("%s: %d entities are left", when, a.Len())
		case !over:
			if err := a.Sync(); err == nil {
				t.Errorf("%s: the panic of Release is lost", when)
			}
		}
		told(when, a, b)
		came, err := to.Unpack(message)
		must(t, err)
		if len(came) != 6 || a.Len() != 1 || b.Len() != 7 {
			t.Errorf("%s: %d came, there are %d and %d", when, len(came), a.Len(), b.Len())
		}
		told(when, a, b)
		must(t, errors.Join(a.Close(), b.Close()))
		if over {
			break
		}
	}
	for k := 1; ; k++ { // Unpack
		a, b, from, to, ids := worlds()
		message, err := from.Pack(nil, ids)
		must(t, err)
		hash := b.Hash()
		panicked, err := callFailing(k, func() error { _, err := to.Unpack(message); return err })
		must(t, err)
		when := fmt.Sprintf("Unpack, call %d", k)
		switch over := k > trap.calls; {
		case !panicked:
			if !over || b.Len() != 7 {
				t.Fatalf("%s: no panic, and there are %d", when, b.Len())
			}
			must(t, errors.Join(a.Close(), b.Close()))
			return
		case trap.released: // complete; the panic was in a call after that
			if b.Len() != 7 {
				t.Errorf("%s: there are %d", when, b.Len())
			}
		default:
			if b.Len() != 1 || b.Hash() != hash {
				t.Errorf("%s: there are %d, hash %#x, was %#x", when, b.Len(), b.Hash(), hash)
			}
			_, err := to.Unpack(message)
			must(t, err)
		}
		told(when, a, b)
		must(t, errors.Join(a.Close(), b.Close()))
	}
}

// Note is a managed component whose codec keeps its input.
type Note struct {
	ecs.Managed
	Text []byte
}

// Sign is a shared component.
type Sign struct {
	ecs.Shared
	text string
}

// TestCodecMemory: a decode may keep its input, append to it and overwrite it. The message must not
// change. If the memory of the message is used for other data, the decoded values must not change.
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
		var codecs []pack.Option
		codecs = append(codecs, pack.Codec(
			func(out []byte, v *Note) ([]byte, error) { return append(out, v.Text...), nil },
			func(in []byte, v *Note) error { v.Text = spoil(in); return nil }))
		codecs = append(codecs, pack.Codec(
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
		message, err := pack.New(w, codecs...).Pack(nil, list)
		must(t, err)
		before := bytes.Clone(message)
		x := ecs.NewWorld("x")
		ids, err := pack.New(x, codecs...).Unpack(message)
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

// TestCodecErrors: if an encode function returns an error, Pack must return this error, whatever
// bytes encode has returned. If an encode function does not append to its argument, Pack must
// notice this.
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
			_, err := pack.New(w,
				pack.Codec(func(out []byte, _ *Note) ([]byte, error) { return encode(out) }, func(in []byte, _ *Note) error { return ignore(in) }),
				pack.Codec(func(out []byte, _ *Sign) ([]byte, error) { return encode(out) }, func(in []byte, _ *Sign) error { return ignore(in) })).Pack(nil, []ecs.Entity{e})
			if !errors.Is(err, pack.ErrValue) || (name == "text" || name == "none") == errors.Is(err, stop) || name == "text" && !strings.Contains(err.Error(), "it must append") {
				t.Errorf("%s, %T: error %v", name, v, err)
			}
			must(t, w.Close())
		}
	}
}
