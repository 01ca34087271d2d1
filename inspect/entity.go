package inspect

import (
	"context"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// Entity is the answer of /api/entity.
type Entity struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	Frame      uint64      `json:"frame"`
	Archetype  int         `json:"archetype"`
	Components []Component `json:"components"`
	Systems    []Matching  `json:"systems"`
	Parents    []reference `json:"parents"`  // its parent, the parent of that, and so on
	Children   []reference `json:"children"` // the first of them
	ChildCount int         `json:"childCount"`
	Frames     int         `json:"frames"`
}

// Component is one component of an entity.
type Component struct {
	Name   string   `json:"name"`
	Full   string   `json:"full"`
	Kinds  []string `json:"kinds"`
	Value  any      `json:"value"` // fields, a number, or a text for what is told in words
	On     bool     `json:"on"`    // of enableable ones; others are always on
	Locked string   `json:"locked,omitempty"`
}

// Matching is what a system has to do with an entity.
type Matching struct {
	System  string   `json:"system"`
	Full    string   `json:"full"`
	Matches bool     `json:"matches"` // one of its queries does
	Why     []string `json:"why"`     // why queries of it do not match
	Queries []string `json:"queries"`
}

// mostChildren is how many children are listed.
const mostChildren = 100

func (v *view) entityPage(ctx context.Context, e ecs.Entity) (*Entity, error) {
	out := &Entity{ID: entityText(e), Components: []Component{}, Systems: []Matching{}, Parents: []reference{}, Children: []reference{}}
	names := map[ecs.Entity]string{}
	var types []reflect.Type
	var values []any
	var on []bool
	var children []ecs.Entity
	type checked struct {
		name    string
		queries []string
		why     []string
	}
	var systems []checked
	var instances []*system.Instance
	stage := 0
	frames, err := v.at(ctx, "entity", func(l *look) (bool, error) {
		w := v.world
		if w.Lent() {
			return false, lent(v)
		}
		if !w.Exists(e) {
			return false, notFound("entity " + out.ID + " does not exist any more, or never did")
		}
		if stage == 0 {
			out.Name, out.Frame = w.NameOf(e), v.number.Load()
			a := w.ArchetypeOf(e)
			out.Archetype = a.Index()
			types = a.Types()
			for up, hops := e, 0; hops < 64; hops++ {
				p, err := ecs.Get[transform.Parent](w, up)
				if err != nil || !w.Exists(p.Entity) {
					break
				}
				up = p.Entity
				out.Parents = append(out.Parents, reference{Entity: entityText(up), Name: w.NameOf(up)})
			}
			if kids, err := ecs.Get[transform.Children](w, e); err == nil {
				out.ChildCount = kids.Len()
				for _, c := range kids.Slice()[:min(kids.Len(), mostChildren)] {
					children = append(children, c.Entity)
					if name := w.NameOf(c.Entity); name != "" {
						names[c.Entity] = name
					}
				}
			}
			instances = system.Instances(w)
			stage++
		}
		for len(values) < len(types) {
			t := types[len(values)]
			values = append(values, v.copyOf(e, t, names))
			is, err := ecs.EnabledOf(w, e, t)
			on = append(on, is && err == nil)
			if l.over() {
				return true, nil
			}
		}
		for len(systems) < len(instances) {
			in := instances[len(systems)]
			s := checked{name: in.Name()}
			for _, q := range in.Queries() {
				s.queries = append(s.queries, q.String())
				s.why = append(s.why, ecs.Mismatch(q, e))
			}
			systems = append(systems, s)
			if l.over() {
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		return nil, err
	}
	out.Frames = frames
	all := ecs.ComponentTypes()
	for k, t := range types {
		c := Component{Name: typeName(t), Full: t.String(), Kinds: []string{}, On: on[k]}
		if i := slices.IndexFunc(all, func(o ecs.ComponentType) bool { return o.Type == t }); i >= 0 {
			c.Full, c.Kinds, c.Locked = all[i].Name, kindsOf(all[i]), locked(all[i])
		}
		if values[k] != nil && t.Size() > 0 {
			c.Value = shown(values[k], names)
		}
		out.Components = append(out.Components, c)
	}
	for _, c := range children {
		out.Children = append(out.Children, reference{Entity: entityText(c), Name: names[c]})
	}
	for _, s := range systems {
		if len(s.queries) == 0 {
			continue
		}
		m := Matching{System: short(s.name), Full: s.name, Why: []string{}, Queries: []string{}}
		for k, why := range s.why {
			m.Queries = append(m.Queries, short(s.queries[k]))
			if m.Matches = m.Matches || why == ""; why != "" && !slices.Contains(m.Why, short(why)) {
				m.Why = append(m.Why, short(why))
			}
		}
		out.Systems = append(out.Systems, m)
	}
	return out, nil
}

// locked says why a component cannot be edited; "" if it can.
func locked(t ecs.ComponentType) string {
	switch {
	case t.Shared:
		return "it is shared: another value would move the entity to another chunk"
	case t.Managed:
		return "it is managed: it may hold Go pointers"
	case t.Buffer:
		return "it is a buffer"
	case t.PerChunk:
		return "it belongs to the chunk"
	case t.Cleanup:
		return "it is a cleanup component: its system believes what it says"
	case t.Tag:
		return "it is a tag, which has no value"
	}
	return ""
}
