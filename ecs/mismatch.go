package ecs

import (
	"fmt"
	"slices"
)

// Mismatch returns a sentence about why q does not match e: the first term that e does not meet. It returns
// "" if q matches e, with filters applied. Of a nil or zero Query it returns the text of an error.
func (q *Query) Mismatch(e Entity) string {
	const op = "Query.Mismatch"
	if err := asked(q, op); err != nil {
		return err.Error()
	}
	w := q.world
	s := w.entities.find(e)
	if s == nil {
		return "it does not exist"
	}
	r := w.records[s.record]
	m := q.matchOf(r.arch)
	if m == nil {
		return q.mismatch(r.arch)
	}
	w.completeFilters(op, &q.matching)
	if !m.passes(r, q.since) {
		if !m.shares(r.group) {
			return "it has another shared value"
		}
		return "nothing has changed in its chunk since"
	}
	if m.rows != nil && !m.rows.passes(r, int(s.row)) {
		return q.mismatchRow(r, int(s.row))
	}
	return ""
}

// mismatch says why q does not match archetype a.
func (q *matching) mismatch(a *archetype) string {
	lacks := func(c *component) string {
		if a.has(c) {
			return ""
		}
		return "it lacks " + c.typ.String()
	}
	for _, d := range q.data {
		if why := lacks(d.comp); why != "" && !d.optional {
			return why
		}
	}
	for _, c := range slices.Concat(q.with, q.present) {
		if why := lacks(c); why != "" {
			return why
		}
	}
	for _, c := range slices.Concat(q.without, q.absent) {
		if a.has(c) {
			return "it has " + c.typ.String()
		}
	}
	for _, set := range q.anyOf {
		if !slices.ContainsFunc(set, a.has) {
			return fmt.Sprintf("it has none of %s", setString(set))
		}
	}
	for _, hidden := range []*component{q.in.prefab, q.in.inactive, q.in.ghost, q.in.header, q.in.cleanupTag} {
		if hidden != nil && a.has(hidden) {
			return fmt.Sprintf("it has %v, which the query does not ask for", hidden.typ)
		}
	}
	return "it does not fit its terms"
}

// mismatchRow says which switch keeps q from matching a row.
func (s *signature) mismatchRow(r *record, row int) string {
	for _, c := range s.bits {
		i := r.arch.find(c.key)
		if i < 0 || r.arch.columns[i].bit < 0 {
			continue
		}
		on := r.switches[r.arch.columns[i].bit].on(row)
		if wanted := !slices.Contains(s.without, c) && !slices.Contains(s.disabled, c); on != wanted {
			return fmt.Sprintf("its %v is %s", c.typ, map[bool]string{false: "off", true: "on"}[on])
		}
	}
	return "what it has on and off does not fit"
}
