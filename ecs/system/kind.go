package system

import (
	"fmt"
	"strings"
)

// WorldKind is a kind of world, for example ServerWorld. [WithKind] sets the kind of a world, and
// [For] restricts a system to worlds of a kind.
type WorldKind interface{ worldKinds() worldKinds }

// These are the kinds of world. Worlds of the kinds ConversionWorld to StreamingWorld prepare data
// and do not run frames by themselves. Worlds of the other kinds run frames by themselves. Each of
// these other kinds is also a LiveWorld, so a system with [For] LiveWorld is in all of these
// worlds. A world whose only kind is LiveWorld has none of the other kinds.
type (
	LiveWorld       struct{}
	EditorWorld     struct{}
	GameWorld       struct{}
	SimulationWorld struct{}
	ConversionWorld struct{}
	StagingWorld    struct{}
	ShadowWorld     struct{}
	StreamingWorld  struct{}
	ServerWorld     struct{}
	ClientWorld     struct{}
	ThinClientWorld struct{}
)

// worldKinds is a set of kinds. Each kind of world has a bit.
type worldKinds uint16

const (
	editorKind worldKinds = 1 << iota
	gameKind
	simulationKind
	conversionKind
	stagingKind
	shadowKind
	streamingKind
	serverKind
	clientKind
	thinClientKind
	liveOnlyKind // the bit of a world whose only kind is LiveWorld
)

// defaultKinds are the kinds of world that receive the system types without a For attribute.
const defaultKinds = gameKind | simulationKind | serverKind | clientKind

// liveKinds are the kinds of world that run frames by themselves.
const liveKinds = liveOnlyKind | editorKind | gameKind | simulationKind | serverKind | clientKind | thinClientKind

func (LiveWorld) worldKinds() worldKinds       { return liveKinds }
func (EditorWorld) worldKinds() worldKinds     { return editorKind }
func (GameWorld) worldKinds() worldKinds       { return gameKind }
func (SimulationWorld) worldKinds() worldKinds { return simulationKind }
func (ConversionWorld) worldKinds() worldKinds { return conversionKind }
func (StagingWorld) worldKinds() worldKinds    { return stagingKind }
func (ShadowWorld) worldKinds() worldKinds     { return shadowKind }
func (StreamingWorld) worldKinds() worldKinds  { return streamingKind }
func (ServerWorld) worldKinds() worldKinds     { return serverKind }
func (ClientWorld) worldKinds() worldKinds     { return clientKind }
func (ThinClientWorld) worldKinds() worldKinds { return thinClientKind }

// String returns the names of the kinds, for example "system.GameWorld and system.ServerWorld".
func (w worldKinds) String() string {
	var names []string
	for _, k := range []WorldKind{LiveWorld{}, EditorWorld{}, GameWorld{}, SimulationWorld{}, ConversionWorld{}, StagingWorld{}, ShadowWorld{}, StreamingWorld{}, ServerWorld{}, ClientWorld{}, ThinClientWorld{}} {
		if w&k.worldKinds().reduceLive() != 0 {
			names = append(names, fmt.Sprintf("%T", k))
		}
	}
	return strings.Join(names, " and ")
}

// reduceLive returns the kinds of a world that is created with the option WithKind for the kinds w.
// LiveWorld alone becomes the bit liveOnlyKind, because a world that is only a LiveWorld has none of
// the other kinds.
func (w worldKinds) reduceLive() worldKinds {
	if w == liveKinds {
		return liveOnlyKind
	}
	return w
}

// admitsType reports whether a world of these kinds receives a system type with the given For
// attributes. marks is nil if the type has no attribute For.
func (w worldKinds) admitsType(marks []WorldKind) bool {
	if len(marks) == 0 {
		return w&defaultKinds != 0
	}
	for _, k := range marks {
		if w&k.worldKinds() != 0 {
			return true
		}
	}
	return false
}
