package scene

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
)

// maxExpandedEntities is the largest number of entities that prefabs, lists and children may produce. Without
// a limit, a short text could keep a program busy for hours. The limit is a variable so that tests can make
// it smaller.
var maxExpandedEntities = 1 << 22

// maxPrefabChain is the largest length of a chain of prefabs in which each prefab is "of" the next.
const maxPrefabChain = 100

// expander merges entities with their prefabs, and converts them to entries.
type expander struct {
	*parser
	prefabs          map[string]*entityModel // maps names to prefabs
	parentInfo       *componentInfo
	linkedGroupInfo  *componentInfo
	prefabInfo       *componentInfo
	omitGroupInfo    *componentInfo
	entityCount      int   // number of entities that mergeEntity has created
	maxBytes         int   // largest allowed number of bytes
	byteCount        int   // number of bytes used so far
	prefabNameOffset int32 // offset of the name of the prefab that is being copied
	chainLength      int   // current length of the chain of prefabs
}

// entityModel is an entity with all of its components and children.
type entityModel struct {
	name           string // the full name
	offset         int32
	parts          []Part
	children       []*entityModel
	treeSize       int  // number of entities in the tree, including itself
	hasLinkedGroup bool // the entity has the LinkedGroup of its tree

	text      *entityText // text of a prefab that is not yet expanded
	expanding bool
}

// expandAll creates the entries of a document.
func (x *expander) expandAll(prefabs, entities []entityText) {
	d := x.doc
	x.linkedGroupInfo, x.prefabInfo, x.omitGroupInfo = d.catalog.byType[linkedType], d.catalog.byType[prefabType], d.catalog.byType[omitType]
	for i := range prefabs {
		w := &prefabs[i]
		if x.prefabs[w.name] != nil {
			x.addError(x.errorAt(int(w.offset), "the name %q is there twice", w.name))
			continue
		}
		x.prefabs[w.name] = &entityModel{name: w.name, offset: w.offset, text: w}
		x.refuseGroups(w)
	}
	d.byName = make(map[string]int32, len(prefabs)+len(entities))
	d.Entries = make([]Entry, 0, len(prefabs)+len(entities))
	for i := range prefabs {
		if m := x.prefabs[prefabs[i].name]; m.offset == prefabs[i].offset {
			x.expandPrefab(m)
			m.hasLinkedGroup = m.hasLinkedGroup || len(m.children) > 0
		}
	}
	if len(x.errs) > 0 {
		return // the entities would only repeat the errors of their prefabs
	}
	for i := range prefabs {
		x.addTree(x.prefabs[prefabs[i].name], -1, true)
	}
	if len(x.errs) > 0 && x.entityCount > maxExpandedEntities {
		return
	}
	d.prefabCount = len(d.Entries)
	for i := range entities {
		if len(x.errs) >= maxKeptErrors {
			return
		}
		w := &entities[i]
		if w.prefabName == "" && w.children == nil && w.marks == nil { // this fast path handles most entities
			x.addEntry(w.name, w.offset, w.parts, false)
			continue
		}
		x.addTree(x.mergeEntity(w, nil, w.name, nil), -1, false)
	}
}

// refuseGroups reports a LinkedGroup in the text of a prefab as an error, because in a copy it
// would refer to entities of the prefab.
func (x *expander) refuseGroups(w *entityText) {
	for i := range w.parts {
		if w.parts[i].component == x.linkedGroupInfo {
			x.addError(x.errorAt(int(w.parts[i].baseText.start), "a prefab has the LinkedGroup of its children: leave it out"))
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

// expandPrefab expands a prefab, after it has expanded the prefabs that this one is "of".
func (x *expander) expandPrefab(m *entityModel) {
	if m.text == nil {
		return
	}
	if m.expanding {
		x.addError(x.errorAt(int(m.text.prefabOffset), "prefab %q is of itself, by way of %q", m.name, m.text.prefabName))
		return
	}
	if x.chainLength++; x.chainLength > maxPrefabChain {
		x.addError(x.errorAt(int(m.text.prefabOffset), "more than %d prefabs are each of the next one", maxPrefabChain))
		return
	}
	defer func() { x.chainLength-- }()
	m.expanding = true
	own := x.mergeEntity(m.text, nil, m.name, nil)
	m.parts, m.children, m.treeSize, m.hasLinkedGroup, m.text, m.expanding = own.parts, own.children, own.treeSize, own.hasLinkedGroup, nil, false
}

// prefabCopy says how the names of a prefab are looked up in a copy of that prefab.
type prefabCopy struct {
	doc          *Document
	from, to     string
	copiedScopes map[int32]int32
}

// scope returns the scope for the copy that replaces the scope s of the prefab. It creates the scope if
// it is new.
func (c *prefabCopy) scope(s int32) int32 {
	own, ok := c.copiedScopes[s]
	if !ok {
		own = int32(len(c.doc.scopes))
		c.doc.scopes = append(c.doc.scopes, scope{c.from, c.to, s})
		c.copiedScopes[s] = own
	}
	return own
}

// mergeEntity merges the text of an entity with the entity of the prefab that it overrides. Either
// may be nil.
func (x *expander) mergeEntity(w *entityText, base *entityModel, name string, copied *prefabCopy) *entityModel {
	m := &entityModel{name: name, treeSize: 1}
	if x.entityCount++; x.entityCount >= maxExpandedEntities {
		x.reportTooMany(x.prefabNameOffset)
		return m
	}
	if len(name) > maxName {
		x.addError(x.errorAt(int(x.prefabNameOffset), "the name %.100q… has %d bytes, with those of its parents: the limit is %d", name, len(name), maxName))
		x.entityCount = maxExpandedEntities + 1
		return m
	}
	at := x.prefabNameOffset
	if w != nil {
		at = w.offset
	}
	if !x.countBytes(at, entityBytes+len(name)) || len(x.errs) >= maxKeptErrors {
		return m
	}
	if base != nil {
		m.offset, m.hasLinkedGroup = base.offset, base.hasLinkedGroup
	}
	var marks []componentMark
	var own []Part
	if w != nil {
		m.offset, marks, own = w.offset, w.marks, w.parts
		if w.prefabName != "" {
			var fits bool
			if base, copied, fits = x.overriddenPrefab(m, w, base, copied); !fits {
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
	m.parts = x.mergeParts(from, own, marks, copied, name)
	if w != nil && w.prefabName != "" && m.hasLinkedGroup {
		if i := slices.IndexFunc(from, func(p Part) bool { return p.component == x.omitGroupInfo }); i >= 0 {
			m.hasLinkedGroup = false
			m.parts = slices.DeleteFunc(m.parts, func(p Part) bool { return p.component == x.omitGroupInfo && p.extra == nil })
		}
	}
	x.mergeChildren(m, w, base, copied)
	for _, c := range m.children {
		m.treeSize += c.treeSize
	}
	return m
}

// overriddenPrefab returns the prefab that m is "of", or nil if there is none. If the prefab of m's
// parent already has an entity base for m, overriddenPrefab reports an error and returns base. The
// second result is the copy that contains the returned entity. The third result is false if the
// document would have too many entities.
func (x *expander) overriddenPrefab(m *entityModel, w *entityText, base *entityModel, copied *prefabCopy) (*entityModel, *prefabCopy, bool) {
	if base != nil {
		x.addError(x.errorAt(int(w.prefabOffset), "%q is of a prefab already: its parent is made with it", m.name))
		return base, copied, true
	}
	base = x.prefabOf(w)
	if x.prefabNameOffset = w.prefabOffset; base == nil {
		return nil, copied, true
	}
	if x.entityCount+base.treeSize > maxExpandedEntities {
		x.reportTooMany(w.prefabOffset)
		return nil, copied, false
	}
	if m.hasLinkedGroup = len(base.children) > 0; m.hasLinkedGroup {
		copied = &prefabCopy{x.doc, base.name, m.name, map[int32]int32{}}
	}
	return base, copied, true
}

// entityBytes and partBytes estimate the memory that one entity and one component take while the
// document is converted to rows. If a byte of text is read again, it counts as readCost bytes,
// because reading it takes as long as writing that many bytes.
const (
	entityBytes = 800
	partBytes   = 200
	readCost    = 4
	groupBytes  = 64 // bytes for each member of a group
)

// copyCost returns the number of bytes that a copy of a part adds to the count of countBytes.
func (p *Part) copyCost() int {
	n := partBytes
	_ = p.eachText(func(o textRange) *Error {
		n += 32 + readCost*int(o.end-o.start)
		return nil
	})
	return n
}

// countBytes adds n to the number of bytes that the text produces, and reports whether the limit
// allows it.
func (x *expander) countBytes(at int32, n int) bool {
	if x.byteCount += n; x.byteCount <= x.maxBytes {
		return true
	}
	if x.entityCount <= maxExpandedEntities {
		x.addError(x.errorAt(int(at), "prefabs, children and lists make more than %d bytes of this text: write less, or give more with scene.MaxBytes", x.maxBytes))
		x.entityCount = maxExpandedEntities + 1
	}
	return false
}

// reportTooMany reports that the text produces too many entities. It reports this only once.
func (x *expander) reportTooMany(at int32) {
	if x.entityCount <= maxExpandedEntities {
		x.addError(x.errorAt(int(at), "prefabs, children and lists of components make more than %d entities", maxExpandedEntities))
		x.entityCount = maxExpandedEntities + 1
	}
}

// prefabOf returns the prefab that an entity is "of".
func (x *expander) prefabOf(w *entityText) *entityModel {
	base := x.prefabs[w.prefabName]
	if base == nil {
		x.addError(x.errorAt(int(w.prefabOffset), "no prefab %.100q", w.prefabName).withHint(func() string { return nearestNameHint(w.prefabName, slices.Sorted(maps.Keys(x.prefabs))) }))
		return nil
	}
	if base.expanding {
		x.addError(x.errorAt(int(w.prefabOffset), "prefab %q is of itself, or in itself", w.prefabName))
		return nil
	}
	x.expandPrefab(base)
	return base
}

// mergeChildren merges the children of an entity with the children of the prefab. The children of
// the prefab come first, then the new ones.
func (x *expander) mergeChildren(m *entityModel, w *entityText, base *entityModel, copied *prefabCopy) {
	var own []entityText
	if w != nil {
		own = w.children
	}
	var taken []bool
	if base != nil && len(base.children) > 0 {
		taken = make([]bool, len(own))
		places := make(map[string]int, len(own)) // index of the first child with a name; a second one is reported when it is added
		for i := len(own) - 1; i >= 0; i-- {
			places[own[i].name] = i
		}
		for _, c := range base.children {
			key := strings.TrimPrefix(c.name, base.name+"/")
			var over *entityText
			if i, has := places[key]; has && !taken[i] {
				over, taken[i] = &own[i], true
			}
			if x.entityCount > maxExpandedEntities || len(x.errs) >= maxKeptErrors {
				return
			}
			m.children = append(m.children, x.mergeEntity(over, c, m.name+"/"+key, copied))
		}
	}
	for i := range own {
		if x.entityCount > maxExpandedEntities || len(x.errs) >= maxKeptErrors {
			return
		}
		if taken == nil || !taken[i] {
			m.children = append(m.children, x.mergeEntity(&own[i], nil, m.name+"/"+own[i].name, nil))
		}
	}
}

// mergeParts merges the components of an entity with those of a prefab.
func (x *expander) mergeParts(from, own []Part, marks []componentMark, copied *prefabCopy, name string) []Part {
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
		list[at] = list[at].withText(o.baseText)
	}
	for _, m := range marks {
		i := slices.IndexFunc(list, func(p Part) bool { return p.component == m.component })
		switch {
		case i < 0:
			x.addError(x.errorAt(int(m.offset), "entity %q has no component %s", name, m.component.Name))
		case m.listKey == "remove" && slices.ContainsFunc(own, func(p Part) bool { return p.component == m.component }):
			x.addError(x.errorAt(int(m.offset), "entity %q has the component %s, and removes it", name, m.component.Name))
		case m.listKey == "remove":
			list = slices.Delete(list, i, i+1)
		case list[i].Off == (m.listKey == "disabled"):
			x.addError(x.errorAt(int(m.offset), "%s is %s already", m.component.Name, m.listKey))
		default:
			list[i].Off = m.listKey == "disabled"
		}
	}
	return list
}

// withText returns a copy of the part with one more text, which overrides the others.
func (p Part) withText(o textRange) Part {
	more := &partExtra{}
	if p.extra != nil {
		*more = *p.extra
	}
	more.overrides = append(slices.Clip(more.overrides), o)
	p.extra = more
	return p
}

// inCopy returns the part for a copy of the prefab's tree. Names in it refer to entities of the copy.
func (p Part) inCopy(c *prefabCopy) Part {
	p.baseText.scope = c.scope(p.baseText.scope)
	if p.extra != nil {
		more := *p.extra
		more.overrides = slices.Clone(more.overrides)
		for i := range more.overrides {
			more.overrides[i].scope = c.scope(more.overrides[i].scope)
		}
		p.extra = &more
	}
	return p
}

// addEntry adds an entry.
func (x *expander) addEntry(name string, at int32, parts []Part, prefab bool) {
	d := x.doc
	if old, twice := d.byName[name]; twice {
		e := &d.Entries[old]
		line := strings.Count(x.text[:e.offset], "\n") + 1
		x.addError(x.errorAt(int(at), "the name %q is there twice, first in line %d", name, line))
	}
	d.byName[name] = int32(len(d.Entries))
	d.Entries = append(d.Entries, Entry{name, prefab, parts, at, 1})
}

// addTree adds the entries of a tree.
func (x *expander) addTree(m *entityModel, parent int32, prefab bool) {
	d, at := x.doc, int32(len(x.doc.Entries))
	parts := slices.Clone(m.parts)
	if prefab {
		parts = x.addImplied(parts, x.prefabInfo, m, Part{origin: byPrefab})
	}
	if parent >= 0 {
		if own := x.parentOf(m); own != nil {
			parts = x.addImplied(parts, own, m, Part{origin: byParent, extra: &partExtra{groupNames: []string{d.Entries[parent].Name}, groupEntries: []int32{parent}}})
		}
	}
	x.addEntry(m.name, m.offset, parts, prefab)
	for _, c := range m.children {
		x.addTree(c, at, prefab)
	}
	e := &d.Entries[at]
	if e.treeSize = int32(len(d.Entries)) - at; m.hasLinkedGroup && x.countBytes(m.offset, groupBytes*int(e.treeSize)) {
		all := &partExtra{}
		for i := range e.treeSize {
			all.groupNames, all.groupEntries = append(all.groupNames, d.Entries[at+i].Name), append(all.groupEntries, at+i)
		}
		e.Parts = x.addImplied(e.Parts, x.linkedGroupInfo, m, Part{origin: byGroup, extra: all})
	}
}

// addImplied adds a component that is not in the text.
func (x *expander) addImplied(parts []Part, own *componentInfo, m *entityModel, p Part) []Part {
	p.Type, p.component, p.doc = own.Type, own, x.doc
	if !slices.Contains(x.doc.impliedComponents, own) {
		x.doc.impliedComponents = append(x.doc.impliedComponents, own)
	}
	at, twice := slices.BinarySearchFunc(parts, p, comparePart)
	if twice {
		x.addError(x.errorAt(int(parts[at].baseText.start), "entity %q gets the component %s without that it is written: leave it out", m.name, x.doc.catalog.nameOf(own)))
		return parts
	}
	return slices.Insert(parts, at, p)
}

// hierarchyParent is the component that is used as the Parent of children if several components
// have the name Parent.
const hierarchyParent = "github.com/lanewise/lanewise/ecs/transform.Parent"

// parentOf returns the component that holds the parent of m's children.
func (x *expander) parentOf(m *entityModel) *componentInfo {
	if x.parentInfo != nil {
		return x.parentInfo
	}
	own, why, hint := x.doc.catalog.findComponent("Parent")
	if t := x.doc.catalog.byName[hierarchyParent]; own == nil && t != nil && t.componentInfo != nil {
		t.usedInText = true
		own, why = t.componentInfo, ""
	}
	if why != "" {
		x.addError(x.errorAt(int(m.offset), "a child has the component Parent: %s", why).withHint(hint))
		return nil
	}
	n := 0
	if own.plan != nil && own.plan.fieldsAreLanes {
		n = len(own.plan.fields)
	}
	if n != 1 || !own.plan.fields[0].plan.isEntity || own.Buffer || own.PerChunk {
		x.addError(x.errorAt(int(m.offset), "a child has the component Parent, whose one field is the parent's id; %s has another form", own.Name))
		return nil
	}
	x.parentInfo = own
	return own
}
