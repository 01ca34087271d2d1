package ecs

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
func (w *catalog) knowOwn() error {
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
