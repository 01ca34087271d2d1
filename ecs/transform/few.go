package transform

import (
	"errors"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform/internal/trees"
	"github.com/lanewise/lanewise/kernels"
)

// single is what one matrix after the other is computed with, by the kernels that
// compute many.
type single[T kernels.Float] struct {
	worlds *ecs.Lookup[LocalToWorldOf[T]]
	locals *ecs.Lookup[LocalToParentOf[T]]
	trs    *ecs.Lookup[LocalTransformOf[T]]
	posts  *ecs.Lookup[PostTransformMatrixOf[T]]

	parent, local kernels.Mat4s[T] // one row each
	place         []int32          // by place: its step, plus 1
}

// fewNodes is up to how many nodes are computed without jobs, and one in so many of
// all: to look at all chunks costs as much as some of them.
const fewNodes = 64

// few computes the nodes that have arrived, and all below them, if they are few. It
// reports whether it has. Nothing else has changed since the last update.
func (s *HierarchyOf[T]) few(w *ecs.World) (bool, error) {
	p := &s.plan
	var ok bool
	p.steps, ok = p.Few(p.steps[:0], fewNodes+p.Rows(false)/fewNodes)
	if !ok {
		return false, nil
	}
	for i := range p.steps {
		if p.Chunks[p.steps[i].Chunk].Divided {
			return false, nil // the owners of rows are the jobs' to ask
		}
	}
	if err := s.one.refresh(w); err != nil {
		return false, err
	}
	s.one.do(p, p.steps)
	p.Done()
	return true, nil
}

// refresh makes the look-ups good. It waits for jobs that use what they show.
func (o *single[T]) refresh(w *ecs.World) error {
	if o.posts == nil {
		o.parent.M, o.local.M = make([][16]T, 1), make([][16]T, 1)
		o.worlds, o.locals = ecs.LookupOf[LocalToWorldOf[T]](w), ecs.LookupOf[LocalToParentOf[T]](w)
		o.trs, o.posts = ecs.LookupOf[LocalTransformOf[T]](w), ecs.LookupOf[PostTransformMatrixOf[T]](w)
		return nil
	}
	return errors.Join(o.worlds.Refresh(), o.locals.Refresh(), o.trs.Refresh(), o.posts.Refresh())
}

// do computes the steps of which the node has arrived, or the parent was computed.
func (o *single[T]) do(p *plan[T], steps []trees.Step) {
	o.place = enlarged(o.place, p.Places())
	for i := range steps {
		st := &steps[i]
		if up := o.place[st.Up]; !st.Arrived && up == 0 {
			continue // others make what is above it
		}
		from := source(p.Chunks[st.Chunk].Source)
		if from == byOthers {
			continue
		}
		o.compute(st, from)
		o.place[st.Place] = 1
		if p.Chunks[st.Chunk].Copies >= 0 {
			p.Spoil(st.Chunk)
		}
	}
	for i := range steps {
		o.place[steps[i].Place] = 0
	}
}

// compute sets the matrix of one node.
func (o *single[T]) compute(st *trees.Step, from source) {
	above, _ := o.worlds.Find(st.Parent)
	o.parent.M[0] = above.M
	if from == fromLocalToParent {
		l, _ := o.locals.Find(st.Entity)
		o.local.M[0] = l.M
	} else {
		o.compose(st.Entity)
	}
	world := kernels.Mat4s[T]{M: o.local.M}
	world.MulAffineByParent(&o.parent, first, &o.local)
	o.worlds.Set(st.Entity, LocalToWorldOf[T]{world.M[0]})
}

// first is the index of one row.
var first = []int32{0}

// compose sets local to what the LocalTransform of a node says.
func (o *single[T]) compose(e ecs.Entity) {
	v, _ := o.trs.Find(e)
	o.local.M[0] = v.Matrix()
	if post, ok := o.posts.Find(e); ok {
		multiply(&o.local.M[0], &o.local.M[0], &post.M)
	}
}
