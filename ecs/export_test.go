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
	Apart          = runApart
	Begin          = begin
	Bump           = bump
	Captured       = mustCapture
	Caught         = callFailing
	CrowdOf        = crowdOf
	Do             = do
	Early          = recordEarly
	Elems          = elems
	Fails          = wantCategory
	Full           = full
	GoldenMessages = goldenMessages
	Heap           = heap
	Holds          = checkElements
	Integrity      = integrity
	Must           = must
	Panics         = wantPanic
	PerEntity      = perEntity
	PerThing       = perThing
	Relabels       = canRelabel
	SetVersion     = setVersion
	TestNewWorld   = newWorld
	TwoWorlds      = twoWorlds
	Types          = checkTypes
	Until          = callUntil
	Whole          = checkWorlds
)
