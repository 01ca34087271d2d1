package model

import (
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
)

// plain simulates the flock in plain Go, one bird after another, for comparison.
type plain struct {
	grid
	at, way, next lanes
	view          float32
	noise, pace   float32
	key           random.Key
}

// step does one tick.
func (p *plain) step() {
	p.sort(p.at)
	for row := range p.at.X {
		x, y := p.sumAround(row, p.at, p.way, p.view)
		nx, ny := random.Direction2Of[float32](p.key.Row(uint64(row)))
		x, y = unit(x, y)
		p.next.X[row], p.next.Y[row] = unit(x+float32(p.noise*nx), y+float32(p.noise*ny))
	}
	p.way, p.next = p.next, p.way
	for row := range p.at.X {
		p.at.X[row] = wrap(p.at.X[row]+float32(p.pace*p.way.X[row]), p.side)
		p.at.Y[row] = wrap(p.at.Y[row]+float32(p.pace*p.way.Y[row]), p.side)
	}
}

// grid stores which bird is in which cell of the square. A cell is at least as wide as the distance
// that a bird sees. So all birds that a bird sees are in its cell or in one of the eight cells around
// this cell.
type grid struct {
	cells int     // per side
	side  float32 // of a cell
	first []int32 // start of each cell in rows, with one more entry at the end
	rows  []int32 // birds, cell by cell, in the order of their rows
	of    []int32 // the cell of each bird
}

// sort sorts the birds into cells, by counting.
func (g *grid) sort(at kernels.Vec2s[float32]) {
	n := len(at.X)
	if len(g.of) != n {
		g.of, g.rows, g.first = make([]int32, n), make([]int32, n), make([]int32, g.cells*g.cells+1)
	}
	clear(g.first)
	for i := range n {
		g.of[i] = g.cell(at.Y[i])*int32(g.cells) + g.cell(at.X[i])
		g.first[g.of[i]+1]++
	}
	for c := range g.cells * g.cells {
		g.first[c+1] += g.first[c]
	}
	for i := n - 1; i >= 0; i-- { // backwards, so that first ends at the start of each cell
		c := g.of[i] + 1
		g.first[c]--
		g.rows[g.first[c]] = int32(i)
	}
	copy(g.first, g.first[1:])
	g.first[g.cells*g.cells] = int32(n)
}

// cell returns the column or the row of cells of a coordinate.
func (g *grid) cell(x float32) int32 {
	return min(int32(x/g.side*float32(g.cells)), int32(g.cells-1))
}

// sumAround adds up the headings of all birds that a bird sees, and the bird's own heading. It adds
// cell by cell and row by row, so that the order of the sum is fixed.
func (g *grid) sumAround(row int, at, way kernels.Vec2s[float32], view float32) (x, y float32) {
	cx, cy := int(g.of[row])%g.cells, int(g.of[row])/g.cells
	limit := float32(view * view)
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			cell := (cy+dy+g.cells)%g.cells*g.cells + (cx+dx+g.cells)%g.cells
			for _, other := range g.rows[g.first[cell]:g.first[cell+1]] {
				u := g.shorterWay(at.X[other] - at.X[row])
				v := g.shorterWay(at.Y[other] - at.Y[row])
				if float32(u*u)+float32(v*v) <= limit {
					x += way.X[other]
					y += way.Y[other]
				}
			}
		}
	}
	return x, y
}

// shorterWay returns the shorter of the two ways between two coordinates of a periodic square.
func (g *grid) shorterWay(d float32) float32 {
	half := float32(g.side / 2)
	if d > half {
		return d - g.side
	}
	if d < -half {
		return d + g.side
	}
	return d
}
