package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

type (
	Place struct{ X, Y, Z float32 }
	Mixed struct {
		B  bool
		In struct {
			A int8
			F float64
			_ int16
		}
		List [3]uint16
		C    complex64
	}
	Ref  struct{ To ecs.Entity }
	Flag struct{}
	On   struct {
		ecs.Enableable
		N int64
	}
	Team struct {
		ecs.Shared
		Name string
		N    int32
	}
	Left struct {
		ecs.Cleanup
		N uint8
	}
	Item struct {
		K uint8
		V int64
	}
	Name struct {
		ecs.Managed
		Text string
	}
	Whole struct{ Sum int32 } // a chunk component
	Odd   struct {
		ecs.Shared
		p *int
	}
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var named = Codec(
	func(out []byte, v *Name) ([]byte, error) { return append(out, v.Text...), nil },
	func(in []byte, v *Name) error { v.Text = string(in); return nil },
)

func newWorld(t testing.TB, workers int) *ecs.World {
	p := jobs.New(jobs.Workers(workers))
	w := ecs.NewWorld("test", ecs.OnPool(p))
	t.Cleanup(func() { must(t, errors.Join(w.Close(), p.Close())) })
	return w
}

// newFamilies creates a world of n entities with all kinds of components.
func newFamilies(t testing.TB, n, workers int) *ecs.World {
	w := newWorld(t, workers)
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	var list []ecs.Entity
	for i := range n {
		m := Mixed{B: i%2 == 0, List: [3]uint16{1, 2, uint16(i)}, C: complex(1, float32(i))}
		m.In.A, m.In.F = int8(i), 1/float64(i+1)
		e := w.Spawn(Place{float32(i), 1, 2}, m, Ref{}, Team{Name: fmt.Sprint("team ", i%3), N: int32(i % 3)}, On{N: int64(i)})
		list = append(list, e)
		must(t, ecs.Set(w, e, Ref{list[rng.IntN(len(list))]}))
		if i%2 == 0 {
			must(t, ecs.SetEnabled[On](w, e, false))
		}
		switch i % 6 {
		case 0:
			must(t, ecs.Add(w, e, ecs.BufferOf(make([]Item, i%40)...)))
			b, err := ecs.GetBuffer[Item](w, e)
			must(t, err)
			b.Append(Item{uint8(i), -1})
			if i%4 == 0 {
				b.SetCap(b.Len() + 20)
			}
		case 1:
			must(t, ecs.Add(w, e, Flag{}))
			must(t, w.SetEntityName(e, fmt.Sprint("flagged ", i)))
		case 2:
			must(t, ecs.Add(w, e, Name{Text: strings.Repeat("n", i%9)}))
		case 3:
			must(t, ecs.Add(w, e, Left{N: uint8(i)}))
			must(t, w.Destroy(e))
		case 4:
			must(t, w.Destroy(e))
		}
	}
	if n > 0 {
		w.Spawn(Flag{})
	}
	return w
}

func imageOf(t testing.TB, w *ecs.World) *ecs.Image {
	m, err := ecs.Capture(w, nil)
	must(t, err)
	return m
}

func bytesOf(t testing.TB, m *ecs.Image, opts ...Option) []byte {
	var b bytes.Buffer
	n, err := Write(&b, m, opts...)
	must(t, err)
	if n != int64(b.Len()) {
		t.Errorf("it says %d bytes, and has written %d", n, b.Len())
	}
	return b.Bytes()
}
