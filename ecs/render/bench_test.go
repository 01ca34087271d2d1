package render

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// crowd is a world of n entities of 40 looks, scattered so that no chunk is anywhere,
// and a camera that sees a twentieth of them.
type crowd struct {
	*stage
	camera ecs.Entity
	eye    *eye
	all    *ecs.Query
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
	c.all = c.w.Query(ecs.Write[transform.LocalToWorld]())
	for ch := range c.all.Chunks() {
		m := ecs.Column[transform.LocalToWorld](ch).M
		for i := range m {
			m[i][12], m[i][13], m[i][14] = r.Float32()*200-100, r.Float32()*200-100, r.Float32()*200-100
		}
	}
	c.camera = c.w.Spawn(Camera{FOV: 0.77, Near: 1, Far: 200}, transform.LocalToWorld{M: transform.IdentityMatrix[float32]()})
	c.frame()
	c.eye = sceneOf(c.w).eyes[0]
	c.boxes = sceneOf(c.w).slots.rows
	c.mask = make([]uint64, kernels.MaskLen(c.boxes.Len()))
	c.dst = make([][16]float32, n)
	return c
}

// kernel culls all boxes in one go.
func (c *crowd) kernel() { c.boxes.InPlanes(c.mask, c.eye.walls.rows[:c.eye.walls.n]) }

// cull finds what the camera sees, as if it had moved.
func (c *crowd) cull() {
	c.eye.stamp = 0
	_, err := c.eye.cull()
	c.ok(err)
}

// batches is a frame in which the camera has moved, by too little to be seen.
func (c *crowd) batches() {
	c.turn ^= 1
	m := transform.IdentityMatrix[float32]()
	m[14] = float32(c.turn) / 1024
	c.ok(ecs.Set(c.w, c.camera, transform.LocalToWorld{M: m}))
	c.frame()
}

// build is batches, and what is seen gathered.
func (c *crowd) build() {
	c.batches()
	c.ok(ViewsOf(c.w)[0].Gather(c.dst, nil, nil))
}

// moved is a frame in which everything has moved.
func (c *crowd) moved() {
	for ch := range c.all.Chunks() {
		ecs.Column[transform.LocalToWorld](ch)
	}
	c.frame()
}

// An act is something that a benchmark measures beside others.
type act struct {
	name string
	do   func()
}

// rounds does acts in turn, round by round, and reports what the first takes for each of n
// rows, and the others in parts of that: each the least of all rounds, as what others do on
// the machine costs memory as much as time.
func rounds(b *testing.B, n int, acts ...act) {
	b.ReportAllocs()
	least := make([]time.Duration, len(acts))
	for i := range acts {
		acts[i].do()
		least[i] = time.Hour
	}
	for b.Loop() {
		for i := range acts {
			start := time.Now()
			acts[i].do()
			least[i] = min(least[i], time.Since(start))
		}
	}
	unit := float64(least[0])
	b.ReportMetric(unit/float64(n), acts[0].name+"-ns/row")
	for i := range acts[1:] {
		b.ReportMetric(float64(least[i+1])/unit, acts[i+1].name+"/"+acts[0].name)
	}
}

// BenchmarkCrowd measures a million entities, of which a camera sees 5 %, against the
// kernel on as many boxes in a row.
func BenchmarkCrowd(b *testing.B) {
	const n = 1_000_000
	for _, workers := range []int{1, 2} {
		c := newCrowd(b, n, workers)
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			rounds(b, n, act{"kernel", c.kernel}, act{"cull", c.cull}, act{"batches", c.batches}, act{"build", c.build}, act{"moved", c.moved}, act{"still", c.frame})
			b.ReportMetric(float64(ViewsOf(c.w)[0].Seen)/n, "seen")
		})
	}
}
