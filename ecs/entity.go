package ecs

import (
	"cmp"
	"fmt"
	"github.com/lanewise/lanewise/ecs/internal/table"
	"slices"
	"strings"
	"sync"

	"github.com/lanewise/lanewise/chunk"
)

// Entity is the id of an entity: a slot and how often the slot was used before.
// The zero Entity is the null entity, which never exists. Ids are unique in one
// world.
//
// The version of a slot grows when its entity is destroyed, so every older id of
// it stays dead. Slots are used again in the order last freed, first taken;
// fresh slots follow in ascending order, their versions start at 1. A slot that has
// had the last version, 2³¹−1, is never used again. An Index below zero belongs to an
// entity that a Commands buffer has still to make.
type Entity struct{ Index, Version int32 }

// IsZero reports whether e is the null entity.
func (e Entity) IsZero() bool { return e == Entity{} }

// Compare orders entities by index, then version.
func (e Entity) Compare(o Entity) int {
	return cmp.Or(cmp.Compare(e.Index, o.Index), cmp.Compare(e.Version, o.Version))
}

// String returns e as "7v2": index 7, version 2.
func (e Entity) String() string { return fmt.Sprintf("%dv%d", e.Index, e.Version) }

// slot is one entry of the entity table: where the entity of this index is.
type slot struct {
	version int32
	record  int32 // the chunk that holds the row, or free
	row     int32
}

// put says that the entity of the slot is now in a row of a chunk.
func (s *slot) put(record int32, row int) { s.record, s.row = record, int32(row) }

// free marks a slot that no entity has.
const free = -1

// entities is the table of all ids of a world.
type entities struct {
	slots   []slot
	free    []int32 // indices to be used again, the last one first
	offered bool    // the last of these is promised to the next row
	retired int     // slots that had every version: no entity has them, and free has not
}

// live returns how many entities exist.
func (t *entities) live() int { return len(t.slots) - len(t.free) - t.retired }

// find returns the slot of e, or nil if e does not exist.
func (t *entities) find(e Entity) *slot {
	i := uint(e.Index)
	if i >= uint(len(t.slots)) {
		return nil
	}
	s := &t.slots[i]
	if s.version != e.Version || s.record == free {
		return nil
	}
	return s
}

// reserve makes room so that n more entities can be taken without growing step
// by step. Look-ups go through the table at random, so it lies in huge pages
// where it can.
func (t *entities) reserve(n int) {
	if fresh := n - len(t.free); fresh > cap(t.slots)-len(t.slots) {
		t.grow(fresh)
	}
}

// grow makes room for so many slots behind those that there are, and more.
func (t *entities) grow(fresh int) {
	more := make([]slot, len(t.slots), max(len(t.slots)+fresh, 2*len(t.slots), minSlots))
	chunk.Advise(sliceBytes(more[:cap(more)]))
	copy(more, t.slots)
	t.slots = more
}

// minSlots is the size of the first table.
const minSlots = 16

// take gives ids to the rows first, first+1, … of the chunk record, and writes
// them to ids.
func (t *entities) take(ids []Entity, record int32, first int) {
	t.reserve(len(ids))
	t.offered = false
	row := int32(first)
	left := max(0, len(t.free)-len(ids))
	again := t.free[left:]
	t.free = t.free[:left]
	slots := t.slots
	for i := range again {
		index := again[len(again)-1-i]
		s := &slots[index]
		s.record, s.row = record, row
		ids[i] = Entity{index, s.version}
		row++
	}
	ids = ids[len(again):]
	next := int32(len(slots))
	t.slots = slots[:len(slots)+len(ids)]
	fresh := t.slots[next:]
	for i := range ids {
		fresh[i] = slot{1, record, row}
		ids[i] = Entity{next, 1}
		next, row = next+1, row+1
	}
}

// peek writes the ids to ids that take will give next.
func (t *entities) peek(ids []Entity) {
	for i := range ids {
		if k := len(t.free) - 1 - i; k >= 0 {
			index := t.free[k]
			ids[i] = Entity{index, t.slots[index].version}
		} else {
			ids[i] = Entity{int32(len(t.slots) - 1 - k), 1}
		}
	}
}

// release ends the entities ids, the first one first.
func (t *entities) release(ids []Entity) {
	n := len(t.free)
	t.free = slices.Grow(t.free, len(ids))[:n+len(ids)]
	freed, slots := t.free[n:], t.slots
	spent := int32(0)
	for i, e := range ids {
		s := &slots[e.Index]
		s.version, s.record = s.version+1, free
		spent |= s.version
		freed[i] = e.Index
	}
	if spent < 0 {
		t.retire(n)
	}
}

// retire takes those of the slots from a place of free on that had the last version
// out of there: no entity gets them, for ids of such a slot would come alive again.
//
//go:noinline
func (t *entities) retire(from int) {
	kept := t.free[:from]
	for _, index := range t.free[from:] {
		if s := &t.slots[index]; s.version < 0 {
			s.version = 1
			t.retired++
			continue
		}
		kept = append(kept, index)
	}
	t.free = kept
}

// place says that the entities ids are now the rows first, first+1, … of the
// chunk record.
func (t *entities) place(ids []Entity, record int32, first int) {
	for i, e := range ids {
		t.slots[e.Index].put(record, first+i)
	}
}

// number says that entities are the first rows of a chunk, under ids that they have already.
func (t *entities) number(ids []Entity, record int32) {
	for row, e := range ids {
		t.slots[e.Index] = slot{e.Version, record, int32(row)}
	}
}

// tables holds the entities of a world: which entity is in which row of which chunk, the archetypes with their chunks, and the
// memory of the chunks. Its methods add, move and remove rows. They do not wait for jobs and check no owner, because the
// structural change that calls them has done so: see World.change.
type tables struct {
	gate   *gate
	types  *componentTypes
	shared *sharedValues

	original *World        // the world to which archetypes belong: that of these tables, or the lender if that is the world of a transaction's jobs
	readers  chunkReaders  // the queries
	created  []span        // rows of the last Create
	late     late          // chunks that playRows has emptied
	scratch  tablesScratch // memory of operations

	contents
}

// contents is the part of the tables that is lent to a transaction.
type contents struct {
	entities entities
	metas    int       // meta entities
	records  []*record // by id; those in spare have no place
	spare    []*record
	fresh    []record // to be handed out
	listing  uint32   // counts changes of chunk lists
	memory   *table.Memory

	archetypes []*archetype
	bySet      map[string]*archetype
	having     []archetypeSet   // the archetypes that have a component, by its index
	summaries  []*changeSummary // when each archetype changed
	returns    returns

	guardWorld
}

// tablesScratch is memory that operations on the tables use again.
type tablesScratch struct {
	setKey    []byte          // of archetypeOf
	edited    []*component    // of edit
	switches  []switches      // of relabelSwitches
	arrivals  []table.Arrival // of Compact and MoveEntities: memory of chunks
	arrived   []*record       // the same: the chunks
	compacted []*record       // the same
	joined    []*group        // of Defragment
}

// chunkReaders is told of changes by which memory or archetypes come or go. The queries are the only one.
type chunkReaders interface {
	// made is told of each archetype that is new.
	made(a *archetype)
	// forget drops pointers to memory that has gone.
	forget()
}

// finish ends a structural change, which is whole.
func (w *World) finish() {
	g := &w.gate
	g.owner.changing = 0
	if guard || g.concludes {
		w.conclude()
	}
}

// conclude is what some changes have at their end.
func (w *World) conclude() {
	w.playback.kept = len(w.playback.promises)
	if guard {
		w.tables.resettle()
	}
	w.shared.notify()
}

// noEntity says that an entity does not exist, and why that may be.
func (w *World) noEntity(op string, e Entity) *Error {
	switch {
	case e.Index < 0:
		return w.gate.fault(ErrArgument, op, "the entity is only deferred: a Commands buffer has still to make it, use it in later commands of that buffer").of(e)
	case e.IsZero():
		return w.gate.fault(ErrArgument, op, "the null entity does not exist")
	case int(e.Index) >= len(w.tables.entities.slots):
		return w.gate.fault(ErrArgument, op, "the entity does not exist: this world never had one of this index").of(e)
	case w.promised(e):
		return w.gate.fault(ErrArgument, op, "the entity does not exist yet: a later command of the buffer that is being played makes it").of(e)
	}
	return w.gate.fault(ErrArgument, op, "the entity does not exist: it was destroyed").of(e)
}

// absent returns nil for entities that Destroy ignores when they do not exist:
// the null entity and those that once existed.
func (w *World) absent(op string, e Entity) error {
	if err := w.gate.open(op); err != nil {
		return err
	}
	if e.Index < 0 || int(e.Index) >= len(w.tables.entities.slots) && !e.IsZero() {
		return w.noEntity(op, e)
	}
	return nil
}

// label gives an entity that exists a name.
func (w *World) label(e Entity, name string) {
	l := w.gate.labels
	l.mu.Lock()
	defer l.mu.Unlock()
	l.set(e, name)
}

// exists is World.Exists.
func (w *World) exists(e Entity) bool {
	return w.tables.entities.find(e) != nil || w.gate.refuseLent("Exists")
}

// entityError says that an operation on e is not possible because it does not exist.
func (w *World) entityError(op string, e Entity) error {
	if err := w.gate.open(op); err != nil {
		return err
	}
	return w.noEntity(op, e)
}

// promise is an entity of which a command has written the id before it is made.
type promise struct {
	made  *[]Entity // of the buffer that makes it
	k     int32     // its place in made, which holds ^index and version until then
	fresh bool      // the slot is a new one
}

// promised reports whether e, which does not exist, is to be made by the playback
// that is going on.
func (w *World) promised(e Entity) bool {
	return slices.ContainsFunc(w.playback.promises, func(p promise) bool {
		return (*p.made)[p.k] == Entity{^e.Index, e.Version}
	})
}

// breakPromises ends the promises from a place on: playback is over, or was stopped.
// What the command has promised that has failed was never taken; what others have
// promised, and nothing has made, does not exist any more.
func (w *World) breakPromises(from int) {
	t := &w.tables.entities
	t.withdraw()
	for last := len(w.playback.promises) - 1; last >= max(from, w.playback.kept); last-- {
		p := w.playback.promises[last]
		t.untake(^(*p.made)[p.k].Index, p.fresh)
		(*p.made)[p.k] = Entity{}
		w.playback.promises = w.playback.promises[:last]
	}
	for _, p := range w.playback.promises[from:] {
		if id := (*p.made)[p.k]; id.Index < 0 {
			t.release([]Entity{{^id.Index, id.Version}})
			(*p.made)[p.k] = Entity{}
		}
	}
	clear(w.playback.promises[from:])
	w.playback.promises = w.playback.promises[:from]
	w.playback.kept = min(w.playback.kept, from)
	w.gate.concludes = len(w.playback.promises) > 0 || w.shared.notices != nil
}

// run returns the rows of the first entities of ids that follow one another in
// one chunk, and how many ids that are. The chunk is nil if the first does not
// exist.
func (w *tables) run(ids []Entity) (span, int) {
	s := w.entities.find(ids[0])
	if s == nil {
		return span{}, 1
	}
	r, first := s.record, s.row
	n := 1
	for n < len(ids) {
		next := w.entities.find(ids[n])
		if next == nil || next.record != r || next.row != first+int32(n) {
			break
		}
		n++
	}
	return span{w.records[r], int(first), n}, n
}

// labels is the names of the entities of a world: what people call them, not what they
// are. They are outside of the hash, and nothing that the library computes depends on them. They lie
// by the indices of the entities, in pages that images share until one is written: to name entities costs
// a store each, and an image of all names a pointer a page. Names of the dead stay until others have their places.
type labels struct {
	mu    sync.RWMutex // jobs that fail ask for names
	pages []*labelPage // nil where no entity has a name
	own   []bool       // the pages that no image has
}

const pageBits, pageLen = 7, 1 << pageBits

// labelPage is the names of as many neighbours: parts of few texts, as every string is work for the collector.
type labelPage struct {
	tags  [pageLen]nameTag
	texts []string
	most  int // texts that there may be before those are forgotten of which no entity has a part
}

// nameTag is where the name of the entity that has a version is; there is none if that is 0.
type nameTag struct {
	version     int32
	text, at, n uint32
}

func (p *labelPage) name(t *nameTag) string { return p.texts[t.text][t.at:][:t.n] }

// add gives the page another text, and returns its number.
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

// page returns the page of an entity, to be written.
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

// set gives an entity a name; "" takes it away. It is under the lock.
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

// carry gives entities the names that others have in an image: neighbours, mostly, which lie on one page here and there.
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

// carryPage does it for entities of one page, from one page.
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

// fillPages is how many pages have one text when names are filled in: few texts, and none that stays for the sake of one name.
const fillPages = 16

// fill gives names, in the order of ids, to a world that has none: a text for all of some pages.
func (l *labels) fill(list []ImageName) {
	if len(list) == 0 {
		return
	}
	l.page(list[len(list)-1].Entity) // all that there will be
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
			p.texts = texts[:1:1] // add makes another list of it
		}
		list = list[n:]
	}
}

// ImageName is what an entity is called: see [World.SetEntityName].
type ImageName struct {
	Entity Entity
	Name   string
}

// share returns the pages for an image: what is written from now on is written to others.
func (l *labels) share() []*labelPage {
	clear(l.own)
	return l.pages[:len(l.pages):len(l.pages)]
}

// take makes the names those of an image.
func (l *labels) take(pages []*labelPage) {
	l.pages, l.own = append(l.pages[:0:0], pages...), make([]bool, len(pages))
}

// name returns what an entity was named last, whether it exists or not.
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

// eachName calls f with all names, in the order of the indices.
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

// any reports whether there are names.
func (l *labels) any() bool { return len(l.pages) > 0 }

// named is how texts show an entity: its id, and its name if it has one.
func named(e Entity, name string) string {
	if name == "" {
		return e.String()
	}
	return fmt.Sprintf("%v %q", e, name)
}
