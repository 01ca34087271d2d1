package render

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// crowd is a world of n entities of 40 looks, scattered so that no chunk is anywhere,
// and a camera that sees a twentieth of them.
type crowd struct {
	*stage
	camera ecs.Entity
	eye    *eye
	turn   int
	dst    [][16]float32
	boxes  kernels.Boxes[float32] // of all
	mask   []uint64
}

func newCrowd(b testing.TB, n, workers int) *crowd {
	c := &crowd{stage: newStage(b, onWorkers(b, workers))}
	c.pen = nil
	c.ok(Install(c.w, Options{Assets: c.assets, Width: 160, Height: 100}))
	for k := range 40 {
		name := fmt.Sprint("shape ", k)
		c.assets.Shape(Shape{Name: name, Positions: [][3]float32{{-1, -1, -1}, {1, 1, 1}}, Kind: Lines})
		model := c.w.Spawn(Look{Shape: ShapeNamed(name), Material: square.Material, Layer: int32(k % 3)}, transform.LocalToWorld{M: transform.IdentityMatrix[float32]()})
		c.frame() // which gives it bounds
		_, err := c.w.Instantiate(model, n/40-1)
		c.ok(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	q := c.w.Query(ecs.Write[transform.LocalToWorld]())
	for ch := range q.Chunks() {
		m := ecs.Column[transform.LocalToWorld](ch).M
		for i := range m {
			m[i][12], m[i][13], m[i][14] = r.Float32()*200-100, r.Float32()*200-100, r.Float32()*200-100
		}
	}
	c.camera = c.w.Spawn(Camera{FOV: 0.9, Near: 1, Far: 120}, transform.LocalToWorld{M: transform.IdentityMatrix[float32]()})
	c.frame()
	c.eye = sceneOf(c.w).eyes[0]
	c.boxes = sceneOf(c.w).slots.rows
	c.mask = make([]uint64, kernels.MaskLen(c.boxes.Len()))
	c.dst = make([][16]float32, n)
	return c
}

// kernel culls all boxes in one go.
func (c *crowd) kernel() { c.boxes.InPlanes(c.mask, c.eye.walls.rows[:c.eye.walls.n]) }

// cull culls through the slots alone.
func (c *crowd) cull() {
	c.eye.stamp = 0
	_, err := c.eye.cull()
	c.ok(err)
}

// step moves the camera by nothing that anybody would see, so that all is to be done.
func (c *crowd) step() {
	c.turn ^= 1
	m := transform.IdentityMatrix[float32]()
	m[14] = float32(c.turn) / 1024
	c.ok(ecs.Set(c.w, c.camera, transform.LocalToWorld{M: m}))
	c.frame()
}

// build is a frame in which the camera has moved, with all that is seen gathered.
func (c *crowd) build() {
	c.step()
	c.gather()
}

func (c *crowd) gather() {
	c.ok(ViewsOf(c.w)[0].Gather(c.dst, nil))
}

func (c *crowd) still() { c.frame() }

// BenchmarkCrowd measures a million entities, of which a camera sees 5 %, against the
// kernel on as many boxes in a row.
func BenchmarkCrowd(b *testing.B) {
	const n = 1_000_000
	for _, workers := range []int{1, 2} {
		c := newCrowd(b, n, workers)
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%s/workers=%d", name, workers), func(b *testing.B) {
				b.ReportAllocs()
				f()
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
			})
		}
		if workers == 1 {
			b.Logf("%d of %d seen in %d chunks", ViewsOf(c.w)[0].Seen, n, len(sceneOf(c.w).slots.list))
			run("kernel", c.kernel)
		}
		run("cull", c.cull)
		run("step", c.step)
		run("build", c.build)
		run("still", c.still)
		_ = system.Update
	}
}
