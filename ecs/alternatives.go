package ecs

import "slices"

// alternatives is an AnyOf with alternatives of several terms: one of them must hold.
type alternatives []*alternative

// alternative is what one AllOf asks for.
type alternative struct {
	with, without, present, absent, disabled []*component
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

// way is what an alternative asks of the bits of an archetype's rows: all of it.
type way []test

// test asks for one switch to be on, or to be off where flip is all ones.
type test struct {
	bit  int
	flip uint64
}

// waysOf returns what the alternatives of a choice ask of bits; nil if one of them
// asks for nothing.
func (ch alternatives) waysOf(bit func(*component) int) []way {
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
