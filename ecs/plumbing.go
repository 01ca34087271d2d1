package ecs

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// plumbing is what package ecs/plumbing is made of, where it has its comments: what packages that
// build on a world connect to. Its methods are that package's functions and call nothing back.
type plumbing struct{}

// OnSync is plumbing.OnSync.
func (plumbing) OnSync(w *World, f func()) (remove func()) {
	hook(w, "plumbing.OnSync", f != nil)
	return w.hooks.syncs.add(f)
}

// OnWait is plumbing.OnWait.
func (plumbing) OnWait(w *World, f func(a *access.Access) (done func())) (remove func()) {
	hook(w, "plumbing.OnWait", f != nil)
	return w.hooks.waits.add(f)
}

// OnCommit is plumbing.OnCommit.
func (plumbing) OnCommit(w *World, f func(op string)) (remove func()) {
	hook(w, "plumbing.OnCommit", f != nil)
	return w.hooks.commits.add(f)
}

// hook refuses a hook of no world, and a nil function of one.
func hook(w *World, op string, given bool) {
	w.given(op)
	if !given {
		panic(w.fault(ErrArgument, op, "the function is nil: to end a hook call what it has returned"))
	}
}

// OnHash is plumbing.OnHash.
func (plumbing) OnHash(w *World, name string, f func() (hash uint64, has bool)) {
	const op = "plumbing.OnHash"
	w.given(op)
	if f == nil {
		panic(w.fault(ErrArgument, op, "the function is nil: give one that returns the number, and whether there is one"))
	}
	at, _ := slices.BinarySearchFunc(w.hooks.hashes, name, func(h namedHash, name string) int { return strings.Compare(h.name, name) })
	w.hooks.hashes = slices.Insert(w.hooks.hashes, at, namedHash{name, f})
}

// OnClose is plumbing.OnClose.
func (plumbing) OnClose(w *World, f func() error) (remove func()) {
	hook(w, "plumbing.OnClose", f != nil)
	return w.hooks.closers.add(f)
}

// OnCapture is plumbing.OnCapture.
func (plumbing) OnCapture(w *World, f func(m *Image)) (remove func()) {
	hook(w, "plumbing.OnCapture", f != nil)
	return w.hooks.captures.add(func(m any) { f(m.(*Image)) })
}

// OnRestore is plumbing.OnRestore.
func (plumbing) OnRestore(w *World, f func(m *Image)) (remove func()) {
	hook(w, "plumbing.OnRestore", f != nil)
	return w.hooks.images.add(func(m any) { f(m.(*Image)) })
}

// Keep is plumbing.Keep.
func (p plumbing) Keep(m *Image, key, value any) { p.KeepAs("plumbing.Keep", m, key, value) }

// KeepAs is Keep for a function that a panic names.
func (plumbing) KeepAs(op string, m *Image, key, value any) {
	m.mustBe(op)
	if m.kept == nil {
		m.kept = map[any]any{}
	}
	m.kept[key] = value
}

// Kept is plumbing.Kept.
func (plumbing) Kept(m *Image, key any) any {
	if m == nil {
		panic(fault(ErrArgument, "plumbing.Kept", "the image is nil: make one with Capture"))
	}
	return m.kept[key]
}

// Attach is plumbing.Attach.
func (plumbing) Attach(w *World, key, value any) {
	w.given("plumbing.Attach")
	w.hooks.attach(key, value)
}

// Attached is plumbing.Attached.
func (plumbing) Attached(w *World, key any) any {
	w.given("plumbing.Attached")
	return w.hooks.attached[key]
}

// BeginUpdate is plumbing.BeginUpdate.
func (plumbing) BeginUpdate(w *World, system string) (outer string) {
	const op = "plumbing.BeginUpdate"
	w.refuseLent(op)
	w.hold(op)
	w.bump()
	outer, w.running = w.running, system
	return outer
}

// BeginMember is plumbing.BeginMember.
func (plumbing) BeginMember(w *World, system string) (outer string) {
	w.owner.depth++
	w.bump()
	outer, w.running = w.running, system
	return outer
}

// EndUpdate is plumbing.EndUpdate.
func (plumbing) EndUpdate(w *World, outer string) (last uint32) {
	w.running = outer
	w.owner.depth--
	last = w.version
	if w.lent == nil {
		w.bump()
	}
	return last
}

// RestoredVersion is plumbing.RestoredVersion.
func (plumbing) RestoredVersion(w *World, v uint32) uint32 {
	w.given("plumbing.RestoredVersion")
	return shifted(v, w.returns.shift)
}

// Running is plumbing.Running.
func (plumbing) Running(w *World) string { return w.running }

// Changing is plumbing.Changing.
func (plumbing) Changing(w *World) string { return cmp.Or(w.recorder, w.running) }

// Recording is plumbing.Recording.
func (plumbing) Recording(c *Commands) {
	if c.world != nil {
		c.recorder = c.world.running
	}
}

// RunOn is plumbing.RunOn.
func (plumbing) RunOn(w *World, r runner) (before runner) {
	w.given("plumbing.RunOn")
	before, w.jobs.on = w.jobs.on, r
	return before
}

// Before is plumbing.Before.
func (plumbing) Before(w *World, a *access.Access, buf []jobs.Handle) []jobs.Handle {
	w.expect()
	w.jobs.asked++
	return w.jobs.tracker.Before(a, buf)
}

// Track is plumbing.Track.
func (plumbing) Track(w *World, a *access.Access, h jobs.Handle) {
	w.expect()
	w.jobs.asked = max(0, w.jobs.asked-1)
	w.jobs.tracker.Add(a, h)
}

// TrackOrdered is plumbing.TrackOrdered.
func (p plumbing) TrackOrdered(w *World, a *access.Access, h jobs.Handle) error {
	w.expect()
	w.jobs.asked = max(0, w.jobs.asked-1)
	w.jobs.tracker.Name = p.ComponentName
	err := w.jobs.tracker.AddOrdered(a, h)
	var conflict *access.ConflictError
	if !errors.As(err, &conflict) {
		return err
	}
	return w.fault(ErrState, "plumbing.TrackOrdered", "two jobs are in no order").because(conflict)
}

// Access is plumbing.Access.
func (plumbing) Access(q *Query) *access.Access { return &q.access }

// AddAccess is plumbing.AddAccess.
func (p plumbing) AddAccess(w *World, a *access.Access, terms ...Term) error {
	return p.AddAccessAs("plumbing.AddAccess", w, a, terms)
}

// AddAccessAs is AddAccess for a function that errors name.
func (plumbing) AddAccessAs(op string, w *World, a *access.Access, terms []Term) error {
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

// Declares is plumbing.Declares.
func (plumbing) Declares(c *Chunk, w *World, index int) (reads, writes bool) {
	c.check("plumbing.Declares")
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

// ComponentName is plumbing.ComponentName.
func (plumbing) ComponentName(index int) string {
	if all := components(); index >= 0 && index < len(all) {
		return all[index].name
	}
	return ""
}

// CloseQueries is plumbing.CloseQueries.
func (plumbing) CloseQueries(w *World, owner string) error {
	const op = "plumbing.CloseQueries"
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

// QueryFor is plumbing.QueryFor.
func (p plumbing) QueryFor(w *World, owner string, terms ...Term) *Query {
	return p.QueryAs("plumbing.QueryFor", w, owner, terms)
}

// MustOwnCommands panics if the call, of op, comes from a block of a parallel job to which the world does not belong: its
// update takes buffers, and not such a block.
func (plumbing) MustOwnCommands(op string, w *World) {
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

// QueryAs is QueryFor for a function that a panic names.
func (plumbing) QueryAs(op string, w *World, owner string, terms []Term) *Query {
	w.mustBeOpen(op)
	return w.queryFor(op, owner, terms)
}

// Report is plumbing.Report.
func (plumbing) Report(w *World, err error) {
	w.given("plumbing.Report")
	w.report(err)
}

// Await is plumbing.Await.
func (plumbing) Await(w *World, a *access.Access) error {
	const op = "plumbing.Await"
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

// BeginFrame is plumbing.BeginFrame.
func (plumbing) BeginFrame(w *World) { w.hold("plumbing.BeginFrame") }

// EndFrame is plumbing.EndFrame.
func (plumbing) EndFrame(w *World) { w.owner.depth-- }

// ChunkID is plumbing.ChunkID.
func (plumbing) ChunkID(c *Chunk) int {
	c.check("plumbing.ChunkID")
	return int(c.rec.id)
}

// OrderCount is plumbing.OrderCount.
func (plumbing) OrderCount(q *Query) uint32 {
	q.world.refuseLent("plumbing.OrderCount")
	n := q.world.hooks.passed()
	for _, m := range q.matches {
		n += m.orders()
	}
	return n
}

// CrossingCount is plumbing.CrossingCount.
func (plumbing) CrossingCount(q *Query) uint32 {
	n := q.world.hooks.passed()
	for _, m := range q.matches {
		n += m.arch.crossings
	}
	return n
}

// Takes is plumbing.Takes.
func (plumbing) Takes(q *Query, a Archetype) bool { return q.matchOf(a.a) != nil }

// TakesRows is plumbing.TakesRows.
func (plumbing) TakesRows(q *Query, a Archetype) bool {
	m := q.matchOf(a.a)
	return m != nil && m.rows != nil
}

// Quiet is plumbing.Quiet.
func (plumbing) Quiet(q *Query) bool {
	w := q.world
	w.refuseLent("plumbing.Quiet")
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
