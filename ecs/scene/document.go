package scene

import (
	"crypto/sha256"
	"reflect"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
)

// Document is a parsed text. A Document contains the entities and, for each component, the piece of
// text that describes it. A Document is immutable, so any goroutine may read it.
type Document struct {
	// Entries lists the prefabs first and then the entities. The prefabs and the entities are
	// each in the order of the text. Children follow their parent. The index of an entry is the
	// Index of the entity's id in the image.
	Entries []Entry

	source
	textSum           [sha256.Size]byte
	byName            map[string]int32
	scopes            []scope
	catalog           *catalog
	prefabCount       int              // number of entries that are prefabs
	maxBytes          int              // largest allowed number of bytes: see MaxBytes
	impliedComponents []*componentInfo // components that entries have although they are not in the text
}

// Entry is an entity of a [Document].
type Entry struct {
	Name   string
	Prefab bool
	Parts  []Part // sorted by the full names of their types

	offset   int32
	treeSize int32 // number of entries in its tree, including itself
}

// Part is a component of an [Entry].
type Part struct {
	Type reflect.Type
	Off  bool // the component is enableable and disabled

	origin    origin
	component *componentInfo
	doc       *Document
	baseText  textRange
	extra     *partExtra
}

// origin says whether a component is in the text, or which rule has added it.
type origin uint8

const (
	byText   origin = iota
	byParent        // the Parent of a child was added
	byGroup         // the LinkedGroup of a tree was added
	byPrefab        // the Prefab of a prefab was added
)

// textRange is the text of a value, given by two offsets and by the scope in which its names are
// looked up.
type textRange struct{ start, end, scope int32 }

// partExtra holds the fields of Part that most components do not need.
type partExtra struct {
	overrides    []textRange // texts that override the first one, in order
	groupNames   []string    // names of the entities of a LinkedGroup
	groupEntries []int32     // entries of the entities in groupNames
}

// scope defines how names are looked up. In a copy of a prefab, the names of the prefab's tree
// refer to the entities of the copy. The scope innerScope is applied to a name before this scope is
// applied.
type scope struct {
	from, to   string
	innerScope int32
}

// Find returns the index of the entry with the given name, and whether there is one.
func (d *Document) Find(name string) (i int, ok bool) {
	at, ok := d.byName[name]
	return int(at), ok
}

// Sum returns the SHA-256 of the text.
func (d *Document) Sum() [sha256.Size]byte { return d.textSum }

// eachText calls f with all texts of a part. A text comes before the texts that override it.
func (p *Part) eachText(f func(textRange) *Error) *Error {
	if p.origin != byText {
		return nil
	}
	if err := f(p.baseText); err != nil || p.extra == nil {
		return err
	}
	for _, o := range p.extra.overrides {
		if err := f(o); err != nil {
			return err
		}
	}
	return nil
}

// lastText calls f with the last text of a part, which overrides all earlier texts.
func (p *Part) lastText(f func(textRange) *Error) *Error {
	o := p.baseText
	if p.extra != nil && len(p.extra.overrides) > 0 {
		o = p.extra.overrides[len(p.extra.overrides)-1]
	}
	return f(o)
}

// Same reports whether two parts have the same text and refer to the same names. The parts may
// belong to one document or to two. If Same returns true, the values of the parts are equal,
// except that the ids of the entities in them may differ. Same decodes nothing.
func (p *Part) Same(o *Part) bool {
	if p.Type != o.Type || p.Off != o.Off || p.origin != o.origin || (p.extra == nil) != (o.extra == nil) {
		return false
	}
	if p.extra != nil && (len(p.extra.overrides) != len(o.extra.overrides) || !slices.Equal(p.extra.groupNames, o.extra.groupNames)) {
		return false
	}
	if p.origin != byText {
		return true
	}
	same := func(a, b textRange) bool {
		text := p.doc.text[a.start:a.end]
		return text == o.doc.text[b.start:b.end] && (!strings.Contains(text, "@") || sameScope(p.doc, a.scope, o.doc, b.scope))
	}
	if !same(p.baseText, o.baseText) {
		return false
	}
	if p.extra != nil {
		for i, over := range p.extra.overrides {
			if !same(over, o.extra.overrides[i]) {
				return false
			}
		}
	}
	return true
}

// sameScope reports whether two scopes have the same effect on names. The scopes may belong to two
// documents.
func sameScope(a *Document, s int32, b *Document, t int32) bool {
	for s != 0 && t != 0 {
		own, other := &a.scopes[s], &b.scopes[t]
		if own.from != other.from || own.to != other.to {
			return false
		}
		s, t = own.innerScope, other.innerScope
	}
	return s == t
}

// nameInScope returns the full name of an entity, given its name in a scope.
func (d *Document) nameInScope(name string, s int32) string {
	if s == 0 {
		return name
	}
	own := &d.scopes[s]
	name = d.nameInScope(name, own.innerScope)
	if !strings.HasPrefix(name, own.from) {
		return name
	}
	root, known := d.byName[own.from]
	if at, ok := d.byName[name]; known && ok && at >= root && at < root+d.Entries[root].treeSize {
		return own.to + name[len(own.from):]
	}
	return name
}

// entryID returns the id of an entry in the image.
func entryID(i int32) ecs.Entity { return ecs.Entity{Index: i, Version: 1} }
