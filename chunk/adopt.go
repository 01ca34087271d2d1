package chunk

// Adopt makes blocks, each of which came from Get of other Slabs, blocks of s, and
// writes to the list where they are then. What they hold stays.
//
// A slab goes over as it is, and its blocks stay where they are, if they are all that
// is in use of it, and not too little. Other blocks are copied to memory of s, and put
// back to the Slabs that they came from: so no slab has blocks of two, and memory that
// one has given up is not kept by a few blocks of the other. For slabs that go over,
// from gets those that s has no use for, up to the same size, so that memory which goes
// the same way again and again is made once.
//
// It panics as Put does if a block did not come from from, and has changed nothing
// then.
func (s *Slabs) Adopt(blocks []*Block, from *Slabs) {
	if s == from {
		return
	}
	for _, b := range blocks {
		from.of("Adopt", b)
	}
	from.met = from.met[:0]
	for _, b := range blocks {
		sl := from.of("Adopt", b)
		if sl.moving++; sl.moving == 1 {
			from.met = append(from.met, sl)
		}
	}
	given := 0
	for _, sl := range from.met {
		if s.takesWhole(sl) {
			from.remove(sl)
			s.insert(sl)
			given += sl.blocks
		}
	}
	for i, b := range blocks {
		if s.find(b) != nil {
			continue // it has gone over
		}
		to := s.Get()
		*to = *b
		from.Put(b)
		blocks[i] = to
	}
	for i, sl := range from.met {
		sl.moving = 0
		from.met[i] = nil
	}
	s.giveBack(from, given)
}

// few is how many blocks of a slab are copied rather than that s takes the slab, if it
// has room for them.
const few = 4

// takesWhole reports whether s takes a slab as it is: nobody else has a block of it,
// half of those that were ever used are, and an eighth of all. Slabs double, so that of
// a world which goes over as a whole few blocks are in one that does not pass.
func (s *Slabs) takesWhole(sl *slab) bool {
	ever := sl.blocks - len(sl.rest)/Size
	if sl.moving < sl.used || 2*sl.moving < ever || 8*sl.moving < sl.blocks {
		return false
	}
	return sl.moving > few || s.bytes/Size-s.used < sl.moving
}

// giveBack lets another Slabs have slabs that are free, of so many blocks at most.
func (s *Slabs) giveBack(to *Slabs, blocks int) {
	for i := len(s.all) - 1; i >= 0 && blocks > 0; i-- {
		if sl := s.all[i]; sl.used == 0 && sl.blocks <= blocks {
			blocks -= sl.blocks
			s.remove(sl)
			to.insert(sl)
		}
	}
}
