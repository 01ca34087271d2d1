package inspect

import (
	"encoding/json"
	"fmt"
	"image/color"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs/profile"
)

// reader is one of many systems that iterate over many entities and do nothing.
type reader struct{ q *ecs.Query }

func (s *reader) Create(u *system.Setup) error {
	s.q = u.Query(ecs.Read[transform.Translation](), ecs.With[few]())
	return nil
}
func (*reader) Update(*system.Frame) error { return nil }

// newLargeWorld runs a large world with many systems until the benchmark ends.
func newLargeWorld(b *testing.B) *ecs.World {
	archetypes, chunks, systems := 1000, 10_000, 100
	if *full {
		archetypes, chunks, systems = 10_000, 100_000, 200
	}
	w, err := system.NewWorld("large", system.Only(system.Of[mover](), system.Of[waiter]()))
	if err != nil {
		b.Fatal(err)
	}
	for range systems {
		s, err := system.Create[reader](w)
		if err != nil {
			b.Fatal(err)
		}
		if err := system.GetOrCreate[system.Simulation](w).Add(s); err != nil {
			b.Fatal(err)
		}
	}
	crowd(w, archetypes, chunks)
	over, ended := make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		runtime.LockOSThread() // for threadTime
		for {
			select {
			case <-over:
				return
			default:
				_ = system.Update(w)
			}
		}
	}()
	b.Cleanup(func() {
		close(over)
		<-ended
		_ = w.Close()
	})
	return w
}

// holds records by how much the inspector delayed the owner, for each end of a frame at which it had
// work.
type holds struct {
	taking atomic.Bool
	held   []time.Duration
	cpu    []time.Duration // CPU time of the owner's thread, which other programs do not change
	at     time.Duration
	cpuAt  time.Duration
	end    func()
}

// hold measures the time from a hook that runs before all existing hooks to a hook that runs after
// them.
func hold(w *ecs.World) *holds {
	h := &holds{}
	h.end = system.OnEveryFrameEnd(func(b *system.FrameEnd) {
		if b.World != w || !h.taking.Load() || h.at == 0 {
			return
		}
		if took := profile.Clock() - h.at; took > 3*time.Microsecond { // finding no work takes less
			h.held, h.cpu = append(h.held, took), append(h.cpu, threadTime()-h.cpuAt)
		}
	})
	return h
}

// report prints the delays in microseconds.
func (h *holds) report(b *testing.B) {
	for _, c := range []struct {
		name string
		list []time.Duration
	}{{"", h.held}, {"cpu-", h.cpu}} {
		if slices.Sort(c.list); len(c.list) > 0 && c.list[len(c.list)-1] > 0 {
			b.ReportMetric(float64(c.list[len(c.list)/2])/1e3, c.name+"median-µs")
			b.ReportMetric(float64(c.list[len(c.list)*99/100])/1e3, c.name+"p99-µs")
		}
	}
}

// BenchmarkLook sends requests to a large world. It reports how long requests delayed the owner at
// the ends of frames. Compare the results with the case "Ask none", in which the owner only waits
// for the length of the budget: other programs on the machine delay both alike.
func BenchmarkLook(b *testing.B) {
	w := newLargeWorld(b)
	in := New(Token("secret"), Only(w))
	defer in.Close()
	for _, c := range [][]string{
		{"/api/none"}, {"/api/frame"}, {"/api/order"}, {"/api/archetypes"}, {"/api/archetypes", "from", "900"}, {"/api/entities", "q", "few"}, {"/api/entity", "id", "0:1"}, {"/api/journal"}, {"/api/memory"},
		{"/api/picture", "q", "few", "kind", "heat", "x", "transform.Translation.X", "y", "transform.Translation.Y"}, {"/api/watches", "watch", "sum transform.Translation.X", "watch", "count few"},
	} {
		b.Run("ask="+strings.TrimPrefix(c[0], "/api/"), func(b *testing.B) {
			v, err := in.pick(b.Context(), "")
			if err != nil {
				b.Fatal(err)
			}
			h := hold(w) // after the inspector's hook, which exists already
			defer h.end()
			_, _ = v.runBetween(b.Context(), "begin", func(*ownerSlice) (bool, error) {
				system.OnFrameEnd(w, func(*system.FrameEnd) { h.cpuAt = threadTime(); h.at = profile.Clock() })
				h.taking.Store(true)
				return false, nil
			})
			for b.Loop() {
				request(b, in, v, c)
			}
			_, _ = v.runBetween(b.Context(), "end", func(*ownerSlice) (bool, error) { h.taking.Store(false); return false, nil })
			_, _ = v.runBetween(b.Context(), "after", func(*ownerSlice) (bool, error) { return false, nil }) // the last end of a frame is over
			h.report(b)
		})
	}
}

// request sends one request.
func request(b *testing.B, in *Inspector, v *view, c []string) {
	if c[0] == "/api/none" {
		_, _ = v.runBetween(b.Context(), "none", func(l *ownerSlice) (bool, error) {
			for !l.isOver() {
			}
			return false, nil
		})
		return
	}
	r := httptest.NewRequest(http.MethodGet, "http://localhost"+c[0]+"?"+values(c[1:]).Encode(), nil)
	r.Header.Set(tokenHeader, "secret")
	rec := httptest.NewRecorder()
	in.ServeHTTP(rec, r)
	if rec.Code != 200 {
		b.Fatal(rec.Body)
	}
}

// TestEntityByIndex asks for an entity by its index, without its version, which is not 1.
func TestEntityByIndex(t *testing.T) {
	s := newStage(t, 3000)
	s.stop()
	first := s.w.Spawn(Health{}, ecs.Inactive{})
	if err := s.w.Destroy(first); err != nil {
		t.Fatal(err)
	}
	second := s.w.Spawn(Health{Points: 4}, ecs.Inactive{})
	if second.Index != first.Index || second.Version == first.Version {
		t.Fatalf("%v after %v", second, first)
	}
	s.run()
	if e := get[Entity](s, "/api/entity", "id", fmt.Sprint(second.Index)); e.ID != second.String() {
		t.Errorf("%s, want %v", e.ID, second)
	}
	s.wantError(404, "no entity with the index 9999999 exists", "GET", "/api/entity", "id", "9999999")
	s.wantError(400, "is no entity", "GET", "/api/entity", "id", "-1")
}

// TestFullColour checks that the fields of a colour have the number of the full colour.
func TestFullColour(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{color.NRGBA{1, 1, 0, 1}, `[{"name":"R","value":1,"full":255},{"name":"G","value":1,"full":255},{"name":"B","value":0,"full":255},{"name":"A","value":1,"full":255}]`},
		{color.NRGBA64{500, 1, 0, 1}, `[{"name":"R","value":500,"full":65535},{"name":"G","value":1,"full":65535},{"name":"B","value":0,"full":65535},{"name":"A","value":1,"full":65535}]`},
		{struct{ R, G, B, H float32 }{2.5, 1, 0, 9}, `[{"name":"R","value":2.5,"full":1},{"name":"G","value":1,"full":1},{"name":"B","value":0,"full":1},{"name":"H","value":9}]`},
		{struct{ R, G uint8 }{2, 1}, `[{"name":"R","value":2},{"name":"G","value":1}]`},
		{struct{ R, G, B string }{"r", "g", "b"}, `[{"name":"R","value":"r"},{"name":"G","value":"g"},{"name":"B","value":"b"}]`},
	} {
		if got, err := json.Marshal(show(reflect.ValueOf(c.value), nil)); string(got) != c.want || err != nil {
			t.Errorf("%T: %s, %v\nwant %s", c.value, got, err, c.want)
		}
	}
}
