package jobs

// Access says what a job touches.
type Access struct {
	Read  Set // components it only reads
	Write Set // components it writes, and may read
	Where Set // archetypes it touches; empty means everywhere
}

// meets reports whether two places have an archetype in common.
func meets(a, b *Set) bool {
	return a.Empty() || b.Empty() || a.Meets(b)
}

// Conflicts reports whether the order of the two jobs matters: one writes
// what the other touches, in a place where both are.
func (a *Access) Conflicts(b *Access) bool {
	if !a.Write.Meets(&b.Write) && !a.Write.Meets(&b.Read) && !a.Read.Meets(&b.Write) {
		return false
	}
	return meets(&a.Where, &b.Where)
}
