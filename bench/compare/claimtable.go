package main

import (
	"github.com/lanewise/lanewise/bench/compare/worlds"
	"github.com/lanewise/lanewise/internal/benchbin"
)

// Pages of the rows.
const (
	kernelsPage  = "Kernels and functions"
	numericsPage = "Random numbers, order, neighbors, simulations"
	ecsPage      = "Entities"
	jobsPage     = "Jobs"
	otherPage    = "Transforms, state, presentation"
)

var (
	frames    = benchbin.Spec{Pattern: "Frame/sparks=100000$/workers=1", Time: "3x"}
	sailing   = benchbin.Spec{Pattern: "Frame/boats=1000$/workers=1", Time: "5x"}
	flat      = benchbin.Spec{Pattern: "Flat$/n=10000$/^(bare|go=.*|workers=1)$", Time: "100x", CPU: 1}
	images    = benchbin.Spec{Pattern: "ImageRatios/rows=1000000", Time: "5x"}
	flocks    = benchbin.Spec{Pattern: "Step/^path=.*/^workers=1$|Step/^plain$", Time: "2x"}
	crowds    = benchbin.Spec{Pattern: "Crowd/workers=1", Time: "5x"}
	gravities = benchbin.Spec{Pattern: "Forces/type=float32/kernel=Gravity", Time: "4x", CPU: 1, Count: 5}
	hashes    = benchbin.Spec{Pattern: "HashAndRead", Time: "10x", Count: 7}
)

// claims lists the rows of docs/claims.md, at most forty.
var claims = []*claim{
	{"add-scaled-avx2", kernelsPage, "positions += velocities · dt, 1,024 rows, float32, AVX2", "plain Go, the best of three loops", true, measureSides(move[float32]("avx2", 1024))},
	{"add-scaled-avx512", kernelsPage, "the same, AVX-512", "the same", true, measureSides(move[float32]("avx512", 1024))},
	{"add-scaled-gonum", kernelsPage, "the same in float64, AVX2", "gonum, three calls of `blas64.Axpy`", true, measureSides(kernelSides("integrate", 64, 1024, "avx2", "gonum"))},
	{"add-scaled-c", kernelsPage, "the same in float32, AVX2", "C by clang, the best of intrinsics and plain loops", false, measureSides(kernelSides("integrate", 32, 1024, "avx2", inC...))},
	{"add-scaled-c-160", kernelsPage, "the same, 160 rows", "the same", false, measureSides(kernelSides("integrate", 32, 160, "avx2", inC...))},
	{"rotate-avx2", kernelsPage, "vectors rotated by quaternions, 1,024 rows, float32, AVX2", "plain Go", true, measureSides(kernelSides("rotate", 32, 1024, "avx2", "Go"))},
	{"rotate-avx512", kernelsPage, "the same, AVX-512", "plain Go", true, measureSides(kernelSides("rotate", 32, 1024, "avx512", "Go"))},
	{"sincos-avx2", kernelsPage, "sine and cosine, 1,024 angles, float32, AVX2", "a loop over `math.Sincos`", true, measureSides(sincos("avx2"))},
	{"sincos-avx512", kernelsPage, "the same, AVX-512", "the same", true, measureSides(sincos("avx512"))},
	{"sum-avx2", kernelsPage, "the sum of 2,048 float32, AVX2", "plain Go, the better of one sum and eight partial sums", true, measureSides(total("avx2"))},

	{"sort-go", numericsPage, "`order.Sort` of a million uint32, one worker", "`slices.Sort`", true, measureSides(sortStandard)},
	{"sort-c", numericsPage, "the same", "C++ by clang, the better of two radix sorts", false, measureSides(sortC(1_000_000))},
	{"near-build-c", numericsPage, "a grid of 100,000 points, AVX2", "C by clang with intrinsics", false, measureSides(buildOrSum(true))},
	{"near-sums-c", numericsPage, "sums over all neighbors of 100,000 points, AVX2", "C by clang, the better of two loops with intrinsics", false, measureSides(buildOrSum(false))},
	{"uniform-c", numericsPage, "1,024 uniform float32 by index, AVX2", "Philox in C by clang with intrinsics", false, measureSides(uniform)},
	{"gravity-go", numericsPage, "gravity of 1,024 bodies, float32", "the same loop in plain Go", true, measureBenchmarks("./kernels/forces", gravities, metric{".*=Gravity", "ns/pair"}, metric{".*=GravityPlain", "ns/pair"})},
	{"flock-go", numericsPage, "a tick of 100,000 birds of `examples/flock`, one worker", "the same program in plain Go", true, measureBenchmarks("./examples/flock/model", flocks, metric{"Step/path=.*", "ns/bird"}, metric{"Step/plain", "ns/bird"})},
	{"fountain-go", numericsPage, "a frame of 100,000 sparks of `examples/fountain`, one worker", "plain Go on flat slices", true, measureBenchmarks("./examples/fountain", frames, metric{".*", "ours-ns"}, metric{".*", "plain-ns"})},
	{"fountain-kernels", numericsPage, "the same", "the same kernels on flat slices", false, measureBenchmarks("./examples/fountain", frames, metric{".*", "ours-ns"}, metric{".*", "kernels-ns"})},
	{"regatta-kernels", numericsPage, "a frame of 1,000 boats of `examples/regatta`, one worker", "the same kernels on flat slices", false, measureBenchmarks("./examples/regatta", sailing, metric{".*", "ours-ns"}, metric{".*", "plain-ns"})},

	{"step-c", ecsPage, "positions += velocities · dt of a million entities by a kernel", "C by clang on flat arrays, AVX2", false, measureAnew(kernelStep)},
	{"loop-ark-10k", ecsPage, "the same by a Go loop over 10,000 entities that reads each row first", "Ark, the better of table by table and entity by entity", false, measureSides(waySides(worlds.Loops, 10_000, "all lanes of a row read first", "Ark: "))},
	{"loop-ark-1m", ecsPage, "the same, a million entities", "the same", false, measureAnew(waySides(worlds.Loops, 1_000_000, "all lanes of a row read first", "Ark: "))},
	{"loop-flat", ecsPage, "the same, 10,000 entities", "plain Go on flat slices", false, measureSides(waySides(worlds.Loops, 10_000, "all lanes of a row read first", "Go: "))},
	{"get-10k", ecsPage, "reading three float32 of 10,000 shuffled entities by `Lookup.Get`", "Ark, `Map.Get`", false, measureSides(waySides(worlds.Access, 10_000, "`Lookup.Get`", "Ark: "))},
	{"get-1m", ecsPage, "the same, a million entities", "the same", false, measureAnew(waySides(worlds.Access, 1_000_000, "`Lookup.Get`", "Ark: "))},
	{"gather-1m", ecsPage, "the same by `Lookup.Gather`", "the same", false, measureAnew(waySides(worlds.Access, 1_000_000, "`Lookup.Gather`", "Ark: "))},
	{"set-10k", ecsPage, "writing three float32 of 10,000 shuffled entities by `Lookup.Set`", "Ark, the better of `Map.Get` and `Map.Set`", false, measureSides(waySides(worlds.Sets, 10_000, "`Lookup.Set`", "Ark: "))},
	{"visit", ecsPage, "a visit of each of 1,000 archetypes with one entity", "Ark, entity by entity or by table, filter registered", false, measureSides(waySides(worlds.Visits, 1_000, "slices cut", "Ark: "))},
	{"spawn", ecsPage, "`SpawnBundle` of two components whose values are computed", "Ark, the better of `Map2.NewEntity` and `NewEntityFn`", false, measureSides(waySides(worlds.Spawns, 1_000, "`SpawnBundle`", "Ark: "))},
	{"create-batch", ecsPage, "creating 100,000 entities at once", "Ark, `Map2.NewBatchFn`", false, measureSides(waySides(worlds.Batches, 100_000, "CreateInto", "Ark: "))},
	{"change-one", ecsPage, "adding a component to one entity, and removing it", "Ark, `Map.Add` and `Map.Remove`", false, measureSides(waySides(worlds.Changes, 1_000, "`Add`", "Ark: "))},
	{"new-query", ecsPage, "a new query that matches 1,000 archetypes, and its number of entities", "Ark, the better of a registered filter and a plain one", false, measureSides(waySides(worlds.Queries, 1_000, "`World.Query`", "Ark: "))},

	{"blocks-errgroup", jobsPage, "1,024 blocks of about a microsecond on all cores, `Pool.Range`", "the better of `errgroup` with a share for each core and goroutines that take the next block", false, measureSides(runBlocks(1024))},
	{"second-worker", jobsPage, "the same on two workers", "one worker", true, measureSides(secondWorker)},

	{"transform-go", otherPage, "a frame in which 10,000 entities move, no parents, one worker", "plain Go on flat slices, the better of lanes and structs", true, measureBenchmarks("./ecs/transform", flat, metric{".*/workers=1", "least-ns/entity"}, metric{".*/go=lanes", "least-ns/entity"}, metric{".*/go=structs", "least-ns/entity"})},
	{"transform-kernel", otherPage, "the same", "the kernel alone on flat lanes", false, measureBenchmarks("./ecs/transform", flat, metric{".*/workers=1", "least-ns/entity"}, metric{".*/bare", "least-ns/entity"})},
	{"hash-read", otherPage, "the hash of a world of a million entities, two workers", "a Go loop on two workers that reads the same memory", false, measureBenchmarks("./ecs", hashes, metric{".*/hash", "ns/op"}, metric{".*/read", "ns/op"})},
	{"capture", otherPage, "`Capture` of a million entities after 1 % was written", "a copy of the same memory", false, measureBenchmarks("./ecs", images, metric{".*", "capture1/memcpy"})},
	{"cull", otherPage, "finding the visible ones of a million entities after the camera moved, one worker", "the kernel `Boxes.InPlanes` on consecutive boxes", false, measureBenchmarks("./ecs/render", crowds, metric{".*", "cull/kernel"})},
}
