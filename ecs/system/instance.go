package system

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Instance is one system in one world. An Instance holds the value of the program's type, and the
// state of the system in the world. A world may have several instances of one type. The owner of
// the world may call all methods of an Instance between two frames. During an update, a system
// may call the methods of its own instance.
type Instance struct {
	world      *ecs.World
	roster     *roster
	system     System
	typ        *Type
	uniqueName string   // the full name of the type; from the second instance on, followed by a number
	group      *Group   // if the system is a group, its Group; otherwise nil
	groups     []*Group // the groups that have the system as a member

	phase           phase
	disabled        bool
	matchingOnly    bool // the type has the attribute MatchingOnly
	running         bool
	updating        bool
	lastVersion     uint32
	previousVersion uint32 // value of lastVersion when the last update began
	failed          bool   // a job of the last update failed
	declarations
	updateJobs    []jobs.Handle // the jobs of the last update
	handleScratch []jobs.Handle // memory that dependencies reuses
	noteScratch   []jobs.Handle // for noteScheduled
	timer         timer         // nil unless times are measured
	frame         Frame
}

// String returns the names of the system and of its world.
func (in *Instance) String() string {
	switch {
	case in == nil:
		return "<nil>"
	case in.world == nil:
		return "the zero Instance"
	}
	return fmt.Sprintf("system %s of world %q", in.uniqueName, in.world.Name())
}

// declarations holds the queries and accesses that a system has declared.
type declarations struct {
	queries  []*ecs.Query
	access   access.Access    // the union of the accesses of all queries in all their archetypes
	accesses []*access.Access // accesses that Create has declared for jobs that are not over a query
	required [][]*ecs.Query   // in each list, at least one query must match entities
}

// phase is a stage in the life of a system, for example created or running.
type phase uint8

const (
	creating phase = iota
	alive
	destroyed
)

// mustExist panics if in is nil. [InstanceOf] returns nil for a system that is not in the world.
func (in *Instance) mustExist(call string) {
	if in == nil {
		panic(fmt.Errorf("system: %s: the instance is nil: the world has no such system, see InstanceOf: %w", call, ecs.ErrArgument))
	}
}

// World returns the world of the system.
func (in *Instance) World() *ecs.World { return in.world }

// System returns the system itself, which is a pointer to its type.
func (in *Instance) System() System { return in.system }

// Type returns the type of the system.
func (in *Instance) Type() *Type { return in.typ }

// Enabled reports whether the system is enabled. Only an enabled system updates. The default is
// true.
func (in *Instance) Enabled() bool { return !in.disabled }

// SetEnabled enables or disables the system, from its next turn on.
func (in *Instance) SetEnabled(on bool) { in.disabled = !on }

// Running reports whether the system updated in its last turn.
func (in *Instance) Running() bool { return in.running }

// LastVersion returns the change version that the world had at the system's last update, or 0
// before the first update. Everything that the update wrote has that version or an older one. If a
// job of an update failed, the update does not count, so that Changed terms match the same rows
// again. If the update itself returned an error or panicked, it still counts. To see the same rows
// again after such an update, the system calls SetSince of its queries in its next update.
func (in *Instance) LastVersion() uint32 { return in.lastVersion }

// Update gives the system its turn. If the system is enabled and its required queries have
// entities, the turn is an update. Otherwise, if the system was running, it stops. Groups call
// Update. A program calls it for a [Manual] system or in a test. If the system panics, Update
// returns a *[PanicError]. While a transaction uses the world, Update returns an error that wraps
// [ecs.ErrState]. The next update treats the changes of the transaction as new.
func (in *Instance) Update() error { return in.updateOnce(false) }

// updateOnce implements Update. If held is set, the caller is a group that has already claimed the
// world.
func (in *Instance) updateOnce(held bool) error {
	if in.phase != alive {
		if in.roster.closed {
			return in.roster.checkOpen("update " + in.typ.name)
		}
		return fmt.Errorf("system: %s: Update: not created, or already destroyed: %w", in.typ.name, ecs.ErrState)
	}
	if in.updating {
		what := in.roster.busyReason()
		if what != busyElsewhere {
			what = "it is being updated; a system does not update itself"
		}
		return fmt.Errorf("system: %s: Update: %s: %w", in.typ.name, what, ecs.ErrState)
	}
	if in.world.InTransaction() {
		return in.checkNotLent("Update")
	}
	if !in.disabled && (len(in.required) == 0 && !in.matchingOnly || in.shouldRun()) {
		if p := in.roster.watchers; p != nil {
			return p.runUpdate(in, held)
		}
		return in.runUpdate(held)
	}
	if in.running {
		return in.stop()
	}
	return nil
}

// shouldRun reports whether the system's required queries match entities.
func (in *Instance) shouldRun() bool {
	for _, any := range in.required {
		if !anyHasEntities(any) {
			return false
		}
	}
	return len(in.required) > 0 || !in.matchingOnly || anyHasEntities(in.queries)
}

// anyHasEntities reports whether one of the queries matches entities. anyHasEntities ignores filters
// and enabled bits.
func anyHasEntities(queries []*ecs.Query) bool {
	for _, q := range queries {
		if !q.EmptyUnfiltered() {
			return true
		}
	}
	return false
}

// query returns the system's query with the given terms.
func (in *Instance) query(terms []ecs.Term) *ecs.Query {
	q := in.world.Scheduler().As("system.Setup.Query").Query(in.uniqueName, terms...)
	if !slices.Contains(in.queries, q) {
		q.SetSince(in.lastVersion)
		in.queries = append(in.queries, q)
		in.access.Read.Union(&q.Access().Read)
		in.access.Write.Union(&q.Access().Write)
	}
	return q
}

// addUpdateJob adds a job to the jobs of the current update.
func (in *Instance) addUpdateJob(h jobs.Handle) {
	if h != (jobs.Handle{}) {
		in.updateJobs = append(in.updateJobs, h)
	}
}

// dependencies returns the handles for which a job with access a must wait. dependencies also returns
// the access under which the world records the job. If a is nil, the job uses no components.
func (in *Instance) dependencies(a *access.Access, after []jobs.Handle) (*access.Access, []jobs.Handle) {
	if a == nil {
		a = &in.roster.emptyAccess
	}
	in.handleScratch = in.world.Scheduler().Before(a, append(in.handleScratch[:0], after...))
	return a, in.handleScratch
}

// trackJob adds a scheduled job to the world's order of jobs.
func (in *Instance) trackJob(a *access.Access, h jobs.Handle) jobs.Handle {
	in.world.Scheduler().Track(a, h)
	in.addUpdateJob(h)
	return h
}

// complete waits for the system's jobs and removes them. The error of a failed job is returned
// by the world's Sync, not by complete. If a job failed, complete sets lastVersion back to its
// value before the last update, so that the system sees the same changes as new again.
func (in *Instance) complete() {
	if len(in.updateJobs) == 0 {
		return
	}
	for _, h := range in.updateJobs {
		if h.Wait() != nil {
			in.failed = true
			in.lastVersion = in.previousVersion
		}
	}
	clear(in.updateJobs)
	in.updateJobs = in.updateJobs[:0]
	if in.timer != nil {
		in.timer.noteJobsDone()
	}
}

// declaredAccesses returns the accesses of the system's jobs.
func (in *Instance) declaredAccesses() []*access.Access {
	if in.roster.conservative {
		return []*access.Access{&in.access}
	}
	all := slices.Clone(in.accesses)
	for _, q := range in.queries {
		all = append(all, q.Access())
	}
	return all
}

// Components returns the names of the components that the system declares. The result reads lists
// the components that it only reads, and writes lists those that it writes. Both lists are sorted.
func (in *Instance) Components() (reads, writes []string) {
	in.mustExist("Instance.Components")
	var a access.Access
	for _, d := range in.declaredAccesses() {
		a.Read.Union(&d.Read)
		a.Write.Union(&d.Write)
	}
	for id := range a.Write.All() {
		writes = append(writes, ecs.ComponentName(id))
	}
	for id := range a.Read.All() {
		if !a.Write.Has(id) {
			reads = append(reads, ecs.ComponentName(id))
		}
	}
	slices.Sort(reads)
	slices.Sort(writes)
	return reads, writes
}

// activeTimer returns the timer of the system, or nil if times are not measured.
func (in *Instance) activeTimer() timer {
	if in.timer == nil || in.roster.frameUntimed {
		return nil
	}
	return in.timer
}

// noteScheduled tells the timer that a job with access a was scheduled after the given handles. If the
// job is over a query, q is that query; otherwise q is nil. If the job had nothing to do, h is not the
// handle of this job but of another one.
func (in *Instance) noteScheduled(q *ecs.Query, a *access.Access, h jobs.Handle, after []jobs.Handle) {
	t := in.activeTimer()
	switch {
	case t == nil:
	case h == (jobs.Handle{}) || q != nil && q.EmptyUnfiltered():
		t.dropWrapped()
	default:
		in.noteScratch = append(in.noteScratch[:0], after...) // the call of an interface would let the caller's handles escape
		t.noteJob(a, h, in.noteScratch)
	}
}

// Name returns the name of the system in errors and reports. The name is the full name of the system's
// type. From the second instance of the type on, a number follows.
func (in *Instance) Name() string { return in.uniqueName }

// Group returns the Group of the system, or nil if the system is not a group.
func (in *Instance) Group() *Group { return in.group }

// Queries returns the queries that the system has created.
func (in *Instance) Queries() []*ecs.Query {
	in.mustExist("Instance.Queries")
	return slices.Clone(in.queries)
}

// IdleReason returns a text that says why the system did not update in its last turn, or "" if it
// did update.
func (in *Instance) IdleReason() string {
	in.mustExist("Instance.IdleReason")
	switch {
	case in.phase == destroyed:
		return "it is destroyed"
	case in.disabled:
		return "it is switched off"
	case in.running:
		return ""
	case in.world.InTransaction():
		return "its world is lent to a transaction"
	}
	if len(in.groups) == 0 && !isRoot(in.typ) {
		return "it stands in no group: call Instance.Update, or add it to one"
	}
	if up := in.idleGroup(); up != "" {
		return "its group " + shortName(up) + " did not update"
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

// idleGroup returns the name of the system's first group if none of its groups has updated.
// Otherwise it returns "".
func (in *Instance) idleGroup() string {
	for _, g := range in.groups {
		if g.ownInstance.running {
			return ""
		}
	}
	if len(in.groups) == 0 {
		return ""
	}
	return in.groups[0].ownInstance.uniqueName
}

// Roots returns the root groups of w in the order of their updates. Roots also returns the systems and
// groups that are in no group, in the order of their creation.
func Roots(w *ecs.World) (list, apart []*Instance) {
	a := attachmentFor("Roots", w)
	for _, t := range roots() {
		if in := a.findType(t); in != nil {
			list = append(list, in)
		}
	}
	for _, in := range a.instances {
		if len(in.groups) == 0 && !slices.Contains(list, in) {
			apart = append(apart, in)
		}
	}
	return list, apart
}
