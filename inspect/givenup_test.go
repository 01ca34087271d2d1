package inspect

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs/system"
)

// Conformance: 480. A client that reads slowly, or not at all, does not delay other clients.
func TestSlowClient(t *testing.T) {
	s := newStage(t, 30_000)
	addr := s.server.Listener.Addr().String()
	var conns []net.Conn
	for range 8 {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, c)
		fmt.Fprintf(c, "GET /api/entities?limit=200 HTTP/1.1\r\nHost: localhost\r\n%s: secret\r\n\r\n", tokenHeader)
	}
	time.Sleep(20 * time.Millisecond)
	begin := time.Now()
	s.awaitFrames(100) // the client does not read them
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("100 frames took %v", took)
	}
	for _, c := range conns {
		c.Close()
	}
}

// TestGivenUp checks that a cancelled request does not use its buffers, because the owner of the world
// may still write into them.
func TestGivenUp(t *testing.T) {
	w, err := system.NewWorld("still")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	i := New(Only(w))
	defer i.Close()
	v := newView(&i.views, w) // its owner never calls
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, ask := range map[string]func() (any, error){
		"archetypes": func() (any, error) {
			used, _, err := weigh(ctx, v, &Archetypes{}, -1)
			return len(used), err
		},
		"journal": func() (any, error) {
			j, err := journalPage(ctx, v, 0)
			return j == nil, err
		},
		"watches": func() (any, error) {
			w, err := watchesPage(ctx, v, []string{"count !Health"}, 0)
			return w == nil, err
		},
	} {
		if got, err := ask(); !errors.Is(err, context.Canceled) || got != 0 && got != true {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if n := v.capacities.archetypes.Load(); n != 0 {
		t.Errorf("room for %d archetypes, of which the owner has not told", n)
	}
}

// TestGivenUpInTheMidst checks that a request that gives up does not touch its data while the owner
// may still write them. Under the race detector, a violation fails the test.
func TestGivenUpInTheMidst(t *testing.T) {
	for name, ask := range map[string]func(v *view, ctx context.Context) error{
		"archetypes": func(v *view, ctx context.Context) error {
			_, _, err := weigh(ctx, v, &Archetypes{}, -1)
			return err
		},
		"systems": func(v *view, ctx context.Context) error {
			_, _, _, err := rosterOf(ctx, v)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each waits until the request's timeout
			w, err := system.NewWorld("slow " + name)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			w.Spawn(Health{1})
			i := New(Only(w))
			defer i.Close()
			v := newView(&i.views, w)
			ctx, cancel := context.WithCancel(t.Context())
			given := make(chan error)
			go func() { given <- ask(v, ctx) }()
			a := <-v.asks.asked
			a.state.Store(running)
			cancel()
			for {
				_, _ = a.step(v.sliceUntil(0))
				select {
				case err := <-given:
					if err == nil || !strings.Contains(err.Error(), "does not come back") {
						t.Error(err)
					}
					return
				case <-time.After(time.Millisecond):
				}
			}
		})
	}
}
