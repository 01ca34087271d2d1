package ecs

import (
	"reflect"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/jobs"
)

// Worldwide makes the type that embeds it the name of something that a world has
// once, and that is no part of entities: Read and Write declare access to it, beside
// the components of a query or in [World.AddAccess], and jobs are ordered by it as by
// a component. A query matches what it matches without it. No archetype has it, and
// no other term. It is for packages that build on worlds: system.Resource is one.
type Worldwide struct{}

func (Worldwide) worldwide() {}

// declaredOf returns the component that a term is for, or the Worldwide type that it
// declares access to.
func (w *World) declaredOf(op string, t Term) (*component, error) {
	if c := worldwideOf(op, t); c != nil {
		return c, nil
	}
	return w.componentOf(op, t.typ)
}

// worldwideOf returns the Worldwide type that a term declares access to, or nil.
func worldwideOf(op string, t Term) *component {
	if t.mode != modeRead && t.mode != modeWrite {
		return nil
	}
	if c, err := registered(op, t.typ); err == nil && c.worldwide {
		return c
	}
	return nil
}

// describeWorldwide is describe for what is no part of entities.
func describeWorldwide(t reflect.Type) *component {
	return &component{key: typeKey(t), typ: t, name: fullName(t), worldwide: true}
}

// addWorldwide takes the term for a Worldwide type into the query, whose jobs look
// everywhere from now on: those of other archetypes touch the same thing.
func (q *Query) addWorldwide(op string, c *component, write bool) error {
	if err := q.world.admit(op, c); err != nil {
		return err
	}
	for _, d := range q.reach {
		switch {
		case d.comp != c:
		case d.write != write:
			return q.world.fault(ErrState, op, "one job declares both to read and to write it: who writes may read").on(c)
		default:
			return q.world.fault(ErrArgument, op, "the type comes twice in the query").on(c)
		}
	}
	q.reach = append(q.reach, data{comp: c, write: write})
	return nil
}

// Declares reports whether the query that shows the chunk declares that it reads, or
// writes, the [Worldwide] type that accesses of world w know by an index. Who writes
// it reads it too.
func (c *Chunk) Declares(w *World, index int) (reads, writes bool) {
	c.check("Chunk.Declares")
	if c.world.home() != w {
		return false, false
	}
	for i := range c.binds {
		if b := &c.binds[i]; b.comp.worldwide && b.comp.index == index {
			return true, b.write
		}
	}
	return false, false
}

// worldwideBinds appends what the query declares of Worldwide types to the binds of
// an archetype: they are found by [Chunk.Declares] only.
func (q *Query) worldwideBinds(m *match) {
	for _, d := range q.reach {
		if d.comp.worldwide {
			m.binds = append(m.binds, newBind(m.arch, d, len(m.binds)))
		}
	}
}

// worldwides returns how many Worldwide types the query declares access to.
func (q *Query) worldwides() (n int) {
	for _, d := range q.reach {
		if d.comp.worldwide {
			n++
		}
	}
	return n
}

// Await completes the jobs that conflict with access a.
func (w *World) Await(a *jobs.Access) error {
	const op = "Await"
	if err := w.notInJob(op); err != nil {
		return err
	}
	if err := w.looks(op); err != nil {
		return err
	}
	return w.awaitAccess(op, a)
}

// OnHash makes Hash take a number of the caller's in, behind what the world contains,
// while f says that there is one. They are hashed in the order of their names: for
// each the list of the name's length (uint64), the name, and the list of the number.
func (w *World) OnHash(name string, f func() (hash uint64, has bool)) {
	at, _ := slices.BinarySearchFunc(w.hooks.hashes, name, func(h namedHash, name string) int { return strings.Compare(h.name, name) })
	w.hooks.hashes = slices.Insert(w.hooks.hashes, at, namedHash{name, f})
}

// namedHash is what was given to OnHash.
type namedHash struct {
	name string
	of   func() (hash uint64, has bool)
}

// hashNamed hashes what was given to OnHash.
func (w *World) hashNamed(d *digest) {
	for _, h := range w.hooks.hashes {
		if sum, has := h.of(); has {
			d.counts(uint64(len(h.name)))
			d.bytes([]byte(h.name))
			d.counts(sum)
		}
	}
}
