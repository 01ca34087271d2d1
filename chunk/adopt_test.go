package chunk

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// take takes n blocks and marks them.
func take(s *Slabs, n, mark int) (list []*Block) {
	for i := range n {
		b := s.Get()
		b[7], b[Size-1] = byte(mark+i), byte(mark)
		list = append(list, b)
	}
	return list
}

// integrity checks what a Slabs must keep true about itself.
func (s *Slabs) integrity(t *testing.T) {
	t.Helper()
	used, blocks := 0, 0
	for i, sl := range s.all {
		used += sl.used
		blocks += sl.blocks
		if i > 0 && s.all[i-1].base >= sl.base {
			t.Errorf("slab %d is not in order", i)
		}
		if sl.used+len(sl.free)+len(sl.rest)/Size != sl.blocks || sl.moving != 0 {
			t.Errorf("slab %d: %d of %d used, %d free, %d bytes untouched, %d moving", i, sl.used, sl.blocks, len(sl.free), len(sl.rest), sl.moving)
		}
		if sl.ready != slices.Contains(s.ready, sl) || sl.ready != (sl.used < sl.blocks) {
			t.Errorf("slab %d: ready %v, %d of %d used", i, sl.ready, sl.used, sl.blocks)
		}
	}
	if used != s.used || blocks*Size != s.bytes {
		t.Errorf("%d of %d blocks are used, counted %d in %d bytes", used, blocks, s.used, s.bytes)
	}
}

// All blocks of other Slabs come with their slabs, where they are.
func TestAdoptAll(t *testing.T) {
	var from, to Slabs
	take(&to, 3, 1)
	list := take(&from, 200, 50) // six slabs, the last of which is filled in part
	want, bytes := slices.Clone(list), from.Bytes()
	to.Adopt(list, &from)
	from.integrity(t)
	to.integrity(t)
	if !slices.Equal(list, want) {
		t.Error("blocks were copied")
	}
	if from.Blocks() != 0 || from.Bytes() != 0 || to.Blocks() != 203 || to.Bytes() != bytes+4*Size {
		t.Errorf("%d and %d blocks, %d and %d bytes", from.Blocks(), to.Blocks(), from.Bytes(), to.Bytes())
	}
	for i, b := range list {
		if b[7] != byte(50+i) || b[Size-1] != 50 {
			t.Fatalf("block %d holds %d, %d", i, b[7], b[Size-1])
		}
	}
}

// A few blocks of many are copied, and their slab stays; so it is when others were
// put back.
func TestAdoptFew(t *testing.T) {
	for _, others := range []bool{true, false} {
		var from, to Slabs
		list := take(&from, 252, 0) // six full slabs
		bytes := from.Bytes()
		some := []*Block{list[4], list[100], list[101], list[251]}
		want := slices.Clone(some)
		if !others {
			for _, b := range list {
				if !slices.Contains(some, b) {
					from.Put(b)
				}
			}
		}
		to.Adopt(some, &from)
		from.integrity(t)
		to.integrity(t)
		for i, b := range some {
			if b == want[i] || b[7] != byte([]int{4, 100, 101, 251}[i]) {
				t.Errorf("block %d is at %p, was at %p, holds %d", i, b, want[i], b[7])
			}
		}
		if from.Bytes() != bytes || to.Bytes() != 64<<10 || to.Blocks() != 4 {
			t.Errorf("%d and %d bytes, %d blocks", from.Bytes(), to.Bytes(), to.Blocks())
		}
	}
}

// What is given up is freed, though some of what it held lives on.
func TestAdoptPinsNothing(t *testing.T) {
	heap := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	var to Slabs
	for i := range 40 {
		var from Slabs
		list := take(&from, 100, i)
		to.Adopt(list[40:41], &from)
	}
	if left := heap() - before; left > to.Bytes()+to.Bytes()/2+1<<20 || to.Blocks() != 40 {
		t.Errorf("%d bytes are left for %d blocks, in %d bytes", left, to.Blocks(), to.Bytes())
	}
	runtime.KeepAlive(&to)
}

// To and fro, in any parts, blocks hold what they held; memory is made once.
func TestAdoptToAndFro(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var both [2]Slabs
	var held [2][]*Block
	next, most := 0, 0
	for step := range 400 {
		k := step % 2
		here, there := &both[k], &both[1-k]
		for range rng.IntN(60) {
			held[k] = append(held[k], take(here, 1, next%251)...)
			next++
		}
		rng.Shuffle(len(held[k]), func(i, j int) { held[k][i], held[k][j] = held[k][j], held[k][i] })
		for len(held[k]) > 150 {
			here.Put(held[k][0])
			held[k] = held[k][1:]
		}
		n := len(held[k])
		if rng.IntN(3) > 0 {
			n = rng.IntN(n + 1)
		}
		moved := slices.Clone(held[k][:n])
		marks := make([]byte, n)
		for i, b := range moved {
			marks[i] = b[7]
		}
		held[k] = slices.Clone(held[k][n:])
		there.Adopt(moved, here)
		for i, b := range moved {
			if b[7] != marks[i] || b[Size-1] != marks[i] {
				t.Fatalf("step %d: block %d holds %d, want %d", step, i, b[7], marks[i])
			}
		}
		held[1-k] = append(held[1-k], moved...)
		here.integrity(t)
		there.integrity(t)
		if most = max(most, both[0].Bytes()+both[1].Bytes()); most > 64<<20 {
			t.Fatalf("step %d: %d bytes for %d blocks", step, most, both[0].Blocks()+both[1].Blocks())
		}
	}
	var from, to Slabs
	list := take(&from, 30, 1)
	trip := func() {
		to.Adopt(list, &from)
		from.Adopt(list, &to)
	}
	trip()
	if allocs := testing.AllocsPerRun(50, trip); allocs > 0 {
		t.Errorf("%v allocations a round trip", allocs)
	}
	one := func() {
		b := []*Block{from.Get()}
		to.Adopt(b, &from)
		to.Put(b[0])
	}
	for range 3 {
		one()
	}
	total := from.Bytes() + to.Bytes()
	for range 100 {
		one()
	}
	if got := from.Bytes() + to.Bytes(); got != total {
		t.Errorf("%d bytes after moves of one block, before them %d", got, total)
	}
}

// What is none of the other Slabs is refused, and nothing has changed.
func TestAdoptPanics(t *testing.T) {
	var from, other, to Slabs
	mine, foreign := take(&from, 2, 1), take(&other, 1, 9)
	for want, list := range map[string][]*Block{
		"chunk: Adopt: 0x0 is not the address of a block": {mine[0], nil},
		"came from other Slabs":                           {mine[0], foreign[0]},
	} {
		if text := recovered(func() { to.Adopt(list, &from) }); !strings.Contains(text, want) {
			t.Errorf("got %q, want %q", text, want)
		}
		if to.Blocks() != 0 || from.Blocks() != 2 {
			t.Errorf("%d and %d blocks", to.Blocks(), from.Blocks())
		}
		from.integrity(t)
		to.integrity(t)
	}
	if text := recovered(func() { from.Put(foreign[0]) }); !strings.Contains(text, "chunk: Put: the block") {
		t.Errorf("Put of a block of other Slabs: %q", text)
	}
	from.Adopt(mine, &from)
	from.integrity(t)
}
