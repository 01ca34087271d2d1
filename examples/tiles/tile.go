package main

import (
	"encoding/binary"
	"hash/fnv"
	"image"
	"image/color"
	"sync/atomic"

	"github.com/lanewise/lanewise/examples/internal/pngfile"
	"github.com/lanewise/lanewise/jobs"
)

const (
	mostSteps = 255 // after these steps a point is considered to be in the set
	coarse    = 8   // pixels between the points of the preview
	smallest  = 16  // a tile of this size is not divided
)

// Map is a picture of the Mandelbrot set in the square from -2 - 1.5i to 1 + 1.5i.
type Map struct {
	size    int
	steps   []byte // of each pixel, row by row
	preview []byte // of every coarse one of each coarse row
	members atomic.Int64
}

func newMap(size int) *Map {
	wide := (size + coarse - 1) / coarse
	return &Map{size: size, steps: make([]byte, size*size), preview: make([]byte, wide*wide)}
}

// stepsAt returns the number of steps after which the point of a pixel is known to be outside.
func (m *Map) stepsAt(x, y int) byte {
	cx, cy := float64(3*x)/float64(m.size)-2, float64(3*y)/float64(m.size)-1.5
	var zx, zy float64
	for n := range byte(mostSteps) {
		xx, yy := float64(zx*zx), float64(zy*zy)
		if xx+yy > 4 {
			return n
		}
		zx, zy = xx-yy+cx, float64(2*zx*zy)+cy
	}
	return mostSteps
}

// Preview draws a point in each square of coarse pixels.
type Preview struct{ m *Map }

// Run schedules child jobs, each of which draws some rows.
func (p *Preview) Run(t *jobs.Task) {
	wide := (p.m.size + coarse - 1) / coarse
	t.ParallelFor(jobs.RangeFunc(func(_ *jobs.Task, lo, hi int) {
		for i := lo; i < hi; i++ {
			p.m.preview[i] = p.m.stepsAt(i%wide*coarse, i/wide*coarse)
		}
	}), len(p.m.preview), wide)
}

// Histogram counts the points of the preview that are in the set.
type Histogram struct{ m *Map }

// RunRange counts the points of a part.
func (h *Histogram) RunRange(_ *jobs.Task, lo, hi int) {
	n := 0
	for _, steps := range h.m.preview[lo:hi] {
		if steps == mostSteps {
			n++
		}
	}
	h.m.members.Add(int64(n))
}

func (m *Map) inside() int64 { return m.members.Load() }

// Tile draws a square. If all points of the square's border take the same number of steps, the
// points inside take this number too, because the set has no holes. Otherwise the quarters of the
// square become child jobs.
type Tile struct {
	m          *Map
	x, y, size int
}

// Run draws the border, and fills it or divides the tile.
func (d *Tile) Run(t *jobs.Task) {
	if t.Cancelled() {
		return
	}
	if d.size <= smallest {
		for y := d.y; y < d.y+d.size; y++ {
			for x := d.x; x < d.x+d.size; x++ {
				d.m.steps[y*d.m.size+x] = d.m.stepsAt(x, y)
			}
		}
		return
	}
	border := t.Scratch(4 * d.size)[:0]
	last := d.size - 1
	for i := range d.size {
		border = append(border, d.m.stepsAt(d.x+i, d.y), d.m.stepsAt(d.x+i, d.y+last), d.m.stepsAt(d.x, d.y+i), d.m.stepsAt(d.x+last, d.y+i))
	}
	if !same(border) {
		half := d.size / 2
		for _, q := range []Tile{{d.m, d.x, d.y, half}, {d.m, d.x + half, d.y, half}, {d.m, d.x, d.y + half, half}, {d.m, d.x + half, d.y + half, half}} {
			t.Schedule(&q)
		}
		return
	}
	for y := d.y; y < d.y+d.size; y++ {
		row := d.m.steps[y*d.m.size+d.x:][:d.size]
		for i := range row {
			row[i] = border[0]
		}
	}
}

func same(list []byte) bool {
	for _, b := range list {
		if b != list[0] {
			return false
		}
	}
	return true
}

func (m *Map) hash() uint64 {
	h := fnv.New64a()
	var size [8]byte
	binary.LittleEndian.PutUint64(size[:], uint64(m.size))
	h.Write(size[:])
	h.Write(m.steps)
	return h.Sum64()
}

// write writes a picture of the map unless the name is empty.
func (m *Map) write(name string) error {
	if name == "" {
		return nil
	}
	p := image.NewGray(image.Rect(0, 0, m.size, m.size))
	for i, steps := range m.steps {
		p.SetGray(i%m.size, i/m.size, color.Gray{Y: 255 - steps})
	}
	return pngfile.Save(name, p)
}
