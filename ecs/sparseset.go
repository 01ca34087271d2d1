package ecs

import "slices"

// sparseSet is a list of entities that knows the place of each: a sparse set
// (Briggs and Torczon, "An efficient representation for sparse sets", 1993). What
// at holds for others is whatever it was, so starting again costs nothing. A short
// list is searched as it is.
type sparseSet struct {
	list []Entity
	at   []int32 // by index: the place in list, if that is where the entity is
	n    int     // indices are below this
}

// shortList is how many entities are found fast enough without at.
const shortList = 8

// reset empties the list; entities to come have indices below n.
func (r *sparseSet) reset(n int) { r.list, r.n = r.list[:0], n }

// add appends e, and reports whether it was not there.
func (r *sparseSet) add(e Entity) bool {
	if r.find(e) >= 0 {
		return false
	}
	r.push(e)
	return true
}

// push appends e, which is not there.
func (r *sparseSet) push(e Entity) {
	r.list = append(r.list, e)
	switch k := len(r.list) - 1; {
	case k > shortList:
		r.at[e.Index] = int32(k)
	case k == shortList:
		if r.n > len(r.at) {
			r.at = slices.Grow(r.at, r.n-len(r.at))[:r.n]
		}
		for i, e := range r.list {
			r.at[e.Index] = int32(i)
		}
	}
}

// find returns the place of e, or -1.
func (r *sparseSet) find(e Entity) int {
	if len(r.list) <= shortList {
		return slices.Index(r.list, e)
	}
	if uint(e.Index) < uint(len(r.at)) {
		if k := int(r.at[e.Index]); k < len(r.list) && r.list[k] == e {
			return k
		}
	}
	return -1
}
