package snapshot

import (
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/images"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/tool"
)

// Where a program has other components than a file, chunks may hold other numbers of rows, and archetypes, or groups,
// be the same that were two. Chunks are held until all are known, and given to the builder then.

// heldChunk is a chunk of the file.
type heldChunk struct {
	group    int // of the target
	rows     int
	room     bool // it was one with room
	order    uint32
	meta     ecs.Entity
	versions []uint32 // and those through chunks, by columns of the file's archetype
	columns  []*column
	body     frames.In
	at       int64
}

// target is an archetype of the image.
type target struct {
	set     images.Archetype
	whole   bool // it is one of the file as it was, except for lanes
	columns []*column
	groups  map[string]int
	chunks  []heldChunk
}

// changed reports whether a component has other lanes than the file, or none at all.
func (r *reader) changed() bool {
	types := tool.ComponentTypes()
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

// aim finds the archetypes of the image for those of the file.
func (r *reader) aim() {
	byKey := map[string]int{}
	for i := range r.sets {
		a := &r.sets[i]
		var t target
		for k, at := range r.places[i] {
			if c := &r.columns[at]; c.typ != nil {
				t.columns = append(t.columns, c)
				t.set.Components = append(t.set.Components, c.typ)
				t.set.Newest = append(t.set.Newest, a.Newest[k])
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
			at = len(r.targets)
			byKey[key] = at
			t.set.Orders, t.set.Order, t.set.Crossings = a.Orders, a.Order, a.Crossings
			t.groups, t.whole = map[string]int{}, true
			r.targets = append(r.targets, t)
		}
		own := &r.targets[at]
		if known {
			own.whole, own.set.Newest, own.set.Order = false, nil, 0
			own.set.Orders, own.set.Crossings = max(own.set.Orders, a.Orders), max(own.set.Crossings, a.Crossings)
		}
		r.aims = append(r.aims, at)
		var into []int
		for g := range a.Groups {
			into = append(into, r.aimGroup(own, i, &a.Groups[g]))
		}
		r.groupAims = append(r.groupAims, into)
	}
}

// aimGroup finds the group of a target for one of an archetype of the file.
func (r *reader) aimGroup(t *target, archetype int, g *images.Group) int {
	var values []int32
	shared := 0
	for _, at := range r.places[archetype] {
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
		t.whole = false
		t.set.Groups[at].Orders = max(t.set.Groups[at].Orders, g.Orders)
		return at
	}
	at := len(t.set.Groups)
	t.groups[key] = at
	t.set.Groups = append(t.set.Groups, images.Group{Values: values, Orders: g.Orders, Room: g.Room, List: g.List})
	return at
}

// hold keeps a chunk of an archetype of the file for later.
func (r *reader) hold(archetype int, c heldChunk, group int) error {
	if group < 0 || group >= len(r.groupAims[archetype]) {
		return corrupt("a chunk of archetype %d is of group %d of %d", archetype, group, len(r.groupAims[archetype]))
	}
	c.room = slices.Contains(r.sets[archetype].Groups[group].Room, int32(r.chunks))
	c.group = r.groupAims[archetype][group]
	t := &r.targets[r.aims[archetype]]
	t.chunks = append(t.chunks, c)
	return nil
}

// release gives the builder all that was held.
func (r *reader) release() (tasks []task, err error) {
	for i := range r.targets {
		t := &r.targets[i]
		capacity, err := t.capacity()
		if err != nil {
			return nil, r.wrong(err)
		}
		fits := t.fits(capacity)
		if !fits {
			t.set.Newest = nil
			for g := range t.set.Groups {
				t.set.Groups[g].Room, t.set.Groups[g].List = nil, nil
			}
		}
		if len(t.set.Groups) == 1 && len(t.set.Groups[0].Values) == 0 {
			t.set.Groups[0].List = nil
		}
		if err := r.builder.Archetype(t.set); err != nil {
			return nil, r.wrong(err)
		}
		if tasks, err = r.deal(tasks, t, capacity, fits); err != nil {
			return nil, err
		}
	}
	return tasks, nil
}

// capacity returns how many rows a chunk has room for; 0 if there is none.
func (t *target) capacity() (int, error) {
	if len(t.chunks) == 0 {
		return 0, nil
	}
	b := images.NewBuilder()
	if err := b.Archetype(images.Archetype{Components: t.set.Components}); err != nil {
		return 0, err
	}
	m, err := b.Image()
	if err != nil {
		return 0, err
	}
	return images.ArchetypesOf(m)[0].Capacity, m.Release()
}

// fits says whether chunks can be those of the file: rows have room, and those have some left that had.
func (t *target) fits(capacity int) bool {
	for j := range t.chunks {
		if c := &t.chunks[j]; c.rows > capacity || c.room != (c.rows < capacity) {
			return false
		}
	}
	return t.whole
}

// dealt is how the rows of held chunks go to chunks of the image.
type dealt struct {
	chunks []images.Chunk // of which Group, Order and Meta are known
	rows   []int          // of each of these
	held   [][]dealtRows  // of each held chunk, in the order of its rows
}

// dealtRows is rows of a held chunk that go to one chunk of the image.
type dealtRows struct {
	chunk int
	segment
}

// deal makes the chunks of a target: those of the file if they fit, else others, each full before the group's next begins.
func (r *reader) deal(tasks []task, t *target, capacity int, fits bool) ([]task, error) {
	if !fits {
		if err := t.mayCut(r.recut != nil); err != nil {
			return nil, err
		}
	}
	d := t.plan(capacity, fits)
	if !fits && len(t.chunks) > 0 {
		r.recut(slices.Clone(t.set.Components), len(t.chunks), len(d.chunks))
	}
	for i := range d.chunks {
		var err error
		if d.chunks[i], err = r.builder.Chunk(d.chunks[i], d.rows[i]); err != nil {
			return nil, r.wrong(err)
		}
	}
	for j := range t.chunks {
		own := d.task(j, &t.chunks[j], fits)
		if fits || j == 0 {
			tasks = append(tasks, own)
		} else { // bits and heads of buffers are of a whole chunk
			first := &tasks[len(tasks)-1]
			first.behind = append(first.behind, own)
		}
	}
	return tasks, nil
}

// mayCut returns an error if the chunks must stay as they are: where Recut does not allow it, among others.
func (t *target) mayCut(allowed bool) error {
	switch {
	case slices.ContainsFunc(t.chunks, func(c heldChunk) bool { return !c.meta.Null() }):
		return fmt.Errorf("snapshot: %w: chunks of %v would have to be cut anew, and have chunk components", ErrSchema, t.set.Components)
	case !allowed && len(t.chunks) > 0:
		return fmt.Errorf("snapshot: %w: %v has chunks of another size now, which are to be cut anew: Recut allows it", ErrSchema, t.set.Components)
	}
	return nil
}

// plan finds out where the rows go.
func (t *target) plan(capacity int, fits bool) *dealt {
	d := &dealt{held: make([][]dealtRows, len(t.chunks))}
	open := map[int]int{} // the last chunk of each group
	for j := range t.chunks {
		c := &t.chunks[j]
		if fits {
			d.held[j] = []dealtRows{{len(d.chunks), segment{n: c.rows}}}
			d.chunks, d.rows = append(d.chunks, images.Chunk{Group: c.group, Order: c.order, Meta: c.meta}), append(d.rows, c.rows)
			continue
		}
		for from := 0; from < c.rows; {
			at, some := open[c.group]
			if !some || d.rows[at] == capacity {
				at = len(d.chunks)
				d.chunks, d.rows = append(d.chunks, images.Chunk{Group: c.group}), append(d.rows, 0) // an Order of 0: as new as the image
				open[c.group] = at
			}
			n := min(c.rows-from, capacity-d.rows[at])
			d.held[j] = append(d.held[j], dealtRows{at, segment{from: from, n: n, to: d.rows[at]}})
			d.rows[at] += n
			from += n
		}
	}
	return d
}

// task is what fills the rows of held chunk j.
func (d *dealt) task(j int, c *heldChunk, fits bool) task {
	own := task{columns: c.columns, body: c.body, at: c.at, rows: c.rows}
	for _, part := range d.held[j] {
		chunk, s := &d.chunks[part.chunk], part.segment
		s.ids = chunk.Entities[s.to:][:s.n]
		s.parts = make([]*images.Part, len(c.columns))
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
func placesOf(chunk *images.Chunk, columns []*column) []int {
	list := make([]int, len(columns))
	for k, c := range columns { // whose order names have made: a component that was Renamed may have another place
		list[k] = slices.IndexFunc(chunk.Parts, func(p images.Part) bool { return c.typ != nil && p.Component == c.typ })
	}
	return list
}
