// Package mpi distributes one world, or the fields of one grid, over several machines. Each machine holds a part of the
// world. On any number of machines, the results have the same bits as on one machine.
//
// If the world is a [Model], the program is one line:
//
//	mpi.Main(mpi.Run(m, ticks))
//
// Otherwise, the program contains the loop:
//
//	mpi.Main(func(c *mpi.Comm) error {
//		w := …                                     // the rows of this rank
//		d, err := mpi.NewDomain(c, w, mpi.Split[float32]{Space: space, Reach: 1, ID: id, Place: place})
//		for range ticks {
//			err = d.Exchange()                 // then a tick of the model
//		}
//		hash, err := d.Hash()                      // of all rows of all ranks
//	})
//
//	mpirun -n 4 ./program
//
// The package is for worlds whose rows have a position and interact with near
// rows: particles, agents, birds (domain decomposition with halo exchange). The
// space is divided into bricks, one for each rank; a [Domain] is the part of
// one rank. Before each tick, [Domain.Exchange] sends each row that left its brick to the
// rank of its new position. It also brings copies of rows near the brick from other ranks.
// These copies are called ghosts. They are entities with [ecs.Ghost], which a query matches
// only on request. [Domain.Start] and [Domain.Finish] are the two halves of Exchange:
// between them a program can compute rows that see no ghosts.
//
// A [Slab] is the part of a grid of package grid that one rank owns. [FillMargins] brings the cells of
// the neighbors, so that a stencil has the same bits on any number of ranks.
//
// # Words
//
// A rank is a process of the job, with a number from 0. A row is an entity with
// a position and an ID, which is the same on all ranks and never changes. A
// brick is a box of cells of the grid with which the model finds neighbours. A
// peer of a rank is another rank whose brick is within reach.
//
// # Rules for equal bits
//
// A model has the same bits on any number of ranks if it keeps these rules. Packages near,
// random and mpi help to keep them.
//
//   - Neighbours are added in the same order on all ranks. [Domain.Order]
//     numbers all rows, including ghosts, in the order of IDs ([Domain.AppendRows]).
//     A grid of package near that is built in this order finds neighbours by cell,
//     and in a cell by ID, on each rank as on a single one. All ranks have the same
//     grid, of the whole space.
//   - All rows see the state before the tick, because only a second pass moves them. Ghosts
//     are not moved.
//   - Random numbers are drawn by ID and never by entity or row: random.Key.ID.
//   - Totals are exact, by [Sum], or do not depend on order, as [Min] and [Max].
//   - The hash to compare is [Domain.Hash]. World.Hash depends on entities and
//     chunks, which differ between ranks.
//
// The positions of cuts and the times at which they move ([Domain.Balance])
// change no result.
//
// # Rules of calls
//
// Only the goroutine of [Begin], which stays on its thread
// (MPI_THREAD_FUNNELED), may call this package; on other goroutines, calls
// return [ErrThread]. Jobs run on their workers as usual. Memory in transfer is
// pinned. Waiting ranks yield their core, and all waiting has a time limit
// ([Comm.Timeout]).
//
// # Limits
//
// Each rank must know the component types of rows before it receives them. A
// query, a row, or ecs.RegisterComponent makes a type known. An entity in a
// component may only refer to rows that move to the same rank in the same tick;
// all other references cause an error. To refer to another row, use its ID. A rank uses
// some bytes of memory for each cell along each axis; there are at most 2^27 cells. All
// machines must have the same byte order.
//
// # Design
//
// Between two ticks, each row is owned by the rank whose brick contains it, and
// all ranks know all cuts. So each rank can compute, without exchanging messages, which of
// its rows another rank needs. A ghost is owned by another rank and is never sent on.
//
// Without a tag the package is built for Open MPI, which pkg-config finds as
// ompi-c. With -tags mpich it is built for MPICH. Both MPI libraries are packages of
// Debian: libopenmpi-dev and libmpich-dev. The package is a separate module, because it
// needs cgo.
package mpi
