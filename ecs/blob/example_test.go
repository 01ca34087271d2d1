package blob_test

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/blob"
)

// Track holds the data of a track. All cars on the track share it; it is created
// once and never changes.
type Track struct {
	Name    blob.String
	Length  float32
	Corners blob.Array[Corner]
	Sharp   blob.Ptr[Corner] // the sharpest corner
}

// Corner is a part of a Track and contains an array.
type Corner struct {
	Radius float32
	Line   blob.Array[Waymark]
}

// Waymark is a place on a Track.
type Waymark struct{ X, Y float32 }

// Car is on a track. The reference takes eight bytes, however long the track is.
type Car struct {
	Track blob.Ref[Track]
	Lap   int32
}

func (Car) Column() (c struct{ Track []blob.Ref[Track] }) { return }

func newTrack() blob.Ref[Track] {
	track := blob.New(func(b *blob.Builder, t *Track) {
		t.Name.Set(b, "north loop")
		t.Length = 20.8
		corners := t.Corners.Make(b, 73)
		for i := range corners {
			corners[i].Radius = float32(10 + (i+5)%73)
			line := corners[i].Line.Make(b, 2)
			line[1] = Waymark{X: float32(i)}
		}
		t.Sharp.Set(b, &corners[68])
	})
	return track
}

func ExampleRef() {
	track := newTrack()
	w := ecs.NewWorld("example")
	first := w.Spawn(Car{Track: track})
	w.Instantiate(first, 9)
	for c := range w.Query(ecs.Read[Car]()).Chunks() {
		for _, track := range ecs.Column[Car](c).Track {
			t := track.Get() // a pointer: do not copy the track itself
			if t.Corners.Len() != 73 {
				fmt.Println(t.Name.String())
			}
		}
	}
	car, _ := ecs.Get[Car](w, first)
	fmt.Println(car.Track == track, car.Track.Get().Name.String())

	fmt.Println(track.Dispose(), car.Track.Exists())
	fmt.Println(track.Dispose())
	// Output:
	// true north loop
	// <nil> false
	// blob: Ref.Dispose: the blob was disposed
}

func ExampleNew() {
	track := newTrack()
	defer track.Dispose()
	t := track.Get()
	fmt.Println(t.Name.String(), t.Length, t.Corners.Len())
	fmt.Println(t.Sharp.Get() == t.Corners.At(68), t.Sharp.Get().Radius)
	// Output:
	// north loop 20.8 73
	// true 10
}

// The arrays of a blob depend on their address, so do not copy them: use them in
// the blob.
func ExampleArray() {
	track := newTrack()
	defer track.Dispose()
	corners := track.Get().Corners.Slice()
	length := 0
	for i := range corners {
		length += corners[i].Line.Len() // use the element itself, not a copy of it
	}
	fmt.Println(length)

	corner := corners[3] // a copy
	defer func() { fmt.Println(recover()) }()
	corner.Line.Slice()
	// Output:
	// 146
	// blob: Array.Slice: it was copied out of its blob: use it where it is, by its address
}

func ExampleLoad() {
	track := newTrack()
	data, err := track.Bytes() // to be written to a file
	track.Dispose()

	again, err2 := blob.Load[Track](data)
	fmt.Println(again.Get().Corners.At(72).Line.Slice(), err, err2)
	again.Dispose()

	_, err = blob.Load[Track](data[1:])
	fmt.Println(err)
	// Output:
	// [{0 0} {72 0}] <nil> <nil>
	// blob: Load: these are not the bytes of a blob_test.Track: they do not begin as those of a blob
}
