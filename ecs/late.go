package ecs

// late is the chunks that have lost their last row while neighbouring commands are
// played. An archetype with one chunk that loses it gets the next row in the same one,
// so it may stay until they are done: entities that get a component for a moment would
// begin and end a chunk each.
type late struct {
	on   bool
	list []*record
}

// keeps reports whether r, which is empty, stays for now.
func (l *late) keeps(r *record) bool {
	if !l.on || len(r.arch.chunks) > 1 {
		return false
	}
	if n := len(l.list); n == 0 || l.list[n-1] != r {
		l.list = append(l.list, r)
	}
	return true
}
