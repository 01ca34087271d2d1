package inspect

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/lanewise/lanewise/ecs"
)

// tableForm is a format of tables.
type tableForm struct {
	ext, kind string
	take      TakeTable
}

// TakeTable begins a table of the entities that match the terms. The owner of
// the world calls a TakeTable, and the function piece that it returns,
// between two frames. Each call of piece copies at least one row out of the
// world. It stops when over reports that the time of this frame has passed,
// and reports whether there are more rows. The owner calls piece in one frame
// after another, but may stop before the end. The function write writes the
// copied rows. The inspector calls write on another goroutine while the world
// continues.
type TakeTable func(w *ecs.World, terms ...ecs.Term) (piece func(over func() bool) (more bool, err error), write func(io.Writer) error, err error)

// tableNamed returns the table with a name such as Position,Velocity.arrow; the
// extension selects the format.
func tableNamed(ctx context.Context, v *view, forms []tableForm, name string, how url.Values) (any, error) {
	frame := how.Get("frame")
	if frame != "" && frame != "one" {
		return nil, fmt.Errorf("inspect: frame=%s: say frame=one, or leave it out", clip(frame, 60))
	}
	var exts []string
	for _, f := range forms {
		if list, ok := strings.CutSuffix(name, "."+f.ext); ok {
			return tablePage(ctx, v, f, list, frame == "one")
		}
		exts = append(exts, "."+f.ext)
	}
	if exts == nil {
		return nil, notFound("the program hands out no tables: see inspect.Tables")
	}
	return nil, notFound(fmt.Sprintf("%s is no table: write names of components and %s", clip(name, 60), strings.Join(exts, " or ")))
}

// maxColumns is the largest number of components of a table.
const maxColumns = 32

func tablePage(ctx context.Context, v *view, f tableForm, list string, whole bool) (any, error) {
	terms, err := tableTerms(list)
	if err != nil {
		return nil, err
	}
	var piece func(func() bool) (bool, error)
	var write func(io.Writer) error
	_, err = v.runBetween(ctx, "a table", func(l *ownerSlice) (more bool, err error) {
		if err := l.checkNotLent(); err != nil {
			return false, err
		}
		if piece == nil {
			if piece, write, err = f.take(v.world, terms...); err != nil {
				return false, err
			}
		}
		for more = true; more && err == nil && (whole || !l.isOver()); {
			more, err = piece(func() bool { return !whole && l.isOver() })
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

// tableTerms parses a list of component names.
func tableTerms(list string) (terms []ecs.Term, err error) {
	names := strings.Split(list, ",")
	if len(names) > maxColumns {
		return nil, fmt.Errorf("inspect: a table of %d components: %d are the most", len(names), maxColumns)
	}
	all := ecs.ComponentTypes()
	for _, name := range names {
		bare := strings.TrimLeft(name, "?-")
		t, err := chooseType(all, bare)
		if err != nil {
			return nil, err
		}
		term := ecs.Read[struct{}]().OfType(t.Type)
		switch sign := strings.TrimSuffix(name, bare); {
		case sign == "-":
			term = ecs.Without[struct{}]().OfType(t.Type)
		case sign == "?" && t.Shared:
			return nil, fmt.Errorf("inspect: %s is shared, and cannot be asked for with ?", bare)
		case sign == "?":
			term = ecs.Optional(term)
		case sign != "":
			return nil, fmt.Errorf("inspect: %s: a name may have one ? or - before it", clip(name, 60))
		case t.Shared || t.Tag:
			term = ecs.With[struct{}]().OfType(t.Type)
		}
		terms = append(terms, term)
	}
	return terms, nil
}
