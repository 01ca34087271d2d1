package ecs

// editor changes what entities have, and ends them: one, those of a list, those that a
// query matches, and groups that are linked.
type editor struct {
	maker
	members []Entity  // scratch of changes of groups
	set     sparseSet // scratch: which are among those
}
