package stage

import (
	"math"
	"slices"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/catalogue"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/orbit"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/picture"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/soa"
)

// The reaches are half the width of the pictures, in AU. The inner picture
// ends beyond Jupiter and its Trojans. The outer picture always contains
// Neptune, and the share outerShare of the minor planets.
const (
	innerReach = 5.9
	outerReach = 34
	outerShare = 0.995
)

// Inner returns the picture of the inner solar system, true to scale.
func (s *Stage) Inner(set *catalogue.Set, date float64) *picture.Scene {
	p := s.scene(set, date)
	p.Title, p.Foot = "The inner solar system", "lanewise"
	p.Reach, p.Rings, p.Chart = innerReach, []float64{1, 2, 3, 4, 5}, true
	return p
}

// Outer returns the picture of the outer solar system. In it, distances from the middle
// are proportional to the square root of the true distances.
func (s *Stage) Outer(set *catalogue.Set, date float64) *picture.Scene {
	p := s.scene(set, date)
	p.Title, p.Foot = "The outer solar system", "distances by their square root · lanewise"
	p.Reach, p.Root = max(outerReach, reach(&p.Dots, outerShare)), true
	for _, r := range []float64{1, 5, 10, 20, 30, 50, 100, 200, 500} {
		if r < p.Reach {
			p.Rings = append(p.Rings, r)
		}
	}
	return p
}

// reach returns a distance from the middle: a given fraction of the dots is within this
// distance.
func reach(d *picture.Dots, share float64) float64 {
	if len(d.X) == 0 {
		return 0
	}
	distances := make([]float64, len(d.X))
	for i := range distances {
		distances[i] = math.Hypot(float64(d.X[i]), float64(d.Y[i])) //lanewise:inexact the border of a picture
	}
	slices.Sort(distances)
	return distances[int(math.Ceil(share*float64(len(distances))))-1]
}

// scene returns the contents that both pictures share.
func (s *Stage) scene(set *catalogue.Set, date float64) *picture.Scene {
	n := len(set.Minors)
	p := &picture.Scene{
		Dots: picture.Dots{X: make([]float32, n), Y: make([]float32, n), Axis: make([]float32, n)},
	}
	for i := range set.Minors {
		p.Dots.X[i], p.Dots.Y[i], _ = s.Minors[i].Position()
		_, ellipse, _ := orbit.Of(&set.Minors[i].Elements)
		p.Dots.Axis[i] = float32(ellipse.Major)
	}
	for i := range set.Bodies {
		b := &set.Bodies[i]
		if b.Kind == catalogue.Moon {
			continue // a pixel is larger than the orbits of moons
		}
		x, y, _ := s.Bodies[i].Position()
		look := lookOf(b)
		p.Discs = append(p.Discs, picture.Disc{
			Name: b.Name, X: float64(x), Y: float64(y), Color: picture.Hex(look.color), Radius: look.radius, Glow: look.glow, Trail: trail(b, date),
		})
	}
	return p
}

// trail returns the ellipse of a body, backwards from its position at a date.
func trail(b *catalogue.Body, date float64) []picture.Position {
	if b.Kind == catalogue.Star {
		return nil
	}
	const points = 721
	anomaly, ellipse, angles := orbit.Of(&b.Elements)
	var (
		anomalies = soa.Make[orbit.Anomalies](points)
		ellipses  = soa.Make[orbit.Ellipses](points)
		turned    = soa.Make[orbit.AngleColumns](points)
		headings  = soa.Make[kernels.Quats[float64]](points)
		pos       = soa.Make[kernels.Vec3s[float64]](points)
	)
	for k := range points {
		anomalies.Mean[k], anomalies.Motion[k], anomalies.Epoch[k] = anomaly.Mean-360*float64(k)/(points-1), anomaly.Motion, anomaly.Epoch
		ellipses.Ecc[k], ellipses.Major[k], ellipses.Minor[k] = ellipse.Ecc, ellipse.Major, ellipse.Minor
		turned.Peri[k], turned.Node[k], turned.Incl[k] = angles.Peri, angles.Node, angles.Incl
		turned.PeriRate[k], turned.NodeRate[k] = b.PeriRate, b.NodeRate
	}
	orbit.Tilt(&turned)
	orbit.Orient(&headings, &turned, anomalies.Epoch, date)
	orbit.Place(&pos, &anomalies, &ellipses, date)
	pos.Rotate(&headings, &pos)
	trail := make([]picture.Position, points)
	for k := range trail {
		trail[k] = picture.Position{X: pos.X[k], Y: pos.Y[k]}
	}
	return trail
}

// A look describes how a body is drawn. Its sizes are in pixels. The sizes
// only show which of two bodies is larger, because most bodies would be
// invisible at a true scale.
type look struct {
	color        uint32
	radius, glow float64
}

var looks = map[string]look{
	"Sun":     {0xfff1c9, 9, 34},
	"Mercury": {0xb8b0a8, 3.4, 9},
	"Venus":   {0xf3d9a0, 4.8, 10},
	"Earth":   {0x6fb1ff, 5, 10},
	"Mars":    {0xff7a50, 4, 10},
	"Jupiter": {0xe8b98a, 8.5, 11},
	"Saturn":  {0xf0dc9c, 7.5, 11},
	"Uranus":  {0x9fe6e6, 6, 10},
	"Neptune": {0x6d8cff, 6, 10},
}

// lookOf returns the look for the name of a body. If there is no such look, it returns the look for the body's
// kind.
func lookOf(b *catalogue.Body) look {
	if l, ok := looks[b.Name]; ok && b.Kind != catalogue.DwarfPlanet {
		return l
	}
	switch b.Kind {
	case catalogue.Star:
		return looks["Sun"]
	case catalogue.Planet:
		return look{0xc9cfdb, 5, 9}
	default:
		return look{0xcbb8d9, 2.6, 7}
	}
}
