package scene

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
)

// maxMade limits the number of entities that prefabs, lists and children may make, because a short
// text must not keep a program busy for hours. Tests make it smaller.
var maxMade = 1 << 22

// maxChain limits the length of a chain of prefabs that are each "of" the next.
const maxChain = 100

// expander merges entities with their prefabs, and makes entries of them.
type expander struct {
	*parser
	prefabs map[string]*model // by name
	parent  *componentInfo
	linked  *componentInfo
	prefab  *componentInfo
	omit    *componentInfo
	made    int   // number of entities made by layOut
	limit   int   // largest number of bytes
	bytes   int   // number of bytes so far
	ofAt    int32 // place of the name of the prefab that is being copied
	chain   int   // current length of the chain of prefabs
}

// model is an entity with all of its components and children.
type model struct {
	name     string // the full name
	at       int32
	parts    []Part
	children []*model
	tree     int  // number of entities in its tree, including itself
	group    bool // it has the LinkedGroup of its tree

	text  *entityText // of a prefab that is not expanded yet
	doing bool
}

// expandAll makes the entries of a document.
func (x *expander) expandAll(prefabs, entities []entityText) {
	d := x.doc
	x.linked, x.prefab, x.omit = d.known.byType[linkedType], d.known.byType[prefabType], d.known.byType[omitType]
	for i := range prefabs {
		w := &prefabs[i]
		if x.prefabs[w.name] != nil {
			x.addError(x.errorAt(int(w.at), "the name %q is there twice", w.name))
			continue
		}
		x.prefabs[w.name] = &model{name: w.name, at: w.at, text: w}
		x.refuseGroups(w)
	}
	d.byName = make(map[string]int32, len(prefabs)+len(entities))
	d.Entries = make([]Entry, 0, len(prefabs)+len(entities))
	for i := range prefabs {
		if m := x.prefabs[prefabs[i].name]; m.at == prefabs[i].at {
			x.layOutPrefab(m)
			m.group = m.group || len(m.children) > 0
		}
	}
	if len(x.errs) > 0 {
		return // entities would repeat the errors of their prefabs
	}
	for i := range prefabs {
		x.addTree(x.prefabs[prefabs[i].name], -1, true)
	}
	if len(x.errs) > 0 && x.made > maxMade {
		return
	}
	d.prefabs = len(d.Entries)
	for i := range entities {
		if len(x.errs) >= maxKeptErrors {
			return
		}
		w := &entities[i]
		if w.of == "" && w.children == nil && w.marks == nil { // most entities
			x.addEntry(w.name, w.at, w.parts, false)
			continue
		}
		x.addTree(x.layOut(w, nil, w.name, nil), -1, false)
	}
}

// refuseGroups refuses a LinkedGroup in the text of a prefab, because in a copy it would refer to
// entities of the prefab.
func (x *expander) refuseGroups(w *entityText) {
	for i := range w.parts {
		if w.parts[i].own == x.linked {
			x.addError(x.errorAt(int(w.parts[i].first.at), "a prefab has the LinkedGroup of its children: leave it out"))
		}
	}
	for i := range w.children {
		x.refuseGroups(&w.children[i])
	}
}

var (
	prefabType = reflect.TypeFor[ecs.Prefab]()
	omitType   = reflect.TypeFor[ecs.OmitGroup]()
	linkedType = reflect.TypeFor[ecs.LinkedGroup]()
)

// layOutPrefab expands a prefab after the prefabs that it is "of".
func (x *expander) layOutPrefab(m *model) {
	if m.text == nil {
		return
	}
	if m.doing {
		x.addError(x.errorAt(int(m.text.ofAt), "prefab %q is of itself, by way of %q", m.name, m.text.of))
		return
	}
	if x.chain++; x.chain > maxChain {
		x.addError(x.errorAt(int(m.text.ofAt), "more than %d prefabs are each of the next one", maxChain))
		return
	}
	defer func() { x.chain-- }()
	m.doing = true
	own := x.layOut(m.text, nil, m.name, nil)
	m.parts, m.children, m.tree, m.group, m.text, m.doing = own.parts, own.children, own.tree, own.group, nil, false
}

// prefabCopy says how the names of a prefab are read in a copy of it.
type prefabCopy struct {
	doc      *Document
	from, to string
	made     map[int32]int32
}

// scope returns the scope in the copy for a scope in the prefab.
func (c *prefabCopy) scope(s int32) int32 {
	own, ok := c.made[s]
	if !ok {
		own = int32(len(c.doc.scopes))
		c.doc.scopes = append(c.doc.scopes, scope{c.from, c.to, s})
		c.made[s] = own
	}
	return own
}

// layOut merges the text of an entity with the part of a prefab at the same place. Either may be
// nil.
func (x *expander) layOut(w *entityText, base *model, name string, copied *prefabCopy) *model {
	m := &model{name: name, tree: 1}
	if x.made++; x.made >= maxMade {
		x.reportTooMany(x.ofAt)
		return m
	}
	if len(name) > maxName {
		x.addError(x.errorAt(int(x.ofAt), "the name %.100q… has %d bytes, with those of its parents: the limit is %d", name, len(name), maxName))
		x.made = maxMade + 1
		return m
	}
	at := x.ofAt
	if w != nil {
		at = w.at
	}
	if !x.countBytes(at, entityBytes+len(name)) || len(x.errs) >= maxKeptErrors {
		return m
	}
	if base != nil {
		m.at, m.group = base.at, base.group
	}
	var marks []componentMark
	var own []Part
	if w != nil {
		m.at, marks, own = w.at, w.marks, w.parts
		if w.of != "" {
			var fits bool
			if base, copied, fits = x.prefabUnder(m, w, base, copied); !fits {
				return m
			}
		}
	}
	var from []Part
	if base != nil {
		from = base.parts
	}
	for i := range from {
		if !x.countBytes(at, from[i].copyCost()) {
			return m
		}
	}
	m.parts = x.overlayParts(from, own, marks, copied, name)
	if w != nil && w.of != "" && m.group {
		if i := slices.IndexFunc(from, func(p Part) bool { return p.own == x.omit }); i >= 0 {
			m.group = false
			m.parts = slices.DeleteFunc(m.parts, func(p Part) bool { return p.own == x.omit && p.rest == nil })
		}
	}
	x.layOutChildren(m, w, base, copied)
	for _, c := range m.children {
		m.tree += c.tree
	}
	return m
}

// prefabUnder returns the part of a prefab that m overrides, if m names one, and the copy that it
// belongs to. It reports false if the document would have too many entities.
func (x *expander) prefabUnder(m *model, w *entityText, base *model, copied *prefabCopy) (*model, *prefabCopy, bool) {
	if base != nil {
		x.addError(x.errorAt(int(w.ofAt), "%q is of a prefab already: its parent is made with it", m.name))
		return base, copied, true
	}
	base = x.prefabOf(w)
	if x.ofAt = w.ofAt; base == nil {
		return nil, copied, true
	}
	if x.made+base.tree > maxMade {
		x.reportTooMany(w.ofAt)
		return nil, copied, false
	}
	if m.group = len(base.children) > 0; m.group {
		copied = &prefabCopy{x.doc, base.name, m.name, map[int32]int32{}}
	}
	return base, copied, true
}

// entityBytes and partBytes are the approximate memory of an entity, and of a component of it, from
// its model to its row. readCost is the number of bytes that are charged for each byte of text that
// is read again, because reading it takes as long as writing that many bytes.
const (
	entityBytes = 800
	partBytes   = 200
	readCost    = 4
	groupBytes  = 64 // of a part of a group
)

// copyCost returns the cost of a copy of a part in bytes.
func (p *Part) copyCost() int {
	n := partBytes
	_ = p.eachText(func(o textRange) *Error {
		n += 32 + readCost*int(o.end-o.at)
		return nil
	})
	return n
}

// countBytes adds n bytes to those that the text makes, and reports whether the limit allows them.
func (x *expander) countBytes(at int32, n int) bool {
	if x.bytes += n; x.bytes <= x.limit {
		return true
	}
	if x.made <= maxMade {
		x.addError(x.errorAt(int(at), "prefabs, children and lists make more than %d bytes of this text: write less, or give more with scene.MaxBytes", x.limit))
		x.made = maxMade + 1
	}
	return false
}

// reportTooMany reports once that the text makes too many entities.
func (x *expander) reportTooMany(at int32) {
	if x.made <= maxMade {
		x.addError(x.errorAt(int(at), "prefabs, children and lists of components make more than %d entities", maxMade))
		x.made = maxMade + 1
	}
}

// prefabOf returns the prefab that an entity is "of".
func (x *expander) prefabOf(w *entityText) *model {
	base := x.prefabs[w.of]
	if base == nil {
		x.addError(x.errorAt(int(w.ofAt), "no prefab %.100q", w.of).withHint(func() string { return nearest(w.of, slices.Sorted(maps.Keys(x.prefabs))) }))
		return nil
	}
	if base.doing {
		x.addError(x.errorAt(int(w.ofAt), "prefab %q is of itself, or in itself", w.of))
		return nil
	}
	x.layOutPrefab(base)
	return base
}

// layOutChildren merges children with those of the prefab. The children of the prefab come first,
// then the new ones.
func (x *expander) layOutChildren(m *model, w *entityText, base *model, copied *prefabCopy) {
	var own []entityText
	if w != nil {
		own = w.children
	}
	var taken []bool
	if base != nil && len(base.children) > 0 {
		taken = make([]bool, len(own))
		places := make(map[string]int, len(own)) // of the first child of a name; a second one is reported when it is added
		for i := len(own) - 1; i >= 0; i-- {
			places[own[i].name] = i
		}
		for _, c := range base.children {
			key := strings.TrimPrefix(c.name, base.name+"/")
			var over *entityText
			if i, has := places[key]; has && !taken[i] {
				over, taken[i] = &own[i], true
			}
			if x.made > maxMade || len(x.errs) >= maxKeptErrors {
				return
			}
			m.children = append(m.children, x.layOut(over, c, m.name+"/"+key, copied))
		}
	}
	for i := range own {
		if x.made > maxMade || len(x.errs) >= maxKeptErrors {
			return
		}
		if taken == nil || !taken[i] {
			m.children = append(m.children, x.layOut(&own[i], nil, m.name+"/"+own[i].name, nil))
		}
	}
}

// overlayParts merges the components of an entity with those of a prefab.
func (x *expander) overlayParts(from, own []Part, marks []componentMark, copied *prefabCopy, name string) []Part {
	if len(from) == 0 && len(marks) == 0 {
		return own
	}
	list := make([]Part, 0, len(from)+len(own))
	for _, f := range from {
		if copied != nil {
			f = f.inCopy(copied)
		}
		list = append(list, f)
	}
	for _, o := range own {
		at, ok := slices.BinarySearchFunc(list, o, comparePart)
		if !ok {
			list = slices.Insert(list, at, o)
			continue
		}
		list[at] = list[at].withText(o.first)
	}
	for _, m := range marks {
		i := slices.IndexFunc(list, func(p Part) bool { return p.own == m.own })
		switch {
		case i < 0:
			x.addError(x.errorAt(int(m.at), "entity %q has no component %s", name, m.own.Name))
		case m.do == "remove" && slices.ContainsFunc(own, func(p Part) bool { return p.own == m.own }):
			x.addError(x.errorAt(int(m.at), "entity %q has the component %s, and removes it", name, m.own.Name))
		case m.do == "remove":
			list = slices.Delete(list, i, i+1)
		case list[i].Off == (m.do == "disabled"):
			x.addError(x.errorAt(int(m.at), "%s is %s already", m.own.Name, m.do))
		default:
			list[i].Off = m.do == "disabled"
		}
	}
	return list
}

// withText returns the part with one more text that overrides the others.
func (p Part) withText(o textRange) Part {
	more := &partRest{}
	if p.rest != nil {
		*more = *p.rest
	}
	more.over = append(slices.Clip(more.over), o)
	p.rest = more
	return p
}

// inCopy returns the part as it is in a copy of the tree.
func (p Part) inCopy(c *prefabCopy) Part {
	p.first.scope = c.scope(p.first.scope)
	if p.rest != nil {
		more := *p.rest
		more.over = slices.Clone(more.over)
		for i := range more.over {
			more.over[i].scope = c.scope(more.over[i].scope)
		}
		p.rest = &more
	}
	return p
}

// addEntry makes an entry.
func (x *expander) addEntry(name string, at int32, parts []Part, prefab bool) {
	d := x.doc
	if old, twice := d.byName[name]; twice {
		e := &d.Entries[old]
		line := strings.Count(x.text[:e.at], "\n") + 1
		x.addError(x.errorAt(int(at), "the name %q is there twice, first in line %d", name, line))
	}
	d.byName[name] = int32(len(d.Entries))
	d.Entries = append(d.Entries, Entry{name, prefab, parts, at, 1})
}

// addTree makes the entries of a tree.
func (x *expander) addTree(m *model, parent int32, prefab bool) {
	d, at := x.doc, int32(len(x.doc.Entries))
	parts := slices.Clone(m.parts)
	if prefab {
		parts = x.addImplied(parts, x.prefab, m, Part{origin: byPrefab})
	}
	if parent >= 0 {
		if own := x.parentOf(m); own != nil {
			parts = x.addImplied(parts, own, m, Part{origin: byParent, rest: &partRest{kin: []string{d.Entries[parent].Name}, ids: []int32{parent}}})
		}
	}
	x.addEntry(m.name, m.at, parts, prefab)
	for _, c := range m.children {
		x.addTree(c, at, prefab)
	}
	e := &d.Entries[at]
	if e.span = int32(len(d.Entries)) - at; m.group && x.countBytes(m.at, groupBytes*int(e.span)) {
		all := &partRest{}
		for i := range e.span {
			all.kin, all.ids = append(all.kin, d.Entries[at+i].Name), append(all.ids, at+i)
		}
		e.Parts = x.addImplied(e.Parts, x.linked, m, Part{origin: byGroup, rest: all})
	}
}

// addImplied adds a component that the text does not have.
func (x *expander) addImplied(parts []Part, own *componentInfo, m *model, p Part) []Part {
	p.Type, p.own, p.doc = own.Type, own, x.doc
	if !slices.Contains(x.doc.given, own) {
		x.doc.given = append(x.doc.given, own)
	}
	at, twice := slices.BinarySearchFunc(parts, p, comparePart)
	if twice {
		x.addError(x.errorAt(int(parts[at].first.at), "entity %q gets the component %s without that it is written: leave it out", m.name, x.doc.known.nameOf(own)))
		return parts
	}
	return slices.Insert(parts, at, p)
}

// hierarchyParent is the Parent of children if several components have that name.
const hierarchyParent = "github.com/lanewise/lanewise/ecs/transform.Parent"

// parentOf returns the component that holds the parent of m's children.
func (x *expander) parentOf(m *model) *componentInfo {
	if x.parent != nil {
		return x.parent
	}
	own, why, hint := x.doc.known.findComponent("Parent")
	if t := x.doc.known.byName[hierarchyParent]; own == nil && t != nil && t.componentInfo != nil {
		t.used = true
		own, why = t.componentInfo, ""
	}
	if why != "" {
		x.addError(x.errorAt(int(m.at), "a child has the component Parent: %s", why).withHint(hint))
		return nil
	}
	n := 0
	if own.plan != nil && own.plan.lanes {
		n = len(own.plan.fields)
	}
	if n != 1 || !own.plan.fields[0].plan.entity || own.Buffer || own.PerChunk {
		x.addError(x.errorAt(int(m.at), "a child has the component Parent, whose one field is the parent's id; %s has another form", own.Name))
		return nil
	}
	x.parent = own
	return own
}
