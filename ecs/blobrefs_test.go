package ecs

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/lanewise/lanewise/ecs/blob"
)

type (
	// circuit is the content of blobs in tests of worlds; package blob tests larger contents.
	circuit struct {
		Name   blob.String
		Points blob.Array[int32]
	}

	// OnTrack is a component that refers to a blob, between other fields.
	OnTrack struct {
		Lap   int32
		Track blob.Ref[circuit]
		Speed float32
	}
	onlyTrack  struct{ Track blob.Ref[circuit] }
	trackShare struct {
		Shared
		Track blob.Ref[circuit]
	}
)

func (OnTrack) Column() (c struct {
	Lap   []int32
	Track []blob.Ref[circuit]
}) {
	return
}

// newTrack creates a blob whose numbers depend on n.
func newTrack(n int) blob.Ref[circuit] {
	return blob.New(func(b *blob.Builder, t *circuit) {
		t.Name.Set(b, fmt.Sprint("circuit ", n))
		t.Points.Set(b, int32(n), int32(n+1))
	})
}

// checkTrack compares a blob with the number from which it was made.
func checkTrack(t testing.TB, ref blob.Ref[circuit], n int) {
	t.Helper()
	if got := ref.Get(); got.Name.String() != fmt.Sprint("circuit ", n) || *got.Points.At(1) != int32(n+1) {
		t.Errorf("%q at %d", got.Name.String(), n)
	}
}

// TestBlobInComponents copies and moves entities that refer to blobs, and reads the blobs in a job.
func TestBlobInComponents(t *testing.T) {
	src, w := newWorld(t, 2), newWorld(t, 3)
	refs := []blob.Ref[circuit]{newTrack(0), newTrack(1), newTrack(2)}
	for i, ref := range refs {
		e := src.Spawn(OnTrack{Lap: int32(i), Track: ref}, onlyTrack{ref}, trackShare{Track: ref}, BufferOf(Elem{1}))
		_, err := src.Instantiate(e, 99)
		must(t, err)
	}
	must(t, MoveEntities(w, src, nil))
	q := w.Query(Read[OnTrack]())
	h := q.ParallelFor(jobFunc(func(c *Chunk) {
		v := Column[OnTrack](c)
		for i, ref := range v.Track {
			checkTrack(t, ref, int(v.Lap[i]))
		}
	}))
	must(t, h.Wait())
	for e := range w.Entities() {
		n := get[OnTrack](t, w, e).Lap
		if get[OnTrack](t, w, e).Track != refs[n] || get[onlyTrack](t, w, e).Track != refs[n] || get[trackShare](t, w, e).Track != refs[n] {
			t.Errorf("%v refers to another blob", e)
		}
	}
	if n := q.Count(); n != 300 {
		t.Errorf("%d entities", n)
	}
	must(t, refs[1].Dispose()) // the entities stay, with references to a missing blob
	for e := range w.Entities() {
		if v := get[OnTrack](t, w, e); v.Track.Exists() != (v.Lap != 1) {
			t.Errorf("%v: %v", e, v)
		}
	}
	must(t, refs[0].Dispose())
	must(t, refs[2].Dispose())
}

// TestBlobHash checks that the hash of a world does not depend on blobs that were made earlier.
func TestBlobHash(t *testing.T) {
	fill := func() uint64 {
		w, ref := newWorld(t, 1), newTrack(1)
		for i := range 3 {
			w.Spawn(OnTrack{Lap: int32(i), Track: ref}, onlyTrack{ref}, trackShare{Track: ref})
		}
		t.Cleanup(func() { must(t, ref.Dispose()) })
		return w.Hash()
	}
	if a, b := fill(), fill(); a != b {
		t.Errorf("%x and %x", a, b)
	}
}

// boxOf is a generic component.
type boxOf[T any] struct{ V T }

// TestBlobNames checks that a component with a blob in its name keeps the name that files know.
func TestBlobNames(t *testing.T) {
	for typ, want := range map[reflect.Type]string{
		reflect.TypeFor[boxOf[blob.Ref[int32]]]():          "ecs.boxOf[github.com/lanewise/lanewise/ecs.Blob[int32]]",
		reflect.TypeFor[boxOf[[2]blob.Ref[blob.String]]](): "ecs.boxOf[[2]github.com/lanewise/lanewise/ecs.Blob[github.com/lanewise/lanewise/ecs.BlobString]]",
		reflect.TypeFor[blob.Ref[blob.Array[int32]]]():     "ecs.Blob[github.com/lanewise/lanewise/ecs.BlobArray[int32]]",
		reflect.TypeFor[boxOf[blob.Ref[blob.Ptr[int8]]]](): "ecs.boxOf[github.com/lanewise/lanewise/ecs.Blob[github.com/lanewise/lanewise/ecs.BlobPtr[int8]]]",
		reflect.TypeFor[boxOf[int32]]():                    "ecs.boxOf[int32]",
	} {
		if got := fullName(typ); got != "github.com/lanewise/lanewise/"+want {
			t.Errorf("%v is %s, want %s", typ, got, want)
		}
	}
}
