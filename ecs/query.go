package ecs

import (
	"fmt"
	"slices"
	"strings"
)

// Query finds the chunks of the archetypes that its terms match. Archetypes that
// are made later are matched as they come. Ask for it once and keep it: the same
// terms, in any order, give the same Query.
type Query struct {
	world  *matcher
	id     string // the owner and the terms, sorted
	owner  string // the system it was made for
	closed bool
	since  uint32
	matching
	loops
}

// loops is what a query keeps for loops over its chunks, here and now or in jobs.
type loops struct {
	list    []listed    // all chunks, flat, for jobs
	listing uint32      // the world's listing at that time; 0: never listed
	free    []*Chunk    // for loops on the owner's goroutine
	mask    []uint64    // scratch of rowsOf
	lookups []refresher // made from the query
	runs    []*chunkRun // of ParallelFor, done or not
	workers perWorker[workerChunks]
}

// Close forgets the query: it is no longer told of new archetypes, and using it
// is an error. Queries of systems are closed with their system.
func (q *Query) Close() error {
	const op = "Query.Close"
	if err := asked(q, op); err != nil {
		return err
	}
	if q.owner != "" {
		return q.world.fault(ErrState, op, "the query belongs to system %s and ends with it", q.owner)
	}
	return q.end(op)
}

// end forgets the query.
func (q *Query) end(op string) error {
	w := q.world
	if err := w.canChange(op); err != nil {
		return err
	}
	defer w.idle()
	if err := w.complete(op); err != nil {
		return err
	}
	q.release()
	w.disown(q)
	if w.cached[q.id] == q {
		delete(w.cached, q.id)
	}
	q.closed, q.list = true, nil
	w.notify()
	return nil
}

// SetSince sets the version that Changed and OrderChanged compare with: chunks that
// changed later pass. It is 0 at first, which everything passes.
func (q *Query) SetSince(version uint32) { q.since = version }

// String lists the terms.
func (q *Query) String() string {
	parts := make([]string, len(q.terms))
	for i, t := range q.terms {
		parts[i] = t.String()
	}
	return "Query(" + strings.Join(parts, ", ") + ")"
}

// idOf returns what two requests for one query have in common, whatever the
// order of their terms. Types are told apart by their index, and so are values of
// WithShared: a query keeps its own, and no query has the -1 of one that is new. They are
// found among the world's, unless they are known already.
func (w *matcher) idOf(op, owner string, terms []Term, known []only) (string, error) {
	parts := make([]string, len(terms))
	for i, t := range terms {
		parts[i] = modeNames[t.mode]
		switch {
		case t.typ != nil:
			c, err := w.declaredOf(op, t)
			if err != nil {
				return "", err
			}
			parts[i] += fmt.Sprint(c.index)
			if t.mode != modeOnly || !c.kind.has(isShared) {
				continue
			}
			value := int32(0)
			if len(known) > 0 {
				value, known = known[0].value, known[1:]
			} else if value, _, err = w.seek(op, w.storeOf(c), t.value); err != nil {
				return "", err
			}
			parts[i] += fmt.Sprint("=", value)
		case len(t.terms) > 0:
			inner, err := w.idOf(op, "", t.terms, nil)
			if err != nil {
				return "", err
			}
			parts[i] += inner
		}
	}
	slices.Sort(parts)
	return owner + "(" + strings.Join(parts, ",") + ")", nil
}

// asked returns an error unless q is an open query.
func asked(q *Query, op string) error {
	if q == nil || q.world == nil {
		return noQuery(op)
	}
	return q.world.own(op, q)
}

// noQuery is the error of an operation that was given no query.
func noQuery(op string) *Error {
	return fault(ErrArgument, op, "the query is nil, or the zero Query: make one with World.Query")
}

// own returns an error unless q is an open query of w.
func (w *matcher) own(op string, q *Query) error {
	switch {
	case !w.alive:
		return w.unavailable(op)
	case q == nil:
		return w.fault(ErrArgument, op, "the query is nil: make one with World.Query")
	case q.world != w:
		if q.world == nil {
			return noQuery(op)
		}
		return w.fault(ErrArgument, op, "the query belongs to world %q", q.world.name)
	case q.closed:
		return w.fault(ErrDisposed, op, "the query is closed")
	}
	return nil
}

// choose leaves the rows that q matches in w.runs, for a structural change of all of
// them that commit begins. It has completed the jobs, whose changes filters look at,
// and has changed nothing. What an archetype must allow is for its rows that match:
// one without such rows is not asked.
func (w *matcher) choose(op string, q *Query) error {
	if err := w.own(op, q); err != nil {
		return err
	}
	if err := w.canChange(op); err != nil {
		return err
	}
	if err := w.complete(op); err != nil {
		return err
	}
	w.runs = w.runs[:0]
	for _, m := range q.matches {
		first := len(w.runs)
		for _, r := range m.look(&w.tables) {
			switch {
			case !m.passes(r, q.since):
			case m.rows == nil:
				w.runs = append(w.runs, span{r, 0, r.n})
			default:
				w.runs = q.appendRuns(w.runs, m, r)
			}
		}
		if len(w.runs) > first {
			if err := w.mayEdit(op, m.arch); err != nil {
				return err
			}
		}
	}
	return nil
}

// queryFor returns the query of an owner, making it when it is new.
func (w *matcher) queryFor(op, owner string, terms []Term) *Query {
	id, err := w.idOf(op, owner, terms, nil)
	if err != nil {
		panic(err)
	}
	if q := w.cached[id]; q != nil {
		return q
	}
	q := &Query{world: w, owner: owner}
	if err := q.ask(&w.catalog, op, terms); err != nil {
		panic(err)
	}
	if err := q.hold(op); err != nil {
		panic(err)
	}
	if q.id, err = w.idOf(op, owner, terms, q.only); err != nil { // its values are known now
		panic(err)
	}
	q.considerAll()
	w.queries = append(w.queries, q)
	if owner != "" {
		if w.owned == nil {
			w.owned = map[string][]*Query{}
		}
		w.owned[owner] = append(w.owned[owner], q)
	}
	if w.cached == nil {
		w.cached = map[string]*Query{}
	}
	w.cached[q.id] = q
	w.notify()
	return q
}
