package chunk

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unsafe"
	"weak"
)

func TestSlabsGrow(t *testing.T) {
	var s Slabs
	if s.Blocks() != 0 || s.Bytes() != 0 {
		t.Errorf("new: %d blocks, %d bytes", s.Blocks(), s.Bytes())
	}
	seen := map[*Block]bool{}
	get := func() {
		b := s.Get()
		if uintptr(unsafe.Pointer(b))%Size != 0 {
			t.Fatalf("block %d is at %p", s.Blocks(), b)
		}
		if seen[b] {
			t.Fatalf("block %d, %p, was handed out before", s.Blocks(), b)
		}
		seen[b] = true
	}
	// A slab is made when the ones before are used up to the last block.
	bytes, size := 0, 64<<10
	for range 11 {
		get()
		bytes += size
		for used := Size; used < size; used += Size {
			if s.Bytes() != bytes {
				t.Fatalf("%d blocks: %d bytes of slabs, want %d", s.Blocks(), s.Bytes(), bytes)
			}
			get()
		}
		size = min(2*size, 32<<20)
	}
	if want := 64<<20 - 64<<10 + 32<<20; s.Bytes() != want || s.Blocks() != want/Size {
		t.Errorf("%d bytes, %d blocks, want %d, %d", s.Bytes(), s.Blocks(), want, want/Size)
	}
}

// TestSlabsAligned finds the first block of each slab of 2 MiB or more where a huge
// page can begin.
func TestSlabsAligned(t *testing.T) {
	var s Slabs
	for size, at := firstSlab, 0; size <= 4*hugePage; size *= 2 {
		first := uintptr(unsafe.Pointer(s.Get()))
		if size >= hugePage && first%hugePage != 0 {
			t.Errorf("the slab of %d bytes begins at %#x", size, first)
		}
		for at++; at*Size < s.Bytes(); at++ { // the rest of it
			s.Get()
		}
	}
}

// TestSlabsApart writes all of many blocks: none shares a byte with another.
func TestSlabsApart(t *testing.T) {
	var s Slabs
	blocks := make([]*Block, 100)
	for i := range blocks {
		blocks[i] = s.Get()
		for k := range blocks[i] {
			blocks[i][k] = byte(i)
		}
	}
	for i, b := range blocks {
		for k, c := range b {
			if c != byte(i) {
				t.Fatalf("block %d: byte %d is %d", i, k, c)
			}
		}
	}
}

// TestSlabsLast takes back blocks and hands them out again, the last one first,
// before it makes new ones.
func TestSlabsLast(t *testing.T) {
	var s Slabs
	a, b, c := s.Get(), s.Get(), s.Get()
	s.Put(b)
	s.Put(a)
	s.Put(c)
	if s.Blocks() != 0 || s.Bytes() != 64<<10 {
		t.Errorf("%d blocks, %d bytes after all were put back", s.Blocks(), s.Bytes())
	}
	for i, want := range []*Block{c, a, b} {
		if got := s.Get(); got != want {
			t.Errorf("Get %d: %p, want %p", i, got, want)
		}
	}
	if d := s.Get(); d == a || d == b || d == c {
		t.Errorf("%p was handed out twice", d)
	}
	if s.Blocks() != 4 {
		t.Errorf("%d blocks, want 4", s.Blocks())
	}
}

func TestPutPanics(t *testing.T) {
	var s Slabs
	b := s.Get()
	for _, tc := range []struct {
		name string
		b    *Block
		text string
	}{
		{"nil", nil, "chunk: Put: 0x0 is not the address of a block"},
		{"inside", (*Block)(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(b), 64)), Size)),
			fmt.Sprintf("chunk: Put: %#x is not the address of a block", uintptr(unsafe.Pointer(b))+64)},
	} {
		if got := recovered(func() { s.Put(tc.b) }); got != tc.text {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.text)
		}
	}
	if s.Blocks() != 1 {
		t.Errorf("%d blocks, want 1", s.Blocks())
	}
}

// recovered returns the text of the panic of f, "" if there is none.
func recovered(f func()) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint(v)
		}
	}()
	f()
	return ""
}

// TestGuard finds a use of a free block, and a block freed twice, in the build
// that looks for them; blocks are handed out dirty in that build.
func TestGuard(t *testing.T) {
	var s Slabs
	b := s.Get()
	clear(b[:])
	s.Put(b)
	if !guard {
		if b[0] != 0 || s.Get() != b || b[Size-1] != 0 {
			t.Error("a block was changed while it was free")
		}
		return
	}
	if b[0] != 0xDB || b[Size-1] != 0xDB {
		t.Errorf("a free block starts with %#x", b[:4])
	}
	if text := recovered(func() { s.Put(b) }); !strings.HasSuffix(text, "is free already") {
		t.Errorf("Put of a free block: %q", text)
	}
	b[4097] = 0
	if text := recovered(func() { s.Get() }); !strings.HasSuffix(text, "was written at byte 4097 after Put") {
		t.Errorf("Get of a block in use: %q", text)
	}
	if fresh := s.Get(); fresh[0] != 0xDB || fresh[Size-1] != 0xDB {
		t.Errorf("a new block starts with %#x", fresh[:4])
	}
}

// TestSlabsDropped returns the memory when nobody holds the Slabs or a block.
func TestSlabsDropped(t *testing.T) {
	s := new(Slabs)
	var held []weak.Pointer[Block]
	for range 10 { // two slabs
		held = append(held, weak.Make(s.Get()))
	}
	s.Put(held[9].Value())
	one := held[8].Value() // of the second slab

	runtime.GC()
	alive := func(from, to int, want bool) {
		t.Helper()
		for i := from; i < to; i++ {
			if got := held[i].Value() != nil; got != want {
				t.Errorf("block %d is alive: %v, want %v", i, got, want)
			}
		}
	}
	alive(4, 10, true) // the second slab is that of s, and one is in it
	runtime.KeepAlive(s)

	runtime.GC()
	alive(0, 4, false)
	alive(4, 10, true)
	runtime.KeepAlive(one)

	runtime.GC()
	alive(0, 10, false)
}

func TestSlabsAllocs(t *testing.T) {
	var s Slabs
	a, b := s.Get(), s.Get()
	s.Put(a)
	s.Put(b)
	if n := testing.AllocsPerRun(100, func() {
		a, b := s.Get(), s.Get()
		s.Put(a)
		s.Put(b)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkGetPut(b *testing.B) {
	var s Slabs
	b.ReportAllocs()
	for b.Loop() {
		s.Put(s.Get())
	}
}

// BenchmarkGetNew takes all blocks of the slabs of a world of a million rows.
func BenchmarkGetNew(b *testing.B) {
	const blocks = 1_000_000 / 160
	b.ReportAllocs()
	for b.Loop() {
		getNew(blocks)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/blocks, "ns/block")
}

func getNew(n int) {
	var s Slabs
	for range n {
		s.Get()
	}
}
