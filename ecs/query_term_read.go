package ecs

import "slices"

// termReader adds terms to a signature, one by one. It returns an error for terms that do not fit
// together.
type termReader struct {
	world *World
	op    string // the operation for errors
	*signature
}

// add adds one term to the query.
func (p termReader) add(t Term) error {
	if t.typ == nil {
		return p.addUntypedTerm(t)
	}
	if c := worldwideOf(p.op, t); c != nil {
		return p.addWorldwide(c, t.mode == modeWrite)
	}
	c, err := p.termComponent(t)
	if err != nil {
		return err
	}
	switch t.mode {
	case modeRead, modeWrite:
		p.columnTerms = append(p.columnTerms, columnTerm{comp: c, write: t.mode == modeWrite})
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
		if p.changedComponents = append(p.changedComponents, c); len(p.changedComponents) > maxFilters {
			return p.world.gate.fault(ErrArgument, p.op, "there are %d Changed terms; the limit is %d", len(p.changedComponents), maxFilters).forComponent(c)
		}
	case modeWithShared:
		if !c.kind.has(isShared) {
			return p.world.gate.fault(ErrArgument, p.op, "WithShared is for shared components: embed ecs.Shared").forComponent(c)
		}
		if p.sharedFilters = append(p.sharedFilters, sharedFilter{comp: c}); len(p.sharedFilters) > maxFilters {
			return p.world.gate.fault(ErrArgument, p.op, "there are %d WithShared terms; the limit is %d", len(p.sharedFilters), maxFilters).forComponent(c)
		}
	}
	return nil
}

// addWorldwide adds the term for a Worldwide type. Then the query's jobs conflict with other jobs
// that access the type, in whatever archetypes, because the type has one value for the whole world.
func (p termReader) addWorldwide(c *component, write bool) error {
	if err := p.world.types.admit(p.op, c); err != nil {
		return err
	}
	for _, d := range p.reachTerms {
		switch {
		case d.comp != c:
		case d.write != write:
			return p.world.gate.fault(ErrState, p.op, "one job declares both to read and to write it: a writer may read").forComponent(c)
		default:
			return p.world.gate.fault(ErrArgument, p.op, twiceWorldwide).forComponent(c)
		}
	}
	p.reachTerms = append(p.reachTerms, columnTerm{comp: c, write: write})
	return nil
}

// termComponent returns the component of a term, or an error if the component is not allowed in
// such a term.
func (p termReader) termComponent(t Term) (*component, error) {
	c, err := p.world.types.componentOf(p.op, t.typ)
	if err != nil {
		return nil, err
	}
	if err := p.world.types.admit(p.op, c); err != nil {
		return nil, err
	}
	switch t.mode {
	case modeRead, modeWrite:
		if c.kind.has(isShared) {
			return nil, p.world.gate.fault(ErrArgument, p.op, "a shared component has no column: ask for it With, and use SharedValue").forComponent(c)
		}
	case modeDisabled:
		if !c.kind.has(isEnableable) {
			return nil, p.world.gate.fault(ErrState, p.op, "the component cannot be Disabled: embed ecs.Enableable").forComponent(c)
		}
	}
	return c, nil
}

// addUntypedTerm adds a term without a type. Such a term is a flag, or a term with inner terms. If
// addUntypedTerm returns an error, the term may be partly added; then the caller creates no query. A term
// may contain other terms, but only one level deep. The exception is an AllOf inside AnyOf, which becomes a
// choice. So no list of the signature contains a term that contains other terms.
func (p termReader) addUntypedTerm(t Term) error {
	switch t.mode {
	case modeOrderChanged:
		p.orderChanged = true
		return nil
	case modeIgnoreEnabled:
		p.ignoreEnabled = true
		return nil
	case modeFilterWriteGroup:
		p.filterWriteGroup = true
		return nil
	}
	if k := hiddenKindsOf(t.mode); k != 0 {
		p.includedKinds |= k
		return nil
	}
	switch {
	case t.mode == 0 || len(t.terms) == 0:
		return p.world.gate.fault(ErrArgument, p.op, "the term %v names no type", t)
	case t.mode == modeAnyOf && slices.ContainsFunc(t.terms, func(sub Term) bool { return sub.mode == modeAllOf }):
		return p.addChoice(t)
	case t.mode == modeAllOf:
		return p.world.gate.fault(ErrArgument, p.op, "%v is only allowed inside AnyOf: leave AllOf out", t)
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

// addInner adds a term that is inside a term of mode outer.
func (p termReader) addInner(outer mode, sub Term) (*component, error) {
	if outer == modeAnyOf && sub.mode == modeWithShared {
		return nil, p.filterInsideError(sub, outer)
	}
	if sub.mode != modeRead && sub.mode != modeWrite && (sub.mode != modeWith || outer != modeAnyOf && outer != modeChangedAny) {
		return nil, p.world.gate.fault(ErrArgument, p.op, "%v is not allowed inside %s", sub, modeNames[outer])
	}
	c, err := p.world.types.componentOf(p.op, sub.typ)
	if err != nil {
		return nil, err
	}
	if err := p.world.types.admit(p.op, c); err != nil {
		return nil, err
	}
	if c.kind.has(isShared) && sub.mode != modeWith && (outer == modeOptional || outer == modeAnyOf) {
		return nil, p.world.gate.fault(ErrArgument, p.op, "a shared component has no column, so %v is not allowed inside %s: leave the term out, or ask AnyOf for it With, and use HasColumn and SharedValue", sub, modeNames[outer]).forComponent(c)
	}
	d := columnTerm{comp: c, write: sub.mode == modeWrite, optional: true}
	switch {
	case outer == modeChangedAny:
		p.changedAnyComponents = append(p.changedAnyComponents, c)
	case outer == modeAnywhere || outer == modeElsewhere:
		if slices.ContainsFunc(p.reachTerms, func(r columnTerm) bool { return r.comp == c && r.write != d.write }) {
			return nil, p.world.gate.fault(ErrState, p.op, "one job reaches the component both to read and to write it: a Lookup that writes reads too").forComponent(c)
		}
		d.insideElsewhere = outer == modeElsewhere
		p.reachTerms = append(p.reachTerms, d)
	case sub.mode != modeWith:
		p.columnTerms = append(p.columnTerms, d)
	}
	return c, nil
}

// filterInsideError returns the error for a filter inside a term such as AnyOf. Such a term may
// match although some of the terms inside it do not hold.
func (p termReader) filterInsideError(t Term, where mode) error {
	return p.world.gate.fault(ErrState, p.op, "%v is a filter, which every chunk of the query must pass: it is not allowed inside %s, make a query for each value", t, modeNames[where])
}

// addChoice adds an AnyOf that has an AllOf among its terms.
func (p termReader) addChoice(t Term) error {
	var ch alternatives
	for _, sub := range t.terms {
		terms := []Term{sub}
		if sub.mode == modeAllOf {
			terms = sub.terms
		}
		if len(terms) == 0 {
			return p.world.gate.fault(ErrArgument, p.op, "the term %v names no type", sub)
		}
		o := &alternative{}
		for _, term := range terms {
			if term.mode == modeWithShared {
				return p.filterInsideError(term, modeAnyOf)
			}
			if err := p.addToAlternative(o, term, modeNames[sub.mode]); err != nil {
				return err
			}
		}
		ch = append(ch, o)
	}
	p.choices = append(p.choices, ch)
	return nil
}

// addToAlternative adds one of the terms of an AllOf to its alternative.
func (p termReader) addToAlternative(o *alternative, t Term, where string) error {
	switch t.mode {
	case modeRead, modeWrite, modeWith, modeWithout, modeDisabled, modePresent, modeAbsent:
	default:
		return p.world.gate.fault(ErrArgument, p.op, "%v is not allowed inside %s", t, where)
	}
	c, err := p.termComponent(t)
	if err != nil {
		return err
	}
	if o.hasTerm(c) {
		return p.world.gate.fault(ErrArgument, p.op, twiceInQuery).forComponent(c)
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
		return p.addAlternativeColumn(columnTerm{comp: c, write: t.mode == modeWrite, optional: true, insideAllOf: true})
	}
	return nil
}

// addAlternativeColumn adds a column that an alternative names to the columns of the query, unless
// another alternative has added it already.
func (p termReader) addAlternativeColumn(d columnTerm) error {
	for _, own := range p.columnTerms {
		if own.comp == d.comp && own.insideAllOf {
			if own.write != d.write {
				return p.world.gate.fault(ErrArgument, p.op, "one alternative reads the component, another writes it: Write it in both").forComponent(d.comp)
			}
			return nil
		}
	}
	p.columnTerms = append(p.columnTerms, d)
	return nil
}

// validate returns an error if a type occurs twice, or if a filter is for a type that no other term
// names. A type may occur twice in only two cases. Different AllOf terms of a choice may name it. Or
// one term affects which rows match, and the other is an optional term for the column of the type.
func (p termReader) validate() error {
	all, err := p.uniqueComponents()
	if err != nil {
		return err
	}
	seen := map[*component]bool{}
	for _, c := range all {
		if seen[c] {
			return p.duplicateError(c)
		}
		seen[c] = true
	}
	if err := p.checkChoices(seen); err != nil {
		return err
	}
	for _, f := range p.sharedFilters {
		switch {
		case slices.Contains(p.with, f.comp) || slices.Contains(p.present, f.comp):
		case seen[f.comp]:
			return p.world.gate.fault(ErrState, p.op, "WithShared is a filter by the value of a component that every entity of the query has: name it With or Present, not Without, Absent or inside AnyOf").forComponent(f.comp)
		default:
			p.with = append(p.with, f.comp) // WithShared requires its type itself
			seen[f.comp] = true
		}
	}
	for _, c := range p.changedComponents {
		if asked, _ := p.requiresComponent(c); !asked {
			return p.world.gate.fault(ErrState, p.op, "Changed is for a type that the query asks for: add Read, Write or With").forComponent(c)
		}
	}
	if err := p.findEnableables(); err != nil {
		return err
	}
	return p.checkReach()
}

// uniqueComponents lists the types that the query names and that may occur only once.
func (p termReader) uniqueComponents() ([]*component, error) {
	all := make([]*component, 0, len(p.with)+len(p.without)+len(p.present)+len(p.absent)+len(p.columnTerms))
	all = append(append(append(append(all, p.with...), p.without...), p.present...), p.absent...)
	for _, d := range p.columnTerms {
		if d.insideAllOf {
			if slices.ContainsFunc(p.columnTerms, func(o columnTerm) bool { return o.comp == d.comp && !o.insideAllOf }) {
				return nil, p.duplicateError(d.comp)
			}
			continue
		}
		if d.optional && (slices.Contains(p.present, d.comp) || slices.Contains(p.without, d.comp) && d.comp.kind.has(isEnableable)) {
			continue // one decides about rows, the other one is for the column
		}
		all = append(all, d.comp)
	}
	for _, set := range p.anyOf {
		for _, c := range set {
			if !slices.ContainsFunc(p.columnTerms, func(d columnTerm) bool { return d.comp == c }) {
				all = append(all, c)
			}
		}
	}
	return all, nil
}

// These are the messages about two terms for one type.
const (
	twiceInQuery   = "the type comes twice in the query: keep one term, because Read and Write also require the component, and a writer may read; to match rows where it is off too, add IgnoreEnabled"
	twiceWorldwide = "the type comes twice in the query: keep one term, because a writer may read"
)

func (p termReader) duplicateError(c *component) error {
	return p.world.gate.fault(ErrArgument, p.op, twiceInQuery).forComponent(c)
}

// checkChoices returns an error if an alternative names a type that another term of the query,
// outside of its choice, names too.
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
			return p.world.gate.fault(ErrArgument, p.op, twiceInQuery).forComponent(twice)
		}
		for c := range own {
			seen[c] = true
		}
	}
	return nil
}

// maxEnableables is the largest number of enableable components in a query.
const maxEnableables = 8

// findEnableables collects the enableable components whose bits affect which rows match.
func (p termReader) findEnableables() error {
	note := func(list ...*component) {
		for _, c := range list {
			if c.kind.has(isEnableable) && !slices.Contains(p.enableables, c) {
				p.enableables = append(p.enableables, c)
			}
		}
	}
	note(p.with...)
	note(p.without...)
	note(p.disabled...)
	for _, set := range p.anyOf {
		note(set...)
	}
	for _, d := range p.columnTerms {
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
	if len(p.enableables) > maxEnableables {
		return p.world.gate.fault(ErrArgument, p.op, "there are %d enableable components; the limit is %d", len(p.enableables), maxEnableables).forComponent(p.enableables[maxEnableables])
	}
	if p.ignoreEnabled {
		p.enableables = nil
	}
	return nil
}

// checkReach returns an error if the query's jobs, through a Lookup, could write a component that
// filters of running jobs read, or read a component that these jobs write.
func (p termReader) checkReach() error {
	for _, d := range p.reachTerms {
		if err := p.checkRace(d); err != nil {
			return err
		}
		switch {
		case !d.write:
		case slices.Contains(p.changedComponents, d.comp) || slices.Contains(p.changedAnyComponents, d.comp):
			return p.world.gate.fault(ErrState, p.op, "the jobs write anywhere what a Changed term looks at: leave the term out, or write in another query's jobs").forComponent(d.comp)
		case slices.Contains(p.enableables, d.comp) || p.filterWriteGroup && !p.ignoreEnabled && d.comp.kind.has(isEnableable) && p.overriddenBy(d.comp):
			return p.world.gate.fault(ErrState, p.op, "the jobs write anywhere a component whose switch decides about rows: add IgnoreEnabled, or ask for it with Present").forComponent(d.comp)
		}
	}
	return nil
}

// checkRace returns an error if the query's jobs access a component both in their own chunk and, through
// a Lookup that d describes, in other chunks, and one of the two accesses is a write. Without this rule,
// a value that is read would depend on the order in which chunks are processed. A chunk component counts
// as a component of its meta entity.
func (p termReader) checkRace(d columnTerm) error {
	if d.insideElsewhere || d.comp.worldwide {
		return nil
	}
	for _, own := range p.columnTerms {
		if own.comp != d.comp && own.comp.perChunkValue != d.comp || !own.write && !d.write || d.comp.kind.has(isTag) && !d.comp.kind.has(isEnableable) {
			continue
		}
		by, term := "reads", "Read"
		if own.write {
			by = "writes"
		}
		if d.write {
			term = "Write"
		}
		return p.world.gate.fault(ErrState, p.op, "the query %s the component by chunk, and its jobs reach it in other chunks by Anywhere(%s…): what is read would depend on which chunk is done first; read a copy that an earlier job has made, or say Elsewhere(%s…) if no look-up reaches a row of another chunk that the query matches, which a build with -tags lanewise_guard checks; a loop over Chunks can use NewWorldLookup", by, term, term).forComponent(own.comp)
	}
	return nil
}

// declaredOf returns the component of a term. If the term is for a Worldwide type, it returns
// that type.
func (ct *componentTypes) declaredOf(op string, t Term) (*component, error) {
	if c := worldwideOf(op, t); c != nil {
		return c, nil
	}
	return ct.componentOf(op, t.typ)
}

// typesOf returns the components of the terms, sorted. The slice is scratch memory that the next call
// overwrites.
func (ct *componentTypes) typesOf(op string, terms []Term) ([]*component, error) {
	set := ct.setScratch[:0]
	for _, t := range terms {
		switch t.mode {
		case modeRead, modeWrite, modeWith:
		default:
			return nil, ct.gate.fault(ErrArgument, op, "%v is no type of an archetype: use With", t)
		}
		c, err := ct.componentOf(op, t.typ)
		if err != nil {
			return nil, err
		}
		set = append(set, c)
	}
	ct.setScratch = set
	if err := ct.checkNoHeader(op, set...); err != nil {
		return nil, err
	}
	return ct.sortSet(op, set)
}

// worldwideOf returns the Worldwide type to which a term declares access, or nil.
func worldwideOf(op string, t Term) *component {
	if t.mode != modeRead && t.mode != modeWrite {
		return nil
	}
	if c, err := componentOrWorldwide(op, t.typ); err == nil && c.worldwide {
		return c
	}
	return nil
}
