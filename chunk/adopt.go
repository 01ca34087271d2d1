package chunk

// Adopt makes spans, each of which came from Get of other Slabs, spans of s, as far as
// that goes without a copy: what Owns says of them afterwards. What they hold stays.
//
// A slab goes over as it is if these spans are all that is in use of it, and not too
// little. Others stay where they are, for the caller to copy what they hold: so no slab
// has spans of two, and memory that one has given up is not kept by a few spans of the
// other. For slabs that go over, from gets those that s has no use for, up to the
// same size, so that memory which goes the same way again and again is made once.
//
// It panics as Put does if a span did not come from from, and has changed nothing
// then.
func (s *Slabs) Adopt(spans []Span, from *Slabs) {
	if s == from {
		return
	}
	for _, sp := range spans {
		from.check("Adopt", sp)
	}
	met := from.met[:0]
	move := func(r *region, n int) {
		if r.moving == 0 {
			met = append(met, r)
		}
		r.moving += n
	}
	for _, sp := range spans {
		move(sp.of, int(sp.n))
	}
	for _, r := range met { // not those that are met on the way
		if r.parent != nil && r.moving == r.used {
			move(r.parent, 1)
		}
	}
	given := 0
	for _, r := range met {
		if r.parent == nil && s.takesWhole(r) {
			from.remove(r)
			s.insert(r)
			given += r.units
		}
	}
	for _, r := range met {
		if r.parent != nil && r.parent.owner == s { // a block goes with its slab
			from.lines.remove(r)
			r.owner = s
			_, longest := r.inUse.find(maxUnits)
			s.lines.file(r, longest)
		}
		r.moving = 0
	}
	for _, sp := range spans {
		if s.Owns(sp) {
			n := int(sp.n) * sp.of.unit
			from.used -= n
			s.used += n
		}
	}
	clear(met)
	from.met = met[:0]
	s.giveBack(from, given)
}

// few is how many blocks of a slab are left where they are rather than that s takes
// the slab, if it has room for them.
const few = 4

// takesWhole reports whether s takes a slab as it is: no other has a span of it, and
// an eighth of it is in use. Slabs double, so that of a world which goes over as
// a whole few blocks are in one that does not pass.
func (s *Slabs) takesWhole(r *region) bool {
	if r.moving < r.used || 8*r.moving < r.units {
		return false
	}
	return r.moving > few || (s.bytes-s.held)/Size < r.moving
}

// giveBack lets another Slabs have slabs that are free, of so many blocks at most.
func (s *Slabs) giveBack(to *Slabs, blocks int) {
	for i := len(s.idle) - 1; i >= 0 && blocks > 0; i-- {
		if r := s.idle[i]; r.units <= blocks {
			blocks -= r.units
			s.remove(r)
			to.insert(r)
		}
	}
}
