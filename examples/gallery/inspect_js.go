//go:build inspector

package main

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"syscall/js"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/inspect"
)

// A watcher answers the requests of the inspector's page.
type watcher struct {
	stage     *stage
	world     *ecs.World
	inspector *inspect.Inspector // of the world; nil before the first request
}

// init adds the function of the program with the inspector. gallery.js loads this program when a visitor opens the inspector.
func init() {
	more = func(s *stage) map[string]any {
		w := &watcher{stage: s}
		return map[string]any{"inspect": s.ran(w.inspect)}
	}
}

// inspect answers a request. The arguments are its method, and its path with the query or with the form that it posts. JavaScript
// calls it between two ticks, so the worlds wait.
func (w *watcher) inspect(args []js.Value) (any, error) {
	world := w.stage.run.Simulation.World()
	if world == nil {
		return nil, errors.New("the exhibit has no world")
	}
	if world != w.world {
		if w.inspector != nil {
			_ = w.inspector.Close() // always nil
		}
		system.WorldID(world) // an inspector shows only worlds that package system knows
		w.world, w.inspector = world, inspect.New(inspect.Only(world))
	}
	path, query, _ := strings.Cut(args[1].String(), "?")
	form, err := url.ParseQuery(query)
	if err != nil {
		return nil, err
	}
	r := w.inspector.Answer(context.Background(), inspect.Request{Method: args[0].String(), Path: path, Form: form, Owner: true})
	data := js.Global().Get("Uint8Array").New(len(r.Data))
	js.CopyBytesToJS(data, r.Data)
	return map[string]any{"status": r.Status, "type": r.Type, "data": data}, nil
}
