package ecs

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Hooks attaches functions and values to a world, for packages that build on one, as ecs/system and ecs/render do. A hook is a
// function that the world calls when something happens to it. The function remove takes the hook out again: in any order, during a
// call of the hook too, and more than once. Nil as a hook is refused by a panic with an *Error. Hooks are for the owner of the world.
type Hooks struct{ world *World }

// Hooks returns the hooks of w.
func (w *World) Hooks() Hooks { return Hooks{w} }

// Scheduler updates a world in steps and puts jobs into the order of the world's jobs, for packages that run systems, as ecs/system does,
// and for programs that run systems without it. [Scheduler.BeginUpdate] and [Scheduler.EndUpdate] are one update of a
// system, and [Scheduler.Query] is a query that only this system has, so that the changes which it has seen are its own.
//
// An access is what a job reads and writes, by indices of components; package jobs/access orders jobs by it.
// Methods that are called once return an error, or panic with one, if a world or an access is missing. Those that are called for each update,
// job or chunk do not check it, because a check would cost time in every frame: a nil world is a nil dereference there. All of them are for the owner of the world.
type Scheduler struct {
	world *World
	op    string // that errors name instead of the method; "" for the method
}

// Scheduler returns the scheduler of w.
func (w *World) Scheduler() Scheduler { return Scheduler{world: w} }

// As returns the scheduler with another name for errors: they name op in place of the method, because a package that calls s for its own
// users wants them to read the name of the function that they have called. Query, AddAccess and CheckCommands heed it.
func (s Scheduler) As(op string) Scheduler { return Scheduler{s.world, op} }

// OnSync makes every sync point of w that has jobs to wait for call f first, after what
// was given before.
func (h Hooks) OnSync(f func()) (remove func()) {
	w := h.world
	hook(w, "Hooks.OnSync", f != nil)
	return w.hooks.syncs.add(f)
}

// OnWait makes every wait of the owner for jobs of w call f first, and
// what f returns when it is over: at a sync point, after [Hooks.OnSync], with nil,
// and else with the access that the jobs conflict with, which is good for the call
// only, unless all of them are done already. Of several functions the first is called
// first, and what it has returned last.
func (h Hooks) OnWait(f func(a *access.Access) (done func())) (remove func()) {
	w := h.world
	hook(w, "Hooks.OnWait", f != nil)
	return w.hooks.waits.add(f)
}

// OnCommit makes every structural change of w call f just before it is made, when nothing can
// refuse it any more and no job of the world runs, with the name of the operation.
// A tool finds the system that makes the change with [Scheduler.ChangingSystem]. A
// playback is one change, and each of its commands another one, or neighbouring ones that
// destroy one entity each, or add, set and remove components of one; changes that the jobs of a transaction make are one,
// "Transaction.End". Function f may look at the world and is refused to change it. If it
// panics nothing has changed.
func (h Hooks) OnCommit(f func(op string)) (remove func()) {
	w := h.world
	hook(w, "Hooks.OnCommit", f != nil)
	return w.hooks.commits.add(f)
}

// hook refuses a hook of no world, and a nil function of one.
func hook(w *World, op string, given bool) {
	w.given(op)
	if !given {
		panic(w.fault(ErrArgument, op, "the function is nil: to end a hook call what it has returned"))
	}
}

// OnHash makes [World.Hash] take a number of the caller's in, behind what w contains,
// while f says that there is one. They are hashed in the order of their names: for
// each the list of the name's length (uint64), the name, and the list of the number. An
// [Capture] asks for it too. Function f may look at the world, but does not change it, and is refused to hash
// or to capture it: that would ask f again. Where goroutines have no identity, as with the tag purego, so is another
// one that hashes the world meanwhile.
// It stays as long as the world does: f says when there is none. A second call with the same name adds a number, in front of the first one's.
func (h Hooks) OnHash(name string, f func() (hash uint64, has bool)) {
	w := h.world
	const op = "Hooks.OnHash"
	w.given(op)
	if f == nil {
		panic(w.fault(ErrArgument, op, "the function is nil: give one that returns the number, and whether there is one"))
	}
	at, _ := slices.BinarySearchFunc(w.hooks.hashes, name, func(h hashHook, name string) int { return strings.Compare(h.name, name) })
	w.hooks.hashes = slices.Insert(w.hooks.hashes, at, hashHook{name, f})
}

// OnClose makes [World.Close] call f, after the jobs are complete and before the
// entities are gone; what was given last is called first.
func (h Hooks) OnClose(f func() error) (remove func()) {
	w := h.world
	hook(w, "Hooks.OnClose", f != nil)
	return w.hooks.closers.add(f)
}

// OnCapture makes every [Capture] of w call f with the new image: for packages that keep with it, by
// [Image.Attach], what they want to have back after a Restore.
func (h Hooks) OnCapture(f func(m *Image)) (remove func()) {
	w := h.world
	hook(w, "Hooks.OnCapture", f != nil)
	return w.hooks.captures.add(func(m any) { f(m.(*Image)) })
}

// OnRestore makes every [Restore] of w call f when w contains what the image does: for packages that remember
// what they have seen of a world, versions of chunks and counts of order among it. An image that was made for w, see ImageBuilder.AddState,
// is released by then, and has nothing but what was kept with it.
func (h Hooks) OnRestore(f func(m *Image)) (remove func()) {
	w := h.world
	hook(w, "Hooks.OnRestore", f != nil)
	return w.hooks.images.add(func(m any) { f(m.(*Image)) })
}

// Attach keeps a value with an image under a key, which should be of a type of the caller's own. It is
// for the functions of [Hooks.OnCapture]: an image does not change when others have it.
func (m *Image) Attach(key, value any) {
	m.mustBe("Image.Attach")
	if m.kept == nil {
		m.kept = map[any]any{}
	}
	m.kept[key] = value
}

// Attached returns what was kept with an image under a key; nil if there is nothing.
func (m *Image) Attached(key any) any {
	if m == nil {
		panic(fault(ErrArgument, "Image.Attached", "the image is nil: make one with Capture"))
	}
	return m.kept[key]
}

// Attach keeps a value with the world under a key, which should be of a type of
// the caller's own.
func (h Hooks) Attach(key any, value any) {
	w := h.world
	w.given("Hooks.Attach")
	w.hooks.attach(key, value)
}

// Attached returns the value kept with the world under a key, or nil.
func (h Hooks) Attached(key any) any {
	w := h.world
	w.given("Hooks.Attached")
	return w.hooks.attached[key]
}

// BeginUpdate begins the update of a system: the world's version moves on, and
// errors name the system until EndUpdate. It returns the name of the system in
// whose update this one happens, or "". It panics with an *Error while the world is
// lent to a transaction, see World.InTransaction: the system would have missed what that
// does. Until EndUpdate the world is the caller's, as in [Scheduler.BeginFrame].
func (s Scheduler) BeginUpdate(system string) (outer string) {
	w := s.world
	const op = "Scheduler.BeginUpdate"
	w.refuseLent(op)
	w.hold(op)
	w.bump()
	outer, w.running = w.running, system
	return outer
}

// BeginMember is BeginUpdate for a caller that has the world already, by a BeginFrame or BeginUpdate that it has made itself, and
// knows that the world is not lent: nothing is asked. A group of systems begins the updates of its members so.
func (s Scheduler) BeginMember(system string) (outer string) {
	w := s.world
	w.owner.depth++
	w.bump()
	outer, w.running = w.running, system
	return outer
}

// EndUpdate ends the update of a system, with what BeginUpdate has returned, and returns the version that its queries
// compare with next time, see [Query.SetSince]: what it has written itself is not newer than that,
// what is written afterwards is, by a transaction that the update has begun too.
func (s Scheduler) EndUpdate(outer string) (last uint32) {
	w := s.world
	w.running = outer
	w.owner.depth--
	last = w.version
	if w.lent == nil {
		w.bump()
	}
	return last
}

// RestoredVersion returns which version of the world one of the image is that the world was restored
// from last, or forked: for those who keep versions with an image.
func (s Scheduler) RestoredVersion(v uint32) uint32 {
	w := s.world
	w.given("Scheduler.RestoredVersion")
	return shifted(v, w.returns.shift)
}

// RunningSystem returns the name of the system that is being updated, or "".
func (s Scheduler) RunningSystem() string {
	w := s.world
	return w.running
}

// ChangingSystem returns the name of the system whose structural change is being made: during a
// playback the one that has recorded the commands, if it is known, and else the one that
// is being updated; or "".
func (s Scheduler) ChangingSystem() string {
	w := s.world
	return cmp.Or(w.recorder, w.running)
}

// SetRecorder makes the system that is being updated the recorder of c, which errors and
// [Scheduler.ChangingSystem] name. Call it before a buffer of another system is given to this one.
func (c *Commands) SetRecorder() {
	if c.world != nil {
		c.recorder = c.world.running
	}
}

// RunOn makes the world schedule its jobs, [Query.ParallelFor] among them, on r, which must belong to the world's pool:
// a scope, for a frame that can be cancelled. Nil is the pool. It returns the
// one before.
func (s Scheduler) RunOn(r Runner) (before Runner) {
	w := s.world
	w.given("Scheduler.RunOn")
	before, w.jobs.on = w.jobs.on, r
	return before
}

// Before appends the handles of the jobs that a job with access a must come
// after. Component indices are those of [Scheduler.AddAccess]. It is called before the job is
// scheduled, and [Scheduler.Track] afterwards: [World.Close] reports a job that was never given to Track,
// since nothing waits for it.
func (s Scheduler) Before(a *access.Access, buf []jobs.Handle) []jobs.Handle {
	w := s.world
	w.expect()
	w.jobs.asked++
	return w.jobs.tracker.Before(a, buf)
}

// Track puts a job with access a into the order of the world's jobs.
func (s Scheduler) Track(a *access.Access, h jobs.Handle) {
	w := s.world
	w.expect()
	w.jobs.asked = max(0, w.jobs.asked-1)
	w.jobs.tracker.Add(a, h)
}

// TrackOrdered is [Scheduler.Track] for a job whose order was given by hand. The error is of
// category ErrState, and its cause a *access.ConflictError, if a job conflicts with it
// that it does not come after; it is in the order of the world's jobs all the same.
func (s Scheduler) TrackOrdered(a *access.Access, h jobs.Handle) error {
	w := s.world
	w.expect()
	w.jobs.asked = max(0, w.jobs.asked-1)
	w.jobs.tracker.Name = ComponentName
	err := w.jobs.tracker.AddOrdered(a, h)
	var conflict *access.ConflictError
	if !errors.As(err, &conflict) {
		return err
	}
	return w.fault(ErrState, "Scheduler.TrackOrdered", "two jobs are in no order").because(conflict)
}

// Access returns what jobs over q read and write, to be passed to an
// access.Tracker. It grows as archetypes are made; it must not be changed.
func (q *Query) Access() *access.Access { return &q.access }

// AddAccess adds the access that the terms declare, Read and Write, to a. It is
// for jobs that are not over a query. The terms may name [Worldwide] types.
func (s Scheduler) AddAccess(a *access.Access, terms ...Term) error {
	w, op := s.world, cmp.Or(s.op, "Scheduler.AddAccess")
	switch {
	case w == nil:
		return noWorld(op)
	case a == nil:
		return noAccess(w, op)
	}
	for _, t := range terms {
		if t.mode != modeRead && t.mode != modeWrite {
			return w.fault(ErrArgument, op, "%v declares no access: use Read or Write", t)
		}
		c, err := w.declaredOf(op, t)
		if err != nil {
			return err
		}
		if t.mode == modeWrite {
			a.Write.Add(c.index)
		} else {
			a.Read.Add(c.index)
		}
	}
	return nil
}

// noAccess is the error of an operation that was given no access.
func noAccess(w *World, op string) error {
	return w.fault(ErrArgument, op, "the access is nil: give one that AddAccess or Access has filled")
}

// Declares reports whether the query that shows the chunk declares that it reads, or
// writes, the [Worldwide] type that accesses of world w know by an index. To write
// it is to read it too.
func (c *Chunk) Declares(w *World, index int) (reads, writes bool) {
	c.check("Chunk.Declares")
	if c.world.home != &w.tables {
		return false, false
	}
	for i := range c.binds {
		if b := &c.binds[i]; b.comp.worldwide && b.comp.index == index {
			return true, b.write
		}
	}
	return false, false
}

// ComponentName returns the name of the component that accesses know by an
// index, with its package; "" if there is none.
func ComponentName(index int) string {
	if all := components(); index >= 0 && index < len(all) {
		return all[index].name
	}
	return ""
}

// CloseQueries closes the queries that were made for owner.
func (s Scheduler) CloseQueries(owner string) error {
	w := s.world
	const op = "Scheduler.CloseQueries"
	if w == nil {
		return noWorld(op)
	}
	list := w.owned[owner]
	if owner == "" {
		list = w.queries
	}
	for _, q := range slices.Clone(list) {
		if q.owner == owner {
			if err := q.end(op); err != nil {
				return err
			}
		}
	}
	return nil
}

// Query is [World.Query] for a system: queries of different owners are different,
// even of the same terms, since each is set its own version to compare with. The owner is named
// in errors.
func (s Scheduler) Query(owner string, terms ...Term) *Query {
	w, op := s.world, cmp.Or(s.op, "Scheduler.Query")
	w.mustBeOpen(op)
	return w.queryFor(op, owner, terms)
}

// CheckCommands panics with an *Error if the call comes from a block of a parallel job to which the world does not belong, because the
// update of a system takes command buffers, and not such a block.
func (s Scheduler) CheckCommands() {
	w, op := s.world, cmp.Or(s.op, "Scheduler.CheckCommands")
	block := jobs.CallerBlock()
	if block == 0 {
		return
	}
	if own, _ := w.ownerBlock(); block != own {
		e := fault(ErrState, op, "a block of a parallel job cannot take a buffer: take it in the update of the system, and keep its Parallel() in the job")
		e.World = w.name
		panic(e)
	}
}

// Report adds an error to those that the next [World.Sync] returns.
func (s Scheduler) Report(err error) {
	w := s.world
	w.given("Scheduler.Report")
	w.report(err)
}

// Await completes the jobs of the world that conflict with access a.
func (s Scheduler) Await(a *access.Access) error {
	w := s.world
	const op = "Scheduler.Await"
	switch {
	case w == nil:
		return noWorld(op)
	case a == nil:
		return noAccess(w, op)
	}
	if err := w.notInJob(op); err != nil {
		return err
	}
	if err := w.looks(op); err != nil {
		return err
	}
	return w.awaitAccess(op, a)
}

// BeginFrame makes the world the caller's until EndFrame: other goroutines, and jobs,
// are refused what is the owner's, whatever is under way. Frames and updates of systems
// nest. It panics with an *Error if the world is being updated by another goroutine.
func (s Scheduler) BeginFrame() {
	w := s.world
	w.hold("Scheduler.BeginFrame")
}

// EndFrame undoes one BeginFrame.
func (s Scheduler) EndFrame() {
	w := s.world
	w.owner.depth--
}

// ID returns a number that no other chunk of the world has. A chunk keeps it
// while it is there, whatever becomes of others before it in a loop, and also if all of its
// rows change their archetype where they are; then it is given to another one. The
// numbers are small: a slice with an element for each is the way to keep what one
// knows of chunks. Rows that came or went are told by [Chunk.OrderChangedSince].
func (c *Chunk) ID() int {
	c.check("Chunk.ID")
	return int(c.rec.id)
}

// OrderCount returns how often rows of the archetypes that the query matches came
// or went, as World.OrderCountOf counts; of a query with [WithShared], rows that have
// the value. Other filters are not heeded. It never runs back, and each [Restore] makes it
// another one, far ahead.
func (q *Query) OrderCount() uint32 {
	q.world.refuseLent("Query.OrderCount")
	n := q.world.hooks.passed()
	for _, m := range q.matches {
		n += m.orders()
	}
	return n
}

// MoveCount returns how many rows of the archetypes that the query matches have
// come from other worlds, or gone there, by MoveEntities and
// MoveMatching. It never runs back: while it stays as it is, no reference
// between such entities was lost in a move.
func (q *Query) MoveCount() uint32 {
	n := q.world.hooks.passed()
	for _, m := range q.matches {
		n += m.arch.crossings
	}
	return n
}

// MatchesArchetype reports whether the query matches the entities of an archetype, if
// filters are ignored.
func (q *Query) MatchesArchetype(a Archetype) bool { return q.matchOf(a.a) != nil }

// FiltersRows reports whether q may match some entities of an archetype and others
// not: what they have on or off decides.
func (q *Query) FiltersRows(a Archetype) bool {
	m := q.matchOf(a.a)
	return m != nil && m.rows != nil
}

// Unchanged reports whether a job over the query would find nothing to do: no chunk
// passes its Changed terms, and no job that could change that is under way. It
// does not wait; where it cannot tell without, it is false. It looks at
// archetypes, not at their chunks.
func (q *Query) Unchanged() bool {
	w := q.world
	w.refuseLent("Query.Unchanged")
	if q.closed || !q.watches() || w.inJob() {
		return false
	}
	if w.jobs.pending {
		w.jobs.after = w.jobs.tracker.Before(&q.access, w.jobs.after[:0])
		if !done(w.jobs.after) {
			return false
		}
	}
	return q.still(q.since)
}
