package system

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Instance is one system of one world: the value the user wrote, and what the
// world keeps about it. A world may have several of one type.
type Instance struct {
	world  *ecs.World
	roster *roster
	system System
	typ    *Type
	owner  string   // the name of the system in the world: the type's, and a number from the second on
	group  *Group   // the system's own, when it is a group
	in     []*Group // the groups that it is a member of

	phase       phase
	disabled    bool
	running     bool
	updating    bool
	lastVersion uint32
	seenVersion uint32 // lastVersion at the beginning of the last update
	failed      bool   // a job of the last update has
	declarations
	outputs []jobs.Handle // of the last update
	after   []jobs.Handle // scratch of before
	timer   timer         // nil unless times are taken
	frame   Frame
}

// String names the system and its world.
func (in *Instance) String() string {
	switch {
	case in == nil:
		return "<nil>"
	case in.world == nil:
		return "the zero Instance"
	}
	return fmt.Sprintf("system %s of world %q", in.owner, in.world.Name())
}

// declarations is what a system has said that it looks at.
type declarations struct {
	queries  []*ecs.Query
	access   access.Access    // of all queries together, wherever they look
	accesses []*access.Access // of jobs that are not over a query, as declared by Create
	required [][]*ecs.Query   // of each list, one must have entities
}

// phase is where a system is in its life.
type phase uint8

const (
	creating phase = iota
	alive
	destroyed
)

// given panics if in is nil, as what [InstanceOf] has for a system that is no part of the world.
func (in *Instance) given(call string) {
	if in == nil {
		panic(fmt.Errorf("system: %s: the instance is nil: the world has no such system, see InstanceOf: %w", call, ecs.ErrArgument))
	}
}

// World returns the world that the system belongs to.
func (in *Instance) World() *ecs.World { return in.world }

// System returns the system itself.
func (in *Instance) System() System { return in.system }

// Type returns the system's type.
func (in *Instance) Type() *Type { return in.typ }

// Enabled reports whether the system may update. At first it may.
func (in *Instance) Enabled() bool { return !in.disabled }

// SetEnabled says whether the system may update, from its next turn on.
func (in *Instance) SetEnabled(on bool) { in.disabled = !on }

// Running reports whether the system's last turn was an update.
func (in *Instance) Running() bool { return in.running }

// LastVersion returns the world's version of the system's last update: what
// it wrote bears that version or an older one. It is 0 before the first. An
// update of which a job failed does not count. One that has itself returned an
// error, or panicked, does: a system that is to make up for it says so to its
// queries, by SetSince, in its next update.
func (in *Instance) LastVersion() uint32 { return in.lastVersion }

// Update gives the system its turn: it updates if it is enabled and has what
// it requires, and otherwise stops if it was running. The groups call it; call
// it for a [Manual] system or in a test. A panic is returned as a *[PanicError].
// While the world is lent to a transaction no system has a turn: the error wraps
// [ecs.ErrState], and what the transaction does is new to the next update.
func (in *Instance) Update() error { return in.turn(false) }

// turn is Update, in a group whose update holds the world if it is held.
func (in *Instance) turn(held bool) error {
	if in.phase != alive {
		if in.roster.closed {
			return in.roster.open("update " + in.typ.name)
		}
		return fmt.Errorf("system: %s: Update: not created, or already destroyed: %w", in.typ.name, ecs.ErrState)
	}
	if in.updating {
		what := in.roster.busy()
		if what != elsewhere {
			what = "it is being updated; a system does not update itself"
		}
		return fmt.Errorf("system: %s: Update: %s: %w", in.typ.name, what, ecs.ErrState)
	}
	if err := in.usable("Update"); err != nil {
		return err
	}
	if !in.disabled && in.shouldRun() {
		if p := in.roster.watchers; p != nil {
			return p.run(in, held)
		}
		return in.run(held)
	}
	if in.running {
		return in.stop()
	}
	return nil
}

// shouldRun reports whether the world has what the system requires.
func (in *Instance) shouldRun() bool {
	for _, any := range in.required {
		if !anyHasEntities(any) {
			return false
		}
	}
	if len(in.required) > 0 || !in.typ.attrs().MatchingOnly {
		return true
	}
	return anyHasEntities(in.queries)
}

// anyHasEntities reports whether one of the queries has entities, whatever its
// filters say of them.
func anyHasEntities(queries []*ecs.Query) bool {
	for _, q := range queries {
		if !q.EmptyUnfiltered() {
			return true
		}
	}
	return false
}

// query returns the system's query of the given terms.
func (in *Instance) query(terms []ecs.Term) *ecs.Query {
	q := in.world.Scheduler().As("system.Setup.Query").Query(in.owner, terms...)
	if !slices.Contains(in.queries, q) {
		q.SetSince(in.lastVersion)
		in.queries = append(in.queries, q)
		in.access.Read.Union(&q.Access().Read)
		in.access.Write.Union(&q.Access().Write)
	}
	return q
}

// track remembers a job that the system has scheduled.
func (in *Instance) track(h jobs.Handle) {
	if h != (jobs.Handle{}) {
		in.outputs = append(in.outputs, h)
	}
}

// before returns the handles that a job with access a comes after; nil is the
// access of a job that touches no components.
func (in *Instance) before(a *access.Access, after []jobs.Handle) (*access.Access, []jobs.Handle) {
	if a == nil {
		a = &in.roster.idle
	}
	in.after = in.world.Scheduler().Before(a, append(in.after[:0], after...))
	return a, in.after
}

// tracked puts a job that the system has scheduled into the world's order.
func (in *Instance) tracked(a *access.Access, h jobs.Handle) jobs.Handle {
	in.world.Scheduler().Track(a, h)
	in.track(h)
	return h
}

// complete waits for the jobs that the system has scheduled, and forgets them.
// That one has failed is for the world's Sync to say; here it means that the
// system has not seen to what was new in its last update, which stays new.
func (in *Instance) complete() {
	if len(in.outputs) == 0 {
		return
	}
	for _, h := range in.outputs {
		if h.Wait() != nil {
			in.failed = true
			in.lastVersion = in.seenVersion
		}
	}
	clear(in.outputs)
	in.outputs = in.outputs[:0]
	if in.timer != nil {
		in.timer.fold()
	}
}

// declared are the accesses of a system's jobs.
func (in *Instance) declared() []*access.Access {
	if in.roster.conservative {
		return []*access.Access{&in.access}
	}
	all := slices.Clone(in.accesses)
	for _, q := range in.queries {
		all = append(all, q.Access())
	}
	return all
}

// Components names the components that the system declares, sorted: those that it reads, and
// those that it writes.
func (in *Instance) Components() (reads, writes []string) {
	in.given("Instance.Components")
	var a access.Access
	for _, d := range in.declared() {
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

// taking is what takes the times of the system; nil while they are not wanted.
func (in *Instance) taking() timer {
	if in.timer == nil || in.roster.skipped {
		return nil
	}
	return in.timer
}

// scheduled takes note of a job of access a: over q, which may be nil. Where there
// was nothing to do, h is no job of its own.
func (in *Instance) scheduled(q *ecs.Query, a *access.Access, h jobs.Handle) {
	if t := in.taking(); t != nil && h != (jobs.Handle{}) && (q == nil || !q.EmptyUnfiltered()) {
		t.scheduled(a)
	}
}

// Name is how errors and explanations name the system: by its type's full name, with a
// number from the second instance of a type on.
func (in *Instance) Name() string { return in.owner }

// Group returns the system as a group; nil if it is none.
func (in *Instance) Group() *Group { return in.group }

// Queries returns the queries that the system has made.
func (in *Instance) Queries() []*ecs.Query {
	in.given("Instance.Queries")
	return slices.Clone(in.queries)
}

// IdleReason says why the system did not update in its last turn, in words; "" if it did.
func (in *Instance) IdleReason() string {
	in.given("Instance.IdleReason")
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
	if len(in.in) == 0 && !isRoot(in.typ) {
		return "it stands in no group: call Instance.Update, or add it to one"
	}
	if up := in.idleGroup(); up != "" {
		return "its group " + short(up) + " did not update"
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
