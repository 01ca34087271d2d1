package inspect

import (
	"context"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
)

// Entities is the answer of /api/entities.
type Entities struct {
	Query   string   `json:"query"`
	When    string   `json:"when"` // the condition on the values; empty if there is none
	Frame   uint64   `json:"frame"`
	Count   int      `json:"count"`   // number of entities that match; with a condition, only of the compared ones
	From    int      `json:"from"`    // index of the first row among them
	Columns []string `json:"columns"` // components whose values are shown
	Rows    []Row    `json:"rows"`
	Frames  int      `json:"frames"` // number of frames over which the rows were copied

	Skipped    int `json:"skipped"`    // number of entities of the query that the request has skipped
	Compared   int `json:"compared"`   // number of entities of the query that were compared with the condition
	Uncompared int `json:"uncompared"` // number of entities after those; a request with skip=skipped+compared continues with them
}

// Row is one entity of Entities.
type Row struct {
	ID        string         `json:"id"`
	Name      string         `json:"name,omitempty"`
	Archetype int            `json:"archetype"`
	Values    map[string]any `json:"values"`   // value for each column
	Children  int            `json:"children"` // number of its children
}

// maxRows is the largest number of rows on one page of entities.
const maxRows = 200

// copiedRow holds the data of a row that the owner has copied.
type copiedRow struct {
	e      ecs.Entity
	name   string
	arch   int
	kids   int   // number of children
	values []any // one for each column; nil if the entity lacks it
}

// rowsPageData is the data that the owner copies for a page of entities. The
// owner first counts all rows and finds the rows of the page, and then copies
// the values of these rows. The request allocates the memory in advance, so
// that the owner needs little time.
type rowsPageData struct {
	out     *Entities
	limit   int
	walk    walk
	filter  *rowFilter // nil if there is no condition
	parent  ecs.Entity // if it is not the null entity, the page lists its children
	counted bool

	rows    []copiedRow
	ids     []ecs.Entity // entity ids of a chunk
	filled  int          // number of rows whose values are copied
	columns []reflect.Type
	names   map[ecs.Entity]string // names of entities in the values
}

// entitiesOf reads the arguments of /api/entities.
func entitiesOf(ctx context.Context, v *view, f url.Values) (any, error) {
	c, err := parse(f.Get("q"))
	if err != nil {
		return nil, err
	}
	var filter *rowFilter
	if when := f.Get("when"); strings.TrimSpace(when) != "" {
		if filter, err = newRowFilter(when, count(f, "skip", 0)); err != nil {
			return nil, err
		}
	}
	return entitiesPage(ctx, v, c, filter, count(f, "from", 0), count(f, "limit", 60))
}

// childrenPage returns the children of an entity.
func childrenPage(ctx context.Context, v *view, parent ecs.Entity, from, limit int) (*Entities, error) {
	r := newRowsPage(&Entities{From: max(from, 0)}, limit)
	r.parent = parent
	return r.ask(ctx, v)
}

// countChildren counts the children of the parent, and records those that belong to the page.
func (r *rowsPageData) countChildren(w *ecs.World) {
	children, err := ecs.Get[transform.Children](w, r.parent)
	if err != nil {
		return // it has none
	}
	r.out.Count = children.Len()
	from := min(r.out.From, r.out.Count)
	for _, c := range children.Slice()[from : from+min(r.limit, r.out.Count-from)] {
		r.rows = append(r.rows, copiedRow{e: c.Entity})
	}
}

func entitiesPage(ctx context.Context, v *view, c *parsedQuery, filter *rowFilter, from, limit int) (*Entities, error) {
	out := &Entities{Query: c.text, From: max(from, 0)}
	if filter != nil {
		var err error
		if c, err = filter.queryWith(c); err != nil {
			return nil, err
		}
		out.When = filter.condition.text
	}
	r := newRowsPage(out, limit)
	r.filter, r.walk = filter, walk{query: c}
	r.walk.countAll = r.countRows
	if filter != nil {
		r.walk.countAll = filter.countAll
	}
	return r.ask(ctx, v)
}

// newRowsPage returns a page for an answer, with memory for its rows.
func newRowsPage(out *Entities, limit int) *rowsPageData {
	limit = min(max(limit, 1), maxRows)
	out.Rows, out.Columns = []Row{}, []string{}
	return &rowsPageData{
		out: out, limit: limit, rows: make([]copiedRow, 0, limit), ids: make([]ecs.Entity, 0, 2048), columns: make([]reflect.Type, 0, 16), names: map[ecs.Entity]string{},
	}
}

// ask asks the owner for the rows.
func (r *rowsPageData) ask(ctx context.Context, v *view) (*Entities, error) {
	frames, err := v.runBetween(ctx, "entities", func(l *ownerSlice) (bool, error) {
		if err := l.checkNotLent(); err != nil {
			return false, err
		}
		if !r.parent.IsZero() && !l.world.Exists(r.parent) {
			return false, notFound("entity " + r.parent.String() + " does not exist any more, or never did")
		}
		r.out.Frame = v.lastFrame.Load()
		return r.step(l), nil
	})
	if err != nil {
		return nil, err
	}
	r.out.Frames = frames
	return r.answer(), nil
}

// step does one slice of the work, and reports whether there is more to do.
func (r *rowsPageData) step(l *ownerSlice) (more bool) {
	if !r.counted && !r.parent.IsZero() {
		r.countChildren(l.world)
		r.counted = true
	}
	if !r.counted {
		count := r.count
		if r.filter != nil {
			count = func(a ecs.Archetype, chunk, n int, mask []uint64) bool {
				n, mask = r.filter.match(a, chunk, n, mask)
				return (n == 0 || r.count(a, chunk, n, mask)) && !l.isOver()
			}
		}
		if r.walk.next(l, count) {
			return true
		}
		r.counted = true
	}
	for r.filled < len(r.rows) {
		r.fill(l.world, &r.rows[r.filled])
		if r.filled++; r.filled < len(r.rows) && l.isOver() {
			return true
		}
	}
	return false
}

// countRows adds the n rows of an archetype to the count. If some of these rows
// belong on the page, it adds nothing and returns false.
func (r *rowsPageData) countRows(n int) bool {
	if len(r.rows) < r.limit && r.out.Count+n > r.out.From {
		return false
	}
	r.out.Count += n
	return true
}

// count counts the rows of a chunk, and records the rows that belong to the page.
func (r *rowsPageData) count(a ecs.Archetype, chunk, n int, mask []uint64) bool {
	at := r.out.Count
	r.out.Count += n
	if len(r.rows) == r.limit || r.out.Count <= r.out.From {
		return true
	}
	r.ids = a.AppendEntities(r.ids[:0], chunk, 0, 1)
	eachRow(len(r.ids), mask, func(row int) {
		if at >= r.out.From && len(r.rows) < r.limit {
			r.rows = append(r.rows, copiedRow{e: r.ids[row]})
		}
		at++
	})
	return true
}

// fill copies the values of an entity. The entity may have been destroyed
// since count recorded it.
func (r *rowsPageData) fill(w *ecs.World, c *copiedRow) {
	if !w.Exists(c.e) {
		return
	}
	c.name = w.EntityName(c.e)
	a := w.ArchetypeOf(c.e)
	c.arch = a.Index()
	for _, t := range a.Types() {
		if t == reflect.TypeFor[transform.Children]() {
			_, c.kids, _ = w.Untyped().Head(c.e, t, 0) // the entity has it
		}
		if t.Size() == 0 || t.Size() > 64 || isBuffer(t) {
			continue
		}
		k := slices.Index(r.columns, t)
		if k < 0 {
			k, r.columns = len(r.columns), append(r.columns, t)
		}
		for len(c.values) <= k {
			c.values = append(c.values, nil)
		}
		c.values[k] = copyOf(w, c.e, t, r.names)
	}
}

// answer converts the copied data to the answer.
func (r *rowsPageData) answer() *Entities {
	out := r.out
	if r.filter != nil {
		out.Skipped, out.Compared, out.Uncompared = r.filter.passed, r.filter.compared, r.filter.uncompared
	}
	for _, t := range r.columns {
		out.Columns = append(out.Columns, typeName(t))
	}
	for _, c := range r.rows {
		row := Row{ID: c.e.String(), Name: c.name, Archetype: c.arch, Values: map[string]any{}, Children: c.kids}
		for k, value := range c.values {
			if value != nil {
				row.Values[out.Columns[k]] = jsonValue(value, r.names)
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}
