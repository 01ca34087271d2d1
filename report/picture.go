package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// palette has colors that people with impaired color vision can distinguish (M. Okabe and K. Ito, Color Universal Design).
var palette = [...]string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5c00", "#333333"}

// label returns the name of a column, with its unit.
func label(name, unit string) string {
	if unit != "" {
		return name + " (" + unit + ")"
	}
	return name
}

func (a *axis) name() string { return label(a.column.Name, a.column.Unit) }

// numbers returns the positions of the values of an axis on a scale, and the scale. A value that cannot be drawn is NaN.
func (a *axis) numbers() ([]float64, scale) {
	at := make([]float64, len(a.labels))
	if a.at == nil {
		for i := range at {
			at[i] = float64(i)
		}
		return at, newNames(a.labels)
	}
	var list []float64
	for i, v := range a.at {
		if at[i] = v; drawable(v, a.log) {
			list = append(list, v)
		} else {
			at[i] = math.NaN()
		}
	}
	return at, newScale(list, a.log)
}

// names returns the scale of an axis whose values are names. Numbers are rounded to four digits if they remain different.
func (a *axis) names() scale {
	if a.at == nil || a.binned {
		return newNames(a.labels)
	}
	short := make([]string, len(a.at))
	for i, v := range a.at {
		short[i] = strconv.FormatFloat(v, 'g', 4, 64)
	}
	if len(slices.Compact(slices.Clone(short))) < len(short) { // values are in order, so that equal texts are neighbors
		return newNames(a.labels)
	}
	return newNames(short)
}

// value is a column of numbers of a table, as the pictures need it.
type value struct {
	name string
	log  bool
	bars bool // the rows of a point are replicates, so that intervals have a meaning
}

// curves draws the means of a column along an axis. If by is not nil, there is a curve for each value of by. Parameter all
// holds the summaries, by fastest. The result is empty if nothing can be drawn.
func (v *value) curves(a, by *axis, all []Summary) picture {
	curves, at := 1, []float64(nil)
	if by != nil {
		curves = len(by.labels)
	}
	at, x := a.numbers()
	ys, lost := v.heights(at, curves, all)
	if len(ys) == 0 {
		return picture{Note: lostNote(lost, "point")}
	}
	side := 0.0
	if by != nil {
		side = legendWidth(by.labels, by.name())
	}
	f := newFrame(a.name(), v.name, x, newScale(ys, v.log), side)
	for j := range curves {
		f.group(palette[j%len(palette)])
		var line []string
		for i, x := range at {
			s := &all[i*curves+j]
			if s.N == 0 {
				continue
			}
			px, py := f.at(x, s.Mean)
			if v.bars && s.N > 1 {
				_, low := f.at(x, lowest(s.Low, v.log))
				_, high := f.at(x, s.High)
				f.line(px, low, px, high)
			}
			f.dot(px, py, 2.5, a.labels[i]+": "+s.text(v.bars))
			line = append(line, fmt.Sprintf("%.1f,%.1f", px, py))
		}
		if a.at != nil && len(line) > 1 { // there is nothing between texts
			f.element("polyline", "fill", "none", "stroke-width", "1.5", "points", strings.Join(line, " "))
		}
		f.group("")
	}
	if by != nil {
		f.legend(by.name(), by.labels)
	}
	return picture{SVG: f.picture(), Note: lostNote(lost, "point")}
}

// heights returns the numbers that curves draws. If a point cannot be drawn, heights sets its N to 0. The second result is the number of
// such points.
func (v *value) heights(at []float64, curves int, all []Summary) (ys []float64, lost int) {
	for i := range all {
		s := &all[i]
		if s.N == 0 {
			continue
		}
		if math.IsNaN(at[i/curves]) || !drawable(s.Mean, v.log) {
			s.N = 0
			lost++
			continue
		}
		ys = append(ys, s.Mean)
		if !v.bars || s.N < 2 {
			continue
		}
		for _, end := range []float64{s.Low, s.High} {
			if drawable(end, v.log) {
				ys = append(ys, end)
			}
		}
	}
	return ys, lost
}

// lowest returns the number at which an interval begins on an axis. On a logarithmic axis, this may be its lower end.
func lowest(v float64, log bool) float64 {
	if log && v <= 0 {
		return math.SmallestNonzeroFloat64
	}
	return v
}

// text describes a point for the reader who points at it.
func (s *Summary) text(bars bool) string {
	if bars && s.N > 1 {
		return fmt.Sprintf("%s, from %s to %s (95 %%), n = %d", shortText(s.Mean), shortText(s.Low), shortText(s.High), s.N)
	}
	return fmt.Sprintf("%s, n = %d", shortText(s.Mean), s.N)
}

// lostNote returns the sentence about what a picture leaves out. Parameter what is the noun.
func lostNote(lost int, what string) string {
	switch lost {
	case 0:
		return ""
	case 1:
		return "1 " + what + " is not on the logarithmic axes, or not finite."
	}
	return fmt.Sprintf("%d %ss are not on the logarithmic axes, or not finite.", lost, what)
}

func legendWidth(names []string, title string) float64 {
	most := width(shorten(title))
	for _, n := range names {
		most = max(most, width(shorten(n))+14)
	}
	return min(most, 130) + 4
}

// legend writes the names of curves at the right.
func (f *frame) legend(title string, names []string) {
	f.text(f.right+8, f.top+4, "start", shorten(title))
	for j, n := range names {
		y := f.top + 22 + float64(17*j)
		f.group(palette[j%len(palette)])
		f.dot(f.right+12, y-4, 4, n)
		f.group("")
		f.text(f.right+21, y, "start", shorten(n))
	}
}

// boxes draws the replicates of each point along an axis: each number, the quartiles and the median. It leaves out a point if
// one of its numbers cannot be drawn, and sets its N to 0.
func (v *value) boxes(a *axis, lists [][]float64, all []Summary) picture {
	var ys []float64
	lost := 0
	for i, list := range lists {
		if slices.ContainsFunc(list, func(y float64) bool { return !drawable(y, v.log) }) {
			all[i].N = 0
			lost++
			continue
		}
		ys = append(ys, list...)
	}
	if len(ys) == 0 {
		return picture{} // the curve has a note about these points
	}
	f := newFrame(a.name(), v.name, a.names(), newScale(ys, v.log), 0)
	half := min(float64(0.3*(f.right-f.left))/float64(len(a.labels)), 22)
	f.group(palette[0])
	for i, s := range all {
		if s.N == 0 {
			continue
		}
		x, median := f.at(float64(i), s.Q[2])
		_, q1 := f.at(float64(i), s.Q[1])
		_, q3 := f.at(float64(i), s.Q[3])
		_, low := f.at(float64(i), s.Min)
		_, high := f.at(float64(i), s.Max)
		f.line(x, low, x, q1)
		f.line(x, q3, x, high)
		f.element("rect", "fill", "#dcebf5", "x", x-half, "y", q3, "width", 2*half, "height", q1-q3)
		f.element("line", "stroke-width", "2", "x1", x-half, "x2", x+half, "y1", median, "y2", median)
		for k, y := range lists[i] {
			_, py := f.at(float64(i), y)
			f.dot(x+float64(half*(float64(k*2%5)-2)/4), py, 1.6, shortText(y))
		}
	}
	f.group("")
	return picture{SVG: f.picture(), Note: "Boxes are from the 25 % to the 75 % quantile, with the median. Each dot is a replicate. " + lostNote(lost, "point")}
}

// histogram draws the distribution of the numbers of a column, if no parameter was varied.
func (v *value) histogram(values []float64) picture {
	have := len(values)
	values = slices.DeleteFunc(slices.Clone(values), func(x float64) bool { return !drawable(x, v.log) })
	note := lostNote(have-len(values), "number")
	if len(values) < 2 {
		return picture{Note: note}
	}
	x := newScale(values, v.log)
	bins := min(max(int(math.Sqrt(float64(len(values)))), 1), 60)
	if x.lo >= x.hi {
		bins = 1
	}
	counts := make([]float64, bins)
	for _, y := range values {
		counts[min(int(x.position(y)*float64(bins)), bins-1)]++
	}
	f := newFrame(v.name, "runs", x, newScale(append([]float64{0}, counts...), false), 0)
	f.b.WriteString(`<g fill="` + palette[0] + `" stroke="#fff">`)
	for i, n := range counts {
		from, to := f.left+f.across(float64(i)/float64(bins)), f.left+f.across(float64(i+1)/float64(bins))
		_, y := f.at(0, n)
		_, zero := f.at(0, 0)
		f.element("rect", "x", from, "y", y, "width", to-from, "height", zero-y)
	}
	f.b.WriteString(`</g>`)
	return picture{SVG: f.picture(), Note: note}
}

// shades are nine colors of the map viridis (S. van der Walt and N. Smith, CC0), from dark to light. Their lightness
// rises evenly, so a reader can order them also in gray.
var shades = [...][3]float64{{68, 1, 84}, {71, 44, 122}, {59, 81, 139}, {44, 113, 142}, {33, 144, 141}, {39, 173, 129}, {92, 200, 99}, {170, 220, 50}, {253, 231, 37}}

// shade returns the color of a position from 0 to 1.
func shade(p float64) string {
	at := float64(p * float64(len(shades)-1))
	i := min(int(at), len(shades)-2)
	part := at - float64(i)
	var c [3]int
	for k := range c {
		c[k] = int(shades[i][k] + float64(part*(shades[i+1][k]-shades[i][k])) + 0.5)
	}
	return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2])
}

// heat draws the means of a column over two axes, and a bar of the colors. Parameter all holds the summaries, b fastest. All
// cells have the same size, no matter how far apart the values are. A cell without a number is white.
func (v *value) heat(a, b *axis, all []Summary) picture {
	var means []float64
	lost := 0
	for i := range all {
		s := &all[i]
		if s.N > 0 && drawable(s.Mean, v.log) {
			means = append(means, s.Mean)
		} else if s.N > 0 {
			lost++
			s.N = 0
		}
	}
	color := newScale(means, v.log)
	if !(color.lo < color.hi) {
		return picture{} // one color says nothing
	}
	most := 0.0
	for _, t := range color.ticks {
		most = max(most, width(t.text))
	}
	side := min(most, 120) + 32
	f := newFrame(a.name(), b.name(), a.names(), b.names(), side)
	f.text(wide-4, 16, "end", "color: "+v.name)
	f.b.WriteString(`<g shape-rendering="crispEdges">`) // no gaps between cells
	w, h := (f.right-f.left)/float64(len(a.labels)), (f.bottom-f.top)/float64(len(b.labels))
	for i, s := range all {
		if s.N == 0 {
			continue
		}
		col, row := i/len(b.labels), i%len(b.labels)
		f.begin("rect", "x", f.left+float64(w*float64(col)), "y", f.bottom-float64(h*float64(row+1)), "width", w+0.1, "height", h+0.1, "fill", shade(color.position(s.Mean)))
		f.b.WriteString("><title>" + shortText(s.Mean) + "</title></rect>")
	}
	const steps = 32
	tall := float64((f.bottom - f.top) / steps)
	for i := range steps {
		f.element("rect", "x", f.right+10, "y", f.bottom-float64(tall*float64(i+1)), "width", 14.0, "height", tall+0.3, "fill", shade((float64(i)+0.5)/steps))
	}
	f.b.WriteString(`</g><g fill="#444">`)
	for _, t := range color.ticks {
		y := f.bottom - float64(t.at*(f.bottom-f.top))
		f.element("line", "stroke", "#444", "x1", f.right+24, "x2", f.right+27, "y1", y, "y2", y)
		f.text(f.right+29, y+4, "start", t.text)
	}
	f.b.WriteString(`</g>`)
	return picture{SVG: f.picture(), Note: lostNote(lost, "point")}
}
