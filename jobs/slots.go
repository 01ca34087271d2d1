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

// newJob takes a slot for a single job.
func (s *seat) newJob(j Job, sc *Scope) *slot {
	k := s.kindOf(j)
	sl := s.newSlot()
	sl.shape, sl.one, sl.kind = shapeOne, j, k
	sl.bind(sc)
	return sl
}

// newLoop takes a slot for a parallel-for.
func (s *seat) newLoop(j RangeJob, n, grain int, sc *Scope) *slot {
	k := s.kindOf(j)
	sl := s.newSlot()
	sl.shape, sl.many, sl.n, sl.grain, sl.kind = shapeMany, j, n, grain, k
	sl.bind(sc)
	return sl
}

// newSlot takes a slot from the seat's own list.
func (s *seat) newSlot() *slot {
	if len(s.slots) == 0 {
		s.refillSlots()
	}
	last := len(s.slots) - 1
	sl := s.slots[last]
	s.slots = s.slots[:last]
	return sl
}

// dropSlot frees a slot whose generation was closed with the given word.
func (s *seat) dropSlot(sl *slot, word uint64) {
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
		s.dropEdges(sl.deps)
		sl.deps = 0
	}
	if sl.left.Load() != 0 {
		sl.left.Store(0)
	}
	if children := sl.children.Load(); children != 0 {
		sl.children.Store(0)
		s.dropEdges(children)
	}
	if word&wordFailed != 0 {
		return // retired: its handles keep the error
	}
	s.slots = append(s.slots, sl)
	if len(s.slots) > slotMost>>s.spare {
		s.returnSlots(slotMost >> s.spare / 2)
	}
}

func (s *seat) refillSlots() {
	p := s.pool
	p.slotsMu.Lock()
	defer p.slotsMu.Unlock()
	if len(p.slots) == 0 {
		slab := new([slotSlab]slot)
		for i := range slab {
			slab[i].pool = p
			p.slots = append(p.slots, &slab[i])
		}
		p.enlist(slab)
	}
	from := max(len(p.slots)-slotBatch, 0)
	s.slots = append(s.slots, p.slots[from:]...)
	p.slots = p.slots[:from]
}

// enlist remembers a slab for unfinished, as long as one of its slots is in use or
// free: those of failed jobs are neither. The lock is held.
func (p *Pool) enlist(slab *[slotSlab]slot) {
	if len(p.slabs) == cap(p.slabs) {
		p.slabs = slices.DeleteFunc(p.slabs, func(w weak.Pointer[[slotSlab]slot]) bool { return w.Value() == nil })
	}
	p.slabs = append(p.slabs, weak.Make(slab))
}

// returnSlots gives slots back to the pool until keep are left.
func (s *seat) returnSlots(keep int) {
	p := s.pool
	p.slotsMu.Lock()
	defer p.slotsMu.Unlock()
	p.slots = append(p.slots, s.slots[keep:]...)
	s.slots = s.slots[:keep]
}
