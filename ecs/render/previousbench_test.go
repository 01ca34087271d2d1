package render

import (
	"fmt"
	"testing"

	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/system/clock"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// walkers are a world of n entities that move at a fixed step of a second, and are drawn
// between two of them.
type walkers struct {
	*stage
	between *system.Instance
	was     previousLanes // n rows, as are the next three
	now     previousLanes
	mid     previousLanes
	out     kernels.Mat4s[float32]
}

func newWalkers(b *testing.B, n, workers int) *walkers {
	w := &walkers{stage: newStage(b, onWorkers(b, workers))}
	w.pen = nil
	w.ok(Install(w.w, Options{Assets: w.assets, Width: 160, Height: 100}))
	system.Find[system.FixedStep](w.w).SetRate(clock.NewCatchUp(1))
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

// advance makes a frame so much later.
func (w *walkers) advance(seconds float64) {
	system.ClockOf(w.w).Advance(seconds)
	w.frame()
}

// kernel is what the kernels take for as many rows that lie one behind the other, chunk
// by chunk.
func (w *walkers) kernel() {
	const rows = 64
	for lo := 0; lo < len(w.out.M); lo += rows {
		hi := min(lo+rows, len(w.out.M))
		cut := func(l *previousLanes) (pos kernels.Vec3s[float32], rot kernels.Quats[float32], scale kernels.Vec3s[float32]) {
			pos, rot, scale = parts(l)
			return pos.Slice(lo, hi), rot.Slice(lo, hi), scale.Slice(lo, hi)
		}
		pos0, rot0, scale0 := cut(&w.was)
		pos1, rot1, scale1 := cut(&w.now)
		pos, rot, scale := parts(&w.mid)
		pos, rot, scale = pos.Slice(0, hi-lo), rot.Slice(0, hi-lo), scale.Slice(0, hi-lo)
		pos.Lerp(&pos0, &pos1, 0.25)
		rot.Nlerp(&rot0, &rot1, 0.25)
		scale.Lerp(&scale0, &scale1, 0.25)
		out := w.out.Slice(lo, hi)
		out.Compose(&pos, &rot, &scale)
	}
}

// interpolate finds where everything is at another time between two steps.
func (w *walkers) interpolate() {
	w.between.System().(*Interpolate).t = -1
	w.ok(w.between.Update())
}

// later is a frame between two steps.
func (w *walkers) later() { w.advance(1e-5) }

// step is a frame with a step.
func (w *walkers) step() { w.advance(1) }

// BenchmarkInterpolate measures things that move at a fixed step, drawn between two of
// them, against the kernels on as many rows.
func BenchmarkInterpolate(b *testing.B) {
	const n = 100_000
	for _, workers := range []int{1, 2} {
		w := newWalkers(b, n, workers)
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			w.advance(0.25)
			rounds(b, n, act{"kernel", w.kernel}, act{"interpolate", w.interpolate}, act{"later", w.later}, act{"step", w.step})
		})
	}
}
