package transaction

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/sister"
	"github.com/lanewise/lanewise/jobs"
)

// room is where the bodies are. It has no fields: a call of a method is a call of that function.
var room = ecs.Dynamic(sister.Key{}).Transactions()

// Transaction lends a world to jobs, one at a time, each of which may do with it
// whatever its owner does otherwise: make and end entities, add and remove
// components, play back commands.
//
// Until the transaction has ended no other can use the world: functions that can
// fail return an error of category [ecs.ErrState], others panic with one. Schedule and End
// are for the goroutine that has begun it.
type Transaction struct{ of begun }

// begun is what package ecs has for a transaction.
type begun interface {
	Schedule(job interface{ Change(w *ecs.World) error }, after ...jobs.Handle) jobs.Handle
	Done() bool
	End() error
}

// Job is a job that has a world to itself.
type Job interface {
	// Change is given a world that is good until it returns, with the entities and
	// archetypes of the one that was lent. Queries of that one are not: ask for them
	// here. What it returns comes out of [Transaction.End].
	Change(w *ecs.World) error
}

// Func is a function as a [Job].
type Func func(w *ecs.World) error

// Change calls the function.
func (f Func) Change(w *ecs.World) error { return f(w) }

// Begin lends a world to jobs that are given to the transaction. It is
// a structural change, so the jobs of the world are complete and views end. What the
// jobs write is new to all, whichever version of the world they have seen. The
// error is of category [ecs.ErrState] if the world is lent already.
func Begin(w *ecs.World) (*Transaction, error) {
	t, err := room.Begin(w)
	if err != nil {
		return nil, err
	}
	return &Transaction{t}, nil
}

// CanBegin reports whether [Begin] would succeed: no chunks of the
// world are visited, and it is not lent already.
func CanBegin(w *ecs.World) bool { return room.CanBegin(w) }

// Lent reports whether a world is lent to a transaction that has not ended.
func Lent(w *ecs.World) bool { return room.Lent(w) }

// begun is what t is about; what says that there is nothing if t was not begun.
func (t *Transaction) begun() begun {
	if t == nil || t.of == nil {
		return room.None()
	}
	return t.of
}

// Schedule hands the world to a job: after those given to the transaction before, and
// after the handles. It panics with an *ecs.Error if the transaction has ended.
func (t *Transaction) Schedule(job Job, after ...jobs.Handle) jobs.Handle {
	return t.begun().Schedule(job, after...)
}

// Done reports whether all jobs given to the transaction are done, so that End does
// not wait.
func (t *Transaction) Done() bool { return t.begun().Done() }

// End waits for the jobs of the transaction and gives the world back to its owner. It
// returns what the jobs have returned, and the panic of one that has failed, joined:
// what they have done until then stays. The error is of category [ecs.ErrState] if the
// transaction has ended already, or one of its own jobs wants to end it.
func (t *Transaction) End() error { return t.begun().End() }
