package ecs

// archetypeSet is a set of archetypes of one world, one bit each, by their index. It
// ends with the word of the last one that was added.
type archetypeSet []uint64

// add puts the archetype of an index into the set.
func (s *archetypeSet) add(index int) {
	for len(*s) <= index>>6 {
		*s = append(*s, 0)
	}
	(*s)[index>>6] |= 1 << (index & 63)
}
