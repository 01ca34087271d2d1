package reference

import (
	"math"
	"testing"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/catalogue"
)

func TestKepler(t *testing.T) {
	for _, e := range []float64{0, 1e-9, 0.1, 0.5, 0.9, 0.99, 0.9999} {
		for mean := -6.28; mean < 6.28; mean += 0.0137 {
			E := Kepler(mean, e)
			// Check the residual. It is at most this large if the root is right to the last bit.
			if r := E - e*math.Sin(E) - mean; math.Abs(r) > 2e-15 {
				t.Errorf("Kepler(%v, %v) = %v leaves %v", mean, e, E, r)
			}
		}
	}
}

// TestBody compares positions with textbook values: at the periapsis, at the ends of the axes, and
// after a quarter turn of a circle.
func TestBody(t *testing.T) {
	circle := catalogue.Body{Kind: catalogue.Planet, PoleRA: 270, PoleDec: 66.561, Elements: catalogue.Elements{Motion: 1, Axis: 2}}
	ellipse := circle
	ellipse.Ecc = 0.5
	tilted := circle
	tilted.Incl, tilted.Node = 90, 90
	precessing := circle
	precessing.NodeRate = 90
	polar := circle // its plane is the equator, and its node is the equinox
	polar.PoleRA, polar.PoleDec = 270, 90
	sinE, cosE := math.Sincos(84381.448 / 3600 * math.Pi / 180)
	for _, c := range []struct {
		name string
		body catalogue.Body
		t    float64
		want Vector
	}{
		{"circle, start", circle, 0, Vector{2, 0, 0}},
		{"circle, quarter", circle, 90, Vector{0, 2, 0}},
		{"ellipse, periapsis", ellipse, 720, Vector{1, 0, 0}},
		{"ellipse, apoapsis", ellipse, -180, Vector{-3, 0, 0}},
		{"tilted, start", tilted, 0, Vector{0, 2, 0}},
		{"tilted, quarter", tilted, 90, Vector{0, 0, 2}},
		{"precessing", precessing, 365.25, Vector{2 * math.Cos(95.25*math.Pi/180), 2 * math.Sin(95.25*math.Pi/180), 0}},
		{"equator, start", polar, 0, Vector{2, 0, 0}},
		{"equator, quarter", polar, 90, Vector{0, 2 * cosE, -2 * sinE}},
		{"star", catalogue.Body{}, 5, Vector{}},
	} {
		if got := Body(&c.body, c.t); got.Sub(c.want).Length() > 4e-15 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestBlankAxis checks that a blank axis is computed from the motion by Kepler's third law.
func TestBlankAxis(t *testing.T) {
	m := catalogue.Minor{Elements: catalogue.Elements{Motion: 0.01720209895 * 180 / math.Pi}}
	if got := Minor(&m, 0); math.Abs(got.X-1) > 1e-15 || got.Y != 0 || got.Z != 0 {
		t.Errorf("with Gauss's mean motion the axis is %v, want 1 AU", got)
	}
}
