package pack

import (
	"errors"
	"fmt"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// trap panics at the call of a function of the user that is number at.
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

// Wary is a shared value whose methods, and those of whose codec, can panic.
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

// caught calls f, whose k-th call of a function of the user panics, and reports whether it did.
func caught(k int, f func() error) (panicked bool, err error) {
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

// TestPanics: whichever call of a codec, of Outside or Inside, or of a method of a shared value panics in Take or Unpack, the entities are in
// the world or in the message, all of them and once; values are told the truth, and the packer goes on.
func TestPanics(t *testing.T) {
	wary := Codec(func(out []byte, v *Wary) ([]byte, error) { spring(false); return append(out, byte(v.N)), nil },
		func(in []byte, v *Wary) error { spring(false); v.N = int32(in[0]); return nil })
	worlds := func() (a, b *ecs.World, from, to *Packer, ids []ecs.Entity) {
		trap.held = map[int32]int{}
		a, b = ecs.NewWorld("a"), ecs.NewWorld("b")
		stays := a.Spawn(Place{})
		for i := range int32(6) {
			ids = append(ids, a.Spawn(Place{X: float32(i)}, To{stays}, Wary{N: 1 + i/2}))
		}
		b.Spawn(Wary{N: 2})
		from = New(a, wary, Outside(func(ecs.Entity) (uint64, error) { spring(false); return 1, nil }))
		to = New(b, wary, Inside(func(uint64) (ecs.Entity, error) { spring(false); return ecs.Entity{}, nil }))
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
		panicked, err := caught(k, func() (err error) { message, err = from.Take(nil, ids); return err })
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
		panicked, err := caught(k, func() error { _, err := to.Unpack(message); return err })
		must(t, err)
		when := fmt.Sprintf("Unpack, call %d", k)
		switch over := k > trap.calls; {
		case !panicked:
			if !over || b.Len() != 7 {
				t.Fatalf("%s: no panic, and there are %d", when, b.Len())
			}
			must(t, errors.Join(a.Close(), b.Close()))
			return
		case trap.released: // whole, and then told
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
