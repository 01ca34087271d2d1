package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/snapshot/internal/format"
	"github.com/lanewise/lanewise/jobs"
)

// breaking is a stream that returns its bytes in parts and then fails.
type breaking struct {
	bytes []byte
	err   error
	seen  func() // is called before each read
}

func (s *breaking) Read(b []byte) (int, error) {
	s.seen()
	if len(s.bytes) == 0 {
		return 0, s.err
	}
	n := copy(b[:min(len(b), 8<<10)], s.bytes)
	s.bytes = s.bytes[n:]
	return n, nil
}

// newLoadedWorld returns a world with data of each kind. It also returns a file of a much larger world,
// which contains several batches of frames with many full chunks.
func newLoadedWorld(t *testing.T) (into *ecs.World, file []byte, hash uint64) {
	w := newWorld(t, 2)
	ids := make([]ecs.Entity, 200_000)
	must(t, w.CreateInto(w.Archetype(ecs.With[Place](), ecs.With[On]()), ids))
	for i := range 9 {
		must(t, w.Destroy(ids[i*i]))
		w.Spawn(Name{Text: "n"}, ecs.BufferOf(Item{uint8(i), 2}))
	}
	return newFamilies(t, 1500, 2), bytesOf(t, imageOf(t, w), named), w.Hash()
}

// TestLoadFails lets Load fail with any error, and after any part of the file was read into the
// memory of a world. The world must be unchanged and use the same memory as before. Afterwards
// the program must be able to change the world and to load a file.
//
// Conformance: 337
func TestLoadFails(t *testing.T) {
	into, file, whole := newLoadedWorld(t)
	hash, live, most := into.Hash(), into.Stats().Live, 0
	watched := func(b []byte, err error) io.Reader {
		return &breaking{b, err, func() { most = max(most, into.Stats().Live-live) }}
	}
	after := func(what string, err, want error) {
		t.Helper()
		if !errors.Is(err, want) || into.Hash() != hash || into.Stats().Live != live {
			t.Fatalf("%s: %v, hash %x of %x, %d bytes of %d", what, err, into.Hash(), hash, into.Stats().Live, live)
		}
	}
	step := len(file) / 12
	if *full {
		step = len(file) / 997
	}
	for at := 0; at < len(file); at += step {
		after(fmt.Sprint("EIO at ", at), LoadFrom(into, watched(file[:at], syscall.EIO), named), syscall.EIO)
		after(fmt.Sprint("a cut at ", at), LoadFrom(into, watched(file[:at], io.EOF), named), ErrCorrupt)
		bad := slices.Clone(file)
		bad[at] ^= 1 << (at % 8)
		after(fmt.Sprint("a flip in byte ", at), LoadFrom(into, watched(bad, io.EOF), named), ErrCorrupt)
		after(fmt.Sprint("a flip, where it lies, in byte ", at), LoadFrom(into, bytes.NewReader(bad), named), ErrCorrupt)
	}
	bad := slices.Clone(file)
	bad[len(bad)-5] ^= 1 // of the hash, which is read last
	after("another hash", LoadFrom(into, watched(fixChecksums(bad), io.EOF), named), ErrCorrupt)
	after("EIO at the end", LoadFrom(into, watched(file, syscall.EIO), named), syscall.EIO)
	if most < len(file)/2 {
		t.Errorf("%d bytes were put into the world before something failed, of %d: the test shows little", most, len(file))
	}
	must(t, into.Destroy(into.Spawn(Flag{})))
	must(t, LoadFrom(into, bytes.NewReader(file), named))
	if into.Hash() != whole {
		t.Error("a load after all that has another hash")
	}
}

// TestLoadClaims checks that Load allocates no memory of a world for chunks and rows that a file claims
// but does not contain.
//
// Conformance: 338
func TestLoadClaims(t *testing.T) {
	into, file, _ := newLoadedWorld(t)
	hash, live := into.Hash(), into.Stats().Live
	const most = framesPerBatch*rowsFrameBytes + 1<<20 // the memory of the frames that were complete
	rows := 16
	for binary.LittleEndian.Uint32(file[rows:]) != format.KindRows {
		rows += 12 + int(binary.LittleEndian.Uint64(file[rows+4:])) + 4
	}
	for _, claim := range []struct {
		name      string
		at, bytes int
	}{{"chunks", 20, 4}, {"rows", 24, 4}, {"bytes of a chunk", 24 + chunkHeadBytes + 8*2 - 8, 8}} {
		for _, n := range []uint64{1<<31 - 1, 1<<32 - 1, 1 << 60} {
			bad := slices.Clone(file)
			copy(bad[rows+claim.at:][:claim.bytes], binary.LittleEndian.AppendUint64(nil, n))
			fixChecksums(bad)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := LoadFrom(into, bytes.NewReader(bad), named)
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, ErrCorrupt) || used > most || into.Stats().Live != live || into.Hash() != hash {
				t.Errorf("%#x %s: %d bytes, %v", n, claim.name, used, err)
			}
		}
	}
}

// Rows of known length are encoded in place. The bytes are the same as for any other stream. The test
// also covers buffers, whose length is not known in advance.
func TestWriteInPlace(t *testing.T) {
	w := newWorld(t, 2)
	for i := range 9_000 {
		e := w.Spawn(Place{float32(i), 1, 2}, Mixed{B: i%2 == 0}, Ref{}, Team{N: int32(i % 3)}, On{N: int64(i)}, Flag{})
		if i%3 == 0 {
			must(t, ecs.SetEnabled[On](w, e, false))
		}
	}
	flat := imageOf(t, w)
	w.Spawn(Place{}, ecs.BufferOf(make([]Item, 50)...))
	long := imageOf(t, w)
	for _, workers := range []int{1, 2, 3} {
		pool := jobs.New(jobs.Workers(workers))
		for _, m := range []*ecs.Image{flat, long} {
			for _, opts := range [][]Option{{OnPool(pool)}, {OnPool(pool), Skip[Mixed](), Skip[On]()}} {
				var stream bytes.Buffer
				n, err := Write(struct{ io.Writer }{&stream}, m, opts...)
				must(t, err)
				into := bytes.NewBufferString("what was there")
				into.Next(9) // it was read
				own, err := Write(into, m, opts...)
				must(t, err)
				if want := append([]byte("there"), stream.Bytes()...); !bytes.Equal(into.Bytes(), want) || own != n {
					t.Errorf("%d workers, %d options: other bytes, %d and %d", workers, len(opts), own, n)
				}
				made, err := newWriter(m, optionsOf("Read", opts))
				must(t, err)
				if _, known := made.sizeFrames(made.planFrames()); known != (m == flat) {
					t.Errorf("lengths are known: %v", known)
				}
			}
		}
		must(t, pool.Close())
	}
}

// A bytes.Reader is decoded in place, and is at its end afterwards. Read neither changes nor keeps the
// bytes of the reader.
func TestReadWhereItLies(t *testing.T) {
	w := newWorld(t, 2)
	for i := range 9_000 {
		must(t, w.SetEntityName(w.Spawn(Place{float32(i), 1, 2}, On{N: int64(i)}), fmt.Sprint("name ", i)))
	}
	b := bytesOf(t, imageOf(t, w))
	file := append([]byte("head"), b...)
	from := bytes.NewReader(file)
	_, err := from.Seek(4, io.SeekStart)
	must(t, err)
	m, err := Read(from)
	must(t, err)
	if from.Len() != 0 || !bytes.Equal(file[4:], b) {
		t.Errorf("%d bytes are left, or changed", from.Len())
	}
	clear(file)
	if again := bytesOf(t, m); !bytes.Equal(again, b) {
		t.Error("the image has changed with the file")
	}
	must(t, m.Release()) // the next image reuses its memory
	for range 2 {
		m, err := Read(struct{ io.Reader }{bytes.NewReader(b)})
		must(t, err)
		if again := bytesOf(t, m); !bytes.Equal(again, b) || m.Hash() != w.Hash() {
			t.Error("an image with memory of another one is not what was read")
		}
		must(t, m.Release())
	}
	if m, err := Read(bytes.NewReader(slices.Concat(b, b[:1]))); err == nil || m != nil {
		t.Errorf("a byte more is read: %v", err)
	}
	if m, err := Read(bytes.NewReader(nil)); err == nil || m != nil {
		t.Errorf("nothing is read: %v", err)
	}
}
