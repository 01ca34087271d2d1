package ecs

import "iter"

// SharedValues yields the values of the shared component T that are in use, by
// index: the default first, always, then each value that a chunk or a query's
// WithShared has. Indices are stable while a value is in use.
func SharedValues[T comparable](w *World) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		const op = "SharedValues"
		c, err := componentIn[T](w, op)
		if err != nil {
			panic(err)
		}
		if !c.kind.has(isShared) {
			panic(w.fault(ErrArgument, op, "the component is not shared: embed ecs.Shared").on(c))
		}
		w.refuseLent(op)
		if err := w.notInJob(op); err != nil {
			panic(err)
		}
		for i, v := range w.storeOf(c).values {
			if v != nil && !yield(i, v.(T)) {
				return
			}
		}
	}
}
