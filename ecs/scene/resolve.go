package scene

import (
	"path"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/plumbing"
	"github.com/lanewise/lanewise/ecs/tool"
)

// isCalled reports whether a reference to a scene by a name means the one of a path: the whole path, or
// the last part of it without its suffix.
func isCalled(file, name string) bool {
	base := path.Base(file)
	return name == file || name == base || name == strings.TrimSuffix(base, path.Ext(base))
}

// resolve gives references by name their entities: those of a scene that has come, and those of others to it.
// Of several scenes of one name the first counts.
func (s *streamer) resolve(in *instance) {
	s.point(in, func(r *Reference) ecs.Entity { return s.target(r) })
	for _, o := range s.list {
		if o == in || !o.whole() {
			continue
		}
		s.pointSome(o, in, func(r *Reference) ecs.Entity { return s.target(r) })
	}
}

// unresolve makes references of other scenes to one that goes null.
func (s *streamer) unresolve(in *instance) {
	for _, o := range s.list {
		if o != in && o.whole() {
			s.pointSome(o, in, func(r *Reference) ecs.Entity { return s.target(r) })
		}
	}
}

// pointSome is point for references of a scene to another one.
func (s *streamer) pointSome(of, to *instance, find func(r *Reference) ecs.Entity) {
	s.point(of, func(r *Reference) ecs.Entity {
		if r.Scene == "" || !isCalled(to.path, r.Scene) {
			return keep
		}
		return find(r)
	})
}

// keep says that a reference stays.
var keep = ecs.Entity{Index: -1, Version: -1}

// point sets the outward references of a scene whose entities still have the component.
func (s *streamer) point(in *instance, find func(r *Reference) ecs.Entity) {
	for i := range in.outward {
		r := &in.outward[i]
		if id := find(&r.ref); id != keep {
			s.put(r.from, &r.ref, id)
		}
	}
	if in.link != nil {
		for i := range in.link.outward {
			r := &in.link.outward[i]
			if id := find(&r.ref); id != keep {
				s.put(in.named(r.from), &r.ref, id)
			}
		}
	}
}

// put sets a reference in a component of an entity, if that has it.
func (s *streamer) put(e ecs.Entity, r *Reference, to ecs.Entity) {
	v, err := tool.ValueOf(s.world, e, r.Type)
	if err != nil {
		return // the game has ended it, or taken the component
	}
	now, err := r.Put(v, to)
	if err != nil {
		return // a shorter buffer
	}
	if err := tool.PutValueOf(s.world, e, r.Type, now); err != nil {
		plumbing.Report(s.world, err)
	}
}

// target returns the entity that a reference out of a scene leads to now.
func (s *streamer) target(r *Reference) ecs.Entity {
	if r.Scene == "" {
		return s.byName(r.Name)
	}
	for _, o := range s.list {
		if o.whole() && isCalled(o.path, r.Scene) {
			if id := o.named(r.Name); s.world.Exists(id) {
				return id
			}
		}
	}
	return ecs.Entity{}
}

// byName returns the first entity of the world that has a name.
func (s *streamer) byName(name string) ecs.Entity {
	for e := range s.world.Entities() {
		if s.world.NameOf(e) == name {
			return e
		}
	}
	return ecs.Entity{}
}
