package ecs

// probe is what a tool.Probe is.
type probe struct {
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

// NewProbe is tool.NewProbe.
func (dynamic) NewProbe(w *World, terms ...Term) *probe {
	const op = "tool.NewProbe"
	w.mustBeOpen(op)
	for _, t := range terms {
		if t.value != nil {
			panic(w.fault(ErrArgument, op, "%v has a value, which a query would have to keep: use World.Query", t))
		}
	}
	p := &probe{world: &w.matcher}
	if err := p.q.ask(&w.catalog, op, terms); err != nil {
		panic(err)
	}
	return p
}

// match returns the match of an archetype, looking at it the first time.
func (p *probe) match(op string, a Archetype) *match {
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

// Takes reports whether entities of an archetype match, if filters are ignored.
func (p *probe) Takes(a Archetype) bool { return p.match("tool.Probe.Takes", a) != nil }

// TakesAll reports whether all entities of an archetype match, whatever they have on or off
// and whatever filters say, so that Archetype.Len counts them.
func (p *probe) TakesAll(a Archetype) bool {
	m := p.match("tool.Probe.TakesAll", a)
	return m != nil && !m.filtered
}

// Matches reports whether e exists and matches, filters heeded, as [Query.Matches] does.
func (p *probe) Matches(e Entity) bool {
	const op = "tool.Probe.Matches"
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

// Rows reports how many rows of a chunk of an archetype match, filters heeded, and which: one bit
// a row in mask, which lies in room if that has 32 words; a nil mask is all of them.
func (p *probe) Rows(a Archetype, chunk int, room []uint64) (n int, mask []uint64) {
	const op = "tool.Probe.Rows"
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
