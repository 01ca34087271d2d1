package ecs

import "slices"

// Prefab marks an entity as a model for others. Queries do not match it unless
// they ask for Prefab, or say IncludePrefabs; Instantiate makes copies without
// it.
type Prefab struct{}

// Inactive marks an entity that takes no part for a while. Queries do not match
// it unless they ask for Inactive, or say IncludeInactive. See
// [World.SetActive].
type Inactive struct{}

// IncludePrefabs makes a query match entities that have Prefab too.
func IncludePrefabs() Term { return Term{mode: modeIncludePrefabs} }

// IncludeInactive makes a query match entities that have Inactive too.
func IncludeInactive() Term { return Term{mode: modeIncludeInactive} }

// knowOwn finds the components that have a meaning of their own.
func (w *World) knowOwn() error {
	const op = "NewWorld"
	var errs [6]error
	w.residue, errs[0] = componentFor[cleanupEntity](op)
	w.header, errs[1] = componentFor[ChunkHeader](op)
	w.prefab, errs[2] = componentFor[Prefab](op)
	w.inactive, errs[3] = componentFor[Inactive](op)
	w.group, errs[4] = componentFor[LinkedGroup](op)
	w.omit, errs[5] = componentFor[OmitGroup](op)
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// hide finds the components whose entities the query does not match: those that
// it does not mention.
func (q *Query) hide() {
	w := q.world
	mentions := func(c *component) bool {
		return slices.Contains(q.with, c) || slices.Contains(q.present, c) ||
			slices.ContainsFunc(q.data, func(d data) bool { return d.comp == c }) ||
			slices.ContainsFunc(q.anyOf, func(set []*component) bool { return slices.Contains(set, c) })
	}
	if !mentions(w.header) {
		q.hidden = append(q.hidden, w.header)
	}
	if !q.prefabs && !mentions(w.prefab) {
		q.hidden = append(q.hidden, w.prefab)
	}
	if !q.inactives && !mentions(w.inactive) {
		q.hidden = append(q.hidden, w.inactive)
	}
}
