package ecs

// Version returns the world's global version. It starts at 1, grows with every
// update, and is never 0.
func (w *World) Version() uint32 { return w.version }

// ChangeVersion returns the global version at which write access to T in the
// chunk of e was last given; 0 if e has no T.
func ChangeVersion[T any](w *World, e Entity) uint32 {
	s := w.entities.find(e)
	if s == nil {
		w.refuseLent("ChangeVersion")
		return 0
	}
	r := w.records[s.record]
	if i := r.arch.find(keyOf[T]()); i >= 0 {
		return r.changedAt(i)
	}
	return 0
}

// OrderCount returns how often rows that have T came or went, or their chunks
// were relabelled, counted in batches: creating and destroying count once,
// adding and removing a component twice, for leaving and for entering.
func OrderCount[T any](w *World) uint32 {
	w.refuseLent("OrderCount")
	n := w.hooks.passed()
	for _, a := range w.archetypes {
		if a.find(keyOf[T]()) >= 0 {
			n += a.orders
		}
	}
	return n
}

// MetaOf returns the meta entity of e's chunk; the null entity if e does not
// exist or its chunk has no chunk components.
func (w *World) MetaOf(e Entity) Entity {
	if s := w.entities.find(e); s != nil {
		return w.records[s.record].meta
	}
	w.refuseLent("MetaOf")
	return Entity{}
}
