package snapshot

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/frames"
)

// If the components of the program differ from those of the file, chunks of the image may hold
// other numbers of rows than the file's chunks. Also, two archetypes or groups of the file may
// become one. Therefore the reader first collects all chunks, and builds the new chunks after the
// last frame of rows.

// fileChunk is a chunk of the file that the reader has collected.
type fileChunk struct {
	group        int // index in the rebuilt archetype
	rows         int
	hasFreeRows  bool // in the file, the chunk had free rows
	orderVersion uint32
	meta         ecs.Entity
	versions     []uint32 // own and through versions of the chunk, by columns of the file's archetype
	columns      []*column
	body         frames.In
	bodyOffset   int64
}

// rebuiltArchetype is an archetype of the image, and the chunks of the file whose rows it receives.
type rebuiltArchetype struct {
	archetype    ecs.ImageArchetype
	singleSource bool // the archetype and its groups come from a single archetype of the file
	columns      []*column
	groups       map[string]int
	chunks       []fileChunk
}

// lanesChanged reports whether the lanes of a component differ from those in the file.
func (r *reader) lanesChanged() bool {
	types := ecs.ComponentTypes()
	for i := range r.columns {
		k := &r.columns[i]
		if k.typ == nil || k.migration != nil {
			return true
		}
		if k.kind&(isSkipped|isShared|isManaged|isBuffer) != 0 {
			continue
		}
		for _, c := range types {
			if c.Type == k.typ && len(c.Lanes) != len(k.lanes) {
				return true
			}
		}
		if slices.ContainsFunc(k.lanes, func(l lane) bool { return l.memoryIndex < 0 }) {
			return true
		}
	}
	return false
}

// planRechunk finds the archetype of the image for each archetype of the file.
func (r *reader) planRechunk() {
	byKey := map[string]int{}
	for i := range r.archetypes {
		a := &r.archetypes[i]
		var t rebuiltArchetype
		for k, at := range r.columnIndexes[i] {
			if c := &r.columns[at]; c.typ != nil {
				t.columns = append(t.columns, c)
				t.archetype.Components = append(t.archetype.Components, c.typ)
				t.archetype.NewestVersions = append(t.archetype.NewestVersions, a.NewestVersions[k])
			}
		}
		names := make([]string, len(t.columns))
		for k, c := range t.columns {
			names[k] = fmt.Sprint(c.typ.PkgPath(), " ", c.name)
		}
		slices.Sort(names)
		key := fmt.Sprint(names)
		at, known := byKey[key]
		if !known {
			at = len(r.rebuilt)
			byKey[key] = at
			t.archetype.OrderCount, t.archetype.OrderVersion, t.archetype.MoveCount = a.OrderCount, a.OrderVersion, a.MoveCount
			t.groups, t.singleSource = map[string]int{}, true
			r.rebuilt = append(r.rebuilt, t)
		}
		own := &r.rebuilt[at]
		if known {
			own.singleSource, own.archetype.NewestVersions, own.archetype.OrderVersion = false, nil, 0
			own.archetype.OrderCount, own.archetype.MoveCount = max(own.archetype.OrderCount, a.OrderCount), max(own.archetype.MoveCount, a.MoveCount)
		}
		r.rebuiltIndex = append(r.rebuiltIndex, at)
		var into []int
		for g := range a.Groups {
			into = append(into, r.rebuiltGroup(own, i, &a.Groups[g]))
		}
		r.groupIndex = append(r.groupIndex, into)
	}
}

// rebuiltGroup returns the index in t of a group of an archetype of the file.
func (r *reader) rebuiltGroup(t *rebuiltArchetype, archetype int, g *ecs.ImageGroup) int {
	var values []int32
	shared := 0
	for _, at := range r.columnIndexes[archetype] {
		c := &r.columns[at]
		if c.kind&isShared == 0 {
			continue
		}
		if c.typ != nil && shared < len(g.Values) {
			values = append(values, g.Values[shared])
		}
		shared++
	}
	key := fmt.Sprint(values)
	if at, known := t.groups[key]; known {
		t.singleSource = false
		t.archetype.Groups[at].OrderCount = max(t.archetype.Groups[at].OrderCount, g.OrderCount)
		return at
	}
	at := len(t.archetype.Groups)
	t.groups[key] = at
	t.archetype.Groups = append(t.archetype.Groups, ecs.ImageGroup{Values: values, OrderCount: g.OrderCount, PartialChunks: g.PartialChunks, Chunks: g.Chunks})
	return at
}

// keepChunk collects a chunk of an archetype of the file for later.
func (r *reader) keepChunk(archetype int, c fileChunk, group int) error {
	if group < 0 || group >= len(r.groupIndex[archetype]) {
		return corrupt("a chunk of archetype %d is of group %d of %d", archetype, group, len(r.groupIndex[archetype]))
	}
	c.hasFreeRows = slices.Contains(r.archetypes[archetype].Groups[group].PartialChunks, int32(r.chunksBegun))
	c.group = r.groupIndex[archetype][group]
	t := &r.rebuilt[r.rebuiltIndex[archetype]]
	t.chunks = append(t.chunks, c)
	return nil
}

// buildRechunked builds the archetypes and chunks that were collected, and returns the tasks that
// fill the chunks.
func (r *reader) buildRechunked() (tasks []chunkTask, err error) {
	for i := range r.rebuilt {
		t := &r.rebuilt[i]
		capacity, err := t.capacity()
		if err != nil {
			return nil, r.builderError(err)
		}
		fits := t.keepsChunks(capacity)
		if !fits {
			t.archetype.NewestVersions = nil
			for g := range t.archetype.Groups {
				t.archetype.Groups[g].PartialChunks, t.archetype.Groups[g].Chunks = nil, nil
			}
		}
		if len(t.archetype.Groups) == 1 && len(t.archetype.Groups[0].Values) == 0 {
			t.archetype.Groups[0].Chunks = nil
		}
		if err := r.builder.AddArchetype(t.archetype); err != nil {
			return nil, r.builderError(err)
		}
		if tasks, err = r.buildArchetype(tasks, t, capacity, fits); err != nil {
			return nil, err
		}
	}
	return tasks, nil
}

// capacity returns the number of rows that a chunk can hold, or 0 if there is no chunk.
func (t *rebuiltArchetype) capacity() (int, error) {
	if len(t.chunks) == 0 {
		return 0, nil
	}
	b := ecs.NewImageBuilder()
	if err := b.AddArchetype(ecs.ImageArchetype{Components: t.archetype.Components}); err != nil {
		return 0, err
	}
	m, err := b.Image()
	if err != nil {
		return 0, err
	}
	return m.Archetypes()[0].Capacity, m.Release()
}

// keepsChunks reports whether the chunks of the file can stay as they are. Keeping the chunks
// requires that each chunk has enough capacity for its rows. Keeping the chunks also requires
// that each chunk has free rows if and only if it had free rows before, because the image
// lists the chunks with free rows.
func (t *rebuiltArchetype) keepsChunks(capacity int) bool {
	for j := range t.chunks {
		if c := &t.chunks[j]; c.rows > capacity || c.hasFreeRows != (c.rows < capacity) {
			return false
		}
	}
	return t.singleSource
}

// rechunkPlan says which chunks of the image receive the rows of each collected chunk.
type rechunkPlan struct {
	chunks      []ecs.ImageChunk // chunks of the image; only Group, Order and Meta are set until they are built
	rowCounts   []int            // number of rows of each chunk
	byFileChunk [][]plannedRows  // for each collected chunk, the ranges of its rows in order
}

// plannedRows is a range of rows of a collected chunk that become rows of one chunk of the image.
type plannedRows struct {
	chunk int
	segment
}

// buildArchetype builds the chunks of an archetype. If the chunks of the file fit, it uses them.
// Otherwise it builds new chunks, and fills each before the next chunk of its group begins.
func (r *reader) buildArchetype(tasks []chunkTask, t *rebuiltArchetype, capacity int, fits bool) ([]chunkTask, error) {
	if !fits {
		if err := t.checkRecut(r.onRecut != nil); err != nil {
			return nil, err
		}
	}
	d := t.planRows(capacity, fits)
	if !fits && len(t.chunks) > 0 {
		r.onRecut(slices.Clone(t.archetype.Components), len(t.chunks), len(d.chunks))
	}
	for i := range d.chunks {
		var err error
		if d.chunks[i], err = r.builder.AddChunk(d.chunks[i], d.rowCounts[i]); err != nil {
			return nil, r.builderError(err)
		}
	}
	for j := range t.chunks {
		own := d.taskFor(j, &t.chunks[j], fits)
		if fits || j == 0 {
			tasks = append(tasks, own)
		} else { // enabled bits and heads of buffers are stored for a whole chunk
			first := &tasks[len(tasks)-1]
			first.sameChunkTasks = append(first.sameChunkTasks, own)
		}
	}
	return tasks, nil
}

// checkRecut returns an error if the rows must not be distributed to new chunks. There are two reasons:
// the chunks have chunk components, or the caller has not used Recut.
func (t *rebuiltArchetype) checkRecut(allowed bool) error {
	switch {
	case slices.ContainsFunc(t.chunks, func(c fileChunk) bool { return !c.meta.IsZero() }):
		return fmt.Errorf("snapshot: %w: chunks of %v would have to be cut anew, and have chunk components", ErrSchema, t.archetype.Components)
	case !allowed && len(t.chunks) > 0:
		return fmt.Errorf("snapshot: %w: %v has chunks of another size now, which are to be cut anew: Recut allows it", ErrSchema, t.archetype.Components)
	}
	return nil
}

// planRows chooses the chunks that receive the rows.
func (t *rebuiltArchetype) planRows(capacity int, fits bool) *rechunkPlan {
	d := &rechunkPlan{byFileChunk: make([][]plannedRows, len(t.chunks))}
	open := map[int]int{} // the last chunk of each group, which may have free rows
	for j := range t.chunks {
		c := &t.chunks[j]
		if fits {
			d.byFileChunk[j] = []plannedRows{{len(d.chunks), segment{count: c.rows}}}
			d.chunks, d.rowCounts = append(d.chunks, ecs.ImageChunk{Group: c.group, OrderVersion: c.orderVersion, MetaEntity: c.meta}), append(d.rowCounts, c.rows)
			continue
		}
		for from := 0; from < c.rows; {
			at, some := open[c.group]
			if !some || d.rowCounts[at] == capacity {
				at = len(d.chunks)
				d.chunks, d.rowCounts = append(d.chunks, ecs.ImageChunk{Group: c.group}), append(d.rowCounts, 0) // an Order of 0 means the version of the image
				open[c.group] = at
			}
			n := min(c.rows-from, capacity-d.rowCounts[at])
			d.byFileChunk[j] = append(d.byFileChunk[j], plannedRows{at, segment{sourceRow: from, count: n, targetRow: d.rowCounts[at]}})
			d.rowCounts[at] += n
			from += n
		}
	}
	return d
}

// taskFor returns the task that copies the rows of collected chunk j.
func (d *rechunkPlan) taskFor(j int, c *fileChunk, fits bool) chunkTask {
	own := chunkTask{columns: c.columns, body: c.body, bodyOffset: c.bodyOffset, rows: c.rows}
	for _, part := range d.byFileChunk[j] {
		chunk, s := &d.chunks[part.chunk], part.segment
		s.ids = chunk.Entities[s.targetRow:][:s.count]
		s.columns = make([]*ecs.ImageColumn, len(c.columns))
		for l, at := range columnIndicesOf(chunk, c.columns) {
			if at < 0 {
				continue
			}
			s.columns[l] = &chunk.Columns[at]
			if fits {
				s.columns[l].Version, s.columns[l].ThroughVersion = c.versions[2*l], c.versions[2*l+1]
			}
		}
		own.segments = append(own.segments, s)
	}
	return own
}

// columnIndicesOf returns, for each column of the file, its index among the parts of a chunk. The index
// is -1 if the program no longer has the component.
func columnIndicesOf(chunk *ecs.ImageChunk, columns []*column) []int {
	list := make([]int, len(columns))
	for k, c := range columns { // parts are sorted by name, so the index of a Renamed component may differ
		list[k] = slices.IndexFunc(chunk.Columns, func(p ecs.ImageColumn) bool { return c.typ != nil && p.Component == c.typ })
	}
	return list
}

// Recut allows the rows of a snapshot to need another amount of memory than when the snapshot was
// written. If the amount differs, a chunk holds another number of rows, and the rows are
// distributed to new chunks. Ids, values and the order of rows stay the same. The hash changes,
// and systems see all rows of these chunks as changed. For each archetype with new chunks, Recut
// calls told with the components of the archetype and the numbers of chunks before and after.
// The argument told may be nil. Without Recut, such a snapshot is an error of category ErrSchema. Even with Recut, this error
// is returned for archetypes with chunk components.
func Recut(told func(components []reflect.Type, before, after int)) Option {
	return func(o *options) {
		o.onRecut = func([]reflect.Type, int, int) {}
		if told != nil {
			o.onRecut = told
		}
	}
}
