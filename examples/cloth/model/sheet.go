// Package model is the sheet of examples/cloth: a grid of knots that are connected by springs. The
// sheet falls over a ball. The gallery (examples/gallery) shows it too.
package model

import (
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/forces"
)

// Velocity is the velocity of a knot, in metres per second.
type Velocity struct{ X, Y, Z float32 }

// Column returns the view of a column: three lanes.
func (Velocity) Column() (c kernels.Vec3s[float32]) { return }

// These are the sizes of the sheet and the ball, in metres and seconds.
const (
	Wide   = 2    // length of a side of the sheet
	Radius = 0.5  // radius of the ball around the origin
	above  = 0.52 // initial height of the sheet
	sound  = 20   // speed at which a pull travels through the sheet
	grip   = 0.02 // share of the sliding velocity that is left after a step
)

type lanes = kernels.Vec3s[float32]

// Sheet is a grid of knots of mass 1. Springs tie each knot to its neighbours, to its diagonal
// neighbours, and to the knots two places away.
type Sheet struct {
	Side    int        // number of knots along a side
	Knots   *ecs.Query // row by row
	Seconds float32    // length of a step
	Gravity float32    // acceleration downwards, in m/s²
	Wind    float32    // acceleration along X, in m/s²

	net            forces.Net[float32]
	damp           float32
	at, way, force lanes // of all knots at the start of a step
	starts         []int // where each chunk starts in these lanes
	step           stepping
}

// Hang creates a sheet of side × side knots above the ball.
func Hang(w *ecs.World, side int) *Sheet {
	apart := float32(Wide) / float32(side-1)
	knot := 0
	for c := range w.Create(w.Archetype(ecs.With[transform.Translation](), ecs.With[Velocity]()), side*side).Chunks() {
		pos, n := ecs.Column[transform.Translation](c), c.Len()
		x, y, z := pos.X[:n], pos.Y[:n], pos.Z[:n]
		for i := range n {
			row, column := knot/side, knot%side
			x[i] = float32(float32(column)*apart) - Wide/2
			y[i] = above
			z[i] = float32(float32(row)*apart) - Wide/2
			knot++
		}
	}
	s := &Sheet{Side: side, Knots: w.Query(ecs.Write[transform.Translation](), ecs.Write[Velocity]()), Gravity: 9.81, net: tie(side, apart)}
	s.Seconds = 0.2 * apart / sound
	s.damp = 0.1 * sound / apart
	for _, v := range []*lanes{&s.at, &s.way, &s.force} {
		*v = lanes{X: make([]float32, knot), Y: make([]float32, knot), Z: make([]float32, knot)}
	}
	s.step = stepping{s}
	return s
}

// tie creates the net of springs. The springs to the neighbours keep the size of the sheet, and the
// diagonal springs keep it square. Weak springs to the knots two places away prevent creases.
func tie(side int, apart float32) forces.Net[float32] {
	var a, b []int32
	var rest, stiff []float32
	hard := float32(sound/apart) * float32(sound/apart)
	for _, spring := range []struct {
		dx, dy int
		stiff  float32
	}{{1, 0, hard}, {0, 1, hard}, {1, 1, hard / 2}, {-1, 1, hard / 2}, {2, 0, hard / 16}, {0, 2, hard / 16}} {
		long := float32(math.Sqrt(float64(spring.dx*spring.dx+spring.dy*spring.dy))) * apart
		for y := range side - spring.dy {
			for x := max(0, -spring.dx); x < min(side, side-spring.dx); x++ {
				a, b = append(a, int32(y*side+x)), append(b, int32((y+spring.dy)*side+x+spring.dx))
				rest, stiff = append(rest, long), append(stiff, spring.stiff)
			}
		}
	}
	return forces.Tie(side*side, a, b, rest, stiff)
}

// Tick does one step: it computes the forces of the springs on all knots and moves them.
func (s *Sheet) Tick() error {
	s.starts = s.Knots.AppendOffsets(s.starts[:0])
	for c := range s.Knots.Chunks() {
		pos, vel, first := ecs.ReadColumn[transform.Translation](c), ecs.ReadColumn[Velocity](c), s.starts[c.Index()]
		copy(s.at.X[first:], pos.X)
		copy(s.at.Y[first:], pos.Y)
		copy(s.at.Z[first:], pos.Z)
		copy(s.way.X[first:], vel.X)
		copy(s.way.Y[first:], vel.Y)
		copy(s.way.Z[first:], vel.Z)
	}
	return s.Knots.ParallelFor(&s.step).Wait()
}

// stepping is the job of a step.
type stepping struct{ *Sheet }

// Chunk moves the knots of one chunk. It reads the positions of all knots at the start of the step.
func (s *stepping) Chunk(c *ecs.Chunk) {
	pos, vel := ecs.Column[transform.Translation](c), ecs.Column[Velocity](c)
	lo, hi := s.starts[c.Index()], s.starts[c.Index()]+c.Len()
	force := s.force.Slice(lo, hi)
	kernels.Fill(force.X, s.Wind)
	kernels.Fill(force.Y, -s.Gravity)
	kernels.Fill(force.Z, 0)
	forces.Springs(&force, pos, vel, &s.at, &s.way, s.net.Rows(lo, hi), s.damp)
	vel.AddScaled(vel, &force, s.Seconds)
	pos.AddScaled(pos, vel, s.Seconds)
	for i := range pos.X {
		keepOut(pos, vel, i)
	}
}

// keepOut moves a knot that is inside the ball to the ball's surface. The knot loses its velocity
// into the ball, and most of its velocity along the surface.
func keepOut(pos, vel *lanes, i int) {
	x, y, z := pos.X[i], pos.Y[i], pos.Z[i]
	r2 := (float32(x*x) + float32(y*y)) + float32(z*z)
	if r2 >= Radius*Radius || r2 == 0 {
		return
	}
	r := float32(math.Sqrt(float64(r2)))
	x, y, z = x/r, y/r, z/r
	in := (float32(vel.X[i]*x) + float32(vel.Y[i]*y)) + float32(vel.Z[i]*z)
	out := max(in, 0)
	pos.X[i], pos.Y[i], pos.Z[i] = Radius*x, Radius*y, Radius*z
	vel.X[i] = float32(grip*(vel.X[i]-float32(in*x))) + float32(out*x)
	vel.Y[i] = float32(grip*(vel.Y[i]-float32(in*y))) + float32(out*y)
	vel.Z[i] = float32(grip*(vel.Z[i]-float32(in*z))) + float32(out*z)
}
