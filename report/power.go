package report

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/lanewise/lanewise/kernels"
)

// Power is a fit of the law y = C·h^p, for example of the error y of a method whose steps have the size h. The exponent p is
// then the order of the method.
type Power struct {
	N    int     // points with positive h and y other than 0
	P, C float64 // NaN if there are fewer than two different h
	// Half is half of the width of the 95 % confidence interval of P, by Student's t-distribution with N-2 degrees of
	// freedom. The interval assumes that the relative deviations are independent and similar for all h. Half is NaN if N is
	// below 3.
	Half float64
}

// FitPower fits the law |y[i]| = C·h[i]^p by least squares of the logarithms. It leaves out points whose h is not positive or
// whose y is 0, and points that are not finite. The lists must have the same length.
func FitPower(h, y []float64) Power {
	if len(h) != len(y) {
		panic(fmt.Sprintf("report: FitPower: len(h) is %d, len(y) is %d", len(h), len(y)))
	}
	var x, z []float64
	var meanX, meanZ float64
	for i, v := range h {
		if !drawable(v, true) || !drawable(math.Abs(y[i]), true) {
			continue
		}
		x, z = append(x, kernels.LogOf(v)), append(z, kernels.LogOf(math.Abs(y[i])))
	}
	f := Power{N: len(x), P: math.NaN(), C: math.NaN(), Half: math.NaN()}
	if f.N == 0 {
		return f
	}
	n, x0, z0 := float64(len(x)), x[0], z[0]
	for i := range x { // differences, so that equal numbers have no deviation from their mean
		x[i], z[i] = x[i]-x0, z[i]-z0
		meanX, meanZ = meanX+x[i], meanZ+z[i]
	}
	meanX, meanZ = meanX/n, meanZ/n
	var xx, xz float64
	for i := range x {
		xx += float64((x[i] - meanX) * (x[i] - meanX))
		xz += float64((x[i] - meanX) * (z[i] - meanZ))
	}
	if !(xx > 0) {
		return f
	}
	f.P = xz / xx
	f.C = kernels.ExpOf((z0 + meanZ) - float64(f.P*(x0+meanX)))
	if f.N > 2 {
		rest := 0.0
		for i := range x {
			d := (z[i] - meanZ) - float64(f.P*(x[i]-meanX))
			rest += float64(d * d)
		}
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 2}.Quantile(0.975) //lanewise:inexact the numbers are rounded on the page
		f.Half = float64(t * math.Sqrt(rest/(n-2)/xx))
	}
	return f
}

// At returns C·h^p.
func (f Power) At(h float64) float64 { return float64(f.C * kernels.PowOf(h, f.P)) }

func (f Power) String() string {
	switch {
	case math.IsNaN(f.P):
		return "no p"
	case math.IsNaN(f.Half):
		return fmt.Sprintf("p = %.3f", f.P)
	}
	return fmt.Sprintf("p = %.3f ± %.2g", f.P, f.Half)
}

// powerCurve holds the sizes of the means of a column over h, for one value of another axis, and their fit.
type powerCurve struct {
	name string
	h, y []float64
	fit  Power
}

// newPowerCurves returns the curves, and the number of points that cannot be on logarithmic axes. Parameter all holds
// the summaries, by fastest; by may be nil.
func newPowerCurves(h, by *axis, all []Summary) (curves []powerCurve, lost int) {
	names := []string{""}
	if by != nil {
		names = by.labels
	}
	for j, name := range names {
		c := powerCurve{name: name}
		for i, x := range h.at {
			s := &all[i*len(names)+j]
			if y := math.Abs(s.Mean); s.N > 0 && drawable(x, true) && drawable(y, true) {
				c.h, c.y = append(c.h, x), append(c.y, y)
			} else if s.N > 0 {
				lost++
			}
		}
		c.fit = FitPower(c.h, c.y)
		curves = append(curves, c)
	}
	return curves, lost
}

// convergence draws the sizes of a column's means over an axis h on logarithmic axes with the fitted powers of h. A second picture
// has the residuals, which are the quotients of the means and the fits.
func (v *value) convergence(h, by *axis, all []Summary) (pictures []picture) {
	curves, lost := newPowerCurves(h, by, all)
	var hs, ys, ratios []float64
	note := fmt.Sprintf("Fit |%s| ~ %s^p: ", v.name, h.column.Name)
	for j := range curves {
		c := &curves[j]
		hs, ys, ratios = append(hs, c.h...), append(ys, c.y...), append(ratios, c.ratios()...)
		if j > 0 {
			note += "; "
		}
		if c.name != "" {
			note += c.name + ": "
		}
		note += fmt.Sprintf("%v (n = %d)", c.fit, c.fit.N)
	}
	if len(hs) == 0 {
		return nil
	}
	x, size := newScale(hs, true), *v
	size.name = "|" + v.name + "|"
	f := size.powerFrame(h, by, x, newScale(ys, true))
	for j := range curves {
		c := &curves[j]
		f.group(palette[j%len(palette)])
		f.fitLine(c.fit)
		f.dots(c.h, c.y)
		f.group("")
	}
	note += ". The number after ± is half of the 95 % interval of p. " + lostNote(lost, "point")
	pictures = append(pictures, picture{SVG: f.picture(), Note: note})
	if len(ratios) < len(hs) {
		return pictures // a curve has only one h, so there is no fit
	}
	size.name = v.name + " / fit"
	f = size.powerFrame(h, by, x, newScale(append(ratios, 1), false))
	_, one := f.at(x.lo, 1)
	f.element("line", "stroke", "#666", "x1", f.left, "x2", f.right, "y1", one, "y2", one)
	for j := range curves {
		f.group(palette[j%len(palette)])
		f.dots(curves[j].h, curves[j].ratios())
		f.group("")
	}
	return append(pictures, picture{SVG: f.picture(), Note: "Residuals: each mean, divided by the fit."})
}

// ratios returns the quotients of the numbers and the fit. The list is empty if there is no fit.
func (c *powerCurve) ratios() (list []float64) {
	for i, x := range c.h {
		r := c.y[i] / c.fit.At(x)
		if !drawable(r, true) {
			return nil
		}
		list = append(list, r)
	}
	return list
}

// powerFrame returns a frame over h, with a legend if there are several curves.
func (v *value) powerFrame(h, by *axis, x, y scale) *frame {
	if by == nil {
		return newFrame(h.name(), v.name, x, y, 0)
	}
	f := newFrame(h.name(), v.name, x, y, legendWidth(by.labels, by.name()))
	f.legend(by.name(), by.labels)
	return f
}

func (f *frame) dots(x, y []float64) {
	for i := range x {
		px, py := f.at(x[i], y[i])
		f.dot(px, py, 2.5, shortText(x[i])+": "+shortText(y[i]))
	}
}

// fitLine draws a fit where it is inside of the frame.
func (f *frame) fitLine(fit Power) {
	var xs, ys []float64
	for i := range 65 {
		x := kernels.ExpOf(kernels.LogOf(f.x.lo) + float64(float64(i)/64*(kernels.LogOf(f.x.hi)-kernels.LogOf(f.x.lo))))
		if y := fit.At(x); y >= f.y.lo && y <= f.y.hi {
			px, py := f.at(x, y)
			xs, ys = append(xs, px), append(ys, py)
		}
	}
	if n := len(xs) - 1; n > 0 {
		f.line(xs[0], ys[0], xs[n], ys[n])
	}
}
