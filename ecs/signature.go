package ecs

import "slices"

// signature is what a query asks for: its terms, as components of its world.
type signature struct {
	terms    []Term
	data     []data
	headers  int // slices that the views of a chunk take
	with     []*component
	without  []*component
	anyOf    [][]*component
	choices  []alternatives // AnyOf with AllOf
	present  []*component   // also those that must be off
	absent   []*component
	disabled []*component
	ignore   bool         // IgnoreEnabled
	bits     []*component // enableable ones that decide about rows
	include  kinds        // of the kinds that queries pass over, those that it matches all the same
	changed  []*component
	watched  []*component // of ChangedAny
	ordered  bool         // OrderChanged
	grouped  bool         // FilterWriteGroup
	only     []only
	reach    []data // Anywhere, Elsewhere, and Worldwide types
}

// data is a component whose column is looked at.
type data struct {
	comp     *component
	write    bool
	optional bool
	chosen   bool // of an AllOf
	apart    bool // of an Elsewhere
	view     int  // first slice of its view
}

// only is a filter by shared value.
type only struct {
	comp  *component
	value int32
}

// maxFilters is how many Changed, and how many WithShared, a query may have.
const maxFilters = 2

// watches reports whether the query has a term that looks at versions.
func (s *signature) watches() bool { return len(s.changed)+len(s.watched) > 0 || s.ordered }

// asks reports whether all entities that q matches have c, and whether it says
// that it writes c.
func (s *signature) asks(c *component) (asked, writes bool) {
	for _, d := range s.data {
		if d.comp == c && !d.optional {
			return true, d.write
		}
	}
	return slices.Contains(s.with, c) || slices.Contains(s.present, c), false
}

// worldwides returns how many Worldwide types the query declares access to.
func (s *signature) worldwides() (n int) {
	for _, d := range s.reach {
		if d.comp.worldwide {
			n++
		}
	}
	return n
}
