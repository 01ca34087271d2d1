package ecs

// NewWorldLookup returns a look-up of T for the owner of w, to be read and written. It
// completes the jobs that touch T, and panics with an *Error if T is no
// component or a shared one.
func NewWorldLookup[T any](w *World) *Lookup[T] {
	const op = "NewWorldLookup"
	w.mustBeOpen(op)
	c, err := componentIn[T](w, op)
	if err != nil {
		panic(err)
	}
	l := &Lookup[T]{world: &w.matcher, comp: c, write: true, owned: true}
	l.mustFit(op)
	if err := l.Refresh(); err != nil {
		panic(err)
	}
	return l
}
