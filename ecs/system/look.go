package system

import (
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system/explain"
	"github.com/lanewise/lanewise/ecs/transaction"
)

// Name is how errors and explanations name the system: by its type's full name, with a
// number from the second instance of a type on.
func (in *Instance) Name() string { return in.owner }

// Group returns the system as a group; nil if it is none.
func (in *Instance) Group() *Group { return in.group }

// idle is monitor.Idle.
func (in *Instance) idle() string {
	switch {
	case in.phase == destroyed:
		return "it is destroyed"
	case in.disabled:
		return "it is switched off"
	case in.running:
		return ""
	case transaction.Lent(in.world):
		return "its world is lent to a transaction"
	}
	if len(in.in) == 0 && !isRoot(in.typ) {
		return "it stands in no group: call Instance.Update, or add it to one"
	}
	if up := in.idleGroup(); up != "" {
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

// idleGroup returns the name of a group of the system that did not update, if none of
// them did.
func (in *Instance) idleGroup() string {
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

// rootsOf is monitor.Roots.
func rootsOf(w *ecs.World) (list, apart []*Instance) {
	a := attachmentFor("monitor.Roots", w)
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
