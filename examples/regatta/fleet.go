package regatta

import (
	"image/color"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/transform"
)

// These are the layers of the picture.
const (
	onStage = 0 // visible to the cameras at sea
	onWater = 1
	onChart = 2
	inFront = 3
)

// cloths lists the colours of sails, and kites lists the colours of spinnakers.
var (
	cloths = [][3]float32{{1, 0.98, 0.93}, {1, 0.96, 0.87}, {0.97, 0.98, 1}, {1, 0.94, 0.82}, {0.93, 0.66, 0.42}, {0.85, 0.30, 0.26}, {0.24, 0.36, 0.55}}
	kites  = [][3]float32{{0.98, 0.30, 0.26}, {1, 0.78, 0.20}, {0.10, 0.66, 0.62}, {0.98, 0.52, 0.18}, {0.35, 0.45, 0.92}, {0.96, 0.42, 0.62}, {0.55, 0.80, 0.30}, {1, 1, 1}}
	paints = []color.NRGBA{{250, 248, 240, 255}, {30, 48, 76, 255}, {168, 40, 36, 255}, {240, 236, 226, 255}, {34, 96, 92, 255}, {60, 60, 66, 255}}
)

// looks holds the look of each part of a boat.
type looks struct{ hull, main, jib, kite, far, farKite, wake, dot render.Look }

func registered(a *render.Assets) looks {
	paint := a.Material(render.Material{Name: "paint"})
	foam := a.Material(render.Material{Name: "foam", Blend: render.Over})
	chalk := a.Material(render.Material{Name: "chalk", Size: 1.2, Blend: render.Over})
	solid := func(s render.Shape) render.Look { return render.Look{Shape: a.Shape(s), Material: paint} }
	return looks{
		hull: solid(hullShape()), main: solid(mainShape()), jib: solid(jibShape()), kite: solid(kiteShape("kite", 5, 6)),
		far: solid(farShape()), farKite: solid(kiteShape("far kite", 2, 2)),
		wake: render.Look{Shape: a.Shape(wakeShape()), Material: foam, Layer: onWater},
		dot:  render.Look{Shape: a.Shape(dotShape()), Material: chalk, Layer: onChart},
	}
}

// launch creates a fleet of n boats, spread over the course, and returns the boat that the second
// camera follows.
func launch(w *ecs.World, a *render.Assets, n int) (leader ecs.Entity) {
	l, followed := registered(a), beat
	for i := range uint32(n) {
		boat, leg := launchBoat(w, &l, i)
		if i == 0 || leg == run && followed != run {
			leader, followed = boat, leg
		}
	}
	return leader
}

func launchBoat(w *ecs.World, l *looks, i uint32) (boat ecs.Entity, leg float32) {
	at, h := berth(i)
	cloth, kite := cloths[pick(4*i+1, 2, len(cloths))], kites[pick(4*i+2, 1, len(kites))]
	boat = w.Spawn(l.dot, render.Tint{}, at, transform.Identity, h, Air{}, transform.LocalToWorld{}, levels)
	brave := dice(17*i+8) < 0.5
	part := func(parent ecs.Entity, level render.Level, more ...any) ecs.Entity {
		level.Group = boat
		return w.Spawn(append(more, level, transform.Parent{Entity: parent}, transform.LocalToParent{}, transform.LocalToWorld{}, Aboard{boat})...)
	}
	sail := func(parent ecs.Entity, level render.Level, look render.Look, z, closest, free float32, c [3]float32, more ...any) {
		part(parent, level, append(more, look, render.Tint{}, Sail{Close: closest, Free: free, R: c[0], G: c[1], B: c[2]},
			transform.Identity, even, transform.Translation{Z: z})...)
	}
	hull := part(boat, near, l.hull, render.Tint{Color: paints[pick(4*i+3, 1, len(paints))]}, Hull{}, transform.Identity)
	sail(hull, near, l.main, mastZ, 0.16, 1.4, cloth)
	sail(hull, near, l.jib, tack, 0.2, 0.9, cloth, render.Hidden{}, Foresail{false, brave})
	sail(hull, near, l.kite, mastZ, 0.2, 0.25, kite, render.Hidden{}, Foresail{true, brave})
	sail(boat, far, l.far, 0, 0.16, 0.7, cloth)
	sail(boat, far, l.farKite, mastZ, 0.2, 0.25, kite, render.Hidden{}, Foresail{true, brave})
	part(boat, wide, l.wake, Wake{}, even)
	return boat, h.Leg
}

// A boat has three levels of detail: all parts, a simple shape with a wake, and a simple shape alone.
var (
	levels = render.Levels{Distances: [8]float32{600, 1_900}, Hysteresis: 0.08}
	near   = render.Level{Min: 0}
	far    = render.Level{Min: 1, Max: 3}
	wide   = render.Level{Min: 0, Max: 2}
	even   = transform.NonUniformScale{X: 1, Y: 1, Z: 1}
)

// pick chooses one of n items. With a higher bias, it chooses items of the first half more often.
func pick(seed uint32, bias, n int) int {
	d := dice(seed)
	for range bias - 1 {
		d = float32(d * dice(seed+0x9e3779b9))
	}
	return min(int(d*float32(n)), n-1)
}

// berth returns where boat i starts: a place in the ring of the course, and a heading along the ring.
func berth(i uint32) (at transform.Translation, h Helm) {
	lane, along := dice(3*i+100), dice(7*i+5)
	// Put more boats into the outer lanes of the ring, because these are longer.
	if d := dice(11*i + 9); d > lane {
		lane = d
	}
	h.Lane, h.Side = lane, 1
	wide, long := innerX+float32(lane*(outerX-innerX)), innerZ+float32(lane*(outerZ-innerZ))
	way := float32(along * 2 * (wide + long)) // half of the ring's length, twice
	switch jitter := float32((dice(5*i+77) - 0.5) * 2 * corridor); {
	case way < long: // up
		at.X, at.Z, h.Leg = -wide+jitter, long-float32(2*way), beat
		h.Heading = 0.76
	case way < long+wide:
		at.X, at.Z, h.Leg = -wide+float32(2*(way-long)), -long, reach
		h.Heading = 1.5
	case way < long+long+wide:
		at.X, at.Z, h.Leg = wide+jitter, -long+float32(2*(way-long-wide)), run
		h.Heading = 2.8
	default:
		at.X, at.Z, h.Leg = wide-float32(2*(way-long-long-wide)), long, back
		h.Heading = -1.6
	}
	if dice(13*i+3) < 0.5 && (h.Leg == beat || h.Leg == run) {
		h.Side = -1
		h.Heading = -h.Heading
	}
	h.Speed = 4
	return at, h
}
