package inspect

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// Limits of requests.
const (
	mostBody  = 16 << 10
	mostQuery = 8 << 10
)

// policy lets a page load its own script and style and ask its own server, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// tokenHeader bears the token.
const tokenHeader = "X-Lanewise-Token"

// missing is what there is not.
type missing struct{ text string }

func (e *missing) Error() string { return "inspect: " + e.text }

func notFound(text string) error { return &missing{text} }

// answer makes the data of a request: JSON, or a file if it is one.
type answer func(ctx context.Context, v *view, form url.Values) (any, error)

// file is an answer that is downloaded.
type file struct {
	name, kind string
	data       []byte
}

// routes is what there is to ask.
func (i *Inspector) routes() *http.ServeMux {
	m := http.NewServeMux()
	m.HandleFunc("GET /", servePage)
	i.tableRoute(m)
	own := func(f func(form url.Values) (any, error)) answer {
		return func(_ context.Context, _ *view, form url.Values) (any, error) { return f(form) }
	}
	whole := func(f func(url.Values) (any, error)) http.HandlerFunc { return i.guard(0, false, own(f)) }
	of := func(f answer) http.HandlerFunc { return i.guard(0, true, f) }
	may := func(p Permission, f answer) http.HandlerFunc { return i.guard(p, true, f) }

	m.HandleFunc("GET /api/worlds", whole(func(url.Values) (any, error) { return i.worldsPage(), nil }))
	m.HandleFunc("GET /api/types", whole(func(url.Values) (any, error) { return typesPage(), nil }))
	m.HandleFunc("GET /api/box", whole(func(url.Values) (any, error) { return i.boxPage(), nil }))
	m.HandleFunc("GET /api/box/trace", whole(func(f url.Values) (any, error) { return i.boxTrace(f.Get("id")) }))
	m.HandleFunc("GET /api/box/timeline", whole(func(f url.Values) (any, error) { return i.boxTimeline(f.Get("id")) }))
	m.HandleFunc("GET /api/frame", of(func(ctx context.Context, v *view, f url.Values) (any, error) {
		return v.framePage(ctx, uint64(count(f, "since", 0)))
	}))
	m.HandleFunc("GET /api/order", of(func(ctx context.Context, v *view, _ url.Values) (any, error) { return v.orderPage(ctx) }))
	m.HandleFunc("GET /api/archetypes", of(func(ctx context.Context, v *view, f url.Values) (any, error) {
		return v.archetypesPage(ctx, count(f, "from", 0), count(f, "limit", 40), count(f, "index", -1))
	}))
	m.HandleFunc("GET /api/entities", of(func(ctx context.Context, v *view, f url.Values) (any, error) {
		c, err := parse(f.Get("q"))
		if err != nil {
			return nil, err
		}
		return v.entitiesPage(ctx, c, count(f, "from", 0), count(f, "limit", 60))
	}))
	m.HandleFunc("GET /api/entity", of(func(ctx context.Context, v *view, f url.Values) (any, error) {
		e, err := parseEntity(f.Get("id"))
		if err != nil {
			return nil, err
		}
		return v.entityPage(ctx, e)
	}))
	m.HandleFunc("GET /api/picture", of(pictureOf))
	m.HandleFunc("GET /api/journal", of(func(ctx context.Context, v *view, f url.Values) (any, error) {
		return v.journalPage(ctx, uint64(count(f, "since", 0)))
	}))
	m.HandleFunc("GET /api/memory", of(func(ctx context.Context, v *view, _ url.Values) (any, error) { return v.memoryPage(ctx) }))
	m.HandleFunc("GET /api/loop", of(func(ctx context.Context, v *view, _ url.Values) (any, error) { return v.loopPage(ctx) }))
	m.HandleFunc("GET /api/watches", of(func(ctx context.Context, v *view, f url.Values) (any, error) {
		return v.watched(ctx, f["watch"], uint64(count(f, "since", 0)))
	}))
	m.HandleFunc("POST /api/control", may(Control, func(ctx context.Context, v *view, f url.Values) (any, error) {
		return v.control(ctx, f.Get("do"), f.Get("value"))
	}))
	m.HandleFunc("POST /api/system", may(Edit, func(ctx context.Context, v *view, f url.Values) (any, error) {
		on, err := strconv.ParseBool(f.Get("on"))
		if err != nil {
			return nil, fmt.Errorf("inspect: on is %q: write true or false", clip(f.Get("on"), 60))
		}
		return v.enable(ctx, f.Get("name"), on)
	}))
	m.HandleFunc("POST /api/set", may(Edit, func(ctx context.Context, v *view, f url.Values) (any, error) {
		e, err := parseEntity(f.Get("id"))
		if err != nil {
			return nil, err
		}
		return v.set(ctx, e, f.Get("component"), f.Get("field"), f.Get("value"))
	}))
	m.HandleFunc("POST /api/name", may(Edit, func(ctx context.Context, v *view, f url.Values) (any, error) {
		e, err := parseEntity(f.Get("id"))
		if err != nil {
			return nil, err
		}
		return v.name(ctx, e, f.Get("name"))
	}))
	for _, path := range []string{"/api/control", "/api/system", "/api/set", "/api/name"} { // else the page's own answer would come
		m.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Allow", "POST")
			http.Error(w, "inspect: "+path+" changes something: POST it", http.StatusMethodNotAllowed)
		})
	}
	return m
}

// pictureOf reads what a picture is to be of.
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
	var lanes []numbers
	for k, name := range []string{"x", "y", "c"} {
		text := f.Get(name)
		if text == "" && k >= need {
			continue
		}
		if text == "" || k > 0 && kind == "histogram" {
			return nil, fmt.Errorf("inspect: a %s has x%s", kind, map[int]string{1: " alone", 2: " and y, and perhaps c"}[need])
		}
		n, err := parseNumbers(text)
		if err != nil {
			return nil, err
		}
		lanes = append(lanes, n)
	}
	return v.picture(ctx, c, kind, lanes)
}

// count reads a number that is not negative.
func count(f url.Values, name string, otherwise int) int {
	n, err := strconv.Atoi(f.Get(name))
	if err != nil || n < 0 {
		return otherwise
	}
	return n
}

// ServeHTTP serves the page at its root, and the data below it.
func (i *Inspector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Content-Security-Policy", policy)
	if !i.mayName(r.Host) {
		http.Error(w, "inspect: this host is not one of the loopback: open the address that the program printed, or name it with inspect.Hosts", http.StatusMisdirectedRequest)
		return
	}
	if len(r.URL.RawQuery) > mostQuery {
		http.Error(w, fmt.Sprintf("inspect: the query is longer than %d bytes", mostQuery), http.StatusRequestURITooLong)
		return
	}
	i.mux.ServeHTTP(w, r)
}

// mayName reports whether a request may name this host.
func (i *Inspector) mayName(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if slices.ContainsFunc(i.hosts, func(h string) bool { return strings.EqualFold(h, host) }) {
		return true
	}
	return isLoopback(host)
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// guard lets those ask who may, and writes what they get. Those who change something must be
// allowed to.
func (i *Inspector) guard(need Permission, world bool, f answer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get(tokenHeader)), []byte(i.token)) != 1 {
			http.Error(w, "inspect: the token is missing or wrong: open the address that the program printed", http.StatusForbidden)
			return
		}
		if i.allow&need != need {
			http.Error(w, "inspect: the program does not allow that: see inspect.Allow", http.StatusForbidden)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, mostBody)
		if err := r.ParseForm(); err != nil {
			if _, large := errors.AsType[*http.MaxBytesError](err); large {
				http.Error(w, fmt.Sprintf("inspect: the body is longer than %d bytes", mostBody), http.StatusRequestEntityTooLarge)
				return
			}
			http.Error(w, "inspect: the request cannot be read: "+clip(err.Error(), 200), http.StatusBadRequest)
			return
		}
		if i.closed.Load() {
			refuse(w, errEnded)
			return
		}
		select {
		case i.seats <- struct{}{}:
			defer func() { <-i.seats }()
		default:
			refuse(w, &stillError{fmt.Sprintf("inspect: %d requests are being answered already", maxRequests)})
			return
		}
		var v *view
		var err error
		if world {
			v, err = i.pick(r.Context(), r.Form.Get("w"))
		}
		var out any
		if err == nil {
			out, err = f(r.Context(), v, r.Form)
		}
		if err != nil {
			refuse(w, err)
			return
		}
		write(w, out)
	}
}

// refuse says what was wrong.
func refuse(w http.ResponseWriter, err error) {
	code := http.StatusBadRequest
	var still *stillError
	var state *stateError
	var lost *missing
	switch {
	case errors.As(err, &still), errors.Is(err, errGone), errors.Is(err, errEnded), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		code = http.StatusServiceUnavailable
	case errors.As(err, &lost), errors.Is(err, errClosed):
		code = http.StatusNotFound
	case errors.As(err, &state), errors.Is(err, ecs.ErrState), errors.Is(err, ecs.ErrDisposed):
		code = http.StatusConflict
	}
	http.Error(w, clip(err.Error(), 2000), code)
}

// write writes an answer, which is complete before anything is sent: the owner of the world has
// done with it long ago.
func write(w http.ResponseWriter, out any) {
	if f, ok := out.(file); ok {
		w.Header().Set("Content-Type", f.kind)
		w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", f.name))
		_, _ = w.Write(f.data)
		return
	}
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(out); err != nil {
		refuse(w, &stateError{"a number of the answer is none in JSON: " + err.Error()})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(b.Bytes()) // whom it does not reach has gone
}

// control pauses, steps and slows a world.
func (v *view) control(ctx context.Context, do, value string) (*Controlled, error) {
	number := func(least, most float64) (float64, error) {
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || !(x >= least && x <= most) {
			return 0, fmt.Errorf("inspect: %s: value is %q, want a number from %v to %v", clip(do, 20), clip(value, 60), least, most)
		}
		return x, nil
	}
	scale := -1.0
	switch do {
	case "pause":
		v.paused.Store(true)
	case "resume":
		v.steps.Store(0)
		v.paused.Store(false)
	case "step":
		n := 1.0
		if value != "" {
			var err error
			if n, err = number(1, 100_000); err != nil {
				return nil, err
			}
		}
		v.steps.Add(int64(n))
		v.paused.Store(true)
	case "pace":
		hz, err := number(0, 1000)
		if err != nil {
			return nil, err
		}
		if hz > 0 {
			v.pace.Store(int64(min(float64(time.Second)/hz, float64(10*time.Second))))
		} else {
			v.pace.Store(0)
		}
	case "scale":
		var err error
		if scale, err = number(0, 100); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("inspect: do is %q: there are pause, resume, step, pace and scale", clip(do, 60))
	}
	v.in.poke()
	out := &Controlled{}
	_, err := v.at(ctx, "control", func(*look) (bool, error) {
		clock := system.ClockOf(v.world)
		if scale >= 0 {
			clock.SetScale(scale)
		}
		out.Frame, out.Scale = v.number.Load(), clock.Scale()
		return false, nil
	})
	out.Paused, out.Steps = v.paused.Load(), v.steps.Load()
	if p := v.pace.Load(); p > 0 {
		out.Pace = float64(time.Second) / float64(p)
	}
	return out, err
}
