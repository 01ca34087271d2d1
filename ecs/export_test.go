package ecs

// These names are for the tests in package ecs_test, which use the same components and helpers as
// the tests in package ecs.

const Guard, Race = guard, raceEnabled

type (
	Bulk      = bulk
	ChunkFunc = chunkFunc
	GhostPart = ghost
	Large1    = large1
	Large2    = large2
	Mixed     = mixed
	Pair      = pair
	Touchy    = touchy
	Two       = two
)

var (
	Allow          = allow
	Apart          = apart
	Begin          = begin
	Bump           = bump
	Captured       = captured
	Caught         = caught
	CrowdOf        = crowdOf
	Do             = do
	Early          = early
	Elems          = elems
	Fails          = fails
	Full           = full
	GoldenMessages = goldenMessages
	Heap           = heap
	Holds          = holds
	Integrity      = integrity
	Must           = must
	Panics         = panics
	PerEntity      = perEntity
	PerThing       = perThing
	Relabels       = relabels
	SetVersion     = setVersion
	TestNewWorld   = newWorld
	TwoWorlds      = twoWorlds
	Types          = types
	Until          = until
	Whole          = whole
)
