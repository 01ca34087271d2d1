// Package mpi has several machines hold one world: a part of it each, with the bits of one machine for any number of them.
//
// It is for worlds of rows that have a place and see what is near them: particles, agents, birds. Space is cut into bricks, one for each
// rank; a [Domain] is the part of one. Before each tick [Domain.Exchange] sends the rows that left their brick to the rank that has the
// place where they are now, whole, and brings copies of the rows beyond its border that own ones may see: ghosts, entities with
// [ecs.Ghost], which no query matches unless it asks for them. [Domain.Start] and [Domain.Finish] are its halves: between them there is time to compute
// what sees no ghosts. The program of a [Model] is one line:
//
//	mpi.Main(mpi.Run(m, ticks))
//
// or as many as are wanted:
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
// # The words
//
// A rank is a process of the job, with a number from 0. A row is an entity with an ID, which is the same on all ranks and for ever, and a
// place. A brick is the cells of a rank: those of the grid with which the model finds neighbours. A peer of a rank has a brick within reach.
//
// # What makes the bits equal
//
// A model has the same bits on any number of ranks if it keeps these rules, all of which package near, random and this one help with.
//
// Neighbours are added up in one order. [Domain.Order] numbers the rows that are here, ghosts among them, in the order of IDs, which a row
// keeps for ever ([Domain.AppendRows]); a grid of package near that is built of them in that order finds them by cell and in a cell by ID, on each rank as on
// a single one. All ranks have the same grid, of the whole space.
//
// All rows see what was before the tick: what moves them is a second pass. Ghosts are not moved.
//
// Chance is drawn by ID and never by entity or row: random.Key.ID or Row.
//
// Totals are exact, by [Sum], or do not depend on order, as [Min] and [Max]. The hash to compare is [Domain.Hash]; World.Hash knows of
// entities and chunks, which differ.
//
// Where cuts are, and when they move ([Domain.Balance]), changes nothing.
//
// Between two ticks each row is owned by one rank, that of the cell where it is, and all ranks know the same cuts; a ghost has an owner elsewhere and is never sent on.
//
// # The rules of Go
//
// All calls are made by the goroutine of [Begin], which stays on its thread (MPI_THREAD_FUNNELED); others get [ErrThread]. Jobs run on
// their workers as ever. Memory that is on its way is pinned. Waiting ranks give their core away, and all waiting has an end
// ([Comm.Timeout]).
//
// # Limits
//
// Component types must be known on each rank before rows with them come: by a query, a row, or ecs.RegisterComponent. An entity in a
// component may refer to rows that go to the same rank in the same tick alone; all else is refused, so refer to rows by their ID. A rank
// holds some bytes for each cell along each axis, of which there are 2^27 at most. All ranks are on machines of one order of bytes.
//
// # Which MPI
//
// Without a tag the package is built for Open MPI, by pkg-config's ompi-c; with -tags mpich for MPICH. Both are packages of Debian:
// libopenmpi-dev and libmpich-dev. It is a module of its own, and the only one with cgo in lanewise that is not for windows.
package mpi
