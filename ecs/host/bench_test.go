package host

import (
	"fmt"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// newPeerWorld creates a world of n entities with the given tag, each with an
// object.
func newPeerWorld(b *testing.B, n int, tag any) (*ecs.World, []*thing[float32], *ecs.Query) {
	w := newWorld(b)
	var objects []*thing[float32]
	for i := range n {
		objects = append(objects, newThing(float32(i)))
		check(b, Bind(w, w.Spawn(tag, transform.LocalToWorld{}), Object(objects[i])))
	}
	return w, objects, w.Query(ecs.Write[transform.LocalToWorld]())
}

// runFrames updates a world b.N times. It calls move before each update.
func runFrames(b *testing.B, n int, w *ecs.World, move func()) {
	frame := func() {
		move()
		check(b, system.Update(w))
	}
	b.ReportAllocs()
	for b.Loop() {
		frame()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/object")
}

func BenchmarkCopyFrom(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			w, objects, _ := newPeerWorld(b, n, CopyTransformFrom{})
			runFrames(b, n, w, func() {
				for _, o := range objects {
					o.m[12]++
				}
			})
		})
	}
}

func BenchmarkCopyTo(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			w, _, all := newPeerWorld(b, n, CopyTransformTo{})
			runFrames(b, n, w, func() {
				for c := range all.Chunks() {
					ecs.Column[transform.LocalToWorld](c).M[0][12]++
				}
			})
		})
	}
}
