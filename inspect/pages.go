package inspect

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"github.com/lanewise/lanewise/ecs"
)

// page is one kind of request about a world: its path, its arguments and its
// answer.
type page struct {
	path       string
	permission Permission // permission to change something; 0 for read-only pages
	answer     answer
	past       bool // it can also show a kept frame
}

// answerAt returns the answer of a page about a kept frame if the request names one, and about the running
// world otherwise.
func (p *page) answerAt(ctx context.Context, v *view, f url.Values) (any, error) {
	if !f.Has("frame") || p.permission != 0 {
		return p.answer(ctx, v, f)
	}
	frame, err := frameOf(f)
	if err != nil {
		return nil, err
	}
	if !p.past {
		return nil, fmt.Errorf("inspect: %s shows only the running world: leave out frame", p.path)
	}
	return v.inPast(ctx, frame, func(old *view) (any, error) { return p.answer(ctx, old, f) })
}

// frameOf reads the argument with the number of a frame.
func frameOf(f url.Values) (uint64, error) {
	frame, err := strconv.ParseUint(f.Get("frame"), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("inspect: frame is %q: write the number of a frame", clip(f.Get("frame"), 60))
	}
	return frame, nil
}

// onOf reads the argument on.
func onOf(f url.Values) (bool, error) {
	on, err := strconv.ParseBool(f.Get("on"))
	if err != nil {
		return false, fmt.Errorf("inspect: on is %q: write true or false", clip(f.Get("on"), 60))
	}
	return on, nil
}

// pages lists the requests about a world. Requests that change something use POST.
var pages = []page{
	{"/api/frame", 0, func(ctx context.Context, v *view, f url.Values) (any, error) {
		return framePage(ctx, v, uint64(count(f, "since", 0)))
	}, false},
	{"/api/order", 0, func(ctx context.Context, v *view, _ url.Values) (any, error) { return orderPage(ctx, v) }, false},
	{"/api/archetypes", 0, func(ctx context.Context, v *view, f url.Values) (any, error) {
		return archetypesPage(ctx, v, count(f, "from", 0), count(f, "limit", 40), count(f, "index", -1))
	}, true},
	{"/api/entities", 0, entitiesOf, true},
	{"/api/children", 0, ofEntity(func(ctx context.Context, v *view, e ecs.Entity, f url.Values) (any, error) {
		return childrenPage(ctx, v, e, count(f, "from", 0), count(f, "limit", 60))
	}), true},
	{"/api/entity", 0, entityOf, true},
	{"/api/picture", 0, pictureOf, true},
	{"/api/journal", 0, func(ctx context.Context, v *view, f url.Values) (any, error) {
		return journalPage(ctx, v, uint64(count(f, "since", 0)))
	}, false},
	{"/api/memory", 0, func(ctx context.Context, v *view, _ url.Values) (any, error) { return memoryPage(ctx, v) }, true},
	{"/api/loop", 0, func(ctx context.Context, v *view, _ url.Values) (any, error) { return loopPage(ctx, v) }, false},
	{"/api/watches", 0, func(ctx context.Context, v *view, f url.Values) (any, error) {
		return watchesPage(ctx, v, f["watch"], uint64(count(f, "since", 0)))
	}, false},
	{"/api/find", 0, findOf, false},
	{"/api/gone", 0, goneOf, false},
	{"/api/control", Control, func(ctx context.Context, v *view, f url.Values) (any, error) {
		return control(ctx, v, f.Get("do"), f.Get("value"))
	}, false},
	{"/api/system", Edit, func(ctx context.Context, v *view, f url.Values) (any, error) {
		on, err := onOf(f)
		if err != nil {
			return nil, err
		}
		return enable(ctx, v, f.Get("name"), on)
	}, false},
	{"/api/set", Edit, ofEntity(func(ctx context.Context, v *view, e ecs.Entity, f url.Values) (any, error) {
		return set(ctx, v, e, f.Get("component"), f.Get("field"), f.Get("value"))
	}), false},
	{"/api/name", Edit, ofEntity(func(ctx context.Context, v *view, e ecs.Entity, f url.Values) (any, error) {
		return rename(ctx, v, e, f.Get("name"))
	}), false},
	{"/api/add", Edit, ofEntity(func(ctx context.Context, v *view, e ecs.Entity, f url.Values) (any, error) {
		return addComponent(ctx, v, e, f.Get("component"))
	}), false},
	{"/api/remove", Edit, ofEntity(func(ctx context.Context, v *view, e ecs.Entity, f url.Values) (any, error) {
		return removeComponent(ctx, v, e, f.Get("component"))
	}), false},
	{"/api/enable", Edit, ofEntity(func(ctx context.Context, v *view, e ecs.Entity, f url.Values) (any, error) {
		on, err := onOf(f)
		if err != nil {
			return nil, err
		}
		if !f.Has("component") {
			return activate(ctx, v, e, on)
		}
		return enableComponent(ctx, v, e, f.Get("component"), on)
	}), false},
	{"/api/parent", Edit, ofEntity(func(ctx context.Context, v *view, e ecs.Entity, f url.Values) (any, error) {
		parent, err := parseReference(f.Get("parent"))
		if err != nil {
			return nil, err
		}
		return setParent(ctx, v, e, parent)
	}), false},
	{"/api/destroy", Edit, ofEntity(func(ctx context.Context, v *view, e ecs.Entity, _ url.Values) (any, error) {
		return destroyEntity(ctx, v, e)
	}), false},
	{"/api/spawn", Edit, ofEntity(func(ctx context.Context, v *view, e ecs.Entity, _ url.Values) (any, error) {
		return spawn(ctx, v, e)
	}), false},
	{"/api/undo", Edit, func(ctx context.Context, v *view, _ url.Values) (any, error) { return undoEdit(ctx, v, true) }, false},
	{"/api/redo", Edit, func(ctx context.Context, v *view, _ url.Values) (any, error) { return undoEdit(ctx, v, false) }, false},
	{"/api/restore", Edit, func(ctx context.Context, v *view, f url.Values) (any, error) {
		frame, err := frameOf(f)
		if err != nil {
			return nil, err
		}
		return restore(ctx, v, frame)
	}, false},
}

// ofEntity converts a function with an entity as its parameter to a function that answers requests. The request
// contains the entity.
func ofEntity(f func(ctx context.Context, v *view, e ecs.Entity, form url.Values) (any, error)) answer {
	return func(ctx context.Context, v *view, form url.Values) (any, error) {
		e, err := parseEntity(form.Get("id"))
		if err != nil {
			return nil, err
		}
		return f(ctx, v, e, form)
	}
}

// pictureOf reads the arguments of a picture.
func pictureOf(ctx context.Context, v *view, f url.Values) (any, error) {
	c, err := parse(f.Get("q"))
	if err != nil {
		return nil, err
	}
	kind := f.Get("kind")
	need := map[string]int{"heat": 2, "scatter": 2, "histogram": 1}[kind]
	if need == 0 {
		return nil, fmt.Errorf("inspect: kind is %q: there are heat, scatter and histogram", clip(kind, 60))
	}
	lanes := pictureLanes{}
	for k, name := range []string{"x", "y", "c", "z"} {
		text := f.Get(name)
		if text == "" && k >= need {
			continue
		}
		if text == "" || k > 0 && kind == "histogram" || name == "z" && kind != "scatter" {
			return nil, fmt.Errorf("inspect: a %s has x%s", kind, map[string]string{"histogram": " alone", "heat": " and y, and perhaps c", "scatter": " and y, and perhaps c and z"}[kind])
		}
		n, err := parseNumbers(text)
		if err != nil {
			return nil, err
		}
		lanes.numbers, lanes.axes = append(lanes.numbers, n), lanes.axes+name
	}
	return picturePage(ctx, v, c, kind, lanes)
}

// count reads an argument that must be a non-negative number. A number that is too large for an int is the largest int.
func count(f url.Values, name string, otherwise int) int {
	n, err := strconv.Atoi(f.Get(name))
	if err != nil && !errors.Is(err, strconv.ErrRange) || n < 0 {
		return otherwise
	}
	return n
}
