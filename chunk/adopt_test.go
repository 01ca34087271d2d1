package chunk

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// take takes n spans of the given size and marks them.
func take(s *Slabs, n, bytes, mark int) (list []Span) {
	for i := range n {
		sp := s.Get(bytes)
		b := sp.Memory()
		b[7], b[len(b)-1] = byte(mark+i), byte(mark)
		list = append(list, sp)
	}
	return list
}

// integrity checks the invariants of a Slabs.
func (s *Slabs) integrity(t *testing.T) {
	t.Helper()
	held, bytes, idle := 0, 0, 0
	check := func(r *region, f *freeLists) {
		t.Helper()
		free, longest := 0, 0
		for at := r.inUse.nextFree(0); at < maxUnits; at = r.inUse.nextFree(at) {
			k := r.inUse.freeFrom(at)
			free, longest, at = free+k, max(longest, k), at+k
		}
		if free != r.unitCount-r.usedUnits || r.adoptedUnits != 0 || r.owner != s {
			t.Errorf("region: %d of %d used, %d free, %d moving", r.usedUnits, r.unitCount, free, r.adoptedUnits)
		}
		if free > 0 && (r.freeListIndex < 0 || longest >= 2<<r.freeListIndex || f[r.freeListIndex][r.freeListPosition] != r) {
			t.Errorf("region: %d neighbours free, class %d", longest, r.freeListIndex)
		}
	}
	for _, r := range s.slabs {
		check(r, &s.freeBlocks)
		held += r.usedUnits * Size
		bytes += r.unitCount * Size
		if r.usedUnits == 0 {
			idle++
			if !slices.Contains(s.idleSlabs, r) {
				t.Error("a slab is not noted to be idle")
			}
		}
	}
	for _, list := range s.freePieces {
		for _, r := range list {
			check(r, &s.freePieces)
			if r.usedUnits == 0 || r.parent.owner != s || !r.parent.inUse.allUsed(r.firstBlock, 1) {
				t.Errorf("block %d is cut, and nothing of it is in use, or it is not", r.firstBlock)
			}
		}
	}
	if held != s.blockBytes || bytes != s.slabBytes || idle != len(s.idleSlabs) || s.usedBytes > held {
		t.Errorf("%d bytes are held, counted %d, in %d bytes, counted %d; %d idle, counted %d; %d used", held, s.blockBytes, bytes, s.slabBytes, idle, len(s.idleSlabs), s.usedBytes)
	}
}

// TestAdoptAll adopts all spans of another Slabs. The slabs of these spans must move with them,
// without a copy.
func TestAdoptAll(t *testing.T) {
	for _, bytes := range []int{64, 576, Size / 2, Size, 2 * Size, MaxSpan} {
		var from, to Slabs
		take(&to, 3, bytes, 1)
		list := take(&from, 200, bytes, 50)
		size, used := from.Bytes(), from.Used()
		to.Adopt(list, &from)
		from.integrity(t)
		to.integrity(t)
		came := 0
		for i, sp := range list {
			if to.Owns(sp) {
				came++
			}
			if b := sp.Memory(); b[7] != byte(50+i) || b[len(b)-1] != 50 {
				t.Fatalf("%d bytes: span %d holds %d, %d", bytes, i, b[7], b[len(b)-1])
			}
		}
		if 8*came < 7*len(list) || from.Used()+to.Used() != used+3*used/200 || from.Bytes()+to.Bytes() > size+4*max(bytes, Size)+minSlabBytes {
			t.Errorf("%d bytes: %d of %d came; %d and %d used in %d and %d", bytes, came, len(list), from.Used(), to.Used(), from.Bytes(), to.Bytes())
		}
	}
}

// TestAdoptFew adopts a few of many spans. The adopted spans and their slab must stay, even after
// other spans were put back.
func TestAdoptFew(t *testing.T) {
	for _, others := range []bool{true, false} {
		var from, to Slabs
		take(&to, 9, Size, 0) // has free blocks now
		list := take(&from, 255, Size, 0)
		some := []Span{list[4], list[100], list[101], list[251]}
		if !others {
			for _, sp := range list {
				if !slices.Contains(some, sp) {
					from.Put(sp)
				}
			}
		}
		to.Adopt(some, &from)
		from.integrity(t)
		to.integrity(t)
		for i, sp := range some {
			if to.Owns(sp) || !from.Owns(sp) {
				t.Errorf("others %v: span %d came", others, i)
			}
		}
	}
}

// TestAdoptPinsNothing checks that a Slabs that is no longer used is freed, although another Slabs
// still has some of its spans.
func TestAdoptPinsNothing(t *testing.T) {
	heap := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	var to Slabs
	var kept []Span
	for i := range 40 {
		var from Slabs
		list := take(&from, 100, Size, i)
		move(&to, &from, list[40:41])
		kept = append(kept, list[40])
	}
	if left := heap() - before; left > to.Bytes()+to.Bytes()/2+1<<20 || to.Used() != 40*Size {
		t.Errorf("%d bytes are left for %d, in %d", left, to.Used(), to.Bytes())
	}
	runtime.KeepAlive(kept)
}

// move adopts spans, and copies the spans that cannot be adopted.
func move(to, from *Slabs, list []Span) {
	to.Adopt(list, from)
	for i, sp := range list {
		if !to.Owns(sp) {
			list[i] = to.Get(len(sp.Memory()))
			copy(list[i].Memory(), sp.Memory())
			from.Put(sp)
		}
	}
}

// TestAdoptToAndFro moves spans of all sizes back and forth in random parts. The spans must keep
// their contents, and memory must be allocated only once.
func TestAdoptToAndFro(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var both [2]Slabs
	var held [2][]Span
	next := 0
	for step := range 400 {
		k := step % 2
		here, there := &both[k], &both[1-k]
		for range rng.IntN(60) {
			bytes := 64 * (1 + rng.IntN(100))
			if rng.IntN(2) == 0 {
				bytes = Size << rng.IntN(5)
			}
			held[k] = append(held[k], take(here, 1, bytes, next%251)...)
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
		for i, sp := range moved {
			marks[i] = sp.Memory()[7]
		}
		held[k] = slices.Clone(held[k][n:])
		move(there, here, moved)
		used := 0
		for i, sp := range moved {
			b := sp.Memory()
			if b[7] != marks[i] || b[len(b)-1] != marks[i] {
				t.Fatalf("step %d: span %d holds %d, want %d", step, i, b[7], marks[i])
			}
		}
		held[1-k] = append(held[1-k], moved...)
		for _, sp := range held[1-k] {
			used += len(sp.Memory())
		}
		here.integrity(t)
		there.integrity(t)
		if used != there.Used() || both[0].Bytes()+both[1].Bytes() > 64<<20 {
			t.Fatalf("step %d: %d bytes used, counted %d, in %d and %d", step, used, there.Used(), both[0].Bytes(), both[1].Bytes())
		}
	}
	var from, to Slabs
	list := take(&from, 31, Size, 1)
	trip := func() {
		move(&to, &from, list)
		move(&from, &to, list)
	}
	trip()
	trip()
	if allocs := testing.AllocsPerRun(50, trip); allocs > 0 {
		t.Errorf("%v allocations a round trip", allocs)
	}
	one := func() {
		b := []Span{from.Get(Size)}
		move(&to, &from, b)
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

// TestAdoptPanics checks that spans that do not belong to the other Slabs are refused before anything
// changes.
func TestAdoptPanics(t *testing.T) {
	var from, other, to Slabs
	mine, foreign := take(&from, 2, Size, 1), take(&other, 1, Size, 9)
	for want, list := range map[string][]Span{
		"chunk: Adopt: the span is the zero Span": {mine[0], {}},
		"came from other Slabs":                   {mine[0], foreign[0]},
	} {
		if text := panicText(func() { to.Adopt(list, &from) }); !strings.Contains(text, want) {
			t.Errorf("got %q, want %q", text, want)
		}
		if to.Used() != 0 || from.Used() != 2*Size {
			t.Errorf("%d and %d bytes", to.Used(), from.Used())
		}
		from.integrity(t)
		to.integrity(t)
	}
	from.Adopt(mine, &from)
	from.integrity(t)
}
