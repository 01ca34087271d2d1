package inspect

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// Conformance: 451.
func TestForeignHost(t *testing.T) {
	i := New(Token("secret"), Hosts("My.Lan"))
	defer i.Close()
	for host, want := range map[string]int{
		"localhost": 200, "localhost:6060": 200, "LOCALHOST.:1": 200, "127.0.0.1": 200, "127.8.9.1:80": 200, "[::1]:80": 200, "[::1]": 200, "my.lan:90": 200,
		"example.org": 421, "localhost.example.org": 421, "192.168.1.2:6060": 421, "[2001:db8::1]": 421, "0.0.0.0": 421, "": 421, "127.0.0.1.example.org": 421, "a b": 421, "localhost:1:2": 421,
	} {
		for _, path := range []string{"/", "/main.js", "/api/worlds", "/nowhere"} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Host = host
			r.Header.Set(tokenHeader, "secret")
			w := httptest.NewRecorder()
			i.ServeHTTP(w, r)
			if got := w.Code; got != want && !(want == 200 && path == "/nowhere" && got == 404) {
				t.Errorf("host %q, path %s: %d, want %d", host, path, got, want)
			}
		}
	}
}

// asking lists the paths that return data, with their parameters. changing lists the paths that change
// something.
var (
	asking = [][]string{
		{"/api/worlds"}, {"/api/types"}, {"/api/frame"}, {"/api/order"}, {"/api/archetypes"}, {"/api/entities"}, {"/api/entities", "q", "Speed", "when", "Speed.Y < 3"}, {"/api/children", "id", "0:1"}, {"/api/entity", "id", "0:1"},
		{"/api/picture", "kind", "histogram", "x", "transform.Translation.X"}, {"/api/journal"}, {"/api/memory"}, {"/api/loop"}, {"/api/watches", "watch", "count"}, {"/api/box"},
	}
	changing = [][]string{
		{"/api/control", "do", "pause"}, {"/api/system", "name", "inspect.mover", "on", "false"}, {"/api/set", "id", "0:1", "component", "Health", "field", "Points", "value", "3"},
		{"/api/name", "id", "0:1", "name", "villain"}, {"/api/spawn", "id", "0:1"}, {"/api/undo"}, {"/api/redo"},
		{"/api/add", "id", "0:1", "component", "Speed"}, {"/api/remove", "id", "0:1", "component", "Speed"}, {"/api/enable", "id", "0:1", "component", "Asleep", "on", "false"}, {"/api/enable", "id", "0:1", "on", "false"},
		{"/api/parent", "id", "0:1", "parent", ""}, {"/api/destroy", "id", "0:1"},
	}
)

// Conformance: 453. A request without the token gets no data.
func TestWhoMayAsk(t *testing.T) {
	s := newStage(t, 10)
	for _, c := range asking {
		for _, token := range []string{"", "secre", "secret2", "SECRET", "Secret\x00"} {
			code, body, _ := s.do("GET", c[0], values(c[1:]), func(r *http.Request) { r.Header[tokenHeader] = []string{strings.Trim(token, "\x00")} })
			if code != 403 || !strings.Contains(body, "token") {
				t.Errorf("%s with token %q: %d %s", c[0], token, code, body)
			}
		}
		if code, body, _ := s.do("GET", c[0], values(c[1:])); code != 200 {
			t.Errorf("%s: %d %s", c[0], code, body)
		}
		if code, _, _ := s.do("POST", c[0], values(c[1:])); code != 405 {
			t.Errorf("POST %s: %d", c[0], code)
		}
	}
	for _, c := range changing {
		s.wantError(403, "does not allow", "POST", c[0], c[1:]...)
		if code, _, _ := s.do("GET", c[0], values(c[1:])); code != 405 {
			t.Errorf("GET %s: %d", c[0], code)
		}
	}
	if w := get[Worlds](s, "/api/worlds"); w.Control || w.Edit || w.Worlds[0].Paused {
		t.Errorf("%+v", w)
	}
	// A token in the query must not be accepted, because URLs end up in logs.
	code, _, _ := s.do("GET", "/api/worlds", values([]string{"token", "secret", tokenHeader, "secret"}), func(r *http.Request) { r.Header.Del(tokenHeader) })
	if code != 403 {
		t.Errorf("the token in the query: %d", code)
	}
}

// TestPermissions checks that Control does not permit editing, and that Edit does not permit control.
func TestPermissions(t *testing.T) {
	for _, p := range []Permission{Control, Edit, Control | Edit} {
		s := newStage(t, 10, Allow(p))
		for k, c := range changing {
			need := Edit
			if k == 0 {
				need = Control
			}
			want := 403
			if p&need != 0 {
				want = 200
			}
			if code, body, _ := s.do("POST", c[0], values(c[1:])); code != want {
				t.Errorf("%d: %s: %d %s, want %d", p, c[0], code, body, want)
			}
		}
		if w := get[Worlds](s, "/api/worlds"); w.Control != (p&Control != 0) || w.Edit != (p&Edit != 0) {
			t.Errorf("%+v", w)
		}
		s.server.Close()
		s.in.Close()
		s.end()
	}
}

// Conformance: 454.
func TestForeignOrigin(t *testing.T) {
	s := newStage(t, 10, Allow(Control|Edit))
	foreign := func(r *http.Request) {
		r.Header.Set("Origin", "https://example.org")
		r.Header.Set("Access-Control-Request-Method", "POST")
		r.Header.Set("Access-Control-Request-Headers", tokenHeader)
	}
	for _, c := range append(append([][]string{{"/"}, {"/main.js"}}, asking...), changing...) {
		for _, method := range []string{"OPTIONS", "GET", "POST", "HEAD"} {
			code, _, h := s.do(method, c[0], values(c[1:]), foreign)
			for name := range h {
				if strings.HasPrefix(name, "Access-Control") {
					t.Errorf("%s %s: %s: %s", method, c[0], name, h.Get(name))
				}
			}
			if method == "OPTIONS" && code != 405 {
				t.Errorf("preflight of %s: %d", c[0], code)
			}
			if got := h.Get("Content-Security-Policy"); got != policy || strings.Contains(got, "unsafe") || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || h.Get("Cross-Origin-Resource-Policy") != "same-origin" || h.Get("Cache-Control") != "no-store" {
				t.Errorf("%s %s: headers %v", method, c[0], h)
			}
		}
	}
}

// Conformance: 455. Serve listens only on the loopback. For other addresses, it returns an error with the reason.
func TestServeRefuses(t *testing.T) {
	for addr, want := range map[string]string{
		":6060": "open to others", "0.0.0.0:0": "open to others", "[::]:0": "open to others", "192.0.2.1:0": "open to others",
		"example.org:80": "open to others", "localhost": "not host:port", "": "not host:port", "localhost:99999999": "invalid port",
	} {
		var out bytes.Buffer
		err := Serve(t.Context(), addr, &out)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(out.String(), want) || !strings.HasPrefix(err.Error(), "inspect: ") {
			t.Errorf("%q: error %v, said %q, want %q", addr, err, &out, want)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := Serve(t.Context(), l.Addr().String(), io.Discard); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a port that is taken: %v", err)
	}
}

// TestServe checks that Serve prints its address, answers requests, and returns when its context ends.
func TestServe(t *testing.T) {
	for _, addr := range []string{"localhost:0", "127.0.0.1:0"} {
		ctx, cancel := context.WithCancel(t.Context())
		r, w := io.Pipe()
		ended := make(chan error)
		go func() { ended <- Serve(ctx, addr, w, Token("s")) }()
		line := make([]byte, 200)
		n, err := r.Read(line)
		if err != nil {
			t.Fatal(err)
		}
		text := string(line[:n])
		at, ok := strings.CutPrefix(strings.TrimSpace(text), "inspect: open ")
		u, err := url.Parse(at)
		if !ok || err != nil || u.Fragment != "s" {
			t.Fatalf("said %q", text)
		}
		u.Fragment = ""
		resp, err := http.Get(u.String())
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", at, resp.Status)
		}
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(2 * time.Minute):
			t.Fatal("Serve does not end")
		}
		if _, err := http.Get(u.String()); err == nil {
			t.Error("it is still served")
		}
	}
}

// TestURL checks that the printed address can be opened, even if the server listens on all interfaces.
func TestURL(t *testing.T) {
	i := New(Token("a-b_c"))
	defer i.Close()
	for addr, want := range map[string]string{
		"127.0.0.1:80": "http://127.0.0.1:80/#a-b_c", "[::1]:80": "http://[::1]:80/#a-b_c", ":80": "http://localhost:80/#a-b_c", "0.0.0.0:80": "http://localhost:80/#a-b_c", "localhost": "http://localhost:80/#a-b_c",
	} {
		if got := i.URL(addr); got != want {
			t.Errorf("%q: %s", addr, got)
		}
	}
	one, two := New(), New()
	defer one.Close()
	defer two.Close()
	if len(one.token) != 24 || one.token == two.token {
		t.Errorf("tokens %q and %q", one.token, two.token)
	}
}

// Conformance: 456.
func TestLimits(t *testing.T) {
	s := newStage(t, 10, Allow(Control|Edit))
	s.wantError(413, "16384 bytes", "POST", "/api/name", "id", "0:1", "name", strings.Repeat("x", maxBodyBytes))
	s.wantError(200, "", "POST", "/api/name", "id", "0:1", "name", strings.Repeat("x", maxBodyBytes-1000))
	s.wantError(414, "8192 bytes", "GET", "/api/entities", "q", strings.Repeat("x", maxQueryBytes))
	s.wantError(400, "64", "GET", "/api/entities", "q", strings.Repeat("Health ", 70))
	if name := get[Entity](s, "/api/entity", "id", "0:1").Name; len(name) > 210 {
		t.Errorf("a name of %d bytes", len(name))
	}
	code, body, _ := s.do("POST", "/api/control", nil, func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("do=%zz")) })
	if code != 400 {
		t.Errorf("a form that is none: %d %s", code, body)
	}
	// Use up all parallel requests.
	for range maxRequests {
		s.in.requestSlots <- struct{}{}
	}
	s.wantError(503, "are being answered already", "GET", "/api/worlds")
	for range maxRequests {
		<-s.in.requestSlots
	}
	s.wantError(200, "", "GET", "/api/worlds")
}
