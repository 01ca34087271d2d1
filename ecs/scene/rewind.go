package scene

import (
	"maps"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/plumbing"
)

// saved is the sub-scenes of a world as an image keeps them, so that what happens after a Restore of it is what has happened
// after it was taken: numbers of loads, delays that are running, and the ids of what is loaded.
type saved struct {
	of      *streamer
	loads   int32
	recount bool
	serial  uint64
	list    []instance
	left    []uint64 // updates until the rows of each may come
}

// save keeps the sub-scenes with an image. What has not changed since the last one is kept again.
func (s *streamer) save(m *ecs.Image) {
	if s.saved == nil {
		k := &saved{of: s, loads: s.loads, recount: s.recount, serial: s.serial}
		for _, in := range s.list {
			own := *in
			own.load, own.added, own.removed, own.going = nil, maps.Clone(in.added), maps.Clone(in.removed), slices.Clone(in.going)
			if in.arrival != nil {
				own.arrival = in.arrival.Clone()
			}
			if in.link != nil {
				own.link = in.link.as()
			}
			left := uint64(0)
			if in.due > s.update {
				left = in.due - s.update
			}
			k.list, k.left = append(k.list, own), append(k.left, left)
		}
		s.saved = k
	}
	plumbing.Keep(m, attachedKey{}, s.saved)
}

// as returns the link as it is, without what is under way.
func (l *link) as() *link {
	return &link{doc: l.doc, outward: slices.Clone(l.outward), last: l.last, since: l.since, bad: l.bad}
}

// restored makes the sub-scenes what they were when an image was taken. Rows of those that were coming then are
// ended, and they come anew: it is not known any more which ids the rest would have. An image that was not taken of this world, or that
// comes from a file, does not say what was loaded: all comes anew.
func (s *streamer) restored(m *ecs.Image) {
	s.orphans, s.saved = true, nil
	k, _ := plumbing.Kept(m, attachedKey{}).(*saved)
	before := s.byID
	s.list, s.byID = nil, map[ecs.Entity]*instance{}
	if k == nil || k.of != s { // what this world has done until now has nothing to do with it
		s.recount = true
		return
	}
	s.loads, s.recount, s.serial = k.loads, k.recount, k.serial
	for i := range k.list {
		own := k.list[i]
		own.added, own.removed, own.going = maps.Clone(own.added), maps.Clone(own.removed), slices.Clone(own.going)
		if own.arrival != nil {
			own.arrival = own.arrival.Clone()
		}
		if own.link != nil {
			own.link = own.link.as()
		}
		in := &own
		in.due, in.seen, in.told = s.update+k.left[i], s.update, Status{Phase: own.phase}
		switch in.phase {
		case Requested:
			if old := before[in.entity]; old != nil && old.load != nil && old.path == in.path {
				in.load = old.load // it is being read already
			} else {
				in.load = s.begin(in)
			}
		case Coming:
			in.anew()
		}
		s.list = append(s.list, in)
		s.byID[in.entity] = in
	}
}

// count goes on with the numbers of loads behind those that the world tells of: wherever an image is restored, loads have the
// same numbers from then on.
func (s *streamer) count() error {
	q := s.world.Query(ecs.With[Status](), ecs.IncludePrefabs(), ecs.IncludeInactive())
	defer q.Close()
	s.loads, s.recount = 0, false
	for _, e := range q.AppendEntities(nil) {
		told, err := ecs.Get[Status](s.world, e)
		if err != nil {
			return err
		}
		s.loads = max(s.loads, told.Load)
	}
	return nil
}

// anew forgets what was loaded: it is not in the world, or it is not known what of it is.
func (in *instance) anew() {
	in.arrival, in.baked, in.link, in.added, in.removed, in.going = nil, nil, nil, nil, nil, nil
	if in.phase = Unloaded; in.err != nil {
		in.phase = Failed
	}
}
