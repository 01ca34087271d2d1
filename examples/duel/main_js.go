package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall/js"
	"time"

	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/examples/duel/match"
)

// page is the page of a player. JavaScript calls its methods hear and leave between two frames.
type page struct {
	peer    *match.Peer
	player  int
	channel js.Value
	start   time.Time
	arrived [][]byte
	device  *app.Device // the keyboard and the pointer
	held    match.Input // in this frame
	steered bool        // a key was pressed; until then a robot plays
	picture []byte
	array   js.Value // of the bytes of the picture
}

// main runs a frame of the loop in each animation frame.
func main() {
	search := js.Global().Get("URLSearchParams").New(js.Global().Get("location").Get("search"))
	p := &page{start: time.Now(), channel: js.Global().Get("BroadcastChannel").New("lanewise duel " + search.Call("get", "room").String())}
	if search.Call("get", "player").String() == "1" {
		p.player = 1
	}
	p.device = app.Listen(js.Global().Get("document").Call("getElementById", "field"))
	p.peer = match.NewPeer(p.player, rand.Uint64(), nil)
	p.channel.Set("onmessage", js.FuncOf(p.hear))
	js.Global().Call("addEventListener", "pagehide", js.FuncOf(p.leave))
	loop := app.NewLoop()
	loop.Phase(app.PhaseEarlyUpdate).Call(p.steer)
	loop.Phase(app.PhaseEarlyUpdate).Call(p.receive)
	loop.Phase(app.PhaseUpdate).Call(p.update)
	loop.Phase(app.PhasePreLateUpdate).Call(p.draw)
	if err := loop.Run(context.Background()); err != nil {
		js.Global().Call("show", map[string]any{"error": err.Error()})
	}
}

// hear stores a packet of the other page.
func (p *page) hear(_ js.Value, args []js.Value) any {
	data := args[0].Get("data")
	b := make([]byte, data.Length())
	js.CopyBytesToGo(b, data)
	p.arrived = append(p.arrived, b)
	return nil
}

// leave tells the other page that this page is closed or loaded again. A browser that shows the page again continues the program, so leave drops the packets
// of the game.
func (p *page) leave(js.Value, []js.Value) any {
	p.arrived = nil
	if err := p.peer.Leave(p.send); err != nil {
		js.Global().Call("show", map[string]any{"error": err.Error()})
	}
	return nil
}

// send sends a packet to the other page.
func (p *page) send(b []byte) {
	packet := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(packet, b)
	p.channel.Call("postMessage", packet)
}

// steer reads the keyboard and the pointer. The session of the game records the player's input, and the step of the world stores it in a resource.
func (p *page) steer() error {
	p.held = match.InputOf(p.device.Input())
	p.steered = p.steered || p.held != match.Input{}
	return nil
}

func (p *page) receive() error {
	for _, b := range p.arrived {
		if err := p.peer.Receive(b); err != nil {
			return err
		}
	}
	p.arrived = p.arrived[:0]
	return nil
}

func (p *page) update() error {
	return p.peer.Frame(time.Since(p.start), p.input, p.send)
}

func (p *page) input(tick uint64) match.Input {
	if p.steered {
		return p.held
	}
	return match.Robot(p.player, tick)
}

func (p *page) draw() error {
	state := map[string]any{"player": p.player, "sent": p.peer.Sent, "lost": p.peer.Lost}
	if s := p.peer.Session; s != nil {
		var hits [2]int32
		p.picture, hits = p.peer.Game.Picture(p.picture[:0])
		if p.array.IsUndefined() || p.array.Length() != len(p.picture) {
			p.array = js.Global().Get("Uint8Array").New(len(p.picture))
		}
		js.CopyBytesToJS(p.array, p.picture)
		st := s.Stats()
		for key, value := range map[string]any{ //lanewise:inexact each key is set once
			"picture": p.array, "tick": s.Tick(), "lead": p.peer.Lead(), "rollbacks": st.Rollbacks, "deepest": st.Deepest,
			"agreed": p.peer.Agreed, "hash": fmt.Sprintf("%016x", p.peer.Hash), "left": hits[0], "right": hits[1],
		} {
			state[key] = value
		}
	}
	js.Global().Call("show", state)
	return nil
}
