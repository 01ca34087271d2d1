package ecs

// AddAll gives all entities ids the component v, or overwrites those they have.
// Repeated ones count once. If one does not exist the error is of category
// ErrArgument and nothing is changed; a Commands buffer finds that out at playback.
// So it is if v is a handle to the buffer of an entity; a Commands buffer copies
// the elements.
func AddAll[T any, D Editor](to D, ids []Entity, v T) error {
	switch to := any(to).(type) {
	case *World:
		return addAllNow("AddAll", to, ids, &v)
	case *Commands:
		return recordAddAll(to, ids, &v)
	}
	return nil
}

func addAllNow[T any](op string, w *World, ids []Entity, v *T) error {
	c, err := componentForMany(op, w, v)
	if err != nil {
		return err
	}
	if err := w.allExist(op, ids); err != nil {
		return err
	}
	if !c.kind.has(isShared) {
		if err := w.changeAll(op, ids, []*component{c}, nil); err != nil {
			return err
		}
		return assignAll(op, w, ids, v)
	}
	return w.shareAll(op, ids, c, *v)
}

// componentForMany returns the component T of a value that many entities are to
// have, in a change that ends the life of handles.
func componentForMany[T any](op string, w *World, v *T) (*component, error) {
	c, err := componentIn[T](w, op)
	if err == nil && c.kind.has(isBuffer) && contentIsHandle(v) {
		err = w.foreign(op, c, place(v))
	}
	return c, err
}

// AddMatching gives all entities that q matches the component v, or overwrites
// those they have. With a shared component whole chunks are relabelled. A Commands
// buffer asks q at playback. As with [AddAll], v is no handle.
func AddMatching[T any, D Editor](to D, q *Query, v T) error {
	switch to := any(to).(type) {
	case *World:
		return addMatchingNow(to, q, &v)
	case *Commands:
		return recordAddMatching(to, q, &v)
	}
	return nil
}

func addMatchingNow[T any](w *World, q *Query, v *T) error {
	const op = "AddMatching"
	c, err := componentForMany(op, w, v)
	if err != nil {
		return err
	}
	if c.kind.has(isShared) {
		return w.shareMatching(op, q, c, *v)
	}
	if err := w.own(op, q); err != nil {
		return err
	}
	ids := q.AppendEntities(nil)
	if err := w.changeMatching(op, q, []*component{c}, nil); err != nil {
		return err
	}
	return assignAll(op, w, ids, v)
}

// assignAll overwrites the T of entities that have one.
func assignAll[T any](op string, w *World, ids []Entity, v *T) error {
	for _, e := range ids {
		s := w.entities.find(e)
		r := w.records[s.record]
		i := r.arch.find(keyOf[T]())
		if r.arch.columns[i].comp.kind.has(isTag) {
			return nil
		}
		if err := assign(op, w, r, i, int(s.row), v); err != nil {
			return err
		}
	}
	return nil
}
