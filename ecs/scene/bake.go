package scene

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// Bake makes an image of the document. It decodes all values, on all workers of [jobs.Default]. The
// error is one *Error, or several that are joined. Any goroutine may call it.
func (d *Document) Bake(opts ...Option) (*Baked, error) {
	o := optionsOf("Document.Bake", opts)
	b := &baker{doc: d, sets: map[string]*entrySet{}, shared: map[reflect.Type]*commonValues{}, per: map[reflect.Type]*commonValues{}}
	b.groupEntries()
	if err := b.checkSize(o); err != nil {
		return nil, joinErrors([]*Error{err})
	}
	b.groupByValues()
	if len(b.errs) > 0 {
		return nil, joinErrors(b.errs)
	}
	image, err := b.buildImage()
	if err != nil {
		return nil, err
	}
	baked := newBaked(image, o)
	baked.entries, baked.prefabs, baked.outward, baked.sum = len(d.Entries), d.prefabs, b.outward, d.sum
	baked.schema = d.schema()
	return baked, nil
}

// baker makes an image from a document.
type baker struct {
	doc    *Document
	sets   map[string]*entrySet
	order  []*entrySet
	shared map[reflect.Type]*commonValues // shared values
	per    map[reflect.Type]*commonValues // values of chunk components
	tasks  []chunkTask
	limit  int // largest number of bytes: see MaxBytes
	total  int // approximate number of bytes so far

	sync.Mutex
	errs    []*Error
	outward []Reference
}

// entrySet is the set of entries with one archetype.
type entrySet struct {
	parts        []*componentInfo
	rows         []int32 // indices of entries
	groups       []*rowGroup
	sharesValues bool // it has shared or chunk components, so its rows may not all be in one chunk
	metaEntities *metaRows
}

// rowGroup is a group of rows of a set that may be in the same chunks, because their shared values
// and chunk values are equal.
type rowGroup struct {
	shared []int32 // indices of values, in the order of the shared components
	per    []int32 // indices of values, in the order of the chunk components
	rows   []int32
	first  int // index of the group's first meta entity
}

// metaRows holds the meta entities of chunks with the same chunk components. A meta entity carries
// the values of one chunk's chunk components.
type metaRows struct {
	rows  []metaRow
	first int32 // id of the first one
}

// metaRow is one meta entity, with the indices of its values in commonValues.
type metaRow struct {
	own map[reflect.Type]int32
}

// chunkTask is a chunk to be filled.
type chunkTask struct {
	chunk ecs.ImageChunk
	set   *entrySet
	rows  []int32
	metas []metaRow
	first int32
}

// groupEntries sorts the entries into sets by archetype.
func (b *baker) groupEntries() {
	entries := b.doc.Entries
	var last *entrySet
	var key []byte
	for i := range entries {
		parts := entries[i].Parts
		if last == nil || !last.hasParts(parts) {
			key = key[:0]
			for k := range parts {
				key = binary.LittleEndian.AppendUint32(key, uint32(parts[k].own.number))
			}
			if last = b.sets[string(key)]; last == nil {
				last = newSet(parts)
				b.sets[string(key)] = last
				b.order = append(b.order, last)
			}
		}
		last.rows = append(last.rows, int32(i))
	}
}

// archetypeBytes is the approximate size of an archetype, and groupRoom that of a group of rows.
const (
	archetypeBytes = 8 << 10
	groupRoom      = 4 << 10
)

// checkSize returns an error if the rows of components would take more memory than the text may
// use.
func (b *baker) checkSize(o *options) *Error {
	if b.limit = b.doc.limit; o.bytes > 0 {
		b.limit = o.bytes
	}
	for _, s := range b.order {
		row := 8
		for _, own := range s.parts {
			for _, l := range own.Lanes {
				row += int(l.Type.Size())
			}
		}
		if b.total += archetypeBytes + (row+row/2)*len(s.rows); b.total > b.limit {
			e := &b.doc.Entries[s.rows[0]]
			return b.doc.errorAt(int(e.at), "components of entities make more than %d bytes of this text: those of %.100q have %d each, and are those of %d entities: give more with scene.MaxBytes",
				b.limit, e.Name, row, len(s.rows))
		}
	}
	return nil
}

func newSet(parts []Part) *entrySet {
	s := &entrySet{parts: make([]*componentInfo, len(parts))}
	for i := range parts {
		s.parts[i] = parts[i].own
		s.sharesValues = s.sharesValues || parts[i].own.Shared || parts[i].own.PerChunk
	}
	return s
}

func (s *entrySet) hasParts(parts []Part) bool {
	if len(parts) != len(s.parts) {
		return false
	}
	for i := range parts {
		if parts[i].own != s.parts[i] {
			return false
		}
	}
	return true
}

// commonValues lists the different values of a shared component or a chunk component.
type commonValues struct {
	own    *componentInfo
	byText map[string]int32
	parts  []*Part
	from   []int32 // for each value, an entry that has it
	values []any   // of a shared component
	places []int32 // of a shared component: index of the value in the image
}

// writtenText returns the texts of a part. Two parts with the same texts have the same value, so
// that most duplicates are found without decoding.
func (p *Part) writtenText() string {
	var out strings.Builder
	_ = p.eachText(func(o textRange) *Error {
		text := p.doc.text[o.at:o.end]
		out.WriteString(text)
		out.WriteByte(0)
		if o.scope != 0 && strings.Contains(text, "@") {
			fmt.Fprint(&out, o.scope) // references are read in the scope, so it belongs to the text
		}
		out.WriteByte(0)
		return nil
	})
	return out.String()
}

// groupByValues finds the values that rows have in common, and divides the sets into groups by
// them.
func (b *baker) groupByValues() {
	for _, s := range b.order {
		if s.sharesValues {
			b.groupRows(s)
		} else {
			s.groups = []*rowGroup{{rows: s.rows}}
		}
	}
	if len(b.errs) > 0 {
		return
	}
	for _, own := range b.doc.known.order {
		if list := b.shared[own.Type]; list != nil {
			b.placeShared(list)
		}
	}
	for _, s := range b.order {
		if s.sharesValues {
			s.mergeEqualGroups(b)
		}
	}
}

// groupRows divides the rows of a set into groups with equal shared values and equal chunk values.
func (b *baker) groupRows(s *entrySet) {
	groups := map[string]*rowGroup{}
	for _, row := range s.rows {
		g := rowGroup{}
		for k, own := range s.parts {
			p := &b.doc.Entries[row].Parts[k]
			switch {
			case own.Shared:
				g.shared = append(g.shared, b.placeOfValue(b.shared, own, p, row))
			case own.PerChunk:
				g.per = append(g.per, b.placeOfValue(b.per, own, p, row))
			}
		}
		key := string(appendInts(appendInts(nil, g.shared), g.per))
		if groups[key] == nil {
			own := g
			groups[key] = &own
			s.groups = append(s.groups, &own)
			if b.total += groupRoom; b.total > b.limit {
				b.errs = append(b.errs, b.doc.errorAt(int(b.doc.Entries[row].at), "shared values and values of chunks, each another one, make more than %d bytes of this text: give more with scene.MaxBytes", b.limit))
				return
			}
		}
		groups[key].rows = append(groups[key].rows, row)
	}
}

func appendInts(out []byte, list []int32) []byte {
	for _, v := range list {
		out = binary.LittleEndian.AppendUint32(out, uint32(v))
	}
	return out
}

// placeOfValue returns the index of the value of p among the values of its component. It adds the
// value if it is new.
func (b *baker) placeOfValue(all map[reflect.Type]*commonValues, own *componentInfo, p *Part, row int32) int32 {
	list := all[own.Type]
	if list == nil {
		list = &commonValues{own: own, byText: map[string]int32{}}
		all[own.Type] = list
	}
	text := p.writtenText()
	if at, ok := list.byText[text]; ok {
		return at
	}
	key := text
	d, before := b.decoder(row, own.Type), len(list.parts)
	v := reflect.New(own.Type).Elem()
	var err *Error
	if own.Shared {
		err = p.eachText(func(o textRange) *Error { d.startAt(o); return d.decodeValue(v) })
	} else { // two texts may have the same bytes
		value := make([]byte, own.valueSize())
		err = p.eachText(func(o textRange) *Error { d.startAt(o); return d.decodeChunkBytes(own, value) })
		key = "=" + string(value)
	}
	if err == nil && len(d.outward) > 0 {
		err = d.errorAt(int(p.first.at), "a component that several entities have together refers to entities of this scene alone")
	}
	if err != nil {
		b.errs = append(b.errs, err)
	}
	if at, ok := list.byText[key]; ok {
		list.byText[text] = at
		return at
	}
	list.byText[text], list.byText[key] = int32(before), int32(before)
	list.parts, list.from, list.values = append(list.parts, p), append(list.from, row), append(list.values, v.Interface())
	return int32(before)
}

// decoder returns a decoder for a component of an entry.
func (b *baker) decoder(row int32, t reflect.Type) *decoder {
	return &decoder{scanner: scanner{source: &b.doc.source}, doc: b.doc, from: row, typ: t}
}

// placeShared finds the indices of shared values in the image, because only a world knows which of
// them are equal.
func (b *baker) placeShared(list *commonValues) {
	w := ecs.NewWorld("shared")
	ids := make([]ecs.Entity, len(list.values))
	for i, v := range list.values {
		err := callUser(func() error { ids[i] = w.Spawn(v); return nil })
		if err != nil {
			b.errs = append(b.errs, b.doc.errorAt(int(list.parts[i].first.at), "%v", err))
			return
		}
	}
	list.places = make([]int32, len(ids))
	image, err := ecs.Capture(w, nil)
	if err != nil {
		b.errs = append(b.errs, b.doc.errorAt(int(list.parts[0].first.at), "%v", err))
		return
	}
	places := map[ecs.Entity]int32{}
	for i, a := range image.Archetypes() {
		for j := range a.Chunks {
			c := image.Chunk(i, j)
			for _, e := range c.Entities {
				places[e] = a.Groups[c.Group].Values[0]
			}
		}
	}
	for i, e := range ids {
		list.places[i] = places[e]
	}
	list.values = []any{reflect.Zero(list.own.Type).Interface()} // the zero value, in case there is no other
	for _, s := range image.Shared() {
		if s.Component == list.own.Type {
			list.values = s.Values
		}
	}
}

// mergeEqualGroups joins groups whose shared values are equal although their texts differ.
func (s *entrySet) mergeEqualGroups(b *baker) {
	var list []*rowGroup
	byKey := map[string]*rowGroup{}
	for _, g := range s.groups {
		i := 0
		for _, own := range s.parts {
			if own.Shared {
				if places := b.shared[own.Type].places; places != nil {
					g.shared[i] = places[g.shared[i]]
				}
				i++
			}
		}
		key := string(appendInts(appendInts(nil, g.shared), g.per))
		if old := byKey[key]; old != nil {
			old.rows = append(old.rows, g.rows...)
			continue
		}
		byKey[key] = g
		list = append(list, g)
	}
	for _, g := range list {
		slices.Sort(g.rows)
	}
	s.groups = list
}

// decodePart decodes one part into a row of a chunk.
func (b *baker) decodePart(d *decoder, to *ecs.ImageColumn, row int, p *Part) *Error {
	d.typ, d.mark = p.Type, len(d.outward)
	own := p.own
	switch p.origin {
	case byPrefab:
		return nil
	case byParent:
		putEntity(to.Lanes[own.plan.fields[0].at][8*row:], entryID(p.rest.ids[0]))
		return nil
	case byGroup:
		d.spare = d.spare[:0]
		for _, i := range p.rest.ids {
			d.spare = append(d.spare, make([]byte, 8)...)
			putEntity(d.spare[len(d.spare)-8:], entryID(i))
		}
		return b.setElements(to, row, own, d.spare, int(p.first.at))
	}
	if p.Off {
		to.On[row/64] &^= 1 << (row % 64)
	}
	switch {
	case own.Shared || own.PerChunk:
		return nil
	case own.Managed:
		v := reflect.ValueOf(to.Value).Index(row)
		return p.eachText(func(o textRange) *Error { d.startAt(o); return d.decodeValue(v) })
	case own.Buffer:
		return p.topText(func(o textRange) *Error {
			d.startAt(o)
			list, err := d.decodeElements(own)
			if err != nil {
				return err
			}
			return b.setElements(to, row, own, list, int(o.at))
		})
	case p.rest == nil:
		d.startAt(p.first)
		return d.decodeLanes(own, to.Lanes, row)
	}
	return p.eachText(func(o textRange) *Error { d.startAt(o); return d.decodeLanes(own, to.Lanes, row) })
}

// setElements sets the elements of a buffer.
func (b *baker) setElements(to *ecs.ImageColumn, row int, own *componentInfo, list []byte, at int) *Error {
	if len(list) == 0 {
		return nil
	}
	n := 0
	if len(own.Lanes) > 1 {
		n = own.Lanes[1].Type.Len()
	}
	if err := to.SetBuffer(row, list, max(n, len(list)/own.valueSize())); err != nil {
		return b.doc.errorAt(at, "%v", err)
	}
	return nil
}

func putEntity(to []byte, e ecs.Entity) {
	order.PutUint32(to, uint32(e.Index))
	order.PutUint32(to[4:], uint32(e.Version))
}

// fillChunks fills all chunks.
func (b *baker) fillChunks() error {
	err := jobs.Default().Range(len(b.tasks), 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			b.fillChunk(&b.tasks[i])
		}
	})
	if err != nil {
		return errorf("%w", err)
	}
	slices.SortStableFunc(b.outward, func(a, c Reference) int {
		return cmp.Or(a.From.Compare(c.From), strings.Compare(nameOf(a.Type), nameOf(c.Type)), slices.Compare(a.Path, c.Path))
	})
	return joinErrors(b.errs)
}

func nameOf(t reflect.Type) string { return t.PkgPath() + "." + t.Name() }

// fillChunk fills a chunk.
func (b *baker) fillChunk(t *chunkTask) {
	d := b.decoder(0, nil)
	var wrongs []*Error
	told := func(err *Error) {
		if err == nil || len(wrongs) > maxErrors {
			return
		}
		if !slices.ContainsFunc(wrongs, func(w *Error) bool { return w.at == err.at && w.Text == err.Text }) { // a copy of a prefab may have the same error
			wrongs = append(wrongs, err)
		}
	}
	columns := map[reflect.Type]*ecs.ImageColumn{}
	for i := range t.chunk.Parts {
		columns[t.chunk.Parts[i].Component] = &t.chunk.Parts[i]
	}
	for row := range t.metas {
		t.chunk.Entities[row] = entryID(t.first + int32(row))
		for typ, at := range t.metas[row].own { //lanewise:inexact each fills a column of its own; what it tells is sorted later
			list := b.per[typ]
			d.from, d.typ, d.mark = list.from[at], typ, len(d.outward)
			column := columns[typ.Field(0).Type]
			own := list.own
			told(list.parts[at].eachText(func(o textRange) *Error { d.startAt(o); return d.decodeChunkValue(own, column, row) }))
		}
	}
	parts := make([]*ecs.ImageColumn, 0, 16)
	if t.set != nil {
		for _, own := range t.set.parts {
			parts = append(parts, columns[own.Type])
		}
	}
	for row, e := range t.rows {
		if len(wrongs) > maxErrors {
			break
		}
		t.chunk.Entities[row], d.from = entryID(e), e
		own := b.doc.Entries[e].Parts
		for k := range own {
			told(b.decodePart(d, parts[k], row, &own[k]))
		}
	}
	if len(wrongs)+len(d.outward) > 0 {
		b.Lock()
		defer b.Unlock()
		b.errs, b.outward = append(b.errs, wrongs...), append(b.outward, d.outward...)
	}
}
