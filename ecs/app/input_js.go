package app

import "syscall/js"

// A Device listens to the events of the keyboard and of the pointer in a page.
type Device struct {
	element js.Value
	state   Input
	close   []func()
}

// wheelNotch is how far browsers scroll for a notch of the wheel, in pixels.
const wheelNotch = 100

// Listen listens to the pointer on an element of a page, such as its canvas, and to the keyboard of the page. The size of the element is that of the
// picture, in pixels of the page. The browser then does nothing of its own for the keys of [Key]. For example, it does not scroll. Keys together with
// Ctrl, Alt or Meta, keys in a field of the page, and Space on a button stay with the browser. It also still scrolls for the wheel, if the page is larger than the window.
func Listen(element js.Value) *Device {
	d := &Device{element: element}
	for _, held := range []bool{true, false} {
		d.on(js.Global(), map[bool]string{true: "keydown", false: "keyup"}[held], func(e js.Value) {
			k := keyOf(e.Get("code"))
			if k == 0 || held && (isTrue(e, "ctrlKey") || isTrue(e, "altKey") || isTrue(e, "metaKey") || isOfPage(k, e.Get("target"))) {
				return
			}
			if !held && !d.state.Keys.Held(k) {
				return // the browser had the press, so it needs the release too: a checkbox changes when Space is released
			}
			d.state.Keys.Set(k, held)
			e.Call("preventDefault")
		})
	}
	d.on(js.Global(), "blur", func(js.Value) { d.state.Keys, d.state.Pressed = Keys{}, false }) // the page gets no event for keys that are released later
	for _, name := range []string{"pointerdown", "pointermove", "pointerup", "pointercancel"} {
		d.on(element, name, func(e js.Value) {
			d.state.X, d.state.Y = float32(e.Get("offsetX").Float()), float32(e.Get("offsetY").Float())
			d.state.Pressed = e.Get("buttons").Int()&1 != 0
			if name == "pointerdown" {
				element.Call("focus")
				element.Call("setPointerCapture", e.Get("pointerId")) // so that the element gets the events outside of it too
			}
		})
	}
	d.on(element, "wheel", func(e js.Value) {
		d.state.Wheel -= float32(e.Get("deltaY").Float() / wheelNotch)
	})
	return d
}

// on calls f for each event of a target.
func (d *Device) on(target js.Value, name string, f func(event js.Value)) {
	listener := js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args[0])
		return nil
	})
	target.Call("addEventListener", name, listener)
	d.close = append(d.close, func() {
		target.Call("removeEventListener", name, listener)
		listener.Release()
	})
}

// Input returns the current state. Call it once in each frame, because it counts the wheel from the call before.
func (d *Device) Input() Input {
	d.state.Width, d.state.Height = float32(d.element.Get("clientWidth").Float()), float32(d.element.Get("clientHeight").Float())
	in := d.state
	d.state.Wheel = 0
	return in
}

// Close stops listening.
func (d *Device) Close() {
	for _, f := range d.close {
		f()
	}
	d.close = nil
}

func isTrue(e js.Value, name string) bool { return e.Get(name).Truthy() }

// isOfPage reports whether a key has an effect on an element of the page that has the focus: any key on a field, and Space on a button.
func isOfPage(k Key, target js.Value) bool {
	switch target.Get("tagName").String() {
	case "INPUT", "SELECT", "TEXTAREA", "AUDIO", "VIDEO":
		return true
	case "BUTTON", "SUMMARY":
		return k == ' '
	}
	return isTrue(target, "isContentEditable")
}

// keyOf returns the key that has a code in events, such as KeyA or ArrowLeft. It returns 0 for other keys.
func keyOf(code js.Value) Key {
	if code.Type() != js.TypeString {
		return 0
	}
	switch s := code.String(); {
	case len(s) == 4 && s[:3] == "Key", len(s) == 6 && s[:5] == "Digit":
		return Key(s[len(s)-1])
	case s == "ArrowLeft":
		return KeyLeft
	case s == "ArrowRight":
		return KeyRight
	case s == "ArrowUp":
		return KeyUp
	case s == "ArrowDown":
		return KeyDown
	case s == "Space":
		return ' '
	}
	return 0
}
