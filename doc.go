// Package lanewise is the front page of a data-oriented compute library:
// entities, jobs, kernels and transforms for Go, without cgo, and with the
// same bits on every path, machine and worker count.
//
// The work is done by the packages below it:
//
//	soa                describes  lanes of a Go type, views over them, columns of your own
//	kernels            computes   arithmetic on lanes: generic Go, AVX2, AVX-512, NEON
//	kernels/ints       counts     with lanes of integers: arithmetic, bits, sums, masks
//	kernels/forces     pulls      bodies at each other, and springs at what they are tied to
//	random             draws      numbers by seed, tick, purpose and id; noise
//	jobs               spreads    pool, handles, parallel-for
//	jobs/profile       watches    what the workers of a pool do
//	jobs/access        orders     jobs by what they read and write
//	order              sorts      keys with values, by radix, on all workers
//	near               finds      neighbours of points, by cells
//	chunk              holds      how many rows 16 KiB have, and memory for them
//	ecs/blob           shares     what does not change: arrays, strings and pointers in one piece
//	ecs                organises  world, entities, archetypes, queries, commands
//	ecs/system         orders     systems, groups, time, dependencies
//	ecs/app            runs       the loop, the default world and its bootstrap
//	ecs/transform      composes   translation, rotation, scale, parents: local to world
//	ecs/snapshot       stores     whole worlds, in files and streams
//	ecs/scene          keeps      entities in texts that people write, and baked ones
//	ecs/pack           carries    some entities as bytes, to another process or machine
//	ecs/diff           compares   two worlds, down to the row
//	ecs/check          catches    the system that wrote the first NaN
//	ecs/replay         records    what a run is given, and names where two runs part
//	ecs/host           binds      entities to objects of the application
//	ecs/rollback       predicts   one world at several peers, over a slow link
//	ecs/render         shows      what cameras see, in batches, to a renderer
//	inspect            explains   a running world, in a browser
//	study              repeats    a model, over its parameters, and gathers tables
//
// The guide is in docs/guide, one page a subject.
package lanewise
