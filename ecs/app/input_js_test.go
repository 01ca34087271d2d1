package app_test

import (
	"syscall/js"
	"testing"

	"github.com/lanewise/lanewise/ecs/app"
)

// TestListen sends events as a browser does, and checks the states of the frames between them.
func TestListen(t *testing.T) {
	global, canvas := js.Global(), js.Global().Get("EventTarget").New()
	if listen := global.Get("addEventListener"); listen.IsUndefined() { // node
		window := js.Global().Get("EventTarget").New()
		for _, name := range []string{"addEventListener", "removeEventListener", "dispatchEvent"} {
			global.Set(name, window.Get(name).Call("bind", window))
			defer global.Delete(name)
		}
	}
	for _, name := range []string{"focus", "setPointerCapture"} {
		canvas.Set(name, js.Global().Get("Function").New())
	}
	canvas.Set("clientWidth", 300)
	canvas.Set("clientHeight", 150)
	// send sends an event, and reports whether the browser does nothing of its own for it.
	send := func(to js.Value, name string, properties map[string]any) bool {
		e := global.Get("Event").New(name, map[string]any{"cancelable": true})
		for k, v := range properties { //lanewise:inexact each property is set once
			global.Get("Object").Call("defineProperty", e, k, map[string]any{"value": v})
		}
		to.Call("dispatchEvent", e)
		return e.Get("defaultPrevented").Bool()
	}
	d := app.Listen(canvas)
	field, button := map[string]any{"tagName": "INPUT"}, map[string]any{"tagName": "BUTTON"}
	for _, step := range []struct {
		what, name string
		properties map[string]any
		prevented  bool
		want       app.Input
	}{
		{"a letter", "keydown", map[string]any{"code": "KeyW"}, true, app.Input{Keys: keys('W')}},
		{"a letter with Ctrl", "keydown", map[string]any{"code": "KeyR", "ctrlKey": true}, false, app.Input{Keys: keys('W')}},
		{"a letter in a field", "keydown", map[string]any{"code": "KeyR", "target": field}, false, app.Input{Keys: keys('W')}},
		{"it is released", "keyup", map[string]any{"code": "KeyR", "target": field}, false, app.Input{Keys: keys('W')}},
		{"Space on a checkbox", "keydown", map[string]any{"code": "Space", "target": field}, false, app.Input{Keys: keys('W')}},
		{"it is released, so the checkbox changes", "keyup", map[string]any{"code": "Space", "target": field}, false, app.Input{Keys: keys('W')}},
		{"Space on a button", "keydown", map[string]any{"code": "Space", "target": button}, false, app.Input{Keys: keys('W')}},
		{"it is released, so the button is pressed", "keyup", map[string]any{"code": "Space", "target": button}, false, app.Input{Keys: keys('W')}},
		{"a letter on a button", "keydown", map[string]any{"code": "KeyA", "target": button}, true, app.Input{Keys: keys('W', 'A')}},
		{"it is released in a field", "keyup", map[string]any{"code": "KeyA", "target": field}, true, app.Input{Keys: keys('W')}},
		{"another key", "keydown", map[string]any{"code": "F5"}, false, app.Input{Keys: keys('W')}},
		{"an arrow", "keydown", map[string]any{"code": "ArrowLeft"}, true, app.Input{Keys: keys('W', app.KeyLeft)}},
		{"a digit", "keydown", map[string]any{"code": "Digit7"}, true, app.Input{Keys: keys('W', app.KeyLeft, '7')}},
		{"the letter is released with Ctrl", "keyup", map[string]any{"code": "KeyW", "ctrlKey": true}, true, app.Input{Keys: keys(app.KeyLeft, '7')}},
		{"the pointer", "pointerdown", map[string]any{"offsetX": 12.5, "offsetY": 20, "buttons": 1}, false, app.Input{X: 12.5, Y: 20, Pressed: true, Keys: keys(app.KeyLeft, '7')}},
		{"the wheel", "wheel", map[string]any{"deltaY": -150}, false, app.Input{X: 12.5, Y: 20, Wheel: 1.5, Pressed: true, Keys: keys(app.KeyLeft, '7')}},
		{"another button", "pointermove", map[string]any{"offsetX": -3, "offsetY": 4, "buttons": 2}, false, app.Input{X: -3, Y: 4, Keys: keys(app.KeyLeft, '7')}},
		{"another window", "blur", nil, false, app.Input{X: -3, Y: 4}},
		{"space", "keydown", map[string]any{"code": "Space"}, true, app.Input{X: -3, Y: 4, Keys: keys(' ')}},
	} {
		to := global
		if step.name[0] == 'p' || step.name == "wheel" {
			to = canvas
		}
		if prevented := send(to, step.name, step.properties); prevented != step.prevented {
			t.Errorf("%s: the browser has its own action: %v, want %v", step.what, !prevented, !step.prevented)
		}
		step.want.Width, step.want.Height = 300, 150
		if got := d.Input(); got != step.want {
			t.Errorf("%s: %+v, want %+v", step.what, got, step.want)
		}
	}
	canvas.Set("clientWidth", 390)
	d.Close()
	d.Close()
	send(global, "keydown", map[string]any{"code": "KeyX"})
	if got := d.Input(); got.Width != 390 || got.Keys != keys(' ') {
		t.Errorf("after Close and a change of the size: %+v", got)
	}
}

// keys returns a set of keys.
func keys(list ...app.Key) (s app.Keys) {
	for _, k := range list {
		s.Set(k, true)
	}
	return s
}
