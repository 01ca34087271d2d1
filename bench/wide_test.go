package bench

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/soa"
)

// In the scenario Wide, entities have ten vectors, and five movements change them. A chunk holds 128
// such rows, so that each lane of a chunk is 512 bytes.

type (
	at0 struct{ X, Y, Z float32 }
	at1 struct{ X, Y, Z float32 }
	at2 struct{ X, Y, Z float32 }
	at3 struct{ X, Y, Z float32 }
	at4 struct{ X, Y, Z float32 }
	by0 struct{ X, Y, Z float32 }
	by1 struct{ X, Y, Z float32 }
	by2 struct{ X, Y, Z float32 }
	by3 struct{ X, Y, Z float32 }
	by4 struct{ X, Y, Z float32 }
)

type vecs = kernels.Vec3s[float32]

func (at0) Column() (c vecs) { return }
func (at1) Column() (c vecs) { return }
func (at2) Column() (c vecs) { return }
func (at3) Column() (c vecs) { return }
func (at4) Column() (c vecs) { return }
func (by0) Column() (c vecs) { return }
func (by1) Column() (c vecs) { return }
func (by2) Column() (c vecs) { return }
func (by3) Column() (c vecs) { return }
func (by4) Column() (c vecs) { return }

// wideMoves is the job and the loop over chunks. Its field move is a kernel or a loop.
type wideMoves struct {
	rows *ecs.Query
	move func(pos, vel *vecs, dt float32)
}

func (m *wideMoves) Chunk(c *ecs.Chunk) {
	m.move(ecs.Column[at0](c), ecs.Column[by0](c), dt)
	m.move(ecs.Column[at1](c), ecs.Column[by1](c), dt)
	m.move(ecs.Column[at2](c), ecs.Column[by2](c), dt)
	m.move(ecs.Column[at3](c), ecs.Column[by3](c), dt)
	m.move(ecs.Column[at4](c), ecs.Column[by4](c), dt)
}

func (m *wideMoves) Run(c *ecs.Chunk) { m.Chunk(c) }

func (m *wideMoves) result() (all []float32) {
	for c := range m.rows.Chunks() {
		for _, v := range []*vecs{ecs.ReadColumn[at0](c), ecs.ReadColumn[at4](c)} {
			all = append(all, v.X...)
		}
	}
	return all
}

// moveReadingFirst reads all lanes of a row before it writes one.
func moveReadingFirst(pos, vel *vecs, dt float32) {
	n := len(pos.X)
	x, y, z := pos.X, pos.Y[:n], pos.Z[:n]
	vx, vy, vz := vel.X[:n], vel.Y[:n], vel.Z[:n]
	for i := range n {
		x[i], y[i], z[i] = x[i]+float32(vx[i]*dt), y[i]+float32(vy[i]*dt), z[i]+float32(vz[i]*dt)
	}
}

func moveByKernel(pos, vel *vecs, dt float32) { pos.AddScaled(pos, vel, dt) }

func wideWorld(tb testing.TB, rows, workers int, move func(pos, vel *vecs, dt float32)) *wideMoves {
	w := newWorld(tb, workers)
	a := w.Archetype(ecs.With[at0](), ecs.With[at1](), ecs.With[at2](), ecs.With[at3](), ecs.With[at4](),
		ecs.With[by0](), ecs.With[by1](), ecs.With[by2](), ecs.With[by3](), ecs.With[by4]())
	for c := range w.Create(a, rows).Chunks() {
		for k, v := range []*vecs{ecs.Column[by0](c), ecs.Column[by1](c), ecs.Column[by2](c), ecs.Column[by3](c), ecs.Column[by4](c)} {
			kernels.Fill(v.X, float32(k+1))
			kernels.Fill(v.Y, 1)
			kernels.Fill(v.Z, 1)
		}
	}
	return &wideMoves{w.Query(ecs.Write[at0](), ecs.Write[at1](), ecs.Write[at2](), ecs.Write[at3](), ecs.Write[at4](),
		ecs.Read[by0](), ecs.Read[by1](), ecs.Read[by2](), ecs.Read[by3](), ecs.Read[by4]()), move}
}

// wideSides lists the ways to do the step. The name of a side tells which code calls the move, and
// whether the move is a kernel or a loop.
func wideSides(tb testing.TB, rows int) map[string]work {
	sides := map[string]work{}
	for name, move := range wideMovesBy {
		m := wideWorld(tb, rows, 1, move)
		sides["chunks/"+name] = work{func() {
			for c := range m.rows.Chunks() {
				m.Chunk(c)
			}
		}, m.result}
		j := wideWorld(tb, rows, 1, move)
		sides["jobs of chunks/"+name] = work{func() { finish(tb, j.rows.ParallelFor(j)) }, j.result}
		r := wideWorld(tb, rows, 1, move)
		sides["jobs of spans/"+name] = work{func() { finish(tb, r.rows.ParallelForSpans(r)) }, r.result}
		var pos, vel [5]vecs
		for k := range pos {
			pos[k], vel[k] = soa.Make[vecs](rows), soa.Make[vecs](rows)
			kernels.Fill(vel[k].X, float32(k+1))
			kernels.Fill(vel[k].Y, 1)
			kernels.Fill(vel[k].Z, 1)
		}
		sides["flat slices/"+name] = work{func() {
			for k := range pos {
				move(&pos[k], &vel[k], dt)
			}
		}, nil}
	}
	return sides
}

var wideMovesBy = map[string]func(pos, vel *vecs, dt float32){"kernel": moveByKernel, "loop": plainIntegrate, "loop that reads first": moveReadingFirst}

// wideOrder lists the ways in an order that is the same in each run.
func wideOrder() (names []string) {
	for _, move := range []string{"kernel", "loop", "loop that reads first"} {
		for _, caller := range []string{"flat slices", "chunks", "jobs of chunks", "jobs of spans"} {
			names = append(names, caller+"/"+move)
		}
	}
	return names
}

// BenchmarkWide reports the time of a row for each way. It reports the least time, because one step is
// short, and other work on the machine can only make it longer. The ways take turns.
func BenchmarkWide(b *testing.B) {
	for _, rows := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			sides := wideSides(b, rows)
			least := map[string]shortest{}
			for b.Loop() {
				for _, name := range wideOrder() {
					step := sides[name].step
					step() // the way before has emptied the caches
					s := least[name]
					for start := time.Now(); time.Since(start) < time.Millisecond; {
						s.of(step)
					}
					least[name] = s
				}
			}
			b.ReportMetric(0, "ns/op")
			for _, name := range wideOrder() {
				b.ReportMetric(float64(least[name])/float64(rows), strings.ReplaceAll(name, " ", "-")+"-ns")
			}
		})
	}
}

func TestWideSidesAgree(t *testing.T) {
	sides := wideSides(t, 2500)
	for range 3 {
		for _, name := range wideOrder() {
			sides[name].step()
		}
	}
	want := sides["chunks/kernel"].result()
	for _, name := range wideOrder() {
		if got := sides[name].result; got != nil {
			for i, v := range got() {
				if v != want[i] || v == 0 {
					t.Fatalf("%s: number %d is %v, want %v", name, i, v, want[i])
				}
			}
		}
	}
}
