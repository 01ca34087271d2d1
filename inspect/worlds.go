package inspect

import (
	"fmt"
	"time"

	"github.com/lanewise/lanewise/ecs/system"
)

// Worlds is the answer of /api/worlds.
type Worlds struct {
	Worlds  []WorldInfo `json:"worlds"`
	Control bool        `json:"control"` // pages may pause worlds
	Edit    bool        `json:"edit"`    // pages may change values
	Box     string      `json:"box"`     // why there is no black box; empty if there is one
}

// WorldInfo is one world.
type WorldInfo struct {
	ID     string  `json:"id"` // value of w= in all other requests
	Name   string  `json:"name"`
	Frame  uint64  `json:"frame"` // the last frame; 0 before the first frame of the lease
	Paused bool    `json:"paused"`
	Still  float64 `json:"still"` // microseconds since its last frame
}

// worldsPage returns the answer of /api/worlds. It does not need the owner of a world. control and edit report
// which permissions the inspector gives to pages.
func worldsPage(i *views, control, edit bool) *Worlds {
	i.renewLease()
	out := &Worlds{Worlds: []WorldInfo{}, Control: control, Edit: edit, Box: i.box.state()}
	for _, w := range i.worlds() {
		one := WorldInfo{ID: fmt.Sprint(system.WorldID(w)), Name: w.Name()}
		if v := i.find(w); v != nil {
			one.Frame, one.Paused, one.Still = v.lastFrame.Load(), v.pace.paused.Load(), toMicros(now()-time.Duration(v.lastFrameEnd.Load()))
		}
		out.Worlds = append(out.Worlds, one)
	}
	return out
}
