package golden

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/lanewise/lanewise/ecs/blob"
	"github.com/lanewise/lanewise/jobs"
)

// route is a blob with every kind of field.
type route struct {
	Name   blob.String
	Length float64
	Ring   bool
	Legs   blob.Array[leg]
	Best   blob.Ptr[leg]
}

type leg struct {
	To    [3]float32
	Signs blob.Array[blob.String]
}

// blobRow builds blobs, and adds the bytes and shapes that files contain. A blob that is read from
// such bytes must have the same bytes again.
func blobRow(t *testing.T, _ *jobs.Pool) uint64 {
	d, s := draw(13), newSum()
	for n := range 40 {
		ref := blob.New(func(b *blob.Builder, r *route) {
			r.Name.Set(b, fmt.Sprint("route ", n))
			r.Length, r.Ring = number[float64](&d), n%2 == 1
			legs := r.Legs.Make(b, n)
			for i := range legs {
				legs[i].To = [3]float32{number[float32](&d), number[float32](&d), float32(i)}
				for k := range legs[i].Signs.Make(b, i%3) {
					legs[i].To[k]++
				}
			}
			if n > 0 {
				r.Best.Set(b, &legs[d.intBelow(n)])
			}
		})
		shape, data, err := blob.Of(ref).Portable()
		ok(t, err)
		again, err := blob.LoadPortable(blob.Of(ref).Type(), shape, data)
		ok(t, err)
		if _, same, err := again.Portable(); err != nil || !bytes.Equal(same, data) {
			t.Errorf("route %d: other bytes the second time, %v", n, err)
		}
		s.Write([]byte(shape))
		s.Write(data)
		ok(t, again.Dispose())
		ok(t, ref.Dispose())
	}
	return s.Sum64()
}
