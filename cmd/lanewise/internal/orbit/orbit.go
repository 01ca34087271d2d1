// Package orbit is the model of the orrery: bodies on ellipses of constant
// shape, computed on columns by the library's kernels. Every function has the
// same bits on every machine.
//
// These steps compute a position at time t from the elements at their epoch:
//
//	mean anomaly    M = M₀ + n·(t - epoch), less whole turns         Place
//	Kepler          E - e·sin E = M                                  Place
//	in its plane    (a·(cos E - e), b·sin E, 0)                      Place
//	in space        turned by node, inclination and argument         Tilt, Orient, Vec3s.Rotate
//	in the ecliptic turned by the plane the angles refer to          Planes
//
// A position depends only on the elements and t, so that no error accumulates.
//
// The ellipses of planets and moons turn slowly, at the secular rates of their
// tables. Moons need these rates, because their mean motion is relative to a
// periapsis that moves (the Moon's is anomalistic, 13.065 degrees a day).
// Without the rates, the Moon would lag by 41 degrees a year.
package orbit

import (
	"math"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/catalogue"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/julian"
	"github.com/lanewise/lanewise/kernels"
)

const (
	// gauss is Gauss's gravitational constant: the mean motion, in radians a
	// day, of a body without mass at 1 AU.
	gauss = 0.01720209895

	// obliquity is the angle in degrees between ecliptic and equator of J2000:
	// 84381.448 seconds of arc (IAU 1976), which the catalogues assume.
	obliquity = 84381.448 / 3600

	degree = math.Pi / 180
)

// Anomaly is the position of a body on its ellipse: degrees at the epoch,
// degrees a day, and the epoch as a Julian date.
type Anomaly struct{ Mean, Motion, Epoch float64 }

// Anomalies is a column of Anomaly.
type Anomalies struct{ Mean, Motion, Epoch []float64 }

func (Anomaly) Column() (c Anomalies) { return }

// Ellipse is the shape of an orbit: eccentricity and half axes in AU.
type Ellipse struct{ Ecc, Major, Minor float64 }

// Ellipses is a column of Ellipse.
type Ellipses struct{ Ecc, Major, Minor []float64 }

func (Ellipse) Column() (c Ellipses) { return }

// Heading is the orientation of an ellipse. It is the rotation from the ellipse's axes to the axes
// of its reference plane, to which its angles refer.
type Heading struct{ X, Y, Z, W float64 }

func (Heading) Column() (c kernels.Quats[float64]) { return }

// Angles is a heading in degrees, with its secular rates in degrees a year.
// The angles are given for the epoch of the anomaly. [Tilt] sets TiltSin and
// TiltCos to the sine and cosine of half the inclination.
type Angles struct{ Peri, Node, Incl, PeriRate, NodeRate, TiltSin, TiltCos float64 }

// AngleColumns is a column of Angles.
type AngleColumns struct{ Peri, Node, Incl, PeriRate, NodeRate, TiltSin, TiltCos []float64 }

func (Angles) Column() (c AngleColumns) { return }

// Of converts the elements that tables contain to the values of the columns. A missing axis is
// computed from the mean motion by Kepler's third law.
func Of(e *catalogue.Elements) (Anomaly, Ellipse, Angles) {
	major := e.Axis
	if major == 0 {
		root := cubeRoot(gauss / (e.Motion * degree))
		major = float64(root * root)
	}
	minor := float64(major * math.Sqrt((1-e.Ecc)*(1+e.Ecc)))
	return Anomaly{Mean: e.Mean, Motion: e.Motion, Epoch: e.Epoch},
		Ellipse{Ecc: e.Ecc, Major: major, Minor: minor},
		Angles{Peri: e.Peri, Node: e.Node, Incl: e.Incl}
}

// Place sets pos to the positions of the bodies at Julian date t, in the axes
// of their ellipses: x points towards the periapsis, and z along the pole. It
// uses pos for intermediate values, so it does not allocate.
func Place(pos *kernels.Vec3s[float64], a *Anomalies, shape *Ellipses, t float64) {
	x, y := pos.X, pos.Y
	mean, motion, epoch := a.Mean[:len(x)], a.Motion[:len(x)], a.Epoch[:len(x)]
	for i := range x {
		x[i] = float64(wholeTurns(mean[i]+float64(motion[i]*(t-epoch[i]))) * degree)
	}
	kernels.Kepler(x, x, shape.Ecc)
	kernels.Sincos(y, x, x)
	y = y[:len(x)]
	ecc, major, minor := shape.Ecc[:len(x)], shape.Major[:len(x)], shape.Minor[:len(x)]
	for i := range x {
		x[i] = float64(major[i] * (x[i] - ecc[i]))
		y[i] = float64(minor[i] * y[i])
	}
	kernels.Fill(pos.Z, 0)
}

// wholeTurns subtracts whole turns from an angle in degrees. The remainder is exact, and its
// absolute value is at most half a turn.
func wholeTurns(degrees float64) float64 {
	return degrees - float64(360*math.RoundToEven(degrees/360))
}

// Tilt computes the sine and cosine of half of each inclination. Call it once,
// because no secular rate changes inclinations.
func Tilt(a *AngleColumns) {
	half := a.TiltSin
	for i := range half {
		half[i] = float64(a.Incl[i] / 2 * degree)
	}
	kernels.Sincos(a.TiltSin, a.TiltCos, half)
}

// Orient sets heading to the orientations of the ellipses at Julian date t:
// Rz(node)·Rx(inclination)·Rz(argument of the periapsis). Call [Tilt] on the
// angles first. It does not allocate.
func Orient(heading *kernels.Quats[float64], a *AngleColumns, epoch []float64, t float64) {
	x, y, z, w := heading.X, heading.Y, heading.Z, heading.W
	for i := range x {
		years := (t - epoch[i]) / julian.Year
		peri := a.Peri[i] + float64(a.PeriRate[i]*years)
		node := a.Node[i] + float64(a.NodeRate[i]*years)
		z[i] = float64(wholeTurns(float64((node+peri)/2)) * degree)
		x[i] = float64(wholeTurns(float64((node-peri)/2)) * degree)
	}
	kernels.Sincos(z, w, z)
	kernels.Sincos(x, y, x)
	for i := range x {
		x[i], y[i] = float64(a.TiltSin[i]*y[i]), float64(a.TiltSin[i]*x[i])
		z[i], w[i] = float64(a.TiltCos[i]*z[i]), float64(a.TiltCos[i]*w[i])
	}
}

// Planes sets frame to the rotation from the axes of a reference plane to the
// axes of the ecliptic. The right ascension and declination of its pole, in
// degrees of J2000, define the plane; its x axis points to its ascending node
// on the equator. For the pole of the ecliptic, the result is exactly the
// identity.
func Planes(frame *kernels.Quats[float64], ra, dec []float64) {
	toEcliptic := tiltBy(-obliquity)
	for i := range frame.X {
		if ra[i] == catalogue.EclipticRA && dec[i] == catalogue.EclipticDec {
			frame.X[i], frame.Y[i], frame.Z[i], frame.W[i] = 0, 0, 0, 1
			continue
		}
		// Rz(ra + 90°)·Rx(90° - dec) maps the z axis to the pole and the x axis
		// to the ascending node on the equator.
		turn := tiltBy(wholeTurns(ra[i] + 90))
		turn[2], turn[0] = turn[0], 0 // about z instead of x
		q := product(toEcliptic, product(turn, tiltBy(90-dec[i])))
		frame.X[i], frame.Y[i], frame.Z[i], frame.W[i] = q[0], q[1], q[2], q[3]
	}
}

// Spins sets turn to the rotation of a body about the z axis at Julian date t,
// computed from its sidereal period in days. The rotation is zero at J2000. A
// period of 0 means that the rotation is unknown.
func Spins(turn *kernels.Quats[float64], period []float64, t float64) {
	kernels.Fill(turn.X, 0)
	kernels.Fill(turn.Y, 0)
	half := turn.Z
	for i, p := range period {
		half[i] = 0
		if p != 0 {
			turns := (t - julian.J2000) / p
			half[i] = float64((turns - math.RoundToEven(turns)) * math.Pi)
		}
	}
	kernels.Sincos(turn.Z, turn.W, half)
}

// tiltBy returns a rotation by degrees about the x axis.
func tiltBy(degrees float64) (q [4]float64) {
	half := [1]float64{degrees / 2 * degree}
	kernels.Sincos(q[0:1], q[3:4], half[:])
	return q
}

// product returns the Hamilton product a·b.
func product(a, b [4]float64) (q [4]float64) {
	view := func(q *[4]float64) *kernels.Quats[float64] {
		return &kernels.Quats[float64]{X: q[0:1], Y: q[1:2], Z: q[2:3], W: q[3:4]}
	}
	view(&q).Mul(view(&a), view(&b))
	return q
}

// cubeRoot returns the cube root of x > 0 to a few units in the last place, by Newton's method. It
// does not use math.Cbrt, because its last bits differ from machine to machine.
func cubeRoot(x float64) float64 {
	_, exponent := math.Frexp(x)
	y := math.Ldexp(1, exponent/3)
	for range 8 { // the first guess is within a factor of two
		y = (y + y + x/float64(y*y)) / 3
	}
	return y
}
