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

// Bake creates an image from the document. Bake decodes all values, on all workers of
// [jobs.Default]. The error is one *Error, or several joined errors. Bake is safe for concurrent
// use.
func (d *Document) Bake(opts ...Option) (*Baked, error) {
	o := optionsOf("Document.Bake", opts)
	b := &baker{doc: d, entrySets: map[string]*entrySet{}, sharedValues: map[reflect.Type]*commonValues{}, chunkValues: map[reflect.Type]*commonValues{}}
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
	baked.namedCount, baked.prefabCount, baked.externalRefs, baked.textSum = len(d.Entries), d.prefabCount, b.externalRefs, d.textSum
	baked.schema = d.schema()
	return baked, nil
}

// baker creates an image from a document.
type baker struct {
	doc          *Document
	entrySets    map[string]*entrySet
	setOrder     []*entrySet
	sharedValues map[reflect.Type]*commonValues // values of shared components
	chunkValues  map[reflect.Type]*commonValues // values of chunk components
	tasks        []chunkTask
	maxBytes     int // largest allowed number of bytes: see MaxBytes
	totalBytes   int // approximate number of bytes so far

	sync.Mutex
	errs         []*Error
	externalRefs []Reference
}

// entrySet is the set of entries with one archetype.
type entrySet struct {
	components   []*componentInfo
	rows         []int32 // indices of the entries
	groups       []*rowGroup
	sharesValues bool // the set has shared or chunk components, so its rows may not all be in one chunk
	metaEntities *metaRows
}

// rowGroup contains the rows of a set that may be in the same chunks, because they have equal
// shared values and equal chunk values.
type rowGroup struct {
	sharedIndices []int32 // indices of values, in the order of the shared components
	chunkIndices  []int32 // indices of values, in the order of the chunk components
	rows          []int32
	firstMeta     int // index of the group's first meta entity
}

// metaRows holds the meta entities of the chunks that have the same chunk components. A meta entity
// stores the values of one chunk's chunk components.
type metaRows struct {
	rows    []metaRow
	firstID int32 // id of the first meta entity
}

// metaRow is one meta entity, with the indices of its values in commonValues.
type metaRow struct {
	valueIndices map[reflect.Type]int32
}

// chunkTask describes a chunk that must be filled.
type chunkTask struct {
	chunk     ecs.ImageChunk
	set       *entrySet
	rows      []int32
	metas     []metaRow
	firstMeta int32
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
				key = binary.LittleEndian.AppendUint32(key, uint32(parts[k].component.id))
			}
			if last = b.entrySets[string(key)]; last == nil {
				last = newSet(parts)
				b.entrySets[string(key)] = last
				b.setOrder = append(b.setOrder, last)
			}
		}
		last.rows = append(last.rows, int32(i))
	}
}

// archetypeBytesEstimate is the approximate size of an archetype. groupBytesEstimate is the
// approximate size of a group of rows.
const (
	archetypeBytesEstimate = 8 << 10
	groupBytesEstimate     = 4 << 10
)

// checkSize returns an error if the rows would take more memory than the text is allowed to use.
func (b *baker) checkSize(o *options) *Error {
	if b.maxBytes = b.doc.maxBytes; o.maxBytes > 0 {
		b.maxBytes = o.maxBytes
	}
	for _, s := range b.setOrder {
		row := 8
		for _, own := range s.components {
			for _, l := range own.Lanes {
				row += int(l.Type.Size())
			}
		}
		if b.totalBytes += archetypeBytesEstimate + (row+row/2)*len(s.rows); b.totalBytes > b.maxBytes {
			e := &b.doc.Entries[s.rows[0]]
			return b.doc.errorAt(int(e.offset), "components of entities make more than %d bytes of this text: those of %.100q have %d each, and are those of %d entities: give more with scene.MaxBytes",
				b.maxBytes, e.Name, row, len(s.rows))
		}
	}
	return nil
}

func newSet(parts []Part) *entrySet {
	s := &entrySet{components: make([]*componentInfo, len(parts))}
	for i := range parts {
		s.components[i] = parts[i].component
		s.sharesValues = s.sharesValues || parts[i].component.Shared || parts[i].component.PerChunk
	}
	return s
}

func (s *entrySet) hasParts(parts []Part) bool {
	if len(parts) != len(s.components) {
		return false
	}
	for i := range parts {
		if parts[i].component != s.components[i] {
			return false
		}
	}
	return true
}

// commonValues lists the different values of a shared component or a chunk component.
type commonValues struct {
	component     *componentInfo
	byText        map[string]int32
	parts         []*Part
	sampleEntries []int32 // for each value, an entry with that value
	values        []any   // for a shared component, the values
	imageIndices  []int32 // for a shared component, the index of each value in the image
}

// joinedTexts returns all texts of a part as one string. If two parts have the same texts, they have
// the same value. Therefore most duplicates are found without decoding.
func (p *Part) joinedTexts() string {
	var out strings.Builder
	_ = p.eachText(func(o textRange) *Error {
		text := p.doc.text[o.start:o.end]
		out.WriteString(text)
		out.WriteByte(0)
		if o.scope != 0 && strings.Contains(text, "@") {
			fmt.Fprint(&out, o.scope) // the meaning of a reference depends on the scope, so the scope is part of the text
		}
		out.WriteByte(0)
		return nil
	})
	return out.String()
}

// groupByValues finds the values that rows have in common. It then divides the sets into groups by
// these values.
func (b *baker) groupByValues() {
	for _, s := range b.setOrder {
		if s.sharesValues {
			b.groupRows(s)
		} else {
			s.groups = []*rowGroup{{rows: s.rows}}
		}
	}
	if len(b.errs) > 0 {
		return
	}
	for _, own := range b.doc.catalog.sorted {
		if list := b.sharedValues[own.Type]; list != nil {
			b.findSharedIndices(list)
		}
	}
	for _, s := range b.setOrder {
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
		for k, own := range s.components {
			p := &b.doc.Entries[row].Parts[k]
			switch {
			case own.Shared:
				g.sharedIndices = append(g.sharedIndices, b.valueIndex(b.sharedValues, own, p, row))
			case own.PerChunk:
				g.chunkIndices = append(g.chunkIndices, b.valueIndex(b.chunkValues, own, p, row))
			}
		}
		key := string(appendInts(appendInts(nil, g.sharedIndices), g.chunkIndices))
		if groups[key] == nil {
			own := g
			groups[key] = &own
			s.groups = append(s.groups, &own)
			if b.totalBytes += groupBytesEstimate; b.totalBytes > b.maxBytes {
				b.errs = append(b.errs, b.doc.errorAt(int(b.doc.Entries[row].offset), "shared values and values of chunks, each another one, make more than %d bytes of this text: give more with scene.MaxBytes", b.maxBytes))
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

// valueIndex returns the index of the value of p among the values of its component. It adds the
// value if it is new.
func (b *baker) valueIndex(all map[reflect.Type]*commonValues, own *componentInfo, p *Part, row int32) int32 {
	list := all[own.Type]
	if list == nil {
		list = &commonValues{component: own, byText: map[string]int32{}}
		all[own.Type] = list
	}
	text := p.joinedTexts()
	if at, ok := list.byText[text]; ok {
		return at
	}
	key := text
	d, before := b.decoder(row, own.Type), len(list.parts)
	v := reflect.New(own.Type).Elem()
	var err *Error
	if own.Shared {
		err = p.eachText(func(o textRange) *Error { d.startAt(o); return d.decodeValue(v) })
	} else { // different texts may have the same bytes
		value := make([]byte, own.valueSize())
		err = p.eachText(func(o textRange) *Error { d.startAt(o); return d.decodeChunkBytes(own, value) })
		key = "=" + string(value)
	}
	if err == nil && len(d.externalRefs) > 0 {
		err = d.errorAt(int(p.baseText.start), "a component that several entities have together refers to entities of this scene alone")
	}
	if err != nil {
		b.errs = append(b.errs, err)
	}
	if at, ok := list.byText[key]; ok {
		list.byText[text] = at
		return at
	}
	list.byText[text], list.byText[key] = int32(before), int32(before)
	list.parts, list.sampleEntries, list.values = append(list.parts, p), append(list.sampleEntries, row), append(list.values, v.Interface())
	return int32(before)
}

// decoder returns a decoder for component t of an entry.
func (b *baker) decoder(row int32, t reflect.Type) *decoder {
	return &decoder{scanner: scanner{source: &b.doc.source}, doc: b.doc, entry: row, componentType: t}
}

// findSharedIndices finds the indices of shared values in the image. Only a world can do this, because
// only a world knows which values are equal.
func (b *baker) findSharedIndices(list *commonValues) {
	w := ecs.NewWorld("shared")
	defer discard(w)
	ids := make([]ecs.Entity, len(list.values))
	for i, v := range list.values {
		err := callUser(func() error { ids[i] = w.Spawn(v); return nil })
		if err != nil {
			b.errs = append(b.errs, b.doc.errorAt(int(list.parts[i].baseText.start), "%v", err))
			return
		}
	}
	list.imageIndices = make([]int32, len(ids))
	image, err := ecs.Capture(w, nil)
	if err != nil {
		b.errs = append(b.errs, b.doc.errorAt(int(list.parts[0].baseText.start), "%v", err))
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
		list.imageIndices[i] = places[e]
	}
	list.values = []any{reflect.Zero(list.component.Type).Interface()} // the zero value, in case no entry has a value
	for _, s := range image.Shared() {
		if s.Component == list.component.Type {
			list.values = s.Values
		}
	}
}

// discard closes a temporary world. Its Close cannot fail, because the world has no jobs and no
// functions of OnClose.
func discard(w *ecs.World) { _ = w.Close() }

// mergeEqualGroups joins groups whose shared values are equal, although the texts differ.
func (s *entrySet) mergeEqualGroups(b *baker) {
	var list []*rowGroup
	byKey := map[string]*rowGroup{}
	for _, g := range s.groups {
		i := 0
		for _, own := range s.components {
			if own.Shared {
				if places := b.sharedValues[own.Type].imageIndices; places != nil {
					g.sharedIndices[i] = places[g.sharedIndices[i]]
				}
				i++
			}
		}
		key := string(appendInts(appendInts(nil, g.sharedIndices), g.chunkIndices))
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
	d.componentType, d.componentRefsFrom = p.Type, len(d.externalRefs)
	own := p.component
	switch p.origin {
	case byPrefab:
		return nil
	case byParent:
		putEntity(to.Lanes[own.plan.fields[0].offset][8*row:], entryID(p.extra.groupEntries[0]))
		return nil
	case byGroup:
		d.elementBuffer = d.elementBuffer[:0]
		for _, i := range p.extra.groupEntries {
			d.elementBuffer = append(d.elementBuffer, make([]byte, 8)...)
			putEntity(d.elementBuffer[len(d.elementBuffer)-8:], entryID(i))
		}
		return b.setElements(to, row, own, d.elementBuffer, int(p.baseText.start))
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
		return p.lastText(func(o textRange) *Error {
			d.startAt(o)
			list, err := d.decodeElements(own)
			if err != nil {
				return err
			}
			return b.setElements(to, row, own, list, int(o.start))
		})
	case p.extra == nil:
		d.startAt(p.baseText)
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
	byteOrder.PutUint32(to, uint32(e.Index))
	byteOrder.PutUint32(to[4:], uint32(e.Version))
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
	slices.SortStableFunc(b.externalRefs, func(a, c Reference) int {
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
		if !slices.ContainsFunc(wrongs, func(w *Error) bool { return w.offset == err.offset && w.Text == err.Text }) { // copies of a prefab may have the same error
			wrongs = append(wrongs, err)
		}
	}
	columns := map[reflect.Type]*ecs.ImageColumn{}
	for i := range t.chunk.Columns {
		columns[t.chunk.Columns[i].Component] = &t.chunk.Columns[i]
	}
	for row := range t.metas {
		t.chunk.Entities[row] = entryID(t.firstMeta + int32(row))
		for typ, at := range t.metas[row].valueIndices { //lanewise:inexact each fills a column of its own; what it tells is sorted later
			list := b.chunkValues[typ]
			d.entry, d.componentType, d.componentRefsFrom = list.sampleEntries[at], typ, len(d.externalRefs)
			column := columns[typ.Field(0).Type]
			own := list.component
			told(list.parts[at].eachText(func(o textRange) *Error { d.startAt(o); return d.decodeChunkValue(own, column, row) }))
		}
	}
	parts := make([]*ecs.ImageColumn, 0, 16)
	if t.set != nil {
		for _, own := range t.set.components {
			parts = append(parts, columns[own.Type])
		}
	}
	for row, e := range t.rows {
		if len(wrongs) > maxErrors {
			break
		}
		t.chunk.Entities[row], d.entry = entryID(e), e
		own := b.doc.Entries[e].Parts
		for k := range own {
			told(b.decodePart(d, parts[k], row, &own[k]))
		}
	}
	if len(wrongs)+len(d.externalRefs) > 0 {
		b.Lock()
		defer b.Unlock()
		b.errs, b.externalRefs = append(b.errs, wrongs...), append(b.externalRefs, d.externalRefs...)
	}
}
