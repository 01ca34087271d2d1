//lanewise:inexact a picture is looked at: its colours may differ in the last digit

package picture

import (
	"math"
	"strconv"
)

// A chart is a histogram of semi-major axes. It shows the gaps that Jupiter's
// resonances leave. These gaps are not visible in the picture of the dots.
type chart struct {
	box      rect
	from, to float64 // AU
	bars     []int
	most     int
}

const chartBins = 230

// newChart counts the dots of a scene. The chart is at the lower left.
func (f *frame) newChart(d *Dots) *chart {
	u := f.unit
	c := &chart{box: rect{70 * u, 1408 * u, 530 * u, 1508 * u}, from: 1.8, to: 4.1, bars: make([]int, chartBins)}
	for _, axis := range d.Axis {
		if at := int(math.Floor((float64(axis) - c.from) / (c.to - c.from) * chartBins)); at >= 0 && at < chartBins {
			c.bars[at]++
			c.most = max(c.most, c.bars[at])
		}
	}
	return c
}

func (c *chart) x(axis float64) float64 {
	return c.box.x0 + (axis-c.from)/(c.to-c.from)*(c.box.x1-c.box.x0)
}

// ticks are the semi-major axes that the chart labels.
var ticks = [...]float64{2, 2.5, 3, 3.5, 4}

// nameTicks names the ticks.
func (c *chart) nameTicks(f *frame) []label {
	var labels []label
	below := c.box.y1 + 26*f.unit
	for _, axis := range ticks {
		text := strconv.FormatFloat(axis, 'f', 1, 64)
		width := f.faces.width(ringSize*f.unit, text)
		labels = append(labels, f.newLabel(text, c.x(axis)-width/2, below, ringSize*f.unit, noteColor))
	}
	return append(labels, f.newLabel("semi-major axis, AU", c.box.x0, below+30*f.unit, ringSize*f.unit, noteColor))
}

// draw draws the bars and, below them, the line with its ticks.
func (c *chart) draw(l *ink, f *frame) {
	width := (c.box.x1 - c.box.x0) / chartBins
	for k, n := range c.bars {
		if n == 0 {
			continue
		}
		x := c.box.x0 + (float64(k)+0.5)*width
		top := c.box.y1 - float64(n)/float64(c.most)*(c.box.y1-c.box.y0)
		l.line(x, c.box.y1, x, top, width*0.9, tint(c.from+(float64(k)+0.5)/chartBins*(c.to-c.from)), 0.9)
	}
	foot := c.box.y1 + 5*f.unit
	l.line(c.box.x0, foot, c.box.x1, foot, 1.2*f.unit, ringColor, 0.8)
	for _, axis := range ticks {
		l.line(c.x(axis), foot, c.x(axis), foot+6*f.unit, 1.2*f.unit, ringColor, 0.8)
	}
}
