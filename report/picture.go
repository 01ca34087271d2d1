package report

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The sizes of pictures.
const (
	wide = 15 * vg.Centimeter
	high = 9 * vg.Centimeter
)

var ink = color.RGBA{R: 0x1f, G: 0x5f, B: 0xa8, A: 0xff}

// label returns the name of a column, with its unit.
func label(name, unit string) string {
	if unit != "" {
		return name + " (" + unit + ")"
	}
	return name
}

// points holds the means along an axis and their confidence intervals, for the plotter.
type points struct {
	plotter.XYs
	plotter.YErrors
}

// drawMeans draws the means of a column along an axis, with their confidence intervals.
func drawMeans(name string, a *axis, all []Summary) (template.HTML, error) {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = label(a.column.Name, a.column.Unit), name
	type point struct{ x, low, mean, high float64 }
	var list []point
	var xs, ys []float64
	for i, s := range all {
		x := float64(i)
		if a.at != nil {
			x = a.at[i]
		}
		if s.N == 0 || !finite(x) {
			continue
		}
		pt := point{x, s.Mean, s.Mean, s.Mean}
		if s.N > 1 {
			pt.low, pt.high = max(s.Low, -math.MaxFloat64), min(s.High, math.MaxFloat64)
		}
		list, xs, ys = append(list, pt), append(xs, x), append(ys, pt.low, pt.high)
	}
	if len(list) == 0 {
		return "", nil
	}
	across, up := newScale(xs), newScale(ys)
	var pts points
	for _, v := range list {
		at := up.position(v.mean)
		pts.XYs = append(pts.XYs, plotter.XY{X: across.position(v.x), Y: at})
		pts.YErrors = append(pts.YErrors, struct{ Low, High float64 }{at - up.position(v.low), up.position(v.high) - at})
	}
	line, dots, err := plotter.NewLinePoints(pts.XYs)
	if err != nil {
		return "", err
	}
	bars, err := plotter.NewYErrorBars(pts)
	if err != nil {
		return "", err
	}
	line.Color, dots.Color, bars.Color = ink, ink, ink
	dots.Shape, dots.Radius = draw.CircleGlyph{}, 2
	p.Add(plotter.NewGrid(), bars, dots)
	if a.at != nil { // there is nothing between texts
		p.Add(line)
		across.label(&p.X)
	} else {
		p.NominalX(a.labels...) //lanewise:inexact a picture is looked at
	}
	up.label(&p.Y)
	return svg(wide, high, func(c draw.Canvas) { p.Draw(inner(c)) }) //lanewise:inexact a picture is looked at
}

// histogram draws the distribution of the numbers of a column, if no parameter
// was varied.
func histogram(name string, values plotter.Values) (template.HTML, error) {
	across := newScale(values)
	lo, hi, n := across.position(across.lo), across.position(across.hi), max(int(math.Sqrt(float64(len(values)))), 1)
	if lo == hi {
		hi, n = lo+1, 1
	}
	width := (hi - lo) / float64(n)
	h := &plotter.Histogram{Bins: make([]plotter.HistogramBin, n), Width: width, LineStyle: plotter.DefaultLineStyle}
	for i := range h.Bins {
		h.Bins[i].Min = lo + float64(float64(i)*width)
		h.Bins[i].Max = lo + float64(float64(i+1)*width)
	}
	for _, v := range values { // plotter.NewHist panics if the last bin ends before the last value
		h.Bins[min(int((across.position(v)-lo)/width), n-1)].Weight++
	}
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = name, "runs"
	h.FillColor = ink
	p.Add(h)
	across.label(&p.X)
	return svg(wide, high, func(c draw.Canvas) { p.Draw(inner(c)) }) //lanewise:inexact a picture is looked at
}

// field holds the means over two axes, as the data of a heat map. All cells have the same
// size, no matter how far apart the values are.
type field struct {
	x, y *axis
	all  []Summary // y fastest
	up   scale     // of the means
}

func newField(x, y *axis, all []Summary) *field {
	var means []float64
	for _, s := range all {
		if s.N > 0 {
			means = append(means, s.Mean)
		}
	}
	return &field{x, y, all, newScale(means)}
}

func (f *field) Dims() (c, r int) { return len(f.x.labels), len(f.y.labels) }
func (f *field) X(c int) float64  { return float64(c) }
func (f *field) Y(r int) float64  { return float64(r) }
func (f *field) Z(c, r int) float64 {
	if s := f.all[c*len(f.y.labels)+r]; s.N > 0 {
		return f.up.position(s.Mean)
	}
	return math.NaN()
}

// heat draws the means of a column over two axes, and a legend of the colors.
func heat(name string, f *field) (template.HTML, error) {
	if !(f.up.lo < f.up.hi) {
		return "", nil // one color says nothing
	}
	lo, hi := f.up.position(f.up.lo), f.up.position(f.up.hi)
	colors := moreland.SmoothBlueRed()
	colors.SetMin(lo)
	colors.SetMax(hi)
	h := plotter.NewHeatMap(f, shades(colors))
	h.Min, h.Max, h.NaN = lo, hi, color.Gray{Y: 0xcc}
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = label(f.x.column.Name, f.x.column.Unit), label(f.y.column.Name, f.y.column.Unit)
	p.NominalX(f.x.labels...) //lanewise:inexact a picture is looked at
	p.NominalY(f.y.labels...) //lanewise:inexact a picture is looked at
	if len(f.x.labels) > 8 {
		p.X.Tick.Label.Rotation, p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = math.Pi/4, draw.XRight, draw.YCenter
	}
	p.Add(h)
	key := plot.New()
	key.HideX()
	key.Y.Label.Text = name
	key.Add(&plotter.ColorBar{ColorMap: colors, Vertical: true})
	f.up.label(&key.Y)
	const side = 3.6 * vg.Centimeter
	return svg(wide, high, func(c draw.Canvas) {
		p.Draw(inner(draw.Crop(c, 0, -side, 0, 0)))       //lanewise:inexact a picture is looked at
		key.Draw(inner(draw.Crop(c, wide-side, 0, 0, 0))) //lanewise:inexact a picture is looked at
	})
}

// inner leaves space for half of the last label of each axis.
func inner(c draw.Canvas) draw.Canvas {
	return draw.Crop(c, 0, -4*vg.Millimeter, 0, -3*vg.Millimeter)
}

// shades returns the colors of a map. There are so many of them that steps between them are
// not visible.
func shades(m palette.ColorMap) palette.Palette { return m.Palette(256) }

// svg draws a picture as an element of HTML.
func svg(w, h vg.Length, picture func(draw.Canvas)) (template.HTML, error) {
	c := vgsvg.New(w, h)
	picture(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return "", err
	}
	at := bytes.Index(b.Bytes(), []byte("<svg"))
	if at < 0 {
		return "", fmt.Errorf("report: the picture has no <svg")
	}
	return template.HTML(b.Bytes()[at:]), nil
}
