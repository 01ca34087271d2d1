package snapshot

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/blob"
)

// step makes random changes to a world, which depend only on the world and the generator.
func step(t testing.TB, w *ecs.World, rng *rand.Rand, way blob.Ref[Route]) {
	list := slices.Collect(w.Entities())
	pick := func() ecs.Entity {
		if len(list) == 0 {
			return w.Spawn(Place{})
		}
		return list[rng.IntN(len(list))]
	}
	e := pick()
	_, gone := ecs.Get[Left](w, e)
	ended := gone == nil
	n := rng.IntN(1 << 20)
	switch op := rng.IntN(16); op {
	case 0, 1, 2:
		for range rng.IntN(40) {
			w.Spawn(Place{X: float32(n)}, Team{Name: fmt.Sprint(n % 5)}, Ref{e})
		}
	case 3:
		w.Spawn(On{N: int64(n)}, Mixed{List: [3]uint16{uint16(n)}}, Name{Text: fmt.Sprint(n)})
	case 4, 5:
		must(t, w.Destroy(e))
	case 6:
		must(t, ecs.Add(w, e, Flag{}))
	case 7:
		must(t, ecs.Add(w, e, ecs.BufferOf(make([]Item, n%50)...)))
	case 8:
		if b, err := ecs.GetBuffer[Item](w, e); err == nil {
			b.Append(Item{K: uint8(n), V: int64(n)})
			if n%3 == 0 {
				b.SetCap(b.Len() + n%20)
			}
		}
	case 9:
		must(t, ecs.Add(w, e, Drives{float32(n), way}))
	case 10:
		must(t, ecs.Add(w, e, On{N: int64(n)}))
		must(t, ecs.SetEnabled[On](w, e, n%2 == 0))
	case 11:
		must(t, ecs.Add(w, e, Left{N: uint8(n)}))
	case 12:
		must(t, ecs.Add(w, e, Team{Name: fmt.Sprint("new ", n%7)}))
	case 13:
		_, err := ecs.Remove[Place](w, e)
		must(t, err)
		if ended {
			_, err = ecs.Remove[Left](w, e)
			must(t, err)
		}
	case 14:
		must(t, w.SetEntityName(e, fmt.Sprint("name ", n%100)))
	case 15:
		must(t, ecs.Add(w, e, ecs.PerChunk[Whole]{}))
	}
}

// TestModel makes the same random steps in two worlds. Between the steps, one of the worlds is
// written to bytes and read again, either into another world or into the same one. After each
// step, both worlds must be equal, and their snapshots must have the same bytes.
//
// Conformance: 304
func TestModel(t *testing.T) {
	seeds, steps := 2, 300
	if *full {
		seeds, steps = 20, 3000
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(uint64(seed), 304))
		way := newRoute(t, "way", 3)
		straight, w := newWorld(t, 1), ecs.NewWorld("model", ecs.OnPool(newWorld(t, 2).Pool()))
		for k := range steps {
			s := rng.Uint64()
			step(t, straight, rand.New(rand.NewPCG(s, 1)), way)
			step(t, w, rand.New(rand.NewPCG(s, 1)), way)
			if w.Hash() != straight.Hash() {
				t.Fatalf("seed %d, step %d: another hash", seed, k)
			}
			if rng.IntN(8) > 0 {
				continue
			}
			b := bytesOf(t, imageOf(t, w), named)
			m, err := Read(bytes.NewReader(b), named)
			must(t, err)
			for _, own := range Blobs(m) {
				t.Cleanup(func() { _ = own.Dispose() })
			}
			if again := bytesOf(t, m, named); !bytes.Equal(again, b) {
				t.Fatalf("seed %d, step %d: the second save has other bytes", seed, k)
			}
			if rng.IntN(2) == 0 {
				for range rng.IntN(5) {
					step(t, w, rng, way) // the restore undoes this step
				}
				if rng.IntN(2) == 0 {
					must(t, ecs.Restore(w, m))
					continue
				}
				into, err := readFor(w, bytes.NewReader(b), []Option{named}) // as LoadFrom does
				must(t, err)
				for _, own := range Blobs(into) {
					t.Cleanup(func() { _ = own.Dispose() })
				}
				must(t, ecs.Restore(w, into))
				continue
			}
			fork, err := ecs.Fork(m, "fork", ecs.OnPool(straight.Pool()))
			must(t, err)
			must(t, w.Close())
			w = fork
		}
		must(t, w.Close())
	}
}
