package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// Flat is the older form of Deep, and Bit is the older form of Wide.
type (
	Flat struct {
		A, B float32
		On   bool
		To   ecs.Entity
	}
	flat1 struct {
		On   bool
		B, A float32
		To   ecs.Entity
	}
	Deep struct {
		Sum  float64
		A    float64
		Both [2]bool
		To   ecs.Entity
	}
	Bit struct {
		ecs.Enableable
		N int32
	}
	bit1 struct{ N int32 }
	Wide struct {
		ecs.Enableable
		N    int64
		More [300]uint8
	}
)

func deepen(in []flat1, out []Deep) error {
	for i, v := range in {
		out[i] = Deep{Sum: float64(v.A) + float64(v.B), A: float64(v.A), Both: [2]bool{v.On, !v.On}, To: v.To}
	}
	return nil
}

func widen(in []bit1, out []Wide) error {
	for i, v := range in {
		out[i].N = -int64(v.N)
	}
	return nil
}

// newOldWorld creates a world of n entities with the old types.
func newOldWorld(t testing.TB, n int) (*ecs.World, []ecs.Entity) {
	w := newWorld(t, 2)
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	var list []ecs.Entity
	for i := range n {
		v := Flat{float32(i), 0.5, i%3 == 0, ecs.Entity{}}
		var e ecs.Entity
		switch i % 3 {
		case 0:
			e = w.Spawn(v, Bit{N: int32(i)}, Team{Name: fmt.Sprint(i % 5)}, ecs.BufferOf(make([]Item, i%9)...), Name{Text: fmt.Sprint(i)})
			must(t, ecs.SetEnabled[Bit](w, e, i%2 == 0))
		case 1:
			e = w.Spawn(v, Place{X: float32(i)}, Bit{N: int32(i)})
		default:
			e = w.Spawn(Place{X: float32(i)}, Bit{N: int32(i)})
		}
		list = append(list, e)
		if i%7 == 6 {
			must(t, w.Destroy(list[rng.IntN(len(list))]))
			list = slices.DeleteFunc(list, func(e ecs.Entity) bool { return !w.Exists(e) })
		}
	}
	return w, list
}

// TestMigrate checks that rows keep their places if their values get other types and need more memory.
//
// Conformance: 333
func TestMigrate(t *testing.T) {
	ecs.RegisterComponent[Deep]()
	ecs.RegisterComponent[Wide]()
	for _, n := range []int{0, 1, 30, 3000} {
		w, list := newOldWorld(t, n)
		b := bytesOf(t, imageOf(t, w), named)
		opts := []Option{named, Migrate[flat1, Deep](here+"Flat", deepen), Migrate[bit1, Wide](here+"Bit", widen)}
		if n == 3000 {
			_, err := Read(bytes.NewReader(b), opts...)
			if !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), "Recut") {
				t.Errorf("%d: %v", n, err)
			}
		}
		cut := 0
		m, err := Read(bytes.NewReader(b), append(opts, Recut(func(set []reflect.Type, before, after int) {
			if cut++; n == 3000 && after <= before {
				t.Errorf("%v has %d chunks, and had %d", set, after, before)
			}
		}))...)
		must(t, err)
		if n == 3000 && cut != 3 || n == 1 && cut != 0 && cut != 1 {
			t.Errorf("%d: %d archetypes were cut", n, cut)
		}
		f, err := ecs.Fork(m, "fork")
		must(t, err)
		if f.Len() != w.Len() {
			t.Errorf("%d entities of %d", f.Len(), w.Len())
		}
		for _, e := range list {
			bit, err := ecs.Get[Bit](w, e)
			must(t, err)
			wide, err := ecs.Get[Wide](f, e)
			must(t, err)
			was, err := ecs.Enabled[Bit](w, e)
			must(t, err)
			is, err := ecs.Enabled[Wide](f, e)
			must(t, err)
			if wide.N != -int64(bit.N) || was != is {
				t.Fatalf("%v: %v, %v of %v, %v", e, wide.N, is, bit, was)
			}
			if old, err := ecs.Get[Flat](w, e); err == nil {
				checkHas(t, f, e, Deep{float64(old.A) + 0.5, float64(old.A), [2]bool{old.On, !old.On}, ecs.Entity{}})
			}
			for _, kind := range []func(w *ecs.World) any{
				func(w *ecs.World) any { v, err := ecs.Get[Place](w, e); return fmt.Sprint(v, err == nil) },
				func(w *ecs.World) any { v, err := ecs.Get[Team](w, e); return fmt.Sprint(v, err == nil) },
				func(w *ecs.World) any { v, err := ecs.Get[Name](w, e); return fmt.Sprint(v, err == nil) },
				func(w *ecs.World) any {
					v, err := ecs.GetBuffer[Item](w, e)
					if err != nil {
						return nil
					}
					return fmt.Sprint(v.Slice(), v.Cap())
				},
			} {
				if a, b := kind(w), kind(f); a != b {
					t.Fatalf("%v has %v, and had %v", e, b, a)
				}
			}
		}
		for range 20 {
			if a, b := w.Spawn(Place{}), f.Spawn(Place{}); a != b {
				t.Fatalf("the next id is %v, and was %v", b, a)
			}
		}
		must(t, f.Close())
	}
	w, _ := newOldWorld(t, 5)
	b := bytesOf(t, imageOf(t, w), named)
	wrong := errors.New("wrong")
	for what, opt := range map[string]Option{
		"lane A":     Migrate[struct{ A float64 }, Deep](here+"Flat", func([]struct{ A float64 }, []Deep) error { return nil }),
		"has no":     Migrate[struct{ B float32 }, Deep](here+"Flat", func([]struct{ B float32 }, []Deep) error { return nil }),
		"with lanes": Migrate[bit1, Team](here+"Team", func([]bit1, []Team) error { return nil }),
		"panicked":   Migrate[flat1, Deep](here+"Flat", func([]flat1, []Deep) error { panic("bang") }),
		"wrong":      Migrate[flat1, Deep](here+"Flat", func([]flat1, []Deep) error { return wrong }),
	} {
		if m, err := Read(bytes.NewReader(b), named, opt, Recut(nil)); err == nil || m != nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// If the program no longer has a component, the component is dropped. Archetypes that become equal
// because of that are merged.
func TestDropComponents(t *testing.T) {
	for _, n := range []int{1, 40, 2500} {
		w, list := newOldWorld(t, n)
		b := bytesOf(t, imageOf(t, w), named)
		for _, names := range [][]string{{here + "Flat"}, {here + "Team"}, {here + "Bit", here + "Name", here + "Flat"}, {here + "Place", here + "Flat", here + "Bit", here + "Team", here + "Name", "github.com/lanewise/lanewise/ecs.Buffer[" + here + "Item]"}} {
			m, err := Read(bytes.NewReader(b), named, Drop(names...), Recut(nil))
			must(t, err)
			f, err := ecs.Fork(m, "fork")
			must(t, err)
			if f.Len() != w.Len() {
				t.Errorf("%d entities of %d", f.Len(), w.Len())
			}
			for _, a := range m.Archetypes() {
				for _, c := range a.Components {
					if slices.Contains(names, c.PkgPath()+"."+c.Name()) {
						t.Fatalf("there is %v", c)
					}
				}
			}
			for _, e := range list {
				if v, err := ecs.Get[Place](w, e); err == nil && !slices.Contains(names, here+"Place") {
					checkHas(t, f, e, v)
				}
				if v, err := ecs.Get[Bit](w, e); err == nil && !slices.Contains(names, here+"Bit") {
					checkHas(t, f, e, v)
				}
			}
			must(t, f.Close())
		}
	}
	w := newFamilies(t, 7, 1)
	b := bytesOf(t, imageOf(t, w), named)
	if _, err := Read(bytes.NewReader(b), named, Drop(here+"Left")); !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), "cleanup") {
		t.Error(err)
	}
	for i := 16; i < len(b); i += 3 { // with any damage
		bad := slices.Clone(b)
		bad[i] ^= 1 << (i % 8)
		if m, err := Read(bytes.NewReader(bad), named, Drop(here+"Mixed"), Recut(nil)); err == nil || m != nil {
			t.Errorf("a flip in byte %d is read", i)
		}
		_, _ = Read(bytes.NewReader(bad), named, Drop(here+"Mixed"), Recut(nil), unchecked)
	}
}
