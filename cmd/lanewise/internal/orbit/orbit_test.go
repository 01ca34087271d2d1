package orbit

import (
	"bytes"
	"hash/fnv"
	"math"
	"os"
	"testing"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/belt"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/catalogue"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/julian"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/reference"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/solar"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/soa"
)

// columns holds bodies in lanes, as an archetype stores them.
type columns struct {
	anomaly Anomalies
	ellipse Ellipses
	angles  AngleColumns
	heading kernels.Quats[float64]
	pos     kernels.Vec3s[float64]
}

func newColumns(elements []catalogue.Elements) *columns {
	n := len(elements)
	c := &columns{
		soa.Make[Anomalies](n), soa.Make[Ellipses](n), soa.Make[AngleColumns](n),
		soa.Make[kernels.Quats[float64]](n), soa.Make[kernels.Vec3s[float64]](n),
	}
	for i := range elements {
		a, s, h := Of(&elements[i])
		c.anomaly.Mean[i], c.anomaly.Motion[i], c.anomaly.Epoch[i] = a.Mean, a.Motion, a.Epoch
		c.ellipse.Ecc[i], c.ellipse.Major[i], c.ellipse.Minor[i] = s.Ecc, s.Major, s.Minor
		c.angles.Peri[i], c.angles.Node[i], c.angles.Incl[i] = h.Peri, h.Node, h.Incl
	}
	Tilt(&c.angles)
	return c
}

func (c *columns) at(t float64) *kernels.Vec3s[float64] {
	Orient(&c.heading, &c.angles, c.anomaly.Epoch, t)
	Place(&c.pos, &c.anomaly, &c.ellipse, t)
	return c.pos.Rotate(&c.heading, &c.pos)
}

// dates lists typical dates, and the limits of -t0 and -t1.
var dates = []float64{julian.J2000, 2461465.5, 2451545.25, julian.First, julian.Last - 1}

func TestMinors(t *testing.T) {
	minors := belt.New(5000, 3)
	hard := catalogue.Elements{Epoch: 2461200.5, Mean: 359.62018, Peri: 118.22868, Node: 301.13426, Incl: 11.67886, Ecc: 0.9520394, Motion: 0.00001990}
	minors[17].Elements = hard
	hard.Axis, hard.Ecc, hard.Mean = 2.5, 0.999, 0.001
	minors[18].Elements = hard
	check(t, minors)
}

// check compares positions with the reference. It allows a tenth of the error that the orrery allows.
// It cannot compare bits, because some compilers round the product of motion and time in the
// reference, and others fuse it with the sum.
func check(t *testing.T, minors []catalogue.Minor) {
	t.Helper()
	elements := make([]catalogue.Elements, len(minors))
	for i := range minors {
		elements[i] = minors[i].Elements
	}
	c := newColumns(elements)
	for _, date := range dates {
		pos, worst := c.at(date), 0.0
		for i := range minors {
			off := reference.Vector{X: pos.X[i], Y: pos.Y[i], Z: pos.Z[i]}.Sub(reference.Minor(&minors[i], date)).Length()
			worst = max(worst, off)
			if !(off <= 1e-10) {
				t.Fatalf("%s at JD %v is off by %g AU: %+v", minors[i].Name, date, off, elements[i])
			}
		}
		t.Logf("JD %v: off by %.1e AU at most", date, worst)
	}
}

func TestRealMinors(t *testing.T) {
	text, err := os.ReadFile(solar.Path(t, "asteroids.mpcorb.txt"))
	if err != nil {
		t.Fatal(err)
	}
	minors, err := catalogue.ReadMinors("asteroids", bytes.NewReader(text), func(*catalogue.LineError) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	check(t, minors)
}

// TestMoons checks moons, which have reference planes and angles in turns per year.
func TestMoons(t *testing.T) {
	moons := catalogue.Moons()
	elements := make([]catalogue.Elements, len(moons))
	for i := range moons {
		elements[i] = moons[i].Elements
	}
	c := newColumns(elements)
	frame := soa.Make[kernels.Quats[float64]](len(moons))
	ra, dec := make([]float64, len(moons)), make([]float64, len(moons))
	for i, m := range moons {
		c.angles.PeriRate[i], c.angles.NodeRate[i] = m.PeriRate, m.NodeRate
		ra[i], dec[i] = m.PoleRA, m.PoleDec
	}
	Planes(&frame, ra, dec)
	for _, date := range dates {
		pos := c.at(date)
		pos.Rotate(&frame, pos)
		for i := range moons {
			off := reference.Vector{X: pos.X[i], Y: pos.Y[i], Z: pos.Z[i]}.Sub(reference.Body(&moons[i], date)).Length()
			if !(off < 1e-9) { // AU: 150 m
				t.Errorf("%s at JD %v is off by %g AU", moons[i].Name, date, off)
			}
		}
	}
}

// TestPlanes checks planes. The equator as a reference plane has no ascending node; the result must
// be the limit for planes close to the equator.
func TestPlanes(t *testing.T) {
	frame := soa.Make[kernels.Quats[float64]](2)
	Planes(&frame, []float64{catalogue.EclipticRA, 270}, []float64{catalogue.EclipticDec, 90})
	if frame.X[0] != 0 || frame.Y[0] != 0 || frame.Z[0] != 0 || frame.W[0] != 1 {
		t.Errorf("the ecliptic turns by %v", frame.Slice(0, 1))
	}
	half := -84381.448 / 3600 / 2 * math.Pi / 180
	if math.Abs(frame.X[1]-math.Sin(half)) > 1e-16 || frame.Y[1] != 0 || frame.Z[1] != 0 || math.Abs(frame.W[1]-math.Cos(half)) > 1e-16 {
		t.Errorf("the equator turns by %v", frame.Slice(1, 2))
	}
}

func TestSpins(t *testing.T) {
	turn := soa.Make[kernels.Quats[float64]](4)
	Spins(&turn, []float64{4, -4, 0, 2}, julian.J2000+1)
	root := math.Sqrt(0.5) // half of a quarter turn
	for i, want := range [][2]float64{{math.Sin(math.Pi / 4), root}, {-root, root}, {0, 1}, {1, 0}} {
		if math.Abs(turn.Z[i]-want[0]) > 1e-15 || math.Abs(turn.W[i]-want[1]) > 1e-15 || turn.X[i] != 0 || turn.Y[i] != 0 {
			t.Errorf("body %d turns by %v, want z, w %v", i, turn.Slice(i, i+1), want)
		}
	}
}

func TestCubeRoot(t *testing.T) {
	for x := 1e-12; x < 1e12; x *= 1.37 {
		if got, want := cubeRoot(x), math.Cbrt(x); math.Abs(got-want) > 4e-16*want {
			t.Errorf("cubeRoot(%v) = %v, want %v", x, got, want)
		}
	}
}

// TestSameBits checks that the model gives the same bits on every path and machine.
func TestSameBits(t *testing.T) {
	const golden uint64 = 0x7a07547bf0c7e4b
	minors := belt.New(2000, 11)
	elements := make([]catalogue.Elements, len(minors))
	for i := range minors {
		elements[i] = minors[i].Elements
	}
	elements[5].Axis = 0 // computed from the motion
	c := newColumns(elements)
	used := kernels.Path()
	defer func() {
		if err := kernels.Use(used); err != nil {
			t.Error(err)
		}
	}()
	for _, path := range kernels.Paths() {
		if err := kernels.Use(path); err != nil {
			t.Fatal(err)
		}
		h := fnv.New64a()
		pos := c.at(2461465.5)
		for i := range minors {
			for _, v := range [...]float64{pos.X[i], pos.Y[i], pos.Z[i]} {
				b := math.Float64bits(v)
				h.Write([]byte{byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24), byte(b >> 32), byte(b >> 40), byte(b >> 48), byte(b >> 56)})
			}
		}
		if got := h.Sum64(); got != golden {
			t.Errorf("path %s: places hash to %#x, want %#x", path, got, golden)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	if checked {
		t.Skip("race and guard builds allocate for their checks")
	}
	c := newColumns(make([]catalogue.Elements, 200))
	if n := testing.AllocsPerRun(10, func() { c.at(julian.J2000) }); n != 0 {
		t.Errorf("a step allocates %v times", n)
	}
}

func BenchmarkPlace(b *testing.B) {
	minors := belt.New(144, 1)
	elements := make([]catalogue.Elements, len(minors))
	for i := range minors {
		elements[i] = minors[i].Elements
	}
	c := newColumns(elements)
	Orient(&c.heading, &c.angles, c.anomaly.Epoch, julian.J2000)
	date := julian.J2000
	step := func() {
		date++
		Place(&c.pos, &c.anomaly, &c.ellipse, date)
		c.pos.Rotate(&c.heading, &c.pos)
	}
	for b.Loop() {
		step()
	}
	b.ReportMetric(float64(len(minors))*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
