// Package regatta is a race of thousands of boats around a course, in a wind that shifts
// and has gusts. It has three cameras: one for the spectators, one that follows a boat, and
// one for the chart. The program in sail makes pictures and films of the race. The
// program in examples/window/regatta shows the race in a window.
//
// A boat is a tree of entities. The root is its position; the hull, which heels, is a child
// of the root; the trimmed sails are children of the hull. A boat also has a wake, and a
// simple shape that replaces it at a distance.
package regatta

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// systems are the systems of the regatta.
var systems = &system.Plugin{Name: "regatta", Types: []*system.Type{
	system.Of[Wind](), system.Of[Steer](), system.Of[Heel](), system.Of[Trim](), system.Of[Spread](), system.Of[Hoist](), system.Of[Ruffle](), system.Of[Twinkle](), system.Of[Mark](), system.Of[Chase](),
}}

// Step is the time of a frame of a film, in seconds.
const Step = 1.0 / 60

// Options configures a race.
type Options struct {
	Boats    int
	Renderer render.Renderer // nil: the views are computed and not drawn

	// Rate is the number of simulated steps per second. Frames show the boats between the last two
	// steps, by interpolation, so the frame rate does not depend on Rate. 0 means one step per
	// frame.
	Rate float64
}

// Race is a world of sailing boats.
type Race struct {
	World  *ecs.World
	Assets *render.Assets
	Boat   ecs.Entity // the boat that the second camera follows
	Stand  ecs.Entity // the camera of the spectators
	Chase  ecs.Entity // the camera that follows Boat
}

// New makes a race. The caller must close its World.
func New(o Options, options ...system.Option) (*Race, error) {
	options = append([]system.Option{system.Only(), system.WithPlugins(transform.Systems(), systems)}, options...)
	w, err := system.NewWorld("regatta", options...)
	if err != nil {
		return nil, err
	}
	r := &Race{World: w, Assets: render.NewAssets()}
	r.Boat = launch(w, r.Assets, o.Boats)
	r.Stand, r.Chase = setStage(w, r.Assets, o.Boats, r.Boat)
	if o.Rate > 0 {
		if err := r.fix(o.Rate); err != nil {
			return nil, fmt.Errorf("regatta: %v steps a second: %w", o.Rate, err)
		}
	}
	return r, render.Install(w, render.Options{Renderer: o.Renderer, Assets: r.Assets, Width: 1280, Height: 720})
}

// Follow lets the camera follow boat n, counted from 0. The boat after the last boat is the first
// again.
func (r *Race) Follow(n int) error {
	boats := r.World.Query(ecs.With[Helm]())
	defer boats.Close()
	list := boats.AppendEntities(nil)
	r.Boat = list[n%len(list)]
	if err := ecs.Set(r.World, r.Chase, Pursuit{Boat: r.Boat}); err != nil {
		return err
	}
	if !ecs.Has[render.Previous](r.World, r.Chase) {
		return nil
	}
	return ecs.Set(r.World, r.Chase, render.Previous{}) // the new camera position is not interpolated
}

// fix moves the systems into the group of fixed steps. It adds Previous to the entities that the
// systems move, so that frames can show these entities between two steps.
func (r *Race) fix(rate float64) error {
	w := r.World
	each, fixed := system.GetOrCreate[system.Simulation](w), system.GetOrCreate[system.FixedStep](w)
	fixed.SetRate(system.CatchUpRate(1.0 / rate))
	for _, s := range []system.System{
		system.GetOrCreate[Wind](w), system.GetOrCreate[Steer](w), system.GetOrCreate[Heel](w), system.GetOrCreate[Trim](w), system.GetOrCreate[Spread](w),
		system.GetOrCreate[Hoist](w), system.GetOrCreate[Ruffle](w), system.GetOrCreate[Twinkle](w), system.GetOrCreate[Mark](w), system.GetOrCreate[Chase](w),
	} {
		each.Remove(s)
		if err := fixed.Add(s); err != nil {
			return err
		}
	}
	moving := w.Query(ecs.AnyOf(ecs.AllOf(ecs.With[Helm]()), ecs.AllOf(ecs.With[Aboard]())))
	defer moving.Close()
	if err := ecs.AddTypes(w, ecs.Matching(moving), ecs.With[render.Previous]()); err != nil {
		return err
	}
	err := ecs.AddTypes(w, ecs.One(r.Chase), ecs.With[render.Previous]())
	return err
}
