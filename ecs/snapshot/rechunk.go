package snapshot

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/frames"
)

// If the program has other components than the file, its chunks may hold other numbers of rows, and two archetypes or groups of the file
// may become one. The reader therefore keeps the chunks until it knows all of them, and builds them after the last frame of rows.

// fileChunk is a chunk of the file that is kept until all are known.
type fileChunk struct {
	group    int // of the rebuilt archetype
	rows     int
	room     bool // it was one with room
	order    uint32
	meta     ecs.Entity
	versions []uint32 // and those through chunks, by columns of the file's archetype
	columns  []*column
	body     frames.In
	at       int64
}

// rebuiltArchetype is an archetype of the image, with the chunks of the file whose rows it will have.
type rebuiltArchetype struct {
	archetype ecs.ImageArchetype
	unmerged  bool // it and its groups are those of one archetype of the file
	columns   []*column
	groups    map[string]int
	chunks    []fileChunk
}

// lanesChanged reports whether a component has other lanes than the file, or none at all.
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
		if slices.ContainsFunc(k.lanes, func(l lane) bool { return l.to < 0 }) {
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
				t.archetype.Newest = append(t.archetype.Newest, a.Newest[k])
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
			t.archetype.Orders, t.archetype.Order, t.archetype.Crossings = a.Orders, a.Order, a.Crossings
			t.groups, t.unmerged = map[string]int{}, true
			r.rebuilt = append(r.rebuilt, t)
		}
		own := &r.rebuilt[at]
		if known {
			own.unmerged, own.archetype.Newest, own.archetype.Order = false, nil, 0
			own.archetype.Orders, own.archetype.Crossings = max(own.archetype.Orders, a.Orders), max(own.archetype.Crossings, a.Crossings)
		}
		r.rebuiltOf = append(r.rebuiltOf, at)
		var into []int
		for g := range a.Groups {
			into = append(into, r.rebuiltGroup(own, i, &a.Groups[g]))
		}
		r.groupOf = append(r.groupOf, into)
	}
}

// rebuiltGroup returns the place in t of a group of an archetype of the file.
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
		t.unmerged = false
		t.archetype.Groups[at].Orders = max(t.archetype.Groups[at].Orders, g.Orders)
		return at
	}
	at := len(t.archetype.Groups)
	t.groups[key] = at
	t.archetype.Groups = append(t.archetype.Groups, ecs.ImageGroup{Values: values, Orders: g.Orders, Room: g.Room, List: g.List})
	return at
}

// keepChunk keeps a chunk of an archetype of the file for later.
func (r *reader) keepChunk(archetype int, c fileChunk, group int) error {
	if group < 0 || group >= len(r.groupOf[archetype]) {
		return corrupt("a chunk of archetype %d is of group %d of %d", archetype, group, len(r.groupOf[archetype]))
	}
	c.room = slices.Contains(r.archetypes[archetype].Groups[group].Room, int32(r.begunChunks))
	c.group = r.groupOf[archetype][group]
	t := &r.rebuilt[r.rebuiltOf[archetype]]
	t.chunks = append(t.chunks, c)
	return nil
}

// buildRechunked builds the archetypes and chunks that were kept, and returns the tasks that fill them.
func (r *reader) buildRechunked() (tasks []chunkTask, err error) {
	for i := range r.rebuilt {
		t := &r.rebuilt[i]
		capacity, err := t.capacity()
		if err != nil {
			return nil, r.builderError(err)
		}
		fits := t.keepsChunks(capacity)
		if !fits {
			t.archetype.Newest = nil
			for g := range t.archetype.Groups {
				t.archetype.Groups[g].Room, t.archetype.Groups[g].List = nil, nil
			}
		}
		if len(t.archetype.Groups) == 1 && len(t.archetype.Groups[0].Values) == 0 {
			t.archetype.Groups[0].List = nil
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

// capacity returns how many rows a chunk has room for; 0 if there is none.
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

// keepsChunks reports whether the chunks can stay those of the file: each has room for its rows, and room left just if it had some.
func (t *rebuiltArchetype) keepsChunks(capacity int) bool {
	for j := range t.chunks {
		if c := &t.chunks[j]; c.rows > capacity || c.room != (c.rows < capacity) {
			return false
		}
	}
	return t.unmerged
}

// rechunkPlan says which chunks of the image get the rows of each chunk that was kept.
type rechunkPlan struct {
	chunks      []ecs.ImageChunk // with Group, Order and Meta until they are built
	rows        []int            // of each of these
	ofFileChunk [][]plannedRows  // of each chunk that was kept, in the order of its rows
}

// plannedRows is neighbouring rows of a kept chunk that go to one chunk of the image.
type plannedRows struct {
	chunk int
	segment
}

// buildArchetype builds the chunks of an archetype: those of the file if they fit, or else new ones, each full before the next of its group begins.
func (r *reader) buildArchetype(tasks []chunkTask, t *rebuiltArchetype, capacity int, fits bool) ([]chunkTask, error) {
	if !fits {
		if err := t.checkRecut(r.recut != nil); err != nil {
			return nil, err
		}
	}
	d := t.planRows(capacity, fits)
	if !fits && len(t.chunks) > 0 {
		r.recut(slices.Clone(t.archetype.Components), len(t.chunks), len(d.chunks))
	}
	for i := range d.chunks {
		var err error
		if d.chunks[i], err = r.builder.AddChunk(d.chunks[i], d.rows[i]); err != nil {
			return nil, r.builderError(err)
		}
	}
	for j := range t.chunks {
		own := d.taskFor(j, &t.chunks[j], fits)
		if fits || j == 0 {
			tasks = append(tasks, own)
		} else { // bits and heads of buffers are of a whole chunk
			first := &tasks[len(tasks)-1]
			first.rest = append(first.rest, own)
		}
	}
	return tasks, nil
}

// checkRecut returns an error if the chunks may not be cut anew: they have chunk components, or the caller has not allowed it by Recut.
func (t *rebuiltArchetype) checkRecut(allowed bool) error {
	switch {
	case slices.ContainsFunc(t.chunks, func(c fileChunk) bool { return !c.meta.IsZero() }):
		return fmt.Errorf("snapshot: %w: chunks of %v would have to be cut anew, and have chunk components", ErrSchema, t.archetype.Components)
	case !allowed && len(t.chunks) > 0:
		return fmt.Errorf("snapshot: %w: %v has chunks of another size now, which are to be cut anew: Recut allows it", ErrSchema, t.archetype.Components)
	}
	return nil
}

// planRows chooses the chunks that the rows go to.
func (t *rebuiltArchetype) planRows(capacity int, fits bool) *rechunkPlan {
	d := &rechunkPlan{ofFileChunk: make([][]plannedRows, len(t.chunks))}
	open := map[int]int{} // the last chunk of each group
	for j := range t.chunks {
		c := &t.chunks[j]
		if fits {
			d.ofFileChunk[j] = []plannedRows{{len(d.chunks), segment{n: c.rows}}}
			d.chunks, d.rows = append(d.chunks, ecs.ImageChunk{Group: c.group, Order: c.order, Meta: c.meta}), append(d.rows, c.rows)
			continue
		}
		for from := 0; from < c.rows; {
			at, some := open[c.group]
			if !some || d.rows[at] == capacity {
				at = len(d.chunks)
				d.chunks, d.rows = append(d.chunks, ecs.ImageChunk{Group: c.group}), append(d.rows, 0) // an Order of 0: as new as the image
				open[c.group] = at
			}
			n := min(c.rows-from, capacity-d.rows[at])
			d.ofFileChunk[j] = append(d.ofFileChunk[j], plannedRows{at, segment{from: from, n: n, to: d.rows[at]}})
			d.rows[at] += n
			from += n
		}
	}
	return d
}

// taskFor returns the task that fills the rows of kept chunk j.
func (d *rechunkPlan) taskFor(j int, c *fileChunk, fits bool) chunkTask {
	own := chunkTask{columns: c.columns, body: c.body, at: c.at, rows: c.rows}
	for _, part := range d.ofFileChunk[j] {
		chunk, s := &d.chunks[part.chunk], part.segment
		s.ids = chunk.Entities[s.to:][:s.n]
		s.parts = make([]*ecs.ImageColumn, len(c.columns))
		for l, at := range placesOf(chunk, c.columns) {
			if at < 0 {
				continue
			}
			s.parts[l] = &chunk.Parts[at]
			if fits {
				s.parts[l].Version, s.parts[l].Through = c.versions[2*l], c.versions[2*l+1]
			}
		}
		own.segments = append(own.segments, s)
	}
	return own
}

// placesOf returns the places of columns of the file among the parts of a chunk; -1 for those that it has no longer.
func placesOf(chunk *ecs.ImageChunk, columns []*column) []int {
	list := make([]int, len(columns))
	for k, c := range columns { // whose order names have made: a component that was Renamed may have another place
		list[k] = slices.IndexFunc(chunk.Parts, func(p ecs.ImageColumn) bool { return c.typ != nil && p.Component == c.typ })
	}
	return list
}

// Recut lets components of a snapshot need other memory than when it was written: chunks hold another number of rows
// then, and are cut anew, in their order. Ids, values and the order of rows stay; the hash is another one, and so
// are systems told that everything has changed in these chunks. Function told, which may be nil, is called for each
// archetype to which this has happened, with how many chunks it had and has. Without Recut a snapshot that needs it is an error of
// category ErrSchema. Archetypes with chunk components cannot be cut.
func Recut(told func(components []reflect.Type, before, after int)) Option {
	return func(o *options) {
		o.recut = func([]reflect.Type, int, int) {}
		if told != nil {
			o.recut = told
		}
	}
}
