//go:build !js

package inspect

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
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
	to, data := i.route(r.URL.Path)
	switch text, allowed := to.checkMethod(r.Method, r.URL.Path); {
	case text != "":
		h.Set("Allow", allowed)
		http.Error(w, text, http.StatusMethodNotAllowed)
	case data:
		i.serveRequest(w, r, to)
	default:
		servePage(w, r)
	}
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

// serveRequest checks the token of a request to a route, and writes the reply.
func (i *Inspector) serveRequest(w http.ResponseWriter, r *http.Request, to route) {
	if subtle.ConstantTimeCompare([]byte(r.Header.Get(tokenHeader)), []byte(i.token)) != 1 {
		http.Error(w, "inspect: the token is missing or wrong: open the address that the program printed", http.StatusForbidden)
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
	reply := i.answerRoute(r.Context(), to, r.Form)
	h := w.Header()
	h.Set("Content-Type", reply.Type)
	if reply.Name != "" {
		h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", reply.Name))
	}
	w.WriteHeader(reply.Status)
	_, _ = w.Write(reply.Data) // an error means that the client has gone
}
