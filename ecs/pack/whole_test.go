package pack_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/pack"
)

// The test checks that packing is done completely or not at all: if a call of a codec fails or
// panics, the entities are where they were, and the next attempt succeeds.
func TestWhole(t *testing.T) {
	left, panics := 0, false // calls before the one that fails
	fault := func() error {
		if left--; left != 0 {
			return nil
		}
		if panics {
			panic("no")
		}
		return errors.New("no")
	}
	own := pack.Codec(
		func(out []byte, v *Name) ([]byte, error) { return append(out, v.Text...), fault() },
		func(in []byte, v *Name) error { v.Text = string(in); return fault() },
	)
	a, b := newWorld(t, 1), newWorld(t, 1)
	var ids []ecs.Entity
	for i := range 7 {
		ids = append(ids, a.Spawn(Name{Text: fmt.Sprint("name ", i)}, Position{X: float32(i)}))
	}
	tried := func(f func() error) (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("%v", v)
			}
		}()
		return f()
	}
	each := func(what string, w *ecs.World, f func() error) {
		t.Helper()
		hash := w.Hash()
		for k := 1; k <= len(ids); k++ {
			for _, panics = range []bool{false, true} {
				left = k
				if err := tried(f); err == nil || !strings.Contains(err.Error(), "no") || w.Hash() != hash {
					t.Fatalf("%s, call %d, panic %v: %v; the world has changed: %v", what, k, panics, err, w.Hash() != hash)
				}
			}
		}
		must(t, f())
	}
	p, q := pack.New(a, own), pack.New(b, own)
	var m []byte
	each("Take", a, func() (err error) { m, err = p.Take(m[:0], ids); return err })
	each("Unpack", b, func() error { _, err := q.Unpack(m); return err })
	if a.Len() != 0 || b.Len() != 7 {
		t.Errorf("%d entities stayed, %d came", a.Len(), b.Len())
	}
}
