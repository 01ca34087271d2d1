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
	"strings"

	"github.com/lanewise/lanewise/ecs"
)

// Limits of requests.
const (
	maxBodyBytes  = 16 << 10
	maxQueryBytes = 8 << 10
)

// policy lets a page load its own script and style and connect to its own
// server, and forbids everything else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// tokenHeader is the header with the token.
const tokenHeader = "X-Lanewise-Token"

// routes returns the handler of all addresses.
func (i *Inspector) routes() *http.ServeMux {
	m := http.NewServeMux()
	m.HandleFunc("GET /", servePage)
	m.HandleFunc("GET /table/{name}", func(w http.ResponseWriter, r *http.Request) {
		i.guard(0, true, func(ctx context.Context, v *view, how url.Values) (any, error) {
			return tableNamed(ctx, v, i.tables, r.PathValue("name"), how)
		})(w, r)
	})
	whole := func(path string, f func(url.Values) (any, error)) {
		m.HandleFunc("GET "+path, i.guard(0, false, func(_ context.Context, _ *view, form url.Values) (any, error) { return f(form) }))
	}
	whole("/api/worlds", func(url.Values) (any, error) {
		return worldsPage(&i.views, i.allow&Control != 0, i.allow&Edit != 0), nil
	})
	whole("/api/types", func(url.Values) (any, error) { return typesPage(), nil })
	whole("/api/box", func(url.Values) (any, error) { return boxPage(i.box), nil })
	whole("/api/box/trace", func(f url.Values) (any, error) { return boxTrace(i.box, f.Get("id")) })
	whole("/api/box/timeline", func(f url.Values) (any, error) { return boxTimeline(i.box, f.Get("id")) })
	for _, p := range pages {
		if p.permission == 0 {
			m.HandleFunc("GET "+p.path, i.guard(0, true, p.answerAt))
			continue
		}
		m.HandleFunc("POST "+p.path, i.guard(p.permission, true, p.answer))
		m.HandleFunc("GET "+p.path, func(w http.ResponseWriter, _ *http.Request) { // without this, the root page would be the answer
			w.Header().Set("Allow", "POST")
			http.Error(w, "inspect: "+p.path+" changes something: POST it", http.StatusMethodNotAllowed)
		})
	}
	return m
}

// ServeHTTP serves the page at its root, and the data below the root.
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
	if len(r.URL.RawQuery) > maxQueryBytes {
		http.Error(w, fmt.Sprintf("inspect: the query is longer than %d bytes", maxQueryBytes), http.StatusRequestURITooLong)
		return
	}
	i.mux.ServeHTTP(w, r)
}

// mayName reports whether the inspector accepts requests to this host name.
// The check protects against DNS rebinding: another site may resolve its own
// host name to the loopback.
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

// guard checks the host, the token and the permission of a request, and writes
// its answer.
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
		r.Body = http.MaxBytesReader(w, r.Body, maxBodyBytes)
		if err := r.ParseForm(); err != nil {
			if _, large := errors.AsType[*http.MaxBytesError](err); large {
				http.Error(w, fmt.Sprintf("inspect: the body is longer than %d bytes", maxBodyBytes), http.StatusRequestEntityTooLarge)
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
		case i.requestSlots <- struct{}{}:
			defer func() { <-i.requestSlots }()
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

// refuse writes an error.
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

// write writes an answer. It encodes the whole answer first, so that an error
// can still change the status.
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
	_, _ = w.Write(b.Bytes()) // an error means that the client has gone
}
