package jobs

import (
	"reflect"
	"slices"
	"weak"
)

// kindOf is the kind of a job.
func (m *measures) kindOf(job any) *kind {
	c := &m.kinds
	if t := reflect.TypeOf(job); t != c.typ {
		_, named := job.(Named)
		*c = kindCache{typ: t, named: named, code: !named && t.Kind() == reflect.Func}
	}
	switch {
	case c.named:
		if name := job.(Named).JobName(); c.kind == nil || name != c.name {
			c.name = name
			c.kind = kindsByName.find(name, func(name string) string { return name })
		}
	case c.code:
		if pc := codeOf(job); c.kind == nil || pc != c.pc {
			c.pc = pc
			c.kind = kindsByCode.find(pc, codeName)
		}
	case c.kind == nil:
		c.kind = kindsByType.find(c.typ, typeName)
	}
	return c.kind
}

// newSlot takes a slot from the seat's own list.
func (m *memory) newSlot() *slot {
	if len(m.slots) == 0 {
		m.refillSlots()
	}
	last := len(m.slots) - 1
	sl := m.slots[last]
	m.slots = m.slots[:last]
	return sl
}

// dropSlot frees a slot whose generation was closed with the given word.
func (m *memory) dropSlot(sl *slot, word uint64) {
	switch sl.shape {
	case shapeOne, shapeOutside:
		sl.one = nil
	case shapeMany:
		sl.many = nil
	}
	sl.shape, sl.priority, sl.lined = shapeNothing, Normal, false
	if sl.bound {
		sl.bound, sl.scope, sl.parent, sl.owner, sl.later = false, nil, nil, 0, nil
	}
	if sl.deps != 0 {
		m.dropEdges(sl.deps)
		sl.deps = 0
	}
	if sl.left.Load() != 0 {
		sl.left.Store(0)
	}
	if children := sl.children.Load(); children != 0 {
		sl.children.Store(0)
		m.dropEdges(children)
	}
	if word&wordFailed != 0 {
		return // retired: its handles keep the error
	}
	m.slots = append(m.slots, sl)
	if len(m.slots) > slotMost>>m.spare {
		m.returnSlots(slotMost >> m.spare / 2)
	}
}

func (m *memory) refillSlots() {
	st := m.store
	st.mu.Lock()
	defer st.mu.Unlock()
	if len(st.slots) == 0 {
		slab := new([slotSlab]slot)
		for i := range slab {
			slab[i].pool = st.pool
			st.slots = append(st.slots, &slab[i])
		}
		st.enlist(slab)
	}
	from := max(len(st.slots)-slotBatch, 0)
	m.slots = append(m.slots, st.slots[from:]...)
	st.slots = st.slots[:from]
}

// enlist remembers a slab for unfinished, as long as one of its slots is in use or
// free: those of failed jobs are neither. The lock is held.
func (st *store) enlist(slab *[slotSlab]slot) {
	if len(st.slabs) == cap(st.slabs) {
		st.slabs = slices.DeleteFunc(st.slabs, func(w weak.Pointer[[slotSlab]slot]) bool { return w.Value() == nil })
	}
	st.slabs = append(st.slabs, weak.Make(slab))
}

// returnSlots gives slots back to the pool until keep are left.
func (m *memory) returnSlots(keep int) {
	st := m.store
	st.mu.Lock()
	defer st.mu.Unlock()
	st.slots = append(st.slots, m.slots[keep:]...)
	m.slots = m.slots[:keep]
}

// unfinished is the name of a job that is not done, the oldest where slots were not
// used again. The caller holds all seats of a closed pool.
func (st *store) unfinished() string {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, w := range st.slabs {
		slab := w.Value()
		if slab == nil {
			continue
		}
		for i := range slab {
			if sl := &slab[slotSlab-1-i]; sl.shape != shapeNothing { // the last is used first
				return sl.kind.name
			}
		}
	}
	return "a job"
}
