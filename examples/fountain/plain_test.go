package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// plain simulates the sparks in plain Go on flat slices, for comparison.
type plain struct {
	x, y, z, vx, vy, vz, qx, qy, qz, qw, sx, sy, sz []float32
	world                                           [][16]float32
	kernels                                         bool // call the kernels of this library instead of loops
}

// newPlain returns the current sparks in plain Go.
func newPlain(w *ecs.World) *plain {
	p := &plain{}
	q := w.Query(ecs.Read[transform.Translation](), ecs.Read[Velocity](), ecs.Read[transform.Rotation](), ecs.Read[Spin](), ecs.Read[transform.LocalToWorld]())
	for c := range q.Chunks() {
		at, vel, rot, spin := ecs.ReadColumn[transform.Translation](c), ecs.ReadColumn[Velocity](c), ecs.ReadColumn[transform.Rotation](c), ecs.ReadColumn[Spin](c)
		p.x, p.y, p.z = append(p.x, at.X...), append(p.y, at.Y...), append(p.z, at.Z...)
		p.vx, p.vy, p.vz = append(p.vx, vel.X...), append(p.vy, vel.Y...), append(p.vz, vel.Z...)
		p.qx, p.qy, p.qz, p.qw = append(p.qx, rot.X...), append(p.qy, rot.Y...), append(p.qz, rot.Z...), append(p.qw, rot.W...)
		p.sx, p.sy, p.sz = append(p.sx, spin.X...), append(p.sy, spin.Y...), append(p.sz, spin.Z...)
		p.world = append(p.world, ecs.ReadColumn[transform.LocalToWorld](c).M...)
	}
	for i := range p.world {
		p.world[i][15] = 1
	}
	return p
}

// step does a frame. It processes the sparks in blocks that stay in the cache, and has one loop for
// each task. One loop over all fourteen slices would need more registers for their addresses than the
// CPU has.
func (p *plain) step(dt float32) {
	const block = 512
	low := false
	for lo := 0; lo < len(p.x); lo += block {
		hi := min(lo+block, len(p.x))
		if p.kernels {
			low = p.callKernels(lo, hi, dt) || low
			continue
		}
		p.turn(lo, hi, dt)
		low = p.fall(lo, hi, dt) || low
		p.compose(lo, hi)
	}
	if low {
		p.removeLow()
	}
}

// callKernels does a frame with the kernels of this library, and reports whether a spark is below the
// ground.
func (p *plain) callKernels(lo, hi int, dt float32) (low bool) {
	at := kernels.Vec3s[float32]{X: p.x[lo:hi], Y: p.y[lo:hi], Z: p.z[lo:hi]}
	vel := kernels.Vec3s[float32]{X: p.vx[lo:hi], Y: p.vy[lo:hi], Z: p.vz[lo:hi]}
	rot := kernels.Quats[float32]{X: p.qx[lo:hi], Y: p.qy[lo:hi], Z: p.qz[lo:hi], W: p.qw[lo:hi]}
	rot.Integrate(&rot, &kernels.Vec3s[float32]{X: p.sx[lo:hi], Y: p.sy[lo:hi], Z: p.sz[lo:hi]}, dt)
	up, fall := vel.Y, float32(9.81*dt)
	for i := range up {
		up[i] -= fall
	}
	at.AddScaled(&at, &vel, dt)
	world := kernels.Mat4s[float32]{M: p.world[lo:hi]}
	world.Compose(&at, &rot, nil)
	return kernels.Min(at.Y) < 0
}

// turn turns the sparks.
func (p *plain) turn(lo, hi int, dt float32) {
	qx, qy, qz, qw := p.qx[lo:hi], p.qy[lo:hi], p.qz[lo:hi], p.qw[lo:hi]
	sx, sy, sz, half := p.sx[lo:hi], p.sy[lo:hi], p.sz[lo:hi], float32(0.5*dt)
	for i := range qx {
		x, y, z := float32(sx[i]*half), float32(sy[i]*half), float32(sz[i]*half)
		a, b, c, d := qx[i], qy[i], qz[i], qw[i]
		e := a + ((float32(x*d) + float32(y*c)) - float32(z*b))
		f := b + ((float32(y*d) + float32(z*a)) - float32(x*c))
		g := c + ((float32(z*d) + float32(x*b)) - float32(y*a))
		h := d - ((float32(x*a) + float32(y*b)) + float32(z*c))
		r := 1 / float32(math.Sqrt(float64(((float32(e*e)+float32(f*f))+float32(g*g))+float32(h*h))))
		qx[i], qy[i], qz[i], qw[i] = e*r, f*r, g*r, h*r
	}
}

// fall moves the sparks, and reports whether one of them is below the ground.
func (p *plain) fall(lo, hi int, dt float32) (low bool) {
	x, y, z := p.x[lo:hi], p.y[lo:hi], p.z[lo:hi]
	vx, vy, vz, fall := p.vx[lo:hi], p.vy[lo:hi], p.vz[lo:hi], float32(9.81*dt)
	least := float32(0)
	for i := range x {
		v := vy[i] - fall
		px, py, pz := x[i]+float32(vx[i]*dt), y[i]+float32(v*dt), z[i]+float32(vz[i]*dt)
		vy[i], x[i], y[i], z[i] = v, px, py, pz
		if py < least {
			least = py
		}
	}
	return least < 0
}

// compose computes the matrices.
func (p *plain) compose(lo, hi int) {
	px, py, pz, world := p.x[lo:hi], p.y[lo:hi], p.z[lo:hi], p.world[lo:hi]
	qx, qy, qz, qw := p.qx[lo:hi], p.qy[lo:hi], p.qz[lo:hi], p.qw[lo:hi]
	for i := range world {
		x, y, z, w := qx[i], qy[i], qz[i], qw[i]
		x2, y2, z2 := x+x, y+y, z+z
		xx, xy, xz := float32(x*x2), float32(x*y2), float32(x*z2)
		yy, yz, zz := float32(y*y2), float32(y*z2), float32(z*z2)
		wx, wy, wz := float32(w*x2), float32(w*y2), float32(w*z2)
		m := &world[i] // the other four numbers are those of the identity
		m[0] = 1 - (yy + zz)
		m[1] = xy + wz
		m[2] = xz - wy
		m[4] = xy - wz
		m[5] = 1 - (xx + zz)
		m[6] = yz + wx
		m[8] = xz + wy
		m[9] = yz - wx
		m[10] = 1 - (xx + yy)
		m[12] = px[i]
		m[13] = py[i]
		m[14] = pz[i]
	}
}

// removeLow removes the sparks below the ground. The last spark takes the place of a removed spark.
func (p *plain) removeLow() {
	lanes := []*[]float32{&p.x, &p.y, &p.z, &p.vx, &p.vy, &p.vz, &p.qx, &p.qy, &p.qz, &p.qw, &p.sx, &p.sy, &p.sz}
	n := len(p.x)
	for i := n - 1; i >= 0; i-- {
		if p.y[i] < 0 {
			n--
			for _, l := range lanes {
				(*l)[i] = (*l)[n]
			}
			p.world[i] = p.world[n]
		}
	}
	for _, l := range lanes {
		*l = (*l)[:n]
	}
	p.world = p.world[:n]
}

// frame is the length of a frame in seconds.
const frame = 1.0 / 60

// fountain returns a world with sparks, and a function that plays one frame of it.
func fountain(tb testing.TB, sparks, workers int) (*ecs.World, func()) {
	pool := jobs.New(jobs.Workers(workers))
	w, err := system.NewWorld("fountain", system.Only(system.Of[Turn](), system.Of[Fly]()), system.WithPlugins(transform.Systems()), system.OnPool(pool))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := w.Close(); err != nil {
			tb.Error(err)
		}
		if err := pool.Close(); err != nil {
			tb.Error(err)
		}
	})
	throw(w, sparks)
	return w, func() {
		system.ClockOf(w).Advance(frame)
		if err := system.Update(w); err != nil {
			tb.Fatal(err)
		}
	}
}

// TestPlain checks that the sparks on flat slices fly like the sparks of the world, bit for bit, and land
// at the same time. The order of the sparks differs.
func TestPlain(t *testing.T) {
	w, step := fountain(t, 3_000, 2)
	loops, calls := newPlain(w), newPlain(w)
	calls.kernels = true
	for range 75 {
		step()
		loops.step(frame)
		calls.step(frame)
	}
	order := func(a, b [16]float32) int { return cmp.Or(cmp.Compare(a[12], b[12]), cmp.Compare(a[14], b[14])) }
	for _, p := range []*plain{loops, calls} {
		got, want := newPlain(w).world, p.world
		if len(got) != len(want) || len(got) == 3_000 || len(got) == 0 {
			t.Fatalf("%d sparks fly, on flat slices %d, and at first 3000", len(got), len(want))
		}
		slices.SortFunc(got, order)
		slices.SortFunc(want, order)
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("spark %d: %v, on flat slices %v", i, got[i], want[i])
			}
		}
	}
}

// BenchmarkFrame plays 60 frames of three programs in turn, and repeats this: the world, loops on flat
// slices, and kernels on flat slices. All of them begin with the same sparks. The time of a frame is the
// least time among the repetitions, because other programs on the machine can only make it longer. The
// metrics are the mean time of the 60 frames, in nanoseconds for each spark at the beginning, and the
// ratios of our time to the times of the other two programs.
func BenchmarkFrame(b *testing.B) {
	const frames = 60
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("sparks=%d/workers=%d", n, workers), func(b *testing.B) {
				var least [frames][3]float64
				for b.Loop() {
					w, step := fountain(b, n, workers)
					loops, calls := newPlain(w), newPlain(w)
					calls.kernels = true
					for k := range least {
						for i, do := range []func(){step, func() { loops.step(frame) }, func() { calls.step(frame) }} {
							if took := timed(do); least[k][i] == 0 || took < least[k][i] {
								least[k][i] = took
							}
						}
					}
				}
				var ours, plain, bare float64
				for _, f := range least {
					ours, plain, bare = ours+f[0], plain+f[1], bare+f[2]
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(ours/float64(frames*n), "ours-ns")
				b.ReportMetric(plain/float64(frames*n), "plain-ns")
				b.ReportMetric(bare/float64(frames*n), "kernels-ns")
				b.ReportMetric(ours/plain, "to-plain")
				b.ReportMetric(ours/bare, "to-kernels")
			})
		}
	}
}

func timed(do func()) float64 {
	start := time.Now()
	do()
	return float64(time.Since(start))
}
