package orrery

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/catalogue"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/reference"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// Bound is the largest allowed distance of a position from the reference, in
// AU: 150 metres.
const Bound = 1e-9

// Deviation is the largest distance between a position and the reference, in
// AU, with the name of the body.
type Deviation struct {
	AU   float64
	Name string
	at   int
}

// Check compares all positions with the reference, and returns the largest
// deviation. If it is above [Bound], the error names the body.
func Check(p *Places, set *catalogue.Set, date float64, pool *jobs.Pool) (Deviation, error) {
	bodies, minors := set.Bodies, set.Minors
	worst, err := jobs.Reduce(pool, len(bodies)+len(minors), func(lo, hi int) Deviation {
		d := Deviation{at: -1}
		for i := lo; i < hi; i++ {
			var off float64
			if i < len(bodies) {
				off = at(&p.Bodies, i).Sub(heliocentric(i, bodies, date)).Length()
			} else {
				k := i - len(bodies)
				off = at(&p.Minors, k).Sub(reference.Minor(&minors[k], date)).Length()
			}
			if d.at < 0 || off > d.AU || math.IsNaN(off) && !math.IsNaN(d.AU) {
				d.AU, d.at = off, i
			}
		}
		return d
	}, func(a, b Deviation) Deviation {
		if a.at < 0 || b.AU > a.AU || math.IsNaN(b.AU) && !math.IsNaN(a.AU) {
			return b
		}
		return a
	})
	switch {
	case err != nil || worst.at < 0:
		return worst, err
	case worst.at < len(bodies):
		worst.Name = bodies[worst.at].Name
	default:
		worst.Name = minors[worst.at-len(bodies)].Name
	}
	if !(worst.AU <= Bound) {
		return worst, fmt.Errorf("self-check failed: %s is %g AU away from the reference, the bound is %g", worst.Name, worst.AU, Bound)
	}
	return worst, nil
}

// heliocentric returns the reference position of a body of the tables, relative
// to the Sun. For a moon, it adds the position of its planet.
func heliocentric(i int, bodies []catalogue.Body, date float64) reference.Vector {
	b := &bodies[i]
	v := reference.Body(b, date)
	if b.Kind == catalogue.Moon {
		v = v.Add(reference.Body(&bodies[catalogue.ParentOf(b, bodies)], date))
	}
	return v
}

func at(v *kernels.Vec3s[float64], i int) reference.Vector {
	return reference.Vector{X: v.X[i], Y: v.Y[i], Z: v.Z[i]}
}
