package ecs

import "slices"

// choice is an AnyOf with alternatives of several terms: one of them must hold.
type choice []*alternative

// alternative is what one AllOf asks for.
type alternative struct {
	with, without, present, absent, disabled []*component
}

// AllOf stands inside AnyOf and holds if all its terms do, which are Read, Write,
// With, Without, Disabled, Present or Absent. So one query is several at once:
//
//	w.Query(AnyOf(AllOf(Read[Wheel](), Without[Brake]()), AllOf(Read[Wing](), With[Wind]())))
//
// matches what either of them does, each entity once. What an alternative reads
// or writes is in the chunks of archetypes that have it, as with Optional.
func AllOf(terms ...Term) Term { return Term{mode: modeAllOf, terms: terms} }

// addChoice takes an AnyOf that has an AllOf among its terms into the query.
func (p termReader) addChoice(t Term) error {
	var ch choice
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

// eachNamed calls f with all components that an alternative names.
func (o *alternative) eachNamed(f func(*component)) {
	for _, list := range [...][]*component{o.with, o.without, o.present, o.absent, o.disabled} {
		for _, c := range list {
			f(c)
		}
	}
}

// names reports whether a term of the alternative is for c.
func (o *alternative) names(c *component) (found bool) {
	o.eachNamed(func(own *component) { found = found || own == c })
	return found
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

// mentions reports whether the alternative asks for c to be there.
func (o *alternative) mentions(c *component) bool {
	return slices.Contains(o.with, c) || slices.Contains(o.present, c) || slices.Contains(o.disabled, c)
}

// takes reports whether the alternative can hold for entities of a.
func (o *alternative) takes(a *archetype) bool {
	for _, list := range [...][]*component{o.with, o.present, o.disabled} {
		for _, c := range list {
			if !a.has(c) {
				return false
			}
		}
	}
	for _, c := range o.without {
		if a.has(c) && !c.kind.has(isEnableable) {
			return false
		}
	}
	for _, c := range o.absent {
		if a.has(c) {
			return false
		}
	}
	return true
}

// choose returns, for each choice, the alternatives that can hold for entities of
// a, and whether a matches as far as choices and hidden components go: a prefab
// is matched by those alternatives alone that ask for prefabs.
func (q *matching) choose(a *archetype) (chosen []choice, ok bool) {
	var hidden []*component
	for _, c := range q.excluded {
		if a.has(c) {
			hidden = append(hidden, c)
		}
	}
	for _, ch := range q.choices {
		var own choice
		for _, o := range ch {
			if o.takes(a) {
				own = append(own, o)
			}
		}
		if len(own) == 0 {
			return nil, false
		}
		chosen = append(chosen, own)
	}
	for _, c := range hidden {
		lifted := false
		for i, ch := range chosen {
			lifts := slices.DeleteFunc(slices.Clone(ch), func(o *alternative) bool { return !o.mentions(c) })
			if len(lifts) > 0 {
				chosen[i], lifted = lifts, true
				break
			}
		}
		if !lifted {
			return nil, false
		}
	}
	return chosen, true
}

// way is what an alternative asks of the bits of an archetype's rows: all of it.
type way []test

// test asks for one switch to be on, or to be off where flip is all ones.
type test struct {
	bit  int
	flip uint64
}

// waysOf returns what the alternatives of a choice ask of bits; nil if one of them
// asks for nothing.
func (ch choice) waysOf(bit func(*component) int) []way {
	var ways []way
	for _, o := range ch {
		var v way
		for _, c := range o.with {
			if i := bit(c); i >= 0 {
				v = append(v, test{i, 0})
			}
		}
		for _, c := range slices.Concat(o.without, o.disabled) {
			if i := bit(c); i >= 0 {
				v = append(v, test{i, ^uint64(0)})
			}
		}
		if len(v) == 0 {
			return nil
		}
		ways = append(ways, v)
	}
	return ways
}

// fillWays makes mask the rows of r that one of the ways lets pass. Bits behind
// those of the rows may be set.
func fillWays(mask []uint64, ways []way, r *record) {
	clear(mask)
	for _, v := range ways {
		v.add(mask, r)
	}
}

// add sets the rows of r that the way lets pass in mask, in one go if it asks for
// one thing or two.
func (v way) add(mask []uint64, r *record) {
	a, b := v[0], v[len(v)-1]
	x, y := r.switches[a.bit].words[:len(mask)], r.switches[b.bit].words[:len(mask)]
	if len(v) <= 2 {
		for i := range mask {
			mask[i] |= (x[i] ^ a.flip) & (y[i] ^ b.flip)
		}
		return
	}
	for i := range mask {
		all := (x[i] ^ a.flip) & (y[i] ^ b.flip)
		for _, t := range v[1 : len(v)-1] {
			all &= r.switches[t.bit].words[i] ^ t.flip
		}
		mask[i] |= all
	}
}

// passes reports whether the way lets one row pass.
func (v way) passes(r *record, row int) bool {
	for _, t := range v {
		if r.switches[t.bit].on(row) != (t.flip == 0) {
			return false
		}
	}
	return true
}
