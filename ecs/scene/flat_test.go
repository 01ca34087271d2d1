//go:build !lanewise_guard

package scene

import (
	"bytes"
	"flag"
	"runtime"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

var manyLoads = flag.Int("scene.loads", 0, "how often TestLoadsLeaveTheHeapFlat loads 200,000 rows; 30 times 2,000 if 0")

// TestLoadsLeaveTheHeapFlat repeatedly loads a scene into a running world and unloads it, next to
// entities that stay. At the end, the world and the heap must be as large as after the first few
// loads. With -scene.loads 1000 it does 1,000 loads of 200,000 rows.
func TestLoadsLeaveTheHeapFlat(t *testing.T) {
	loads, size := 30, 2_000
	if *manyLoads > 0 {
		loads, size = *manyLoads, 200_000
	}
	data := bakedBytes(t, size)
	w := ecs.NewWorld("flat")
	defer w.Close()
	must(t, w.CreateInto(w.Archetype(ecs.With[Position]()), make([]ecs.Entity, 1_000)))
	taken := func() (heap, world int64) {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // two collections are necessary to empty pools
		runtime.ReadMemStats(&m)
		s := w.Stats()
		return int64(m.HeapAlloc), int64(s.Bytes + s.Outside)
	}
	var heap, world int64
	for i := range loads {
		if i == loads/10 {
			heap, world = taken()
		}
		baked, err := ReadBaked(bytes.NewReader(data))
		must(t, err)
		a, err := ecs.NewImageStream(baked.Image(), SceneTag{})
		must(t, err)
		must(t, a.Begin(w))
		for a.Left() > 0 {
			_, err := a.Load(DefaultBudget)
			must(t, err)
		}
		if w.Len() < size+1_000 {
			t.Fatalf("%d entities", w.Len())
		}
		_, err = a.Unload(1 << 30)
		must(t, err)
	}
	nowHeap, nowWorld := taken()
	t.Logf("after %d and %d loads of %d rows: %d and %d bytes of heap, %d and %d of the world", loads/10, loads, size, heap, nowHeap, world, nowWorld)
	if w.Len() != 1_000 {
		t.Errorf("%d entities are left, want 1000", w.Len())
	}
	if nowWorld != world || nowHeap > heap+heap/50+1<<18 {
		t.Errorf("%d and %d bytes became %d and %d", heap, world, nowHeap, nowWorld)
	}
}
