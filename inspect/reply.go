package inspect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/lanewise/lanewise/ecs"
)

// A Request is a request of the page, or of another program, for data about a world.
type Request struct {
	Method string     // GET, or POST for a request that changes something; HEAD is like GET
	Path   string     // for example /api/entities
	Form   url.Values // the arguments

	// Owner says that the caller owns the worlds of the inspector, and calls Answer between two frames. Then
	// Answer does not wait for the end of a frame, and no other goroutine is needed. So a program with one
	// thread, such as a page in a browser, can answer a request in the function that receives it. Such a
	// request cannot pause a world, because its owner would wait for a request that it has to answer itself.
	Owner bool
}

// A Reply is the answer to a request.
type Reply struct {
	Status int    // 200, or the status that HTTP has for the error
	Type   string // the media type of the data
	Name   string // the name of the file, if the data is a file to be saved; otherwise empty
	Data   []byte // JSON, the content of the file, or the text of the error
}

// Answer answers a request without a server, so that a program can show its worlds in a page of its own. The
// files of the page are in the folder inspect/page. A page in an iframe calls the function answer
// of the iframe element for each request, if there is one: see examples/gallery/web. Answer checks the permissions of [Allow], but no token.
// It returns the text of an error as the data of the reply. Several goroutines may call Answer at the same time,
// unless the requests have the field Owner.
func (i *Inspector) Answer(ctx context.Context, r Request) Reply {
	to, ok := i.route(r.Path)
	text, _ := to.checkMethod(r.Method, r.Path)
	switch {
	case !ok:
		return refuse(notFound("there is no page " + clip(r.Path, 100)))
	case text != "":
		return failed(405, text)
	}
	if r.Owner {
		ctx = context.WithValue(ctx, ownerKey{}, true)
	}
	return i.answerRoute(ctx, to, r.Form)
}

// answerRoute answers a request to a route, whose method was checked.
func (i *Inspector) answerRoute(ctx context.Context, to route, form url.Values) Reply {
	switch {
	case i.allow&to.permission != to.permission:
		return failed(403, "inspect: the program does not allow that: see inspect.Allow")
	case i.closed.Load():
		return refuse(errEnded)
	case to.permission == Control && byOwner(ctx):
		return refuse(&stateError{"the owner of the worlds answers this request, so it cannot control them by it"})
	}
	select {
	case i.requestSlots <- struct{}{}:
		defer func() { <-i.requestSlots }()
	default:
		return refuse(&stillError{fmt.Sprintf("inspect: %d requests are being answered already", maxRequests)})
	}
	var v *view
	var err error
	if to.world {
		if v, err = i.pick(ctx, form.Get("w")); err != nil {
			return refuse(err)
		}
	}
	out, err := to.answer(ctx, v, form)
	if err != nil {
		return refuse(err)
	}
	return replyWith(out)
}

// ownerKey is the key of a context that says that the owner of the worlds has called Answer.
type ownerKey struct{}

// byOwner reports whether a request is answered by the owner of the worlds.
func byOwner(ctx context.Context) bool { return ctx.Value(ownerKey{}) != nil }

// An answer is a function that computes the answer to a request. It returns a value for JSON, or a file. The view
// is nil if the request is not about a world.
type answer func(ctx context.Context, v *view, form url.Values) (any, error)

// A file is an answer that the browser saves as a file.
type file struct {
	name, kind string
	data       []byte
}

// A route is the function that answers the requests to a path.
type route struct {
	permission Permission // permission to change something; 0 for requests that only read
	world      bool       // the requests are about a world
	answer     answer
}

// checkMethod returns the text of an error if the route does not accept the method, and the methods that it accepts.
func (r route) checkMethod(method, path string) (text, allowed string) {
	switch {
	case r.permission != 0 && method != "POST":
		return "inspect: " + path + " changes something: POST it", "POST"
	case r.permission == 0 && method != "GET" && method != "HEAD":
		return "inspect: " + clip(path, 100) + " only reads: GET it", "GET, HEAD"
	}
	return "", ""
}

// route returns the route of a path.
func (i *Inspector) route(path string) (r route, ok bool) {
	if name, ok := strings.CutPrefix(path, "/table/"); ok && name != "" && !strings.Contains(name, "/") {
		return route{0, true, func(ctx context.Context, v *view, form url.Values) (any, error) {
			return tableNamed(ctx, v, i.tables, name, form)
		}}, true
	}
	r, ok = i.routes[path]
	return r, ok
}

// makeRoutes returns the routes of all paths, except those of tables.
func (i *Inspector) makeRoutes() map[string]route {
	m := map[string]route{}
	for k := range pages {
		p := &pages[k]
		m[p.path] = route{p.permission, true, p.answerAt}
	}
	whole := func(path string, f func(url.Values) (any, error)) {
		m[path] = route{0, false, func(_ context.Context, _ *view, form url.Values) (any, error) { return f(form) }}
	}
	whole("/api/worlds", func(url.Values) (any, error) {
		return worldsPage(&i.views, i.allow&Control != 0, i.allow&Edit != 0), nil
	})
	whole("/api/types", func(url.Values) (any, error) { return typesPage(), nil })
	whole("/api/box", func(url.Values) (any, error) { return boxPage(i.box), nil })
	whole("/api/box/trace", func(f url.Values) (any, error) { return boxTrace(i.box, f.Get("id")) })
	whole("/api/box/timeline", func(f url.Values) (any, error) { return boxTimeline(i.box, f.Get("id")) })
	return m
}

// failed returns the reply with the text of an error.
func failed(status int, text string) Reply {
	return Reply{Status: status, Type: "text/plain; charset=utf-8", Data: []byte(text + "\n")}
}

// refuse returns the reply with an error.
func refuse(err error) Reply {
	status := 400
	var still *stillError
	var state *stateError
	var lost *missing
	switch {
	case errors.As(err, &still), errors.Is(err, errGone), errors.Is(err, errEnded), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		status = 503
	case errors.As(err, &lost), errors.Is(err, errClosed):
		status = 404
	case errors.As(err, &state), errors.Is(err, ecs.ErrState), errors.Is(err, ecs.ErrDisposed):
		status = 409
	}
	return failed(status, clip(err.Error(), 2000))
}

// replyWith returns the reply with an answer.
func replyWith(out any) Reply {
	if f, ok := out.(file); ok {
		return Reply{Status: 200, Type: f.kind, Name: f.name, Data: f.data}
	}
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(out); err != nil {
		return refuse(&stateError{"a number of the answer is none in JSON: " + err.Error()})
	}
	return Reply{Status: 200, Type: "application/json", Data: b.Bytes()}
}
