package roads

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/pack"
)

// all components must be there
func none(reflect.Type) bool { return false }

// arrivals checks that a world sees entities that come to it: every filter by change must show them to the
// systems of the world.
type arrivals struct {
	world   *ecs.World
	all     *ecs.Query
	version uint32
	moved   uint32
}

func awaitArrivals(w *ecs.World) *arrivals {
	q := w.Query(ecs.IncludeHidden())
	return &arrivals{w, q, w.Version(), q.MoveCount()}
}

// check returns an error if a column of the entities is not newer than the state of the world before they came.
// If moved is set, they have moved from another world, and Query.MoveCount must count them.
func (a *arrivals) check(ids []ecs.Entity, moved bool) error {
	n := int(a.all.MoveCount() - a.moved)
	if err := a.all.Close(); err != nil {
		return err
	}
	if moved && n < len(ids) {
		return fmt.Errorf("%d entities have moved to the world, and Query.MoveCount has counted %d", len(ids), n)
	}
	came := make(map[ecs.Entity]bool, len(ids))
	for _, e := range ids {
		came[e] = true
	}
	m, err := ecs.Capture(a.world, nil)
	if err != nil {
		return err
	}
	old := func(version uint32) bool { return int32(version-a.version) < 0 }
	for i, arch := range m.Archetypes() {
		for j := range arch.Chunks {
			c := m.Chunk(i, j)
			k := slices.IndexFunc(c.Entities, func(e ecs.Entity) bool { return came[e] })
			if k < 0 {
				continue
			}
			if old(c.OrderVersion) {
				return fmt.Errorf("entity %v has come, and OrderChanged does not show its chunk", c.Entities[k])
			}
			for _, column := range c.Columns {
				if old(column.Version) && old(column.ThroughVersion) {
					return fmt.Errorf("entity %v has come, and Changed of %v does not show its chunk", c.Entities[k], column.Component)
				}
			}
		}
	}
	return nil
}

// departures checks that a world sees that rows leave it.
type departures struct {
	all   *ecs.Query
	order uint32
}

func awaitDepartures(w *ecs.World) *departures {
	q := w.Query(ecs.IncludeHidden())
	return &departures{q, q.OrderCount()}
}

// check returns an error if n entities have left, and Query.OrderCount has not counted that.
func (d *departures) check(n int) error {
	order := d.all.OrderCount()
	if err := d.all.Close(); err != nil {
		return err
	}
	if n > 0 && order == d.order {
		return fmt.Errorf("%d entities have left the world, and Query.OrderCount has not changed", n)
	}
	return nil
}

// packAway packs about half of the entities, unpacks them in another world, packs them there, and
// unpacks them in the first world again. References to entities that stay go through keys.
func packAway(t *Trip) error {
	before, err := CensusOf(t.World)
	if err != nil {
		return err
	}
	part := before.drawPart(t.Rand)
	if len(part) == 0 {
		t.Idle("the world has no entities")
		return nil
	}
	away := ecs.NewWorld("away", ecs.OnPool(t.NewPool(1)))
	t.Keep(away)
	here := pack.New(t.World, append(idsAsKeys(), t.subject.Pack...)...)
	stand := standIns{world: away, of: map[uint64]ecs.Entity{}, keys: map[ecs.Entity]uint64{}}
	there := pack.New(away, append([]pack.Option{pack.Outside(stand.keyOf), pack.Inside(stand.entityOf)}, t.subject.Pack...)...)
	// Unpack calls Inside before the world changes, so the stand-ins exist before.
	for _, e := range before.ids {
		stand.add(uint64(e.Index)<<32 | uint64(e.Version))
	}

	left := awaitDepartures(t.World)
	message, err := here.Take(nil, part)
	if err != nil {
		return err
	}
	if err := left.check(len(part)); err != nil {
		return err
	}
	came := awaitArrivals(away)
	ids, err := there.Unpack(message)
	if err != nil {
		return err
	}
	ids = slices.Clone(ids)
	if err := came.check(ids, true); err != nil {
		return fmt.Errorf("in the other world: %w", err)
	}
	arrived, err := CensusOf(away)
	if err != nil {
		return err
	}
	in := renameBetween(part, ids)
	if err := before.Compare(part, arrived, func(e ecs.Entity) (ecs.Entity, bool) {
		if n, ok := in(e); ok {
			return n, true
		}
		n, ok := stand.of[uint64(e.Index)<<32|uint64(e.Version)]
		return n, ok
	}, none); err != nil {
		return fmt.Errorf("in the other world: %w", err)
	}
	if message, err = there.Take(message[:0], ids); err != nil {
		return err
	}
	came = awaitArrivals(t.World)
	back, err := here.Unpack(message)
	if err != nil {
		return err
	}
	if err := came.check(back, true); err != nil {
		return err
	}
	after, err := CensusOf(t.World)
	if err != nil {
		return err
	}
	out := renameBetween(part, back)
	to := func(e ecs.Entity) (ecs.Entity, bool) {
		if n, ok := out(e); ok {
			return n, true
		}
		_, ok := before.of[e]
		return e, ok
	}
	if err := before.Compare(before.ids, after, to, none); err != nil {
		return err
	}
	return before.addedBut(back, after)
}

// idsAsKeys returns options of a packer that use the id of an entity as the key of a reference.
func idsAsKeys() []pack.Option {
	return []pack.Option{
		pack.Outside(func(e ecs.Entity) (uint64, error) { return uint64(e.Index)<<32 | uint64(e.Version), nil }),
		pack.Inside(func(key uint64) (ecs.Entity, error) {
			return ecs.Entity{Index: int32(key >> 32), Version: int32(key)}, nil
		}),
	}
}

// addedBut returns an error if a later census has entities that are neither in this one nor in a list.
func (c *Census) addedBut(list []ecs.Entity, later *Census) error {
	listed := renameBetween(list, list)
	later.ids = slices.DeleteFunc(later.ids, func(e ecs.Entity) bool {
		_, ok := listed(e)
		return ok
	})
	return c.checkAdded(later)
}

// standIns are entities of another world for those that have stayed.
type standIns struct {
	world *ecs.World
	of    map[uint64]ecs.Entity
	keys  map[ecs.Entity]uint64
}

func (s *standIns) add(key uint64) {
	e := s.world.Spawn()
	s.of[key], s.keys[e] = e, key
}

func (s *standIns) entityOf(key uint64) (ecs.Entity, error) { return s.of[key], nil }

func (s *standIns) keyOf(e ecs.Entity) (uint64, error) { return s.keys[e], nil }

// moveToOtherWorld moves all entities to another world, and back.
func moveToOtherWorld(t *Trip) error {
	before, err := CensusOf(t.World)
	if err != nil {
		return err
	}
	away := ecs.NewWorld("away", ecs.OnPool(t.NewPool(1)))
	t.Keep(away)
	var first ecs.Entity
	if t.Rand.IntN(2) == 0 {
		first = away.Spawn() // so that the ids are others there
	}
	var out, back ecs.EntityMap
	came, left := awaitArrivals(away), awaitDepartures(t.World)
	if err := ecs.MoveEntities(away, t.World, &out); err != nil {
		return err
	}
	if err := left.check(len(out.Entities)); err != nil {
		return err
	}
	if err := came.check(out.Entities, true); err != nil {
		return fmt.Errorf("in the other world: %w", err)
	}
	if n := t.World.Len(); n != 0 {
		return fmt.Errorf("%d entities have not moved", n)
	}
	arrived, err := CensusOf(away)
	if err != nil {
		return err
	}
	to := func(e ecs.Entity) (ecs.Entity, bool) {
		n := out.NewID(e)
		return n, !n.IsZero()
	}
	if err := before.Compare(before.ids, arrived, to, none); err != nil {
		return fmt.Errorf("in the other world: %w", err)
	}
	if err := away.Destroy(first); err != nil { // the null entity is ignored
		return err
	}
	came = awaitArrivals(t.World)
	if err := ecs.MoveEntities(t.World, away, &back); err != nil {
		return err
	}
	if err := came.check(back.Entities, true); err != nil {
		return err
	}
	after, err := CensusOf(t.World)
	if err != nil {
		return err
	}
	return before.Compare(before.ids, after, func(e ecs.Entity) (ecs.Entity, bool) {
		n := back.NewID(out.NewID(e))
		return n, !n.IsZero()
	}, none)
}

// copyAway copies about half of the entities to another world. The first world must not notice.
func copyAway(t *Trip) error {
	before, err := CensusOf(t.World)
	if err != nil {
		return err
	}
	stays, dead := map[reflect.Type]bool{}, deadTag()
	for _, c := range ecs.ComponentTypes() {
		stays[c.Type] = c.Cleanup || c.PerChunk // the value of a chunk component belongs to the chunk
	}
	part := slices.DeleteFunc(before.drawPart(t.Rand), func(e ecs.Entity) bool { return slices.Contains(before.of[e].types, dead) })
	if len(part) == 0 {
		t.Idle("the world has no entities")
		return nil
	}
	away := ecs.NewWorld("away", ecs.OnPool(t.NewPool(2)))
	t.Keep(away)
	came := awaitArrivals(away)
	ids, err := ecs.CopyEntities(away, t.World, part)
	if err != nil {
		return err
	}
	if err := came.check(ids, false); err != nil {
		return fmt.Errorf("in the other world: %w", err)
	}
	arrived, err := CensusOf(away)
	if err != nil {
		return err
	}
	return before.Compare(part, arrived, renameBetween(part, ids), func(c reflect.Type) bool { return stays[c] })
}

// deadTag returns the type of the tag of a destroyed entity that waits for its cleanup. Such an entity
// cannot be copied.
func deadTag() reflect.Type {
	for _, c := range ecs.ComponentTypes() {
		if c.Builtin && strings.HasSuffix(c.Name, ".cleanupEntity") {
			return c.Type
		}
	}
	return nil
}

// stream loads the world into another one, some rows at a time, and unloads it again. It does so in a few large parts, and
// in many small ones.
func stream(t *Trip) error {
	before, err := CensusOf(t.World)
	if err != nil {
		return err
	}
	m, err := t.Mark()
	if err != nil {
		return err
	}
	for _, parts := range []int{1 + t.Rand.IntN(8), 40 + t.Rand.IntN(80)} {
		if err := streamIn(t, m, before, 1+len(before.ids)/parts); err != nil {
			return err
		}
	}
	return nil
}

// streamIn does the work of stream, for a number of rows at a time.
func streamIn(t *Trip, m *Mark, before *Census, most int) error {
	s, err := ecs.NewImageStream(m.image)
	if err != nil {
		return err
	}
	away := ecs.NewWorld("away", ecs.OnPool(t.NewPool(1)))
	t.Keep(away)
	first := away.Spawn() // so that the ids are others there
	if err := s.Begin(away); err != nil {
		return err
	}
	came := awaitArrivals(away)
	for s.Left() > 0 {
		n, err := s.Load(most)
		if err != nil {
			return err
		}
		if n == 0 {
			most *= 2 // the next chunk is loaded as a whole
		}
	}
	if err := came.check(s.Entities(), false); err != nil {
		return fmt.Errorf("in the other world: %w", err)
	}
	arrived, err := CensusOf(away)
	if err != nil {
		return err
	}
	if err := before.Compare(before.ids, arrived, func(e ecs.Entity) (ecs.Entity, bool) {
		n := s.NewID(e)
		return n, !n.IsZero()
	}, none); err != nil {
		return fmt.Errorf("in the other world: %w", err)
	}
	for left := 1; left > 0; {
		if left, err = s.Unload(most); err != nil {
			return err
		}
	}
	if err := away.Destroy(first); err != nil {
		return err
	}
	rest, err := CensusOf(away)
	if err != nil {
		return err
	}
	if err := (&Census{}).checkAdded(rest); err != nil {
		return fmt.Errorf("in the other world, after Unload: %w", err)
	}
	return nil
}
