package ecs

// Prefab marks an entity as a model for others. Queries do not match it unless
// they ask for Prefab, or say IncludePrefabs; Instantiate makes copies without
// it.
type Prefab struct{}

// Inactive marks an entity that takes no part for a while. Queries do not match
// it unless they ask for Inactive, or say IncludeInactive. See
// [World.SetActive].
type Inactive struct{}

// Ghost marks an entity as a picture of one that lives elsewhere, in another world or on
// another machine, whose values somebody keeps up to date. Queries do not match it unless
// they ask for Ghost, or say IncludeGhosts: what moves and counts entities leaves ghosts
// alone, and what looks for neighbours asks for them. Copies of a ghost are ghosts.
type Ghost struct{}

// IncludePrefabs makes a query match entities that have Prefab too.
func IncludePrefabs() Term { return Term{mode: modeIncludePrefabs} }

// IncludeInactive makes a query match entities that have Inactive too.
func IncludeInactive() Term { return Term{mode: modeIncludeInactive} }

// IncludeGhosts makes a query match entities that have Ghost too.
func IncludeGhosts() Term { return Term{mode: modeIncludeGhosts} }

// IncludeHidden makes a query match entities of every kind that queries pass over: it is
// IncludePrefabs, IncludeInactive and IncludeGhosts, for what keeps something about each
// entity that there is.
func IncludeHidden() Term { return Term{mode: modeIncludeHidden} }

// kinds is a set of the kinds of entities that a query passes over unless it is told not to.
type kinds uint8

const (
	kindPrefab kinds = 1 << iota
	kindInactive
	kindGhost
	allKinds = kindPrefab | kindInactive | kindGhost
)

// kindsOf returns what a term lets in, or nothing.
func kindsOf(m mode) kinds {
	switch m {
	case modeIncludePrefabs:
		return kindPrefab
	case modeIncludeInactive:
		return kindInactive
	case modeIncludeGhosts:
		return kindGhost
	case modeIncludeHidden:
		return allKinds
	}
	return 0
}

// knowOwn finds the components that have a meaning of their own.
func (w *catalog) knowOwn() error {
	const op = "NewWorld"
	var errs [7]error
	w.cleanupTag, errs[0] = componentFor[cleanupEntity](op)
	w.header, errs[1] = componentFor[ChunkHeader](op)
	w.prefab, errs[2] = componentFor[Prefab](op)
	w.inactive, errs[3] = componentFor[Inactive](op)
	w.group, errs[4] = componentFor[LinkedGroup](op)
	w.omit, errs[5] = componentFor[OmitGroup](op)
	w.ghost, errs[6] = componentFor[Ghost](op)
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// OmitGroup keeps a [LinkedGroup] from being copied: the copies of an entity that
// has both have neither, though all parts are copied. Without a group it is
// copied like any tag.
type OmitGroup struct{}

// LinkedGroup is the buffer of an entity that is made, ended and rests together
// with others: a model of several parts. Its first element is the entity itself,
// the root; the others are the parts, and what has a group of its own brings
// that along when it ends.
//
// Instantiate copies all of them, and references between them lead to the copies
// in the copies. Destroy ends all of them, and SetActive is for all of them.
type LinkedGroup = Buffer[Linked]

// Linked is an element of a [LinkedGroup].
type Linked struct{ Entity Entity }

// InlineCapacity is how many elements lie in the chunk.
func (Linked) InlineCapacity() int { return 8 }

func (Linked) linked() {}

// cleanupEntity marks entities that were destroyed and wait for their cleanup
// components to be removed.
type cleanupEntity struct{}
