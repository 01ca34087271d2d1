package inspect

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// Entity is the answer of /api/entity.
type Entity struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	Frame      uint64      `json:"frame"` // the frame from which the values are
	Archetype  int         `json:"archetype"`
	Components []Component `json:"components"`
	Systems    []Matching  `json:"systems"`
	Parents    []reference `json:"parents"`  // its parent, the parent's parent, and so on
	Children   []reference `json:"children"` // the first children
	ChildCount int         `json:"childCount"`
	Frames     int         `json:"frames"`
}

// Component is one component of an entity.
type Component struct {
	Name   string   `json:"name"`
	Full   string   `json:"full"`
	Kinds  []string `json:"kinds"`
	Value  any      `json:"value"` // fields, a number, or a text for a value that is described in words
	On     bool     `json:"on"`    // whether it is enabled; always true for components that are not enableable
	Locked string   `json:"locked,omitempty"`
}

// Matching is the answer whether a system processes an entity, and which of its components the system accesses. For an entity
// of a kept frame, the answer is about an entity with the same components in the running world, with all of them enabled.
type Matching struct {
	System  string   `json:"system"`
	Full    string   `json:"full"`
	Matches bool     `json:"matches"` // one of its queries matches the entity
	Why     []string `json:"why"`     // why its queries do not match
	Queries []string `json:"queries"`
	Reads   []string `json:"reads"`  // the components of the entity that the system declares to read
	Writes  []string `json:"writes"` // those that it declares to write
}

// maxChildren is the largest number of children that are listed.
const maxChildren = 100

// entityPageData is the data that the owner copies for the page of an entity.
// The owner copies the relations and all components in one step, so that all
// these data are from the same frame. Then the owner checks each system's
// queries against the entity; this may take several frames.
type entityPageData struct {
	e   ecs.Entity
	out *Entity

	begun    bool
	types    []reflect.Type
	capacity int    // of the entity's archetype
	values   []any  // one for each type
	on       []bool // one for each type
	children []ecs.Entity
	names    map[ecs.Entity]string

	instances []*system.Instance
	past      bool          // the entity is in a kept frame
	alike     ecs.Archetype // of an entity in a kept frame: the archetype of the running world with the same components
	hasAlike  bool          // there is one
	compared  int           // number of archetypes of the running world that findAlike has compared
	searched  bool          // findAlike has ended, or is not needed
	systems   []systemMatch // by instance; the systems that were asked
	roster    *roster
}

// systemMatch holds the copied data about one system: whether it processes the
// entity, or why not.
type systemMatch struct {
	name    string
	queries []string
	why     []string // for each query the reason why it does not match; empty if it matches
}

// entityOf answers /api/entity. An id without a version is that of the living entity with this index.
func entityOf(ctx context.Context, v *view, f url.Values) (any, error) {
	e, err := parseEntity(f.Get("id"))
	if index, other := strconv.ParseInt(f.Get("id"), 10, 32); other == nil && index >= 0 {
		if e, err = livingAt(ctx, v, int32(index)); err != nil {
			e = ecs.Entity{Index: int32(index)}
		}
	}
	var out *Entity
	if err == nil {
		out, err = entityPage(ctx, v, e)
	}
	if absent := (*missing)(nil); v.live != nil && errors.As(err, &absent) {
		return nil, absentIn(ctx, v, e)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// livingAt returns the entity with an index. It reads the ids of all entities.
func livingAt(ctx context.Context, v *view, index int32) (ecs.Entity, error) {
	all, err := parse(":all")
	if err != nil {
		return ecs.Entity{}, err
	}
	var found ecs.Entity
	ids, at := make([]ecs.Entity, 0, 2048), walk{query: all}
	_, err = v.runBetween(ctx, "entity", func(l *ownerSlice) (bool, error) {
		if err := l.checkNotLent(); err != nil {
			return false, err
		}
		more := at.next(l, func(a ecs.Archetype, chunk, _ int, _ []uint64) bool {
			ids = a.AppendEntities(ids[:0], chunk, 0, 1)
			k := slices.IndexFunc(ids, func(e ecs.Entity) bool { return e.Index == index })
			if k >= 0 {
				found = ids[k]
			}
			return k < 0 && !l.isOver()
		})
		return more && found.IsZero(), nil
	})
	switch {
	case err != nil:
		return ecs.Entity{}, err // the owner may still be writing to found
	case found.IsZero():
		return ecs.Entity{}, notFound(fmt.Sprintf("no entity with the index %d exists", index))
	}
	return found, nil
}

func entityPage(ctx context.Context, v *view, e ecs.Entity) (*Entity, error) {
	p := &entityPageData{
		e: e, out: &Entity{ID: e.String(), Components: []Component{}, Systems: []Matching{}, Parents: []reference{}, Children: []reference{}},
		names: map[ecs.Entity]string{},
	}
	running := v
	if v.live != nil {
		running, p.past = v.live, true
	}
	p.searched = !p.past
	var err error
	if p.roster, _, _, err = rosterOf(ctx, running); err != nil {
		return nil, err
	}
	frames, err := v.runBetween(ctx, "entity", func(l *ownerSlice) (bool, error) {
		if err := l.checkNotLent(); err != nil {
			return false, err
		}
		if !l.world.Exists(e) {
			return false, notFound("entity " + p.out.ID + " does not exist any more, or never did")
		}
		if !p.begun {
			p.begun, p.out.Frame = true, v.lastFrame.Load()
			p.begin(l.world)
			p.instances = system.Instances(running.world) // a fork has no systems
			if l.isOver() {
				return true, nil
			}
		}
		if !p.searched {
			if p.findAlike(running.world, l) {
				return true, nil
			}
			p.searched = true
		}
		return p.step(l), nil
	})
	if err != nil {
		return nil, err
	}
	p.out.Frames = frames
	return p.answer(), nil
}

// begin copies the data that must be from one frame.
func (p *entityPageData) begin(w *ecs.World) {
	a := w.ArchetypeOf(p.e)
	p.out.Name, p.out.Archetype, p.types = w.EntityName(p.e), a.Index(), a.Types()
	p.capacity = a.Capacity()
	for up, hops := p.e, 0; hops < 64; hops++ {
		parent, err := ecs.Get[transform.Parent](w, up)
		if err != nil || !w.Exists(parent.Entity) {
			break
		}
		up = parent.Entity
		p.out.Parents = append(p.out.Parents, reference{Entity: up.String(), Name: w.EntityName(up)})
	}
	if children, err := ecs.Get[transform.Children](w, p.e); err == nil {
		p.out.ChildCount = children.Len()
		for _, c := range children.Slice()[:min(children.Len(), maxChildren)] {
			p.children = append(p.children, c.Entity)
			if name := w.EntityName(c.Entity); name != "" {
				p.names[c.Entity] = name
			}
		}
	}
	for _, t := range p.types {
		p.values = append(p.values, copyOf(w, p.e, t, p.names))
		is, err := w.Untyped().Enabled(p.e, t)
		p.on = append(p.on, is && err == nil)
	}
}

// findAlike finds the archetype of the running world with the components of the entity. It compares archetypes until its time has
// passed, and reports whether there are more to compare.
func (p *entityPageData) findAlike(w *ecs.World, l *ownerSlice) (more bool) {
	for {
		a := w.ArchetypeAt(p.compared)
		if a == (ecs.Archetype{}) {
			return false
		}
		p.compared++
		// The capacity depends only on the types, so most archetypes with other types are found without a copy of their types.
		if a.Capacity() == p.capacity && sameTypes(a.Types(), p.types) {
			p.alike, p.hasAlike = a, true
			return false
		}
		if p.compared%16 == 0 && l.isOver() {
			return true
		}
	}
}

// sameTypes reports whether two lists without duplicates have the same types, in any order.
func sameTypes(a, b []reflect.Type) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(t reflect.Type) bool { return !slices.Contains(b, t) })
}

// mismatch returns why a query does not match the entity, or "" if it does.
func (p *entityPageData) mismatch(q *ecs.Query) string {
	switch {
	case !p.past:
		return q.Mismatch(p.e)
	case !p.hasAlike:
		return "the running world has no archetype with these components"
	case !q.MatchesArchetype(p.alike):
		return "its query does not match these components"
	}
	return ""
}

// step copies data until its time has passed, and reports whether there is more to copy.
func (p *entityPageData) step(l *ownerSlice) (more bool) {
	for len(p.systems) < len(p.instances) {
		in := p.instances[len(p.systems)]
		s := systemMatch{name: in.Name()}
		for _, q := range in.Queries() {
			s.queries = append(s.queries, q.String())
			s.why = append(s.why, p.mismatch(q))
		}
		p.systems = append(p.systems, s)
		if l.isOver() {
			return true
		}
	}
	return false
}

// answer converts the copied data to the answer.
func (p *entityPageData) answer() *Entity {
	out, all := p.out, ecs.ComponentTypes()
	for k, t := range p.types {
		c := Component{Name: typeName(t), Full: t.String(), Kinds: []string{}, On: p.on[k]}
		if i := slices.IndexFunc(all, func(o ecs.ComponentType) bool { return o.Type == t }); i >= 0 {
			c.Full, c.Kinds, c.Locked = all[i].Name, kindsOf(all[i]), editRefusal(all[i])
		}
		if p.values[k] != nil && t.Size() > 0 {
			c.Value = jsonValue(p.values[k], p.names)
		}
		out.Components = append(out.Components, c)
	}
	for _, c := range p.children {
		out.Children = append(out.Children, reference{Entity: c.String(), Name: p.names[c]})
	}
	for _, s := range p.systems {
		m := s.convertMatch()
		p.addAccess(&m)
		if len(s.queries) > 0 || len(m.Writes) > 0 {
			out.Systems = append(out.Systems, m)
		}
	}
	return out
}

// addAccess adds the components of the entity that a system declares to read and to write.
func (p *entityPageData) addAccess(m *Matching) {
	k := slices.IndexFunc(p.roster.entries, func(s systemEntry) bool { return s.name == m.Full })
	if k < 0 {
		return // the system was added after the roster was copied
	}
	for _, c := range p.out.Components {
		switch own := &p.roster.entries[k]; {
		case slices.Contains(own.writes, c.Full):
			m.Writes = append(m.Writes, c.Name)
		case slices.Contains(own.reads, c.Full):
			m.Reads = append(m.Reads, c.Name)
		}
	}
}

// convertMatch converts the copied data about a system to its part of the
// answer.
func (s *systemMatch) convertMatch() Matching {
	m := Matching{System: shortName(s.name), Full: s.name, Why: []string{}, Queries: []string{}, Reads: []string{}, Writes: []string{}}
	if len(s.queries) == 0 {
		m.Why = append(m.Why, "it has no query, so it may access any entity")
	}
	for k, why := range s.why {
		m.Queries = append(m.Queries, shortName(s.queries[k]))
		if m.Matches = m.Matches || why == ""; why != "" && !slices.Contains(m.Why, shortName(why)) {
			m.Why = append(m.Why, shortName(why))
		}
	}
	return m
}
