// Package lanewise is the front page of a data-oriented compute library:
// entities, jobs, kernels and transforms for Go, without cgo, and with the same
// bits on every path, machine and worker count.
//
// A program that only computes needs no entities. Such a program keeps its data in
// columns, and its loops call kernels on them:
//
//	p := soa.Make[kernels.Vec3s[float32]](1_000_000) // positions
//	v := soa.Make[kernels.Vec3s[float32]](1_000_000) // velocities
//	for range 100 {
//		p.AddScaled(&p, &v, 0.01) // p += v·dt, by AVX2 or NEON where the CPU has it
//	}
//
// A program with entities also imports ecs and ecs/app: a world stores the
// columns, systems run queries over the columns, and jobs run the queries on
// all workers.
//
// The packages, from the bottom to the top:
//
//	soa                describes  lanes of a Go type, views over them, stand-alone columns
//	kernels            computes   arithmetic on lanes: generic Go, AVX2, AVX-512, NEON
//	kernels/ints       counts     with lanes of integers: arithmetic, bits, sums, masks
//	kernels/forces     pulls      gravity between bodies, and springs to anchors
//	random             draws      numbers by seed, tick, purpose and id; noise
//	integrate          advances   differential equations: Runge-Kutta, Verlet, Langevin
//	stats              averages   samples of a simulation, with the error of the average
//	grid               covers     space with cells: stencils, margins, particles on fields
//	jobs               spreads    worker pool, job handles, parallel-for
//	jobs/profile       watches    a timeline of the workers of a pool
//	jobs/access        orders     jobs by the data that they read and write
//	order              sorts      keys with values, by radix, on all workers
//	near               finds      neighbours of points: cell lists, Verlet lists, k nearest
//	chunk              holds      the layout of a 16 KiB chunk, and memory for chunks
//	ecs/blob           shares     immutable data: arrays, strings and pointers in one piece
//	ecs                organises  world, entities, archetypes, queries, commands
//	ecs/system         orders     systems, groups, time, dependencies
//	ecs/app            runs       the loop, the default world and its bootstrap
//	ecs/transform      composes   translation, rotation, scale, parents: local to world
//	ecs/snapshot       stores     whole worlds, in files and streams
//	ecs/scene          keeps      entities in texts that people write, and in baked files
//	ecs/pack           carries    some entities as bytes, to another process or machine
//	ecs/diff           compares   two worlds, down to the row
//	ecs/check          catches    the system that wrote the first NaN
//	ecs/replay         records    the inputs of a run, and finds the first difference of two runs
//	ecs/host           binds      entities to objects of the application
//	ecs/rollback       predicts   one world at several peers, over a slow link
//	ecs/render         shows      the entities that cameras see, in batches, to a renderer
//	inspect            explains   a running world, in a browser
//	ecs/roads          tests      a world together with every feature above
//	datafile           exports    columns of numbers: npy, npz, CSV, extended XYZ, vtp
//	study              repeats    a model over its parameters, and gathers tables
//
// The guide is in docs/guide: one page for each subject.
package lanewise
