package render

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// crowd is a world of n entities with 40 looks, and a camera that sees 5 % of the entities. The
// entities are scattered so that each chunk is spread over the whole area.
type crowd struct {
	*stage
	camera ecs.Entity
	eye    *cameraView
	all    *ecs.Query
	turn   int
	dst    [][16]float32
	boxes  kernels.Boxes[float32] // of all entities
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
		c.frame() // adds the bounds
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
	c.eye = sceneOf(c.w).cameraViews[0]
	c.boxes = sceneOf(c.w).slots.rowBoxes
	c.mask = make([]uint64, kernels.MaskLen(c.boxes.Len()))
	c.dst = make([][16]float32, n)
	return c
}

// kernel culls all boxes in one call.
func (c *crowd) kernel() {
	c.boxes.InPlanes(c.mask, c.eye.frustum.rowPlanes[:c.eye.frustum.planeCount])
}

// cull culls as if the camera had moved.
func (c *crowd) cull() {
	c.eye.culledBuild = 0
	_, err := c.eye.cull()
	c.ok(err)
}

// batches is a frame in which the camera has moved a tiny distance.
func (c *crowd) batches() {
	c.turn ^= 1
	m := transform.IdentityMatrix[float32]()
	m[14] = float32(c.turn) / 1024
	c.ok(ecs.Set(c.w, c.camera, transform.LocalToWorld{M: m}))
	c.frame()
}

// build makes the batches, and then gathers the visible rows.
func (c *crowd) build() {
	c.batches()
	c.ok(ViewsOf(c.w)[0].Gather(c.dst, nil, nil))
}

// moveAll is a frame in which everything has moved.
func (c *crowd) moveAll() {
	for ch := range c.all.Chunks() {
		ecs.Column[transform.LocalToWorld](ch)
	}
	c.frame()
}

// act is a function that a benchmark measures in turn with others.
type act struct {
	name string
	do   func()
}

// runRounds runs the acts in turn, round by round. runRounds reports the time of the first
// benchmark for each of n rows, and the times of the other benchmarks as multiples of that time.
// Each reported time is the shortest one of all rounds, because other load on the machine slows
// the memory too.
func runRounds(b *testing.B, n int, acts ...act) {
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

// BenchmarkCrowd measures a million entities, of which a camera sees 5 %, relative to the kernel on
// the same number of contiguous boxes.
func BenchmarkCrowd(b *testing.B) {
	const n = 1_000_000
	for _, workers := range []int{1, 2} {
		c := newCrowd(b, n, workers)
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			runRounds(b, n, act{"kernel", c.kernel}, act{"cull", c.cull}, act{"batches", c.batches}, act{"build", c.build}, act{"moved", c.moveAll}, act{"still", c.frame})
			b.ReportMetric(float64(ViewsOf(c.w)[0].Seen)/n, "seen")
		})
	}
}

// fleet creates a world with a camera and n groups of three levels. Each group has one entity for each
// level.
func fleet(b testing.TB, n, workers int) (*stage, *cameraView, ecs.Entity) {
	s := newStage(b, onWorkers(b, workers))
	s.ok(Install(s.w, Options{Assets: s.assets, Width: 160, Height: 100}))
	s.pen = nil
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		place := matrixAt(r.Float32()*200-100, r.Float32()*200-100, r.Float32()*200-100)
		g := s.w.Spawn(Levels{Distances: [8]float32{40, 80, 150}, Hysteresis: 0.1}, place)
		for k := range 3 {
			s.w.Spawn(square, place, Level{Group: g, Min: uint8(k)})
		}
	}
	camera := s.w.Spawn(Camera{FOV: 0.9, Near: 1, Far: 120}, matrixAt(0, 0, 0))
	s.frame()
	return s, sceneOf(s.w).cameraViews[0], camera
}

// The run "frame" measures a whole frame in which the camera has moved. The runs "choose" and "filter"
// measure only the choice and the filtering of the levels. The unit is nanoseconds per group.
func BenchmarkLevels(b *testing.B) {
	const n = 100_000
	for _, workers := range []int{1, 2} {
		s, e, camera := fleet(b, n, workers)
		turn := float32(0)
		step := func() {
			turn = 1 - turn
			s.move(camera, 0, 0, turn)
			s.frame()
		}
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%s/groups=%d/workers=%d", name, n, workers), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/group")
			})
		}
		run("frame", step)
		run("still", s.frame)
		run("choose", func() {
			e.levels.cameraChanged = true
			s.ok(e.levels.chooseLevels(e))
		})
		run("filter", func() {
			e.levels.effectiveChanged = true
			s.ok(e.levels.filterLevelRows(e))
		})
	}
}

// walkers is a world of n entities that move at a fixed step of a second and are drawn between two
// steps.
type walkers struct {
	*stage
	between *system.Instance
	was     previousLanes // n rows, as in the next three
	now     previousLanes
	mid     previousLanes
	out     kernels.Mat4s[float32]
}

func newWalkers(b *testing.B, n, workers int) *walkers {
	w := &walkers{stage: newStage(b, onWorkers(b, workers))}
	w.pen = nil
	w.ok(Install(w.w, Options{Assets: w.assets, Width: 160, Height: 100}))
	system.Find[system.FixedStep](w.w).SetRate(system.CatchUpRate(1))
	m := &walk{}
	w.ok(system.Adopt(w.w, m))
	w.ok(system.GetOrCreate[system.FixedStep](w.w).Add(m))
	w.w.Spawn(Camera{Height: 40})
	model := w.w.Spawn(square, transform.Translation{X: 1}, transform.Identity, transform.LocalToWorld{}, Previous{})
	_, err := w.w.Instantiate(model, n-1)
	w.ok(err)
	for range 3 {
		w.advance(1)
	}
	w.between = system.InstanceOf(w.w, system.Find[Interpolate](w.w))
	lanes := func() (l previousLanes) {
		for _, lane := range []*[]float32{&l.X, &l.Y, &l.Z, &l.QX, &l.QY, &l.QZ, &l.QW, &l.SX, &l.SY, &l.SZ} {
			*lane = make([]float32, n)
			for i := range *lane {
				(*lane)[i] = 1
			}
		}
		return l
	}
	w.was, w.now, w.mid, w.out = lanes(), lanes(), lanes(), kernels.Mat4s[float32]{M: make([][16]float32, n)}
	return w
}

// advance runs a frame after the given time.
func (w *walkers) advance(seconds float64) {
	system.ClockOf(w.w).Advance(seconds)
	w.frame()
}

// kernel calls the kernels for the same number of rows, which are contiguous in memory, in pieces of
// the size of a chunk.
func (w *walkers) kernel() {
	const rows = 64
	for lo := 0; lo < len(w.out.M); lo += rows {
		hi := min(lo+rows, len(w.out.M))
		cut := func(l *previousLanes) (pos kernels.Vec3s[float32], rot kernels.Quats[float32], scale kernels.Vec3s[float32]) {
			pos, rot, scale = kernelLanes(l)
			return pos.Slice(lo, hi), rot.Slice(lo, hi), scale.Slice(lo, hi)
		}
		pos0, rot0, scale0 := cut(&w.was)
		pos1, rot1, scale1 := cut(&w.now)
		pos, rot, scale := kernelLanes(&w.mid)
		pos, rot, scale = pos.Slice(0, hi-lo), rot.Slice(0, hi-lo), scale.Slice(0, hi-lo)
		pos.Lerp(&pos0, &pos1, 0.25)
		rot.Nlerp(&rot0, &rot1, 0.25)
		scale.Lerp(&scale0, &scale1, 0.25)
		out := w.out.Slice(lo, hi)
		out.Compose(&pos, &rot, &scale)
	}
}

// interpolate computes all places at another time between two steps.
func (w *walkers) interpolate() {
	w.between.System().(*Interpolate).lastAlpha = -1
	w.ok(w.between.Update())
}

// advanceLittle is a frame between two steps.
func (w *walkers) advanceLittle() { w.advance(1e-5) }

// step is a frame with a step.
func (w *walkers) step() { w.advance(1) }

// BenchmarkInterpolate measures the interpolation of entities that move at a fixed step and are drawn
// between two steps. The benchmark compares this time with that of the kernels alone on as many rows.
func BenchmarkInterpolate(b *testing.B) {
	const n = 100_000
	for _, workers := range []int{1, 2} {
		w := newWalkers(b, n, workers)
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			w.advance(0.25)
			runRounds(b, n, act{"kernel", w.kernel}, act{"interpolate", w.interpolate}, act{"later", w.advanceLittle}, act{"step", w.step})
		})
	}
}
