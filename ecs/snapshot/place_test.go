package snapshot

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// Rows whose length is known are written where they are to be; the bytes are those of any other stream. So are those of buffers, which
// are not.
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
				into.Next(9) // and was read
				own, err := Write(into, m, opts...)
				must(t, err)
				if want := append([]byte("there"), stream.Bytes()...); !bytes.Equal(into.Bytes(), want) || own != n {
					t.Errorf("%d workers, %d options: other bytes, %d and %d", workers, len(opts), own, n)
				}
				made, err := newWriter(m, optionsOf("Read", opts))
				must(t, err)
				if _, known := made.sizes(made.batches()); known != (m == flat) {
					t.Errorf("lengths are known: %v", known)
				}
			}
		}
		must(t, pool.Close())
	}
}

// A bytes.Reader is read where it lies, and is at its end then; nothing of it is changed or kept.
func TestReadWhereItLies(t *testing.T) {
	w := newWorld(t, 2)
	for i := range 9_000 {
		must(t, w.SetNameOf(w.Spawn(Place{float32(i), 1, 2}, On{N: int64(i)}), fmt.Sprint("name ", i)))
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
	must(t, m.Release()) // the next image has its memory
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
