package system

// Flags say what a world is for. The kinds that run by themselves are also FlagLive.
type Flags uint32

// The flags of a world. One of [NewWorld] has FlagSimulation and the default
// world of [Play] FlagGame, unless [WithFlags] says otherwise.
const (
	FlagLive       Flags = 1
	FlagEditor     Flags = 2 | FlagLive
	FlagGame       Flags = 4 | FlagLive
	FlagSimulation Flags = 8 | FlagLive
	FlagConversion Flags = 16
	FlagStaging    Flags = 32
	FlagShadow     Flags = 64
	FlagStreaming  Flags = 128
	FlagServer     Flags = 256 | FlagLive
	FlagClient     Flags = 512 | FlagLive
	FlagThinClient Flags = 1024 | FlagLive
)

// plainWorlds are the worlds of a system type that has no For.
const plainWorlds = FlagGame | FlagSimulation | FlagServer | FlagClient

// admits reports whether a world with flags w takes a system type marked with f.
func (w Flags) admits(f Flags) bool {
	if f == 0 {
		f = plainWorlds
	}
	return (w&^FlagLive)&(f&^FlagLive) != 0
}

// Kind is a kind of world, as a type that [For] takes.
type Kind interface{ flags() Flags }

// The kinds of world for [For], one for each flag. Simulating is the simulation's,
// as Simulation is the group.
type (
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

func (Editor) flags() Flags     { return FlagEditor }
func (Game) flags() Flags       { return FlagGame }
func (Simulating) flags() Flags { return FlagSimulation }
func (Conversion) flags() Flags { return FlagConversion }
func (Staging) flags() Flags    { return FlagStaging }
func (Shadow) flags() Flags     { return FlagShadow }
func (Streaming) flags() Flags  { return FlagStreaming }
func (Server) flags() Flags     { return FlagServer }
func (Client) flags() Flags     { return FlagClient }
func (ThinClient) flags() Flags { return FlagThinClient }
