package model

import (
	"math"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
)

// plain simulates the water in plain Go, for comparison. It computes one drop after another. The
// drops are sorted into cells that are as wide as the reach of a drop.
type plain struct {
	factors
	drops       []plainDrop
	cells       [3]int
	first, rows []int32 // the start of each cell in rows, and the drops of the cells
}

type plainDrop struct {
	at, way, acc [3]float32
	rho, p       float32
}

// newPlain returns the water of a model in plain Go.
func newPlain(s *Dam) *plain {
	p := &plain{factors: s.factors}
	for c := range s.drops.Chunks() {
		pos, vel := ecs.ReadColumn[transform.Translation](c), ecs.ReadColumn[Velocity](c)
		for i := range pos.X {
			p.drops = append(p.drops, plainDrop{at: [3]float32{pos.X[i], pos.Y[i], pos.Z[i]}, way: [3]float32{vel.X[i], vel.Y[i], vel.Z[i]}})
		}
	}
	for a, long := range [3]float32{Width, Height, Depth} {
		p.cells[a] = max(1, int(long/p.reach))
	}
	p.first, p.rows = make([]int32, p.cells[0]*p.cells[1]*p.cells[2]+1), make([]int32, len(p.drops))
	return p
}

func (p *plain) cell(at [3]float32) (k [3]int) {
	for a, long := range [3]float32{Width, Height, Depth} {
		k[a] = min(int(at[a]/long*float32(p.cells[a])), p.cells[a]-1)
	}
	return k
}

func (p *plain) number(k [3]int) int { return (k[2]*p.cells[1]+k[1])*p.cells[0] + k[0] }

// sort sorts the drops into cells, by counting.
func (p *plain) sort() {
	clear(p.first)
	for i := range p.drops {
		p.first[p.number(p.cell(p.drops[i].at))]++
	}
	sum := int32(0)
	for c, n := range p.first {
		sum += n
		p.first[c] = sum
	}
	for i := len(p.drops) - 1; i >= 0; i-- {
		c := p.number(p.cell(p.drops[i].at))
		p.first[c]--
		p.rows[p.first[c]] = int32(i)
	}
}

// dropsAround calls do with the drops in the cells around a drop, one line of cells after another.
func (p *plain) dropsAround(d *plainDrop, do func(others []int32)) {
	k := p.cell(d.at)
	for z := max(k[2]-1, 0); z <= min(k[2]+1, p.cells[2]-1); z++ {
		for y := max(k[1]-1, 0); y <= min(k[1]+1, p.cells[1]-1); y++ {
			lo, hi := p.number([3]int{max(k[0]-1, 0), y, z}), p.number([3]int{min(k[0]+1, p.cells[0]-1), y, z})
			do(p.rows[p.first[lo]:p.first[hi+1]])
		}
	}
}

// step does one tick.
func (p *plain) step() {
	p.sort()
	h2 := float32(p.reach * p.reach)
	for i := range p.drops {
		d, sum := &p.drops[i], float32(0)
		p.dropsAround(d, func(others []int32) {
			for _, k := range others {
				o := &p.drops[k]
				dx, dy, dz := d.at[0]-o.at[0], d.at[1]-o.at[1], d.at[2]-o.at[2]
				if r := h2 - ((float32(dx*dx) + float32(dy*dy)) + float32(dz*dz)); r > 0 {
					sum += float32(r * r * r)
				}
			}
		})
		d.rho = sum * p.weigh
		d.p = max(0, p.stiff*(d.rho-p.rho0)) / (d.rho * d.rho)
	}
	for i := range p.drops {
		d := &p.drops[i]
		d.acc = [3]float32{0, -9.81, 0}
		p.dropsAround(d, func(others []int32) { p.press(d, others) })
	}
	gap := p.reach / 4
	for i := range p.drops {
		d := &p.drops[i]
		for a, long := range [3]float32{Width, Height, Depth} {
			d.way[a] += float32(d.acc[a] * p.dt)
			d.at[a], d.way[a] = bounce(d.at[a]+float32(d.way[a]*p.dt), d.way[a], gap, long-gap)
		}
	}
}

func (p *plain) press(d *plainDrop, others []int32) {
	for _, k := range others {
		o := &p.drops[k]
		dx, dy, dz := d.at[0]-o.at[0], d.at[1]-o.at[1], d.at[2]-o.at[2]
		r2 := (float32(dx*dx) + float32(dy*dy)) + float32(dz*dz)
		if r2 >= float32(p.reach*p.reach) {
			continue
		}
		r := float32(math.Sqrt(float64(r2)))
		in := p.reach - r
		f := p.shove * (d.p + o.p) * (in * in * in)
		g := p.drag / o.rho * in
		d.acc[0] += float32(f*dx) + float32(g*(o.way[0]-d.way[0]))
		d.acc[1] += float32(f*dy) + float32(g*(o.way[1]-d.way[1]))
		d.acc[2] += float32(f*dz) + float32(g*(o.way[2]-d.way[2]))
	}
}

// TestPlain checks that the water in plain Go flows as the model's water does. The results differ
// slightly, because the sums have another order.
func TestPlain(t *testing.T) {
	m := &Dam{Drops: 900}
	w, err := m.World()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	p := newPlain(m)
	for tick := range 12 {
		p.step()
		if err := m.Tick(tick); err != nil {
			t.Fatal(err)
		}
	}
	row := 0
	for c := range m.drops.Chunks() {
		vel := ecs.ReadColumn[Velocity](c)
		for i := range vel.X {
			for a, v := range [3]float32{vel.X[i], vel.Y[i], vel.Z[i]} {
				if off := math.Abs(float64(v - p.drops[row].way[a])); !(off < 2e-3) {
					t.Fatalf("drop %d: %v, in plain Go %v", row, v, p.drops[row].way[a])
				}
			}
			row++
		}
	}
}
