package ecs

import "slices"

// add takes one term into the query.
func (q *Query) add(op string, t Term) error {
	w := q.world
	if t.typ == nil {
		return q.addGroup(op, t)
	}
	if c := worldwideOf(op, t); c != nil {
		return q.addWorldwide(op, c, t.mode == modeWrite)
	}
	c, err := q.named(op, t)
	if err != nil {
		return err
	}
	switch t.mode {
	case modeRead, modeWrite:
		q.data = append(q.data, data{comp: c, write: t.mode == modeWrite})
	case modeWith:
		q.with = append(q.with, c)
	case modeWithout:
		q.without = append(q.without, c)
	case modeDisabled:
		q.present, q.disabled = append(q.present, c), append(q.disabled, c)
	case modePresent:
		q.present = append(q.present, c)
	case modeAbsent:
		q.absent = append(q.absent, c)
	case modeChanged:
		if q.changed = append(q.changed, c); len(q.changed) > maxFilters {
			return w.fault(ErrArgument, op, "there are %d Changed terms; the limit is %d", len(q.changed), maxFilters).on(c)
		}
	case modeOnly:
		if !c.kind.has(isShared) {
			return w.fault(ErrArgument, op, "Only is for shared components: embed ecs.Shared").on(c)
		}
		if q.only = append(q.only, only{comp: c}); len(q.only) > maxFilters {
			return w.fault(ErrArgument, op, "there are %d Only terms; the limit is %d", len(q.only), maxFilters).on(c)
		}
	}
	return nil
}

// named returns the component that a term is for; an error if the term cannot be
// for it.
func (q *Query) named(op string, t Term) (*component, error) {
	w := q.world
	c, err := w.componentOf(op, t.typ)
	if err != nil {
		return nil, err
	}
	if err := w.admit(op, c); err != nil {
		return nil, err
	}
	switch t.mode {
	case modeRead, modeWrite:
		if c.kind.has(isShared) {
			return nil, w.fault(ErrArgument, op, "a shared component has no column: ask for it With, and use SharedOf").on(c)
		}
	case modeDisabled:
		if !c.kind.has(isEnableable) {
			return nil, w.fault(ErrState, op, "the component cannot be Disabled: embed ecs.Enableable").on(c)
		}
	}
	return c, nil
}

// addGroup takes a term without a type of its own into the query.
func (q *Query) addGroup(op string, t Term) error {
	w := q.world
	switch t.mode {
	case modeOrderChanged:
		q.ordered = true
		return nil
	case modeIgnoreEnabled:
		q.ignore = true
		return nil
	}
	if k := kindsOf(t.mode); k != 0 {
		q.include |= k
		return nil
	}
	if t.mode == modeFilterWriteGroup {
		q.grouped = true
		return nil
	}
	if t.mode == 0 || len(t.terms) == 0 {
		return w.fault(ErrArgument, op, "the term %v names no type", t)
	}
	if t.mode == modeAnyOf && slices.ContainsFunc(t.terms, func(sub Term) bool { return sub.mode == modeAllOf }) {
		return q.addChoice(op, t)
	}
	if t.mode == modeAllOf {
		return w.fault(ErrArgument, op, "%v stands inside AnyOf only: leave AllOf out", t)
	}
	var set []*component
	for _, sub := range t.terms {
		if t.mode == modeAnyOf && sub.mode == modeOnly {
			return q.noFilter(op, sub, t.mode)
		}
		if sub.mode != modeRead && sub.mode != modeWrite && (sub.mode != modeWith || t.mode != modeAnyOf && t.mode != modeChangedAny) {
			return w.fault(ErrArgument, op, "%v cannot stand inside %s", sub, modeNames[t.mode])
		}
		c, err := w.componentOf(op, sub.typ)
		if err != nil {
			return err
		}
		if err := w.admit(op, c); err != nil {
			return err
		}
		d := data{comp: c, write: sub.mode == modeWrite, optional: true}
		switch {
		case t.mode == modeChangedAny:
			q.watched = append(q.watched, c)
		case t.mode == modeAnywhere:
			if slices.ContainsFunc(q.reach, func(r data) bool { return r.comp == c && r.write != d.write }) {
				return w.fault(ErrState, op, "one job reaches the component both to read and to write it: a Lookup that writes reads too").on(c)
			}
			q.reach = append(q.reach, d)
		case sub.mode != modeWith:
			q.data = append(q.data, d)
		}
		set = append(set, c)
	}
	if t.mode == modeAnyOf {
		q.anyOf = append(q.anyOf, set)
	}
	return nil
}

// noFilter says that a filter cannot be one of several terms that need not hold.
func (q *Query) noFilter(op string, t Term, where mode) error {
	return q.world.fault(ErrState, op, "%v is a filter, which every chunk of the query must pass: it cannot stand inside %s, make a query for each value", t, modeNames[where])
}

// validate refuses types that come twice, and filters without their type.
func (q *Query) validate(op string) error {
	seen := map[*component]bool{}
	twice := func(c *component) error {
		if seen[c] {
			return q.world.fault(ErrArgument, op, "the type comes twice in the query").on(c)
		}
		seen[c] = true
		return nil
	}
	all := slices.Concat(q.with, q.without, q.present, q.absent)
	for _, d := range q.data {
		if d.chosen {
			if slices.ContainsFunc(q.data, func(o data) bool { return o.comp == d.comp && !o.chosen }) {
				return q.world.fault(ErrArgument, op, "the type comes twice in the query").on(d.comp)
			}
			continue
		}
		if d.optional && (slices.Contains(q.present, d.comp) || slices.Contains(q.without, d.comp) && d.comp.kind.has(isEnableable)) {
			continue // one says which rows, the other looks at them
		}
		all = append(all, d.comp)
	}
	for _, set := range q.anyOf {
		for _, c := range set {
			if !slices.ContainsFunc(q.data, func(d data) bool { return d.comp == c }) {
				all = append(all, c)
			}
		}
	}
	for _, c := range all {
		if err := twice(c); err != nil {
			return err
		}
	}
	if err := q.checkChoices(op, seen); err != nil {
		return err
	}
	for _, f := range q.only {
		switch {
		case slices.Contains(q.with, f.comp) || slices.Contains(q.present, f.comp):
		case seen[f.comp]:
			return q.world.fault(ErrState, op, "Only is a filter by the value of a component that every entity of the query has: name it With or Present, not Without, Absent or inside AnyOf").on(f.comp)
		default:
			q.with = append(q.with, f.comp) // Only asks for its type itself
			seen[f.comp] = true
		}
	}
	for _, c := range q.changed {
		if asked, _ := q.asks(c); !asked {
			return q.world.fault(ErrState, op, "Changed is for a type that the query asks for: add Read, Write or With").on(c)
		}
	}
	if err := q.findBits(op); err != nil {
		return err
	}
	return q.checkReach(op)
}

// checkReach refuses jobs that write anywhere what the filters look at while
// others of them run.
func (q *Query) checkReach(op string) error {
	for _, d := range q.reach {
		switch {
		case !d.write:
		case slices.Contains(q.changed, d.comp) || slices.Contains(q.watched, d.comp):
			return q.world.fault(ErrState, op, "the jobs write anywhere what a Changed term looks at: leave the term out, or write in another query's jobs").on(d.comp)
		case slices.Contains(q.bits, d.comp) || q.grouped && !q.ignore && d.comp.kind.has(isEnableable) && q.takesOver(d.comp):
			return q.world.fault(ErrState, op, "the jobs write anywhere a component whose switch decides about rows: add IgnoreEnabled, or ask for it with Present").on(d.comp)
		}
	}
	return nil
}
