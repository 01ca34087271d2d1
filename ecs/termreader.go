package ecs

import "slices"

// termReader reads terms into a signature, one by one, and refuses those that do not fit together.
type termReader struct {
	in *catalog
	op string // whose errors they are
	*signature
}

// add takes one term into the query.
func (p termReader) add(t Term) error {
	if t.typ == nil {
		return p.addGroup(t)
	}
	if c := worldwideOf(p.op, t); c != nil {
		return p.addWorldwide(c, t.mode == modeWrite)
	}
	c, err := p.named(t)
	if err != nil {
		return err
	}
	switch t.mode {
	case modeRead, modeWrite:
		p.data = append(p.data, data{comp: c, write: t.mode == modeWrite})
	case modeWith:
		p.with = append(p.with, c)
	case modeWithout:
		p.without = append(p.without, c)
	case modeDisabled:
		p.present, p.disabled = append(p.present, c), append(p.disabled, c)
	case modePresent:
		p.present = append(p.present, c)
	case modeAbsent:
		p.absent = append(p.absent, c)
	case modeChanged:
		if p.changed = append(p.changed, c); len(p.changed) > maxFilters {
			return p.in.fault(ErrArgument, p.op, "there are %d Changed terms; the limit is %d", len(p.changed), maxFilters).on(c)
		}
	case modeOnly:
		if !c.kind.has(isShared) {
			return p.in.fault(ErrArgument, p.op, "WithShared is for shared components: embed ecs.Shared").on(c)
		}
		if p.only = append(p.only, only{comp: c}); len(p.only) > maxFilters {
			return p.in.fault(ErrArgument, p.op, "there are %d WithShared terms; the limit is %d", len(p.only), maxFilters).on(c)
		}
	}
	return nil
}

// addWorldwide takes the term for a Worldwide type into the query, whose jobs look
// everywhere from now on: those of other archetypes touch the same thing.
func (p termReader) addWorldwide(c *component, write bool) error {
	if err := p.in.admit(p.op, c); err != nil {
		return err
	}
	for _, d := range p.reach {
		switch {
		case d.comp != c:
		case d.write != write:
			return p.in.fault(ErrState, p.op, "one job declares both to read and to write it: a writer may read").on(c)
		default:
			return p.in.fault(ErrArgument, p.op, "the type comes twice in the query").on(c)
		}
	}
	p.reach = append(p.reach, data{comp: c, write: write})
	return nil
}

// named returns the component that a term is for; an error if the term cannot be
// for it.
func (p termReader) named(t Term) (*component, error) {
	c, err := p.in.componentOf(p.op, t.typ)
	if err != nil {
		return nil, err
	}
	if err := p.in.admit(p.op, c); err != nil {
		return nil, err
	}
	switch t.mode {
	case modeRead, modeWrite:
		if c.kind.has(isShared) {
			return nil, p.in.fault(ErrArgument, p.op, "a shared component has no column: ask for it With, and use SharedValue").on(c)
		}
	case modeDisabled:
		if !c.kind.has(isEnableable) {
			return nil, p.in.fault(ErrState, p.op, "the component cannot be Disabled: embed ecs.Enableable").on(c)
		}
	}
	return c, nil
}

// addGroup takes a term without a type of its own into the query: a flag, or one that has terms inside. A term
// that is refused may have been taken in half: whoever gets the error makes no query of it. Terms are one level
// deep, but for AllOf inside AnyOf, which is a choice: no list of the signature holds a term that has terms.
func (p termReader) addGroup(t Term) error {
	switch t.mode {
	case modeOrderChanged:
		p.ordered = true
		return nil
	case modeIgnoreEnabled:
		p.ignore = true
		return nil
	case modeFilterWriteGroup:
		p.grouped = true
		return nil
	}
	if k := kindsOf(t.mode); k != 0 {
		p.include |= k
		return nil
	}
	switch {
	case t.mode == 0 || len(t.terms) == 0:
		return p.in.fault(ErrArgument, p.op, "the term %v names no type", t)
	case t.mode == modeAnyOf && slices.ContainsFunc(t.terms, func(sub Term) bool { return sub.mode == modeAllOf }):
		return p.addChoice(t)
	case t.mode == modeAllOf:
		return p.in.fault(ErrArgument, p.op, "%v stands inside AnyOf only: leave AllOf out", t)
	}
	var set []*component
	for _, sub := range t.terms {
		c, err := p.addInner(t.mode, sub)
		if err != nil {
			return err
		}
		set = append(set, c)
	}
	if t.mode == modeAnyOf {
		p.anyOf = append(p.anyOf, set)
	}
	return nil
}

// addInner takes a term inside one of mode outer into the query.
func (p termReader) addInner(outer mode, sub Term) (*component, error) {
	if outer == modeAnyOf && sub.mode == modeOnly {
		return nil, p.noFilter(sub, outer)
	}
	if sub.mode != modeRead && sub.mode != modeWrite && (sub.mode != modeWith || outer != modeAnyOf && outer != modeChangedAny) {
		return nil, p.in.fault(ErrArgument, p.op, "%v cannot stand inside %s", sub, modeNames[outer])
	}
	c, err := p.in.componentOf(p.op, sub.typ)
	if err != nil {
		return nil, err
	}
	if err := p.in.admit(p.op, c); err != nil {
		return nil, err
	}
	if c.kind.has(isShared) && sub.mode != modeWith && (outer == modeOptional || outer == modeAnyOf) {
		return nil, p.in.fault(ErrArgument, p.op, "a shared component has no column, so %v cannot stand inside %s: leave the term out, or ask AnyOf for it With, and use HasColumn and SharedValue", sub, modeNames[outer]).on(c)
	}
	d := data{comp: c, write: sub.mode == modeWrite, optional: true}
	switch {
	case outer == modeChangedAny:
		p.watched = append(p.watched, c)
	case outer == modeAnywhere || outer == modeElsewhere:
		if slices.ContainsFunc(p.reach, func(r data) bool { return r.comp == c && r.write != d.write }) {
			return nil, p.in.fault(ErrState, p.op, "one job reaches the component both to read and to write it: a Lookup that writes reads too").on(c)
		}
		d.apart = outer == modeElsewhere
		p.reach = append(p.reach, d)
	case sub.mode != modeWith:
		p.data = append(p.data, d)
	}
	return c, nil
}

// noFilter says that a filter cannot be one of several terms that need not hold.
func (p termReader) noFilter(t Term, where mode) error {
	return p.in.fault(ErrState, p.op, "%v is a filter, which every chunk of the query must pass: it cannot stand inside %s, make a query for each value", t, modeNames[where])
}

// addChoice takes an AnyOf that has an AllOf among its terms into the query.
func (p termReader) addChoice(t Term) error {
	var ch alternatives
	for _, sub := range t.terms {
		terms := []Term{sub}
		if sub.mode == modeAllOf {
			terms = sub.terms
		}
		if len(terms) == 0 {
			return p.in.fault(ErrArgument, p.op, "the term %v names no type", sub)
		}
		o := &alternative{}
		for _, term := range terms {
			if term.mode == modeOnly {
				return p.noFilter(term, modeAnyOf)
			}
			if err := p.addTo(o, term, modeNames[sub.mode]); err != nil {
				return err
			}
		}
		ch = append(ch, o)
	}
	p.choices = append(p.choices, ch)
	return nil
}

// addTo takes a term into an alternative.
func (p termReader) addTo(o *alternative, t Term, where string) error {
	switch t.mode {
	case modeRead, modeWrite, modeWith, modeWithout, modeDisabled, modePresent, modeAbsent:
	default:
		return p.in.fault(ErrArgument, p.op, "%v cannot stand inside %s", t, where)
	}
	c, err := p.named(t)
	if err != nil {
		return err
	}
	if o.names(c) {
		return p.in.fault(ErrArgument, p.op, "the type comes twice in the query").on(c)
	}
	switch t.mode {
	case modeWithout:
		o.without = append(o.without, c)
	case modePresent:
		o.present = append(o.present, c)
	case modeAbsent:
		o.absent = append(o.absent, c)
	case modeDisabled:
		o.disabled = append(o.disabled, c)
	case modeWith:
		o.with = append(o.with, c)
	default:
		o.with = append(o.with, c)
		return p.addChosen(data{comp: c, write: t.mode == modeWrite, optional: true, chosen: true})
	}
	return nil
}

// addChosen adds what an alternative looks at to the columns of the query, once.
func (p termReader) addChosen(d data) error {
	for _, own := range p.data {
		if own.comp == d.comp && own.chosen {
			if own.write != d.write {
				return p.in.fault(ErrArgument, p.op, "one alternative reads the component, another writes it: Write it in both").on(d.comp)
			}
			return nil
		}
	}
	p.data = append(p.data, d)
	return nil
}

// validate refuses types that come twice, and filters without their type. A type comes once, but for two cases: as a
// choice of several AllOf, and where one term says which rows and an optional one looks at them.
func (p termReader) validate() error {
	all, err := p.once()
	if err != nil {
		return err
	}
	seen := map[*component]bool{}
	for _, c := range all {
		if seen[c] {
			return p.twice(c)
		}
		seen[c] = true
	}
	if err := p.checkChoices(seen); err != nil {
		return err
	}
	for _, f := range p.only {
		switch {
		case slices.Contains(p.with, f.comp) || slices.Contains(p.present, f.comp):
		case seen[f.comp]:
			return p.in.fault(ErrState, p.op, "WithShared is a filter by the value of a component that every entity of the query has: name it With or Present, not Without, Absent or inside AnyOf").on(f.comp)
		default:
			p.with = append(p.with, f.comp) // WithShared asks for its type itself
			seen[f.comp] = true
		}
	}
	for _, c := range p.changed {
		if asked, _ := p.asks(c); !asked {
			return p.in.fault(ErrState, p.op, "Changed is for a type that the query asks for: add Read, Write or With").on(c)
		}
	}
	if err := p.findBits(); err != nil {
		return err
	}
	return p.checkReach()
}

// once lists the types that the query names, those that may come once only.
func (p termReader) once() ([]*component, error) {
	all := slices.Concat(p.with, p.without, p.present, p.absent)
	for _, d := range p.data {
		if d.chosen {
			if slices.ContainsFunc(p.data, func(o data) bool { return o.comp == d.comp && !o.chosen }) {
				return nil, p.twice(d.comp)
			}
			continue
		}
		if d.optional && (slices.Contains(p.present, d.comp) || slices.Contains(p.without, d.comp) && d.comp.kind.has(isEnableable)) {
			continue // one says which rows, the other looks at them
		}
		all = append(all, d.comp)
	}
	for _, set := range p.anyOf {
		for _, c := range set {
			if !slices.ContainsFunc(p.data, func(d data) bool { return d.comp == c }) {
				all = append(all, c)
			}
		}
	}
	return all, nil
}

func (p termReader) twice(c *component) error {
	return p.in.fault(ErrArgument, p.op, "the type comes twice in the query").on(c)
}

// checkChoices refuses types that an alternative and the rest of the query both
// name.
func (p termReader) checkChoices(seen map[*component]bool) error {
	for _, ch := range p.choices {
		var twice *component
		own := map[*component]bool{}
		for _, o := range ch {
			o.eachNamed(func(c *component) {
				own[c] = true
				if seen[c] {
					twice = c
				}
			})
		}
		if twice != nil {
			return p.in.fault(ErrArgument, p.op, "the type comes twice in the query").on(twice)
		}
		for c := range own {
			seen[c] = true
		}
	}
	return nil
}

// maxBits is how many enableable components a query may ask for.
const maxBits = 8

// findBits collects the enableable components whose bits decide about rows.
func (p termReader) findBits() error {
	note := func(list ...*component) {
		for _, c := range list {
			if c.kind.has(isEnableable) && !slices.Contains(p.bits, c) {
				p.bits = append(p.bits, c)
			}
		}
	}
	note(p.with...)
	note(p.without...)
	note(p.disabled...)
	for _, set := range p.anyOf {
		note(set...)
	}
	for _, d := range p.data {
		if !d.optional {
			note(d.comp)
		}
	}
	for _, ch := range p.choices {
		for _, o := range ch {
			note(o.with...)
			note(o.without...)
			note(o.disabled...)
		}
	}
	if len(p.bits) > maxBits {
		return p.in.fault(ErrArgument, p.op, "there are %d enableable components; the limit is %d", len(p.bits), maxBits).on(p.bits[maxBits])
	}
	if p.ignore {
		p.bits = nil
	}
	return nil
}

// checkReach refuses jobs that write anywhere what the filters look at while
// others of them run, and jobs of which one reads what another writes.
func (p termReader) checkReach() error {
	for _, d := range p.reach {
		if err := p.checkRace(d); err != nil {
			return err
		}
		switch {
		case !d.write:
		case slices.Contains(p.changed, d.comp) || slices.Contains(p.watched, d.comp):
			return p.in.fault(ErrState, p.op, "the jobs write anywhere what a Changed term looks at: leave the term out, or write in another query's jobs").on(d.comp)
		case slices.Contains(p.bits, d.comp) || p.grouped && !p.ignore && d.comp.kind.has(isEnableable) && p.takesOver(d.comp):
			return p.in.fault(ErrState, p.op, "the jobs write anywhere a component whose switch decides about rows: add IgnoreEnabled, or ask for it with Present").on(d.comp)
		}
	}
	return nil
}

// checkRace refuses a query whose jobs reach a component in other chunks, as d says, and access it by chunk too, if one
// of the two accesses is a write, because the value that is read would depend on the order of the chunks. A chunk
// component counts as a component of its meta entity.
func (p termReader) checkRace(d data) error {
	if d.apart || d.comp.worldwide {
		return nil
	}
	for _, own := range p.data {
		if own.comp != d.comp && own.comp.per != d.comp || !own.write && !d.write || d.comp.kind.has(isTag) && !d.comp.kind.has(isEnableable) {
			continue
		}
		by, term := "reads", "Read"
		if own.write {
			by = "writes"
		}
		if d.write {
			term = "Write"
		}
		return p.in.fault(ErrState, p.op, "the query %s the component by chunk, and its jobs reach it in other chunks by Anywhere(%s…): what is read would depend on which chunk is done first; read a copy that an earlier job has made, or say Elsewhere(%s…) if no look-up reaches a row of another chunk that the query matches, which a build with -tags lanewise_guard checks; a loop over Chunks can use NewWorldLookup", by, term, term).on(own.comp)
	}
	return nil
}
