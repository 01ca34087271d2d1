package render

import (
	"errors"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/plumbing"
	"github.com/lanewise/lanewise/ecs/system"
)

// MissingBounds gives entities that have a [Look], LocalToWorld and no [Bounds] those of
// their shape, and all with a Look [WorldBounds] and [ChunkBounds], also those that are
// prefabs or inactive, so that copies have them from the start. Bounds of one's own stay.
// A shape that is not registered has none to give: its entities get theirs in the first
// frame after it is.
type MissingBounds struct {
	_ system.In[system.Presentation]

	scene   *scene
	bare    *ecs.Query
	boxless *ecs.Query
	version uint64       // of the assets at the last look
	orders  uint32       // of bare at the last look
	ids     []ecs.Entity // that get bounds
	bounds  []Bounds     // of each
	look    *ecs.Lookup[Bounds]
}

// Create makes the queries.
func (s *MissingBounds) Create(u *system.Setup) error {
	s.scene = sceneOf(u.World())
	s.bare = u.Query(ecs.With[Look](), ecs.With[matrices](), ecs.Absent[Bounds](), ecs.IncludeHidden())
	s.boxless = u.Query(ecs.With[Look](), ecs.With[matrices](), ecs.With[Bounds](),
		ecs.AnyOf(ecs.AllOf(ecs.Absent[WorldBounds]()), ecs.AllOf(ecs.Absent[boxOf]())), ecs.IncludeHidden())
	s.look = ecs.LookupOf[Bounds](u.World())
	u.RequireAny(s.bare, s.boxless)
	return nil
}

// Update adds what is missing: a structural change, where there is something.
func (s *MissingBounds) Update(f *system.Frame) error {
	w := f.World()
	var complaints []error
	if version, orders := s.scene.assets.version.Load(), plumbing.OrderCount(s.bare); !s.bare.EmptyUnfiltered() && (version != s.version || orders != s.orders) {
		complaints = s.find()
		if err := s.give(w); err != nil {
			return err
		}
		s.version, s.orders = version, plumbing.OrderCount(s.bare)
	}
	if !s.boxless.EmptyUnfiltered() {
		if err := ecs.AddTypes(w, ecs.Matching(s.boxless), ecs.With[WorldBounds](), ecs.With[boxOf]()); err != nil {
			return err
		}
	}
	return errors.Join(complaints...)
}

// find lists the entities without bounds whose shape has some, and complains of shapes that are not registered.
func (s *MissingBounds) find() (complaints []error) {
	s.ids, s.bounds = s.ids[:0], s.bounds[:0]
	for c := range s.bare.Chunks() {
		shape := s.scene.assets.FindShape(ecs.SharedOf[Look](c).Shape)
		if shape == nil {
			if err := s.scene.complain(ecs.SharedOf[Look](c), c.Entities()[0]); err != nil {
				complaints = append(complaints, err)
			}
			continue
		}
		b := *shape.Bounds
		if ecs.Has[Label](c) {
			b = shape.roomy()
		}
		for _, e := range c.Entities() {
			s.ids, s.bounds = append(s.ids, e), append(s.bounds, b)
		}
	}
	return complaints
}

// give gives those that were found their bounds.
func (s *MissingBounds) give(w *ecs.World) error {
	if err := ecs.AddTypes(w, ecs.List(s.ids), ecs.With[Bounds](), ecs.With[WorldBounds](), ecs.With[boxOf]()); err != nil {
		return err
	}
	if len(s.ids) == 0 {
		return nil
	}
	if err := s.look.Refresh(); err != nil {
		return err
	}
	for i, e := range s.ids {
		s.look.Set(e, s.bounds[i])
	}
	return nil
}
