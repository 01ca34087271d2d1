package scene

import (
	"path"
	"strings"

	"github.com/lanewise/lanewise/ecs"
)

// matchesScene reports whether name, in a reference, refers to the scene with the given path. The
// name may be the whole path, or its last element without the suffix.
func matchesScene(file, name string) bool {
	base := path.Base(file)
	return name == file || name == base || name == strings.TrimSuffix(base, path.Ext(base))
}

// resolveReferences finds the entities of references by name. resolveReferences handles the
// references from the scene that was loaded, and the references from other scenes to that scene.
// If several scenes have the name, the first is used.
func (s *streamer) resolveReferences(in *instance) {
	named := s.worldEntitiesNamed(in.externalRefs)
	s.setReferences(in, func(r *Reference) ecs.Entity {
		if e, is := named[r.Name]; is && r.Scene == "" {
			return e
		}
		return s.referenceTarget(r)
	})
	for _, o := range s.instances {
		if o == in || !o.isLoaded() {
			continue
		}
		s.setReferencesTo(o, in, func(r *Reference) ecs.Entity { return s.referenceTarget(r) })
	}
}

// clearReferencesTo sets the references from other scenes to null before a scene is unloaded.
func (s *streamer) clearReferencesTo(in *instance) {
	for _, o := range s.instances {
		if o != in && o.isLoaded() {
			s.setReferencesTo(o, in, func(r *Reference) ecs.Entity { return s.referenceTarget(r) })
		}
	}
}

// setReferencesTo does the same as setReferences, but only for the references from one scene to
// another.
func (s *streamer) setReferencesTo(of, to *instance, find func(r *Reference) ecs.Entity) {
	s.setReferences(of, func(r *Reference) ecs.Entity {
		if r.Scene == "" || !matchesScene(to.path, r.Scene) {
			return unchangedReference
		}
		return find(r)
	})
}

// unchangedReference is a result that the function find of setReferences may return. The value means
// that the reference must not be changed.
var unchangedReference = ecs.Entity{Index: -1, Version: -1}

// setReferences sets the outward references of a scene. It skips entities that no longer have the
// component.
func (s *streamer) setReferences(in *instance, find func(r *Reference) ecs.Entity) {
	for list := in.externalRefs; len(list) > 0; {
		n := 1
		for n < len(list) && list[n].from == list[0].from && list[n].ref.Type == list[0].ref.Type {
			n++
		}
		s.setComponentReferences(list[0].from, n, func(i int) *Reference { return &list[i].ref }, find)
		list = list[n:]
	}
	if in.watch == nil {
		return
	}
	for list := in.watch.externalRefs; len(list) > 0; {
		n := 1
		for n < len(list) && list[n].from == list[0].from && list[n].ref.Type == list[0].ref.Type {
			n++
		}
		s.setComponentReferences(in.entityNamed(list[0].from), n, func(i int) *Reference { return &list[i].ref }, find)
		list = list[n:]
	}
}

// setComponentReferences sets n references in a component of an entity, if the entity has it.
// setComponentReferences reads and writes the component only once for all references.
func (s *streamer) setComponentReferences(e ecs.Entity, n int, ref func(i int) *Reference, find func(r *Reference) ecs.Entity) {
	var v any
	for i := range n {
		r := ref(i)
		to := find(r)
		if to == unchangedReference {
			continue
		}
		if v == nil {
			var err error
			if v, err = s.world.Untyped().Get(e, r.Type); err != nil {
				return // the program has destroyed the entity or removed the component
			}
		}
		if now, err := r.Put(v, to); err == nil { // if Put fails, the buffer has become shorter
			v = now
		}
	}
	if v == nil {
		return
	}
	if err := s.world.Untyped().Add(e, ref(0).Type, v); err != nil {
		s.world.Scheduler().Report(err)
	}
}

// worldEntitiesNamed maps the name in each reference to the world to the first entity of the world
// with that name, or to the null entity. If no reference is to the world, it returns nil, so that
// the world is searched only if necessary.
func (s *streamer) worldEntitiesNamed(refs []worldReference) map[string]ecs.Entity {
	var named map[string]ecs.Entity
	for i := range refs {
		if r := &refs[i].ref; r.Scene == "" {
			if named == nil {
				named = map[string]ecs.Entity{}
			}
			named[r.Name] = ecs.Entity{}
		}
	}
	if named == nil {
		return nil
	}
	for e := range s.world.Entities() {
		name := s.world.EntityName(e)
		if old, is := named[name]; is && old.IsZero() {
			named[name] = e
		}
	}
	return named
}

// referenceTarget returns the entity to which an outward reference of a scene refers now.
func (s *streamer) referenceTarget(r *Reference) ecs.Entity {
	if r.Scene == "" {
		return s.worldEntityNamed(r.Name)
	}
	for _, o := range s.instances {
		if o.isLoaded() && matchesScene(o.path, r.Scene) {
			if id := o.entityNamed(r.Name); s.world.Exists(id) {
				return id
			}
		}
	}
	return ecs.Entity{}
}

// worldEntityNamed returns the first entity of the world with the given name, or the null entity.
func (s *streamer) worldEntityNamed(name string) ecs.Entity {
	for e := range s.world.Entities() {
		if s.world.EntityName(e) == name {
			return e
		}
	}
	return ecs.Entity{}
}
