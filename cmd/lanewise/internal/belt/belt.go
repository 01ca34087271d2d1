// Package belt generates minor planets in the populations of the real solar
// system. The same seed gives the same minor planets on every machine. The
// command uses these minor planets if there is no catalogue.
package belt

import (
	"math"
	"strconv"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/catalogue"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/dice"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/julian"
)

const (
	// degreesPerDay is Gauss's constant in degrees: the mean motion at 1 AU.
	degreesPerDay = 0.98560766860142

	// jupiterLongitude is Jupiter's mean longitude at J2000, with which Hildas
	// and Trojans are in resonance.
	jupiterLongitude = 34.396
)

// A population is a part of the belt whose orbits are drawn from one
// distribution.
type population struct {
	share int // of 1000
	draw  func(*dice.Dice) catalogue.Elements
}

// populations is the composition of the belt. The shares of the small groups
// are larger than in nature, so that they are visible. The share of the Kuiper
// belt is less than a hundredth of its share in nature.
var populations = [...]population{
	{share: 585, draw: background},
	{share: 45, draw: family(2.22, 0.14, 5.0, 0.05, 0.025, 1.3)},  // Flora
	{share: 50, draw: family(2.36, 0.10, 6.6, 0.04, 0.015, 0.7)},  // Vesta
	{share: 45, draw: family(2.41, 0.18, 2.6, 0.04, 0.020, 0.6)},  // Nysa
	{share: 15, draw: family(2.36, 0.23, 23.2, 0.05, 0.035, 1.2)}, // Phocaea
	{share: 35, draw: family(2.62, 0.15, 13.2, 0.04, 0.025, 0.8)}, // Eunomia
	{share: 20, draw: family(2.76, 0.13, 9.1, 0.03, 0.020, 0.5)},  // Gefion
	{share: 35, draw: family(2.88, 0.05, 2.1, 0.03, 0.012, 0.3)},  // Koronis
	{share: 45, draw: family(3.01, 0.07, 10.1, 0.04, 0.018, 0.7)}, // Eos
	{share: 40, draw: family(3.14, 0.15, 1.5, 0.04, 0.020, 0.5)},  // Themis
	{share: 17, draw: family(1.92, 0.08, 21.0, 0.05, 0.030, 2.0)}, // Hungaria
	{share: 12, draw: family(3.43, 0.07, 9.0, 0.07, 0.035, 4.0)},  // Cybele
	{share: 20, draw: hilda},
	{share: 17, draw: trojan(+60)},
	{share: 11, draw: trojan(-60)},
	{share: 8, draw: kuiper}, // the last population takes the rest after rounding
}

// New generates n minor planets, which depend only on the seed.
func New(n int, seed uint64) []catalogue.Minor {
	minors := make([]catalogue.Minor, 0, n)
	var done, shares int
	for i := range populations {
		shares += populations[i].share
		for end := int(int64(n) * int64(shares) / 1000); done < end; done++ {
			d := dice.New(seed, uint64(done))
			number := strconv.Itoa(done + 1)
			minors = append(minors, catalogue.Minor{ID: number, Name: "belt " + number, Elements: roundElements(populations[i].draw(&d))})
		}
	}
	return minors
}

// roundElements rounds elements to the number of decimals in the export format. It
// also sets their epoch, and the mean motion that follows from their axis.
func roundElements(e catalogue.Elements) catalogue.Elements {
	e.Epoch = julian.J2000
	e.Axis = roundDecimals(e.Axis, 1e7)
	e.Motion = roundDecimals(degreesPerDay/(e.Axis*math.Sqrt(e.Axis)), 1e8)
	e.Ecc = roundDecimals(e.Ecc, 1e7)
	e.Incl = roundDecimals(e.Incl, 1e5)
	for _, angle := range [...]*float64{&e.Mean, &e.Peri, &e.Node} {
		*angle = roundDecimals(turn(*angle), 1e5)
	}
	return e
}

// profile is the density of the main belt as a function of the semi-major axis, without gaps. It is
// linear between these points, which come from a histogram.
var profile = [...]struct{ axis, density float64 }{
	{2.08, 0}, {2.16, 0.35}, {2.25, 0.75}, {2.40, 0.95}, {2.55, 0.90}, {2.65, 1.00},
	{2.80, 0.85}, {2.90, 0.55}, {3.00, 0.80}, {3.15, 0.95}, {3.22, 0.60}, {3.28, 0.10}, {3.35, 0},
}

// kirkwood holds Kirkwood's gaps: mean-motion resonances with Jupiter. At a gap, the
// density falls by the share depth; it recovers within width on both sides.
var kirkwood = [...]struct{ axis, width, depth float64 }{
	{2.502, 0.028, 1}, {2.706, 0.010, 0.5}, {2.825, 0.024, 1}, {2.958, 0.022, 1},
	{3.031, 0.006, 0.4}, {3.075, 0.005, 0.3}, {3.279, 0.060, 1},
}

// density returns the density of the main belt at a semi-major axis, in [0, 1].
func density(axis float64) float64 {
	var v float64
	for i := 1; i < len(profile); i++ {
		lo, hi := profile[i-1], profile[i]
		if axis >= lo.axis && axis < hi.axis {
			v = lo.density + float64((hi.density-lo.density)*((axis-lo.axis)/(hi.axis-lo.axis)))
		}
	}
	for _, g := range kirkwood {
		if x := (axis - g.axis) / g.width; x > -1 && x < 1 {
			dip := 1 - float64(x*x)
			v *= 1 - float64(g.depth*float64(dip*dip))
		}
	}
	return v
}

// drawBelted draws random semi-major axes until it accepts one of them. It accepts an axis with a probability equal to
// the density of the belt at this axis.
func drawBelted(d *dice.Dice, axis func() float64) float64 {
	for {
		if a := axis(); d.Unit() < density(a) {
			return a
		}
	}
}

// background draws a member of the main belt that belongs to no family.
func background(d *dice.Dice) catalogue.Elements {
	e := drawAngles(d)
	e.Axis = drawBelted(d, func() float64 { return d.Between(2.08, 3.35) })
	e.Ecc = min(d.Rayleigh(0.105), 1-1.68/e.Axis) // so that the perihelion is beyond Mars
	e.Incl = min(d.Rayleigh(6.5), 32)
	return e
}

// family draws elements around the centre of a family, from an ellipsoid.
func family(axis, ecc, incl, spreadAxis, spreadEcc, spreadIncl float64) func(*dice.Dice) catalogue.Elements {
	return func(d *dice.Dice) catalogue.Elements {
		e := drawAngles(d)
		near := func() float64 { return axis + float64(spreadAxis*d.Normal()) }
		if density(axis) > 0 {
			e.Axis = drawBelted(d, near)
		} else {
			e.Axis = near()
		}
		e.Ecc = clamp(ecc+float64(spreadEcc*d.Normal()), 0.001, 0.6)
		e.Incl = clamp(incl+float64(spreadIncl*d.Normal()), 0.05, 60)
		return e
	}
}

// hilda draws a minor planet in the 3:2 resonance with Jupiter. At aphelion,
// such a planet is 60 degrees from Jupiter or opposite to it, so that the group
// forms a triangle.
func hilda(d *dice.Dice) catalogue.Elements {
	e := drawAngles(d)
	e.Axis = 3.965 + float64(0.018*d.Normal())
	e.Ecc = clamp(0.19+float64(0.06*d.Normal()), 0.02, 0.33)
	e.Incl = min(d.Rayleigh(6), 22)
	perihelion := e.Peri + e.Node
	libration := float64(22 * d.Normal())
	longitude := float64((3*jupiterLongitude-perihelion-libration)/2) + float64(180*math.Floor(2*d.Unit()))
	e.Mean = longitude - perihelion
	return e
}

// trojan draws a minor planet from one of the two clouds on Jupiter's orbit,
// which lead or follow Jupiter.
func trojan(lead float64) func(*dice.Dice) catalogue.Elements {
	return func(d *dice.Dice) catalogue.Elements {
		e := drawAngles(d)
		e.Axis = 5.203 + float64(0.02*d.Normal())
		e.Ecc = min(d.Rayleigh(0.055), 0.18)
		e.Incl = min(d.Rayleigh(9), 38)
		libration := d.Normal()
		longitude := jupiterLongitude + lead + float64(9*libration) + float64(lead/15*float64(libration*libration))
		e.Mean = longitude - e.Peri - e.Node
		return e
	}
}

// kuiper draws a minor planet beyond Neptune: from the classical belt, the
// plutinos, or the scattered disc.
func kuiper(d *dice.Dice) catalogue.Elements {
	e := drawAngles(d)
	switch which := d.Unit(); {
	case which < 0.55:
		e.Axis = d.Between(41.5, 47.6)
		e.Ecc = min(d.Rayleigh(0.05), 0.2)
		e.Incl = min(d.Rayleigh(4), 30)
	case which < 0.80:
		e.Axis = 39.45 + float64(0.15*d.Normal())
		e.Ecc = clamp(0.2+float64(0.06*d.Normal()), 0.03, 0.34)
		e.Incl = min(d.Rayleigh(9), 35)
	default:
		e.Axis = d.Between(48, 80)
		e.Ecc = 1 - d.Between(31, 40)/e.Axis
		e.Incl = min(d.Rayleigh(11), 45)
	}
	return e
}

// drawAngles draws those angles that every population distributes evenly.
func drawAngles(d *dice.Dice) (e catalogue.Elements) {
	e.Mean, e.Peri, e.Node = d.Between(0, 360), d.Between(0, 360), d.Between(0, 360)
	return e
}

func clamp(x, lo, hi float64) float64 { return max(lo, min(x, hi)) }

// turn reduces an angle to [0, 360).
func turn(degrees float64) float64 {
	return degrees - float64(360*math.Floor(degrees/360))
}

// roundDecimals rounds x to a multiple of 1/scale; scale is a power of ten.
func roundDecimals(x, scale float64) float64 { return math.Round(x*scale) / scale }
