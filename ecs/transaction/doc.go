// Package transaction lends a world to jobs, one at a time, each of which may do with it whatever its owner
// does otherwise. A world that is filled in the background, to be moved into another one between two
// frames, is what it is for: see rows.MoveFrom.
//
//	t, err := transaction.Begin(w)               // the world is lent
//	t.Schedule(job, after...)                    // any number of jobs, one after the other
//	err = t.End()                                // and the owner's again
//
// Words:
//
//	lent     what a world is from Begin to End. Others than the job that runs cannot use it.
//	job      anything with a method Change, which is given the world; or a [Func].
//
// What holds: the contents of a world (its rows, archetypes and memory) are lent as three structs, to a world that only the running job
// sees; the one that was lent has none until End, so that what is called on it finds nothing to change, and says why. That other world is one for all jobs of the
// transaction, is closed whenever none of them runs, and ends with it, and its queries too. Each job is behind the one that was scheduled before it, and what
// they write bears a version that no system has seen.
//
// Jobs of a query or of package jobs change values and nothing else: entities come and go, and components are added and removed, where
// one goroutine has the world to itself. That is its owner, or a job of a transaction. Package ecs has
// what is behind it (ecs/transaction.go, ecs/lease.go), and its errors, which begin with "ecs: transaction.".
package transaction
