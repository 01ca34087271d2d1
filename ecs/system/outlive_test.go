package system_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Components and systems of TestHandlesOutlive.
type (
	outlived struct{ V int32 }

	outliving struct {
		setup  *system.Setup
		frame  *system.Frame
		query  *ecs.Query
		access *access.Access
		inside func() // called in Update
	}

	outlivingGroup struct {
		system.Group
		_ system.In[system.Simulation]
	}

	outlivingJob struct{}
	noProbe      struct{}
)

func (s *outliving) Create(u *system.Setup) error {
	s.setup, s.query, s.access = u, u.Query(ecs.Write[outlived]()), u.Access(ecs.Write[outlived]())
	return nil
}

func (s *outliving) Update(f *system.Frame) error {
	s.frame = f
	if s.inside != nil {
		s.inside()
	}
	return nil
}

func (outlivingJob) Chunk(*ecs.Chunk)                        {}
func (outlivingJob) Run(*jobs.Task)                          {}
func (outlivingJob) RunRange(*jobs.Task, int, int)           {}
func (noProbe) Before(*system.Instance)                      {}
func (noProbe) After(in *system.Instance, _ uint32, _ error) {}

// outliver is a call of a method of a handle. The field refused says whether the call is refused
// after Close; otherwise it returns the same as before. The calls of a Frame that are refused
// after Close are also refused between two frames, with ErrState.
type outliver struct {
	name    string
	refused bool
	call    func() error
}

// needsUpdate reports whether the call is a call of a Frame that is allowed only in the methods of its
// system.
func (c *outliver) needsUpdate() bool {
	return c.refused && (strings.HasPrefix(c.name, "Frame.") || c.name == "Commands")
}

// try makes the call and returns its error. If the call panics with an error, try returns that error.
func (c *outliver) try(t *testing.T) (err error) {
	defer func() {
		if v := recover(); v != nil {
			var is bool
			if err, is = v.(error); !is {
				t.Errorf("%s panics with %v", c.name, v)
			}
		}
	}()
	return c.call()
}

// callWithoutResult makes a call of a function without results.
func callWithoutResult(f func()) func() error { return func() error { f(); return nil } }

// callIgnoringResult makes a call of a function whose result does not matter.
func callIgnoringResult[T any](f func() T) func() error { return func() error { f(); return nil } }

// outlivers returns calls of all handles of a world with systems.
func outlivers(t *testing.T, w *ecs.World) (calls []outliver) {
	s := system.Find[outliving](w)
	f, u, in, group := s.frame, s.setup, system.InstanceOf(w, s), system.Find[outlivingGroup](w)
	res, now := system.ResourceOf[outlived](w), system.ClockOf(w)
	part := system.NewExplainer(w)
	job := outlivingJob{}
	var report *system.Report
	return []outliver{
		{"Instance.Update", true, in.Update},
		{"Instance.SetEnabled", false, callWithoutResult(func() { in.SetEnabled(true) })},
		{"Instance.Enabled", false, callIgnoringResult(in.Enabled)},
		{"Instance.Group", false, callIgnoringResult(in.Group)},
		{"Instance.LastVersion", false, callIgnoringResult(in.LastVersion)},
		{"Instance.Name", false, callIgnoringResult(in.Name)},
		{"Instance.Running", false, callIgnoringResult(in.Running)},
		{"Instance.String", false, callIgnoringResult(in.String)},
		{"Instance.System", false, callIgnoringResult(in.System)},
		{"Instance.Type", false, callIgnoringResult(in.Type)},
		{"Instance.World", false, callIgnoringResult(in.World)},
		{"Group.Add", true, func() error { return group.Add(s) }},
		{"Group.Sort", false, group.Sort},
		{"Group.Members", false, callIgnoringResult(group.Members)},
		{"Group.Remove", false, callWithoutResult(func() { group.Remove(s) })},
		{"Group.SetSorting", false, callWithoutResult(func() { group.SetSorting(true) })},
		{"Group.SetRate", false, callWithoutResult(func() { group.SetRate(nil) })},
		{"Group.Alpha", false, callIgnoringResult(group.Alpha)},
		{"Resource.Read", true, callIgnoringResult(res.Read)},
		{"Resource.Write", true, callIgnoringResult(res.Write)},
		{"Resource.ReadBy", true, func() error { return readBy(res, u.Access()) }},
		{"Clock.Now", false, callIgnoringResult(now.Now)},
		{"Clock.Scale", false, callIgnoringResult(now.Scale)},
		{"Setup.Query", true, callIgnoringResult(func() *ecs.Query { return u.Query(ecs.Write[outlived]()) })},
		{"Setup.Access", false, callIgnoringResult(func() *access.Access { return u.Access(ecs.Read[outlived]()) })},
		{"Setup.Instance", false, callIgnoringResult(u.Instance)},
		{"Setup.World", false, callIgnoringResult(u.World)},
		{"Frame.ParallelFor", true, callIgnoringResult(func() jobs.Handle { return f.ParallelFor(s.query, job) })},
		{"Frame.Schedule", true, callIgnoringResult(func() jobs.Handle { return f.Schedule(job, s.access) })},
		{"Frame.ParallelRange", true, callIgnoringResult(func() jobs.Handle { return f.ParallelRange(job, 3, 1, s.access) })},
		{"Frame.Track", true, func() error { return f.Track(jobs.Handle{}, s.access) }},
		{"Frame.Run", true, func() error { return f.Run(s.query, job) }},
		{"Frame.Commands", true, callIgnoringResult(f.Commands)},
		{"Commands", true, callIgnoringResult(func() *ecs.Commands { return system.Commands[system.EndSimulation](f) })},
		{"Frame.Quit", true, callWithoutResult(f.Quit)},
		{"Frame.Wait", false, callWithoutResult(f.Wait)},
		{"Frame.Alpha", false, callIgnoringResult(f.Alpha)},
		{"Frame.Delta", false, callIgnoringResult(f.Delta)},
		{"Frame.Elapsed", false, callIgnoringResult(f.Elapsed)},
		{"SetConservative", true, callWithoutResult(func() { system.SetConservative(w, false) })},
		{"Measure", true, callWithoutResult(func() { system.Measure(w, false) })},
		{"Explain", true, callWithoutResult(func() { report = system.Explain(w) })},
		{"Report.String", false, callWithoutResult(func() { _ = report.String() })},
		{"Find", true, callIgnoringResult(func() *outliving { return system.Find[outliving](w) })},
		{"ResourceOf", true, callIgnoringResult(func() *system.Resource[outlived] { return system.ResourceOf[outlived](w) })},
		{"Update", true, func() error { return system.Update(w) }},
		{"AddSystems", true, func() error { return system.AddSystems(w) }},
		{"Instances", false, callIgnoringResult(func() []*system.Instance { return system.Instances(w) })},
		{"IsKind", false, callIgnoringResult(func() bool { return system.IsKind[system.GameWorld](w) })},
		{"Warnings", false, callIgnoringResult(func() []string { return system.Warnings(w) })},
		{"Instance.Queries", false, callIgnoringResult(func() []*ecs.Query { return in.Queries() })},
		{"Instance.IdleReason", false, callIgnoringResult(func() string { return in.IdleReason() })},
		{"Instance.AppendSamples", false, callIgnoringResult(func() []system.Sample { return in.AppendSamples(nil, 0) })},
		{"Instance.Components", false, callWithoutResult(func() { in.Components() })},
		{"SystemsVersion", false, callIgnoringResult(func() uint64 { return system.SystemsVersion(w) })},
		{"WorldID", false, callIgnoringResult(func() uint64 { return system.WorldID(w) })},
		{"TimeNextFrame", false, callWithoutResult(func() { system.TimeNextFrame(w) })},
		{"FrameNumber", true, callIgnoringResult(func() uint64 { return system.FrameNumber(w) })},
		{"RecordTimes", true, callWithoutResult(func() { system.RecordTimes(w, 1)() })},
		{"Watch", true, callWithoutResult(func() { system.Watch(w, noProbe{})() })},
		{"OnFrameEnd", true, callWithoutResult(func() { system.OnFrameEnd(w, func(*system.FrameEnd) {})() })},
		{"NewExplainer", true, callIgnoringResult(func() *system.Explainer { return system.NewExplainer(w) })},
		{"Explainer.Continue", true, callIgnoringResult(func() bool { return part.Continue(func() bool { return true }) })},
		{"the end of a system.RecordTimes", false, callWithoutResult(system.RecordTimes(w, 1))},
		{"the end of a system.Watch", false, callWithoutResult(system.Watch(w, noProbe{}))},
		{"the end of a system.OnFrameEnd", false, callWithoutResult(system.OnFrameEnd(w, func(*system.FrameEnd) {}))},
	}
}

// readBy reads a resource with an access that does not declare the resource. readBy returns the error
// if the world is disposed, and nil if only the access is the reason of the refusal.
func readBy(res *system.Resource[outlived], a *access.Access) (err error) {
	defer func() {
		if err, _ = recover().(error); !errors.Is(err, ecs.ErrDisposed) {
			err = nil
		}
	}()
	res.ReadBy(a)
	return nil
}

// TestHandlesOutlive checks that all handles of systems still work after a Restore. A frame that the
// system has kept works in the system's next update. After Close, the calls that would use the world
// return ErrDisposed, and the other calls still return their values.
func TestHandlesOutlive(t *testing.T) {
	w, err := system.NewWorld(t.Name(), system.Only(system.Of[outliving](), system.Of[outlivingGroup](), system.Of[system.Simulation](), system.Of[system.EndSimulation]()))
	if err != nil {
		t.Fatal(err)
	}
	e := w.Spawn(outlived{1})
	image, err := ecs.Capture(w, nil)
	if err = errors.Join(err, system.Update(w)); err != nil {
		t.Fatal(err)
	}
	calls := outlivers(t, w)
	of, query := w.ArchetypeOf(e), w.Query(ecs.With[outlived]())
	calls = append(calls, []outliver{
		{"Archetype.Len", true, callIgnoringResult(of.Len)},
		{"Archetype.ChunkCount", true, callIgnoringResult(of.ChunkCount)},
		{"Archetype.Capacity", false, callIgnoringResult(of.Capacity)},
		{"Query.CountUnfiltered", true, callIgnoringResult(query.CountUnfiltered)},
		{"Query.EmptyUnfiltered", true, callIgnoringResult(query.EmptyUnfiltered)},
	}...)
	check := func(when string, closed bool) {
		for _, c := range calls {
			err := c.try(t)
			switch {
			case closed && c.refused:
				if !errors.Is(err, ecs.ErrDisposed) {
					t.Errorf("%s: %s: got %v, want ErrDisposed", when, c.name, err)
				}
			case c.needsUpdate():
				if !errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), "system_test.outliving: "+c.name+": the Frame is used while its system is not being called") {
					t.Errorf("%s: %s: got %v, want ErrState with the name of the system and of the call", when, c.name, err)
				}
			case err != nil:
				t.Errorf("%s: %s: got %v, want no error", when, c.name, err)
			}
		}
	}
	kept := system.Find[outliving](w)
	insideUpdate := func() {
		made := 0
		kept.inside = func() {
			for _, c := range calls {
				if c.needsUpdate() {
					made++
					if err := c.try(t); err != nil {
						t.Errorf("in the next update: %s: got %v, want no error", c.name, err)
					}
				}
			}
		}
		if err := system.Update(w); err != nil {
			t.Error(err)
		}
		if kept.inside = nil; made != 8 {
			t.Errorf("%d methods of the kept frame were called, want 8", made)
		}
	}
	for range 2 {
		w.Spawn(outlived{2})
		if err := system.Restore(w, image); err != nil {
			t.Fatal(err)
		}
		check("after Restore", false)
		insideUpdate()
	}
	whole := system.NewExplainer(w)
	for !whole.Continue(func() bool { return false }) {
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if text := whole.Report().String(); text == "" {
		t.Error("after Close: a snapshot that is whole explains nothing")
	}
	check("after Close", true)
}

// Systems of TestFrameOfAnotherSystem.
type (
	frameOwner struct {
		frame *system.Frame
		ran   *int // jobs that StopRunning has scheduled
	}

	frameBorrower struct {
		owner *frameOwner
		_     system.After[frameOwner]
	}
)

func (s *frameOwner) Update(f *system.Frame) error {
	s.frame = f
	return nil
}

func (s *frameOwner) StopRunning(*system.Frame) error {
	s.frame.Schedule(jobs.Func(func(*jobs.Task) { *s.ran++ }), nil)
	return nil
}

func (s *frameBorrower) Update(*system.Frame) error {
	s.owner.frame.Commands()
	return nil
}

// TestFrameOfAnotherSystem checks that a system cannot record with the frame of another system while no
// method of that system runs. The test also checks that a system may keep its frame and use it in
// StopRunning, even while the world is being closed.
func TestFrameOfAnotherSystem(t *testing.T) {
	w, err := system.NewWorld(t.Name(), system.Only(system.Of[frameOwner](), system.Of[frameBorrower]()))
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	owner, borrower := system.Find[frameOwner](w), system.Find[frameBorrower](w)
	owner.ran, borrower.owner = &ran, owner
	const want = "system_test.frameOwner: Frame.Commands: the Frame is used while its system is not being called"
	if err := system.Update(w); !errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), want) {
		t.Errorf("Update: got %v, want ErrState with %q", err, want)
	}
	if err := w.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if ran != 1 {
		t.Errorf("StopRunning has run %d jobs, want 1", ran)
	}
}
