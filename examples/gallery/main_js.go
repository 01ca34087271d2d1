package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"syscall/js"

	"github.com/lanewise/lanewise/examples/gallery/exhibit"
	"github.com/lanewise/lanewise/kernels"
)

// A stage holds the run that a worker of the page computes.
type stage struct {
	run    *exhibit.Run
	canvas exhibit.Canvas
}

// more returns further functions of the program. The program with the inspector replaces it.
var more = func(*stage) map[string]any { return nil }

// main gives the worker its functions as properties of the global object lanewise, and waits for calls.
func main() {
	s := &stage{}
	functions := map[string]any{
		"exhibits": js.FuncOf(func(js.Value, []js.Value) any { return list() }),
		"open":     function(s.open),
		"advance":  s.ran(s.advance),
		"set":      s.ran(s.set),
		"draw":     s.ran(s.draw),
		"save":     s.ran(s.save),
		"load":     function(s.load),
		"hash":     s.ran(func([]js.Value) (any, error) { return fmt.Sprintf("%016x", s.run.Hash()), nil }),
		"link":     s.ran(func([]js.Value) (any, error) { return s.run.Link(), nil }),
	}
	maps.Copy(functions, more(s))
	js.Global().Set("lanewise", functions)
	select {}
}

// ran makes a JavaScript function of a Go function that needs a run.
func (s *stage) ran(f func(args []js.Value) (any, error)) js.Func {
	return function(func(args []js.Value) (any, error) {
		if s.run == nil {
			return nil, errors.New("no exhibit is open")
		}
		return f(args)
	})
}

// function makes a JavaScript function of a Go function. An error becomes an object with the property
// error.
func function(f func(args []js.Value) (any, error)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		result, err := f(args)
		if err != nil {
			return map[string]any{"error": err.Error()}
		}
		return result
	})
}

// list describes all exhibits.
func list() any {
	var all []any
	for _, e := range exhibit.All() {
		var params []any
		for _, p := range e.Params {
			params = append(params, map[string]any{"name": p.Name, "label": p.Label, "min": p.Min, "max": p.Max, "step": p.Step, "value": p.Default, "live": p.Live})
		}
		all = append(all, map[string]any{
			"name": e.Name, "title": e.Title, "text": e.Text, "source": e.Source, "params": params,
			"checked": e.Checked, "golden": fmt.Sprintf("%016x", e.Golden),
			"perFrame": e.PerFrame, "look": string(e.Look), "world": e.World,
		})
	}
	return map[string]any{"exhibits": all, "path": kernels.Path(), "maxTick": exhibit.MaxTick}
}

// open ends the last run, and starts the run that a link describes.
func (s *stage) open(args []js.Value) (any, error) {
	run, tick, err := exhibit.Open(args[0].String(), nil)
	if err != nil {
		return nil, err
	}
	s.replace(run)
	return map[string]any{"name": run.Name, "tick": tick}, nil
}

func (s *stage) replace(run *exhibit.Run) {
	if s.run != nil {
		s.run.Close()
	}
	s.run = run
}

// save returns the bytes of a file.
func (s *stage) save([]js.Value) (any, error) {
	var file bytes.Buffer
	if err := s.run.Save(&file); err != nil {
		return nil, err
	}
	array := js.Global().Get("Uint8Array").New(file.Len())
	js.CopyBytesToJS(array, file.Bytes())
	return array, nil
}

// load starts the run that a file holds.
func (s *stage) load(args []js.Value) (any, error) {
	file := make([]byte, args[0].Length())
	js.CopyBytesToGo(file, args[0])
	run, err := exhibit.Load(bytes.NewReader(file), nil)
	if err != nil {
		return nil, err
	}
	s.replace(run)
	return map[string]any{"name": run.Name, "tick": run.Tick}, nil
}

// advance computes ticks.
func (s *stage) advance(args []js.Value) (any, error) {
	return nil, s.run.Advance(args[0].Int())
}

// set changes a parameter.
func (s *stage) set(args []js.Value) (any, error) {
	s.run.Set(args[0].Int(), args[1].Float())
	return nil, nil
}

// draw draws the current state, and copies the picture to an array of bytes if it is large enough. The
// second argument is the aspect of the picture.
func (s *stage) draw(args []js.Value) (any, error) {
	c := &s.canvas
	c.Reset()
	c.Aspect = float32(args[1].Float())
	s.run.Simulation.Draw(c, s.run.Tick)
	if args[0].Length() >= len(c.Bytes) {
		js.CopyBytesToJS(args[0], c.Bytes)
	}
	var values []any
	for _, v := range s.run.Values {
		values = append(values, v)
	}
	return map[string]any{
		"bytes": len(c.Bytes), "width": c.Width, "height": c.Height,
		"tick": s.run.Tick, "entities": s.run.Simulation.Len(), "note": s.run.Simulation.Note(), "values": values,
	}, nil
}
