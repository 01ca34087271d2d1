package system

import (
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system/explain"
)

// What is in this file tells tools about systems.

// Idle says why the system did not update in its last turn, in words; "" if it did.
func (in *Instance) Idle() string {
	switch {
	case in.phase == destroyed:
		return "it is destroyed"
	case in.disabled:
		return "it is switched off"
	case in.running:
		return ""
	case in.world.Lent():
		return "its world is lent to a transaction"
	}
	if len(in.in) == 0 && !isRoot(in.typ) {
		return "it stands in no group: call Instance.Update, or add it to one"
	}
	if up := in.sleeping(); up != "" {
		return "its group " + explain.Short(up) + " did not update"
	}
	for _, any := range in.required {
		if !anyHasEntities(any) {
			var texts []string
			for _, q := range any {
				texts = append(texts, q.String())
			}
			return "nothing matches what it requires: " + strings.Join(texts, " or ")
		}
	}
	if !in.shouldRun() {
		return "nothing matches its queries, and it updates only then"
	}
	return "it has not had its turn yet"
}

// sleeping returns the name of a group of the system that did not update, if none of
// them did.
func (in *Instance) sleeping() string {
	for _, g := range in.in {
		if g.self.running {
			return ""
		}
	}
	if len(in.in) == 0 {
		return ""
	}
	return in.in[0].self.owner
}

// Name is how errors and explanations name the system: by its type's full name, with a
// number from the second instance of a type on.
func (in *Instance) Name() string { return in.owner }

// Group returns the system as a group; nil if it is none.
func (in *Instance) Group() *Group { return in.group }

// Queries returns the queries that the system has made.
func (in *Instance) Queries() []*ecs.Query { return slices.Clone(in.queries) }

// Roots returns the root groups that w has, in the order of their updates, and then the
// systems and groups that stand in no group, in the order of their creation.
func Roots(w *ecs.World) (list, apart []*Instance) {
	a := attachmentFor("Roots", w)
	for _, t := range roots() {
		if in := a.find(t); in != nil {
			list = append(list, in)
		}
	}
	for _, in := range a.instances {
		if len(in.in) == 0 && !slices.Contains(list, in) {
			apart = append(apart, in)
		}
	}
	return list, apart
}
