package ecs

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// labels holds the names of the entities of a world, which are for people: no result and no hash
// depends on them. The names are in pages by entity index. Images share a page until it is written,
// so that naming an entity costs one store, and an image of all names costs one pointer for each
// page. The name of a destroyed entity stays until its slot gets another name.
type labels struct {
	mu    sync.RWMutex // because jobs that fail ask for names
	pages []*labelPage // nil if no entity of the page has a name
	own   []bool       // whether the page belongs to no image, and may be written
}

const pageBits, pageLen = 7, 1 << pageBits

// labelPage is the names of pageLen neighbouring entities. The names are parts of a few long texts,
// because the garbage collector must visit every string.
type labelPage struct {
	tags  [pageLen]nameTag
	texts []string
	most  int // number of texts at which add drops the unused ones
}

// nameTag is the place of one entity's name. version is that of the entity; 0 means no name.
type nameTag struct {
	version     int32
	text, at, n uint32
}

func (p *labelPage) name(t *nameTag) string { return p.texts[t.text][t.at:][:t.n] }

// add appends a text to the page and returns its index.
func (p *labelPage) add(text string) uint32 {
	if len(p.texts) >= max(p.most, 4) {
		kept, places := make([]string, 0, 8), make([]uint32, len(p.texts)) // places from 1
		for i := range p.tags {
			if t := &p.tags[i]; t.version != 0 {
				if places[t.text] == 0 {
					kept = append(kept, p.texts[t.text])
					places[t.text] = uint32(len(kept))
				}
				t.text = places[t.text] - 1
			}
		}
		p.texts, p.most = kept, 2*len(kept)+4
	}
	p.texts = append(p.texts, text)
	return uint32(len(p.texts) - 1)
}

// page returns the page of an entity for writing. It copies a page that an image shares.
func (l *labels) page(e Entity) *labelPage {
	p := int(e.Index) >> pageBits
	if n := p + 1 - len(l.pages); n > 0 {
		l.pages, l.own = append(l.pages, make([]*labelPage, n)...), append(l.own, make([]bool, n)...)
	}
	if !l.own[p] {
		page := new(labelPage)
		if old := l.pages[p]; old != nil {
			*page = *old
			page.texts = slices.Clip(page.texts)
		}
		l.pages[p], l.own[p] = page, true
	}
	return l.pages[p]
}

// set gives an entity a name; "" removes it. The caller holds the lock.
func (l *labels) set(e Entity, name string) {
	if p := int(e.Index) >> pageBits; name == "" {
		if p < len(l.pages) && l.pages[p] != nil {
			l.page(e).tags[e.Index%pageLen] = nameTag{}
		}
		return
	}
	p := l.page(e)
	t := &p.tags[e.Index%pageLen]
	t.version = 0
	*t = nameTag{e.Version, p.add(name), 0, uint32(len(name))}
}

// carry copies names of an image to other entities. It handles a whole range of neighbours at once,
// because most of them are on one page in the image and one page here.
func (l *labels) carry(ids []Entity, from []*labelPage, old []Entity) {
	if len(from) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(ids) > 0 {
		src, dst, n := int(old[0].Index)>>pageBits, int(ids[0].Index)>>pageBits, 1
		for n < len(ids) && int(old[n].Index)>>pageBits == src && int(ids[n].Index)>>pageBits == dst {
			n++
		}
		if src < len(from) && from[src] != nil {
			l.carryPage(ids[:n], from[src], old[:n])
		}
		ids, old = ids[n:], old[n:]
	}
}

// carryPage copies names from one page to entities of one page.
func (l *labels) carryPage(ids []Entity, src *labelPage, old []Entity) {
	var dst *labelPage
	var text, number uint32 // in src, in dst
	for i, e := range ids {
		t := &src.tags[old[i].Index%pageLen]
		if t.version != old[i].Version || t.n == 0 {
			continue
		}
		if dst == nil || t.text != text {
			dst = l.page(e)
			dst.tags[e.Index%pageLen].version = 0
			text, number = t.text, dst.add(src.texts[t.text])
		}
		dst.tags[e.Index%pageLen] = nameTag{e.Version, number, t.at, t.n}
	}
}

// fillPages is the number of pages that share one text in fill. A larger number makes fewer
// strings, but a single remaining name keeps a larger text alive.
const fillPages = 16

// fill gives names to a world that has none. The list must be sorted by entity index.
func (l *labels) fill(list []ImageName) {
	if len(list) == 0 {
		return
	}
	l.page(list[len(list)-1].Entity) // the highest index first, so that the list of pages grows once
	for len(list) > 0 {
		n, bytes, group := 0, 0, int(list[0].Entity.Index)>>pageBits/fillPages
		for n < len(list) && int(list[n].Entity.Index)>>pageBits/fillPages == group {
			bytes += len(list[n].Name)
			n++
		}
		var text strings.Builder
		text.Grow(bytes)
		var pages []*labelPage
		var page *labelPage
		last := int32(-1)
		for i := range list[:n] {
			e, name := list[i].Entity, list[i].Name
			if p := e.Index >> pageBits; p != last {
				page, last = l.page(e), p
				pages = append(pages, page)
			}
			page.tags[e.Index%pageLen] = nameTag{e.Version, 0, uint32(text.Len()), uint32(len(name))}
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

// share returns the pages for an image. Later writes copy a page first, because the image needs the
// old names.
func (l *labels) share() []*labelPage {
	clear(l.own)
	return l.pages[:len(l.pages):len(l.pages)]
}

// take replaces all names by those of an image.
func (l *labels) take(pages []*labelPage) {
	l.pages, l.own = append(l.pages[:0:0], pages...), make([]bool, len(pages))
}

// name returns the last name of an entity, even if the entity no longer exists.
func (l *labels) name(e Entity) string {
	if l == nil {
		return ""
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	return nameIn(l.pages, e)
}

func nameIn(pages []*labelPage, e Entity) string {
	if p, t := tagIn(pages, e); t != nil {
		return p.name(t)
	}
	return ""
}

func tagIn(pages []*labelPage, e Entity) (*labelPage, *nameTag) {
	if p := int(e.Index) >> pageBits; e.Index >= 0 && p < len(pages) && pages[p] != nil {
		if t := &pages[p].tags[e.Index%pageLen]; t.version == e.Version && e.Version != 0 {
			return pages[p], t
		}
	}
	return nil, nil
}

// eachName calls f with all names, in the order of entity indices.
func eachName(pages []*labelPage, f func(e Entity, name string)) {
	for p, page := range pages {
		if page == nil {
			continue
		}
		for i := range page.tags {
			if t := &page.tags[i]; t.version != 0 {
				f(Entity{int32(p<<pageBits + i), t.version}, page.name(t))
			}
		}
	}
}

// any reports whether any entity has had a name.
func (l *labels) any() bool { return len(l.pages) > 0 }

// named returns the text for an entity in messages: its id, and its name if it has one.
func named(e Entity, name string) string {
	if name == "" {
		return e.String()
	}
	return fmt.Sprintf("%v %q", e, name)
}

// label gives a name to an entity that exists.
func (w *World) label(e Entity, name string) {
	l := w.gate.labels
	l.mu.Lock()
	defer l.mu.Unlock()
	l.set(e, name)
}

// plural returns a number and the noun in the right form.
func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
