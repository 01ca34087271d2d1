package regatta

import (
	"fmt"
	"image/color"
	"slices"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/soa"
)

type (
	vecs  = kernels.Vec3s[float32]
	quats = kernels.Quats[float32]
	mats  = kernels.Mat4s[float32]
)

// plain is a fleet in plain Go on flat slices, for comparison. Boat i has hull i, wake i and sails i. It
// calls the same kernels and the same functions for single rows as the world does, but needs no ids,
// look-ups and versions.
type plain struct {
	at    vecs
	rot   quats
	air   Airs
	helm  Helms
	world mats
	chart []color.NRGBA

	lean      []float32
	hull      mats
	sails     [5]plainSail // main, jib, spinnaker; and of the simple boat: sail, spinnaker
	brave     []bool
	wake      mats
	wakeSpeed []float32

	turned     quats // scratch memory for one block: rotations, scales and matrices of children
	zero, size vecs
	local      mats
}

// plainSail is one sail of each boat.
type plainSail struct {
	z      float32 // its place, as seen from its parent
	onHull bool
	Sails
	tint   []color.NRGBA
	hidden []bool
	world  mats
}

// newPlain returns the boats of a world in plain Go.
func newPlain(w *ecs.World) *plain {
	p := &plain{}
	ids := map[ecs.Entity]int{}
	q := w.Query(ecs.Read[Helm](), ecs.Read[Air](), ecs.Read[transform.Translation](), ecs.Read[transform.Rotation]())
	n := q.Count()
	p.at, p.rot, p.world, p.hull, p.wake = soa.Make[vecs](n), soa.Make[quats](n), soa.Make[mats](n), soa.Make[mats](n), soa.Make[mats](n)
	p.air, p.helm, p.chart = soa.Make[Airs](n), soa.Make[Helms](n), make([]color.NRGBA, n)
	p.lean, p.brave, p.wakeSpeed = make([]float32, n), make([]bool, n), make([]float32, n)
	first := 0
	for c := range q.Chunks() {
		h, at, rot, hi := ecs.ReadColumn[Helm](c), ecs.ReadColumn[transform.Translation](c), ecs.ReadColumn[transform.Rotation](c), first+c.Len()
		to := p.helm
		for k, lane := range [][]float32{to.Heading, to.Speed, to.Side, to.Leg, to.Lane, p.at.X, p.at.Y, p.at.Z, p.rot.X, p.rot.Y, p.rot.Z, p.rot.W} {
			copy(lane[first:hi], [][]float32{h.Heading, h.Speed, h.Side, h.Leg, h.Lane, at.X, at.Y, at.Z, rot.X, rot.Y, rot.Z, rot.W}[k])
		}
		for i, e := range c.Entities() {
			ids[e] = first + i
		}
		first = hi
	}
	for k := range p.sails {
		s := &p.sails[k]
		s.Sails, s.tint, s.hidden, s.world = soa.Make[Sails](n), make([]color.NRGBA, n), make([]bool, n), soa.Make[mats](n)
		s.z, s.onHull = [5]float32{mastZ, tack, mastZ, 0, mastZ}[k], k < 3
	}
	eachSail(w, ids, func(kind, boat int, c *ecs.Chunk, i int) {
		from, to := ecs.ReadColumn[Sail](c), &p.sails[kind]
		to.Free[boat], to.Close[boat], to.R[boat], to.G[boat], to.B[boat] = from.Free[i], from.Close[i], from.R[i], from.G[i], from.B[i]
		if kind == 1 {
			p.brave[boat] = ecs.ReadColumn[Foresail](c).Brave[i]
		}
	})
	p.turned, p.zero, p.size, p.local = soa.Make[quats](block), soa.Make[vecs](block), soa.Make[vecs](block), soa.Make[mats](block)
	for _, lane := range [][]float32{p.size.X, p.size.Y, p.size.Z} {
		kernels.Fill(lane, 1)
	}
	return p
}

// eachSail calls a function for each sail of a world, with the sail's index in plain.sails and with
// its boat.
func eachSail(w *ecs.World, boats map[ecs.Entity]int, do func(kind, boat int, c *ecs.Chunk, i int)) {
	levels := func(c *ecs.Chunk, i int) int { return int(ecs.ReadColumn[render.Level](c).Min[i]) }
	seen := map[[2]int]bool{}
	q := w.Query(ecs.Read[Sail](), ecs.Read[Aboard](), ecs.Read[render.Level](), ecs.Optional(ecs.Read[Foresail]()), ecs.Read[render.Tint](), ecs.Read[transform.LocalToWorld](), ecs.IgnoreEnabled())
	defer q.Close()
	for c := range q.Chunks() {
		for i, e := range ecs.ReadColumn[Aboard](c).Boat {
			kind := 3 * levels(c, i)
			if ecs.HasColumn[Foresail](c) {
				kind++
				if kind == 1 && ecs.ReadColumn[Foresail](c).Kite[i] {
					kind = 2
				}
			}
			seen[[2]int{kind, boats[e]}] = true
			do(kind, boats[e], c, i)
		}
	}
	if len(seen) != 5*len(boats) {
		panic(fmt.Sprint(len(seen), " sails of ", len(boats), " boats"))
	}
}

// block is the number of boats in a block. The data of a block stay in the cache while all tasks
// process it.
const block = 256

// step does a frame.
func (p *plain) step(dt, now float32) {
	wind, steer := Wind{time: now}, Steer{dt: dt}
	for lo := 0; lo < len(p.lean); lo += block {
		hi := min(lo+block, len(p.lean))
		at, rot, world, hull := p.at.Slice(lo, hi), p.rot.Slice(lo, hi), p.world.Slice(lo, hi), p.hull.Slice(lo, hi)
		h := Helms{p.helm.Heading[lo:hi], p.helm.Speed[lo:hi], p.helm.Side[lo:hi], p.helm.Leg[lo:hi], p.helm.Lane[lo:hi], p.helm.Across[lo:hi], p.helm.Away[lo:hi]}
		air := Airs{p.air.Swing[lo:hi], p.air.Force[lo:hi], p.air.Ripple[lo:hi], p.air.Phase[lo:hi]}
		wind.blow(&at, &air)
		steer.sail(&h, &air, &at, &rot)
		one := p.size.Slice(0, hi-lo)
		kernels.Fill(one.X, 1)
		kernels.Fill(one.Z, 1)
		world.Compose(&at, &rot, &one)
		for i, l := range h.Leg {
			p.chart[lo+i] = chart[int(l)]
		}
		p.heel(&hull, &world, &h, &air, p.lean[lo:hi])
		for k := range p.sails {
			parent := &world
			if p.sails[k].onHull {
				parent = &hull
			}
			p.sails[k].trim(p, parent, &h, &air, lo, hi)
		}
		p.hoist(&h, lo, hi)
		p.spread(&world, &h, lo, hi)
	}
}

// heel leans the hulls over.
func (p *plain) heel(hull, world *mats, h *Helms, air *Airs, lean []float32) {
	n := len(lean)
	heading, swing, force := h.Heading[:n], air.Swing[:n], air.Force[:n]
	for i := range lean {
		lee, cos := lee(heading[i] - swing[i])
		lean[i] = -float32(lee * force[i] * (0.013 + float32(0.011*cos)))
	}
	rot, zero, one, local := p.turned.Slice(0, n), p.zero.Slice(0, n), p.size.Slice(0, n), p.local.Slice(0, n)
	clear(rot.X)
	clear(rot.Y)
	clear(zero.Z)
	kernels.Sincos(rot.Z, rot.W, lean)
	local.Compose(&zero, &rot, &one)
	hull.MulAffine(world, &local)
}

// trim sets one sail of the boats of a block.
func (s *plainSail) trim(p *plain, parent *mats, h *Helms, air *Airs, lo, hi int) {
	n := hi - lo
	near, far, angle, lit := s.Close[lo:hi], s.Free[lo:hi], s.Angle[lo:hi], s.Lit[lo:hi]
	rot, at, scale, local, world := p.turned.Slice(0, n), p.zero.Slice(0, n), p.size.Slice(0, n), p.local.Slice(0, n), s.world.Slice(lo, hi)
	heading, swing, force, size := h.Heading[:n], air.Swing[:n], air.Force[:n], scale.X[:n]
	for i := range n {
		side, cos := lee(heading[i] - swing[i])
		out := near[i] + float32((far[i]-near[i])*(0.5-float32(0.5*cos)))
		angle[i] = float32(side * out)
		lit[i] = angle[i] - heading[i] - sun
		full := clamp(float32(force[i]/breeze)*clamp(float32((0.95-cos)*6), 1), 1.3)
		size[i] = float32(side * max(full, 0.08))
	}
	clear(rot.X)
	clear(rot.Z)
	kernels.Scale(rot.W, angle, 0.5)
	kernels.Sincos(rot.Y, rot.W, rot.W)
	kernels.Sincos(angle, lit, lit)
	red, green, blue, tint := s.R[lo:hi], s.G[lo:hi], s.B[lo:hi], s.tint[lo:hi]
	for i, cos := range lit {
		light := 0.66 + float32(0.34*max(cos, -cos))
		tint[i] = color.NRGBA{shade(red[i], light), shade(green[i], light*0.98), shade(blue[i], light*0.94), 255}
	}
	kernels.Fill(at.Z, s.z)
	local.Compose(&at, &rot, &scale)
	world.MulAffine(parent, &local)
}

// hoist shows jibs or spinnakers.
func (p *plain) hoist(h *Helms, lo, hi int) {
	leg, heading, brave := h.Leg, h.Heading[:len(h.Leg)], p.brave[lo:hi]
	jib, kite, far := p.sails[1].hidden[lo:hi], p.sails[2].hidden[lo:hi], p.sails[4].hidden[lo:hi]
	for i := range leg {
		free := leg[i] == run && (heading[i] > 2.2 || heading[i] < -2.2) || leg[i] == back && brave[i] && heading[i] > -2 && heading[i] < -1
		jib[i], kite[i], far[i] = free, !free, !free
	}
}

// spread changes the lengths of the wakes.
func (p *plain) spread(world *mats, h *Helms, lo, hi int) {
	n := hi - lo
	copy(p.wakeSpeed[lo:hi], h.Speed)
	rot, zero, size, local, wake := p.turned.Slice(0, n), p.zero.Slice(0, n), p.size.Slice(0, n), p.local.Slice(0, n), p.wake.Slice(lo, hi)
	for _, lane := range [][]float32{rot.X, rot.Y, rot.Z, zero.Z} {
		clear(lane)
	}
	kernels.Fill(rot.W, 1)
	kernels.Fill(size.X, 1)
	kernels.Scale(size.Z, h.Speed, 1.0/5)
	local.Compose(&zero, &rot, &size)
	wake.MulAffine(world, &local)
}

// fleet returns a world with boats, but without scenery and cameras, and a function that plays a
// frame.
func fleet(tb testing.TB, boats, workers int) (*ecs.World, func() float32) {
	pool := jobs.New(jobs.Workers(workers))
	w, err := system.NewWorld("fleet", system.OnPool(pool), system.WithPlugins(transform.Systems()),
		system.Only(system.Of[Wind](), system.Of[Steer](), system.Of[Heel](), system.Of[Trim](), system.Of[Spread](), system.Of[Hoist](), system.Of[Mark]()))
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
	launch(w, render.NewAssets(), boats)
	return w, func() float32 {
		system.ClockOf(w).Advance(Step)
		now := float32(system.ClockOf(w).Now().Elapsed)
		if err := system.Update(w); err != nil {
			tb.Fatal(err)
		}
		return now
	}
}

// TestPlain checks that the boats in plain Go sail as the boats of the world do, bit for bit.
func TestPlain(t *testing.T) {
	w, step := fleet(t, 700, 2)
	p := newPlain(w)
	for range 40 {
		p.step(float32(Step), step())
	}
	boats, row := map[ecs.Entity]int{}, 0
	for c := range w.Query(ecs.Read[Helm](), ecs.Read[transform.LocalToWorld]()).Chunks() {
		m, speed := ecs.ReadColumn[transform.LocalToWorld](c).M, ecs.ReadColumn[Helm](c).Speed
		for i, e := range c.Entities() {
			if m[i] != p.world.M[row] || speed[i] != p.helm.Speed[row] {
				t.Fatalf("boat %d: %v at a speed of %v, in plain Go %v at %v", row, m[i], speed[i], p.world.M[row], p.helm.Speed[row])
			}
			boats[e] = row
			row++
		}
	}
	hidden := 0
	eachSail(w, boats, func(kind, boat int, c *ecs.Chunk, i int) {
		s := &p.sails[kind]
		if got, want := ecs.ReadColumn[transform.LocalToWorld](c).M[i], s.world.M[boat]; got != want {
			t.Fatalf("sail %d of boat %d: %v, in plain Go %v", kind, boat, got, want)
		}
		if got, want := ecs.ReadColumn[render.Tint](c).Color[i], s.tint[boat]; got != want {
			t.Fatalf("sail %d of boat %d has the colour %v, in plain Go %v", kind, boat, got, want)
		}
		if ecs.HasColumn[Foresail](c) {
			is, err := ecs.Enabled[render.Hidden](w, c.Entities()[i])
			if err != nil || is != s.hidden[boat] {
				t.Fatalf("sail %d of boat %d is hidden: %v, in plain Go %v (%v)", kind, boat, is, s.hidden[boat], err)
			}
			if is {
				hidden++
			}
		}
	})
	if hidden == 0 {
		t.Error("no sail is hidden")
	}
	wakes := w.Query(ecs.Read[Wake](), ecs.Read[Aboard](), ecs.Read[transform.LocalToWorld]())
	for c := range wakes.Chunks() {
		m := ecs.ReadColumn[transform.LocalToWorld](c).M
		for i, e := range ecs.ReadColumn[Aboard](c).Boat {
			if want := p.wake.M[boats[e]]; m[i] != want {
				t.Fatalf("the wake of boat %d: %v, in plain Go %v", boats[e], m[i], want)
			}
		}
	}
}

// BenchmarkFrame alternately plays 30 frames of the world and 30 frames in plain Go. The metrics are
// medians of the frames in nanoseconds for each boat, which is eight entities, and their ratio.
func BenchmarkFrame(b *testing.B) {
	for _, n := range []int{1_000, 20_000} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("boats=%d/workers=%d", n, workers), func(b *testing.B) {
				w, step := fleet(b, n, workers)
				p, now := newPlain(w), float32(0)
				var ours, plain []float64
				for b.Loop() {
					for range 30 {
						ours = append(ours, timed(func() { now = step() }))
						plain = append(plain, timed(func() { p.step(float32(Step), now) }))
					}
				}
				slices.Sort(ours)
				slices.Sort(plain)
				m := len(ours) / 2
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(ours[m]/float64(n), "ours-ns")
				b.ReportMetric(plain[m]/float64(n), "plain-ns")
				b.ReportMetric(ours[m]/plain[m], "median-ratio")
				b.ReportMetric(ours[0]/plain[0], "least-ratio")
			})
		}
	}
}

func timed(do func()) float64 {
	start := time.Now()
	do()
	return float64(time.Since(start))
}
