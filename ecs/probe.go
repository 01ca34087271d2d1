package ecs

// Probe is a query for tools that go through a world piece by piece, some pieces between two
// frames. It looks at an archetype only when it is asked about it, so that NewProbe takes the
// same time however many archetypes there are. The world does not keep it, and it need not
// be closed. A Probe is for the owner of the world.
type Probe struct {
	world   *matcher
	q       matching
	matches []probed // by place of the archetype
	orders  uint32   // the world's archetypes in that order
}

// probed is what is known of one archetype.
type probed struct {
	looked bool
	match  *match // nil: it does not match
}

// NewProbe returns a probe for the entities that a query of the same terms matches. It panics as
// [World.Query] does, and also if a term has a value, as [WithShared] has.
func NewProbe(w *World, terms ...Term) *Probe {
	const op = "NewProbe"
	w.mustBeOpen(op)
	for _, t := range terms {
		if t.value != nil {
			panic(w.fault(ErrArgument, op, "%v has a value, which a query would have to keep: use World.Query", t))
		}
	}
	p := &Probe{world: &w.matcher}
	if err := p.q.ask(&w.catalog, op, terms); err != nil {
		panic(err)
	}
	return p
}

// match returns the match of an archetype, looking at it the first time.
func (p *Probe) match(op string, a Archetype) *match {
	own := a.available(op)
	w := p.world
	if own.world != &w.tables {
		panic(w.fault(ErrArgument, op, "%v is of another world", a))
	}
	if p.orders != w.returns.reordered {
		p.orders, p.matches = w.returns.reordered, nil
	}
	if own.index == unlisted {
		if !p.q.fits(own) {
			return nil
		}
		return p.q.examine(own)
	}
	if own.index >= len(p.matches) {
		p.matches = append(p.matches, make([]probed, len(w.archetypes)-len(p.matches))...)
	}
	at := &p.matches[own.index]
	if !at.looked {
		if at.looked = true; p.q.fits(own) {
			at.match = p.q.examine(own)
		}
	}
	return at.match
}

// MatchesArchetype reports whether entities of the archetype match, if filters are ignored. It panics with an *Error if the archetype is of
// another world.
func (p *Probe) MatchesArchetype(a Archetype) bool {
	return p.match("Probe.MatchesArchetype", a) != nil
}

// MatchesAll reports whether all entities of the archetype match, whichever components are on or off
// and whatever filters say, so that [Archetype.Len] is their number.
func (p *Probe) MatchesAll(a Archetype) bool {
	m := p.match("Probe.MatchesAll", a)
	return m != nil && !m.filtered
}

// Matches reports whether e exists and matches, with filters applied, as [Query.Matches] does.
func (p *Probe) Matches(e Entity) bool {
	const op = "Probe.Matches"
	w := p.world
	s := w.entities.find(e)
	if s == nil {
		return w.refuseLent(op)
	}
	r := w.records[s.record]
	m := p.match(op, Archetype{r.arch})
	if m == nil || !m.filtered {
		return m != nil
	}
	w.completeFilters(op, &p.q)
	return m.passes(r, 0) && (m.rows == nil || m.rows.passes(r, int(s.row)))
}

// Rows returns how many rows of a chunk of the archetype match, with filters applied, and a mask with a bit
// for each row that does. A nil mask means all rows. The mask uses the memory of room if that has 32 words, so that the call allocates nothing.
func (p *Probe) Rows(a Archetype, chunk int, room []uint64) (n int, mask []uint64) {
	const op = "Probe.Rows"
	m := p.match(op, a)
	if m == nil || chunk < 0 || chunk >= len(m.arch.chunks) {
		return 0, nil
	}
	p.world.completeFilters(op, &p.q)
	r := m.arch.chunks[chunk]
	if !m.passes(r, 0) {
		return 0, nil
	}
	if m.rows == nil {
		return r.n, nil
	}
	if len(room) < maskWords {
		room = make([]uint64, maskWords)
	}
	mask, n = m.rows.rows(r, room)
	return n, mask
}
