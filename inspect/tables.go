package inspect

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/lanewise/lanewise/ecs"
)

// tableForm is a form in which tables are handed out.
type tableForm struct {
	ext, kind string
	take      TakeTable
}

// TakeTable begins a table of the entities that match the terms. Piece copies rows out of the world until over says that the time of this
// frame is up, some at least, and says whether there are more; write writes them. All but write is called by
// the owner of the world between two frames, which waits for it: piece again and again, in frame after frame, but perhaps not to the end. Write
// is called when the world has gone on, on another goroutine.
type TakeTable func(w *ecs.World, terms ...ecs.Term) (piece func(over func() bool) (more bool, err error), write func(io.Writer) error, err error)

// Tables lets those who have the token ask for tables:
//
//	/table/Position,Velocity.EXT               the entities that have both
//	/table/Position,?Velocity.EXT              those that have a Position, and their Velocity if they have one
//	/table/Position,-Frozen.EXT                those that have a Position and nothing Frozen
//	/table/Position,Velocity.EXT?frame=one     as they are in one frame
//
// Ext is the ending by which the form is known, kind its media type. Package arrow has one:
// inspect.Tables("arrow", arrow.MediaType, arrow.Take). Copying is spread over frames as everything is that takes
// longer than the [Budget]: rows of a large table are of several frames. With frame=one the owner of the world is held up
// while all rows are copied, which is as long as a copy of that memory takes.
func Tables(ext, kind string, take TakeTable) Option {
	return func(i *Inspector) { i.tables = append(i.tables, tableForm{ext, kind, take}) }
}

// tableRoute serves the tables.
func (i *Inspector) tableRoute(m *http.ServeMux) {
	m.HandleFunc("GET /table/{name}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		i.guard(0, true, func(ctx context.Context, v *view, how url.Values) (any, error) { return i.table(ctx, v, name, how) })(w, r)
	})
}

func (i *Inspector) table(ctx context.Context, v *view, name string, how url.Values) (any, error) {
	frame := how.Get("frame")
	if frame != "" && frame != "one" {
		return nil, fmt.Errorf("inspect: frame=%s: say frame=one, or leave it out", clip(frame, 60))
	}
	var exts []string
	for _, f := range i.tables {
		if list, ok := strings.CutSuffix(name, "."+f.ext); ok {
			return v.table(ctx, f, list, frame == "one")
		}
		exts = append(exts, "."+f.ext)
	}
	if exts == nil {
		return nil, notFound("the program hands out no tables: see inspect.Tables")
	}
	return nil, notFound(fmt.Sprintf("%s is no table: write names of components and %s", clip(name, 60), strings.Join(exts, " or ")))
}

// mostColumns is how many components a table may be of.
const mostColumns = 32

func (v *view) table(ctx context.Context, f tableForm, list string, whole bool) (any, error) {
	terms, err := tableTerms(list)
	if err != nil {
		return nil, err
	}
	var piece func(func() bool) (bool, error)
	var write func(io.Writer) error
	_, err = v.at(ctx, "a table", func(l *look) (more bool, err error) {
		if v.world.Lent() {
			return false, lent(v)
		}
		if piece == nil {
			if piece, write, err = f.take(v.world, terms...); err != nil {
				return false, err
			}
		}
		for more = true; more && err == nil && (whole || !l.over()); {
			more, err = piece(func() bool { return !whole && l.over() })
		}
		return more, err
	})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return nil, err
	}
	return file{name: list + "." + f.ext, kind: f.kind, data: b.Bytes()}, nil
}

// tableTerms understands names of components.
func tableTerms(list string) (terms []ecs.Term, err error) {
	names := strings.Split(list, ",")
	if len(names) > mostColumns {
		return nil, fmt.Errorf("inspect: a table of %d components: %d are the most", len(names), mostColumns)
	}
	all := ecs.ComponentTypes()
	for _, name := range names {
		bare := strings.TrimLeft(name, "?-")
		t, err := chooseType(all, bare)
		if err != nil {
			return nil, err
		}
		term := ecs.Read[struct{}]().Of(t.Type)
		switch sign := strings.TrimSuffix(name, bare); {
		case sign == "-":
			term = ecs.Without[struct{}]().Of(t.Type)
		case sign == "?" && t.Shared:
			return nil, fmt.Errorf("inspect: %s is shared, and cannot be asked for with ?", bare)
		case sign == "?":
			term = ecs.Optional(term)
		case sign != "":
			return nil, fmt.Errorf("inspect: %s: a name may have one ? or - before it", clip(name, 60))
		case t.Shared || t.Tag:
			term = ecs.With[struct{}]().Of(t.Type)
		}
		terms = append(terms, term)
	}
	return terms, nil
}
