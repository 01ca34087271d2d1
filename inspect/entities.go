package inspect

import (
	"context"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// Entities is the answer of /api/entities.
type Entities struct {
	Query   string   `json:"query"`
	Frame   uint64   `json:"frame"`
	Count   int      `json:"count"`   // number of entities that match
	From    int      `json:"from"`    // index of the first row among them
	Columns []string `json:"columns"` // components whose values are shown
	Rows    []Row    `json:"rows"`
	Frames  int      `json:"frames"` // number of frames over which the rows were copied
}

// Row is one entity of Entities.
type Row struct {
	ID        string         `json:"id"`
	Name      string         `json:"name,omitempty"`
	Archetype int            `json:"archetype"`
	Values    map[string]any `json:"values"` // value for each column
}

// maxRows is the largest number of rows on one page of entities.
const maxRows = 200

// copiedRow holds the data of a row that the owner has copied.
type copiedRow struct {
	e      ecs.Entity
	name   string
	arch   int
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
	counted bool

	rows    []copiedRow
	ids     []ecs.Entity // entity ids of a chunk
	filled  int          // number of rows whose values are copied
	columns []reflect.Type
	names   map[ecs.Entity]string // names of entities in the values
}

func entitiesPage(ctx context.Context, v *view, c *parsedQuery, from, limit int) (*Entities, error) {
	limit = min(max(limit, 1), maxRows)
	r := &rowsPageData{
		out: &Entities{Query: c.text, From: max(from, 0), Rows: []Row{}, Columns: []string{}}, limit: limit, walk: walk{query: c},
		rows: make([]copiedRow, 0, limit), ids: make([]ecs.Entity, 0, 2048), columns: make([]reflect.Type, 0, 16), names: map[ecs.Entity]string{},
	}
	r.walk.countAll = r.countRows
	frames, err := v.runBetween(ctx, "entities", func(l *ownerSlice) (bool, error) {
		if err := l.checkNotLent(); err != nil {
			return false, err
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
	if !r.counted {
		if r.walk.next(l, r.count) {
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
	for _, t := range r.columns {
		out.Columns = append(out.Columns, typeName(t))
	}
	for _, c := range r.rows {
		row := Row{ID: entityText(c.e), Name: c.name, Archetype: c.arch, Values: map[string]any{}}
		for k, value := range c.values {
			if value != nil {
				row.Values[out.Columns[k]] = jsonValue(value, r.names)
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}
