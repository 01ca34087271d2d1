package ecs

// Version returns the world's global version. It starts at 1, grows with every
// update, and is never 0.
func (w *World) Version() uint32 { return w.version }

// ChangeVersion returns the global version at which write access to T in the
// chunk of e was last given; 0 if e has no T.
func ChangeVersion[T any](w *World, e Entity) uint32 {
	w.given("ChangeVersion")
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
