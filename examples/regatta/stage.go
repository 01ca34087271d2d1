package regatta

import (
	"image/color"
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// Wake is a boat's wake. Its length is proportional to the speed of the boat.
type Wake struct{ Speed float32 }

// Column returns the view of a column.
func (Wake) Column() (c struct{ Speed []float32 }) { return }

// Foresail marks a jib, or the spinnaker that replaces the jib downwind.
type Foresail struct {
	Kite  bool
	Brave bool // the crew sets the spinnaker even if the wind comes from the side
}

// Column returns the view of a column.
func (Foresail) Column() (c struct{ Kite, Brave []bool }) { return }

// Spread changes the lengths of wakes.
type Spread struct {
	_     system.After[Steer]
	_     system.Before[transform.Group]
	wakes *ecs.Query
	helms *ecs.Lookup[Helm]
}

// Create declares once which components the system reads and writes.
func (s *Spread) Create(u *system.Setup) error {
	s.wakes = u.Query(ecs.Read[Aboard](), ecs.Write[Wake](), ecs.Write[transform.NonUniformScale](), ecs.Anywhere(ecs.Read[Helm]()))
	s.helms = ecs.NewLookup[Helm](s.wakes)
	return nil
}

// Update schedules one job.
func (s *Spread) Update(f *system.Frame) error {
	f.ParallelFor(s.wakes, s)
	return nil
}

// Chunk updates the wakes of one chunk.
func (s *Spread) Chunk(c *ecs.Chunk) {
	size, n := ecs.Column[transform.NonUniformScale](c), c.Len()
	speed, boats := ecs.Column[Wake](c).Speed[:n], ecs.Column[Aboard](c).Boat[:n]
	var helms [some]Helm
	for i := range n {
		if i%some == 0 {
			s.helms.Gather(helms[:min(n-i, some)], boats[i:min(i+some, n)])
		}
		speed[i] = helms[i%some].Speed
	}
	kernels.Scale(size.Z, speed, 1.0/5)
}

// Hoist shows the jibs of boats, or their spinnakers if they sail downwind. It only enables and
// disables components, so there is no structural change.
type Hoist struct {
	_     system.After[Steer]
	sails *ecs.Query
	helms *ecs.Lookup[Helm]
}

// Create declares once which components the system reads and writes.
func (s *Hoist) Create(u *system.Setup) error {
	s.sails = u.Query(ecs.Read[Aboard](), ecs.Read[Foresail](), ecs.Write[render.Hidden](), ecs.IgnoreEnabled(), ecs.Anywhere(ecs.Read[Helm]()))
	s.helms = ecs.NewLookup[Helm](s.sails)
	return nil
}

// Update schedules one job.
func (s *Hoist) Update(f *system.Frame) error {
	f.ParallelFor(s.sails, s)
	return nil
}

// Chunk updates the sails of one chunk.
func (s *Hoist) Chunk(c *ecs.Chunk) {
	sail, n := ecs.Column[Foresail](c), c.Len()
	kite, brave, boats := sail.Kite[:n], sail.Brave[:n], ecs.Column[Aboard](c).Boat[:n]
	hidden := c.EnabledBits(reflect.TypeFor[render.Hidden]()) // in a loop over all rows, faster than EnabledAt
	var helms [some]Helm
	for i := range n {
		if i%some == 0 {
			s.helms.Gather(helms[:min(n-i, some)], boats[i:min(i+some, n)])
		}
		h := &helms[i%some]
		free := h.Leg == run && (h.Heading > 2.2 || h.Heading < -2.2) || h.Leg == back && brave[i] && h.Heading > -2 && h.Heading < -1
		if hide := free != kite[i]; hide != (hidden[i/64]>>(i%64)&1 == 1) {
			ecs.SetEnabledAt[render.Hidden](c, i, hide)
		}
	}
}

// Ruffle darkens the water where there is wind.
type Ruffle struct {
	_       system.After[Wind]
	patches *ecs.Query
}

// Create declares once which components the system reads and writes.
func (s *Ruffle) Create(u *system.Setup) error {
	s.patches = u.Query(ecs.Read[Air](), ecs.Write[render.Tint](), ecs.Without[Helm]())
	return nil
}

// Update schedules one job.
func (s *Ruffle) Update(f *system.Frame) error {
	f.ParallelFor(s.patches, s)
	return nil
}

// Chunk updates the patches of one chunk.
func (s *Ruffle) Chunk(c *ecs.Chunk) {
	air, tint := ecs.Column[Air](c), ecs.Column[render.Tint](c).Color
	for i, f := range air.Force {
		dark := clamp(float32((f-breeze)*0.5), 1)
		tint[i].A = uint8(150 * max(dark, 0))
	}
}

// Glint is a light on a wave. Phase is its place in the cycle, in radians.
type Glint struct{ Phase float32 }

// Column returns the view of a column.
func (Glint) Column() (c struct{ Phase []float32 }) { return }

// Twinkle lets the waves flash in the sun, one after the other.
type Twinkle struct {
	glints *ecs.Query
	dt     float32
}

// Create declares once which components the system reads and writes.
func (s *Twinkle) Create(u *system.Setup) error {
	s.glints = u.Query(ecs.Write[Glint](), ecs.Write[render.Tint]())
	return nil
}

// Update schedules one job.
func (s *Twinkle) Update(f *system.Frame) error {
	s.dt = float32(f.Delta())
	f.ParallelFor(s.glints, s)
	return nil
}

// Chunk updates the lights of one chunk.
func (s *Twinkle) Chunk(c *ecs.Chunk) {
	phase, tint := ecs.Column[Glint](c).Phase, ecs.Column[render.Tint](c).Color
	for i, p := range phase {
		p += float32(2.5 * s.dt)
		phase[i] = wrap(p)
		// Make the flash short, because a wave reflects the sun only for a moment.
		x := max(0, 1-float32(0.5*phase[i]*phase[i]))
		tint[i].A = uint8(220 * x)
	}
}

// Mark colours the boats on the chart by their legs.
type Mark struct {
	_     system.After[Steer]
	boats *ecs.Query
}

// Create declares once which components the system reads and writes.
func (s *Mark) Create(u *system.Setup) error {
	s.boats = u.Query(ecs.Read[Helm](), ecs.Write[render.Tint]())
	return nil
}

// Update schedules one job.
func (s *Mark) Update(f *system.Frame) error {
	f.ParallelFor(s.boats, s)
	return nil
}

var chart = [4]color.NRGBA{{236, 242, 240, 150}, {250, 200, 90, 150}, {240, 92, 72, 150}, {96, 190, 210, 150}}

// Chunk colours the boats of one chunk.
func (s *Mark) Chunk(c *ecs.Chunk) {
	leg, tint := ecs.Column[Helm](c).Leg, ecs.Column[render.Tint](c).Color
	for i, l := range leg {
		tint[i] = chart[int(l)]
	}
}

// Pursuit is a component of a camera that follows a boat. The state is in a component, and
// therefore a part of the world, so that a saved race continues with the same state.
type Pursuit struct {
	Boat    ecs.Entity
	Heading float32 // of the camera, which follows the boat's heading slowly
	Ready   bool    // Heading is set
}

// Chase moves the cameras that follow a boat.
type Chase struct {
	_       system.After[Steer]
	_       system.Before[transform.Group]
	cameras *ecs.Query
}

// Create declares once which components the system reads and writes.
func (s *Chase) Create(u *system.Setup) error {
	s.cameras = u.Query(ecs.Write[Pursuit](), ecs.Write[transform.Translation](), ecs.Write[transform.Rotation]())
	return nil
}

// Update moves the cameras.
func (s *Chase) Update(f *system.Frame) error {
	for _, camera := range s.cameras.AppendEntities(nil) {
		if err := chase(f.World(), camera, float32(f.Delta())); err != nil {
			return err
		}
	}
	return nil
}

// chase moves one camera.
func chase(w *ecs.World, camera ecs.Entity, dt float32) error {
	p, err := ecs.Get[Pursuit](w, camera)
	if err != nil {
		return err
	}
	h, err := ecs.Get[Helm](w, p.Boat)
	if err != nil {
		return err
	}
	at, err := ecs.Get[transform.Translation](w, p.Boat)
	if err != nil {
		return err
	}
	to := h.Heading + 0.5 // from the left of the stern
	if !p.Ready {
		p.Heading, p.Ready = to, true
	}
	p.Heading = wrap(p.Heading + float32(wrap(to-p.Heading)*min(float32(0.6*dt), 1)))
	heading := [1]float32{p.Heading}
	var sin, cos [1]float32
	kernels.Sincos(sin[:], cos[:], heading[:])
	const behind, above = 42, 9
	if err := ecs.Set(w, camera, transform.Translation{X: at.X - float32(behind*sin[0]), Y: above, Z: at.Z + float32(behind*cos[0])}); err != nil {
		return err
	}
	if err := ecs.Set(w, camera, p); err != nil {
		return err
	}
	return ecs.Set(w, camera, Aim(p.Heading, -0.09))
}

// Aim returns the rotation of a camera with the given heading and angle upwards.
func Aim(heading, up float32) transform.Rotation {
	half := [2]float32{float32(heading * -0.5), float32(up * 0.5)}
	var sin, cos [2]float32
	kernels.Sincos(sin[:], cos[:], half[:])
	return transform.Rotation{X: float32(cos[0] * sin[1]), Y: float32(sin[0] * cos[1]), Z: -float32(sin[0] * sin[1]), W: float32(cos[0] * cos[1])}
}

// setStage creates the sea, the sky, the marks, the wind and the lights on the water. It also creates
// the cameras; one of them follows a boat.
func setStage(w *ecs.World, a *render.Assets, boats int, boat ecs.Entity) (stand, chase ecs.Entity) {
	paint := a.Material(render.Material{Name: "scenery"})
	for _, s := range []render.Shape{seaShape(), skyShape()} {
		w.Spawn(render.Look{Shape: a.Shape(s), Material: paint}, transform.LocalToWorld{M: transform.IdentityMatrix[float32]()})
	}
	buoy := render.Look{Shape: a.Shape(buoyShape()), Material: paint}
	for _, p := range [][2]float32{{-innerX, -innerZ}, {innerX, -innerZ}, {innerX, innerZ}, {-innerX, innerZ}} {
		w.Spawn(buoy, transform.Translation{X: p[0], Z: p[1]}, transform.LocalToWorld{})
	}
	const size, apart = 330, 150
	patch := render.Look{
		Shape:    a.Shape(render.Shape{Name: "patch", Kind: render.Sprite, Width: size, Height: size * 0.55}),
		Material: a.Material(render.Material{Name: "ruffled", Image: cloud(32), Color: color.NRGBA{4, 40, 66, 255}, Blend: render.Over}),
		Layer:    onWater,
	}
	flat := Aim(0, -1.5707964)
	for x := float32(-2_700); x <= 2_700; x += apart {
		for z := float32(-3_300); z <= 2_700; z += apart {
			w.Spawn(patch, render.Tint{Color: color.NRGBA{255, 255, 255, 0}}, flat, Air{}, transform.LocalToWorld{},
				transform.Translation{X: x + float32(60*dice(uint32(int32(x))*7+uint32(int32(z)))), Y: 0.05, Z: z})
		}
	}
	shine := a.Material(render.Material{Name: "shine", Image: cloud(64), Color: color.NRGBA{255, 214, 150, 255}, Blend: render.Add})
	w.Spawn(render.Look{Shape: a.Shape(render.Shape{Name: "sun", Kind: render.Sprite, Width: 6_000, Height: 4_600}), Material: shine, Layer: onWater},
		render.Tint{Color: color.NRGBA{255, 255, 255, 60}}, transform.Translation{X: -600, Y: 300, Z: -10_500}, transform.LocalToWorld{})
	glint := render.Look{Shape: a.Shape(render.Shape{Name: "glint", Kind: render.Sprite, Width: 9, Height: 1.6}), Material: shine, Layer: onWater}
	for i := range uint32(7 * boats / 10) {
		w.Spawn(glint, render.Tint{Color: color.NRGBA{255, 255, 255, 0}}, flat, Glint{dice(i) * 6.2831855}, transform.LocalToWorld{},
			transform.Translation{X: (dice(2*i+1) - 0.5) * 4_400, Y: 0.1, Z: float32((dice(5*i+2)-0.5)*5_000) + 200})
	}
	sea := uint32(1<<onStage | 1<<onWater)
	stand = w.Spawn(render.Camera{FOV: 0.56, Near: 10, Far: 26_000, Layers: sea, Background: color.NRGBA{120, 170, 200, 255}},
		transform.Translation{X: 440, Y: 92, Z: 2_060}, Aim(-0.08, -0.085), transform.LocalToWorld{})
	chase = w.Spawn(render.Camera{FOV: 0.75, Near: 2, Far: 26_000, Layers: sea, Order: 1, LevelBias: 2, X: 0.69, Y: 0.035, W: 0.29, H: 0.34, Background: color.NRGBA{120, 170, 200, 255}},
		transform.Translation{}, transform.Identity, transform.LocalToWorld{}, Pursuit{Boat: boat})
	w.Spawn(render.Camera{Height: 2 * outerZ * 1.12, Layers: 1 << onChart, Order: 2, X: 0.02, Y: 0.035, W: 0.155, H: 0.34, Background: color.NRGBA{8, 40, 62, 255}},
		transform.Translation{Y: 500}, Aim(0, -1.5707964), transform.LocalToWorld{})
	return stand, chase
}
