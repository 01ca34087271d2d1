package ecs

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// churn consists of two worlds in which whole archetypes, chunks and entities are created, removed
// and moved.
type churn struct {
	t   testing.TB
	rng *rand.Rand
	w   *World // the world of the step
	o   *World // the other one
}

// churned lists the component types of the entities in these worlds, which are of every kind. In addition
// to the components of the model it has chunk components, whose values belong to no single entity.
var churned = [...]Term{
	With[A](), With[Matrix](), With[Tag](), With[Ref](), With[Obj](), With[Sh](), With[Buf](), With[En](), With[EnTag](), With[Cl](),
	With[PerChunk[B]](), With[PerChunk[D]](), With[PerChunk[BoundCl]](),
}

var churnOps = [...]struct {
	name string
	do   func(*churn) error
}{
	{"Create", (*churn).create},
	{"Create", (*churn).create},
	{"DestroyAll(Matching)", func(c *churn) error { return DestroyAll(c.w, Matching(c.query())) }},
	{"AddTypes(Matching)", func(c *churn) error { return AddTypes(c.w, Matching(c.query()), c.term()) }},
	{"RemoveTypes(Matching)", func(c *churn) error { return RemoveTypes(c.w, Matching(c.query()), c.term()) }},
	{"MoveEntities", func(c *churn) error { return MoveEntities(c.w, c.o, nil) }},
	{"MoveMatching", func(c *churn) error { return MoveMatching(c.o, c.query(), nil) }},
	{"CopyFrom", func(c *churn) error { _, err := CopyEntities(c.o, c.w, c.copyable(5)); return err }},
	{"Instantiate", (*churn).instantiate},
	{"DestroyAll", func(c *churn) error { return DestroyAll(c.w, Entities(c.copyable(20))) }},
	{"Transaction", (*churn).transaction},
	{"AddAll(Matching)", func(c *churn) error { return AddAll(c.w, Matching(c.query()), Sh{Value: c.rng.Int32N(4)}) }},
	{"Set", (*churn).set},
	{"Defragment", func(c *churn) error { return Defragment(c.w) }},
	{"update", func(c *churn) error { c.w.Scheduler().EndUpdate(c.w.Scheduler().BeginUpdate("")); return nil }},
}

// TestChurn makes random changes of whole chunks. After each of them the invariants of both worlds must
// hold.
func TestChurn(t *testing.T) {
	seeds := uint64(1)
	if *full {
		seeds = 8
	}
	for seed := range seeds {
		c := &churn{t: t, rng: rand.New(rand.NewPCG(seed, 9)), w: newWorld(t, 1), o: newWorld(t, 1)}
		for step := range 250 {
			if c.rng.IntN(2) == 0 {
				c.w, c.o = c.o, c.w
			}
			op := churnOps[c.rng.IntN(len(churnOps))]
			err := op.do(c)
			for _, w := range []*World{c.w, c.o} {
				if err == nil {
					err = integrity(w)
				}
				if err == nil {
					err = integrityQueries(w)
				}
			}
			if err != nil {
				t.Fatalf("seed %d, step %d, %s: %v", seed, step, op.name, err)
			}
		}
	}
}

func (c *churn) term() Term { return churned[c.rng.IntN(len(churned))] }

func (c *churn) query() *Query { return c.w.Query(c.term(), IgnoreEnabled()) }

// archetype returns an archetype of w that has some of the components.
func (c *churn) archetype(w *World) Archetype {
	var terms []Term
	for _, term := range churned {
		if c.rng.IntN(3) == 0 {
			terms = append(terms, term)
		}
	}
	return w.Archetype(terms...)
}

// copyable returns up to n entities that can be copied.
func (c *churn) copyable(n int) (list []Entity) {
	all := slices.Collect(c.w.Entities())
	for range min(n, len(all)) {
		e := all[c.rng.IntN(len(all))]
		if !slices.Contains(list, e) && !c.w.ArchetypeOf(e).arch.awaitsCleanup {
			list = append(list, e)
		}
	}
	return list
}

func (c *churn) create() error {
	c.w.Create(c.archetype(c.w), c.rng.IntN(400))
	return nil
}

func (c *churn) instantiate() error {
	for _, e := range c.copyable(1) {
		if _, err := c.w.Instantiate(e, c.rng.IntN(100)); err != nil {
			return err
		}
	}
	return nil
}

func (c *churn) transaction() error {
	x := begin(c.t, c.w)
	x.Schedule(TransactionFunc(func(in *World) error {
		if err := in.CreateInto(c.archetype(in), make([]Entity, 50)); err != nil {
			return err
		}
		return RemoveTypes(in, Matching(in.Query(c.term())), c.term())
	}))
	return x.End()
}

// set changes values of one entity, in components that the entity has.
func (c *churn) set() error {
	for _, e := range c.copyable(1) {
		if Has[En](c.w, e) {
			must(c.t, SetEnabled[En](c.w, e, false))
		}
		if Has[Buf](c.w, e) {
			must(c.t, Set(c.w, e, BufferOf(make([]Elem, c.rng.IntN(30))...)))
		}
		if Has[PerChunk[B]](c.w, e) {
			must(c.t, Set(c.w, e, PerChunk[B]{B{1, 2}}))
		}
	}
	return nil
}
