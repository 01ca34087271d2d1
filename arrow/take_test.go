package arrow

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/inspect"
)

// Clock is a number that grows by one each frame, equally in all rows.
type Clock int64

func (Clock) Column() (c []Clock) { return }

// TestEndpoint checks that the inspector serves tables that belong to a single frame while the world
// runs.
func TestEndpoint(t *testing.T) {
	w, err := system.NewWorld("ticking", system.Only())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.Create(w.Archetype(ecs.With[Clock](), ecs.With[Position]()), 3000)
	w.Spawn(Clock(0), Frozen{}, Position{})
	in := inspect.New(inspect.Only(w), inspect.Token("secret"), inspect.Tables("arrow", MediaType, Take))
	defer in.Close()
	server := httptest.NewServer(in)
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	q := w.Query(ecs.Write[Clock]())
	done := make(chan error, 1)
	go func() {
		for ctx.Err() == nil {
			for c := range q.Chunks() {
				for i := range *ecs.Column[Clock](c) {
					(*ecs.Column[Clock](c))[i]++
				}
			}
			if err := system.Update(w); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	get := func(path, token string) (int, http.Header, []byte) {
		r, _ := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+path, nil)
		r.Header.Set("X-Lanewise-Token", token)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, resp.Header, b
	}
	last := Clock(-1)
	for range 3 {
		code, h, b := get("/table/Clock,%3FVelocity,-Frozen.arrow?frame=one", "secret")
		if code != 200 || h.Get("Content-Type") != MediaType {
			t.Fatalf("%d %v %s", code, h, b)
		}
		r, err := ipc.NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		var now Clock
		for r.Next() {
			for i, v := range r.RecordBatch().Column(1).(*array.Int64).Int64Values() {
				if rows+i == 0 {
					now = Clock(v)
				} else if Clock(v) != now {
					t.Fatalf("row %d is of frame %d, row 0 of %d", rows+i, v, now)
				}
			}
			rows += int(r.RecordBatch().NumRows())
		}
		if rows != 3000 || now <= last {
			t.Errorf("%d rows of frame %d, after frame %d", rows, now, last)
		}
		last = now
	}
	for _, c := range []struct {
		path, token string
		code        int
		want        string
	}{
		{"/table/Clock.arrow", "", 403, "token"},
		{"/table/Clock.arrow", "wrong", 403, "token"},
		{"/table/Clock.csv", "secret", 404, ".arrow"},
		{"/table/Nobody.arrow", "secret", 400, "Nobody"},
		{"/table/Clock,Clock.arrow", "secret", 400, "Clock"},
		{"/table/-Clock.arrow?w=none", "secret", 404, "none"},
		{"/table/??Clock.arrow", "secret", 400, "one ? or -"},
		{"/table/" + strings.Repeat("Clock,", 40) + "Clock.arrow", "secret", 400, "32 are the most"},
	} {
		if code, _, b := get(strings.ReplaceAll(c.path, "??", "%3F%3F"), c.token); code != c.code || !strings.Contains(string(b), c.want) {
			t.Errorf("%s: %d %s, want %d and %q", c.path, code, b, c.code, c.want)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestTake checks that components that cannot form a table are an error. It also checks that a
// copied table no longer depends on the world.
func TestTake(t *testing.T) {
	w := newMovingWorld(t, 10)
	for _, terms := range [][]ecs.Term{{ecs.Read[Notes]()}, {ecs.Read[Position](), ecs.Without[Position]()}} {
		piece, _, err := Take(w, terms...)
		if err == nil {
			_, err = piece(func() bool { return false })
		}
		if err == nil {
			t.Errorf("%v is a table", terms)
		}
	}
	piece, write, err := Take(w, moving...)
	if err != nil {
		t.Fatal(err)
	}
	if more, err := piece(func() bool { return false }); more || err != nil {
		t.Fatal(more, err)
	}
	if err := ecs.DestroyAll(w, ecs.Matching(w.Query(moving...))); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	to := newWorld(t)
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(to, &b, moving...); err != nil || to.Len() != 10 {
		t.Errorf("%d rows: %v", to.Len(), err)
	}
	many := newWorld(t)
	many.Create(many.Archetype(ecs.With[Frozen]()), MostTaken+1)
	if piece, _, err = Take(many, ecs.With[Frozen]()); err == nil {
		_, err = piece(func() bool { return false })
	}
	if err == nil || !strings.Contains(err.Error(), "4194305 rows") {
		t.Errorf("a large table: %v", err)
	}
}

// TestPieces copies a table chunk by chunk while entities are created and destroyed. Each row must
// appear once, with its current values.
func TestPieces(t *testing.T) {
	for _, c := range []struct {
		name   string
		at     []int // the pieces before which one entity is destroyed and one is created
		pieces func(chunks int) int
	}{
		{"still", nil, func(chunks int) int { return chunks }},
		{"once", []int{3}, func(chunks int) int { return 3 + chunks }},
		{"always", []int{1, 2, 3, 4, 5, 6}, func(int) int { return 3 }}, // the third attempt copies everything at once
	} {
		w := newMovingWorld(t, 5000)
		q := w.Query(moving...)
		piece, write, err := Take(w, moving...)
		if err != nil {
			t.Fatal(err)
		}
		pieces := 0
		for more := true; more; pieces++ {
			if slices.Contains(c.at, pieces) {
				var first ecs.Entity
				for ch := range q.Chunks() {
					first = ch.Entities()[0]
					break
				}
				if err := w.Destroy(first); err != nil {
					t.Fatal(err)
				}
				w.Create(w.Archetype(ecs.With[Position](), ecs.With[Velocity]()), 1)
			}
			if more, err = piece(func() bool { return true }); err != nil {
				t.Fatal(err)
			}
		}
		if want := c.pieces(q.ChunkCount()); pieces != want || q.ChunkCount() < 6 {
			t.Errorf("%s: %d pieces of %d chunks, want %d", c.name, pieces, q.ChunkCount(), want)
		}
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		r, err := ipc.NewReader(&b)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[ecs.Entity]bool{}
		for r.Next() {
			for _, id := range r.RecordBatch().Column(0).(*array.Int64).Int64Values() {
				seen[EntityOf(id)] = true
			}
		}
		missing := q.Count()
		for ch := range q.Chunks() {
			for _, e := range ch.Entities() {
				if seen[e] {
					missing--
				}
			}
		}
		if missing != 0 || len(seen) != q.Count() {
			t.Errorf("%s: %d rows of %d, %d are missing", c.name, len(seen), q.Count(), missing)
		}
	}
}
