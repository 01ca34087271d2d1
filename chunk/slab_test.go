package chunk

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"
	"weak"
)

func TestSlabsGrow(t *testing.T) {
	var s Slabs
	if s.Used() != 0 || s.Bytes() != 0 {
		t.Errorf("new: %d bytes used of %d", s.Used(), s.Bytes())
	}
	seen := map[unsafe.Pointer]bool{}
	get := func() {
		p := s.Get(Size).Pointer()
		if uintptr(p)%64 != 0 {
			t.Fatalf("%d bytes: a block is at %p", s.Used(), p)
		}
		if seen[p] {
			t.Fatalf("%d bytes: %p was handed out before", s.Used(), p)
		}
		seen[p] = true
	}
	// A new slab is allocated when the earlier slabs are used up to the last block. Except for the
	// first slabs, the new slab is at most half as large as all earlier slabs together. Except for
	// the largest slabs, the new slab is more than a quarter as large as all earlier slabs together.
	for range 40 {
		before := s.Bytes()
		get()
		grown := s.Bytes() - before
		if grown > max(minSlabBytes, before/2) || grown <= min(before/4, maxSlabBytes-1) || grown&(grown-1) != 0 {
			t.Errorf("a slab of %d bytes is made beside %d", grown, before)
		}
		for s.Used() < s.Bytes() {
			get()
		}
	}
	if large := s.slabs[len(s.slabs)-1].unitCount * Size; large != maxSlabBytes {
		t.Errorf("the last slab is of %d bytes", large)
	}
	s.integrity(t)
}

// TestSlabsGrowFar gets a span that is larger than the next slab would be. It checks that the new
// slab is large enough.
func TestSlabsGrowFar(t *testing.T) {
	var s Slabs
	s.Get(MaxSpan)
	if s.Bytes() != MaxSpan || s.Used() != MaxSpan {
		t.Errorf("%d bytes, %d used", s.Bytes(), s.Used())
	}
	s.integrity(t)
}

// TestSlabsAligned checks that the first block of each slab of 8 MiB starts where a huge page can
// begin.
func TestSlabsAligned(t *testing.T) {
	var s Slabs
	large := 0
	for large < 3 {
		s.Get(Size)
		r := s.slabs[len(s.slabs)-1]
		if r.unitCount*Size == maxSlabBytes {
			large++
			if uintptr(r.base)%hugePageBytes != 0 {
				t.Errorf("slab %d begins at %p", len(s.slabs), r.base)
			}
		}
		for s.Used() < s.Bytes() { // until the slab is full
			s.Get(Size)
		}
	}
}

// TestSlabsApart gets and puts spans of all sizes. The spans must not overlap and must keep their
// contents. The count of used bytes must be right, and neighbouring free spans must be merged.
func TestSlabsApart(t *testing.T) {
	var s Slabs
	rng := rand.New(rand.NewPCG(3, 4))
	type held struct {
		sp   Span
		mark byte
	}
	var list []held
	fill := func(h held) {
		for i := range h.sp.Memory() {
			h.sp.Memory()[i] = h.mark
		}
	}
	for step := range 1500 {
		if rng.IntN(5) < 3 {
			bytes := 1 + rng.IntN(maxPieceBytes)
			if rng.IntN(4) == 0 {
				bytes = 1 + rng.IntN(MaxSpan)
			}
			h := held{s.Get(bytes), byte(step)}
			if n := len(h.sp.Memory()); n < bytes || n%64 != 0 || uintptr(h.sp.Pointer())%64 != 0 {
				t.Fatalf("%d bytes are %d at %p", bytes, n, h.sp.Pointer())
			}
			fill(h)
			list = append(list, h)
		} else if len(list) > 0 {
			k := rng.IntN(len(list))
			for i, c := range list[k].sp.Memory() {
				if c != list[k].mark {
					t.Fatalf("step %d: byte %d is %d, want %d", step, i, c, list[k].mark)
				}
			}
			s.Put(list[k].sp)
			list = slices.Delete(list, k, k+1)
		}
		if step%50 == 0 {
			s.integrity(t)
		}
	}
	for _, h := range list {
		s.Put(h.sp)
	}
	s.integrity(t)
	if s.Used() != 0 || s.blockBytes != 0 || s.Bytes() > minFreeBytes {
		t.Errorf("%d bytes used, %d held, %d of slabs after all were put back", s.Used(), s.blockBytes, s.Bytes())
	}
	for range s.Bytes() / Size { // no block is lost
		s.Get(Size)
	}
	if s.Used() != s.Bytes() {
		t.Errorf("%d of %d bytes are in use", s.Used(), s.Bytes())
	}
}

// TestSlabsAreTheSame checks that the same sequence of calls always returns spans at the same
// places, in slabs of the same sizes. So the memory use of a program is the same in each run.
func TestSlabsAreTheSame(t *testing.T) {
	run := func() (log []string) {
		var s Slabs
		rng := rand.New(rand.NewPCG(5, 6))
		var list []Span
		for range 2000 {
			if rng.IntN(9) < 5 || len(list) == 0 {
				sp := s.Get(1 << rng.IntN(19))
				list = append(list, sp)
				log = append(log, fmt.Sprint(sp.firstUnit, sp.unitCount, sp.region.unitCount, sp.region.firstBlock, slices.Index(s.slabs, sp.region), s.Bytes()))
			} else {
				k := rng.IntN(len(list))
				s.Put(list[k])
				list = slices.Delete(list, k, k+1)
			}
		}
		return log
	}
	if !slices.Equal(run(), run()) {
		t.Error("two runs differ")
	}
}

// TestSlabsGiveBack checks that a Slabs in use returns memory to the system. A Slabs may keep only a
// little more than is used, and Trim must keep nothing.
func TestSlabsGiveBack(t *testing.T) {
	var s Slabs
	list := take(&s, 4000, Size, 1)
	most := s.Bytes()
	for i, sp := range list {
		s.Put(sp)
		if i%100 == 99 {
			idle := 0
			for _, r := range s.idleSlabs {
				idle += r.unitCount * Size
			}
			if idle > 0 && s.Bytes()-s.blockBytes > s.blockBytes+minFreeBytes {
				t.Fatalf("%d bytes, %d held, %d idle", s.Bytes(), s.blockBytes, idle)
			}
		}
	}
	s.integrity(t)
	if s.Bytes() > minFreeBytes || s.Bytes() >= most {
		t.Errorf("%d bytes are kept, of %d", s.Bytes(), most)
	}
	s.Trim()
	if s.Bytes() != 0 {
		t.Errorf("%d bytes after Trim", s.Bytes())
	}
	s.Get(64)
	if s.Bytes() != minSlabBytes {
		t.Errorf("%d bytes for the first span after Trim", s.Bytes())
	}
	s.integrity(t)
}

// TestReserve checks that the reserved memory is available at once, and that Reserve does not make
// more memory available.
func TestReserve(t *testing.T) {
	var s Slabs
	s.Reserve(20<<20 + 100)
	want := 20<<20 + Size
	if s.Bytes() != want {
		t.Errorf("%d bytes, want %d", s.Bytes(), want)
	}
	for range want / Size {
		s.Get(Size)
	}
	if s.integrity(t); s.Bytes() != want {
		t.Errorf("%d bytes when all are in use", s.Bytes())
	}
	s.Reserve(Size)
	s.Reserve(Size)
	if s.Bytes() != want+Size {
		t.Errorf("%d bytes, want a block more than %d", s.Bytes(), want)
	}
}

func TestSlabsPanic(t *testing.T) {
	var s, other Slabs
	sp, piece := s.Get(Size), s.Get(100)
	s.Put(sp)
	for want, f := range map[string]func(){
		"chunk: Get: 0 bytes, not 1 to 262144":                                           func() { s.Get(0) },
		"chunk: Get: 262145 bytes, not 1 to 262144":                                      func() { s.Get(MaxSpan + 1) },
		"chunk: Put: the span is the zero Span":                                          func() { s.Put(Span{}) },
		fmt.Sprintf("chunk: Put: the span at %p came from other Slabs", piece.Pointer()): func() { other.Put(piece) },
		fmt.Sprintf("chunk: Put: the span at %p is free already", sp.Pointer()):          func() { s.Put(sp) },
	} {
		if got := panicText(f); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if s.Used() != 128 {
		t.Errorf("%d bytes used, want 128", s.Used())
	}
	s.integrity(t)
}

// panicText returns the text of the panic of f, or "" if f does not panic.
func panicText(f func()) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint(v)
		}
	}()
	f()
	return ""
}

// TestGuard checks that a guarded build detects a write to a free span, and that it hands out spans
// filled with garbage.
func TestGuard(t *testing.T) {
	for _, bytes := range []int{256, Size, 3 * Size} {
		var s Slabs
		keep := s.Get(bytes) // so that the block is not given back
		sp := s.Get(bytes)
		b := sp.Memory()
		clear(b)
		s.Put(sp)
		if !guard {
			if b[0] != 0 || s.Get(bytes) != sp || b[len(b)-1] != 0 {
				t.Error("a span was changed while it was free")
			}
			continue
		}
		if b[0] != 0xDB || b[len(b)-1] != 0xDB {
			t.Errorf("a free span starts with %#x", b[:4])
		}
		b[bytes-9] = 0
		if text := panicText(func() { s.Get(bytes) }); !strings.HasSuffix(text, fmt.Sprintf("was written at byte %d after Put", bytes-9)) {
			t.Errorf("Get of a span in use: %q", text)
		}
		if fresh := s.Get(bytes).Memory(); fresh[0] != 0xDB || fresh[bytes-1] != 0xDB {
			t.Errorf("a new span starts with %#x", fresh[:4])
		}
		runtime.KeepAlive(keep)
	}
}

// TestSlabsDropped checks that memory is freed once neither the Slabs nor a span of it is reachable.
func TestSlabsDropped(t *testing.T) {
	s := new(Slabs)
	var held []weak.Pointer[byte]
	get := func() { held = append(held, weak.Make(unsafe.SliceData(s.Get(Size).Memory()))) }
	for range 4 { // three slabs
		get()
	}
	runtime.GC()
	for i, p := range held {
		if p.Value() == nil {
			t.Errorf("block %d is gone", i)
		}
	}
	runtime.KeepAlive(s)
	one := held[3].Value()
	s = nil
	runtime.GC()
	if held[0].Value() != nil || held[3].Value() != one {
		t.Error("a slab is kept that is not held, or one is gone that is held")
	}
	runtime.KeepAlive(one)
}

func TestSlabsAllocs(t *testing.T) {
	var s Slabs
	for _, bytes := range []int{200, Size, MaxSpan} {
		do := func() {
			a, b := s.Get(bytes), s.Get(bytes)
			s.Put(a)
			s.Put(b)
		}
		do()
		if n := testing.AllocsPerRun(100, do); n != 0 {
			t.Errorf("%v allocations for %d bytes", n, bytes)
		}
	}
}

func BenchmarkGetPut(b *testing.B) {
	for _, bytes := range []int{512, Size, MaxSpan} {
		b.Run(fmt.Sprint(bytes), func(b *testing.B) {
			var s Slabs
			s.Get(bytes)
			b.ReportAllocs()
			for b.Loop() {
				s.Put(s.Get(bytes))
			}
		})
	}
}

// BenchmarkGetNew gets all blocks that a world of a million rows needs, from new slabs.
func BenchmarkGetNew(b *testing.B) {
	const blocks = 1_000_000 / 160
	b.ReportAllocs()
	for b.Loop() {
		var s Slabs
		for range blocks / 16 {
			s.Get(MaxSpan)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/blocks, "ns/block")
}
