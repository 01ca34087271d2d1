package ecs

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// entityNames holds the names of the entities of a world. Names are for people: no result and no hash
// depends on them. The names are stored in pages, by entity index. Images share a page until it is
// written. So naming an entity costs one store, and an image of all names costs one pointer per
// page. The name of a destroyed entity stays until its slot gets another name.
type entityNames struct {
	mu       sync.RWMutex // because jobs that fail ask for names
	pages    []*namePage  // nil if no entity of the page has a name
	writable []bool       // whether the page belongs to no image, and may be written
}

const namePageBits, namePageLen = 7, 1 << namePageBits

// namePage holds the names of namePageLen entities with consecutive indices. The names are parts
// of a few long texts, because the garbage collector would have to visit a separate string for
// each name.
type namePage struct {
	nameRefs     [namePageLen]nameRef
	texts        []string
	compactLimit int // number of texts at which appendText drops the unused ones
}

// nameRef is the position of one entity's name in the texts. version is the entity's version; 0
// means no name.
type nameRef struct {
	version                   int32
	textIndex, offset, length uint32
}

func (p *namePage) name(t *nameRef) string { return p.texts[t.textIndex][t.offset:][:t.length] }

// appendText appends a text to the page and returns its index.
func (p *namePage) appendText(text string) uint32 {
	if len(p.texts) >= max(p.compactLimit, 4) {
		kept, places := make([]string, 0, 8), make([]uint32, len(p.texts)) // places from 1
		for i := range p.nameRefs {
			if t := &p.nameRefs[i]; t.version != 0 {
				if places[t.textIndex] == 0 {
					kept = append(kept, p.texts[t.textIndex])
					places[t.textIndex] = uint32(len(kept))
				}
				t.textIndex = places[t.textIndex] - 1
			}
		}
		p.texts, p.compactLimit = kept, 2*len(kept)+4
	}
	p.texts = append(p.texts, text)
	return uint32(len(p.texts) - 1)
}

// writablePage returns the page of an entity for writing. If an image shares the page,
// writablePage copies the page first.
func (l *entityNames) writablePage(e Entity) *namePage {
	p := int(e.Index) >> namePageBits
	if n := p + 1 - len(l.pages); n > 0 {
		l.pages, l.writable = append(l.pages, make([]*namePage, n)...), append(l.writable, make([]bool, n)...)
	}
	if !l.writable[p] {
		page := new(namePage)
		if old := l.pages[p]; old != nil {
			*page = *old
			page.texts = slices.Clip(page.texts)
		}
		l.pages[p], l.writable[p] = page, true
	}
	return l.pages[p]
}

// setName sets the name of an entity; "" removes it. The caller holds the lock.
func (l *entityNames) setName(e Entity, name string) {
	if p := int(e.Index) >> namePageBits; name == "" {
		if p < len(l.pages) && l.pages[p] != nil {
			l.writablePage(e).nameRefs[e.Index%namePageLen] = nameRef{}
		}
		return
	}
	p := l.writablePage(e)
	t := &p.nameRefs[e.Index%namePageLen]
	t.version = 0
	*t = nameRef{e.Version, p.appendText(name), 0, uint32(len(name))}
}

// copyNames gives entities the names that other entities have in an image. It handles several
// consecutive entities at once, because usually all of them are on one page of the image and on one
// page of this world.
func (l *entityNames) copyNames(ids []Entity, from []*namePage, old []Entity) {
	if len(from) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(ids) > 0 {
		src, dst, n := int(old[0].Index)>>namePageBits, int(ids[0].Index)>>namePageBits, 1
		for n < len(ids) && int(old[n].Index)>>namePageBits == src && int(ids[n].Index)>>namePageBits == dst {
			n++
		}
		if src < len(from) && from[src] != nil {
			l.copyPageNames(ids[:n], from[src], old[:n])
		}
		ids, old = ids[n:], old[n:]
	}
}

// copyPageNames copies names from one page to entities whose names are also on one page.
func (l *entityNames) copyPageNames(ids []Entity, src *namePage, old []Entity) {
	var dst *namePage
	var text, number uint32 // in src, in dst
	for i, e := range ids {
		t := &src.nameRefs[old[i].Index%namePageLen]
		if t.version != old[i].Version || t.length == 0 {
			continue
		}
		if dst == nil || t.textIndex != text {
			dst = l.writablePage(e)
			dst.nameRefs[e.Index%namePageLen].version = 0
			text, number = t.textIndex, dst.appendText(src.texts[t.textIndex])
		}
		dst.nameRefs[e.Index%namePageLen] = nameRef{e.Version, number, t.offset, t.length}
	}
}

// pagesPerText is the number of pages that share one text in setAll. A larger number needs fewer
// strings. But as long as one name of a text is in use, the whole text stays in memory.
const pagesPerText = 16

// setAll sets all names of a world that has none. The list must be sorted by entity index.
func (l *entityNames) setAll(list []ImageName) {
	if len(list) == 0 {
		return
	}
	l.writablePage(list[len(list)-1].Entity) // the highest index first, so that the list of pages grows once
	for len(list) > 0 {
		n, bytes, group := 0, 0, int(list[0].Entity.Index)>>namePageBits/pagesPerText
		for n < len(list) && int(list[n].Entity.Index)>>namePageBits/pagesPerText == group {
			bytes += len(list[n].Name)
			n++
		}
		var text strings.Builder
		text.Grow(bytes)
		var pages []*namePage
		var page *namePage
		last := int32(-1)
		for i := range list[:n] {
			e, name := list[i].Entity, list[i].Name
			if p := e.Index >> namePageBits; p != last {
				page, last = l.writablePage(e), p
				pages = append(pages, page)
			}
			page.nameRefs[e.Index%namePageLen] = nameRef{e.Version, 0, uint32(text.Len()), uint32(len(name))}
			text.WriteString(name)
		}
		texts := []string{text.String()}
		for _, p := range pages {
			p.texts = texts[:1:1] // full capacity, so that add allocates another list
		}
		list = list[n:]
	}
}

// ImageName is the name of one entity in an image; see [World.SetEntityName].
type ImageName struct {
	Entity Entity
	Name   string
}

// sharePages returns the pages for an image. Later writes copy a page first, because the image needs the
// old names.
func (l *entityNames) sharePages() []*namePage {
	clear(l.writable)
	return l.pages[:len(l.pages):len(l.pages)]
}

// replaceAll replaces all names by those of an image.
func (l *entityNames) replaceAll(pages []*namePage) {
	l.pages, l.writable = append(l.pages[:0:0], pages...), make([]bool, len(pages))
}

// name returns the last name of an entity, even if the entity no longer exists.
func (l *entityNames) name(e Entity) string {
	if l == nil {
		return ""
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	return nameInPages(l.pages, e)
}

func nameInPages(pages []*namePage, e Entity) string {
	if p, t := nameRefInPages(pages, e); t != nil {
		return p.name(t)
	}
	return ""
}

func nameRefInPages(pages []*namePage, e Entity) (*namePage, *nameRef) {
	if p := int(e.Index) >> namePageBits; e.Index >= 0 && p < len(pages) && pages[p] != nil {
		if t := &pages[p].nameRefs[e.Index%namePageLen]; t.version == e.Version && e.Version != 0 {
			return pages[p], t
		}
	}
	return nil, nil
}

// eachName calls f with all names, in the order of entity indices.
func eachName(pages []*namePage, f func(e Entity, name string)) {
	for p, page := range pages {
		if page == nil {
			continue
		}
		for i := range page.nameRefs {
			if t := &page.nameRefs[i]; t.version != 0 {
				f(Entity{int32(p<<namePageBits + i), t.version}, page.name(t))
			}
		}
	}
}

// hasNames reports whether any entity has ever had a name.
func (l *entityNames) hasNames() bool { return len(l.pages) > 0 }

// describeEntity returns the text for an entity in messages: its id, and its name if it has one.
func describeEntity(e Entity, name string) string {
	if name == "" {
		return e.String()
	}
	return fmt.Sprintf("%v %q", e, name)
}

// nameEntity gives a name to an entity that exists.
func (w *World) nameEntity(e Entity, name string) {
	l := w.gate.entityNames
	l.mu.Lock()
	defer l.mu.Unlock()
	l.setName(e, name)
}

// plural returns a number and a noun in the right form.
func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
