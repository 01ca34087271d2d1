package system

import (
	"fmt"
	"strings"
)

// Kind is a kind of world: what a world is [As], and what a system is [For].
type Kind interface{ worldKinds() worldKinds }

// The kinds of world. Simulating is the simulation's, as Simulation is the group. In those
// from Conversion to Streaming data are prepared: they do not run by themselves. The others
// are living: each is a Live world too, and a system that is [For] Live stands in all of them.
// A world that is only As Live is none of the others.
type (
	Live       struct{}
	Editor     struct{}
	Game       struct{}
	Simulating struct{}
	Conversion struct{}
	Staging    struct{}
	Shadow     struct{}
	Streaming  struct{}
	Server     struct{}
	Client     struct{}
	ThinClient struct{}
)

// worldKinds has a bit for each kind of world.
type worldKinds uint16

const (
	editors worldKinds = 1 << iota
	games
	simulations
	conversions
	stagings
	shadows
	streams
	servers
	clients
	thinClients
	lives // of a world that is Live and nothing else
)

// plain are the worlds of a system type that has no For.
const plain = games | simulations | servers | clients

// living are the worlds that run by themselves.
const living = lives | editors | games | simulations | servers | clients | thinClients

func (Live) worldKinds() worldKinds       { return living }
func (Editor) worldKinds() worldKinds     { return editors }
func (Game) worldKinds() worldKinds       { return games }
func (Simulating) worldKinds() worldKinds { return simulations }
func (Conversion) worldKinds() worldKinds { return conversions }
func (Staging) worldKinds() worldKinds    { return stagings }
func (Shadow) worldKinds() worldKinds     { return shadows }
func (Streaming) worldKinds() worldKinds  { return streams }
func (Server) worldKinds() worldKinds     { return servers }
func (Client) worldKinds() worldKinds     { return clients }
func (ThinClient) worldKinds() worldKinds { return thinClients }

// String names the kinds, as system.Game and system.Server.
func (w worldKinds) String() string {
	var names []string
	for _, k := range []Kind{Live{}, Editor{}, Game{}, Simulating{}, Conversion{}, Staging{}, Shadow{}, Streaming{}, Server{}, Client{}, ThinClient{}} {
		if w&k.worldKinds().named() != 0 {
			names = append(names, fmt.Sprintf("%T", k))
		}
	}
	return strings.Join(names, " and ")
}

// named returns what a world is that is As these kinds: of Live not also all that is living.
func (w worldKinds) named() worldKinds {
	if w == living {
		return lives
	}
	return w
}

// admits reports whether a world of these kinds takes a system type that is for such worlds; nil is no For.
func (w worldKinds) admits(marks []Kind) bool {
	if len(marks) == 0 {
		return w&plain != 0
	}
	for _, k := range marks {
		if w&k.worldKinds() != 0 {
			return true
		}
	}
	return false
}
