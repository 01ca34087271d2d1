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
		from.checkSpan("Adopt", sp)
	}
	met := from.adopting[:0]
	move := func(r *region, n int) {
		if r.adoptedUnits == 0 {
			met = append(met, r)
		}
		r.adoptedUnits += n
	}
	for _, sp := range spans {
		move(sp.region, int(sp.n))
	}
	for _, r := range met { // without the slabs that the loop appends
		if r.parent != nil && r.adoptedUnits == r.used {
			move(r.parent, 1)
		}
	}
	given := 0
	for _, r := range met {
		if r.parent == nil && s.adoptsSlab(r) {
			from.removeSlab(r)
			s.addSlab(r)
			given += r.units
		}
	}
	for _, r := range met {
		if r.parent != nil && r.parent.owner == s { // a split block moves with its slab
			from.freePieces.unlink(r)
			r.owner = s
			_, longest := r.inUse.findRun(maxUnits)
			s.freePieces.refile(r, longest)
		}
		r.adoptedUnits = 0
	}
	for _, sp := range spans {
		if s.Owns(sp) {
			n := int(sp.n) * sp.region.unit
			from.used -= n
			s.used += n
		}
	}
	clear(met)
	from.adopting = met[:0]
	s.returnFreeSlabs(from, given)
}

// maxCopied is the largest number of adopted blocks of a slab for which s does not take over the slab if it has room for them: the caller copies them
// instead.
const maxCopied = 4

// adoptsSlab reports whether s takes over a slab: all its spans are adopted, and at least an eighth of it is in use. Slabs double in size, so that few
// blocks of a world that moves as a whole are in a slab that fails this.
func (s *Slabs) adoptsSlab(r *region) bool {
	if r.adoptedUnits < r.used || 8*r.adoptedUnits < r.units {
		return false
	}
	return r.adoptedUnits > maxCopied || (s.slabBytes-s.blockBytes)/Size < r.adoptedUnits
}

// returnFreeSlabs moves idle slabs to another Slabs, of at most so many blocks.
func (s *Slabs) returnFreeSlabs(to *Slabs, blocks int) {
	for i := len(s.idle) - 1; i >= 0 && blocks > 0; i-- {
		if r := s.idle[i]; r.units <= blocks {
			blocks -= r.units
			s.removeSlab(r)
			to.addSlab(r)
		}
	}
}
